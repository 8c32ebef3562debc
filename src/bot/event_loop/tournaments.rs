//! Event loop: tournament calls. [`TournamentState`](crate::bot::tournaments::state::TournamentState) decides which to join
//! and leave.

use std::{collections::BTreeSet, sync::Arc};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use tracing::{debug, info, warn};

use crate::bot::{
    event_loop::{
        EventLoop,
        completion::{Completion, TournamentSnapshot},
    },
    server::retry_call::retry_until_answered,
    tournaments::state::TournamentAction,
};
use crate::config::Tournaments;
use sparring_chess::units::Millis;
use sparring_lichess::{
    CallError, Client, Escaped,
    model::{ArenaId, TeamId},
    retry::EndpointClass,
};

impl EventLoop {
    /// Lists tournaments, joins them when they begin, and rejoins for the next game.
    pub(super) fn maybe_join(&mut self, now: Millis) {
        if self.is_closing() {
            return;
        }
        let config = Arc::clone(&self.options.borrow().config);
        // Tournament games take slots of bots; slots reserved for humans stay free.
        while self.context.client.blocked_for(EndpointClass::Invite).is_none()
            && let Some(action) =
                self.tournaments
                    .next(&config.tournaments, self.seats_for_bots(None, now), now)
        {
            match action {
                TournamentAction::Look(teams) => {
                    let config = Arc::clone(&config);
                    self.call(|client| async move {
                        Completion::TournamentsListed(
                            list_tournaments(&client, &config.tournaments, teams).await,
                        )
                    });
                }
                TournamentAction::Join(id, team) => {
                    debug!("joining the tournament {id}");
                    self.call(|client| async move {
                        let answer = client.join_tournament(&id, team.as_ref()).await;
                        Completion::TournamentJoined(id, answer)
                    });
                }
                TournamentAction::Leave(id) => self.leave_tournament(id),
            }
        }
    }

    /// When [`maybe_join`](Self::maybe_join) may have something to do.
    pub(super) fn next_tournament_at(&self) -> Option<Millis> {
        let options = self.options.borrow();
        let is_limited = self.context.client.blocked_for(EndpointClass::Invite).is_some();
        if self.is_closing() || is_limited {
            return None;
        }
        self.tournaments
            .next_deadline(&options.config.tournaments, self.now())
    }

    /// Handles what lichess says of the tournaments.
    pub(super) fn on_tournaments_listed(&mut self, listed: TournamentSnapshot) {
        for (class, error) in &listed.errors {
            self.record_rate_limit(*class, error);
            warn!("tournaments: {error}");
            if matches!(error, CallError::Unauthorized { .. }) {
                self.check_token();
            }
        }
        let now = self.now();
        for arena in &listed.arenas {
            let name = Escaped(&arena.full_name);
            debug!(
                "tournament {} \"{name}\", bots allowed: {}",
                arena.id, arena.bots_allowed
            );
        }
        let is_complete = listed.errors.is_empty();
        self.tournaments
            .on_announced(&listed.wish, listed.answered, listed.arenas, is_complete, now);
    }

    /// Handles the answer to a request to join.
    pub(super) fn on_tournament_joined(&mut self, id: &ArenaId, answer: Result<(), CallError>) {
        match answer {
            // The owner may have paused the bot or asked it to end meanwhile.
            Ok(()) if self.is_closing() || !self.options.borrow().config.tournaments.enabled => {
                self.tournaments.begin_leaving();
                self.leave_tournament(id.clone());
            }
            Ok(()) => info!("in the tournament {id}, waiting for a game"),
            Err(error) => {
                self.record_rate_limit(EndpointClass::Invite, &error);
                warn!("tournament {id}: {error}");
                let now = self.now();
                self.tournaments.failed(id, &error, now);
            }
        }
    }

    /// Leaves every tournament, so that nobody is paired with a bot that is about to end.
    pub(super) fn leave_tournaments(&mut self) {
        for id in self.tournaments.close() {
            self.leave_tournament(id);
        }
    }

    /// Leaves a tournament: a bot that stays is paired, and loses the games that it does not play.
    fn leave_tournament(&mut self, id: ArenaId) {
        info!("leaving the tournament {id}");
        let rng = ChaCha8Rng::seed_from_u64(self.rng.random());
        self.call(move |client| async move {
            Completion::TournamentLeft(
                retry_until_answered(rng, || client.withdraw_from_tournament(&id)).await,
            )
        });
    }
}

/// Joins teams, and lists the tournaments that the settings name, one call after the other.
async fn list_tournaments(
    client: &Client,
    settings: &Tournaments,
    teams: BTreeSet<TeamId>,
) -> TournamentSnapshot {
    let mut errors = Vec::new();
    let mut answered = BTreeSet::new();
    for team in teams {
        let answer = client.join_team(&team).await;
        // A team that has not answered is asked again next time.
        if answer.as_ref().err().is_none_or(CallError::is_final) {
            answered.insert(team);
        }
        errors.extend(answer.err().map(|error| (EndpointClass::Invite, error)));
    }
    let mut ids: BTreeSet<ArenaId> = settings.arenas.iter().cloned().collect();
    for team in &settings.teams {
        match client.team_tournaments(team).await {
            Ok(listed) => {
                let open = listed.into_iter().filter(|arena| !arena.is_over());
                ids.extend(open.map(|arena| arena.id));
            }
            Err(error) => errors.push((EndpointClass::Read, error)),
        }
    }
    let mut arenas = Vec::new();
    for id in &ids {
        match client.tournament(id).await {
            Ok(arena) => arenas.push(arena),
            Err(error) => errors.push((EndpointClass::Read, error)),
        }
    }
    TournamentSnapshot {
        wish: settings.clone(),
        answered,
        arenas,
        errors,
    }
}
