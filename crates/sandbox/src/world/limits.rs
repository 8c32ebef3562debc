//! lichess' limits on how often something may be done, as its source had them in 2025.

use std::collections::{BTreeMap, VecDeque};

use super::api_error::ApiError;
use crate::options::Limits;
use sparring_chess::units::Millis;
use sparring_lichess::model::UserId;

const MINUTE: u64 = 60_000;
const DAY: u64 = 24 * 60 * MINUTE;

/// A rate-limited action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitedAction {
    /// Opening the event stream.
    OpenEvents,
    /// Reading the own account.
    ShowAccount,
    /// Creating a challenge.
    Challenge,
    /// Playing a game with a bot, as a bot.
    PlayBot,
    /// Joining or rejoining a tournament.
    JoinTournament,
}

impl LimitedAction {
    /// Allowed costs by time span.
    fn allowances(self) -> &'static [(u32, Millis)] {
        match self {
            Self::OpenEvents => &[(30, Millis(10 * MINUTE))],
            Self::ShowAccount => &[(30, Millis(5 * MINUTE))],
            Self::Challenge => &[(25, Millis(MINUTE)), (200, Millis(DAY))],
            Self::PlayBot => &[(100, Millis(DAY))],
            Self::JoinTournament => &[(30, Millis(10 * MINUTE))],
        }
    }
}

/// Counters of rate-limited actions by user.
#[derive(Debug)]
pub struct Counters {
    limits: Limits,
    /// Time and cost, oldest first; dropped after the longest span.
    actions: BTreeMap<(LimitedAction, UserId), VecDeque<(Millis, u32)>>,
}

impl Counters {
    /// Empty counters.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            actions: BTreeMap::new(),
        }
    }

    /// Counts an action if it is allowed.
    ///
    /// # Errors
    /// [`ApiError::TooOften`] if it was done too often lately; that is not counted.
    pub fn admit(
        &mut self,
        action: LimitedAction,
        user: &UserId,
        cost: u32,
        now: Millis,
    ) -> Result<(), ApiError> {
        if self.wait(action, user, cost, now).is_some() {
            return Err(match action {
                LimitedAction::OpenEvents => ApiError::StreamPolled,
                _ => ApiError::TooOften,
            });
        }
        self.count(action, user, cost, now);
        Ok(())
    }

    /// Counts an action, allowed or not.
    pub fn count(&mut self, action: LimitedAction, user: &UserId, cost: u32, now: Millis) {
        if self.limits == Limits::Off {
            return;
        }
        let longest = action.allowances().iter().map(|(_, span)| *span).max();
        let done = self.actions.entry((action, user.clone())).or_default();
        while done
            .front()
            .is_some_and(|(at, _)| *at + longest.unwrap_or_default() <= now)
        {
            done.pop_front();
        }
        done.push_back((now, cost));
    }

    /// Wait until an action of this cost is allowed; `None` if it is now.
    #[must_use]
    pub fn wait(&self, action: LimitedAction, user: &UserId, cost: u32, now: Millis) -> Option<Millis> {
        if self.limits == Limits::Off {
            return None;
        }
        let done = self.actions.get(&(action, user.clone()))?;
        let waits = action.allowances().iter().filter_map(|(allowed, span)| {
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
