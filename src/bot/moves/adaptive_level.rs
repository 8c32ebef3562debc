//! Adaptive level in casual games: from game to game by results, or within a game by its score. No IO.

use crate::config::Adapt;
use sparring_chess::units::Elo;
use sparring_engine::Score;
use sparring_personality::Level;

/// A game ahead or behind changes the level by so much.
const STEP: i32 = 30;
/// Results change it by no more than this.
const MOST_BY_RESULTS: i32 = 200;

/// A pawn ahead or behind changes the level within a game by so much.
const FOR_A_PAWN: i32 = 60;
/// How the game stands changes it by no more than this.
const MOST_BY_SCORE: i32 = 300;

/// The level of the next game against somebody who is so many games ahead.
pub(in crate::bot) fn by_results(level: Elo, lead: i32) -> Elo {
    let change = lead.saturating_mul(STEP).clamp(-MOST_BY_RESULTS, MOST_BY_RESULTS);
    moved(level, change)
}

/// The level of the next move of a game by the score of the last: the worse the bot stands, the better it plays.
pub(in crate::bot) fn by_score(level: Elo, last: Option<Score>) -> Elo {
    let behind = match last {
        None => 0,
        Some(Score::Cp(cp)) => -cp.0,
        Some(Score::Mate(moves)) => -moves.signum() * 100 * MOST_BY_SCORE,
    };
    let change = behind.saturating_mul(FOR_A_PAWN) / 100;
    moved(level, change.clamp(-MOST_BY_SCORE, MOST_BY_SCORE))
}

fn moved(level: Elo, change: i32) -> Elo {
    let moved = level.0.saturating_add_signed(change);
    Elo(moved.clamp(*Level::RANGE.start(), *Level::RANGE.end()))
}

/// What the opponent is told of it when a game begins: nobody is adapted to behind their back.
pub(in crate::bot) fn told(adapt: Adapt, level: Elo, lead: i32) -> Option<String> {
    match (adapt, lead) {
        (Adapt::Off, _) | (Adapt::Rematches, 0) => None,
        (Adapt::Rematches, 1..) => Some(format!(
            "You are {lead} ahead of me today, so I play a little stronger: level {level}."
        )),
        (Adapt::Rematches, _) => Some(format!(
            "I am {} ahead of you today, so I play a little weaker: level {level}.",
            lead.unsigned_abs()
        )),
        (Adapt::WithinGame, _) => Some(format!(
            "My level follows this game: around {level}, stronger while I stand worse and weaker while I stand better."
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::units::Centipawns;
    use sparring_personality::chat_lines::LONGEST_LINE;

    #[test]
    fn a_game_ahead_is_a_step_and_there_is_an_end_to_it() {
        assert_eq!(by_results(Elo(1400), 0), Elo(1400));
        assert_eq!(by_results(Elo(1400), 2), Elo(1460));
        assert_eq!(by_results(Elo(1400), -1), Elo(1370));
        assert_eq!(by_results(Elo(1400), 50), Elo(1600));
        assert_eq!(by_results(Elo(1400), i32::MIN), Elo(1200));
        assert_eq!(by_results(Elo(650), -5), Elo(600));
    }

    #[test]
    fn within_a_game_the_level_rises_as_the_score_falls() {
        let level = |score| by_score(Elo(1400), score).0;
        assert_eq!(level(None), 1400);
        assert_eq!(level(Some(Score::Cp(Centipawns(200)))), 1280);
        assert_eq!(level(Some(Score::Cp(Centipawns(-300)))), 1580);
        assert_eq!(level(Some(Score::Cp(Centipawns(3000)))), 1100);
        assert_eq!(level(Some(Score::Mate(3))), 1100);
        assert_eq!(level(Some(Score::Mate(-3))), 1700);
    }

    #[test]
    fn what_is_told_fits_a_line_and_nothing_is_told_where_nothing_changes() {
        for adapt in [Adapt::Off, Adapt::Rematches, Adapt::WithinGame] {
            for lead in [i32::MIN, -1, 0, 1, i32::MAX] {
                let told = told(adapt, Elo(1400), lead);
                assert!(
                    told.as_ref().is_none_or(|line| line.len() <= LONGEST_LINE),
                    "{told:?}"
                );
                let is_silent = adapt == Adapt::Off || (adapt == Adapt::Rematches && lead == 0);
                assert_eq!(told.is_none(), is_silent);
            }
        }
    }
}
