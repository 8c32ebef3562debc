//! NNUE perspective: the input index of a piece on a square.

use shakmaty::Piece;

use sparring_chess::{Color, File, Square};

/// The perspective of a side: from behind its own pieces, and mirrored where its king stands on the left half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Perspective {
    side: Color,
    /// XORed with a square to get the perspective's square.
    turned: u8,
}

impl Perspective {
    /// The perspective of a side with its king on this square.
    pub fn of(side: Color, king: Square) -> Self {
        let ranks = side.fold_wb(0, 0b111_000);
        let files = if king.file() < File::E { 0b000_111 } else { 0 };
        Self {
            side,
            turned: ranks ^ files,
        }
    }

    /// The input index of a piece on a square: own pieces first, pawn to king, each with its 64 squares.
    pub fn input(self, square: Square, piece: Piece) -> usize {
        let kind = usize::from(piece.color != self.side) * 6 + piece.role as usize - 1;
        kind * 64 + (square as usize ^ usize::from(self.turned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::Role;

    #[test]
    fn mirrored_boards_have_equal_inputs() {
        let white = Perspective::of(Color::White, Square::E1);
        let black = Perspective::of(Color::Black, Square::E8);
        for role in Role::ALL {
            for square in Square::ALL {
                let mirrored = square.flip_vertical();
                assert_eq!(
                    white.input(square, role.of(Color::White)),
                    black.input(mirrored, role.of(Color::Black))
                );
                let left = Perspective::of(Color::White, Square::D1);
                assert_eq!(
                    left.input(square.flip_horizontal(), role.of(Color::Black)),
                    white.input(square, role.of(Color::Black))
                );
            }
        }
    }

    #[test]
    fn every_piece_on_every_square_is_an_input_of_its_own() {
        let view = Perspective::of(Color::Black, Square::A3);
        let mut seen = [false; super::super::INPUTS];
        for color in Color::ALL {
            for role in Role::ALL {
                for square in Square::ALL {
                    let input = view.input(square, role.of(color));
                    assert!(!std::mem::replace(&mut seen[input], true));
                }
            }
        }
        assert!(seen.iter().all(|seen| *seen));
    }
}
