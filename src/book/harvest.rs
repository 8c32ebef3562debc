//! A book grown from games: how often each move was played, written as lines that people can edit.

use std::collections::{HashMap, HashSet};

use crate::chess::{Color, GameLine, Move, Position, Rules as _, Variant, key, write_san};

use super::{library::Book, mark::MAX_WEIGHT, openings, tree::numbered, walk::walk};

/// Counts of moves, by whose moves they are to count in the book.
#[derive(Debug, Clone, Default)]
pub struct Harvest {
    /// Games of which both sides count.
    both: Counts,
    /// Games of which only White's moves count.
    white: Counts,
    /// Games of which only Black's moves count.
    black: Counts,
    /// Moves that must not come up.
    unwanted: HashSet<(u64, Move)>,
    /// Whether games of both sides count for each side on its own.
    is_split: bool,
}

/// How often each move was played in each position.
type Counts = HashMap<(u64, Move), u32>;

/// What came of a harvest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grown {
    /// A text that [`parse`](super::parse) reads.
    pub text: String,
    /// Lines of moves in it.
    pub rows: usize,
    /// Positions in which a side that counts has a move.
    pub positions: usize,
}

impl Harvest {
    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing counted yet; White's and Black's moves will be apart, since of many games only one side counts.
    #[must_use]
    pub fn of_each_side() -> Self {
        Self {
            is_split: true,
            ..Self::default()
        }
    }

    /// Counts the moves of a game from the usual start, as often as said. `side` is whose moves count in the book; both
    /// if none is named. Games from elsewhere and of other rules are passed over, which false says.
    pub fn add(&mut self, line: &GameLine, side: Option<Color>, times: u32) -> bool {
        let start = line.keys().first();
        if line.variant() != Variant::Standard || start != Some(&key(&Variant::Standard.start())) {
            return false;
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
    /// moves count. Gives the number of lines.
    pub fn add_book(&mut self, book: &Book, side: Option<Color>) -> usize {
        let mut rows = 0;
        walk(book.text(), &mut |row| {
            if !row.trail.counts() {
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

    /// Counts what a book says already, so that games add to it: a number as it stands, a move without as often as lines
    /// play it. What the book does not want stays out, however often it was played.
    pub fn continue_from(&mut self, book: &Book) {
        let mut seen = HashSet::new();
        walk(book.text(), &mut |row| {
            if !row.trail.counts() {
                return;
            }
            for played in row.played {
                // A move of the other side leads on, but its count is nobody's word.
                let counts = row.color.is_none_or(|color| color == played.turn);
                if !seen.insert((played.key, played.mv, row.color)) {
                    continue;
                }
                let entries = book.entries(played.key);
                let said = entries.iter().find(|entry| entry.mv == played.mv);
                let times = match said.filter(|_| counts) {
                    Some(entry) if entry.is_unwanted() => {
                        self.unwanted.insert((played.key, played.mv));
                        0
                    }
                    Some(entry) => entry.number.unwrap_or(entry.lines),
                    None => 1,
                };
                for counts in self.sections(row.color) {
                    *counts.entry((played.key, played.mv)).or_default() += times;
                }
            }
        });
    }

    /// How often a move was counted, for those whose word counts in its position.
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

    /// The book: moves that were played at least so often, weighed by how often.
    ///
    /// Where several moves are played, a choice with their numbers says so; a line of moves goes to the end of each
    /// way, and carries the name of its opening.
    #[must_use]
    pub fn grow(&self, least: u32) -> Grown {
        let mut grown = Grown {
            text: String::new(),
            rows: 0,
            positions: 0,
        };
        for (counts, side) in [
            (&self.both, None),
            (&self.white, Some(Color::White)),
            (&self.black, Some(Color::Black)),
        ] {
            if counts.values().all(|count| *count < least.max(1)) {
                continue;
            }
            if let Some(color) = side {
                let gap = if grown.text.is_empty() { "" } else { "\n" };
                grown.text += &format!("{gap}color: {color}\n");
            }
            let mut writer = Writer {
                counts,
                unwanted: &self.unwanted,
                side,
                least: least.max(1),
                seen: HashSet::new(),
                grown: &mut grown,
            };
            let mut line = Path::default();
            writer.visit(&Variant::Standard.start(), &mut line);
        }
        grown
    }
}

/// The moves that lead to a position, in words and in keys.
#[derive(Debug, Default)]
struct Path {
    words: Vec<String>,
    keys: Vec<u64>,
}

struct Writer<'a> {
    counts: &'a Counts,
    unwanted: &'a HashSet<(u64, Move)>,
    side: Option<Color>,
    least: u32,
    seen: HashSet<u64>,
    grown: &'a mut Grown,
}

impl Writer<'_> {
    /// Writes what is played from a position on. Only positions not met before go on; the others were written by
    /// another order of moves, which is enough.
    fn visit(&mut self, pos: &Position, path: &mut Path) {
        let here = key(pos);
        if !self.seen.insert(here) {
            return;
        }
        let moves = self.moves(pos, here);
        let counts = self.side.is_none_or(|side| side == pos.turn());
        if counts && !moves.is_empty() {
            self.grown.positions += 1;
        }
        let is_choice = counts && moves.len() > 1;
        if is_choice {
            let options: Vec<String> = moves
                .iter()
                .map(|(mv, count)| format!("{} {}", write_san(pos, *mv), (*count).min(MAX_WEIGHT)))
                .collect();
            let first = numbered(pos, &options.join(" | "));
            self.row(pos, path, &first, None);
        }
        for (mv, _) in moves {
            let mut after = pos.clone();
            after.play_unchecked(mv);
            let reached = key(&after);
            let word = write_san(pos, mv);
            let is_end = self.moves(&after, reached).is_empty() || self.seen.contains(&reached);
            if is_end && !is_choice {
                let keys = path.keys.iter().rev();
                let opening = openings::name(reached).or_else(|| keys.copied().find_map(openings::name));
                let name = opening.map(|opening| opening.name);
                self.row(pos, path, &numbered(pos, &word), name);
            }
            path.words
                .push(if pos.turn() == Color::White || path.words.is_empty() {
                    numbered(pos, &word)
                } else {
                    word
                });
            path.keys.push(reached);
            self.visit(&after, path);
            path.words.pop();
            path.keys.pop();
        }
    }

    fn row(&mut self, pos: &Position, path: &Path, last: &str, name: Option<&str>) {
        // The number of Black's move is said only where the row begins with it.
        let last = match last.split_once("... ") {
            Some((_, bare)) if pos.turn() == Color::Black && !path.words.is_empty() => bare,
            _ => last,
        };
        for word in &path.words {
            self.grown.text += word;
            self.grown.text.push(' ');
        }
        self.grown.text += last;
        if let Some(name) = name {
            self.grown.text += "  # ";
            self.grown.text += name;
        }
        self.grown.text.push('\n');
        self.grown.rows += 1;
    }

    /// The moves that were played often enough, the most frequent first.
    fn moves(&self, pos: &Position, here: u64) -> Vec<(Move, u32)> {
        let legal = pos.legal_moves();
        let mut moves: Vec<(Move, u32)> = legal
            .iter()
            .filter_map(|mv| Some((*mv, *self.counts.get(&(here, *mv))?)))
            .filter(|(mv, count)| *count >= self.least && !self.unwanted.contains(&(here, *mv)))
            .collect();
        moves.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{check, parse};

    fn harvest(games: &[(&str, Option<Color>)]) -> Harvest {
        let mut harvest = Harvest::new();
        for (moves, side) in games {
            let line = GameLine::replay(Variant::Standard, "startpos", moves).unwrap();
            assert!(harvest.add(&line, *side, 1));
        }
        harvest
    }

    #[test]
    fn moves_weigh_as_often_as_they_were_played() {
        let grown = harvest(&[
            ("e2e4 e7e5 g1f3", None),
            ("e2e4 c7c5", None),
            ("e2e4 c7c5 g1f3", None),
            ("d2d4 d7d5", None),
        ])
        .grow(1);
        assert_eq!(
            grown.text,
            "1. e4 3 | d4 1\n1. e4 c5 2 | e5 1\n1. e4 c5 2. Nf3  # Sicilian Defense, Open Preparation\n\
             1. e4 e5 2. Nf3  # King's Knight Opening\n1. d4 d5  # Queen's Pawn Game, Closed\n"
        );
        assert_eq!((grown.rows, grown.positions), (5, 5));
        assert_eq!(check("a.book", &grown.text).1.to_string(), "");
    }

    #[test]
    fn rare_moves_are_left_out() {
        let games = [("e2e4 e7e5", None), ("e2e4 c7c5", None), ("d2d4 d7d5", None)];
        assert_eq!(harvest(&games).grow(2).text, "1. e4  # King's Pawn Game\n");
        assert_eq!(harvest(&games).grow(9).text, "");
    }

    #[test]
    fn a_side_alone_gets_its_color() {
        let grown = harvest(&[
            ("e2e4 c7c5", Some(Color::Black)),
            ("d2d4 g8f6", Some(Color::Black)),
            ("c2c4 e7e5 b1c3", Some(Color::White)),
        ])
        .grow(1);
        assert_eq!(
            grown.text,
            "color: white\n1. c4 e5 2. Nc3  # English Opening, King's English, Reversed Sicilian\n\n\
             color: black\n1. d4 Nf6  # Indian Defense\n1. e4 c5  # Sicilian Defense\n"
        );
    }

    #[test]
    fn lines_of_a_book_feed_as_games_do() {
        let book = parse("feed.txt", "e2e4 e7e5\ne2e4 c7c5\ne2e4 c7c5\n").0.unwrap();
        let mut harvest = Harvest::new();
        assert_eq!(harvest.add_book(&book, Some(Color::Black)), 3);
        assert_eq!(harvest.grow(1).text, "color: black\n1. e4 c5 2 | e5 1\n");
    }

    #[test]
    fn a_book_goes_on_from_what_it_says() {
        let book = parse("a.book", "e4 60 | d4 40\ne4 e5\ne4 c5\ne4 a6xx").0.unwrap();
        let mut harvest = Harvest::new();
        harvest.continue_from(&book);
        for moves in ["e2e4 c7c5", "e2e4 a7a6", "e2e4 a7a6"] {
            harvest.add(
                &GameLine::replay(Variant::Standard, "startpos", moves).unwrap(),
                None,
                1,
            );
        }
        assert_eq!(harvest.grow(1).text, "1. e4 63 | d4 40\n1. e4 c5 2 | e5 1\n");
    }

    #[test]
    fn games_from_elsewhere_are_passed_over() {
        let ending = GameLine::replay(Variant::Standard, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4").unwrap();
        assert!(!Harvest::new().add(&ending, None, 1));
        assert!(!Harvest::new().add(&GameLine::new(Variant::Atomic), None, 1));
    }
}
