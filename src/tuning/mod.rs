//! Better weights for the evaluation, from games of our own engine against itself (Texel's method).
//!
//! [`Generator`] plays the games and writes a line for each; [`Tuner`] moves the weights of
//! `engine/eval/weights.rs` to where they foretell the results best, and [`NetTrainer`] teaches the net of `engine/net` what they
//! miss then. No foreign scores, games or nets go in.

mod chances;
mod descent;
mod game_record;
mod generate;
mod net_trainer;
mod position_set;
mod selfplay;
mod tuner;

pub use chances::Chances;
pub use descent::Adam;
pub use game_record::{GameRecord, Outcome, RecordError};
pub use generate::{GenerateError, Generator, Made};
pub use net_trainer::{NetTrainer, Trained};
pub use position_set::{BadGame, Hindsight, Labelled, PositionSet};
pub use selfplay::SelfPlay;
pub use tuner::{Errors, Tuned, Tuner};
