//! Parsing chat commands.

use sparring_chess::units::Elo;
use sparring_personality::Level;

/// `!easier` and `!harder` change the level by so much.
const STEP: i32 = 100;
/// Levels by words. lichess drops a line of a person that is nearly the same as one of their last two, so that `!level
/// 1500` right after `!level 1400` is dropped; these differ in more than a digit.
pub(super) const WORDS: [(&str, Elo); 6] = [
    ("beginner", Elo(800)),
    ("casual", Elo(1100)),
    ("club", Elo(1400)),
    ("strong", Elo(1700)),
    ("expert", Elo(2000)),
    ("master", Elo(2300)),
];

/// A chat command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatCommand {
    /// What can I ask for?
    Help,
    /// Play at this level.
    Level(Elo),
    /// Play so much stronger, or weaker.
    Step(i32),
    /// Which words for levels are there?
    Words,
    /// Be this personality.
    Play(String),
    /// Which personalities are there?
    Names,
    /// No delay, or delays again. Two words instead of a toggle: a line may arrive twice.
    Fast(bool),
    /// Which book did your last book move come from?
    Book,
    /// Tell after the game where it turned.
    Why,
    /// Say nothing more.
    Quiet,
    /// A command, but none of the table, or not in its form.
    Unknown,
}

impl ChatCommand {
    /// Whether it is about personality or level.
    #[must_use]
    pub fn is_about_strength(&self) -> bool {
        matches!(self, Self::Level(_) | Self::Step(_) | Self::Play(_))
    }
}

/// Parses a line of chat; `None` if it is no command.
#[must_use]
pub fn read(text: &str) -> Option<ChatCommand> {
    let text = text.trim().strip_prefix('!')?;
    let mut words = text.split_whitespace();
    let (name, argument) = (words.next()?, words.next());
    if words.next().is_some() {
        return Some(ChatCommand::Unknown);
    }
    let level = |text: &str| {
        text.parse()
            .ok()
            .filter(|level| Level::RANGE.contains(level))
            .map(Elo)
    };
    let command = match (name.to_ascii_lowercase().as_str(), argument) {
        ("help", None) => Some(ChatCommand::Help),
        ("fast", None) => Some(ChatCommand::Fast(true)),
        ("slow", None) => Some(ChatCommand::Fast(false)),
        ("book", None) => Some(ChatCommand::Book),
        ("why", None) => Some(ChatCommand::Why),
        ("quiet", None) => Some(ChatCommand::Quiet),
        ("level", Some(text)) => level(text).map(ChatCommand::Level),
        // Three words each: the same one twice within three lines is not heard.
        ("easier" | "weaker" | "softer", None) => Some(ChatCommand::Step(-STEP)),
        ("harder" | "stronger" | "tougher", None) => Some(ChatCommand::Step(STEP)),
        ("strength", word) => {
            let named = WORDS
                .iter()
                .find(|(name, _)| word.is_some_and(|word| word.eq_ignore_ascii_case(name)));
            Some(named.map_or(ChatCommand::Words, |(_, level)| ChatCommand::Level(*level)))
        }
        ("play", None) => Some(ChatCommand::Names),
        ("play", Some(name)) => Some(ChatCommand::Play(name.to_ascii_lowercase())),
        _ => None,
    };
    Some(command.unwrap_or(ChatCommand::Unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_exact_words() {
        for (line, command) in [
            ("!help", Some(ChatCommand::Help)),
            ("  !LEVEL 1400 ", Some(ChatCommand::Level(Elo(1400)))),
            ("!level 99", Some(ChatCommand::Unknown)),
            ("!level", Some(ChatCommand::Unknown)),
            ("!level 1400 please", Some(ChatCommand::Unknown)),
            ("!play Attacker", Some(ChatCommand::Play("attacker".into()))),
            ("!play", Some(ChatCommand::Names)),
            ("!easier", Some(ChatCommand::Step(-100))),
            ("!Weaker", Some(ChatCommand::Step(-100))),
            ("!tougher", Some(ChatCommand::Step(100))),
            ("!harder 3", Some(ChatCommand::Unknown)),
            ("!strength Expert", Some(ChatCommand::Level(Elo(2000)))),
            ("!strength", Some(ChatCommand::Words)),
            ("!strength 1400", Some(ChatCommand::Words)),
            ("!fast", Some(ChatCommand::Fast(true))),
            ("!slow", Some(ChatCommand::Fast(false))),
            ("!book", Some(ChatCommand::Book)),
            ("!Why", Some(ChatCommand::Why)),
            ("!quiet", Some(ChatCommand::Quiet)),
            ("!book main", Some(ChatCommand::Unknown)),
            ("!resign", Some(ChatCommand::Unknown)),
            ("!", None),
            ("good luck!", None),
            ("level 1400", None),
            ("", None),
        ] {
            assert_eq!(read(line), command, "{line:?}");
        }
    }

    /// How many letters have to be changed, added or left out to make one text of the other.
    fn distance(one: &str, other: &str) -> usize {
        let other: Vec<char> = other.chars().collect();
        let mut row: Vec<usize> = (0..=other.len()).collect();
        for (index, letter) in one.chars().enumerate() {
            let mut corner = row[0];
            row[0] = index + 1;
            for (at, known) in other.iter().enumerate() {
                let swapped = corner + usize::from(letter != *known);
                corner = row[at + 1];
                row[at + 1] = swapped.min(corner + 1).min(row[at] + 1);
            }
        }
        row[other.len()]
    }

    #[test]
    fn words_for_strength_are_too_different_for_lichess_to_drop_them() {
        // A line is dropped within max(2, an eighth of its length) letters of one of the last two.
        let mut words: Vec<String> = WORDS
            .iter()
            .map(|(word, _)| format!("!strength {word}"))
            .collect();
        words.extend(
            [
                "!easier",
                "!weaker",
                "!softer",
                "!harder",
                "!stronger",
                "!tougher",
            ]
            .map(str::to_owned),
        );
        for word in &words {
            assert!(read(word).unwrap().is_about_strength(), "{word}");
            for other in words.iter().filter(|other| *other != word) {
                let least = 2.max(word.len() / 8);
                assert!(distance(word, other) >= least, "{word} and {other}");
            }
        }
        assert_eq!(
            distance("!level 1400", "!level 1500"),
            1,
            "which is why they are there"
        );
    }
}
