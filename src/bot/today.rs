//! How many games were begun with whom since midnight UTC. Pure; time is an argument.

use std::collections::BTreeMap;

use crate::{lichess::model::UserId, units::Millis};

/// A day in milliseconds.
const DAY: u64 = 24 * 3600 * 1000;

/// The games of one day.
#[derive(Debug, Default)]
pub(super) struct Today {
    day: u64,
    games: BTreeMap<UserId, u32>,
}

impl Today {
    /// A game has begun, at this time since 1970.
    pub(super) fn note(&mut self, opponent: UserId, epoch: Millis) {
        let day = epoch.0 / DAY;
        if day != self.day {
            self.day = day;
            self.games.clear();
        }
        let games = self.games.entry(opponent).or_default();
        *games = games.saturating_add(1);
    }

    /// Games begun with somebody on the day of this time.
    pub(super) fn played(&self, opponent: &UserId, epoch: Millis) -> u32 {
        if epoch.0 / DAY == self.day {
            self.games.get(opponent).copied().unwrap_or_default()
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn midnight_begins_a_new_count() {
        let ana: UserId = "ana".parse().unwrap();
        let mut today = Today::default();
        let noon = Millis(100 * DAY + DAY / 2);
        today.note(ana.clone(), noon);
        today.note(ana.clone(), noon);
        assert_eq!(today.played(&ana, noon), 2);
        assert_eq!(today.played(&"boris".parse().unwrap(), noon), 0);
        let tomorrow = noon + Millis(DAY);
        assert_eq!(today.played(&ana, tomorrow), 0);
        today.note(ana.clone(), tomorrow);
        assert_eq!(today.played(&ana, tomorrow), 1);
    }
}
