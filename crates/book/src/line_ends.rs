//! The last positions of a book's lines, and which side chose them.

use std::{collections::HashSet, ops::Range};

use sparring_chess::{Color, GameHistory, Rules as _};

use super::{
    book::Book,
    walk::{Row, walk},
};

/// The end of a line of moves.
#[derive(Debug, Clone)]
pub struct LineEnd {
    /// The moves up to it.
    pub line: GameHistory,
    /// The bytes of the last move in the text.
    pub span: Range<usize>,
    /// Whether the book plays all of White's moves up to it.
    pub by_white: bool,
    /// Whether the book plays all of Black's moves up to it.
    pub by_black: bool,
}

/// Where lines of moves end, each position once, in the order of the text.
///
/// A side has chosen an end if the book, as that side, plays each of its moves: what is forbidden or left out of a
/// choice is there to be answered, and says nothing against the one who would not play it.
#[must_use]
pub fn ends(book: &Book) -> Vec<LineEnd> {
    let (mut seen, mut ends) = (HashSet::new(), Vec::new());
    walk(book.text(), &mut |row| {
        let Some(last) = row.played.last() else { return };
        let depth = last.depth;
        let start = row.prefix.position(0).clone();
        let mut line = GameHistory::from_position(book.head().variant, start);
        for played in row.played.iter().filter(|played| played.depth < depth) {
            line.play(played.mv);
        }
        // Each move of a choice is an end of its own.
        for played in row.played.iter().filter(|played| played.depth == depth) {
            let mut end = line.clone();
            end.play(played.mv);
            let is_new = end.keys().last().is_some_and(|key| seen.insert(*key));
            if is_new && !goes_on(book, &end) {
                let chosen = |side| is_chosen(book, row, &end, side);
                ends.push(LineEnd {
                    span: played.span.clone(),
                    by_white: chosen(Color::White),
                    by_black: chosen(Color::Black),
                    line: end,
                });
            }
        }
    });
    ends
}

/// Whether the book knows what comes next, so that this is no end.
fn goes_on(book: &Book, line: &GameHistory) -> bool {
    line.keys()
        .last()
        .is_some_and(|key| !book.entries(*key).is_empty())
}

fn is_chosen(book: &Book, row: &Row<'_, '_>, line: &GameHistory, side: Color) -> bool {
    let mut turn = line.start().turn();
    let counts = row.color.is_none_or(|color| color == side);
    counts
        && line.moves().iter().zip(1..).all(|(mv, known)| {
            let is_mine = turn == side;
            turn = turn.other();
            let keys = line.keys().get(..known).unwrap_or_default();
            let entries = book.entries_along(keys);
            !is_mine || entries.iter().any(|entry| entry.mv == *mv && entry.share() > 0)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn ends_are_told_with_those_who_chose_them() {
        let text = "e4 e5 Nf3\ne4 e5 Nf3 Nc6 Bb5\ne4 d5?? exd5\ne4 c5 | e6 0\ncolor: white\nd4 d5 c4";
        let book = parse("a.book", text).0.unwrap();
        let shown: Vec<String> = ends(&book)
            .iter()
            .map(|end| format!("{} {} {}", end.line.uci_moves(), end.by_white, end.by_black))
            .collect();
        assert_eq!(
            shown,
            [
                "e2e4 e7e5 g1f3 b8c6 f1b5 true false",
                "e2e4 d7d5 e4d5 true false",
                "e2e4 c7c5 true true",
                "e2e4 e7e6 true false",
                "d2d4 d7d5 c2c4 true false"
            ]
        );
    }
}
