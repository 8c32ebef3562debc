//! Which move a person of some level plays here, and with what chance.
//!
//! Two parts, both fitted on rated games of people by `sparring human-fit` (`training/human/README.md`):
//!
//! - the **prior**: a small [`net`] scores each legal move by what a player notices at the board, without any search:
//!   what is taken, attacked, defended, threatened, and how the move answers the last ones;
//! - the **curve**: scores of a limited search bend the prior, with weights smooth in the rating ([`curve`]).
//!
//! [`Model::choose`] is the whole of it: a pure function of the game, the level, the search's scores and a seed.

pub mod curve;
pub(super) mod exchange;
pub mod format;
mod glance;
mod looks;
mod model;
mod moment;
pub mod net;
mod notice;
mod rows;
mod seen;

pub use looks::Looks;
pub use model::{Candidate, Model, ScoredMove, phase};
pub(super) use model::{draw, luck};
pub use moment::Moment;
pub use rows::{MOVE_ROWS, POSITION_ROWS};
pub use seen::Seen;

/// How hurried the players are, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Haste {
    /// Blitz and slower.
    Calm,
    /// Bullet.
    Hurried,
    /// Nobody wrote it down.
    Unknown,
}
