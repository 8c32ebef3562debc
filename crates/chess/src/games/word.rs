//! Classifies words of PGN movetext by their form.

use super::{super::Color, spelling::bare};

/// A word of the movetext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind<'w> {
    /// The result at the end of a game.
    Result(ResultWord),
    /// `12.`, `12...`, `...`, each perhaps with text directly after it.
    Number(Number<'w>),
    /// `!?`, `$14`, `+-`, `ch`.
    Glyph,
    /// `N` for a novelty, `D` for a diagram: it could also be a piece that a blank has cut off.
    Letter,
    /// `e.p.` behind a move.
    EnPassant,
    /// A null move.
    Null,
    /// Whatever is none of these.
    Move(&'w str),
}

/// The number of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number<'w> {
    /// None for dots alone.
    pub number: Option<u64>,
    /// How many dots follow.
    pub dots: usize,
    /// The text directly after it; may be empty.
    pub rest: &'w str,
}

/// A game result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultWord {
    Won(Color),
    Drawn,
    /// `*`
    Open,
}

/// Signs of annotators that are not also put directly behind moves.
const GLYPHS: [&str; 20] = [
    "TN", "RR", "~", "~=", "=~", "/\\", "/^", "^", "^^", "^_", "_|_", "|", "||", "|^", "->", "<-", "=>",
    "><", "<=>", "<=",
];

/// The kind of a word.
pub(super) fn classify(word: &str) -> Kind<'_> {
    // Most words are moves.
    if let [b'a'..=b'h' | b'B' | b'K' | b'N' | b'Q' | b'R', .., b'1'..=b'8'] = word.as_bytes() {
        return Kind::Move(word);
    }
    if let Some(outcome) = outcome(word) {
        return Kind::Result(outcome);
    }
    if let Some(number) = number(word).filter(|_| !["00", "000", "0000"].contains(&word)) {
        return Kind::Number(number);
    }
    match word {
        "--" | "Z0" | "@@@@" | "null" | "NULL" | "Null" | "0000" | "pass" | "PASS" | "Pass" | "<>" => {
            return Kind::Null;
        }
        "N" | "D" => return Kind::Letter,
        _ if GLYPHS.contains(&word) || is_numbered_glyph(word) => return Kind::Glyph,
        _ => {}
    }
    let (rest, says_en_passant) = bare(word);
    match (rest, says_en_passant) {
        ("", true) => Kind::EnPassant,
        ("", false) => Kind::Glyph,
        _ => Kind::Move(word),
    }
}

/// Reads a result, as a word of the movetext or as the value of a tag.
pub(super) fn outcome(text: &str) -> Option<ResultWord> {
    // Few words look like one.
    if !text.starts_with(['*', '0', '1', 'O', 'o', '.', ',']) {
        return None;
    }
    match text.trim_end_matches([',', ';', '.']) {
        "*" => Some(ResultWord::Open),
        "1-0" | "1:0" | "1-O" | "1-o" | "1.0-0.0" => Some(ResultWord::Won(Color::White)),
        "0-1" | "0:1" | "O-1" | "o-1" | "0.0-1.0" => Some(ResultWord::Won(Color::Black)),
        "1/2-1/2" | "1/2:1/2" | "1/2" | "0.5-0.5" | "0.5:0.5" | ".5-.5" | "0,5-0,5" | "0,5:0,5" | ",5-,5"
        | "0.5" => Some(ResultWord::Drawn),
        _ => None,
    }
}

fn is_numbered_glyph(word: &str) -> bool {
    word.strip_prefix('$')
        .is_some_and(|rest| rest.split('$').all(is_digits))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn number(word: &str) -> Option<Number<'_>> {
    let behind = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = word.strip_suffix(behind)?;
    let rest = behind.trim_start_matches(['.', '…', '‥']);
    let dots: usize = behind
        .strip_suffix(rest)?
        .chars()
        .map(|c| if c == '.' { 1 } else { 3 })
        .sum();
    let has_number = !digits.is_empty();
    let begins_like_move = rest.chars().next().is_some_and(char::is_alphabetic) || !rest.is_ascii();
    let is_number = match (has_number, dots) {
        (false, 0) => false,
        // `3Nf3`, but `0-0` and `1/2/3` are none.
        (true, 0) => rest.is_empty() || begins_like_move,
        (_, _) => true,
    };
    is_number.then(|| Number {
        number: has_number.then(|| digits.parse().unwrap_or(u64::MAX)),
        dots,
        rest,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(number: Option<u64>, dots: usize, rest: &str) -> Kind<'_> {
        Kind::Number(Number { number, dots, rest })
    }

    #[test]
    fn each_word_is_what_it_looks_like() {
        for (word, kind) in [
            ("1-0", Kind::Result(ResultWord::Won(Color::White))),
            ("0:1", Kind::Result(ResultWord::Won(Color::Black))),
            ("1/2", Kind::Result(ResultWord::Drawn)),
            ("0.5-0.5", Kind::Result(ResultWord::Drawn)),
            ("*", Kind::Result(ResultWord::Open)),
            ("12.", numbered(Some(12), 1, "")),
            ("12...", numbered(Some(12), 3, "")),
            ("1…", numbered(Some(1), 3, "")),
            ("...", numbered(None, 3, "")),
            ("...e5", numbered(None, 3, "e5")),
            ("1.e4", numbered(Some(1), 1, "e4")),
            ("3Nf3", numbered(Some(3), 0, "Nf3")),
            ("7", numbered(Some(7), 0, "")),
            ("0-0", Kind::Move("0-0")),
            ("00", Kind::Move("00")),
            ("0-0-0", Kind::Move("0-0-0")),
            ("0000", Kind::Null),
            ("--", Kind::Null),
            ("Z0", Kind::Null),
            ("$14", Kind::Glyph),
            ("$1$14", Kind::Glyph),
            ("!?", Kind::Glyph),
            ("+-", Kind::Glyph),
            ("=", Kind::Glyph),
            ("±", Kind::Glyph),
            ("⩲", Kind::Glyph),
            ("ch", Kind::Glyph),
            ("mate", Kind::Glyph),
            ("N", Kind::Letter),
            ("e.p.", Kind::EnPassant),
            ("ep", Kind::EnPassant),
            ("$x", Kind::Move("$x")),
            ("-", Kind::Move("-")),
            ("]", Kind::Move("]")),
            ("}", Kind::Move("}")),
            ("Nf3", Kind::Move("Nf3")),
        ] {
            assert_eq!(classify(word), kind, "{word}");
        }
    }
}
