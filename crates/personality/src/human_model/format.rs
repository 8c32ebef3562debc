//! The shipped model: the network of `human.net` and the loss curve of `human.params`.
//!
//! The curve's file is little-endian: `SPARRING HUMAN 4\n`, then its weights as `f32`.

use std::sync::LazyLock;

use sparring_policy_net::{PolicyNetwork, net::Network};

use super::{
    loss_curve::{BASIS, LossCurve, TERMS},
    model::Model,
};
use crate::parameter_file::{ParameterError, ParameterReader};

const HEADER: &[u8] = b"SPARRING HUMAN 4\n";

static SHIPPED: LazyLock<Model> = LazyLock::new(|| {
    let network = Network::from_bytes(include_bytes!("human.net"));
    let curve = LossCurve::from_bytes(include_bytes!("human.params"));
    match (network, curve) {
        (Ok(network), Ok(curve)) => Model {
            network: PolicyNetwork::Sparring(Box::new(network)),
            curve,
        },
        (Err(error), _) => unreachable!("a test reads the same bytes: {error}"),
        (_, Err(error)) => unreachable!("a test reads the same bytes: {error}"),
    }
});

impl Model {
    /// The built-in model.
    #[must_use]
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }
}

impl LossCurve {
    /// Writes a parameter file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = HEADER.to_vec();
        for weight in self.weights.as_flattened() {
            bytes.extend(weight.to_le_bytes());
        }
        bytes
    }

    /// Reads a parameter file.
    ///
    /// # Errors
    /// [`ParameterError`] for anything but what [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParameterError> {
        let mut reader = ParameterReader::new(bytes, HEADER)?;
        let mut curve = Self {
            weights: [[0.0; BASIS]; TERMS],
        };
        for weight in curve.weights.as_flattened_mut() {
            *weight = reader.number()?;
        }
        reader.finish()?;
        Ok(curve)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_curve_is_whole() {
        assert_eq!(Model::shipped().curve.to_bytes(), include_bytes!("human.params"));
    }

    #[test]
    fn files_that_do_not_fit_are_refused() {
        let bytes = LossCurve {
            weights: [[0.25; BASIS]; TERMS],
        }
        .to_bytes();
        assert_eq!(
            LossCurve::from_bytes(b"something else"),
            Err(ParameterError::Header)
        );
        assert_eq!(
            LossCurve::from_bytes(&bytes[..bytes.len() - 3]),
            Err(ParameterError::Length(3))
        );
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(LossCurve::from_bytes(&longer), Err(ParameterError::Length(1)));
        let mut broken = bytes;
        let last = broken.len() - 4;
        broken[last..].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(LossCurve::from_bytes(&broken), Err(ParameterError::NotFinite));
    }
}
