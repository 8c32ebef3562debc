//! EPD lines, and FEN lines, which have counters where EPD has its operations.

/// Splits a line into the FEN of its position and its operations, which may be empty; none where it has no four fields.
/// Checks left of three-check belong to the FEN, before its counters (`3+3`) or behind them (`+0+0`).
#[must_use]
pub fn split_epd(line: &str) -> Option<(String, &str)> {
    let (mut fen, mut rest) = (String::new(), line.trim());
    for _ in 0..4 {
        let field;
        (field, rest) = word(rest)?;
        fen += field;
        fen.push(' ');
    }
    if let Some((checks, after)) = word(rest).filter(|(word, _)| is_checks(word)) {
        fen += checks;
        fen.push(' ');
        rest = after;
    }
    let counters = word(rest).and_then(|(halfmoves, after)| {
        let (number, after) = word(after)?;
        let is_number = |text: &str| text.parse::<u32>().is_ok();
        (is_number(halfmoves) && is_number(number)).then(|| (format!("{halfmoves} {number}"), after))
    });
    let (counters, mut operations) = counters.unwrap_or_else(|| ("0 1".to_owned(), rest));
    fen += &counters;
    if let Some((checks, after)) = word(operations).filter(|(word, _)| is_checks(word)) {
        fen.push(' ');
        fen += checks;
        operations = after;
    }
    Some((fen, operations))
}

fn is_checks(word: &str) -> bool {
    word.contains('+') && word.bytes().all(|byte| byte == b'+' || byte.is_ascii_digit())
}

/// The first word and what follows it.
fn word(text: &str) -> Option<(&str, &str)> {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (!word.is_empty()).then(|| (word, rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_operations_are_split() {
        for (line, fen, operations) in [
            (
                "8/8/8/8 w - - bm Qd1; id \"a  b\";",
                "8/8/8/8 w - - 0 1",
                "bm Qd1; id \"a  b\";",
            ),
            ("8/8/8/8\tw  - -", "8/8/8/8 w - - 0 1", ""),
            ("8/8/8/8 b KQ e3 12 34", "8/8/8/8 b KQ e3 12 34", ""),
            ("8/8/8/8 b KQ e3 12 34 bm a4;", "8/8/8/8 b KQ e3 12 34", "bm a4;"),
            ("8/8/8/8 b - - 3+2", "8/8/8/8 b - - 3+2 0 1", ""),
            ("8/8/8/8 b - - 3+2 4 5 id;", "8/8/8/8 b - - 3+2 4 5", "id;"),
            ("8/8/8/8 b - - 4 5 +0+1 id;", "8/8/8/8 b - - 4 5 +0+1", "id;"),
            ("8/8/8/8 b - - 12 bm;", "8/8/8/8 b - - 0 1", "12 bm;"),
        ] {
            assert_eq!(split_epd(line), Some((fen.to_owned(), operations)), "{line}");
        }
        assert_eq!(split_epd("8/8/8/8 w -"), None);
    }
}
