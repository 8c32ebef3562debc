//! Better weights for the evaluation, from games of our own engine against itself (Texel's method).
//!
//! [`Generator`] plays the games and writes a line for each; [`Tuner`] moves the weights of
//! `engine/eval/weights.rs`, or of a variant, to where they predict the results best, and [`NetTrainer`] teaches the net of `engine/net` what they
//! miss then. No foreign scores, games or nets go in.

mod datagen;
mod dataset;
mod game_record;
mod optimizer;
mod selfplay;
mod texel;
mod train_net;
mod wdl_model;

pub use datagen::{GenerateError, Generator, Made};
pub use dataset::{BadGame, Dataset, Labelled, TargetBlend};
pub use game_record::{GameOutcome, GameRecord, RecordError};
pub use optimizer::Adam;
pub use selfplay::SelfPlay;
pub use texel::{Errors, Tunable, Tuned, Tuner};
pub use train_net::{NetTrainer, Trained};
pub use wdl_model::WdlModel;
