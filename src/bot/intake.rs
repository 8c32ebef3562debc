//! From challenges to games: who waits, which seats are promised, whom to refuse and when. Pure; time is an argument.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::{
    lichess::model::{DeclineReason, GameId, UserId},
    units::Millis,
};

/// More do not wait, neither for a seat nor for a refusal: the rest hears nothing and expires.
const QUEUE: usize = 100;
/// lichess takes a challenger for gone after so long, and a game against nobody helps nobody.
pub(super) const PATIENCE: Millis = Millis::from_secs(20);
/// Refusals are spread out, so that a burst of challenges is no burst of requests.
const BETWEEN_DECLINES: Millis = Millis(500);
/// How many answered challenges are remembered, to tell repetitions.
const REMEMBERED: usize = 500;

/// Challenges on their way to games.
#[derive(Debug, Default)]
pub(super) struct Intake {
    waiting: Vec<Waiting>,
    leases: BTreeMap<GameId, Lease>,
    declines: VecDeque<(GameId, DeclineReason)>,
    next_decline: Millis,
    answered: BTreeSet<GameId>,
    order: VecDeque<GameId>,
}

/// A challenge that could be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Applicant {
    /// The challenge.
    pub(super) id: GameId,
    /// Who sent it; none for anonymous people.
    pub(super) opponent: Option<UserId>,
    /// Whether a person sent it.
    pub(super) is_human: bool,
    /// Whether it wants to repeat a game.
    pub(super) is_rematch: bool,
    /// How long it may wait for a seat.
    pub(super) patience: Millis,
}

impl Applicant {
    /// People go before bots, rematches before new opponents.
    fn rank(&self) -> impl Ord {
        (!self.is_human, !self.is_rematch)
    }
}

#[derive(Debug)]
struct Waiting {
    who: Applicant,
    since: Millis,
}

#[derive(Debug)]
struct Lease {
    who: Applicant,
    until: Millis,
    /// Since when it waited.
    since: Millis,
}

/// What there is room for, and who sits there already.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room<'a> {
    /// Games at once.
    pub(super) games: usize,
    /// Of these, seats that bots do not take.
    pub(super) for_humans: usize,
    /// No bot is accepted now: the games of the day with bots are played.
    pub(super) bots_closed: bool,
    /// Games at once with the same opponent. Anonymous people are all different.
    pub(super) per_opponent: usize,
    /// The opponents of the running games.
    pub(super) opponents: &'a [Option<UserId>],
    /// How long a promised seat is kept for a game that does not come.
    pub(super) lease: Millis,
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
    pub(super) fn wait(&mut self, who: Applicant, now: Millis) {
        if !self.is_new(&who.id) {
            return;
        }
        if self.waiting.len() >= QUEUE {
            return self.decline(who.id, DeclineReason::Later);
        }
        self.waiting.push(Waiting { who, since: now });
    }

    /// Refuses a challenge when its turn comes. Repetitions are ignored.
    pub(super) fn refuse(&mut self, id: GameId, reason: DeclineReason) {
        if self.is_new(&id) {
            self.decline(id, reason);
        }
    }

    /// The challenger took it back. The same id may come again, as a rematch offer does.
    pub(super) fn cancel(&mut self, id: &GameId) {
        self.waiting.retain(|waiting| waiting.who.id != *id);
        self.declines.retain(|(declined, _)| declined != id);
        self.leases.remove(id);
        self.answered.remove(id);
    }

    /// A game has begun; who was promised it, if anybody was.
    pub(super) fn started(&mut self, id: &GameId) -> Option<Applicant> {
        self.waiting.retain(|waiting| waiting.who.id != *id);
        self.leases.remove(id).map(|lease| lease.who)
    }

    /// Promises a seat to a challenge of our own.
    pub(super) fn promise(&mut self, who: Applicant, now: Millis) {
        let until = now + who.patience;
        let id = who.id.clone();
        self.leases.insert(
            id,
            Lease {
                who,
                until,
                since: now,
            },
        );
    }

    /// Whether a person waits for a seat.
    pub(super) fn has_person_waiting(&self) -> bool {
        self.waiting.iter().any(|waiting| waiting.who.is_human)
    }

    /// Accepting came to nothing: the seat is free.
    pub(super) fn failed(&mut self, id: &GameId) {
        self.leases.remove(id);
    }

    /// The server wants no acceptances for a while: the challenge waits on, as long as it would have anyway.
    pub(super) fn postpone(&mut self, id: &GameId) {
        if let Some(Lease { who, since, .. }) = self.leases.remove(id) {
            self.waiting.push(Waiting { who, since });
        }
    }

    /// Seats promised to games that have not begun.
    pub(super) fn promised(&self) -> usize {
        self.leases.len()
    }

    /// No new games from now on: whoever waits is told to come later.
    pub(super) fn close(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            self.decline(waiting.who.id, DeclineReason::Later);
        }
    }

    /// The next thing to send now.
    pub(super) fn next(&mut self, room: Room<'_>, now: Millis) -> Option<Reply> {
        let (stale, fresh): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|waiting| now - waiting.since > waiting.who.patience);
        self.waiting = fresh;
        for waiting in stale {
            self.decline(waiting.who.id, DeclineReason::Later);
        }
        if let Some(index) = self.first(room) {
            let Waiting { who, since } = self.waiting.remove(index);
            let id = who.id.clone();
            let until = now + room.lease;
            self.leases.insert(id.clone(), Lease { who, until, since });
            return Some(Reply::Accept(id));
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
            .filter(|(_, lease)| now >= lease.until)
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
            .map(|waiting| waiting.since + waiting.who.patience + Millis(1));
        let decline = (!self.declines.is_empty()).then_some(self.next_decline);
        let leases = self.leases.values().map(|lease| lease.until);
        stale.chain(decline).chain(leases).min()
    }

    /// The best ranked for whom there is room, the longest waiting among equals.
    fn first(&self, room: Room<'_>) -> Option<usize> {
        let taken = room.opponents.len() + self.leases.len();
        if taken >= room.games {
            return None;
        }
        let for_bots = room.games.saturating_sub(room.for_humans).max(1);
        let has_seat = |who: &Applicant| who.is_human || (taken < for_bots && !room.bots_closed);
        let promised = || self.leases.values().map(|lease| &lease.who.opponent);
        let is_welcome = |who: &Applicant| {
            let seats = || room.opponents.iter().chain(promised());
            let with_them = || seats().filter(|seat| **seat == who.opponent).count();
            has_seat(who) && (who.opponent.is_none() || with_them() < room.per_opponent)
        };
        let welcome = self
            .waiting
            .iter()
            .enumerate()
            .filter(|(_, waiting)| is_welcome(&waiting.who));
        welcome
            .min_by_key(|(_, waiting)| (waiting.who.rank(), waiting.since))
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

    fn applicant(number: usize) -> Applicant {
        Applicant {
            id: id(number),
            opponent: None,
            is_human: true,
            is_rematch: false,
            patience: PATIENCE,
        }
    }

    /// Room for so many games of which none runs.
    fn room(games: usize) -> Room<'static> {
        Room {
            games,
            for_humans: 0,
            bots_closed: false,
            per_opponent: 2,
            opponents: &[],
            lease: secs(15),
        }
    }

    #[test]
    fn people_and_rematches_go_first_and_nobody_beyond_the_seats() {
        let mut intake = Intake::default();
        for (number, is_human, is_rematch) in [
            (1, false, false),
            (2, true, false),
            (3, false, true),
            (4, true, true),
        ] {
            let who = Applicant {
                is_human,
                is_rematch,
                ..applicant(number)
            };
            intake.wait(who, secs(number as u64));
        }
        let mut order = Vec::new();
        while let Some(Reply::Accept(id)) = intake.next(room(4), secs(5)) {
            order.push(id);
        }
        assert_eq!(order, [id(4), id(2), id(3), id(1)]);
        intake.wait(applicant(5), secs(5));
        assert_eq!(intake.next(room(4), secs(5)), None);
        intake.started(&id(4));
        assert_eq!(intake.next(room(4), secs(5)), Some(Reply::Accept(id(5))));
    }

    #[test]
    fn the_last_seats_are_for_people_and_one_is_left_to_bots() {
        let bot = |number| Applicant {
            is_human: false,
            ..applicant(number)
        };
        let mut intake = Intake::default();
        for number in 0..3 {
            intake.wait(bot(number), secs(0));
        }
        let reserved = Room {
            for_humans: 2,
            ..room(3)
        };
        let accepted = |intake: &mut Intake, room| std::iter::from_fn(|| intake.next(room, secs(1))).count();
        assert_eq!(accepted(&mut intake, reserved), 1);
        intake.wait(applicant(7), secs(0));
        assert_eq!(accepted(&mut intake, reserved), 1, "a person finds a seat");
        let mut alone = Intake::default();
        alone.wait(bot(1), secs(0));
        let one = Room {
            for_humans: 1,
            ..room(1)
        };
        assert_eq!(
            alone.next(
                Room {
                    bots_closed: true,
                    ..one
                },
                secs(0)
            ),
            None
        );
        assert_eq!(alone.next(one, secs(0)), Some(Reply::Accept(id(1))));
    }

    #[test]
    fn nobody_takes_all_the_seats() {
        let mut intake = Intake::default();
        let ana: Option<UserId> = "ana".parse().ok();
        for number in 0..4 {
            let opponent = if number < 3 { ana.clone() } else { None };
            intake.wait(
                Applicant {
                    opponent,
                    ..applicant(number)
                },
                secs(0),
            );
        }
        let one_runs = Room {
            opponents: &[ana],
            ..room(9)
        };
        let accepted: Vec<_> = std::iter::from_fn(|| intake.next(one_runs, secs(0))).collect();
        assert_eq!(accepted, [Reply::Accept(id(0)), Reply::Accept(id(3))]);
    }

    #[test]
    fn f38_a_challenge_that_comes_twice_is_answered_once() {
        let mut intake = Intake::default();
        for _ in 0..3 {
            intake.wait(applicant(1), secs(0));
            intake.refuse(id(2), DeclineReason::Later);
        }
        assert_eq!(intake.next(room(9), secs(0)), Some(Reply::Accept(id(1))));
        assert_eq!(
            intake.next(room(9), secs(0)),
            Some(Reply::Decline(id(2), DeclineReason::Later))
        );
        assert_eq!(intake.next(room(9), secs(9)), None);
    }

    #[test]
    fn f38_one_that_was_taken_back_is_not_accepted_but_may_come_again() {
        let mut intake = Intake::default();
        intake.wait(applicant(1), secs(0));
        intake.cancel(&id(1));
        assert_eq!(intake.next(room(1), secs(0)), None);
        intake.wait(applicant(1), secs(1));
        assert_eq!(intake.next(room(1), secs(1)), Some(Reply::Accept(id(1))));
    }

    #[test]
    fn f39_a_burst_is_refused_at_a_limited_rate() {
        let mut intake = Intake::default();
        for number in 0..50 {
            intake.refuse(id(number), DeclineReason::NoBot);
        }
        let mut now = Millis::ZERO;
        let mut sent = 0;
        while let Some(due) = intake.wakes_at() {
            now = now.max(due);
            while intake.next(room(0), now).is_some() {
                sent += 1;
            }
        }
        assert_eq!(sent, 50);
        assert!(now >= Millis(49 * 500));
    }

    #[test]
    fn f40_who_waited_too_long_is_told_to_come_later() {
        let mut intake = Intake::default();
        intake.wait(applicant(1), secs(0));
        assert_eq!(intake.next(room(0), secs(20)), None);
        let due = intake.wakes_at().unwrap();
        assert_eq!(
            intake.next(room(1), due),
            Some(Reply::Decline(id(1), DeclineReason::Later))
        );
    }

    #[test]
    fn who_may_not_wait_is_accepted_at_once_or_never() {
        let hasty = |number| Applicant {
            patience: Millis::ZERO,
            ..applicant(number)
        };
        let mut intake = Intake::default();
        intake.wait(hasty(1), secs(3));
        assert_eq!(intake.next(room(1), secs(3)), Some(Reply::Accept(id(1))));
        intake.wait(hasty(2), secs(3));
        assert_eq!(intake.next(room(1), secs(3)), None);
        let due = intake.wakes_at().unwrap();
        assert_eq!(
            intake.next(room(2), due),
            Some(Reply::Decline(id(2), DeclineReason::Later))
        );
    }

    #[test]
    fn f35_a_promise_without_a_game_frees_its_seat() {
        let mut intake = Intake::default();
        intake.wait(applicant(1), secs(0));
        intake.next(room(1), secs(0));
        assert_eq!(intake.promised(), 1);
        assert!(intake.lapsed(secs(14)).is_empty());
        assert_eq!(intake.lapsed(secs(15)), [id(1)]);
        assert_eq!(intake.promised(), 0);
    }

    #[test]
    fn f8_a_challenge_that_must_not_be_answered_yet_waits_on() {
        let mut intake = Intake::default();
        intake.wait(applicant(1), secs(0));
        assert_eq!(intake.next(room(1), secs(1)), Some(Reply::Accept(id(1))));
        intake.postpone(&id(1));
        assert_eq!(intake.promised(), 0);
        assert_eq!(intake.next(room(1), secs(19)), Some(Reply::Accept(id(1))));
        intake.postpone(&id(1));
        let later = Reply::Decline(id(1), DeclineReason::Later);
        assert_eq!(intake.next(room(1), secs(21)), Some(later), "it is too late now");
    }

    #[test]
    fn f39_a_flood_is_bounded() {
        let mut intake = Intake::default();
        for number in 0..10_000 {
            intake.wait(applicant(number), secs(0));
        }
        assert_eq!((intake.waiting.len(), intake.declines.len()), (QUEUE, QUEUE));
        assert!(intake.answered.len() <= REMEMBERED);
    }

    #[test]
    fn closing_tells_everybody_to_come_later() {
        let mut intake = Intake::default();
        intake.wait(applicant(1), secs(0));
        intake.close();
        assert_eq!(
            intake.next(room(9), secs(0)),
            Some(Reply::Decline(id(1), DeclineReason::Later))
        );
    }
}
