//! Move context: the board from the mover's side, the previous moves, and the legal moves.

use shakmaty::{Board, CastlingSide};

use sparring_chess::{Color, GameHistory, Move, MoveList, Position, Role, Rules as _, Square};

/// A position with the moves that led to it: what a player at the board knows.
#[derive(Debug, Clone, Copy)]
pub struct MoveContext<'a> {
    /// The position to move in.
    pub position: &'a Position,
    /// All moves of the game so far.
    pub moves: &'a [Move],
    /// Keys of all positions of the game so far, the current one last.
    pub keys: &'a [u64],
}

impl<'a> MoveContext<'a> {
    /// The last position of a game.
    #[must_use]
    pub fn of(line: &'a GameHistory) -> Self {
        Self {
            position: line.position(),
            moves: line.moves(),
            keys: line.keys(),
        }
    }

    /// How often a position occurred in the game, if it may occur again.
    pub(super) fn occurred(&self, key: u64) -> usize {
        let reversible = self.position.halfmoves() as usize + 1;
        self.keys
            .iter()
            .rev()
            .take(reversible)
            .filter(|old| **old == key)
            .count()
    }
}

/// A move as the mover sees it: they play up the board, whatever their color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub role: Role,
    pub from: Square,
    pub to: Square,
    pub captured: Option<Role>,
    pub promotion: Option<Role>,
    pub castles: Option<CastlingSide>,
    pub en_passant: bool,
}

impl Step {
    /// None for a drop, which orthodox chess does not have.
    fn of(mv: Move, mover: Color) -> Option<Self> {
        let seen = |square: Square| {
            if mover.is_white() {
                square
            } else {
                square.flip_vertical()
            }
        };
        let plain = Self {
            role: mv.role(),
            from: seen(mv.from()?),
            to: seen(mv.to()),
            captured: mv.capture(),
            promotion: mv.promotion(),
            castles: None,
            en_passant: mv.is_en_passant(),
        };
        Some(match mv.castling_side() {
            // shakmaty lets the king take its own rook; people see it arrive.
            Some(side) => Self {
                to: Square::from_coords(side.king_to_file(), plain.from.rank()),
                castles: Some(side),
                ..plain
            },
            None => plain,
        })
    }

    /// The board after the move. Castling moves the king alone: nothing here looks at the rook.
    pub(super) fn played(self, board: &Board) -> Board {
        let mut after = board.clone();
        after.discard_piece_at(self.from);
        if self.en_passant {
            after.discard_piece_at(Square::from_coords(self.to.file(), self.from.rank()));
        }
        after.set_piece_at(self.to, self.promotion.unwrap_or(self.role).of(Color::White));
        after
    }
}

/// The board turned so that the mover is White, with what happened last.
pub(super) struct View<'a> {
    pub context: MoveContext<'a>,
    pub mover: Color,
    pub board: Board,
    /// The opponent's last move, our own before it, and our own before that, seen from the mover's side.
    pub last: Option<Step>,
    pub own: Option<Step>,
    pub own_before: Option<Step>,
    pub legal: MoveList,
}

impl<'a> View<'a> {
    pub(super) fn new(context: MoveContext<'a>) -> Self {
        let mover = context.position.turn();
        let board = context.position.board().clone();
        let ago = |plies: usize| {
            let index = context.moves.len().checked_sub(plies)?;
            Step::of(*context.moves.get(index)?, mover)
        };
        Self {
            mover,
            board: if mover.is_white() {
                board
            } else {
                board.into_mirrored()
            },
            last: ago(1),
            own: ago(2),
            own_before: ago(3 + 1),
            legal: context.position.legal_moves(),
            context,
        }
    }

    /// A legal move in the mover's terms; none for drops.
    pub(super) fn step(&self, mv: Move) -> Option<Step> {
        Step::of(mv, self.mover)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Variant, parse_uci};

    #[test]
    fn both_sides_play_up_the_board() {
        let white = GameHistory::replay(Variant::Standard, "startpos", "").unwrap();
        let black = GameHistory::replay(Variant::Standard, "startpos", "e2e3").unwrap();
        let step = |line: &GameHistory, text: &str| {
            View::new(MoveContext::of(line))
                .step(parse_uci(line.position(), text).unwrap())
                .unwrap()
        };
        assert_eq!(step(&white, "g1f3"), step(&black, "g8f6"));
        let view = View::new(MoveContext::of(&black));
        assert_eq!(view.board.role_at(Square::E1), Some(Role::King));
        assert_eq!(view.last.unwrap().to, Square::E6, "the white pawn, seen by Black");
    }

    #[test]
    fn a_castling_king_arrives_where_people_see_it() {
        let moves = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
        let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
        let view = View::new(MoveContext::of(&line));
        let step = view.step(parse_uci(line.position(), "e1g1").unwrap()).unwrap();
        assert_eq!(
            (step.to, step.castles),
            (Square::G1, Some(CastlingSide::KingSide))
        );
    }
}
