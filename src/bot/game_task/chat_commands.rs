//! What an opponent can ask for by chat: a table of exact words. Pure: a line in, a changed manner and an answer out.
//!
//! Nothing of a stranger's text is ever said back, and strength changes only in casual games: in this one as long as it has
//! just begun, otherwise in the next.

mod command;

use std::{ops::RangeInclusive, sync::Arc};

pub use command::{ChatCommand, read};

use crate::{config::Chat, store::RequestedPersona};
use command::WORDS;
use sparring_chess::units::Elo;
use sparring_personality::{Level, Personalities, Personality, chat_lines::LONGEST_LINE};

/// Who plays a game and how, as its opponent may change it.
#[derive(Debug, Clone, PartialEq)]
pub struct Persona {
    /// The personality. A copy: an edited file counts from the next game.
    pub profile: Arc<Personality>,
    /// The level asked for instead of the personality's own.
    pub level: Option<Elo>,
    /// No pauses after thinking.
    pub fast: bool,
    /// Says nothing of its own accord.
    pub quiet: bool,
    /// Tells where the game turned when it is over.
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

/// What a command meets.
#[derive(Debug, Clone, Copy)]
pub struct ChatContext<'a> {
    /// The personalities there are.
    pub cast: &'a Personalities,
    /// What may be asked for.
    pub offer: &'a Chat,
    /// Whether ratings change.
    pub rated: bool,
    /// Half moves played.
    pub ply: usize,
    /// What is said of the last move from a book.
    pub book: &'a str,
}

impl ChatContext<'_> {
    /// Whether who plays, and how strong, may still change in this game.
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
        self.cast.names().any(|name| self.offer.offers(name))
    }

    /// A sentence that ends in the names of the personalities to choose from, as many as fit.
    fn names(&self, sentence: &str) -> String {
        let mut line = sentence.to_owned();
        let offered = self.cast.names().filter(|name| self.offer.offers(name));
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

/// Whether it is not too late for another opponent after so many half moves: from their third move on both sides know
/// whom they play, and strength stays as it is until the next game.
#[must_use]
pub fn is_early(ply: usize) -> bool {
    ply < 4
}

/// What comes of a command.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandResult {
    /// Who plays now, and how.
    pub manner: Persona,
    /// What is to count from the next casual game on.
    pub later: Option<RequestedPersona>,
    /// What is answered.
    pub answer: String,
}

/// Does what was asked for and says so. Strength, personality and pace stay as they are in rated games, and the first two in
/// casual ones from the third move on.
#[must_use]
pub fn obey(command: &ChatCommand, manner: &Persona, scene: &ChatContext<'_>) -> CommandResult {
    let mut changed = manner.clone();
    let mut later = None;
    let answer = match command {
        ChatCommand::Help => "!level 1400, !easier, !harder, !strength club, !play club (!play alone for who else), !fast, !slow, !book, \
                          !why, !quiet."
            .to_owned(),
        ChatCommand::Names | ChatCommand::Play(_) if !scene.has_choice() => "Here I stay who I am.".to_owned(),
        ChatCommand::Names => scene.names(""),
        ChatCommand::Unknown => {
            let (least, most) = (scene.offer.levels.start(), scene.offer.levels.end());
            format!(
                "I know !help, !level {least} to {most}, !easier, !harder, !strength WORD, !play NAME, !fast, !slow, !book, \
                 !why and !quiet."
            )
        }
        ChatCommand::Words | ChatCommand::Level(_) | ChatCommand::Step(_) if scene.offer.levels.is_empty() => {
            "My strength is not to be chosen here.".to_owned()
        }
        ChatCommand::Words => {
            let offered = WORDS
                .iter()
                .filter(|(_, level)| scene.offer.levels.contains(level));
            let words: String = offered.map(|(name, _)| format!("!strength {name}, ")).collect();
            format!("{words}!easier, !harder.")
        }
        ChatCommand::Level(level) if !scene.offer.levels.contains(level) => {
            let (least, most) = (scene.offer.levels.start(), scene.offer.levels.end());
            format!("Here I play at levels from {least} to {most}.")
        }
        ChatCommand::Level(level) => at_level(*level, scene, &mut changed, &mut later),
        ChatCommand::Step(by) => {
            let level = step(manner.plays_at(), *by, &scene.offer.levels);
            at_level(level, scene, &mut changed, &mut later)
        }
        ChatCommand::Play(name) => as_whom(name, scene, &mut changed, &mut later),
        ChatCommand::Fast(_) if scene.rated => {
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
        ChatCommand::Book => scene.book.to_owned(),
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
        manner: changed,
        later,
        answer: answer.chars().take(LONGEST_LINE).collect(),
    }
}

/// Plays as somebody, now or in the next game, and says so.
fn as_whom(
    name: &str,
    scene: &ChatContext<'_>,
    changed: &mut Persona,
    later: &mut Option<RequestedPersona>,
) -> String {
    let Some(profile) = scene.cast.get(name).filter(|who| scene.offer.offers(&who.name)) else {
        return scene.names("I am not acquainted with that name. I know");
    };
    if scene.may_change() {
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
        scene.stays(),
        profile.title
    )
}

/// Plays at a level, now or in the next game, and says so.
fn at_level(
    level: Elo,
    scene: &ChatContext<'_>,
    changed: &mut Persona,
    later: &mut Option<RequestedPersona>,
) -> String {
    if scene.may_change() {
        changed.level = Some(level);
        return format!("From my next move on I play at level {level}.");
    }
    *later = Some(RequestedPersona {
        personality: None,
        level: Some(level),
    });
    format!(
        "{} From our next casual game on I play at level {level}.",
        scene.stays()
    )
}

/// The level so much above or below the one of now, which is none at full strength, as far as levels go.
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

    fn cast() -> Personalities {
        Personalities::new(vec![Personality::new("club"), Personality::new("attacker")])
    }

    fn manner() -> Persona {
        Persona::of(&Personality::new("club"))
    }

    const BOOK: &str = "I have not played from a book.";

    /// A casual game that has just begun.
    fn scene<'a>(cast: &'a Personalities, offer: &'a Chat) -> ChatContext<'a> {
        ChatContext {
            cast,
            offer,
            rated: false,
            ply: 0,
            book: BOOK,
        }
    }

    /// What a command does to a manner in a casual game of so many half moves.
    fn at(ply: usize, command: ChatCommand, manner: &Persona) -> CommandResult {
        let scene = ChatContext {
            cast: &cast(),
            offer: &Chat::default(),
            rated: false,
            ply,
            book: BOOK,
        };
        obey(&command, manner, &scene)
    }

    #[test]
    fn a_level_or_a_personality_counts_from_the_next_move() {
        let level = at(3, ChatCommand::Level(Elo(1400)), &manner());
        assert_eq!((level.manner.level, level.later), (Some(Elo(1400)), None));
        assert!(
            level.answer.starts_with("From my next move on"),
            "{}",
            level.answer
        );
        let other = at(3, ChatCommand::Play("attacker".into()), &level.manner);
        assert_eq!(other.manner.profile.name, "attacker");
        assert_eq!(
            other.manner.level, None,
            "the new personality plays at its own level"
        );
        let same = at(3, ChatCommand::Play("nobody".into()), &other.manner);
        assert_eq!(same.manner, other.manner);
        assert!(
            same.answer.contains("attacker, club") && !same.answer.contains("nobody"),
            "{}",
            same.answer
        );
    }

    #[test]
    fn steps_count_from_the_level_of_now_and_stay_within_its_bounds() {
        let level = |manner: &Persona, by| at(0, ChatCommand::Step(by), manner).manner.level.unwrap().0;
        assert_eq!(level(&manner(), -100), 2700, "from full strength");
        let mut now = manner();
        now.level = Some(Elo(1400));
        assert_eq!((level(&now, 100), level(&now, -100)), (1500, 1300));
        now.level = Some(Elo(650));
        assert_eq!(level(&now, -100), 600);
        let late = at(60, ChatCommand::Step(100), &now);
        assert_eq!(late.later.unwrap().level, Some(Elo(750)));
    }

    #[test]
    fn from_the_third_move_on_strength_is_for_the_next_game() {
        let level = at(4, ChatCommand::Level(Elo(1400)), &manner());
        assert_eq!(level.manner, manner());
        assert_eq!(level.later.unwrap().level, Some(Elo(1400)));
        assert!(level.answer.contains("next casual game"), "{}", level.answer);
        let other = at(60, ChatCommand::Play("attacker".into()), &manner());
        assert_eq!(other.manner, manner());
        assert_eq!(other.later.unwrap().personality.as_deref(), Some("attacker"));
        assert!(
            at(60, ChatCommand::Fast(true), &manner()).manner.fast,
            "pace is no strength"
        );
    }

    #[test]
    fn strength_never_changes_in_rated_games() {
        let scene = ChatContext {
            cast: &cast(),
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
            let same = obey(&command, &manner(), &scene);
            assert_eq!(
                (same.manner, same.later.is_some()),
                (manner(), is_kept),
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
        let ask = |command, offer: &Chat| obey(&command, &manner(), &scene(&cast(), offer));
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
            assert_eq!((same.manner, same.later), (manner(), None), "{command:?}");
            assert!(!same.answer.contains("attacker"), "{}", same.answer);
        }
        let level = |command| ask(command, &offer).manner.level;
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
        let fast = at(9, ChatCommand::Fast(true), &manner()).manner;
        assert!(fast.fast);
        assert!(!at(9, ChatCommand::Fast(false), &fast).manner.fast);
    }

    #[test]
    fn book_why_and_quiet_are_answered_and_kept() {
        assert_eq!(at(9, ChatCommand::Book, &manner()).answer, BOOK);
        assert!(at(9, ChatCommand::Why, &manner()).manner.explains);
        assert!(at(9, ChatCommand::Quiet, &manner()).manner.quiet);
    }

    #[test]
    fn who_asks_hears_of_all_personalities_that_are_shipped() {
        let shipped: Vec<Personality> =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/personalities"))
                .unwrap()
                .map(|file| Personality::new(file.unwrap().path().file_stem().unwrap().to_str().unwrap()))
                .collect();
        let (cast, count) = (Personalities::new(shipped.clone()), shipped.len());
        let offer = Chat::default();
        let scene = scene(&cast, &offer);
        let answer = obey(&ChatCommand::Names, &manner(), &scene).answer;
        assert_eq!(answer.split(", ").count(), count, "{answer}");
        assert!(
            answer.starts_with("attacker, ") && !answer.ends_with('…'),
            "{answer}"
        );
        let help = obey(&ChatCommand::Help, &manner(), &scene).answer;
        assert!(help.ends_with("!quiet."), "cut: {help}");
    }

    #[test]
    fn a_long_list_of_names_ends_at_a_name() {
        let crowd: Vec<Personality> = (0..40)
            .map(|number| Personality::new(&format!("player-{number:02}")))
            .collect();
        let crowd = Personalities::new(crowd);
        let offer = Chat::default();
        let scene = scene(&crowd, &offer);
        let line = scene.names("!play NAME:");
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
                let CommandResult { answer, .. } = at(0, command, &manner());
                prop_assert!(answer.chars().count() <= LONGEST_LINE);
                prop_assert!(!answer.contains("zqx"));
            }
        }
    }
}
