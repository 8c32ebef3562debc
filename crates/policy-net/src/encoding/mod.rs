//! Inputs of our network: a game as 96 planes, 40 notes on each legal move and 40 numbers of context.
//!
//! `training/README.md` ("Inputs") defines them all; what is here follows it number by number.
//!
//! | module | purpose |
//! |---|---|
//! | `board` | the board and the legal moves as the mover sees them |
//! | `exchanges` | what captures on a square win (static exchange evaluation) |
//! | `planes` | 96 sets of squares |
//! | `notes` | 40 bits on each legal move |
//! | `context` | ratings, clocks and counters as 40 numbers |

mod board;
mod context;
mod exchanges;
mod notes;
mod planes;
#[cfg(test)]
mod tests;

pub use board::LegalMove;
pub use context::{CONTEXT, Clock, Context, PACE, Speed};
pub use planes::PLANES;

use sparring_chess::GameHistory;

use board::View;

/// Planes and context know of no more legal moves than these first ones; all of them get notes.
const KNOWN_MOVES: usize = 96;

/// A position of a game, with what is known of its players, as our network reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// Sets of squares as the mover sees the board, a1 = bit 0, h8 = bit 63.
    pub planes: [u64; PLANES],
    /// Every legal move, in the order of its squares: from, to, promotion.
    pub moves: Vec<LegalMove>,
    /// Ratings, clocks and counters, most of them within 0 to 1.
    pub context: [f32; CONTEXT],
    /// How long the mover and the opponent thought last: 1 if known, and a logarithm of the seconds, for each.
    pub pace: [f32; PACE],
}

impl Encoded {
    /// Encodes the current position of a game; `None` if its variant is not orthodox chess.
    ///
    /// Chess960: castling is the move of the king to the c- or g-file, even if it is one step, seven or none. Where the king could
    /// step there as well, castling comes second. Rights are marked on the a- and h-file wherever the rooks stand.
    #[must_use]
    pub fn new(history: &GameHistory, context: &Context) -> Option<Self> {
        let view = View::new(history)?;
        let mut moves = view.legal_moves();
        let known = moves.len().min(KNOWN_MOVES);
        let mut planes = planes::of_board(&view, &moves[..known]);
        let hung = planes::hung(&planes);
        for candidate in &mut moves {
            candidate.notes = notes::of_move(&view, candidate, hung);
        }
        planes::add_noted_moves(&mut planes, &moves[..known]);
        Some(Self {
            context: context.numbers(&view, known, planes::in_check(&planes)),
            pace: context.pace(),
            planes,
            moves,
        })
    }
}
