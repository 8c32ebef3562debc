//! Writes PGN: tags, SAN with move numbers, comments.

use std::fmt::Write as _;

use super::{Color, GameHistory, Rules as _, Variant, write_fen, write_san};

/// A game to be written. Names and comments may be any text: what would break the format is escaped.
#[derive(Debug, Clone)]
pub struct Pgn<'a> {
    /// The moves and where they started.
    pub line: &'a GameHistory,
    /// Tags in the order of writing, the seven of the roster first. `Result`, `FEN`, `SetUp` and `Variant` are
    /// added where they are missing and needed.
    pub tags: Vec<(&'a str, String)>,
    /// A comment after each move that has one, as many as there are moves or fewer.
    pub comments: Vec<String>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: &'a str,
    /// Lines of moves are at most this long, 80 by the standard; lichess breaks none.
    pub width: Option<usize>,
}

impl Pgn<'_> {
    /// The whole text, ending in an empty line so that games can be put one after another.
    #[must_use]
    pub fn write(&self) -> String {
        format!("{}\n{}\n\n", self.header(), self.movetext())
    }

    /// The tags, one a line.
    #[must_use]
    pub fn header(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.tags {
            write_tag(&mut text, name, value);
        }
        let has = |name: &str| self.tags.iter().any(|(tag, _)| *tag == name);
        if !has("Result") {
            write_tag(&mut text, "Result", self.result);
        }
        let variant = self.line.variant();
        if !has("Variant") && !matches!(variant, Variant::Standard) {
            write_tag(&mut text, "Variant", variant.name());
        }
        let start = write_fen(self.line.start());
        if !has("FEN") && (start != write_fen(&variant.start()) || variant == Variant::Chess960) {
            write_tag(&mut text, "FEN", &start);
            write_tag(&mut text, "SetUp", "1");
        }
        text
    }

    /// Moves, comments and the result, broken into lines where a width is given.
    #[must_use]
    pub fn movetext(&self) -> String {
        let mut words = Vec::new();
        let mut pos = self.line.start().clone();
        let mut needs_number = true;
        for (index, mv) in self.line.moves().iter().enumerate() {
            let number = pos.fullmoves();
            match pos.turn() {
                Color::White => words.push(format!("{number}.")),
                Color::Black if needs_number => words.push(format!("{number}...")),
                Color::Black => {}
            }
            words.push(write_san(&pos, *mv));
            pos.play_unchecked(*mv);
            let comment = self.comments.get(index).filter(|comment| !comment.is_empty());
            needs_number = comment.is_some();
            if let Some(comment) = comment {
                let comment = format!("{{ {} }}", harmless(comment).replace('}', ")"));
                words.extend(comment.split(' ').map(str::to_owned));
            }
        }
        words.push(self.result.to_owned());
        self.width
            .map_or_else(|| words.join(" "), |width| wrapped(&words, width))
    }
}

fn write_tag(text: &mut String, name: &str, value: &str) {
    let value = harmless(value).replace('\\', "\\\\").replace('"', "\\\"");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "[{name} \"{value}\"]");
}

/// Without control characters, which could end a tag or begin a game of their own.
fn harmless(value: &str) -> String {
    value
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

fn wrapped(words: &[String], most: usize) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in words {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > most {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += length;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_written_with_numbers_comments_and_harmless_names() {
        let line = GameHistory::replay(Variant::Standard, "startpos", "f2f3 e7e5 g2g4 d8h4").unwrap();
        let pgn = Pgn {
            line: &line,
            tags: vec![
                ("White", "Ann \"the\\bold\"\n[Event".into()),
                ("Black", "Bob".into()),
            ],
            comments: vec![String::new(), "good } move".into()],
            result: "0-1",
            width: Some(80),
        };
        assert_eq!(
            pgn.write(),
            "[White \"Ann \\\"the\\\\bold\\\" [Event\"]\n[Black \"Bob\"]\n[Result \"0-1\"]\n\n\
             1. f3 e5 { good ) move } 2. g4 Qh4# 0-1\n\n"
        );
    }

    #[test]
    fn a_game_from_a_position_with_black_to_move_says_so() {
        let fen = "4k3/8/8/8/8/8/4p3/K7 b - - 0 30";
        let line = GameHistory::replay(Variant::FromPosition, fen, "e2e1q a1b2").unwrap();
        let text = Pgn {
            line: &line,
            tags: vec![],
            comments: vec![],
            result: "*",
            width: None,
        }
        .write();
        assert!(
            text.contains("[FEN \"4k3/8/8/8/8/8/4p3/K7 b - - 0 30\"]\n[SetUp \"1\"]"),
            "{text}"
        );
        assert!(text.contains("[Variant \"From Position\"]"), "{text}");
        assert!(text.contains("30... e1=Q+ 31. Kb2 *"), "{text}");
    }
}
