//! Soft time limit: whether another iteration is worth its time.

use super::{
    SearchRequest,
    iterative_deepening::Iteration,
    params::Params,
    score::{MATE, MATE_BOUND},
};
use sparring_chess::{Square, units::Millis};

/// The stability of a search under way, and what follows for its time.
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
    /// Whether the best move was looked at for being an easy one.
    asked: bool,
}

impl StabilityScale {
    /// The pace of a search that has not begun.
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
            asked: false,
        }
    }

    /// Notes a finished iteration: whether it kept the best move, by how many plies it was deeper than the last, and by how
    /// much its score fell.
    pub fn note(&mut self, kept: bool, deeper: i32, fall: i32) {
        let deeper = u32::try_from(deeper).unwrap_or(0);
        self.steady = if kept { self.steady + deeper } else { 0 };
        self.fall = fall;
    }

    /// Whether another iteration is not wanted, or would likely not finish in time.
    pub fn is_enough(&mut self, iteration: &mut Iteration<'_>, depth: i32) -> bool {
        let best = &iteration.moves[0];
        if let Some(mate) = self.mate {
            let bound = i32::try_from(mate).unwrap_or(MATE).saturating_mul(2);
            // Being mated is an answer too, and no deeper search will find a mate of one's own.
            let distance = MATE - best.worth().abs();
            if distance <= MATE - MATE_BOUND && distance <= bound {
                return true;
            }
        }
        let Some(soft) = self.soft else {
            return false;
        };
        // One reply leaves nothing to think about, and a mate that is proven will not get shorter.
        let proven = best.worth().abs() >= MATE_BOUND && MATE - best.worth().abs() <= depth;
        if proven || iteration.has_no_choice() {
            return true;
        }
        let effort = best.nodes as f64 / iteration.searcher.watch.nodes().max(1) as f64;
        let params = iteration.searcher.params;
        let mut share = patience(params, self.steady, effort, self.fall);
        if self.hard.is_none() {
            share = share.min(1.0);
        }
        let elapsed = iteration.searcher.watch.elapsed();
        elapsed > soft.scaled(share)
            || elapsed > soft.scaled(percent(params.easy_share)) && self.is_easy(iteration, depth)
    }

    /// Easy move: a recapture that has been best for long, with every other move far worse. Asked once a search.
    fn is_easy(&mut self, iteration: &mut Iteration<'_>, depth: i32) -> bool {
        let best = &iteration.moves[0];
        let params = iteration.searcher.params;
        let recaptures = best.mv.is_capture() && self.recapture == Some(best.mv.to());
        let settled = i64::from(self.steady) + i64::from(params.easy_settle) >= i64::from(depth);
        if self.asked || !recaptures || depth < params.easy_depth || !settled {
            return false;
        }
        self.asked = true;
        let bar = best.worth() - params.easy_margin;
        iteration.others_stay_below(bar, depth / 2)
    }
}

/// The share of the soft limit to use: less when the best move has long been the same and took most of the nodes,
/// more when the score is falling.
fn patience(params: &Params, steady: u32, effort: f64, fall: i32) -> f64 {
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
        let patience = |steady, effort, fall| patience(&Params::default(), steady, effort, fall);
        let usual = patience(3, 0.6, 0);
        assert!(patience(0, 0.6, 0) > usual && usual > patience(8, 0.6, 0));
        assert!(patience(3, 0.2, 0) > usual && usual > patience(3, 0.95, 0));
        assert!(patience(3, 0.6, 50) > usual && usual > patience(3, 0.6, -20));
        assert!((0.4..=1.6).contains(&patience(0, 0.0, 10_000)));
        assert!((0.4..=1.6).contains(&patience(u32::MAX, 1.0, -10_000)));
    }

    #[test]
    fn every_number_of_patience_counts_and_none_of_them_breaks_it() {
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
        let judge =
            |params: &Params| situations.map(|(steady, effort, fall)| patience(params, steady, effort, fall));
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
                judge(&params)
            });
            let usual = judge(&Params::default());
            assert!(shares.iter().any(|share| *share != usual), "{}", param.name);
            let is_sane = |share: &f64| (0.1..=4.0).contains(share);
            assert!(shares.as_flattened().iter().all(is_sane), "{}", param.name);
        }
    }
}
