//! One game: its players, moves, clock and chat, and what changes them.

use super::{
    challenge_params::ChallengeParams,
    clock::GameClock,
    draw_offers::DrawOffers,
    ending::{Cause, Ending},
    presence::AbsenceTimer,
};
use crate::options::Castling;
use sparring_chess::{
    ByColor, Color, FenError, GameHistory, Move, Variant, parse_fen, units::Millis, write_uci,
};
use sparring_lichess::model::{
    ChatLine, ChatMessage, GameId, GameState, OpponentGone, Room, Speed, TimeControl, UserId,
};

/// Chat name of the server.
pub const SERVER: &str = "lichess";

/// Chat lines kept per game; the oldest go first.
const CHAT_KEPT: usize = 500;

/// lichess deletes games in which not both have moved after so long,
const UNPLAYED: Millis = Millis::from_secs(24 * 60 * 60);

/// and gives up those without any clock when nothing has happened for so long.
const UNTOUCHED: Millis = Millis::from_secs(21 * 24 * 60 * 60);

/// A notification to the players of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notification {
    /// To both: the state changed.
    State(GameState),
    /// A chat line, to all readers of the room.
    Chat(ChatLine),
    /// To one side: the opponent left or came back.
    Gone(Color, OpponentGone),
}

/// A player of a game.
#[derive(Debug, Clone)]
pub struct PlayerSlot {
    /// The account.
    pub user: UserId,
    /// Whether it is a bot.
    pub is_bot: bool,
    /// The last four characters of the player's full game id.
    pub private_part: String,
    /// Whether the player is present.
    pub presence: AbsenceTimer,
}

/// Options of the sandbox that concern one game.
#[derive(Debug, Clone, Copy)]
pub struct GameRules {
    /// How castling is written.
    pub castling: Castling,
    /// Whether takebacks can be proposed.
    pub takebacks: bool,
}

/// A game, running or over.
#[derive(Debug, Clone)]
pub struct Game {
    /// Its id.
    pub id: GameId,
    /// Variant, clock and rules, from the challenge.
    pub terms: ChallengeParams,
    /// When it began.
    pub created_at: Millis,
    /// When it last changed.
    pub changed_at: Millis,
    /// The players.
    pub players: ByColor<PlayerSlot>,
    /// The moves.
    pub history: GameHistory,
    /// Time left of the mover after each move; `None` without a clock.
    pub clocks: Vec<Option<Millis>>,
    /// The end, once there is one.
    pub ending: Option<Ending>,
    /// The rematch of this game.
    pub rematch: Option<GameId>,
    /// The tournament that it belongs to, if any.
    pub tournament: Option<String>,
    pub(super) clock: GameClock,
    pub(super) offers: DrawOffers,
    pub(super) rules: GameRules,
    pub(super) notifications: Vec<Notification>,
    chat: Vec<ChatLine>,
}

impl Game {
    /// A game that begins now.
    ///
    /// # Errors
    /// [`FenError`] if the agreed position cannot be played, which reading the terms has ruled out.
    pub fn begin(
        id: GameId,
        terms: ChallengeParams,
        players: ByColor<PlayerSlot>,
        rules: GameRules,
        now: Millis,
    ) -> Result<Self, FenError> {
        let start = parse_fen(terms.variant, terms.initial_fen.as_deref().unwrap_or("startpos"))?;
        let history = GameHistory::from_position(terms.variant, start);
        Ok(Self {
            id,
            clock: GameClock::new(&terms.control, history.turn(), now),
            terms,
            created_at: now,
            changed_at: now,
            players,
            history,
            clocks: Vec::new(),
            ending: None,
            rematch: None,
            tournament: None,
            offers: DrawOffers::default(),
            rules,
            notifications: Vec::new(),
            chat: Vec::new(),
        })
    }

    /// The side that a user plays.
    #[must_use]
    pub fn color_of(&self, user: &UserId) -> Option<Color> {
        self.players.find(|player| player.user == *user)
    }

    /// Plies played.
    #[must_use]
    pub fn ply(&self) -> usize {
        self.history.ply()
    }

    /// Whether moves can still be made.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.ending.is_none()
    }

    /// Whether either side is a bot.
    #[must_use]
    pub fn bot_plays(&self) -> bool {
        self.players.iter().any(|player| player.is_bot)
    }

    /// The class of the clock.
    #[must_use]
    pub fn speed(&self) -> Speed {
        self.terms.speed()
    }

    /// Time left of a side, if it is limited.
    #[must_use]
    pub fn left(&self, color: Color, now: Millis) -> Option<Millis> {
        self.clock.left(color, now)
    }

    /// lichess' `source` key.
    #[must_use]
    pub fn source(&self) -> &'static str {
        if self.tournament.is_some() {
            "arena"
        } else {
            "friend"
        }
    }

    /// When the running side's time is up, if nothing happens.
    #[must_use]
    pub fn flag_at(&self) -> Option<Millis> {
        self.clock.flag_at().filter(|_| self.is_running())
    }

    /// When the game is aborted for inactivity. Correspondence clocks and tournaments end games themselves.
    #[must_use]
    pub fn abandoned_at(&self) -> Option<Millis> {
        if !self.is_running() || self.tournament.is_some() {
            return None;
        }
        match self.terms.control {
            TimeControl::Correspondence { .. } => None,
            _ if self.history.ply() < 2 => Some(self.created_at + UNPLAYED),
            TimeControl::Clock { .. } => None,
            TimeControl::Unlimited | TimeControl::Unknown => Some(self.changed_at + UNTOUCHED),
        }
    }

    /// A move as this game's streams write it.
    #[must_use]
    pub fn uci(&self, mv: Move) -> String {
        let style = match self.rules.castling {
            Castling::TwoSquare => self.terms.variant,
            Castling::Always960 => Variant::Chess960,
        };
        write_uci(mv, style)
    }

    /// The last move, castling always written king-takes-rook; empty before the first.
    #[must_use]
    pub fn last_move(&self) -> String {
        self.history
            .moves()
            .last()
            .map_or_else(String::new, |mv| write_uci(*mv, Variant::Chess960))
    }

    /// Whether a side has made a move.
    #[must_use]
    pub fn has_moved(&self, color: Color) -> bool {
        // The side to move made its last move two plies ago.
        let plies = if self.history.turn() == color { 2 } else { 1 };
        self.history.ply() >= plies
    }

    /// The chat lines of a room.
    #[must_use]
    pub fn chat(&self, room: &Room) -> Vec<ChatMessage> {
        self.chat
            .iter()
            .filter(|line| line.room == *room)
            .map(|line| ChatMessage {
                text: line.text.clone(),
                user: line.username.clone(),
            })
            .collect()
    }

    /// Adds a chat line.
    pub fn say(&mut self, username: &str, room: Room, text: &str) {
        let line = ChatLine {
            room,
            username: username.to_owned(),
            text: text.to_owned(),
        };
        if self.chat.len() >= CHAT_KEPT {
            self.chat.remove(0);
        }
        self.chat.push(line.clone());
        self.notifications.push(Notification::Chat(line));
    }

    /// Adds a chat line of the server, for the players.
    pub(super) fn announce(&mut self, text: &str) {
        self.say(SERVER, Room::Player, text);
    }

    /// The state changed: notifies both players.
    pub(super) fn notify_state(&mut self, now: Millis) {
        self.changed_at = now;
        self.notifications.push(Notification::State(self.state(now)));
    }

    /// The game is over.
    pub(super) fn end(&mut self, ending: Ending, now: Millis) {
        self.clock.stop(now);
        self.offers.clear();
        self.ending = Some(ending);
        self.notify_state(now);
    }

    /// Ends the game if a flag has fallen. Returns whether it did.
    pub fn check_flag(&mut self, now: Millis) -> bool {
        let Some(loser) = self.clock.flagged(now).filter(|_| self.is_running()) else {
            return false;
        };
        let ending = if self.offers.draw(!loser) {
            Ending::without_winner(Cause::FlagWithOffer)
        } else {
            Ending::loss(loser, Cause::Flag, &self.history)
        };
        self.end(ending, now);
        true
    }

    /// Notifications since the last call.
    pub fn take_notifications(&mut self) -> Vec<Notification> {
        std::mem::take(&mut self.notifications)
    }
}
