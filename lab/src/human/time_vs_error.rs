//! Correlation of think time and error. People do: hard positions take their time, and are lost all the same. A bot that
//! errs when it is quick and plays well after a long thought is no person.

use super::accuracy::percent;

/// Think times by their longest, in whole seconds.
const TIMES: [(f32, &str); 4] = [
    (1.0, "at most 1 s"),
    (4.0, "2 to 4 s"),
    (14.0, "5 to 14 s"),
    (f32::INFINITY, "15 s and more"),
];
/// Ratings by their highest.
const RATINGS: [(u32, &str); 4] = [
    (1199, "below 1200"),
    (1599, "1200 to 1599"),
    (1999, "1600 to 1999"),
    (u32::MAX, "from 2000"),
];
/// A move that loses more than so many points of winning chances is an error.
const ERROR: f32 = 20.0;

/// The mover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mover {
    /// The person of the game.
    Person,
    /// The level.
    Level,
}

/// How many moves were made after such a time, and how many of them were errors.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    moves: usize,
    errors: usize,
}

/// Errors by rating, mover and think time.
#[derive(Debug, Clone, Default)]
pub struct Hesitation {
    shares: [[[Share; TIMES.len()]; 2]; RATINGS.len()],
}

impl Hesitation {
    /// Counts a move with rating, seconds and loss.
    pub fn add(&mut self, rating: u32, mover: Mover, seconds: f32, loss: f32) {
        let rating = RATINGS.iter().position(|(highest, _)| rating <= *highest);
        let time = TIMES.iter().position(|(longest, _)| seconds.round() <= *longest);
        if let (Some(rating), Some(time)) = (rating, time) {
            let share = &mut self.shares[rating][mover as usize][time];
            share.moves += 1;
            share.errors += usize::from(loss > ERROR);
        }
    }

    /// The table as Markdown; empty without times.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::new();
        for ((_, rating), [people, level]) in RATINGS.iter().zip(&self.shares) {
            for (((_, time), people), level) in TIMES.iter().zip(people).zip(level) {
                if people.moves == 0 || level.moves == 0 {
                    continue;
                }
                if text.is_empty() {
                    text += "\nMoves that lose more than 20, by the time they took: people's by their clocks, the level's as its pace \
                             draws it for its own move on the same clocks.\n\n\
                             | ratings | think time | people's moves | of them errors % | the level's | of them errors % |\n\
                             |---|---|--:|--:|--:|--:|\n";
                }
                let errors = |share: &Share| percent(share.errors as f64, share.moves);
                text += &format!(
                    "| {rating} | {time} | {} | {:.1} | {} | {:.1} |\n",
                    people.moves,
                    errors(people),
                    level.moves,
                    errors(level)
                );
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_by_rating_mover_and_time() {
        let mut hesitation = Hesitation::default();
        assert_eq!(hesitation.table(), "");
        for (mover, seconds, loss) in [
            (Mover::Person, 1.0, 30.0),
            (Mover::Person, 0.0, 3.0),
            (Mover::Level, 1.4, 20.0),
            (Mover::Person, 16.0, 30.0),
            (Mover::Level, 14.6, 40.0),
        ] {
            hesitation.add(1250, mover, seconds, loss);
        }
        hesitation.add(2700, Mover::Person, 3.0, 0.0);
        let table = hesitation.table();
        let (_, rows) = table.split_once("--:|\n").unwrap();
        assert_eq!(
            rows,
            "| 1200 to 1599 | at most 1 s | 2 | 50.0 | 1 | 0.0 |\n| 1200 to 1599 | 15 s and more | 1 | 100.0 | 1 | 100.0 |\n"
        );
    }
}
