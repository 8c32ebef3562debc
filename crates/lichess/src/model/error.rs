//! Decoding errors, and the error bodies of lichess.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

/// A line that does not decode. The line is skipped; the game goes on.
#[derive(Debug, Error)]
#[error("{kind}: field \"{field}\" does not fit in {}", excerpt(line))]
pub struct DecodeError {
    /// Kind of the line.
    pub kind: String,
    /// The path of the field that did not fit; `.` is the whole.
    pub field: String,
    /// The line.
    pub line: String,
    /// serde's error.
    #[source]
    pub source: serde_json::Error,
}

/// The first 200 characters, escaped for logs.
fn excerpt(line: &str) -> String {
    let cut: String = line.chars().take(200).collect();
    let dots = if cut.len() < line.len() { "..." } else { "" };
    format!("{cut:?}{dots}")
}

/// The body of a refusal. `error` may be a text or a map from form fields to texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// What is wrong.
    pub error: Value,
    /// Present when a daily or similar limit was hit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratelimit: Option<RateLimit>,
}

impl ErrorBody {
    /// A refusal with a plain text.
    #[must_use]
    pub fn text(error: impl Into<String>) -> Self {
        Self {
            error: Value::String(error.into()),
            ratelimit: None,
        }
    }

    /// The refusal as one line for people.
    #[must_use]
    pub fn message(&self) -> String {
        match &self.error {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// Which limit was hit and how long it lasts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateLimit {
    /// The limit's name, as in `bot.vsBot.day`.
    pub key: String,
    /// Whole seconds until it is over.
    pub seconds: u64,
}
