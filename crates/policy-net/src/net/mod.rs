//! Our network: who plays modulates a tower of convolutions; chances of the moves, outcome and think time come from it.
//!
//! `training/README.md` ("Network") gives the formula and the names of the tensors. All is `f32`. Every sum has one order, nothing is
//! fused, and exponentials are those of `libm`, so a look gives the same numbers on every machine.
//!
//! | module | purpose |
//! |---|---|
//! | `file` | reads the flat file |
//! | `layers` | dense layers over numbers and over the channels of squares |
//! | `tower` | from planes to channels |
//! | `heads` | from channels to chances, outcome and think time |

mod file;
mod heads;
mod layers;
#[cfg(test)]
mod tests;
mod tower;

pub use file::{FileError, MAGIC};

use crate::{
    encoding::{CONTEXT, Encoded},
    policy::Prediction,
};
use file::Tensors;
use heads::{Policy, Summary};
use layers::Dense;
use tower::Tower;

/// A trained network, ready to look at positions.
pub struct Network {
    context: [Dense; 2],
    tower: Tower,
    policy: Policy,
    summary: Summary,
}

impl Network {
    /// Reads a network from the bytes of its file.
    ///
    /// # Errors
    /// [`FileError`] says what was expected and what was found.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let tensors = Tensors::read(bytes)?;
        let first = Dense::read(&tensors, "context.0", CONTEXT, None)?;
        let second = Dense::read(&tensors, "context.2", first.outputs(), None)?;
        let tower = Tower::read(&tensors)?;
        let policy = Policy::read(&tensors)?;
        let summary = Summary::read(&tensors)?;
        Ok(Self {
            context: [first, second],
            tower,
            policy,
            summary,
        })
    }

    /// Looks at a position once.
    #[must_use]
    pub fn look(&self, position: &Encoded) -> Prediction {
        let [first, second] = &self.context;
        let who = second.relu(&first.relu(&position.context));
        let channels = self.tower.channels(&position.planes, &who);
        let mut about = layers::means(&channels);
        about.extend_from_slice(&who);
        let chances = self.policy.chances(&channels, &who, &about, &position.moves);
        let (wdl, think_time) = self.summary.outcome_and_time(&channels, &about, &position.pace);
        Prediction {
            chances: position
                .moves
                .iter()
                .map(|candidate| candidate.mv)
                .zip(chances)
                .collect(),
            wdl,
            think_time: Some(think_time),
        }
    }
}
