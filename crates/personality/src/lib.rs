//! Personalities: strength, human model, style, think time and chat of a bot, from TOML files.
//!
//! | module | purpose |
//! |---|---|
//! | `profile, registry, level, delay, power, engine_key, network_file` | personality files and their keys |
//! | `strength` | levels, search requests, blunder check |
//! | `human_model` | move prediction: chances of the legal moves for a rating |
//! | `style` | style axes, blind spots, compensation |
//! | `think_time` | delay of a move |
//! | `book_name, book_query, chat_lines` | names in lists of books, book queries and chat |

#![deny(
    clippy::disallowed_methods,
    reason = "libm gives the same bits on every machine, the standard library does not"
)]

mod book_name;
pub mod book_query;
pub mod chat_lines;
mod delay;
mod engine_key;
pub mod human_model;
mod level;
mod math;
mod network_file;
mod parameter_file;
mod power;
mod profile;
mod registry;
mod see_value;
pub mod strength;
pub mod style;
pub mod think_time;

pub use book_name::{BookName, online_source};
pub use chat_lines::{ChatEvent, ChatLines, ChatNames};
pub use delay::Delay;
pub use engine_key::EMBEDDED;
pub use level::{Level, LevelContext, LevelForm, LevelSetting};
pub use network_file::NetworkFile;
pub use parameter_file::ParameterError;
pub use profile::{DrawPolicy, Personality, ResignPolicy, keys, read, read_among, read_beside};
pub use registry::Personalities;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
