//! Material and attack counts, as the human model sees them.

use shakmaty::{Bitboard, Board};

use super::{Color, File, Rank, Role, Square};

/// Pieces and pawns of a color, without its king, within two squares of the king of `king`'s color; 0 where there is no
/// king.
#[must_use]
pub fn men_near_king(board: &Board, of: Color, king: Color) -> i32 {
    let around = board.king_of(king).map_or(Bitboard::EMPTY, within_two);
    count(around & board.by_color(of) & !board.kings())
}

/// Files without any pawn.
#[must_use]
pub fn pawnless_files(board: &Board) -> i32 {
    let pawns = board.pawns();
    File::ALL
        .into_iter()
        .map(|file| i32::from((pawns & Bitboard::from_file(file)).is_empty()))
        .sum()
}

/// Material of a color by the usual values, in pawns.
#[must_use]
pub fn material(board: &Board, of: Color) -> i32 {
    [
        (Role::Pawn, 1),
        (Role::Knight, 3),
        (Role::Bishop, 3),
        (Role::Rook, 5),
        (Role::Queen, 9),
    ]
    .into_iter()
    .map(|(role, value)| count(board.by_role(role) & board.by_color(of)) * value)
    .sum()
}

/// How many ranks the pawns of a color have advanced together.
#[must_use]
pub fn ranks_advanced(board: &Board, of: Color) -> i32 {
    (board.pawns() & board.by_color(of))
        .into_iter()
        .map(|square| {
            let rank = square.rank() as i32;
            if of.is_white() { rank - 1 } else { 6 - rank }
        })
        .sum()
}

/// Whether a king stands on a wing of its own first rank, as after castling.
#[must_use]
pub fn is_tucked_away(board: &Board, of: Color) -> bool {
    let home = of.fold_wb(Rank::First, Rank::Eighth);
    board
        .king_of(of)
        .is_some_and(|king| king.rank() == home && !matches!(king.file(), File::D | File::E | File::F))
}

/// Queens of a color that have left its first rank.
#[must_use]
pub fn queens_out(board: &Board, of: Color) -> i32 {
    let home = Bitboard::from_rank(of.fold_wb(Rank::First, Rank::Eighth));
    count(board.queens() & board.by_color(of) & !home)
}

fn count(squares: Bitboard) -> i32 {
    i32::try_from(squares.count()).unwrap_or(0)
}

/// All squares within two of a square, itself with them.
fn within_two(square: Square) -> Bitboard {
    let near = |place: u32| place.saturating_sub(2)..=(place + 2).min(7);
    let ranks = near(u32::from(square.rank())).fold(Bitboard::EMPTY, |all, rank| {
        all | Bitboard::from_rank(Rank::new(rank))
    });
    let files = near(u32::from(square.file())).fold(Bitboard::EMPTY, |all, file| {
        all | Bitboard::from_file(File::new(file))
    });
    ranks & files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rules as _, Variant, parse_fen};

    #[test]
    fn everything_is_counted_for_the_given_color() {
        let pos = parse_fen(Variant::Standard, "4k1r1/5pP1/4N3/8/8/8/PP3Q2/KN6 w - - 0 1").unwrap();
        let board = pos.board();
        assert_eq!(men_near_king(board, Color::White, Color::Black), 2);
        assert_eq!(men_near_king(board, Color::White, Color::White), 3);
        assert_eq!(men_near_king(board, Color::Black, Color::Black), 2);
        assert_eq!(pawnless_files(board), 4);
        assert_eq!(
            (material(board, Color::White), material(board, Color::Black)),
            (18, 6)
        );
        assert_eq!(
            (
                ranks_advanced(board, Color::White),
                ranks_advanced(board, Color::Black)
            ),
            (5, 0)
        );
    }

    #[test]
    fn a_castled_king_is_tucked_away_and_a_queen_at_home_is_not_out() {
        let board = |fen| parse_fen(Variant::Standard, fen).unwrap().board().clone();
        let castled = board("r2qk2r/8/8/8/3Q4/8/8/R4RK1 w kq - 0 1");
        assert!(is_tucked_away(&castled, Color::White) && !is_tucked_away(&castled, Color::Black));
        assert_eq!(
            (
                queens_out(&castled, Color::White),
                queens_out(&castled, Color::Black)
            ),
            (1, 0)
        );
    }
}
