//! Annotations at a book move: marks (`!`, `?`, `xx`, as in Rodent) and numeric weights.

/// What each line adds to the weight of a move it plays, when no number is given.
pub const BASE_WEIGHT: i64 = 100;

/// The largest number that may be written as a weight. Sums of many lines may go beyond.
pub const MAX_WEIGHT: u32 = 1_000_000;

/// A move as one line has it: what its marks add, and the number that is written behind it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Annotation {
    /// What the marks add or take away.
    pub marks: i32,
    /// The weight, instead of what the lines sum up to.
    pub number: Option<u32>,
    /// `xx`: never to be played, whatever else is said.
    pub never: bool,
    /// Part of a choice with `|`, which says all that is to be played in its position.
    pub chosen: bool,
    /// `@`: counts only after the moves of its own line, not by another order of moves.
    pub pinned: bool,
}

impl Annotation {
    /// Adds one mark.
    ///
    /// Rodent has `?`, `!`, `??`, `!!` and `xx`; the half marks are ours, since people write them.
    fn add(&mut self, mark: &str) -> bool {
        let value = match mark {
            "" => 0,
            "?" => -100,
            "!" => 100,
            "??" => -5000,
            "!!" => 5000,
            "!?" => 50,
            "?!" => -50,
            "xx" => {
                self.never = true;
                0
            }
            _ => return false,
        };
        self.marks = self.marks.saturating_add(value);
        true
    }

    /// Reads marks such as `!?`, `xx` or `!@`, which may stand at the move or behind it. False if they are none.
    pub fn read(&mut self, marks: &str) -> bool {
        let marks = match marks.strip_suffix('@') {
            Some(rest) => {
                self.pinned = true;
                rest
            }
            None => marks,
        };
        match marks.strip_suffix("xx") {
            Some(rest) => self.add(rest) && self.add("xx"),
            None => self.add(marks),
        }
    }
}

/// Divides a word into a move and the marks attached to it: `a7a6??` into `a7a6` and `??`.
pub(super) fn split_marks(word: &str) -> (&str, &str) {
    // All marks end in a sign or an x, most moves in neither.
    if let Some(last) = word.as_bytes().last()
        && last.is_ascii_alphanumeric()
        && *last != b'x'
    {
        return (word, "");
    }
    let bare = word.strip_suffix('@').unwrap_or(word);
    let bare = bare.strip_suffix("xx").unwrap_or(bare);
    let bare = bare.trim_end_matches(['?', '!']);
    word.split_at(bare.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_worth_what_rodent_says() {
        for (word, value) in [
            ("a6", 0),
            ("a6?", -100),
            ("a6!", 100),
            ("a6??", -5000),
            ("a6!!", 5000),
        ] {
            let (bare, marks) = split_marks(word);
            assert_eq!(bare, "a6");
            let mut annotation = Annotation::default();
            assert!(annotation.read(marks), "{word}");
            assert_eq!(annotation.marks, value);
        }
    }

    #[test]
    fn xx_forbids_with_or_without_other_marks() {
        assert_eq!(split_marks("e7e5?xx"), ("e7e5", "?xx"));
        let mut annotation = Annotation::default();
        assert!(annotation.read("?xx"));
        assert!(annotation.never);
        assert!(!Annotation::default().read("!!!"));
        assert_eq!(split_marks("exd5"), ("exd5", ""));
        assert_eq!(split_marks("e7e5?xx@"), ("e7e5", "?xx@"));
        assert!(annotation.read("!@") && annotation.pinned && annotation.marks == 0);
    }
}
