//! My turn: selecting a move, submitting it, and making sure that it is played.

use std::{path::Path, sync::Arc};

use futures::future::{BoxFuture, pending};
use tokio::time::Instant;
use tracing::{debug, error, info, warn};

use super::{
    GameCallResult, GameCommand, GameTask, TaskOutcome,
    move_submission::{MoveSubmission, NextAction},
    seed,
};
use crate::{
    bot::{
        game_task::{chat_commands::Persona, state::GameState},
        moves::{
            adaptive_level,
            selector::{Decision, MoveRequest},
        },
    },
    config::{Adapt, ExternalEngine},
    store::{BookChoice, MoveExplanation},
};
use sparring_chess::{Color, GameHistory, Move, Rules as _, units::Millis, write_fen, write_san, write_uci};
use sparring_engine::Score;
use sparring_lichess::{CallError, model::Side};
use sparring_online::{Source, SourceKind};

/// A search is restarted when the clock shows less than this share of what was expected. A search with its delay takes at
/// most three fifths of the clock that it was planned with, so above this share it is in time as it is.
const MUCH_LESS: f64 = 0.75;

/// The state of this turn's move.
pub(super) enum Turn {
    /// Not begun, or it is the opponent's turn.
    Open,
    /// The selector works on it.
    Thinking(BoxFuture<'static, Option<Decision>>),
    /// It is being submitted.
    Submitting(MoveSubmission),
    /// No move will be made in this position.
    Closed,
}

impl Turn {
    /// The selector's decision; pending in any other state. Dropping the future stops nothing.
    pub(super) async fn decision(&mut self) -> Option<Decision> {
        match self {
            Self::Thinking(decision) => decision.await,
            _ => pending().await,
        }
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        match self {
            Self::Submitting(submission) => submission.next_deadline(),
            _ => None,
        }
    }
}

impl GameTask {
    /// The moves on the board have changed: what was under way for the old position is void.
    pub(super) fn on_moves_changed(&mut self) {
        let Some(game) = &self.game else { return };
        let ply = game.line().ply();
        let before = self.moved_at.replace(self.heard);
        let took = before.map(|before| Millis::from(self.heard.saturating_duration_since(before)));
        self.end_pondering();
        let mut expected = None;
        match &self.turn {
            Turn::Submitting(submission) if ply == submission.ply + 1 => {
                self.own_last = took;
                expected = submission.decision.reply;
            }
            _ => self.opponent_last = took,
        }
        self.scores.retain(|(at, _)| *at < ply);
        self.held_until = None;
        // A request in flight ends by itself: cancelling it would cost the connection.
        self.turn = if self.unplayable.is_some() {
            Turn::Closed
        } else {
            Turn::Open
        };
        self.expect_first_move();
        if let Some(expected) = expected {
            self.ponder(expected);
        }
    }

    /// Starts the search when it may start, and retries a submission when that is due.
    pub(super) fn poll_turn(&mut self, now: Instant) {
        for wait in [&mut self.held_until, &mut self.memory_due] {
            if wait.is_some_and(|until| now >= until) {
                *wait = None;
            }
        }
        let waits_for_history = self.chat.waits_for_history(now);
        let action = match &mut self.turn {
            Turn::Submitting(submission) => submission.due(now),
            Turn::Open if self.held_until.or(self.memory_due).is_none() && !waits_for_history => {
                return self.think();
            }
            _ => return,
        };
        self.perform(action);
    }

    fn think(&mut self) {
        let Some(game) = self.game.as_ref().filter(|game| game.is_my_turn()) else {
            return;
        };
        let request = self.request(game);
        self.turn = Turn::Thinking(self.context.selector.select(&self.engine, request));
    }

    pub(super) fn request(&self, game: &GameState) -> MoveRequest {
        let books = match game.my_side() {
            Side::White => &self.play.books_white,
            Side::Black => &self.play.books_black,
        };
        MoveRequest {
            game: game.id().clone(),
            line: game.line().clone(),
            persona: self.current_persona(),
            books: books
                .clone()
                .unwrap_or_else(|| self.persona.profile.books_of(game.line().turn()).to_vec()),
            online: self.online_sources(game),
            engine: self.external_engine(),
            clocks: game.clocks(),
            initial: game.frame().clock.map_or(Millis::ZERO, |clock| clock.initial),
            arrived: self.heard,
            overhead: self.lag.overhead(),
            opponent_last: self.opponent_last,
            own_last: self.own_last,
            scores: self.my_scores(),
            rated: game.frame().rated,
            against_bot: game.opponent().is_bot(),
            offered_draw: game.is_offered_draw(),
            offered_at: self.offers.draw_offered_at(),
            seed: seed(game.id()),
        }
    }

    /// The persona of the next move: with `adapt = "within-game"` its level follows the game.
    fn current_persona(&self) -> Persona {
        let persona = self.persona.clone();
        match persona.plays_at() {
            Some(level) if self.play.adapt == Adapt::WithinGame => Persona {
                level: Some(adaptive_level::by_score(
                    level,
                    self.scores.last().map(|(_, score)| *score),
                )),
                ..persona
            },
            _ => persona,
        }
    }

    /// The external engine that settings name, else the personality; none for the embedded one.
    fn external_engine(&self) -> Option<Arc<ExternalEngine>> {
        let name = self
            .play
            .engine
            .as_ref()
            .or(self.persona.profile.engine.as_ref())?;
        self.settings.config.external_engine(name).cloned()
    }

    /// The online sources of the settings. Where they name no player, the bot's own games count.
    fn online_sources(&self, game: &GameState) -> Vec<Arc<Source>> {
        let named = |source: &Arc<Source>| match source.kind == SourceKind::Player && source.player.is_empty()
        {
            true => Arc::new(Source {
                player: game.user().to_string(),
                ..Source::clone(source)
            }),
            false => Arc::clone(source),
        };
        self.settings.config.online.iter().map(named).collect()
    }

    pub(super) fn my_scores(&self) -> Vec<Score> {
        self.scores.iter().map(|(_, score)| *score).collect()
    }

    /// Handles the selector's decision: submits the move, or resigns.
    pub(super) fn on_decision(&mut self, decision: Option<Decision>) {
        let Some(game) = &self.game else { return };
        let Some(decision) = decision else {
            // There is no legal move: the server will say how the game ended.
            self.turn = Turn::Closed;
            return;
        };
        let ply = game.line().ply();
        let spent = Millis::from(self.heard.elapsed());
        info!("{}", describe(game, &decision, spent, self.ponder_hit));
        self.scores.extend(decision.score.map(|score| (ply, score)));
        self.recorder
            .record(ply, &decision, spent, self.ponder_hit.take());
        let move_said = numbered(game.line(), decision.mv);
        if let Some(said) = decision
            .grounds
            .as_ref()
            .and_then(|grounds| origin(grounds, &move_said))
        {
            self.chat.set_book_move(said);
        }
        if decision.resign && self.offers.may_resign() {
            self.turn = Turn::Closed;
            self.command(GameCommand::Resign);
            return;
        }
        if decision.draw {
            self.offer_draw(ply);
        }
        self.turn = Turn::Submitting(MoveSubmission::new(decision, ply));
        self.perform(NextAction::Send);
    }

    fn perform(&mut self, action: NextAction) {
        match action {
            NextAction::Wait => {}
            NextAction::Send => self.send(),
            NextAction::Resync => self.resync(),
            NextAction::GiveUp => self.give_up_refused(),
        }
    }

    fn send(&mut self) {
        let (Turn::Submitting(submission), Some(game)) = (&self.turn, &self.game) else {
            return;
        };
        let uci = write_uci(submission.decision.mv, game.line().variant());
        let (ply, draw) = (submission.ply, submission.decision.draw);
        let patience = MoveSubmission::patience(self.left());
        self.sent_at = Some(ply);
        let heard = self.heard;
        self.call(move |client, id| async move {
            let sent = Instant::now();
            // From the bytes that said it was our turn; `bench-daemon` reads this line.
            debug!(
                "{uci} leaves {} us after the turn came",
                (sent - heard).as_micros()
            );
            let answer = client.play(&id, &uci, draw, patience).await;
            GameCallResult::Moved { ply, sent, answer }
        });
    }

    /// Handles the answer to a submitted move.
    pub(super) fn on_move_answer(&mut self, ply: usize, sent: Instant, answer: Result<(), CallError>) {
        if answer.is_ok() {
            let trip = sent.elapsed().into();
            self.lag.note(trip);
            self.context.metrics.moved(trip);
        }
        let left = self.left();
        let Turn::Submitting(submission) = &mut self.turn else {
            // The stream was quicker.
            return;
        };
        if submission.ply != ply {
            return;
        }
        let now = Instant::now();
        let action = submission.answered(&answer, now, left);
        if let Err(error) = &answer {
            let again = submission
                .next_deadline()
                .map(|at| at.saturating_duration_since(now));
            warn!("{}", error.clone().with_wait(again.unwrap_or_default().into()));
        }
        if let Err(error @ CallError::Unauthorized { .. }) = answer {
            self.outcome = Some(TaskOutcome::Unauthorized(error));
        }
        self.perform(action);
    }

    /// Handles a fresh stream that shows the same moves as before.
    pub(super) fn on_move_missing(&mut self) {
        let left = self.left();
        if let Turn::Submitting(submission) = &mut self.turn {
            let action = submission.not_played(Instant::now(), left);
            if action != NextAction::Wait {
                debug!("the move was not played");
            }
            self.perform(action);
        }
    }

    /// Gives up a game in which the server refuses a move that is legal in the position it shows.
    fn give_up_refused(&mut self) {
        if let (Turn::Submitting(submission), Some(game)) = (&self.turn, &self.game) {
            error!(
                "the server refuses {} in {} after \"{}\"",
                write_uci(submission.decision.mv, game.line().variant()),
                write_fen(game.line().position()),
                game.line().uci_moves(),
            );
        }
        self.turn = Turn::Closed;
        self.command(GameCommand::GiveUp);
    }

    /// Restarts the search when the clock shows much less than it was planned with.
    pub(super) fn check_clock(&mut self, expected: Option<Millis>) {
        let shown = self.left_at(self.heard);
        let has_fallen = expected
            .zip(shown)
            .is_some_and(|(expected, shown)| shown < expected.scaled(MUCH_LESS));
        if has_fallen && matches!(self.turn, Turn::Thinking(_)) {
            debug!("the clock has fallen: the search is restarted");
            self.turn = Turn::Open;
        }
    }

    /// What is left of my clock now.
    pub(super) fn left(&self) -> Option<Millis> {
        self.left_at(Instant::now())
    }

    /// What is left of my clock at a moment, by the newest state.
    pub(super) fn left_at(&self, moment: Instant) -> Option<Millis> {
        let clocks = self.game.as_ref()?.clocks()?;
        Some(clocks.mine - moment.saturating_duration_since(self.heard).into())
    }
}

/// A decision in one line: `12. Nf3 book books/starter.book:41 30% | 0.4 s`.
fn describe(game: &GameState, decision: &Decision, spent: Millis, ponder_hit: Option<bool>) -> String {
    let extra = match (decision.resign, decision.draw) {
        (true, _) => ", resigns",
        (false, true) => ", draw",
        (false, false) => "",
    };
    let pondered = match ponder_hit {
        Some(true) => ", ponderhit",
        Some(false) | None => "",
    };
    format!(
        "{} {} {}{pondered}{extra} | {:.1} s",
        game.id(),
        numbered(game.line(), decision.mv),
        decision.why,
        spent.as_secs_f64()
    )
}

/// Where a move without a search came from, the answer to `!book`; none for a searched one.
pub(super) fn origin(grounds: &MoveExplanation, said: &str) -> Option<String> {
    match grounds {
        MoveExplanation::Book(book) => Some(of_book(book, said)),
        MoveExplanation::Online(online) => Some(format!(
            "My last book move was {said}, from the server {}: {}.",
            online.source, online.note
        )),
        MoveExplanation::Search(_) => None,
    }
}

/// A book move in words.
fn of_book(grounds: &BookChoice, said: &str) -> String {
    let (file, line) = grounds.at.rsplit_once(':').unwrap_or((&grounds.at, "?"));
    let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    let chance = grounds
        .moves
        .iter()
        .find(|offer| said.rsplit(' ').next() == Some(&offer.san));
    let share = chance.map_or_else(String::new, |offer| {
        format!(", where {}% of my games go this way", (offer.permille + 5) / 10)
    });
    format!("My last book move was {said}, from the book {name}, line {line}{share}.")
}

/// A move with its number, as in `12. Nf3` or `12... Nf6`.
pub(super) fn numbered(line: &GameHistory, mv: Move) -> String {
    let pos = line.position();
    let dots = if pos.turn() == Color::White { "." } else { "..." };
    format!("{}{dots} {}", pos.fullmoves(), write_san(pos, mv))
}
