//! What an opponent can ask for by chat: a table of exact words. Pure: a line in, a changed manner and an answer out.
//!
//! Nothing of a stranger's text is ever said back, and strength changes only in casual games.

use std::sync::Arc;

use crate::{
    personality::{Cast, Level, Profile, voice::LONGEST_LINE},
    units::Elo,
};

/// Who plays a game and how, as its opponent may change it.
#[derive(Debug, Clone, PartialEq)]
pub struct Manner {
    /// The personality. A copy: an edited file counts from the next game.
    pub profile: Arc<Profile>,
    /// The level asked for instead of the personality's own.
    pub level: Option<Elo>,
    /// No pauses after thinking.
    pub fast: bool,
}

impl Manner {
    /// A personality as its file says.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        Self {
            profile: Arc::new(profile.clone()),
            level: None,
            fast: false,
        }
    }
}

/// Something the opponent asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// What can I ask for?
    Help,
    /// Play at this level.
    Level(Elo),
    /// Be this personality.
    Play(String),
    /// No pauses, or pauses again. Two words instead of one that toggles: a line may be heard twice.
    Fast(bool),
    /// A command, but none of the table, or not in its form.
    Unknown,
}

/// Reads a line of chat; `None` for what is no command at all.
#[must_use]
pub fn read(text: &str) -> Option<Command> {
    let text = text.trim().strip_prefix('!')?;
    let mut words = text.split_whitespace();
    let (name, argument) = (words.next()?, words.next());
    if words.next().is_some() {
        return Some(Command::Unknown);
    }
    let level = |text: &str| {
        text.parse()
            .ok()
            .filter(|level| Level::RANGE.contains(level))
            .map(Elo)
    };
    let command = match (name.to_ascii_lowercase().as_str(), argument) {
        ("help", None) => Some(Command::Help),
        ("fast", None) => Some(Command::Fast(true)),
        ("slow", None) => Some(Command::Fast(false)),
        ("level", Some(text)) => level(text).map(Command::Level),
        ("play", Some(name)) => Some(Command::Play(name.to_ascii_lowercase())),
        _ => None,
    };
    Some(command.unwrap_or(Command::Unknown))
}

/// Does what was asked for and says so. Strength and personality stay as they are in rated games.
#[must_use]
pub fn obey(command: &Command, manner: &Manner, cast: &Cast, rated: bool) -> (Manner, String) {
    let mut changed = manner.clone();
    let answer = match command {
        Command::Help => format!(
            "!level 1400, !play NAME, !fast, !slow. Names: {}",
            cast.names().collect::<Vec<_>>().join(", ")
        ),
        Command::Unknown => {
            let (least, most) = (Level::RANGE.start(), Level::RANGE.end());
            format!("I know !help, !level {least} to {most}, !play NAME, !fast and !slow.")
        }
        Command::Level(_) | Command::Play(_) if rated => {
            "My strength stays as it is in rated games. Ask me again in a casual one.".to_owned()
        }
        Command::Level(level) => {
            changed.level = Some(*level);
            format!("From my next move on I play at level {level}.")
        }
        Command::Play(name) => match cast.get(name) {
            Some(profile) => {
                changed.profile = Arc::new(profile.clone());
                changed.level = None;
                format!("From my next move on you play {}.", profile.title)
            }
            None => format!(
                "I am not acquainted with that name. I know {}.",
                cast.names().collect::<Vec<_>>().join(", ")
            ),
        },
        Command::Fast(fast) => {
            changed.fast = *fast;
            let answer = if *fast {
                "From my next move on I do not pause."
            } else {
                "From my next move on I take my time again."
            };
            answer.to_owned()
        }
    };
    (changed, answer.chars().take(LONGEST_LINE).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cast() -> Cast {
        Cast::new(vec![Profile::new("club"), Profile::new("attacker")])
    }

    fn manner() -> Manner {
        Manner::of(&Profile::new("club"))
    }

    #[test]
    fn commands_are_exact_words() {
        for (line, command) in [
            ("!help", Some(Command::Help)),
            ("  !LEVEL 1400 ", Some(Command::Level(Elo(1400)))),
            ("!level 99", Some(Command::Unknown)),
            ("!level", Some(Command::Unknown)),
            ("!level 1400 please", Some(Command::Unknown)),
            ("!play Attacker", Some(Command::Play("attacker".into()))),
            ("!fast", Some(Command::Fast(true))),
            ("!slow", Some(Command::Fast(false))),
            ("!resign", Some(Command::Unknown)),
            ("!", None),
            ("good luck!", None),
            ("level 1400", None),
            ("", None),
        ] {
            assert_eq!(read(line), command, "{line:?}");
        }
    }

    #[test]
    fn a_level_or_a_personality_counts_from_the_next_move() {
        let (changed, answer) = obey(&Command::Level(Elo(1400)), &manner(), &cast(), false);
        assert_eq!(changed.level, Some(Elo(1400)));
        assert!(answer.starts_with("From my next move on"), "{answer}");
        let (changed, _) = obey(&Command::Play("attacker".into()), &changed, &cast(), false);
        assert_eq!(changed.profile.name, "attacker");
        assert_eq!(changed.level, None, "the new personality plays at its own level");
        let (same, answer) = obey(&Command::Play("nobody".into()), &changed, &cast(), false);
        assert_eq!(same, changed);
        assert!(
            answer.contains("attacker, club") && !answer.contains("nobody"),
            "{answer}"
        );
    }

    #[test]
    fn strength_never_changes_in_rated_games() {
        for command in [Command::Level(Elo(600)), Command::Play("attacker".into())] {
            let (same, answer) = obey(&command, &manner(), &cast(), true);
            assert_eq!(same, manner());
            assert!(answer.contains("rated"), "{answer}");
        }
        assert!(obey(&Command::Fast(true), &manner(), &cast(), true).0.fast);
    }

    #[test]
    fn asking_twice_for_speed_takes_it_back() {
        let (fast, _) = obey(&Command::Fast(true), &manner(), &cast(), false);
        assert!(fast.fast);
        assert!(!obey(&Command::Fast(false), &fast, &cast(), false).0.fast);
    }

    proptest! {
        #[test]
        fn answers_are_short_and_free_of_what_strangers_write(line in "!?(play|level|help)? ?\\PC{0,300}") {
            let stranger = "zqx://evil";
            let line = format!("{line} {stranger}");
            if let Some(command) = read(&line) {
                let (_, answer) = obey(&command, &manner(), &cast(), false);
                prop_assert!(answer.chars().count() <= LONGEST_LINE);
                prop_assert!(!answer.contains("zqx"));
            }
        }
    }
}
