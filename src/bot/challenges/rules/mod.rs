//! Challenge rules: from rules and facts to a decision and the rule behind it. No IO.

mod matcher;

use crate::config::{Action, Adapt, GameSettings, Play, Rule, TimeControlLimit};
use sparring_chess::{Variant, parse_fen, units::Elo};
use sparring_lichess::{
    Escaped,
    model::{Challenge, Compat, DeclineReason, Speed, TimeControl},
};
use sparring_personality::LevelSetting;

pub use crate::bot::challenges::rule_context::RuleContext;
pub use matcher::misfit;

/// The decision on a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleDecision {
    /// The action.
    pub then: Action,
    /// The rule or reason behind it.
    pub by: DecidedBy,
}

/// What decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// No rule: the game cannot be played; why.
    Nature(&'static str),
    /// The rule at this index.
    Rule(usize),
    /// No rule matches: games with a clock are accepted.
    Nobody,
}

/// Decides on a challenge. Games that cannot be played are declined before the rules.
#[must_use]
pub fn judge(
    rules: &[Rule],
    challenge: &Challenge,
    compat: Option<Compat>,
    facts: &RuleContext,
) -> RuleDecision {
    if let Some((reason, why)) = unplayable(challenge, compat) {
        return RuleDecision {
            then: Action::Decline(reason),
            by: DecidedBy::Nature(why),
        };
    }
    rule_on(rules, facts)
}

/// Decides on a playable game.
#[must_use]
pub fn rule_on(rules: &[Rule], facts: &RuleContext) -> RuleDecision {
    let deciding = rules
        .iter()
        .enumerate()
        .find_map(|(index, rule)| Some((index, rule.then?)).filter(|_| misfit(&rule.when, facts).is_none()));
    match deciding {
        Some((index, then)) => RuleDecision {
            then,
            by: DecidedBy::Rule(index),
        },
        None => RuleDecision {
            // Correspondence games need a rule that accepts them.
            then: match facts.time {
                TimeControl::Clock { .. } if facts.time.speed() != Speed::Correspondence => Action::Queue,
                _ => Action::Decline(DeclineReason::TooSlow),
            },
            by: DecidedBy::Nobody,
        },
    }
}

/// The level by the rules, and the index of the rule: the first that matches and whose level is known for these facts.
#[must_use]
pub fn level(rules: &[Rule], facts: &RuleContext) -> Option<(Elo, DecidedBy)> {
    rules.iter().enumerate().find_map(|(index, rule)| {
        let level = rule.settings.level?.resolve(facts.meeting())?;
        misfit(&rule.when, facts)
            .is_none()
            .then_some((level, DecidedBy::Rule(index)))
    })
}

/// Whether the rules use the level of the last game.
#[must_use]
pub fn goes_on(rules: &[Rule], by: DecidedBy) -> bool {
    matches!(by, DecidedBy::Rule(index) if rules.get(index).is_some_and(|rule| rule.settings.level == Some(LevelSetting::Last)))
}

/// The settings of a game with these facts: each by the first matching rule that sets it, else by `[play]`.
#[must_use]
pub fn casting(rules: &[Rule], facts: &RuleContext, play: &Play) -> Play {
    let fitting: Vec<&GameSettings> = rules
        .iter()
        .filter(|rule| misfit(&rule.when, facts).is_none())
        .map(|rule| &rule.settings)
        .collect();
    let personality = fitting.iter().find_map(|wish| wish.personality.clone());
    let (level, by) = level(rules, facts).unzip();
    let adapt = fitting.iter().find_map(|wish| wish.adapt).unwrap_or(play.adapt);
    // The level of the last game already reflects earlier results.
    let is_counted = adapt == Adapt::Rematches && by.is_some_and(|by| goes_on(rules, by));
    let books_white = fitting.iter().find_map(|wish| wish.books_white.clone());
    let books_black = fitting.iter().find_map(|wish| wish.books_black.clone());
    Play {
        // The level in [play] belongs to the personality there.
        level: level.or(play.level.filter(|_| personality.is_none())),
        personality: personality.unwrap_or_else(|| play.personality.clone()),
        books_white: books_white.or_else(|| play.books_white.clone()),
        books_black: books_black.or_else(|| play.books_black.clone()),
        engine: fitting
            .iter()
            .find_map(|wish| wish.engine.clone())
            .or_else(|| play.engine.clone()),
        fast: fitting.iter().find_map(|wish| wish.fast).unwrap_or(play.fast),
        delay: fitting.iter().find_map(|wish| wish.delay).or(play.delay),
        tempo: fitting.iter().find_map(|wish| wish.tempo).or(play.tempo),
        adapt: if facts.rated || is_counted {
            Adapt::Off
        } else {
            adapt
        },
        move_overhead: play.move_overhead,
    }
}

/// The game of a challenge in words: `rated blitz 3+2, standard`.
#[must_use]
pub fn what(challenge: &Challenge) -> String {
    let clock = match &challenge.time_control {
        TimeControl::Clock { limit, increment, .. } => TimeControlLimit {
            initial: *limit,
            increment: *increment,
        }
        .to_string(),
        TimeControl::Correspondence { days_per_turn } => format!("{days_per_turn} days a move"),
        TimeControl::Unlimited | TimeControl::Unknown => "no clock".to_owned(),
    };
    format!(
        "{} {} {clock}, {}",
        if challenge.rated { "rated" } else { "casual" },
        challenge.time_control.speed(),
        Escaped(&challenge.variant.key),
    )
}

/// The rule whose level follows the opponent, and which does not apply because the game is rated.
#[must_use]
pub fn passed_over(rules: &[Rule], facts: &RuleContext) -> Option<DecidedBy> {
    let speaks = |rule: &Rule| rule.settings.level.is_some() && misfit(&rule.when, facts).is_none();
    let index = rules.iter().position(speaks)?;
    let level = rules.get(index)?.settings.level;
    (facts.rated && level?.resolve(facts.meeting()).is_none()).then_some(DecidedBy::Rule(index))
}

/// The decision in words.
#[must_use]
pub fn describe(then: Action) -> String {
    match then {
        Action::Accept => "accepted if there is a slot".to_owned(),
        Action::Queue => "accepted when there is a slot".to_owned(),
        Action::Decline(reason) => format!("declined, {}", reason.key()),
    }
}

/// A rule's title: its number, name and line.
#[must_use]
pub fn title(rules: &[Rule], by: DecidedBy) -> String {
    match by {
        DecidedBy::Nature(why) => why.to_owned(),
        DecidedBy::Nobody => "no rule".to_owned(),
        DecidedBy::Rule(index) => match rules.get(index) {
            Some(rule) => {
                let name = rule.name.as_ref().map(|name| format!(" \"{name}\""));
                // A built-in rule has no line.
                let line = (rule.line > 0).then(|| format!(", line {}", rule.line));
                let number = index + 1;
                format!(
                    "rule {number}{}{}",
                    name.unwrap_or_default(),
                    line.unwrap_or_default()
                )
            }
            None => "a rule that has gone".to_owned(),
        },
    }
}

/// Why a game cannot be played: the decline reason and a text.
fn unplayable(challenge: &Challenge, compat: Option<Compat>) -> Option<(DeclineReason, &'static str)> {
    let Ok(variant) = challenge.variant.variant() else {
        return Some((DeclineReason::Variant, "this variant is not known here"));
    };
    // A game from an illegal position would only be aborted. What challenges to Chess960 say has been wrong.
    let start = challenge
        .initial_fen
        .as_ref()
        .filter(|_| variant != Variant::Chess960);
    if start.is_some_and(|fen| parse_fen(variant, fen).is_err()) {
        return Some((DeclineReason::Variant, "the position to start from is not legal"));
    }
    if challenge.time_control == TimeControl::Unknown {
        return Some((DeclineReason::TimeControl, "this kind of clock is not known here"));
    }
    if challenge.time_control.speed() == Speed::UltraBullet {
        return Some((DeclineReason::TooFast, "lichess lets no bot play so fast"));
    }
    if compat.is_some_and(|compat| !compat.bot) {
        return Some((DeclineReason::Generic, "lichess says that bots cannot play it"));
    }
    None
}

#[cfg(test)]
mod tests;
