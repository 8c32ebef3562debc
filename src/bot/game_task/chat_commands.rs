//! Chat commands: a line of the opponent in, a changed persona and an answer out. No IO.
//!
//! No text of the opponent is ever repeated. Strength changes only in casual games: in this one at its start, later in the
//! next.

mod command;

use std::{ops::RangeInclusive, sync::Arc};

pub use command::{ChatCommand, read};

use crate::{config::Chat, store::RequestedPersona};
use command::WORDS;
use sparring_chess::units::Elo;
use sparring_personality::{Level, Personalities, Personality, chat_lines::LONGEST_LINE};

/// Who plays a game and how; the opponent may change it.
#[derive(Debug, Clone, PartialEq)]
pub struct Persona {
    /// A copy of the personality: an edited file counts from the next game.
    pub profile: Arc<Personality>,
    /// The level, if it is not the personality's own.
    pub level: Option<Elo>,
    /// Moves without delay.
    pub fast: bool,
    /// Says nothing unasked.
    pub quiet: bool,
    /// Tells after the game where it turned.
    pub explains: bool,
}

impl Persona {
    /// A personality as its file says.
    #[must_use]
    pub fn of(profile: &Personality) -> Self {
        Self {
            profile: Arc::new(profile.clone()),
            level: None,
            fast: false,
            quiet: false,
            explains: false,
        }
    }

    /// The level that it plays at; none for full strength.
    #[must_use]
    pub fn plays_at(&self) -> Option<Elo> {
        self.level.or(self.profile.level)
    }
}

/// What a command may depend on.
#[derive(Debug, Clone, Copy)]
pub struct ChatContext<'a> {
    /// The personalities there are.
    pub personalities: &'a Personalities,
    /// The commands on offer.
    pub offer: &'a Chat,
    /// Whether ratings change.
    pub rated: bool,
    /// Half moves played.
    pub ply: usize,
    /// The answer to `!book`.
    pub book: &'a str,
}

impl ChatContext<'_> {
    /// Whether personality and level may still change in this game.
    fn may_change(&self) -> bool {
        !self.rated && is_early(self.ply)
    }

    /// Why it may not.
    fn stays(&self) -> &'static str {
        if self.rated {
            "Rated games keep my strength as it is."
        } else {
            "This game goes on as it began."
        }
    }

    /// Whether there is a personality to choose.
    fn has_choice(&self) -> bool {
        self.personalities.names().any(|name| self.offer.offers(name))
    }

    /// A sentence that ends in the names of the personalities to choose from, as many as fit.
    fn names(&self, sentence: &str) -> String {
        let mut line = sentence.to_owned();
        let offered = self.personalities.names().filter(|name| self.offer.offers(name));
        for (index, name) in offered.enumerate() {
            let link = match index {
                0 if sentence.is_empty() => "",
                0 => " ",
                _ => ", ",
            };
            if line.chars().count() + link.len() + name.chars().count() + 1 > LONGEST_LINE {
                line.push('…');
                break;
            }
            line += link;
            line += name;
        }
        line
    }
}

/// Whether personality and level may still change at this ply: before the third move of each side.
#[must_use]
pub fn is_early(ply: usize) -> bool {
    ply < 4
}

/// The result of a command.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandResult {
    /// The persona from now on.
    pub persona: Persona,
    /// What counts from the next casual game on.
    pub later: Option<RequestedPersona>,
    /// The answer.
    pub answer: String,
}

/// Runs a command. Strength, personality and delay stay as they are in rated games, and the first two in casual ones from
/// the third move on.
#[must_use]
pub fn run(command: &ChatCommand, persona: &Persona, context: &ChatContext<'_>) -> CommandResult {
    let mut changed = persona.clone();
    let mut later = None;
    let answer = match command {
        ChatCommand::Help => "!level 1400, !easier, !harder, !strength club, !play club (!play alone for who else), !fast, !slow, !book, \
                          !why, !quiet."
            .to_owned(),
        ChatCommand::Names | ChatCommand::Play(_) if !context.has_choice() => "Here I stay who I am.".to_owned(),
        ChatCommand::Names => context.names(""),
        ChatCommand::Unknown => {
            let (least, most) = (context.offer.levels.start(), context.offer.levels.end());
            format!(
                "I know !help, !level {least} to {most}, !easier, !harder, !strength WORD, !play NAME, !fast, !slow, !book, \
                 !why and !quiet."
            )
        }
        ChatCommand::Words | ChatCommand::Level(_) | ChatCommand::Step(_) if context.offer.levels.is_empty() => {
            "My strength is not to be chosen here.".to_owned()
        }
        ChatCommand::Words => {
            let offered = WORDS
                .iter()
                .filter(|(_, level)| context.offer.levels.contains(level));
            let words: String = offered.map(|(name, _)| format!("!strength {name}, ")).collect();
            format!("{words}!easier, !harder.")
        }
        ChatCommand::Level(level) if !context.offer.levels.contains(level) => {
            let (least, most) = (context.offer.levels.start(), context.offer.levels.end());
            format!("Here I play at levels from {least} to {most}.")
        }
        ChatCommand::Level(level) => at_level(*level, context, &mut changed, &mut later),
        ChatCommand::Step(by) => {
            let level = step(persona.plays_at(), *by, &context.offer.levels);
            at_level(level, context, &mut changed, &mut later)
        }
        ChatCommand::Play(name) => play_as(name, context, &mut changed, &mut later),
        ChatCommand::Fast(_) if context.rated => {
            "My pace stays as it is in rated games. Ask me again in a casual one.".to_owned()
        }
        ChatCommand::Fast(fast) => {
            changed.fast = *fast;
            let answer = if *fast {
                "From my next move on I do not pause."
            } else {
                "From my next move on I take my time again."
            };
            answer.to_owned()
        }
        ChatCommand::Book => context.book.to_owned(),
        ChatCommand::Why => {
            changed.explains = true;
            "What I think is mine while we play. When the game is over I tell you where it turned.".to_owned()
        }
        ChatCommand::Quiet => {
            changed.quiet = true;
            "I am quiet from now on, and answer only when you ask.".to_owned()
        }
    };
    CommandResult {
        persona: changed,
        later,
        answer: answer.chars().take(LONGEST_LINE).collect(),
    }
}

/// Changes the personality, now or for the next game.
fn play_as(
    name: &str,
    context: &ChatContext<'_>,
    changed: &mut Persona,
    later: &mut Option<RequestedPersona>,
) -> String {
    let Some(profile) = context
        .personalities
        .get(name)
        .filter(|who| context.offer.offers(&who.name))
    else {
        return context.names("I am not acquainted with that name. I know");
    };
    if context.may_change() {
        changed.profile = Arc::new(profile.clone());
        changed.level = None;
        return format!("From my next move on you play {}.", profile.title);
    }
    *later = Some(RequestedPersona {
        personality: Some(profile.name.clone()),
        level: None,
    });
    format!(
        "{} From our next casual game on you play {}.",
        context.stays(),
        profile.title
    )
}

/// Changes the level, now or for the next game.
fn at_level(
    level: Elo,
    context: &ChatContext<'_>,
    changed: &mut Persona,
    later: &mut Option<RequestedPersona>,
) -> String {
    if context.may_change() {
        changed.level = Some(level);
        return format!("From my next move on I play at level {level}.");
    }
    *later = Some(RequestedPersona {
        personality: None,
        level: Some(level),
    });
    format!(
        "{} From our next casual game on I play at level {level}.",
        context.stays()
    )
}

/// The level so much above or below the current one (none is full strength), within the offered range.
fn step(now: Option<Elo>, by: i32, levels: &RangeInclusive<Elo>) -> Elo {
    let now = now.map_or(*Level::RANGE.end(), |level| level.0);
    // No clamp: bounds that are crossed would end the game's task.
    Elo(now.saturating_add_signed(by))
        .min(*levels.end())
        .max(*levels.start())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn personalities() -> Personalities {
        Personalities::new(vec![Personality::new("club"), Personality::new("attacker")])
    }

    fn persona() -> Persona {
        Persona::of(&Personality::new("club"))
    }

    const BOOK: &str = "I have not played from a book.";

    /// A casual game that has just begun.
    fn context<'a>(personalities: &'a Personalities, offer: &'a Chat) -> ChatContext<'a> {
        ChatContext {
            personalities,
            offer,
            rated: false,
            ply: 0,
            book: BOOK,
        }
    }

    /// What a command does to a persona in a casual game of so many half moves.
    fn at(ply: usize, command: ChatCommand, persona: &Persona) -> CommandResult {
        let context = ChatContext {
            personalities: &personalities(),
            offer: &Chat::default(),
            rated: false,
            ply,
            book: BOOK,
        };
        run(&command, persona, &context)
    }

    #[test]
    fn a_level_or_a_personality_counts_from_the_next_move() {
        let level = at(3, ChatCommand::Level(Elo(1400)), &persona());
        assert_eq!((level.persona.level, level.later), (Some(Elo(1400)), None));
        assert!(
            level.answer.starts_with("From my next move on"),
            "{}",
            level.answer
        );
        let other = at(3, ChatCommand::Play("attacker".into()), &level.persona);
        assert_eq!(other.persona.profile.name, "attacker");
        assert_eq!(
            other.persona.level, None,
            "the new personality plays at its own level"
        );
        let same = at(3, ChatCommand::Play("nobody".into()), &other.persona);
        assert_eq!(same.persona, other.persona);
        assert!(
            same.answer.contains("attacker, club") && !same.answer.contains("nobody"),
            "{}",
            same.answer
        );
    }

    #[test]
    fn steps_count_from_the_level_of_now_and_stay_within_its_bounds() {
        let level = |persona: &Persona, by| at(0, ChatCommand::Step(by), persona).persona.level.unwrap().0;
        assert_eq!(level(&persona(), -100), 2700, "from full strength");
        let mut now = persona();
        now.level = Some(Elo(1400));
        assert_eq!((level(&now, 100), level(&now, -100)), (1500, 1300));
        now.level = Some(Elo(650));
        assert_eq!(level(&now, -100), 600);
        let late = at(60, ChatCommand::Step(100), &now);
        assert_eq!(late.later.unwrap().level, Some(Elo(750)));
    }

    #[test]
    fn from_the_third_move_on_strength_is_for_the_next_game() {
        let level = at(4, ChatCommand::Level(Elo(1400)), &persona());
        assert_eq!(level.persona, persona());
        assert_eq!(level.later.unwrap().level, Some(Elo(1400)));
        assert!(level.answer.contains("next casual game"), "{}", level.answer);
        let other = at(60, ChatCommand::Play("attacker".into()), &persona());
        assert_eq!(other.persona, persona());
        assert_eq!(other.later.unwrap().personality.as_deref(), Some("attacker"));
        assert!(
            at(60, ChatCommand::Fast(true), &persona()).persona.fast,
            "pace is no strength"
        );
    }

    #[test]
    fn strength_never_changes_in_rated_games() {
        let context = ChatContext {
            personalities: &personalities(),
            offer: &Chat::default(),
            rated: true,
            ply: 0,
            book: BOOK,
        };
        for (command, is_kept) in [
            (ChatCommand::Level(Elo(600)), true),
            (ChatCommand::Step(-100), true),
            (ChatCommand::Play("attacker".into()), true),
            (ChatCommand::Fast(true), false),
        ] {
            let same = run(&command, &persona(), &context);
            assert_eq!(
                (same.persona, same.later.is_some()),
                (persona(), is_kept),
                "{command:?}"
            );
            assert!(
                same.answer.to_lowercase().contains("rated games"),
                "{}",
                same.answer
            );
        }
    }

    #[test]
    fn what_is_not_offered_is_not_had() {
        let offer = Chat {
            levels: Elo(1000)..=Elo(1600),
            personalities: Some(vec!["club".to_owned()]),
            ..Chat::default()
        };
        let ask = |command, offer: &Chat| run(&command, &persona(), &context(&personalities(), offer));
        let none = Chat {
            levels: Elo(1600)..=Elo(1000),
            personalities: Some(vec![]),
            ..Chat::default()
        };
        for (command, offer) in [
            (ChatCommand::Level(Elo(900)), &offer),
            (ChatCommand::Level(Elo(1700)), &offer),
            (ChatCommand::Play("attacker".into()), &offer),
            (ChatCommand::Level(Elo(1400)), &none),
            (ChatCommand::Step(-100), &none),
            (ChatCommand::Words, &none),
            (ChatCommand::Play("club".into()), &none),
        ] {
            let same = ask(command.clone(), offer);
            assert_eq!((same.persona, same.later), (persona(), None), "{command:?}");
            assert!(!same.answer.contains("attacker"), "{}", same.answer);
        }
        let level = |command| ask(command, &offer).persona.level;
        assert_eq!(level(ChatCommand::Level(Elo(1000))), Some(Elo(1000)));
        assert_eq!(
            level(ChatCommand::Step(-100)),
            Some(Elo(1600)),
            "from full strength"
        );
        let words = ask(ChatCommand::Words, &offer).answer;
        assert!(words.contains("casual") && words.contains("club"), "{words}");
        assert!(
            !words.contains("beginner") && !words.contains("strong"),
            "{words}"
        );
    }

    #[test]
    fn asking_twice_for_speed_takes_it_back() {
        let fast = at(9, ChatCommand::Fast(true), &persona()).persona;
        assert!(fast.fast);
        assert!(!at(9, ChatCommand::Fast(false), &fast).persona.fast);
    }

    #[test]
    fn book_why_and_quiet_are_answered_and_kept() {
        assert_eq!(at(9, ChatCommand::Book, &persona()).answer, BOOK);
        assert!(at(9, ChatCommand::Why, &persona()).persona.explains);
        assert!(at(9, ChatCommand::Quiet, &persona()).persona.quiet);
    }

    #[test]
    fn who_asks_hears_of_all_personalities_that_are_shipped() {
        let shipped: Vec<Personality> =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/personalities"))
                .unwrap()
                .map(|file| Personality::new(file.unwrap().path().file_stem().unwrap().to_str().unwrap()))
                .collect();
        let (personalities, count) = (Personalities::new(shipped.clone()), shipped.len());
        let offer = Chat::default();
        let context = context(&personalities, &offer);
        let answer = run(&ChatCommand::Names, &persona(), &context).answer;
        assert_eq!(answer.split(", ").count(), count, "{answer}");
        assert!(
            answer.starts_with("attacker, ") && !answer.ends_with('…'),
            "{answer}"
        );
        let help = run(&ChatCommand::Help, &persona(), &context).answer;
        assert!(help.ends_with("!quiet."), "cut: {help}");
    }

    #[test]
    fn a_long_list_of_names_ends_at_a_name() {
        let crowd: Vec<Personality> = (0..40)
            .map(|number| Personality::new(&format!("player-{number:02}")))
            .collect();
        let crowd = Personalities::new(crowd);
        let offer = Chat::default();
        let context = context(&crowd, &offer);
        let line = context.names("!play NAME:");
        assert!(
            line.chars().count() <= LONGEST_LINE && line.ends_with('…'),
            "{line}"
        );
        assert!(
            crowd
                .names()
                .any(|name| line.trim_end_matches('…').ends_with(name))
        );
    }

    proptest! {
        #[test]
        fn answers_are_short_and_free_of_what_strangers_write(line in "!?(play|level|strength|easier|help|book|why)? ?\\PC{0,300}") {
            let stranger = "zqx://evil";
            let line = format!("{line} {stranger}");
            if let Some(command) = read(&line) {
                let CommandResult { answer, .. } = at(0, command, &persona());
                prop_assert!(answer.chars().count() <= LONGEST_LINE);
                prop_assert!(!answer.contains("zqx"));
            }
        }
    }
}
