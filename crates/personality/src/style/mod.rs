//! Style: axes from -2 to 2 that reweight moves of similar value and, as small bonuses, the evaluation in search.

mod axis;
mod blind_spots;
mod compensation;
mod elo_cost;
mod measured_style;
mod moves;

pub use axis::{Axis, AxisRow};
pub use blind_spots::BlindSpot;
pub use measured_style::MeasuredStyle;

use axis::COUNT;
use blind_spots::BlindSpots;

use super::human_model::Candidate;
use sparring_chess::{GameHistory, Move};
use sparring_engine::StyleBonus;

/// A style: a value from -2 to 2 on each axis, and blind spots. All zero and none is no style.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    axes: [i32; COUNT],
    blind_spots: BlindSpots,
}

impl Style {
    /// Values of an axis.
    pub const RANGE: std::ops::RangeInclusive<i32> = -2..=2;

    /// The style with another value on an axis, clamped to [`RANGE`](Self::RANGE).
    #[must_use]
    pub fn with(mut self, axis: Axis, value: i32) -> Self {
        self.axes[axis as usize] = value.clamp(*Self::RANGE.start(), *Self::RANGE.end());
        self
    }

    /// The style with these blind spots.
    #[must_use]
    pub fn with_blind_spots(self, kinds: &[BlindSpot]) -> Self {
        Self {
            blind_spots: BlindSpots::of(kinds),
            ..self
        }
    }

    /// Whether it has a blind spot.
    #[must_use]
    pub fn overlooks(&self, kind: BlindSpot) -> bool {
        self.blind_spots.has(kind)
    }

    /// The value on an axis.
    #[must_use]
    pub fn on(&self, axis: Axis) -> i32 {
        self.axes[axis as usize]
    }

    /// Bonuses of the evaluation in search, in centipawns.
    #[must_use]
    pub fn search_bonus(&self) -> StyleBonus {
        StyleBonus {
            siege: 4 * self.on(Axis::Attack),
            shelter: 4 * self.on(Axis::Shelter),
            officers: -3 * self.on(Axis::Trades),
            queens: -12 * self.on(Axis::Endgames),
            pawns: 2 * self.on(Axis::Pawns) + self.on(Axis::Attack),
            open_files: 5 * self.on(Axis::Openness),
            material: 3 * self.on(Axis::Greed) - 2 * self.on(Axis::Risk),
            castled: 15 * self.on(Axis::Castling),
            queen_out: 8 * self.on(Axis::Queen),
            draws: -12 * self.on(Axis::Risk),
        }
    }

    /// The axes that make a move more likely, strongest first, at most two.
    pub(super) fn reasons_for(&self, mv: Move, line: &GameHistory) -> [Option<Axis>; 2] {
        let extractor = moves::StyleExtractor::new(line);
        let mut pulls: Vec<(Axis, f32)> = Axis::ALL
            .iter()
            .map(|row| {
                (
                    row.axis,
                    self.on(row.axis) as f32 * extractor.measure(row.axis, mv),
                )
            })
            .filter(|(_, pull)| *pull >= NAMED)
            .collect();
        pulls.sort_by(|one, other| other.1.total_cmp(&one.1));
        [0, 1].map(|index| pulls.get(index).map(|(axis, _)| *axis))
    }

    /// Reweights the chances of candidates. They still add up to 1.
    pub(super) fn apply(&self, candidates: &mut [Candidate], line: &GameHistory) {
        if *self == Self::default() {
            return;
        }
        let expected = compensation::expected_loss(candidates);
        let extractor = moves::StyleExtractor::new(line);
        self.pull(candidates, &extractor);
        let blind = self.blind_spots.apply(candidates, &extractor);
        compensation::restore(candidates, self.loss_factor() * expected + blind);
    }

    /// Reweights by the axes, without compensation.
    fn pull(&self, candidates: &mut [Candidate], extractor: &moves::StyleExtractor<'_>) {
        let alternatives: Vec<f32> = (0..candidates.len())
            .map(|index| loss_of_alternatives(candidates, index))
            .collect();
        for (candidate, alternative) in candidates.iter_mut().zip(alternatives) {
            let pull: f32 = Axis::ALL
                .iter()
                .filter(|row| self.on(row.axis) != 0)
                .map(|row| self.on(row.axis) as f32 * extractor.measure(row.axis, candidate.mv))
                .sum();
            // The loss of following the pull: that of the move, or that of avoiding it.
            let loss = if pull > 0.0 { candidate.loss } else { alternative };
            candidate.chance *= libm::expf(STEP * pull * tolerated_share(loss));
        }
    }
}

/// Change of the log-chance of a move per step on an axis that the move shows fully.
const STEP: f32 = 1.6;

/// Smallest pull that is reported as a reason.
const NAMED: f32 = 0.3;

/// Loss in percentage points of winning chances at which a style stops counting.
const TOLERANCE: f32 = 15.0;

/// Share of a pull that counts: it falls linearly with the loss.
fn tolerated_share(loss: f32) -> f32 {
    (1.0 - loss / TOLERANCE).max(0.0)
}

/// Loss in percentage points of winning chances of playing any other move.
fn loss_of_alternatives(candidates: &[Candidate], index: usize) -> f32 {
    let others = candidates.iter().enumerate().filter(|(other, _)| *other != index);
    let least = others.map(|(_, candidate)| candidate.loss).min_by(f32::total_cmp);
    let own = candidates.get(index).map_or(0.0, |candidate| candidate.loss);
    least.map_or(f32::INFINITY, |least| least - own).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human_model::{Context, Model};
    use sparring_chess::{Variant, parse_uci, units::Elo};

    /// Odds ratio of a move with a style to that without.
    fn odds(style: Style, moves: &str, mv: &str) -> f32 {
        let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
        let mv = parse_uci(line.position(), mv).unwrap();
        let mut candidates = Model::shipped().prior(&line, &Context::rated(Elo(1500)));
        let odds = |candidates: &[Candidate]| {
            let chance = candidates.iter().find(|each| each.mv == mv).unwrap().chance;
            chance / (1.0 - chance)
        };
        let before = odds(&candidates);
        style.apply(&mut candidates, &line);
        assert!((candidates.iter().map(|each| each.chance).sum::<f32>() - 1.0).abs() < 1e-3);
        odds(&candidates) / before
    }

    #[test]
    fn every_axis_changes_the_odds_both_ways() {
        const ITALIAN: &str = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
        for (axis, moves, mv) in [
            (Axis::Attack, ITALIAN, "f3g5"),
            (Axis::Castling, ITALIAN, "e1g1"),
            (Axis::Greed, "e2e4 e7e5 g1f3 d7d6 d2d4 g8f6", "d4e5"),
            (Axis::Trades, "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6", "b5c6"),
            (Axis::Pawns, ITALIAN, "a2a3"),
            (Axis::Openness, "e2e4 d7d5", "e4d5"),
            (Axis::Queen, "e2e4 e7e5", "d1h5"),
            (Axis::Endgames, "e2e4 e7e5 d2d4 e5d4 d1d4 d8f6", "d4f6"),
            // The d-file opens until one pawn is left between the queens.
            (Axis::Endgames, "e2e4 d7d6 d2d4 e7e5", "d4e5"),
            (Axis::Risk, ITALIAN, "c4f7"),
        ] {
            let with = |value| odds(Style::default().with(axis, value), moves, mv);
            assert!(with(2) > 1.3, "{axis:?}: {}", with(2));
            assert!(with(-2) < 0.8, "{axis:?}: {}", with(-2));
            assert!(with(2) > with(1) && with(1) > 1.0, "{axis:?}");
        }
        // The king's own pawns: moving one is what a careful player does not do.
        let castled = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6";
        assert!(odds(Style::default().with(Axis::Shelter, 2), castled, "g2g4") < 0.8);
    }

    #[test]
    fn greed_ranks_wins_above_threats_and_two_threats_above_one() {
        let shows = |fen: &str, mv: &str| {
            let line = GameHistory::replay(Variant::Standard, fen, "").unwrap();
            moves::StyleExtractor::new(&line).measure(Axis::Greed, parse_uci(line.position(), mv).unwrap())
        };
        let none = shows("4k3/8/8/7n/8/3P4/8/4K3 w - - 0 1", "d3d4");
        let one = shows("4k3/8/8/4n3/8/3P4/8/4K3 w - - 0 1", "d3d4");
        let two = shows("4k3/8/8/2n1n3/8/3P4/8/4K3 w - - 0 1", "d3d4");
        let takes = shows("4k3/8/8/4n3/3P4/8/8/4K3 w - - 0 1", "d4e5");
        assert!(
            none == 0.0 && none < one && one < takes && one < two,
            "{none} {one} {two} {takes}"
        );
    }

    #[test]
    fn the_axes_behind_a_move_are_reported() {
        let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5").unwrap();
        let style = Style::default().with(Axis::Queen, 2).with(Axis::Pawns, 1);
        let drawn = |text: &str| style.reasons_for(parse_uci(line.position(), text).unwrap(), &line);
        assert_eq!(drawn("d1h5"), [Some(Axis::Queen), None]);
        assert_eq!(drawn("a2a3"), [Some(Axis::Pawns), None]);
        assert_eq!(drawn("g1f3"), [None, None]);
        for row in Axis::ALL {
            assert_eq!(row.axis.key(), row.key);
        }
    }

    #[test]
    fn no_style_leaves_every_chance_as_it_was() {
        assert!((odds(Style::default(), "e2e4 e7e5", "d1h5") - 1.0).abs() < 1e-6);
        assert_eq!(Style::default().search_bonus(), StyleBonus::default());
    }

    #[test]
    fn a_style_neither_raises_a_blunder_nor_lowers_the_only_good_move() {
        let line = GameHistory::replay(Variant::Standard, "3qk3/8/8/8/8/8/8/3RK3 w - - 0 1", "")
            .unwrap_or_else(|_| unreachable!());
        let mut candidates = Model::shipped().prior(&line, &Context::rated(Elo(1500)));
        for candidate in &mut candidates {
            candidate.loss = if candidate.mv.is_capture() { 0.0 } else { 40.0 };
        }
        let before = candidates.clone();
        for row in Axis::ALL {
            for value in Style::RANGE {
                Style::default()
                    .with(row.axis, value)
                    .apply(&mut candidates, &line);
                // But for what its price allows: who gains by a style may lose that much more, and here all that is lost is
                // lost by the one kind of error that there is.
                let errs = Style::default().with(row.axis, value).loss_factor().max(1.0);
                for (now, then) in candidates.iter().zip(&before) {
                    let is_worse =
                        now.mv.is_capture() && 1.0 - now.chance > errs * (1.0 - then.chance) + 1e-3;
                    assert!(!is_worse, "{row:?} {value}: {} after {}", now.chance, then.chance);
                }
                candidates.clone_from(&before);
            }
        }
        assert_eq!((tolerated_share(0.0), tolerated_share(30.0)), (1.0, 0.0));
    }

    #[test]
    fn blind_spots_are_played_less_even_if_best_and_compensated_elsewhere() {
        let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5").unwrap();
        let mut plain = Model::shipped().prior(&line, &Context::rated(Elo(1500)));
        for (index, candidate) in plain.iter_mut().enumerate() {
            let is_best = candidate.mv.role() == sparring_chess::Role::Knight;
            candidate.loss = if is_best { 0.0 } else { 1.0 + (index % 9) as f32 };
        }
        let mut careless = plain.clone();
        Style::default()
            .with_blind_spots(&[BlindSpot::Knights])
            .apply(&mut careless, &line);
        let knights = |candidates: &[Candidate]| -> f32 {
            let knights = candidates
                .iter()
                .filter(|each| each.mv.role() == sparring_chess::Role::Knight);
            knights.map(|each| each.chance).sum()
        };
        assert!(
            knights(&careless) < knights(&plain) - 0.1,
            "{} {}",
            knights(&careless),
            knights(&plain)
        );
        let others = |candidates: &[Candidate]| -> f32 {
            let others = candidates.iter().filter(|each| each.loss > 0.0);
            let (sum, lost) = others.fold((0.0, 0.0), |(sum, lost), each| {
                (sum + each.chance, lost + each.chance * each.loss)
            });
            lost / sum
        };
        assert!(others(&careless) < others(&plain));
    }

    #[test]
    fn a_blind_spot_for_threats_loses_more_there_and_less_elsewhere() {
        let careless = Style::default().with_blind_spots(&[BlindSpot::Defence]);
        let lost = |start: &str| {
            let line = GameHistory::replay(Variant::Standard, start, "").unwrap();
            let mut candidates = Model::shipped().prior(&line, &Context::rated(Elo(1500)));
            for candidate in &mut candidates {
                let is_good = candidate.mv.role() == sparring_chess::Role::Knight;
                candidate.loss = if is_good { 0.0 } else { 12.0 };
            }
            let before = compensation::expected_loss(&candidates);
            careless.apply(&mut candidates, &line);
            compensation::expected_loss(&candidates) / before
        };
        // A rook takes the knight unless it goes; then nothing is to be rescued.
        let threatened = lost("2r1k3/8/8/8/8/2N5/8/4K3 w - - 0 1");
        let safe = lost("2r1k3/8/8/8/8/2N5/3K4/8 w - - 0 1");
        assert!(
            threatened > 1.05 && safe < 0.98 && safe > 0.9,
            "{threatened} {safe}"
        );
    }

    #[test]
    fn a_style_loses_on_average_what_its_price_allows() {
        let (mut short, mut all) = (0, 0);
        for moves in [
            "",
            "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5",
            "d2d4 d7d5 c2c4 d5c4 e2e4 e7e5 g1f3 e5d4 f1c4 b8c6 e1g1 g8f6",
            "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1g5 e7e6 f2f4 d8b6 d1d2 b6b2",
        ] {
            let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
            let mut plain = Model::shipped().prior(&line, &Context::rated(Elo(1500)));
            // Losses as searches find them: many small, some large, whatever the moves show.
            for (index, candidate) in plain.iter_mut().enumerate() {
                candidate.loss = [0.0, 1.5, 4.0, 0.3, 9.0, 2.2, 35.0][(5 * index) % 7];
            }
            let expected = compensation::expected_loss(&plain);
            for row in Axis::ALL {
                for other in Axis::ALL {
                    let style = Style::default().with(row.axis, 2).with(other.axis, -2);
                    let (mut pulled, mut styled) = (plain.clone(), plain.clone());
                    style.pull(&mut pulled, &moves::StyleExtractor::new(&line));
                    style.apply(&mut styled, &line);
                    let lost = compensation::expected_loss(&styled);
                    let allowed = style.loss_factor() * expected;
                    let aim = compensation::nearest(&pulled, allowed);
                    assert!(
                        (lost - aim).abs() < 0.05,
                        "{row:?} {other:?} {moves}: {lost} for {aim} of {allowed}"
                    );
                    short += usize::from((aim - allowed).abs() > 0.05);
                    all += 1;
                }
            }
        }
        // The tilt's bounds seldom stand in the way.
        assert!(100 * short < all, "{short} of {all}");
    }

    #[test]
    fn every_axis_is_liked_by_the_search_too_and_stays_small() {
        for row in Axis::ALL {
            for value in Style::RANGE {
                let likings = Style::default().with(row.axis, value).search_bonus();
                assert_eq!(likings == StyleBonus::default(), value == 0, "{row:?}");
                for each in Style::default().with(row.axis, value).search_bonus().amounts() {
                    assert!(each.abs() <= 40, "{row:?} {value}");
                }
            }
        }
    }
}
