//! Dense and 1 x 1 layers in `f32`. As in convolutions, sums run over the inputs one after the other.

use pulp::{Arch, Simd, WithSimd};

use crate::convolution::SQUARES;

/// Outputs computed side by side.
const BLOCK: usize = 64;

/// A dense layer.
pub(super) struct Dense {
    inputs: usize,
    bias: Vec<f32>,
    /// `[outputs / BLOCK][input][BLOCK]`, zeros where the outputs are no multiple.
    weights: Vec<f32>,
}

impl Dense {
    /// `weights` is `[output][input]`, `bias` is `[output]`.
    pub(super) fn new(inputs: usize, weights: &[f32], bias: Vec<f32>) -> Self {
        let mut ordered = vec![0.0; bias.len().div_ceil(BLOCK) * inputs * BLOCK];
        for (output, weights) in weights.chunks_exact(inputs).enumerate() {
            for (input, &weight) in weights.iter().enumerate() {
                ordered[(output / BLOCK * inputs + input) * BLOCK + output % BLOCK] = weight;
            }
        }
        Self {
            inputs,
            bias,
            weights: ordered,
        }
    }

    /// How many numbers come out.
    pub(super) fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// The outputs for `input`, before any activation.
    pub(super) fn apply(&self, arch: Arch, input: &[f32]) -> Vec<f32> {
        let mut output = Vec::with_capacity(self.bias.len());
        let blocks = self.weights.chunks_exact(self.inputs * BLOCK);
        for (weights, bias) in blocks.zip(self.bias.chunks(BLOCK)) {
            let mut sums = [0.0; BLOCK];
            sums[..bias.len()].copy_from_slice(bias);
            arch.dispatch(Block {
                weights,
                input,
                sums: &mut sums,
            });
            output.extend_from_slice(&sums[..bias.len()]);
        }
        output
    }
}

/// Adds weights times inputs to the sums of one block.
struct Block<'a> {
    weights: &'a [f32],
    input: &'a [f32],
    sums: &'a mut [f32; BLOCK],
}

impl WithSimd for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            16 => self.registers::<S, 4>(simd),
            8 => self.registers::<S, 8>(simd),
            4 => self.registers::<S, 16>(simd),
            _ => self.registers::<S, 64>(simd),
        }
    }
}

impl Block<'_> {
    /// `N` registers of `S` hold the sums.
    #[inline(always)]
    fn registers<S: Simd, const N: usize>(self, simd: S) {
        let (to, _) = S::as_mut_simd_f32s(self.sums);
        let mut sums = [simd.splat_f32s(0.0); N];
        sums.copy_from_slice(to);
        for (weights, &value) in self.weights.chunks_exact(BLOCK).zip(self.input) {
            let (weights, _) = S::as_simd_f32s(weights);
            let value = simd.splat_f32s(value);
            for (sum, &weight) in sums.iter_mut().zip(weights) {
                *sum = simd.add_f32s(*sum, simd.mul_f32s(weight, value));
            }
        }
        to.copy_from_slice(&sums);
    }
}

/// A 1 x 1 convolution with ReLU.
pub(super) struct Pointwise {
    /// `[output][input]`
    weights: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Pointwise {
    /// `weights` is `[output][input]`, `bias` is `[output]`.
    pub(super) fn new(inputs: usize, weights: Vec<f32>, bias: Vec<f32>) -> Self {
        Self {
            weights,
            bias,
            inputs,
        }
    }

    /// `[output][square]` from `[input][square]`.
    pub(super) fn apply(&self, arch: Arch, input: &[f32]) -> Vec<f32> {
        let mut output = vec![0.0; self.bias.len() * SQUARES];
        arch.dispatch(
            #[inline(always)]
            || {
                let layers = self.weights.chunks_exact(self.inputs).zip(&self.bias);
                for ((weights, &bias), to) in layers.zip(output.chunks_exact_mut(SQUARES)) {
                    to.fill(bias);
                    for (&weight, from) in weights.iter().zip(input.chunks_exact(SQUARES)) {
                        for (to, &from) in to.iter_mut().zip(from) {
                            *to += weight * from;
                        }
                    }
                    relu(to);
                }
            },
        );
        output
    }
}

/// Sets negative numbers to zero.
#[inline(always)]
pub(super) fn relu(values: &mut [f32]) {
    for value in values {
        *value = if *value > 0.0 { *value } else { 0.0 };
    }
}
