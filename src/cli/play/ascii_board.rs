//! ASCII board for terminals.

use sparring_chess::{Color, File, Move, Position, Rank, Role, Rules as _, Square};

/// A position as eight ranks and a line of files, seen from a side. Brackets mark the squares of the last move. Below are
/// the pieces to be dropped in Crazyhouse, and the checks left in Three-check.
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
    for color in Color::ALL {
        text.push_str(&beside(pos, color));
    }
    // No trailing spaces.
    text.lines().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// What a side has beside the board, in a line; empty in most variants.
fn beside(pos: &Position, color: Color) -> String {
    let name = color.fold_wb("White", "Black");
    if let Some(pockets) = pos.pockets() {
        let pocket = pockets.get(color);
        let held = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn]
            .into_iter()
            .flat_map(|role| std::iter::repeat_n(letter(role, color), usize::from(*pocket.get(role))))
            .fold(String::new(), |held, letter| format!("{held} {letter}"));
        return match held.is_empty() {
            true => format!("   {name} holds nothing\n"),
            false => format!("   {name} holds{held}\n"),
        };
    }
    pos.remaining_checks()
        .map_or_else(String::new, |left| match u32::from(*left.get(color)) {
            0 => format!("   {name} has given three checks\n"),
            1 => format!("   {name} wins by one more check\n"),
            more => format!("   {name} wins by {more} more checks\n"),
        })
}

/// Upper case for White, lower case for Black, a dot for an empty square.
fn symbol(pos: &Position, square: Square) -> char {
    let piece = pos.board().piece_at(square);
    piece.map_or('.', |piece| letter(piece.role, piece.color))
}

fn letter(role: Role, color: Color) -> char {
    let letter = match role {
        Role::Pawn => 'p',
        Role::Knight => 'n',
        Role::Bishop => 'b',
        Role::Rook => 'r',
        Role::Queen => 'q',
        Role::King => 'k',
    };
    color.fold_wb(letter.to_ascii_uppercase(), letter)
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

    #[test]
    fn pockets_and_checks_left_stand_below_the_board() {
        let below = |variant, moves| {
            let line = GameHistory::replay(variant, "startpos", moves).unwrap();
            let board = draw(line.position(), Color::White, None);
            board
                .lines()
                .skip(9)
                .map(str::trim)
                .collect::<Vec<_>>()
                .join("; ")
        };
        assert_eq!(
            below(Variant::Crazyhouse, "e2e4 d7d5 e4d5 d8d5 b1c3 d5e5 f1e2 e5e2"),
            "White holds P; Black holds b p"
        );
        assert_eq!(
            below(Variant::Crazyhouse, ""),
            "White holds nothing; Black holds nothing"
        );
        assert_eq!(
            below(Variant::ThreeCheck, "e2e4 f7f6 d1h5 g7g6 h5g6"),
            "White wins by one more check; Black wins by 3 more checks"
        );
        assert_eq!(
            below(
                Variant::ThreeCheck,
                "e2e4 f7f6 d1h5 g7g6 h5g6 h7g6 f1b5 a7a6 b5d7"
            ),
            "White has given three checks; Black wins by 3 more checks"
        );
        assert_eq!(below(Variant::Atomic, ""), "");
    }
}
