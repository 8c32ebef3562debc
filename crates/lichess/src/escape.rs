//! Escapes foreign text for logs: names, chat lines, server messages.

use std::fmt::{self, Write as _};

/// Longest displayed text, in characters.
const SHOWN: usize = 140;

/// Displays foreign text on one line: control and direction characters escaped, cut at 140 characters.
///
/// ```
/// use sparring_lichess::Escaped;
///
/// assert_eq!(Escaped("hi\n12:00 INFO you won").to_string(), "hi\\n12:00 INFO you won");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut chars = self.0.chars();
        for c in chars.by_ref().take(SHOWN) {
            if c.is_control() || turns_text_around(c) {
                write!(f, "{}", c.escape_default())?;
            } else {
                f.write_char(c)?;
            }
        }
        if chars.next().is_some() {
            f.write_str("...")?;
        }
        Ok(())
    }
}

/// Marks, embeddings, overrides and isolates of the bidirectional algorithm, the separators that some viewers
/// take for line ends, and the invisible joiners.
fn turns_text_around(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forged_lines_and_terminal_tricks_stay_visible() {
        assert_eq!(Escaped("a\u{1b}[2Jb\rc").to_string(), "a\\u{1b}[2Jb\\rc");
        assert_eq!(Escaped("\u{202e}evil").to_string(), "\\u{202e}evil");
        assert_eq!(Escaped("Grüße ♞ 你好").to_string(), "Grüße ♞ 你好");
    }

    #[test]
    fn long_text_is_cut() {
        let shown = Escaped(&"é".repeat(2000)).to_string();
        assert_eq!(shown.chars().count(), SHOWN + 3);
        assert!(shown.ends_with("é..."));
    }
}
