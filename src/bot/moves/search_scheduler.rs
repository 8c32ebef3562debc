//! Who thinks next: searches before a few seats, earliest deadline first. Pure.
//!
//! Who has time gives way: a search under way that can go on later is asked to make room for a more urgent one.

use std::{cmp::Ordering, collections::BinaryHeap};

/// The seats, and the searches that wait for one.
#[derive(Debug)]
pub(in crate::bot) struct SearchScheduler<J> {
    waiting: BinaryHeap<WaitingSearch<J>>,
    arrivals: u64,
    /// By seat: who sits there.
    running: Vec<Option<RunningSlot>>,
}

/// How urgent a search is, and whether it can be interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bot) struct Priority {
    /// When its move must be out, on the caller's clock.
    pub(in crate::bot) deadline: u64,
    /// Whether it can stop and go on later without another result than if it had not.
    pub(in crate::bot) can_pause: bool,
}

#[derive(Debug)]
struct RunningSlot {
    urgency: Priority,
    is_leaving: bool,
}

#[derive(Debug)]
struct WaitingSearch<J> {
    urgency: Priority,
    /// Of equal deadlines the first come goes first.
    arrival: u64,
    job: J,
}

impl<J> SearchScheduler<J> {
    /// So many seats, at least one, all free.
    pub(in crate::bot) fn new(seats: usize) -> Self {
        Self {
            waiting: BinaryHeap::new(),
            arrivals: 0,
            running: (0..seats.max(1)).map(|_| None).collect(),
        }
    }

    /// There are no more seats than these, at least one: no thread can be had for the others. Nobody sits there yet.
    pub(in crate::bot) fn limit(&mut self, seats: usize) {
        self.running.truncate(seats.max(1));
    }

    /// Lets a search wait. The seat that comes back should be freed for it: its search has the most time.
    pub(in crate::bot) fn push(&mut self, urgency: Priority, job: J) -> Option<usize> {
        self.arrivals += 1;
        self.waiting.push(WaitingSearch {
            urgency,
            arrival: self.arrivals,
            job,
        });
        let is_given_up =
            |seat: &&Option<RunningSlot>| seat.as_ref().is_none_or(|sitting| sitting.is_leaving);
        let seats = self.running.iter().filter(is_given_up).count();
        let before = |waiting: &&WaitingSearch<J>| waiting.urgency.deadline <= urgency.deadline;
        if seats >= self.waiting.iter().filter(before).count() {
            return None;
        }
        let patient = self.running.iter_mut().enumerate().filter_map(|(seat, sitting)| {
            let sitting = sitting.as_mut().filter(|sitting| !sitting.is_leaving)?;
            let gives_way = sitting.urgency.can_pause && sitting.urgency.deadline > urgency.deadline;
            gives_way.then_some((seat, sitting))
        });
        let (seat, sitting) = patient.max_by_key(|(_, sitting)| sitting.urgency.deadline)?;
        sitting.is_leaving = true;
        Some(seat)
    }

    /// The search whose deadline is nearest takes this seat.
    pub(in crate::bot) fn take(&mut self, seat: usize) -> Option<(Priority, J)> {
        let WaitingSearch { urgency, job, .. } = self.waiting.pop()?;
        if let Some(place) = self.running.get_mut(seat) {
            *place = Some(RunningSlot {
                urgency,
                is_leaving: false,
            });
        }
        Some((urgency, job))
    }

    /// The seat is free again. Says whether its search was asked to give way.
    pub(in crate::bot) fn leave(&mut self, seat: usize) -> bool {
        let sitting = self.running.get_mut(seat).and_then(Option::take);
        sitting.is_some_and(|sitting| sitting.is_leaving)
    }

    /// The share of its time that a search should take now: less than 1 when more want to think than can.
    pub(in crate::bot) fn share(&self) -> f64 {
        let seats = self.running.len();
        let crowd = self.running.iter().flatten().count() + self.waiting.len();
        if crowd <= seats {
            1.0
        } else {
            seats as f64 / crowd as f64
        }
    }
}

impl<J> Ord for WaitingSearch<J> {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap hands out its greatest: the nearest deadline.
        (other.urgency.deadline, other.arrival).cmp(&(self.urgency.deadline, self.arrival))
    }
}

impl<J> PartialOrd for WaitingSearch<J> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<J> PartialEq for WaitingSearch<J> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<J> Eq for WaitingSearch<J> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn until(deadline: u64) -> Priority {
        Priority {
            deadline,
            can_pause: true,
        }
    }

    #[test]
    fn the_nearest_deadline_thinks_first() {
        let mut seats = SearchScheduler::new(1);
        for (deadline, name) in [(30, "slow"), (10, "bullet"), (20, "blitz"), (10, "bullet, later")] {
            assert_eq!(seats.push(until(deadline), name), None, "the seat is free");
        }
        let order: Vec<_> = std::iter::from_fn(|| seats.take(0))
            .map(|(_, name)| name)
            .collect();
        assert_eq!(order, ["bullet", "bullet, later", "blitz", "slow"]);
    }

    #[test]
    fn who_has_the_most_time_gives_way() {
        let mut seats = SearchScheduler::new(2);
        for (seat, deadline) in [(0, 300), (1, 500)] {
            seats.push(until(deadline), deadline);
            seats.take(seat);
        }
        assert_eq!(seats.push(until(100), 100), Some(1));
        // Who has more time than that one waits for nobody to leave; who has less needs a seat besides.
        assert_eq!(seats.push(until(200), 200), Some(0));
        assert_eq!(seats.push(until(250), 250), None, "both leave already");
        assert!(seats.leave(1) && seats.leave(0), "they should go on later");
        let sitting: Vec<_> = [1, 0].map(|seat| seats.take(seat).map(|(_, job)| job)).into();
        assert_eq!(sitting, [Some(100), Some(200)]);
        assert_eq!(seats.push(until(400), 400), None, "nobody there has more time");
        assert!(!seats.leave(0));
    }

    #[test]
    fn a_search_that_cannot_pause_keeps_its_seat() {
        let mut seats = SearchScheduler::new(1);
        let whole = Priority {
            can_pause: false,
            ..until(500)
        };
        seats.push(whole, "by nodes");
        seats.take(0);
        assert_eq!(seats.push(until(1), "urgent"), None);
    }

    #[test]
    fn f37_a_crowd_thinks_shorter() {
        let mut seats = SearchScheduler::new(2);
        for job in 0..8 {
            seats.push(until(job), job);
        }
        assert!((seats.share() - 0.25).abs() < 1e-9);
        seats.take(0);
        seats.take(1);
        assert!((seats.share() - 0.25).abs() < 1e-9, "who thinks still counts");
        while seats.take(0).is_some() {}
        seats.leave(0);
        seats.leave(1);
        assert!((seats.share() - 1.0).abs() < 1e-9);
    }
}
