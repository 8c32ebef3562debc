//! Backoff, endpoint classes and sliding windows. Time and randomness are arguments.
//!
//! lichess requires a wait after a 429 and limits how often streams are opened; games in progress cannot wait that long.
//! Calls are sorted into [`Class`]es that do not hold each other back.

use std::collections::VecDeque;

use rand::{Rng, RngExt as _};

use sparring_chess::units::Millis;

/// Longest accepted wait of a server: lichess' longest limits last a day. Waits are kept over restarts, so a nonsense value must
/// not last for years.
pub const LONGEST_ASKED: Millis = Millis::from_secs(24 * 3600);
/// Wait after the first 429 without a duration: lichess documents a full minute.
const SILENCE: Millis = Millis::from_secs(60);
/// Longest wait after a 429 without a duration.
const LONGEST_SILENCE: Millis = Millis::from_secs(15 * 60);
/// Shortest wait after a 429 on an urgent call.
const URGENT_PAUSE: Millis = Millis::from_secs(1);

/// Endpoints that share one rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EndpointClass {
    /// Moves. Never blocked here: each game compares the wait with its clock.
    Move,
    /// Opening a game stream. Never blocked here: the stream compares the wait with the same clock.
    GameStream,
    /// Opening the event stream.
    EventStream,
    /// Draw, takeback, resign, abort, claim.
    Command,
    /// Accepting and declining challenges.
    Challenge,
    /// Creating challenges. Apart from [`Challenge`](Self::Challenge), so that its narrow limits do not delay replies.
    Invite,
    /// Sending and reading chat.
    Chat,
    /// Reads that games and the login need: token, account, ongoing games. Apart from [`Read`](Self::Read), so that a limit on lists
    /// of bots or tournaments delays no game.
    Account,
    /// All other reads.
    Read,
}

impl EndpointClass {
    /// Every class.
    pub const ALL: [Self; 9] = [
        Self::Move,
        Self::GameStream,
        Self::EventStream,
        Self::Command,
        Self::Challenge,
        Self::Invite,
        Self::Chat,
        Self::Account,
        Self::Read,
    ];

    /// The name under which its limit is stored.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::GameStream => "gameStream",
            Self::EventStream => "eventStream",
            Self::Command => "command",
            Self::Challenge => "challenge",
            Self::Invite => "invite",
            Self::Chat => "chat",
            Self::Account => "account",
            Self::Read => "read",
        }
    }

    /// The class of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

    /// Whether a running clock waits for such calls.
    #[must_use]
    pub fn is_urgent(self) -> bool {
        matches!(self, Self::Move | Self::GameStream)
    }
}

/// Rate limit of one endpoint class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EndpointLimit {
    /// Blocked until this moment of the caller's clock.
    blocked_until: Millis,
    /// 429s since the last success.
    refusals: u32,
}

impl EndpointLimit {
    /// Wait before the next call. `None` if it may be made now.
    #[must_use]
    pub fn blocked_for(&self, now: Millis) -> Option<Millis> {
        let wait = self.blocked_until - now;
        (wait > Millis::ZERO).then_some(wait)
    }

    /// Records a 429 and returns the wait: the server's, else 60 s doubling up to 15 min. Jitter of up to a quarter of it,
    /// 5 s at most, is added, so that several programs do not return together.
    pub fn on_rate_limited(&mut self, now: Millis, asked: Option<Millis>, rng: &mut impl Rng) -> Millis {
        let own = doubled(SILENCE, self.refusals).min(LONGEST_SILENCE);
        self.refusals = self.refusals.saturating_add(1);
        let wait = asked.unwrap_or(own);
        let wait = wait + Millis(rng.random_range(0..=wait.scaled(0.25).0.min(5000)));
        self.blocked_until = self.blocked_until.max(now + wait);
        self.blocked_until - now
    }

    /// Blocks it for this time, restored from an earlier run.
    pub fn block(&mut self, now: Millis, wait: Millis) {
        self.blocked_until = self.blocked_until.max(now + wait);
    }

    /// A call succeeded.
    pub fn on_success(&mut self) {
        self.refusals = 0;
    }
}

fn doubled(span: Millis, times: u32) -> Millis {
    Millis(span.0.saturating_mul(1 << times.min(30)))
}

/// Wait before an urgent call is retried after a 429: at least a second, doubling with each attempt, as long as the server requires
/// if the clock allows, and never more than a quarter of the time left.
///
/// `attempt` counts from 0; `left` is the time on the clock, if there is one.
#[must_use]
pub fn urgent_pause(attempt: u32, asked: Option<Millis>, left: Option<Millis>) -> Millis {
    let wait = doubled(URGENT_PAUSE, attempt).max(asked.unwrap_or_default());
    let patience = left.map_or(SILENCE, |left| left.scaled(0.25));
    wait.min(patience).max(URGENT_PAUSE)
}

/// Exponential backoff with jitter: each wait is between a half and the whole of its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    first: Millis,
    longest: Millis,
    failures: u32,
}

impl Backoff {
    /// Steps from `first` to `longest`.
    #[must_use]
    pub const fn new(first: Millis, longest: Millis) -> Self {
        Self {
            first,
            longest,
            failures: 0,
        }
    }

    /// The wait after one more failure.
    pub fn next(&mut self, rng: &mut impl Rng) -> Millis {
        let whole = doubled(self.first, self.failures).min(self.longest);
        self.failures = self.failures.saturating_add(1);
        whole.scaled(rng.random_range(0.5..=1.0))
    }

    /// Failures since the last success.
    #[must_use]
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// A success: the next failure waits `first` again.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

/// Sliding-window limit for opening a stream: at most `most` times in any `span`.
#[derive(Debug, Clone)]
pub struct SlidingWindow {
    most: usize,
    span: Millis,
    recent: VecDeque<Millis>,
}

impl SlidingWindow {
    /// The event stream's limit: lichess allows 30 in 10 minutes, we stay below 25.
    #[must_use]
    pub fn of_event_stream() -> Self {
        Self::new(24, Millis::from_secs(600))
    }

    /// At most `most` openings, at least 1, in any `span`.
    #[must_use]
    pub fn new(most: usize, span: Millis) -> Self {
        Self {
            most: most.max(1),
            span,
            recent: VecDeque::new(),
        }
    }

    /// Wait before the next opening.
    #[must_use]
    pub fn wait(&self, now: Millis) -> Millis {
        let nth_last = self.recent.len().checked_sub(self.most);
        nth_last
            .and_then(|index| self.recent.get(index))
            .map_or(Millis::ZERO, |opened| *opened + self.span - now)
    }

    /// Records an opening that reached the server.
    pub fn record(&mut self, now: Millis) {
        self.recent.push_back(now);
        while self.recent.len() > self.most {
            self.recent.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};

    use super::*;

    fn rng() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(1)
    }

    #[test]
    fn f9_silence_without_a_figure_doubles_up_to_a_quarter_of_an_hour() {
        let (mut limit, mut rng, mut now) = (EndpointLimit::default(), rng(), Millis::ZERO);
        for secs in [60, 120, 240, 480, 900, 900] {
            let wait = limit.on_rate_limited(now, None, &mut rng);
            assert!((secs..secs + 5).contains(&(wait.0 / 1000)), "{wait}");
            assert_eq!(limit.blocked_for(now), Some(wait));
            now += wait;
            assert_eq!(limit.blocked_for(now), None);
        }
        limit.on_success();
        assert!(limit.on_rate_limited(now, None, &mut rng) < Millis::from_secs(65));
    }

    #[test]
    fn f8_silence_with_a_figure_is_kept_to_the_second() {
        let mut limit = EndpointLimit::default();
        let wait = limit.on_rate_limited(Millis::ZERO, Some(Millis::from_secs(3600)), &mut rng());
        assert!((3600..3605).contains(&(wait.0 / 1000)));
        // A later 429 with a shorter wait does not shorten the block.
        let told = limit.on_rate_limited(Millis(10), Some(Millis::from_secs(1)), &mut rng());
        assert!(limit.blocked_for(Millis::from_secs(3000)).is_some());
        assert_eq!(
            Some(told),
            limit.blocked_for(Millis(10)),
            "what is told is what is kept"
        );
    }

    #[test]
    fn f10_a_move_is_tried_again_within_its_clock() {
        let minute = Some(Millis::from_secs(60));
        let pauses = [0, 1, 2, 3].map(|attempt| urgent_pause(attempt, None, minute));
        assert_eq!(pauses, [1, 2, 4, 8].map(Millis::from_secs));
        assert_eq!(urgent_pause(0, minute, minute), Millis::from_secs(15));
        assert_eq!(urgent_pause(9, None, Some(Millis(500))), Millis::from_secs(1));
        assert_eq!(urgent_pause(0, minute, None), Millis::from_secs(60));
    }

    #[test]
    fn the_same_seed_waits_the_same() {
        let waits = |seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut backoff = Backoff::new(Millis(250), Millis::from_secs(10));
            (0..8).map(|_| backoff.next(&mut rng)).collect::<Vec<_>>()
        };
        assert_eq!(waits(7), waits(7));
        assert_ne!(waits(7), waits(8));
    }

    proptest! {
        #[test]
        fn backoff_stays_between_half_and_whole_of_its_step(seed: u64, failures in 0u32..40) {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut backoff = Backoff::new(Millis(250), Millis::from_secs(10));
            for _ in 0..failures {
                backoff.next(&mut rng);
            }
            let whole = (250u64 << failures.min(10)).min(10_000);
            let wait = backoff.next(&mut rng).0;
            prop_assert!((whole / 2..=whole).contains(&wait));
        }

        #[test]
        fn streams_are_never_opened_too_often(gaps in prop::collection::vec(0u64..60_000, 1..200)) {
            let mut openings = SlidingWindow::of_event_stream();
            let mut now = Millis::ZERO;
            let mut opened: Vec<Millis> = Vec::new();
            for gap in gaps {
                now += Millis(gap);
                now += openings.wait(now);
                openings.record(now);
                opened.push(now);
                let window = now - Millis::from_secs(600);
                let recent = opened.iter().filter(|at| **at > window || now < Millis::from_secs(600)).count();
                prop_assert!(recent < 25, "{recent} opened within ten minutes");
            }
        }
    }
}
