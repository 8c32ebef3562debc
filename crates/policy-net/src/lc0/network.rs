//! The layers of an lc0 network together, and one look at a position.

use shakmaty::Position as _;
use sparring_chess::{GameHistory, Move};

use super::{
    layers::{Dense, Pointwise, relu},
    moves, planes,
};
use crate::{
    convolution::{Convolution, SQUARES, Workspace},
    policy::Prediction,
};

/// A network that was read from a file of lc0's format.
pub struct Network {
    pub(super) input: Convolution,
    pub(super) blocks: Vec<Block>,
    pub(super) policy_hidden: Convolution,
    pub(super) policy: Convolution,
    pub(super) value: Pointwise,
    pub(super) value_hidden: Dense,
    /// Three outputs, for win, draw and loss, or one, whose tangent is the value.
    pub(super) outcome: Dense,
}

/// A residual block.
pub(super) struct Block {
    pub(super) first: Convolution,
    pub(super) second: Convolution,
    pub(super) gates: Option<Gates>,
}

/// Squeeze-and-excitation: a factor and a shift for each channel, from the channels' means.
pub(super) struct Gates {
    pub(super) squeeze: Dense,
    pub(super) excite: Dense,
}

impl Network {
    /// Channels of the tower.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.input.outputs()
    }

    /// Residual blocks of the tower.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Looks at the current position of a game. The same on every processor.
    ///
    /// `None` if the variant is neither orthodox chess nor Chess960, or if weights are so large that sums overflow.
    #[must_use]
    pub fn look(&self, game: &GameHistory) -> Option<Prediction> {
        self.look_in(&mut Workspace::new(), game)
    }

    pub(super) fn look_in(&self, workspace: &mut Workspace, game: &GameHistory) -> Option<Prediction> {
        let tower = self.tower(workspace, &planes::planes(game)?);
        let policy = self.policy(workspace, &tower);
        let moves: Vec<Move> = game.position().legal_moves().into_iter().collect();
        let mut chances = Vec::with_capacity(moves.len());
        for mv in &moves {
            chances.push(policy[moves::index(*mv, game.turn())?]);
        }
        softmax(&mut chances);
        let [win, draw, loss] = self.outcome(workspace, &tower)?;
        let finite = chances
            .iter()
            .chain([&win, &draw, &loss])
            .all(|chance| chance.is_finite());
        finite.then(|| Prediction {
            chances: moves.into_iter().zip(chances).collect(),
            wdl: [win, draw, loss],
            think_time: None,
        })
    }

    fn tower(&self, workspace: &mut Workspace, planes: &[f32]) -> Vec<f32> {
        let size = self.channels() * SQUARES;
        let (mut tower, mut first, mut second) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
        self.input.apply(workspace, planes, &mut tower);
        relu(&mut tower);
        for block in &self.blocks {
            block.first.apply(workspace, &tower, &mut first);
            relu(&mut first);
            block.second.apply(workspace, &first, &mut second);
            if let Some(gates) = &block.gates {
                gates.apply(workspace, &mut second);
            }
            for (tower, second) in tower.iter_mut().zip(&second) {
                *tower += second;
            }
            relu(&mut tower);
        }
        tower
    }

    fn policy(&self, workspace: &mut Workspace, tower: &[f32]) -> Vec<f32> {
        let mut hidden = vec![0.0; self.policy_hidden.outputs() * SQUARES];
        self.policy_hidden.apply(workspace, tower, &mut hidden);
        relu(&mut hidden);
        let mut policy = vec![0.0; moves::PLANES * SQUARES];
        self.policy.apply(workspace, &hidden, &mut policy);
        policy
    }

    /// Win, draw, loss.
    fn outcome(&self, workspace: &Workspace, tower: &[f32]) -> Option<[f32; 3]> {
        let arch = workspace.arch();
        let mut hidden = self.value_hidden.apply(arch, &self.value.apply(arch, tower));
        relu(&mut hidden);
        let mut outcome = self.outcome.apply(arch, &hidden);
        if let [value] = outcome[..] {
            let win = (1.0 + libm::tanhf(value)) / 2.0;
            return Some([win, 0.0, 1.0 - win]);
        }
        softmax(&mut outcome);
        outcome.try_into().ok()
    }
}

impl Gates {
    fn apply(&self, workspace: &Workspace, channels: &mut [f32]) {
        let arch = workspace.arch();
        let means: Vec<f32> = channels.chunks_exact(SQUARES).map(mean).collect();
        let mut hidden = self.squeeze.apply(arch, &means);
        relu(&mut hidden);
        let gates = self.excite.apply(arch, &hidden);
        let (factors, shifts) = gates.split_at(means.len());
        for (channel, (factor, shift)) in channels.chunks_exact_mut(SQUARES).zip(factors.iter().zip(shifts)) {
            let factor = 1.0 / (1.0 + libm::expf(-factor));
            for value in channel {
                *value = *value * factor + shift;
            }
        }
    }
}

/// The mean of a channel, summed by files first: a fixed order that is quick.
fn mean(channel: &[f32]) -> f32 {
    let mut files = [0.0; 8];
    for rank in channel.chunks_exact(8) {
        for (sum, value) in files.iter_mut().zip(rank) {
            *sum += value;
        }
    }
    files.iter().fold(0.0, |sum, file| sum + file) / SQUARES as f32
}

/// Makes chances that sum to 1 of any finite numbers.
fn softmax(values: &mut [f32]) {
    let largest = values.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
    let mut sum = 0.0;
    for value in &mut *values {
        *value = libm::expf(*value - largest);
        sum += *value;
    }
    for value in values {
        *value /= sum;
    }
}
