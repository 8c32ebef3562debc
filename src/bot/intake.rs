//! From challenges to games: who waits, which seats are promised, whom to refuse and when. Pure; time is an argument.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::{
    lichess::model::{DeclineReason, GameId},
    units::Millis,
};

/// More do not wait, neither for a seat nor for a refusal: the rest hears nothing and expires.
const QUEUE: usize = 100;
/// lichess takes a challenger for gone after so long, and a game against nobody helps nobody.
const PATIENCE: Millis = Millis::from_secs(20);
/// A promised seat is free again if no game has come after so long.
const LEASE: Millis = Millis::from_secs(15);
/// Refusals are spread out, so that a burst of challenges is no burst of requests.
const BETWEEN_DECLINES: Millis = Millis(500);
/// How many answered challenges are remembered, to tell repetitions.
const REMEMBERED: usize = 500;

/// Challenges on their way to games.
#[derive(Debug, Default)]
pub(super) struct Intake {
    waiting: Vec<Waiting>,
    leases: BTreeMap<GameId, Millis>,
    declines: VecDeque<(GameId, DeclineReason)>,
    next_decline: Millis,
    answered: BTreeSet<GameId>,
    order: VecDeque<GameId>,
}

#[derive(Debug)]
struct Waiting {
    id: GameId,
    /// People go before bots, rematches before new opponents.
    rank: u8,
    since: Millis,
}

/// Something to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// Accept, a seat is promised.
    Accept(GameId),
    /// Refuse.
    Decline(GameId, DeclineReason),
}

impl Intake {
    /// Lets an acceptable challenge wait for a seat. Repetitions are ignored.
    pub(super) fn wait(&mut self, id: GameId, is_human: bool, is_rematch: bool, now: Millis) {
        if !self.is_new(&id) {
            return;
        }
        if self.waiting.len() >= QUEUE {
            return self.decline(id, DeclineReason::Later);
        }
        let rank = match (is_human, is_rematch) {
            (true, true) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        self.waiting.push(Waiting { id, rank, since: now });
    }

    /// Refuses a challenge when its turn comes. Repetitions are ignored.
    pub(super) fn refuse(&mut self, id: GameId, reason: DeclineReason) {
        if self.is_new(&id) {
            self.decline(id, reason);
        }
    }

    /// The challenger took it back. The same id may come again, as a rematch offer does.
    pub(super) fn cancel(&mut self, id: &GameId) {
        self.waiting.retain(|waiting| waiting.id != *id);
        self.declines.retain(|(declined, _)| declined != id);
        self.leases.remove(id);
        self.answered.remove(id);
    }

    /// A game has begun, promised or not.
    pub(super) fn started(&mut self, id: &GameId) {
        self.waiting.retain(|waiting| waiting.id != *id);
        self.leases.remove(id);
    }

    /// Accepting came to nothing: the seat is free.
    pub(super) fn failed(&mut self, id: &GameId) {
        self.leases.remove(id);
    }

    /// Seats promised to games that have not begun.
    pub(super) fn promised(&self) -> usize {
        self.leases.len()
    }

    /// Whether we accepted this one.
    pub(super) fn is_promised(&self, id: &GameId) -> bool {
        self.leases.contains_key(id)
    }

    /// No new games from now on: whoever waits is told to come later.
    pub(super) fn close(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            self.decline(waiting.id, DeclineReason::Later);
        }
    }

    /// The next thing to send now, with so many seats free, promised ones counted as taken.
    pub(super) fn next(&mut self, free: usize, now: Millis) -> Option<Reply> {
        let (stale, fresh): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|waiting| now - waiting.since > PATIENCE);
        self.waiting = fresh;
        for waiting in stale {
            self.decline(waiting.id, DeclineReason::Later);
        }
        if free > 0
            && let Some(first) = self.first()
        {
            let waiting = self.waiting.remove(first);
            self.leases.insert(waiting.id.clone(), now + LEASE);
            return Some(Reply::Accept(waiting.id));
        }
        if now >= self.next_decline
            && let Some((id, reason)) = self.declines.pop_front()
        {
            self.next_decline = now + BETWEEN_DECLINES;
            return Some(Reply::Decline(id, reason));
        }
        None
    }

    /// Promises whose game never came. Their seats are free again.
    pub(super) fn lapsed(&mut self, now: Millis) -> Vec<GameId> {
        let lapsed: Vec<GameId> = self
            .leases
            .iter()
            .filter(|(_, until)| now >= **until)
            .map(|(id, _)| id.clone())
            .collect();
        for id in &lapsed {
            self.leases.remove(id);
        }
        lapsed
    }

    /// When something will have to be done even if nothing happens until then.
    pub(super) fn wakes_at(&self) -> Option<Millis> {
        let stale = self
            .waiting
            .iter()
            .map(|waiting| waiting.since + PATIENCE + Millis(1));
        let decline = (!self.declines.is_empty()).then_some(self.next_decline);
        stale.chain(decline).chain(self.leases.values().copied()).min()
    }

    /// The best ranked, the longest waiting among equals.
    fn first(&self) -> Option<usize> {
        let ranked = self.waiting.iter().enumerate();
        ranked
            .min_by_key(|(_, waiting)| (waiting.rank, waiting.since))
            .map(|(index, _)| index)
    }

    fn decline(&mut self, id: GameId, reason: DeclineReason) {
        if self.declines.len() < QUEUE {
            self.declines.push_back((id, reason));
        }
    }

    fn is_new(&mut self, id: &GameId) -> bool {
        if !self.answered.insert(id.clone()) {
            return false;
        }
        self.order.push_back(id.clone());
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.answered.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> GameId {
        format!("{number:08}").parse().unwrap()
    }

    fn secs(secs: u64) -> Millis {
        Millis::from_secs(secs)
    }

    #[test]
    fn people_and_rematches_go_first_and_nobody_beyond_the_seats() {
        let mut intake = Intake::default();
        intake.wait(id(1), false, false, secs(0));
        intake.wait(id(2), true, false, secs(1));
        intake.wait(id(3), false, true, secs(2));
        intake.wait(id(4), true, true, secs(3));
        let mut order = Vec::new();
        while let Some(Reply::Accept(id)) = intake.next(4 - intake.promised(), secs(4)) {
            order.push(id);
        }
        assert_eq!(order, [id(4), id(2), id(3), id(1)]);
        intake.wait(id(5), true, false, secs(4));
        assert_eq!(intake.next(4 - intake.promised(), secs(4)), None);
        intake.started(&id(4));
        assert_eq!(intake.next(1, secs(4)), Some(Reply::Accept(id(5))));
    }

    #[test]
    fn a_challenge_that_comes_twice_is_answered_once() {
        let mut intake = Intake::default();
        for _ in 0..3 {
            intake.wait(id(1), true, false, secs(0));
            intake.refuse(id(2), DeclineReason::Later);
        }
        assert_eq!(intake.next(9, secs(0)), Some(Reply::Accept(id(1))));
        assert_eq!(
            intake.next(9, secs(0)),
            Some(Reply::Decline(id(2), DeclineReason::Later))
        );
        assert_eq!(intake.next(9, secs(9)), None);
    }

    #[test]
    fn one_that_was_taken_back_is_not_accepted_but_may_come_again() {
        let mut intake = Intake::default();
        intake.wait(id(1), true, false, secs(0));
        intake.cancel(&id(1));
        assert_eq!(intake.next(1, secs(0)), None);
        intake.wait(id(1), true, true, secs(1));
        assert_eq!(intake.next(1, secs(1)), Some(Reply::Accept(id(1))));
    }

    #[test]
    fn a_burst_is_refused_at_a_limited_rate() {
        let mut intake = Intake::default();
        for number in 0..50 {
            intake.refuse(id(number), DeclineReason::NoBot);
        }
        let mut now = Millis::ZERO;
        let mut sent = 0;
        while intake.wakes_at().is_some() {
            now = now.max(intake.wakes_at().unwrap());
            while intake.next(0, now).is_some() {
                sent += 1;
            }
        }
        assert_eq!(sent, 50);
        assert!(now >= Millis(49 * 500));
    }

    #[test]
    fn who_waited_too_long_is_told_to_come_later() {
        let mut intake = Intake::default();
        intake.wait(id(1), true, false, secs(0));
        assert_eq!(intake.next(0, secs(20)), None);
        let due = intake.wakes_at().unwrap();
        assert_eq!(
            intake.next(1, due),
            Some(Reply::Decline(id(1), DeclineReason::Later))
        );
    }

    #[test]
    fn a_promise_without_a_game_frees_its_seat() {
        let mut intake = Intake::default();
        intake.wait(id(1), true, false, secs(0));
        intake.next(1, secs(0));
        assert_eq!(intake.promised(), 1);
        assert!(intake.lapsed(secs(14)).is_empty());
        assert_eq!(intake.lapsed(secs(15)), [id(1)]);
        assert_eq!(intake.promised(), 0);
    }

    #[test]
    fn a_flood_is_bounded() {
        let mut intake = Intake::default();
        for number in 0..10_000 {
            intake.wait(id(number), true, false, secs(0));
        }
        assert_eq!((intake.waiting.len(), intake.declines.len()), (QUEUE, QUEUE));
        assert!(intake.answered.len() <= REMEMBERED);
    }

    #[test]
    fn closing_tells_everybody_to_come_later() {
        let mut intake = Intake::default();
        intake.wait(id(1), true, false, secs(0));
        intake.close();
        assert_eq!(
            intake.next(9, secs(0)),
            Some(Reply::Decline(id(1), DeclineReason::Later))
        );
    }
}
