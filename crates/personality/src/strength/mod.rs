//! Turns a personality into a search request with handicaps, for the bot, UCI and calibration.
//!
//! [`request`] builds the request and [`choose_move`] carries it out. [`Levels`] reads the parameters of each level from
//! `levels.toml`.

mod blunder_check;
mod describe;
mod expected;
mod levels;
mod search;
mod temperature;

pub use describe::Strength;
pub use expected::expected_choice;
pub use levels::{BlunderCheck, Choice, LevelEntry, LevelParams, Levels, LevelsError};
pub use search::{HumanPick, StrengthRequest, StrengthResult, StyleEffect, choose_move};

use std::sync::Arc;

use super::{Personality, human_model::Features, style::Style};
use sparring_chess::{
    GameHistory,
    units::{Elo, Millis},
};
use sparring_engine::{EngineOverrides, Handicap, Limits, SearchRequest};

/// What the levels were calibrated against. Shown where a level is explained.
pub const CALIBRATION: &str = "measured against engines, not against people";

/// The level parameters of a personality: those of its level or full strength, with its own overrides.
/// `orthodox` is false for chess variants, which have levels of their own.
///
/// A requested level (`asked`) ignores the overrides.
#[must_use]
pub fn level_params(profile: &Personality, asked: Option<Elo>, orthodox: bool) -> LevelParams {
    let of_level = |level| match orthodox {
        true => Levels::shipped().params(level),
        false => Levels::shipped().variant_params(level),
    };
    if let Some(level) = asked {
        return of_level(level);
    }
    let base = profile.level.map(of_level).unwrap_or_default();
    LevelParams {
        choice: base.choice,
        nodes: profile.nodes.or(base.nodes),
        depth: profile.depth.or(base.depth),
        noise: profile.noise.unwrap_or(base.noise),
        blunder_rate: profile.blunder_rate.unwrap_or(base.blunder_rate),
        book_plies: profile.book_plies.or(base.book_plies),
    }
}

/// What a personality does about its next move.
///
/// `asked` is a level that replaces the profile's own strength, `budget` the soft and hard limit of time, `seed`
/// names the game: the same seed and position give the same errors.
#[must_use]
pub fn request(
    profile: &Personality,
    asked: Option<Elo>,
    line: GameHistory,
    budget: Option<(Millis, Millis)>,
    seed: u64,
) -> StrengthRequest {
    let params = level_params(profile, asked, line.variant().is_orthodox());
    let mut request = request_with(&params, line, budget, seed).in_style(profile.style);
    request.search.overrides = setup(profile, asked).cloned();
    request
}

/// The engine overrides of a personality; `None` at a requested level.
#[must_use]
pub fn setup(profile: &Personality, asked: Option<Elo>) -> Option<&Arc<EngineOverrides>> {
    profile.setup.as_ref().filter(|_| asked.is_none())
}

/// As [`request`], for explicit level parameters.
#[must_use]
pub fn request_with(
    params: &LevelParams,
    line: GameHistory,
    budget: Option<(Millis, Millis)>,
    seed: u64,
) -> StrengthRequest {
    let limits = Limits {
        depth: params.depth,
        nodes: params.nodes,
        mate: None,
        // Who chooses among all moves looks at each of them as far as the level says, or the level would be another one
        // with a clock than without. A search that has time in mind ends early: with one move to look at, after a ply.
        soft: budget.map(|(soft, _)| soft).filter(|_| params.choice.is_none()),
        hard: budget.map(|(_, hard)| hard),
    };
    let handicap = Handicap {
        noise: params.noise,
        blindness: params.blunder_rate as f32,
        seed,
    };
    let search = SearchRequest {
        handicap,
        classical_only: params.weaken(),
        ..SearchRequest::new(line, limits)
    };
    match params.choice {
        None => StrengthRequest::from(search),
        Some(choice) => StrengthRequest {
            search: SearchRequest {
                multi_pv: usize::MAX,
                limits: Limits {
                    depth: Some(
                        limits
                            .depth
                            .map_or(Features::DEEP, |depth| depth.min(Features::DEEP)),
                    ),
                    // Where nothing is checked, nodes set by hand end the look itself.
                    nodes: limits.nodes.filter(|_| choice.care.is_none()),
                    ..limits
                },
                ..search
            },
            choice: Some(choice),
            check: choice.care.map(|_| limits),
            most: None,
            style: Style::default(),
            seed,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{
        Variant,
        units::{Centipawns, Depth, Nodes, Stopwatch},
    };
    use sparring_engine::{Engine, SearchControl, Stop, Tablebase};

    fn line(variant: Variant) -> GameHistory {
        GameHistory::new(variant)
    }

    #[test]
    fn what_a_profile_sets_by_hand_beats_its_level() {
        let mut profile = Personality::new("x");
        assert_eq!(
            level_params(&profile, None, true),
            LevelParams::default(),
            "full strength"
        );
        profile.level = Some(Elo(1000));
        profile.noise = Some(Centipawns(7));
        profile.nodes = Some(Nodes(300));
        let own = level_params(&profile, None, true);
        assert_eq!((own.noise, own.nodes), (Centipawns(7), Some(Nodes(300))));
        assert_eq!(own.choice, Levels::shipped().params(Elo(1000)).choice);
        assert_eq!(
            level_params(&profile, Some(Elo(1800)), true),
            Levels::shipped().params(Elo(1800))
        );
    }

    #[test]
    fn a_level_of_chess_looks_at_every_move_and_one_of_other_variants_does_not() {
        let mut profile = Personality::new("x");
        profile.level = Some(Elo(1000));
        let budget = Some((Millis(500), Millis(900)));
        let chess = request(&profile, None, line(Variant::Chess960), budget, 42);
        assert_eq!(chess.search.multi_pv, usize::MAX);
        assert_eq!(chess.search.limits.depth, Some(Features::DEEP));
        assert_eq!(chess.search.limits.hard, Some(Millis(900)));
        assert_eq!((chess.seed, chess.search.handicap.seed), (42, 42));
        assert!(chess.choice.is_some());
        let atomic = request(&profile, None, line(Variant::Atomic), budget, 42);
        assert!(atomic.choice.is_none() && atomic.search.multi_pv == 1);
        assert_eq!(
            (atomic.search.limits.nodes, atomic.search.limits.depth),
            (Some(Nodes(500)), Some(Depth(3)))
        );
        assert_eq!(atomic.search.handicap.noise, Centipawns(80));
    }

    #[test]
    fn who_chooses_as_people_do_looks_into_no_endgame_tables() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("KQvK.rtbw"), [0; 80]).unwrap();
        let tables = Some(Arc::new(Tablebase::open(&[folder.path()]).unwrap()));
        let profile = Personality::new("x");
        let with = |level: Option<Elo>| {
            let request = request(&profile, level, line(Variant::Standard), None, 1);
            request.with_tablebase(tables.clone()).search.tablebase
        };
        assert!(with(None).is_some() && with(Some(Elo(2800))).is_some());
        for level in (600..2800).step_by(100) {
            assert!(with(Some(Elo(level))).is_none(), "{level}");
        }
    }

    #[test]
    fn a_level_plays_the_same_with_a_clock_and_without() {
        let hour = Some((Millis::from_secs(3600), Millis::from_secs(7200)));
        let lines = [
            ("startpos", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6"),
            // The best move gives the queen for mate in two.
            ("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1", ""),
            ("5rk1/5ppp/4pn2/4Q3/2P5/3P1N2/Pq3PPP/RN2K2R b KQ - 0 18", ""),
        ]
        .map(|(fen, moves)| GameHistory::replay(Variant::Standard, fen, moves).unwrap());
        let profile = Personality::new("x");
        let mut engine = Engine::new(1);
        let mut played = |level, line: &GameHistory, budget, seed| {
            let around = SearchControl {
                stop: &Stop::new(),
                clock: &Stopwatch::start(),
            };
            let request = request(&profile, Some(Elo(level)), line.clone(), budget, seed);
            let thought = choose_move(&mut engine, &request, &around, &mut |_| {});
            (thought.report.lines, thought.report.nodes)
        };
        for level in [1000, 1800, 2400] {
            for line in &lines {
                for seed in 0..3 {
                    let timed = played(level, line, hour, seed);
                    assert_eq!(timed, played(level, line, None, seed), "{level}, seed {seed}");
                }
            }
        }
    }

    #[test]
    fn no_level_below_full_strength_is_limited_by_time_alone() {
        for level in (600..=2600).step_by(100) {
            let params = Levels::shipped().params(Elo(level));
            assert!(params.choice.is_some(), "level {level}");
            assert!(
                params.nodes.is_some() || params.choice.is_some_and(|choice| choice.care.is_none()),
                "level {level}"
            );
        }
    }

    #[test]
    fn a_level_that_is_asked_for_counts_without_the_numbers_set_by_hand() {
        let text = "mode = \"power\"\n[eval]\nbishop_pair = \"150%\"\n";
        let profile = crate::read("x.toml", text).0.unwrap();
        let setup = |asked| {
            request(&profile, asked, line(Variant::Standard), None, 1)
                .search
                .overrides
        };
        assert_eq!(setup(None), profile.setup);
        assert!(profile.setup.is_some());
        assert_eq!(setup(Some(Elo(1400))), None);
    }

    #[test]
    fn only_who_plays_as_well_as_it_can_asks_the_net() {
        let by_terms = |profile: &Personality, asked: Option<u32>| {
            let line = line(Variant::Standard);
            request(profile, asked.map(Elo), line, None, 1)
                .search
                .classical_only
        };
        let plain = Personality::new("x");
        for level in (600..=2799).step_by(7).chain([2799]) {
            assert!(by_terms(&plain, Some(level)), "{level}");
        }
        assert!(!by_terms(&plain, Some(2800)) && !by_terms(&plain, None));
        for text in [
            "nodes = 60000\n",
            "noise = 20\n",
            "blunder-rate = 0.1\n",
            "mode = \"power\"\nlevel = 1400\n[search]\nrfp_margin = 90\n",
        ] {
            let profile = crate::read("x.toml", text).0.unwrap();
            assert!(by_terms(&profile, None), "{text}");
        }
        let text = "book-plies = 4\n";
        assert!(!by_terms(&crate::read("x.toml", text).0.unwrap(), None));
    }

    #[test]
    fn full_strength_has_no_limit_but_time() {
        let request = request(
            &Personality::new("x"),
            Some(Elo(2800)),
            line(Variant::Standard),
            None,
            1,
        );
        assert!(request.choice.is_none() && request.search.limits == Limits::default());
    }
}
