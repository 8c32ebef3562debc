//! How long a move waits before it goes out, so that a game feels like one against a person, and never a flag.
//!
//! The engine thinks first; this only delays. "human" draws from the think times of people on lichess, fitted
//! as `ln(t + 0.5) = sum of features + sd * normal` (blitz: rank correlation 0.57, cross-validated by game). Everything random follows from the game's seed and the ply.

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use rand_distr::{Distribution as _, StandardNormal};

use super::{Delay, Profile, mix};
use crate::{
    chess::{GameLine, Move, Role, Rules as _},
    units::{Elo, Millis},
};

/// What a pause depends on. [`Scene::of`] fills in what the position says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    /// Half moves played before this one.
    pub ply: usize,
    /// How many legal moves there are.
    pub legal_moves: usize,
    /// The move takes back on the square of the opponent's last capture.
    pub is_recapture: bool,
    /// The move captures.
    pub is_capture: bool,
    /// The move answers a check.
    pub in_check: bool,
    /// Few pieces are left: at most six besides kings and pawns.
    pub is_endgame: bool,
    /// The move comes from a book.
    pub from_book: bool,
    /// The clock; none in correspondence and unlimited games.
    pub clock: Option<Clock>,
    /// How long the opponent took for their last move.
    pub opponent_last: Option<Millis>,
    /// How long we took for our last move.
    pub own_last: Option<Millis>,
    /// Time since our turn came: the search has had this much already.
    pub elapsed: Millis,
    /// What a move costs on the way to the server and back, per move.
    pub lag: Millis,
    /// The level asked for in this game, instead of the profile's.
    pub level: Option<Elo>,
}

/// Our chess clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// What each side started with.
    pub initial: Millis,
    /// What each move adds.
    pub increment: Millis,
    /// What ours showed when our turn came.
    pub remaining: Millis,
}

impl Clock {
    /// What a game of 40 moves lasts, as lichess estimates it.
    fn budget(self) -> Millis {
        Millis(self.initial.0.saturating_add(self.increment.0.saturating_mul(40)))
    }
}

impl Scene {
    /// What the position and the move tell; no clock, no book, nobody has thought yet.
    #[must_use]
    pub fn of(line: &GameLine, mv: Move) -> Self {
        let pos = line.position();
        let board = pos.board();
        let pieces = board.occupied() & !board.by_role(Role::Pawn) & !board.by_role(Role::King);
        Self {
            ply: line.ply(),
            legal_moves: pos.legal_moves().len(),
            is_recapture: line
                .moves()
                .last()
                .is_some_and(|last| last.is_capture() && mv.is_capture() && last.to() == mv.to()),
            is_capture: mv.is_capture(),
            in_check: pos.is_check(),
            is_endgame: pieces.count() <= 6,
            from_book: false,
            clock: None,
            opponent_last: None,
            own_last: None,
            elapsed: Millis::ZERO,
            lag: Millis::ZERO,
            level: None,
        }
    }
}

/// How much longer to wait before the move goes out. `seed` names the game.
///
/// Whatever the profile wants, a clock that runs low cuts it: never more than [`most`] leaves.
#[must_use]
pub fn pause(profile: &Profile, scene: &Scene, seed: u64) -> Millis {
    let mut rng = ChaCha8Rng::seed_from_u64(mix(&[seed, scene.ply as u64]));
    let whole = match profile.delay {
        Delay::Off => Millis::ZERO,
        Delay::Fixed(span) => span,
        Delay::Between(from, to) => Millis(rng.random_range(from.0..=to.0)),
        Delay::Human => human(profile, scene, &mut rng),
    };
    (whole - scene.elapsed).min(most(scene))
}

/// The longest pause that keeps the clock safe, from now: zero in time trouble.
///
/// The whole move takes at most a quarter of the clock, leaves a second and what lag alone will cost in the moves
/// to come, and once under a tenth of the game's time takes no more than one and a half increments and a
/// twenty-fifth of what is left.
#[must_use]
pub fn most(scene: &Scene) -> Millis {
    const TROUBLE: Millis = Millis::from_secs(3);
    let Some(clock) = scene.clock else {
        return Millis::from_secs(60) - scene.elapsed;
    };
    if clock.remaining < TROUBLE {
        return Millis::ZERO;
    }
    let mut most = clock
        .remaining
        .scaled(0.25)
        .min(clock.remaining - reserve(scene, clock));
    if clock.remaining < clock.budget().scaled(0.1) {
        most = most.min(clock.increment.scaled(1.5) + clock.remaining.scaled(1.0 / 25.0));
    }
    most - scene.elapsed
}

/// What must stay on the clock: a second, eight round trips, and the lag of a game of eighty moves that no
/// increment pays for. lichess gives part of the lag back, but only up to a quota.
fn reserve(scene: &Scene, clock: Clock) -> Millis {
    let to_go = 80_usize.saturating_sub(scene.ply / 2).max(25) as f64;
    Millis::from_secs(1) + scene.lag.scaled(8.0) + (scene.lag - clock.increment).scaled(to_go)
}

/// The weights of one speed: what each feature adds to `ln(t + 0.5)`, t in seconds.
struct Weights {
    constant: f64,
    /// Times `ln(remaining + 1)`.
    remaining: f64,
    /// Times `ln(budget)`.
    budget: f64,
    recapture: f64,
    in_check: f64,
    /// Times `ln(legal moves)`.
    choice: f64,
    capture: f64,
    /// Before ply 10, and from ply 10 to 19.
    opening: [f64; 2],
    endgame: f64,
    /// Times `ln(t + 0.5)` of the opponent's last move, and of our own.
    last: [f64; 2],
    /// Times `(level - 1600) / 400`.
    level: f64,
    only_move: f64,
    /// The spread at level 1000, and what 400 more add.
    spread: [f64; 2],
    /// Chance of an instant answer: a recapture, and a move of the first ten plies.
    instant: [f64; 2],
}

/// Fitted on lichess games of people rated 600 to 2600.
const BULLET: Weights = Weights {
    constant: -2.04,
    remaining: 0.16,
    budget: 0.30,
    recapture: -0.54,
    in_check: 0.48,
    choice: 0.26,
    capture: -0.02,
    opening: [-0.63, -0.39],
    endgame: -0.09,
    last: [0.12, 0.12],
    level: -0.10,
    only_move: 0.36,
    spread: [0.67, 0.0],
    instant: [0.37, 0.37],
};
const BLITZ: Weights = Weights {
    constant: -2.63,
    remaining: 0.13,
    budget: 0.40,
    recapture: -0.61,
    in_check: 0.37,
    choice: 0.28,
    capture: -0.17,
    opening: [-0.63, -0.35],
    endgame: -0.15,
    last: [0.15, 0.18],
    level: -0.06,
    only_move: 0.19,
    spread: [0.72, 0.04],
    instant: [0.20, 0.12],
};
const RAPID: Weights = Weights {
    constant: -4.37,
    remaining: 0.15,
    budget: 0.59,
    recapture: -0.83,
    in_check: 0.29,
    choice: 0.33,
    capture: -0.19,
    opening: [-0.57, -0.28],
    endgame: -0.18,
    last: [0.19, 0.20],
    level: 0.0,
    only_move: 0.19,
    spread: [0.80, 0.12],
    instant: [0.20, 0.12],
};
const CLASSICAL: Weights = Weights {
    constant: -6.01,
    remaining: 0.19,
    budget: 0.70,
    recapture: -1.33,
    in_check: 0.22,
    choice: 0.40,
    capture: -0.21,
    opening: [-0.92, -0.48],
    endgame: -0.05,
    last: [0.24, 0.18],
    level: -0.02,
    only_move: -0.05,
    spread: [1.12, 0.0],
    instant: [0.20, 0.12],
};

impl Weights {
    /// By the length of the game, at lichess' own borders between speeds.
    fn of(budget: Millis) -> &'static Self {
        match budget.0 / 1000 {
            0..180 => &BULLET,
            180..480 => &BLITZ,
            480..1500 => &RAPID,
            1500.. => &CLASSICAL,
        }
    }
}

/// Share of a 40-move game's time that people have left after so many moves; rapid differs by 3 points at most.
const CLOCK_LEFT: [(f64, f64); 6] = [
    (0.0, 1.0),
    (10.0, 0.83),
    (20.0, 0.55),
    (30.0, 0.34),
    (40.0, 0.24),
    (60.0, 0.16),
];

/// The whole think time of a person in this scene.
fn human(profile: &Profile, scene: &Scene, rng: &mut ChaCha8Rng) -> Millis {
    // A game without a clock is thought about like a quarter of an hour.
    let clock = scene.clock.unwrap_or(Clock {
        initial: Millis::from_secs(900),
        increment: Millis::ZERO,
        remaining: Millis::from_secs(900),
    });
    let weights = Weights::of(clock.budget());
    let level = scene
        .level
        .or(profile.level)
        .map_or(2400.0, |level| f64::from(level.0));
    // Drawn whether or not they are used, so that one answer does not shift the next.
    let (luck, instant): (f64, f64) = (StandardNormal.sample(rng), rng.random());
    let at_once = Millis(rng.random_range(100..=600));
    let chance = if scene.is_recapture {
        weights.instant[0]
    } else if scene.ply < 10 && scene.from_book {
        weights.instant[1]
    } else if scene.legal_moves == 1 {
        0.08
    } else {
        0.0
    };
    if instant < chance {
        return at_once;
    }
    let spread = (weights.spread[0] + weights.spread[1] * (level - 1000.0) / 400.0).max(0.3);
    let seconds = (expected(weights, scene, clock, level) + spread * luck).exp() - 0.5;
    let factor = profile.tempo * thrift(scene, clock);
    Millis::from_secs(1).scaled(seconds * factor)
}

/// The expected `ln(t + 0.5)`.
fn expected(weights: &Weights, scene: &Scene, clock: Clock, level: f64) -> f64 {
    let when = |condition: bool, weight: f64| if condition { weight } else { 0.0 };
    // Before anybody has thought, the last times are taken as two seconds, the median of blitz.
    let thought = |last: Option<Millis>| (last.map_or(2.0, Millis::as_secs_f64) + 0.5).ln();
    weights.constant
        + weights.remaining * (clock.remaining.as_secs_f64() + 1.0).ln()
        + weights.budget * clock.budget().as_secs_f64().max(1.0).ln()
        + weights.choice * (scene.legal_moves.max(1) as f64).ln()
        + weights.last[0] * thought(scene.opponent_last)
        + weights.last[1] * thought(scene.own_last)
        + weights.level * (level - 1600.0) / 400.0
        + when(scene.is_recapture, weights.recapture)
        + when(scene.in_check, weights.in_check)
        + when(scene.is_capture, weights.capture)
        + when(scene.ply < 10, weights.opening[0])
        + when((10..20).contains(&scene.ply), weights.opening[1])
        + when(scene.is_endgame, weights.endgame)
        + when(scene.legal_moves == 1, weights.only_move)
}

/// Above 1 with more time left than people have at this point of a game, below 1 with less.
fn thrift(scene: &Scene, clock: Clock) -> f64 {
    let moves = scene.ply as f64 / 2.0;
    let budget = clock.budget().as_secs_f64();
    let spent = budget * (1.0 - left_after(moves));
    let target = clock.initial.as_secs_f64() + moves * clock.increment.as_secs_f64() - spent;
    let target = target.max(budget * 0.05);
    if target <= 0.0 {
        return 1.0;
    }
    (clock.remaining.as_secs_f64() / target).sqrt().clamp(0.5, 2.0)
}

fn left_after(moves: f64) -> f64 {
    let pair = CLOCK_LEFT.windows(2).find(|pair| moves < pair[1].0);
    pair.map_or(CLOCK_LEFT[CLOCK_LEFT.len() - 1].1, |pair| {
        let share = (moves - pair[0].0) / (pair[1].0 - pair[0].0);
        pair[0].1 + share * (pair[1].1 - pair[0].1)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chess::{Variant, parse_uci};

    fn profile(delay: Delay) -> Profile {
        Profile {
            delay,
            level: Some(Elo(1600)),
            ..Profile::new("x")
        }
    }

    fn scene(moves: &str, next: &str) -> Scene {
        let line = GameLine::replay(Variant::Standard, "startpos", moves).unwrap();
        Scene::of(&line, parse_uci(line.position(), next).unwrap())
    }

    fn clock(initial: u64, increment: u64) -> Clock {
        Clock {
            initial: Millis::from_secs(initial),
            increment: Millis::from_secs(increment),
            remaining: Millis::from_secs(initial),
        }
    }

    /// The think times of many games in one scene, sorted.
    fn sample(profile: &Profile, scene: &Scene) -> Vec<u64> {
        let mut times: Vec<u64> = (0..2000).map(|seed| pause(profile, scene, seed).0).collect();
        times.sort_unstable();
        times
    }

    #[test]
    fn the_position_is_read_from_the_line() {
        let taken = scene("e2e4 d7d5 e4d5", "d8d5");
        assert!(taken.is_recapture && taken.is_capture && !taken.in_check && !taken.is_endgame);
        assert_eq!(taken.ply, 3);
        let quiet = scene("e2e4 d7d5 e4d5", "g8f6");
        assert!(!quiet.is_recapture && !quiet.is_capture);
        assert!(scene("e2e4 f7f6 d1h5", "g7g6").in_check);
    }

    #[test]
    fn off_and_fixed_are_exact() {
        let mut scene = scene("e2e4", "e7e5");
        scene.clock = Some(clock(300, 0));
        assert_eq!(pause(&profile(Delay::Off), &scene, 1), Millis::ZERO);
        let fixed = profile(Delay::Fixed(Millis(800)));
        assert_eq!(pause(&fixed, &scene, 1), Millis(800));
        scene.elapsed = Millis(300);
        assert_eq!(
            pause(&fixed, &scene, 1),
            Millis(500),
            "what the search took counts"
        );
        scene.elapsed = Millis(900);
        assert_eq!(pause(&fixed, &scene, 1), Millis::ZERO);
    }

    #[test]
    fn a_range_is_used_from_end_to_end() {
        let scene = scene("e2e4", "e7e5");
        let times = sample(&profile(Delay::Between(Millis(1000), Millis(2000))), &scene);
        assert!(times[0] >= 1000 && times[0] < 1020 && times[1999] <= 2000 && times[1999] > 1980);
    }

    #[test]
    fn the_same_game_repeats_and_another_differs() {
        let mut scene = scene("e2e4", "e7e5");
        scene.clock = Some(clock(300, 0));
        let human = profile(Delay::Human);
        assert_eq!(pause(&human, &scene, 7), pause(&human, &scene, 7));
        let times = sample(&human, &scene);
        assert!(times[100] < times[1900]);
    }

    #[test]
    fn people_think_longer_in_the_middlegame_and_take_back_quickly() {
        let human = profile(Delay::Human);
        let mut middle = scene("e2e4", "e7e5");
        middle.clock = Some(clock(300, 0));
        let opening = sample(&human, &middle)[1000];
        middle.ply = 30;
        middle.legal_moves = 35;
        let quiet = sample(&human, &middle)[1000];
        middle.is_capture = true;
        middle.is_recapture = true;
        let recapture = sample(&human, &middle)[1000];
        // Medians of blitz games: 2 s in the first moves, about 5 s in the middlegame, 2 s for recaptures.
        assert!((500..3500).contains(&opening), "{opening}");
        assert!((3000..9000).contains(&quiet), "{quiet}");
        assert!(recapture * 2 < quiet, "{recapture} against {quiet}");
    }

    #[test]
    fn a_quick_temper_is_quick() {
        let mut scene = scene("e2e4", "e7e5");
        scene.clock = Some(clock(600, 0));
        let normal = profile(Delay::Human);
        let quick = Profile {
            tempo: 0.5,
            ..normal.clone()
        };
        assert!(sample(&quick, &scene)[1000] * 3 < sample(&normal, &scene)[1000] * 2);
    }

    /// Plays the clock alone: games of 80 moves with 300 ms lost on the way for each.
    fn flagged(initial: u64, increment: u64, delay: Delay) -> usize {
        let lag = Millis(300);
        let who = profile(delay);
        (0..100_u64)
            .filter(|game| {
                let mut clock = clock(initial, increment);
                let mut own_last = None;
                (0..160).step_by(2).any(|ply| {
                    let mut scene = scene("e2e4", "e7e5");
                    scene.ply = ply;
                    scene.legal_moves = 30;
                    scene.elapsed = Millis(5);
                    scene.lag = lag;
                    scene.clock = Some(clock);
                    scene.own_last = own_last;
                    let spent = scene.elapsed + pause(&who, &scene, *game) + lag;
                    own_last = Some(spent);
                    // lichess refunds some lag; these games get nothing back until the clock runs below it.
                    let charged = if clock.remaining < Millis::from_secs(3) {
                        scene.elapsed
                    } else {
                        spent
                    };
                    let flag = charged >= clock.remaining;
                    clock.remaining = clock.remaining - charged + clock.increment;
                    flag
                })
            })
            .count()
    }

    #[test]
    fn nobody_loses_on_time_by_pausing() {
        for (initial, increment) in [(60, 0), (180, 0), (600, 5), (5, 1)] {
            for delay in [Delay::Human, Delay::Fixed(Millis::from_secs(20))] {
                assert_eq!(flagged(initial, increment, delay), 0, "{initial}+{increment}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_pause_never_takes_more_than_the_clock_can_spare(
            remaining in 0..4_000_000_u64,
            initial in 0..10_800_u64,
            increment in 0..180_u64,
            elapsed in 0..100_000_u64,
            lag in 0..2_000_u64,
            ply in 0..400_usize,
            legal_moves in 0..218_usize,
            tempo in 0.2..5.0_f64,
            seed: u64,
        ) {
            let mut scene = scene("e2e4", "e7e5");
            scene.clock = Some(Clock { remaining: Millis(remaining), ..clock(initial, increment) });
            scene.elapsed = Millis(elapsed);
            scene.lag = Millis(lag);
            scene.ply = ply;
            scene.legal_moves = legal_moves;
            for delay in [Delay::Off, Delay::Fixed(Millis(20_000)), Delay::Between(Millis(0), Millis(20_000)), Delay::Human] {
                let who = Profile { tempo, ..profile(delay) };
                let pause = pause(&who, &scene, seed);
                if pause > Millis::ZERO {
                    prop_assert!(remaining >= 3000);
                    prop_assert!((scene.elapsed + pause).0 <= remaining / 4 + 1);
                    prop_assert!((scene.elapsed + pause + Millis(8 * lag + 1000)).0 <= remaining);
                }
            }
        }
    }
}
