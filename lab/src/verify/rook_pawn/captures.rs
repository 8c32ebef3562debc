//! What tables of four men say of the captures of rook and pawn against rook.

use anyhow::Context as _;
use shakmaty::{Bitboard, Board, Piece};

use super::{super::missing, PAWNS, Place, index, pawn_index, pawns};
use sparring_chess::{Color, File, Role, Square, position_of};
use sparring_engine::Tablebase;

/// What tables of four men say of captures: sets of squares of a man, won with the side to move that the capture leaves.
pub(super) struct Captures {
    /// White has taken the rook: by pawn, king and rook of white, where the black king stands, which is to move.
    pub(super) without_black_rook: Vec<Bitboard>,
    /// Black has taken the rook: by pawn and the kings, where the black rook stands, white to move.
    pub(super) without_white_rook: Vec<Bitboard>,
    /// Black has taken the pawn, or what became of it: by white's king and rook and the black king, where the black rook
    /// stands, white to move.
    pub(super) without_pawn: Vec<Bitboard>,
}

fn index_by_pawn(pawn: Square, others: [Square; 2]) -> usize {
    (pawn_index(pawn) * 64 + others[0] as usize) * 64 + others[1] as usize
}

impl Captures {
    pub(super) fn read(tables: &Tablebase) -> anyhow::Result<Self> {
        const KING: Piece = Role::King.of(Color::White);
        const ROOK: Piece = Role::Rook.of(Color::White);
        const PAWN: Piece = Role::Pawn.of(Color::White);
        const BLACK: Piece = Role::King.of(Color::Black);
        const ENEMY: Piece = Role::Rook.of(Color::Black);
        let mut it = Self {
            without_black_rook: Vec::with_capacity(PAWNS << 12),
            without_white_rook: Vec::with_capacity(PAWNS << 12),
            without_pawn: Vec::with_capacity(1 << 18),
        };
        for pawn in pawns() {
            for one in Square::ALL {
                for two in Square::ALL {
                    let others = [(PAWN, pawn), (KING, one), (ROOK, two)];
                    let wins = won(tables, others, BLACK, Color::Black);
                    it.without_black_rook
                        .push(wins.with_context(|| missing("KRPvK"))?);
                    let others = [(PAWN, pawn), (KING, one), (BLACK, two)];
                    let wins = won(tables, others, ENEMY, Color::White);
                    it.without_white_rook
                        .push(wins.with_context(|| missing("KRvKP"))?);
                }
            }
        }
        for one in Square::ALL {
            for two in Square::ALL {
                for three in Square::ALL {
                    let others = [(KING, one), (ROOK, two), (BLACK, three)];
                    let wins = won(tables, others, ENEMY, Color::White);
                    it.without_pawn.push(wins.with_context(|| missing("KRvKR"))?);
                }
            }
        }
        Ok(it)
    }

    /// Whether white wins once it has taken the black rook; the pawn may be on any file.
    pub(super) fn wins_without_black_rook(&self, pawn: Square, place: Place) -> bool {
        let is_mirrored = pawn.file() > File::D;
        let flip = |square: Square| {
            if is_mirrored {
                square.flip_horizontal()
            } else {
                square
            }
        };
        let index = index_by_pawn(flip(pawn), [flip(place.king), flip(place.rook)]);
        self.without_black_rook[index].contains(flip(place.black))
    }

    pub(super) fn without_white_rook(&self, place: Place, black: Square) -> Bitboard {
        self.without_white_rook[index_by_pawn(place.pawn, [place.king, black])]
    }

    pub(super) fn without_pawn(&self, place: Place, black: Square) -> Bitboard {
        self.without_pawn[index([place.king, place.rook, black])]
    }
}

/// Where a fourth man must stand for white to win; none where the tables do not know.
fn won(tables: &Tablebase, others: [(Piece, Square); 3], fourth: Piece, turn: Color) -> Option<Bitboard> {
    let mut board = Board::empty();
    for (piece, square) in others {
        board.set_piece_at(square, piece);
    }
    let mut wins = Bitboard::EMPTY;
    if board.occupied().count() < 3 {
        return Some(wins);
    }
    for square in !board.occupied() {
        let mut board = board.clone();
        board.set_piece_at(square, fourth);
        if let Some(pos) = position_of(&board, turn)
            && tables.winner(&pos)? == Some(Color::White)
        {
            wins |= square;
        }
    }
    Some(wins)
}
