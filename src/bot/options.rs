//! How the daemon behaves: the settings that a reload may change.

use std::sync::Arc;

use crate::config::{Chat, Config, Games, Matchmaking, Play, Rule, Tournaments};
use sparring_chess::units::Millis;

/// A server that cannot be reached for so long at the start is left to the service manager.
const PATIENCE: Millis = Millis::from_secs(30);

/// Running games are looked at so often.
const SWEEP: Millis = Millis::from_secs(60);
/// Streams of games without a running clock are closed after the opponent was silent for so long.
const IDLE: Millis = Millis::from_secs(60);

/// A promised seat is free again if no game has come after so long.
const LEASE: Millis = Millis::from_secs(15);

/// The first line of a game's stream is the whole game; a stream that keeps it back so long is opened anew.
const FRAME: Millis = Millis::from_secs(10);

/// A challenge of ours that nobody answers is taken back after this time. It is kept alive by its stream: otherwise
/// lichess would forget it after 20 s, which a bot that is about to end a game may need.
const ANSWER: Millis = Millis::from_secs(45);

/// Its own ratings are asked for so often, for rules that compare.
const RATINGS: Millis = Millis::from_secs(3600);

/// How the daemon behaves: the settings that may change while it runs. A change counts from the next challenge or
/// game on.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// How many games, and how they end early. Games that are there anyway are always played.
    pub games: Games,
    /// Whom to play, and how.
    pub rules: Arc<Vec<Rule>>,
    /// Who plays, and how, where no rule says otherwise.
    pub play: Play,
    /// What opponents may ask for.
    pub chat: Chat,
    /// Whom to challenge when nobody comes.
    pub matchmaking: Matchmaking,
    /// Which arenas to play in.
    pub tournaments: Tournaments,
    /// How long the server may be out of reach at the start.
    pub patience: Millis,
    /// Between two looks at the list of running games.
    pub poll_every: Millis,
    /// How long the opponent may think in a game of days, or in one without a clock, before its stream is closed. The next
    /// look at the list then finds the move.
    pub idle: Millis,
    /// Between two looks at the bot's own ratings.
    pub ratings: Millis,
    /// How long a seat is kept for a challenge that was accepted.
    pub lease: Millis,
    /// How long a challenge of ours may go without an answer.
    pub answer: Millis,
    /// How long an open stream of a game may keep its first line back.
    pub frame: Millis,
}

impl From<&Config> for Options {
    fn from(config: &Config) -> Self {
        Self {
            games: config.games,
            rules: Arc::new(config.rules.clone()),
            play: config.play.clone(),
            chat: config.chat.clone(),
            matchmaking: config.matchmaking.clone(),
            tournaments: config.tournaments.clone(),
            patience: PATIENCE,
            poll_every: SWEEP,
            idle: IDLE,
            ratings: RATINGS,
            lease: LEASE,
            answer: ANSWER,
            frame: FRAME,
        }
    }
}
