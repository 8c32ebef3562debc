//! Time management: soft and hard limits of a move from the clock.

use super::Params;
use sparring_chess::units::Millis;

/// The clock of the side to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GameClock {
    /// The remaining time.
    pub remaining: Millis,
    /// The increment.
    pub increment: Millis,
    /// Moves until more time is added; `None` when the time is for the whole game.
    pub moves_to_go: Option<u32>,
    /// The time that each move loses between the engine and the clock.
    pub overhead: Millis,
}

/// The time for one move, for [`Limits::soft`](super::Limits::soft) and [`Limits::hard`](super::Limits::hard).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeLimits {
    /// The soft limit.
    pub soft: Millis,
    /// The hard limit.
    pub hard: Millis,
}

/// The budget of one move, by the numbers named `time_`: `soft <= hard`, and `hard` is never more than what is left after the overhead.
///
/// ```
/// use sparring_chess::units::Millis;
/// use sparring_engine::{timeman::{budget, GameClock}, Params};
///
/// let clock = GameClock { remaining: Millis(60_000), increment: Millis(1000), ..GameClock::default() };
/// let budget = budget(&clock, &Params::default());
/// assert!(budget.soft > Millis(1000) && budget.hard < Millis(30_000));
/// ```
#[must_use]
pub fn budget(clock: &GameClock, params: &Params) -> TimeLimits {
    let usable = clock.remaining - clock.overhead;
    let horizon = u64::try_from(params.time_horizon).unwrap_or(1).max(1);
    let moves = clock
        .moves_to_go
        .map_or(horizon, |moves| u64::from(moves).clamp(1, horizon));
    // Future increments count as time on the clock, less the overhead of their moves.
    let income = (clock.increment - clock.overhead).0.saturating_mul(moves - 1);
    let share = usable.0.saturating_add(income) / moves;
    // A single move may take at most this part of the clock. The last moves before more time is added may share nearly
    // all.
    let last = f64::from(params.time_last) / moves as f64;
    let cap = usable.scaled(last.max(f64::from(params.time_clock)) / 100.0);
    let of_share = |percent: i32| Millis(share.saturating_mul(u64::try_from(percent).unwrap_or(0)) / 100);
    let hard = of_share(params.time_hard).min(cap);
    TimeLimits {
        soft: of_share(params.time_soft).min(hard),
        hard,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plan(clock: &GameClock) -> TimeLimits {
        budget(clock, &Params::default())
    }

    fn clock(remaining: u64, increment: u64, overhead: u64) -> GameClock {
        GameClock {
            remaining: Millis(remaining),
            increment: Millis(increment),
            moves_to_go: None,
            overhead: Millis(overhead),
        }
    }

    #[test]
    fn the_last_moves_before_more_time_comes_share_nearly_all_of_it() {
        for (moves, most) in [(1, 8500), (2, 4250), (3, 3500), (9, 3500)] {
            let clock = GameClock {
                moves_to_go: Some(moves),
                ..clock(10_000, 0, 0)
            };
            assert_eq!(plan(&clock).hard, Millis(most), "{moves} to go");
        }
    }

    proptest! {
        #[test]
        fn a_budget_never_exceeds_what_is_left(
            remaining in prop_oneof![0u64..5000, any::<u64>()],
            increment in prop_oneof![0u64..5000, any::<u64>()],
            overhead in prop_oneof![0u64..500, any::<u64>()],
            moves_to_go in prop::option::of(any::<u32>()),
        ) {
            let clock = GameClock { moves_to_go, ..clock(remaining, increment, overhead) };
            for which in 0..3 {
                let mut params = Params::default();
                for param in Params::LIST.iter().filter(|param| param.name.starts_with("time_")) {
                    params.set(param.name, [param.default, param.min, param.max][which]).unwrap();
                }
                let budget = budget(&clock, &params);
                prop_assert!(budget.soft <= budget.hard);
                prop_assert!(budget.hard <= clock.remaining - clock.overhead);
            }
        }

        #[test]
        fn a_game_of_many_moves_never_loses_on_time(
            seconds in 1u64..600,
            increment in 0u64..3000,
            overhead in 0u64..50,
            moves_to_go in prop::option::of(1u32..60),
        ) {
            let mut left = seconds * 1000;
            for played in 0..200u32 {
                let to_go = moves_to_go.map(|cycle| cycle - played % cycle);
                let budget = plan(&GameClock { moves_to_go: to_go, ..clock(left, increment, overhead) });
                let spent = budget.hard.0 + overhead.min(left);
                prop_assert!(spent <= left);
                left = left - spent + increment;
                if to_go == Some(1) {
                    left += seconds * 1000;
                }
            }
        }
    }

    #[test]
    fn one_second_and_a_hundredth_lasts_for_a_long_game() {
        let mut left = 1000;
        for _ in 0..150 {
            let budget = plan(&clock(left, 10, 3));
            assert!(budget.soft.0 + 3 < left);
            left = left - budget.soft.0 - 3 + 10;
        }
        assert!(left > 15, "{left} ms left");
        assert!(plan(&clock(1000, 10, 3)).soft >= Millis(20));
    }

    #[test]
    fn the_last_move_of_a_control_may_take_nearly_all() {
        let last = GameClock {
            moves_to_go: Some(1),
            ..clock(10_000, 0, 10)
        };
        assert!(plan(&last).hard > Millis(8000));
    }

    #[test]
    fn every_number_of_the_plan_counts() {
        for (name, moves_to_go) in [
            ("time_horizon", None),
            ("time_soft", None),
            ("time_hard", None),
            ("time_clock", Some(4)),
            ("time_last", Some(1)),
        ] {
            let clock = GameClock {
                moves_to_go,
                ..clock(60_000, 0, 10)
            };
            let mut params = Params::default();
            let param = Params::LIST.iter().find(|param| param.name == name).unwrap();
            params.set(name, param.min).unwrap();
            assert!(budget(&clock, &params) != plan(&clock), "{name}");
        }
    }
}
