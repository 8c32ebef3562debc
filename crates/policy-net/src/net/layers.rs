//! Dense layers over numbers and over the channels of squares; sums run over the inputs one after the other.

use pulp::{Arch, Simd, WithSimd};

use super::file::{FileError, Tensors};

/// A channel: a number for each square, a1, b1 to h8.
pub(super) type Squares = [f32; 64];

/// `weights * input + bias`.
pub(super) struct Dense {
    arch: Arch,
    inputs: usize,
    /// `[input][output]`, so that outputs are computed side by side.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Dense {
    /// Reads a layer of so many inputs, and of so many outputs if given.
    pub(super) fn read(
        tensors: &Tensors,
        name: &str,
        inputs: usize,
        outputs: Option<usize>,
    ) -> Result<Self, FileError> {
        let (weight, bias) = (format!("{name}.weight"), format!("{name}.bias"));
        let outputs = match outputs {
            Some(outputs) => outputs,
            None => tensors.rows(&bias)?,
        };
        let stored = tensors.get(&weight, &[outputs, inputs])?;
        let bias = tensors.get(&bias, &[outputs])?.to_vec();
        let weights = (0..inputs)
            .flat_map(|input| (0..outputs).map(move |output| stored[output * inputs + input]))
            .collect();
        Ok(Self {
            arch: Arch::new(),
            inputs,
            weights,
            bias,
        })
    }

    pub(super) fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// The layer's outputs for `input`.
    pub(super) fn apply(&self, input: &[f32]) -> Vec<f32> {
        debug_assert_eq!(input.len(), self.inputs);
        let mut output = self.bias.clone();
        self.arch.dispatch(Numbers {
            layer: self,
            input,
            output: &mut output,
        });
        output
    }

    /// The outputs where they are positive, else 0.
    pub(super) fn relu(&self, input: &[f32]) -> Vec<f32> {
        let mut output = self.apply(input);
        relu(&mut output);
        output
    }

    /// The layer on each square's channels: `[input channel][square]` to `[output channel][square]`.
    pub(super) fn apply_to_squares(&self, input: &[Squares]) -> Vec<Squares> {
        debug_assert_eq!(input.len(), self.inputs);
        let mut output: Vec<Squares> = self.bias.iter().map(|bias| [*bias; 64]).collect();
        self.arch.dispatch(Channels {
            layer: self,
            input,
            output: &mut output,
        });
        output
    }
}

/// A layer at work on numbers. Registers hold outputs side by side.
struct Numbers<'a> {
    layer: &'a Dense,
    input: &'a [f32],
    output: &'a mut [f32],
}

impl WithSimd for Numbers<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (value, weights) in self
            .input
            .iter()
            .zip(self.layer.weights.chunks_exact(self.output.len()))
        {
            for (sum, weight) in self.output.iter_mut().zip(weights) {
                *sum += weight * value;
            }
        }
    }
}

/// A layer at work on the channels of squares. Registers hold the squares of one output until its sums are complete.
struct Channels<'a> {
    layer: &'a Dense,
    input: &'a [Squares],
    output: &'a mut [Squares],
}

impl WithSimd for Channels<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let outputs = self.output.len();
        for (n, output) in self.output.iter_mut().enumerate() {
            let mut sums = *output;
            for (channel, weights) in self.input.iter().zip(self.layer.weights.chunks_exact(outputs)) {
                let weight = weights[n];
                for (sum, value) in sums.iter_mut().zip(channel) {
                    *sum += weight * value;
                }
            }
            *output = sums;
        }
    }
}

/// Negative numbers become 0.
pub(super) fn relu(numbers: &mut [f32]) {
    for number in numbers {
        *number = number.max(0.0);
    }
}

/// Adds numbers one by one.
pub(super) fn add(to: &mut [f32], numbers: &[f32]) {
    for (to, number) in to.iter_mut().zip(numbers) {
        *to += number;
    }
}

/// The mean over the squares of each channel.
pub(super) fn means(channels: &[Squares]) -> Vec<f32> {
    channels
        .iter()
        .map(|squares| squares.iter().fold(0.0, |sum, value| sum + value) / 64.0)
        .collect()
}

/// `1 / (1 + exp(-x))`.
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

/// Turns logits into chances that sum to 1.
pub(super) fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        *logit = libm::expf(*logit - most);
        sum += *logit;
    }
    for logit in logits {
        *logit /= sum;
    }
}
