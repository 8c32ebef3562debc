//! How long a move may take: the engine's plan for the clock, and a fixed span where there is none.

use crate::units::Millis;

/// Where no clock runs, a move takes about this long.
const UNHURRIED: Budget = Budget {
    soft: Millis::from_secs(5),
    hard: Millis::from_secs(10),
};
/// The first move of a game waits for nothing: lichess aborts some games after half a minute without one.
const FIRST_MOVE: Budget = Budget {
    soft: Millis::from_secs(3),
    hard: Millis::from_secs(8),
};

/// Soft and hard limit of one move's thinking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Start nothing long after this.
    pub soft: Millis,
    /// Move now.
    pub hard: Millis,
}

/// The budget of a move: `left` and `increment` are the clock's, if there is one, `overhead` what a move loses on
/// its way. Never more than what is left.
#[must_use]
pub fn budget(clock: Option<(Millis, Millis)>, overhead: Millis, first_move: bool) -> Budget {
    let Some((left, increment)) = clock else {
        return UNHURRIED;
    };
    let usable = left - overhead;
    let soft = (usable.scaled(1.0 / 30.0) + increment.scaled(0.7)).min(usable.scaled(0.25));
    let hard = soft.scaled(3.0).min(usable.scaled(0.4));
    let budget = Budget { soft, hard };
    if first_move {
        Budget {
            soft: budget.soft.min(FIRST_MOVE.soft),
            hard: budget.hard.min(FIRST_MOVE.hard),
        }
    } else {
        budget
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_budget_is_never_more_than_what_is_left(left: u64, increment in 0u64..200_000, overhead in 0u64..3000, first: bool) {
            let budget = budget(Some((Millis(left), Millis(increment))), Millis(overhead), first);
            prop_assert!(budget.soft <= budget.hard);
            prop_assert!(budget.hard.0 <= left.saturating_sub(overhead));
        }
    }

    #[test]
    fn a_first_move_comes_within_ten_seconds_whatever_the_clock() {
        let hours = Some((Millis::from_secs(10_800), Millis::ZERO));
        assert!(budget(hours, Millis(50), true).hard < Millis::from_secs(10));
        assert!(budget(hours, Millis(50), false).hard > Millis::from_secs(100));
    }
}
