//! Challenge queue and reserved slots: who waits, which slots are reserved, whom to decline and when. No
//! IO; time is an argument.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use sparring_chess::units::Millis;
use sparring_lichess::model::{DeclineReason, GameId, UserId};

/// More do not wait, neither for a seat nor for a refusal: the rest hears nothing and expires.
const QUEUE: usize = 100;
/// lichess takes a challenger for gone after so long, and a game against nobody helps nobody.
pub(in crate::bot) const PATIENCE: Millis = Millis::from_secs(20);
/// Refusals are spread out, so that a burst of challenges is no burst of requests.
const BETWEEN_DECLINES: Millis = Millis(500);
/// How many answered challenges are remembered, to tell repetitions.
const REMEMBERED: usize = 500;

/// Challenges on their way to games.
#[derive(Debug, Default)]
pub(in crate::bot) struct ChallengeQueue {
    waiting: Vec<Reservation>,
    reservations: BTreeMap<GameId, ReservedSlot>,
    declines: VecDeque<(GameId, DeclineReason)>,
    next_decline: Millis,
    answered: BTreeSet<GameId>,
    order: VecDeque<GameId>,
}

/// A challenge that could be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::bot) struct QueuedChallenge {
    /// The challenge.
    pub(in crate::bot) id: GameId,
    /// Who sent it; none for anonymous people.
    pub(in crate::bot) opponent: Option<UserId>,
    /// Whether a person sent it.
    pub(in crate::bot) is_human: bool,
    /// Whether it wants to repeat a game.
    pub(in crate::bot) is_rematch: bool,
    /// How long it may wait for a seat.
    pub(in crate::bot) patience: Millis,
}

impl QueuedChallenge {
    /// People go before bots, rematches before new opponents.
    fn rank(&self) -> impl Ord {
        (!self.is_human, !self.is_rematch)
    }
}

#[derive(Debug)]
struct Reservation {
    who: QueuedChallenge,
    since: Millis,
    /// There was no seat for it when it was looked at last.
    was_put_off: bool,
}

#[derive(Debug)]
struct ReservedSlot {
    who: QueuedChallenge,
    until: Millis,
    /// Since when it waited.
    since: Millis,
}

/// What there is room for, and who sits there already.
#[derive(Debug, Clone, Copy)]
pub(in crate::bot) struct Capacity<'a> {
    /// Games at once.
    pub(in crate::bot) games: usize,
    /// Of these, seats that bots do not take.
    pub(in crate::bot) for_humans: usize,
    /// No bot is accepted now: the games of the day with bots are played.
    pub(in crate::bot) bots_closed: bool,
    /// Games at once with the same opponent. Anonymous people are all different.
    pub(in crate::bot) per_opponent: usize,
    /// The opponents of the running games.
    pub(in crate::bot) opponents: &'a [Option<UserId>],
    /// The opponents of games that wait for them for days: no seats, but games with them all the same.
    pub(in crate::bot) sleeping: &'a [Option<UserId>],
    /// Seats kept for games that arenas may begin at any moment.
    pub(in crate::bot) reserved: usize,
    /// How long a promised seat is kept for a game that does not come.
    pub(in crate::bot) lease: Millis,
}

impl Capacity<'_> {
    /// Games at once that bots may have a part in: one, where people have all seats.
    fn for_bots(&self) -> usize {
        self.games.saturating_sub(self.for_humans).max(1).min(self.games)
    }
}

/// Something to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::bot) enum ChallengeReply {
    /// Accept, a seat is promised.
    Accept(GameId),
    /// Refuse.
    Decline(GameId, DeclineReason),
}

impl Reservation {
    /// Whether it waited too long. Who wants a seat at once or not at all is looked at once, however busy we were.
    fn is_late(&self, now: Millis) -> bool {
        let patience = if self.was_put_off {
            self.who.patience
        } else {
            self.who.patience.max(PATIENCE)
        };
        now - self.since > patience
    }
}

impl ChallengeQueue {
    /// Lets an acceptable challenge wait for a seat. Repetitions are ignored.
    pub(in crate::bot) fn wait(&mut self, who: QueuedChallenge, now: Millis) {
        if !self.is_new(&who.id) {
            return;
        }
        if self.waiting.len() >= QUEUE {
            return self.decline(who.id, DeclineReason::Later);
        }
        self.waiting.push(Reservation {
            who,
            since: now,
            was_put_off: false,
        });
    }

    /// Refuses a challenge when its turn comes. Repetitions are ignored.
    pub(in crate::bot) fn refuse(&mut self, id: GameId, reason: DeclineReason) {
        if self.is_new(&id) {
            self.decline(id, reason);
        }
    }

    /// Refuses a challenge whatever was answered before: its refusal was one too many at its time, or its acceptance came to
    /// nothing.
    pub(in crate::bot) fn refuse_again(&mut self, id: GameId, reason: DeclineReason) {
        self.decline(id, reason);
    }

    /// The challenger took it back. The same id may come again, as a rematch offer does.
    pub(in crate::bot) fn cancel(&mut self, id: &GameId) {
        self.waiting.retain(|waiting| waiting.who.id != *id);
        self.declines.retain(|(declined, _)| declined != id);
        self.reservations.remove(id);
        self.answered.remove(id);
    }

    /// A game has begun; who was promised it, if anybody was.
    pub(in crate::bot) fn started(&mut self, id: &GameId) -> Option<QueuedChallenge> {
        self.waiting.retain(|waiting| waiting.who.id != *id);
        self.reservations.remove(id).map(|lease| lease.who)
    }

    /// Promises a seat to a challenge of our own.
    pub(in crate::bot) fn reserve(&mut self, who: QueuedChallenge, now: Millis) {
        let until = now + who.patience;
        let id = who.id.clone();
        self.reservations.insert(
            id,
            ReservedSlot {
                who,
                until,
                since: now,
            },
        );
    }

    /// Whether a challenge has come before and was not taken back since.
    pub(in crate::bot) fn knows(&self, id: &GameId) -> bool {
        self.answered.contains(id)
    }

    /// How many challenges wait for a seat.
    pub(in crate::bot) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Whether somebody is still to be told that nothing comes of it.
    pub(in crate::bot) fn has_refusals(&self) -> bool {
        !self.declines.is_empty()
    }

    /// Whether a person waits for a seat, or is promised one.
    pub(in crate::bot) fn has_person(&self) -> bool {
        let waiting = self.waiting.iter().map(|waiting| &waiting.who);
        let promised = self.reservations.values().map(|lease| &lease.who);
        waiting.chain(promised).any(|who| who.is_human)
    }

    /// Accepting came to nothing: the seat is free.
    pub(in crate::bot) fn failed(&mut self, id: &GameId) {
        self.reservations.remove(id);
    }

    /// A challenge was not accepted, and may be later: it waits on, as long as it would have anyway. Says whether it was
    /// promised a seat until now.
    pub(in crate::bot) fn postpone(&mut self, id: &GameId) -> bool {
        let Some(ReservedSlot { who, since, .. }) = self.reservations.remove(id) else {
            return false;
        };
        self.waiting.push(Reservation {
            who,
            since,
            was_put_off: false,
        });
        true
    }

    /// For how long a challenge that was promised a seat has waited since it came.
    pub(in crate::bot) fn waited(&self, id: &GameId, now: Millis) -> Millis {
        let lease = self.reservations.get(id);
        lease.map_or(Millis::ZERO, |lease| now - lease.since)
    }

    /// Seats promised to games that have not begun.
    pub(in crate::bot) fn reserved_for(&self) -> usize {
        self.reservations.len()
    }

    /// No new games from now on: whoever waits is told to come later.
    pub(in crate::bot) fn close(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            self.decline(waiting.who.id, DeclineReason::Later);
        }
    }

    /// The next thing to send now.
    pub(in crate::bot) fn next(&mut self, room: Capacity<'_>, now: Millis) -> Option<ChallengeReply> {
        let (stale, fresh): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|waiting| waiting.is_late(now));
        self.waiting = fresh;
        for waiting in stale {
            self.decline(waiting.who.id, DeclineReason::Later);
        }
        if let Some(index) = self.first(room) {
            let Reservation { who, since, .. } = self.waiting.remove(index);
            let id = who.id.clone();
            let until = now + room.lease;
            self.reservations
                .insert(id.clone(), ReservedSlot { who, until, since });
            return Some(ChallengeReply::Accept(id));
        }
        for waiting in &mut self.waiting {
            waiting.was_put_off = true;
        }
        if now >= self.next_decline
            && let Some((id, reason)) = self.declines.pop_front()
        {
            self.next_decline = now + BETWEEN_DECLINES;
            return Some(ChallengeReply::Decline(id, reason));
        }
        None
    }

    /// Promises whose game never came. Their seats are free again.
    pub(in crate::bot) fn expired(&mut self, now: Millis) -> Vec<GameId> {
        let lapsed: Vec<GameId> = self
            .reservations
            .iter()
            .filter(|(_, lease)| now >= lease.until)
            .map(|(id, _)| id.clone())
            .collect();
        for id in &lapsed {
            self.reservations.remove(id);
        }
        lapsed
    }

    /// When something will have to be done even if nothing happens until then.
    pub(in crate::bot) fn next_deadline(&self) -> Option<Millis> {
        let stale = self
            .waiting
            .iter()
            .map(|waiting| waiting.since + waiting.who.patience + Millis(1));
        let decline = (!self.declines.is_empty()).then_some(self.next_decline);
        let leases = self.reservations.values().map(|lease| lease.until);
        stale.chain(decline).chain(leases).min()
    }

    /// Seats that bots and arenas may still take, with or without the one that a challenge of ours is promised.
    pub(in crate::bot) fn seats_for_bots(&self, room: Capacity<'_>, without: Option<&GameId>) -> usize {
        if room.bots_closed {
            return 0;
        }
        let promised = self.reservations.keys().filter(|id| Some(*id) != without).count();
        let taken = room.opponents.len() + promised + room.reserved;
        room.for_bots().saturating_sub(taken)
    }

    /// The best ranked for whom there is room, the longest waiting among equals.
    fn first(&self, room: Capacity<'_>) -> Option<usize> {
        let taken = room.opponents.len() + self.reservations.len() + room.reserved;
        if taken >= room.games {
            return None;
        }
        let for_bots = room.for_bots();
        let has_seat = |who: &QueuedChallenge| who.is_human || (taken < for_bots && !room.bots_closed);
        let promised = || self.reservations.values().map(|lease| &lease.who.opponent);
        let is_welcome = |who: &QueuedChallenge| {
            let games = || room.opponents.iter().chain(room.sleeping).chain(promised());
            let with_them = || games().filter(|seat| **seat == who.opponent).count();
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
mod tests;
