//! The parameter file: a header that names version and shape, then the weights.
//!
//! Little-endian. `SPARRING HUMAN 2\n`, the eight parts' rows and widths as `u32`, then each part: the two tables as
//! one `f32` scale and bytes for each row, the small parts as plain `f32`; the curve's weights; the pace's numbers.

use thiserror::Error;

use super::{
    loss_curve::{BASIS, LossCurve, TERMS},
    model::Model,
    net::{MOVES, Net, PARTS, POSITION, Part, WEIGHTS},
};
use crate::think_time::speed_model::{SPEEDS, SpeedModel};

const HEADER: &[u8] = b"SPARRING HUMAN 2\n";

/// Why bytes are not a parameter file that this program can use.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FormatError {
    /// Something else, or of another version.
    #[error("not a file of human parameters, version 2")]
    Header,
    /// The net of another program version.
    #[error("part {part} is {rows} rows of {width}, this program has {expected_rows} of {expected_width}")]
    Shape {
        /// Which part, from 0.
        part: usize,
        /// Rows in the file.
        rows: u32,
        /// Their width in the file.
        width: u32,
        /// Rows this program has.
        expected_rows: usize,
        /// The width this program has.
        expected_width: usize,
    },
    /// Too short or too long.
    #[error("{0} bytes are missing or left over")]
    Length(usize),
    /// A weight that is no number.
    #[error("a weight is not a finite number")]
    NotFinite,
}

/// Writes a model. The tables are rounded to 255 steps a row: [`read`] gives the rounded model back.
#[must_use]
pub fn write(model: &Model) -> Vec<u8> {
    let mut bytes = HEADER.to_vec();
    for part in PARTS {
        bytes.extend((part.rows as u32).to_le_bytes());
        bytes.extend((part.width as u32).to_le_bytes());
    }
    for part in PARTS {
        let weights = part.of(model.net.weights());
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
    for weight in model.curve.weights.as_flattened() {
        bytes.extend(weight.to_le_bytes());
    }
    for mut habit in model.speed_models {
        numbers_mut(&mut habit).for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    bytes
}

/// All numbers of a habit in the file's order.
fn numbers_mut(habit: &mut SpeedModel) -> impl Iterator<Item = &mut f32> {
    habit
        .at_once
        .iter_mut()
        .chain(&mut habit.in_no_time)
        .chain(&mut habit.weights)
        .chain(&mut habit.spread)
        .chain(&mut habit.residuals)
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

/// Reads a model.
///
/// # Errors
/// [`FormatError`] for anything but what [`write`] wrote with the same shape.
pub fn read(bytes: &[u8]) -> Result<Model, FormatError> {
    let mut rest = Rest(bytes.strip_prefix(HEADER).ok_or(FormatError::Header)?);
    for (index, part) in PARTS.into_iter().enumerate() {
        let (rows, width) = (u32::from_le_bytes(rest.take()?), u32::from_le_bytes(rest.take()?));
        if (rows as usize, width as usize) != (part.rows, part.width) {
            return Err(FormatError::Shape {
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
                Some(rest.number()?)
            } else {
                None
            };
            for _ in 0..part.width {
                weights.push(match scale {
                    Some(scale) => scale * f32::from(i8::from_le_bytes(rest.take()?)),
                    None => rest.number()?,
                });
            }
        }
    }
    let mut curve = LossCurve {
        weights: [[0.0; BASIS]; TERMS],
    };
    for weight in curve.weights.as_flattened_mut() {
        *weight = rest.number()?;
    }
    let mut pace = [SpeedModel::NONE; SPEEDS];
    for number in pace.iter_mut().flat_map(numbers_mut) {
        *number = rest.number()?;
    }
    match (rest.0.len(), Net::new(weights)) {
        (0, Some(net)) => Ok(Model {
            net,
            curve,
            speed_models: pace,
        }),
        (left, _) => Err(FormatError::Length(left)),
    }
}

/// The bytes not read yet.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn take<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], FormatError> {
        let (first, rest) = self
            .0
            .split_first_chunk::<LENGTH>()
            .ok_or(FormatError::Length(LENGTH - self.0.len().min(LENGTH)))?;
        self.0 = rest;
        Ok(*first)
    }

    fn number(&mut self) -> Result<f32, FormatError> {
        let number = f32::from_le_bytes(self.take()?);
        if number.is_finite() {
            Ok(number)
        } else {
            Err(FormatError::NotFinite)
        }
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
            speed_models: [SpeedModel::NONE; SPEEDS],
        }
    }

    #[test]
    fn what_was_read_is_written_again_byte_for_byte() {
        let bytes = write(&model());
        let once = read(&bytes).unwrap();
        assert_eq!(write(&once), bytes);
        for (before, after) in model().net.weights().iter().zip(once.net.weights()) {
            assert!((before - after).abs() <= 1.0 / 64.0, "{before} became {after}");
        }
    }

    #[test]
    fn files_that_do_not_fit_are_refused() {
        let bytes = write(&model());
        assert_eq!(read(b"something else"), Err(FormatError::Header));
        assert_eq!(read(&bytes[..bytes.len() - 3]), Err(FormatError::Length(3)));
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(read(&longer), Err(FormatError::Length(1)));
        let mut other = bytes.clone();
        other[HEADER.len()] ^= 1;
        assert!(matches!(read(&other), Err(FormatError::Shape { part: 0, .. })));
        let mut broken = bytes;
        let last = broken.len() - 4;
        broken[last..].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(read(&broken), Err(FormatError::NotFinite));
    }
}
