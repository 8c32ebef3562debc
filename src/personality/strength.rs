//! From a personality to a search: which limits and handicaps make the engine play like it.
//!
//! The path from level to knobs holds start values, reasoned and copied from published work, **not calibrated**:
//! nobody has measured yet how strong "1400" plays. A later fit replaces the numbers of [`PATH`] and nothing else.

use super::Profile;
use crate::{
    chess::GameLine,
    engine::{Handicap, Limits, Search},
    units::{Centipawns, Depth, Elo, Millis, Nodes},
};

/// Whether levels have been measured against players of known strength. Shown wherever a level is.
pub const CALIBRATION: &str = "not calibrated yet";

/// Everything that makes one level weaker than another.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Knobs {
    /// Positions looked at for a move; none for as many as the clock allows.
    pub nodes: Option<Nodes>,
    /// Plies looked ahead before quiescence; none for as many as the nodes allow.
    pub depth: Option<Depth>,
    /// Standard deviation of the error in judging a position.
    pub noise: Centipawns,
    /// Chance from 0 to 1 that a kind of move is overlooked while thinking.
    pub blunder_rate: f64,
    /// Half moves of the game that may come from books; none for all that the books hold.
    pub book_plies: Option<u32>,
}

/// A point of the path from level to knobs.
struct Milestone {
    level: f64,
    nodes: f64,
    /// None for no cap; between a cap and none the last cap counts on.
    depth: Option<f64>,
    /// In centipawns.
    noise: f64,
    blunder_rate: f64,
    book_plies: f64,
}

const fn milestone(
    level: f64,
    nodes: f64,
    depth: Option<f64>,
    noise: f64,
    blunder_rate: f64,
    book_plies: f64,
) -> Milestone {
    Milestone {
        level,
        nodes,
        depth,
        noise,
        blunder_rate,
        book_plies,
    }
}

/// Start values, not calibrated. Nodes and noise are close to what MadChess and Rodent use at such levels; the
/// blunder rate is the logistic of the base log-odds -0.9, -1.6, -2.3, -3.2, -4.5 and none; 2800 is the last
/// step continued. Each column must rise or fall all the way, so that a higher level is never weaker by design.
const PATH: [Milestone; 7] = [
    milestone(600.0, 150.0, Some(2.0), 120.0, 0.289, 4.0),
    milestone(1000.0, 500.0, Some(3.0), 80.0, 0.168, 6.0),
    milestone(1400.0, 2500.0, Some(4.0), 50.0, 0.091, 10.0),
    milestone(1800.0, 12_000.0, Some(6.0), 30.0, 0.039, 14.0),
    milestone(2200.0, 60_000.0, Some(9.0), 15.0, 0.011, 18.0),
    milestone(2600.0, 400_000.0, None, 5.0, 0.0, 24.0),
    milestone(2800.0, 1_000_000.0, None, 0.0, 0.0, 30.0),
];

/// The knobs of a level: between two milestones of the path, linear in the level, nodes in their logarithm.
/// Levels beyond the ends get the end's knobs.
#[must_use]
pub fn knobs(level: Elo) -> Knobs {
    let level = f64::from(level.0);
    let segment = PATH
        .windows(2)
        .find(|pair| level < pair[1].level)
        .unwrap_or(&PATH[PATH.len() - 2..]);
    let (low, high) = (&segment[0], &segment[1]);
    let share = ((level - low.level) / (high.level - low.level)).clamp(0.0, 1.0);
    let between = |from: f64, to: f64| from + share * (to - from);
    let whole = |number: f64| number.round() as u32;
    let depth = match (low.depth, high.depth) {
        (Some(from), Some(to)) => Some(between(from, to)),
        (Some(from), None) if share < 1.0 => Some(from),
        _ => None,
    };
    Knobs {
        nodes: Some(Nodes(
            between(low.nodes.ln(), high.nodes.ln()).exp().round() as u64
        )),
        depth: depth.map(|depth| Depth(depth as u32)),
        noise: Centipawns(between(low.noise, high.noise).round() as i32),
        blunder_rate: between(low.blunder_rate, high.blunder_rate),
        book_plies: Some(whole(between(low.book_plies, high.book_plies))),
    }
}

/// The knobs a personality plays with: those of its level, or full strength, with what it sets by hand instead.
///
/// A level that somebody asks for counts alone: "1400" would mean nothing if a profile's own knobs went on.
#[must_use]
pub fn knobs_of(profile: &Profile, asked: Option<Elo>) -> Knobs {
    if let Some(level) = asked {
        return knobs(level);
    }
    let base = profile.level.map(knobs).unwrap_or_default();
    Knobs {
        nodes: profile.nodes.or(base.nodes),
        depth: profile.depth.or(base.depth),
        noise: profile.noise.unwrap_or(base.noise),
        blunder_rate: profile.blunder_rate.unwrap_or(base.blunder_rate),
        book_plies: profile.book_plies.or(base.book_plies),
    }
}

/// Whether a personality may still play from its books after this many half moves of a game.
#[must_use]
pub fn allows_book(profile: &Profile, asked: Option<Elo>, ply: usize) -> bool {
    knobs_of(profile, asked)
        .book_plies
        .is_none_or(|plies| ply < plies as usize)
}

/// The search for a personality's next move.
///
/// `asked` is a level that replaces the profile's own strength, `budget` the soft and hard limit of time, `seed`
/// names the game: the same seed and position give the same errors.
#[must_use]
pub fn order(
    profile: &Profile,
    asked: Option<Elo>,
    line: GameLine,
    budget: Option<(Millis, Millis)>,
    seed: u64,
) -> Search {
    let knobs = knobs_of(profile, asked);
    let limits = Limits {
        depth: knobs.depth,
        nodes: knobs.nodes,
        mate: None,
        soft: budget.map(|(soft, _)| soft),
        hard: budget.map(|(_, hard)| hard),
    };
    let handicap = Handicap {
        noise: knobs.noise,
        blindness: knobs.blunder_rate as f32,
        seed,
    };
    Search {
        handicap,
        ..Search::new(line, limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{chess::Variant, personality::Level};

    #[test]
    fn a_higher_level_is_never_weaker_in_any_knob() {
        for level in Level::RANGE.skip(1) {
            let (low, high) = (knobs(Elo(level - 1)), knobs(Elo(level)));
            assert!(low.nodes <= high.nodes, "nodes at {level}");
            let reach = |knobs: Knobs| knobs.depth.map_or(u32::MAX, |depth| depth.0);
            assert!(reach(low) <= reach(high), "depth at {level}");
            assert!(low.noise >= high.noise, "noise at {level}");
            assert!(low.blunder_rate >= high.blunder_rate, "blunder rate at {level}");
            assert!(low.book_plies <= high.book_plies, "book at {level}");
        }
    }

    #[test]
    fn the_path_passes_through_its_milestones() {
        let beginner = knobs(Elo(600));
        assert_eq!(beginner.nodes, Some(Nodes(150)));
        assert_eq!(beginner.depth, Some(Depth(2)));
        assert_eq!(beginner.noise, Centipawns(120));
        let club = knobs(Elo(1600));
        assert_eq!(
            club.nodes,
            Some(Nodes(5477)),
            "the geometric mean of 2,500 and 12,000"
        );
        assert_eq!(club.depth, Some(Depth(5)));
        assert_eq!(club.noise, Centipawns(40));
        assert_eq!(knobs(Elo(2599)).depth, Some(Depth(9)));
        assert_eq!(knobs(Elo(2600)).depth, None);
        assert_eq!(knobs(Elo(2800)).noise, Centipawns(0));
        assert_eq!(knobs(Elo(0)), knobs(Elo(600)));
        assert_eq!(knobs(Elo(9999)), knobs(Elo(2800)));
    }

    #[test]
    fn what_a_profile_sets_by_hand_beats_its_level() {
        let mut profile = Profile::new("x");
        assert_eq!(knobs_of(&profile, None), Knobs::default(), "full strength");
        profile.level = Some(Elo(1000));
        profile.noise = Some(Centipawns(7));
        let knobs_now = knobs_of(&profile, None);
        assert_eq!(knobs_now.noise, Centipawns(7));
        assert_eq!(knobs_now.nodes, Some(Nodes(500)));
        assert_eq!(knobs_of(&profile, Some(Elo(1800))), knobs(Elo(1800)));
    }

    #[test]
    fn an_order_carries_knobs_clock_and_seed() {
        let mut profile = Profile::new("x");
        profile.level = Some(Elo(1400));
        let line = GameLine::replay(Variant::Standard, "startpos", "e2e4").unwrap();
        let search = order(&profile, None, line, Some((Millis(500), Millis(900))), 42);
        assert_eq!(search.limits.nodes, Some(Nodes(2500)));
        assert_eq!(search.limits.depth, Some(Depth(4)));
        assert_eq!(
            (search.limits.soft, search.limits.hard),
            (Some(Millis(500)), Some(Millis(900)))
        );
        assert_eq!(search.handicap.noise, Centipawns(50));
        assert!((search.handicap.blindness - 0.091).abs() < 1e-6);
        assert_eq!(search.handicap.seed, 42);
        assert_eq!(search.line.ply(), 1);
    }

    #[test]
    fn weak_levels_leave_the_book_early() {
        let mut profile = Profile::new("x");
        assert!(allows_book(&profile, None, 300));
        profile.level = Some(Elo(600));
        assert!(allows_book(&profile, None, 3));
        assert!(!allows_book(&profile, None, 4));
        assert!(allows_book(&profile, Some(Elo(1000)), 4));
    }
}
