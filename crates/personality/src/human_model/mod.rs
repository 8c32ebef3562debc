//! Which move a person of some level plays here, and with what chance.
//!
//! Two parts, both fitted on rated games of people by `sparring-lab human-fit` (`lab/human-model/README.md`):
//!
//! - the **prior**: a small [`net`] scores each legal move by features of position and move, without search:
//!   what is taken, attacked, defended, threatened, and how the move answers the last ones;
//! - the **curve**: scores of a limited search bend the prior, with weights smooth in the rating ([`loss_curve`]).
//!
//! [`Model::choose`] is the whole of it: a pure function of the game, the level, the search's scores and a seed.

mod encode;
mod feature_layout;
pub mod format;
pub mod loss_curve;
mod model;
mod move_context;
mod move_features;
pub mod net;
mod position_features;
mod search_features;
pub(super) mod see_value;

pub use encode::Features;
pub use feature_layout::{MOVE_ROWS, POSITION_ROWS};
pub use model::{Candidate, Model, ScoredMove, phase};
pub(super) use model::{draw, luck};
pub use move_context::MoveContext;
pub use search_features::SearchFeatures;

/// How hurried the players are, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimePressure {
    /// Blitz and slower.
    Calm,
    /// Bullet.
    Hurried,
    /// Nobody wrote it down.
    Unknown,
}
