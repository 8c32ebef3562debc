//! The board and the legal moves as the side to move sees them: its pieces are White's, and its pawns go up.

use shakmaty::{Bitboard, Board, CastlingSide, Color, EnPassantMode, Move, Position as _, Role, Square};
use sparring_chess::{GameHistory, Position};

/// The color of the mover's pieces in a [`View`].
pub(super) const OWN: Color = Color::White;
/// The color of the other side's pieces in a [`View`].
pub(super) const THEIR: Color = Color::Black;

/// A legal move as our network sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegalMove {
    /// The move itself.
    pub mv: Move,
    /// Where it starts, in the mover's view.
    pub from: Square,
    /// Where it ends, in the mover's view; where the king ends if it castles.
    pub to: Square,
    /// What a pawn becomes.
    pub promotion: Option<Role>,
    /// Notes, one bit each; `training/README.md` lists them.
    pub notes: u64,
}

/// The current position of a game in the mover's view.
pub(super) struct View<'a> {
    pub(super) history: &'a GameHistory,
    pub(super) board: Board,
    /// Where the kings stand, own and theirs.
    pub(super) king: Square,
    pub(super) their_king: Square,
}

impl<'a> View<'a> {
    /// `None` if the rules are not those of orthodox chess.
    pub(super) fn new(history: &'a GameHistory) -> Option<Self> {
        let Position::Chess(position) = history.position() else {
            return None;
        };
        let mut board = position.board().clone();
        if position.turn().is_black() {
            board.mirror();
        }
        let (king, their_king) = (board.king_of(OWN)?, board.king_of(THEIR)?);
        Some(Self {
            history,
            board,
            king,
            their_king,
        })
    }

    pub(super) fn position(&self) -> &Position {
        self.history.position()
    }

    /// A square of the board in the mover's view, or back.
    pub(super) fn square(&self, square: Square) -> Square {
        if self.history.turn().is_black() {
            square.flip_vertical()
        } else {
            square
        }
    }

    /// Start and end of a move; castling is the king's way.
    pub(super) fn squares(&self, mv: Move) -> (Square, Square) {
        let (from, to) = match mv {
            Move::Castle { king, rook } => (
                king,
                Square::from_coords(side(king, rook).king_to_file(), king.rank()),
            ),
            _ => (mv.from().unwrap_or(mv.to()), mv.to()),
        };
        (self.square(from), self.square(to))
    }

    /// All legal moves in the order of from, to, promotion, without notes.
    pub(super) fn legal_moves(&self) -> Vec<LegalMove> {
        let seen = |mv: Move| {
            let (from, to) = self.squares(mv);
            LegalMove {
                mv,
                from,
                to,
                promotion: mv.promotion(),
                notes: 0,
            }
        };
        let mut moves: Vec<LegalMove> = self.position().legal_moves().into_iter().map(seen).collect();
        moves.sort_unstable_by_key(|candidate| {
            (
                candidate.from,
                candidate.to,
                candidate.promotion,
                candidate.mv.is_castle(),
            )
        });
        moves
    }

    /// The board after a legal move, still in the mover's view.
    pub(super) fn board_after(&self, mv: Move) -> Board {
        let mut board = self.board.clone();
        let (from, to) = self.squares(mv);
        board.discard_piece_at(from);
        match mv {
            Move::Castle { king, rook } => {
                board.discard_piece_at(self.square(rook));
                board.set_piece_at(to, Role::King.of(OWN));
                let rook_to = Square::from_coords(side(king, rook).rook_to_file(), to.rank());
                board.set_piece_at(rook_to, Role::Rook.of(OWN));
            }
            Move::EnPassant { .. } => {
                board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
                board.set_piece_at(to, Role::Pawn.of(OWN));
            }
            Move::Normal { role, promotion, .. } => board.set_piece_at(to, promotion.unwrap_or(role).of(OWN)),
            Move::Put { role, .. } => board.set_piece_at(to, role.of(OWN)),
        }
        board
    }

    /// The move played `back` plies ago, 1 being the last.
    pub(super) fn earlier_move(&self, back: usize) -> Option<Move> {
        let moves = self.history.moves();
        moves.len().checked_sub(back).map(|at| moves[at])
    }

    /// The square of a legal en passant capture.
    pub(super) fn en_passant(&self) -> Option<Square> {
        self.position()
            .ep_square(EnPassantMode::Legal)
            .map(|square| self.square(square))
    }

    /// a1, h1, a8, h8 for the castling rights that are left.
    pub(super) fn castling_rights(&self) -> Bitboard {
        let turn = self.history.turn();
        let corners = [
            (turn, CastlingSide::QueenSide, Square::A1),
            (turn, CastlingSide::KingSide, Square::H1),
            (!turn, CastlingSide::QueenSide, Square::A8),
            (!turn, CastlingSide::KingSide, Square::H8),
        ];
        let castles = self.position().castles();
        corners
            .into_iter()
            .filter(|(color, side, _)| castles.has(*color, *side))
            .map(|(.., corner)| corner)
            .collect()
    }
}

fn side(king: Square, rook: Square) -> CastlingSide {
    CastlingSide::from_king_side(king < rook)
}
