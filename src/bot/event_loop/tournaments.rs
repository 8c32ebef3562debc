//! Playing in arenas: the calls that the wishes of the settings need, and what comes of them.

use std::collections::BTreeSet;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use tracing::{debug, info, warn};

use crate::bot::{
    event_loop::{
        EventLoop,
        completion::{Completion, TournamentSnapshot},
    },
    server::retry_call::insist,
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
    /// Looks for arenas, joins them when they begin, and asks there for the next game.
    pub(super) fn maybe_join(&mut self, now: Millis) {
        if self.is_closing() {
            return;
        }
        let wish = self.options.borrow().tournaments.clone();
        // An arena's games are counted among those of bots: what is kept for people stays theirs.
        while self.shared.client.silence(EndpointClass::Invite).is_none()
            && let Some(order) = self.tournaments.next(&wish, self.seats_for_bots(None, now), now)
        {
            match order {
                TournamentAction::Look(teams) => {
                    let wish = wish.clone();
                    self.call(|client| async move { Completion::Seen(look(&client, &wish, teams).await) });
                }
                TournamentAction::Join(id, team) => {
                    debug!("joining the arena {id}");
                    self.call(|client| async move {
                        let answer = client.join_arena(&id, team.as_ref()).await;
                        Completion::Joined(id, answer)
                    });
                }
                TournamentAction::Leave(id) => self.leave_tournament(id),
            }
        }
    }

    /// When [`contend`](Self::contend) may have something to do.
    pub(super) fn next_tournament_at(&self) -> Option<Millis> {
        let options = self.options.borrow();
        let is_silent = self.shared.client.silence(EndpointClass::Invite).is_some();
        if self.is_closing() || is_silent {
            return None;
        }
        self.tournaments.next_deadline(&options.tournaments, self.now())
    }

    /// A look at the arenas has come back.
    pub(super) fn on_tournaments_listed(&mut self, seen: TournamentSnapshot) {
        for (class, error) in &seen.errors {
            self.record_rate_limit(*class, error);
            warn!("arenas: {error}");
            if matches!(error, CallError::Unauthorized { .. }) {
                self.check_token();
            }
        }
        let now = self.now();
        for arena in &seen.arenas {
            let name = Escaped(&arena.full_name);
            debug!(
                "arena {} \"{name}\", bots allowed: {}",
                arena.id, arena.bots_allowed
            );
        }
        let is_complete = seen.errors.is_empty();
        self.tournaments
            .learned(&seen.wish, seen.answered, seen.arenas, is_complete, now);
    }

    /// An arena has let us in, or not.
    pub(super) fn on_tournament_joined(&mut self, id: &ArenaId, answer: Result<(), CallError>) {
        match answer {
            // Since it was asked for, the owner may have paused the bot or asked it to end.
            Ok(()) if self.is_closing() || !self.options.borrow().tournaments.enabled => {
                self.tournaments.leaves();
                self.leave_tournament(id.clone());
            }
            Ok(()) => info!("in the arena {id}, waiting for a game"),
            Err(error) => {
                self.record_rate_limit(EndpointClass::Invite, &error);
                warn!("arena {id}: {error}");
                let now = self.now();
                self.tournaments.failed(id, &error, now);
            }
        }
    }

    /// Leaves every arena, so that nobody is paired with a bot that is about to end.
    pub(super) fn leave_tournaments(&mut self) {
        for id in self.tournaments.close() {
            self.leave_tournament(id);
        }
    }

    /// Who stays in an arena is paired, and loses games that nobody plays.
    fn leave_tournament(&mut self, id: ArenaId) {
        info!("leaving the arena {id}");
        let rng = ChaCha8Rng::seed_from_u64(self.rng.random());
        self.call(move |client| async move {
            Completion::Withdrawn(insist(rng, || client.withdraw_from_arena(&id)).await)
        });
    }
}

/// Asks to become a member of teams, and looks at the arenas that the settings name, one call after the other.
async fn look(client: &Client, wish: &Tournaments, teams: BTreeSet<TeamId>) -> TournamentSnapshot {
    let mut errors = Vec::new();
    let mut answered = BTreeSet::new();
    for team in teams {
        let answer = client.join_team(&team).await;
        // Who said nothing is asked again with the next look.
        if answer.as_ref().err().is_none_or(CallError::is_final) {
            answered.insert(team);
        }
        errors.extend(answer.err().map(|error| (EndpointClass::Invite, error)));
    }
    let mut ids: BTreeSet<ArenaId> = wish.arenas.iter().cloned().collect();
    for team in &wish.teams {
        match client.arenas_of(team).await {
            Ok(listed) => {
                let open = listed.into_iter().filter(|arena| !arena.is_over());
                ids.extend(open.map(|arena| arena.id));
            }
            Err(error) => errors.push((EndpointClass::Read, error)),
        }
    }
    let mut arenas = Vec::new();
    for id in &ids {
        match client.arena(id).await {
            Ok(arena) => arenas.push(arena),
            Err(error) => errors.push((EndpointClass::Read, error)),
        }
    }
    TournamentSnapshot {
        wish: wish.clone(),
        answered,
        arenas,
        errors,
    }
}
