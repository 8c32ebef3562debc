//! Live validation: the same diagnostics as `sparring check`.

use serde_json::{Value, json};

use crate::reload::missing_includes;
use sparring_book::{self as book, Book};
use sparring_diagnostics::{Diagnostics, Severity, place};
use sparring_personality::{self as personality, Personality};

/// Most findings sent to the page; the others are counted.
const SHOWN: usize = 200;

/// The readable part of a book, and its findings.
pub(super) fn of_book(path: &str, text: &str) -> (Option<Book>, Diagnostics) {
    let (book, findings) = book::check(path, text);
    let lost = book.as_ref().map_or_else(Vec::new, missing_includes);
    let list = findings.list.into_iter().chain(lost).collect();
    (book, Diagnostics::new(findings.name, findings.text, list))
}

/// The personality, if it can be used, and its findings.
pub(super) fn of_personality(path: &str, text: &str, books: &[String]) -> (Option<Personality>, Diagnostics) {
    personality::read_among(path, text, books)
}

/// The findings as JSON. Lines and columns count from 1, columns in characters; the end is exclusive.
pub(super) fn findings_json(findings: &Diagnostics) -> Value {
    let list: Vec<Value> = findings
        .list
        .iter()
        .take(SHOWN)
        .map(|finding| {
            // Positions count a byte order mark, which the text field contains too.
            let (line, column) = place(&findings.text, finding.span.start);
            let (end_line, end_column) = place(&findings.text, finding.span.end);
            let severity = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            json!({
                "line": line, "column": column, "endLine": end_line, "endColumn": end_column, "severity": severity,
                "message": finding.message, "help": finding.help,
            })
        })
        .collect();
    json!({
        "usable": findings.is_usable(), "findings": list,
        "more": findings.list.len().saturating_sub(SHOWN),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_have_their_position_in_characters() {
        let (book, findings) = of_book("books/a.book", "# Grüße\n1. d4 d5 2. Nf9\n");
        assert!(book.is_some());
        let told = findings_json(&findings);
        assert_eq!(told["usable"], false);
        let first = &told["findings"][0];
        assert_eq!((&first["line"], &first["column"]), (&json!(2), &json!(13)));
        assert_eq!((&first["endLine"], &first["endColumn"]), (&json!(2), &json!(16)));
        assert_eq!(first["message"], "\"Nf9\" is not a move");
        assert_eq!(first["help"], "did you mean Nf3?");
    }

    #[test]
    fn only_the_first_findings_of_many_are_sent() {
        let text = "1. e9\n".repeat(SHOWN + 50);
        let (_, findings) = of_book("a.book", &text);
        let told = findings_json(&findings);
        let shown = told["findings"].as_array().unwrap().len();
        let more = told["more"].as_u64().unwrap() as usize;
        assert!(shown <= SHOWN);
        assert_eq!(shown + more, findings.list.len());
    }

    #[test]
    fn a_missing_book_is_a_finding_of_the_personality() {
        let (profile, findings) = of_personality("p/tim.toml", "books = [\"mine\"]\n", &["main".to_owned()]);
        assert!(profile.is_none());
        assert!(
            findings_json(&findings)["findings"][0]["message"]
                .as_str()
                .unwrap()
                .contains("mine")
        );
    }
}
