//! Softmax temperature of the choice, and the preference for winning moves in won positions.

use crate::human_model::{Candidate, ScoredMove};
use sparring_engine::Score;

/// Raises chances to a power. In won positions it also prefers moves that keep the lead: beyond ten pawns all moves have equal
/// winning chances, so that the model would not make progress.
pub(super) fn sharpen(candidates: &mut [Candidate], sharpness: f32, scored: &[ScoredMove]) {
    let best = scored.iter().map(|each| lead(each.deep)).max().unwrap_or(0);
    for candidate in candidates.iter_mut() {
        let found = scored.iter().find(|each| each.mv == candidate.mv);
        let behind = found.map_or(0, |each| best - lead(each.deep).max(WON));
        let reluctance = if best > WON {
            behind as f32 / LEAD_PER_E
        } else {
            0.0
        };
        let log_chance = libm::logf(candidate.chance.max(f32::MIN_POSITIVE));
        candidate.chance = libm::expf(log_chance * sharpness - reluctance);
    }
    let sum: f32 = candidates.iter().map(|each| each.chance).sum();
    for candidate in candidates {
        candidate.chance /= sum;
    }
}

/// Lead in centipawns at which the winning chances saturate.
const WON: i32 = 1000;

/// Centipawns of lead given up that make a move of a won game e times less likely.
const LEAD_PER_E: f32 = 150.0;

/// A score in centipawns; sooner mates are larger.
fn lead(score: Score) -> i32 {
    const MATE: i32 = 3000;
    const SOONER: i32 = 30;
    match score {
        Score::Cp(cp) => cp.0.clamp(-MATE, MATE),
        Score::Mate(moves) if moves > 0 => MATE + (20 - moves.min(20)) * SOONER,
        Score::Mate(_) => -MATE,
    }
}
