//! Limits of `go` as engine limits.

use super::go::{Go, SideClock};
use sparring_chess::{
    Color,
    units::{Depth, Millis, Nodes},
};
use sparring_engine::{
    Limits, Params,
    timeman::{GameClock, budget},
};

/// No iteration is as deep as this.
const NEVER_REACHED: u32 = 128;

/// The largest share of `movetime` that the overhead takes: a short one is meant to be used.
const MOST_OF_MOVETIME: f64 = 0.1;

/// The clock of the side to move, and a remark where only the other side's clock or no time is given. A search that runs
/// on silently would look like a hang.
pub(super) fn clock_of(go: &Go, turn: Color) -> (SideClock, Option<&'static str>) {
    let (own, other) = (go.clock(turn), go.clock(turn.other()));
    if own.remaining.is_some() || go.infinite {
        return (own, None);
    }
    if other.remaining.is_some() {
        let taken = SideClock {
            remaining: other.remaining,
            increment: own.increment.or(other.increment),
        };
        let remark = "\"go\" has no time for the side to move: that of the other side is taken for it";
        return (taken, Some(remark));
    }
    let is_bounded = go.depth.or(go.mate).is_some() || go.nodes.is_some() || go.movetime.is_some();
    let has_rest = own.increment.or(other.increment).is_some() || go.movestogo.is_some();
    let remark = "\"go\" has an increment or moves to go, but no time: the search runs until \"stop\"";
    (own, (has_rest && !is_bounded).then_some(remark))
}

/// The limits of a search, by the clock of the side to move and the search parameters. The overhead, which a move loses
/// on its way, and the reserve, of at most half the clock, are kept.
pub(super) fn limits(
    go: &Go,
    clock: SideClock,
    ponders: bool,
    params: &Params,
    (overhead, reserve): (Millis, Millis),
) -> Limits {
    let mut limits = Limits {
        depth: go.depth.map(Depth),
        nodes: go.nodes.map(Nodes),
        mate: go.mate,
        soft: None,
        hard: None,
    };
    if go.infinite {
        return limits;
    }
    if let Some(remaining) = clock.remaining {
        let clock = GameClock {
            remaining: remaining - reserve.min(remaining.scaled(0.5)),
            increment: clock.increment.unwrap_or_default(),
            moves_to_go: go.movestogo.filter(|moves| *moves > 0),
            overhead,
        };
        let budget = budget(&clock, params);
        // A GUI that ponders gives part of the time back while the opponent thinks.
        let hope = if ponders { 1.25 } else { 1.0 };
        limits.soft = Some(budget.soft.scaled(hope).min(budget.hard));
        limits.hard = Some(budget.hard);
    }
    if let Some(movetime) = go.movetime {
        let movetime = (movetime - overhead.min(movetime.scaled(MOST_OF_MOVETIME))).max(Millis(1));
        limits.hard = Some(limits.hard.map_or(movetime, |hard| hard.min(movetime)));
    }
    limits
}

/// More nodes or time than this counts as no limit: 115 days at a million nodes a second.
const LIFETIME_NODES: Nodes = Nodes(10_000_000_000_000);
const LIFETIME: Millis = Millis(10_000_000_000);

/// Whether neither depth, nodes nor time ends the search for certain: a mate that does not exist is searched for ever,
/// and some numbers are too large to be limits.
pub(super) fn may_never_end(limits: &Limits) -> bool {
    limits.depth.is_none_or(|depth| depth.0 >= NEVER_REACHED)
        && limits.nodes.is_none_or(|nodes| nodes > LIFETIME_NODES)
        && limits.hard.is_none_or(|hard| hard > LIFETIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The overhead that is set by default, and no reserve.
    const KEPT: (Millis, Millis) = (Millis(20), Millis::ZERO);

    #[test]
    fn a_missing_clock_is_reported_and_the_other_one_used() {
        let go = Go {
            btime: Some(Millis(1000)),
            binc: Some(Millis(10)),
            ..Go::default()
        };
        let (clock, remark) = clock_of(&go, Color::White);
        assert_eq!(
            (clock.remaining, clock.increment),
            (Some(Millis(1000)), Some(Millis(10)))
        );
        assert!(remark.unwrap().contains("that of the other side"));
        let limits = limits(&go, clock, false, &Params::default(), KEPT);
        assert!(limits.hard.is_some_and(|hard| hard < Millis(1000)), "{limits:?}");
        assert_eq!(clock_of(&go, Color::Black).1, None);
    }

    #[test]
    fn the_parameters_of_a_player_set_its_time() {
        let go = Go {
            wtime: Some(Millis(60_000)),
            ..Go::default()
        };
        let soft = |time_soft| {
            let params = Params {
                time_soft,
                ..Params::default()
            };
            let clock = clock_of(&go, Color::White).0;
            limits(&go, clock, false, &params, KEPT).soft.unwrap()
        };
        assert!(soft(100).0.abs_diff(2 * soft(50).0) <= 1);
    }

    #[test]
    fn pondering_adds_a_quarter_up_to_the_hard_limit() {
        let go = Go {
            wtime: Some(Millis(60_000)),
            ..Go::default()
        };
        let of = |ponders, time_hard| {
            let params = Params {
                time_soft: 100,
                time_hard,
                ..Params::default()
            };
            let clock = clock_of(&go, Color::White).0;
            limits(&go, clock, ponders, &params, KEPT)
        };
        let (alone, pondering) = (of(false, 400), of(true, 400));
        assert_eq!(pondering.soft, alone.soft.map(|soft| soft.scaled(1.25)));
        assert_eq!(pondering.hard, alone.hard);
        assert_eq!(of(true, 100).soft, of(true, 100).hard);
    }

    #[test]
    fn the_overhead_leaves_most_of_a_fixed_time() {
        for (movetime, hard) in [(1000, 980), (200, 180), (100, 90), (10, 9), (1, 1), (0, 1)] {
            let go = Go {
                movetime: Some(Millis(movetime)),
                ..Go::default()
            };
            let clock = clock_of(&go, Color::White).0;
            let limits = limits(&go, clock, false, &Params::default(), KEPT);
            assert_eq!(limits.hard, Some(Millis(hard)), "{movetime}");
        }
    }

    #[test]
    fn an_increment_alone_is_no_limit_and_is_reported() {
        let mut go = Go {
            winc: Some(Millis(10)),
            ..Go::default()
        };
        assert!(clock_of(&go, Color::White).1.unwrap().contains("until \"stop\""));
        go.depth = Some(3);
        assert_eq!(clock_of(&go, Color::White).1, None);
        assert_eq!(clock_of(&Go::default(), Color::White).1, None);
    }

    #[test]
    fn numbers_beyond_reason_are_no_limits() {
        let depth = |depth| Limits {
            depth: Some(Depth(depth)),
            ..Limits::default()
        };
        let mate = Limits {
            mate: Some(9),
            ..Limits::default()
        };
        for endless in [
            Limits::default(),
            mate,
            depth(u32::MAX),
            Limits {
                nodes: Some(Nodes(u64::MAX)),
                ..depth(u32::MAX)
            },
        ] {
            assert!(may_never_end(&endless), "{endless:?}");
        }
        let hard = Some(Millis(100));
        for ends in [
            depth(60),
            Limits { hard, ..mate },
            Limits {
                nodes: Some(Nodes(5000)),
                ..depth(u32::MAX)
            },
        ] {
            assert!(!may_never_end(&ends), "{ends:?}");
        }
    }
}
