//! Restores from the archive what an earlier task knew of the game: scores of its moves, and the last book move. Parked
//! games need it, and all games after a restart.

use std::time::Duration;

use tokio::time::Instant;
use tracing::debug;

use super::{
    GameCallResult, GameTask,
    turn::{numbered, origin},
};
use crate::{
    bot::game_task::state::GameState,
    store::{MoveRecord, Thought},
};
use sparring_chess::{GameHistory, units::Millis, write_uci};
use sparring_engine::Score;

/// How long the first search waits for the archive, which answers at once unless its disk hangs.
const WITHIN: Duration = Duration::from_millis(500);
/// With less than this on the clock no search waits for it.
const SHORT_OF_TIME: Millis = Millis::from_secs(10);

impl GameTask {
    /// Asks the archive for the moves of a game that ran before this task.
    pub(super) fn request_moves(&mut self) {
        if self.has_remembered {
            return;
        }
        let clocks = self.game.as_ref().and_then(GameState::clocks);
        if clocks.is_none_or(|clocks| clocks.mine >= SHORT_OF_TIME) {
            self.memory_due = Some(Instant::now() + WITHIN);
        }
        let store = self.context.store.clone();
        self.call(move |_, id| async move {
            let moves = store.ask(move |archive| archive.moves(&id)).await;
            GameCallResult::MovesRestored(match moves {
                Some(Ok(moves)) => moves,
                Some(Err(error)) => {
                    debug!("how the game was played before is not known: {error}");
                    Vec::new()
                }
                None => Vec::new(),
            })
        });
    }

    /// Handles the answer. A draw offer has waited for it.
    pub(super) fn on_moves_restored(&mut self, moves: &[MoveRecord]) {
        self.memory_due = None;
        self.has_remembered = true;
        let Some(game) = &self.game else { return };
        let restored = RestoredGame::of(game.line(), moves);
        let is_offered = game.is_offered_draw() && !game.is_over();
        // Scores of this task come after those.
        let newer = std::mem::replace(&mut self.scores, restored.scores);
        if let Some((first, _)) = newer.first() {
            self.scores.retain(|(ply, _)| ply < first);
        }
        self.scores.extend(newer);
        self.chat.restore_book_move(restored.book);
        self.recorder.restore_thoughts(restored.thoughts);
        if is_offered {
            self.answer_draw();
        }
    }
}

/// What the archive says of the moves on the board.
#[derive(Debug, Default, PartialEq)]
struct RestoredGame {
    /// Scores of my own moves, with the ply each was played at.
    scores: Vec<(usize, Score)>,
    /// The answer to `!book`.
    book: Option<String>,
    /// How my own moves were chosen, each with the ply before it.
    thoughts: Vec<(usize, Thought)>,
}

impl RestoredGame {
    /// Ignores rows of moves that were taken back since.
    fn of(line: &GameHistory, rows: &[MoveRecord]) -> Self {
        let mut restored = Self::default();
        let mut before = GameHistory::from_position(line.variant(), line.start().clone());
        for (ply, mv) in line.moves().iter().enumerate() {
            let uci = write_uci(*mv, line.variant());
            let row = rows
                .iter()
                .find(|row| row.ply as usize == ply + 1 && row.uci == uci);
            if let Some(thought) = row.and_then(|row| row.thought.as_ref()) {
                restored.scores.extend(thought.score.map(|score| (ply, score)));
                restored.thoughts.push((ply, thought.clone()));
                let grounds = thought.grounds.as_ref();
                if let Some(said) = grounds.and_then(|grounds| origin(grounds, &numbered(&before, *mv))) {
                    restored.book = Some(said);
                }
            }
            before.play(*mv);
        }
        restored
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{BookChance, BookChoice, MoveExplanation, MoveSource};
    use sparring_chess::{Variant, units::Centipawns};

    fn row(ply: u32, uci: &str, score: Option<i32>, grounds: Option<MoveExplanation>) -> MoveRecord {
        MoveRecord {
            ply,
            uci: uci.to_owned(),
            clock: None,
            thought: Some(Thought {
                pondered: None,
                source: MoveSource::Other,
                note: String::new(),
                score: score.map(|cp| Score::Cp(Centipawns(cp))),
                think: Millis::ZERO,
                grounds,
            }),
        }
    }

    #[test]
    fn the_archive_knows_the_scores_and_the_last_book_move_of_what_is_on_the_board() {
        let line =
            GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6").unwrap();
        let of_book = |san: &str| {
            Some(MoveExplanation::Book(BookChoice {
                at: "books/main.book:7".to_owned(),
                note: None,
                moves: vec![BookChance {
                    san: san.to_owned(),
                    permille: 300,
                }],
            }))
        };
        let rows = [
            row(2, "e7e5", None, of_book("e5")),
            row(4, "b8c6", Some(-20), None),
            // This one was taken back.
            row(6, "f8c5", Some(500), of_book("Bc5")),
        ];
        let restored = RestoredGame::of(&line, &rows);
        assert_eq!(restored.scores, [(3, Score::Cp(Centipawns(-20)))]);
        let plies: Vec<usize> = restored.thoughts.iter().map(|(ply, _)| *ply).collect();
        assert_eq!(plies, [1, 3]);
        assert_eq!(
            restored.book.as_deref(),
            Some(
                "My last book move was 1... e5, from the book main, line 7, where 30% of my games go this way."
            )
        );
        assert_eq!(RestoredGame::of(&line, &[]), RestoredGame::default());
    }
}
