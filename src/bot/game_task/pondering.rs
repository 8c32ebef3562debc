//! Pondering: the engine thinks about the expected reply while the opponent thinks.

use tokio_util::task::AbortOnDropHandle;

use super::GameTask;
use sparring_chess::{Move, Rules as _};

/// What the engine thinks about on the opponent's time. Dropping it ends that.
pub(super) struct Pondering {
    expected: Move,
    /// Half moves played once the opponent has replied.
    ply: usize,
    _task: AbortOnDropHandle<()>,
}

impl GameTask {
    /// Ponders about a reply to my move that is on the board. Levels play like people, who are not stronger against the slow.
    pub(super) fn ponder(&mut self, expected: Move) {
        let Some(game) = self.game.as_ref().filter(|game| !game.is_over()) else {
            return;
        };
        let mut request = self.request(game);
        if !self.settings.config.engine.ponder
            || request.persona.plays_at().is_some()
            || !request.line.position().is_legal(expected)
        {
            return;
        }
        request.line.play(expected);
        self.pondering = Some(Pondering {
            expected,
            ply: request.line.ply(),
            _task: AbortOnDropHandle::new(tokio::spawn(self.context.selector.ponder(&self.engine, request))),
        });
    }

    /// Ends pondering when the board has changed. Keeps whether the reply is the expected one.
    pub(super) fn end_pondering(&mut self) {
        self.ponder_hit = None;
        let (Some(pondering), Some(game)) = (self.pondering.take(), &self.game) else {
            return;
        };
        if game.line().ply() == pondering.ply {
            let is_hit = game.line().moves().last() == Some(&pondering.expected);
            self.context.metrics.pondered(is_hit);
            self.ponder_hit = Some(is_hit);
        }
    }
}
