//! The parameter file of the human model.
//!
//! Little-endian: `SPARRING HUMAN 3\n`; rows and width of each part of the network as `u32`; each part; the weights of
//! the loss curve. The two large tables are one `f32` scale and `i8` weights a row, all other weights are `f32`.

use std::sync::LazyLock;

use super::{
    loss_curve::{BASIS, LossCurve, TERMS},
    model::Model,
    network::{MOVES, Net, PARTS, POSITION, Part, WEIGHTS},
};
use crate::parameter_file::{ParameterError, ParameterReader};

const HEADER: &[u8] = b"SPARRING HUMAN 3\n";

static SHIPPED: LazyLock<Model> = LazyLock::new(|| match Model::from_bytes(include_bytes!("human.params")) {
    Ok(model) => model,
    Err(error) => unreachable!("a test reads the same bytes: {error}"),
});

impl Model {
    /// The built-in model.
    #[must_use]
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Writes a parameter file. Tables are rounded to 255 steps a row: [`from_bytes`](Self::from_bytes) gives the rounded
    /// model back.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = HEADER.to_vec();
        for part in PARTS {
            bytes.extend((part.rows as u32).to_le_bytes());
            bytes.extend((part.width as u32).to_le_bytes());
        }
        for part in PARTS {
            let weights = part.of(self.net.weights());
            if is_table(part) {
                weights
                    .chunks(part.width)
                    .for_each(|row| write_row(row, &mut bytes));
            } else {
                weights
                    .iter()
                    .for_each(|weight| bytes.extend(weight.to_le_bytes()));
            }
        }
        for weight in self.curve.weights.as_flattened() {
            bytes.extend(weight.to_le_bytes());
        }
        bytes
    }

    /// Reads a parameter file.
    ///
    /// # Errors
    /// [`ParameterError`] for anything but what [`to_bytes`](Self::to_bytes) wrote with the same shape.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParameterError> {
        let mut reader = ParameterReader::new(bytes, HEADER)?;
        for (index, part) in PARTS.into_iter().enumerate() {
            let (rows, width) = (
                u32::from_le_bytes(reader.take()?),
                u32::from_le_bytes(reader.take()?),
            );
            if (rows as usize, width as usize) != (part.rows, part.width) {
                return Err(ParameterError::Shape {
                    part: index,
                    rows,
                    width,
                    expected_rows: part.rows,
                    expected_width: part.width,
                });
            }
        }
        let mut weights = Vec::with_capacity(WEIGHTS);
        for part in PARTS {
            for _ in 0..part.rows {
                let scale = if is_table(part) {
                    Some(reader.number()?)
                } else {
                    None
                };
                for _ in 0..part.width {
                    weights.push(match scale {
                        Some(scale) => scale * f32::from(i8::from_le_bytes(reader.take()?)),
                        None => reader.number()?,
                    });
                }
            }
        }
        let mut curve = LossCurve {
            weights: [[0.0; BASIS]; TERMS],
        };
        for weight in curve.weights.as_flattened_mut() {
            *weight = reader.number()?;
        }
        reader.finish()?;
        let net = Net::new(weights).ok_or(ParameterError::Length(0))?;
        Ok(Self { net, curve })
    }
}

fn is_table(part: Part) -> bool {
    part == POSITION || part == MOVES
}

fn write_row(row: &[f32], bytes: &mut Vec<u8>) {
    let largest = row
        .iter()
        .fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    bytes.extend(scale.to_le_bytes());
    for weight in row {
        bytes.extend(((weight / scale).round() as i8).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Model {
        let weights = (0..WEIGHTS)
            .map(|index| ((index * 37 % 255) as f32 - 127.0) / 64.0)
            .collect();
        Model {
            net: Net::new(weights).unwrap(),
            curve: LossCurve {
                weights: [[0.25; BASIS]; TERMS],
            },
        }
    }

    #[test]
    fn the_shipped_parameters_are_whole() {
        assert_eq!(Model::shipped().to_bytes(), include_bytes!("human.params"));
    }

    #[test]
    fn what_was_read_is_written_again_byte_for_byte() {
        let bytes = model().to_bytes();
        let once = Model::from_bytes(&bytes).unwrap();
        assert_eq!(once.to_bytes(), bytes);
        for (before, after) in model().net.weights().iter().zip(once.net.weights()) {
            assert!((before - after).abs() <= 1.0 / 64.0, "{before} became {after}");
        }
    }

    #[test]
    fn files_that_do_not_fit_are_refused() {
        let bytes = model().to_bytes();
        assert_eq!(Model::from_bytes(b"something else"), Err(ParameterError::Header));
        assert_eq!(
            Model::from_bytes(&bytes[..bytes.len() - 3]),
            Err(ParameterError::Length(3))
        );
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(Model::from_bytes(&longer), Err(ParameterError::Length(1)));
        let mut other = bytes.clone();
        other[HEADER.len()] ^= 1;
        assert!(matches!(
            Model::from_bytes(&other),
            Err(ParameterError::Shape { part: 0, .. })
        ));
        let mut broken = bytes;
        let last = broken.len() - 4;
        broken[last..].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(Model::from_bytes(&broken), Err(ParameterError::NotFinite));
    }
}
