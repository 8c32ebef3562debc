//! Open challenges, ours and those of others, until the archive has their outcome. No IO.

use std::collections::VecDeque;

use crate::store::ChallengeRecord;
use sparring_lichess::model::GameId;

/// Capacity, more than can be open: the server has forgotten older ones too.
const REMEMBERED: usize = 500;

/// The open challenges, oldest first.
#[derive(Debug, Default)]
pub(in crate::bot) struct OpenChallenges(VecDeque<ChallengeRecord>);

impl OpenChallenges {
    /// Adds an open challenge.
    pub(in crate::bot) fn add(&mut self, record: ChallengeRecord) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(record);
    }

    /// Closes a challenge with a verdict. Returns its record for the archive; none if it was closed before.
    pub(in crate::bot) fn decide(&mut self, id: &GameId, verdict: &str) -> Option<ChallengeRecord> {
        let index = self.0.iter().position(|record| record.id == *id)?;
        let record = self.0.remove(index)?;
        Some(ChallengeRecord {
            verdict: verdict.to_owned(),
            ..record
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::units::Millis;

    fn record(number: usize) -> ChallengeRecord {
        ChallengeRecord {
            id: format!("game{number:04}").parse().unwrap(),
            at: Millis::ZERO,
            opponent: None,
            verdict: "sent".to_owned(),
            rule: "matchmaking".to_owned(),
            sent: true,
            game: None,
            repeats: None,
        }
    }

    #[test]
    fn what_became_of_a_challenge_is_told_once() {
        let mut undecided = OpenChallenges::default();
        undecided.add(record(1));
        undecided.add(record(2));
        let decided = undecided.decide(&record(1).id, "accepted").unwrap();
        assert_eq!((decided.id, decided.verdict.as_str()), (record(1).id, "accepted"));
        assert_eq!(undecided.decide(&record(1).id, "taken back"), None);
        assert!(undecided.decide(&record(2).id, "declined").is_some());
    }

    #[test]
    fn a_crowd_is_not_remembered_for_ever() {
        let mut undecided = OpenChallenges::default();
        for number in 0..REMEMBERED + 10 {
            undecided.add(record(number));
        }
        assert_eq!(undecided.0.len(), REMEMBERED);
    }
}
