//! 3 x 3 convolution of 64 squares in `f32`, the same sums in the same order on every processor.
//!
//! Sums run over input channels and taps one after the other; only squares are computed side by side. So wider registers change
//! nothing, and no multiply-add is fused.

use pulp::{Arch, Simd, WithSimd};

/// Squares of a channel.
pub(crate) const SQUARES: usize = 64;
/// Output channels computed at once, so that an input value is loaded once for all of them.
const CHANNELS: usize = 4;
/// Squares computed at once: two ranks, of which `CHANNELS` fill the eight widest registers that AVX2 can spare.
const STRIP: usize = 16;
/// A padded channel, once for each file of the kernel: ten ranks of eight files.
const PADDED: usize = 3 * 80;

/// Memory that convolutions work in, and what the processor can do. One serves all layers of a network.
pub(crate) struct Workspace {
    arch: Arch,
    /// `[input channel][file of the kernel][rank -1 to 8][file]`: the channel moved by one file, with a border of zeros.
    padded: Vec<f32>,
}

impl Workspace {
    /// Empty, for the widest registers that this processor has.
    pub(crate) fn new() -> Self {
        Self {
            arch: Arch::new(),
            padded: Vec::new(),
        }
    }

    /// Empty, for plain loops.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self {
            arch: Arch::Scalar,
            padded: Vec::new(),
        }
    }

    /// What the processor can do.
    pub(crate) fn arch(&self) -> Arch {
        self.arch
    }
}

/// Weights and biases of one layer, in the order they are read in.
pub(crate) struct Convolution {
    inputs: usize,
    outputs: usize,
    /// `[outputs / CHANNELS][input][tap][CHANNELS]`, zeros where `outputs` is no multiple.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Convolution {
    /// A layer of `outputs` channels from `inputs`. `kernel` is `[output][input][row][column]`, rows from the first rank up,
    /// columns from the a-file, as PyTorch and lc0 store it; `bias` is `[output]`.
    ///
    /// # Panics
    /// If `kernel` or `bias` have another length.
    pub(crate) fn new(inputs: usize, outputs: usize, kernel: &[f32], bias: &[f32]) -> Self {
        assert_eq!(
            kernel.len(),
            outputs * inputs * 9,
            "weights of a {inputs} -> {outputs} convolution"
        );
        assert_eq!(
            bias.len(),
            outputs,
            "biases of a {inputs} -> {outputs} convolution"
        );
        let groups = outputs.div_ceil(CHANNELS);
        let mut weights = vec![0.0; groups * inputs * 9 * CHANNELS];
        for (output, taps) in kernel.chunks_exact(inputs * 9).enumerate() {
            let (group, lane) = (output / CHANNELS, output % CHANNELS);
            for (at, &weight) in taps.iter().enumerate() {
                weights[(group * inputs * 9 + at) * CHANNELS + lane] = weight;
            }
        }
        let mut padded_bias = bias.to_vec();
        padded_bias.resize(groups * CHANNELS, 0.0);
        Self {
            inputs,
            outputs,
            weights,
            bias: padded_bias,
        }
    }

    /// Channels that [`Convolution::apply`] writes.
    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Writes `output`, `[output channel][square]`, from `input`, `[input channel][square]`; squares from a1, b1 to h8.
    ///
    /// # Panics
    /// If a slice has another length.
    pub(crate) fn apply(&self, workspace: &mut Workspace, input: &[f32], output: &mut [f32]) {
        assert_eq!(
            input.len(),
            self.inputs * SQUARES,
            "squares that a convolution reads"
        );
        assert_eq!(
            output.len(),
            self.outputs * SQUARES,
            "squares that a convolution writes"
        );
        let Workspace { arch, padded } = workspace;
        padded.resize(self.inputs * PADDED, 0.0);
        arch.dispatch(Apply {
            layer: self,
            padded,
            input,
            output,
        });
    }
}

/// A convolution at work: what [`Arch::dispatch`] compiles for each kind of processor.
struct Apply<'a> {
    layer: &'a Convolution,
    padded: &'a mut [f32],
    input: &'a [f32],
    output: &'a mut [f32],
}

impl WithSimd for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (from, to) in self
            .input
            .chunks_exact(SQUARES)
            .zip(self.padded.chunks_exact_mut(PADDED))
        {
            pad(from, to);
        }
        match S::F32_LANES {
            16 => self.registers::<S, 1>(simd),
            8 => self.registers::<S, 2>(simd),
            4 => self.registers::<S, 4>(simd),
            _ => self.registers::<S, 16>(simd),
        }
    }
}

impl Apply<'_> {
    /// `N` registers of `S` make a strip.
    #[inline(always)]
    fn registers<S: Simd, const N: usize>(self, simd: S) {
        let layer = self.layer;
        let (weights, _) = layer.weights.as_chunks::<CHANNELS>();
        let (biases, _) = layer.bias.as_chunks::<CHANNELS>();
        let groups = weights.chunks_exact(layer.inputs * 9).zip(biases);
        for ((weights, bias), to) in groups.zip(self.output.chunks_mut(CHANNELS * SQUARES)) {
            for strip in 0..SQUARES / STRIP {
                let mut sums = bias.map(|bias| [simd.splat_f32s(bias); N]);
                for (weights, padded) in weights.chunks_exact(9).zip(self.padded.chunks_exact(PADDED)) {
                    for (tap, weights) in weights.iter().enumerate() {
                        let values = &padded[tap % 3 * 80 + tap / 3 * 8 + strip * STRIP..][..STRIP];
                        let (values, _) = S::as_simd_f32s(values);
                        for (sums, &weight) in sums.iter_mut().zip(weights) {
                            let weight = simd.splat_f32s(weight);
                            for (sum, &value) in sums.iter_mut().zip(values) {
                                *sum = simd.add_f32s(*sum, simd.mul_f32s(weight, value));
                            }
                        }
                    }
                }
                for (sums, to) in sums.iter().zip(to.chunks_exact_mut(SQUARES)) {
                    let (to, _) = S::as_mut_simd_f32s(&mut to[strip * STRIP..][..STRIP]);
                    to.copy_from_slice(sums);
                }
            }
        }
    }
}

/// Copies a channel into a border of zeros, moved by each file of the kernel. The borders of `to` are never written and stay zero.
#[inline(always)]
fn pad(from: &[f32], to: &mut [f32]) {
    for (rank, from) in from.chunks_exact(8).enumerate() {
        let at = (rank + 1) * 8;
        to[at + 1..at + 8].copy_from_slice(&from[..7]);
        to[80 + at..80 + at + 8].copy_from_slice(from);
        to[160 + at..160 + at + 7].copy_from_slice(&from[1..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers between -1 and 1, the same each time.
    fn numbers(seed: u32, count: usize) -> Vec<f32> {
        let mut state = seed;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..count).map(next).collect()
    }

    fn one_after_the_other(inputs: usize, kernel: &[f32], bias: &[f32], input: &[f32]) -> Vec<f32> {
        let mut output = Vec::new();
        for (bias, kernel) in bias.iter().zip(kernel.chunks_exact(inputs * 9)) {
            for square in 0..64 {
                let (rank, file) = (square / 8, square % 8);
                let mut sum = *bias;
                for (at, weight) in kernel.iter().enumerate() {
                    let (channel, row, column) = (at / 9, rank + at % 9 / 3, file + at % 3);
                    let on_board = (1..=8).contains(&row) && (1..=8).contains(&column);
                    sum += weight
                        * if on_board {
                            input[channel * 64 + (row - 1) * 8 + column - 1]
                        } else {
                            0.0
                        };
                }
                output.push(sum);
            }
        }
        output
    }

    #[test]
    fn wide_registers_and_plain_loops_give_the_same_bits() {
        let mut workspaces = [Workspace::new(), Workspace::plain()];
        for (inputs, outputs) in [(1, 1), (3, 5), (112, 64), (64, 80), (2, 48)] {
            let (kernel, bias) = (numbers(1, outputs * inputs * 9), numbers(2, outputs));
            let layer = Convolution::new(inputs, outputs, &kernel, &bias);
            let input = numbers(3, inputs * SQUARES);
            let expected = one_after_the_other(inputs, &kernel, &bias, &input);
            for workspace in &mut workspaces {
                let mut output = vec![0.0; outputs * SQUARES];
                layer.apply(workspace, &input, &mut output);
                assert_eq!(output, expected, "{inputs} -> {outputs}, {:?}", workspace.arch);
            }
        }
    }
}
