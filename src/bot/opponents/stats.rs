//! All-time statistics by opponent: games, score and last level. Restored from the archive and kept up to
//! date.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use crate::store::OpponentScore;
use sparring_chess::units::Elo;
use sparring_lichess::model::UserId;

/// Capacity; the archive has all opponents.
const MOST: usize = 200_000;

/// The scores against all opponents.
#[derive(Debug, Default)]
pub(in crate::bot) struct OpponentStats(Mutex<BTreeMap<UserId, OpponentScore>>);

impl OpponentStats {
    /// Restores the scores of earlier runs.
    pub(in crate::bot) fn of(past: &[(UserId, OpponentScore)]) -> Self {
        Self(Mutex::new(past.iter().take(MOST).cloned().collect()))
    }

    /// Adds a game: half points of the bot (2 for a win, 1 for a draw). `casual` has the level of a casual game.
    pub(in crate::bot) fn ended(&self, opponent: &UserId, half_points: u32, casual: Option<Option<Elo>>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST || known.contains_key(opponent) {
            let score = known.entry(opponent.clone()).or_default();
            score.games = score.games.saturating_add(1);
            score.half_points = score.half_points.saturating_add(half_points);
            score.level = casual.unwrap_or(score.level);
        }
    }

    /// The score against an opponent.
    pub(in crate::bot) fn score(&self, opponent: &UserId) -> OpponentScore {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(opponent).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_played_adds_up_to_a_score() {
        let ana: UserId = "ana".parse().unwrap();
        let before = OpponentScore {
            games: 3,
            half_points: 2,
            level: Some(Elo(1300)),
        };
        let known = OpponentStats::of(&[(ana.clone(), before)]);
        assert_eq!(known.score(&ana).percent(), Some(33));
        known.ended(&ana, 2, None);
        assert_eq!(
            known.score(&ana).level,
            Some(Elo(1300)),
            "a rated game says nothing"
        );
        assert_eq!(known.score(&ana).games, 4);
        assert_eq!(known.score(&ana).percent(), Some(50));
        known.ended(&ana, 1, Some(Some(Elo(1250))));
        assert_eq!(known.score(&ana).level, Some(Elo(1250)));
        known.ended(&ana, 1, Some(None));
        assert_eq!(known.score(&ana).level, None, "full strength is no level");
        assert_eq!(known.score(&"boris".parse().unwrap()).percent(), None);
    }
}
