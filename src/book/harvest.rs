//! A book grown from games: how often each move was played, written as lines that people can edit.

use std::collections::{HashMap, HashSet};

use crate::chess::{Color, GameLine, Move, Position, Rules as _, Variant, key, write_san};

use super::{
    entries::Entries,
    library::Book,
    mark::{BASE_WEIGHT, MAX_WEIGHT},
    merge::merge,
    openings,
    parse::parse,
    positions::Entry,
    reweigh::reweigh,
    tree::numbered,
    walk::walk,
};

/// Counts of moves, by whose moves they are to count in the book.
#[derive(Debug, Clone, Default)]
pub struct Harvest {
    /// Games of which both sides count.
    both: Counts,
    /// Games of which only White's moves count.
    white: Counts,
    /// Games of which only Black's moves count.
    black: Counts,
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
        self.write(least, None)
    }

    /// The text of a book with what was counted: the numbers of moves that were played grow, and below its own lines
    /// stand those that are new, with moves that were played at least so often. What the book does not want, or leaves out
    /// of a choice, is not played for all that; what nobody played keeps its weight.
    ///
    /// Lines of a book that has no numbers count as games do.
    #[must_use]
    pub fn grow_onto(&self, old: &Book, least: u32) -> Grown {
        let text = reweigh(old, &mut |key, mv, turn| {
            let entries = old.entries(key);
            let entry = entries.iter().find(|entry| entry.mv == mv)?;
            let count = |mv| self.count(key, mv, turn);
            let is_touched = count(mv) > 0
                || entry.number.is_none() && entries.iter().any(|one| one.share() > 0 && count(one.mv) > 0);
            (entry.share() > 0 && is_touched).then(|| Scale::of(&entries).number(Some(entry), count(mv)))
        });
        let new = self.write(least, Some(old));
        let read = |name: &str, text: &str| parse(name, text).0;
        let text = match (read(old.path(), &text), read("the games", &new.text)) {
            (Some(book), Some(new_lines)) if new.rows > 0 => merge(&book, &new_lines).text,
            _ => text,
        };
        Grown { text, ..new }
    }

    /// What was counted as lines; onto a book, only those that it needs.
    fn write(&self, least: u32, old: Option<&Book>) -> Grown {
        let mut grown = Grown {
            text: String::new(),
            rows: 0,
            positions: 0,
        };
        let mut covered = HashSet::new();
        for (counts, side) in [
            (&self.both, None),
            (&self.white, Some(Color::White)),
            (&self.black, Some(Color::Black)),
        ] {
            let mut section = Grown {
                text: String::new(),
                ..grown
            };
            let mut writer = Writer {
                harvest: self,
                counts,
                old,
                side,
                least: least.max(1),
                seen: HashSet::new(),
                covered: &mut covered,
                grown: &mut section,
            };
            writer.visit(&Variant::Standard.start(), &mut Path::default());
            let is_empty = section.text.is_empty();
            let gap = if grown.text.is_empty() { "" } else { "\n" };
            let head = match side {
                Some(color) if !is_empty => format!("{gap}color: {color}\n"),
                _ => String::new(),
            };
            grown = Grown {
                text: grown.text + &head + &section.text,
                ..section
            };
        }
        grown
    }
}

/// What a line and a game are worth in a position of a book that grows.
#[derive(Debug, Clone, Copy)]
struct Scale {
    line: u32,
    game: u32,
}

impl Scale {
    fn of(entries: &[Entry]) -> Self {
        let played = || entries.iter().filter(|entry| entry.share() > 0);
        let whole = BASE_WEIGHT as u32;
        if played().any(|entry| entry.number.is_some()) {
            Self { line: whole, game: 1 }
        } else if played().any(|entry| entry.marks != 0) {
            // Marks are made for lines of that weight, and would drown smaller numbers.
            Self {
                line: whole,
                game: whole,
            }
        } else {
            Self { line: 1, game: 1 }
        }
    }

    /// The number of a move that was played so often, marks left aside.
    fn number(self, entry: Option<&Entry>, games: u32) -> u32 {
        let before = entry.map_or(0, |entry| {
            entry.number.unwrap_or(entry.lines.saturating_mul(self.line))
        });
        before
            .saturating_add(games.saturating_mul(self.game))
            .min(MAX_WEIGHT)
    }
}

/// The moves that lead to a position, in words and in keys.
#[derive(Debug, Default)]
struct Path {
    words: Vec<String>,
    keys: Vec<u64>,
    /// Those of them that count, each with the key of the position before it.
    counting: Vec<(u64, Move)>,
}

struct Writer<'a> {
    harvest: &'a Harvest,
    counts: &'a Counts,
    /// The book that grows, if one does.
    old: Option<&'a Book>,
    side: Option<Color>,
    least: u32,
    seen: HashSet<u64>,
    /// What the rows so far say of moves that count.
    covered: &'a mut HashSet<(u64, Move)>,
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
        let counts = self.counts_for(pos);
        if counts && !moves.is_empty() {
            self.grown.positions += 1;
        }
        let options = if counts && !moves.is_empty() {
            self.options(pos, here)
        } else {
            Vec::new()
        };
        let is_choice = options.len() > 1;
        if is_choice && (self.is_news(path, None) || options.iter().any(|option| option.is_new)) {
            let written: Vec<String> = options
                .iter()
                .map(|option| format!("{} {}", write_san(pos, option.mv), option.number))
                .collect();
            let first = numbered(pos, &written.join(" | "));
            self.row(pos, path, &first, None);
            self.covered
                .extend(options.iter().map(|option| (here, option.mv)));
        }
        for mv in moves {
            let mut after = pos.clone();
            after.play_unchecked(mv);
            let reached = key(&after);
            let word = write_san(pos, mv);
            let is_end = self.moves(&after, reached).is_empty() || self.seen.contains(&reached);
            let last = counts.then_some((here, mv));
            if is_end && !is_choice && self.is_news(path, last) {
                let keys = path.keys.iter().rev();
                let opening = openings::name(reached).or_else(|| keys.copied().find_map(openings::name));
                let name = opening.map(|opening| opening.name);
                self.row(pos, path, &numbered(pos, &word), name);
                self.covered.extend(last);
            }
            path.words
                .push(if pos.turn() == Color::White || path.words.is_empty() {
                    numbered(pos, &word)
                } else {
                    word
                });
            path.keys.push(reached);
            path.counting.extend(last);
            self.visit(&after, path);
            path.words.pop();
            path.keys.pop();
            if last.is_some() {
                path.counting.pop();
            }
        }
    }

    /// Whether it is the word of the side to move that is written down.
    fn counts_for(&self, pos: &Position) -> bool {
        self.side.is_none_or(|side| side == pos.turn())
    }

    /// Whether a row would say of some move what neither the old book nor a row before it says. Without an old book every
    /// row does.
    fn is_news(&self, path: &Path, last: Option<(u64, Move)>) -> bool {
        let Some(old) = self.old else { return true };
        path.counting.iter().copied().chain(last).any(|(key, mv)| {
            let is_known = || old.entries(key).iter().any(|entry| entry.mv == mv);
            !self.covered.contains(&(key, mv)) && !is_known()
        })
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
        self.covered.extend(path.counting.iter().copied());
    }

    /// The moves that were played often enough, the most frequent first: ways to go on. Those that the old book has were
    /// always played often enough, and those that it does not want, never.
    fn moves(&self, pos: &Position, here: u64) -> Vec<Move> {
        let entries = self.entries(here);
        let counts = self.counts_for(pos);
        let is_way = |mv: Move, count: u32| match entries.iter().find(|entry| entry.mv == mv) {
            Some(entry) if counts => !entry.is_unwanted(),
            Some(_) => true,
            None => count >= self.least,
        };
        let legal = pos.legal_moves();
        let mut moves: Vec<(Move, u32)> = legal
            .iter()
            .filter_map(|mv| Some((*mv, *self.counts.get(&(here, *mv))?)))
            .filter(|(mv, count)| is_way(*mv, *count))
            .collect();
        moves.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        moves.into_iter().map(|(mv, _)| mv).collect()
    }

    /// All that is to be played in a position, the heaviest first: what was played often enough, and what the old book
    /// plays.
    fn options(&self, pos: &Position, here: u64) -> Vec<Choice> {
        let entries = self.entries(here);
        let scale = Scale::of(&entries);
        let option = |mv: &Move| {
            let count = match self.old {
                Some(_) => self.harvest.count(here, *mv, pos.turn()),
                None => self.counts.get(&(here, *mv)).copied().unwrap_or(0),
            };
            let entry = entries.iter().find(|entry| entry.mv == *mv);
            let (is_wanted, is_new) = match entry {
                // What stands in a choice has got its number where it stands.
                Some(entry) => (
                    entry.share() > 0,
                    count > 0 && entry.number.is_none() && !entry.chosen,
                ),
                None => (count >= self.least, true),
            };
            is_wanted.then(|| Choice {
                mv: *mv,
                number: scale.number(entry, count),
                is_new: is_new && !self.covered.contains(&(here, *mv)),
            })
        };
        let mut options: Vec<Choice> = pos.legal_moves().iter().filter_map(option).collect();
        options.sort_by_key(|option| std::cmp::Reverse(option.number));
        options
    }

    /// What the old book says of a position.
    fn entries(&self, key: u64) -> Entries<'_> {
        self.old.map_or_else(Entries::none, |old| old.entries(key))
    }
}

/// A move of a choice that may be written.
#[derive(Debug, Clone, Copy)]
struct Choice {
    mv: Move,
    number: u32,
    /// Whether neither the old book nor a row before it gives that number.
    is_new: bool,
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

    /// A book after games of both sides, which may leave out what was played less often.
    fn onto(old: &str, games: &[&str], least: u32) -> String {
        let games: Vec<(&str, Option<Color>)> = games.iter().map(|moves| (*moves, None)).collect();
        let text = harvest(&games)
            .grow_onto(&parse("a.book", old).0.unwrap(), least)
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
    fn without_games_a_book_stays_as_it_is() {
        let games = [("d2d4 d7d5", Some(Color::White))];
        for (name, text) in crate::cli::stock::BOOKS {
            let book = parse(name, text).0.unwrap();
            assert_eq!(Harvest::new().grow_onto(&book, 1).text, *text);
            // What is too rare is no word on moves that the book does not have.
            let grown = harvest(&games).grow_onto(&book, 9).text;
            let all = crate::book::diff(&book, &parse(name, &grown).0.unwrap());
            for one in all {
                assert!(
                    one.after.is_empty() || one.after.ends_with("1. d4"),
                    "{name}: {one:?}"
                );
                assert_eq!(
                    one.old.unwrap() == 0.0,
                    one.new.unwrap() == 0.0,
                    "{name}: {one:?}"
                );
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

    #[test]
    fn games_from_elsewhere_are_passed_over() {
        let ending = GameLine::replay(Variant::Standard, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4").unwrap();
        assert!(!Harvest::new().add(&ending, None, 1));
        assert!(!Harvest::new().add(&GameLine::new(Variant::Atomic), None, 1));
    }
}
