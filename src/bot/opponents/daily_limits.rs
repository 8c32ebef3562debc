//! Daily limits: games since midnight UTC by opponent, and games with bots, of which lichess allows a
//! hundred a day. No IO; time is an argument.

use std::collections::{BTreeMap, VecDeque};

use sparring_chess::units::Millis;
use sparring_lichess::model::{GameId, UserId};

/// A day in milliseconds.
const DAY: u64 = 24 * 3600 * 1000;

/// lichess' daily limit of games between bots, counted for both. Games with humans are not limited.
pub const BOT_GAMES: u32 = 100;

/// How many games are remembered, so that none counts twice.
const REMEMBERED: usize = 500;

/// How many days are remembered, in case the clock jumps to another day and back.
const DAYS: usize = 3;

/// The games of the last few days.
#[derive(Debug, Default)]
pub(in crate::bot) struct DailyCounters {
    days: BTreeMap<u64, Day>,
    /// The games counted last.
    counted: VecDeque<GameId>,
}

/// The games of one day.
#[derive(Debug, Default)]
struct Day {
    games: BTreeMap<UserId, u32>,
    with_bots: u32,
}

impl DailyCounters {
    /// Restores the games of today.
    pub(in crate::bot) fn of(opponents: &[(UserId, bool)], epoch: Millis) -> Self {
        let mut today = Self::default();
        for (opponent, is_bot) in opponents {
            today.count(opponent, *is_bot, epoch);
        }
        today
    }

    /// Counts a game that began at this time since 1970. Repeated calls count once.
    pub(in crate::bot) fn record(&mut self, game: &GameId, opponent: &UserId, is_bot: bool, epoch: Millis) {
        if self.counted.contains(game) {
            return;
        }
        if self.counted.len() == REMEMBERED {
            self.counted.pop_front();
        }
        self.counted.push_back(game.clone());
        self.count(opponent, is_bot, epoch);
    }

    fn count(&mut self, opponent: &UserId, is_bot: bool, epoch: Millis) {
        let day = epoch.0 / DAY;
        if self.days.len() >= DAYS
            && !self.days.contains_key(&day)
            && let Some(farthest) = self.days.keys().copied().max_by_key(|other| other.abs_diff(day))
        {
            self.days.remove(&farthest);
        }
        let Day { games, with_bots } = self.days.entry(day).or_default();
        *with_bots = with_bots.saturating_add(u32::from(is_bot));
        let games = games.entry(opponent.clone()).or_default();
        *games = games.saturating_add(1);
    }

    /// Whether the daily limit of games with bots is reached.
    pub(in crate::bot) fn is_done_with_bots(&self, epoch: Millis) -> bool {
        let day = self.days.get(&(epoch.0 / DAY));
        day.is_some_and(|day| day.with_bots >= BOT_GAMES)
    }

    /// Number of games begun with an opponent on the day of this time.
    pub(in crate::bot) fn played(&self, opponent: &UserId, epoch: Millis) -> u32 {
        let day = self.days.get(&(epoch.0 / DAY));
        day.and_then(|day| day.games.get(opponent))
            .copied()
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: usize) -> GameId {
        format!("game{number:04}").parse().unwrap()
    }

    #[test]
    fn a_hundred_games_with_bots_are_enough_for_a_day() {
        let noon = Millis(100 * DAY + DAY / 2);
        let bot: UserId = "x".parse().unwrap();
        let mut today = DailyCounters::of(&vec![(bot.clone(), true); 99], noon);
        today.record(&game(1), &bot, false, noon);
        assert!(!today.is_done_with_bots(noon));
        today.record(&game(1), &bot, true, noon);
        assert!(!today.is_done_with_bots(noon), "that one was counted");
        today.record(&game(2), &bot, true, noon);
        assert!(today.is_done_with_bots(noon));
        assert!(!today.is_done_with_bots(noon + Millis(DAY)));
    }

    #[test]
    fn midnight_begins_a_new_count() {
        let ana: UserId = "ana".parse().unwrap();
        let mut today = DailyCounters::default();
        let noon = Millis(100 * DAY + DAY / 2);
        today.record(&game(1), &ana, false, noon);
        today.record(&game(2), &ana, false, noon);
        assert_eq!(today.played(&ana, noon), 2);
        assert_eq!(today.played(&"boris".parse().unwrap(), noon), 0);
        let tomorrow = noon + Millis(DAY);
        assert_eq!(today.played(&ana, tomorrow), 0);
        today.record(&game(3), &ana, false, tomorrow);
        assert_eq!(today.played(&ana, tomorrow), 1);
    }

    #[test]
    fn f51_a_clock_that_jumps_away_and_back_forgets_no_game() {
        let ana: UserId = "ana".parse().unwrap();
        let noon = Millis(100 * DAY + DAY / 2);
        let mut today = DailyCounters::of(&vec![(ana.clone(), true); 100], noon);
        for (number, days) in [300, 0].into_iter().enumerate() {
            today.record(&game(number), &ana, true, Millis(days * DAY));
        }
        assert!(today.is_done_with_bots(noon) && !today.is_done_with_bots(Millis(300 * DAY)));
    }

    #[test]
    fn a_crowd_is_not_remembered_for_ever() {
        let ana: UserId = "ana".parse().unwrap();
        let mut today = DailyCounters::default();
        for number in 0..REMEMBERED + 10 {
            today.record(&game(number), &ana, false, Millis(number as u64 * DAY));
        }
        assert_eq!((today.counted.len(), today.days.len()), (REMEMBERED, DAYS));
    }
}
