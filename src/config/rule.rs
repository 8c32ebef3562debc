//! `[[rule]]`: whom the bot plays, and how. An ordered list; whoever reads it asks from the top.
//!
//! A rule is a `when` with what follows from it. A condition that is left out holds always. Of what follows, each
//! thing is decided by the first rule that fits and speaks of it.

use crate::{
    chess::Variant,
    lichess::model::{DeclineReason, Speed, UserId},
    personality::{LevelForm, LevelWish},
    settings::{Choice, Flag, List, Name, Section, Span, Text, Whole},
    units::Millis,
};

use super::{
    Known,
    adapt::Adapt,
    form::{Control, ControlForm, Hours, HoursForm, UserForm},
};

/// Who sits on the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// People.
    Human,
    /// Accounts with the title BOT.
    Bot,
}

/// Whether ratings change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// They do.
    Rated,
    /// They do not.
    Casual,
}

/// One rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rule {
    /// What its author calls it.
    pub name: Option<String>,
    /// Where it begins in its file, from 1; 0 for rules that no file has.
    pub line: usize,
    /// What it is about.
    pub when: When,
    /// What to do with a challenge.
    pub then: Option<Then>,
    /// How a game is played.
    pub wish: Wish,
}

/// What becomes of a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Play it if there is a seat now.
    Accept,
    /// Play it as soon as there is a seat.
    Queue,
    /// Refuse it, for this reason.
    Decline(DeclineReason),
}

/// The conditions of a rule. All that are there must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct When {
    /// Who challenges.
    pub from: Option<Kind>,
    /// Whether ratings change.
    pub mode: Option<Mode>,
    /// What is played.
    pub variants: Option<Vec<Variant>>,
    /// Classes of clocks.
    pub speeds: Option<Vec<Speed>>,
    /// Exact clocks.
    pub clocks: Option<Vec<Control>>,
    /// Whether the game has no clock at all.
    pub unlimited: Option<bool>,
    /// Time on the clock at the start.
    pub initial: Between<Millis>,
    /// Time that a move adds.
    pub increment: Between<Millis>,
    /// Days for a move of correspondence.
    pub days: Between<u32>,
    /// The opponent's rating in what is played.
    pub rating: Between<u32>,
    /// How much higher the opponent is rated than the bot; negative for lower.
    pub difference: Between<i32>,
    /// Whether the opponent's rating is not settled.
    pub provisional: Option<bool>,
    /// The opponent's title.
    pub titles: Option<Vec<String>>,
    /// The opponent.
    pub users: Option<Vec<UserId>>,
    /// Lists that the opponent is on, by name.
    pub lists: Option<Vec<String>>,
    /// So many games were begun with the opponent today, or more.
    pub played_today: Option<u32>,
    /// So many games run with the opponent, or more.
    pub running: Option<u32>,
    /// Whether a game is to be repeated.
    pub rematch: Option<bool>,
    /// The time of day.
    pub hours: Option<Hours>,
}

/// Two bounds, either of which may be missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Between<T> {
    /// The least that fits.
    pub least: Option<T>,
    /// The most that fits.
    pub most: Option<T>,
}

impl<T: PartialOrd + Copy> Between<T> {
    /// Whether there is a bound.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        self.least.is_some() || self.most.is_some()
    }

    /// Whether a value lies between them, ends included.
    #[must_use]
    pub fn has(&self, value: T) -> bool {
        self.least.is_none_or(|least| value >= least) && self.most.is_none_or(|most| value <= most)
    }

    fn is_crossed(&self) -> bool {
        self.least
            .zip(self.most)
            .is_some_and(|(least, most)| least > most)
    }
}

/// How a game is to be played; what is missing is left to the next rule and at last to `[play]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// Who plays.
    pub personality: Option<String>,
    /// At which level.
    pub level: Option<LevelWish>,
    /// Books for White.
    pub books_white: Option<Vec<String>>,
    /// Books for Black.
    pub books_black: Option<Vec<String>>,
    /// Without pauses after thinking.
    pub fast: Option<bool>,
    /// How the level follows the opponent.
    pub adapt: Option<Adapt>,
}

impl Rule {
    /// The rule that takes everything: for servers where nobody has to be kept away.
    #[must_use]
    pub fn welcoming_all() -> Self {
        Self {
            name: Some("everybody is welcome".to_owned()),
            then: Some(Then::Queue),
            ..Self::default()
        }
    }

    /// Whether nothing but the class of the clock is asked, and it may be this one.
    pub(super) fn asks_only_for_speed(&self, speed: Speed) -> bool {
        let names_it = self
            .when
            .speeds
            .as_ref()
            .is_none_or(|speeds| speeds.contains(&speed));
        let rest = When {
            speeds: None,
            ..self.when.clone()
        };
        names_it && rest == When::default()
    }
}

const KINDS: Choice<Kind> = Choice(&[("humans", Kind::Human), ("bots", Kind::Bot)]);

pub(super) const MODES: Choice<Mode> = Choice(&[("rated", Mode::Rated), ("casual", Mode::Casual)]);

/// The variants that the engine knows how to evaluate; others are never accepted.
pub(super) const VARIANTS: Choice<Variant> = Choice(&[
    ("standard", Variant::Standard),
    ("chess960", Variant::Chess960),
    ("fromPosition", Variant::FromPosition),
]);

/// lichess lets no bot play ultraBullet.
const SPEEDS: Choice<Speed> = Choice(&[
    ("bullet", Speed::Bullet),
    ("blitz", Speed::Blitz),
    ("rapid", Speed::Rapid),
    ("classical", Speed::Classical),
    ("correspondence", Speed::Correspondence),
]);

/// lichess' titles.
const TITLES: Choice<&str> = Choice(&[
    ("GM", "GM"),
    ("WGM", "WGM"),
    ("IM", "IM"),
    ("WIM", "WIM"),
    ("FM", "FM"),
    ("WFM", "WFM"),
    ("NM", "NM"),
    ("WNM", "WNM"),
    ("CM", "CM"),
    ("WCM", "WCM"),
    ("LM", "LM"),
    ("BOT", "BOT"),
]);

/// What `then` may say; the reason of a refusal stands on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Accept,
    Queue,
    Decline,
}

const THEN: Choice<Word> = Choice(&[
    ("accept", Word::Accept),
    ("queue", Word::Queue),
    ("decline", Word::Decline),
]);

const REASONS: Choice<DeclineReason> = Choice(&[
    ("generic", DeclineReason::Generic),
    ("later", DeclineReason::Later),
    ("tooFast", DeclineReason::TooFast),
    ("tooSlow", DeclineReason::TooSlow),
    ("timeControl", DeclineReason::TimeControl),
    ("rated", DeclineReason::Rated),
    ("casual", DeclineReason::Casual),
    ("standard", DeclineReason::Standard),
    ("variant", DeclineReason::Variant),
    ("noBot", DeclineReason::NoBot),
    ("onlyBot", DeclineReason::OnlyBot),
]);

/// What a missing condition means.
const ANY: &str = "holds always";

/// Declares all rules.
pub(super) fn declare(file: &mut Section<'_>, lists: &[String], known: Option<Known<'_>>) -> Vec<Rule> {
    let mut closed = false;
    file.tables("rule", |rule| {
        let line = rule.line();
        let name = rule.optional(
            "name",
            Text(60),
            "its number",
            "What the log and `explain` call it.",
        );
        let when = When {
            variants: rule.optional(
                "variants",
                List(VARIANTS),
                ANY,
                "What is played, as lichess spells it.",
            ),
            ..people(rule, lists)
        };
        let when = clocks(rule, when);
        let then = then(rule, &when);
        let wish = wish(rule, known);
        for (key, is_empty) in [
            ("variants", when.variants.as_ref().is_some_and(Vec::is_empty)),
            ("speeds", when.speeds.as_ref().is_some_and(Vec::is_empty)),
            ("clocks", when.clocks.as_ref().is_some_and(Vec::is_empty)),
            ("titles", when.titles.as_ref().is_some_and(Vec::is_empty)),
            ("users", when.users.as_ref().is_some_and(Vec::is_empty)),
            ("lists", when.lists.as_ref().is_some_and(Vec::is_empty)),
        ] {
            if is_empty {
                rule.warning(key, "the list is empty", "no challenge fits this rule");
            }
        }
        if wish
            .level
            .is_some_and(|level| !matches!(level, LevelWish::Fixed(_)))
            && when.mode == Some(Mode::Rated)
        {
            rule.warning(
                "level",
                "a level that follows the opponent never counts in rated games",
                "write a number, or mode = \"casual\"",
            );
        }
        if then.is_none() && wish == Wish::default() {
            rule.remark("this rule changes nothing", "give it a then, or say how to play");
        }
        if closed && wish == Wish::default() && then.is_some() {
            rule.remark(
                "this rule is never reached: one above decides every challenge",
                "move it up",
            );
        }
        closed |= then.is_some() && when == When::default();
        Rule {
            name,
            line,
            when,
            then,
            wish,
        }
    })
}

/// Conditions about the opponent and the moment.
fn people(rule: &mut Section<'_>, known: &[String]) -> When {
    let rating = || Whole(0..=4000_u32, "rating");
    let gap = || Whole(-4000..=4000_i32, "points");
    let count = || Whole(1..=1000_u32, "games");
    let when = When {
        from: rule.optional("from", KINDS, ANY, "Who challenges."),
        mode: rule.optional("mode", MODES, ANY, "Whether ratings may change."),
        rating: Between {
            least: rule.optional("min-rating", rating(), ANY, "The opponent's least rating in what is played."),
            most: rule.optional("max-rating", rating(), ANY, "The opponent's highest rating in what is played."),
        },
        difference: Between {
            least: rule.optional(
                "min-difference",
                gap(),
                ANY,
                "The opponent's rating minus the bot's is at least this: -200 for no more than 200 points below.",
            ),
            most: rule.optional(
                "max-difference",
                gap(),
                ANY,
                "The opponent's rating minus the bot's is at most this: 200 for no more than 200 points above.",
            ),
        },
        provisional: rule.optional("provisional", Flag, ANY, "Whether the opponent's rating is not settled yet."),
        titles: rule
            .optional("titles", List(TITLES), ANY, "The opponent has one of these titles.")
            .map(|titles| titles.into_iter().map(str::to_owned).collect()),
        users: rule.optional("users", List(UserForm), ANY, "The opponent is one of these, in any spelling of case."),
        lists: rule.optional(
            "lists",
            List(Name { what: "list", known: Some(known) }),
            ANY,
            "The opponent is on one of these lists: see [[list]].",
        ),
        played_today: rule.optional(
            "min-played-today",
            count(),
            ANY,
            "So many games or more were begun with the opponent since midnight UTC.",
        ),
        running: rule.optional("min-running", count(), ANY, "So many games or more run with the opponent."),
        rematch: rule.optional("rematch", Flag, ANY, "Whether the challenge asks to repeat a game."),
        hours: rule.optional("hours", HoursForm, ANY, "The time of day, UTC."),
        ..When::default()
    };
    crossed(rule, "min-rating", "max-rating", when.rating.is_crossed());
    crossed(
        rule,
        "min-difference",
        "max-difference",
        when.difference.is_crossed(),
    );
    when
}

/// Conditions about the clock.
fn clocks(rule: &mut Section<'_>, when: When) -> When {
    let initial = || Span(Millis::ZERO..=Millis::from_secs(10_800));
    let increment = || Span(Millis::ZERO..=Millis::from_secs(180));
    let days = || Whole(1..=14_u32, "days a move");
    let when = When {
        speeds: rule.optional(
            "speeds",
            List(SPEEDS),
            ANY,
            "Classes of clocks, as lichess has them.",
        ),
        clocks: rule.optional(
            "clocks",
            List(ControlForm),
            ANY,
            "Exact clocks: minutes and seconds a move adds.",
        ),
        unlimited: rule.optional("unlimited", Flag, ANY, "Whether the game has no clock at all."),
        initial: Between {
            least: rule.optional(
                "min-initial",
                initial(),
                ANY,
                "Least time on the clock at the start.",
            ),
            most: rule.optional(
                "max-initial",
                initial(),
                ANY,
                "Most time on the clock at the start.",
            ),
        },
        increment: Between {
            least: rule.optional("min-increment", increment(), ANY, "Least time a move adds."),
            most: rule.optional("max-increment", increment(), ANY, "Most time a move adds."),
        },
        days: Between {
            least: rule.optional(
                "min-days",
                days(),
                ANY,
                "Least days for a move of correspondence.",
            ),
            most: rule.optional("max-days", days(), ANY, "Most days for a move of correspondence."),
        },
        ..when
    };
    crossed(rule, "min-initial", "max-initial", when.initial.is_crossed());
    crossed(
        rule,
        "min-increment",
        "max-increment",
        when.increment.is_crossed(),
    );
    crossed(rule, "min-days", "max-days", when.days.is_crossed());
    when
}

fn crossed(rule: &mut Section<'_>, least: &'static str, most: &str, is_crossed: bool) {
    if is_crossed {
        rule.error(
            least,
            format!("{least} is more than {most}, so no challenge would fit"),
            "swap them",
        );
    }
}

fn then(rule: &mut Section<'_>, when: &When) -> Option<Then> {
    let word = rule.optional(
        "then",
        THEN,
        "a later rule decides; at last whatever has a clock is queued",
        "accept: played if a seat is free now. queue: played as soon as one is. decline: refused.",
    );
    let reason = rule.optional(
        "reason",
        REASONS,
        "what the conditions suggest, as \"noBot\" for from = \"bots\"",
        "What lichess tells the challenger whom then = \"decline\" refuses.",
    );
    if reason.is_some() && word != Some(Word::Decline) {
        rule.warning(
            "reason",
            "nobody is declined here",
            "write then = \"decline\" as well",
        );
    }
    Some(match word? {
        Word::Accept => Then::Accept,
        Word::Queue => Then::Queue,
        Word::Decline => Then::Decline(reason.unwrap_or_else(|| suggested(when))),
    })
}

/// The reason that the conditions of a refusal suggest. lichess' words say what to send instead.
fn suggested(when: &When) -> DeclineReason {
    let is_of_the_moment = when.hours.is_some() || when.played_today.is_some() || when.running.is_some();
    let is_about_clocks = when.speeds.is_some()
        || when.clocks.is_some()
        || when.initial.is_bound()
        || when.increment.is_bound()
        || when.days.is_bound();
    if is_of_the_moment {
        DeclineReason::Later
    } else if when.users.is_some() || when.lists.is_some() || when.titles.is_some() || when.rating.is_bound()
    {
        DeclineReason::Generic
    } else if when.variants.is_some() {
        DeclineReason::Variant
    } else if when.unlimited == Some(true) {
        DeclineReason::TooSlow
    } else if is_about_clocks {
        DeclineReason::TimeControl
    } else if let Some(mode) = when.mode {
        match mode {
            Mode::Rated => DeclineReason::Casual,
            Mode::Casual => DeclineReason::Rated,
        }
    } else {
        match when.from {
            Some(Kind::Bot) => DeclineReason::NoBot,
            Some(Kind::Human) => DeclineReason::OnlyBot,
            None => DeclineReason::Generic,
        }
    }
}

fn wish(rule: &mut Section<'_>, known: Option<Known<'_>>) -> Wish {
    const LATER: &str = "a later rule or [play] decides";
    let books = || {
        List(Name {
            what: "book",
            known: known.map(|known| known.books),
        })
    };
    let personality = Name {
        what: "personality",
        known: known.map(|known| known.personalities),
    };
    Wish {
        personality: rule.optional("personality", personality, LATER, "Who plays such games."),
        level: rule.optional(
            "level",
            LevelForm,
            LATER,
            "The level at which they are played, by a number or by the opponent's rating. The latter counts in casual games only, and where the opponent has a rating; else a later rule decides.",
        ),
        books_white: rule.optional("books-white", books(), LATER, "Books to play White from."),
        books_black: rule.optional("books-black", books(), LATER, "Books to play Black from."),
        fast: rule.optional(
            "fast",
            Flag,
            LATER,
            "Without the pauses that a personality makes.",
        ),
        adapt: rule.optional("adapt", Adapt::FORM, LATER, Adapt::DOC),
    }
}

/// How many moves a minute a game of the fastest speed that may be accepted asks of us.
pub(super) fn moves_a_minute(rules: &[Rule]) -> usize {
    let moves = |speed| match speed {
        Speed::UltraBullet | Speed::Bullet => 20,
        Speed::Blitz => 8,
        Speed::Rapid => 3,
        Speed::Classical | Speed::Correspondence => 1,
    };
    let playable = Speed::ALL[1..].iter().filter(|speed| {
        let first = rules
            .iter()
            .find(|rule| rule.then.is_some() && may_speak_of(rule, **speed));
        // A refusal with more conditions leaves others of that speed in.
        !first.is_some_and(|rule| {
            matches!(rule.then, Some(Then::Decline(_))) && rule.asks_only_for_speed(**speed)
        })
    });
    playable.map(|speed| moves(*speed)).max().unwrap_or(0)
}

fn may_speak_of(rule: &Rule, speed: Speed) -> bool {
    let is_named = rule
        .when
        .speeds
        .as_ref()
        .is_none_or(|speeds| speeds.contains(&speed));
    // Refusals with further conditions do not settle the speed.
    let settles = !matches!(rule.then, Some(Then::Decline(_))) || rule.asks_only_for_speed(speed);
    is_named && settles
}
