//! The stream of one game: its frame once, then its state after each change, with chat between.

use serde::{Deserialize, Serialize, Serializer};

use super::{
    DecodeError, GameId, Perf, Side, Speed, Status, UserId, VariantInfo, decode_line, kind, lenient,
};
use sparring_chess::units::{Elo, Millis};

/// Games of days and games without an end count down from more than this. No chess clock shows so much.
const FULLEST_CLOCK: Millis = Millis::from_secs(24 * 3600);

/// One line of a game's stream, the same for bots and boards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum GameEvent {
    /// The whole game: the first line of each stream.
    #[serde(rename = "gameFull")]
    Full(Box<GameFull>),
    /// What changed: moves, clocks, offers, the end. Complete each time, so only the newest matters.
    #[serde(rename = "gameState")]
    State(GameState),
    /// Somebody said something.
    #[serde(rename = "chatLine")]
    Chat(ChatLine),
    /// The opponent left or came back.
    OpponentGone(OpponentGone),
    /// A kind newer than this program.
    #[serde(untagged)]
    Unknown {
        /// Its name.
        #[serde(rename = "type")]
        kind: String,
    },
}

impl GameEvent {
    /// Reads one line.
    ///
    /// # Errors
    /// [`DecodeError`] when the line is not JSON, or of a known kind and does not fit it.
    pub fn decode(line: &str) -> Result<Self, DecodeError> {
        let kind = kind(line)?;
        Ok(match kind.as_str() {
            "gameFull" => Self::Full(decode_line(&kind, line)?),
            "gameState" => Self::State(decode_line(&kind, line)?),
            "chatLine" => Self::Chat(decode_line(&kind, line)?),
            "opponentGone" => Self::OpponentGone(decode_line(&kind, line)?),
            _ => Self::Unknown { kind },
        })
    }
}

/// The frame of a game and its state at the time of sending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GameFull {
    /// The game.
    pub id: GameId,
    /// The variant.
    pub variant: VariantInfo,
    /// The class of the clock; one that is newer than this program counts as classical.
    #[serde(default = "lenient::some_speed", deserialize_with = "lenient::speed")]
    pub speed: Speed,
    /// The rating that counts, for showing.
    #[serde(default)]
    pub perf: Perf,
    /// Whether ratings change. Where nobody knows they do: what chat may change in casual games stays as it is.
    #[serde(default = "lenient::surely")]
    pub rated: bool,
    /// Epoch milliseconds.
    #[serde(default)]
    pub created_at: u64,
    /// The first player.
    #[serde(default)]
    pub white: Player,
    /// The second player.
    #[serde(default)]
    pub black: Player,
    /// `startpos` or a FEN, from which Black may be to move.
    #[serde(default = "startpos")]
    pub initial_fen: String,
    /// The clock; missing without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockInfo>,
    /// Days for each move, in correspondence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days_per_turn: Option<u32>,
    /// The tournament that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament_id: Option<String>,
    /// Where the game stands.
    #[serde(serialize_with = "tagged")]
    pub state: GameState,
}

/// Inside a frame the state carries its `type` as on a line of its own.
fn tagged<S: Serializer>(state: &GameState, wire: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Tagged<'a> {
        #[serde(rename = "type")]
        kind: &'static str,
        #[serde(flatten)]
        state: &'a GameState,
    }
    Tagged {
        kind: "gameState",
        state,
    }
    .serialize(wire)
}

fn startpos() -> String {
    "startpos".to_owned()
}

impl GameFull {
    /// The player of a side.
    #[must_use]
    pub fn player(&self, side: Side) -> &Player {
        match side {
            Side::White => &self.white,
            Side::Black => &self.black,
        }
    }

    /// Fills in what a line leaves open that plainly is the case: this user has the side of which the event stream speaks, or the
    /// one that nobody else has, if that side names nobody; and where a class of clocks is named and clocks run, there is a clock.
    pub fn complete(&mut self, user: &UserId, told: Option<Side>) {
        let is_free = |side: Side| {
            let player = self.player(side);
            player.id.is_none() && player.ai_level.is_none()
        };
        let side = match (is_free(Side::White), is_free(Side::Black)) {
            (true, true) => told,
            (true, false) => Some(Side::White),
            (false, true) => Some(Side::Black),
            (false, false) => None,
        };
        if self.side_of(user).is_none() {
            match side {
                Some(Side::White) => self.white.id = Some(user.clone()),
                Some(Side::Black) => self.black.id = Some(user.clone()),
                None => {}
            }
        }
        let is_timed = self.speed != Speed::Correspondence && self.days_per_turn.is_none();
        if let (true, None, Some(white), Some(black)) =
            (is_timed, self.clock, self.state.wtime, self.state.btime)
        {
            let initial = white.max(black);
            self.clock = (initial < FULLEST_CLOCK).then_some(ClockInfo {
                initial,
                increment: self.state.winc.unwrap_or_default(),
            });
        }
    }

    /// The side that this user plays, if any.
    #[must_use]
    pub fn side_of(&self, user: &UserId) -> Option<Side> {
        [Side::White, Side::Black]
            .into_iter()
            .find(|side| self.player(*side).id.as_ref() == Some(user))
    }
}

/// What changes during a game. Times in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameState {
    /// All moves since the initial position, in UCI notation, separated by spaces.
    pub moves: String,
    /// White's clock when this was sent; missing or null means unknown.
    #[serde(default, deserialize_with = "lenient::millis")]
    pub wtime: Option<Millis>,
    /// Black's clock when this was sent.
    #[serde(default, deserialize_with = "lenient::millis")]
    pub btime: Option<Millis>,
    /// White's increment.
    #[serde(default, deserialize_with = "lenient::millis")]
    pub winc: Option<Millis>,
    /// Black's increment.
    #[serde(default, deserialize_with = "lenient::millis")]
    pub binc: Option<Millis>,
    /// Where the game stands.
    pub status: Status,
    /// Who won; missing for draws and aborted games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Side>,
    /// White offers a draw.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wdraw: bool,
    /// Black offers a draw.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bdraw: bool,
    /// White asks to take back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wtakeback: bool,
    /// Black asks to take back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub btakeback: bool,
    /// The id of the accepted rematch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch: Option<GameId>,
}

impl GameState {
    /// A side's clock.
    #[must_use]
    pub fn clock(&self, side: Side) -> Option<Millis> {
        match side {
            Side::White => self.wtime,
            Side::Black => self.btime,
        }
    }

    /// A side's increment; none counts as zero.
    #[must_use]
    pub fn increment(&self, side: Side) -> Millis {
        match side {
            Side::White => self.winc,
            Side::Black => self.binc,
        }
        .unwrap_or_default()
    }

    /// Whether a side offers a draw.
    #[must_use]
    pub fn offers_draw(&self, side: Side) -> bool {
        match side {
            Side::White => self.wdraw,
            Side::Black => self.bdraw,
        }
    }

    /// Whether a side asks to take back.
    #[must_use]
    pub fn asks_takeback(&self, side: Side) -> bool {
        match side {
            Side::White => self.wtakeback,
            Side::Black => self.btakeback,
        }
    }

    /// Whether the game is over. An unknown status counts as over only with a winner.
    #[must_use]
    pub fn is_over(&self) -> bool {
        match self.status {
            Status::Other(_) => self.winner.is_some(),
            ref known => !known.is_running(),
        }
    }
}

/// A player as a game shows them: a user, lichess' own computer, or nobody known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Player {
    /// The id; missing for anonymous players and the computer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<UserId>,
    /// The name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `BOT`, `GM` and so on.
    #[serde(default)]
    pub title: Option<String>,
    /// The rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Elo>,
    /// Whether the rating is not yet settled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// The level of lichess' own computer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ai_level: Option<u8>,
}

impl Player {
    /// Whether lichess has marked the account as a bot.
    #[must_use]
    pub fn is_bot(&self) -> bool {
        self.title.as_deref() == Some("BOT")
    }

    /// A name for people: the user's, the computer's level, or "Anonymous".
    #[must_use]
    pub fn display_name(&self) -> String {
        match (&self.name, self.ai_level) {
            (Some(name), _) => name.clone(),
            (None, Some(level)) => format!("Stockfish level {level}"),
            (None, None) => "Anonymous".to_owned(),
        }
    }
}

/// A chess clock, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockInfo {
    /// What each side started with.
    pub initial: Millis,
    /// What each move adds.
    pub increment: Millis,
}

/// Something said in a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatLine {
    /// Where.
    pub room: Room,
    /// By whom; `lichess` for the server itself.
    #[serde(default)]
    pub username: String,
    /// What: any text at all.
    #[serde(default)]
    pub text: String,
}

/// The chat rooms of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Room {
    /// Between the players.
    Player,
    /// Among those who watch.
    Spectator,
    /// A chat room newer than this program.
    #[serde(untagged)]
    Other(String),
}

/// Whether the opponent is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpponentGone {
    /// Gone, or back.
    pub gone: bool,
    /// Seconds until the win can be claimed; 0 is now, missing is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_win_in_seconds: Option<u32>,
}
