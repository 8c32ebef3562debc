//! Maps a level to its parameters (`levels.toml`).

use std::sync::LazyLock;

use serde::Deserialize;
use thiserror::Error;

use sparring_chess::units::{Centipawns, Depth, Elo, Nodes};

/// Everything that makes one level weaker than another.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LevelParams {
    /// How it chooses among all moves as people do; none for the best move that its search finds.
    pub choice: Option<Choice>,
    /// Positions looked at for a move, or to check the chosen one; none for as many as the clock allows.
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

impl LevelParams {
    /// Whether they weaken at all. What weakened players come to was measured without the engine's net.
    #[must_use]
    pub fn weaken(&self) -> bool {
        let full = Self {
            book_plies: self.book_plies,
            ..Self::default()
        };
        *self != full
    }
}

/// How a level chooses a move as people do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Of the people whose choice it makes its own.
    pub rating: Elo,
    /// The power that their chances are raised to: below 1 more scattered, above 1 more regular.
    pub sharpness: f64,
    /// What is different about the moves that it takes care with; none where it takes none.
    pub care: Option<BlunderCheck>,
}

/// How a level chooses the moves that it takes care with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlunderCheck {
    /// The chance from 0 to 1 of a move to be one of them while nobody is ahead.
    pub vigilance: f64,
    /// The share of that, from 0 to 1, that is gone once the game is as good as decided.
    pub ease: f64,
    /// The power that chances are raised to, instead of the choice's own.
    pub sharpness: f64,
    /// What the drawn move may lose against the best of a search of [`Knobs::nodes`], in points of winning chances
    /// from 0 to 100.
    pub margin: f64,
}

impl BlunderCheck {
    /// The chance from 0 to 1 that care is taken where the best move has these winning chances, from 0 to 100.
    #[must_use]
    pub fn chance(&self, best: f64) -> f64 {
        // So near to even nobody is ahead, so far from it the game is as good as decided, in points of winning chances.
        const EVEN: f64 = 5.0;
        const DECIDED: f64 = 30.0;
        let decided = (((best - 50.0).abs() - EVEN) / (DECIDED - EVEN)).clamp(0.0, 1.0);
        self.vigilance * (1.0 - self.ease * decided)
    }
}

/// The numbers behind all levels: what `levels.toml` holds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Levels {
    ease: f64,
    path: Vec<Waypoint>,
    level: Vec<LevelEntry>,
    variant: Vec<Variant>,
}

/// A file of levels that cannot be used.
#[derive(Debug, Error)]
pub enum LevelsError {
    /// It is not in the form of `levels.toml`.
    #[error(transparent)]
    Form(#[from] toml::de::Error),
    /// A table does not rise from row to row, or has less than two rows.
    #[error("the rows of [[{0}]] must be two or more, and get stronger from each to the next")]
    Order(&'static str),
    /// A share that is none.
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

/// Where a level is on the path.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LevelEntry {
    /// The level.
    pub level: f64,
    /// Where on the path it is, from 0 at the first waypoint.
    pub at: f64,
    /// How many half moves of a game it plays from books.
    pub book_plies: f64,
}

/// A level in other variants.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Variant {
    level: f64,
    nodes: f64,
    /// Left out for no cap; between a cap and none the last cap counts on.
    depth: Option<f64>,
    noise: f64,
    blunder_rate: f64,
}

static SHIPPED: LazyLock<Levels> = LazyLock::new(|| match Levels::read(include_str!("levels.toml")) {
    Ok(levels) => levels,
    Err(error) => unreachable!("a test reads the same text: {error}"),
});

impl Levels {
    /// Those that come with the program.
    #[must_use]
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Reads other numbers, in the form of `levels.toml`.
    ///
    /// # Errors
    /// [`LevelsError`] says what is wrong.
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

    /// Where on the path the levels are, the lowest first; those in between are in between.
    #[must_use]
    pub fn rows(&self) -> &[LevelEntry] {
        &self.level
    }

    /// The end of the path of orthodox chess, which begins at 0.
    #[must_use]
    pub fn end(&self) -> f64 {
        (self.path.len() - 1) as f64
    }

    /// Where on the path of orthodox chess a level is; levels beyond the ends are at the end.
    #[must_use]
    pub fn place(&self, level: Elo) -> f64 {
        let (low, high, share) = around(&self.level, f64::from(level.0), |row| row.level);
        mixed(low.at, high.at, share)
    }

    /// The level that is at a place of the path.
    #[must_use]
    pub fn level_at(&self, place: f64) -> f64 {
        let (low, high, share) = around(&self.level, place, |row| row.at);
        mixed(low.level, high.level, share)
    }

    /// The knobs of a place on the path of orthodox chess, from 0 to [`end`](Self::end). They say nothing of books.
    #[must_use]
    pub fn params_at(&self, place: f64) -> LevelParams {
        let place = place.clamp(0.0, self.end());
        let low = self.path[place as usize];
        let high = self.path[(place as usize + 1).min(self.path.len() - 1)];
        let share = place.fract();
        let between = |of: fn(&Waypoint) -> f64| mixed(of(&low), of(&high), share);
        let care = BlunderCheck {
            vigilance: between(|point| point.vigilance),
            ease: self.ease,
            sharpness: between(|point| point.focus),
            margin: between(|point| point.margin),
        };
        let choice = Choice {
            rating: Elo(between(|point| point.rating).round() as u32),
            sharpness: between(|point| point.sharpness),
            care: (care.vigilance > 0.0).then_some(care),
        };
        let searches = care.vigilance > 0.0 && place < self.end();
        LevelParams {
            choice: (care.margin > 0.0).then_some(choice),
            nodes: searches.then(|| nodes(low.nodes, high.nodes, share)),
            ..LevelParams::default()
        }
    }

    /// The knobs of a level in orthodox chess.
    #[must_use]
    pub fn params(&self, level: Elo) -> LevelParams {
        LevelParams {
            book_plies: Some(self.book_plies(level)),
            ..self.params_at(self.place(level))
        }
    }

    /// The knobs of a level in all other variants: between two rows linear in the level, nodes in their logarithm.
    #[must_use]
    pub fn variant_params(&self, level: Elo) -> LevelParams {
        let (low, high, share) = around(&self.variant, f64::from(level.0), |row| row.level);
        let depth = match (low.depth, high.depth) {
            (Some(from), Some(to)) => Some(mixed(from, to, share)),
            (Some(from), None) if share < 1.0 => Some(from),
            _ => None,
        };
        LevelParams {
            choice: None,
            nodes: Some(nodes(low.nodes, high.nodes, share)),
            depth: depth.map(|depth| Depth(depth as u32)),
            noise: Centipawns(mixed(low.noise, high.noise, share).round() as i32),
            blunder_rate: mixed(low.blunder_rate, high.blunder_rate, share),
            book_plies: Some(self.book_plies(level)),
        }
    }

    fn book_plies(&self, level: Elo) -> u32 {
        let (low, high, share) = around(&self.level, f64::from(level.0), |row| row.level);
        mixed(low.book_plies, high.book_plies, share).round() as u32
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

/// The rows below and above a level, and the share of the upper one.
fn around<T: Copy>(rows: &[T], level: f64, level_of: impl Fn(&T) -> f64) -> (T, T, f64) {
    let above = rows.iter().position(|row| level < level_of(row));
    let above = above.unwrap_or(rows.len() - 1).max(1);
    let (low, high) = (rows[above - 1], rows[above]);
    let share = (level - level_of(&low)) / (level_of(&high) - level_of(&low));
    (low, high, share.clamp(0.0, 1.0))
}

fn mixed(from: f64, to: f64, share: f64) -> f64 {
    from + share * (to - from)
}

fn nodes(from: f64, to: f64, share: f64) -> Nodes {
    Nodes(mixed(from.ln(), to.ln(), share).exp().round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Level;

    fn knobs(level: u32) -> LevelParams {
        Levels::shipped().params(Elo(level))
    }

    fn knobs_of_variants(level: u32) -> LevelParams {
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
    fn a_higher_level_is_never_weaker_in_any_knob() {
        // What is higher is stronger.
        let taste = |knobs: LevelParams| {
            knobs.choice.map_or([f64::MAX; 5], |choice| {
                let care = choice.care.map_or([0.0, 0.0, f64::MIN], |care| {
                    [care.vigilance, care.sharpness, -care.margin]
                });
                [
                    f64::from(choice.rating.0),
                    choice.sharpness,
                    care[0],
                    care[1],
                    care[2],
                ]
            })
        };
        for level in Level::RANGE.skip(1) {
            let (low, high) = (knobs(level - 1), knobs(level));
            assert!(low.book_plies <= high.book_plies, "book at {level}");
            let (low, high) = (taste(low), taste(high));
            assert!(low.iter().zip(high).all(|(low, high)| *low <= high), "{level}");
            let (low, high) = (knobs_of_variants(level - 1), knobs_of_variants(level));
            assert!(low.nodes <= high.nodes && low.noise >= high.noise, "{level}");
            assert!(low.blunder_rate >= high.blunder_rate, "blunder rate at {level}");
            let reach = |knobs: LevelParams| knobs.depth.map_or(u32::MAX, |depth| depth.0);
            assert!(reach(low) <= reach(high), "depth at {level}");
        }
    }

    #[test]
    fn less_care_is_taken_where_the_game_is_decided() {
        let care = BlunderCheck {
            vigilance: 0.8,
            ease: 0.5,
            sharpness: 2.0,
            margin: 10.0,
        };
        let chances = [0.0, 32.5, 45.0, 55.0, 67.5, 80.0].map(|best| (care.chance(best) * 10.0).round());
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
        let strongest = knobs(2800);
        assert_eq!((strongest.choice, strongest.nodes), (None, None));
        assert_eq!(knobs(9999), strongest);
        assert_eq!(knobs(0), knobs(600));
    }

    #[test]
    fn between_two_rows_everything_is_in_between() {
        let club = knobs_of_variants(1600);
        assert_eq!(
            club.nodes,
            Some(Nodes(5477)),
            "the geometric mean of 2,500 and 12,000"
        );
        assert_eq!((club.depth, club.noise), (Some(Depth(5)), Centipawns(40)));
        assert_eq!(knobs_of_variants(2599).depth, Some(Depth(9)));
        assert_eq!(knobs_of_variants(2600).depth, None);
    }
}
