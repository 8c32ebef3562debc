//! Splits moves in coordinates written without spaces, as in `e2e4e7e6d2d4`.

/// Puts a blank between moves in coordinates that stand without one, promotions included. Words that are not made
/// of such moves alone stay as they are, and so do comments, line ends and everything else.
///
/// A `b` behind a move to the last rank may be a promotion or the file of the next move; what follows decides.
///
/// ```
/// use sparring_book as book;
///
/// assert_eq!(book::split("e2e4e7e6d2d4 # dense\n"), "e2e4 e7e6 d2d4 # dense\n");
/// ```
#[must_use]
pub fn split(text: &str) -> String {
    let mut loose = String::with_capacity(text.len() + text.len() / 4);
    for line in text.split_inclusive('\n') {
        let code = line.find(['#', ';']).unwrap_or(line.len());
        let (moves, comment) = line.split_at(code);
        for word in moves.split_inclusive(char::is_whitespace) {
            let bare = word.trim_end();
            match take_apart(bare) {
                Some(parts) => loose += &parts.join(" "),
                None => loose += bare,
            }
            loose += &word[bare.len()..];
        }
        loose += comment;
    }
    loose
}

/// The moves of a dense word with marks at its end perhaps; none if it is anything else.
fn take_apart(word: &str) -> Option<Vec<&str>> {
    let marks = word
        .trim_end_matches('@')
        .trim_end_matches("xx")
        .trim_end_matches(['!', '?'])
        .len();
    // From the back: where the move that begins at each byte ends, if all that follows can be read as well.
    let mut ends = vec![None; marks + 1];
    for at in (0..marks).rev() {
        let Some((len, may_promote)) = word.get(at..marks).and_then(move_len) else {
            continue;
        };
        let leads_on = |end: &usize| *end == marks || ends.get(*end).is_some_and(Option::is_some);
        let longer = may_promote.then_some(at + len + 1);
        ends[at] = [Some(at + len), longer].into_iter().flatten().find(leads_on);
    }
    let (mut parts, mut at) = (Vec::new(), 0);
    while at < marks {
        let end = *ends.get(at)?.as_ref()?;
        parts.push(word.get(at..if end == marks { word.len() } else { end })?);
        at = end;
    }
    (!parts.is_empty()).then_some(parts)
}

/// The length of the move at the start of a text, and whether a piece to promote to may follow.
fn move_len(text: &str) -> Option<(usize, bool)> {
    let [a, b, c, d, rest @ ..] = text.as_bytes() else {
        return None;
    };
    let squares = [(a, b), (c, d)];
    let are_squares = squares
        .iter()
        .all(|(file, rank)| (b'a'..=b'h').contains(*file) && (b'1'..=b'8').contains(*rank));
    let may_promote = matches!((b, d), (b'7', b'8') | (b'2', b'1'))
        && matches!(rest.first(), Some(b'q' | b'r' | b'b' | b'n'));
    are_squares.then_some((4, may_promote))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dense_lines_come_apart() {
        assert_eq!(split("e2e4e7e6d2d4d7d5b1c3f8b4"), "e2e4 e7e6 d2d4 d7d5 b1c3 f8b4");
        assert_eq!(split("e2e4e7e5?\r\n1. e4 e5\n"), "e2e4 e7e5?\r\n1. e4 e5\n");
        assert_eq!(split("# e2e4e7e5\nname: e2e4x"), "# e2e4e7e5\nname: e2e4x");
    }

    #[test]
    fn promotions_keep_their_piece() {
        assert_eq!(split("a7a8qe8e7"), "a7a8q e8e7");
        // The same letter as a file, and as a bishop.
        assert_eq!(split("a7a8b7b8q"), "a7a8 b7b8q");
        assert_eq!(split("a7a8bb7b8n"), "a7a8b b7b8n");
        assert_eq!(split("a7a8b"), "a7a8b");
    }

    proptest! {
        #[test]
        fn what_was_joined_comes_apart_again(moves in prop::collection::vec("[a-h][3-6][a-h][1-8]", 1..30)) {
            prop_assert_eq!(split(&moves.concat()), moves.join(" "));
        }

        #[test]
        fn only_blanks_are_added(text in "([a-h][1-8]|[qrbn !?#;\n]|é){0,60}") {
            let bare = |text: &str| text.replace(' ', "");
            prop_assert_eq!(bare(&split(&text)), bare(&text));
        }
    }
}
