//! Explains a book choice: every move the books know in a position, its chance, or the reason it is not played.

use sparring_chess::{Rules as _, write_san};

use super::{learned_weights::WeightFactor, library::Library, lookup::BookQuery, positions::Entry};

/// What one book says of one move.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The name of the book.
    pub book: String,
    /// The move, in SAN.
    pub mv: String,
    /// Its weight in that book.
    pub weight: i64,
    /// How many lines of the book play it.
    pub lines: u32,
    /// How likely it is to be chosen, all books taken together, from 0 to 1.
    pub chance: f64,
    /// The file and line to look at.
    pub at: String,
    /// What its lines call the opening.
    pub note: Option<String>,
    /// Its learned weight factor in words; `chance` includes it.
    pub learned: Option<String>,
    /// Why it is not played, if it is not.
    pub why_not: Option<WhyNot>,
}

/// Why a known move is not played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyNot {
    /// A line has `xx` at it.
    Forbidden,
    /// Marks or a number make it weigh nothing.
    Weightless,
    /// A choice with `|` in the same position does not name it.
    LeftOut,
    /// A book named before this one is against it.
    Vetoed,
    /// Another move of the book is heavier, and only the heaviest is played.
    Lighter,
    /// The query excludes it.
    Unwanted,
    /// A book named before this one answers.
    Earlier,
    /// The personality leaves its books earlier in a game.
    Late,
    /// The headers of the book keep it for games of other speeds or levels.
    OtherGame,
}

impl WhyNot {
    /// The reason in words that go on from "not played: ".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Forbidden => "forbidden by xx",
            Self::Weightless => "its weight is 0 or less",
            Self::LeftOut => "the choice in this position leaves it out",
            Self::Vetoed => "a book before this one is against it",
            Self::Lighter => "only the heaviest move is played, and another is heavier",
            Self::Unwanted => "it is not wanted now",
            Self::Earlier => "a book before this one answers",
            Self::Late => "it has left its books by now",
            Self::OtherGame => "the book is for other speeds or levels",
        }
    }
}

impl Library {
    /// All that the books of a query say of its line's last position, book by book in their order, each in the order of
    /// its text. What has a chance is what [`choose`](Self::choose) draws from.
    #[must_use]
    pub fn explain(&self, query: &BookQuery<'_>) -> Vec<Explained> {
        let line = query.line;
        let (pos, key) = (line.position(), line.keys().last().copied());
        let choices = self.choices_for(query);
        let mut explained: Vec<Explained> = Vec::new();
        let (mut answered, mut earlier) = (false, Vec::new());
        for book in query.books.iter().filter_map(|name| self.book(name)) {
            if !book.head().fits(line.variant(), None, None) {
                continue;
            }
            let is_asked = book.head().fits(line.variant(), query.speed, query.level);
            let entries = book.entries_along(line.keys());
            let legal = entries.iter().filter(|entry| pos.is_legal(entry.mv));
            let mut says: Vec<Explained> = legal
                .map(|entry| Explained {
                    book: book.name().to_owned(),
                    mv: write_san(pos, entry.mv),
                    weight: entry.weight(),
                    lines: entry.lines,
                    chance: 0.0,
                    at: book.place(entry),
                    note: book.note(entry).map(str::to_owned),
                    learned: key
                        .and_then(|key| book.learned_weight(key, entry.mv))
                        .map(WeightFactor::words),
                    why_not: match () {
                        () if !is_asked => Some(WhyNot::OtherGame),
                        () => why_not(entry, query).or_else(|| forbidden(entry, query, answered, &earlier)),
                    },
                })
                .collect();
            for one in &mut says {
                let chance = choices
                    .iter()
                    .find(|choice| choice.at == one.at && write_san(pos, choice.mv) == one.mv);
                match chance {
                    Some(choice) if choice.chance > 0.0 && !answered => one.chance = choice.chance,
                    _ if answered => {
                        one.why_not.get_or_insert(WhyNot::Earlier);
                    }
                    _ => {
                        one.why_not.get_or_insert(WhyNot::Lighter);
                    }
                }
            }
            if is_asked {
                earlier.push(entries);
            }
            answered |= says.iter().any(|one| one.chance > 0.0);
            explained.append(&mut says);
        }
        explained
    }
}

fn why_not(entry: &Entry, query: &BookQuery<'_>) -> Option<WhyNot> {
    if entry.never {
        Some(WhyNot::Forbidden)
    } else if entry.is_unwanted() {
        Some(WhyNot::Weightless)
    } else if entry.left_out {
        Some(WhyNot::LeftOut)
    } else if !query.reaches(entry) {
        Some(WhyNot::Late)
    } else {
        None
    }
}

/// Why a move that this book would play is excluded: by an earlier book, or by the query.
fn forbidden(entry: &Entry, query: &BookQuery<'_>, answered: bool, earlier: &[&[Entry]]) -> Option<WhyNot> {
    let is_against = |entries: &&[Entry]| {
        let mut said = entries.iter();
        said.any(|other| other.mv == entry.mv && other.is_unwanted())
    };
    if query.without.contains(&entry.mv) {
        Some(WhyNot::Unwanted)
    } else if !answered && earlier.iter().any(is_against) {
        Some(WhyNot::Vetoed)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SelectionPolicy, parse};
    use sparring_chess::{GameHistory, Variant};

    #[test]
    fn each_move_has_its_chance_or_its_reason() {
        let read = |name, text| parse(name, text).0.unwrap();
        let library = Library::new(vec![
            read("own.book", "e4 c5xx\ne4 e6?"),
            read("main.book", "e4 c5 60 | e5 30 | c6 # three\ne4 e6\ne4 d5"),
            read("more.book", "e4 e5"),
        ]);
        let books: Vec<String> = ["own", "main", "nobody", "more"].map(str::to_owned).to_vec();
        let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4").unwrap();
        let shown: Vec<String> = library
            .explain(&BookQuery::new(&books, &line, 0))
            .iter()
            .map(|one| {
                let why = one.why_not.map_or("", WhyNot::words);
                format!(
                    "{} {} {} {:.0}% {why}",
                    one.at,
                    one.mv,
                    one.weight,
                    one.chance * 100.0
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "own.book:1 c5 100 0% forbidden by xx",
                "own.book:2 e6 0 0% its weight is 0 or less",
                "main.book:1 c5 60 0% a book before this one is against it",
                "main.book:1 e5 30 75% ",
                "main.book:1 c6 10 25% ",
                "main.book:2 e6 100 0% the choice in this position leaves it out",
                "main.book:3 d5 100 0% the choice in this position leaves it out",
                "more.book:1 e5 100 0% a book before this one answers",
            ]
        );
    }

    #[test]
    fn what_has_a_chance_is_what_is_drawn() {
        let library = Library::new(vec![parse("a.book", "e4 7 | d4 2 | c4 1").0.unwrap()]);
        let (books, line) = (["a".to_owned()], GameHistory::new(Variant::Standard));
        let query = BookQuery::new(&books, &line, 0);
        let total: f64 = library.explain(&query).iter().map(|one| one.chance).sum();
        assert!((total - 1.0).abs() < 1e-9);
    }

    #[test]
    fn speed_level_taste_and_how_far_books_are_followed_count() {
        let read = |name, text| parse(name, text).0.unwrap();
        let library = Library::new(vec![
            read("fast.book", "speeds: bullet\ne4 c5"),
            read("main.book", "e4 e5 70 | c6 30"),
        ]);
        let books = ["fast", "main"].map(str::to_owned);
        let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4").unwrap();
        let shown = |plies| -> Vec<String> {
            let query = BookQuery {
                speed: Some("blitz"),
                policy: SelectionPolicy::Best,
                plies,
                ..BookQuery::new(&books, &line, 0)
            };
            let show = |one: &Explained| {
                let why = one.why_not.map_or("", WhyNot::words);
                format!("{} {:.0}% {why}", one.mv, one.chance * 100.0)
            };
            library.explain(&query).iter().map(show).collect()
        };
        let other = "c5 0% the book is for other speeds or levels";
        let lighter = "c6 0% only the heaviest move is played, and another is heavier";
        assert_eq!(shown(None), [other, "e5 100% ", lighter]);
        let late = "0% it has left its books by now";
        assert_eq!(
            shown(Some(1)),
            [other.to_owned(), format!("e5 {late}"), format!("c6 {late}")]
        );
    }
}
