//! Chat lines of a personality: one per event, with names filled in, within lichess' length limit.

use super::strength::Strength;
use sparring_config_schema::{Section, Text};

/// Longest line of chat that lichess takes, in characters.
pub const LONGEST_LINE: usize = 140;

/// Longest name of a lichess account, in characters; lines are checked with a name of this length.
const LONGEST_NAME: usize = 20;

/// When a personality says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChatEvent {
    /// The game begins.
    Greeting,
    /// It has won.
    Won,
    /// It has lost.
    Lost,
    /// The game was drawn.
    Drawn,
    /// It has granted a takeback.
    TakebackGranted,
    /// It has refused a takeback.
    TakebackRefused,
    /// It has refused a draw.
    DrawRefused,
    /// The game begins, to spectators.
    SpectatorsGreeting,
    /// The game is over, to spectators.
    SpectatorsFarewell,
}

/// An event with its key, default line and description.
type Row = (ChatEvent, &'static str, &'static str, &'static str);

const ROWS: [Row; 9] = [
    (
        ChatEvent::Greeting,
        "greeting",
        "Hello {opponent}, I am {me} ({level}). Have fun!",
        "Said when a game begins.",
    ),
    (
        ChatEvent::Won,
        "won",
        "Thanks for the game, {opponent}.",
        "Said after a win.",
    ),
    (
        ChatEvent::Lost,
        "lost",
        "Well played, {opponent}!",
        "Said after a loss.",
    ),
    (
        ChatEvent::Drawn,
        "drawn",
        "A fair result. Thank you, {opponent}.",
        "Said after a draw.",
    ),
    (
        ChatEvent::TakebackGranted,
        "takeback-granted",
        "Sure, take it back.",
        "Said when it grants a takeback.",
    ),
    (
        ChatEvent::TakebackRefused,
        "takeback-refused",
        "Sorry, no more takebacks in this game.",
        "Said when it refuses a takeback.",
    ),
    (
        ChatEvent::DrawRefused,
        "draw-refused",
        "I would like to play on.",
        "Said when it refuses a draw.",
    ),
    (
        ChatEvent::SpectatorsGreeting,
        "greeting-spectators",
        "Hello all, I am {me} ({level}). !help tells what I answer here.",
        "Said to spectators when a game begins, if spectators = true in [chat] of bot.toml.",
    ),
    (
        ChatEvent::SpectatorsFarewell,
        "farewell-spectators",
        "Thanks for watching.",
        "Said to spectators when a game is over, likewise.",
    ),
];

impl ChatEvent {
    /// All events.
    pub const ALL: [Self; 9] = [
        Self::Greeting,
        Self::Won,
        Self::Lost,
        Self::Drawn,
        Self::TakebackGranted,
        Self::TakebackRefused,
        Self::DrawRefused,
        Self::SpectatorsGreeting,
        Self::SpectatorsFarewell,
    ];
}

/// The lines of a personality, checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatLines {
    /// Whether it says anything at all.
    pub enabled: bool,
    /// In the order of [`ChatEvent::ALL`].
    lines: Vec<String>,
}

/// Values of the placeholders of a line.
#[derive(Debug, Clone, Copy)]
pub struct ChatNames<'n> {
    /// `{opponent}`: their name as lichess shows it.
    pub opponent: &'n str,
    /// `{me}`: the title of the personality.
    pub me: &'n str,
    /// `{level}`.
    pub strength: Strength,
}

impl ChatLines {
    /// The line for an event, at most [`LONGEST_LINE`] characters; `None` if it has none.
    #[must_use]
    pub fn line(&self, event: ChatEvent, names: ChatNames<'_>) -> Option<String> {
        if !self.enabled {
            return None;
        }
        let at = ChatEvent::ALL.iter().position(|other| *other == event)?;
        let line = fill(self.lines.get(at)?, names);
        // A name from another server may be longer than lichess allows.
        Some(line.chars().take(LONGEST_LINE).collect())
    }
}

fn fill(line: &str, names: ChatNames<'_>) -> String {
    let level = names.strength.to_string();
    let mut filled = String::with_capacity(line.len() + 40);
    let mut rest = line;
    // One pass, so that a name which looks like a placeholder stays what it is.
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((word, behind)) = after.split_once('}') else {
            filled.push('{');
            rest = after;
            continue;
        };
        filled.push_str(match word {
            "opponent" => names.opponent,
            "me" => names.me,
            "level" => &level,
            _ => "",
        });
        rest = behind;
    }
    filled + rest
}

/// What is wrong with a line, with what to do about it.
fn fault(line: &str, me: &str) -> Option<(String, String)> {
    let known = ["opponent", "me", "level"];
    for after in line.split('{').skip(1) {
        let Some((word, _)) = after.split_once('}') else {
            return Some((
                "a \"{\" is never closed".to_owned(),
                "write {opponent}, {me} or {level}".to_owned(),
            ));
        };
        if !known.contains(&word) {
            let help = match sparring_diagnostics::nearest(word, known) {
                Some(near) => format!("did you mean {{{near}}}?"),
                None => "write {opponent}, {me} or {level}".to_owned(),
            };
            return Some((format!("{{{word}}} stands for nothing"), help));
        }
    }
    let longest = ChatNames {
        opponent: &"x".repeat(LONGEST_NAME),
        me,
        // The longest description.
        strength: Strength::ByHand,
    };
    let filled = fill(line, longest);
    if let Some(link) = link_in(&filled) {
        return Some((
            format!("\"{link}\" is a link, and lichess drops what a bot says with one"),
            "leave it out, or put a space after the full stop".to_owned(),
        ));
    }
    let length = filled.chars().count();
    (length > LONGEST_LINE).then(|| {
        (
            format!("{length} characters with an opponent's name of {LONGEST_NAME}"),
            format!("lichess takes {LONGEST_LINE}; cut {}", length - LONGEST_LINE),
        )
    })
}

/// What lichess would take for a link. It drops such a line of a bot without a word.
pub(super) fn link_in(text: &str) -> Option<&str> {
    let is_host = |host: &str| {
        let labels: Vec<&str> = host.split('.').collect();
        let is_label =
            |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let is_domain = |last: &&str| last.len() >= 2 && last.chars().all(|c| c.is_ascii_alphabetic());
        labels.len() >= 2 && labels.iter().all(is_label) && labels.last().is_some_and(is_domain)
    };
    let is_link = |word: &&str| {
        let host = word.split(['/', ':', '?', '#']).next().unwrap_or_default();
        word.contains("://") || is_host(host)
    };
    let bare = |word| str::trim_matches(word, |c: char| c.is_ascii_punctuation() && c != '/');
    text.split_whitespace().map(bare).find(is_link)
}

/// Declares the lines of a personality called `me`.
pub(super) fn declare(chat: &mut Section<'_>, me: &str) -> ChatLines {
    let enabled = chat.key(
        "enabled",
        sparring_config_schema::Bool,
        true,
        "Whether it says anything at all.",
    );
    let mut lines = Vec::with_capacity(ROWS.len());
    for (_, key, default, doc) in ROWS {
        let line = chat.key(key, Text(LONGEST_LINE), default.to_owned(), doc);
        if let Some((why, help)) = fault(&line, me) {
            chat.error(key, why, help);
        }
        lines.push(line);
    }
    ChatLines { enabled, lines }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Personality, read};
    use sparring_chess::units::{Elo, Nodes};

    fn line(
        profile: &Personality,
        event: ChatEvent,
        opponent: &str,
        requested: Option<Elo>,
    ) -> Option<String> {
        let names = ChatNames {
            opponent,
            me: &profile.title,
            strength: Strength::of(profile, requested),
        };
        profile.chat.line(event, names)
    }

    #[test]
    fn rows_and_events_are_in_the_same_order() {
        let rows: Vec<ChatEvent> = ROWS.iter().map(|row| row.0).collect();
        assert_eq!(rows, ChatEvent::ALL);
    }

    #[test]
    fn names_are_filled_in_once() {
        let (profile, _) = read(
            "tim.toml",
            "title = \"Tim\"\n[chat]\ngreeting = \"{opponent}: {me} ({level})\"\n",
        );
        let tim = profile.unwrap();
        let greeting = |opponent, requested| line(&tim, ChatEvent::Greeting, opponent, requested).unwrap();
        assert_eq!(greeting("Anna", Some(Elo(1400))), "Anna: Tim (level 1400)");
        assert_eq!(greeting("{me}", None), "{me}: Tim (full strength)");
        let weak = Personality {
            nodes: Some(Nodes(50)),
            ..tim.clone()
        };
        assert_eq!(
            line(&weak, ChatEvent::Greeting, "Anna", None).unwrap(),
            "Anna: Tim (strength set by hand)"
        );
    }

    #[test]
    fn a_silent_personality_says_nothing() {
        let (profile, _) = read("tim.toml", "[chat]\nenabled = false\n");
        assert_eq!(line(&profile.unwrap(), ChatEvent::Won, "Anna", None), None);
    }

    #[test]
    fn lines_are_checked_with_the_longest_name() {
        let line = format!("{{opponent}} {}", "a".repeat(120));
        let (profile, findings) = read("tim.toml", &format!("[chat]\nwon = \"{line}\"\n"));
        assert!(profile.is_none());
        assert_eq!(
            findings.to_string(),
            "tim.toml:2:7: error: chat.won: 141 characters with an opponent's name of 20; lichess takes 140; cut 1"
        );
        let stranger = "x".repeat(500);
        let said = super::tests::line(&Personality::new("x"), ChatEvent::Lost, &stranger, None).unwrap();
        assert_eq!(said.chars().count(), LONGEST_LINE);
    }

    #[test]
    fn lines_with_links_are_refused() {
        for line in [
            "see https://example.org/me",
            "my games: lichess.org/@/bot",
            "www.example.com",
            "(Example.COM)!",
            "Thanks.Bye",
        ] {
            assert!(link_in(line).is_some(), "{line}");
        }
        for line in [
            "Well played. Bye...",
            "e.g. 1.e4 e5 2.Nf3",
            "at 5.30 a.m.",
            "and/or",
            "so: good",
        ] {
            assert_eq!(link_in(line), None, "{line}");
        }
        let (profile, findings) = read("tim.toml", "[chat]\nwon = \"more at example.org\"\n");
        assert!(profile.is_none());
        assert_eq!(
            findings.to_string(),
            "tim.toml:2:7: error: chat.won: \"example.org\" is a link, and lichess drops what a bot says with one; leave \
             it out, or put a space after the full stop"
        );
        let (profile, findings) = read(
            "tim.toml",
            "title = \"tim.example.org\"\n[chat]\nenabled = false\n",
        );
        assert!(
            profile.is_none() && findings.to_string().contains("title:"),
            "{findings}"
        );
    }

    #[test]
    fn unknown_placeholders_are_refused_with_the_known_ones() {
        let (_, findings) = read("tim.toml", "[chat]\nwon = \"bye {oponent}\"\nlost = \"{\"\n");
        assert_eq!(
            findings.to_string(),
            "tim.toml:2:7: error: chat.won: {oponent} stands for nothing; did you mean {opponent}?\n\
             tim.toml:3:8: error: chat.lost: a \"{\" is never closed; write {opponent}, {me} or {level}"
        );
    }
}
