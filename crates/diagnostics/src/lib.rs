//! Errors and warnings in text files that people edit, with byte spans and help.
//!
//! | module | purpose |
//! |---|---|
//! | `lib.rs` | [`Diagnostic`], [`Diagnostics`] |
//! | `did_you_mean` | suggestions for misspelt words |
//! | `encoding` | UTF-8 and other encodings |
//! | `secrets` | redaction of tokens and passwords |

mod did_you_mean;
mod encoding;
mod secrets;

pub use did_you_mean::{did_you_mean, nearest};
pub use encoding::utf8;
pub use secrets::{
    address_without_secrets, has_token, holds_token, without_passwords, without_secrets, without_tokens,
};

use std::{fmt, ops::Range, sync::Arc};

const NO_TOKEN: &str =
    "a token does not belong in settings, books or personalities, which get copied and shown";
const TOKEN_PLACES: &str = "put it into a file that only you can read and name that by token-file in [lichess], or set \
     LICHESS_TOKEN; and make a new token if others may have seen this one";

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The text cannot be used.
    Error,
    /// The text is valid, but probably not what its author meant.
    Warning,
}

/// One finding in one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The message, quoting the offending text: lower case, no full stop.
    pub message: String,
    /// The bytes it is about, for the underline. Empty ranges point between two characters.
    pub span: Range<usize>,
    /// What to write instead, if known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a span of bytes.
    #[must_use]
    pub fn error(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            span,
            help: None,
        }
    }

    /// A warning at a span of bytes.
    #[must_use]
    pub fn warning(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            message: message.into(),
            span,
            help: None,
        }
    }

    /// An error for a token in the text.
    #[must_use]
    pub fn token(span: Range<usize>) -> Self {
        Self::error(span, NO_TOKEN).with_help(TOKEN_PLACES)
    }

    /// Redacts secrets in message and help.
    fn hide_secrets(&mut self, text: &str) {
        let is_of_a_line = self.severity == Severity::Error && !self.span.is_empty();
        if is_of_a_line && self.message != NO_TOKEN && has_token(line_at(text, self.span.start)) {
            *self = Self::token(self.span.clone());
        }
        self.message = without_secrets(&self.message);
        self.help = self.help.take().map(|help| without_secrets(&help));
    }

    /// Adds help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A text under its name, with everything that was found in it. Displays one line a finding:
/// `books/starter.book:41:7: error: "Nf9" is not a move`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostics {
    /// The file's name, as its user would write it.
    pub name: Arc<str>,
    /// The text that the spans count in.
    pub text: Arc<str>,
    /// The findings, in order of place.
    pub list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Sorts the findings of a text by place. Secrets are redacted from messages and excerpts. A diagnostic in a line with a token
    /// says so. A text without diagnostics stays as it is.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>, mut list: Vec<Diagnostic>) -> Self {
        let mut text: Arc<str> = text.into();
        list.sort_by_key(|finding| (finding.span.start, finding.severity));
        if !list.is_empty() {
            for finding in &mut list {
                finding.hide_secrets(&text);
            }
            let shown = without_secrets(&text);
            if *shown != *text {
                text = shown.into();
            }
        }
        Self {
            name: name.into(),
            text,
            list,
        }
    }

    /// Whether the text can be used: nothing worse than warnings.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.list
            .iter()
            .all(|finding| finding.severity != Severity::Error)
    }

    /// The place of a finding, both from 1. Columns count characters, as editors show them: without the mark of the byte
    /// order that some of them write first.
    #[must_use]
    pub fn place(&self, finding: &Diagnostic) -> (usize, usize) {
        match place(&self.text, finding.span.start) {
            (1, column) if self.text.starts_with('\u{feff}') => (1, column.saturating_sub(1).max(1)),
            place => place,
        }
    }
}

/// The line of a byte of a text, without its end. The end of a line belongs to that line.
#[must_use]
pub fn line_at(text: &str, byte: usize) -> &str {
    let at = text.floor_char_boundary(byte.min(text.len()));
    let begin = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    &text[begin..end]
}

/// Line and column of a byte of a text, both from 1; columns count characters. A byte past the end is the end.
#[must_use]
pub fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..byte.min(text.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let begin = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    (
        line,
        String::from_utf8_lossy(&before[begin..]).chars().count() + 1,
    )
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, finding) in self.list.iter().enumerate() {
            let (line, column) = self.place(finding);
            let severity = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            if index > 0 {
                writeln!(f)?;
            }
            write!(
                f,
                "{}:{line}:{column}: {severity}: {}",
                self.name, finding.message
            )?;
            if let Some(help) = &finding.help {
                write!(f, "; {help}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_warned_about_files_and_never_shown_in_whatever_text() {
        let token = "lip_aB3dE6gH9jK2mN5pQ8rS";
        for line in [
            format!("token = \"{token}\""),
            token.to_owned(),
            format!("about = \"{token}"),
            format!("export LICHESS_TOKEN={token}"),
            format!("1. e4 {token}"),
        ] {
            let text = format!("a\n{line}\n");
            let odd = Diagnostic::error(3..5, format!("\"{line}\" is odd"));
            let findings = Diagnostics::new("a", text, vec![odd]);
            assert!(!format!("{findings:?}").contains("aB3d"), "{findings:?}");
            let said = findings.to_string();
            assert!(
                said.starts_with("a:2:2: error: a token does not belong in settings, books"),
                "{said}"
            );
            assert!(said.contains("token-file in [lichess]"), "{said}");
        }
        let odd = Diagnostic::error(0..3, "\"lip\" is odd");
        let findings = Diagnostics::new("a", "lip_sync clip_aB3dE6gH9jK2mN5pQ8rS", vec![odd]);
        assert_eq!(findings.to_string(), "a:1:1: error: \"lip\" is odd");
    }

    #[test]
    fn findings_are_sorted_and_placed() {
        let text = "eins\nzwei é x\n";
        let x = text.find('x').unwrap();
        let findings = Diagnostics::new(
            "a.book",
            text,
            vec![
                Diagnostic::warning(x..x + 1, "\"x\" is odd").with_help("write \"y\""),
                Diagnostic::error(0..4, "\"eins\" is wrong"),
            ],
        );
        assert_eq!(
            findings.to_string(),
            "a.book:1:1: error: \"eins\" is wrong\na.book:2:8: warning: \"x\" is odd; write \"y\""
        );
        assert!(!findings.is_usable());
        assert_eq!(place(text, 1000), (3, 1));
        let marked = Diagnostics::new("a", "\u{feff}e9\ne9", vec![Diagnostic::error(3..5, "odd")]);
        assert_eq!(marked.to_string(), "a:1:1: error: odd");
    }
}
