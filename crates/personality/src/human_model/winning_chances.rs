//! Winning chances of a score, by lichess' curve.

use sparring_engine::Score;

/// Winning chances in percentage points (0 to 100) by lichess' curve. A mate counts as ten pawns.
#[must_use]
pub fn winning_chances(score: Score) -> f32 {
    let centipawns = match score {
        Score::Cp(centipawns) => (centipawns.0 as f32).clamp(-1000.0, 1000.0),
        Score::Mate(moves) if moves > 0 => 1000.0,
        Score::Mate(_) => -1000.0,
    };
    100.0 / (1.0 + libm::expf(-0.003_682_08 * centipawns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::units::Centipawns;

    #[test]
    fn winning_chances_are_those_of_lichess() {
        assert!((winning_chances(Score::Cp(Centipawns(0))) - 50.0).abs() < 1e-4);
        assert!((winning_chances(Score::Cp(Centipawns(100))) - 59.1).abs() < 0.1);
        assert!(winning_chances(Score::Mate(3)) > 97.0 && winning_chances(Score::Mate(-3)) < 3.0);
    }
}
