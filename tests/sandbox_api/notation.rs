//! How castling and positions are written, by variant and option.

use serde_json::json;
use sparring_sandbox::{Castling, Options, Rules};

use crate::harness::{Table, standing_still};

const CASTLES: &str = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";

fn options(castling: Castling) -> Options {
    Options {
        rules: Rules {
            castling,
            ..Rules::default()
        },
        ..standing_still()
    }
}

#[tokio::test]
async fn standard_games_castle_in_the_spelling_of_the_option() {
    for (castling, written) in [(Castling::TwoSquare, "e1g1"), (Castling::Always960, "e1h1")] {
        let table = Table::set(options(castling)).await;
        let id = table.game(&[("clock.limit", "300"), ("color", "white")]).await;
        let moves = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5";
        for (index, uci) in moves.split(' ').enumerate() {
            let mover = if index % 2 == 0 { &table.anna } else { &table.bot };
            mover.plays(&id, &format!("move/{uci}")).await;
        }
        table.anna.plays(&id, "move/e1g1").await;
        let full = table.bot.watches(&id).await.next().await;
        assert_eq!(full["state"]["moves"], format!("{moves} {written}"));
        assert_eq!(full["initialFen"], "startpos");
        let (_, playing) = table.bot.get("/api/account/playing").await;
        assert_eq!(playing["nowPlaying"][0]["lastMove"], "e1h1");
    }
}

#[tokio::test]
async fn games_from_a_position_castle_onto_the_rook() {
    let table = Table::set(options(Castling::TwoSquare)).await;
    let id = table
        .game(&[("clock.limit", "300"), ("color", "white"), ("fen", CASTLES)])
        .await;
    for uci in ["move/e1c1", "move/e8h8"] {
        let mover = if uci.contains('1') {
            &table.anna
        } else {
            &table.bot
        };
        mover.plays(&id, uci).await;
    }
    let full = table.bot.watches(&id).await.next().await;
    assert_eq!(full["variant"]["key"], "fromPosition");
    assert_eq!(full["state"]["moves"], "e1a1 e8h8");
    assert_eq!(full["initialFen"], CASTLES);
}

#[tokio::test]
async fn in_chess960_castling_is_written_onto_the_rook_only() {
    let table = Table::set(options(Castling::TwoSquare)).await;
    let usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let terms = [
        ("clock.limit", "300"),
        ("color", "white"),
        ("variant", "chess960"),
        ("fen", usual),
    ];
    let id = table.game(&terms).await;
    for (index, uci) in ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5"]
        .iter()
        .enumerate()
    {
        let mover = if index % 2 == 0 { &table.anna } else { &table.bot };
        mover.plays(&id, &format!("move/{uci}")).await;
    }
    let (status, error) = table.anna.fails(&id, "move/e1g1").await;
    assert_eq!((status, &*error), (400, "Piece on e1 cannot move to g1"));
    table.anna.plays(&id, "move/e1h1").await;
}

#[tokio::test]
async fn black_may_begin_from_a_position() {
    let table = Table::set(options(Castling::TwoSquare)).await;
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7";
    let id = table
        .game(&[("clock.limit", "300"), ("color", "white"), ("fen", fen)])
        .await;
    table.bot.plays(&id, "move/e8e7").await;
    table.anna.plays(&id, "move/e2e4").await;
    table.bot.plays(&id, "resign").await;
    let pgn = table
        .anna
        .http
        .get(format!("{}/game/export/{id}?clocks=false", table.url));
    let pgn = pgn.send().await.unwrap().text().await.unwrap();
    assert!(pgn.contains(&format!("[FEN \"{fen}\"]")), "{pgn}");
    assert!(pgn.ends_with("7... Ke7 8. e4 1-0\n\n"), "{pgn}");
}

#[tokio::test]
async fn chess960_always_shows_its_start() {
    let table = Table::set(options(Castling::TwoSquare)).await;
    let id = table
        .game(&[("clock.limit", "300"), ("variant", "chess960")])
        .await;
    let full = table.bot.watches(&id).await.next().await;
    assert_eq!(full["perf"], json!({ "name": "Chess960" }));
    assert!(full["initialFen"].as_str().unwrap().ends_with(" w KQkq - 0 1"));
}

#[tokio::test]
async fn the_third_repetition_draws_a_game_with_a_bot() {
    let table = Table::set(options(Castling::TwoSquare)).await;
    let id = table.game(&[("clock.limit", "300"), ("color", "white")]).await;
    let mut anna = table.anna.watches(&id).await;
    for (index, uci) in ["g1f3", "g8f6", "f3g1", "f6g8"]
        .into_iter()
        .cycle()
        .take(8)
        .enumerate()
    {
        let mover = if index % 2 == 0 { &table.anna } else { &table.bot };
        mover.plays(&id, &format!("move/{uci}")).await;
    }
    let mut last = anna.next_of("gameState").await;
    while last["status"] == "started" {
        last = anna.next_of("gameState").await;
    }
    assert_eq!((&last["status"], last.get("winner")), (&json!("draw"), None));
    anna.ends().await;
}
