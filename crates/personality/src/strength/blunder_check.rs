//! The second look that a move drawn with care gets, and the limits that all looks of an order share.

use super::StrengthRequest;
use crate::human_model::loss_curve::winning_chances;
use sparring_chess::{
    Move,
    units::{Depth, Millis, Nodes},
};
use sparring_engine::{BoundKind, Engine, Limits, SearchControl, SearchRequest, SearchResult};

/// What the searches of an order have used up.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spent {
    pub nodes: Nodes,
    pub time: Millis,
}

impl Spent {
    pub(super) fn add(&mut self, report: &SearchResult) {
        self.nodes = Nodes(self.nodes.0.saturating_add(report.nodes.0));
        self.time += report.elapsed;
    }

    /// What is left of an order's limits for its next search; none where all nodes are spent.
    fn left(self, limits: Limits, most: Option<Nodes>) -> Option<Limits> {
        let rest = most.map(|most| Nodes(most.0.saturating_sub(self.nodes.0)));
        if rest == Some(Nodes(0)) {
            return None;
        }
        Some(Limits {
            nodes: rest.into_iter().chain(limits.nodes).min(),
            soft: limits.soft.map(|soft| soft - self.time),
            hard: limits.hard.map(|hard| hard - self.time),
            ..limits
        })
    }
}

/// The report to play by instead, where a second search finds that a move loses more than the margin.
pub(super) fn correction(
    engine: &mut Engine,
    order: &StrengthRequest,
    around: &SearchControl<'_>,
    drawn: Move,
    margin: f64,
    limits: Limits,
    spent: &mut Spent,
) -> Option<SearchResult> {
    let best = second_look(engine, order, around, limits, spent)?;
    let loss = loss(engine, order, around, drawn, &best, limits, spent)?;
    (loss > margin).then(|| settled(best))
}

/// What the search that may object finds best; none where it finds nothing.
pub(super) fn second_look(
    engine: &mut Engine,
    order: &StrengthRequest,
    around: &SearchControl<'_>,
    limits: Limits,
    spent: &mut Spent,
) -> Option<SearchResult> {
    let search = SearchRequest {
        multi_pv: 1,
        limits: spent.left(limits, order.most)?,
        ..order.search.clone()
    };
    let best = engine.search(&search, around, &mut |_| {});
    spent.add(&best);
    (best.depth > Depth(0)).then_some(best)
}

/// The report without a bound: where the limit struck before the true score was known, that of the last finished iteration counts,
/// for a move too that has been better than another since.
fn settled(mut report: SearchResult) -> SearchResult {
    if let (Some(line), Some(score)) = (report.lines.first_mut(), report.finished.last())
        && line.sureness != BoundKind::Exact
    {
        (line.depth, line.score, line.sureness) = (report.depth, *score, BoundKind::Exact);
    }
    report
}

/// What a move loses against the best, looked at as deeply, in points of winning chances; none where the look is cut short.
pub(super) fn loss(
    engine: &mut Engine,
    order: &StrengthRequest,
    around: &SearchControl<'_>,
    mv: Move,
    best: &SearchResult,
    limits: Limits,
    spent: &mut Spent,
) -> Option<f64> {
    if best.best()? == mv {
        return Some(0.0);
    }
    let search = SearchRequest {
        multi_pv: 1,
        limits: Limits {
            depth: Some(best.depth),
            ..spent.left(limits, order.most)?
        },
        only: vec![mv],
        ..order.search.clone()
    };
    let own = engine.search(&search, around, &mut |_| {});
    spent.add(&own);
    let (best, own) = best.beside(&own)?;
    Some(f64::from(winning_chances(best) - winning_chances(own)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::units::Centipawns;
    use sparring_engine::{Line, Score};

    #[test]
    fn a_bound_gives_way_to_what_the_last_finished_iteration_found() {
        let cp = |worth| Score::Cp(Centipawns(worth));
        let line = |depth, worth, sureness| Line {
            depth: Depth(depth),
            score: cp(worth),
            sureness,
            pv: Vec::new(),
        };
        let report = |first| SearchResult {
            depth: Depth(5),
            finished: vec![cp(10), cp(20)],
            lines: vec![first],
            ..SearchResult::default()
        };
        let bound = report(line(6, 35, BoundKind::AtLeast));
        assert_eq!(settled(bound).lines, [line(5, 20, BoundKind::Exact)]);
        let exact = report(line(6, 35, BoundKind::Exact));
        assert_eq!(settled(exact.clone()), exact);
    }
}
