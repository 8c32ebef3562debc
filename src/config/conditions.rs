//! Conditions of a rule: opponent, time of day, variant and mode, clock.

use sparring_chess::{Variant, units::Millis};
use sparring_config_schema::{Bool, Choice, DurationType, Int, List, Name, Section};
use sparring_lichess::model::{Speed, UserId};
use sparring_personality::Level;

use super::value_types::{ControlForm, Hours, HoursForm, TimeControlLimit, UserForm};

/// The kind of opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OpponentKind {
    /// Humans.
    Human,
    /// Accounts with the title BOT.
    Bot,
}

/// Rated or casual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Rated.
    Rated,
    /// Casual.
    Casual,
}

/// The conditions of a rule. All that are set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The kind of challenger.
    pub from: Option<OpponentKind>,
    /// Rated or casual.
    pub mode: Option<Mode>,
    /// Variants.
    pub variants: Option<Vec<Variant>>,
    /// Speeds.
    pub speeds: Option<Vec<Speed>>,
    /// Exact clocks.
    pub clocks: Option<Vec<TimeControlLimit>>,
    /// Whether the game has no time limit.
    pub unlimited: Option<bool>,
    /// Initial time.
    pub initial: Range<Millis>,
    /// Increment.
    pub increment: Range<Millis>,
    /// Days per move in correspondence.
    pub days: Range<u32>,
    /// The opponent's rating in this perf.
    pub rating: Range<u32>,
    /// How much higher the opponent is rated than the bot; negative for lower.
    pub difference: Range<i32>,
    /// Whether the opponent's rating is provisional.
    pub provisional: Option<bool>,
    /// The opponent's title.
    pub titles: Option<Vec<String>>,
    /// The opponent.
    pub users: Option<Vec<UserId>>,
    /// Names of user lists that the opponent is on.
    pub lists: Option<Vec<String>>,
    /// Least number of games begun with the opponent today.
    pub played_today: Option<u32>,
    /// Number of finished games with the opponent that count.
    pub games_ever: Range<u32>,
    /// The bot's score in them, in percent.
    pub score: Range<u32>,
    /// The level of the last casual game with the opponent.
    pub last_level: Range<u32>,
    /// Least number of running games with the opponent.
    pub running: Option<u32>,
    /// Whether it is a rematch.
    pub rematch: Option<bool>,
    /// The time of day.
    pub hours: Option<Hours>,
}

impl Conditions {
    /// Whether a speed is among those named, or none is named.
    pub(super) fn admits(&self, speed: Speed) -> bool {
        self.speeds.as_ref().is_none_or(|speeds| speeds.contains(&speed))
    }

    /// Conditions that contradict each other: the key to report, and why.
    fn contradictions(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let titles = self.titles.as_ref().filter(|titles| !titles.is_empty());
        let are_all_bots = titles.map(|titles| titles.iter().all(|title| title == "BOT"));
        let is_no_bot = titles.map(|titles| titles.iter().all(|title| title != "BOT"));
        let asks_for_clock = self.clocks.is_some() || self.initial.is_bound() || self.increment.is_bound();
        let asks_for_pace = asks_for_clock || !self.admits(Speed::Correspondence);
        let fits = |clock: &TimeControlLimit| {
            self.admits(Speed::of_clock(clock.initial, clock.increment))
                && self.initial.has(clock.initial)
                && self.increment.has(clock.increment)
        };
        let exact = self.clocks.as_ref().filter(|clocks| !clocks.is_empty());
        let is_set_up = self.variants.as_deref() == Some(&[Variant::FromPosition]);
        [
            (
                "titles",
                self.from == Some(OpponentKind::Bot) && is_no_bot == Some(true),
                "bots have no other title than BOT",
            ),
            (
                "titles",
                self.from == Some(OpponentKind::Human) && are_all_bots == Some(true),
                "no human has the title BOT",
            ),
            (
                "clocks",
                exact.is_some_and(|clocks| !clocks.iter().any(fits)),
                "none of these clocks is what the other conditions ask for",
            ),
            (
                "unlimited",
                self.unlimited == Some(true) && (asks_for_pace || self.days.is_bound()),
                "a game without a clock has none of the other times that are asked for",
            ),
            (
                if self.days.least.is_some() {
                    "min-days"
                } else {
                    "max-days"
                },
                self.days.is_bound() && asks_for_pace,
                "a game of days has no clock and no other speed than correspondence",
            ),
            (
                "mode",
                self.mode == Some(Mode::Rated) && is_set_up,
                "lichess rates no game from a position",
            ),
            (
                "max-games-ever",
                self.games_ever.most == Some(0) && self.score.is_bound(),
                "without a game there is no score",
            ),
        ]
        .into_iter()
        .filter_map(|(key, is_so, why)| is_so.then_some((key, why)))
    }
}

/// A range with optional bounds, both inclusive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Range<T> {
    /// Lower bound.
    pub least: Option<T>,
    /// Upper bound.
    pub most: Option<T>,
}

impl<T: PartialOrd + Copy> Range<T> {
    /// Whether there is a bound.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        self.least.is_some() || self.most.is_some()
    }

    /// Whether a value is in the range.
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

const KINDS: Choice<OpponentKind> = Choice(&[("humans", OpponentKind::Human), ("bots", OpponentKind::Bot)]);

pub(super) const MODES: Choice<Mode> = Choice(&[("rated", Mode::Rated), ("casual", Mode::Casual)]);

const VARIANTS: Choice<Variant> = Choice(&VARIANT_KEYS);

/// Every variant by lichess' key.
const VARIANT_KEYS: [(&str, Variant); Variant::ALL.len()] = {
    let mut rows = [("", Variant::Standard); Variant::ALL.len()];
    let mut at = 0;
    while at < rows.len() {
        rows[at] = (Variant::ALL[at].key(), Variant::ALL[at]);
        at += 1;
    }
    rows
};

/// lichess does not let bots play ultraBullet.
pub(super) const SPEEDS: Choice<Speed> = Choice(&[
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

/// What a missing condition means.
const ANY: &str = "holds always";

/// Declares all conditions.
pub(super) fn declare(rule: &mut Section<'_>, lists: &[String]) -> Conditions {
    let when = Conditions {
        variants: rule.optional(
            "variants",
            List(VARIANTS),
            ANY,
            "What is played, as lichess spells it.",
        ),
        ..people(rule, lists)
    };
    let when = clocks(rule, when);
    for (key, why) in when.contradictions() {
        rule.warning(key, why, "no challenge fits this rule");
    }
    when
}

/// Conditions about the opponent and the moment.
fn people(rule: &mut Section<'_>, known: &[String]) -> Conditions {
    let rating = || Int(0..=4000_u32, "rating");
    let level = || Int(Level::RANGE, "on the scale of lichess ratings");
    let gap = || Int(-4000..=4000_i32, "points");
    let count = || Int(1..=1000_u32, "games");
    let ever = || Int(0..=1_000_000_u32, "games");
    let percent = || Int(0..=100_u32, "percent");
    let when = Conditions {
        from: rule.optional("from", KINDS, ANY, "Who challenges."),
        mode: rule.optional("mode", MODES, ANY, "Whether ratings may change."),
        rating: Range {
            least: rule.optional("min-rating", rating(), ANY, "The opponent's least rating in what is played."),
            most: rule.optional("max-rating", rating(), ANY, "The opponent's highest rating in what is played."),
        },
        difference: Range {
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
        provisional: rule.optional("provisional", Bool, ANY, "Whether the opponent's rating is not settled yet."),
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
        games_ever: Range {
            least: rule.optional("min-games-ever", ever(), ANY, "So many games or more were finished with the opponent, ever."),
            most: rule.optional("max-games-ever", ever(), ANY, "So many games or fewer were finished with the opponent, ever."),
        },
        score: Range {
            least: rule.optional("min-score", percent(), ANY, "The bot has scored at least so much against the opponent, ever."),
            most: rule.optional("max-score", percent(), ANY, "The bot has scored at most so much against the opponent, ever."),
        },
        last_level: Range {
            least: rule.optional("min-last-level", level(), ANY, "The last casual game with the opponent was played at this level or above. Never holds in rated games."),
            most: rule.optional("max-last-level", level(), ANY, "The last casual game with the opponent was played at this level or below. Never holds in rated games."),
        },
        running: rule.optional("min-running", count(), ANY, "So many games or more run with the opponent."),
        rematch: rule.optional("rematch", Bool, ANY, "Whether the challenge asks to repeat a game."),
        hours: rule.optional("hours", HoursForm, ANY, "The time of day, UTC."),
        ..Conditions::default()
    };
    for (least, most, is_crossed) in [
        ("min-rating", "max-rating", when.rating.is_crossed()),
        ("min-difference", "max-difference", when.difference.is_crossed()),
        ("min-games-ever", "max-games-ever", when.games_ever.is_crossed()),
        ("min-score", "max-score", when.score.is_crossed()),
        ("min-last-level", "max-last-level", when.last_level.is_crossed()),
    ] {
        crossed(rule, least, most, is_crossed);
    }
    when
}

/// Conditions about the clock.
fn clocks(rule: &mut Section<'_>, when: Conditions) -> Conditions {
    let initial = || DurationType(Millis::ZERO..=Millis::from_secs(10_800));
    let increment = || DurationType(Millis::ZERO..=Millis::from_secs(180));
    let days = || Int(1..=14_u32, "days a move");
    let when = Conditions {
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
        unlimited: rule.optional("unlimited", Bool, ANY, "Whether the game has no clock at all."),
        initial: Range {
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
        increment: Range {
            least: rule.optional("min-increment", increment(), ANY, "Least time a move adds."),
            most: rule.optional("max-increment", increment(), ANY, "Most time a move adds."),
        },
        days: Range {
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
