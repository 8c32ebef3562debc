//! Book lines that end badly, by a search of the engine.

use super::{position_search::search, progress};
use sparring_book::{self as book, Book, LineEnd};
use sparring_chess::{
    Color,
    units::{Centipawns, Depth},
};
use sparring_diagnostics::Diagnostic;
use sparring_engine::{Engine, Limits, Score, SearchRequest};

/// Lets the engine look at every end of a book. A warning for each that is worse than said for a side that chose it.
pub fn look(book: &Book, depth: Depth, worse: Centipawns) -> Vec<Diagnostic> {
    let ends = book::ends(book);
    let bar = progress::count(ends.len() as u64, false);
    let mut engine = Engine::new(64);
    let mut found = Vec::new();
    for end in &ends {
        bar.inc(1);
        let Some(score) = judge(&mut engine, end, depth) else {
            continue;
        };
        found.extend(complaint(end, score, worse));
    }
    bar.finish_and_clear();
    found
}

/// The score of an end for the side to move; none where the game is over.
fn judge(engine: &mut Engine, end: &LineEnd, depth: Depth) -> Option<Score> {
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let best = search(engine, &SearchRequest::new(end.line.clone(), limits));
    best.map(|(_, score)| score)
}

fn complaint(end: &LineEnd, score: Score, worse: Centipawns) -> Option<Diagnostic> {
    let turn = end.line.turn();
    // The side that stands worse, and by how much.
    let (loser, by) = match score {
        Score::Cp(cp) if cp.0 < 0 => (turn, format!("{:.2} pawns worse", f64::from(-cp.0) / 100.0)),
        Score::Cp(cp) => (
            turn.other(),
            format!("{:.2} pawns worse", f64::from(cp.0) / 100.0),
        ),
        Score::Mate(moves) if moves < 0 => (turn, "about to be mated".to_owned()),
        Score::Mate(_) => (turn.other(), "about to be mated".to_owned()),
    };
    let is_bad = match score {
        Score::Cp(cp) => cp.0.abs() > worse.0,
        Score::Mate(_) => true,
    };
    let chose = match loser {
        Color::White => end.by_white,
        Color::Black => end.by_black,
    };
    (is_bad && chose).then(|| {
        let message = format!("at the end of this line {loser} is {by}, and plays every move of it");
        Diagnostic::warning(end.span.clone(), message)
            .with_help("mark the move that goes wrong, or let the line end earlier")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_loses_a_piece_is_told_and_a_marked_one_is_not() {
        let text = "1. e4 e5 2. Qh5 Nc6 3. Qxf7+ Kxf7\n1. d4 d5 2. Bh6?? gxh6\n1. c4 c5\n";
        let book = book::parse("a.book", text).0.unwrap();
        let found = look(&book, Depth(4), Centipawns(120));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].message.contains("white is"), "{}", found[0].message);
        assert_eq!(&text[found[0].span.clone()], "Kxf7");
    }
}
