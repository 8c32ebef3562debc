//! Binary parameter files of the fitted models: a header line, then little-endian numbers.

use thiserror::Error;

/// Why bytes are not a parameter file that this program can use.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParameterError {
    /// Another kind of file, or another version.
    #[error("not a parameter file of this kind and version")]
    Header,
    /// Too short or too long.
    #[error("{0} bytes are missing or left over")]
    Length(usize),
    /// A weight is NaN or infinite.
    #[error("a weight is not a finite number")]
    NotFinite,
}

/// Reads the numbers of a parameter file in order.
pub(crate) struct ParameterReader<'a>(&'a [u8]);

impl<'a> ParameterReader<'a> {
    /// The bytes after the header line.
    pub(crate) fn new(bytes: &'a [u8], header: &[u8]) -> Result<Self, ParameterError> {
        bytes.strip_prefix(header).map(Self).ok_or(ParameterError::Header)
    }

    /// The next `LENGTH` bytes.
    pub(crate) fn take<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], ParameterError> {
        let (first, rest) = self
            .0
            .split_first_chunk::<LENGTH>()
            .ok_or(ParameterError::Length(LENGTH - self.0.len().min(LENGTH)))?;
        self.0 = rest;
        Ok(*first)
    }

    /// The next number, which must be finite.
    pub(crate) fn number(&mut self) -> Result<f32, ParameterError> {
        let number = f32::from_le_bytes(self.take()?);
        if number.is_finite() {
            Ok(number)
        } else {
            Err(ParameterError::NotFinite)
        }
    }

    /// Checks that nothing is left.
    pub(crate) fn finish(self) -> Result<(), ParameterError> {
        match self.0.len() {
            0 => Ok(()),
            left => Err(ParameterError::Length(left)),
        }
    }
}
