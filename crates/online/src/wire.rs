//! Reads what the servers send. Sources: lichess' API documentation (opening explorer, cloud evaluations), the README of
//! lila-tablebase, and chessdb.cn's own page of its interface.

use serde::Deserialize;
use serde_json::Value;
use sparring_chess::{Position, Rules as _, parse_uci};
use thiserror::Error;

use super::{
    answer::{Answer, Evaluation, Evidence, OfferedMove, TableResult},
    source::{SourceKind, for_mover},
};

/// An answer that cannot be used.
#[derive(Debug, Error)]
pub enum DecodeError {
    /// Not the JSON that such a source sends.
    #[error("the answer is not what such a source sends ({0})")]
    Garbage(#[from] serde_json::Error),
    /// A state that names no position.
    #[error("the answer has the status \"{0}\"")]
    Status(String),
    /// A move that the rules do not allow.
    #[error("the answer has the move \"{0}\", which is not legal")]
    Illegal(String),
}

/// Reads the body of an answer about a position. All its moves are legal there.
///
/// # Errors
/// [`DecodeError`] for what is cut short, is no such answer, or holds an illegal move.
pub fn decode(kind: SourceKind, pos: &Position, body: &[u8]) -> Result<Answer, DecodeError> {
    let answer = match kind {
        SourceKind::Masters | SourceKind::Lichess => explorer(pos, body)?,
        SourceKind::Player => improving(pos, body)?,
        SourceKind::CloudEval => cloud_eval(pos, body)?,
        SourceKind::Tablebase => tablebase(body)?,
        SourceKind::Chessdb => chessdb(body)?,
    };
    match answer
        .moves
        .iter()
        .find(|offer| parse_uci(pos, &offer.uci).is_err())
    {
        Some(offer) => Err(DecodeError::Illegal(offer.uci.chars().take(10).collect())),
        None => Ok(answer),
    }
}

#[derive(Deserialize)]
struct Explored {
    white: u64,
    draws: u64,
    black: u64,
    moves: Vec<ExploredMove>,
}

#[derive(Deserialize)]
struct ExploredMove {
    uci: String,
    white: u64,
    draws: u64,
    black: u64,
}

fn explorer(pos: &Position, body: &[u8]) -> Result<Answer, DecodeError> {
    let found: Explored = serde_json::from_slice(body)?;
    let moves = found.moves.into_iter().map(|offer| {
        let sum = |all: [u64; 3]| all.into_iter().fold(0_u64, u64::saturating_add);
        let games = sum([offer.white, offer.draws, offer.black]);
        let won = pos.turn().fold_wb(offer.white, offer.black);
        let points = (won as f64 + offer.draws as f64 / 2.0) / (games.max(1)) as f64;
        OfferedMove {
            uci: offer.uci,
            evidence: Evidence::Games {
                games,
                // At most 1000.
                permille: (points * 1000.0).round() as u16,
            },
        }
    });
    Ok(Answer {
        moves: moves.collect(),
        games: found
            .white
            .saturating_add(found.draws)
            .saturating_add(found.black),
    })
}

/// The last whole line: each is better than the one before, and the last may be cut.
fn improving(pos: &Position, body: &[u8]) -> Result<Answer, DecodeError> {
    let mut lines = body
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty());
    let Some(last) = lines.next_back() else {
        return Ok(Answer::default());
    };
    match (explorer(pos, last), lines.next_back()) {
        (Err(_), Some(before)) => explorer(pos, before),
        (answer, _) => answer,
    }
}

#[derive(Deserialize)]
struct Evaluated {
    depth: u32,
    pvs: Vec<EvaluatedLine>,
}

#[derive(Deserialize)]
struct EvaluatedLine {
    moves: String,
    cp: Option<i32>,
    mate: Option<i32>,
}

fn cloud_eval(pos: &Position, body: &[u8]) -> Result<Answer, DecodeError> {
    let found: Evaluated = serde_json::from_slice(body)?;
    let moves = found.pvs.into_iter().filter_map(|line| {
        let white = |score| for_mover(pos.turn(), score);
        let score = match (line.mate, line.cp) {
            (Some(mate), _) => Evaluation::Mate(white(mate)),
            (None, Some(cp)) => Evaluation::Cp(white(cp)),
            (None, None) => return None,
        };
        Some(OfferedMove {
            uci: line.moves.split(' ').next()?.to_owned(),
            evidence: Evidence::Search {
                score,
                depth: Some(found.depth),
            },
        })
    });
    Ok(Answer {
        moves: moves.collect(),
        games: 0,
    })
}

#[derive(Deserialize)]
struct Tabled {
    moves: Vec<TabledMove>,
}

#[derive(Deserialize)]
struct TabledMove {
    uci: String,
    category: String,
}

/// The best moves come first. Their results are those of the opponent, whose turn it then is.
fn tablebase(body: &[u8]) -> Result<Answer, DecodeError> {
    let found: Tabled = serde_json::from_slice(body)?;
    let moves = found.moves.into_iter().map_while(|offer| {
        let result = match offer.category.as_str() {
            "loss" => TableResult::Win,
            // With the counter of moves at hand, `maybe-` says that a rounded distance decides.
            "maybe-loss" | "syzygy-loss" => TableResult::Win,
            "win" | "maybe-win" | "syzygy-win" => TableResult::Loss,
            "draw" | "cursed-win" | "blessed-loss" => TableResult::Draw,
            // An unknown move has no rank.
            _ => return None,
        };
        Some(OfferedMove {
            uci: offer.uci,
            evidence: Evidence::Table(result),
        })
    });
    Ok(Answer {
        moves: moves.collect(),
        games: 0,
    })
}

#[derive(Deserialize)]
struct Cdb {
    status: String,
    depth: Option<u32>,
    score: Option<i32>,
    #[serde(default)]
    pv: Vec<String>,
    #[serde(default)]
    moves: Vec<CdbMove>,
}

#[derive(Deserialize)]
struct CdbMove {
    uci: String,
    /// `??` where it was never searched.
    score: Value,
}

/// A score beyond this counts plies to a mate or a table's win, below 30000 or 20000.
const CDB_DECIDED: i32 = 10_000;

fn chessdb(body: &[u8]) -> Result<Answer, DecodeError> {
    let found: Cdb = serde_json::from_slice(body)?;
    match found.status.as_str() {
        "ok" => {}
        "unknown" | "nobestmove" | "checkmate" | "stalemate" => return Ok(Answer::default()),
        other => return Err(DecodeError::Status(other.chars().take(40).collect())),
    }
    let offer = |uci: String, score: i32| OfferedMove {
        uci,
        evidence: Evidence::Search {
            score: cdb_score(score),
            depth: found.depth,
        },
    };
    let best = found.pv.into_iter().next().zip(found.score);
    let all = found
        .moves
        .into_iter()
        .filter_map(|each| Some((each.uci, i32::try_from(each.score.as_i64()?).ok()?)));
    let moves = best.into_iter().chain(all).map(|(uci, score)| offer(uci, score));
    Ok(Answer {
        moves: moves.collect(),
        games: 0,
    })
}

fn cdb_score(score: i32) -> Evaluation {
    const MATE: i32 = 30_000;
    const NEAR_MATE: i32 = 25_000;
    const NEAR_MATED: i32 = -NEAR_MATE;
    match score {
        NEAR_MATE.. => Evaluation::Mate((MATE - score).max(1).midpoint(1).max(1)),
        ..=NEAR_MATED => Evaluation::Mate(-(MATE + score).max(1).midpoint(1).max(1)),
        _ => Evaluation::Cp(score.clamp(-CDB_DECIDED, CDB_DECIDED)),
    }
}

#[cfg(test)]
mod tests;
