//! How a sandbox behaves: what a caller can choose.

use super::{explanation_source::ExplanationSource, key::Key, lobby_options::LobbyOptions};
use sparring_chess::units::Millis;

/// How castling is written in the moves of standard games. Chess960 and games from a position always have the
/// king take its rook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Castling {
    /// `e1g1`, as lichess wrote it for years.
    #[default]
    TwoSquare,
    /// `e1h1`, as lichess' specification has it since September 2025.
    Always960,
}

/// How often things may be done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Limits {
    /// As often as anybody likes.
    #[default]
    Off,
    /// As often as on lichess, as far as its limits are known.
    Real,
    /// And besides only one request of a token at a time, as lichess' documentation asks.
    Strict,
}

/// Whom the server knows as its owner, and what it does for others. Whoever has a token is served as on lichess.
#[derive(Debug, Clone, Default)]
pub enum Visitors {
    /// Whoever can connect is as good as the owner: for servers inside tests.
    #[default]
    Open,
    /// As on lichess, whose public calls are everybody's. Tokens and control are for who sends the key in the header
    /// `x-sandbox-key`.
    Public(Key),
    /// Nothing without the key or a token, but the files of the pages.
    Private(Key),
}

/// Choices about the rules of the game server, known to the pure world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Seed of ids, tokens and drawn colours: the same calls in the same order give the same world.
    pub seed: u64,
    /// Whether flags fall at the very millisecond; lichess looks every 7 seconds and is 2 seconds generous.
    pub strict_flags: bool,
    /// How castling is written.
    pub castling: Castling,
    /// Whether takebacks may be asked for in casual games. On lichess bots refuse them unless their owner
    /// changes a preference.
    pub takebacks: bool,
    /// Whether a challenge that expired unseen can still be accepted, as on lichess.
    pub accept_expired: bool,
    /// How often things may be done.
    pub limits: Limits,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            seed: 0,
            strict_flags: false,
            castling: Castling::default(),
            takebacks: true,
            accept_expired: true,
            limits: Limits::default(),
        }
    }
}

/// Everything a sandbox can be told when it is made.
#[derive(Debug, Clone)]
pub struct Options {
    /// The rules of the game server.
    pub rules: Rules,
    /// How much faster than the world outside the sandbox's clocks run, at least 0. At 0 they stand still until
    /// they are advanced by hand.
    pub speed_factor: f64,
    /// The time in the sandbox when it is made, in milliseconds since 1970; the real time if missing.
    pub epoch: Option<Millis>,
    /// Silence after which a stream gets an empty line, in real time. lichess says 7 seconds.
    pub keep_alive: Millis,
    /// The same for the stream of a challenge that is kept alive.
    pub challenge_keep_alive: Millis,
    /// What `GET /sandbox/lobby` says beside the bot.
    pub lobby: LobbyOptions,
    /// Who tells, once a game is over, why its bot moved as it did; without one nobody does.
    pub witness: Option<ExplanationSource>,
    /// Whether to serve the board's pages.
    pub pages: bool,
    /// Who may do what without a token.
    pub visitors: Visitors,
    /// Whether time can be moved, connections cut, accounts made and faults armed over HTTP.
    pub control: bool,
    /// Names under which the server may be called beside `localhost` and loopback addresses.
    pub hosts: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rules: Rules::default(),
            speed_factor: 1.0,
            epoch: None,
            keep_alive: Millis::from_secs(7),
            challenge_keep_alive: Millis::from_secs(15),
            lobby: LobbyOptions::default(),
            witness: None,
            pages: true,
            visitors: Visitors::default(),
            control: true,
            hosts: Vec::new(),
        }
    }
}
