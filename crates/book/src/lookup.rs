//! Book look-up: the first book with a move answers; the move is drawn at random by weight.

use rand::{Rng as _, SeedableRng as _, rngs::ChaCha8Rng};

use sparring_chess::{GameHistory, Move, Rules as _};

use super::{
    book::Book, learned_weights::WeightFactor, library::Library, positions::Entry, sampling::SelectionPolicy,
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
    /// The factor of its weight that follows from results, if it has one; the chance has it in.
    pub learned: Option<WeightFactor>,
}

/// A query for a book move.
#[derive(Debug, Clone, Copy)]
pub struct BookQuery<'a> {
    /// Book names in order of priority. Unknown names are skipped.
    pub books: &'a [String],
    /// The game so far.
    pub line: &'a GameHistory,
    /// The speed of the game, as lichess writes it; books for other speeds are passed over.
    pub speed: Option<&'a str>,
    /// The level that plays, on the scale of lichess ratings; books for other levels are passed over.
    pub level: Option<u32>,
    /// How the move is drawn from the weights.
    pub policy: SelectionPolicy,
    /// Seed of the game: the same seed gives the same move in the same position.
    pub seed: u64,
    /// Moves to exclude.
    pub without: &'a [Move],
    /// How many half moves of the game are played from books; none for no limit. Lines below a `from:` that is not nearer
    /// to the start are no theory that one forgets, and played all the same.
    pub plies: Option<u32>,
}

impl<'a> BookQuery<'a> {
    /// A query by weight, without speed and level.
    #[must_use]
    pub fn new(books: &'a [String], line: &'a GameHistory, seed: u64) -> Self {
        Self {
            books,
            line,
            speed: None,
            level: None,
            policy: SelectionPolicy::ByWeight,
            seed,
            without: &[],
            plies: None,
        }
    }

    /// Whether a move is not too far into the game to be played.
    pub(super) fn reaches(&self, entry: &Entry) -> bool {
        self.plies.is_none_or(|plies| {
            let is_later = entry.start_ply > 0 && u32::from(entry.start_ply) >= plies;
            self.line.ply() < plies as usize || is_later
        })
    }
}

impl Library {
    /// A move by weight for the line's last position from the first of the named books that has one to play there: see
    /// [`choose`](Self::choose).
    #[must_use]
    pub fn pick(&self, books: &[String], line: &GameHistory, seed: u64) -> Option<BookMove> {
        self.choose(&BookQuery::new(books, line, seed))
    }

    /// A move for the line's last position from the first of the books that is for such a game and has one to play.
    ///
    /// What a book knows but does not want (`xx`, or a weight of 0 or less) is not played from the books named after it
    /// either.
    #[must_use]
    pub fn choose(&self, query: &BookQuery<'_>) -> Option<BookMove> {
        let found = self.find(*query)?;
        let mut rest = draw(found.total, query.seed, found.key);
        let chosen = found.playable().find(|entry| {
            let draw_weight = found.draw_weight(entry);
            let hit = rest < draw_weight;
            rest = rest.saturating_sub(draw_weight);
            hit
        })?;
        Some(found.describe(chosen))
    }

    /// All moves of the book that [`pick`](Self::pick) chooses from, with their chances, the likeliest first.
    /// Those that are never played come last with chance 0.
    #[must_use]
    pub fn choices(&self, books: &[String], line: &GameHistory) -> Vec<BookMove> {
        self.choices_for(&BookQuery::new(books, line, 0))
    }

    /// All moves of the book that [`choose`](Self::choose) would take its move from, in the same way.
    #[must_use]
    pub fn choices_for(&self, query: &BookQuery<'_>) -> Vec<BookMove> {
        let Some(found) = self.find(*query) else {
            return Vec::new();
        };
        let legal = found
            .entries
            .iter()
            .filter(|entry| query.line.position().is_legal(entry.mv));
        let mut moves: Vec<BookMove> = legal.map(|entry| found.describe(entry)).collect();
        moves.sort_by(|one, other| other.chance.total_cmp(&one.chance));
        moves
    }

    /// The moves that the query's books know in the line's last position and do not want (`xx`, or a weight of 0 or less). Nobody
    /// who is asked after them should play one.
    #[must_use]
    pub fn unwanted(&self, query: &BookQuery<'_>) -> Vec<Move> {
        let books = query.books.iter().filter_map(|name| self.book(name));
        books
            .filter(|book| is_for(book, query))
            .flat_map(|book| book.entries_along(query.line.keys()))
            .filter(|entry| entry.is_unwanted())
            .map(|entry| entry.mv)
            .collect()
    }

    fn find<'a>(&'a self, query: BookQuery<'a>) -> Option<Found<'a>> {
        let key = *query.line.keys().last()?;
        (0..query.books.len()).find_map(|index| {
            let (earlier, name) = (query.books.get(..index)?, query.books.get(index)?);
            let book = self.book(name)?;
            if !is_for(book, &query) {
                return None;
            }
            let mut found = Found {
                library: self,
                query,
                earlier,
                book,
                key,
                entries: book.entries_along(query.line.keys()),
                largest: 0,
                total: 0,
            };
            found.largest = found.playable().map(|entry| book.share(key, entry)).max()?;
            found.total = found.playable().map(|entry| found.draw_weight(entry)).sum();
            Some(found)
        })
    }
}

/// Whether a book is for such a game.
fn is_for(book: &Book, query: &BookQuery<'_>) -> bool {
    book.head().fits(query.line.variant(), query.speed, query.level)
}

/// A book that has a move to play.
struct Found<'a> {
    library: &'a Library,
    query: BookQuery<'a>,
    /// The books that were asked before, and had nothing to play.
    earlier: &'a [String],
    book: &'a Book,
    key: u64,
    entries: &'a [Entry],
    /// The largest share of a move that is played.
    largest: u64,
    /// The sum of all draw weights, above 0.
    total: u64,
}

impl Found<'_> {
    /// Legality is looked at again, because two positions may share a hash.
    fn playable(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| {
            let is_wanted = entry.share() > 0 && self.query.reaches(entry) && !self.is_vetoed(entry.mv);
            is_wanted && self.query.line.position().is_legal(entry.mv)
        })
    }

    /// A book that has nothing to play may still know what not to play.
    fn is_vetoed(&self, mv: Move) -> bool {
        let earlier = self.earlier.iter().filter_map(|name| self.library.book(name));
        self.query.without.contains(&mv)
            || earlier.filter(|book| is_for(book, &self.query)).any(|book| {
                let entries = book.entries_along(self.query.line.keys());
                entries.iter().any(|entry| entry.mv == mv && entry.is_unwanted())
            })
    }

    fn draw_weight(&self, entry: &Entry) -> u64 {
        self.query
            .policy
            .draw_weight(self.book.share(self.key, entry), self.largest)
    }

    fn describe(&self, entry: &Entry) -> BookMove {
        let draw_weight = if self.is_vetoed(entry.mv) || !self.query.reaches(entry) {
            0
        } else {
            self.draw_weight(entry)
        };
        BookMove {
            mv: entry.mv,
            weight: entry.weight(),
            chance: draw_weight as f64 / self.total as f64,
            at: self.book.place(entry),
            note: self.book.note(entry).map(str::to_owned),
            learned: self.book.learned_weight(self.key, entry.mv).cloned(),
        }
    }
}

/// A number below `total` that follows from seed and position alone, on every machine and in every release.
#[must_use]
pub fn draw(total: u64, seed: u64, key: u64) -> u64 {
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
    use crate::parse;
    use sparring_chess::{Variant, write_uci};

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

    fn after(moves: &str) -> GameHistory {
        GameHistory::replay(Variant::Standard, "startpos", moves).unwrap()
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
        let line = after("e2e4");
        let unwanted = library.unwanted(&BookQuery::new(&both, &line, 1));
        let unwanted = unwanted.iter().map(|mv| write_uci(*mv, Variant::Standard));
        assert_eq!(unwanted.collect::<Vec<_>>(), ["e7e5", "c7c6"]);
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
    fn a_book_for_orthodox_chess_is_for_no_other_rules() {
        let library = library(&[("a.book", "e4 e5")]);
        let a = names(&["a"]);
        assert_eq!(library.pick(&a, &GameHistory::new(Variant::Crazyhouse), 1), None);
        assert!(
            library
                .pick(&a, &GameHistory::new(Variant::FromPosition), 1)
                .is_some()
        );
    }

    #[test]
    fn castling_is_played_whatever_the_variant_calls_it() {
        let library = library(&[("a.book", "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O")]);
        let fen = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4";
        let line = GameHistory::replay(Variant::FromPosition, fen, "").unwrap();
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
    fn books_for_other_games_are_passed_over() {
        let library = library(&[
            ("fast.book", "speeds: bullet\nlevels: 1000-1500\ne4xx\nd4"),
            ("any.book", "e4"),
        ]);
        let (books, line) = (names(&["fast", "any"]), after(""));
        let first = |speed, level| {
            let query = BookQuery {
                speed,
                level,
                ..BookQuery::new(&books, &line, 1)
            };
            library.choose(&query).unwrap().at
        };
        assert_eq!(first(None, None), "fast.book:4");
        assert_eq!(first(Some("bullet"), Some(1200)), "fast.book:4");
        // Nor does such a book forbid anything.
        assert_eq!(first(Some("blitz"), Some(1200)), "any.book:1");
        assert_eq!(first(Some("bullet"), Some(2000)), "any.book:1");
    }

    #[test]
    fn books_end_after_so_many_half_moves_of_the_game() {
        let library = library(&[("a.book", "e4 e5 Nf3 Nc6")]);
        let books = names(&["a"]);
        let knows = |moves: &str| {
            let line = after(moves);
            let query = BookQuery {
                plies: Some(2),
                ..BookQuery::new(&books, &line, 1)
            };
            (
                library.choose(&query).is_some(),
                !library.choices_for(&query).is_empty(),
            )
        };
        assert_eq!(knows("e2e4"), (true, true));
        assert_eq!(knows("e2e4 e7e5"), (false, false));
    }

    #[test]
    fn lines_of_a_later_position_are_played_where_theory_has_ended() {
        let italian = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
        let text = |header: &str| format!("e4 e5 Nf3 Nc6 Bb5\n{header} {italian}\nBc4 Bc5 c3\n");
        let line = after("e2e4 e7e5 g1f3 b8c6");
        let books = names(&["a"]);
        let chances = |text: &str, plies: u32| -> Vec<String> {
            let library = library(&[("a.book", text)]);
            let query = BookQuery {
                plies: Some(plies),
                ..BookQuery::new(&books, &line, 1)
            };
            shown(&library.choices_for(&query))
        };
        let from = text("from:");
        assert_eq!(chances(&from, 5), ["f1b5 50% a.book:1", "f1c4 50% a.book:3"]);
        assert_eq!(chances(&from, 4), ["f1c4 100% a.book:3", "f1b5 0% a.book:1"]);
        assert_eq!(chances(&from, 2), ["f1c4 100% a.book:3", "f1b5 0% a.book:1"]);
        // The block begins before a limit of five half moves, so its later moves are theory like any other.
        let library = library(&[("a.book", &from)]);
        let later = after("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5");
        let query = BookQuery {
            plies: Some(5),
            ..BookQuery::new(&books, &later, 1)
        };
        assert_eq!(library.choose(&query), None);
        // Other programs' blocks give every position of a book.
        assert_eq!(chances(&text("pos"), 4), [""; 0]);
    }

    #[test]
    fn unwanted_moves_leave_the_others_and_then_the_next_book() {
        let library = library(&[("a.book", "e4 90 | d4 10"), ("b.book", "c4")]);
        let (books, line) = (names(&["a", "b"]), after(""));
        let mut without = Vec::new();
        let mut played = Vec::new();
        while let Some(found) = library.choose(&BookQuery {
            without: &without,
            ..BookQuery::new(&books, &line, 3)
        }) {
            played.push(found.at);
            without.push(found.mv);
        }
        assert_eq!(played, ["a.book:1", "a.book:1", "b.book:1"]);
    }

    #[test]
    fn other_rules_have_their_own_books() {
        let library = library(&[("boom.book", "variant: atomic\nNf3 f6"), ("plain.book", "e4")]);
        let books = names(&["boom", "plain"]);
        let atomic = GameHistory::new(Variant::Atomic);
        assert_eq!(library.pick(&books, &atomic, 1).unwrap().at, "boom.book:2");
        assert_eq!(library.pick(&books, &after(""), 1).unwrap().at, "plain.book:1");
    }
}
