//! When deepening further is not worth the time that a move may take.

use super::{
    Search,
    iterate::Iteration,
    score::{MATE, MATE_BOUND},
};
use crate::{chess::Square, units::Millis};

/// The least depth at which a recapture can be called the only sensible move.
const EASY_DEPTH: i32 = 8;

/// The share of the soft limit after which that is looked into, and the share that such a move gets.
const EASY_SHARE: f64 = 0.12;

/// The stability of a search under way, and what follows for its time.
#[derive(Debug)]
pub(super) struct Pace {
    soft: Option<Millis>,
    hard: Option<Millis>,
    mate: Option<u32>,
    /// Where the opponent captured with the last move.
    recapture: Option<Square>,
    /// For how many iterations the best move stayed the same.
    steady: u32,
    /// By how much the last iteration's score was below that of the one before.
    fall: i32,
    /// Whether the best move was looked at for being an easy one.
    asked: bool,
}

impl Pace {
    /// The pace of a search that has not begun.
    pub fn new(search: &Search) -> Self {
        let limits = &search.limits;
        let last = search.line.moves().last();
        Self {
            soft: limits.soft,
            hard: limits.hard,
            mate: limits.mate,
            recapture: last.filter(|mv| mv.is_capture()).map(|mv| mv.to()),
            steady: 0,
            fall: 0,
            asked: false,
        }
    }

    /// Notes a finished iteration: whether it kept the best move, and by how much its score fell.
    pub fn note(&mut self, kept: bool, fall: i32) {
        self.steady = if kept { self.steady + 1 } else { 0 };
        self.fall = fall;
    }

    /// Whether another iteration is not wanted, or would likely not finish in time.
    pub fn is_enough(&mut self, iteration: &mut Iteration<'_>, depth: i32) -> bool {
        let best = &iteration.moves[0];
        if let Some(mate) = self.mate {
            let bound = i32::try_from(mate).unwrap_or(MATE).saturating_mul(2);
            if best.worth() >= MATE_BOUND && MATE - best.worth() <= bound {
                return true;
            }
        }
        let Some(soft) = self.soft else {
            return false;
        };
        // One reply leaves nothing to think about, and a mate that is proven will not get shorter.
        let proven = best.worth().abs() >= MATE_BOUND && MATE - best.worth().abs() <= depth;
        if iteration.moves.len() == 1 || proven {
            return true;
        }
        let effort = best.nodes as f64 / iteration.searcher.watch.nodes().max(1) as f64;
        let mut share = patience(self.steady, effort, self.fall);
        if self.hard.is_none() {
            share = share.min(1.0);
        }
        let elapsed = iteration.searcher.watch.elapsed();
        elapsed > soft.scaled(share) || elapsed > soft.scaled(EASY_SHARE) && self.is_easy(iteration, depth)
    }

    /// Easy move: a recapture that has been best for long, with every other move far worse. Asked once a search.
    fn is_easy(&mut self, iteration: &mut Iteration<'_>, depth: i32) -> bool {
        let best = &iteration.moves[0];
        let recaptures = best.mv.is_capture() && self.recapture == Some(best.mv.to());
        if self.asked || !recaptures || depth < EASY_DEPTH || i64::from(self.steady) + 3 < i64::from(depth) {
            return false;
        }
        self.asked = true;
        let bar = best.worth() - iteration.searcher.params.easy_margin;
        iteration.others_stay_below(bar, depth / 2)
    }
}

/// The share of the soft limit to use: less when the best move has long been the same and took most of the nodes,
/// more when the score is falling. Between 0.4 and 1.6.
fn patience(steady: u32, effort: f64, fall: i32) -> f64 {
    let steadiness = 1.25 - 0.07 * f64::from(steady.min(8));
    let concentration = 1.5 - 0.8 * effort;
    let alarm = 1.0 + f64::from(fall.clamp(-20, 60)) / 120.0;
    (steadiness * concentration * alarm).clamp(0.4, 1.6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubt_takes_time_and_certainty_gives_it_back() {
        let usual = patience(3, 0.6, 0);
        assert!(patience(0, 0.6, 0) > usual && usual > patience(8, 0.6, 0));
        assert!(patience(3, 0.2, 0) > usual && usual > patience(3, 0.95, 0));
        assert!(patience(3, 0.6, 50) > usual && usual > patience(3, 0.6, -20));
        assert!((0.4..=1.6).contains(&patience(0, 0.0, 10_000)));
        assert!((0.4..=1.6).contains(&patience(u32::MAX, 1.0, -10_000)));
    }
}
