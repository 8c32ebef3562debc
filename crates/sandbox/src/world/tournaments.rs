//! Arena tournaments: players are paired as soon as two wait, until time is up.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{ApiError, ChallengeParams, World, challenge_params::own_start, games::Pairing};
use sparring_chess::{ByColor, Variant, units::Millis};
use sparring_lichess::model::{ArenaId, ChallengeColor, GameId, ListedTournament, TimeControl, UserId};

/// How long a join with `pairMeAsap` keeps a player in the pairing queue.
const WAITS: Millis = Millis::from_secs(60);

/// Parameters of a new arena tournament.
#[derive(Debug, Clone)]
pub struct TournamentPlan {
    /// Whether bots may join.
    pub bots_allowed: bool,
    /// Only members of this team may join; none for everybody.
    pub team: Option<String>,
    /// What is played; not Chess960 or from positions, which need one for each game.
    pub variant: Variant,
    /// Initial time and increment.
    pub clock: (Millis, Millis),
    /// How long until it begins.
    pub begins_in: Millis,
    /// How long it lasts, in minutes.
    pub minutes: u64,
}

/// An arena tournament.
#[derive(Debug)]
pub(super) struct Tournament {
    plan: TournamentPlan,
    terms: ChallengeParams,
    begins: Millis,
    ends: Millis,
    entrants: BTreeMap<UserId, Entrant>,
}

/// A player who has joined.
#[derive(Debug, Default)]
struct Entrant {
    /// In the pairing queue until then.
    waits_until: Millis,
    has_left: bool,
    game: Option<GameId>,
}

impl Tournament {
    /// Players who have not withdrawn.
    fn here(&self) -> impl Iterator<Item = &UserId> {
        let here = self.entrants.iter().filter(|(_, entrant)| !entrant.has_left);
        here.map(|(user, _)| user)
    }

    fn is_running(&self, now: Millis) -> bool {
        self.begins <= now && now < self.ends
    }

    fn show(&self, id: &ArenaId, now: Millis) -> Value {
        let (limit, increment) = self.plan.clock;
        let mut shown = json!({
            "id": id,
            "fullName": format!("Sandbox Arena {id}"),
            "createdBy": "lichess",
            "system": "arena",
            "minutes": self.plan.minutes,
            "clock": { "limit": limit.0 / 1000, "increment": increment.0 / 1000 },
            "variant": self.plan.variant.key(),
            "rated": self.terms.rated,
            "botsAllowed": self.plan.bots_allowed,
            "nbPlayers": self.here().count(),
            "isFinished": now >= self.ends,
            "stats": {},
        });
        if now < self.begins {
            shown["secondsToStart"] = json!((self.begins - now).0.div_ceil(1000));
        } else if now < self.ends {
            shown["secondsToFinish"] = json!((self.ends - now).0.div_ceil(1000));
        }
        shown
    }
}

/// All tournaments, and the members of teams.
#[derive(Debug, Default)]
pub(super) struct Tournaments {
    all: BTreeMap<ArenaId, Tournament>,
    members: BTreeMap<String, BTreeSet<UserId>>,
}

impl Tournaments {
    /// When the next tournament begins.
    pub(super) fn next_due(&self, now: Millis) -> Option<Millis> {
        let begins = self.all.values().map(|tournament| tournament.begins);
        begins.filter(|begins| *begins > now).min()
    }

    /// A tournament game is over: its players may join the pairing queue again.
    pub(super) fn ended(&mut self, game: &GameId) {
        for tournament in self.all.values_mut() {
            for entrant in tournament.entrants.values_mut() {
                if entrant.game.as_ref() == Some(game) {
                    entrant.game = None;
                }
            }
        }
    }
}

impl World {
    /// Creates a tournament and returns its id.
    ///
    /// # Errors
    /// [`ApiError`] for an invalid name.
    pub fn add_tournament(&mut self, plan: TournamentPlan, now: Millis) -> Result<ArenaId, ApiError> {
        let id = self.ids.game_id(|_| false).to_string();
        let id: ArenaId = id.parse().map_err(|_| ApiError::NotFound)?;
        let (limit, increment) = plan.clock;
        let begins = now + plan.begins_in;
        let tournament = Tournament {
            terms: ChallengeParams {
                initial_fen: own_start(plan.variant),
                variant: plan.variant,
                control: TimeControl::Clock {
                    limit,
                    increment,
                    show: format!("{}+{}", limit.0 / 60_000, increment.0 / 1000),
                },
                rated: true,
                color: ChallengeColor::Random,
                rules: ["noAbort", "noRematch"].map(str::to_owned).to_vec(),
            },
            begins,
            ends: begins + Millis::from_secs(plan.minutes * 60),
            entrants: BTreeMap::new(),
            plan,
        };
        self.tournaments.all.insert(id.clone(), tournament);
        Ok(id)
    }

    /// The current state of a tournament, as JSON.
    ///
    /// # Errors
    /// [`ApiError::NotFound`].
    pub fn tournament(&self, id: &ArenaId, now: Millis) -> Result<Value, ApiError> {
        let tournament = self.tournaments.all.get(id).ok_or(ApiError::NotFound)?;
        Ok(tournament.show(id, now))
    }

    /// The tournaments of a team.
    #[must_use]
    pub fn team_tournaments(&self, team: &str, now: Millis) -> Vec<ListedTournament> {
        let of_team = |tournament: &Tournament| tournament.plan.team.as_deref() == Some(team);
        let all = self
            .tournaments
            .all
            .iter()
            .filter(|(_, tournament)| of_team(tournament));
        all.map(|(id, tournament)| ListedTournament {
            id: id.clone(),
            status: match () {
                () if now < tournament.begins => 10,
                () if now < tournament.ends => 20,
                () => 30,
            },
        })
        .collect()
    }

    /// Players of a tournament who have not withdrawn.
    #[must_use]
    pub fn tournament_players(&self, id: &ArenaId) -> Vec<UserId> {
        let tournament = self.tournaments.all.get(id);
        tournament
            .into_iter()
            .flat_map(Tournament::here)
            .cloned()
            .collect()
    }

    /// Joins a team; every team is open.
    pub fn join_team(&mut self, me: &UserId, team: &str) {
        let members = self.tournaments.members.entry(team.to_owned()).or_default();
        members.insert(me.clone());
    }

    /// Joins a tournament, or renews the place in the pairing queue.
    ///
    /// # Errors
    /// [`ApiError`] when it is missing or over, or closed to bots or to this user.
    pub fn join_tournament(
        &mut self,
        me: &UserId,
        id: &ArenaId,
        pair_me_asap: bool,
        now: Millis,
    ) -> Result<(), ApiError> {
        let is_bot = self.is_bot(me);
        let members = &self.tournaments.members;
        let tournament = self.tournaments.all.get_mut(id).ok_or(ApiError::NotFound)?;
        let is_stranger = |team: &String| !members.get(team).is_some_and(|members| members.contains(me));
        if now >= tournament.ends {
            return Err(ApiError::ArenaClosed("This tournament is over"));
        }
        if is_bot && !tournament.plan.bots_allowed {
            return Err(ApiError::ArenaClosed("Bots are not allowed in this tournament"));
        }
        if tournament.plan.team.as_ref().is_some_and(is_stranger) {
            return Err(ApiError::ArenaClosed("You are not a member of the team"));
        }
        let entrant = tournament.entrants.entry(me.clone()).or_default();
        entrant.has_left = false;
        if pair_me_asap {
            entrant.waits_until = now + WAITS;
        }
        self.pair(now)
    }

    /// Withdraws from a tournament. A running game goes on.
    ///
    /// # Errors
    /// [`ApiError::NotFound`] for a tournament that does not exist or was not joined.
    pub fn leave_tournament(&mut self, me: &UserId, id: &ArenaId) -> Result<(), ApiError> {
        let tournament = self.tournaments.all.get_mut(id).ok_or(ApiError::NotFound)?;
        let entrant = tournament.entrants.get_mut(me).ok_or(ApiError::NotFound)?;
        entrant.has_left = true;
        entrant.waits_until = Millis::ZERO;
        Ok(())
    }

    /// Pairs the waiting players of every running tournament.
    pub(super) fn pair(&mut self, now: Millis) -> Result<(), ApiError> {
        while let Some((tournament, players, terms)) = self.next_pair(now) {
            let taken = |id: &GameId| self.challenges.contains_key(id) || self.games.contains_key(id);
            let id = self.ids.game_id(taken);
            let players = if self.ids.coin() {
                players
            } else {
                ByColor {
                    white: players.black,
                    black: players.white,
                }
            };
            if let Some(tournament) = self.tournaments.all.get_mut(&tournament) {
                for player in players.iter() {
                    if let Some(entrant) = tournament.entrants.get_mut(player) {
                        entrant.game = Some(id.clone());
                        entrant.waits_until = Millis::ZERO;
                    }
                }
            }
            let pairing = Pairing {
                id,
                terms,
                players,
                rematch_of: None,
                tournament: Some(tournament.to_string()),
            };
            self.begin_game(pairing, now)?;
        }
        Ok(())
    }

    fn next_pair(&self, now: Millis) -> Option<(ArenaId, ByColor<UserId>, ChallengeParams)> {
        let running = self
            .tournaments
            .all
            .iter()
            .filter(|(_, tournament)| tournament.is_running(now));
        running
            .filter_map(|(id, tournament)| {
                let waits = |entrant: &Entrant| entrant.game.is_none() && entrant.waits_until > now;
                let mut waiting = tournament.entrants.iter().filter(|(_, entrant)| waits(entrant));
                let (white, _) = waiting.next()?;
                let (black, _) = waiting.next()?;
                let players = ByColor {
                    white: white.clone(),
                    black: black.clone(),
                };
                Some((id.clone(), players, tournament.terms.clone()))
            })
            .next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        options::Rules,
        world::{BOT_SCOPES, Outgoing},
    };
    use sparring_lichess::model::Event;

    fn world() -> (World, UserId, UserId) {
        let mut world = World::new(Rules::default(), Millis::ZERO);
        for name in ["ana", "bob"] {
            world.add_user(name, true, &BOT_SCOPES, Millis::ZERO).unwrap();
        }
        (world, "ana".parse().unwrap(), "bob".parse().unwrap())
    }

    fn plan() -> TournamentPlan {
        TournamentPlan {
            bots_allowed: true,
            team: None,
            variant: Variant::Standard,
            clock: (Millis::from_secs(60), Millis::ZERO),
            begins_in: Millis::from_secs(30),
            minutes: 20,
        }
    }

    fn games(told: &[Outgoing]) -> Vec<Option<String>> {
        let games = told.iter().filter_map(|outgoing| match outgoing {
            Outgoing::Event {
                event: Event::GameStart { game },
                ..
            } => Some(game.tournament_id.clone()),
            _ => None,
        });
        games.collect()
    }

    #[test]
    fn who_waits_is_paired_when_the_arena_begins_and_again_only_after_asking_again() {
        let (mut world, ana, bob) = world();
        let id = world.add_tournament(plan(), Millis::ZERO).unwrap();
        for user in [&ana, &bob] {
            world.join_tournament(user, &id, true, Millis(1)).unwrap();
        }
        assert!(games(&world.take_outgoing()).is_empty(), "it has not begun");
        world.advance_to(Millis::from_secs(30));
        assert_eq!(games(&world.take_outgoing()), vec![Some(id.to_string()); 2]);
        let now = Millis::from_secs(31);
        let game = world.tournaments.all[&id].entrants[&ana].game.clone().unwrap();
        let aborted = world.command(&ana, &game, now, |game, _| game.abort(now));
        assert_eq!(
            aborted,
            Err(ApiError::NotAbortable),
            "whoever is paired has to play"
        );
        world
            .command(&ana, &game, now, |game, color| game.resign(color, now))
            .unwrap();
        let ending = world.game(&game).unwrap().ending.unwrap();
        assert_eq!(ending.cause, crate::world::Cause::Resignation);
        world.take_outgoing();
        world.join_tournament(&ana, &id, true, now).unwrap();
        assert!(games(&world.take_outgoing()).is_empty(), "the other does not ask");
        world.join_tournament(&bob, &id, true, now).unwrap();
        assert_eq!(games(&world.take_outgoing()).len(), 2);
        world.leave_tournament(&bob, &id).unwrap();
        assert_eq!(world.tournament_players(&id), [ana]);
    }

    #[test]
    fn bots_and_strangers_stay_outside() {
        let (mut world, ana, _) = world();
        let closed = TournamentPlan {
            bots_allowed: false,
            ..plan()
        };
        let closed = world.add_tournament(closed, Millis::ZERO).unwrap();
        assert!(world.join_tournament(&ana, &closed, true, Millis(1)).is_err());
        let own = TournamentPlan {
            team: Some("coders".to_owned()),
            ..plan()
        };
        let own = world.add_tournament(own, Millis::ZERO).unwrap();
        assert!(world.join_tournament(&ana, &own, true, Millis(1)).is_err());
        world.join_team(&ana, "coders");
        world.join_tournament(&ana, &own, true, Millis(1)).unwrap();
        let over = Millis::from_secs(30 + 20 * 60);
        assert!(world.join_tournament(&ana, &own, true, over).is_err());
        assert_eq!(world.team_tournaments("coders", Millis(1))[0].status, 10);
        assert!(world.team_tournaments("coders", over)[0].is_over());
    }
}
