//! Where a game left the book: at which move, by which side, and the book's expected continuation.
//!
//! The archive says which book line was followed; the continuation comes from the current version of the book.

use serde_json::{Value, json};

use crate::store::{BookChoice, MoveExplanation, MoveRecord, MoveSource, Thought};
use sparring_book::{self as book, Book, ExpectedLine, Library};
use sparring_chess::GameHistory;

/// Half moves of the expected continuation after its first.
const FURTHER: usize = 5;

/// The side that left the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    /// The opponent played a move that is not in the book.
    Opponent,
    /// The bot had a book move and played another.
    Bot,
    /// Neither: the book line ends.
    Nobody,
}

impl Who {
    fn word(self) -> &'static str {
        match self {
            Self::Opponent => "opponent",
            Self::Bot => "bot",
            Self::Nobody => "nobody",
        }
    }
}

/// Where the bot's first moves from a book ended; none if the game never was in a book, or never left it. `line` is the whole game.
pub(crate) fn book_exit(line: &GameHistory, moves: &[MoveRecord], library: &Library) -> Option<Value> {
    let mine: Vec<(u32, &Thought)> = moves
        .iter()
        .filter_map(|record| Some((record.ply, record.thought.as_ref()?)))
        .collect();
    let booked = mine
        .iter()
        .take_while(|(_, thought)| thought.source == MoveSource::Book)
        .count();
    let (last, thought) = mine.get(booked.checked_sub(1)?)?;
    let (mine_next, _) = mine.get(booked)?;
    let followed = match &thought.grounds {
        Some(MoveExplanation::Book(book)) => Some(book),
        _ => None,
    };
    let found = followed
        .and_then(|followed| book_of(library, followed))
        .map(|book| trace(book, line, *last as usize));
    let (ply, who, plan) = match found {
        Some((ply, who, plan)) => (ply, Some(who.word()), plan),
        // The book was deleted, or not recorded.
        None => (*mine_next as usize, None, Vec::new()),
    };
    Some(json!({
        "ply": ply, "by": who, "at": followed.map(|book| &book.at),
        "note": followed.and_then(|book| book.note.as_ref()),
        "plan": plan.iter().map(expected_json).collect::<Vec<Value>>(),
    }))
}

/// The book of a recorded book line.
fn book_of<'l>(library: &'l Library, followed: &BookChoice) -> Option<&'l Book> {
    let (file, _) = followed.at.rsplit_once(':')?;
    library
        .names()
        .filter_map(|name| library.book(name))
        .find(|book| book.path() == file)
}

/// From the position after the bot's last book move: who left the book, at which ply, and its expected continuation.
fn trace(book: &Book, line: &GameHistory, last: usize) -> (usize, Who, Vec<ExpectedLine>) {
    let before = |plies: usize| {
        let mut before = line.clone();
        before.truncate(plies);
        before
    };
    let answers = book::plan(book, &before(last), FURTHER);
    if answers.is_empty() {
        return (last + 2, Who::Nobody, answers);
    }
    let knows = |plies: usize| {
        let entries = book.entries_along(before(plies).keys()).to_vec();
        let played = line.moves().get(plies);
        entries.iter().any(|entry| Some(&entry.mv) == played)
    };
    if !knows(last) {
        return (last + 1, Who::Opponent, answers);
    }
    let own = book::plan(book, &before(last + 1), FURTHER);
    let who = if own.is_empty() { Who::Nobody } else { Who::Bot };
    (last + 2, who, own)
}

fn expected_json(one: &ExpectedLine) -> Value {
    json!({"san": one.san, "chance": one.chance, "at": one.at, "note": one.note, "then": one.then})
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{
        Variant,
        units::{Depth, Millis, Nodes},
    };

    /// White is the bot; its first so many moves are from the book.
    fn left(text: &str, game: &str, booked: usize) -> Option<Value> {
        let library = Library::new(vec![book::parse("books/x.book", text).0.unwrap()]);
        let line = GameHistory::replay(Variant::Standard, "startpos", game).unwrap();
        let moves: Vec<MoveRecord> = game
            .split(' ')
            .enumerate()
            .map(|(index, uci)| MoveRecord {
                ply: index as u32 + 1,
                uci: uci.to_owned(),
                clock: None,
                thought: (index % 2 == 0).then(|| thought(index / 2 < booked)),
            })
            .collect();
        book_exit(&line, &moves, &library)
    }

    fn thought(is_booked: bool) -> Thought {
        let searched = MoveSource::Engine {
            depth: Depth(1),
            nodes: Nodes(1),
        };
        Thought {
            pondered: None,
            source: if is_booked { MoveSource::Book } else { searched },
            note: "why".to_owned(),
            score: None,
            think: Millis(1),
            grounds: is_booked.then(|| {
                MoveExplanation::Book(BookChoice {
                    at: "books/x.book:1".to_owned(),
                    note: None,
                    moves: Vec::new(),
                })
            }),
        }
    }

    #[test]
    fn the_side_that_leaves_the_book_is_named_with_the_book_s_continuation() {
        let text = "e4 e5 Nf3 Nc6 Bb5\n";
        let exit = left(text, "e2e4 c7c5 g1f3", 1).unwrap();
        assert_eq!((&exit["ply"], &exit["by"]), (&json!(2), &json!("opponent")));
        assert_eq!(exit["plan"][0]["san"], "e5");
        assert_eq!(exit["plan"][0]["then"], json!(["Nf3", "Nc6", "Bb5"]));
        let exit = left(text, "e2e4 e7e5 f2f4", 1).unwrap();
        assert_eq!((&exit["ply"], &exit["by"]), (&json!(3), &json!("bot")));
        assert_eq!(exit["plan"][0]["san"], "Nf3");
    }

    #[test]
    fn where_the_book_ends_nobody_has_left_it() {
        let exit = left("e4\n", "e2e4 e7e5 g1f3", 1).unwrap();
        assert_eq!((&exit["ply"], &exit["by"]), (&json!(3), &json!("nobody")));
        let exit = left("e4 e5\n", "e2e4 e7e5 g1f3", 1).unwrap();
        assert_eq!((&exit["ply"], &exit["by"]), (&json!(3), &json!("nobody")));
        assert_eq!(exit["plan"], json!([]));
    }

    #[test]
    fn a_game_that_stayed_in_the_book_or_never_saw_it_did_not_leave_it() {
        assert_eq!(left("e4 e5 Nf3\n", "e2e4 e7e5 g1f3", 2), None);
        assert_eq!(left("e4 e5 Nf3\n", "d2d4 e7e5 g1f3", 0), None);
    }

    #[test]
    fn a_book_that_is_gone_leaves_the_place_and_no_plan() {
        let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5 g1f3").unwrap();
        let record = |ply, is_booked| MoveRecord {
            ply,
            uci: String::new(),
            clock: None,
            thought: Some(thought(is_booked)),
        };
        let exit = book_exit(&line, &[record(1, true), record(3, false)], &Library::empty()).unwrap();
        assert_eq!((&exit["ply"], &exit["by"]), (&json!(3), &Value::Null));
        assert_eq!(exit["at"], "books/x.book:1");
    }
}
