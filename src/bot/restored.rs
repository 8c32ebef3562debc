//! What earlier runs of the daemon left in the archive that still matters.

use crate::store::{ChallengeCooldown, GameFlags, OpponentScore, RequestedPersona};
use sparring_chess::units::Millis;
use sparring_lichess::model::{GameId, UserId};

/// What earlier runs of the daemon left behind that still matters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RestoredState {
    /// With whom games were begun since midnight UTC, once for each game, and whether that was a bot.
    pub opponents_today: Vec<(UserId, bool)>,
    /// Casual games begun since then that were not drawn: against whom, and whether the opponent won.
    pub decided_today: Vec<(UserId, bool)>,
    /// Whom opponents asked for in a game in which it was too late.
    pub requested_personas: Vec<(UserId, RequestedPersona)>,
    /// Limits of the server that may still hold, and until when, in milliseconds since 1970.
    pub limits: Vec<(String, Millis)>,
    /// Who is not challenged for a while, until when since 1970.
    pub cooldowns: Vec<ChallengeCooldown>,
    /// Challenges of ours since midnight UTC.
    pub asked_today: u32,
    /// Challenges of the last day that wanted to repeat a game, the oldest first, each with that game.
    pub repeats: Vec<(GameId, GameId)>,
    /// What was played with each opponent ever.
    pub scores: Vec<(UserId, OpponentScore)>,
    /// Games that were running when the last run ended: what became of those that run no more is still to be kept.
    pub unfinished: Vec<GameId>,
    /// What was granted in those games so far.
    pub game_flags: Vec<(GameId, GameFlags)>,
}
