//! How much of a game's clock a move may take.

use crate::units::Millis;

/// The clock of the side to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GameClock {
    /// What is left on it.
    pub remaining: Millis,
    /// What a move adds to it.
    pub increment: Millis,
    /// How many moves until more time comes; `None` when the time is for the whole game.
    pub moves_to_go: Option<u32>,
    /// What is lost on the way between the engine and the clock with each move.
    pub overhead: Millis,
}

/// The time for one move, for [`Limits::soft`](super::Limits::soft) and [`Limits::hard`](super::Limits::hard).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// What the move should take.
    pub soft: Millis,
    /// What it must not exceed.
    pub hard: Millis,
}

/// How many more moves a game is planned for when no number is given.
const HORIZON: u64 = 26;

/// The budget of one move: `soft <= hard`, and `hard` is never more than what is left after the overhead.
///
/// ```
/// use sparring::{engine::time::{GameClock, budget}, units::Millis};
///
/// let clock = GameClock { remaining: Millis(60_000), increment: Millis(1000), ..GameClock::default() };
/// let budget = budget(&clock);
/// assert!(budget.soft > Millis(1000) && budget.hard < Millis(30_000));
/// ```
#[must_use]
pub fn budget(clock: &GameClock) -> Budget {
    let usable = clock.remaining - clock.overhead;
    let moves = clock
        .moves_to_go
        .map_or(HORIZON, |moves| u64::from(moves).clamp(1, HORIZON));
    // The increments to come are as good as time on the clock, less what their moves lose on the way.
    let income = (clock.increment - clock.overhead).0.saturating_mul(moves - 1);
    let share = usable.0.saturating_add(income) / moves;
    // A single long thought may not ruin the rest of the game: at most this part of the clock. The last move before
    // more time comes may take nearly all.
    let cap = if moves == 1 {
        usable.scaled(0.85)
    } else {
        usable.scaled(0.35)
    };
    let hard = Millis(share.saturating_mul(4)).min(cap);
    Budget {
        soft: Millis(share.saturating_mul(7) / 10).min(hard),
        hard,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clock(remaining: u64, increment: u64, overhead: u64) -> GameClock {
        GameClock {
            remaining: Millis(remaining),
            increment: Millis(increment),
            moves_to_go: None,
            overhead: Millis(overhead),
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
            let budget = budget(&clock);
            prop_assert!(budget.soft <= budget.hard);
            prop_assert!(budget.hard <= clock.remaining - clock.overhead);
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
                let budget = budget(&GameClock { moves_to_go: to_go, ..clock(left, increment, overhead) });
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
            let budget = budget(&clock(left, 10, 3));
            assert!(budget.soft.0 + 3 < left);
            left = left - budget.soft.0 - 3 + 10;
        }
        assert!(left > 15, "{left} ms left");
        assert!(budget(&clock(1000, 10, 3)).soft >= Millis(20));
    }

    #[test]
    fn the_last_move_of_a_control_may_take_nearly_all() {
        let last = GameClock {
            moves_to_go: Some(1),
            ..clock(10_000, 0, 10)
        };
        assert!(budget(&last).hard > Millis(8000));
    }
}
