//! A game's clock by lichess' rules: it starts once both have moved, and counts in hundredths of a second.

use sparring_chess::{ByColor, Color, units::Millis};
use sparring_lichess::model::TimeControl;

/// Clocks start when this many half moves are played.
const FREE_PLIES: usize = 2;

/// Smallest initial time, as for 0+1.
const LEAST_START: Millis = Millis(3000);

const DAY: u64 = 24 * 60 * 60 * 1000;

/// A running turn: whose, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn {
    color: Color,
    since: Millis,
}

/// The clock of a game.
#[derive(Debug, Clone)]
pub struct GameClock {
    kind: Kind,
    running: Option<Turn>,
}

#[derive(Debug, Clone)]
enum Kind {
    /// A chess clock: remaining time of each side, without the running turn.
    Chess {
        left: ByColor<Millis>,
        increment: Millis,
    },
    /// The same span for each move.
    PerTurn { allowed: Millis },
    /// None.
    Unlimited,
}

impl GameClock {
    /// The clock of a challenge, before the first move. Days count from the start, chess clocks from
    /// the third half move.
    #[must_use]
    pub fn new(control: &TimeControl, first: Color, now: Millis) -> Self {
        let (kind, running) = match control {
            TimeControl::Clock { limit, increment, .. } => {
                let start = if limit.0 == 0 {
                    (*increment).max(LEAST_START)
                } else {
                    *limit
                };
                let left = ByColor::new_with(|_| start);
                let increment = *increment;
                (Kind::Chess { left, increment }, None)
            }
            TimeControl::Correspondence { days_per_turn } => {
                let allowed = Millis(u64::from(*days_per_turn).saturating_mul(DAY));
                let turn = Turn {
                    color: first,
                    since: now,
                };
                (Kind::PerTurn { allowed }, Some(turn))
            }
            TimeControl::Unlimited | TimeControl::Unknown => (Kind::Unlimited, None),
        };
        Self { kind, running }
    }

    /// Whether it is a chess clock, on which absence can be claimed.
    #[must_use]
    pub fn is_chess_clock(&self) -> bool {
        matches!(self.kind, Kind::Chess { .. })
    }

    /// Remaining time of a side, with the running turn deducted; `None` without a limit. A multiple of 10 ms on a chess clock.
    #[must_use]
    pub fn left(&self, color: Color, now: Millis) -> Option<Millis> {
        let used = match self.running {
            Some(turn) if turn.color == color => elapsed(turn.since, now),
            _ => Millis::ZERO,
        };
        match &self.kind {
            Kind::Chess { left, .. } => Some(*left.get(color) - used),
            Kind::PerTurn { allowed } => Some(*allowed - used),
            Kind::Unlimited => None,
        }
    }

    /// When the running side's time is up, if nothing happens.
    #[must_use]
    pub fn flag_at(&self) -> Option<Millis> {
        let turn = self.running?;
        Some(turn.since + self.left(turn.color, turn.since)?)
    }

    /// The side whose time is up.
    #[must_use]
    pub fn flagged(&self, now: Millis) -> Option<Color> {
        let at = self.flag_at()?;
        self.running.filter(|_| now >= at).map(|turn| turn.color)
    }

    /// The mover has moved in time: takes off the turn, adds the increment, and starts the other side, if `plies`
    /// half moves (this one counted in) are enough to start it.
    pub fn press(&mut self, mover: Color, plies: usize, now: Millis) {
        let timed = self.running.is_some_and(|turn| turn.color == mover);
        self.take_off(now);
        if let Kind::Chess { left, increment } = &mut self.kind
            && timed
        {
            *left.get_mut(mover) += *increment;
        }
        self.hand_to(!mover, plies, now);
    }

    /// Gives the turn to a side without taking anything off, as after a takeback.
    pub fn hand_to(&mut self, color: Color, plies: usize, now: Millis) {
        let starts = match self.kind {
            Kind::Chess { .. } => plies >= FREE_PLIES,
            Kind::PerTurn { .. } => true,
            Kind::Unlimited => false,
        };
        self.running = starts.then_some(Turn { color, since: now });
    }

    /// Gives a side more time; without effect where there is no chess clock.
    pub fn add(&mut self, color: Color, span: Millis) {
        if let Kind::Chess { left, .. } = &mut self.kind {
            *left.get_mut(color) += span;
        }
    }

    /// The game is over: takes off the running turn and stops. No increment for the move that ended it.
    pub fn stop(&mut self, now: Millis) {
        self.take_off(now);
        self.running = None;
    }

    fn take_off(&mut self, now: Millis) {
        if let (Some(turn), Kind::Chess { left, .. }) = (self.running, &mut self.kind) {
            let side = left.get_mut(turn.color);
            *side = *side - elapsed(turn.since, now);
        }
    }
}

/// The time between two moments in whole hundredths of a second, the unit of lichess' clocks.
fn elapsed(since: Millis, now: Millis) -> Millis {
    Millis((now - since).0 / 10 * 10)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clock(limit: u64, increment: u64) -> GameClock {
        let control = TimeControl::Clock {
            limit: Millis::from_secs(limit),
            increment: Millis::from_secs(increment),
            show: String::new(),
        };
        GameClock::new(&control, Color::White, Millis::ZERO)
    }

    /// A clock on which both have made their free moves at the given moment.
    fn running(limit: u64, increment: u64, at: u64) -> GameClock {
        let mut clock = clock(limit, increment);
        clock.press(Color::White, 1, Millis(at));
        clock.press(Color::Black, 2, Millis(at));
        clock
    }

    #[test]
    fn the_first_move_of_each_side_is_free() {
        let mut clock = clock(60, 1);
        clock.press(Color::White, 1, Millis(30_000));
        assert_eq!(clock.flag_at(), None);
        clock.press(Color::Black, 2, Millis(90_000));
        let now = Millis(91_000);
        assert_eq!(clock.left(Color::White, now), Some(Millis(59_000)));
        assert_eq!(clock.left(Color::Black, now), Some(Millis(60_000)));
    }

    #[test]
    fn a_timed_move_earns_its_increment() {
        let mut clock = running(60, 2, 0);
        clock.press(Color::White, 3, Millis(5_000));
        assert_eq!(clock.left(Color::White, Millis(9_000)), Some(Millis(57_000)));
        assert_eq!(clock.left(Color::Black, Millis(9_000)), Some(Millis(56_000)));
    }

    #[test]
    fn the_ending_move_earns_nothing() {
        let mut clock = running(60, 2, 0);
        clock.stop(Millis(5_000));
        assert_eq!(clock.left(Color::White, Millis(99_000)), Some(Millis(55_000)));
        assert_eq!(clock.flagged(Millis(990_000)), None);
    }

    #[test]
    fn more_time_goes_to_one_side_and_moves_its_flag() {
        let mut clock = running(60, 0, 0);
        clock.add(Color::White, Millis::from_secs(15));
        assert_eq!(clock.flag_at(), Some(Millis(75_000)));
        assert_eq!(clock.left(Color::White, Millis(5_000)), Some(Millis(70_000)));
        assert_eq!(clock.left(Color::Black, Millis(5_000)), Some(Millis(60_000)));
    }

    #[test]
    fn an_empty_clock_starts_with_its_increment_or_three_seconds() {
        assert_eq!(clock(0, 1).left(Color::White, Millis::ZERO), Some(Millis(3_000)));
        assert_eq!(clock(0, 5).left(Color::White, Millis::ZERO), Some(Millis(5_000)));
    }

    #[test]
    fn time_counts_in_hundredths_of_a_second() {
        let clock = running(60, 0, 0);
        assert_eq!(clock.left(Color::White, Millis(1_239)), Some(Millis(58_770)));
    }

    #[test]
    fn a_flag_falls_when_nothing_is_left() {
        let clock = running(60, 0, 500);
        assert_eq!(clock.flag_at(), Some(Millis(60_500)));
        assert_eq!(clock.flagged(Millis(60_499)), None);
        assert_eq!(clock.flagged(Millis(60_500)), Some(Color::White));
    }

    #[test]
    fn a_takeback_forgives_the_running_turn() {
        let mut clock = running(180, 2, 0);
        clock.press(Color::White, 3, Millis(1_000));
        clock.hand_to(Color::White, 2, Millis(9_000));
        assert_eq!(clock.left(Color::Black, Millis(9_000)), Some(Millis(180_000)));
        assert_eq!(clock.left(Color::White, Millis(10_000)), Some(Millis(180_000)));
    }

    #[test]
    fn days_are_counted_for_each_turn() {
        let control = TimeControl::Correspondence { days_per_turn: 2 };
        let mut clock = GameClock::new(&control, Color::White, Millis::ZERO);
        assert_eq!(clock.flag_at(), Some(Millis(2 * DAY)));
        clock.press(Color::White, 1, Millis(DAY));
        assert_eq!(clock.left(Color::White, Millis(DAY)), Some(Millis(2 * DAY)));
        assert_eq!(clock.flag_at(), Some(Millis(3 * DAY)));
    }

    proptest! {
        #[test]
        fn no_side_ever_has_more_than_start_and_increments(
            limit in 0u64..600, increment in 0u64..60, spans in prop::collection::vec(0u64..20_000, 0..80),
        ) {
            let mut clock = clock(limit, increment);
            let start = clock.left(Color::White, Millis::ZERO).unwrap();
            let (mut now, mut mover) = (Millis::ZERO, Color::White);
            for (index, span) in spans.iter().enumerate() {
                now += Millis(*span);
                if clock.flagged(now).is_some() {
                    prop_assert_eq!(clock.left(mover, now), Some(Millis::ZERO));
                    break;
                }
                clock.press(mover, index + 1, now);
                let earned = Millis::from_secs(increment * (index as u64 / 2));
                prop_assert!(clock.left(mover, now).unwrap() <= start + earned);
                mover = !mover;
            }
        }
    }
}
