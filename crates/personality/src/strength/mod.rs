//! Turns a personality into a search request with handicaps, for the bot, UCI and calibration.
//!
//! [`request`] builds the request and [`choose_move`] carries it out. [`Levels`] reads the parameters of each level from
//! `levels.toml`.

mod blunder_check;
mod describe;
mod expected;
mod levels;
mod own_params;
mod request;
mod search;
mod temperature;

pub use describe::Strength;
pub use expected::expected_choice;
pub use levels::{BlunderCheck, HumanChoice, LevelEntry, LevelParams, Levels, LevelsError};
pub use own_params::{engine_overrides, level_params, own_model};
pub use request::{StrengthRequest, request, request_with};
pub use search::{HumanPick, LIKELIEST, StrengthResult, StyleEffect, choose_move};

/// What the levels were calibrated against. Shown where a level is explained.
pub const CALIBRATION: &str = "measured against engines, not against people";

#[cfg(test)]
mod tests;
