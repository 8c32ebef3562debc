//! Soft time limit: whether another iteration is worth its time.

use super::{
    params::Params,
    score::{MATE, MATE_BOUND},
    search_request::SearchRequest,
};
use sparring_chess::{Move, Square, units::Millis};

/// What the last finished iteration says about the time that another one is worth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Progress {
    /// Its depth.
    pub depth: i32,
    /// The best move and its score for the side to move.
    pub mv: Move,
    pub score: i32,
    /// The share of all nodes that was spent below the best move, from 0 to 1.
    pub effort: f64,
    /// No other root move can be the answer.
    pub is_forced: bool,
    /// Time since the start of the search.
    pub elapsed: Millis,
}

/// How stable the best move of a running search is, and how much of its soft limit it therefore gets.
#[derive(Debug)]
pub(super) struct StabilityScale {
    soft: Option<Millis>,
    hard: Option<Millis>,
    mate: Option<u32>,
    /// Where the opponent captured with the last move.
    recapture: Option<Square>,
    /// For how many plies of depth the best move stayed the same.
    steady: u32,
    /// By how much the last iteration's score was below that of the one before.
    fall: i32,
    /// The best move was tested for being an easy one.
    easy_tested: bool,
}

impl StabilityScale {
    /// The scale of a search that has not begun.
    pub fn new(search: &SearchRequest) -> Self {
        let limits = &search.limits;
        let last = search.line.moves().last();
        Self {
            soft: limits.soft,
            hard: limits.hard,
            mate: limits.mate,
            recapture: last.filter(|mv| mv.is_capture()).map(|mv| mv.to()),
            steady: 0,
            fall: 0,
            easy_tested: false,
        }
    }

    /// Records a finished iteration: whether it kept the best move, by how many plies it was deeper than the last, and by
    /// how much its score fell.
    pub fn record(&mut self, kept: bool, deeper: i32, fall: i32) {
        let deeper = u32::try_from(deeper).unwrap_or(0);
        self.steady = if kept { self.steady + deeper } else { 0 };
        self.fall = fall;
    }

    /// Whether to begin no other iteration: the mate is found, no choice is left, or it would likely not finish in time.
    ///
    /// `others_stay_below(bar, depth)` searches all root moves but the best; asked once a search at most.
    pub fn is_enough(
        &mut self,
        params: &Params,
        last: &Progress,
        others_stay_below: impl FnOnce(i32, i32) -> bool,
    ) -> bool {
        if let Some(mate) = self.mate {
            let bound = i32::try_from(mate).unwrap_or(MATE).saturating_mul(2);
            // Being mated is an answer too, and no deeper search will find a mate of one's own.
            let distance = MATE - last.score.abs();
            if distance <= MATE - MATE_BOUND && distance <= bound {
                return true;
            }
        }
        let Some(soft) = self.soft else {
            return false;
        };
        // A single reply needs no thought, and a proven mate will not get shorter.
        let proven = last.score.abs() >= MATE_BOUND && MATE - last.score.abs() <= last.depth;
        if proven || last.is_forced {
            return true;
        }
        let mut share = time_share(params, self.steady, last.effort, self.fall);
        if self.hard.is_none() {
            share = share.min(1.0);
        }
        last.elapsed > soft.scaled(share)
            || last.elapsed > soft.scaled(percent(params.easy_share))
                && self.is_easy(params, last, others_stay_below)
    }

    /// Easy move: a recapture that has been best for long, with every other move far worse. Tested once a search.
    fn is_easy(
        &mut self,
        params: &Params,
        last: &Progress,
        others_stay_below: impl FnOnce(i32, i32) -> bool,
    ) -> bool {
        let recaptures = last.mv.is_capture() && self.recapture == Some(last.mv.to());
        let settled = i64::from(self.steady) + i64::from(params.easy_settle) >= i64::from(last.depth);
        if self.easy_tested || !recaptures || last.depth < params.easy_depth || !settled {
            return false;
        }
        self.easy_tested = true;
        others_stay_below(last.score - params.easy_margin, last.depth / 2)
    }
}

/// The share of the soft limit to use: less when the best move has long been the same and took most of the nodes,
/// more when the score is falling.
fn time_share(params: &Params, steady: u32, effort: f64, fall: i32) -> f64 {
    let steady = i32::try_from(steady)
        .unwrap_or(i32::MAX)
        .min(params.time_steady_most);
    let fall = fall.clamp(-params.time_rise_most, params.time_fall_most);
    let steadiness = percent(params.time_doubt) - percent(params.time_steady) * f64::from(steady);
    let concentration = percent(params.time_scattered) - percent(params.time_effort) * effort;
    let alarm = 1.0 + f64::from(fall) / f64::from(params.time_fall);
    // Far out both of the first may be negative, and must not make up for each other.
    let share = steadiness.max(0.0) * concentration.max(0.0) * alarm;
    share.clamp(percent(params.time_least), percent(params.time_most))
}

fn percent(number: i32) -> f64 {
    f64::from(number) / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubt_takes_time_and_certainty_gives_it_back() {
        let time_share = |steady, effort, fall| time_share(&Params::default(), steady, effort, fall);
        let usual = time_share(3, 0.6, 0);
        assert!(time_share(0, 0.6, 0) > usual && usual > time_share(8, 0.6, 0));
        assert!(time_share(3, 0.2, 0) > usual && usual > time_share(3, 0.95, 0));
        assert!(time_share(3, 0.6, 50) > usual && usual > time_share(3, 0.6, -20));
        assert!((0.4..=1.6).contains(&time_share(0, 0.0, 10_000)));
        assert!((0.4..=1.6).contains(&time_share(u32::MAX, 1.0, -10_000)));
    }

    #[test]
    fn every_time_parameter_counts_and_none_breaks_the_share() {
        let situations = [
            (0, 0.0, 0),
            (1, 0.9, 0),
            (3, 0.6, 30),
            (9, 0.95, -10),
            (3, 0.5, -100),
            (8, 0.9, 100),
            (1, 0.6, 100),
            (0, 0.1, 100),
            (9, 1.0, -100),
        ];
        let shares_of = |params: &Params| {
            situations.map(|(steady, effort, fall)| time_share(params, steady, effort, fall))
        };
        let planned = [
            "time_horizon",
            "time_soft",
            "time_hard",
            "time_clock",
            "time_last",
        ];
        for param in Params::LIST {
            if !param.name.starts_with("time_") || planned.contains(&param.name) {
                continue;
            }
            let shares = [param.min, param.max].map(|value| {
                let mut params = Params::default();
                params.set(param.name, value).unwrap();
                shares_of(&params)
            });
            let usual = shares_of(&Params::default());
            assert!(shares.iter().any(|share| *share != usual), "{}", param.name);
            let is_sane = |share: &f64| (0.1..=4.0).contains(share);
            assert!(shares.as_flattened().iter().all(is_sane), "{}", param.name);
        }
    }
}
