//! Human move prediction: how likely a player of some rating plays each legal move.
//!
//! [`Model`] is the boundary. Game, rating, time pressure and, if known, search scores go in; chances of the legal
//! moves come out. Nothing outside this module depends on how positions are encoded or weights are stored, except the
//! fitter (`sparring-lab human-fit`, `lab/human-model/README.md`), which uses [`network`] and [`loss_curve`].
//!
//! - The **prior** is a small [`network`] over features of position and move, without search.
//! - The **[loss curve](loss_curve)** adjusts the prior by the scores of a shallow search, with weights smooth in the rating.

mod candidate;
mod format;
pub mod loss_curve;
mod model;
pub mod network;
mod phase;
mod root_scores;
mod time_pressure;
mod winning_chances;

pub use candidate::{Candidate, ScoredMove};
pub(super) use candidate::{draw, luck};
pub use model::Model;
pub use phase::Phase;
pub use root_scores::RootScores;
pub use time_pressure::TimePressure;
pub use winning_chances::winning_chances;
