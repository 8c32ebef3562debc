//! Results of API calls that the event loop did not wait for.

use std::collections::BTreeSet;

use crate::{
    bot::{game_task::TaskSettings, server::login::DaemonError},
    config::Tournaments,
};
use sparring_lichess::{
    CallError, ChallengeOutcome, NdjsonStream,
    model::{
        Account, ArenaId, Challenge, ChallengeDone, DeclineReason, GameId, NowPlaying, TeamId, Tournament,
        UserId,
    },
    retry::{Backoff, EndpointClass},
};

/// The result of an API call, or a pause that is over.
pub(super) enum Completion {
    Accepted(GameId, Result<(), CallError>),
    AcceptChecked(GameId, Result<NowPlaying, CallError>),
    Declined(GameId, DeclineReason, Result<(), CallError>),
    OngoingGames(Result<NowPlaying, CallError>),
    Account(Result<Account, CallError>),
    TokenChecked(Result<Result<(), DaemonError>, CallError>),
    Resigned(Result<(), CallError>),
    RetryDue(Box<TaskSettings>),
    OnlineBots(Result<Vec<Account>, CallError>),
    /// With the game of which it is a rematch.
    ChallengeSent(
        UserId,
        Option<GameId>,
        Result<(Box<Challenge>, NdjsonStream<ChallengeOutcome>), CallError>,
    ),
    ChallengeAnswered(GameId, Option<ChallengeDone>),
    ExpiryChecked(GameId, Result<NowPlaying, CallError>),
    ChallengeWithdrawn(GameId, Backoff, Result<(), CallError>),
    WithdrawalRetryDue(GameId, Backoff),
    TournamentsListed(TournamentSnapshot),
    TournamentJoined(ArenaId, Result<(), CallError>),
    TournamentLeft(Result<(), CallError>),
}

impl Completion {
    /// The error of the call, if it failed. The token check has its own.
    pub(super) fn error(&self) -> Option<&CallError> {
        match self {
            Self::Accepted(_, answer)
            | Self::Declined(_, _, answer)
            | Self::Resigned(answer)
            | Self::ChallengeWithdrawn(_, _, answer)
            | Self::TournamentJoined(_, answer)
            | Self::TournamentLeft(answer) => answer.as_ref().err(),
            Self::OngoingGames(answer) | Self::AcceptChecked(_, answer) | Self::ExpiryChecked(_, answer) => {
                answer.as_ref().err()
            }
            Self::Account(answer) => answer.as_ref().err(),
            Self::OnlineBots(answer) => answer.as_ref().err(),
            Self::ChallengeSent(_, _, answer) => answer.as_ref().err(),
            Self::TokenChecked(_)
            | Self::RetryDue(_)
            | Self::ChallengeAnswered(..)
            | Self::WithdrawalRetryDue(..)
            | Self::TournamentsListed(_) => None,
        }
    }
}

/// What lichess says of tournaments.
pub(super) struct TournamentSnapshot {
    /// The settings that asked for it.
    pub(super) wish: Tournaments,
    /// Teams that were asked to take us, and have answered.
    pub(super) answered: BTreeSet<TeamId>,
    pub(super) arenas: Vec<Tournament>,
    pub(super) errors: Vec<(EndpointClass, CallError)>,
}
