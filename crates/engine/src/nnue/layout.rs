//! The file of a net: its sizes, the order of its numbers, and what a number may be. The build script reads it too.
//!
//! Little endian, without a head: rows of inputs and the bias of the hidden layer, then for each output its weights for the
//! side to move's half and for the other's, all of 16 bits; the biases of the outputs, of 32 bits; the fingerprint of the
//! evaluation weights, of 64 bits.

/// Inputs of a side's half: twelve kinds of men on 64 squares.
pub const INPUTS: usize = 768;
/// Neurons of each half of the hidden layer.
pub const HIDDEN: usize = 128;
/// Outputs, of which the number of men on the board chooses one.
pub const BUCKETS: usize = 8;

/// Quantised 1.0 of the hidden layer, to which values are clipped.
pub const HIDDEN_UNIT: i32 = 255;
/// Quantised 1.0 of the output weights.
pub const OUTPUT_UNIT: i32 = 256;
/// The largest magnitudes in floating point: of the hidden layer, so that 32 pieces and the bias fit 16 bits; of output
/// weights, so that one times a clipped value does; and of output biases.
pub const LARGEST_HIDDEN: f32 = 3.0;
pub const LARGEST_OUTPUT: f32 = 0.49;
pub const LARGEST_BIAS: f32 = 2.0;

/// Where the numbers of a net begin: rows of inputs at 0, then these.
pub const BIAS: usize = INPUTS * HIDDEN;
/// The weights of the outputs, each for the side to move's half and then for the other's.
pub const OUTPUTS: usize = BIAS + HIDDEN;
/// The biases of the outputs.
pub const OUTPUT_BIASES: usize = OUTPUTS + BUCKETS * 2 * HIDDEN;

/// File size.
pub const BYTES: usize = 2 * OUTPUT_BIASES + 4 * BUCKETS + 8;

/// The largest magnitude of a number of the file, by its index.
pub const fn largest(number: usize) -> u32 {
    let fraction = match number {
        ..OUTPUTS => LARGEST_HIDDEN * HIDDEN_UNIT as f32,
        OUTPUTS..OUTPUT_BIASES => LARGEST_OUTPUT * OUTPUT_UNIT as f32,
        _ => LARGEST_BIAS * (HIDDEN_UNIT * OUTPUT_UNIT) as f32,
    };
    (fraction + 0.5) as u32
}
