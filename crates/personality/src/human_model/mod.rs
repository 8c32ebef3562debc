//! Human move prediction: how likely a player of some rating plays each legal move.
//!
//! [`Model`] is the boundary. A game, what is known of its players and, if known, search scores go in; chances of the legal
//! moves come out.
//!
//! - The **prior** is one look of a [`PolicyNetwork`], without search. `training/README.md` says how ours is made.
//! - The **[loss curve](loss_curve)** adjusts the prior by the scores of a shallow search, with weights smooth in the rating.

mod candidate;
mod format;
pub mod loss_curve;
mod model;
mod phase;
mod root_scores;
mod winning_chances;

pub use candidate::{Candidate, ScoredMove};
pub(super) use candidate::{draw, luck};
pub use model::{Model, losses};
pub use phase::Phase;
pub use root_scores::RootScores;
pub use sparring_policy_net::{Context, PolicyNetwork, Prediction};
pub use winning_chances::winning_chances;
