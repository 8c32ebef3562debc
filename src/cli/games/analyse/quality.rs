//! How well a side played, by what its moves lost in winning chances.

use serde::{Deserialize, Serialize};

use sparring_chess::{Color, GameHistory, Rules as _, Variant, write_fen};
use sparring_engine::Score;
use sparring_personality::human_model::winning_chances;

/// From so many percentage points of winning chances on a move is an inaccuracy, a mistake, a blunder: lichess' limits.
const LIMITS: [f64; 3] = [5.0, 10.0, 15.0];

/// The moves of one side of a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Quality {
    /// How many.
    pub(super) moves: u32,
    /// The mean of lichess' accuracy of a move, from 0 to 100.
    pub(super) accuracy: f64,
    /// The mean loss of a move, in percentage points of winning chances.
    pub(super) loss: f64,
    /// Moves that lost more than 5 points, and at most 10.
    pub(super) inaccuracies: u32,
    /// More than 10, and at most 15.
    pub(super) mistakes: u32,
    /// More than 15.
    pub(super) blunders: u32,
}

impl Quality {
    /// Counts the losses of a side's moves, each from 0 to 100.
    pub(super) fn of(losses: &[f64]) -> Self {
        let over = |limit: f64| losses.iter().filter(|loss| **loss > limit).count() as u32;
        let [inaccuracies, mistakes, blunders] = LIMITS.map(over);
        let mean = |value: fn(f64) -> f64| {
            let sum: f64 = losses.iter().map(|loss| value(*loss)).sum();
            // Hundredths, so that a row says the same wherever it was computed.
            (100.0 * sum / losses.len().max(1) as f64).round() / 100.0
        };
        Self {
            moves: losses.len() as u32,
            accuracy: mean(accuracy),
            loss: mean(|loss| loss),
            inaccuracies: inaccuracies - mistakes,
            mistakes: mistakes - blunders,
            blunders,
        }
    }
}

/// lichess' accuracy of a move that lost so many percentage points of winning chances, from 0 to 100.
/// Source: lichess.org/page/accuracy.
fn accuracy(loss: f64) -> f64 {
    (103.1668 * libm::exp(-0.04354 * loss) - 3.1669).clamp(0.0, 100.0)
}

/// What each half move of a game lost, in percentage points of winning chances. `verdict` scores a position for the side to move.
///
/// # Errors
/// Those of `verdict`.
pub(super) fn losses<E>(
    line: &GameHistory,
    mut verdict: impl FnMut(&GameHistory) -> Result<Score, E>,
) -> Result<Vec<f64>, E> {
    let variant = line.variant();
    let mut now = GameHistory::from_position(variant, line.start().clone());
    let mut before = chances(&now, &mut verdict)?;
    let mut losses = Vec::with_capacity(line.moves().len());
    for mv in line.moves() {
        now.play(*mv);
        let after = chances(&now, &mut verdict)?;
        losses.push((before - (100.0 - after)).max(0.0));
        before = after;
    }
    Ok(losses)
}

/// The winning chances of the side to move, from 0 to 100.
fn chances<E>(
    line: &GameHistory,
    verdict: &mut impl FnMut(&GameHistory) -> Result<Score, E>,
) -> Result<f64, E> {
    // The board alone: a draw by repetition is agreed on by both, and no mistake of one.
    let alone = GameHistory::from_position(line.variant(), line.position().clone());
    match alone.outcome() {
        Some(outcome) => Ok(match outcome.winner() {
            Some(winner) if winner == line.turn() => 100.0,
            Some(_) => 0.0,
            None => 50.0,
        }),
        None => Ok(f64::from(winning_chances(verdict(&alone)?))),
    }
}

/// The losses of one side's moves.
pub(super) fn of_side(line: &GameHistory, losses: &[f64], side: Color) -> Vec<f64> {
    let skipped = usize::from(line.start().turn() != side);
    losses.iter().skip(skipped).step_by(2).copied().collect()
}

/// A position in words: variant, and FEN without the number of the move.
pub(super) fn position_key(line: &GameHistory) -> String {
    let fen = write_fen(line.position());
    let key = fen.rsplit_once(' ').map_or(fen.as_str(), |(key, _)| key);
    match line.variant() {
        Variant::Standard => key.to_owned(),
        variant => format!("{} {key}", variant.key()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::units::Centipawns;

    #[test]
    fn a_move_is_judged_by_what_it_lost() {
        let losses = [0.0, 5.0, 5.1, 10.0, 10.1, 15.0, 15.1, 100.0];
        let quality = Quality::of(&losses);
        assert_eq!(
            (
                quality.moves,
                quality.inaccuracies,
                quality.mistakes,
                quality.blunders
            ),
            (8, 2, 2, 2)
        );
        // lichess' page: no loss is accuracy 100, ten points lost about 63.6, all of it 0.
        assert!((accuracy(0.0) - 100.0).abs() < 0.01);
        assert!((accuracy(10.0) - 63.58).abs() < 0.01, "{}", accuracy(10.0));
        assert_eq!(accuracy(100.0), 0.0);
        assert_eq!(Quality::of(&[]), Quality::default());
    }

    #[test]
    fn losses_are_those_of_the_mover() {
        // Scores for the side to move: level, then White has given a rook, then Black has given it back.
        let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5 g1f3").unwrap();
        let scores = [0, 500, -20, 30];
        let found = losses(&line, |line| {
            let ply = match line.position().board().occupied() {
                _ if line.position() == GameHistory::new(Variant::Standard).position() => 0,
                _ if position_key(line).starts_with("rnbqkbnr/pppppppp") => 1,
                _ if position_key(line).contains("5N2") => 3,
                _ => 2,
            };
            Ok::<_, ()>(Score::Cp(Centipawns(scores[ply])))
        })
        .unwrap();
        let chance = |score| f64::from(winning_chances(Score::Cp(Centipawns(score))));
        let expected = [
            50.0 - chance(-500),
            chance(500) - chance(20),
            chance(-20) - chance(-30),
        ];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
        assert_eq!(of_side(&line, &found, Color::Black), [found[1]]);
        assert_eq!(of_side(&line, &found, Color::White), [found[0], found[2]]);
    }

    #[test]
    fn an_end_on_the_board_needs_no_search() {
        let line = GameHistory::replay(Variant::Standard, "startpos", "f2f3 e7e5 g2g4 d8h4").unwrap();
        let mut asked = 0;
        let found = losses(&line, |line| {
            asked += 1;
            assert_ne!(line.position().legal_moves().len(), 0);
            Ok::<_, ()>(Score::Cp(Centipawns(0)))
        })
        .unwrap();
        assert_eq!(asked, 4);
        assert_eq!(found[3], 0.0, "a mate loses nothing");
    }

    #[test]
    fn positions_are_known_whatever_the_number_of_the_move() {
        let key = |fen: &str| position_key(&GameHistory::replay(Variant::Standard, fen, "").unwrap());
        assert_eq!(
            key("7k/8/5K2/8/8/8/8/6Q1 w - - 3 90"),
            key("7k/8/5K2/8/8/8/8/6Q1 w - - 3 7")
        );
        assert_ne!(
            key("7k/8/5K2/8/8/8/8/6Q1 w - - 3 90"),
            key("7k/8/5K2/8/8/8/8/6Q1 w - - 90 90")
        );
        let atomic = GameHistory::new(Variant::Atomic);
        assert!(
            position_key(&atomic).starts_with("atomic rnbq"),
            "{}",
            position_key(&atomic)
        );
    }
}
