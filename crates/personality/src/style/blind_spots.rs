//! Blind spots: kinds of moves that a personality tends to overlook.

use super::{compensation::expected_loss, moves::StyleExtractor};
use crate::human_model::Candidate;
use sparring_chess::{GameHistory, Move, Role, Square};
use sparring_config_schema::Choice;

/// A kind of move that a personality overlooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlindSpot {
    /// Knight moves.
    Knights,
    /// Moves back towards the own side.
    Backward,
    /// Bishop, rook and queen moves of four squares or more.
    Far,
    /// Moves of a piece away from a square where it would be lost.
    Defence,
}

impl BlindSpot {
    /// Number of kinds.
    pub(super) const COUNT: usize = Self::NAMES.0.len();

    /// Their names in a personality file.
    pub const NAMES: Choice<Self> = Choice(&[
        ("knights", Self::Knights),
        ("backward", Self::Backward),
        ("far", Self::Far),
        ("defence", Self::Defence),
    ]);

    /// Whether a legal move can be overlooked at all: recaptures and moves out of check cannot.
    pub fn is_possible(line: &GameHistory, mv: Move) -> bool {
        can_be_missed(&StyleExtractor::new(line), mv)
    }

    /// The kinds of a legal move.
    pub fn of(line: &GameHistory, mv: Move) -> impl Iterator<Item = Self> {
        let extractor = StyleExtractor::new(line);
        let kinds = Self::NAMES.0.iter().map(|(_, kind)| *kind);
        kinds.filter(move |kind| BlindSpots::of(&[*kind]).covers(&extractor, mv))
    }
}

/// A set of blind spots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct BlindSpots(u8);

impl BlindSpots {
    /// The set of these kinds.
    pub fn of(kinds: &[BlindSpot]) -> Self {
        Self(kinds.iter().fold(0, |all, kind| all | 1 << *kind as u8))
    }

    /// Whether it contains a kind.
    pub fn has(self, kind: BlindSpot) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    /// Whether a legal move is of a kind in the set.
    pub fn covers(self, extractor: &StyleExtractor<'_>, mv: Move) -> bool {
        if self == Self::default() || !can_be_missed(extractor, mv) {
            return false;
        }
        let slides = matches!(mv.role(), Role::Bishop | Role::Rook | Role::Queen);
        let far = |from: Square| from.distance(mv.to()) >= 4;
        self.has(BlindSpot::Knights) && mv.role() == Role::Knight
            || self.has(BlindSpot::Backward) && extractor.is_backward(mv)
            || self.has(BlindSpot::Far) && slides && mv.from().is_some_and(far)
            || self.has(BlindSpot::Defence) && !mv.is_capture() && extractor.escapes_loss(mv)
    }

    /// Lowers the chances of overlooked moves and returns how much more the choice may lose, in percentage points of winning
    /// chances. Unlike an axis, a blind spot counts however good the move is.
    pub fn apply(self, candidates: &mut [Candidate], extractor: &StyleExtractor<'_>) -> f32 {
        let before = expected_loss(candidates);
        for candidate in candidates.iter_mut() {
            if self.covers(extractor, candidate.mv) {
                candidate.chance *= libm::expf(-OVERLOOKED);
            }
        }
        if !self.has(BlindSpot::Defence) {
            return 0.0;
        }
        UNCOMPENSATED * (expected_loss(candidates) - before).max(0.0)
    }
}

/// Decrease of the log-chance of an overlooked move: it is played a sixth as often.
const OVERLOOKED: f32 = 1.8;

/// Share of the cost of an overlooked rescue that is not compensated in the same position. The rescue is often the only good
/// move, so that full compensation would restore it. The Elo cost of the blind spot compensates it elsewhere.
const UNCOMPENSATED: f32 = 0.5;

fn can_be_missed(extractor: &StyleExtractor<'_>, mv: Move) -> bool {
    !extractor.is_in_check() && !extractor.is_recapture(mv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Variant, parse_uci};

    #[test]
    fn each_kind_covers_its_moves_and_no_others() {
        // White's queen on h5 is attacked by the knight of f6.
        const ATTACKED: &str = "e2e4 e7e5 d1h5 g8f6";
        for (kind, moves, covered, free) in [
            (BlindSpot::Knights, ATTACKED, "g1f3", "f1c4"),
            (BlindSpot::Backward, ATTACKED, "h5d1", "h5f7"),
            (BlindSpot::Far, ATTACKED, "h5d1", "h5g5"),
            (BlindSpot::Defence, ATTACKED, "h5e2", "b1c3"),
            // What takes is seen, though it leaves the square.
            (BlindSpot::Defence, ATTACKED, "h5f3", "h5e5"),
            (BlindSpot::Knights, "e2e4 d7d5 b1c3 d5e4", "g1f3", "c3e4"),
            // In check.
            (BlindSpot::Knights, "e2e4 e7e5 d2d3", "g8f6", "f8b4"),
        ] {
            let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
            let extractor = StyleExtractor::new(&line);
            let covers = |text: &str| {
                BlindSpots::of(&[kind]).covers(&extractor, parse_uci(line.position(), text).unwrap())
            };
            assert!(covers(covered), "{kind:?} {covered}");
            assert!(!covers(free), "{kind:?} {free}");
        }
        let check = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5 d2d3 f8b4").unwrap();
        let block = parse_uci(check.position(), "b1c3").unwrap();
        assert!(!BlindSpots::of(&[BlindSpot::Knights]).covers(&StyleExtractor::new(&check), block));
    }
}
