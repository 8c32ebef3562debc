//! Matches a rule's conditions against a game, and names the first that does not hold.

use crate::{
    bot::challenges::rule_context::RuleContext,
    config::{Conditions, Mode, OpponentKind, Range, TimeControlLimit},
};
use sparring_config_schema::write_duration;
use sparring_lichess::model::TimeControl;

/// The first condition that does not hold, with the actual value; none when the rule matches.
#[must_use]
pub fn misfit(when: &Conditions, facts: &RuleContext) -> Option<String> {
    opponent(when, facts)
        .or_else(|| moment(when, facts))
        .or_else(|| game(when, facts))
        .or_else(|| clock(when, facts))
}

/// A condition that must hold if it is set.
fn unless(condition: Option<bool>, so_instead: impl FnOnce() -> String) -> Option<String> {
    (condition == Some(false)).then(so_instead)
}

fn opponent(when: &Conditions, facts: &RuleContext) -> Option<String> {
    let kind = if facts.is_bot {
        OpponentKind::Bot
    } else {
        OpponentKind::Human
    };
    let on = |list: &String| facts.on_lists.contains(list);
    let is_among = |users: &Vec<_>| facts.opponent.as_ref().is_some_and(|user| users.contains(user));
    let has_title = |titles: &Vec<String>| facts.title.as_ref().is_some_and(|title| titles.contains(title));
    unless(when.from.map(|from| from == kind), || match kind {
        OpponentKind::Bot => "from: this is a bot".to_owned(),
        OpponentKind::Human => "from: this is a human".to_owned(),
    })
    .or_else(|| {
        unless(when.titles.as_ref().map(has_title), || match &facts.title {
            Some(title) => format!("titles: the title is {title}"),
            None => "titles: there is no title".to_owned(),
        })
    })
    .or_else(|| {
        unless(when.users.as_ref().map(is_among), || {
            "users: not among them".to_owned()
        })
    })
    .or_else(|| {
        let on_any = when.lists.as_ref().map(|lists| lists.iter().any(on));
        unless(on_any, || "lists: on none of them".to_owned())
    })
    .or_else(|| rating(when, facts))
}

fn rating(when: &Conditions, facts: &RuleContext) -> Option<String> {
    let rating = facts.rating.map(|rating| rating.0);
    let difference = facts.difference();
    outside(
        when.rating,
        rating,
        || "rating: unknown".to_owned(),
        |rating| format!("rating: it is {rating}"),
    )
    .or_else(|| {
        outside(
            when.difference,
            difference,
            || "difference: a rating is unknown".to_owned(),
            |difference| format!("difference: it is {difference:+}"),
        )
    })
    .or_else(|| {
        let holds = when.provisional.map(|wanted| wanted == facts.provisional);
        unless(holds, || {
            let is = if facts.provisional { "is" } else { "is not" };
            format!("provisional: the rating {is}")
        })
    })
}

/// An unknown value is in no range.
fn outside<T: PartialOrd + Copy>(
    bounds: Range<T>,
    value: Option<T>,
    unknown: impl FnOnce() -> String,
    so_instead: impl FnOnce(T) -> String,
) -> Option<String> {
    if !bounds.is_bound() {
        return None;
    }
    match value {
        None => Some(unknown()),
        Some(value) => (!bounds.has(value)).then(|| so_instead(value)),
    }
}

fn moment(when: &Conditions, facts: &RuleContext) -> Option<String> {
    let at_least = |least: Option<u32>, count: u32| least.map(|least| count >= least);
    unless(at_least(when.played_today, facts.played_today), || {
        format!("min-played-today: {} so far", facts.played_today)
    })
    .or_else(|| {
        outside(when.games_ever, Some(facts.score.games), String::new, |games| {
            format!("games-ever: {games} so far")
        })
    })
    .or_else(|| {
        outside(
            when.score,
            facts.score.percent(),
            || "score: no game has counted yet".to_owned(),
            |percent| format!("score: it is {percent} percent"),
        )
    })
    .or_else(|| {
        // The opponent may have chosen that level in the chat.
        let would_count = (when.last_level.is_bound() && facts.rated).then_some(false);
        unless(would_count, || {
            "last-level: never holds in rated games".to_owned()
        })
    })
    .or_else(|| {
        outside(
            when.last_level,
            facts.score.level.map(|level| level.0),
            || "last-level: no casual game at a level has counted yet".to_owned(),
            |level| format!("last-level: it was {level}"),
        )
    })
    .or_else(|| {
        unless(at_least(when.running, facts.running), || {
            format!("min-running: {} run", facts.running)
        })
    })
    .or_else(|| {
        unless(when.hours.map(|hours| hours.has(facts.minute)), || {
            format!("hours: it is {:02}:{:02}", facts.minute / 60, facts.minute % 60)
        })
    })
}

fn game(when: &Conditions, facts: &RuleContext) -> Option<String> {
    let mode = if facts.rated { Mode::Rated } else { Mode::Casual };
    unless(when.mode.map(|wanted| wanted == mode), || {
        let is = if facts.rated { "rated" } else { "casual" };
        format!("mode: it is {is}")
    })
    .or_else(|| {
        let played = when
            .variants
            .as_ref()
            .map(|variants| variants.contains(&facts.variant));
        unless(played, || format!("variants: it is {}", facts.variant.key()))
    })
    .or_else(|| {
        unless(when.rematch.map(|wanted| wanted == facts.rematch), || {
            let is = if facts.rematch { "a rematch" } else { "no rematch" };
            format!("rematch: it is {is}")
        })
    })
}

fn clock(when: &Conditions, facts: &RuleContext) -> Option<String> {
    let speed = facts.time.speed();
    let control = match facts.time {
        TimeControl::Clock { limit, increment, .. } => Some(TimeControlLimit {
            initial: limit,
            increment,
        }),
        _ => None,
    };
    let days = match facts.time {
        TimeControl::Correspondence { days_per_turn } => Some(days_per_turn),
        _ => None,
    };
    let is_unlimited = facts.time == TimeControl::Unlimited;
    let clockless = |what: &'static str| move || format!("{what}: there is no clock");
    unless(when.speeds.as_ref().map(|speeds| speeds.contains(&speed)), || {
        format!("speeds: it is {speed}")
    })
    .or_else(|| {
        let is_exact = |clocks: &Vec<_>| control.is_some_and(|control| clocks.contains(&control));
        unless(when.clocks.as_ref().map(is_exact), || match control {
            Some(control) => format!("clocks: it is {control}"),
            None => "clocks: there is no clock".to_owned(),
        })
    })
    .or_else(|| {
        unless(when.unlimited.map(|wanted| wanted == is_unlimited), || {
            let is = if is_unlimited { "no" } else { "a" };
            format!("unlimited: there is {is} limit")
        })
    })
    .or_else(|| {
        outside(
            when.initial,
            control.map(|control| control.initial),
            clockless("initial"),
            |initial| format!("initial: it is {}", write_duration(initial)),
        )
    })
    .or_else(|| {
        outside(
            when.increment,
            control.map(|control| control.increment),
            clockless("increment"),
            |increment| format!("increment: it is {}", write_duration(increment)),
        )
    })
    .or_else(|| {
        outside(
            when.days,
            days,
            || "days: it is no game of days".to_owned(),
            |days| format!("days: it is {days} a move"),
        )
    })
}
