//! The moves of the row before, so that rows which begin alike are read once.

use crate::chess::{Move, Position, Rules as _, key, key_after};

use super::moves::{Unread, read_move};

/// The moves of the row before. Neighbouring rows begin alike, and what they share is read once.
#[derive(Debug, Clone)]
pub(super) struct Trail<'t> {
    start: Position,
    start_key: u64,
    steps: Vec<Step<'t>>,
    /// Whether move numbers in the text can be held against the position.
    counts: bool,
}

#[derive(Debug, Clone)]
struct Step<'t> {
    word: &'t str,
    mv: Move,
    after: Position,
    key: u64,
}

impl<'t> Trail<'t> {
    /// Rows that begin in a position; `counts` says that it is the start of a game.
    pub fn new(start: Position, counts: bool) -> Self {
        Self {
            start_key: key(&start),
            start,
            steps: Vec::new(),
            counts,
        }
    }

    /// Whether move numbers in the text can be held against the position.
    pub fn counts(&self) -> bool {
        self.counts
    }

    /// The position after the first `depth` moves.
    pub fn position(&self, depth: usize) -> &Position {
        match depth.checked_sub(1).and_then(|index| self.steps.get(index)) {
            Some(step) => &step.after,
            None => &self.start,
        }
    }

    /// The key of the position after the first `depth` moves.
    pub fn key(&self, depth: usize) -> u64 {
        match depth.checked_sub(1).and_then(|index| self.steps.get(index)) {
            Some(step) => step.key,
            None => self.start_key,
        }
    }

    /// Plays a word as the move after the first `depth` of the trail, and forgets what came after them.
    pub fn play(&mut self, depth: usize, word: &'t str) -> Result<Move, Unread> {
        if let Some(step) = self.steps.get(depth)
            && step.word == word
        {
            return Ok(step.mv);
        }
        let before = self.position(depth);
        let mv = read_move(before, word)?;
        let key_before = self.key(depth);
        self.steps.truncate(depth);
        // Made and played in its place, since positions are large and this is done for nearly every word of a book.
        self.steps.push(Step {
            word,
            mv,
            after: self.position(depth).clone(),
            key: 0,
        });
        let (head, tail) = self.steps.split_at_mut(depth);
        if let [step, ..] = tail {
            step.after.play_unchecked(mv);
            let before = head.last().map_or(&self.start, |step| &step.after);
            step.key = key_after(before, key_before, mv, &step.after);
        }
        Ok(mv)
    }
}
