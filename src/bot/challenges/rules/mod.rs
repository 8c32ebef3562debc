//! Challenge rules: rules and facts in, a decision and its rule out. No IO.

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

/// What to do with a challenge, and who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleDecision {
    /// What to do.
    pub then: Action,
    /// Who says so.
    pub by: DecidedBy,
}

/// Who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// No rule: nobody could play it, or not now; why.
    Nature(&'static str),
    /// The rule at this place of the list, from 0.
    Rule(usize),
    /// No rule: what has a clock is welcome.
    Nobody,
}

/// The variants that the engine knows how to evaluate.
const PLAYABLE: [Variant; 3] = [Variant::Standard, Variant::Chess960, Variant::FromPosition];

/// Decides on a challenge. What cannot be played is refused before any rule is asked.
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

/// Decides on what could be played.
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
            // Games of days are a promise that only rules can give.
            then: match facts.time {
                TimeControl::Clock { .. } if facts.time.speed() != Speed::Correspondence => Action::Queue,
                _ => Action::Decline(DeclineReason::TooSlow),
            },
            by: DecidedBy::Nobody,
        },
    }
}

/// The level that rules ask for in a game with these facts, and which rule it is: the first that fits and whose level is
/// known there.
#[must_use]
pub fn level(rules: &[Rule], facts: &RuleContext) -> Option<(Elo, DecidedBy)> {
    rules.iter().enumerate().find_map(|(index, rule)| {
        let level = rule.wish.level?.resolve(facts.meeting())?;
        misfit(&rule.when, facts)
            .is_none()
            .then_some((level, DecidedBy::Rule(index)))
    })
}

/// Whether it is the level of the last game, by the rule that asks for one.
#[must_use]
pub fn goes_on(rules: &[Rule], by: DecidedBy) -> bool {
    matches!(by, DecidedBy::Rule(index) if rules.get(index).is_some_and(|rule| rule.wish.level == Some(LevelSetting::Last)))
}

/// How a game with these facts is played: each thing by the first rule that fits and speaks of it, else as in
/// `[play]`.
#[must_use]
pub fn casting(rules: &[Rule], facts: &RuleContext, play: &Play) -> Play {
    let fitting: Vec<&GameSettings> = rules
        .iter()
        .filter(|rule| misfit(&rule.when, facts).is_none())
        .map(|rule| &rule.wish)
        .collect();
    let personality = fitting.iter().find_map(|wish| wish.personality.clone());
    let (level, by) = level(rules, facts).unzip();
    let adapt = fitting.iter().find_map(|wish| wish.adapt).unwrap_or(play.adapt);
    // The level of the last game has the results before it in it already.
    let is_counted = adapt == Adapt::Rematches && by.is_some_and(|by| goes_on(rules, by));
    let books_white = fitting.iter().find_map(|wish| wish.books_white.clone());
    let books_black = fitting.iter().find_map(|wish| wish.books_black.clone());
    Play {
        // The level in [play] was meant for the personality there.
        level: level.or(play.level.filter(|_| personality.is_none())),
        personality: personality.unwrap_or_else(|| play.personality.clone()),
        books_white: books_white.or_else(|| play.books_white.clone()),
        books_black: books_black.or_else(|| play.books_black.clone()),
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

/// What a challenge wants to play, in words: `rated blitz 3+2, standard`.
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

/// The rule whose level would follow the opponent, if the game were not rated: it is passed over.
#[must_use]
pub fn passed_over(rules: &[Rule], facts: &RuleContext) -> Option<DecidedBy> {
    let speaks = |rule: &Rule| rule.wish.level.is_some() && misfit(&rule.when, facts).is_none();
    let index = rules.iter().position(speaks)?;
    let level = rules.get(index)?.wish.level;
    (facts.rated && level?.resolve(facts.meeting()).is_none()).then_some(DecidedBy::Rule(index))
}

/// What becomes of a challenge, in words.
#[must_use]
pub fn describe(then: Action) -> String {
    match then {
        Action::Accept => "accepted if there is a slot".to_owned(),
        Action::Queue => "accepted when there is a slot".to_owned(),
        Action::Decline(reason) => format!("declined, {}", reason.key()),
    }
}

/// How a rule is called: its name and where it stands.
#[must_use]
pub fn title(rules: &[Rule], by: DecidedBy) -> String {
    match by {
        DecidedBy::Nature(why) => why.to_owned(),
        DecidedBy::Nobody => "no rule".to_owned(),
        DecidedBy::Rule(index) => match rules.get(index) {
            Some(rule) => {
                let name = rule.name.as_ref().map(|name| format!(" \"{name}\""));
                // A rule of the program itself stands in no file.
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

/// Why nobody could play it, in lichess' words and in ours.
fn unplayable(challenge: &Challenge, compat: Option<Compat>) -> Option<(DeclineReason, &'static str)> {
    let Some(variant) = challenge
        .variant
        .variant()
        .ok()
        .filter(|variant| PLAYABLE.contains(variant))
    else {
        return Some((DeclineReason::Variant, "this variant is not played here"));
    };
    // A start that cannot be played on would only be aborted later.
    let start = challenge
        .initial_fen
        .as_ref()
        .filter(|_| variant == Variant::FromPosition);
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
