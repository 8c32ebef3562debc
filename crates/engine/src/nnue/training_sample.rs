//! Training sample: NNUE inputs, and the classical evaluation.

use arrayvec::ArrayVec;

use super::{bucket, perspective::Perspective};
use crate::{
    eval::{PawnTable, classical_with_share, fifty_move_scaled},
    node::Node,
};
use sparring_chess::{Position, Variant};

/// The most men that a position may have.
const MEN: usize = 32;

/// A position for training. All numbers are the side to move's.
#[derive(Debug, Clone)]
pub struct NetSample {
    /// The active inputs, of the side to move's perspective and of the other's.
    pub inputs: [ArrayVec<u16, MEN>; 2],
    /// Whether the side to move is White.
    pub white_moves: bool,
    /// The output bucket.
    pub bucket: u8,
    /// The classical evaluation, in centipawns.
    pub classical: f32,
    /// The factor of the net's correction, from 0 to 1: less near a draw and near the fifty-move rule, as for the
    /// evaluation.
    pub share: f32,
}

/// Makes samples, with a pawn table that is reused.
#[derive(Debug)]
pub struct Sampler(PawnTable);

impl Default for Sampler {
    fn default() -> Self {
        Self(PawnTable::new())
    }
}

impl Sampler {
    /// The sample of a position of orthodox chess; none for one with more pieces than a game begins with.
    pub fn sample(&mut self, pos: &Position) -> Option<NetSample> {
        let node = Node::new(pos, Variant::Standard.traits());
        let board = node.board();
        let (white, share) = classical_with_share(&node, &mut self.0);
        let mut inputs = [ArrayVec::new(), ArrayVec::new()];
        for (side, inputs) in [node.turn, !node.turn].into_iter().zip(&mut inputs) {
            let view = Perspective::of(side, board.king_of(side)?);
            for (square, piece) in board.iter() {
                inputs
                    .try_push(u16::try_from(view.input(square, piece)).ok()?)
                    .ok()?;
            }
        }
        let classical = fifty_move_scaled(node.turn.fold_wb(white, -white), pos) as f32;
        Some(NetSample {
            inputs,
            white_moves: node.turn.is_white(),
            bucket: u8::try_from(bucket(board)).ok()?,
            classical,
            share: fifty_move_scaled(share * 100, pos) as f32 / 6400.0,
        })
    }
}
