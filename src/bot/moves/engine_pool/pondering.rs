//! Searches on the opponent's time, at idle priority.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::{EnginePool, PoolJob, Report, StopOnDrop, TimeLeft, Work};
use crate::bot::moves::{engine_slot::EngineSlot, search_scheduler::Priority};
use sparring_chess::units::Millis;
use sparring_engine::{Engine, SearchControl, SearchRequest, Stop};

/// A game ponders so long before another may; each time twice as long, up to the longest.
const FIRST_SLICE: Millis = Millis(500);
const LONGEST_SLICE: Millis = Millis::from_secs(8);

impl EnginePool {
    /// Searches for the transposition table alone, for so long at most, while threads are idle. Games take turns. Dropping the future
    /// stops the search.
    pub async fn ponder(&self, slot: &EngineSlot, request: SearchRequest, most: Millis) {
        let (mut slice, mut spent) = (FIRST_SLICE, Millis::ZERO);
        while spent < most {
            let mut request = request.clone();
            request.limits.hard = Some(slice);
            let work = move |engine: &mut Engine, control: &SearchControl<'_>, _: TimeLeft, _: Report<'_>| {
                engine.search(&request, control, &mut |_| {});
                control.clock.elapsed()
            };
            let (reply, took) = oneshot::channel();
            let stop = StopOnDrop(Stop::new());
            let job = PoolJob {
                slot: slot.clone(),
                stop: stop.0.clone(),
                asked_at: std::time::Instant::now(),
                hard: None,
                best: Arc::default(),
                work: Box::new(Work {
                    work,
                    result: None,
                    reply: Some(reply),
                }),
            };
            self.0.0.submit(Priority::IDLE, job);
            match self.wait(took).await {
                Ok(took) if took >= slice.scaled(0.5) => spent += took,
                // There is nothing left to search, as before a mate, or the engine panicked.
                _ => return,
            }
            slice = (slice + slice).min(LONGEST_SLICE);
        }
    }
}
