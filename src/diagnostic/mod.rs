//! What is wrong with a text that a person wrote: where, what, and what to write instead.
//!
//! Books, personalities and `bot.toml` all report in this form; the roof draws it (`cli/report`).

mod encoding;
mod hint;
mod secrets;

pub use encoding::utf8;
pub use hint::{did_you_mean, nearest};
pub use secrets::{address_without_secrets, without_passwords, without_secrets, without_tokens};

use std::{fmt, ops::Range, sync::Arc};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The text cannot be used.
    Error,
    /// The text can be used, but probably does not mean what its author wanted.
    Warning,
}

/// One finding in one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, quoting the offending text: lower case, no full stop.
    pub message: String,
    /// The bytes it is about, for the underline. Empty ranges point between two characters.
    pub span: Range<usize>,
    /// What to write instead, if there is something to say.
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

    /// The same finding with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A text under its name, with everything that was found in it. Displays one line a finding:
/// `books/starter.book:41:7: error: "Nf9" is not a move`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// The file's name, as its user would write it.
    pub name: Arc<str>,
    /// The text that the spans count in.
    pub text: Arc<str>,
    /// The findings, in order of place.
    pub list: Vec<Diagnostic>,
}

impl Findings {
    /// Sorts the findings of a text by place.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>, mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|finding| (finding.span.start, finding.severity));
        Self {
            name: name.into(),
            text: text.into(),
            list,
        }
    }

    /// The same with passwords in addresses struck out, wherever they are quoted.
    #[must_use]
    pub fn without_passwords(mut self) -> Self {
        self.text = without_passwords(&self.text).into();
        for finding in &mut self.list {
            finding.message = without_passwords(&finding.message);
            finding.help = finding.help.take().map(|help| without_passwords(&help));
        }
        self
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

impl fmt::Display for Findings {
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

impl std::error::Error for Findings {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_sorted_and_placed() {
        let text = "eins\nzwei é x\n";
        let x = text.find('x').unwrap();
        let findings = Findings::new(
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
        let marked = Findings::new("a", "\u{feff}e9\ne9", vec![Diagnostic::error(3..5, "odd")]);
        assert_eq!(marked.to_string(), "a:1:1: error: odd");
    }
}
