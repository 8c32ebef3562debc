//! Move overhead, estimated from the clock that the GUI sends.

use sparring_chess::units::Millis;
use sparring_engine::DelayWindow;

/// Kept off the clock on top of the measured loss.
const MARGIN: Millis = Millis(10);

/// The most that is kept, so that thinking stays possible.
const MOST: Millis = Millis::from_secs(1);

/// The clock of one side, as `go` gives it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClockReading {
    /// Half moves of the game so far.
    pub ply: usize,
    /// The remaining time.
    pub remaining: Millis,
    /// The increment of the coming move.
    pub increment: Millis,
    /// Moves until more time is added.
    pub to_go: Option<u32>,
}

/// The time that the last moves lost between engine and GUI.
#[derive(Debug, Default)]
pub(super) struct MoveOverhead {
    last: Option<ClockReading>,
    lost: DelayWindow,
}

impl MoveOverhead {
    /// Records the clock at a `go`; none without one. `took` is the time from the last `go` to its `bestmove`.
    pub fn record(&mut self, shown: Option<ClockReading>, took: Option<Millis>) {
        if let (Some(before), Some(now), Some(took)) = (self.last, shown, took)
            && now.follows(&before)
        {
            let lost = before.remaining + before.increment - took - now.remaining;
            self.lost.record(lost.min(MOST));
        }
        self.last = shown;
    }

    /// The overhead of a move with this time remaining, where `least` is the option's value: more if moves have lost
    /// more, up to nine tenths of the clock. A single slow one is chance.
    pub fn overhead(&self, least: Millis, remaining: Millis) -> Millis {
        match self.lost.longest_but(1) {
            Some(slow) if slow > least => (slow + MARGIN).min(remaining.scaled(0.9)).max(least),
            _ => least,
        }
    }
}

impl ClockReading {
    /// Whether one move of each side lies between, and nothing but the increment was added to the clock.
    fn follows(&self, before: &Self) -> bool {
        let next = before.to_go.map(|moves| moves.saturating_sub(1));
        self.ply == before.ply + 2 && self.to_go == next && next != Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_engine::{
        Params,
        timeman::{GameClock, budget},
    };

    /// After how many moves a flag falls, of a hundred, when each takes all it may and `lag` more; the clock has a second
    /// and this increment.
    fn flag(increment: u64, lag: u64, learns: bool) -> Option<usize> {
        let (mut remaining, increment) = (Millis(1000), Millis(increment));
        let (mut learned, mut took) = (MoveOverhead::default(), None);
        for number in 0..100 {
            let shown = ClockReading {
                ply: 2 * number,
                remaining,
                increment,
                to_go: None,
            };
            if learns {
                learned.record(Some(shown), took);
            }
            let clock = GameClock {
                remaining,
                increment,
                moves_to_go: None,
                overhead: learned.overhead(Millis(20), remaining),
            };
            let longest = budget(&clock, &Params::default()).hard;
            took = Some(longest);
            if longest + Millis(lag) > remaining {
                return Some(number);
            }
            remaining = remaining - longest - Millis(lag) + increment;
        }
        None
    }

    #[test]
    fn a_lag_below_the_increment_costs_no_game_once_it_is_measured() {
        for (increment, lag) in [(100, 80), (50, 40), (100, 60), (100, 95)] {
            assert_eq!(flag(increment, lag, true), None, "{lag} of {increment}");
        }
        assert!(flag(100, 80, false).is_some() && flag(100, 95, false).is_some());
    }

    fn shown(ply: usize, remaining: u64, to_go: Option<u32>) -> Option<ClockReading> {
        Some(ClockReading {
            ply,
            remaining: Millis(remaining),
            increment: Millis(100),
            to_go,
        })
    }

    #[test]
    fn one_slow_move_is_chance_and_two_are_the_interface() {
        let mut lag = MoveOverhead::default();
        let least = Millis(20);
        lag.record(shown(0, 10_000, None), None);
        lag.record(shown(2, 9_700, None), Some(Millis(300)));
        assert_eq!(lag.overhead(least, Millis(9000)), least, "100 ms lost once");
        lag.record(shown(4, 9_510, None), Some(Millis(200)));
        assert_eq!(
            lag.overhead(least, Millis(9000)),
            Millis(100),
            "90 and 100 ms lost"
        );
        assert_eq!(lag.overhead(Millis(200), Millis(9000)), Millis(200));
        assert_eq!(
            lag.overhead(least, Millis(100)),
            Millis(90),
            "a tenth of what is left stays"
        );
        assert_eq!(lag.overhead(least, Millis(20)), least);
        lag.record(shown(6, 2_000, None), Some(Millis(100)));
        assert_eq!(lag.overhead(least, Millis(9000)), Millis(110));
        for ply in 4..30 {
            lag.record(shown(2 * ply, 2_000, None), Some(Millis(100)));
        }
        assert_eq!(
            lag.overhead(least, Millis(9000)),
            least,
            "old moves are forgotten"
        );
    }

    #[test]
    fn only_consecutive_moves_on_one_clock_count() {
        let next = |before, now| {
            let mut lag = MoveOverhead::default();
            for _ in 0..2 {
                lag.record(before, None);
                lag.record(now, Some(Millis(100)));
            }
            lag.overhead(Millis(20), Millis(9000))
        };
        assert_eq!(next(shown(0, 9000, None), shown(2, 8800, None)), Millis(210));
        assert_eq!(
            next(shown(0, 9000, Some(9)), shown(2, 8800, Some(8))),
            Millis(210)
        );
        for (before, now) in [
            (shown(0, 9000, None), shown(0, 8800, None)),
            (shown(0, 9000, None), shown(4, 8800, None)),
            (shown(0, 9000, Some(1)), shown(2, 8800, Some(40))),
            (None, shown(2, 8800, None)),
            (shown(0, 9000, None), shown(2, 9900, None)),
        ] {
            assert_eq!(next(before, now), Millis(20), "{before:?} {now:?}");
        }
    }
}
