//! Typed TOML: declared keys, validation, all errors at once.
//!
//! | module | purpose |
//! |---|---|
//! | `section` | reads tables; [`Section::key`] declares a key |
//! | `value_types, duration` | value types of keys |
//! | `unknown_key, remedy, foreign` | hints for wrong keys, wrong syntax and other formats |
//! | `read_lenient` | one section of a broken file |

mod declared_key;
mod duration;
mod foreign;
mod read_lenient;
mod remedy;
mod section;
mod unknown_key;
mod value_types;

pub use declared_key::{DefaultValue, Key};
pub use duration::{DurationType, parse_duration, write_duration};
pub use foreign::Foreign;
pub use read_lenient::read_section_lenient;
pub use section::{ParseResult, Section, read};
pub use unknown_key::Advice;
pub use value_types::{Bool, Choice, Float, Int, List, Name, Text, TypeError, ValueType, quote};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
