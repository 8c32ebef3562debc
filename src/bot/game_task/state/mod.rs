//! Game state: a pure fold of the game stream's events.
//!
//! The server's list of moves is the truth. Every state carries the whole list, so states may come twice, be lost
//! or shrink by a takeback: the fold compares lists and says what changed.

#[cfg(test)]
mod tests;

use thiserror::Error;

use sparring_chess::{GameHistory, PlayError, UnknownVariant, Variant, units::Millis};
use sparring_lichess::model::{
    GameEvent, GameFull, GameId, GameState as WireState, OpponentGone, Player, Side, Status, UserId,
};

/// A longer list of moves is not believed; lichess draws after 600 plies.
const MOST_PLIES: usize = 2000;
/// No chess clock shows more: lichess' clocks end at three hours and increments of a minute.
const FULLEST_CLOCK: Millis = Millis::from_secs(24 * 3600);

/// A game from the view of one of its players.
#[derive(Debug, Clone)]
pub struct GameState {
    frame: GameFull,
    user: UserId,
    me: Side,
    line: GameHistory,
    /// The moves of `line` as the server spelled them.
    moves: String,
    state: WireState,
    clocks: Clocks,
    claim_in: Option<u32>,
}

/// What the clocks show, as of the newest state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clocks {
    /// Mine.
    pub mine: Millis,
    /// The opponent's.
    pub theirs: Millis,
    /// What each of my moves adds.
    pub increment: Millis,
}

/// What an event changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Change {
    /// The moves on the board are others than before: thoughts about the old position are void.
    pub moved: bool,
    /// It is my turn in a position that was not there before. Said once for each such position.
    pub my_turn: bool,
    /// The opponent offers a draw that was not on the table before.
    pub draw_offered: bool,
    /// The opponent asks to take back, and did not before.
    pub takeback_asked: bool,
    /// The opponent has left for so long that the game can be claimed now.
    pub claimable: bool,
    /// The game is over. Said once.
    pub ended: bool,
}

/// A game that cannot be what the server says.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GameError {
    /// Neither player is me.
    #[error("{user} plays neither side of {game}")]
    NotMine {
        /// Me.
        user: UserId,
        /// The game.
        game: GameId,
    },
    /// A variant newer than this program.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// A start or a move that cannot be.
    #[error(transparent)]
    History(#[from] PlayError),
    /// More moves than a game can have.
    #[error("a game of {0} plies")]
    TooLong(usize),
}

impl GameState {
    /// A game from the first line of its stream.
    ///
    /// # Errors
    /// [`GameError`] when it is not a game that `user` can play.
    pub fn new(frame: GameFull, user: &UserId) -> Result<Self, GameError> {
        let me = frame.side_of(user).ok_or_else(|| GameError::NotMine {
            user: user.clone(),
            game: frame.id.clone(),
        })?;
        let state = frame.state.clone();
        let initial = frame.clock.map_or(Millis::ZERO, |clock| clock.initial);
        let mut game = Self {
            user: user.clone(),
            me,
            line: start(&frame)?,
            moves: String::new(),
            clocks: Clocks {
                mine: initial,
                theirs: initial,
                increment: Millis::ZERO,
            },
            claim_in: None,
            state: WireState::default(),
            frame,
        };
        game.follow(&state.moves)?;
        game.take(state);
        Ok(game)
    }

    /// What the first line of the stream already asks for: the same as an event that changed everything.
    #[must_use]
    pub fn first_step(&self) -> Change {
        Change {
            moved: true,
            my_turn: self.is_my_turn(),
            draw_offered: self.state.offers_draw(self.opponent_side()),
            takeback_asked: self.state.asks_takeback(self.opponent_side()),
            claimable: false,
            ended: self.is_over(),
        }
    }

    /// Takes an event in and says what it changed. After the end nothing changes any more.
    ///
    /// # Errors
    /// [`GameError`] when the event cannot belong to this game, which is then as before.
    pub fn apply(&mut self, event: &GameEvent) -> Result<Change, GameError> {
        if self.is_over() {
            return Ok(Change::default());
        }
        match event {
            GameEvent::Full(frame) => self.apply_frame(frame),
            GameEvent::State(state) => self.apply_state(state),
            GameEvent::OpponentGone(gone) => Ok(self.apply_absence(*gone)),
            GameEvent::Chat(_) | GameEvent::Unknown { .. } => Ok(Change::default()),
        }
    }

    /// The stream was opened anew: the frame should be the same, the state may be much newer.
    fn apply_frame(&mut self, frame: &GameFull) -> Result<Change, GameError> {
        if frame.initial_fen != self.frame.initial_fen || frame.variant.key != self.frame.variant.key {
            *self = Self::new(frame.clone(), &self.user)?;
            return Ok(self.first_step());
        }
        let step = self.apply_state(&frame.state)?;
        // One in which the players are missing tells less than what is known.
        if frame.side_of(&self.user) == Some(self.me) {
            self.frame.clone_from(frame);
        }
        Ok(step)
    }

    fn apply_state(&mut self, state: &WireState) -> Result<Change, GameError> {
        let opponent = self.opponent_side();
        let moved = self.follow(&state.moves)?;
        let step = Change {
            moved,
            // A flag that was there before is no new offer, even on the very move that declined it.
            draw_offered: state.offers_draw(opponent) && !self.state.offers_draw(opponent),
            takeback_asked: state.asks_takeback(opponent) && !self.state.asks_takeback(opponent),
            ended: state.is_over(),
            ..Change::default()
        };
        if moved {
            // Whoever moves is there; lichess does not always say that somebody came back.
            self.claim_in = None;
        }
        self.take(state.clone());
        Ok(Change {
            my_turn: moved && self.is_my_turn(),
            ..step
        })
    }

    fn apply_absence(&mut self, gone: OpponentGone) -> Change {
        self.claim_in = gone.gone.then_some(gone.claim_win_in_seconds).flatten();
        Change {
            claimable: self.claim_in == Some(0),
            ..Change::default()
        }
    }

    fn take(&mut self, state: WireState) {
        let clocks = &mut self.clocks;
        let clamp = |clock: Option<Millis>| clock.map(|clock| clock.min(FULLEST_CLOCK));
        // A clock that the server does not name runs on from where it was.
        clocks.mine = clamp(state.clock(self.me)).unwrap_or(clocks.mine);
        clocks.theirs = clamp(state.clock(self.me.other())).unwrap_or(clocks.theirs);
        clocks.increment = state.increment(self.me).min(FULLEST_CLOCK);
        self.state = state;
    }

    /// Brings the line to the server's list of moves and says whether that changed it.
    fn follow(&mut self, moves: &str) -> Result<bool, GameError> {
        if moves == self.moves {
            return Ok(false);
        }
        let count = moves.split_ascii_whitespace().count();
        if count > MOST_PLIES {
            return Err(GameError::TooLong(count));
        }
        let line = match moves.strip_prefix(&self.moves) {
            Some(more) if self.moves.is_empty() || more.starts_with(' ') => {
                replayed(self.line.clone(), more)?
            }
            _ => replayed(start(&self.frame)?, moves)?,
        };
        // The list may only be spelled otherwise: castling has two ways.
        let changed = line.moves() != self.line.moves();
        self.line = line;
        moves.clone_into(&mut self.moves);
        Ok(changed)
    }

    /// Which game it is.
    #[must_use]
    pub fn id(&self) -> &GameId {
        &self.frame.id
    }

    /// The frame: players, variant, speed.
    #[must_use]
    pub fn frame(&self) -> &GameFull {
        &self.frame
    }

    /// Start, moves and position.
    #[must_use]
    pub fn line(&self) -> &GameHistory {
        &self.line
    }

    /// My side.
    #[must_use]
    pub fn my_side(&self) -> Side {
        self.me
    }

    /// The bot's account.
    #[must_use]
    pub fn user(&self) -> &UserId {
        &self.user
    }

    /// The opponent.
    #[must_use]
    pub fn opponent(&self) -> &Player {
        self.player(self.opponent_side())
    }

    /// What the clocks showed at the newest state; nothing in games without a chess clock.
    #[must_use]
    pub fn clocks(&self) -> Option<Clocks> {
        self.frame.clock.map(|_| self.clocks)
    }

    /// Whether the opponent's draw offer is on the table.
    #[must_use]
    pub fn is_offered_draw(&self) -> bool {
        self.state.offers_draw(self.opponent_side())
    }

    /// Whether the opponent asks to take back.
    #[must_use]
    pub fn is_asked_for_takeback(&self) -> bool {
        self.state.asks_takeback(self.opponent_side())
    }

    /// Whether it is my move in a game that goes on.
    #[must_use]
    pub fn is_my_turn(&self) -> bool {
        !self.is_over() && Side::from(self.line.turn()) == self.me
    }

    /// Whether either side can still end the game without a result: both have not moved yet.
    #[must_use]
    pub fn is_abortable(&self) -> bool {
        !self.is_over() && self.line.ply() < 2 && self.frame.tournament_id.is_none()
    }

    /// Whether the game is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state.is_over()
    }

    /// How it ended, or that it runs.
    #[must_use]
    pub fn status(&self) -> &Status {
        &self.state.status
    }

    /// Who won, if somebody did.
    #[must_use]
    pub fn winner(&self) -> Option<Side> {
        self.state.winner
    }

    fn opponent_side(&self) -> Side {
        self.me.other()
    }

    fn player(&self, side: Side) -> &Player {
        self.frame.player(side)
    }
}

fn start(frame: &GameFull) -> Result<GameHistory, GameError> {
    let variant: Variant = frame.variant.variant()?;
    Ok(GameHistory::replay(variant, &frame.initial_fen, "")?)
}

fn replayed(mut line: GameHistory, moves: &str) -> Result<GameHistory, PlayError> {
    for text in moves.split_ascii_whitespace() {
        let index = line.ply();
        line.play_uci(text)
            .map_err(|source| PlayError::Move { index, source })?;
    }
    Ok(line)
}
