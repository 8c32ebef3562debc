//! Games of every variant: their ends, their notation, their ratings.

use serde_json::json;
use sparring_chess::{GameHistory, Rules as _, Variant, write_uci};

use crate::harness::{Table, standing_still};

/// A short game: its variant, where it begins, its moves, and how it ends on the wire.
struct Played {
    variant: Variant,
    fen: &'static str,
    moves: &'static str,
    status: &'static str,
    winner: Option<&'static str>,
}

const fn played(
    variant: Variant,
    fen: &'static str,
    moves: &'static str,
    status: &'static str,
    winner: Option<&'static str>,
) -> Played {
    Played {
        variant,
        fen,
        moves,
        status,
        winner,
    }
}

/// The games, each by its variant's own rule, and some that draw otherwise than in standard chess.
const GAMES: [Played; 14] = [
    played(
        Variant::Standard,
        "startpos",
        "f2f3 e7e5 g2g4 d8h4",
        "mate",
        Some("black"),
    ),
    played(
        Variant::KingOfTheHill,
        "startpos",
        "e2e4 e7e5 e1e2 f7f6 e2d3 g7g6 d3c4 h7h6 c4d5",
        "variantEnd",
        Some("white"),
    ),
    played(
        Variant::ThreeCheck,
        "4k3/8/8/8/8/8/7R/4K3 w - - 1+3 0 1",
        "h2h8",
        "variantEnd",
        Some("white"),
    ),
    played(
        Variant::ThreeCheck,
        "4k3/8/8/8/8/8/7R/4K3 w - - 0 1 +0+0",
        "h2h8 e8d7 h8h7 d7d8 h7h8",
        "variantEnd",
        Some("white"),
    ),
    played(
        Variant::Antichess,
        "8/P7/8/8/8/8/1p6/8 w - - 0 1",
        "a7a8k b2b1r a8b8 b1b8",
        "variantEnd",
        Some("white"),
    ),
    played(
        Variant::Antichess,
        "8/8/8/8/7p/8/7P/8 w - - 0 1",
        "h2h3",
        "variantEnd",
        Some("black"),
    ),
    played(
        Variant::Antichess,
        "8/8/8/8/8/2b5/6n1/5B2 w - - 0 1",
        "f1g2",
        "draw",
        None,
    ),
    played(
        Variant::Atomic,
        "startpos",
        "g1f3 a7a6 f3g5 a6a5 g5f7",
        "variantEnd",
        Some("white"),
    ),
    played(
        Variant::Atomic,
        "7k/1R6/8/8/8/8/8/R3K3 w - - 0 1",
        "a1a8",
        "mate",
        Some("white"),
    ),
    played(
        Variant::Horde,
        "4k3/8/8/8/8/3p4/4P3/8 b - - 0 1",
        "d3e2",
        "variantEnd",
        Some("black"),
    ),
    played(
        Variant::RacingKings,
        "8/7K/8/k7/8/8/8/8 w - - 0 1",
        "h7h8",
        "variantEnd",
        Some("white"),
    ),
    played(
        Variant::RacingKings,
        "8/k6K/8/8/8/8/8/8 w - - 0 1",
        "h7h8 a7a8",
        "draw",
        None,
    ),
    played(
        Variant::Crazyhouse,
        "7k/8/6K1/8/8/8/8/8/Q w - - 0 1",
        "Q@g7",
        "mate",
        Some("white"),
    ),
    played(
        Variant::Crazyhouse,
        "startpos",
        "e2e4 d7d5 e4d5 d8d5 P@e4 d5e4 f1e2 e4g2",
        "started",
        None,
    ),
];

#[tokio::test]
async fn every_variant_is_played_to_its_end() {
    for game in GAMES {
        let (variant, table) = (game.variant, Table::set(standing_still()).await);
        let line = GameHistory::replay(variant, game.fen, "").unwrap();
        let mut form = vec![("clock.limit", "300"), ("variant", variant.key())];
        let white_begins = line.turn().is_white();
        form.push(("color", if white_begins { "white" } else { "black" }));
        if game.fen != "startpos" {
            form.push(("fen", game.fen));
        }
        let id = table.game(&form).await;
        for (index, uci) in game.moves.split(' ').enumerate() {
            let mover = if index % 2 == 0 { &table.anna } else { &table.bot };
            mover.plays(&id, &format!("move/{uci}")).await;
        }
        let full = table.bot.watches(&id).await.next().await;
        let state = &full["state"];
        assert_eq!(full["variant"]["key"], variant.key());
        assert_eq!(full["variant"]["name"], variant.name());
        assert_eq!(state["moves"], game.moves, "{variant}");
        let end = (state["status"].as_str().unwrap(), state["winner"].as_str());
        assert_eq!(end, (game.status, game.winner), "{variant} {}", game.fen);
        let initial = full["initialFen"].as_str().unwrap();
        assert!(
            GameHistory::replay(variant, initial, game.moves).is_ok(),
            "{initial}"
        );
    }
}

#[tokio::test]
async fn drops_pockets_and_ratings_are_those_of_the_variant() {
    let table = Table::set(standing_still()).await;
    let form = [
        ("clock.limit", "300"),
        ("color", "white"),
        ("variant", "crazyhouse"),
    ];
    let id = table.game(&form).await;
    for (index, uci) in ["e2e4", "d7d5", "e4d5", "d8d5"].into_iter().enumerate() {
        let mover = if index % 2 == 0 { &table.anna } else { &table.bot };
        mover.plays(&id, &format!("move/{uci}")).await;
    }
    let (_, playing) = table.anna.get("/api/account/playing").await;
    let game = &playing["nowPlaying"][0];
    assert_eq!(game["perf"], "crazyhouse");
    assert_eq!(
        game["fen"],
        "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR/Pp w KQkq - 0 3"
    );
    let (_, view) = table.anna.get(&format!("/sandbox/game/{id}/view")).await;
    assert!(
        view["legal"]
            .as_array()
            .unwrap()
            .contains(&json!({"uci": "P@e4", "san": "@e4"}))
    );
    // No pawn is dropped on the last rank, and no knight without one in the pocket.
    for drop in ["P@e8", "N@e4"] {
        assert_eq!(
            table.anna.fails(&id, &format!("move/{drop}")).await.0,
            400,
            "{drop}"
        );
    }
    table.anna.plays(&id, "move/P@e4").await;
    table.bot.plays(&id, "resign").await;
    let pgn = table
        .anna
        .http
        .get(format!("{}/game/export/{id}?clocks=false", table.url));
    let pgn = pgn.send().await.unwrap().text().await.unwrap();
    assert!(pgn.contains("[Event \"casual crazyhouse game\"]\n"), "{pgn}");
    assert!(pgn.contains("[Variant \"Crazyhouse\"]\n"), "{pgn}");
    assert!(pgn.contains("3. @e4 1-0"), "{pgn}");
    let (_, account) = table.bot.get("/api/account").await;
    for variant in Variant::ALL {
        let is_own = !variant.traits().rated_by_speed;
        assert_eq!(account["perfs"].get(variant.key()).is_some(), is_own, "{variant}");
    }
}

#[tokio::test]
async fn a_capture_that_must_be_made_is_the_only_legal_move() {
    let table = Table::set(standing_still()).await;
    let form = [
        ("clock.limit", "300"),
        ("color", "white"),
        ("variant", "antichess"),
    ];
    let id = table.game(&form).await;
    table.anna.plays(&id, "move/e2e3").await;
    table.bot.plays(&id, "move/b7b5").await;
    let (status, error) = table.anna.fails(&id, "move/a2a3").await;
    assert_eq!((status, &*error), (400, "Piece on a2 cannot move to a3"));
    table.anna.plays(&id, "move/f1b5").await;
}

#[tokio::test]
async fn servers_of_moves_answer_by_the_rules_of_the_variant() {
    let table = Table::set(standing_still()).await;
    let bare = "8/8/8/4p3/8/8/4P3/8 w - - 0 1";
    for (path, status) in [
        ("/antichess", 200),
        ("/standard", 400),
        ("/atomic", 400),
        ("/api/cloud-eval?variant=antichess", 200),
        ("/lichess?variant=antichess", 200),
        ("/lichess?variant=fogOfWar", 400),
    ] {
        let joint = if path.contains('?') { '&' } else { '?' };
        let path = format!("{path}{joint}fen={}", bare.replace(' ', "+"));
        assert_eq!(table.anna.get(&path).await.0, status, "{path}");
    }
    let line = GameHistory::replay(Variant::Antichess, bare, "").unwrap();
    let (_, found) = table
        .anna
        .get(&format!("/antichess?fen={}", bare.replace(' ', "+")))
        .await;
    let legal: Vec<String> = line
        .position()
        .legal_moves()
        .iter()
        .map(|mv| write_uci(*mv, Variant::Antichess))
        .collect();
    assert!(legal.contains(&found["moves"][0]["uci"].as_str().unwrap().to_owned()));
}
