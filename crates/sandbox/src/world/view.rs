//! A game for the board's page: positions, SAN and legal moves, so that the page needs no rules.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Game;
use sparring_chess::{
    Color, GameHistory, Move, Rules as _, Square, Variant, write_fen, write_san, write_uci,
};
use sparring_lichess::model::{GameId, Side, Status};

/// The answer to `GET /sandbox/game/{id}/view`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// The game.
    pub id: GameId,
    /// The variant's key.
    pub variant: String,
    /// Where it began.
    pub initial_fen: String,
    /// How many half moves were played.
    pub ply: usize,
    /// Each of them.
    pub moves: Vec<Played>,
    /// The current position.
    pub fen: String,
    /// The side to move.
    pub turn: Side,
    /// Whether that side is in check.
    pub check: bool,
    /// Legal moves by squares; empty once the game is over. Castling is shown in both spellings where
    /// the game is standard.
    pub dests: BTreeMap<String, Vec<String>>,
    /// Every legal move; empty once the game is over.
    pub legal: Vec<Legal>,
    /// lichess' name for where the game stands.
    pub status: Status,
    /// The winner.
    pub winner: Option<Side>,
    /// `*`, `1-0`, `0-1` or `1/2-1/2`.
    pub result: &'static str,
    /// One plain sentence.
    pub reason: String,
}

/// A move that was played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Played {
    /// As the game's stream writes it.
    pub uci: String,
    /// As books write it.
    pub san: String,
    /// The position after it.
    pub fen: String,
}

/// A move that could be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Legal {
    /// As the game's stream would write it.
    pub uci: String,
    /// As books write it.
    pub san: String,
}

impl View {
    /// The view of a game.
    #[must_use]
    pub fn of(game: &Game) -> Self {
        let pos = game.history.position();
        let turn = pos.turn();
        let legal_moves = if game.is_running() {
            pos.legal_moves()
        } else {
            sparring_chess::MoveList::new()
        };
        let legal = legal_moves.iter().map(|mv| Legal {
            uci: game.uci(*mv),
            san: write_san(pos, *mv),
        });
        Self {
            id: game.id.clone(),
            variant: game.terms.variant.key().to_owned(),
            initial_fen: write_fen(game.history.start()),
            ply: game.history.ply(),
            moves: played(game),
            fen: write_fen(pos),
            turn: turn.into(),
            check: pos.is_check(),
            dests: destinations(&legal_moves, game.terms.variant),
            legal: legal.collect(),
            status: game.status(),
            winner: game.ending.and_then(|ending| ending.winner).map(Into::into),
            result: game.ending.map_or("*", super::Ending::result),
            reason: game
                .ending
                .map_or_else(|| to_move(turn), |ending| ending.sentence(&game.history)),
        }
    }
}

fn to_move(turn: Color) -> String {
    format!("{} to move.", super::ending::name(turn))
}

fn played(game: &Game) -> Vec<Played> {
    let mut line = GameHistory::from_position(game.terms.variant, game.history.start().clone());
    game.history
        .moves()
        .iter()
        .map(|mv| {
            let san = write_san(line.position(), *mv);
            line.play(*mv);
            Played {
                uci: game.uci(*mv),
                san,
                fen: write_fen(line.position()),
            }
        })
        .collect()
}

fn destinations(moves: &[Move], variant: Variant) -> BTreeMap<String, Vec<String>> {
    let mut dests: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |from: Square, to: String| {
        let targets = dests.entry(from.to_string()).or_default();
        // The four promotions share their squares.
        if !targets.contains(&to) {
            targets.push(to);
        }
    };
    for mv in moves {
        let Some(from) = mv.from() else { continue };
        add(from, mv.to().to_string());
        if mv.is_castle() && !variant.castles_onto_rook() {
            let two_squares = write_uci(*mv, Variant::Standard);
            if let Some(to) = two_squares.get(2..4) {
                add(from, to.to_owned());
            }
        }
    }
    dests
}
