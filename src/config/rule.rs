//! `[[rule]]`: ordered rules for challenges and games.
//!
//! A rule has conditions, an action and settings. A condition that is not set always holds. Action and settings are each decided by
//! the first matching rule that sets them.

use sparring_config_schema::{Choice, Section, Text};
use sparring_lichess::model::{DeclineReason, Speed};
use sparring_personality::LevelSetting;

use super::{
    Known,
    conditions::{self, Conditions, Mode, OpponentKind},
    game_settings::{self, GameSettings, Own},
};

/// One rule.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rule {
    /// Its name.
    pub name: Option<String>,
    /// Its line in the file, from 1; 0 for built-in rules.
    pub line: usize,
    /// The conditions.
    pub when: Conditions,
    /// The action for a challenge.
    pub then: Option<Action>,
    /// The settings of a game.
    pub settings: GameSettings,
}

/// What to do with a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Accept if a slot is free.
    Accept,
    /// Accept as soon as a slot is free.
    Queue,
    /// Decline, with this reason.
    Decline(DeclineReason),
}

impl Rule {
    /// A rule that accepts everything, for private servers.
    #[must_use]
    pub fn welcoming_all() -> Self {
        Self {
            name: Some("everybody is welcome".to_owned()),
            then: Some(Action::Queue),
            ..Self::default()
        }
    }

    /// Whether the rule has no condition but the speed, and matches this speed.
    pub(super) fn asks_only_for_speed(&self, speed: Speed) -> bool {
        let rest = Conditions {
            speeds: None,
            ..self.when.clone()
        };
        self.when.admits(speed) && rest == Conditions::default()
    }
}

/// The values of `then`; the decline reason has its own key.
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

/// Declares all rules.
pub(super) fn declare(
    file: &mut Section<'_>,
    lists: &[String],
    own: Own<'_>,
    known: Option<Known<'_>>,
) -> Vec<Rule> {
    let mut closed = false;
    file.tables("rule", |rule| {
        let line = rule.line();
        let name = rule.optional(
            "name",
            Text(60),
            "its number",
            "What the log and `explain` call it.",
        );
        let when = conditions::declare(rule, lists);
        let then = then(rule, &when);
        let wish = game_settings::declare(rule, own, known);
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
            .is_some_and(|level| !matches!(level, LevelSetting::Fixed(_)))
            && when.mode == Some(Mode::Rated)
        {
            rule.warning(
                "level",
                "a level that follows the opponent or the last game never counts in rated games",
                "write a number, or mode = \"casual\"",
            );
        }
        if when.last_level.is_bound() && when.mode == Some(Mode::Rated) {
            rule.warning(
                "mode",
                "the level of the last game, which chat may have set, never counts in rated games",
                "no game fits this rule",
            );
        }
        if then.is_none() && wish == GameSettings::default() {
            rule.remark("this rule changes nothing", "give it a then, or say how to play");
        }
        if closed && then.is_some() {
            if wish == GameSettings::default() {
                rule.remark(
                    "this rule is never reached: one above decides every challenge",
                    "move it up",
                );
            } else {
                rule.warning(
                    "then",
                    "a rule above decides every challenge, so that this decides none",
                    "move the rule up",
                );
            }
        }
        closed |= then.is_some() && when == Conditions::default();
        Rule {
            name,
            line,
            when,
            then,
            settings: wish,
        }
    })
}

fn then(rule: &mut Section<'_>, when: &Conditions) -> Option<Action> {
    let word = rule.optional(
        "then",
        THEN,
        "a later rule decides; at last whatever has a clock is queued",
        "accept: played if a slot is free now. queue: played as soon as one is. decline: refused.",
    );
    let reason = rule.optional(
        "reason",
        Choice(&DeclineReason::KEYS),
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
        Word::Accept => Action::Accept,
        Word::Queue => Action::Queue,
        Word::Decline => Action::Decline(reason.unwrap_or_else(|| suggested(when))),
    })
}

/// The default decline reason by the rule's conditions. lichess' text tells the challenger what to send instead.
fn suggested(when: &Conditions) -> DeclineReason {
    let is_of_the_moment = when.hours.is_some() || when.played_today.is_some() || when.running.is_some();
    let is_about_clocks = when.speeds.is_some()
        || when.clocks.is_some()
        || when.initial.is_bound()
        || when.increment.is_bound()
        || when.days.is_bound();
    if is_of_the_moment {
        DeclineReason::Later
    } else if when.users.is_some()
        || when.lists.is_some()
        || when.titles.is_some()
        || when.rating.is_bound()
        || when.difference.is_bound()
        || when.provisional.is_some()
        || when.rematch.is_some()
        || when.games_ever.is_bound()
        || when.score.is_bound()
        || when.last_level.is_bound()
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
            Some(OpponentKind::Bot) => DeclineReason::NoBot,
            Some(OpponentKind::Human) => DeclineReason::OnlyBot,
            None => DeclineReason::Generic,
        }
    }
}

/// Moves per minute in a game of the fastest speed that may be accepted.
pub(super) fn moves_a_minute(rules: &[Rule]) -> usize {
    let moves = |speed| match speed {
        Speed::UltraBullet | Speed::Bullet => 20,
        Speed::Blitz => 8,
        Speed::Rapid => 3,
        Speed::Classical | Speed::Correspondence => 1,
    };
    // Skips ultraBullet, which bots cannot play.
    let playable = Speed::ALL[1..].iter().filter(|speed| {
        let first = rules
            .iter()
            .find(|rule| rule.then.is_some() && may_speak_of(rule, **speed));
        // A decline with more conditions lets other games of that speed in.
        !first.is_some_and(|rule| {
            matches!(rule.then, Some(Action::Decline(_))) && rule.asks_only_for_speed(**speed)
        })
    });
    playable.map(|speed| moves(*speed)).max().unwrap_or(0)
}

fn may_speak_of(rule: &Rule, speed: Speed) -> bool {
    // A decline with further conditions does not exclude the speed.
    let settles = !matches!(rule.then, Some(Action::Decline(_))) || rule.asks_only_for_speed(speed);
    rule.when.admits(speed) && settles
}
