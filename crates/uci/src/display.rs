//! A position drawn in characters, for people.

use std::fmt;

use shakmaty::{Board, ByRole};

use sparring_chess::{ByColor, Color, File, Rank, Role, Square};

/// A board as eight ranks of letters, White's below, in capitals as in a FEN.
pub(super) struct Diagram<'a>(pub &'a Board);

impl fmt::Display for Diagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            write!(f, "{} ", rank.char())?;
            for file in File::ALL {
                let piece = self.0.piece_at(Square::from_coords(file, rank));
                write!(f, " {}", piece.map_or('.', |piece| piece.char()))?;
            }
            writeln!(f)?;
        }
        write!(f, "  ")?;
        File::ALL
            .iter()
            .try_for_each(|file| write!(f, " {}", file.char()))
    }
}

/// What each side can drop, in letters as in a FEN, the most valuable first.
pub(super) struct Pockets<'a>(pub &'a ByColor<ByRole<u8>>);

impl fmt::Display for Pockets<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |side: Color| -> String {
            let roles = Role::ALL.into_iter().rev();
            let letters = roles.map(|role| {
                let letter = role.of(side).char().to_string();
                letter.repeat(usize::from(self.0[side][role]))
            });
            let held: String = letters.collect();
            if held.is_empty() {
                "nothing".to_owned()
            } else {
                held
            }
        };
        write!(
            f,
            "pockets: White {}, Black {}",
            of(Color::White),
            of(Color::Black)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Rules as _, Variant, parse_fen};

    #[test]
    fn ranks_and_files_stand_where_white_sees_them() {
        let pos = parse_fen(Variant::Standard, "r3k3/1P6/8/8/8/8/6p1/4K2R w Kq - 0 1").unwrap();
        insta::assert_snapshot!(Diagram(pos.board()), @"
        8  r . . . k . . .
        7  . P . . . . . .
        6  . . . . . . . .
        5  . . . . . . . .
        4  . . . . . . . .
        3  . . . . . . . .
        2  . . . . . . p .
        1  . . . . K . . R
           a b c d e f g h
        ");
    }
}
