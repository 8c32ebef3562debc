//! Recognises texts that are not TOML (JSON, YAML and others).

use sparring_diagnostics::Diagnostic;

/// A text that is not TOML at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// YAML; here its first line.
    Yaml(usize),
    /// JSON.
    Json,
    /// A web page, or XML.
    Markup,
    /// Games in PGN.
    Games,
}

impl Foreign {
    /// The format of a text that is not TOML; `None` for TOML.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let begin = text.trim_start_matches('\u{feff}').trim_start();
        let inside = begin.strip_prefix('[').map(str::trim_start);
        if begin.starts_with('{') || inside.is_some_and(|inside| inside.starts_with('{')) {
            return Some(Self::Json);
        }
        if begin.starts_with('<') {
            return Some(Self::Markup);
        }
        if begin.starts_with("[Event \"") {
            return Some(Self::Games);
        }
        let (mut yaml, mut toml, mut first) = (0, 0, None);
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let said = line.trim_start_matches('\u{feff}').trim();
            if said.starts_with("- ") || said == "---" || key_and_colon(said).is_some() {
                yaml += 1;
                first.get_or_insert(at);
            } else if said.starts_with('[') || said.contains('=') {
                toml += 1;
            }
            at += line.len();
        }
        first.filter(|_| yaml > toml).map(Self::Yaml)
    }

    /// What it is, and what to write instead.
    pub(super) fn explained(self) -> Diagnostic {
        let (what, help) = match self {
            Self::Yaml(_) => (
                "this is YAML, and Sparring reads TOML",
                "write a = 1 where YAML has a: 1",
            ),
            Self::Json => (
                "this is JSON, and Sparring reads TOML",
                "write a = 1 where JSON has \"a\": 1",
            ),
            Self::Markup => (
                "this is a web page, and Sparring reads TOML",
                "save the file itself: where a site shows it, as \"raw\"",
            ),
            Self::Games => (
                "these are games in PGN, and Sparring reads TOML",
                "`sparring book build` makes books of games",
            ),
        };
        let at = match self {
            Self::Yaml(at) => at,
            _ => 0,
        };
        Diagnostic::error(at..at, what).with_help(help)
    }
}

/// Key and value of a YAML line.
pub(super) fn key_and_colon(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_word = !key.is_empty() && key.chars().all(is_key);
    (is_word && (value.is_empty() || value.starts_with(char::is_whitespace))).then_some((key, value.trim()))
}

/// Whether a key has such a character without quotes.
pub(super) fn is_key(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}
