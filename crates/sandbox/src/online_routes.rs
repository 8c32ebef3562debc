//! Imitations of the servers that know chess positions: lichess' opening explorer, cloud evaluations and endgame tables, and chessdb.cn.
//!
//! They have the paths and JSON of the real ones, and answer with made-up numbers about legal moves: the same position gets the same answer.

use std::sync::Arc;

use axum::{
    Json, Router,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::{Value, json};

use super::{answer::error, fields::QueryFields, hub::Hub, world::Fields};
use sparring_chess::{Move, Position, Rules as _, Variant, parse_fen, write_san, write_uci};

/// So many moves of a position are offered.
const OFFERS: usize = 4;
/// Most pieces of a position in the endgame tables.
const MOST_PIECES: usize = 7;
/// The depth of every evaluation.
const DEPTH: u32 = 40;

/// The routes of all of them. lichess and chessdb have each under a host of its own.
pub fn routes() -> Router<Arc<Hub>> {
    Router::new()
        .route("/masters", get(explorer))
        .route("/lichess", get(explorer))
        .route("/player", get(player))
        .route("/api/cloud-eval", get(cloud_eval))
        .route(
            "/standard",
            get(|QueryFields(asked): QueryFields| async move { tablebase(Variant::FromPosition, &asked) }),
        )
        .route(
            "/atomic",
            get(|QueryFields(asked): QueryFields| async move { tablebase(Variant::Atomic, &asked) }),
        )
        .route(
            "/antichess",
            get(|QueryFields(asked): QueryFields| async move { tablebase(Variant::Antichess, &asked) }),
        )
        .route("/cdb.php", get(chessdb))
}

async fn explorer(QueryFields(asked): QueryFields) -> Response {
    match position(&asked) {
        Ok(pos) => Json(explored(&pos)).into_response(),
        Err(why) => error(StatusCode::BAD_REQUEST, why),
    }
}

/// Lines that get better, as while the server still counts a player's games.
async fn player(QueryFields(asked): QueryFields) -> Response {
    if asked.text("player").is_none() || asked.text("color").is_none() {
        return error(StatusCode::BAD_REQUEST, "Missing player or color");
    }
    let pos = match position(&asked) {
        Ok(pos) => pos,
        Err(why) => return error(StatusCode::BAD_REQUEST, why),
    };
    let nothing = json!({"white": 0, "draws": 0, "black": 0, "moves": [], "recentGames": []});
    let lines = format!("{nothing}\n\n{}\n", explored(&pos));
    ([(header::CONTENT_TYPE, "application/x-ndjson")], lines).into_response()
}

async fn cloud_eval(QueryFields(asked): QueryFields) -> Response {
    let pos = match position(&asked) {
        Ok(pos) => pos,
        Err(why) => return error(StatusCode::BAD_REQUEST, why),
    };
    let lines = asked
        .text("multiPv")
        .and_then(|lines| lines.parse().ok())
        .unwrap_or(1);
    let sign = pos.turn().fold_wb(1, -1);
    let offers = offers(&pos).into_iter().take(lines).enumerate();
    let pvs: Vec<Value> = offers
        .map(|(index, mv)| json!({"moves": write_uci(mv, Variant::Chess960), "cp": sign * (20 - 5 * index as i32)}))
        .collect();
    if pvs.is_empty() {
        return error(
            StatusCode::NOT_FOUND,
            "No cloud evaluation available for that position",
        );
    }
    Json(json!({"fen": asked.text("fen"), "knodes": 1000, "depth": DEPTH, "pvs": pvs})).into_response()
}

/// The endgame tables of orthodox chess, or of a variant.
fn tablebase(variant: Variant, asked: &Fields) -> Response {
    let pos = match read(variant, asked.text("fen")) {
        Ok(pos) => pos,
        Err(why) => return error(StatusCode::BAD_REQUEST, why),
    };
    if pos.board().occupied().count() > MOST_PIECES {
        return error(StatusCode::NOT_FOUND, "not found");
    }
    let moves: Vec<Value> = offers(&pos)
        .into_iter()
        .map(|mv| json!({"uci": write_uci(mv, Variant::Standard), "san": write_san(&pos, mv), "category": "draw", "dtz": 0}))
        .collect();
    Json(json!({"category": "draw", "dtz": 0, "moves": moves})).into_response()
}

async fn chessdb(QueryFields(asked): QueryFields) -> Response {
    let Ok(pos) = read(Variant::FromPosition, asked.text("board")) else {
        return Json(json!({"status": "invalid board"})).into_response();
    };
    let offers = offers(&pos);
    let uci = |mv: &Move| write_uci(*mv, Variant::Standard);
    let answer = match (asked.text("action").unwrap_or_default(), offers.first()) {
        (_, None) => json!({"status": "checkmate"}),
        ("querypv", Some(best)) => {
            json!({"status": "ok", "score": 20, "depth": DEPTH, "pv": [uci(best)], "pvSAN": [write_san(&pos, *best)]})
        }
        ("queryall", _) => {
            let moves: Vec<Value> = offers
                .iter()
                .enumerate()
                .map(|(index, mv)| json!({"uci": uci(mv), "san": write_san(&pos, *mv), "score": 20 - 5 * index as i32, "rank": 2, "note": "! (20-07)"}))
                .collect();
            json!({"status": "ok", "moves": moves, "ply": 0})
        }
        _ => json!({"status": "unknown"}),
    };
    Json(answer).into_response()
}

/// The position that is asked about, by the rules of its variant.
fn position(asked: &Fields) -> Result<Position, String> {
    let variant = match asked.text("variant") {
        // Any rook may hold a right to castle.
        None | Some("standard") => Variant::FromPosition,
        Some(key) => key.parse().map_err(|_| "Invalid variant")?,
    };
    read(variant, asked.text("fen"))
}

fn read(variant: Variant, fen: Option<&str>) -> Result<Position, String> {
    parse_fen(variant, fen.ok_or("Missing fen")?).map_err(|why| why.to_string())
}

/// The moves that are offered, captures first.
fn offers(pos: &Position) -> Vec<Move> {
    let mut moves: Vec<Move> = pos.legal_moves().into_iter().collect();
    moves.sort_by_key(|mv| (!mv.is_capture(), write_uci(*mv, Variant::Standard)));
    moves.truncate(OFFERS);
    moves
}

fn explored(pos: &Position) -> Value {
    let offers = offers(pos);
    let (mut moves, mut all) = (Vec::new(), [0; 3]);
    for (index, mv) in offers.iter().enumerate() {
        let counts = [400, 300, 300].map(|count| count / (index as u64 + 1));
        for (sum, count) in all.iter_mut().zip(counts) {
            *sum += count;
        }
        let [white, draws, black] = counts;
        moves.push(json!({
            "uci": write_uci(*mv, Variant::Chess960), "san": write_san(pos, *mv), "averageRating": 2400,
            "white": white, "draws": draws, "black": black, "game": null, "opening": null,
        }));
    }
    let [white, draws, black] = all;
    json!({"opening": null, "white": white, "draws": draws, "black": black, "moves": moves, "topGames": []})
}
