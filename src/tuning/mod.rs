//! Better weights for the evaluation, from games of our own engine against itself (Texel's method).
//!
//! [`Generator`] plays the games and writes a line for each; [`Tuner`] moves the weights of
//! `engine/eval/weights.rs` to where they foretell the results best, and [`NetTrainer`] teaches the net of `engine/net` what they
//! miss then. No foreign scores, games or nets go in.

mod wdl_model;
mod optimizer;
mod game_record;
mod datagen;
mod train_net;
mod dataset;
mod selfplay;
mod texel;

pub use wdl_model::WdlModel;
pub use optimizer::Adam;
pub use game_record::{GameRecord, Outcome, RecordError};
pub use datagen::{GenerateError, Generator, Made};
pub use train_net::{NetTrainer, Trained};
pub use dataset::{BadGame, Hindsight, Labelled, Dataset};
pub use selfplay::SelfPlay;
pub use texel::{Errors, Tuned, Tuner};
