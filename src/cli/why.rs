//! Why it played that: the decisions of a finished game as JSON, for the page of the sandbox and for the dashboard.
//!
//! `docs/why.md` shows the form. What is not known is left out.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::parting::parting;
use crate::{
    book::Library,
    chess::{GameLine, Variant, parse_uci, write_fen, write_san, write_uci},
    lichess::model::{GameId, Side},
    store::{BookGrounds, GameRecord, Grounds, MoveRecord, SearchGrounds, Source, Store, Worth},
};

/// The last rows of a game are written a moment after its end is seen elsewhere.
const WRITTEN_WITHIN: Duration = Duration::from_secs(3);
/// How soon it is looked again.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The decisions of a game that is over for everybody else, once its end is in the archive; nothing for games that it
/// does not know.
pub async fn once_written(store: &Store, library: &Library, id: GameId) -> Option<Value> {
    let begun = Instant::now();
    loop {
        let wanted = id.clone();
        let asked = store.ask(move |archive| Ok((archive.game(&wanted)?, archive.moves(&wanted)?)));
        let (game, moves) = asked.await?.ok()?;
        let told = game.and_then(|game| decisions(&game, &moves, library));
        if told.is_some() || begun.elapsed() > WRITTEN_WITHIN {
            return told;
        }
        sleep(LOOK_AGAIN).await;
    }
}

/// A half move as a page without rules can show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// As the stream wrote it.
    pub uci: String,
    /// As books write it.
    pub san: String,
    /// The position after it.
    pub fen: String,
}

/// The moves of a game; those that make no game end it.
#[must_use]
pub fn retold(game: &GameRecord, moves: &[MoveRecord]) -> Vec<Told> {
    replay(game, moves).map_or_else(Vec::new, |(_, told)| told)
}

/// The game itself, and its moves in words; nothing where its start makes no sense.
fn replay(game: &GameRecord, moves: &[MoveRecord]) -> Option<(GameLine, Vec<Told>)> {
    let written = game.end.as_ref().map(|end| end.moves.as_str());
    let words: Vec<&str> = match written {
        Some(written) => written.split_ascii_whitespace().collect(),
        None => moves.iter().map(|record| record.uci.as_str()).collect(),
    };
    let variant = game.variant.parse::<Variant>().ok()?;
    let mut line = GameLine::replay(variant, &game.start, "").ok()?;
    let mut told = Vec::new();
    for word in words {
        let Ok(mv) = parse_uci(line.position(), word) else {
            break;
        };
        let san = write_san(line.position(), mv);
        line.play(mv);
        told.push(Told {
            uci: write_uci(mv, line.variant()),
            san,
            fen: write_fen(line.position()),
        });
    }
    Some((line, told))
}

/// Why each move of mine was played, and where the books of the library were left. Nothing while the game runs: then it
/// would help somebody.
#[must_use]
pub fn decisions(game: &GameRecord, moves: &[MoveRecord], library: &Library) -> Option<Value> {
    game.end.as_ref()?;
    let (line, told) = replay(game, moves)?;
    let cards: Vec<Value> = moves
        .iter()
        .filter_map(|record| {
            let mv = told.get((record.ply as usize).checked_sub(1)?)?;
            card(record, mv)
        })
        .collect();
    Some(json!({
        "game": game.id,
        "side": if game.side == Side::White { "white" } else { "black" },
        "personality": game.personality,
        "level": game.played,
        "leftBook": parting(&line, moves, library),
        "decisions": cards,
    }))
}

/// The same with word of whether the lines of books in it can be edited in the browser.
#[must_use]
pub fn editable(mut decisions: Value, edit: bool) -> Value {
    decisions["edit"] = json!(edit);
    decisions
}

/// One decision; nothing for moves of the opponent, and where nothing is known.
fn card(record: &MoveRecord, mv: &Told) -> Option<Value> {
    let thought = record.thought.as_ref()?;
    let (from, depth, nodes) = match thought.source {
        Source::Book => ("book", None, None),
        Source::Engine { depth, nodes } => ("search", Some(depth), Some(nodes)),
        Source::Other => ("other", None, None),
    };
    let (book, search) = match &thought.grounds {
        Some(Grounds::Book(book)) => (Some(of_book(book)), None),
        Some(Grounds::Search(search)) => (None, Some(of_search(search))),
        None => (None, None),
    };
    Some(json!({
        "ply": record.ply, "uci": mv.uci, "san": mv.san, "from": from, "note": thought.note,
        "tookMillis": thought.think, "clockMillis": record.clock, "score": thought.score.map(Worth::from),
        "depth": depth, "nodes": nodes, "book": book, "search": search,
    }))
}

fn of_book(book: &BookGrounds) -> Value {
    let moves: Vec<Value> = book
        .moves
        .iter()
        .map(|offer| json!({"san": offer.san, "chance": share(offer.permille)}))
        .collect();
    json!({"at": book.at, "note": book.note, "moves": moves})
}

fn of_search(search: &SearchGrounds) -> Value {
    let people = search.people.as_ref().map(|people| {
        let style = people
            .style
            .as_ref()
            .map(|style| json!({"chance": share(style.plainly), "axes": style.axes}));
        json!({
            "rating": people.rating, "chance": share(people.permille), "corrected": people.corrected, "style": style,
        })
    });
    json!({"lines": search.lines, "people": people})
}

/// Thousandths as a chance from 0 to 1.
fn share(permille: u16) -> f64 {
    f64::from(permille) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        store::{BookChance, People, SeenLine, Thought, sample},
        units::{Depth, Elo, Millis, Nodes},
    };

    fn game(end: Option<&str>) -> GameRecord {
        GameRecord {
            end: end.and_then(|moves| sample::end("resign", None, moves)),
            ..sample::game("abcd1234", Side::White)
        }
    }

    fn thought(source: Source, grounds: Grounds) -> Option<Thought> {
        Some(Thought {
            source,
            note: "why".to_owned(),
            score: None,
            think: Millis(1200),
            grounds: Some(grounds),
        })
    }

    fn record(ply: u32, uci: &str, thought: Option<Thought>) -> MoveRecord {
        MoveRecord {
            ply,
            uci: uci.to_owned(),
            clock: Some(Millis(60_000)),
            thought,
        }
    }

    fn moves() -> Vec<MoveRecord> {
        let book = Grounds::Book(BookGrounds {
            at: "books/x.book:4".to_owned(),
            note: Some("Italian".to_owned()),
            moves: vec![BookChance {
                san: "e4".to_owned(),
                permille: 600,
            }],
        });
        let search = Grounds::Search(SearchGrounds {
            lines: vec![SeenLine {
                score: Worth::Cp(31),
                san: vec!["Nf3".to_owned()],
            }],
            people: Some(People {
                rating: Elo(1500),
                permille: 231,
                corrected: false,
                style: None,
            }),
        });
        let source = Source::Engine {
            depth: Depth(6),
            nodes: Nodes(9000),
        };
        vec![
            record(1, "e2e4", thought(Source::Book, book)),
            record(2, "e7e5", None),
            record(3, "g1f3", thought(source, search)),
        ]
    }

    #[test]
    fn each_move_of_mine_says_where_it_is_from_and_where_the_book_was_left() {
        let told = decisions(&game(Some("e2e4 e7e5 g1f3")), &moves(), &Library::empty()).unwrap();
        let cards = told["decisions"].as_array().unwrap();
        assert_eq!(cards.len(), 2);
        assert_eq!(cards[0]["san"], "e4");
        assert_eq!(cards[0]["from"], "book");
        assert_eq!(cards[0]["book"]["moves"][0], json!({"san": "e4", "chance": 0.6}));
        assert_eq!(cards[1]["san"], "Nf3");
        assert_eq!(cards[1]["search"]["lines"][0]["score"], json!({"cp": 31}));
        assert_eq!(cards[1]["search"]["people"]["chance"], 0.231);
        assert_eq!(
            told["leftBook"],
            json!({"ply": 3, "by": null, "at": "books/x.book:4", "note": "Italian", "plan": []})
        );
    }

    #[test]
    fn while_a_game_runs_nothing_is_told() {
        assert_eq!(decisions(&game(None), &moves(), &Library::empty()), None);
        assert_eq!(retold(&game(None), &moves()).len(), 3, "its moves are no secret");
    }

    #[test]
    fn moves_that_make_no_game_cost_only_themselves() {
        let broken = game(Some("e2e4 e7e9"));
        assert_eq!(retold(&broken, &[]).len(), 1);
        assert_eq!(
            decisions(&broken, &moves(), &Library::empty()).unwrap()["decisions"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
    }
}
