//! Caches the moves of the previous line, so that a shared prefix is parsed once.

use sparring_chess::{Move, Position, Rules as _, key, key_after};

use super::moves::{Unread, read_move};

/// The moves of the row before. Neighbouring rows begin alike, and what they share is read once.
#[derive(Debug, Clone)]
pub(super) struct PrefixCache<'t> {
    start: Position,
    start_key: u64,
    steps: Vec<Step<'t>>,
    /// How many of the steps follow from each other; those behind are there to be written over.
    len: usize,
    /// Whether move numbers in the text can be held against the position.
    counts: bool,
    /// How many half moves of a game stand before the start, if the text says so.
    start_ply: u8,
}

#[derive(Debug, Clone)]
struct Step<'t> {
    word: &'t str,
    mv: Move,
    after: Position,
    key: u64,
}

impl<'t> PrefixCache<'t> {
    /// Rows that begin in a position; `counts` says that it is the start of a game.
    pub fn new(start: Position, counts: bool) -> Self {
        Self {
            start_key: key(&start),
            start,
            steps: Vec::new(),
            len: 0,
            counts,
            start_ply: 0,
        }
    }

    /// The same for a start that its author placed in a game: by the number of its move, up to 255 half moves.
    pub fn placed(mut self) -> Self {
        let moves = u32::from(self.start.fullmoves()) - 1;
        let plies = moves.saturating_mul(2) + u32::from(self.start.turn().is_black());
        self.start_ply = u8::try_from(plies).unwrap_or(u8::MAX);
        self
    }

    /// How many half moves of a game stand before the start, if the text says so; else 0.
    pub fn start_ply(&self) -> u8 {
        self.start_ply
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

    /// Plays a word as the move after the first `depth` moves, and forgets what came after them.
    pub fn play(&mut self, depth: usize, word: &'t str) -> Result<Move, Unread> {
        if depth < self.len
            && let Some(step) = self.steps.get(depth)
            && step.word == word
        {
            return Ok(step.mv);
        }
        let depth = depth.min(self.len);
        let (known, rest) = self.steps.split_at_mut(depth);
        let (before, key_before) = match known.last() {
            Some(step) => (&step.after, step.key),
            None => (&self.start, self.start_key),
        };
        let mv = read_move(before, word)?;
        match rest.first_mut() {
            // Written over in its place, since positions are large and this is done for nearly every word of a book.
            Some(step) => {
                step.word = word;
                step.mv = mv;
                step.after.clone_from(before);
                step.after.play_unchecked(mv);
                step.key = key_after(before, key_before, mv, &step.after);
            }
            None => {
                let mut after = before.clone();
                after.play_unchecked(mv);
                let key = key_after(before, key_before, mv, &after);
                self.steps.push(Step { word, mv, after, key });
            }
        }
        self.len = depth + 1;
        Ok(mv)
    }
}
