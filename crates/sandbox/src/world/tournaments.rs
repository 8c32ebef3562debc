//! Arena tournaments: players are paired as soon as two wait, until time is up.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{ApiError, ChallengeParams, World, games::Pairing};
use sparring_chess::{ByColor, Variant, units::Millis};
use sparring_lichess::model::{ArenaId, ChallengeColor, GameId, ListedArena, TimeControl, UserId};

/// Who asks to be paired waits for so long; then they have to ask again.
const WAITS: Millis = Millis::from_secs(60);

/// How an arena is to be.
#[derive(Debug, Clone)]
pub struct ArenaPlan {
    /// Whether bots may join.
    pub bots_allowed: bool,
    /// Only members of this team may join; none for everybody.
    pub team: Option<String>,
    /// What each side starts with, and what each move adds.
    pub clock: (Millis, Millis),
    /// How long until it begins.
    pub begins_in: Millis,
    /// How long it lasts, in minutes.
    pub minutes: u64,
}

/// An arena.
#[derive(Debug)]
pub(super) struct Arena {
    plan: ArenaPlan,
    terms: ChallengeParams,
    begins: Millis,
    ends: Millis,
    entrants: BTreeMap<UserId, Entrant>,
}

/// Who has joined.
#[derive(Debug, Default)]
struct Entrant {
    /// Is paired until then.
    waits_until: Millis,
    has_left: bool,
    game: Option<GameId>,
}

impl Arena {
    /// Who has joined and not left.
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
            "variant": "standard",
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

/// All arenas, and who is in which team.
#[derive(Debug, Default)]
pub(super) struct Tournaments {
    all: BTreeMap<ArenaId, Arena>,
    members: BTreeMap<String, BTreeSet<UserId>>,
}

impl Tournaments {
    /// When the next arena begins.
    pub(super) fn next_due(&self, now: Millis) -> Option<Millis> {
        let begins = self.all.values().map(|arena| arena.begins);
        begins.filter(|begins| *begins > now).min()
    }

    /// A game of an arena is over: its players may be paired again, once they ask.
    pub(super) fn ended(&mut self, game: &GameId) {
        for arena in self.all.values_mut() {
            for entrant in arena.entrants.values_mut() {
                if entrant.game.as_ref() == Some(game) {
                    entrant.game = None;
                }
            }
        }
    }
}

impl World {
    /// Makes an arena and gives its id.
    ///
    /// # Errors
    /// [`Refusal`] for a name that cannot be an arena's.
    pub fn add_arena(&mut self, plan: ArenaPlan, now: Millis) -> Result<ArenaId, ApiError> {
        let id = self.naming.game_id(|_| false).to_string();
        let id: ArenaId = id.parse().map_err(|_| ApiError::NotFound)?;
        let (limit, increment) = plan.clock;
        let begins = now + plan.begins_in;
        let arena = Arena {
            terms: ChallengeParams {
                variant: Variant::Standard,
                initial_fen: None,
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
        self.arenas.all.insert(id.clone(), arena);
        Ok(id)
    }

    /// An arena as it stands.
    ///
    /// # Errors
    /// [`Refusal::NotFound`].
    pub fn arena(&self, id: &ArenaId, now: Millis) -> Result<Value, ApiError> {
        let arena = self.arenas.all.get(id).ok_or(ApiError::NotFound)?;
        Ok(arena.show(id, now))
    }

    /// The arenas of a team.
    #[must_use]
    pub fn arenas_of(&self, team: &str, now: Millis) -> Vec<ListedArena> {
        let of_team = |arena: &Arena| arena.plan.team.as_deref() == Some(team);
        let all = self.arenas.all.iter().filter(|(_, arena)| of_team(arena));
        all.map(|(id, arena)| ListedArena {
            id: id.clone(),
            status: match () {
                () if now < arena.begins => 10,
                () if now < arena.ends => 20,
                () => 30,
            },
        })
        .collect()
    }

    /// Who has joined an arena and not left it.
    #[must_use]
    pub fn arena_players(&self, id: &ArenaId) -> Vec<UserId> {
        let arena = self.arenas.all.get(id);
        arena.into_iter().flat_map(Arena::here).cloned().collect()
    }

    /// Becomes a member of a team: every team takes everybody.
    pub fn join_team(&mut self, me: &UserId, team: &str) {
        let members = self.arenas.members.entry(team.to_owned()).or_default();
        members.insert(me.clone());
    }

    /// Joins an arena, or waits there for another minute.
    ///
    /// # Errors
    /// [`Refusal`] when it is not there or over, or not for bots or strangers.
    pub fn join_arena(
        &mut self,
        me: &UserId,
        id: &ArenaId,
        pair_me_asap: bool,
        now: Millis,
    ) -> Result<(), ApiError> {
        let is_bot = self.is_bot(me);
        let members = &self.arenas.members;
        let arena = self.arenas.all.get_mut(id).ok_or(ApiError::NotFound)?;
        let is_stranger = |team: &String| !members.get(team).is_some_and(|members| members.contains(me));
        if now >= arena.ends {
            return Err(ApiError::ArenaClosed("This tournament is over"));
        }
        if is_bot && !arena.plan.bots_allowed {
            return Err(ApiError::ArenaClosed("Bots are not allowed in this tournament"));
        }
        if arena.plan.team.as_ref().is_some_and(is_stranger) {
            return Err(ApiError::ArenaClosed("You are not a member of the team"));
        }
        let entrant = arena.entrants.entry(me.clone()).or_default();
        entrant.has_left = false;
        if pair_me_asap {
            entrant.waits_until = now + WAITS;
        }
        self.pair(now)
    }

    /// Leaves an arena; a game that runs goes on.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] for an arena that is not there or was not joined.
    pub fn leave_arena(&mut self, me: &UserId, id: &ArenaId) -> Result<(), ApiError> {
        let arena = self.arenas.all.get_mut(id).ok_or(ApiError::NotFound)?;
        let entrant = arena.entrants.get_mut(me).ok_or(ApiError::NotFound)?;
        entrant.has_left = true;
        entrant.waits_until = Millis::ZERO;
        Ok(())
    }

    /// Pairs whoever waits, in every arena that runs.
    pub(super) fn pair(&mut self, now: Millis) -> Result<(), ApiError> {
        while let Some((arena, players, terms)) = self.next_pair(now) {
            let taken = |id: &GameId| self.challenges.contains_key(id) || self.games.contains_key(id);
            let id = self.naming.game_id(taken);
            let players = if self.naming.coin() {
                players
            } else {
                ByColor {
                    white: players.black,
                    black: players.white,
                }
            };
            if let Some(arena) = self.arenas.all.get_mut(&arena) {
                for player in players.iter() {
                    if let Some(entrant) = arena.entrants.get_mut(player) {
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
                arena: Some(arena.to_string()),
            };
            self.begin_game(pairing, now)?;
        }
        Ok(())
    }

    fn next_pair(&self, now: Millis) -> Option<(ArenaId, ByColor<UserId>, ChallengeParams)> {
        let running = self.arenas.all.iter().filter(|(_, arena)| arena.is_running(now));
        running
            .filter_map(|(id, arena)| {
                let waits = |entrant: &Entrant| entrant.game.is_none() && entrant.waits_until > now;
                let mut waiting = arena.entrants.iter().filter(|(_, entrant)| waits(entrant));
                let (white, _) = waiting.next()?;
                let (black, _) = waiting.next()?;
                let players = ByColor {
                    white: white.clone(),
                    black: black.clone(),
                };
                Some((id.clone(), players, arena.terms.clone()))
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

    fn plan() -> ArenaPlan {
        ArenaPlan {
            bots_allowed: true,
            team: None,
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
        let id = world.add_arena(plan(), Millis::ZERO).unwrap();
        for user in [&ana, &bob] {
            world.join_arena(user, &id, true, Millis(1)).unwrap();
        }
        assert!(games(&world.take_outgoing()).is_empty(), "it has not begun");
        world.advance_to(Millis::from_secs(30));
        assert_eq!(games(&world.take_outgoing()), vec![Some(id.to_string()); 2]);
        let now = Millis::from_secs(31);
        let game = world.arenas.all[&id].entrants[&ana].game.clone().unwrap();
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
        world.join_arena(&ana, &id, true, now).unwrap();
        assert!(games(&world.take_outgoing()).is_empty(), "the other does not ask");
        world.join_arena(&bob, &id, true, now).unwrap();
        assert_eq!(games(&world.take_outgoing()).len(), 2);
        world.leave_arena(&bob, &id).unwrap();
        assert_eq!(world.arena_players(&id), [ana]);
    }

    #[test]
    fn bots_and_strangers_stay_outside() {
        let (mut world, ana, _) = world();
        let closed = ArenaPlan {
            bots_allowed: false,
            ..plan()
        };
        let closed = world.add_arena(closed, Millis::ZERO).unwrap();
        assert!(world.join_arena(&ana, &closed, true, Millis(1)).is_err());
        let own = ArenaPlan {
            team: Some("coders".to_owned()),
            ..plan()
        };
        let own = world.add_arena(own, Millis::ZERO).unwrap();
        assert!(world.join_arena(&ana, &own, true, Millis(1)).is_err());
        world.join_team(&ana, "coders");
        world.join_arena(&ana, &own, true, Millis(1)).unwrap();
        let over = Millis::from_secs(30 + 20 * 60);
        assert!(world.join_arena(&ana, &own, true, over).is_err());
        assert_eq!(world.arenas_of("coders", Millis(1))[0].status, 10);
        assert!(world.arenas_of("coders", over)[0].is_over());
    }
}
