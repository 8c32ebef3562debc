//! Declared keys: form, default, documentation and value.

use std::ops::Range;

/// A declared key with its value in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Its full name, as in `games.max`.
    pub path: String,
    /// Its form, for people.
    pub form: String,
    /// Its default.
    pub fallback: DefaultValue,
    /// Its documentation.
    pub doc: &'static str,
    /// Its value as TOML, whether written or by default; none when it is left out and has no default.
    pub value: Option<String>,
    /// The bytes of its value, if the text has it.
    pub span: Option<Range<usize>>,
}

/// Default of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefaultValue {
    /// This value, as TOML.
    Value(String),
    /// No value, which means this.
    Nothing(&'static str),
}
