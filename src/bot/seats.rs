//! Who thinks next: a queue of searches for a few seats, earliest deadline first. Pure.

use std::{cmp::Ordering, collections::BinaryHeap};

/// Searches that wait for a seat, and how many seats are taken.
#[derive(Debug)]
pub(super) struct Queue<J> {
    waiting: BinaryHeap<Waiting<J>>,
    arrivals: u64,
    seats: usize,
    busy: usize,
}

#[derive(Debug)]
struct Waiting<J> {
    /// When its move must be out, on the caller's clock.
    deadline: u64,
    /// Of equal deadlines the first come goes first.
    arrival: u64,
    job: J,
}

impl<J> Queue<J> {
    /// A queue before this many seats, at least one.
    pub(super) fn new(seats: usize) -> Self {
        Self {
            waiting: BinaryHeap::new(),
            arrivals: 0,
            seats: seats.max(1),
            busy: 0,
        }
    }

    /// Lets a search wait.
    pub(super) fn push(&mut self, deadline: u64, job: J) {
        self.arrivals += 1;
        self.waiting.push(Waiting {
            deadline,
            arrival: self.arrivals,
            job,
        });
    }

    /// The search whose deadline is nearest takes a seat.
    pub(super) fn take(&mut self) -> Option<J> {
        let next = self.waiting.pop()?;
        self.busy += 1;
        Some(next.job)
    }

    /// A seat is free again.
    pub(super) fn leave(&mut self) {
        self.busy = self.busy.saturating_sub(1);
    }

    /// The share of its time that a search should take now: less than 1 when more want to think than can.
    pub(super) fn share(&self) -> f64 {
        let crowd = self.busy + self.waiting.len();
        if crowd <= self.seats {
            1.0
        } else {
            self.seats as f64 / crowd as f64
        }
    }
}

impl<J> Ord for Waiting<J> {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap hands out its greatest: the nearest deadline.
        (other.deadline, other.arrival).cmp(&(self.deadline, self.arrival))
    }
}

impl<J> PartialOrd for Waiting<J> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<J> PartialEq for Waiting<J> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<J> Eq for Waiting<J> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_deadline_thinks_first() {
        let mut queue = Queue::new(2);
        for (deadline, name) in [(30, "slow"), (10, "bullet"), (20, "blitz"), (10, "bullet, later")] {
            queue.push(deadline, name);
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.take()).collect();
        assert_eq!(order, ["bullet", "bullet, later", "blitz", "slow"]);
    }

    #[test]
    fn a_crowd_thinks_shorter() {
        let mut queue = Queue::new(2);
        for job in 0..8 {
            queue.push(job, job);
        }
        assert!((queue.share() - 0.25).abs() < 1e-9);
        queue.take();
        queue.take();
        assert!((queue.share() - 0.25).abs() < 1e-9, "who thinks still counts");
        queue.leave();
        queue.leave();
        while queue.take().is_some() {
            queue.leave();
        }
        assert!((queue.share() - 1.0).abs() < 1e-9);
    }
}
