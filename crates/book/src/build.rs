//! Builds a book from games (Polyglot's `make-book`): move counts become weights, in a new book or added to an existing one.

use std::collections::HashMap;

use sparring_chess::{Color, GameHistory, Move, Position, Variant, key};

use super::{
    book::Book,
    build_text::{Scale, write},
    merge::merge,
    parse::parse,
    rewrite_weights::rewrite_weights,
    walk::walk,
};

/// Counts moves of games and writes them as a book, for both sides or for one.
#[derive(Debug, Clone, Default)]
pub struct BookBuilder {
    /// Games of which both sides count.
    pub(super) both: Counts,
    /// Games of which only White's moves count.
    pub(super) white: Counts,
    /// Games of which only Black's moves count.
    pub(super) black: Counts,
    /// Whether games of both sides count for each side on its own.
    is_split: bool,
    /// Where games began that did not begin as usual, by key; none where such games do not count.
    pub(super) starts: Option<HashMap<u64, Start>>,
}

/// A position that games began in.
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub(super) position: Position,
    pub(super) games: u32,
}

/// How often each move was played in each position.
pub(super) type Counts = HashMap<(u64, Move), u32>;

/// A book built from games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltBook {
    /// A text that [`parse`](super::parse) reads.
    pub text: String,
    /// Lines of moves in it.
    pub rows: usize,
    /// Positions in which a side that counts has a move.
    pub positions: usize,
}

impl BookBuilder {
    /// An empty builder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty builder that keeps White's and Black's moves in separate sections.
    #[must_use]
    pub fn of_each_side() -> Self {
        Self {
            is_split: true,
            ..Self::default()
        }
    }

    /// Also counts games from other start positions: each position gets a `from:` block.
    #[must_use]
    pub fn from_positions(self) -> Self {
        Self {
            starts: self.starts.or_else(|| Some(HashMap::new())),
            ..self
        }
    }

    /// Adds a game `times` times. `side` is the side whose moves count; `None` counts both.
    ///
    /// Returns false and ignores the game if it is a chess variant, or starts elsewhere without
    /// [`from_positions`](Self::from_positions).
    pub fn add(&mut self, line: &GameHistory, side: Option<Color>, times: u32) -> bool {
        if !line.variant().traits().standard_books {
            return false;
        }
        if !begins_in_start_position(line) {
            let (Some(starts), Some(here)) = (&mut self.starts, line.keys().first()) else {
                return false;
            };
            let start = starts.entry(*here).or_insert_with(|| Start {
                position: line.start().clone(),
                games: 0,
            });
            start.games = start.games.saturating_add(times);
        }
        for counts in self.sections(side) {
            for (key, mv) in line.keys().iter().zip(line.moves()) {
                let count = counts.entry((*key, *mv)).or_default();
                *count = count.saturating_add(times);
            }
        }
        true
    }

    /// Counts each line of a book as a game: Rodent's `feed.txt`. Without a `side` the book's own headers say whose
    /// moves count. Returns the number of lines.
    pub fn add_book(&mut self, book: &Book, side: Option<Color>) -> usize {
        let mut rows = 0;
        walk(book.text(), &mut |row| {
            if !row.prefix.counts() {
                return;
            }
            rows += 1;
            for counts in self.sections(side.or(row.color)) {
                for played in row.played {
                    *counts.entry((played.key, played.mv)).or_default() += 1;
                }
            }
        });
        rows
    }

    /// How often a move was counted in the sections that apply to the side to move.
    #[must_use]
    pub fn count(&self, key: u64, mv: Move, turn: Color) -> u32 {
        let side = if turn == Color::White {
            &self.white
        } else {
            &self.black
        };
        [&self.both, side]
            .into_iter()
            .filter_map(|counts| counts.get(&(key, mv)))
            .sum()
    }

    /// The counts that a game belongs to.
    fn sections(&mut self, side: Option<Color>) -> Vec<&mut Counts> {
        match side {
            None if self.is_split => vec![&mut self.white, &mut self.black],
            None => vec![&mut self.both],
            Some(Color::White) => vec![&mut self.white],
            Some(Color::Black) => vec![&mut self.black],
        }
    }

    /// Builds a new book of the moves played at least `least` times, weighted by their counts.
    ///
    /// A position with several moves becomes a choice (`e4 3 | d4 1`). Each line ends with the name of its opening.
    #[must_use]
    pub fn build(&self, least: u32) -> BuiltBook {
        write(self, least, None)
    }

    /// Adds the counts to an existing book: raises the weights of its moves, and appends lines with new moves played at
    /// least `least` times. Moves that the book forbids or leaves out of a choice stay out; unplayed moves keep their weight.
    ///
    /// Lines of a book without weights count as games.
    #[must_use]
    pub fn build_onto(&self, old: &Book, least: u32) -> BuiltBook {
        let text = rewrite_weights(old, &mut |key, mv, turn| {
            let entries = old.entries(key);
            let entry = entries.iter().find(|entry| entry.mv == mv)?;
            let count = |mv| self.count(key, mv, turn);
            let is_touched = count(mv) > 0
                || entry.number.is_none() && entries.iter().any(|one| one.share() > 0 && count(one.mv) > 0);
            (entry.share() > 0 && is_touched).then(|| Scale::of(entries).number(Some(entry), count(mv)))
        });
        let new = write(self, least, Some(old));
        let read = |name: &str, text: &str| parse(name, text).0;
        let text = match (read(old.path(), &text), read("the games", &new.text)) {
            (Some(book), Some(new_lines)) if new.rows > 0 => merge(&book, &new_lines).text,
            _ => text,
        };
        BuiltBook { text, ..new }
    }
}

/// Whether a game begins in the standard start position.
#[must_use]
pub fn begins_in_start_position(line: &GameHistory) -> bool {
    line.keys().first() == Some(&key(&Variant::Standard.start()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{check, parse};

    fn builder(games: &[(&str, Option<Color>)]) -> BookBuilder {
        let mut builder = BookBuilder::new();
        for (moves, side) in games {
            let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
            assert!(builder.add(&line, *side, 1));
        }
        builder
    }

    #[test]
    fn moves_weigh_as_often_as_they_were_played() {
        let built = builder(&[
            ("e2e4 e7e5 g1f3", None),
            ("e2e4 c7c5", None),
            ("e2e4 c7c5 g1f3", None),
            ("d2d4 d7d5", None),
        ])
        .build(1);
        assert_eq!(
            built.text,
            "1. e4 3 | d4 1\n1. e4 c5 2 | e5 1\n1. e4 c5 2. Nf3  # Sicilian Defense, Open Preparation\n\
             1. e4 e5 2. Nf3  # King's Knight Opening\n1. d4 d5  # Queen's Pawn Game, Closed\n"
        );
        assert_eq!((built.rows, built.positions), (5, 5));
        assert_eq!(check("a.book", &built.text).1.to_string(), "");
    }

    #[test]
    fn rare_moves_are_left_out() {
        let games = [("e2e4 e7e5", None), ("e2e4 c7c5", None), ("d2d4 d7d5", None)];
        assert_eq!(builder(&games).build(2).text, "1. e4  # King's Pawn Game\n");
        assert_eq!(builder(&games).build(9).text, "");
    }

    #[test]
    fn a_side_alone_gets_its_color() {
        let built = builder(&[
            ("e2e4 c7c5", Some(Color::Black)),
            ("d2d4 g8f6", Some(Color::Black)),
            ("c2c4 e7e5 b1c3", Some(Color::White)),
        ])
        .build(1);
        assert_eq!(
            built.text,
            "color: white\n1. c4 e5 2. Nc3  # English Opening, King's English, Reversed Sicilian\n\n\
             color: black\n1. d4 Nf6  # Indian Defense\n1. e4 c5  # Sicilian Defense\n"
        );
    }

    #[test]
    fn lines_of_a_book_count_as_games() {
        let book = parse("feed.txt", "e2e4 e7e5\ne2e4 c7c5\ne2e4 c7c5\n").0.unwrap();
        let mut builder = BookBuilder::new();
        assert_eq!(builder.add_book(&book, Some(Color::Black)), 3);
        assert_eq!(builder.build(1).text, "color: black\n1. e4 c5 2 | e5 1\n");
    }

    /// A book after games of both sides, which may leave out what was played less often.
    fn onto(old: &str, games: &[&str], least: u32) -> String {
        let games: Vec<(&str, Option<Color>)> = games.iter().map(|moves| (*moves, None)).collect();
        let text = builder(&games)
            .build_onto(&parse("a.book", old).0.unwrap(), least)
            .text;
        assert_eq!(parse("a.book", &text).1.to_string(), "");
        text.replace("\n# From the games\n", "+ ")
    }

    #[test]
    fn a_book_goes_on_from_what_it_says() {
        assert_eq!(
            onto(
                "e4 60 | d4 40\ne4 e5\ne4 c5\ne4 a6xx\n",
                &["e2e4 c7c5", "e2e4 a7a6", "e2e4 a7a6"],
                1
            ),
            "e4 63 | d4 40\ne4 e5\ne4 c5\ne4 a6xx\n+ 1. e4 c5 2 | e5 1\n"
        );
        // Marks count on top, so that a game counts as much as a line.
        assert_eq!(
            onto("e4 e5!\ne4 c5\n", &["e2e4 c7c5"], 1),
            "e4 e5!\ne4 c5\n+ 1. e4 c5 200 | e5 100\n"
        );
    }

    #[test]
    fn without_games_a_book_stays_as_it_is_and_games_do_not_change_its_mind() {
        let folder = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../books")).unwrap();
        let paths = folder.map(|entry| entry.unwrap().path());
        for path in paths.filter(|path| path.extension().is_some_and(|ending| ending == "book")) {
            let (name, text) = (path.display().to_string(), fs::read_to_string(&path).unwrap());
            let book = parse(&name, &text).0.unwrap();
            assert_eq!(BookBuilder::new().build_onto(&book, 1).text, text);
            if !book.head().fits(Variant::Standard, None, None) {
                continue;
            }
            let (mut builder, mut rows) = (BookBuilder::new(), 0);
            walk(book.text(), &mut |row| {
                rows += 1;
                if rows % 20 == 0 && row.prefix.counts() {
                    let mut line = GameHistory::new(Variant::Standard);
                    for (depth, played) in row.played.iter().enumerate() {
                        if played.depth == depth {
                            line.play(played.mv);
                        }
                    }
                    builder.add(&line, row.color, 3);
                }
            });
            // Games that followed the book change chances, and no word of it on what is played and what is not.
            let built = builder.build_onto(&book, 2).text;
            for one in crate::diff(&book, &parse(&name, &built).0.unwrap()) {
                let (old, new) = (one.old.unwrap_or_default(), one.new.unwrap_or_default());
                assert_eq!(old == 0.0, new == 0.0, "{name}: {one:?}");
            }
        }
    }

    #[test]
    fn what_a_book_leaves_out_or_forbids_stays_out() {
        for text in [
            "e4 0 | d4 100\n",
            "d4 100 | c4xx\ne4 e5\n",
            "d4 | c4\ne4 e5\n",
            "from: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\ne4 0\nd4 100\n",
        ] {
            assert_eq!(onto(text, &["e2e4", "e2e4"], 1), text);
        }
        // Answers to what the other side plays are another matter.
        assert_eq!(
            onto("d4 | c4\ne4 e5\n", &["e2e4 c7c5"], 1),
            "d4 | c4\ne4 e5\n+ 1. e4 c5 1 | e5 1\n"
        );
    }

    #[test]
    fn numbers_count_wherever_their_line_begins() {
        let start = "from: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
        assert_eq!(
            onto(&format!("{start}e4 60\nd4 40\n"), &["e2e4"], 1),
            format!("{start}e4 61\nd4 40\n")
        );
    }

    #[test]
    fn a_new_choice_holds_what_the_book_plays_and_new_lines_lead_to_it() {
        assert_eq!(
            onto("e4 3 | d4 1\n", &["c2c4", "c2c4", "g1f3"], 2),
            "e4 3 | d4 1\n+ 1. e4 3 | c4 2 | d4 1\n"
        );
        assert_eq!(
            onto("d4 d5 c4\n", &["c2c4 d7d5 d2d4", "c2c4 d7d5 d2d4 d5c4"], 1),
            "d4 d5 c4\n+ 1. c4 2 | d4 1\n1. c4 d5 2. d4 dxc4  # Queen's Gambit Accepted\n"
        );
        // The same once more adds to the numbers alone.
        assert_eq!(
            onto("e4 3 | d4 1\ne4 e5\n", &["e2e4 e7e5", "d2d4"], 2),
            "e4 4 | d4 2\ne4 e5\n"
        );
    }

    const ENDING: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    /// Chess960, number 0: castling with another rook's square than usual.
    const CORNERS: &str = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1";

    #[test]
    fn games_from_elsewhere_get_blocks_of_their_own_if_asked_for() {
        let mut builder = BookBuilder::new().from_positions();
        let games = [
            ("startpos", Variant::Standard, "e2e4 e7e5"),
            (ENDING, Variant::Standard, "e2e4 e8d7"),
            (ENDING, Variant::FromPosition, "e2e4 e8e7"),
            (CORNERS, Variant::Chess960, "e1f3 e8f6"),
        ];
        for (start, variant, moves) in games {
            assert!(builder.add(&GameHistory::replay(variant, start, moves).unwrap(), None, 1));
        }
        let built = builder.build(1);
        assert_eq!(
            built.text,
            format!(
                "1. e4 e5  # King's Pawn Game, Open\n\nfrom: {ENDING}\n1. e4 Kd7 1 | Ke7 1\n\nfrom: {CORNERS}\n1. Nf3 Nf6\n"
            )
        );
        assert_eq!(check("a.book", &built.text).1.to_string(), "");
        assert!(
            builder
                .build(2)
                .text
                .starts_with(&format!("from: {ENDING}\n1. e4\n"))
        );
    }

    #[test]
    fn blocks_of_positions_end_where_another_side_begins() {
        let mut builder = BookBuilder::of_each_side().from_positions();
        for (start, moves) in [(ENDING, "e2e4 e8d7"), ("startpos", "e2e4 e7e5")] {
            let line = GameHistory::replay(Variant::Standard, start, moves).unwrap();
            builder.add(&line, Some(Color::White), 1);
            builder.add(&line, Some(Color::Black), 1);
        }
        let text = builder.build(1).text;
        let (_, black) = text.split_once("color: black\n").unwrap();
        assert!(black.starts_with("from: startpos\n1. e4 e5"), "{text}");
        assert_eq!(check("a.book", &text).1.to_string(), "");
    }

    #[test]
    fn a_book_goes_on_with_blocks_of_positions() {
        let mut builder = BookBuilder::new().from_positions();
        let line = |start, moves| GameHistory::replay(Variant::Standard, start, moves).unwrap();
        builder.add(&line(ENDING, "e2e4 e8d7"), None, 1);
        let old = parse("a.book", &format!("1. d4 d5\nfrom: {ENDING}\ne3 5\n"))
            .0
            .unwrap();
        let built = builder.build_onto(&old, 1).text;
        assert_eq!(
            built,
            format!("1. d4 d5\nfrom: {ENDING}\ne3 5\n\n# From the games\n1. e3 5 | e4 1\n1. e4 Kd7\n")
        );
        assert_eq!(check("a.book", &built).1.to_string(), "");
    }

    #[test]
    fn games_from_elsewhere_are_passed_over() {
        let ending = GameHistory::replay(Variant::Standard, ENDING, "e2e4").unwrap();
        assert!(!BookBuilder::new().add(&ending, None, 1));
        assert!(!BookBuilder::new().add(&GameHistory::new(Variant::Atomic), None, 1));
    }
}
