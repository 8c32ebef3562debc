//! Archived games as outcomes for a book: score, expected score, and which moves came from the book.

use super::{
    explanation::MoveExplanation,
    record::{GameRecord, MoveRecord, MoveSource, Thought},
};
use sparring_book::{self as book, Book, MoveOrigin, Outcome};
use sparring_chess::{Color, GameHistory, Variant, units::Elo};
use sparring_lichess::model::Side;

impl GameRecord {
    /// The moves of a finished game. None for a running game, and where the row holds no legal game.
    pub(crate) fn history(&self) -> Option<GameHistory> {
        let variant: Variant = self.variant.parse().ok()?;
        let moves = &self.end.as_ref()?.moves;
        GameHistory::replay(variant, &self.start, moves).ok()
    }

    /// The bot's side.
    pub(crate) fn color(&self) -> Color {
        match self.side {
            Side::White => Color::White,
            Side::Black => Color::Black,
        }
    }

    /// The bot's score, doubled: 0, 1 or 2. None for games that run or do not count.
    fn half_points(&self) -> Option<u32> {
        let end = self.end.as_ref()?;
        match end.winner {
            Some(winner) if winner == self.side => Some(2),
            Some(_) => Some(0),
            None => (!matches!(end.status.as_str(), "aborted" | "noStart" | "unknownFinish")).then_some(1),
        }
    }
}

/// A game with `history` as a book outcome without move origins and verdict; none for games that do not count. The expected
/// score uses the level that was asked for, if any: the bot played at it, whatever its rating.
pub(crate) fn book_outcome<'h>(game: &GameRecord, history: &'h GameHistory) -> Option<Outcome<'h>> {
    let ratings = game.level.or(game.own_rating).zip(game.rating);
    Some(Outcome {
        line: history,
        side: game.color(),
        half_points: game.half_points()?,
        expected: ratings.map_or(0.5, |(Elo(own), Elo(other))| book::expected_score(own, other)),
        drawn: &[],
        verdict: None,
    })
}

/// Where each move of a game came from, seen from `book`. The index is the number of half moves before the move.
pub(crate) fn move_origins(book: &Book, moves: &[MoveRecord]) -> Vec<MoveOrigin> {
    let mut origins = Vec::new();
    for record in moves {
        let Some(thought) = &record.thought else { continue };
        let origin = match (thought.source, book_line(thought)) {
            (MoveSource::Book, None) => MoveOrigin::Unknown,
            (MoveSource::Book, Some(at)) if book.holds(at) => MoveOrigin::Here,
            _ => MoveOrigin::Elsewhere,
        };
        let before = (record.ply as usize).saturating_sub(1);
        if before >= origins.len() {
            origins.resize(before + 1, MoveOrigin::Unknown);
        }
        if let Some(slot) = origins.get_mut(before) {
            *slot = origin;
        }
    }
    origins
}

/// `file:line` of the book line that a move came from. Archives of early versions have it in the note only.
fn book_line(thought: &Thought) -> Option<&str> {
    match &thought.grounds {
        Some(MoveExplanation::Book(choice)) => Some(&choice.at),
        _ => thought.note.strip_prefix("book ")?.split(' ').next(),
    }
}
