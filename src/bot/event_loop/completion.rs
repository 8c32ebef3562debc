//! Results of API calls that the event loop did not wait for.

use std::collections::BTreeSet;

use crate::{
    bot::{game_task::TaskSettings, server::login::DaemonError},
    config::Tournaments,
};
use sparring_lichess::{
    CallError, ChallengeOutcome, NdjsonStream,
    model::{
        Account, Arena, ArenaId, Challenge, ChallengeDone, DeclineReason, GameId, NowPlaying, TeamId, UserId,
    },
    retry::{Backoff, EndpointClass},
};

/// The end of a call that the daemon did not wait for.
pub(in crate::bot) enum Completion {
    Accepted(GameId, Result<(), CallError>),
    Doubted(GameId, Result<NowPlaying, CallError>),
    Declined(GameId, DeclineReason, Result<(), CallError>),
    Listed(Result<NowPlaying, CallError>),
    Account(Result<Account, CallError>),
    Checked(Result<Result<(), DaemonError>, CallError>),
    Resigned(Result<(), CallError>),
    Retried(Box<TaskSettings>),
    Online(Result<Vec<Account>, CallError>),
    Invited(
        UserId,
        Result<(Box<Challenge>, NdjsonStream<ChallengeOutcome>), CallError>,
    ),
    Decided(GameId, Option<ChallengeDone>),
    Lapsed(GameId, Result<NowPlaying, CallError>),
    Cancelled(GameId, Backoff, Result<(), CallError>),
    Uncancelled(GameId, Backoff),
    Seen(TournamentSnapshot),
    Joined(ArenaId, Result<(), CallError>),
    Withdrawn(Result<(), CallError>),
}

impl Completion {
    /// Why the call failed, if it did. The check of the token judges for itself.
    pub(super) fn error(&self) -> Option<&CallError> {
        match self {
            Self::Accepted(_, answer)
            | Self::Declined(_, _, answer)
            | Self::Resigned(answer)
            | Self::Cancelled(_, _, answer)
            | Self::Joined(_, answer)
            | Self::Withdrawn(answer) => answer.as_ref().err(),
            Self::Listed(answer) | Self::Doubted(_, answer) | Self::Lapsed(_, answer) => {
                answer.as_ref().err()
            }
            Self::Account(answer) => answer.as_ref().err(),
            Self::Online(answer) => answer.as_ref().err(),
            Self::Invited(_, answer) => answer.as_ref().err(),
            Self::Checked(_)
            | Self::Retried(_)
            | Self::Decided(..)
            | Self::Uncancelled(..)
            | Self::Seen(_) => None,
        }
    }
}

/// What a look at the arenas has shown.
pub(in crate::bot) struct TournamentSnapshot {
    /// The settings that asked for it.
    pub(super) wish: Tournaments,
    /// Teams that were asked to take us, and have answered.
    pub(super) answered: BTreeSet<TeamId>,
    pub(super) arenas: Vec<Arena>,
    pub(super) errors: Vec<(EndpointClass, CallError)>,
}
