//! Unknown keys, with a "did you mean" hint.

use std::ops::Range;

use sparring_diagnostics::{Diagnostic, nearest};

/// A hint about a key of another program.
#[derive(Debug, Clone, Copy)]
pub struct Advice {
    /// The key, alone (`concurrency`) or with its sections (`challenge.concurrency`).
    pub key: &'static str,
    /// What to write here instead.
    pub help: &'static str,
}

/// An undeclared key.
pub(super) struct Unknown {
    pub parent: String,
    pub name: String,
    pub span: Range<usize>,
    pub siblings: Vec<&'static str>,
}

/// Location of a declared key: its name, and the heading of its section, empty at the top.
pub(super) struct KeyLocation {
    pub name: &'static str,
    pub heading: String,
}

impl Unknown {
    /// The diagnostic: no such key, and what to write instead.
    pub fn explained(&self, homes: &[KeyLocation], advice: &[Advice]) -> Diagnostic {
        let (name, path) = (&self.name, format!("{}{}", self.parent, self.name));
        let finding = Diagnostic::error(self.span.clone(), format!("there is no setting \"{path}\""));
        let bare = name.replace('-', "_");
        let known_elsewhere = advice
            .iter()
            .find(|advice| advice.key == path)
            .or_else(|| advice.iter().find(|advice| advice.key == bare));
        if let Some(advice) = known_elsewhere {
            return finding.with_help(advice.help);
        }
        if let Some(word) = nearest(name, self.siblings.iter().copied()) {
            return finding.with_help(format!("did you mean \"{word}\"?"));
        }
        let is_meant = |home: &&KeyLocation| home.name == name || home.name.replace('-', "_") == bare;
        match homes.iter().find(is_meant).map(|home| home.heading.as_str()) {
            Some("") => finding.with_help("it belongs at the top of the file, before the first [section]"),
            Some(heading) => finding.with_help(format!("it belongs in the section {heading}")),
            None => finding.with_help(format!("there is {}", self.siblings.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bool, read};

    #[test]
    fn a_key_of_a_list_is_sent_to_a_table_of_it() {
        let read_rules = |text: &str| {
            let reading = read(text, &[], |file| {
                file.section("games", |games| games.key("max", Bool, false, "."));
                file.tables("rule", |rule| {
                    rule.key("min-rating", Bool, false, ".");
                    rule.key("color", Bool, false, ".")
                })
            });
            sparring_diagnostics::Diagnostics::new("t", text, reading.list).to_string()
        };
        for rules in ["", "[[rule]]\nmin-rating = true\n", "[[rule]]\ncolor = true\n"] {
            let text = format!("[games]\nmin-rating = true\n{rules}");
            assert_eq!(
                read_rules(&text),
                "t:2:1: error: there is no setting \"games.min-rating\"; it belongs in the section [[rule]]"
            );
        }
    }
}
