//! Opponent memory: the persona each asked for, and who leads in today's casual games. Restored from the
//! archive.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use crate::bot::wall_clock::epoch;
use crate::store::{ArchiveWriter, RequestedPersona};
use sparring_chess::units::Millis;
use sparring_lichess::model::UserId;

/// A day in milliseconds.
const DAY: u64 = 24 * 3600 * 1000;
/// Capacity. Beyond it all entries but the current one are dropped.
const MOST: usize = 10_000;

/// The state of an opponent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Opponent {
    asked: RequestedPersona,
    /// Casual games of the day won minus lost, by the opponent.
    lead: i32,
}

/// The state of all known opponents.
#[derive(Debug, Default)]
struct KnownOpponents {
    rivals: BTreeMap<UserId, Opponent>,
    /// The day of the leads, in days since 1970.
    day: u64,
}

/// The memory of all opponents.
#[derive(Debug, Default)]
pub(in crate::bot) struct OpponentMemory {
    known: Mutex<KnownOpponents>,
    store: ArchiveWriter,
}

impl OpponentMemory {
    /// Restores the requested personas that were not played yet, and the decisive casual games of today with whether the opponent won.
    pub(in crate::bot) fn restore(
        wishes: &[(UserId, RequestedPersona)],
        decided: &[(UserId, bool)],
        store: ArchiveWriter,
        now: Millis,
    ) -> Self {
        let rivals = Self {
            known: Mutex::default(),
            store,
        };
        for (opponent, asked) in wishes {
            rivals.with(opponent, |rival| rival.asked = asked.clone());
        }
        for (opponent, won) in decided {
            rivals.ended(opponent, *won, now, now);
        }
        rivals
    }

    /// A decisive casual game ended. It counts for the day on which it began, as in the archive.
    pub(in crate::bot) fn ended(&self, opponent: &UserId, opponent_won: bool, began: Millis, now: Millis) {
        if began.0 / DAY == now.0 / DAY {
            self.turn_to(now);
            self.with(opponent, |rival| rival.lead += if opponent_won { 1 } else { -1 });
        }
    }

    /// The opponent's lead in games on the day of this time; negative for behind.
    pub(in crate::bot) fn lead(&self, opponent: &UserId, now: Millis) -> i32 {
        self.turn_to(now);
        self.with(opponent, |rival| rival.lead)
    }

    /// Resets all leads at midnight UTC.
    fn turn_to(&self, now: Millis) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let day = now.0 / DAY;
        if day != known.day {
            known.day = day;
            known.rivals.values_mut().for_each(|rival| rival.lead = 0);
            known.rivals.retain(|_, rival| *rival != Opponent::default());
        }
    }

    /// An opponent asked for a persona too late for the running game. A personality comes at its own level; a level applies to the
    /// personality requested before.
    pub(in crate::bot) fn ask(&self, opponent: &UserId, asked: RequestedPersona) {
        self.set_requested(opponent, |before| match asked.personality {
            Some(_) => asked,
            None => RequestedPersona {
                level: asked.level,
                ..before
            },
        });
    }

    /// The persona that an opponent requested in an earlier game.
    pub(in crate::bot) fn requested(&self, opponent: &UserId) -> RequestedPersona {
        self.with(opponent, |rival| rival.asked.clone())
    }

    /// A request in time for the running game replaces one of an earlier game.
    pub(in crate::bot) fn answered(&self, opponent: &UserId) {
        self.set_requested(opponent, |_| RequestedPersona::default());
    }

    /// Changes the requested persona, and stores it.
    fn set_requested(&self, opponent: &UserId, change: impl FnOnce(RequestedPersona) -> RequestedPersona) {
        let changed = self.with(opponent, |rival| {
            let before = std::mem::take(&mut rival.asked);
            rival.asked = change(before.clone());
            (rival.asked != before).then(|| rival.asked.clone())
        });
        if let Some(asked) = changed {
            self.store.requested_persona(opponent.clone(), asked, epoch());
        }
    }

    fn with<T>(&self, opponent: &UserId, act: impl FnOnce(&mut Opponent) -> T) -> T {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rival = known.rivals.remove(opponent).unwrap_or_default();
        let told = act(&mut rival);
        if rival != Opponent::default() {
            if known.rivals.len() >= MOST {
                known.rivals.clear();
            }
            known.rivals.insert(opponent.clone(), rival);
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::units::Elo;

    fn user(name: &str) -> UserId {
        name.parse().unwrap()
    }

    const NOON: Millis = Millis(100 * DAY + DAY / 2);

    #[test]
    fn games_are_counted_for_each_opponent() {
        let decided = [(user("ana"), true), (user("ana"), true), (user("boris"), false)];
        let rivals = OpponentMemory::restore(&[], &decided, ArchiveWriter::default(), NOON);
        rivals.ended(&user("ana"), false, NOON, NOON);
        assert_eq!(rivals.lead(&user("ana"), NOON), 1);
        assert_eq!(rivals.lead(&user("boris"), NOON), -1);
        assert_eq!(rivals.lead(&user("clara"), NOON), 0);
    }

    #[test]
    fn midnight_makes_all_even_and_forgets_no_wish() {
        let rivals = OpponentMemory::restore(
            &[],
            &[(user("ana"), true), (user("boris"), true)],
            ArchiveWriter::default(),
            NOON,
        );
        let asked = RequestedPersona {
            personality: Some("club".to_owned()),
            level: None,
        };
        rivals.ask(&user("ana"), asked.clone());
        let evening = NOON + Millis(DAY / 2 - 1);
        assert_eq!(rivals.lead(&user("ana"), evening), 1);
        let midnight = evening + Millis(1);
        assert_eq!(rivals.lead(&user("ana"), midnight), 0);
        assert_eq!(rivals.requested(&user("ana")), asked);
        assert_eq!(
            rivals.known.lock().unwrap().rivals.len(),
            1,
            "nothing is known of Boris"
        );
        rivals.ended(&user("ana"), true, evening, midnight);
        assert_eq!(
            rivals.lead(&user("ana"), midnight),
            0,
            "that one was of yesterday"
        );
        rivals.ended(&user("ana"), false, midnight, midnight);
        assert_eq!(rivals.lead(&user("ana"), midnight), -1);
    }

    #[test]
    fn a_level_is_for_whoever_was_asked_for_and_a_personality_comes_at_its_own() {
        let rivals = OpponentMemory::default();
        let ask = |personality: Option<&str>, level: Option<u32>| {
            let asked = RequestedPersona {
                personality: personality.map(str::to_owned),
                level: level.map(Elo),
            };
            rivals.ask(&user("ana"), asked);
            let asked = rivals.requested(&user("ana"));
            (asked.personality, asked.level.map(|level| level.0))
        };
        assert_eq!(ask(None, Some(900)), (None, Some(900)));
        assert_eq!(ask(Some("club"), None), (Some("club".to_owned()), None));
        assert_eq!(ask(None, Some(1400)), (Some("club".to_owned()), Some(1400)));
        rivals.answered(&user("ana"));
        assert_eq!(rivals.requested(&user("ana")), RequestedPersona::default());
    }

    #[test]
    fn crowds_do_not_fill_the_memory() {
        let rivals = OpponentMemory::default();
        for number in 0..=MOST {
            rivals.ended(&user(&format!("user{number}")), true, NOON, NOON);
        }
        assert!(rivals.known.lock().unwrap().rivals.len() <= MOST);
        assert_eq!(rivals.lead(&user(&format!("user{MOST}")), NOON), 1);
    }
}
