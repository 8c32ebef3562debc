//! Personalities: strength, human model, style, think time and chat of a bot, from TOML files.
//!
//! | module | purpose |
//! |---|---|
//! | `profile, registry, level, power` | personality files and their keys |
//! | `strength` | levels, search requests, blunder check |
//! | `human_model` | move prediction: features, prior, loss curve |
//! | `style` | style axes, blind spots, compensation |
//! | `think_time` | delay of a move |
//! | `book_query, chat_lines` | book queries and chat |

pub mod book_query;
pub mod chat_lines;
pub mod human_model;
mod level;
mod power;
mod profile;
mod registry;
pub mod strength;
pub mod style;
pub mod think_time;

pub use chat_lines::{ChatEvent, ChatLines};
pub use level::{Level, LevelContext, LevelForm, LevelSetting};
pub use profile::{Delay, DrawTemper, Personality, ResignTemper, keys, read, read_among};
pub use registry::Personalities;

/// Mixes numbers into one that looks random: equal numbers, equal result, on every machine and in every version.
///
/// SplitMix64's finaliser (Steele, Lea, Flood 2014) over a running sum.
fn mix(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |sum, number| {
        let mut z = (sum ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// The sum of products, one by one.
fn dot<const SIZE: usize>(left: &[f32; SIZE], right: &[f32; SIZE]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
