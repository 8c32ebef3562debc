//! Old names of commands: for one release they work with a hint, or name the new place.

/// Commands that moved to other programs.
const MOVED: [(&str, &str); 12] = [
    ("bench-daemon", "sparring-testkit bench-daemon"),
    ("soak", "sparring-testkit soak"),
    ("suite", "sparring-lab suite"),
    ("human-fit", "sparring-lab human-fit"),
    ("human-report", "sparring-lab human-report"),
    ("match", "sparring-lab match"),
    ("ladder", "sparring-lab calibrate"),
    ("style-report", "sparring-lab style-report"),
    ("datagen", "sparring-lab datagen"),
    ("tune", "sparring-lab tune"),
    ("train", "sparring-lab train-net"),
    ("verify", "sparring-lab verify-endgames"),
];

/// Commands of `sparring book` under new names; the old ones are aliases.
const RENAMED: [(&str, &str); 2] = [("feed", "build"), ("turns", "blunders")];

/// Commands of `sparring book` that are gone, and what to do instead.
const REMOVED: [(&str, &str); 1] = [(
    "compile",
    "the bot reads large books from their text; delete the *.bookc files beside them",
)];

/// The message for a command that moved to another program or is gone.
pub fn moved(words: &[String]) -> Option<String> {
    let name = words.first()?;
    if let ("book", Some(command)) = (name.as_str(), words.get(1))
        && let Some((old, instead)) = REMOVED.iter().find(|(old, _)| old == command)
    {
        return Some(format!("`sparring book {old}` is gone: {instead}"));
    }
    let (_, now) = MOVED.iter().find(|(old, _)| old == name)?;
    let package = now.split(' ').next().unwrap_or(now);
    Some(format!(
        "\"{name}\" is `{now}` now; from a checkout: cargo run --release --package {package} -- {}",
        now.split_once(' ').map_or("", |(_, command)| command)
    ))
}

/// The hint for a command called by its old name.
pub fn hint(words: &[String]) -> Option<String> {
    let [group, name, ..] = words else { return None };
    let (old, now) = RENAMED.iter().find(|(old, _)| group == "book" && old == name)?;
    Some(format!(
        "`sparring book {old}` is called `sparring book {now}` now"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn old_names_lead_to_new_ones() {
        assert!(
            moved(&words("ladder --games 4"))
                .unwrap()
                .contains("`sparring-lab calibrate`")
        );
        assert_eq!(
            moved(&words("book compile books/large.book")).unwrap(),
            "`sparring book compile` is gone: the bot reads large books from their text; delete the *.bookc files beside them"
        );
        assert_eq!(moved(&words("book check compile")), None);
        assert_eq!(moved(&words("play")), None);
        assert_eq!(
            hint(&words("book feed mine.pgn")).unwrap(),
            "`sparring book feed` is called `sparring book build` now"
        );
        assert_eq!(hint(&words("book build mine.pgn")), None);
        assert_eq!(hint(&words("book")), None);
    }
}
