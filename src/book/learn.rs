//! What a book's moves scored in games, against what was to be expected; and weights that follow from that.

use std::collections::HashMap;

use crate::{
    chess::{Color, GameLine, Move, Variant, write_san, write_uci},
    units::Centipawns,
};

use super::{
    leans::Lean,
    library::Book,
    positions::Entry,
    reweigh::{number, reweigh},
    tree::moves_of,
};

/// A game against a move that scored so is as strong as so many real ones: few games say little.
const DOUBT: f64 = 8.0;

/// A weight changes by at most this factor at a time, up or down.
const BOLDEST: f64 = 2.0;

/// A game in which one side followed a book.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    /// The game.
    pub line: &'a GameLine,
    /// The side that followed the book.
    pub side: Color,
    /// What it scored, in half points: 0, 1 or 2.
    pub half_points: u32,
    /// What it was to score by the ratings, from 0 to 1; a half where they are not known.
    pub expected: f64,
    /// Where its moves came from, by how many half moves stand before them; what is beyond the end is not known.
    pub drawn: &'a [Drawn],
    /// What the position was worth to it where it left the book, if anybody looked; see [`Lessons::left`].
    pub verdict: Option<Centipawns>,
}

/// Where a move came from, as far as it was written down.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Drawn {
    /// Nobody knows: it counts for every book that has it.
    #[default]
    Unknown,
    /// From the book at hand.
    Here,
    /// From another book, or from no book.
    Elsewhere,
}

/// What a move of the book scored.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// The moves before it, as in `1. e4 e5`; empty at the start.
    pub after: String,
    /// The move, in SAN.
    pub mv: String,
    /// The file and line to look at.
    pub at: String,
    /// Games in which it was played.
    pub games: u32,
    /// Points scored in them.
    pub points: f64,
    /// Points that the ratings promised.
    pub expected: f64,
    /// What positions were worth on average where these games left the book, as far as anybody looked.
    pub verdict: Option<Centipawns>,
    /// Its weight now.
    pub weight: i64,
    /// What its weight would be; the same where nothing is to be changed.
    pub advised: i64,
    /// Whether it has a number, which [`Lessons::revise`] changes.
    pub has_number: bool,
}

impl Lesson {
    /// Points above or below what was to be expected.
    #[must_use]
    pub fn surplus(&self) -> f64 {
        self.points - self.expected
    }
}

/// Gathers the outcomes of games for one book.
#[derive(Debug)]
pub struct Lessons<'b> {
    book: &'b Book,
    /// By position and move, in the order met.
    order: Vec<(u64, Move)>,
    scores: HashMap<(u64, Move), Score>,
    games: usize,
}

#[derive(Debug, Clone)]
struct Score {
    after: String,
    san: String,
    games: u32,
    half_points: u32,
    expected: f64,
    /// The sum of all verdicts, and how many there are.
    verdicts: (i64, u32),
}

impl<'b> Lessons<'b> {
    /// No games yet.
    #[must_use]
    pub fn new(book: &'b Book) -> Self {
        Self {
            book,
            order: Vec::new(),
            scores: HashMap::new(),
            games: 0,
        }
    }

    /// How many games had at least one move of the book.
    #[must_use]
    pub fn games(&self) -> usize {
        self.games
    }

    /// Counts a game for the moves that its side drew from the book; where that is not known, for those that the book has,
    /// up to the first that it has not.
    pub fn add(&mut self, outcome: &Outcome<'_>) {
        let (found, _) = follow(self.book, outcome.line, outcome.side, outcome.drawn);
        self.games += usize::from(!found.is_empty());
        for Found { before, key, mv } in found {
            let score = self.scores.entry((key, mv)).or_insert_with(|| {
                self.order.push((key, mv));
                Score {
                    after: moves_of(&before),
                    san: write_san(before.position(), mv),
                    games: 0,
                    half_points: 0,
                    expected: 0.0,
                    verdicts: (0, 0),
                }
            });
            score.games += 1;
            score.half_points += outcome.half_points;
            score.expected += outcome.expected;
            if let Some(verdict) = outcome.verdict {
                score.verdicts.0 += i64::from(verdict.0);
                score.verdicts.1 += 1;
            }
        }
    }

    /// The book that is taught.
    #[must_use]
    pub fn book(&self) -> &'b Book {
        self.book
    }

    /// The first position of a game in which a side had to think for itself after its last move of the book; none where
    /// it played no move of the book, or the game ended before. `drawn` says where its moves came from, as in
    /// [`Outcome::drawn`].
    #[must_use]
    pub fn left(&self, line: &GameLine, side: Color, drawn: &[Drawn]) -> Option<GameLine> {
        let (found, left) = follow(self.book, line, side, drawn);
        left.filter(|_| !found.is_empty())
    }

    /// What was learned of moves with at least so many games, those that cost most points first.
    #[must_use]
    pub fn list(&self, least: u32) -> Vec<Lesson> {
        let met = self.order.iter().filter_map(|(key, mv)| {
            let score = self.scores.get(&(*key, *mv))?;
            let (entry, advised) = self.advice(*key, *mv, score)?;
            Some(Lesson {
                after: score.after.clone(),
                mv: score.san.clone(),
                at: self.book.place(&entry),
                games: score.games,
                points: f64::from(score.half_points) / 2.0,
                expected: score.expected,
                verdict: mean(score.verdicts),
                weight: entry.weight(),
                advised,
                has_number: entry.number.is_some(),
            })
        });
        let mut lessons: Vec<Lesson> = met.filter(|lesson| lesson.games >= least).collect();
        lessons.sort_by(|one, other| one.surplus().total_cmp(&other.surplus()));
        lessons
    }

    /// How weights lean that follow from at least so many games: the advice of [`list`](Self::list) as factors, for all
    /// moves that are played.
    #[must_use]
    pub fn leans(&self, least: u32) -> Vec<Lean> {
        let met = self.order.iter().filter_map(|(key, mv)| {
            let score = self
                .scores
                .get(&(*key, *mv))
                .filter(|score| score.games >= least)?;
            Some(Lean {
                key: *key,
                uci: write_uci(*mv, Variant::Standard),
                games: score.games,
                points: f64::from(score.half_points) / 2.0,
                expected: score.expected,
                permille: (1000.0 * factor(score)).round() as u32,
            })
        });
        met.collect()
    }

    /// The text of the book with the numbers that follow from at least so many games. Only moves that have a number or
    /// stand in a choice change; the others are for the owner to decide.
    #[must_use]
    pub fn revise(&self, least: u32) -> String {
        reweigh(self.book, &mut |key, mv, _| self.new_number(least, key, mv))
    }

    /// The same with numbers also for moves that have none: there the number is what weighs as advised together with the
    /// marks, where there is such a number.
    #[must_use]
    pub fn number(&self, least: u32) -> String {
        number(self.book, &mut |key, mv, _| self.new_number(least, key, mv))
    }

    fn new_number(&self, least: u32, key: u64, mv: Move) -> Option<u32> {
        let score = self.scores.get(&(key, mv)).filter(|score| score.games >= least)?;
        let (entry, advised) = self.advice(key, mv, score)?;
        if advised == entry.weight() {
            return None;
        }
        match entry.number {
            Some(number) => u32::try_from(advise(i64::from(number), score)).ok(),
            None => u32::try_from(advised - entry.marks).ok(),
        }
        .filter(|number| *number > 0)
    }

    /// What the book says of a move, and what it should weigh. Where it is the only one that is played, its weight does
    /// not matter.
    fn advice(&self, key: u64, mv: Move, score: &Score) -> Option<(Entry, i64)> {
        let entries = self.book.entries(key);
        let entry = entries.iter().find(|entry| entry.mv == mv)?;
        let is_alone = entries.iter().filter(|entry| entry.share() > 0).count() < 2;
        let advised = if is_alone {
            entry.weight()
        } else {
            advise(entry.weight(), score)
        };
        Some((entry.clone(), advised))
    }
}

/// A move of a book in a game.
struct Found {
    before: GameLine,
    key: u64,
    mv: Move,
}

/// The moves of a book that a side plays in a game, and the first position after them in which it moves without it.
fn follow(book: &Book, game: &GameLine, side: Color, drawn: &[Drawn]) -> (Vec<Found>, Option<GameLine>) {
    let (mut found, mut left) = (Vec::new(), None);
    if !book.head().fits(game.variant(), None, None) {
        return (found, None);
    }
    let mut line = GameLine::from_position(game.variant(), game.start().clone());
    for (ply, mv) in game.moves().iter().enumerate() {
        if line.turn() == side {
            let source = drawn.get(ply).copied().unwrap_or_default();
            let entries = book.entries_along(line.keys());
            let has_it = entries.iter().any(|entry| entry.mv == *mv);
            match line.keys().last() {
                Some(key) if has_it && source != Drawn::Elsewhere => {
                    found.push(Found {
                        before: line.clone(),
                        key: *key,
                        mv: *mv,
                    });
                    left = None;
                }
                _ => {
                    left.get_or_insert_with(|| line.clone());
                    // What comes later would count by chance alone.
                    if source == Drawn::Unknown {
                        break;
                    }
                }
            }
        }
        line.play(*mv);
    }
    (found, left)
}

fn mean((sum, count): (i64, u32)) -> Option<Centipawns> {
    let mean = (sum as f64 / f64::from(count)).round();
    (count > 0).then_some(Centipawns(mean as i32))
}

/// A weight after so many games: it grows with points above expectation and shrinks with points below, the more the
/// more games there are, and never to nothing.
fn advise(weight: i64, score: &Score) -> i64 {
    if weight <= 0 {
        return weight;
    }
    ((weight as f64 * factor(score)).round() as i64).max(1)
}

/// What a weight is multiplied by after so many games.
fn factor(score: &Score) -> f64 {
    let points = f64::from(score.half_points) / 2.0;
    let games = f64::from(score.games);
    let surplus = (points - score.expected) / (games + DOUBT);
    // Half a point a game more than promised doubles the weight.
    (2.0 * surplus).exp2().clamp(1.0 / BOLDEST, BOLDEST)
}

/// What a player rated so is to score against another, from 0 to 1, by the usual formula of Elo.
#[must_use]
pub fn expected_score(own: u32, other: u32) -> f64 {
    1.0 / (1.0 + 10_f64.powf((f64::from(other) - f64::from(own)) / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{Leans, Library, parse};
    use std::sync::Arc;

    fn taught<'b>(book: &'b Book, games: &[(&str, Color, u32, usize)]) -> Lessons<'b> {
        let mut lessons = Lessons::new(book);
        for (moves, side, half_points, times) in games {
            let line = GameLine::replay(Variant::Standard, "startpos", moves).unwrap();
            for _ in 0..*times {
                lessons.add(&Outcome {
                    line: &line,
                    side: *side,
                    half_points: *half_points,
                    expected: 0.5,
                    drawn: &[],
                    verdict: None,
                });
            }
        }
        lessons
    }

    #[test]
    fn moves_that_lose_come_first_and_should_weigh_less() {
        let book = parse("a.book", "1. e4 60 | d4 40  # mine\n1. e4 e5 2. Nf3\n")
            .0
            .unwrap();
        let games = [
            ("e2e4 e7e5 g1f3 b8c6 a2a3", Color::White, 0, 8),
            ("d2d4 d7d5", Color::White, 2, 8),
            ("c2c4", Color::White, 2, 8),
        ];
        let lessons = taught(&book, &games);
        assert_eq!(lessons.games(), 16);
        let shown: Vec<String> = lessons
            .list(1)
            .iter()
            .map(|one| {
                format!(
                    "{} [{}] {} {}/{} {} {}>{}",
                    one.after, one.mv, one.at, one.points, one.games, one.expected, one.weight, one.advised
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                " [e4] a.book:1 0/8 4 60>42",
                "1. e4 e5 [Nf3] a.book:2 0/8 4 100>100",
                " [d4] a.book:1 8/8 4 40>57",
            ]
        );
        assert_eq!(lessons.revise(1), "1. e4 42 | d4 57  # mine\n1. e4 e5 2. Nf3\n");
        assert_eq!(lessons.revise(9), book.text().as_str());
    }

    #[test]
    fn moves_without_a_number_are_advised_on_and_numbered_on_request() {
        let book = parse("a.book", "1. e4! e5\n1. e4 c5\n1. d4 7 Nf6\n").0.unwrap();
        let games = [
            ("e2e4 e7e5", Color::White, 0, 8),
            ("d2d4 g8f6", Color::White, 2, 8),
        ];
        let lessons = taught(&book, &games);
        let shown: Vec<(String, i64, i64, bool)> = lessons
            .list(1)
            .into_iter()
            .map(|one| (one.mv, one.weight, one.advised, one.has_number))
            .collect();
        assert_eq!(
            shown,
            [("e4".to_owned(), 300, 212, false), ("d4".to_owned(), 7, 10, true)]
        );
        assert_eq!(lessons.revise(1), "1. e4! e5\n1. e4 c5\n1. d4 10 Nf6\n");
        let numbered = lessons.number(1);
        assert_eq!(numbered, "1. e4! 112 e5\n1. e4 c5\n1. d4 10 Nf6\n");
        let again = parse("a.book", &numbered).0.unwrap();
        let start = GameLine::new(Variant::Standard);
        assert_eq!(again.entries(start.keys()[0])[0].weight(), 212);
    }

    #[test]
    fn only_the_side_that_followed_the_book_learns() {
        let book = parse("a.book", "1. e4 e5 50 | c5 50\n").0.unwrap();
        let lessons = taught(&book, &[("e2e4 c7c5", Color::Black, 2, 4)]);
        let list = lessons.list(1);
        assert_eq!(list.len(), 1);
        assert_eq!((list[0].mv.as_str(), list[0].after.as_str()), ("c5", "1. e4"));
        assert!(list[0].advised > 50);
    }

    #[test]
    fn a_book_leans_by_its_results_and_stands_upright_without_them() {
        let text = "1. e4 60 | d4 40\n1. e4 e5xx\n1. c4 e5\n";
        let book = parse("a.book", text).0.unwrap();
        let games = [
            ("e2e4 c7c5", Color::White, 0, 8),
            ("d2d4 d7d5", Color::White, 2, 8),
        ];
        let leans: Leans = taught(&book, &games).leans(4).into_iter().collect();
        assert_eq!(leans.len(), 2);
        assert!(taught(&book, &games).leans(9).is_empty());
        let chances = |book: &Book| -> Vec<String> {
            let library = Library::new(vec![book.clone()]);
            let choices = library.choices(&["a".to_owned()], &GameLine::new(Variant::Standard));
            let show = |choice: &crate::book::BookMove| {
                let lean = choice.lean.as_ref().map_or_else(String::new, Lean::words);
                format!(
                    "{} {:.3} {lean}",
                    write_uci(choice.mv, Variant::Standard),
                    choice.chance
                )
            };
            choices.iter().map(show).collect()
        };
        let upright = ["e2e4 0.600 ", "d2d4 0.400 ", "c2c4 0.000 "];
        assert_eq!(chances(&book), upright);
        let leaning = book.clone().leaning(leans.into());
        assert_eq!(
            chances(&leaning),
            [
                "d2d4 0.571 leans ×1.41 by 8 games: 8.0 points of 4.0",
                "e2e4 0.429 leans ×0.71 by 8 games: 0.0 points of 4.0",
                "c2c4 0.000 ",
            ]
        );
        assert_eq!(leaning.text().as_str(), text);
        assert_eq!(chances(&leaning.leaning(Arc::default())), upright);
    }

    #[test]
    fn no_score_makes_a_weight_vanish_or_explode() {
        let score = |half_points| Score {
            after: String::new(),
            san: String::new(),
            games: 100_000,
            half_points,
            expected: 50_000.0,
            verdicts: (0, 0),
        };
        assert_eq!(advise(100, &score(0)), 50);
        assert_eq!(advise(100, &score(200_000)), 200);
        assert_eq!(advise(1, &score(0)), 1);
        assert_eq!(advise(0, &score(200_000)), 0);
    }

    #[test]
    fn verdicts_are_of_the_first_position_without_a_book() {
        let book = parse("a.book", "1. e4 e5 2. Nf3\n1. d4\n").0.unwrap();
        let mut lessons = Lessons::new(&book);
        let game = |moves| GameLine::replay(Variant::Standard, "startpos", moves).unwrap();
        let long = game("e2e4 e7e5 g1f3 b8c6 a2a3 a7a6");
        let left = lessons.left(&long, Color::White, &[]).unwrap();
        assert_eq!(left.uci_moves(), "e2e4 e7e5 g1f3 b8c6");
        let black = lessons.left(&long, Color::Black, &[]).unwrap();
        assert_eq!(black.uci_moves(), "e2e4 e7e5 g1f3");
        assert!(
            lessons.left(&game("e2e4 e7e5 g1f3"), Color::White, &[]).is_none(),
            "still in the book"
        );
        assert!(
            lessons.left(&game("c2c4 e7e5"), Color::White, &[]).is_none(),
            "never in the book"
        );
        for (moves, verdict) in [
            ("d2d4 d7d5 a2a3", Some(-30)),
            ("d2d4 d7d6 a2a3", Some(-50)),
            ("d2d4", None),
        ] {
            lessons.add(&Outcome {
                line: &game(moves),
                side: Color::White,
                half_points: 1,
                expected: 0.5,
                drawn: &[],
                verdict: verdict.map(Centipawns),
            });
        }
        let list = lessons.list(1);
        assert_eq!((list[0].games, list[0].verdict), (3, Some(Centipawns(-40))));
    }

    #[test]
    fn only_moves_that_were_drawn_from_the_book_count_where_that_is_known() {
        use Drawn::{Elsewhere, Here, Unknown};
        let book = parse("a.book", "1. e4 e5 2. Nf3 Nc6 3. Bb5\n").0.unwrap();
        let game = GameLine::replay(
            Variant::Standard,
            "startpos",
            "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4",
        );
        let game = game.unwrap();
        let learned = |drawn: &[Drawn]| {
            let mut lessons = Lessons::new(&book);
            lessons.add(&Outcome {
                line: &game,
                side: Color::White,
                half_points: 2,
                expected: 0.5,
                drawn,
                verdict: None,
            });
            let mut moves: Vec<String> = lessons.list(1).into_iter().map(|one| one.mv).collect();
            moves.sort_unstable();
            let left = lessons.left(&game, Color::White, drawn);
            (moves.join(" "), left.map(|left| left.ply()))
        };
        assert_eq!(learned(&[]), ("Bb5 Nf3 e4".to_owned(), Some(6)));
        let engine = [Elsewhere; 7];
        assert_eq!(learned(&engine), (String::new(), None));
        // Another book answered first, and at last the engine.
        let mixed = [Elsewhere, Unknown, Here, Unknown, Here, Unknown, Elsewhere];
        assert_eq!(learned(&mixed), ("Bb5 Nf3".to_owned(), Some(6)));
    }

    #[test]
    fn equal_ratings_promise_half_a_point() {
        assert!((expected_score(1500, 1500) - 0.5).abs() < 1e-9);
        assert!((expected_score(1900, 1500) - 10.0 / 11.0).abs() < 1e-9);
    }
}
