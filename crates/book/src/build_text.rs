//! Writes move counts as book text: all of them, or only those that an existing book lacks.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use sparring_chess::{Color, Move, Position, Rules as _, Variant, key, write_fen, write_san};

use super::{
    annotation::{BASE_WEIGHT, MAX_WEIGHT},
    book::Book,
    build::{BookBuilder, BuiltBook, Counts, Start},
    eco,
    positions::Entry,
    tree_view::numbered,
};

/// What was counted as lines; onto a book, only those that it needs.
pub(super) fn write(builder: &BookBuilder, least: u32, old: Option<&Book>) -> BuiltBook {
    let mut built = BuiltBook {
        text: String::new(),
        rows: 0,
        positions: 0,
    };
    let mut covered = HashSet::new();
    let starts = starts(builder);
    let mut is_elsewhere = false;
    for (counts, side) in [
        (&builder.both, None),
        (&builder.white, Some(Color::White)),
        (&builder.black, Some(Color::Black)),
    ] {
        let mut section = BuiltBook {
            text: String::new(),
            ..built
        };
        let mut writer = Writer {
            builder,
            counts,
            old,
            side,
            least: least.max(1),
            seen: HashSet::new(),
            covered: &mut covered,
            built: &mut section,
        };
        writer.visit(&Variant::Standard.start(), &mut Path::default());
        // Lines of the usual start stand below another one only if the section before has ended there.
        if is_elsewhere && !writer.built.text.is_empty() {
            writer.built.text.insert_str(0, "from: startpos\n");
            is_elsewhere = false;
        }
        for start in &starts {
            is_elsewhere |= writer.block(&start.position);
        }
        let is_empty = section.text.is_empty();
        let gap = if built.text.is_empty() { "" } else { "\n" };
        let head = match side {
            Some(color) if !is_empty => format!("{gap}color: {color}\n"),
            _ => String::new(),
        };
        built = BuiltBook {
            text: built.text + &head + &section.text,
            ..section
        };
    }
    built
}

/// Where games began that did not begin as usual, the most frequent first.
fn starts(builder: &BookBuilder) -> Vec<&Start> {
    let mut starts: Vec<&Start> = builder.starts.iter().flat_map(HashMap::values).collect();
    starts.sort_by_cached_key(|start| (Reverse(start.games), write_fen(&start.position)));
    starts
}

/// What a line and a game are worth in a position of a book that grows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    line: u32,
    game: u32,
}

impl Scale {
    pub fn of(entries: &[Entry]) -> Self {
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
    pub fn number(self, entry: Option<&Entry>, games: u32) -> u32 {
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
    builder: &'a BookBuilder,
    counts: &'a Counts,
    /// The book that grows, if one does.
    old: Option<&'a Book>,
    side: Option<Color>,
    least: u32,
    seen: HashSet<u64>,
    /// What the rows so far say of moves that count.
    covered: &'a mut HashSet<(u64, Move)>,
    built: &'a mut BuiltBook,
}

impl Writer<'_> {
    /// Writes what is played from a position on as a block of its own, unless there is nothing that was not written before.
    fn block(&mut self, start: &Position) -> bool {
        let before = self.built.text.len();
        self.visit(start, &mut Path::default());
        if self.built.text.len() == before {
            return false;
        }
        let gap = if before == 0 { "" } else { "\n" };
        let head = format!("{gap}from: {}\n", write_fen(start));
        self.built.text.insert_str(before, &head);
        true
    }

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
            self.built.positions += 1;
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
                let opening = eco::name(reached).or_else(|| keys.copied().find_map(eco::name));
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
            self.built.text += word;
            self.built.text.push(' ');
        }
        self.built.text += last;
        if let Some(name) = name {
            self.built.text += "  # ";
            self.built.text += name;
        }
        self.built.text.push('\n');
        self.built.rows += 1;
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
        moves.sort_by_key(|(_, count)| Reverse(*count));
        moves.into_iter().map(|(mv, _)| mv).collect()
    }

    /// All that is to be played in a position, the heaviest first: what was played often enough, and what the old book
    /// plays.
    fn options(&self, pos: &Position, here: u64) -> Vec<Choice> {
        let entries = self.entries(here);
        let scale = Scale::of(entries);
        let option = |mv: &Move| {
            let count = match self.old {
                Some(_) => self.builder.count(here, *mv, pos.turn()),
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
        options.sort_by_key(|option| Reverse(option.number));
        options
    }

    /// What the old book says of a position.
    fn entries(&self, key: u64) -> &[Entry] {
        self.old.map_or(&[], |old| old.entries(key))
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
