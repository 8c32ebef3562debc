//! The flat file of a network: `SPARNET1`, the length of a JSON header, the header, and named tensors of 16-bit floats.

use std::collections::BTreeMap;

use serde::Deserialize;
use thiserror::Error;

/// What a file starts with.
pub const MAGIC: &[u8; 8] = b"SPARNET1";
/// Numbers start at a multiple of this many bytes.
const ALIGNMENT: usize = 64;

/// A file that is no network of ours.
#[derive(Debug, Error)]
pub enum FileError {
    /// It starts with something else.
    #[error("a network starts with \"SPARNET1\", this file with \"{}\"", found.escape_ascii())]
    Magic {
        /// Its first bytes.
        found: Vec<u8>,
    },
    /// It ends too early.
    #[error("the network's {part} ends at byte {expected}, the file at byte {found}")]
    Cut {
        /// What is not all there: the header or a tensor.
        part: String,
        /// Where it ends.
        expected: u64,
        /// Where the file ends.
        found: u64,
    },
    /// The header is no JSON of the kind expected.
    #[error("the network's header is not as expected")]
    Header(#[source] serde_json::Error),
    /// A number of the header makes no sense.
    #[error("the network's \"{name}\" is {found}, not {expected}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: f64,
    },
    /// A tensor is not listed.
    #[error("the network has no tensor \"{0}\"")]
    Missing(String),
    /// A tensor has another shape than its neighbours ask for.
    #[error("tensor \"{name}\" of the network has shape {found:?}, not {expected:?}")]
    Shape {
        /// Its name.
        name: String,
        /// The shape that fits.
        expected: Vec<usize>,
        /// The shape that the header lists.
        found: Vec<usize>,
    },
    /// A weight is infinite or no number.
    #[error("tensor \"{name}\" of the network holds {found}")]
    NotFinite {
        /// The tensor's name.
        name: String,
        /// The weight.
        found: f32,
    },
}

#[derive(Deserialize)]
struct Header {
    net: Sizes,
    most: f32,
    tensors: Vec<Listed>,
}

#[derive(Deserialize)]
struct Sizes {
    channels: usize,
    blocks: usize,
}

/// A tensor of the header, `at` counted in numbers.
#[derive(Deserialize)]
struct Listed {
    name: String,
    shape: Vec<usize>,
    at: usize,
}

/// The tensors of a file by name.
pub(super) struct Tensors {
    /// Channels of the tower.
    pub(super) channels: usize,
    /// Blocks of the tower.
    pub(super) blocks: usize,
    /// Activations of the tower end here.
    pub(super) most: f32,
    tensors: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
}

impl Tensors {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, FileError> {
        let Some((&magic, rest)) = bytes.split_first_chunk::<8>() else {
            return Err(FileError::Magic {
                found: bytes.to_vec(),
            });
        };
        if &magic != MAGIC {
            return Err(FileError::Magic {
                found: magic.to_vec(),
            });
        }
        let Some((&length, rest)) = rest.split_first_chunk::<4>() else {
            return Err(cut("header's length", 12, bytes));
        };
        let length = u32::from_le_bytes(length) as usize;
        let end = length.saturating_add(12);
        let header = rest.get(..length).ok_or_else(|| cut("header", end, bytes))?;
        let header: Header = serde_json::from_slice(header).map_err(FileError::Header)?;
        if !(header.most > 0.0 && header.most.is_finite()) {
            let found = f64::from(header.most);
            return Err(FileError::Setting {
                name: "most",
                expected: "above 0 and finite",
                found,
            });
        }
        if header.net.channels == 0 {
            return Err(FileError::Setting {
                name: "channels",
                expected: "above 0",
                found: 0.0,
            });
        }
        let begin = end.next_multiple_of(ALIGNMENT);
        let mut tensors = BTreeMap::new();
        for Listed { name, shape, at } in header.tensors {
            let size = shape
                .iter()
                .fold(1_usize, |size, side| size.saturating_mul(*side));
            let from = at.saturating_mul(2).saturating_add(begin);
            let to = size.saturating_mul(2).saturating_add(from);
            let numbers = bytes
                .get(from..to)
                .ok_or_else(|| cut(&format!("tensor \"{name}\""), to, bytes))?;
            let numbers: Vec<f32> = numbers
                .as_chunks()
                .0
                .iter()
                .map(|number| from_half(u16::from_le_bytes(*number)))
                .collect();
            if let Some(&found) = numbers.iter().find(|number| !number.is_finite()) {
                return Err(FileError::NotFinite { name, found });
            }
            tensors.insert(name, (shape, numbers));
        }
        Ok(Self {
            channels: header.net.channels,
            blocks: header.net.blocks,
            most: header.most,
            tensors,
        })
    }

    /// The numbers of a tensor of this shape.
    pub(super) fn get(&self, name: &str, expected: &[usize]) -> Result<&[f32], FileError> {
        let (shape, numbers) = self.find(name)?;
        if shape != expected {
            return Err(FileError::Shape {
                name: name.to_owned(),
                expected: expected.to_vec(),
                found: shape.clone(),
            });
        }
        Ok(numbers)
    }

    /// How long the first side of a tensor is, at least 1.
    pub(super) fn rows(&self, name: &str) -> Result<usize, FileError> {
        match self.find(name)?.0.first() {
            Some(&rows) if rows > 0 => Ok(rows),
            _ => Err(FileError::Shape {
                name: name.to_owned(),
                expected: vec![1],
                found: self.find(name)?.0.clone(),
            }),
        }
    }

    fn find(&self, name: &str) -> Result<&(Vec<usize>, Vec<f32>), FileError> {
        self.tensors
            .get(name)
            .ok_or_else(|| FileError::Missing(name.to_owned()))
    }
}

/// The value of an IEEE 754 binary16 number.
pub(super) fn from_half(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let exponent = u32::from(half >> 10 & 0x1f);
    let fraction = u32::from(half & 0x3ff);
    match exponent {
        // Counted in units of 2^-24.
        0 => f32::from_bits(sign | (fraction as f32 / (1 << 24) as f32).to_bits()),
        0x1f => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

fn cut(part: &str, expected: usize, bytes: &[u8]) -> FileError {
    FileError::Cut {
        part: part.to_owned(),
        expected: expected as u64,
        found: bytes.len() as u64,
    }
}
