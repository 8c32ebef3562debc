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

/// The name under which the server itself speaks.
pub const SERVER: &str = "lichess";

/// Chat lines that a game keeps; a flood pushes out the oldest.
const CHAT_KEPT: usize = 500;

/// lichess deletes games in which not both have moved after so long,
const UNPLAYED: Millis = Millis::from_secs(24 * 60 * 60);

/// and gives up those without any clock when nothing has happened for so long.
const UNTOUCHED: Millis = Millis::from_secs(21 * 24 * 60 * 60);

/// What the players of a game should be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notification {
    /// Both: something changed.
    State(GameState),
    /// Whoever sees the room: somebody spoke.
    Chat(ChatLine),
    /// One side: the other left or came back.
    Gone(Color, OpponentGone),
}

/// A side of a game.
#[derive(Debug, Clone)]
pub struct PlayerSlot {
    /// Who sits there.
    pub user: UserId,
    /// Whether it is a bot.
    pub is_bot: bool,
    /// The letters that make the game's id this player's own.
    pub private_part: String,
    /// Whether the player is there.
    pub presence: AbsenceTimer,
}

/// What the world's rules mean for one game.
#[derive(Debug, Clone, Copy)]
pub struct GameRules {
    /// How castling is written.
    pub castling: Castling,
    /// Whether takebacks may be asked for.
    pub takebacks: bool,
}

/// A game, running or over.
#[derive(Debug, Clone)]
pub struct Game {
    /// Its id.
    pub id: GameId,
    /// What was agreed.
    pub terms: ChallengeParams,
    /// When it began.
    pub created_at: Millis,
    /// When it last changed.
    pub changed_at: Millis,
    /// The players.
    pub seats: ByColor<PlayerSlot>,
    /// The moves.
    pub line: GameHistory,
    /// What was left on the mover's clock after each move; nothing for games without one.
    pub clocks: Vec<Option<Millis>>,
    /// The end, once there is one.
    pub ending: Option<Ending>,
    /// The game that repeats this one.
    pub rematch: Option<GameId>,
    /// The arena that it belongs to, if any.
    pub arena: Option<String>,
    pub(super) clock: GameClock,
    pub(super) offers: DrawOffers,
    pub(super) house: GameRules,
    pub(super) notes: Vec<Notification>,
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
        seats: ByColor<PlayerSlot>,
        house: GameRules,
        now: Millis,
    ) -> Result<Self, FenError> {
        let start = parse_fen(terms.variant, terms.initial_fen.as_deref().unwrap_or("startpos"))?;
        let line = GameHistory::from_position(terms.variant, start);
        Ok(Self {
            id,
            clock: GameClock::new(&terms.control, line.turn(), now),
            terms,
            created_at: now,
            changed_at: now,
            seats,
            line,
            clocks: Vec::new(),
            ending: None,
            rematch: None,
            arena: None,
            offers: DrawOffers::default(),
            house,
            notes: Vec::new(),
            chat: Vec::new(),
        })
    }

    /// The side that a user plays.
    #[must_use]
    pub fn color_of(&self, user: &UserId) -> Option<Color> {
        self.seats.find(|seat| seat.user == *user)
    }

    /// How many half moves have been played.
    #[must_use]
    pub fn ply(&self) -> usize {
        self.line.ply()
    }

    /// Whether moves can still be made.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.ending.is_none()
    }

    /// Whether either side is a bot.
    #[must_use]
    pub fn bot_plays(&self) -> bool {
        self.seats.iter().any(|seat| seat.is_bot)
    }

    /// The class of the clock.
    #[must_use]
    pub fn speed(&self) -> Speed {
        self.terms.speed()
    }

    /// What a side has left, if its time is limited.
    #[must_use]
    pub fn left(&self, color: Color, now: Millis) -> Option<Millis> {
        self.clock.left(color, now)
    }

    /// What it came from, as lichess calls it.
    #[must_use]
    pub fn source(&self) -> &'static str {
        if self.arena.is_some() { "arena" } else { "friend" }
    }

    /// When the running side's time is up, if nothing happens.
    #[must_use]
    pub fn flag_at(&self) -> Option<Millis> {
        self.clock.flag_at().filter(|_| self.is_running())
    }

    /// When the game is given up, if nothing happens. Days run out by themselves, and arenas have ends of their own.
    #[must_use]
    pub fn abandoned_at(&self) -> Option<Millis> {
        if !self.is_running() || self.arena.is_some() {
            return None;
        }
        match self.terms.control {
            TimeControl::Correspondence { .. } => None,
            _ if self.line.ply() < 2 => Some(self.created_at + UNPLAYED),
            TimeControl::Clock { .. } => None,
            TimeControl::Unlimited | TimeControl::Unknown => Some(self.changed_at + UNTOUCHED),
        }
    }

    /// A move as this game's streams write it.
    #[must_use]
    pub fn uci(&self, mv: Move) -> String {
        let style = match self.house.castling {
            Castling::TwoSquare => self.terms.variant,
            Castling::Always960 => Variant::Chess960,
        };
        write_uci(mv, style)
    }

    /// The last move, castling always written king-takes-rook; empty before the first.
    #[must_use]
    pub fn last_move(&self) -> String {
        self.line
            .moves()
            .last()
            .map_or_else(String::new, |mv| write_uci(*mv, Variant::Chess960))
    }

    /// Whether a side has made a move.
    #[must_use]
    pub fn has_moved(&self, color: Color) -> bool {
        // Whoever is to move now has moved last the ply before last.
        let plies = if self.line.turn() == color { 2 } else { 1 };
        self.line.ply() >= plies
    }

    /// What was said in a room.
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

    /// Somebody speaks. The text is kept as it is.
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
        self.notes.push(Notification::Chat(line));
    }

    /// The server itself speaks to the players.
    pub(super) fn announce(&mut self, text: &str) {
        self.say(SERVER, Room::Player, text);
    }

    /// Something changed: the players are sent the state.
    pub(super) fn note_state(&mut self, now: Millis) {
        self.changed_at = now;
        self.notes.push(Notification::State(self.state(now)));
    }

    /// The game is over.
    pub(super) fn end(&mut self, ending: Ending, now: Millis) {
        self.clock.stop(now);
        self.offers.clear();
        self.ending = Some(ending);
        self.note_state(now);
    }

    /// Ends the game if somebody's time is up; says whether it did.
    pub fn judge_flag(&mut self, now: Millis) -> bool {
        let Some(loser) = self.clock.flagged(now).filter(|_| self.is_running()) else {
            return false;
        };
        let ending = if self.offers.draw(!loser) {
            Ending::without_winner(Cause::FlagWithOffer)
        } else {
            Ending::loss(loser, Cause::Flag, &self.line)
        };
        self.end(ending, now);
        true
    }

    /// What the players should be told since this was last asked.
    pub fn take_notes(&mut self) -> Vec<Notification> {
        std::mem::take(&mut self.notes)
    }
}
