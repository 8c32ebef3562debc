//! Game over: the result is recorded and counted, a lost flag is learned from, and the farewell is said.

use std::time::Duration;

use futures::FutureExt as _;
use tokio::time::{Instant, timeout};
use tracing::{info, warn};

use super::{GameCallResult, GameTask, recorder::began, turn::Turn};
use crate::bot::{game_task::state::GameState, wall_clock::epoch};
use sparring_lichess::{
    Escaped,
    model::{Side, Status},
};

/// Chat after the end is sent within this time or not at all.
const CLOSING: Duration = Duration::from_secs(5);
/// The archive must answer within this time: less than [`CLOSING`], when the task ends.
const LOOK_UP: Duration = Duration::from_secs(4);

impl GameTask {
    /// Asks the archive whether the result of a game that is over at its first line was counted before. It is asked before
    /// the result is written there.
    pub(super) fn request_result(&mut self) {
        if !self.is_over() {
            return;
        }
        let id = self.settings.id.clone();
        let asked = self.context.store.ask(move |archive| archive.has_ended(&id));
        self.archive_lookup_pending = true;
        self.calls.push(
            async move {
                let answer = timeout(LOOK_UP, asked).await.ok().flatten();
                // Without an archive nothing was counted by an earlier run.
                GameCallResult::ResultLookedUp(matches!(answer, Some(Ok(true))))
            }
            .boxed(),
        );
    }

    /// Handles its answer.
    pub(super) fn on_result(&mut self, was_known: bool) {
        self.archive_lookup_pending = false;
        if !was_known {
            self.count();
        }
    }

    /// Ends the game: its final state has come.
    pub(super) fn end(&mut self) {
        self.record_game();
        self.learn_from_the_flag();
        if self.saw_running {
            self.count();
        }
        self.context.game_flags.forget(&self.settings.id);
        self.turn = Turn::Closed;
        self.pondering = None;
        self.offers.end_no_show();
        self.stream.end();
        self.closes_at = Some(Instant::now() + CLOSING);
        if let Some(game) = self.game.as_ref().filter(|_| self.saw_running) {
            info!("{}", summary(game));
            self.say_farewell();
        }
    }

    /// Counts the result, once.
    fn count(&self) {
        let Some(game) = self
            .game
            .as_ref()
            .filter(|game| self.context.finished_games.insert(game.id()))
        else {
            return;
        };
        self.context.metrics.game_ended(result(game));
        self.count_for_opponent(game);
    }

    /// Counts the result for rules, and for the level of the next casual game.
    fn count_for_opponent(&self, game: &GameState) {
        let Some(opponent) = &game.opponent().id else {
            return;
        };
        let half_points = match result(game) {
            "won" => Some(2),
            "drawn" => Some(1),
            "lost" => Some(0),
            _ => None,
        };
        if let Some(half_points) = half_points {
            let casual = (!game.frame().rated).then(|| self.persona.plays_at());
            self.context.opponent_stats.ended(opponent, half_points, casual);
        }
        if let (Some(winner), false) = (game.winner(), game.frame().rated) {
            let opponent_won = winner != game.my_side();
            self.context
                .opponent_memory
                .ended(opponent, opponent_won, began(game), epoch());
        }
    }

    /// Raises the move overhead of later games after a loss on time with a move on its way.
    fn learn_from_the_flag(&self) {
        let Some(game) = &self.game else { return };
        let was_mine = *game.status() == Status::OutOfTime && game.winner() == Some(game.my_side().other());
        let was_sent = self.sent_at.is_some_and(|ply| ply + 1 >= game.line().ply());
        if was_mine && was_sent {
            self.context.lag_margin.learn();
            warn!(
                "the flag fell with the move on its way: the move overhead is {} larger from now on",
                self.context.lag_margin.extra()
            );
        }
    }
}

/// The result for us, as metrics count it.
fn result(game: &GameState) -> &'static str {
    match (game.winner(), game.status()) {
        (Some(side), _) if side == game.my_side() => "won",
        (Some(_), _) => "lost",
        (None, Status::Aborted | Status::NoStart) => "void",
        (None, _) => "drawn",
    }
}

/// The result in one line for the log.
fn summary(game: &GameState) -> String {
    let result = match game.winner() {
        Some(side) if side == game.my_side() => "won",
        Some(_) => "lost",
        None => "ended without a winner",
    };
    let color = if game.my_side() == Side::White {
        "White"
    } else {
        "Black"
    };
    format!(
        "{result} as {color} against {} ({}) after {} moves",
        Escaped(&game.opponent().display_name()),
        game.status().name(),
        game.line().ply().div_ceil(2),
    )
}
