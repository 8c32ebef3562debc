//! Reads a token as a move (SAN or coordinates), or explains why it is not legal and suggests a fix.

use sparring_chess::{
    Color, Move, Position, Role, Rules as _, SanError, Square, Variant, in_plain_signs, parse_san, parse_uci,
    write_san, write_uci,
};

/// Longer words are no moves, and are quoted in part.
const LONGEST: usize = 10;

/// How many legal moves an advice lists at most.
const LISTED: usize = 8;

/// Why a word is no move here, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unread {
    pub message: String,
    pub help: Option<String>,
}

/// Reads a move in SAN or in coordinates.
pub(super) fn read_move(pos: &Position, word: &str) -> Result<Move, Unread> {
    if let Some(plain) = in_plain_signs(word) {
        return read_move(pos, &plain);
    }
    if word.len() > LONGEST && word.chars().count() > LONGEST {
        return Err(too_long(word));
    }
    if is_coordinates(word) {
        return parse_uci(pos, word).map_err(|error| Unread {
            message: format!("{error}: {}", why_not_from(pos, word)),
            help: advice(pos, word, |mv| write_uci(mv, Variant::Standard)),
        });
    }
    parse_san(pos, word).map_err(|error| match error {
        SanError::Syntax(_) => Unread {
            message: error.to_string(),
            help: foreign(word).or_else(|| advice(pos, word, |mv| write_san(pos, mv))),
        },
        SanError::Illegal(_) => Unread {
            message: match why_no_piece(pos, word) {
                Some(why) => format!("{error}: {why}"),
                None => error.to_string(),
            },
            help: advice(pos, word, |mv| write_san(pos, mv)),
        },
        SanError::Ambiguous { .. } => Unread {
            message: error.to_string(),
            help: None,
        },
    })
}

/// The move that a word names by piece, both squares and whatever else: `Ng1-f3`, `h7xg8Q`.
fn spelled_out(pos: &Position, word: &str) -> Option<Move> {
    let bare = word
        .trim_end_matches(['+', '#'])
        .replace(['-', 'x', '=', ':'], "");
    let squares = bare
        .trim_start_matches(['N', 'B', 'R', 'Q', 'K', 'P'])
        .to_ascii_lowercase();
    parse_uci(pos, &squares).ok().filter(|_| is_coordinates(&squares))
}

/// Whether a word is written as from-square and to-square, with or without a piece to promote to; in antichess that may be
/// a king.
pub(super) fn is_coordinates(word: &str) -> bool {
    match word.as_bytes() {
        [a, b, c, d] | [a, b, c, d, b'q' | b'r' | b'b' | b'n' | b'k'] => {
            [a, c].iter().all(|file| (b'a'..=b'h').contains(file))
                && [b, d].iter().all(|rank| (b'1'..=b'8').contains(rank))
        }
        _ => false,
    }
}

fn too_long(word: &str) -> Unread {
    let begin: String = word.chars().take(LONGEST).collect();
    let is_dense = word
        .as_bytes()
        .chunks_exact(4)
        .take(3)
        .all(|four| std::str::from_utf8(four).is_ok_and(is_coordinates));
    Unread {
        message: format!("\"{begin}…\" is not a move"),
        help: is_dense.then(|| "put a blank between the moves".to_owned()),
    }
}

/// What to say of the signs of other formats.
fn foreign(word: &str) -> Option<String> {
    if word == "0000" {
        return Some("nobody passes in a book: the line ends here, or goes on with a move".to_owned());
    }
    if word == "ep" || word.trim_end_matches('.').ends_with("e.p") {
        return Some("leave \"e.p.\" out: the move says it".to_owned());
    }
    let help = match word.chars().next()? {
        '{' => "comments go behind \"#\", at the end of the line",
        '(' | ')' => "give each variation a line of its own",
        '$' => "marks are ! !! !? ? ?? ?! xx @",
        '[' => "headers are written as in \"name: My book\"",
        _ => return None,
    };
    Some(help.to_owned())
}

/// Why a move in coordinates is not legal.
fn why_not_from(pos: &Position, word: &str) -> String {
    let (from, to) = (square(word, 0), square(word, 2));
    let (Some(from), Some(to)) = (from, to) else {
        return "there is no such square".to_owned();
    };
    match pos.board().piece_at(from) {
        None => format!("{from} is empty"),
        Some(piece) if piece.color != pos.turn() => {
            format!("the {} on {from} is {}'s", name(piece.role), side(piece.color))
        }
        Some(piece) if pos.is_check() => {
            format!(
                "{} is in check, and the {} on {from} cannot help on {to}",
                side(pos.turn()),
                name(piece.role)
            )
        }
        Some(piece) => format!("the {} on {from} cannot go to {to}", name(piece.role)),
    }
}

/// Why a move in SAN is not legal, if it names a piece and a square.
fn why_no_piece(pos: &Position, word: &str) -> Option<String> {
    let bare = word.trim_end_matches(['+', '#']);
    let bare = bare.split('=').next().unwrap_or(bare);
    let role = match bare.chars().next()? {
        'O' | '0' => return Some(format!("{} cannot castle to that side now", side(pos.turn()))),
        'N' => Role::Knight,
        'B' => Role::Bishop,
        'R' => Role::Rook,
        'Q' => Role::Queen,
        'K' => Role::King,
        _ => Role::Pawn,
    };
    let to = target(bare)?;
    let turn = side(pos.turn());
    if let Some(piece) = pos.board().piece_at(to)
        && piece.color == pos.turn()
    {
        return Some(format!("{turn}'s own {} stands on {to}", name(piece.role)));
    }
    let check = if pos.is_check() { ", being in check" } else { "" };
    Some(format!("no {} of {turn} can go to {to}{check}", name(role)))
}

/// What to write instead of a word that is not a legal move.
fn advice(pos: &Position, word: &str, write: impl Fn(Move) -> String) -> Option<String> {
    if pos.legal_moves().is_empty() {
        return Some("the game is over here".to_owned());
    }
    if let Some(mv) = spelled_out(pos, word) {
        return Some(format!("did you mean {}?", write(mv)));
    }
    let bare = word.trim_end_matches(['+', '#']);
    let legal: Vec<String> = pos.legal_moves().iter().map(|mv| write(*mv)).collect();
    let listed = |fits: &dyn Fn(&str) -> bool| -> Vec<&str> {
        let moves = legal.iter().map(String::as_str);
        moves
            .filter(|san| fits(san.trim_end_matches(['+', '#'])))
            .take(LISTED)
            .collect()
    };
    if is_legal_for_the_other(pos, word) {
        return Some(format!(
            "it is {}'s turn; is a move missing before it?",
            side(pos.turn())
        ));
    }
    let mut close = listed(&|san| san.eq_ignore_ascii_case(bare));
    if close.is_empty() {
        // The square it goes to is the part that people get right.
        close = listed(&|san| is_near(bare, san) && target(bare).is_some_and(|to| target(san) == Some(to)));
    }
    if close.is_empty() {
        close = listed(&|san| is_near(bare, san));
    }
    if !close.is_empty() {
        return Some(format!("did you mean {}?", close.join(" or ")));
    }
    let alike = listed(&|san| is_of_same_kind(bare, san));
    (!alike.is_empty()).then(|| format!("legal here: {}", alike.join(", ")))
}

/// A move left out makes the next one a move of the wrong side.
fn is_legal_for_the_other(pos: &Position, word: &str) -> bool {
    pos.clone()
        .swap_turn()
        .is_ok_and(|swapped| parse_san(&swapped, word).is_ok() || parse_uci(&swapped, word).is_ok())
}

/// Whether a legal move shares the piece, or the square it leaves, with a word; any move of a piece to the
/// same square counts as well.
fn is_of_same_kind(word: &str, legal: &str) -> bool {
    let (word_first, legal_first) = (word.chars().next(), legal.chars().next());
    let pieces = ['N', 'B', 'R', 'Q', 'K'];
    let same_piece = word_first == legal_first && word_first.is_some_and(|c| pieces.contains(&c));
    let same_from = is_coordinates(word) && word.get(..2) == legal.get(..2);
    same_piece || same_from || target(word).is_some() && target(word) == target(legal)
}

/// The square that a bare move ends with.
fn target(word: &str) -> Option<Square> {
    square(word, word.len().checked_sub(2)?)
}

/// Whether two words differ by one slip: a letter too many, too few, wrong, or two swapped.
pub(super) fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let begin = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[begin..], &other[begin..]);
    let end = one
        .iter()
        .rev()
        .zip(other.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    match (&one[..one.len() - end], &other[..other.len() - end]) {
        ([_], []) | ([], [_]) | ([_], [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}

fn square(word: &str, at: usize) -> Option<Square> {
    Square::from_ascii(word.get(at..at + 2)?.as_bytes()).ok()
}

fn name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

fn side(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::GameHistory;

    /// What is said of a word after some moves: message and help, divided by `;`.
    fn said(moves: &str, word: &str) -> String {
        let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
        let unread = read_move(line.position(), word).unwrap_err();
        match unread.help {
            Some(help) => format!("{}; {help}", unread.message),
            None => unread.message,
        }
    }

    #[test]
    fn a_slip_of_the_pen_is_set_right() {
        assert_eq!(said("", "Nf9"), "\"Nf9\" is not a move; did you mean Nf3?");
        assert_eq!(said("", "nf3"), "\"nf3\" is not a move; did you mean Nf3?");
        assert_eq!(
            said("", "e5"),
            "\"e5\" is not legal here: no pawn of White can go to e5; it is White's turn; is a move missing before it?"
        );
    }

    #[test]
    fn an_illegal_move_gets_its_reason_and_the_legal_ones() {
        assert_eq!(
            said("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6", "Bc6"),
            "\"Bc6\" is not legal here: no bishop of White can go to c6; did you mean Bxc6?"
        );
        assert_eq!(
            said("e2e4 e7e5", "Nd5"),
            "\"Nd5\" is not legal here: no knight of White can go to d5; legal here: Na3, Nc3, Ne2, Nf3, Nh3"
        );
        assert_eq!(
            said("", "Bd2"),
            "\"Bd2\" is not legal here: White's own pawn stands on d2"
        );
        assert_eq!(
            said("e2e4 d7d5 f1b5", "Nf6"),
            "\"Nf6\" is not legal here: no knight of Black can go to f6, being in check; did you mean Nc6?"
        );
    }

    #[test]
    fn coordinates_are_explained_by_the_square_they_leave() {
        assert_eq!(
            said("", "e2e5"),
            "\"e2e5\" is not legal here: the pawn on e2 cannot go to e5; did you mean e2e3 or e2e4?"
        );
        assert_eq!(
            said("e2e4", "e4e5"),
            "\"e4e5\" is not legal here: the pawn on e4 is White's; it is Black's turn; is a move missing before it?"
        );
        assert_eq!(
            said("e2e4 e7e5", "e3e4"),
            "\"e3e4\" is not legal here: e3 is empty"
        );
    }

    #[test]
    fn signs_of_other_formats_are_recognised() {
        assert_eq!(
            said("", "{Best"),
            "\"{Best\" is not a move; comments go behind \"#\", at the end of the line"
        );
        assert_eq!(
            said("", "e2e4e7e6d2d4"),
            "\"e2e4e7e6d2…\" is not a move; put a blank between the moves"
        );
    }

    #[test]
    fn moves_with_both_squares_are_named_in_the_usual_way() {
        for (moves, word, meant) in [
            ("", "Ng1-f3", "Nf3"),
            ("e2e4 d7d5", "e4:d5", "exd5"),
            ("e2e4 d7d5 e4d5 c7c6 d5c6 a7a6 c6b7 a6a5", "b7a8Q", "bxa8=Q"),
            ("e2e4 d7d5 e4d5 c7c6 d5c6 a7a6 c6b7 a6a5", "b7xa8N", "bxa8=N"),
        ] {
            let said = said(moves, word);
            assert!(said.ends_with(&format!("; did you mean {meant}?")), "{said}");
        }
        assert_eq!(
            said("e2e4 a7a6 e4e5 d7d5", "exd6e.p."),
            "\"exd6e.p.\" is not a move; leave \"e.p.\" out: the move says it"
        );
    }

    #[test]
    fn one_slip_is_near_and_two_are_not() {
        for (one, other, near) in [
            ("Nf", "Nf3", true),
            ("N1f3", "Nf3", true),
            ("fN3", "Nf3", true),
            ("Ng4", "Nf3", false),
            ("", "Nf3", false),
        ] {
            assert_eq!(is_near(one, other), near, "{one} {other}");
        }
    }
}
