//! The parameter file of the think-time model.
//!
//! Little-endian: `SPARRING THINK TIME 1\n`, then the numbers of each [`SpeedModel`] as `f32`, bullet to classical.

use std::sync::LazyLock;

use super::{features::SPEEDS, speed_model::SpeedModel};
use crate::parameter_file::{ParameterError, ParameterReader};

const HEADER: &[u8] = b"SPARRING THINK TIME 1\n";

/// The fitted models of all speeds.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeedModels(pub [SpeedModel; SPEEDS]);

static SHIPPED: LazyLock<SpeedModels> =
    LazyLock::new(
        || match SpeedModels::from_bytes(include_bytes!("think_time.params")) {
            Ok(models) => models,
            Err(error) => unreachable!("a test reads the same bytes: {error}"),
        },
    );

impl SpeedModels {
    /// The built-in models.
    #[must_use]
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// The model of a [speed](super::features::speed).
    #[must_use]
    pub fn get(&self, speed: usize) -> &SpeedModel {
        &self.0[speed]
    }

    /// Writes a parameter file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = HEADER.to_vec();
        for mut model in self.0 {
            numbers_mut(&mut model).for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        bytes
    }

    /// Reads a parameter file.
    ///
    /// # Errors
    /// [`ParameterError`] for anything but what [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParameterError> {
        let mut reader = ParameterReader::new(bytes, HEADER)?;
        let mut models = [SpeedModel::NONE; SPEEDS];
        for number in models.iter_mut().flat_map(numbers_mut) {
            *number = reader.number()?;
        }
        reader.finish()?;
        Ok(Self(models))
    }
}

/// All numbers of a model in the order of the file.
fn numbers_mut(model: &mut SpeedModel) -> impl Iterator<Item = &mut f32> {
    model
        .instant
        .iter_mut()
        .chain(&mut model.zero_seconds)
        .chain(&mut model.weights)
        .chain(&mut model.spread)
        .chain(&mut model.residuals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::think_time::{
        features::{FEATURES, RATINGS},
        speed_model::QUANTILES,
    };

    #[test]
    fn the_shipped_parameters_are_whole() {
        let models = SpeedModels::shipped();
        assert!(models.0.iter().all(|model| model.residuals.is_sorted()));
        assert_eq!(models.to_bytes(), include_bytes!("think_time.params"));
    }

    #[test]
    fn files_that_do_not_fit_are_refused() {
        let bytes = SpeedModels([SpeedModel::NONE; SPEEDS]).to_bytes();
        let numbers = SPEEDS * (3 * FEATURES + RATINGS.len() + QUANTILES);
        assert_eq!(bytes.len(), HEADER.len() + 4 * numbers);
        assert_eq!(SpeedModels::from_bytes(b"else"), Err(ParameterError::Header));
        assert_eq!(
            SpeedModels::from_bytes(&bytes[..bytes.len() - 3]),
            Err(ParameterError::Length(3))
        );
        assert_eq!(
            SpeedModels::from_bytes(&[&bytes[..], &[0]].concat()),
            Err(ParameterError::Length(1))
        );
        let mut broken = bytes;
        let last = broken.len() - 4;
        broken[last..].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(SpeedModels::from_bytes(&broken), Err(ParameterError::NotFinite));
    }
}
