//! Classifies a token by its spelling alone, before legality is known.

use sparring_chess::in_plain_signs;

/// A word of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BookToken<'t> {
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
pub(super) fn classify(word: &str) -> BookToken<'_> {
    // Most words are moves, and only the mark begins with an x.
    if let Some(first) = word.as_bytes().first()
        && first.is_ascii_alphabetic()
        && *first != b'x'
    {
        return BookToken::Move(word);
    }
    match word {
        "|" => return BookToken::Bar,
        "xx" => return BookToken::Marks(word),
        // Some programs write so that nobody moves.
        "0000" => return BookToken::Move(word),
        _ => {}
    }
    let typed = in_plain_signs(word);
    match typed.as_deref().unwrap_or(word) {
        "*" | "1-0" | "0-1" | "1/2-1/2" | "1/2" => return BookToken::Result,
        "0-0" | "0-0-0" => return BookToken::Move(word),
        _ => {}
    }
    if word == "xx@" || word.bytes().all(|c| matches!(c, b'!' | b'?' | b'@')) {
        return BookToken::Marks(word);
    }
    let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 {
        return BookToken::Move(word);
    }
    let (number, rest) = word.split_at(digits);
    let bare = rest.trim_start_matches(['.', '…']);
    let is_fraction = rest.len() == bare.len() + 1 && !bare.is_empty() && bare.parse::<u32>().is_ok();
    if is_fraction {
        BookToken::Weight(word)
    } else if rest.starts_with(['.', '…']) {
        BookToken::Count(number, bare)
    } else if rest.starts_with('-') || typed.is_some() {
        BookToken::Move(word)
    } else {
        BookToken::Weight(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_what_it_looks_like() {
        for (word, looks) in [
            ("12.", BookToken::Count("12", "")),
            ("2...b8c6", BookToken::Count("2", "b8c6")),
            ("3…Nf6", BookToken::Count("3", "Nf6")),
            ("60", BookToken::Weight("60")),
            ("0.5", BookToken::Weight("0.5")),
            ("60%", BookToken::Weight("60%")),
            ("!?", BookToken::Marks("!?")),
            ("xx", BookToken::Marks("xx")),
            ("xx@", BookToken::Marks("xx@")),
            ("|", BookToken::Bar),
            ("1/2-1/2", BookToken::Result),
            ("½–½", BookToken::Result),
            ("*", BookToken::Result),
            // What begins like a number and is none.
            ("0-0", BookToken::Move("0-0")),
            ("O–O", BookToken::Move("O–O")),
            ("0000", BookToken::Move("0000")),
            ("Nf3!", BookToken::Move("Nf3!")),
            ("xd5", BookToken::Move("xd5")),
        ] {
            assert_eq!(classify(word), looks, "{word}");
        }
    }
}
