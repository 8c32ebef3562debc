//! lichess' limits on how often something may be done, as its source had them in 2025.

use std::collections::{BTreeMap, VecDeque};

use super::api_error::ApiError;
use crate::options::Limits;
use sparring_chess::units::Millis;
use sparring_lichess::model::UserId;

const MINUTE: u64 = 60_000;
const DAY: u64 = 24 * 60 * MINUTE;

/// Something that is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitedAction {
    /// Opening the event stream.
    OpenEvents,
    /// Asking for the own account.
    ShowAccount,
    /// Challenging somebody.
    Challenge,
    /// Playing a game with a bot, as a bot.
    PlayBot,
    /// Joining an arena, also again.
    JoinArena,
}

impl LimitedAction {
    /// How much of it is allowed in which spans.
    fn allowances(self) -> &'static [(u32, Millis)] {
        match self {
            Self::OpenEvents => &[(30, Millis(10 * MINUTE))],
            Self::ShowAccount => &[(30, Millis(5 * MINUTE))],
            Self::Challenge => &[(25, Millis(MINUTE)), (200, Millis(DAY))],
            Self::PlayBot => &[(100, Millis(DAY))],
            Self::JoinArena => &[(30, Millis(10 * MINUTE))],
        }
    }
}

/// Who did what how often.
#[derive(Debug)]
pub struct Counters {
    limits: Limits,
    /// When, and at what cost, oldest first; forgotten after the longest span.
    deeds: BTreeMap<(LimitedAction, UserId), VecDeque<(Millis, u32)>>,
}

impl Counters {
    /// Nobody has done anything.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            deeds: BTreeMap::new(),
        }
    }

    /// Counts a deed if it is allowed.
    ///
    /// # Errors
    /// [`Refusal::TooOften`] if it was done too often lately; that is not counted.
    pub fn admit(
        &mut self,
        deed: LimitedAction,
        user: &UserId,
        cost: u32,
        now: Millis,
    ) -> Result<(), ApiError> {
        if self.wait(deed, user, cost, now).is_some() {
            return Err(match deed {
                LimitedAction::OpenEvents => ApiError::StreamPolled,
                _ => ApiError::TooOften,
            });
        }
        self.count(deed, user, cost, now);
        Ok(())
    }

    /// Counts a deed, allowed or not.
    pub fn count(&mut self, deed: LimitedAction, user: &UserId, cost: u32, now: Millis) {
        if self.limits == Limits::Off {
            return;
        }
        let longest = deed.allowances().iter().map(|(_, span)| *span).max();
        let done = self.deeds.entry((deed, user.clone())).or_default();
        while done
            .front()
            .is_some_and(|(at, _)| *at + longest.unwrap_or_default() <= now)
        {
            done.pop_front();
        }
        done.push_back((now, cost));
    }

    /// How long until a deed of this cost is allowed again, if it is not now.
    #[must_use]
    pub fn wait(&self, deed: LimitedAction, user: &UserId, cost: u32, now: Millis) -> Option<Millis> {
        if self.limits == Limits::Off {
            return None;
        }
        let done = self.deeds.get(&(deed, user.clone()))?;
        let waits = deed.allowances().iter().filter_map(|(allowed, span)| {
            let recent = done.iter().filter(|(at, _)| *at + *span > now);
            let mut total: u32 = recent.clone().map(|(_, cost)| *cost).sum::<u32>() + cost;
            let mut wait = None;
            for (at, cost) in recent {
                if total <= *allowed {
                    break;
                }
                total -= cost;
                wait = Some(*at + *span - now);
            }
            wait
        });
        waits.max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anna() -> UserId {
        "anna".parse().unwrap()
    }

    #[test]
    fn what_was_done_too_often_is_allowed_again_when_the_oldest_is_forgotten() {
        let mut counters = Counters::new(Limits::Real);
        for second in 0..30 {
            counters
                .admit(LimitedAction::OpenEvents, &anna(), 1, Millis::from_secs(second))
                .unwrap();
        }
        let now = Millis::from_secs(100);
        assert_eq!(
            counters.admit(LimitedAction::OpenEvents, &anna(), 1, now),
            Err(ApiError::StreamPolled)
        );
        assert_eq!(
            counters.wait(LimitedAction::OpenEvents, &anna(), 1, now),
            Some(Millis::from_secs(500))
        );
        counters
            .admit(LimitedAction::OpenEvents, &anna(), 1, Millis::from_secs(600))
            .unwrap();
        assert_eq!(
            counters.wait(LimitedAction::OpenEvents, &"ben".parse().unwrap(), 1, now),
            None
        );
    }

    #[test]
    fn challenging_people_costs_more_than_challenging_bots() {
        let mut counters = Counters::new(Limits::Real);
        for _ in 0..5 {
            counters
                .admit(LimitedAction::Challenge, &anna(), 5, Millis(0))
                .unwrap();
        }
        assert_eq!(
            counters.admit(LimitedAction::Challenge, &anna(), 1, Millis(0)),
            Err(ApiError::TooOften)
        );
    }

    #[test]
    fn nothing_is_counted_when_limits_are_off() {
        let mut counters = Counters::new(Limits::Off);
        for _ in 0..1000 {
            counters
                .admit(LimitedAction::ShowAccount, &anna(), 1, Millis(0))
                .unwrap();
        }
    }
}
