//! One game as the server tells it: a pure fold of the events of its stream.
//!
//! The server's list of moves is the truth. Every state carries the whole list, so states may come twice, be lost
//! or shrink by a takeback: the fold compares lists and says what changed.

use thiserror::Error;

use crate::{
    chess::{GameLine, PlayError, UnknownVariant, Variant},
    lichess::model::{GameEvent, GameFull, GameId, GameState, OpponentGone, Player, Side, Status, UserId},
    units::Millis,
};

/// A longer list of moves is not believed; lichess draws after 600 plies.
const MOST_PLIES: usize = 2000;
/// No chess clock shows more: lichess' clocks end at three hours and increments of a minute.
const FULLEST_CLOCK: Millis = Millis::from_secs(24 * 3600);

/// A game from the view of one of its players.
#[derive(Debug, Clone)]
pub struct Game {
    frame: GameFull,
    me: Side,
    line: GameLine,
    /// The moves of `line` as the server spelled them.
    moves: String,
    state: GameState,
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
pub struct Step {
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

impl Game {
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
            me,
            line: start(&frame)?,
            moves: String::new(),
            clocks: Clocks {
                mine: initial,
                theirs: initial,
                increment: Millis::ZERO,
            },
            claim_in: None,
            state: GameState::default(),
            frame,
        };
        game.follow(&state.moves)?;
        game.take(state);
        Ok(game)
    }

    /// What the first line of the stream already asks for: the same as an event that changed everything.
    #[must_use]
    pub fn first_step(&self) -> Step {
        Step {
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
    pub fn apply(&mut self, event: &GameEvent) -> Result<Step, GameError> {
        if self.is_over() {
            return Ok(Step::default());
        }
        match event {
            GameEvent::Full(frame) => self.apply_frame(frame),
            GameEvent::State(state) => self.apply_state(state),
            GameEvent::OpponentGone(gone) => Ok(self.apply_absence(*gone)),
            GameEvent::Chat(_) | GameEvent::Unknown { .. } => Ok(Step::default()),
        }
    }

    /// The stream was opened anew: the frame should be the same, the state may be much newer.
    fn apply_frame(&mut self, frame: &GameFull) -> Result<Step, GameError> {
        if frame.initial_fen != self.frame.initial_fen || frame.variant.key != self.frame.variant.key {
            let user = self.player(self.me).id.clone();
            let user = user.unwrap_or_else(|| unreachable!("my side was found by my id"));
            *self = Self::new(frame.clone(), &user)?;
            return Ok(self.first_step());
        }
        let step = self.apply_state(&frame.state)?;
        self.frame.clone_from(frame);
        Ok(step)
    }

    fn apply_state(&mut self, state: &GameState) -> Result<Step, GameError> {
        let opponent = self.opponent_side();
        let moved = self.follow(&state.moves)?;
        let step = Step {
            moved,
            // A flag that was there before is no new offer, even on the very move that declined it.
            draw_offered: state.offers_draw(opponent) && !self.state.offers_draw(opponent),
            takeback_asked: state.asks_takeback(opponent) && !self.state.asks_takeback(opponent),
            ended: state.is_over(),
            ..Step::default()
        };
        if moved {
            // Whoever moves is there; lichess does not always say that somebody came back.
            self.claim_in = None;
        }
        self.take(state.clone());
        Ok(Step {
            my_turn: moved && self.is_my_turn(),
            ..step
        })
    }

    fn apply_absence(&mut self, gone: OpponentGone) -> Step {
        self.claim_in = gone.gone.then_some(gone.claim_win_in_seconds).flatten();
        Step {
            claimable: self.claim_in == Some(0),
            ..Step::default()
        }
    }

    fn take(&mut self, state: GameState) {
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
    pub fn line(&self) -> &GameLine {
        &self.line
    }

    /// My side.
    #[must_use]
    pub fn my_side(&self) -> Side {
        self.me
    }

    /// The opponent.
    #[must_use]
    pub fn opponent(&self) -> &Player {
        self.player(self.opponent_side())
    }

    /// Me, as the server shows me.
    #[must_use]
    pub fn myself(&self) -> &Player {
        self.player(self.me)
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

fn start(frame: &GameFull) -> Result<GameLine, GameError> {
    let variant: Variant = frame.variant.variant()?;
    Ok(GameLine::replay(variant, &frame.initial_fen, "")?)
}

fn replayed(mut line: GameLine, moves: &str) -> Result<GameLine, PlayError> {
    for text in moves.split_ascii_whitespace() {
        let index = line.ply();
        line.play_uci(text)
            .map_err(|source| PlayError::Move { index, source })?;
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::chess::{Rules as _, write_fen, write_uci};

    fn frame(changes: serde_json::Value) -> GameFull {
        let mut frame = json!({
            "type": "gameFull", "id": "abcd1234", "variant": {"key": "standard"}, "speed": "blitz",
            "white": {"id": "bot", "name": "Bot", "title": "BOT"}, "black": {"id": "ana", "name": "Ana"},
            "initialFen": "startpos", "clock": {"initial": 180_000, "increment": 2000},
            "state": {"type": "gameState", "moves": "", "wtime": 180_000, "btime": 180_000, "winc": 2000,
                      "binc": 2000, "status": "started"}
        });
        for (key, value) in changes.as_object().unwrap() {
            frame[key] = value.clone();
        }
        serde_json::from_value(frame).unwrap()
    }

    fn game(changes: serde_json::Value) -> Game {
        Game::new(frame(changes), &"bot".parse().unwrap()).unwrap()
    }

    fn state(moves: &str) -> GameState {
        GameState {
            moves: moves.to_owned(),
            wtime: Some(Millis(170_000)),
            btime: Some(Millis(160_000)),
            ..GameState::default()
        }
    }

    fn apply(game: &mut Game, state: GameState) -> Step {
        game.apply(&GameEvent::State(state)).unwrap()
    }

    #[test]
    fn a_turn_is_said_once_however_often_the_state_comes() {
        let mut game = game(json!({}));
        assert!(game.first_step().my_turn);
        assert!(!apply(&mut game, state("e2e4")).my_turn);
        let turn = apply(&mut game, state("e2e4 e7e5"));
        assert!(turn.my_turn && turn.moved);
        assert_eq!(apply(&mut game, state("e2e4 e7e5")), Step::default());
        let again = GameEvent::Full(Box::new(frame(
            json!({"state": {"moves": "e2e4 e7e5", "status": "started"}}),
        )));
        assert_eq!(game.apply(&again).unwrap(), Step::default());
    }

    #[test]
    fn lost_states_are_caught_up_with() {
        let mut game = game(json!({}));
        let step = apply(&mut game, state("e2e4 e7e5 g1f3 b8c6"));
        assert!(step.my_turn);
        assert_eq!(game.line().ply(), 4);
    }

    #[test]
    fn a_takeback_of_one_or_two_plies_makes_a_new_turn() {
        let mut game = game(json!({"state": {"moves": "e2e4 e7e5 g1f3 b8c6", "status": "started"}}));
        let one = apply(&mut game, state("e2e4 e7e5 g1f3"));
        assert!(one.moved && !one.my_turn);
        let two = apply(&mut game, state("e2e4 e7e5"));
        assert!(two.moved && two.my_turn);
        let other = apply(&mut game, state("d2d4 d7d5"));
        assert!(other.moved && other.my_turn);
        assert_eq!(game.line().uci_moves(), "d2d4 d7d5");
    }

    #[test]
    fn castling_spelled_the_other_way_is_the_same_game() {
        let mut game =
            game(json!({"state": {"moves": "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8", "status": "started"}}));
        let step = apply(&mut game, state("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1 e8h8"));
        assert!(!step.moved);
        assert!(apply(&mut game, state("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1 e8h8 d2d3")).moved);
    }

    #[test]
    fn a_stale_flag_is_no_new_offer() {
        let mut game = game(json!({"state": {"moves": "e2e4", "status": "started"}}));
        let offer = |moves| GameState {
            bdraw: true,
            ..state(moves)
        };
        assert!(apply(&mut game, offer("e2e4 e7e5")).draw_offered);
        assert!(!apply(&mut game, offer("e2e4 e7e5 g1f3")).draw_offered);
        assert!(!apply(&mut game, state("e2e4 e7e5 g1f3 b8c6")).draw_offered);
        assert!(apply(&mut game, offer("e2e4 e7e5 g1f3 b8c6")).draw_offered);
        // My own flag is none of my business.
        let own = GameState {
            wdraw: true,
            ..state("e2e4 e7e5 g1f3 b8c6")
        };
        assert!(!apply(&mut game, own).draw_offered);
    }

    #[test]
    fn an_end_is_said_once_and_is_final() {
        let mut game = game(json!({}));
        let over = GameState {
            status: Status::Resign,
            winner: Some(Side::White),
            ..state("e2e4")
        };
        assert!(apply(&mut game, over.clone()).ended);
        assert_eq!(apply(&mut game, over), Step::default());
        assert_eq!(apply(&mut game, state("e2e4 e7e5")), Step::default());
        assert_eq!(game.line().ply(), 1);
    }

    #[test]
    fn a_game_that_is_over_at_the_first_line_has_no_turn() {
        let game = game(json!({"state": {"moves": "", "status": "aborted"}}));
        assert!(game.first_step().ended);
        assert!(!game.first_step().my_turn);
    }

    #[test]
    fn an_impossible_history_changes_nothing() {
        let mut game = game(json!({"state": {"moves": "e2e4 e7e5", "status": "started"}}));
        let error = game
            .apply(&GameEvent::State(state("e2e4 e7e5 e4e5")))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "move 3 of the game: \"e4e5\" is not legal here"
        );
        assert_eq!(game.line().uci_moves(), "e2e4 e7e5");
        let endless = vec!["g1f3"; 2001].join(" ");
        let error = game.apply(&GameEvent::State(state(&endless))).unwrap_err();
        assert_eq!(error, GameError::TooLong(2001));
    }

    #[test]
    fn games_of_others_and_of_strange_variants_are_refused() {
        let user = "carl".parse().unwrap();
        assert!(matches!(
            Game::new(frame(json!({})), &user),
            Err(GameError::NotMine { .. })
        ));
        let bot = "bot".parse().unwrap();
        let strange = frame(json!({"variant": {"key": "fogOfWar"}}));
        assert!(matches!(Game::new(strange, &bot), Err(GameError::Variant(_))));
        let broken =
            frame(json!({"variant": {"key": "fromPosition"}, "initialFen": "8/8/8/8/8/8/8/8 w - - 0 1"}));
        assert!(matches!(Game::new(broken, &bot), Err(GameError::History(_))));
    }

    #[test]
    fn black_may_begin_from_a_position() {
        let game = game(json!({
            "variant": {"key": "fromPosition"},
            "initialFen": "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1",
            "white": {"id": "ana"}, "black": {"id": "bot"}
        }));
        assert!(game.first_step().my_turn);
    }

    #[test]
    fn clocks_survive_nonsense() {
        let mut game = game(json!({}));
        let odd = |wire: &str| -> GameState { serde_json::from_str(wire).unwrap() };
        apply(
            &mut game,
            odd(r#"{"moves":"e2e4 e7e5","status":"started","wtime":null,"btime":-5}"#),
        );
        assert_eq!(game.clocks().unwrap().mine, Millis(180_000));
        assert_eq!(game.clocks().unwrap().theirs, Millis::ZERO);
        apply(
            &mut game,
            odd(r#"{"moves":"e2e4 e7e5","status":"started","wtime":1e30,"btime":1}"#),
        );
        assert_eq!(game.clocks().unwrap().mine, FULLEST_CLOCK);
        assert_eq!(self::game(json!({"clock": null})).clocks(), None);
    }

    #[test]
    fn an_absent_opponent_can_be_claimed_at_zero_until_he_moves() {
        let mut game = game(json!({"state": {"moves": "e2e4", "status": "started"}}));
        let mut gone = |gone, secs| {
            let event = GameEvent::OpponentGone(OpponentGone {
                gone,
                claim_win_in_seconds: secs,
            });
            game.apply(&event).unwrap().claimable
        };
        assert!(!gone(true, Some(8)));
        assert!(!gone(true, None));
        assert!(gone(true, Some(0)));
        assert!(!gone(false, None));
    }

    /// A game of random legal moves, each chosen by a number.
    fn random_game(choices: &[u16]) -> Vec<String> {
        let mut line = GameLine::new(Variant::Standard);
        let mut moves = Vec::new();
        for choice in choices {
            let legal = line.position().legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[usize::from(*choice) % legal.len()];
            moves.push(write_uci(mv, Variant::Standard));
            line.play(mv);
        }
        moves
    }

    proptest! {
        /// However states are repeated, lost, taken back or replaced by frames: the fold stands where a fresh fold
        /// of the newest state stands, and a turn is said exactly when the moves changed and it is mine.
        #[test]
        fn the_fold_never_depends_on_what_was_missed(
            choices in prop::collection::vec(any::<u16>(), 1..40),
            visits in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), any::<bool>()), 1..40),
            black: bool,
        ) {
            let moves = random_game(&choices);
            let sides = if black { json!({"white": {"id": "ana"}, "black": {"id": "bot"}}) } else { json!({}) };
            let mut game = game(sides.clone());
            let mut before = String::new();
            for (place, draw, reopen) in visits {
                let known = moves[..place.index(moves.len() + 1)].join(" ");
                let mut now = state(&known);
                now.bdraw = draw;
                let mut fresh = sides.clone();
                fresh["state"] = serde_json::to_value(&now).unwrap();
                let fresh = frame(fresh);
                let event = if reopen { GameEvent::Full(Box::new(fresh.clone())) } else { GameEvent::State(now) };
                let step = game.apply(&event).unwrap();

                let expected = Game::new(fresh, &"bot".parse().unwrap()).unwrap();
                prop_assert_eq!(game.line().uci_moves(), expected.line().uci_moves());
                prop_assert_eq!(write_fen(game.line().position()), write_fen(expected.line().position()));
                prop_assert_eq!(game.line().keys(), expected.line().keys());
                prop_assert_eq!(step.moved, known != before);
                prop_assert_eq!(step.my_turn, step.moved && expected.is_my_turn());
                before = known;
            }
        }
    }
}
