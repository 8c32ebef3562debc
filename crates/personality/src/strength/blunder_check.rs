//! Blunder check: a second search verifies the drawn move. Also tracks the node and time limits that all searches of a request share.

use super::request::StrengthRequest;
use crate::human_model::winning_chances;
use sparring_chess::{
    Move,
    units::{Depth, Millis, Nodes},
};
use sparring_engine::{BoundKind, Engine, Limits, SearchControl, SearchRequest, SearchResult};

/// Nodes and time used by the searches of a request.
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

    /// The limits that remain for the next search; `None` if all nodes are used.
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

/// The result to use instead if a second search finds that the drawn move loses more than `margin`.
pub(super) fn correction(
    engine: &mut Engine,
    request: &StrengthRequest,
    control: &SearchControl<'_>,
    drawn: Move,
    margin: f64,
    limits: Limits,
    spent: &mut Spent,
) -> Option<SearchResult> {
    let best = check_search(engine, request, control, limits, spent)?;
    let loss = loss(engine, request, control, drawn, &best, limits, spent)?;
    (loss > margin).then(|| settled(best))
}

/// The best line of the check search; `None` if it completes no depth.
pub(super) fn check_search(
    engine: &mut Engine,
    request: &StrengthRequest,
    control: &SearchControl<'_>,
    limits: Limits,
    spent: &mut Spent,
) -> Option<SearchResult> {
    let search = SearchRequest {
        multi_pv: 1,
        limits: spent.left(limits, request.node_limit)?,
        ..request.search.clone()
    };
    let best = engine.search(&search, control, &mut |_| {});
    spent.add(&best);
    (best.depth > Depth(0)).then_some(best)
}

/// Replaces a bound in the result by the exact score of the last finished iteration.
fn settled(mut report: SearchResult) -> SearchResult {
    if let (Some(line), Some(score)) = (report.lines.first_mut(), report.scores_by_depth.last())
        && line.bound != BoundKind::Exact
    {
        (line.depth, line.score, line.bound) = (report.depth, *score, BoundKind::Exact);
    }
    report
}

/// Loss of a move against the best at equal depth, in percentage points of winning chances (0 to 100); `None` if the
/// search is cut short.
pub(super) fn loss(
    engine: &mut Engine,
    request: &StrengthRequest,
    control: &SearchControl<'_>,
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
            ..spent.left(limits, request.node_limit)?
        },
        search_moves: vec![mv],
        ..request.search.clone()
    };
    let own = engine.search(&search, control, &mut |_| {});
    spent.add(&own);
    let (best, own) = best.common_depth_scores(&own)?;
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
            bound: sureness,
            pv: Vec::new(),
        };
        let report = |first| SearchResult {
            depth: Depth(5),
            scores_by_depth: vec![cp(10), cp(20)],
            lines: vec![first],
            ..SearchResult::default()
        };
        let bound = report(line(6, 35, BoundKind::AtLeast));
        assert_eq!(settled(bound).lines, [line(5, 20, BoundKind::Exact)]);
        let exact = report(line(6, 35, BoundKind::Exact));
        assert_eq!(settled(exact.clone()), exact);
    }
}
