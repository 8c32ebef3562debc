//! The choice of a move: which of several books answers, and by chance in proportion to the weights.

use rand::{Rng as _, SeedableRng as _, rngs::ChaCha8Rng};

use crate::chess::{GameLine, Move, Position, Rules as _};

use super::{
    library::{Book, Library},
    positions::Entry,
};

/// A move that a book proposes.
#[derive(Debug, Clone, PartialEq)]
pub struct BookMove {
    /// The move, legal in the position that was asked for.
    pub mv: Move,
    /// Its weight against the others; nothing above 0 if it is never played.
    pub weight: i64,
    /// How likely it is to be chosen, from 0 to 1.
    pub chance: f64,
    /// The file and line to look at, as in `books/starter.book:41`.
    pub at: String,
    /// What the comments of its lines call the opening.
    pub note: Option<String>,
}

impl Library {
    /// A move for the line's last position from the first of the named books that has one to play there.
    ///
    /// The same seed gives the same move in the same position. What a book knows but does not want (`xx`, or
    /// a weight of 0 or less) is not played from the books named after it either. Names of books that are not
    /// there are passed over. Only variants with orthodox rules have books.
    #[must_use]
    pub fn pick(&self, books: &[String], line: &GameLine, seed: u64) -> Option<BookMove> {
        let found = self.find(books, line)?;
        let mut rest = draw(found.total, seed, found.key);
        let chosen = found.playable().find(|entry| {
            let share = entry.share();
            let hit = rest < share;
            rest = rest.saturating_sub(share);
            hit
        })?;
        Some(found.describe(chosen))
    }

    /// All moves of the book that [`pick`](Self::pick) chooses from, with their chances, the likeliest first.
    /// Those that are never played come last with chance 0.
    #[must_use]
    pub fn choices(&self, books: &[String], line: &GameLine) -> Vec<BookMove> {
        let Some(found) = self.find(books, line) else {
            return Vec::new();
        };
        let legal = found.entries.iter().filter(|entry| found.pos.is_legal(entry.mv));
        let mut moves: Vec<BookMove> = legal.map(|entry| found.describe(entry)).collect();
        moves.sort_by(|one, other| other.chance.total_cmp(&one.chance));
        moves
    }

    fn find<'a>(&'a self, books: &'a [String], line: &'a GameLine) -> Option<Found<'a>> {
        if !line.variant().is_orthodox() {
            return None;
        }
        let key = *line.keys().last()?;
        (0..books.len()).find_map(|index| {
            let (earlier, name) = (books.get(..index)?, books.get(index)?);
            let book = self.book(name)?;
            let mut found = Found {
                library: self,
                earlier,
                book,
                key,
                pos: line.position(),
                entries: book.entries(key),
                total: 0,
            };
            found.total = found.playable().map(Entry::share).sum();
            (found.total > 0).then_some(found)
        })
    }
}

/// A book that has a move to play.
struct Found<'a> {
    library: &'a Library,
    /// The books that were asked before, and had nothing to play.
    earlier: &'a [String],
    book: &'a Book,
    key: u64,
    pos: &'a Position,
    entries: &'a [Entry],
    /// The sum of all shares, above 0.
    total: u64,
}

impl Found<'_> {
    /// Legality is looked at again, because two positions may share a hash.
    fn playable(&self) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .filter(|entry| entry.share() > 0 && !self.is_vetoed(entry.mv) && self.pos.is_legal(entry.mv))
    }

    /// A book that has nothing to play may still know what not to play.
    fn is_vetoed(&self, mv: Move) -> bool {
        let earlier = self.earlier.iter().filter_map(|name| self.library.book(name));
        earlier
            .flat_map(|book| book.entries(self.key))
            .any(|entry| entry.mv == mv && entry.is_unwanted())
    }

    fn describe(&self, entry: &Entry) -> BookMove {
        let share = if self.is_vetoed(entry.mv) {
            0
        } else {
            entry.share()
        };
        BookMove {
            mv: entry.mv,
            weight: entry.weight(),
            chance: share as f64 / self.total as f64,
            at: self.book.place(entry),
            note: self.book.note(entry).map(str::to_owned),
        }
    }
}

/// A number below `total` that follows from seed and position alone, on every machine and in every release.
fn draw(total: u64, seed: u64, key: u64) -> u64 {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&key.to_le_bytes());
    let number = ChaCha8Rng::from_seed(bytes).next_u64();
    // The high half of the product is uniform to within total / 2^64.
    ((u128::from(number) * u128::from(total)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        book::parse,
        chess::{Variant, write_uci},
    };

    fn library(books: &[(&str, &str)]) -> Library {
        let parsed = books.iter().map(|(name, text)| {
            let (book, findings) = parse(name, text);
            assert_eq!(findings.to_string(), "");
            book.unwrap()
        });
        Library::new(parsed.collect())
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn after(moves: &str) -> GameLine {
        GameLine::replay(Variant::Standard, "startpos", moves).unwrap()
    }

    fn shown(choices: &[BookMove]) -> Vec<String> {
        let show = |choice: &BookMove| {
            let uci = write_uci(choice.mv, Variant::Standard);
            format!("{uci} {:.0}% {}", choice.chance * 100.0, choice.at)
        };
        choices.iter().map(show).collect()
    }

    #[test]
    fn the_first_book_that_knows_the_position_answers() {
        let library = library(&[("a.book", "e4 e5"), ("b.book", "e4 c5 Nf3\nd4 d5")]);
        assert_eq!(library.names().collect::<Vec<_>>(), ["a", "b"]);
        let both = names(&["nobody", "a", "b"]);
        assert_eq!(shown(&library.choices(&both, &after(""))), ["e2e4 100% a.book:1"]);
        assert_eq!(
            shown(&library.choices(&both, &after("d2d4"))),
            ["d7d5 100% b.book:2"]
        );
        assert_eq!(library.pick(&both, &after("a2a3"), 1), None);
        assert_eq!(library.pick(&[], &after(""), 1), None);
        assert_eq!(Library::empty().pick(&both, &after(""), 1), None);
    }

    #[test]
    fn what_a_book_does_not_want_no_later_book_plays() {
        let library = library(&[
            ("mine.book", "e4 e5xx\ne4 c6??"),
            ("main.book", "e4 e5\ne4 c6\ne4 c5"),
        ]);
        let both = names(&["mine", "main"]);
        assert_eq!(
            shown(&library.choices(&both, &after("e2e4"))),
            [
                "c7c5 100% main.book:3",
                "e7e5 0% main.book:1",
                "c7c6 0% main.book:2"
            ]
        );
        for seed in 0..50 {
            assert_eq!(
                write_uci(
                    library.pick(&both, &after("e2e4"), seed).unwrap().mv,
                    Variant::Standard
                ),
                "c7c5"
            );
        }
        assert_eq!(library.pick(&names(&["mine"]), &after("e2e4"), 1), None);
    }

    #[test]
    fn a_forbidden_move_stays_forbidden_whatever_it_weighs() {
        let library = library(&[("a.book", "e4!!\ne4 500\ne4xx\nd4")]);
        let choices = library.choices(&names(&["a"]), &after(""));
        assert_eq!(shown(&choices), ["d2d4 100% a.book:4", "e2e4 0% a.book:2"]);
        assert_eq!(choices[1].weight, 5500);
    }

    #[test]
    fn a_choice_says_all_that_is_played_in_its_position() {
        let library = library(&[(
            "a.book",
            "e4 e5 60 | c5\ne4 d5 exd5 Qxd5 Nc3\nd4 d5xx | f5xx\nd4 Nf6",
        )]);
        let a = names(&["a"]);
        assert_eq!(
            shown(&library.choices(&a, &after("e2e4"))),
            ["e7e5 60% a.book:1", "c7c5 40% a.book:1", "d7d5 0% a.book:2"]
        );
        // What the choice leaves out is still answered.
        assert_eq!(
            shown(&library.choices(&a, &after("e2e4 d7d5"))),
            ["e4d5 100% a.book:2"]
        );
        // A choice of forbidden moves leaves the others in play.
        assert_eq!(library.choices(&a, &after("d2d4"))[0].chance, 1.0);
    }

    #[test]
    fn a_note_is_what_the_names_of_all_its_lines_share() {
        let text = "e4 e5 Nf3 Nc6 Bb5 Nf6 # Ruy Lopez, Berlin\ne4 e5 Nf3 Nc6 Bb5 a6 # Ruy Lopez, Morphy\ne4 e5 f4 # Gambit";
        let library = library(&[("a.book", text)]);
        let note = |moves: &str| library.choices(&names(&["a"]), &after(moves))[0].note.clone();
        assert_eq!(note("e2e4 e7e5"), Some("Ruy Lopez".to_owned()));
        assert_eq!(
            note("e2e4 e7e5 g1f3 b8c6 f1b5"),
            Some("Ruy Lopez, Berlin".to_owned())
        );
        assert_eq!(note(""), None);
    }

    #[test]
    fn other_rules_have_no_book() {
        let library = library(&[("a.book", "e4 e5")]);
        let a = names(&["a"]);
        assert_eq!(library.pick(&a, &GameLine::new(Variant::Crazyhouse), 1), None);
        assert!(
            library
                .pick(&a, &GameLine::new(Variant::FromPosition), 1)
                .is_some()
        );
    }

    #[test]
    fn castling_is_played_whatever_the_variant_calls_it() {
        let library = library(&[("a.book", "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O")]);
        let fen = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4";
        let line = GameLine::replay(Variant::FromPosition, fen, "").unwrap();
        assert!(library.pick(&names(&["a"]), &line, 3).unwrap().mv.is_castle());
    }

    #[test]
    fn the_same_seed_gives_the_same_move_for_ever() {
        let library = library(&[("a.book", "e4 | d4 | c4 | Nf3")]);
        let first: Vec<String> = (0..8)
            .map(|seed| library.pick(&names(&["a"]), &after(""), seed).unwrap())
            .map(|found| write_uci(found.mv, Variant::Standard))
            .collect();
        // Recorded when it was written: other values would change every seeded game.
        assert_eq!(
            first,
            ["e2e4", "c2c4", "g1f3", "e2e4", "e2e4", "c2c4", "d2d4", "g1f3"]
        );
    }

    #[test]
    fn frequencies_follow_the_weights() {
        let library = library(&[("a.book", "e4 50 | d4 30 | c4 15 | Nf3 5")]);
        let (books, line) = (names(&["a"]), after(""));
        let choices = library.choices(&books, &line);
        const DRAWS: u64 = 20_000;
        let mut counts = vec![0.0; choices.len()];
        for seed in 0..DRAWS {
            let found = library.pick(&books, &line, seed).unwrap();
            counts[choices.iter().position(|choice| choice.mv == found.mv).unwrap()] += 1.0;
        }
        let chi_square: f64 = choices
            .iter()
            .zip(&counts)
            .map(|(choice, count)| {
                let expected = choice.chance * DRAWS as f64;
                (count - expected) * (count - expected) / expected
            })
            .sum();
        // With three degrees of freedom a fair draw exceeds this once in a thousand; the seeds are fixed.
        assert!(chi_square < 16.27, "{chi_square} {counts:?}");
    }
}
