//! Accounts, tokens and presence.

use std::collections::BTreeMap;

use super::{api_error::ApiError, id_gen::IdGenerator};
use sparring_chess::{
    Variant,
    units::{Elo, Millis},
};
use sparring_lichess::model::{Account, GameCount, Opponent, PerfRating, Player, Speed, User, UserId};

/// Everybody's rating in everything: the sandbox does not rate.
pub const RATING: Elo = Elo(1500);

/// Letters of the longest name.
pub(super) const LONGEST_NAME: usize = 20;

/// More accounts than any test needs, few enough to bound memory.
const MOST_ACCOUNTS: usize = 5000;

/// An account.
#[derive(Debug, Clone)]
pub struct Profile {
    /// The id.
    pub id: UserId,
    /// The name as its owner writes it.
    pub name: String,
    /// Whether lichess would show the title BOT.
    pub is_bot: bool,
    /// When it was made.
    pub created_at: Millis,
    /// Games begun with it.
    pub games: u32,
    /// Streams it holds open, of whatever kind: more than none makes it online.
    pub streams: u32,
}

impl Profile {
    /// The title, if any.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        self.is_bot.then(|| "BOT".to_owned())
    }

    /// Whether it holds a stream open.
    #[must_use]
    pub fn is_online(&self) -> bool {
        self.streams > 0
    }

    /// As challenges show it.
    #[must_use]
    pub fn as_user(&self) -> User {
        User {
            id: self.id.clone(),
            name: self.name.clone(),
            rating: Some(RATING),
            title: self.title(),
            provisional: false,
            online: self.is_online(),
        }
    }

    /// As a game's frame shows it.
    #[must_use]
    pub fn as_player(&self) -> Player {
        Player {
            id: Some(self.id.clone()),
            name: Some(self.name.clone()),
            title: self.title(),
            rating: Some(RATING),
            ..Player::default()
        }
    }

    /// As the event stream shows it to its opponent, the title before the name.
    #[must_use]
    pub fn as_opponent(&self) -> Opponent {
        Opponent {
            id: Some(self.id.clone()),
            username: match self.title() {
                Some(title) => format!("{title} {}", self.name),
                None => self.name.clone(),
            },
            rating: Some(RATING),
            ai: None,
        }
    }

    /// As account requests show it.
    #[must_use]
    pub fn as_account(&self) -> Account {
        let unplayed = PerfRating {
            games: 0,
            rating: Some(RATING),
            prov: false,
        };
        Account {
            id: self.id.clone(),
            username: self.name.clone(),
            title: self.title(),
            perfs: Speed::ALL
                .into_iter()
                .map(Speed::key)
                .chain(variant_perfs())
                .map(|key| (key.to_owned(), unplayed.clone()))
                .collect(),
            count: Some(GameCount { all: self.games }),
            disabled: false,
        }
    }
}

/// The keys of ratings in variants that have one for all speeds.
fn variant_perfs() -> impl Iterator<Item = &'static str> {
    let variants = Variant::ALL.into_iter();
    variants
        .filter(|variant| !variant.traits().rated_by_speed)
        .map(Variant::key)
}

/// User and scopes of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The user.
    pub user: UserId,
    /// The scopes, as in `bot:play`.
    pub scopes: Vec<String>,
}

impl Grant {
    /// Whether it has any of these scopes; an empty list requires none.
    #[must_use]
    pub fn allows_any(&self, accepted: &[&str]) -> bool {
        accepted.is_empty() || self.scopes.iter().any(|scope| accepted.contains(&scope.as_str()))
    }
}

/// All accounts and tokens.
#[derive(Debug, Clone, Default)]
pub struct Users {
    profiles: BTreeMap<UserId, Profile>,
    grants: BTreeMap<String, Grant>,
    /// In order of arrival; the first bot is the one the lobby shows.
    bots: Vec<UserId>,
}

impl Users {
    /// Makes an account.
    ///
    /// # Errors
    /// [`ApiError`] for a name that is taken or cannot be one, or when there are too many.
    pub fn add(&mut self, name: &str, is_bot: bool, now: Millis) -> Result<UserId, ApiError> {
        let id: UserId = match name.parse() {
            Ok(id) if name.len() <= LONGEST_NAME && id_is_free(name) => id,
            _ => return Err(ApiError::BadName(name.to_owned())),
        };
        if self.profiles.contains_key(&id) {
            return Err(ApiError::NameTaken(id));
        }
        if self.profiles.len() >= MOST_ACCOUNTS {
            return Err(ApiError::TooMany("accounts"));
        }
        let profile = Profile {
            id: id.clone(),
            name: name.to_owned(),
            is_bot,
            created_at: now,
            games: 0,
            streams: 0,
        };
        self.profiles.insert(id.clone(), profile);
        if is_bot {
            self.bots.push(id.clone());
        }
        Ok(id)
    }

    /// Creates a token.
    pub fn grant(&mut self, user: UserId, scopes: &[&str], ids: &mut IdGenerator) -> String {
        let token = ids.token();
        let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        self.grants.insert(token.clone(), Grant { user, scopes });
        token
    }

    /// Revokes a token. Returns whether there was one.
    pub fn revoke(&mut self, token: &str) -> bool {
        self.grants.remove(token).is_some()
    }

    /// User and scopes of a token.
    #[must_use]
    pub fn granted(&self, token: &str) -> Option<&Grant> {
        self.grants.get(token)
    }

    /// The account of an id.
    #[must_use]
    pub fn profile(&self, id: &UserId) -> Option<&Profile> {
        self.profiles.get(id)
    }

    /// The account of an id, to change it.
    pub fn profile_mut(&mut self, id: &UserId) -> Option<&mut Profile> {
        self.profiles.get_mut(id)
    }

    /// The account of a name in any case.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Profile> {
        self.profiles.get(&name.parse().ok()?)
    }

    /// Every bot, in order of arrival.
    pub fn bots(&self) -> impl Iterator<Item = &Profile> {
        self.bots.iter().filter_map(|id| self.profiles.get(id))
    }

    /// Gives an account the title BOT.
    ///
    /// # Errors
    /// [`ApiError`] when games were played with it or it does not exist.
    pub fn upgrade(&mut self, id: &UserId) -> Result<(), ApiError> {
        let profile = self.profiles.get_mut(id).ok_or(ApiError::NotFound)?;
        if profile.is_bot {
            return Ok(());
        }
        if profile.games > 0 {
            return Err(ApiError::NotFresh);
        }
        profile.is_bot = true;
        self.bots.push(id.clone());
        Ok(())
    }
}

/// Names under which the server itself speaks, or which are words of its paths.
fn id_is_free(name: &str) -> bool {
    !["lichess", "ai", "open", "anonymous"].contains(&name.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_whatever_their_case() {
        let mut users = Users::default();
        users.add("Anna", false, Millis::ZERO).unwrap();
        assert!(matches!(
            users.add("anna", false, Millis::ZERO),
            Err(ApiError::NameTaken(_))
        ));
        for name in ["", "a b", "lichess", "AI", "<b>", &"x".repeat(21)] {
            assert!(
                matches!(users.add(name, false, Millis::ZERO), Err(ApiError::BadName(_))),
                "{name}"
            );
        }
        assert_eq!(users.named("ANNA").unwrap().name, "Anna");
    }

    #[test]
    fn only_an_account_without_games_becomes_a_bot() {
        let mut users = Users::default();
        let id = users.add("Fresh", false, Millis::ZERO).unwrap();
        users.profile_mut(&id).unwrap().games = 1;
        assert_eq!(users.upgrade(&id), Err(ApiError::NotFresh));
        users.profile_mut(&id).unwrap().games = 0;
        users.upgrade(&id).unwrap();
        assert_eq!(users.profile(&id).unwrap().title().as_deref(), Some("BOT"));
        assert_eq!(users.bots().count(), 1);
    }

    #[test]
    fn a_revoked_token_stands_for_nobody() {
        let mut users = Users::default();
        let id = users.add("Anna", false, Millis::ZERO).unwrap();
        let token = users.grant(id, &["board:play"], &mut IdGenerator::seeded(1));
        assert!(
            users
                .granted(&token)
                .unwrap()
                .allows_any(&["bot:play", "board:play"])
        );
        assert!(users.revoke(&token));
        assert_eq!(users.granted(&token), None);
    }
}
