//! A search with a personality's strength on the engine pool.

use tokio::time::Instant;

use super::{
    engine_pool::{EnginePool, Finished, Report, TimeLeft},
    engine_slot::EngineSlot,
};
use sparring_engine::{Engine, SearchControl};
use sparring_personality::strength::{StrengthRequest, StrengthResult, choose_move};

/// Runs a request as [`EnginePool::search`] runs a plain search. A result that comes too late is replaced by the best move
/// so far, which nobody chose as a person would.
pub(super) async fn search(
    pool: &EnginePool,
    slot: &EngineSlot,
    request: StrengthRequest,
    deadline: Instant,
) -> Option<StrengthResult> {
    let plain = request.search.clone();
    let work = move |engine: &mut Engine, control: &SearchControl<'_>, left: TimeLeft, report: Report<'_>| {
        let mut request = request.clone();
        left.apply(&mut request.search.limits);
        if let Some(check) = &mut request.check_limits {
            left.apply(check);
        }
        choose_move(engine, &request, control, report)
    };
    Some(match pool.run(slot, &plain, deadline, work).await? {
        Finished::Done(result) => result,
        Finished::Fallback(report) => StrengthResult { report, chosen: None },
    })
}
