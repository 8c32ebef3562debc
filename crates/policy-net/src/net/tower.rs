//! The tower: planes to channels of squares by residual blocks that the ratings modulate (squeeze and excitation).

use super::{
    file::{FileError, Tensors},
    layers::{Dense, Squares, add, means, relu, sigmoid},
};
use crate::{
    convolution::{Convolution, Workspace},
    encoding::PLANES,
};

/// The first layer and the residual blocks.
pub(super) struct Tower {
    first: Modulated,
    blocks: Vec<Block>,
    most: f32,
}

/// A convolution whose channels are scaled and shifted by who plays.
struct Modulated {
    convolution: Convolution,
    who: Dense,
}

/// A residual block with a gate for each channel.
struct Block {
    first: Modulated,
    second: Convolution,
    pool: Dense,
    who: Dense,
    gate: Dense,
}

impl Tower {
    pub(super) fn read(tensors: &Tensors) -> Result<Self, FileError> {
        let first = Modulated::read(tensors, "first", PLANES)?;
        // No capacity is asked for: a false header may claim any number of blocks.
        let mut blocks = Vec::new();
        for n in 0..tensors.blocks {
            blocks.push(Block::read(tensors, &format!("tower.{n}"))?);
        }
        Ok(Self {
            first,
            blocks,
            most: tensors.most,
        })
    }

    /// Channels of squares for planes and who plays.
    pub(super) fn channels(&self, planes: &[u64; PLANES], who: &[f32]) -> Vec<Squares> {
        let workspace = &mut Workspace::new();
        let input: Vec<Squares> = planes.iter().map(|plane| spread(*plane)).collect();
        let mut channels = self.first.apply(workspace, &input, who, self.most);
        for block in &self.blocks {
            block.apply(workspace, &mut channels, who, self.most);
        }
        channels
    }
}

impl Modulated {
    fn read(tensors: &Tensors, name: &str, inputs: usize) -> Result<Self, FileError> {
        let outputs = tensors.channels;
        Ok(Self {
            convolution: convolution(tensors, &format!("{name}.conv"), inputs)?,
            who: Dense::read(
                tensors,
                &format!("{name}.who"),
                width_of_who(tensors)?,
                outputs.checked_mul(2),
            )?,
        })
    }

    /// `relu((1 + more) * convolution + add)`.
    fn apply(&self, workspace: &mut Workspace, input: &[Squares], who: &[f32], most: f32) -> Vec<Squares> {
        let mut output = convolve(&self.convolution, workspace, input);
        let who = self.who.apply(who);
        let (more, add) = who.split_at(output.len());
        for ((squares, more), add) in output.iter_mut().zip(more).zip(add) {
            let scale = 1.0 + more;
            for value in squares {
                *value = (scale * *value + add).max(0.0).min(most);
            }
        }
        output
    }
}

impl Block {
    fn read(tensors: &Tensors, name: &str) -> Result<Self, FileError> {
        let channels = tensors.channels;
        let pool = Dense::read(tensors, &format!("{name}.pool"), channels, None)?;
        let hidden = pool.outputs();
        Ok(Self {
            first: Modulated::read(tensors, &format!("{name}.first"), channels)?,
            second: convolution(tensors, &format!("{name}.second"), channels)?,
            pool,
            who: Dense::read(
                tensors,
                &format!("{name}.who"),
                width_of_who(tensors)?,
                Some(hidden),
            )?,
            gate: Dense::read(tensors, &format!("{name}.gate"), hidden, channels.checked_mul(2))?,
        })
    }

    /// `relu(x + gate * y + add)`, in place.
    fn apply(&self, workspace: &mut Workspace, x: &mut [Squares], who: &[f32], most: f32) {
        let inner = self.first.apply(workspace, x, who, most);
        let y = convolve(&self.second, workspace, &inner);
        let mut hidden = self.pool.apply(&means(&y));
        add(&mut hidden, &self.who.apply(who));
        relu(&mut hidden);
        let gates = self.gate.apply(&hidden);
        let (gates, adds) = gates.split_at(x.len());
        for (((x, y), gate), add) in x.iter_mut().zip(&y).zip(gates).zip(adds) {
            let gate = 2.0 * sigmoid(*gate);
            for (x, y) in x.iter_mut().zip(y) {
                *x = (*x + (gate * y + add)).max(0.0).min(most);
            }
        }
    }
}

/// How many numbers say who plays.
pub(super) fn width_of_who(tensors: &Tensors) -> Result<usize, FileError> {
    tensors.rows("context.2.bias")
}

/// Reads a convolution stored as `[tap][input][output]`.
fn convolution(tensors: &Tensors, name: &str, inputs: usize) -> Result<Convolution, FileError> {
    let outputs = tensors.channels;
    let stored = tensors.get(&format!("{name}.weight"), &[9, inputs, outputs])?;
    let bias = tensors.get(&format!("{name}.bias"), &[outputs])?;
    let mut kernel = Vec::with_capacity(stored.len());
    for output in 0..outputs {
        for input in 0..inputs {
            kernel.extend((0..9).map(|tap| stored[(tap * inputs + input) * outputs + output]));
        }
    }
    Ok(Convolution::new(inputs, outputs, &kernel, bias))
}

fn convolve(convolution: &Convolution, workspace: &mut Workspace, input: &[Squares]) -> Vec<Squares> {
    let mut output = vec![[0.0; 64]; convolution.outputs()];
    convolution.apply(workspace, input.as_flattened(), output.as_flattened_mut());
    output
}

/// A set of squares as ones and zeros.
fn spread(plane: u64) -> Squares {
    std::array::from_fn(|square| (plane >> square & 1) as f32)
}
