//! Challenge queue and reserved slots: which challenges wait, which slots are reserved, what to decline and when. No IO; time is an
//! argument.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use sparring_chess::units::Millis;
use sparring_lichess::model::{DeclineReason, GameId, UserId};

/// Capacity for waiting challenges, and for declines. Further ones get no answer and expire.
const QUEUE: usize = 100;
/// Longest wait of a real-time challenge: after so long lichess takes the challenger for gone.
pub(in crate::bot) const PATIENCE: Millis = Millis::from_secs(20);
/// Interval between declines, so that a burst of challenges causes no burst of requests.
const BETWEEN_DECLINES: Millis = Millis(500);
/// How many answered challenges are remembered, to ignore repeated events.
const REMEMBERED: usize = 500;

/// Challenges between their arrival and their game.
#[derive(Debug, Default)]
pub(in crate::bot) struct ChallengeQueue {
    waiting: Vec<Reservation>,
    reservations: BTreeMap<GameId, ReservedSlot>,
    declines: VecDeque<(GameId, DeclineReason)>,
    next_decline: Millis,
    answered: BTreeSet<GameId>,
    order: VecDeque<GameId>,
}

/// A challenge that may be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::bot) struct QueuedChallenge {
    /// The challenge's id.
    pub(in crate::bot) id: GameId,
    /// The challenger; none for anonymous players.
    pub(in crate::bot) opponent: Option<UserId>,
    /// Whether the challenger is a human.
    pub(in crate::bot) is_human: bool,
    /// Whether it is a rematch.
    pub(in crate::bot) is_rematch: bool,
    /// How long it may wait for a slot.
    pub(in crate::bot) patience: Millis,
}

impl QueuedChallenge {
    /// Priority: humans before bots, rematches before new opponents.
    fn rank(&self) -> impl Ord {
        (!self.is_human, !self.is_rematch)
    }
}

#[derive(Debug)]
struct Reservation {
    who: QueuedChallenge,
    since: Millis,
    /// Whether it was postponed for want of a slot.
    was_put_off: bool,
}

#[derive(Debug)]
struct ReservedSlot {
    who: QueuedChallenge,
    until: Millis,
    /// When it began to wait.
    since: Millis,
}

/// The slots for games, and the running games.
#[derive(Debug, Clone, Copy)]
pub(in crate::bot) struct Capacity<'a> {
    /// Number of slots.
    pub(in crate::bot) games: usize,
    /// Of these, slots reserved for humans.
    pub(in crate::bot) for_humans: usize,
    /// Whether bots are declined because the daily limit of games with bots is reached.
    pub(in crate::bot) bots_closed: bool,
    /// Most concurrent games with the same opponent. Anonymous players all count as different.
    pub(in crate::bot) per_opponent: usize,
    /// The opponents of the running games.
    pub(in crate::bot) opponents: &'a [Option<UserId>],
    /// The opponents of parked correspondence games, which use no slot.
    pub(in crate::bot) sleeping: &'a [Option<UserId>],
    /// Slots reserved for games that arenas may start at any moment.
    pub(in crate::bot) reserved: usize,
    /// How long a reserved slot waits for its game.
    pub(in crate::bot) lease: Millis,
}

impl Capacity<'_> {
    /// Slots that bots may use: at least one, even if all are reserved for humans.
    fn for_bots(&self) -> usize {
        self.games.saturating_sub(self.for_humans).max(1).min(self.games)
    }
}

/// A reply to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::bot) enum ChallengeReply {
    /// Accept; a slot is reserved.
    Accept(GameId),
    /// Decline.
    Decline(GameId, DeclineReason),
}

impl Reservation {
    /// Whether it waited too long. A challenge that may not wait is still tried once.
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
    /// Queues an acceptable challenge for a slot. Ignores repeated events.
    pub(in crate::bot) fn enqueue(&mut self, who: QueuedChallenge, now: Millis) {
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

    /// Declines a challenge when its turn comes. Ignores repeated events.
    pub(in crate::bot) fn decline_later(&mut self, id: GameId, reason: DeclineReason) {
        if self.is_new(&id) {
            self.decline(id, reason);
        }
    }

    /// Declines a challenge whatever was answered before: an earlier decline did not fit the queue, or its acceptance failed.
    pub(in crate::bot) fn decline_again(&mut self, id: GameId, reason: DeclineReason) {
        self.decline(id, reason);
    }

    /// The challenger cancelled it. The same id may come again, as a rematch offer does.
    pub(in crate::bot) fn cancel(&mut self, id: &GameId) {
        self.waiting.retain(|waiting| waiting.who.id != *id);
        self.declines.retain(|(declined, _)| declined != id);
        self.reservations.remove(id);
        self.answered.remove(id);
    }

    /// A game has begun. Returns the challenge with its reserved slot, if any.
    pub(in crate::bot) fn started(&mut self, id: &GameId) -> Option<QueuedChallenge> {
        self.waiting.retain(|waiting| waiting.who.id != *id);
        self.reservations.remove(id).map(|lease| lease.who)
    }

    /// Reserves a slot for a challenge that the bot sent.
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

    /// Whether a challenge has arrived and was not cancelled.
    pub(in crate::bot) fn knows(&self, id: &GameId) -> bool {
        self.answered.contains(id)
    }

    /// How many challenges wait for a slot.
    pub(in crate::bot) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Whether declines are still to be sent.
    pub(in crate::bot) fn has_declines(&self) -> bool {
        !self.declines.is_empty()
    }

    /// Whether a human waits for a slot, or has one reserved.
    pub(in crate::bot) fn has_person(&self) -> bool {
        let waiting = self.waiting.iter().map(|waiting| &waiting.who);
        let promised = self.reservations.values().map(|lease| &lease.who);
        waiting.chain(promised).any(|who| who.is_human)
    }

    /// Accepting failed: frees the slot.
    pub(in crate::bot) fn failed(&mut self, id: &GameId) {
        self.reservations.remove(id);
    }

    /// Accepting failed for now: the challenge goes on waiting until its original deadline. Returns whether it had a reserved slot.
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

    /// How long a challenge with a reserved slot has waited since its arrival.
    pub(in crate::bot) fn waited(&self, id: &GameId, now: Millis) -> Millis {
        let lease = self.reservations.get(id);
        lease.map_or(Millis::ZERO, |lease| now - lease.since)
    }

    /// Number of slots reserved for games that have not begun.
    pub(in crate::bot) fn reserved_for(&self) -> usize {
        self.reservations.len()
    }

    /// Stops accepting: declines all waiting challenges with reason `later`.
    pub(in crate::bot) fn close(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            self.decline(waiting.who.id, DeclineReason::Later);
        }
    }

    /// The next reply to send now.
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

    /// Frees and returns reservations whose game never came.
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

    /// When the next reply or expiry is due.
    pub(in crate::bot) fn next_deadline(&self) -> Option<Millis> {
        let stale = self
            .waiting
            .iter()
            .map(|waiting| waiting.since + waiting.who.patience + Millis(1));
        let decline = (!self.declines.is_empty()).then_some(self.next_decline);
        let leases = self.reservations.values().map(|lease| lease.until);
        stale.chain(decline).chain(leases).min()
    }

    /// Slots that bots and arenas may still use; `without` leaves out the reservation of that challenge.
    pub(in crate::bot) fn free_slots_for_bots(&self, room: Capacity<'_>, without: Option<&GameId>) -> usize {
        if room.bots_closed {
            return 0;
        }
        let promised = self.reservations.keys().filter(|id| Some(*id) != without).count();
        let taken = room.opponents.len() + promised + room.reserved;
        room.for_bots().saturating_sub(taken)
    }

    /// The challenge of the highest rank for which there is a slot; among equals the one that waits longest.
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
