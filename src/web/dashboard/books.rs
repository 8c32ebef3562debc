//! Results by book line: how often each was reached, and its score against the expected one.

use serde_json::{Value, json};

use crate::store::{GameRecord, MoveRecord, book_outcome, move_origins};
use sparring_book::{Book, LearnReport, Library, MoveStats, Outcome};

/// Most moves shown per book, those that cost most points first.
const SHOWN: usize = 100;

/// The scores of all book moves in these games, which come in chunks.
///
/// # Errors
/// The first error of a chunk.
pub(super) fn figures<E>(
    library: &Library,
    parts: impl IntoIterator<Item = Result<Vec<(GameRecord, Vec<MoveRecord>)>, E>>,
) -> Result<Value, E> {
    let books: Vec<&Book> = library.names().filter_map(|name| library.book(name)).collect();
    let mut lessons: Vec<LearnReport<'_>> = books.iter().map(|book| LearnReport::new(book)).collect();
    let mut read = 0;
    for part in parts {
        read += from_games(&part?, &mut lessons);
    }
    let shown: Vec<Value> = books
        .iter()
        .zip(&lessons)
        .map(|(book, lessons)| of_book(book, lessons, read))
        .collect();
    Ok(json!({"games": read, "books": shown}))
}

/// Adds finished games to the report of each book. Returns how many counted.
fn from_games(games: &[(GameRecord, Vec<MoveRecord>)], reports: &mut [LearnReport<'_>]) -> usize {
    let mut counted = 0;
    for (game, moves) in games {
        let Some(history) = game.history() else { continue };
        let Some(outcome) = book_outcome(game, &history) else {
            continue;
        };
        counted += 1;
        for report in &mut *reports {
            let drawn = move_origins(report.book(), moves);
            report.add(&Outcome {
                drawn: &drawn,
                ..outcome
            });
        }
    }
    counted
}

fn of_book(book: &Book, lessons: &LearnReport<'_>, all: usize) -> Value {
    let list = lessons.list(1);
    let moves: u32 = list.iter().map(|lesson| lesson.games).sum();
    let followed = lessons.games();
    let share = |part: f64, whole: usize| (whole > 0).then(|| part / whole as f64);
    let rows: Vec<Value> = list.iter().take(SHOWN).map(row).collect();
    json!({
        "name": book.name(), "title": book.title(), "path": book.path(), "lines": book.rows(),
        "positions": book.positions(), "followed": followed, "hits": share(followed as f64, all),
        "depth": share(f64::from(moves), followed), "moves": rows, "more": list.len().saturating_sub(SHOWN),
    })
}

fn row(lesson: &MoveStats) -> Value {
    let games = f64::from(lesson.games).max(1.0);
    json!({
        "after": lesson.after, "move": lesson.mv, "at": lesson.at, "games": lesson.games,
        "score": lesson.points / games, "expected": lesson.expected / games, "surplus": lesson.surplus(),
        "weight": lesson.weight,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::End;
    use sparring_book as book;
    use sparring_chess::units::{Elo, Millis};
    use sparring_lichess::model::Side;

    fn game(moves: &str, winner: Option<Side>) -> (GameRecord, Vec<MoveRecord>) {
        let game = GameRecord {
            id: "abcd1234".parse().unwrap(),
            began: Millis(1),
            side: Side::White,
            opponent: None,
            name: "Ana".to_owned(),
            is_bot: false,
            rating: Some(Elo(1500)),
            own_rating: Some(Elo(1500)),
            rated: true,
            variant: "standard".to_owned(),
            speed: "blitz".to_owned(),
            clock: None,
            days: None,
            start: "startpos".to_owned(),
            personality: "club".to_owned(),
            account: None,
            level: None,
            played: None,
            end: Some(End {
                at: Millis(2),
                status: "mate".to_owned(),
                winner,
                moves: moves.to_owned(),
            }),
        };
        (game, Vec::new())
    }

    #[test]
    fn a_book_tells_what_its_lines_scored_the_worst_first() {
        let mine = book::parse("books/mine.book", "1. e4 e5 2. Nf3\n1. d4\n")
            .0
            .unwrap();
        let library = Library::new(vec![mine]);
        let games = [
            game("e2e4 e7e5 g1f3", Some(Side::Black)),
            game("d2d4 d7d5", Some(Side::White)),
            game("c2c4 e7e5", None),
        ];
        let parts = games.map(|game| Ok::<_, std::convert::Infallible>(vec![game]));
        let Ok(told) = figures(&library, parts);
        assert_eq!(told["games"], 3);
        let mine = &told["books"][0];
        assert_eq!((&mine["followed"], &mine["depth"]), (&json!(2), &json!(1.5)));
        assert_eq!(mine["hits"], json!(2.0 / 3.0));
        let worst = &mine["moves"][0];
        assert_eq!((&worst["score"], &worst["expected"]), (&json!(0.0), &json!(0.5)));
        assert_eq!(worst["at"], "books/mine.book:1");
        assert_eq!(mine["moves"][2]["move"], "d4");
    }
}
