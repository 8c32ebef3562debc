//! ASCII board for terminals.

use sparring_chess::{Color, File, Move, Position, Rank, Role, Rules as _, Square};

/// A position as eight ranks and a line of files, seen from a side. Brackets mark the squares of the last move.
#[must_use]
pub fn draw(pos: &Position, seen_from: Color, last: Option<Move>) -> String {
    let order = |index: u32| seen_from.fold_wb(7 - index, index);
    let mut text = String::new();
    for row in 0..8 {
        let rank = Rank::new(order(row));
        text.push_str(&format!(" {rank} "));
        for column in 0..8 {
            let square = Square::from_coords(File::new(order(7 - column)), rank);
            let marked = last.is_some_and(|mv| mv.from() == Some(square) || mv.to() == square);
            let (left, right) = if marked { ('[', ']') } else { (' ', ' ') };
            text.extend([left, symbol(pos, square), right]);
        }
        text.push('\n');
    }
    text.push_str("   ");
    for column in 0..8 {
        text.push_str(&format!(" {} ", File::new(order(7 - column))));
    }
    text.push('\n');
    // No trailing spaces.
    text.lines().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// Upper case for White, lower case for Black, a dot for an empty square.
fn symbol(pos: &Position, square: Square) -> char {
    let Some(piece) = pos.board().piece_at(square) else {
        return '.';
    };
    let letter = match piece.role {
        Role::Pawn => 'p',
        Role::Knight => 'n',
        Role::Bishop => 'b',
        Role::Rook => 'r',
        Role::Queen => 'q',
        Role::King => 'k',
    };
    piece.color.fold_wb(letter.to_ascii_uppercase(), letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{GameHistory, Variant};

    #[test]
    fn the_board_is_seen_from_either_side() {
        let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4").unwrap();
        let last = line.moves().last().copied();
        let white = draw(line.position(), Color::White, last);
        insta::assert_snapshot!(white, @r"
         8  r  n  b  q  k  b  n  r
         7  p  p  p  p  p  p  p  p
         6  .  .  .  .  .  .  .  .
         5  .  .  .  .  .  .  .  .
         4  .  .  .  . [P] .  .  .
         3  .  .  .  .  .  .  .  .
         2  P  P  P  P [.] P  P  P
         1  R  N  B  Q  K  B  N  R
            a  b  c  d  e  f  g  h
        ");
        let black = draw(line.position(), Color::Black, None);
        assert!(black.starts_with(" 1  R  N  B  K  Q"), "{black}");
        assert!(black.ends_with("h  g  f  e  d  c  b  a\n"), "{black}");
    }
}
