//! The move-prediction network: encodes a position and scores its legal moves.
//!
//! Only [`Model`](super::Model) and the fitter (`sparring-lab human-fit`) use it.

mod encode;
mod feature_layout;
mod move_context;
mod move_features;
mod net;
mod position_features;

pub use encode::EncodedPosition;
pub use feature_layout::{MOVE_ROWS, POSITION_ROWS};
pub use move_context::MoveContext;
pub use net::*;
