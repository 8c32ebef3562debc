//! How the daemon behaves: the configuration in force, and the intervals of the event loop.

use std::sync::Arc;

use crate::config::Config;
use sparring_chess::units::Millis;

/// How the daemon behaves. A change counts from the next challenge or game on.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The configuration in force. Accounts, paths, engine, state and dashboard are read at the start only.
    pub config: Arc<Config>,
    /// How often and how long the event loop waits.
    pub timing: Timing,
}

impl Options {
    /// The configuration, to change it.
    pub fn config_mut(&mut self) -> &mut Config {
        Arc::make_mut(&mut self.config)
    }
}

impl From<Config> for Options {
    fn from(config: Config) -> Self {
        Self {
            config: Arc::new(config),
            timing: Timing::default(),
        }
    }
}

/// Intervals and timeouts of the event loop. No key of `bot.toml` sets them; tests shorten them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timing {
    /// How long the server may be out of reach at the start; the service manager takes over then.
    pub connect_timeout: Millis,
    /// Between two polls of the running games.
    pub poll_every: Millis,
    /// A game without a running clock is parked, its stream closed, when the opponent has not moved for so long. The
    /// next poll finds the move.
    pub park_after: Millis,
    /// Between two requests of the bot's own ratings, for rules that compare.
    pub ratings_every: Millis,
    /// How long a slot is kept for the game of an accepted challenge.
    pub reservation: Millis,
    /// A challenge of ours without an answer is withdrawn after this time. Its open stream keeps it alive: without one,
    /// lichess drops it after 20 s, too early for a bot that is about to end a game.
    pub challenge_timeout: Millis,
    /// A game's stream whose first line, `gameFull`, does not come in so long is reopened.
    pub game_full_timeout: Millis,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            connect_timeout: Millis::from_secs(30),
            poll_every: Millis::from_secs(60),
            park_after: Millis::from_secs(60),
            ratings_every: Millis::from_secs(3600),
            reservation: Millis::from_secs(15),
            challenge_timeout: Millis::from_secs(45),
            game_full_timeout: Millis::from_secs(10),
        }
    }
}
