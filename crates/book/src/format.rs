//! Formats book text: even spacing and, on request, one notation. Comments stay.

use std::collections::HashMap;

use sparring_chess::{Color, Move, Position, Rules as _, Variant, write_san, write_uci};

use super::{
    book::Book,
    book_line::ReplayedMove,
    moves::read_move,
    prefix_cache::PrefixCache,
    syntax::{Kind, Line, SyntaxKind},
    walk::{Row, walk},
};

/// How moves are to be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Notation {
    /// As their author did.
    #[default]
    AsWritten,
    /// `1. e4 e5 2. Nf3`.
    San,
    /// `e2e4 e7e5 g1f3`.
    Uci,
}

/// The text of a book in good order. It means the same, and formatting it again changes nothing.
///
/// Lines that are refused keep their words; line ends become those of the first line.
///
/// ```
/// use sparring_book::{self as book, Notation};
///
/// let (book, _) = book::parse("my.book", "e2e4   e7e5! g1f3 60|b1c3 #Vienna\n");
/// assert_eq!(book::format(&book.unwrap(), Notation::San), "1. e4 e5! 2. Nf3 60 | Nc3  #Vienna\n");
/// ```
#[must_use]
pub fn format(book: &Book, notation: Notation) -> String {
    let mut rewritten = HashMap::new();
    if notation != Notation::AsWritten {
        walk(book.text(), &mut |row| {
            rewritten.insert(row.line.number, rewrite(row, notation));
        });
    }
    let source = book.text().as_str();
    let windows = source
        .lines()
        .next()
        .is_some_and(|first| source[first.len()..].starts_with("\r\n"));
    let ending = if windows { "\r\n" } else { "\n" };
    let mut formatted = String::with_capacity(source.len());
    let mut blanks = 0;
    for line in book.text().lines() {
        if line.kind() == Kind::Blank {
            blanks += 1;
            continue;
        }
        // Paragraphs stay apart by one line, and none comes before the first.
        if blanks > 0 && !formatted.is_empty() {
            formatted += ending;
        }
        blanks = 0;
        match rewritten.remove(&line.number) {
            Some(words) => formatted += &words.join(" "),
            None => formatted += &words(line).join(" "),
        }
        if let Some(comment) = line.pieces().find(|piece| piece.kind == SyntaxKind::Comment) {
            formatted += if line.kind() == Kind::Comment { "" } else { "  " };
            formatted += comment.text;
        }
        formatted += ending;
    }
    formatted
}

/// All of a line but white space and comment.
fn words(line: Line<'_>) -> Vec<String> {
    line.pieces()
        .filter(|piece| !matches!(piece.kind, SyntaxKind::Space | SyntaxKind::Comment))
        .map(|piece| piece.text.to_owned())
        .collect()
}

/// The words of a row with its moves in another notation. Marks, numbers and bars stay as they are.
fn rewrite(row: &Row<'_, '_>, notation: Notation) -> Vec<String> {
    let mut moves = row.played.iter();
    let mut next = moves.next();
    let mut words = Vec::new();
    for piece in row.line.pieces().filter(|piece| piece.kind == SyntaxKind::Word) {
        match next {
            Some(played) if piece.span.contains(&played.span.start) => {
                let is_choice = words.last().is_some_and(|last| last == "|");
                if notation == Notation::San && !is_choice {
                    words.extend(count(played, row.prefix, words.is_empty()));
                }
                let marks = &piece.text[played.span.end - piece.span.start..];
                words.push(spell(played, row.prefix, notation) + marks);
                next = moves.next();
            }
            // The number of a move, which is counted anew.
            _ if piece.text.ends_with(['.', '…']) => {}
            _ => words.push(piece.text.to_owned()),
        }
    }
    words
}

fn spell(played: &ReplayedMove, prefix: &PrefixCache<'_>, notation: Notation) -> String {
    match notation {
        Notation::Uci => in_coordinates(prefix.position(played.depth), played.mv),
        Notation::San | Notation::AsWritten => write_san(prefix.position(played.depth), played.mv),
    }
}

/// A move in coordinates that read back as that move. With a king that castles by one square, or not at all, `f1g1` is
/// another move, and only the king that takes its rook says what is meant.
fn in_coordinates(pos: &Position, mv: Move) -> String {
    let spellings = [Variant::Standard, Variant::Chess960].map(|variant| write_uci(mv, variant));
    let read_back = |spelling: &String| read_move(pos, spelling) == Ok(mv);
    let found = spellings.into_iter().find(read_back);
    found.unwrap_or_else(|| write_san(pos, mv))
}

/// The number before a move of White, or before the first of a row.
fn count(played: &ReplayedMove, prefix: &PrefixCache<'_>, first: bool) -> Option<String> {
    let number = prefix.position(played.depth).fullmoves();
    match played.turn {
        Color::White => Some(format!("{number}.")),
        Color::Black if first => Some(format!("{number}...")),
        Color::Black => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use proptest::prelude::*;

    fn formatted(text: &str, notation: Notation) -> String {
        format(&parse("a.book", text).0.unwrap(), notation)
    }

    #[test]
    fn comments_headers_and_refused_lines_stay() {
        let text = "\u{feff}name:   Mine # yes\r\n\r\n\r\n# Top  \r\n e4   e9 ! # wrong\r\ne4\te5;right";
        assert_eq!(
            formatted(text, Notation::San),
            "name: Mine  # yes\r\n\r\n# Top\r\ne4 e9 !  # wrong\r\n1. e4 e5  ;right\r\n"
        );
    }

    #[test]
    fn rows_from_a_position_count_from_there() {
        let text = "from: 4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\ne8d7 e2e4!? 30|e2e3 *";
        assert_eq!(
            formatted(text, Notation::San),
            "from: 4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\n7... Kd7 8. e4!? 30 | e3 *\n"
        );
    }

    #[test]
    fn a_number_at_its_move_is_counted_anew() {
        assert_eq!(formatted("1.e4 e5 2.Nf3", Notation::San), "1. e4 e5 2. Nf3\n");
        assert_eq!(
            formatted("1.e4 1...e5 2. Nf3??", Notation::Uci),
            "e2e4 e7e5 g1f3??\n"
        );
    }

    #[test]
    fn coordinates_read_back_as_the_move_they_were() {
        let from = "variant: chess960\nfrom: 4k3/8/8/8/8/8/8/1R3K1R w BH - 0 1\n";
        let both = format!("{from}O-O\nKg1\nO-O-O\n");
        assert_eq!(
            formatted(&both, Notation::Uci),
            format!("{from}f1h1\nf1g1\nf1b1\n")
        );
        let usual = "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O";
        assert_eq!(
            formatted(usual, Notation::Uci),
            "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1\n"
        );
        let king = "variant: antichess\nfrom: 8/P7/8/8/8/8/8/7n w - - 0 1\n";
        assert_eq!(
            formatted(&format!("{king}a8=K\n"), Notation::Uci),
            format!("{king}a7a8k\n")
        );
        let drop = "variant: crazyhouse\ne4 d5 exd5 Qxd5 Nc3 Qa5 P@d5\n";
        let written = formatted(drop, Notation::Uci);
        assert_eq!(parse("a.book", &written).1.to_string(), "", "{written}");
    }

    proptest! {
        #[test]
        fn formatting_changes_looks_only_and_only_once(
            words in prop::collection::vec(prop::sample::select(vec![
                "e4", "e5", "e2e4", "e7e5", "1.", "1.e4", "!", "e4?!", "c5xx", "60", "|", "# no", "; no", "\n", "\n", "\n\n\n", "name: x", "Nf3", "Nc6",
            ]), 0..40),
            notation in prop::sample::select(vec![Notation::AsWritten, Notation::San, Notation::Uci]),
        ) {
            let text = words.join(" ");
            let once = formatted(&text, notation);
            prop_assert_eq!(&formatted(&once, notation), &once);
            let (before, after) = (parse("a", &text).0.unwrap(), parse("a", &once).0.unwrap());
            prop_assert_eq!(before.rows(), after.rows());
            prop_assert_eq!(before.positions(), after.positions());
        }
    }
}
