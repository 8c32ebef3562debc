//! Settings that people write in TOML: read with every mistake found at once, explained from the same lines.
//!
//! One line of a reading function declares a key: its name, form, default and meaning. The same line checks
//! what was written, says what is wrong with it and where, and leaves a [`Key`] behind from which `explain`,
//! the pages in `docs/` and the tests of the shipped files are made.
//!
//! ```
//! use sparring::settings::{self, Span, Whole};
//! use sparring_chess::units::Millis;
//!
//! let text = "max = 4\nwait = \"2h\"\n";
//! let reading = settings::read(text, &[], |file| {
//!     let max = file.key("max", Whole(1..=64_u32, "games"), 8, "Games played at once.");
//!     let wait = file.key("wait", Span(Millis(0)..=Millis::from_secs(300)), Millis(500), "Rest between games.");
//!     (max, wait)
//! });
//! assert_eq!(reading.value, None);
//! assert_eq!(reading.list[0].message, "wait: \"2h\" is more than \"5m\"");
//! assert_eq!(reading.keys[0].path, "max");
//! ```

mod duration;
mod foreign;
mod read_lenient;
mod remedy;
mod section;
mod unknown_key;
mod value_types;

pub use duration::{DurationType, parse_span, write_span};
pub use foreign::Foreign;
pub use read_lenient::glean;
pub use section::{DefaultValue, Key, ParseResult, Section, read};
pub use unknown_key::Advice;
pub use value_types::{Bool, Choice, Float, Int, List, Name, Text, TypeError, ValueType, quote};
