//! Whom to play, and what: a challenge and a policy in, a verdict out. Pure.

use std::collections::BTreeSet;

use crate::{
    chess::{Variant, parse_fen},
    lichess::model::{Challenge, Compat, DeclineReason, Speed, TimeControl, UserId},
    units::{Elo, Millis},
};

/// Which challenges are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// People may challenge.
    pub humans: bool,
    /// Bots may challenge.
    pub bots: bool,
    /// Rated games.
    pub rated: bool,
    /// Casual games.
    pub casual: bool,
    /// These variants.
    pub variants: Vec<Variant>,
    /// These speeds.
    pub speeds: Vec<Speed>,
    /// At least and at most this on the clock at the start, where there is a clock.
    pub limit: (Millis, Millis),
    /// At least and at most this increment, where there is a clock.
    pub increment: (Millis, Millis),
    /// Ratings from and to, where the rating is known.
    pub rating: (Elo, Elo),
    /// Never these users.
    pub blocked: BTreeSet<UserId>,
}

impl Default for Policy {
    /// Everybody, in every kind of game with a clock that the engine knows the rules of.
    fn default() -> Self {
        Self {
            humans: true,
            bots: true,
            rated: true,
            casual: true,
            variants: vec![Variant::Standard, Variant::Chess960, Variant::FromPosition],
            speeds: vec![Speed::Bullet, Speed::Blitz, Speed::Rapid, Speed::Classical],
            limit: (Millis::ZERO, Millis::from_secs(10_800)),
            increment: (Millis::ZERO, Millis::from_secs(180)),
            rating: (Elo(0), Elo(u32::MAX)),
            blocked: BTreeSet::new(),
        }
    }
}

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
pub fn judge(policy: &Policy, challenge: &Challenge, compat: Option<Compat>, me: &UserId) -> Verdict {
    let challenger = challenge.challenger.as_ref();
    if challenger.is_some_and(|user| user.id == *me) {
        return Verdict::Own;
    }
    let reason = who(policy, challenge)
        .or_else(|| variant(policy, challenge))
        .or_else(|| stakes(policy, challenge))
        .or_else(|| clock(policy, challenge))
        // lichess says that this interface cannot play it, for a reason of its own.
        .or_else(|| {
            compat
                .is_some_and(|compat| !compat.bot)
                .then_some(DeclineReason::Generic)
        });
    reason.map_or(Verdict::Accept, Verdict::Decline)
}

fn who(policy: &Policy, challenge: &Challenge) -> Option<DeclineReason> {
    // An anonymous challenger is a person without a rating.
    let user = challenge.challenger.as_ref();
    let is_bot = user.is_some_and(|user| user.is_bot());
    if is_bot && !policy.bots {
        return Some(DeclineReason::NoBot);
    }
    if !is_bot && !policy.humans {
        return Some(DeclineReason::OnlyBot);
    }
    let (lowest, highest) = policy.rating;
    let user = user?;
    let unwanted = policy.blocked.contains(&user.id)
        || user
            .rating
            .is_some_and(|rating| !(lowest..=highest).contains(&rating));
    unwanted.then_some(DeclineReason::Generic)
}

fn variant(policy: &Policy, challenge: &Challenge) -> Option<DeclineReason> {
    let variant = match challenge.variant.variant() {
        Ok(variant) if policy.variants.contains(&variant) => variant,
        _ if policy.variants == [Variant::Standard] => return Some(DeclineReason::Standard),
        _ => return Some(DeclineReason::Variant),
    };
    // A start that cannot be played on would only be aborted later.
    let start = challenge
        .initial_fen
        .as_ref()
        .filter(|_| variant == Variant::FromPosition);
    let playable = start.is_none_or(|fen| parse_fen(variant, fen).is_ok());
    (!playable).then_some(DeclineReason::Variant)
}

fn stakes(policy: &Policy, challenge: &Challenge) -> Option<DeclineReason> {
    match challenge.rated {
        true if !policy.rated => Some(DeclineReason::Casual),
        false if !policy.casual => Some(DeclineReason::Rated),
        _ => None,
    }
}

fn clock(policy: &Policy, challenge: &Challenge) -> Option<DeclineReason> {
    let speed = challenge.time_control.speed();
    if matches!(challenge.time_control, TimeControl::Unknown) {
        return Some(DeclineReason::TimeControl);
    }
    if !policy.speeds.contains(&speed) {
        return Some(if policy.speeds.iter().all(|wanted| speed < *wanted) {
            DeclineReason::TooFast
        } else if policy.speeds.iter().all(|wanted| speed > *wanted) {
            DeclineReason::TooSlow
        } else {
            DeclineReason::TimeControl
        });
    }
    let TimeControl::Clock { limit, increment, .. } = &challenge.time_control else {
        return None;
    };
    if *limit < policy.limit.0 || *increment < policy.increment.0 {
        Some(DeclineReason::TooFast)
    } else if *limit > policy.limit.1 || *increment > policy.increment.1 {
        Some(DeclineReason::TooSlow)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

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

    fn verdict(policy: &Policy, changes: Value) -> Verdict {
        judge(policy, &challenge(changes), None, &"bot".parse().unwrap())
    }

    fn declined(policy: &Policy, changes: Value) -> Option<DeclineReason> {
        match verdict(policy, changes) {
            Verdict::Decline(reason) => Some(reason),
            _ => None,
        }
    }

    fn clock(limit: u32, increment: u32) -> Value {
        json!({"timeControl": {"type": "clock", "limit": limit, "increment": increment}})
    }

    #[test]
    fn each_wish_has_the_reason_that_lichess_knows() {
        let all = Policy::default;
        let bot = json!({"challenger": {"id": "x", "name": "x", "title": "BOT"}});
        let rated = json!({"rated": true});
        for (policy, changes, reason) in [
            (all(), json!({}), None),
            (all(), bot.clone(), None),
            (all(), json!({"challenger": null}), None),
            (Policy { bots: false, ..all() }, bot, Some(DeclineReason::NoBot)),
            (
                Policy {
                    humans: false,
                    ..all()
                },
                json!({}),
                Some(DeclineReason::OnlyBot),
            ),
            (
                Policy {
                    rated: false,
                    ..all()
                },
                rated,
                Some(DeclineReason::Casual),
            ),
            (
                Policy {
                    casual: false,
                    ..all()
                },
                json!({}),
                Some(DeclineReason::Rated),
            ),
            (
                all(),
                json!({"variant": {"key": "atomic"}}),
                Some(DeclineReason::Variant),
            ),
            (
                all(),
                json!({"variant": {"key": "fogOfWar"}}),
                Some(DeclineReason::Variant),
            ),
            (
                Policy {
                    variants: vec![Variant::Standard],
                    ..all()
                },
                json!({"variant": {"key": "chess960"}}),
                Some(DeclineReason::Standard),
            ),
            (
                all(),
                json!({"variant": {"key": "fromPosition"}, "initialFen": "8/8/8/8/8/8/8/8 w - - 0 1"}),
                Some(DeclineReason::Variant),
            ),
            (all(), clock(15, 0), Some(DeclineReason::TooFast)),
            (
                all(),
                json!({"timeControl": {"type": "correspondence", "daysPerTurn": 2}}),
                Some(DeclineReason::TooSlow),
            ),
            (
                all(),
                json!({"timeControl": {"type": "hourglass"}}),
                Some(DeclineReason::TimeControl),
            ),
            (
                Policy {
                    speeds: vec![Speed::Bullet, Speed::Rapid],
                    ..all()
                },
                json!({}),
                Some(DeclineReason::TimeControl),
            ),
            (
                Policy {
                    limit: (Millis::from_secs(600), Millis::from_secs(1200)),
                    ..all()
                },
                clock(300, 20),
                Some(DeclineReason::TooFast),
            ),
            (
                Policy {
                    increment: (Millis::ZERO, Millis::from_secs(10)),
                    ..all()
                },
                clock(300, 20),
                Some(DeclineReason::TooSlow),
            ),
            (
                Policy {
                    rating: (Elo(1600), Elo(2000)),
                    ..all()
                },
                json!({}),
                Some(DeclineReason::Generic),
            ),
            (
                Policy {
                    blocked: ["Ana".parse().unwrap()].into(),
                    ..all()
                },
                json!({}),
                Some(DeclineReason::Generic),
            ),
        ] {
            assert_eq!(
                declined(&policy, changes.clone()),
                reason,
                "{changes} by {policy:?}"
            );
        }
    }

    #[test]
    fn what_lichess_says_cannot_be_played_is_declined() {
        let compat = Compat {
            bot: false,
            board: true,
        };
        let me = "bot".parse().unwrap();
        let verdict = judge(&Policy::default(), &challenge(json!({})), Some(compat), &me);
        assert_eq!(verdict, Verdict::Decline(DeclineReason::Generic));
    }

    #[test]
    fn my_own_challenge_is_left_alone() {
        let own = json!({"challenger": {"id": "bot", "name": "Bot", "title": "BOT"}});
        assert_eq!(verdict(&Policy::default(), own), Verdict::Own);
    }
}
