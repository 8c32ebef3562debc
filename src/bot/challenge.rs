//! Whom to play, and what: a challenge and the settings in, a verdict out. Pure.

use crate::{
    chess::{Variant, parse_fen},
    config::{Accept, Kind, Mode},
    lichess::model::{Challenge, Compat, DeclineReason, Speed, TimeControl, UserId},
};

/// What to do with a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Play it as soon as there is a seat.
    Accept,
    /// Refuse, saying why in lichess' words.
    Decline(DeclineReason),
    /// It is not ours to answer: we sent it.
    Own,
}

/// Decides on a challenge. The first reason to refuse is the one that is given.
#[must_use]
pub fn judge(accept: &Accept, challenge: &Challenge, compat: Option<Compat>, me: &UserId) -> Verdict {
    let challenger = challenge.challenger.as_ref();
    if challenger.is_some_and(|user| user.id == *me) {
        return Verdict::Own;
    }
    let reason = who(accept, challenge)
        .or_else(|| variant(accept, challenge))
        .or_else(|| mode(accept, challenge))
        .or_else(|| clock(accept, &challenge.time_control))
        // lichess says that this interface cannot play it, for a reason of its own.
        .or_else(|| {
            compat
                .is_some_and(|compat| !compat.bot)
                .then_some(DeclineReason::Generic)
        });
    reason.map_or(Verdict::Accept, Verdict::Decline)
}

fn who(accept: &Accept, challenge: &Challenge) -> Option<DeclineReason> {
    // An anonymous challenger is a person without a rating.
    let user = challenge.challenger.as_ref();
    let (kind, reason) = if user.is_some_and(|user| user.is_bot()) {
        (Kind::Bot, DeclineReason::NoBot)
    } else {
        (Kind::Human, DeclineReason::OnlyBot)
    };
    if !accept.from.contains(&kind) {
        return Some(reason);
    }
    let rating = user?.rating?;
    let is_outside = accept.min_rating.is_some_and(|least| rating < least)
        || accept.max_rating.is_some_and(|most| rating > most);
    is_outside.then_some(DeclineReason::Generic)
}

fn variant(accept: &Accept, challenge: &Challenge) -> Option<DeclineReason> {
    let variant = match challenge.variant.variant() {
        Ok(variant) if accept.variants.contains(&variant) => variant,
        _ if accept.variants == [Variant::Standard] => return Some(DeclineReason::Standard),
        _ => return Some(DeclineReason::Variant),
    };
    // A start that cannot be played on would only be aborted later.
    let start = challenge
        .initial_fen
        .as_ref()
        .filter(|_| variant == Variant::FromPosition);
    let is_playable = start.is_none_or(|fen| parse_fen(variant, fen).is_ok());
    (!is_playable).then_some(DeclineReason::Variant)
}

fn mode(accept: &Accept, challenge: &Challenge) -> Option<DeclineReason> {
    // lichess' reasons say what to send instead.
    let (mode, reason) = if challenge.rated {
        (Mode::Rated, DeclineReason::Casual)
    } else {
        (Mode::Casual, DeclineReason::Rated)
    };
    (!accept.modes.contains(&mode)).then_some(reason)
}

fn clock(accept: &Accept, time: &TimeControl) -> Option<DeclineReason> {
    match time {
        TimeControl::Clock { limit, increment, .. } => speed(accept, time.speed())
            .or_else(|| within(*limit, accept.initial))
            .or_else(|| within(*increment, accept.increment)),
        TimeControl::Correspondence { days_per_turn } => {
            speed(accept, Speed::Correspondence).or_else(|| within(*days_per_turn, accept.days))
        }
        TimeControl::Unlimited => (!accept.unlimited).then_some(DeclineReason::TooSlow),
        TimeControl::Unknown => Some(DeclineReason::TimeControl),
    }
}

fn speed(accept: &Accept, speed: Speed) -> Option<DeclineReason> {
    let wanted = &accept.speeds;
    if wanted.contains(&speed) {
        None
    } else if wanted.iter().all(|wanted| speed < *wanted) {
        Some(DeclineReason::TooFast)
    } else if wanted.iter().all(|wanted| speed > *wanted) {
        Some(DeclineReason::TooSlow)
    } else {
        Some(DeclineReason::TimeControl)
    }
}

fn within<T: PartialOrd>(value: T, (least, most): (T, T)) -> Option<DeclineReason> {
    if value < least {
        Some(DeclineReason::TooFast)
    } else if value > most {
        Some(DeclineReason::TooSlow)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        config::Config,
        units::{Elo, Millis},
    };

    fn challenge(changes: Value) -> Challenge {
        let mut challenge = json!({
            "id": "abcd1234", "status": "created",
            "challenger": {"id": "ana", "name": "Ana", "rating": 1500},
            "variant": {"key": "standard"}, "rated": false, "speed": "blitz",
            "timeControl": {"type": "clock", "limit": 300, "increment": 3}
        });
        for (key, value) in changes.as_object().unwrap() {
            challenge[key] = value.clone();
        }
        serde_json::from_value(challenge).unwrap()
    }

    fn all() -> Accept {
        Config::default().challenge
    }

    fn verdict(accept: &Accept, changes: Value) -> Verdict {
        judge(accept, &challenge(changes), None, &"bot".parse().unwrap())
    }

    fn declined(accept: &Accept, changes: Value) -> Option<DeclineReason> {
        match verdict(accept, changes) {
            Verdict::Decline(reason) => Some(reason),
            _ => None,
        }
    }

    fn clock(limit: u32, increment: u32) -> Value {
        json!({"timeControl": {"type": "clock", "limit": limit, "increment": increment}})
    }

    fn days(days: u32) -> Value {
        json!({"timeControl": {"type": "correspondence", "daysPerTurn": days}})
    }

    #[test]
    fn everybody_is_welcome_by_default() {
        for changes in [
            json!({}),
            json!({"rated": true}),
            json!({"challenger": null}),
            json!({"challenger": {"id": "x", "name": "x", "title": "BOT"}}),
            json!({"variant": {"key": "chess960"}}),
            clock(0, 1),
            clock(10_800, 180),
        ] {
            assert_eq!(verdict(&all(), changes.clone()), Verdict::Accept, "{changes}");
        }
    }

    #[test]
    fn who_and_what_is_refused_with_the_reason_lichess_knows() {
        let bot = json!({"challenger": {"id": "x", "name": "x", "title": "BOT"}});
        let broken = json!({"variant": {"key": "fromPosition"}, "initialFen": "8/8/8/8/8/8/8/8 w - - 0 1"});
        let mut people = all();
        people.from = vec![Kind::Human];
        assert_eq!(declined(&people, bot), Some(DeclineReason::NoBot));
        let mut bots = all();
        bots.from = vec![Kind::Bot];
        assert_eq!(declined(&bots, json!({})), Some(DeclineReason::OnlyBot));
        let mut casual = all();
        casual.modes = vec![Mode::Casual];
        assert_eq!(
            declined(&casual, json!({"rated": true})),
            Some(DeclineReason::Casual)
        );
        let mut rated = all();
        rated.modes = vec![Mode::Rated];
        assert_eq!(declined(&rated, json!({})), Some(DeclineReason::Rated));
        let mut masters = all();
        masters.min_rating = Some(Elo(2200));
        assert_eq!(declined(&masters, json!({})), Some(DeclineReason::Generic));
        for key in ["atomic", "fogOfWar"] {
            assert_eq!(
                declined(&all(), json!({"variant": {"key": key}})),
                Some(DeclineReason::Variant)
            );
        }
        let mut orthodox = all();
        orthodox.variants = vec![Variant::Standard];
        let shuffled = json!({"variant": {"key": "chess960"}});
        assert_eq!(declined(&orthodox, shuffled), Some(DeclineReason::Standard));
        assert_eq!(declined(&all(), broken), Some(DeclineReason::Variant));
    }

    #[test]
    fn clocks_are_refused_by_class_and_by_figure() {
        let mut mixed = all();
        mixed.speeds = vec![Speed::Bullet, Speed::Rapid];
        let mut long = all();
        long.initial = (Millis::from_secs(600), Millis::from_secs(1200));
        let mut little = all();
        little.increment = (Millis::ZERO, Millis::from_secs(10));
        let mut patient = all();
        patient.speeds.push(Speed::Correspondence);
        patient.days = (1, 3);
        let unlimited = json!({"timeControl": {"type": "unlimited"}});
        for (accept, changes, reason) in [
            (&all(), clock(15, 0), DeclineReason::TooFast),
            (&all(), days(2), DeclineReason::TooSlow),
            (&all(), unlimited, DeclineReason::TooSlow),
            (
                &all(),
                json!({"timeControl": {"type": "hourglass"}}),
                DeclineReason::TimeControl,
            ),
            (&mixed, clock(300, 0), DeclineReason::TimeControl),
            (&long, clock(300, 20), DeclineReason::TooFast),
            (&little, clock(300, 20), DeclineReason::TooSlow),
            (&patient, days(7), DeclineReason::TooSlow),
        ] {
            assert_eq!(declined(accept, changes.clone()), Some(reason), "{changes}");
        }
        assert_eq!(verdict(&patient, days(2)), Verdict::Accept);
    }

    #[test]
    fn what_lichess_says_cannot_be_played_is_declined() {
        let compat = Compat {
            bot: false,
            board: true,
        };
        let me = "bot".parse().unwrap();
        let verdict = judge(&all(), &challenge(json!({})), Some(compat), &me);
        assert_eq!(verdict, Verdict::Decline(DeclineReason::Generic));
    }

    #[test]
    fn my_own_challenge_is_left_alone() {
        let own = json!({"challenger": {"id": "bot", "name": "Bot", "title": "BOT"}});
        assert_eq!(verdict(&all(), own), Verdict::Own);
    }
}
