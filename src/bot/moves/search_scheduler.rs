//! Earliest-deadline-first scheduler for searches on N engine threads. No IO.
//!
//! A resumable search is preempted by a more urgent one.

use std::{cmp::Ordering, collections::BinaryHeap};

/// The deadline of searches that nobody waits for.
const NEVER: u64 = u64::MAX;

/// The worker threads, and the searches in the queue.
#[derive(Debug)]
pub(in crate::bot) struct SearchScheduler<J> {
    waiting: BinaryHeap<WaitingSearch<J>>,
    arrivals: u64,
    /// By worker: its search.
    running: Vec<Option<Preemptible>>,
}

/// How urgent a search is, and whether it can be interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bot) struct Priority {
    /// When its move must be out, on the caller's clock.
    pub(in crate::bot) deadline: u64,
    /// Whether it can stop and go on later without another result than if it had not.
    pub(in crate::bot) can_pause: bool,
}

impl Priority {
    /// A search that runs only while a worker is idle.
    pub(in crate::bot) const IDLE: Self = Self {
        deadline: NEVER,
        can_pause: true,
    };

    fn has_deadline(self) -> bool {
        self.deadline < NEVER
    }
}

#[derive(Debug)]
struct Preemptible {
    priority: Priority,
    is_preempted: bool,
}

#[derive(Debug)]
struct WaitingSearch<J> {
    priority: Priority,
    /// Of equal deadlines the first come goes first.
    arrival: u64,
    job: J,
}

impl<J> SearchScheduler<J> {
    /// So many workers, at least one, all idle.
    pub(in crate::bot) fn new(workers: usize) -> Self {
        Self {
            waiting: BinaryHeap::new(),
            arrivals: 0,
            running: (0..workers.max(1)).map(|_| None).collect(),
        }
    }

    /// Takes workers away for which there is no thread; at least one stays. All must be idle.
    pub(in crate::bot) fn limit(&mut self, workers: usize) {
        self.running.truncate(workers.max(1));
    }

    /// Queues a search. Returns the worker whose search should be stopped for it: the one with the most time.
    pub(in crate::bot) fn push(&mut self, priority: Priority, job: J) -> Option<usize> {
        self.arrivals += 1;
        self.waiting.push(WaitingSearch {
            priority,
            arrival: self.arrivals,
            job,
        });
        let is_available =
            |worker: &&Option<Preemptible>| worker.as_ref().is_none_or(|running| running.is_preempted);
        let workers = self.running.iter().filter(is_available).count();
        let before = |waiting: &&WaitingSearch<J>| waiting.priority.deadline <= priority.deadline;
        if workers >= self.waiting.iter().filter(before).count() {
            return None;
        }
        let patient = self
            .running
            .iter_mut()
            .enumerate()
            .filter_map(|(worker, running)| {
                let running = running.as_mut().filter(|running| !running.is_preempted)?;
                let gives_way = running.priority.can_pause && running.priority.deadline > priority.deadline;
                gives_way.then_some((worker, running))
            });
        let (worker, running) = patient.max_by_key(|(_, running)| running.priority.deadline)?;
        running.is_preempted = true;
        Some(worker)
    }

    /// Gives a worker the search with the nearest deadline.
    pub(in crate::bot) fn take(&mut self, worker: usize) -> Option<(Priority, J)> {
        let WaitingSearch { priority, job, .. } = self.waiting.pop()?;
        if let Some(place) = self.running.get_mut(worker) {
            *place = Some(Preemptible {
                priority,
                is_preempted: false,
            });
        }
        Some((priority, job))
    }

    /// Marks a worker as idle. Returns whether its search was preempted.
    pub(in crate::bot) fn leave(&mut self, worker: usize) -> bool {
        let running = self.running.get_mut(worker).and_then(Option::take);
        running.is_some_and(|running| running.is_preempted)
    }

    /// The share of its soft limit that a search should take now: less than 1 when there are more searches with a deadline than
    /// workers.
    pub(in crate::bot) fn share(&self) -> f64 {
        let workers = self.running.len();
        let running = self.running.iter().flatten().map(|running| running.priority);
        let waiting = self.waiting.iter().map(|waiting| waiting.priority);
        let searches = running
            .chain(waiting)
            .filter(|priority| priority.has_deadline())
            .count();
        if searches <= workers {
            1.0
        } else {
            workers as f64 / searches as f64
        }
    }
}

impl<J> Ord for WaitingSearch<J> {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap hands out its greatest: the nearest deadline.
        (other.priority.deadline, other.arrival).cmp(&(self.priority.deadline, self.arrival))
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
    fn the_nearest_deadline_goes_first() {
        let mut scheduler = SearchScheduler::new(1);
        for (deadline, name) in [(30, "slow"), (10, "bullet"), (20, "blitz"), (10, "bullet, later")] {
            assert_eq!(scheduler.push(until(deadline), name), None, "the worker is idle");
        }
        let order: Vec<_> = std::iter::from_fn(|| scheduler.take(0))
            .map(|(_, name)| name)
            .collect();
        assert_eq!(order, ["bullet", "bullet, later", "blitz", "slow"]);
    }

    #[test]
    fn who_has_the_most_time_gives_way() {
        let mut scheduler = SearchScheduler::new(2);
        for (worker, deadline) in [(0, 300), (1, 500)] {
            scheduler.push(until(deadline), deadline);
            scheduler.take(worker);
        }
        assert_eq!(scheduler.push(until(100), 100), Some(1));
        // Who has more time than that one waits for nobody to leave; who has less needs a worker besides.
        assert_eq!(scheduler.push(until(200), 200), Some(0));
        assert_eq!(scheduler.push(until(250), 250), None, "both leave already");
        assert!(
            scheduler.leave(1) && scheduler.leave(0),
            "they should go on later"
        );
        let taken: Vec<_> = [1, 0]
            .map(|worker| scheduler.take(worker).map(|(_, job)| job))
            .into();
        assert_eq!(taken, [Some(100), Some(200)]);
        assert_eq!(
            scheduler.push(until(400), 400),
            None,
            "nobody there has more time"
        );
        assert!(!scheduler.leave(0));
    }

    #[test]
    fn a_search_that_cannot_pause_keeps_its_worker() {
        let mut scheduler = SearchScheduler::new(1);
        let whole = Priority {
            can_pause: false,
            ..until(500)
        };
        scheduler.push(whole, "by nodes");
        scheduler.take(0);
        assert_eq!(scheduler.push(until(1), "urgent"), None);
    }

    #[test]
    fn f37_a_crowd_thinks_shorter() {
        let mut scheduler = SearchScheduler::new(2);
        for job in 0..8 {
            scheduler.push(until(job), job);
        }
        assert!((scheduler.share() - 0.25).abs() < 1e-9);
        scheduler.take(0);
        scheduler.take(1);
        assert!((scheduler.share() - 0.25).abs() < 1e-9, "who thinks still counts");
        while scheduler.take(0).is_some() {}
        scheduler.leave(0);
        scheduler.leave(1);
        assert!((scheduler.share() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn idle_searches_take_turns_and_cost_nobody_time() {
        let mut scheduler = SearchScheduler::new(1);
        for job in ["first", "second"] {
            assert_eq!(scheduler.push(Priority::IDLE, job), None);
        }
        assert_eq!(scheduler.take(0).map(|(_, job)| job), Some("first"));
        assert!((scheduler.share() - 1.0).abs() < 1e-9);
        assert_eq!(
            scheduler.push(until(5), "a move"),
            Some(0),
            "it gives way at once"
        );
        assert!(scheduler.leave(0), "and goes on later");
        scheduler.push(Priority::IDLE, "first again");
        let order: Vec<_> = std::iter::from_fn(|| scheduler.take(0))
            .map(|(_, job)| job)
            .collect();
        assert_eq!(order, ["a move", "second", "first again"]);
    }
}
