//! The rematch that the bot may offer after a game that was played out.

use super::GameTask;
use crate::{
    bot::challenges::{rule_context::RuleContext, rules},
    config::Action,
};
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
    /// tournament, had no account on the other side, or where the rules would decline it.
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
        let facts = RuleContext {
            rematch: true,
            ..RuleContext::of_game(frame, game.my_side(), &self.settings.local_context)
        };
        let is_declined = matches!(
            rules::rule_on(&self.settings.config.rules, &facts).then,
            Action::Decline(_)
        );
        if is_declined {
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
