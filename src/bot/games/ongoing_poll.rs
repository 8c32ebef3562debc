//! Poll of the running games (`/api/account/playing`): one request at a time, retried when it fails. No IO;
//! time is an argument.

use rand::Rng;

use sparring_chess::units::Millis;
use sparring_lichess::{CallError, retry::Backoff};

/// First backoff after a failure: the clock may be running in a game that only the list knows.
const FIRST: Millis = Millis(250);
/// Longest backoff, as for streams.
const LONGEST: Millis = Millis::from_secs(10);

/// The state of the poll: idle, due, or awaiting an answer.
#[derive(Debug)]
pub(in crate::bot) struct OngoingPoll {
    is_asked: bool,
    /// When the next request is due, if one is wanted.
    due_at: Option<Millis>,
    backoff: Backoff,
}

impl Default for OngoingPoll {
    fn default() -> Self {
        Self {
            is_asked: false,
            due_at: None,
            backoff: Backoff::new(FIRST, LONGEST),
        }
    }
}

impl OngoingPoll {
    /// Requests a poll. While an answer is awaited, at most one more request is made after it: a server that keeps sending bad lines
    /// causes no request per line.
    pub(in crate::bot) fn request(&mut self, now: Millis) {
        self.due_at.get_or_insert(now);
    }

    /// Whether to send the request now. If so, an answer is awaited from here on.
    pub(in crate::bot) fn begin_if_due(&mut self, now: Millis) -> bool {
        let asks = self.next_deadline().is_some_and(|at| now >= at);
        if asks {
            self.is_asked = true;
            self.due_at = None;
        }
        asks
    }

    /// When [`begin_if_due`](Self::begin_if_due) will return true.
    pub(in crate::bot) fn next_deadline(&self) -> Option<Millis> {
        self.due_at.filter(|_| !self.is_asked)
    }

    /// The answer has arrived.
    pub(in crate::bot) fn on_answer(&mut self) {
        self.is_asked = false;
        self.backoff.reset();
    }

    /// The request failed: retries it, unless a retry would not help. Returns the number of failures in a row.
    pub(in crate::bot) fn failed(&mut self, error: &CallError, now: Millis, rng: &mut impl Rng) -> u32 {
        self.is_asked = false;
        let own = self.backoff.next(rng);
        match error {
            CallError::Transient { .. } => self.due_at = Some(now + own),
            CallError::RateLimited { after, .. } => self.due_at = Some(now + own.max(*after)),
            CallError::Rejected { .. } | CallError::Unauthorized { .. } => {}
        }
        self.backoff.failures()
    }
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;

    fn lost() -> CallError {
        CallError::Transient {
            call: "running games",
            why: "502".to_owned(),
        }
    }

    #[test]
    fn f12_a_list_that_gets_lost_is_asked_for_again_less_and_less_often() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut listing = OngoingPoll::default();
        let mut now = Millis::from_secs(5);
        listing.request(now);
        for whole in [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000] {
            assert!(listing.begin_if_due(now));
            assert_eq!(listing.next_deadline(), None, "an answer is awaited");
            listing.failed(&lost(), now, &mut rng);
            // A request meanwhile does not shorten the backoff.
            listing.request(now);
            let at = listing.next_deadline().unwrap();
            assert!((whole / 2..=whole).contains(&(at - now).0), "{}", at - now);
            assert!(!listing.begin_if_due(at - Millis(1)));
            now = at;
        }
        assert!(listing.begin_if_due(now));
        listing.on_answer();
        assert_eq!(listing.next_deadline(), None, "nothing is owed any more");
    }

    #[test]
    fn what_happens_while_an_answer_is_awaited_is_asked_about_once_it_is_there() {
        let mut listing = OngoingPoll::default();
        let now = Millis::from_secs(5);
        for _ in 0..3 {
            listing.request(now);
        }
        assert!(listing.begin_if_due(now));
        for _ in 0..3 {
            listing.request(now);
            assert!(!listing.begin_if_due(now));
        }
        listing.on_answer();
        assert!(listing.begin_if_due(now));
        listing.on_answer();
        assert!(!listing.begin_if_due(now), "once only");
    }

    #[test]
    fn f8_a_list_that_must_not_be_asked_for_yet_is_asked_for_then() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut listing = OngoingPoll::default();
        let limited = CallError::RateLimited {
            call: "running games",
            after: Millis::from_secs(60),
            key: None,
        };
        listing.request(Millis::ZERO);
        assert!(listing.begin_if_due(Millis::ZERO));
        listing.failed(&limited, Millis::ZERO, &mut rng);
        assert_eq!(listing.next_deadline(), Some(Millis::from_secs(60)));
    }
}
