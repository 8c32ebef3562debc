//! Learns from results: the score of each book move against its expected score, and the weights that follow.

mod follow;
mod score;

use std::collections::HashMap;

pub use follow::MoveOrigin;
pub use score::expected_score;

use sparring_chess::{Color, GameHistory, Move, units::Centipawns, write_san};

use super::{
    annotation::MAX_WEIGHT,
    book::Book,
    learned_weights::{WeightFactor, uci},
    positions::Entry,
    rewrite_weights::{number, rewrite_weights},
    tree_view::moves_of,
};
use follow::{BookHit, follow};
use score::Score;

/// A game in which one side followed a book.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    /// The game.
    pub line: &'a GameHistory,
    /// The side that followed the book.
    pub side: Color,
    /// What it scored, in half points: 0, 1 or 2.
    pub half_points: u32,
    /// What it was to score by the ratings, from 0 to 1; a half where they are not known.
    pub expected: f64,
    /// Where its moves came from, by how many half moves stand before them; what is beyond the end is not known.
    pub drawn: &'a [MoveOrigin],
    /// What the position was worth to it where it left the book, if anybody looked; see [`LearnReport::left`].
    pub verdict: Option<Centipawns>,
}

/// What a move of the book scored.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveStats {
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
    /// Whether it has a number or stands in a choice, so that [`LearnReport::revise`] changes it.
    pub is_revised: bool,
}

impl MoveStats {
    /// Points above or below what was to be expected.
    #[must_use]
    pub fn surplus(&self) -> f64 {
        self.points - self.expected
    }
}

/// Gathers the outcomes of games for one book.
#[derive(Debug)]
pub struct LearnReport<'b> {
    book: &'b Book,
    /// By position and move, in the order met.
    order: Vec<(u64, Move)>,
    met: HashMap<(u64, Move), BookMoveStats>,
    games: usize,
}

/// A move of the book that games had.
#[derive(Debug)]
struct BookMoveStats {
    /// The moves before it, where it was met first.
    after: String,
    san: String,
    score: Score,
}

impl<'b> LearnReport<'b> {
    /// No games yet.
    #[must_use]
    pub fn new(book: &'b Book) -> Self {
        Self {
            book,
            order: Vec::new(),
            met: HashMap::new(),
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
        for BookHit { before, key, mv } in found {
            let met = self.met.entry((key, mv)).or_insert_with(|| {
                self.order.push((key, mv));
                BookMoveStats {
                    after: moves_of(&before),
                    san: write_san(before.position(), mv),
                    score: Score::default(),
                }
            });
            met.score.add(outcome);
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
    pub fn left(&self, line: &GameHistory, side: Color, drawn: &[MoveOrigin]) -> Option<GameHistory> {
        let (found, left) = follow(self.book, line, side, drawn);
        left.filter(|_| !found.is_empty())
    }

    /// What was learned of moves with at least so many games, those that cost most points first.
    #[must_use]
    pub fn list(&self, least: u32) -> Vec<MoveStats> {
        let met = self.order.iter().filter_map(|(key, mv)| {
            let BookMoveStats { after, san, score } = self.met.get(&(*key, *mv))?;
            let (entry, advised) = self.advice(*key, *mv, score)?;
            Some(MoveStats {
                after: after.clone(),
                mv: san.clone(),
                at: self.book.place(&entry),
                games: score.games,
                points: score.points(),
                expected: score.expected,
                verdict: score.verdict(),
                weight: entry.weight(),
                advised,
                is_revised: entry.number.is_some() || entry.chosen,
            })
        });
        let mut lessons: Vec<MoveStats> = met.filter(|lesson| lesson.games >= least).collect();
        lessons.sort_by(|one, other| one.surplus().total_cmp(&other.surplus()));
        lessons
    }

    /// How weights lean that follow from at least so many games: the advice of [`list`](Self::list) as factors, for all
    /// moves that are played.
    #[must_use]
    pub fn weight_factors(&self, least: u32) -> Vec<WeightFactor> {
        let met = self.order.iter().filter_map(|(key, mv)| {
            let score = self.score(*key, *mv, least)?;
            Some(WeightFactor {
                key: *key,
                uci: uci(*mv),
                games: score.games,
                points: score.points(),
                expected: score.expected,
                permille: (1000.0 * score.factor()).round() as u32,
            })
        });
        met.collect()
    }

    /// The text of the book with the numbers that follow from at least so many games. Only moves that have a number or
    /// stand in a choice change; the others are for the owner to decide.
    #[must_use]
    pub fn revise(&self, least: u32) -> String {
        rewrite_weights(self.book, &mut |key, mv, _| self.new_number(least, key, mv))
    }

    /// The same with numbers also for moves that have none: there the number is what weighs as advised together with the
    /// marks, where there is such a number.
    #[must_use]
    pub fn number(&self, least: u32) -> String {
        number(self.book, &mut |key, mv, _| self.new_number(least, key, mv))
    }

    /// What a move scored in at least so many games.
    fn score(&self, key: u64, mv: Move, least: u32) -> Option<&Score> {
        let met = self.met.get(&(key, mv))?;
        Some(&met.score).filter(|score| score.games >= least)
    }

    fn new_number(&self, least: u32, key: u64, mv: Move) -> Option<u32> {
        let score = self.score(key, mv, least)?;
        let (entry, advised) = self.advice(key, mv, score)?;
        if advised == entry.weight() {
            return None;
        }
        u32::try_from(advised - entry.marks).ok()
    }

    /// What the book says of a move, and what it should weigh, as far as a number beside its marks can say that. Where it
    /// is the only one that is played, its weight does not matter, and what is not wanted stays so.
    fn advice(&self, key: u64, mv: Move, score: &Score) -> Option<(Entry, i64)> {
        let entries = self.book.entries(key);
        let entry = entries.iter().find(|entry| entry.mv == mv)?;
        let is_alone = entries.iter().filter(|entry| entry.share() > 0).count() < 2;
        let advised = if is_alone || entry.is_unwanted() {
            entry.weight()
        } else {
            // Marks count on top of any number, and a number of 0 would forbid the move.
            let number = score.advise(entry.weight()) - entry.marks;
            number.clamp(1, i64::from(MAX_WEIGHT)) + entry.marks
        };
        Some((entry.clone(), advised))
    }
}

#[cfg(test)]
mod tests;
