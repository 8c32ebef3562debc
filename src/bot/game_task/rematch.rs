//! The rematch that the bot may offer after a game that was played out.

use super::GameTask;
use sparring_chess::Variant;
use sparring_lichess::model::{ChallengeColor, ChallengeRequest, Side, Status, UserId};

/// Another game with the same opponent, with colours swapped.
#[derive(Debug)]
pub(in crate::bot) struct RematchOffer {
    /// The opponent.
    pub(in crate::bot) opponent: UserId,
    /// Whether it is a bot.
    pub(in crate::bot) is_bot: bool,
    /// The game.
    pub(in crate::bot) request: ChallengeRequest,
}

impl GameTask {
    /// The rematch of this game. None where the game was not played to its end, had no clock, began from a position, belongs to a
    /// tournament, or had no account on the other side.
    pub(super) fn rematch_offer(&self) -> Option<Box<RematchOffer>> {
        let game = self.game.as_ref().filter(|_| self.saw_running)?;
        let (frame, opponent, variant) = (game.frame(), game.opponent(), game.line().variant());
        let is_played_out = matches!(
            game.status(),
            Status::Mate | Status::Resign | Status::Stalemate | Status::Draw | Status::OutOfTime
        );
        if !is_played_out || frame.tournament_id.is_some() || variant == Variant::FromPosition {
            return None;
        }
        let clock = frame.clock?;
        Some(Box::new(RematchOffer {
            opponent: opponent.id.clone()?,
            is_bot: opponent.is_bot(),
            request: ChallengeRequest {
                rated: frame.rated,
                clock: Some((clock.initial, clock.increment)),
                color: match game.my_side() {
                    Side::White => ChallengeColor::Black,
                    Side::Black => ChallengeColor::White,
                },
                variant,
                fen: None,
            },
        }))
    }
}
