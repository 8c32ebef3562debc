//! Adjudication: ends decided games early, so that a match spends its time on the others.

use sparring_chess::{Color, Variant};
use sparring_engine::Score;

/// When a game ends before the rules end it. Both engines must agree by their own scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adjudication {
    /// A side loses when both engines have scored it so for `resign_moves` moves each, by `resign_score` centipawns. None
    /// does where this is 0.
    pub resign_moves: usize,
    /// See `resign_moves`.
    pub resign_score: i32,
    /// Drawn when, from move `draw_from` of the game on, both have stayed within `draw_score` for `draw_moves` moves each.
    pub draw_from: usize,
    /// See `draw_from`; 0 for no such draws.
    pub draw_moves: usize,
    /// See `draw_from`.
    pub draw_score: i32,
    /// Drawn when this many moves were played after the opening.
    pub longest: usize,
}

impl Default for Adjudication {
    /// The customary settings of engine testers.
    fn default() -> Self {
        Self {
            resign_moves: 4,
            resign_score: 700,
            draw_from: 40,
            draw_moves: 8,
            draw_score: 10,
            longest: 200,
        }
    }
}

impl Adjudication {
    /// The customary settings where scores are those of standard chess. Elsewhere no score decides a game, for the last
    /// move may turn it around; only its length does.
    #[must_use]
    pub fn of(variant: Variant) -> Self {
        let customary = Self::default();
        if variant.traits().standard_eval {
            return customary;
        }
        Self {
            resign_moves: 0,
            draw_moves: 0,
            ..customary
        }
    }
}

/// The result of an adjudication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AdjudicatedResult {
    /// Won by this side.
    Won(Color),
    /// Drawn.
    Drawn,
}

impl Adjudication {
    /// Adjudicates by the scores reported so far, from White's view, one for each ply; `None` where none was reported.
    /// `number` is that of the next move, counted from 1 where the engines began to play.
    pub(super) fn adjudicate(&self, scores: &[Option<i32>], number: usize) -> Option<AdjudicatedResult> {
        let latest = |moves: usize| -> Option<&[Option<i32>]> {
            let plies = moves.checked_mul(2).filter(|plies| *plies > 0)?;
            scores.len().checked_sub(plies).map(|from| &scores[from..])
        };
        let all = |span: &[Option<i32>], test: &dyn Fn(i32) -> bool| {
            span.iter().all(|score| score.is_some_and(test))
        };
        if let Some(span) = latest(self.resign_moves) {
            if all(span, &|score| score >= self.resign_score) {
                return Some(AdjudicatedResult::Won(Color::White));
            }
            if all(span, &|score| score <= -self.resign_score) {
                return Some(AdjudicatedResult::Won(Color::Black));
            }
        }
        let late = number >= self.draw_from;
        if late
            && latest(self.draw_moves).is_some_and(|span| all(span, &|score| score.abs() <= self.draw_score))
        {
            return Some(AdjudicatedResult::Drawn);
        }
        (number > self.longest).then_some(AdjudicatedResult::Drawn)
    }
}

/// A score from White's view in centipawns; a mate counts as 30,000, beyond any margin.
pub(super) fn white_view(score: Score, mover: Color) -> i32 {
    let own = match score {
        Score::Cp(cp) => cp.0,
        Score::Mate(moves) => 30_000 * moves.signum(),
    };
    mover.fold_wb(own, -own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_engine_alone_cannot_end_a_game() {
        let rules = Adjudication::default();
        let one_sided: Vec<Option<i32>> = (0..20)
            .map(|ply| Some(if ply % 2 == 0 { 900 } else { 100 }))
            .collect();
        assert_eq!(rules.adjudicate(&one_sided, 12), None);
        let both = [Some(800); 8];
        assert_eq!(
            rules.adjudicate(&both, 12),
            Some(AdjudicatedResult::Won(Color::White))
        );
        assert_eq!(rules.adjudicate(&both[..7], 12), None);
        assert_eq!(
            rules.adjudicate(&[Some(-800); 8], 12),
            Some(AdjudicatedResult::Won(Color::Black))
        );
    }

    #[test]
    fn quiet_games_are_drawn_late_and_long_games_always() {
        let rules = Adjudication::default();
        let quiet = [Some(3); 16];
        assert_eq!(rules.adjudicate(&quiet, 39), None);
        assert_eq!(rules.adjudicate(&quiet, 40), Some(AdjudicatedResult::Drawn));
        let mut silent = quiet;
        silent[3] = None;
        assert_eq!(rules.adjudicate(&silent, 40), None);
        assert_eq!(rules.adjudicate(&silent, 201), Some(AdjudicatedResult::Drawn));
    }

    #[test]
    fn no_score_decides_a_game_of_other_rules() {
        let rules = Adjudication::of(Variant::Antichess);
        for score in [900, -900, 0] {
            let scores = [Some(score); 100];
            assert_eq!(rules.adjudicate(&scores, 50), None);
            assert_eq!(rules.adjudicate(&scores, 201), Some(AdjudicatedResult::Drawn));
        }
        assert_eq!(Adjudication::of(Variant::Chess960), Adjudication::default());
    }
}
