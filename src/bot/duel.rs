//! Two programs with one token: lichess keeps one event stream, so each ends the other's. Pure.

use crate::{lichess::Lost, units::Millis};

/// A stream that its server closes at once is the server's own trouble: a rival needs time to notice and come back.
const SHORTEST: Millis = Millis(100);
/// A stream that lived longer was no victim.
const LONGEST: Millis = Millis::from_secs(15);
/// So many in a row are no accident.
const ENOUGH: u32 = 12;

/// Counts streams that ended as if somebody else had taken them over.
#[derive(Debug, Default)]
pub(super) struct Duel {
    in_a_row: u32,
}

impl Duel {
    /// Notes the end of a stream, and says whether it must be a duel.
    pub(super) fn is_on(&mut self, why: &Lost, lived: Millis) -> bool {
        let suspicious = *why == Lost::Closed && (SHORTEST..LONGEST).contains(&lived);
        self.in_a_row = if suspicious { self.in_a_row + 1 } else { 0 };
        self.in_a_row >= ENOUGH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_taken_over_again_and_again_are_a_duel() {
        let mut duel = Duel::default();
        for _ in 1..ENOUGH {
            assert!(!duel.is_on(&Lost::Closed, Millis(900)));
        }
        assert!(duel.is_on(&Lost::Closed, Millis(900)));
    }

    #[test]
    fn a_server_in_trouble_is_no_rival() {
        let mut duel = Duel::default();
        for _ in 0..100 {
            assert!(!duel.is_on(&Lost::Closed, Millis(3)), "closed at once");
            assert!(!duel.is_on(&Lost::Broken("reset".into()), Millis(900)));
            assert!(!duel.is_on(&Lost::Closed, Millis::from_secs(60)));
        }
    }
}
