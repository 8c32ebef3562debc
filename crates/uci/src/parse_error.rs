//! Errors of UCI commands, and the numbers in them.

use thiserror::Error;

/// A line that is no command.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum ParseError {
    #[error("\"{0}\" is not a command")]
    Unknown(String),
    #[error("\"{word}\" needs a number, not \"{text}\"")]
    Number { word: String, text: String },
    #[error("\"{0}\" needs a number from 1, nothing is found with 0")]
    Zero(String),
    #[error("\"{0}\" needs a value")]
    Missing(String),
    #[error("\"position\" needs \"startpos\" or \"fen\" and a FEN, not \"{0}\"")]
    Position(String),
    #[error("\"go\" does not know \"{0}\"")]
    Limit(String),
    #[error("\"setoption\" needs \"name\" and the option's name")]
    Option,
}

/// A number from 0. One too large to count with becomes the largest: it means no limit.
pub(super) fn number(word: &str, text: Option<&str>) -> Result<u64, ParseError> {
    let text = text.ok_or_else(|| ParseError::Missing(word.to_owned()))?;
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(text.parse().unwrap_or(u64::MAX));
    }
    Err(ParseError::Number {
        word: word.to_owned(),
        text: text.to_owned(),
    })
}

/// A number from 1: a mate in 0 would be searched for ever.
pub(super) fn positive(word: &str, text: Option<&str>) -> Result<u64, ParseError> {
    match number(word, text)? {
        0 => Err(ParseError::Zero(word.to_owned())),
        number => Ok(number),
    }
}

/// A number as 32 bits; a larger one is as good as the largest.
pub(super) fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
