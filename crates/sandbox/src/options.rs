//! Options of a sandbox.

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

/// Rate limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Limits {
    /// None.
    #[default]
    Off,
    /// lichess' limits, as far as known.
    Real,
    /// lichess' limits, and one request of a token at a time, as its documentation asks.
    Strict,
}

/// What requests without a token may do. Requests with a token are served as on lichess.
#[derive(Debug, Clone, Default)]
pub enum AnonymousAccess {
    /// Everything, as the owner: for servers inside tests.
    #[default]
    Open,
    /// Public calls, as on lichess. Tokens and control need the key in the header `x-sandbox-key`.
    Public(Key),
    /// Only the files of the pages; everything else needs the key or a token.
    Private(Key),
}

/// Choices about the rules of the game server, known to the pure world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Seed of ids, tokens and drawn colours: the same calls in the same order give the same world.
    pub seed: u64,
    /// Whether flags fall to the millisecond. lichess checks every 7 seconds and allows 2 seconds more.
    pub strict_flags: bool,
    /// How castling is written.
    pub castling: Castling,
    /// Whether takebacks can be proposed in casual games. On lichess bots refuse them unless their owner
    /// changes a preference.
    pub takebacks: bool,
    /// Whether a challenge that expired unseen can still be accepted, as on lichess.
    pub accept_expired: bool,
    /// Rate limits.
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

/// All options of a sandbox.
#[derive(Debug, Clone)]
pub struct Options {
    /// The rules of the game server.
    pub rules: Rules,
    /// Speed of the sandbox's clock relative to real time, at least 0. At 0 it only moves when advanced.
    pub speed_factor: f64,
    /// The time in the sandbox when it is made, in milliseconds since 1970; the real time if missing.
    pub epoch: Option<Millis>,
    /// Silence after which a stream gets an empty line, in real time. lichess says 7 seconds.
    pub keep_alive: Millis,
    /// The same for the stream of a challenge that is kept alive.
    pub challenge_keep_alive: Millis,
    /// What `GET /sandbox/lobby` lists besides the bot.
    pub lobby: LobbyOptions,
    /// Explains the moves of finished games, if set.
    pub explanation_source: Option<ExplanationSource>,
    /// Whether to serve the board's pages.
    pub pages: bool,
    /// What requests without a token may do.
    pub access: AnonymousAccess,
    /// Whether time can be moved, connections cut, accounts made and faults armed over HTTP.
    pub control: bool,
    /// Allowed `Host` names besides `localhost` and loopback addresses.
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
            explanation_source: None,
            pages: true,
            access: AnonymousAccess::default(),
            control: true,
            hosts: Vec::new(),
        }
    }
}
