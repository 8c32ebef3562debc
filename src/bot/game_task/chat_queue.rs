//! Rate-limited chat queue of one room of a game; a move never waits for it. No IO.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// Between two answers to commands.
const BETWEEN_ANSWERS: Duration = Duration::from_secs(3);
/// More answers do not wait: a flood gets the newest few.
const ANSWERS: usize = 3;

/// More lines of our own do not wait either: an opponent may ask for a hundred takebacks.
const LINES: usize = 3;

/// Answers to commands in all games together, so that a crowd that asks at once is no flood of requests: as many at
/// once, and then one in each sixth of a minute.
const AT_ONCE: u32 = 10;
const REFILL: Duration = Duration::from_secs(6);

/// What all games of a daemon share of the right to answer.
#[derive(Debug, Default)]
pub(in crate::bot) struct ChatRateLimit(Mutex<Option<Instant>>);

impl ChatRateLimit {
    /// Whether an answer may go out now; otherwise when it may.
    pub(super) fn draw(&self, now: Instant) -> Result<(), Instant> {
        let mut spent_until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Each answer uses a share of the time up; as much as ten of them may be owed.
        let next = spent_until.unwrap_or(now).max(now) + REFILL;
        let allowed = next.checked_sub(REFILL * AT_ONCE).unwrap_or(now);
        if allowed > now {
            return Err(allowed);
        }
        *spent_until = Some(next);
        Ok(())
    }
}

/// Lines to say, in order.
#[derive(Debug)]
pub(super) struct ChatQueue {
    lines: VecDeque<String>,
    answers: VecDeque<String>,
    next_answer: Instant,
    is_sending: bool,
}

impl ChatQueue {
    /// Nothing to say yet.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            lines: VecDeque::new(),
            answers: VecDeque::new(),
            next_answer: now,
            is_sending: false,
        }
    }

    /// Something that the personality says of its own accord, unless too much waits already.
    pub(super) fn say(&mut self, line: String) {
        if self.lines.len() < LINES {
            self.lines.push_back(line);
        }
    }

    /// An answer to a command; the oldest is dropped when too many wait.
    pub(super) fn answer(&mut self, line: String) {
        if self.answers.len() == ANSWERS {
            self.answers.pop_front();
        }
        self.answers.push_back(line);
    }

    /// The line to send now. One at a time: the next comes after [`sent`](Self::sent). Answers take a breath that all
    /// games share.
    pub(super) fn next(&mut self, now: Instant, breath: &ChatRateLimit) -> Option<String> {
        if self.is_sending {
            return None;
        }
        let line = self.lines.pop_front().or_else(|| {
            if self.answers.is_empty() || now < self.next_answer {
                return None;
            }
            if let Err(later) = breath.draw(now) {
                self.next_answer = later;
                return None;
            }
            let answer = self.answers.pop_front()?;
            self.next_answer = now + BETWEEN_ANSWERS;
            Some(answer)
        })?;
        self.is_sending = true;
        Some(line)
    }

    /// The line that [`next`](Self::next) gave is out, or lost.
    pub(super) fn sent(&mut self) {
        self.is_sending = false;
    }

    /// The game is over: what was asked in it needs no answer.
    pub(super) fn drop_answers(&mut self) {
        self.answers.clear();
    }

    /// Whether everything was said.
    pub(super) fn is_done(&self) -> bool {
        !self.is_sending && self.lines.is_empty() && self.answers.is_empty()
    }

    /// When [`next`](Self::next) will have a line, if one is waiting for its time.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        (!self.is_sending && !self.answers.is_empty()).then_some(self.next_answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn f32_answers_keep_their_distance_and_a_flood_is_cut() {
        let begin = Instant::now();
        let (mut outbox, breath) = (ChatQueue::new(begin), ChatRateLimit::default());
        for number in 0..100 {
            outbox.answer(number.to_string());
        }
        let mut said = Vec::new();
        let mut now = begin;
        while !outbox.is_done() {
            if let Some(line) = outbox.next(now, &breath) {
                said.push((line, (now - begin).as_secs()));
                assert_eq!(outbox.next(now, &breath), None, "one at a time");
                outbox.sent();
            }
            now = outbox.next_deadline().unwrap_or(now);
        }
        let expected = [("97", 0), ("98", 3), ("99", 6)];
        assert_eq!(said, expected.map(|(line, at)| (line.to_owned(), at)));
    }

    #[tokio::test]
    async fn a_farewell_does_not_wait_for_answers() {
        let now = Instant::now();
        let (mut outbox, breath) = (ChatQueue::new(now), ChatRateLimit::default());
        outbox.answer("one".into());
        outbox.next(now, &breath);
        outbox.sent();
        outbox.answer("two".into());
        outbox.say("bye".into());
        outbox.drop_answers();
        assert_eq!(outbox.next(now, &breath), Some("bye".into()));
        outbox.sent();
        assert!(outbox.is_done());
    }

    #[tokio::test]
    async fn f32_a_crowd_that_asks_at_once_is_answered_ten_times_a_minute() {
        let begin = Instant::now();
        let breath = ChatRateLimit::default();
        let mut games: Vec<ChatQueue> = (0..40).map(|_| ChatQueue::new(begin)).collect();
        for game in &mut games {
            game.answer("yes".to_owned());
        }
        let mut said = Vec::new();
        for second in 0..=120 {
            let now = begin + Duration::from_secs(second);
            let answered = games.iter_mut().filter_map(|game| game.next(now, &breath));
            said.push(answered.count());
        }
        assert_eq!(said[0], 10);
        assert_eq!(said[1..=60].iter().sum::<usize>(), 10, "{said:?}");
        assert_eq!(said.iter().sum::<usize>(), 30);
        let mut own = ChatQueue::new(begin);
        own.say("bye".to_owned());
        assert!(
            own.next(begin, &breath).is_some(),
            "what it says of its own accord waits for nobody"
        );
    }
}
