//! Maps a level to its parameters (`levels.toml`).

use std::sync::LazyLock;

use serde::Deserialize;
use thiserror::Error;

use sparring_chess::units::{Centipawns, Depth, Elo, Nodes};

/// Parameters of a level.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LevelParams {
    /// Human choice among all moves; `None` for the best move of the search.
    pub choice: Option<HumanChoice>,
    /// Node limit of a move, or of its blunder check; `None` for no limit but the clock.
    pub nodes: Option<Nodes>,
    /// Depth limit before quiescence; `None` for no limit.
    pub depth: Option<Depth>,
    /// Standard deviation of the evaluation error.
    pub noise: Centipawns,
    /// Chance (0 to 1) that the search overlooks a kind of move.
    pub blunder_rate: f64,
    /// Book length in plies from the start of the game; `None` for no limit.
    pub book_plies: Option<u32>,
}

impl LevelParams {
    /// Whether they weaken play. Weakened levels were calibrated without the NNUE net.
    #[must_use]
    pub fn weaken(&self) -> bool {
        let full = Self {
            book_plies: self.book_plies,
            ..Self::default()
        };
        *self != full
    }
}

/// A choice by the human model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HumanChoice {
    /// Rating that the human model predicts for.
    pub rating: Elo,
    /// Exponent of the chances (inverse temperature): below 1 flatter, above 1 sharper.
    pub sharpness: f64,
    /// Blunder check of a share of the moves; `None` for no check.
    pub blunder_check: Option<BlunderCheck>,
}

/// A second search that rejects blunders, for a share of the moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlunderCheck {
    /// Chance (0 to 1) that a move is checked in an even position.
    pub vigilance: f64,
    /// Share (0 to 1) by which that chance drops in a decided position.
    pub ease: f64,
    /// Exponent of the chances of a checked move, instead of the choice's own.
    pub sharpness: f64,
    /// Largest allowed loss against the best move of a search of [`LevelParams::nodes`], in percentage points of
    /// winning chances (0 to 100).
    pub margin: f64,
}

impl BlunderCheck {
    /// Chance (0 to 1) of a check when the best move has these winning chances (0 to 100).
    #[must_use]
    pub fn chance(&self, best: f64) -> f64 {
        // Distances from 50 % below which a position is even, and from which it is decided.
        const EVEN: f64 = 5.0;
        const DECIDED: f64 = 30.0;
        let decided = (((best - 50.0).abs() - EVEN) / (DECIDED - EVEN)).clamp(0.0, 1.0);
        self.vigilance * (1.0 - self.ease * decided)
    }
}

/// Parameters of all levels, as in `levels.toml`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Levels {
    ease: f64,
    path: Vec<Waypoint>,
    level: Vec<LevelEntry>,
    variant: Vec<Variant>,
}

/// Why a file of levels cannot be used.
#[derive(Debug, Error)]
pub enum LevelsError {
    /// It does not have the form of `levels.toml`.
    #[error(transparent)]
    Form(#[from] toml::de::Error),
    /// A table is not ascending, or has fewer than two rows.
    #[error("the rows of [[{0}]] must be two or more, and get stronger from each to the next")]
    Order(&'static str),
    /// `ease` is not within 0 to 1.
    #[error("ease is a share from 0 to 1, not {0}")]
    Ease(f64),
}

/// A point of the path of orthodox chess.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Waypoint {
    rating: f64,
    sharpness: f64,
    vigilance: f64,
    focus: f64,
    margin: f64,
    nodes: f64,
}

/// The place of a level on the path.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LevelEntry {
    /// The level.
    pub level: f64,
    /// Its place on the path; 0 is the first waypoint.
    pub at: f64,
    /// Book length in plies.
    pub book_plies: f64,
}

/// A level in chess variants.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Variant {
    level: f64,
    nodes: f64,
    /// `None` for no limit. Between a limit and none, the limit counts.
    depth: Option<f64>,
    noise: f64,
    blunder_rate: f64,
}

static SHIPPED: LazyLock<Levels> = LazyLock::new(|| match Levels::read(include_str!("levels.toml")) {
    Ok(levels) => levels,
    Err(error) => unreachable!("a test reads the same text: {error}"),
});

impl Levels {
    /// The built-in levels.
    #[must_use]
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Reads levels in the form of `levels.toml`.
    ///
    /// # Errors
    /// [`LevelsError`] when the text is malformed or a table is not ascending.
    pub fn read(text: &str) -> Result<Self, LevelsError> {
        let levels: Self = toml::from_str(text)?;
        let rises = [
            (
                "path",
                levels.path.len() > 1 && levels.path.is_sorted_by(Waypoint::is_below),
            ),
            (
                "level",
                levels.level.len() > 1 && levels.level.is_sorted_by(LevelEntry::is_below),
            ),
            (
                "variant",
                levels.variant.len() > 1 && levels.variant.is_sorted_by(Variant::is_below),
            ),
        ];
        match rises.into_iter().find(|(_, rises)| !rises) {
            Some((table, _)) => Err(LevelsError::Order(table)),
            None if !(0.0..=1.0).contains(&levels.ease) => Err(LevelsError::Ease(levels.ease)),
            None => Ok(levels),
        }
    }

    /// Places of levels on the path, ascending; levels between two rows are interpolated.
    #[must_use]
    pub fn rows(&self) -> &[LevelEntry] {
        &self.level
    }

    /// The end of the path of orthodox chess, which begins at 0.
    #[must_use]
    pub fn end(&self) -> f64 {
        (self.path.len() - 1) as f64
    }

    /// The place of a level on the path of orthodox chess, clamped to its ends.
    #[must_use]
    pub fn place(&self, level: Elo) -> f64 {
        let (low, high, share) = neighbours(&self.level, f64::from(level.0), |row| row.level);
        interpolate(low.at, high.at, share)
    }

    /// The level at a place of the path.
    #[must_use]
    pub fn level_at(&self, place: f64) -> f64 {
        let (low, high, share) = neighbours(&self.level, place, |row| row.at);
        interpolate(low.level, high.level, share)
    }

    /// Parameters at a place (0 to [`end`](Self::end)) of the path of orthodox chess, without book length.
    #[must_use]
    pub fn params_at(&self, place: f64) -> LevelParams {
        let place = place.clamp(0.0, self.end());
        let low = self.path[place as usize];
        let high = self.path[(place as usize + 1).min(self.path.len() - 1)];
        let share = place.fract();
        let between = |of: fn(&Waypoint) -> f64| interpolate(of(&low), of(&high), share);
        let check = BlunderCheck {
            vigilance: between(|point| point.vigilance),
            ease: self.ease,
            sharpness: between(|point| point.focus),
            margin: between(|point| point.margin),
        };
        let choice = HumanChoice {
            rating: Elo(between(|point| point.rating).round() as u32),
            sharpness: between(|point| point.sharpness),
            blunder_check: (check.vigilance > 0.0).then_some(check),
        };
        let searches = check.vigilance > 0.0 && place < self.end();
        LevelParams {
            choice: (check.margin > 0.0).then_some(choice),
            nodes: searches.then(|| nodes(low.nodes, high.nodes, share)),
            ..LevelParams::default()
        }
    }

    /// Parameters of a level in orthodox chess.
    #[must_use]
    pub fn params(&self, level: Elo) -> LevelParams {
        LevelParams {
            book_plies: Some(self.book_plies(level)),
            ..self.params_at(self.place(level))
        }
    }

    /// Parameters of a level in chess variants: linear between two rows, nodes by their logarithm.
    #[must_use]
    pub fn variant_params(&self, level: Elo) -> LevelParams {
        let (low, high, share) = neighbours(&self.variant, f64::from(level.0), |row| row.level);
        let depth = match (low.depth, high.depth) {
            (Some(from), Some(to)) => Some(interpolate(from, to, share)),
            (Some(from), None) if share < 1.0 => Some(from),
            _ => None,
        };
        LevelParams {
            choice: None,
            nodes: Some(nodes(low.nodes, high.nodes, share)),
            depth: depth.map(|depth| Depth(depth as u32)),
            noise: Centipawns(interpolate(low.noise, high.noise, share).round() as i32),
            blunder_rate: interpolate(low.blunder_rate, high.blunder_rate, share),
            book_plies: Some(self.book_plies(level)),
        }
    }

    fn book_plies(&self, level: Elo) -> u32 {
        let (low, high, share) = neighbours(&self.level, f64::from(level.0), |row| row.level);
        interpolate(low.book_plies, high.book_plies, share).round() as u32
    }
}

impl Waypoint {
    fn is_below(&self, next: &Self) -> bool {
        self.rating <= next.rating
            && self.sharpness <= next.sharpness
            && (0.0..=next.vigilance.min(1.0)).contains(&self.vigilance)
            && self.focus <= next.focus
            && self.margin >= next.margin
            && (1.0..=next.nodes).contains(&self.nodes)
    }
}

impl LevelEntry {
    fn is_below(&self, next: &Self) -> bool {
        self.level < next.level && self.at < next.at && self.book_plies <= next.book_plies
    }
}

impl Variant {
    fn is_below(&self, next: &Self) -> bool {
        let reach = |row: &Self| row.depth.unwrap_or(f64::MAX);
        self.level < next.level
            && (1.0..=next.nodes).contains(&self.nodes)
            && reach(self) <= reach(next)
            && self.noise >= next.noise
            && self.blunder_rate >= next.blunder_rate
    }
}

/// The rows below and above a level, and the weight of the upper one.
fn neighbours<T: Copy>(rows: &[T], level: f64, level_of: impl Fn(&T) -> f64) -> (T, T, f64) {
    let above = rows.iter().position(|row| level < level_of(row));
    let above = above.unwrap_or(rows.len() - 1).max(1);
    let (low, high) = (rows[above - 1], rows[above]);
    let share = (level - level_of(&low)) / (level_of(&high) - level_of(&low));
    (low, high, share.clamp(0.0, 1.0))
}

fn interpolate(from: f64, to: f64, share: f64) -> f64 {
    from + share * (to - from)
}

fn nodes(from: f64, to: f64, share: f64) -> Nodes {
    let log = interpolate(libm::log(from), libm::log(to), share);
    Nodes(libm::exp(log).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Level;

    fn params(level: u32) -> LevelParams {
        Levels::shipped().params(Elo(level))
    }

    fn variant_params(level: u32) -> LevelParams {
        Levels::shipped().variant_params(Elo(level))
    }

    #[test]
    fn the_shipped_tables_cover_every_level() {
        let levels = Levels::read(include_str!("levels.toml")).unwrap();
        let ends = [*Level::RANGE.start(), *Level::RANGE.end()].map(f64::from);
        let [.., last] = &levels.level[..] else { panic!() };
        assert_eq!([levels.level[0].level, last.level], ends);
        assert!((last.at - levels.end()).abs() < f64::EPSILON);
        let [.., last] = &levels.variant[..] else { panic!() };
        assert_eq!([levels.variant[0].level, last.level], ends);
    }

    #[test]
    fn tables_that_do_not_fit_are_refused() {
        let text = include_str!("levels.toml");
        let edited =
            |from: &str, to: &str| Levels::read(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(edited("[[level]]\nlevel = 600", "[[level]]\nlevel = 6000").contains("[[level]]"));
        assert!(edited("noise = 120", "noise = 2").contains("[[variant]]"));
        assert!(edited("margin = 40", "margin = 1").contains("[[path]]"));
        assert!(edited("vigilance = 0.0", "vigilance = 1.5").contains("[[path]]"));
        assert!(edited("ease = 0.5", "ease = 1.5").contains("ease"));
        assert!(edited("sharpness = ", "sharpnes = ").contains("sharpnes"));
    }

    #[test]
    fn a_higher_level_is_never_weaker_in_any_parameter() {
        // Higher levels are stronger.
        let strength_of = |params: LevelParams| {
            params.choice.map_or([f64::MAX; 5], |choice| {
                let check = choice.blunder_check.map_or([0.0, 0.0, f64::MIN], |check| {
                    [check.vigilance, check.sharpness, -check.margin]
                });
                [
                    f64::from(choice.rating.0),
                    choice.sharpness,
                    check[0],
                    check[1],
                    check[2],
                ]
            })
        };
        for level in Level::RANGE.skip(1) {
            let (low, high) = (params(level - 1), params(level));
            assert!(low.book_plies <= high.book_plies, "book at {level}");
            let (low, high) = (strength_of(low), strength_of(high));
            assert!(low.iter().zip(high).all(|(low, high)| *low <= high), "{level}");
            let (low, high) = (variant_params(level - 1), variant_params(level));
            assert!(low.nodes <= high.nodes && low.noise >= high.noise, "{level}");
            assert!(low.blunder_rate >= high.blunder_rate, "blunder rate at {level}");
            let reach = |params: LevelParams| params.depth.map_or(u32::MAX, |depth| depth.0);
            assert!(reach(low) <= reach(high), "depth at {level}");
        }
    }

    #[test]
    fn fewer_moves_are_checked_in_decided_games() {
        let check = BlunderCheck {
            vigilance: 0.8,
            ease: 0.5,
            sharpness: 2.0,
            margin: 10.0,
        };
        let chances = [0.0, 32.5, 45.0, 55.0, 67.5, 80.0].map(|best| (check.chance(best) * 10.0).round());
        assert_eq!(chances, [4.0, 6.0, 8.0, 8.0, 6.0, 4.0]);
    }

    #[test]
    fn a_level_and_its_place_are_one() {
        for level in Level::RANGE.step_by(50) {
            let place = Levels::shipped().place(Elo(level));
            assert!((Levels::shipped().level_at(place) - f64::from(level)).abs() < 1e-6);
        }
    }

    #[test]
    fn the_path_ends_at_full_strength() {
        let strongest = params(2800);
        assert_eq!((strongest.choice, strongest.nodes), (None, None));
        assert_eq!(params(9999), strongest);
        assert_eq!(params(0), params(600));
    }

    #[test]
    fn between_two_rows_everything_is_in_between() {
        let club = variant_params(1600);
        assert_eq!(
            club.nodes,
            Some(Nodes(5477)),
            "the geometric mean of 2,500 and 12,000"
        );
        assert_eq!((club.depth, club.noise), (Some(Depth(5)), Centipawns(40)));
        assert_eq!(variant_params(2599).depth, Some(Depth(9)));
        assert_eq!(variant_params(2600).depth, None);
    }
}
