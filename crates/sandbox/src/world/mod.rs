//! Model of lichess without the network: users, challenges, games and clocks.
//!
//! Nothing here reads a clock, sleeps or sends. Every method takes the time as an argument, and what streams should
//! carry because of it is collected until [`World::take_outgoing`] is called. Time never runs backwards:
//! callers first run what was due before `now` ([`World::advance_to`]).

mod api_error;
mod challenge;
mod challenge_params;
mod challenges;
mod clock;
mod commands;
mod draw_offers;
mod ending;
mod export;
mod fields;
mod game;
mod games;
mod id_gen;
mod limits;
mod pgn;
mod presence;
#[cfg(test)]
mod scenarios;
mod timers;
mod tournaments;
mod users;
mod view;
mod wire;

use std::collections::{BTreeMap, VecDeque};

pub use api_error::ApiError;
pub use challenge::Challenge;
pub use challenge_params::ChallengeParams;
pub use ending::{Cause, Ending};
pub use fields::Fields;
pub use game::{Game, SERVER};
pub use limits::LimitedAction;
pub use pgn::Contents;
pub use tournaments::TournamentPlan;
pub use users::{Grant, Profile, RATING, Users};
pub use view::View;

use crate::options::Rules;
use sparring_chess::units::Millis;
use sparring_lichess::model::{ChallengeDone, Event, GameEvent, GameId, UserId};

/// Scopes of a bot's token.
pub const BOT_SCOPES: [&str; 3] = ["bot:play", "challenge:read", "challenge:write"];

/// Scopes of a human's token.
pub const HUMAN_SCOPES: [&str; 3] = ["board:play", "challenge:read", "challenge:write"];

/// Finished games and decided challenges kept for looking up; older ones are forgotten.
const HISTORY_KEPT: usize = 1000;

/// Something for a stream, in the order in which it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outgoing {
    /// A line of a user's event stream.
    Event {
        /// Whose.
        to: UserId,
        /// What.
        event: Event,
    },
    /// A line of a player's stream of a game.
    Game {
        /// Which game.
        game: GameId,
        /// Whose.
        to: UserId,
        /// What.
        event: GameEvent,
    },
    /// A game's streams end after what they carry already.
    GameOver {
        /// Which game.
        game: GameId,
    },
    /// The last line of the streams on which a challenger waits, and their end.
    ChallengeOver {
        /// Which challenge.
        challenge: GameId,
        /// Its outcome.
        done: ChallengeDone,
    },
}

/// Everything the server knows.
#[derive(Debug)]
pub struct World {
    rules: Rules,
    ids: id_gen::IdGenerator,
    /// Where the server is, as in `http://127.0.0.1:8080`: challenges and exports name it.
    site: String,
    users: Users,
    counters: limits::Counters,
    challenges: BTreeMap<GameId, Challenge>,
    games: BTreeMap<GameId, Game>,
    tournaments: tournaments::Tournaments,
    /// Decided challenges and finished games, oldest first, so that memory stays bounded.
    history: VecDeque<GameId>,
    /// The latest time passed to this world.
    now: Millis,
    outgoing: Vec<Outgoing>,
}

impl World {
    /// Whether this is a bot's account.
    #[must_use]
    pub fn is_bot(&self, user: &UserId) -> bool {
        self.users.profile(user).is_some_and(|profile| profile.is_bot)
    }

    /// An empty world at a moment.
    #[must_use]
    pub fn new(rules: Rules, now: Millis) -> Self {
        Self {
            ids: id_gen::IdGenerator::seeded(rules.seed),
            counters: limits::Counters::new(rules.limits),
            rules,
            site: "http://127.0.0.1".to_owned(),
            users: Users::default(),
            challenges: BTreeMap::new(),
            games: BTreeMap::new(),
            tournaments: tournaments::Tournaments::default(),
            history: VecDeque::new(),
            now,
            outgoing: Vec::new(),
        }
    }

    /// Sets the server's address, without a trailing slash.
    pub fn set_site(&mut self, site: String) {
        self.site = site;
    }

    /// Where the server is.
    #[must_use]
    pub fn site(&self) -> &str {
        &self.site
    }

    /// Outgoing stream lines since the last call, in order.
    pub fn take_outgoing(&mut self) -> Vec<Outgoing> {
        std::mem::take(&mut self.outgoing)
    }

    /// The accounts.
    #[must_use]
    pub fn users(&self) -> &Users {
        &self.users
    }

    /// Makes an account and a token for it.
    ///
    /// # Errors
    /// [`ApiError`] for a name that is taken or cannot be one.
    pub fn add_user(
        &mut self,
        name: &str,
        is_bot: bool,
        scopes: &[&str],
        now: Millis,
    ) -> Result<String, ApiError> {
        let id = self.users.add(name, is_bot, now)?;
        Ok(self.users.grant(id, scopes, &mut self.ids))
    }

    /// Creates a guest account under a free name like the wanted one.
    ///
    /// # Errors
    /// [`ApiError`] for a name that cannot be one, or when there are too many accounts.
    pub fn add_guest(&mut self, wanted: Option<&str>, now: Millis) -> Result<(String, String), ApiError> {
        let base = wanted.unwrap_or("Guest");
        let mut number = 1;
        loop {
            let name = match (wanted, number) {
                (Some(name), 1) => name.to_owned(),
                _ => numbered(base, number),
            };
            match self.add_user(&name, false, &HUMAN_SCOPES, now) {
                Ok(token) => return Ok((name, token)),
                Err(ApiError::NameTaken(_)) => number += 1,
                Err(refusal) => return Err(refusal),
            }
        }
    }

    /// Another token for an account.
    ///
    /// # Errors
    /// [`ApiError::NoSuchUser`] if there is no such account.
    pub fn grant(&mut self, name: &str, scopes: &[&str]) -> Result<String, ApiError> {
        let id = match self.users.named(name) {
            Some(profile) => profile.id.clone(),
            None => return Err(ApiError::NoSuchUser(name.to_owned())),
        };
        Ok(self.users.grant(id, scopes, &mut self.ids))
    }

    /// Revokes a token. Returns whether there was one.
    pub fn revoke(&mut self, token: &str) -> bool {
        self.users.revoke(token)
    }

    /// Makes an account a bot's.
    ///
    /// # Errors
    /// [`ApiError::NotFresh`] when games were played with it.
    pub fn upgrade(&mut self, user: &UserId) -> Result<(), ApiError> {
        self.users.upgrade(user)
    }

    /// Counts a rate-limited action.
    ///
    /// # Errors
    /// [`ApiError`] if it was done too often lately.
    pub fn admit(&mut self, action: LimitedAction, user: &UserId, now: Millis) -> Result<(), ApiError> {
        self.counters.admit(action, user, 1, now)
    }

    /// A user opened the event stream. Returns its first lines: running games, then open challenges.
    pub fn event_stream_opened(&mut self, user: &UserId, now: Millis) -> Vec<Event> {
        self.stream_opened(user);
        let games = self
            .running_games(user, now)
            .into_iter()
            .map(|game| Event::GameStart { game: Box::new(game) });
        let challenges = self
            .challenges
            .values()
            .filter(|challenge| challenge.dest == *user && challenge.is_announced())
            .map(|challenge| Event::Challenge {
                challenge: Box::new(challenge.wire(&self.users, &self.site, None)),
                compat: None,
            });
        games.chain(challenges).collect()
    }

    /// A user opened any stream, which makes him online.
    fn stream_opened(&mut self, user: &UserId) {
        if let Some(profile) = self.users.profile_mut(user) {
            profile.streams += 1;
        }
    }

    /// A user closed an event stream, or any other that counts.
    pub fn stream_closed(&mut self, user: &UserId) {
        if let Some(profile) = self.users.profile_mut(user) {
            profile.streams = profile.streams.saturating_sub(1);
        }
    }

    /// Remembers that a challenge or game is over, and forgets the oldest of them.
    fn archive(&mut self, id: GameId) {
        self.history.push_back(id);
        if self.history.len() > HISTORY_KEPT
            && let Some(oldest) = self.history.pop_front()
        {
            self.challenges.remove(&oldest);
            if self.games.get(&oldest).is_some_and(|game| !game.is_running()) {
                self.games.remove(&oldest);
            }
        }
    }
}

/// A name with a number behind it, shortened where that would be too long.
fn numbered(base: &str, number: u32) -> String {
    let number = number.to_string();
    let room = users::LONGEST_NAME.saturating_sub(number.len());
    let base: String = base.chars().take(room).collect();
    base + &number
}
