//! Explanations of a finished game's moves as JSON, for the sandbox's page and the dashboard.
//!
//! `docs/operate.md` shows the format. Unknown fields are left out.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::store::{
    ArchiveWriter, BookChance, BookChoice, GameRecord, MoveExplanation, MoveRecord, MoveSource, OnlineChoice,
    ScoreJson, SearchExplanation,
};
use crate::web::{book_exit::book_exit, eval_history::eval_history};
use sparring_book::Library;
use sparring_chess::{GameHistory, Variant, parse_uci, write_fen, write_san, write_uci};
use sparring_lichess::model::{GameId, Side};
use sparring_personality::Personalities;

/// Longest wait for the end of a game to be written, which happens a moment after the stream shows it.
const WRITTEN_WITHIN: Duration = Duration::from_secs(3);
/// Interval of looking for it.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A finished game with its moves, once its end is in the archive; none for unknown games.
pub async fn once_written(store: &ArchiveWriter, id: GameId) -> Option<(GameRecord, Vec<MoveRecord>)> {
    let begun = Instant::now();
    loop {
        let wanted = id.clone();
        let asked = store.ask(move |archive| Ok((archive.game(&wanted)?, archive.moves(&wanted)?)));
        let (game, moves) = asked.await?.ok()?;
        let game = game.filter(|game| game.end.is_some());
        if game.is_some() || begun.elapsed() > WRITTEN_WITHIN {
            return game.zip(Some(moves));
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// A half move with its position, for a page that knows no rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayedMove {
    /// UCI notation.
    pub uci: String,
    /// SAN.
    pub san: String,
    /// The position after it.
    pub fen: String,
}

/// The moves of a game, up to the first illegal one.
#[must_use]
pub fn replayed(game: &GameRecord, moves: &[MoveRecord]) -> Vec<ReplayedMove> {
    replay(game, moves).map_or_else(Vec::new, |(_, replayed_moves)| replayed_moves)
}

/// The game's history and its moves; none where its start position is invalid.
fn replay(game: &GameRecord, moves: &[MoveRecord]) -> Option<(GameHistory, Vec<ReplayedMove>)> {
    let written = game.end.as_ref().map(|end| end.moves.as_str());
    let words: Vec<&str> = match written {
        Some(written) => written.split_ascii_whitespace().collect(),
        None => moves.iter().map(|record| record.uci.as_str()).collect(),
    };
    let variant = game.variant.parse::<Variant>().ok()?;
    let mut line = GameHistory::replay(variant, &game.start, "").ok()?;
    let mut replayed_moves = Vec::new();
    for word in words {
        let Ok(mv) = parse_uci(line.position(), word) else {
            break;
        };
        let san = write_san(line.position(), mv);
        line.play(mv);
        replayed_moves.push(ReplayedMove {
            uci: write_uci(mv, line.variant()),
            san,
            fen: write_fen(line.position()),
        });
    }
    Some((line, replayed_moves))
}

/// The explanation of each of the bot's moves, where the game left the book, and the evaluation's terms after each half move. None
/// while the game runs, since it would help the opponent.
#[must_use]
pub fn decisions(
    game: &GameRecord,
    moves: &[MoveRecord],
    library: &Library,
    personalities: &Personalities,
) -> Option<Value> {
    game.end.as_ref()?;
    let (line, replayed_moves) = replay(game, moves)?;
    let cards: Vec<Value> = moves
        .iter()
        .filter_map(|record| {
            let mv = replayed_moves.get((record.ply as usize).checked_sub(1)?)?;
            card(record, mv)
        })
        .collect();
    Some(json!({
        "game": game.id,
        "side": if game.side == Side::White { "white" } else { "black" },
        "personality": game.personality,
        "level": game.played,
        "leftBook": book_exit(&line, moves, library),
        "evaluation": eval_history(game, &line, personalities),
        "decisions": cards,
    }))
}

/// Adds whether book lines can be edited in the browser.
#[must_use]
pub fn editable(mut decisions: Value, edit: bool) -> Value {
    decisions["edit"] = json!(edit);
    decisions
}

/// One explained move; none for the opponent's moves.
fn card(record: &MoveRecord, mv: &ReplayedMove) -> Option<Value> {
    let thought = record.thought.as_ref()?;
    let (from, depth, nodes) = match thought.source {
        MoveSource::Book => ("book", None, None),
        MoveSource::Online => ("online", None, None),
        MoveSource::Engine { depth, nodes } => ("search", Some(depth), Some(nodes)),
        MoveSource::Other => ("other", None, None),
    };
    let (book, search) = match &thought.grounds {
        Some(MoveExplanation::Book(book)) => (Some(of_book(book)), None),
        Some(MoveExplanation::Online(online)) => (Some(of_online(online)), None),
        Some(MoveExplanation::Search(search)) => (None, Some(of_search(search))),
        None => (None, None),
    };
    Some(json!({
        "ply": record.ply, "uci": mv.uci, "san": mv.san, "from": from, "note": thought.note,
        "tookMillis": thought.think, "clockMillis": record.clock, "score": thought.score.map(ScoreJson::from),
        "depth": depth, "nodes": nodes, "book": book, "search": search,
    }))
}

fn of_book(book: &BookChoice) -> Value {
    json!({"at": book.at, "note": book.note, "moves": offers(&book.moves)})
}

/// An online source in the form of a book, which the pages show alike.
fn of_online(online: &OnlineChoice) -> Value {
    json!({"at": format!("online:{}", online.source), "note": online.note, "moves": offers(&online.moves)})
}

fn offers(moves: &[BookChance]) -> Vec<Value> {
    let offers = moves.iter();
    offers
        .map(|offer| json!({"san": offer.san, "chance": share(offer.permille)}))
        .collect()
}

fn of_search(search: &SearchExplanation) -> Value {
    let people = search.people.as_ref().map(|people| {
        let style = people
            .style
            .as_ref()
            .map(|style| json!({"chance": share(style.plainly), "axes": style.axes}));
        let likeliest: Vec<Value> = people
            .likeliest
            .iter()
            .map(|likely| json!({"san": likely.san, "prior": share(likely.prior), "chance": share(likely.permille)}))
            .collect();
        json!({
            "rating": people.rating, "chance": share(people.permille), "corrected": people.corrected, "style": style,
            "likeliest": likeliest,
        })
    });
    json!({"lines": search.lines, "people": people})
}

/// Permille as a probability from 0 to 1.
fn share(permille: u16) -> f64 {
    f64::from(permille) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{HumanChoice, LikelyMove, PvLine, Thought, test_fixtures};
    use sparring_chess::units::{Depth, Elo, Millis, Nodes};
    use sparring_engine::{EngineOverrides, Params, WeightChange, WeightOverrides, term_names, weight_rows};
    use sparring_personality::Personality;

    fn game(end: Option<&str>) -> GameRecord {
        GameRecord {
            end: end.and_then(|moves| test_fixtures::end("resign", None, moves)),
            ..test_fixtures::game("abcd1234", Side::White)
        }
    }

    fn thought(source: MoveSource, grounds: MoveExplanation) -> Option<Thought> {
        Some(Thought {
            pondered: None,
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
        let book = MoveExplanation::Book(BookChoice {
            at: "books/x.book:4".to_owned(),
            note: Some("Italian".to_owned()),
            moves: vec![BookChance {
                san: "e4".to_owned(),
                permille: 600,
            }],
        });
        let search = MoveExplanation::Search(SearchExplanation {
            lines: vec![PvLine {
                score: ScoreJson::Cp(31),
                san: vec!["Nf3".to_owned()],
            }],
            people: Some(HumanChoice {
                rating: Elo(1500),
                permille: 231,
                corrected: false,
                likeliest: vec![LikelyMove {
                    san: "Nf3".to_owned(),
                    prior: 400,
                    permille: 231,
                }],
                style: None,
            }),
        });
        let source = MoveSource::Engine {
            depth: Depth(6),
            nodes: Nodes(9000),
        };
        vec![
            record(1, "e2e4", thought(MoveSource::Book, book)),
            record(2, "e7e5", None),
            record(3, "g1f3", thought(source, search)),
        ]
    }

    /// The explanations of a game with the personality that played.
    fn explained(game: &GameRecord, moves: &[MoveRecord]) -> Option<Value> {
        let personalities = Personalities::new(vec![Personality::new(&game.personality)]);
        decisions(game, moves, &Library::empty(), &personalities)
    }

    #[test]
    fn each_move_of_mine_says_where_it_is_from_and_where_the_book_was_left() {
        let replayed_moves = explained(&game(Some("e2e4 e7e5 g1f3")), &moves()).unwrap();
        let cards = replayed_moves["decisions"].as_array().unwrap();
        assert_eq!(cards.len(), 2);
        assert_eq!(cards[0]["san"], "e4");
        assert_eq!(cards[0]["from"], "book");
        assert_eq!(cards[0]["book"]["moves"][0], json!({"san": "e4", "chance": 0.6}));
        assert_eq!(cards[1]["san"], "Nf3");
        assert_eq!(cards[1]["search"]["lines"][0]["score"], json!({"cp": 31}));
        assert_eq!(cards[1]["search"]["people"]["chance"], 0.231);
        assert_eq!(
            cards[1]["search"]["people"]["likeliest"],
            json!([{"san": "Nf3", "prior": 0.4, "chance": 0.231}])
        );
        assert_eq!(
            replayed_moves["leftBook"],
            json!({"ply": 3, "by": null, "at": "books/x.book:4", "note": "Italian", "plan": []})
        );
    }

    #[test]
    fn while_a_game_runs_nothing_is_told() {
        assert_eq!(explained(&game(None), &moves()), None);
        assert_eq!(
            replayed(&game(None), &moves()).len(),
            3,
            "its moves are no secret"
        );
    }

    #[test]
    fn moves_that_make_no_game_cost_only_themselves() {
        let broken = game(Some("e2e4 e7e9"));
        assert_eq!(replayed(&broken, &[]).len(), 1);
        assert_eq!(
            explained(&broken, &moves()).unwrap()["decisions"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
    }

    #[test]
    fn every_position_is_judged_for_the_bot_term_by_term_where_that_says_something() {
        let played = "e2e4 d7d5 b1c3 d5e4 c3e4 d8d5 e4f6 g8f6";
        let game = |side| GameRecord {
            side,
            ..game(Some(played))
        };
        let [white, black] = [Side::White, Side::Black].map(|side| explained(&game(side), &[]).unwrap());
        let names: Vec<&str> = term_names().collect();
        assert_eq!(white["evaluation"]["terms"], json!(names));
        let after =
            |replayed_moves: &Value, ply: usize| replayed_moves["evaluation"]["after"][ply - 1].clone();
        assert_eq!(white["evaluation"]["after"].as_array().unwrap().len(), 8);
        assert_eq!(after(&white, 4), json!({"not": "capture"}), "Nxe4 is due");
        assert_eq!(after(&white, 7), json!({"not": "check"}));
        // White is a knight down.
        let (mine, theirs) = (after(&white, 8), after(&black, 8));
        assert_eq!(
            names[mine["named"][0].as_u64().unwrap() as usize],
            "material and squares"
        );
        assert!(mine["total"].as_i64() < Some(-100), "{mine}");
        assert_eq!(
            mine["total"].as_i64(),
            theirs["total"].as_i64().map(|total| -total)
        );
        let sum = |key: &str| {
            mine[key]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_i64)
                .sum::<i64>()
        };
        assert_eq!(Some(sum("own") - sum("theirs")), mine["total"].as_i64());
    }

    #[test]
    fn positions_are_judged_by_who_played_or_not_at_all() {
        let game = game(Some("e2e4 a7a6"));
        let mut weights = WeightOverrides::default();
        let material = weight_rows().iter().find(|row| row.key == "material").unwrap();
        weights.set(material, &WeightChange::Percent(200)).unwrap();
        let own = Personality {
            engine_overrides: Some(EngineOverrides::new(Params::default(), weights).into()),
            ..Personality::new("club")
        };
        let by = |profile: Personality, game: &GameRecord| {
            let personalities = Personalities::new(vec![profile]);
            let replayed_moves = decisions(game, &[], &Library::empty(), &personalities).unwrap();
            replayed_moves["evaluation"]["after"][1]["own"][0].as_i64()
        };
        let plain = by(Personality::new("club"), &game).unwrap();
        assert!(by(own.clone(), &game).unwrap() > plain + 1000);
        let asked = GameRecord {
            level: Some(Elo(1500)),
            ..game.clone()
        };
        assert_eq!(
            by(own, &asked),
            Some(plain),
            "at a level that was asked for it judges as the engine does"
        );
        assert_eq!(
            by(Personality::new("other"), &game),
            None,
            "nobody knows how the one who is gone judged"
        );
        let atomic = GameRecord {
            variant: "atomic".to_owned(),
            ..game
        };
        assert_eq!(explained(&atomic, &[]).unwrap()["evaluation"], Value::Null);
    }
}
