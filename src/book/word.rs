//! What a word of a row is by its look alone, before anybody knows which moves are legal.

use crate::chess::in_plain_signs;

/// A word of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word<'t> {
    /// `12.` or `12...`, perhaps with its move attached.
    Count(&'t str, &'t str),
    /// A number behind a move.
    Weight(&'t str),
    /// Marks behind a move.
    Marks(&'t str),
    /// `|`, behind which another move stands instead of the last one.
    Bar,
    /// The result of a game, as in PGN.
    Result,
    /// Whatever is none of these.
    Move(&'t str),
}

/// What a word looks like.
pub(super) fn classify(word: &str) -> Word<'_> {
    // Most words are moves, and only the mark begins with an x.
    if let Some(first) = word.as_bytes().first()
        && first.is_ascii_alphabetic()
        && *first != b'x'
    {
        return Word::Move(word);
    }
    match word {
        "|" => return Word::Bar,
        "xx" => return Word::Marks(word),
        // Some programs write so that nobody moves.
        "0000" => return Word::Move(word),
        _ => {}
    }
    let typed = in_plain_signs(word);
    match typed.as_deref().unwrap_or(word) {
        "*" | "1-0" | "0-1" | "1/2-1/2" | "1/2" => return Word::Result,
        "0-0" | "0-0-0" => return Word::Move(word),
        _ => {}
    }
    if word == "xx@" || word.bytes().all(|c| matches!(c, b'!' | b'?' | b'@')) {
        return Word::Marks(word);
    }
    let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 {
        return Word::Move(word);
    }
    let (number, rest) = word.split_at(digits);
    let bare = rest.trim_start_matches(['.', '…']);
    let is_fraction = rest.len() == bare.len() + 1 && !bare.is_empty() && bare.parse::<u32>().is_ok();
    if is_fraction {
        Word::Weight(word)
    } else if rest.starts_with(['.', '…']) {
        Word::Count(number, bare)
    } else if rest.starts_with('-') || typed.is_some() {
        Word::Move(word)
    } else {
        Word::Weight(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_what_it_looks_like() {
        for (word, looks) in [
            ("12.", Word::Count("12", "")),
            ("2...b8c6", Word::Count("2", "b8c6")),
            ("3…Nf6", Word::Count("3", "Nf6")),
            ("60", Word::Weight("60")),
            ("0.5", Word::Weight("0.5")),
            ("60%", Word::Weight("60%")),
            ("!?", Word::Marks("!?")),
            ("xx", Word::Marks("xx")),
            ("xx@", Word::Marks("xx@")),
            ("|", Word::Bar),
            ("1/2-1/2", Word::Result),
            ("½–½", Word::Result),
            ("*", Word::Result),
            // What begins like a number and is none.
            ("0-0", Word::Move("0-0")),
            ("O–O", Word::Move("O–O")),
            ("0000", Word::Move("0000")),
            ("Nf3!", Word::Move("Nf3!")),
            ("xd5", Word::Move("xd5")),
        ] {
            assert_eq!(classify(word), looks, "{word}");
        }
    }
}
