//! The laboratory: what makes the engine stronger and its levels more like people. No part of the product.
//!
//! | command | module |
//! |---|---|
//! | `match`, `suite` | [`match_engines`], [`suite`] |
//! | `datagen`, `tune`, `train-net` | [`datagen`], [`tune`], [`train`] on top of [`tuning`] |
//! | `human-fit`, `human-report` | [`human`] |
//! | `calibrate`, `style-report` | [`calibrate`], [`style_report`] |
//! | `verify-endgames` | [`verify`] |

pub mod calibrate;
pub mod datagen;
pub mod human;
pub mod match_engines;
pub mod style_report;
pub mod suite;
pub mod train;
mod training_args;
pub mod tune;
pub mod tuning;
pub mod verify;

/// What words say to a command's arguments, the first of them being its name.
#[cfg(test)]
fn parsed<A: clap::Args>(
    words: impl IntoIterator<Item = impl Into<std::ffi::OsString> + Clone>,
) -> Result<A, clap::Error> {
    let command = A::augment_args(clap::Command::new("sparring-lab"));
    A::from_arg_matches(&command.try_get_matches_from(words)?)
}
