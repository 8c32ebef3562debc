//! Retry schedule for games whose stream the server refuses though it lists them. No IO; time is an
//! argument.

use std::collections::BTreeMap;

use sparring_chess::units::Millis;
use sparring_lichess::model::GameId;

/// First backoff, short since a clock may be running.
pub(in crate::bot) const FIRST: Millis = Millis(500);
/// Longest backoff.
const LONGEST: Millis = Millis::from_secs(60);
/// A game without failures for so long starts with the first backoff again.
const FORGIVEN: Millis = Millis::from_secs(120);

/// The games whose stream was refused lately.
#[derive(Debug, Default)]
pub(in crate::bot) struct RetrySchedule(BTreeMap<GameId, GameRetry>);

#[derive(Debug, Clone, Copy)]
struct GameRetry {
    times: u32,
    retry_at: Millis,
    /// Whether a poll of the running games is still due for it.
    is_open: bool,
}

impl RetrySchedule {
    /// Records a refused stream. Returns the backoff.
    pub(in crate::bot) fn record(&mut self, game: &GameId, now: Millis) -> Millis {
        self.0
            .retain(|_, setback| setback.is_open || now < setback.retry_at + FORGIVEN);
        let times = self.0.get(game).map_or(0, |setback| setback.times);
        let wait = Millis(FIRST.0 << times.min(10)).min(LONGEST);
        let setback = GameRetry {
            times: times.saturating_add(1),
            retry_at: now + wait,
            is_open: true,
        };
        self.0.insert(game.clone(), setback);
        wait
    }

    /// Whether a game's stream may be opened now.
    pub(in crate::bot) fn allows(&self, game: &GameId, now: Millis) -> bool {
        self.0.get(game).is_none_or(|setback| now >= setback.retry_at)
    }

    /// Whether to poll the running games now. True once per refused game.
    pub(in crate::bot) fn is_due(&mut self, now: Millis) -> bool {
        let due = self
            .0
            .values_mut()
            .filter(|setback| setback.is_open && now >= setback.retry_at);
        let looked = due.map(|setback| setback.is_open = false);
        looked.count() > 0
    }

    /// When [`is_due`](Self::is_due) will return true.
    pub(in crate::bot) fn next_deadline(&self) -> Option<Millis> {
        let open = self.0.values().filter(|setback| setback.is_open);
        open.map(|setback| setback.retry_at).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_is_refused_again_and_again_is_tried_less_and_less_often() {
        let game: GameId = "abcd1234".parse().unwrap();
        let mut setbacks = RetrySchedule::default();
        let mut now = Millis::from_secs(100);
        let mut waits = Vec::new();
        for _ in 0..10 {
            let wait = setbacks.record(&game, now);
            assert!(!setbacks.allows(&game, now + wait - Millis(1)));
            assert!(!setbacks.is_due(now + wait - Millis(1)));
            assert_eq!(setbacks.next_deadline(), Some(now + wait));
            now += wait;
            assert!(setbacks.allows(&game, now) && setbacks.is_due(now));
            assert!(!setbacks.is_due(now), "said once");
            waits.push(wait.0);
        }
        assert_eq!(
            waits,
            [
                500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000
            ]
        );
        now += FORGIVEN;
        assert_eq!(setbacks.record(&game, now), FIRST, "it went well for a while");
    }

    #[test]
    fn games_do_not_hold_each_other_back_and_are_forgotten() {
        let mut setbacks = RetrySchedule::default();
        for number in 0..100_u64 {
            let game: GameId = format!("game{number:04}").parse().unwrap();
            let now = Millis::from_secs(number * 200);
            assert_eq!(setbacks.record(&game, now), FIRST);
            setbacks.is_due(now + FIRST);
        }
        assert_eq!(setbacks.0.len(), 1);
    }
}
