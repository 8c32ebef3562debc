//! NNUE architecture: the net in memory, reading and writing its file.

use thiserror::Error;

use super::layout::{
    BUCKETS, BYTES, HIDDEN, HIDDEN_UNIT, INPUTS, LARGEST_BIAS, LARGEST_HIDDEN, LARGEST_OUTPUT, OUTPUT_BIASES,
    OUTPUT_UNIT, OUTPUTS, largest,
};
use crate::WeightOverrides;

/// Centipawns of an output of 1.0.
pub(super) const CENTIPAWNS: i32 = 400;
/// The same for training.
pub const NET_CENTIPAWNS: f32 = CENTIPAWNS as f32;

/// A row of the hidden layer's size, aligned for SIMD loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(32))]
pub(super) struct Row(pub [i16; HIDDEN]);

/// An output of the net.
#[derive(Debug)]
pub(super) struct Output {
    pub ours: [i16; HIDDEN],
    pub theirs: [i16; HIDDEN],
    pub bias: i32,
}

/// A quantised net.
#[derive(Debug)]
pub(super) struct Net {
    pub rows: [Row; INPUTS],
    pub bias: Row,
    pub outputs: [Output; BUCKETS],
    /// The evaluation weights that it was trained with: [`eval_fingerprint`] when it was written.
    pub eval_fingerprint: u64,
}

/// A fingerprint of the evaluation weights.
pub(super) fn eval_fingerprint() -> u64 {
    WeightOverrides::default().salt()
}

impl Net {
    /// Reads a file when the program is compiled, which fails for numbers that are too large.
    pub const fn read(bytes: &[u8; BYTES]) -> Self {
        let mut net = Self {
            rows: [Row([0; HIDDEN]); INPUTS],
            bias: Row([0; HIDDEN]),
            outputs: [const {
                Output {
                    ours: [0; HIDDEN],
                    theirs: [0; HIDDEN],
                    bias: 0,
                }
            }; BUCKETS],
            eval_fingerprint: 0,
        };
        let mut at = 0;
        let mut input = 0;
        while input < INPUTS {
            net.rows[input].0 = row(bytes, at);
            at += 2 * HIDDEN;
            input += 1;
        }
        net.bias.0 = row(bytes, at);
        at += 2 * HIDDEN;
        let mut bucket = 0;
        while bucket < BUCKETS {
            net.outputs[bucket].ours = row(bytes, at);
            net.outputs[bucket].theirs = row(bytes, at + 2 * HIDDEN);
            at += 4 * HIDDEN;
            bucket += 1;
        }
        let mut bucket = 0;
        while bucket < BUCKETS {
            let bias = i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
            assert!(bias.unsigned_abs() <= largest(OUTPUT_BIASES));
            net.outputs[bucket].bias = bias;
            at += 4;
            bucket += 1;
        }
        let mut byte = 0;
        while byte < 8 {
            net.eval_fingerprint |= (bytes[at + byte] as u64) << (8 * byte);
            byte += 1;
        }
        net
    }
}

const fn row(bytes: &[u8; BYTES], from: usize) -> [i16; HIDDEN] {
    let mut row = [0; HIDDEN];
    let mut at = 0;
    while at < HIDDEN {
        let number = i16::from_le_bytes([bytes[from + 2 * at], bytes[from + 2 * at + 1]]);
        assert!(
            number.unsigned_abs() as u32 <= largest(from / 2 + at),
            "larger than the sums allow"
        );
        row[at] = number;
        at += 1;
    }
    row
}

/// The weights of a net in floating point, as trained: rows of inputs, the hidden layer's bias, for each output its
/// weights for the side to move's half and for the other's, and last all output biases.
#[derive(Debug, Clone, PartialEq)]
pub struct NetWeights(pub Vec<f32>);

/// A number of weights that does not fit the net.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a net has {expected} numbers, not {found}")]
pub struct WrongSize {
    /// How many a net has.
    pub expected: usize,
    /// How many there are.
    pub found: usize,
}

impl NetWeights {
    /// How many numbers there are.
    pub const COUNT: usize = OUTPUT_BIASES + BUCKETS;

    /// The largest magnitude of a weight by its index, so that no integer sum overflows.
    #[must_use]
    pub fn largest(place: usize) -> f32 {
        match place {
            ..OUTPUTS => LARGEST_HIDDEN,
            OUTPUTS..OUTPUT_BIASES => LARGEST_OUTPUT,
            _ => LARGEST_BIAS,
        }
    }

    /// The quantised file that is compiled into the program.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WrongSize> {
        if self.0.len() != Self::COUNT {
            return Err(WrongSize {
                expected: Self::COUNT,
                found: self.0.len(),
            });
        }
        let mut bytes = Vec::with_capacity(BYTES);
        for (place, number) in self.0.iter().enumerate() {
            let number = number.clamp(-Self::largest(place), Self::largest(place));
            let whole = |unit: i32| (number * unit as f32).round();
            match place {
                ..OUTPUTS => bytes.extend((whole(HIDDEN_UNIT) as i16).to_le_bytes()),
                OUTPUTS..OUTPUT_BIASES => bytes.extend((whole(OUTPUT_UNIT) as i16).to_le_bytes()),
                _ => bytes.extend((whole(HIDDEN_UNIT * OUTPUT_UNIT) as i32).to_le_bytes()),
            }
        }
        bytes.extend(eval_fingerprint().to_le_bytes());
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::BIAS;
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let numbers = (0..NetWeights::COUNT).map(|at| ((at * 7919) % 3001) as f32 / 3200.0 - 0.48);
        let weights = NetWeights(numbers.collect());
        let bytes = weights.to_bytes().unwrap();
        let net = Net::read(bytes.as_slice().try_into().unwrap());
        let whole = |at: usize, unit: i32| (weights.0[at] * unit as f32).round() as i32;
        assert_eq!(
            i32::from(net.rows[700].0[5]),
            whole(700 * HIDDEN + 5, HIDDEN_UNIT)
        );
        assert_eq!(
            i32::from(net.bias.0[HIDDEN - 1]),
            whole(BIAS + HIDDEN - 1, HIDDEN_UNIT)
        );
        let third = OUTPUTS + 3 * 2 * HIDDEN;
        assert_eq!(i32::from(net.outputs[3].ours[0]), whole(third, OUTPUT_UNIT));
        assert_eq!(
            i32::from(net.outputs[3].theirs[1]),
            whole(third + HIDDEN + 1, OUTPUT_UNIT)
        );
        assert_eq!(
            net.outputs[6].bias,
            whole(OUTPUT_BIASES + 6, HIDDEN_UNIT * OUTPUT_UNIT)
        );
    }

    #[test]
    fn numbers_of_another_net_are_refused() {
        let error = NetWeights(vec![0.0; 5]).to_bytes().unwrap_err();
        assert_eq!((error.found, error.expected), (5, NetWeights::COUNT));
    }

    #[test]
    fn weights_stay_small_enough_for_sixteen_bits() {
        let bytes = NetWeights(vec![9.0; NetWeights::COUNT]).to_bytes().unwrap();
        let net = Net::read(bytes.as_slice().try_into().unwrap());
        let (most, unit) = (i32::from(net.outputs[0].ours[0]), HIDDEN_UNIT);
        assert!(most * unit <= i32::from(i16::MAX));
        // Thirty-two men and the bias.
        assert!(33 * i32::from(net.rows[0].0[0]) <= i32::from(i16::MAX));
        let sum = 2 * HIDDEN as i64 * i64::from(most * unit * unit);
        assert!(sum <= i64::from(i32::MAX));
        let value = sum / i64::from(unit) + i64::from(net.outputs[0].bias);
        assert!(value <= i64::from(i32::MAX));
    }
}
