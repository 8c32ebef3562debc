//! Root moves: the score, bound, line and node count that each has from the search.

use arrayvec::ArrayVec;

use super::{
    score::{INFINITE, MAX_PLY, Score, is_mate},
    search_result::BoundKind,
    syzygy::{WdlRank, reported_score},
};
use sparring_chess::Move;

/// A move of the root.
#[derive(Debug, Clone)]
pub(super) struct RootMove {
    pub mv: Move,
    /// The score of this iteration; minus infinite when the move is not better than another.
    pub score: i32,
    /// The last score as the best move of its line; meaningless if older. Never more than the score of a better move.
    pub previous: i32,
    /// The iteration of its score, in plies.
    pub depth: i32,
    /// Whether `score`, or `previous` where there is none, is a bound.
    pub bound: BoundKind,
    /// The principal variation that starts with it.
    pub pv: ArrayVec<Move, MAX_PLY>,
    /// Nodes spent below it.
    pub nodes: u64,
    /// Its tablebase result, where the root is in the tablebases. A move of a higher rank comes first, whatever its
    /// score.
    pub wdl_rank: Option<WdlRank>,
}

impl RootMove {
    /// A move that is not searched yet; `score` only orders it.
    pub fn new(mv: Move, score: i32) -> Self {
        Self {
            mv,
            score,
            previous: 0,
            depth: 0,
            bound: BoundKind::Exact,
            pv: ArrayVec::from_iter([mv]),
            nodes: 0,
            wdl_rank: None,
        }
    }

    /// The sort key of searched moves.
    pub fn rank(&self) -> (Option<WdlRank>, i32) {
        (self.wdl_rank, self.known_score())
    }

    /// The score to report and its kind: a tablebase result is no bound, but a mate may be.
    pub fn reported(&self) -> (Score, BoundKind) {
        let score = reported_score(self.known_score(), self.wdl_rank);
        let bound = match self.wdl_rank {
            Some(_) if !is_mate(score) => BoundKind::Exact,
            _ => self.bound,
        };
        (Score::from_value(score), bound)
    }

    /// The score of this iteration, or else the previous one.
    pub fn known_score(&self) -> i32 {
        if self.score > -INFINITE {
            self.score
        } else {
            self.previous
        }
    }

    /// Makes its score the previous one, before it is searched again.
    pub fn shift_score(&mut self) {
        self.previous = self.known_score();
        self.score = -INFINITE;
    }

    /// Records the score that an iteration has found within a window.
    pub fn record(&mut self, score: i32, iteration: i32, (alpha, beta): (i32, i32)) {
        self.score = score;
        self.depth = iteration;
        self.bound = if score <= alpha {
            BoundKind::AtMost
        } else if score >= beta {
            BoundKind::AtLeast
        } else {
            BoundKind::Exact
        };
    }
}

/// The first of these moves is the best: the scores of the others are capped by it. Without that a move that has just
/// been refuted would come back with its old score when the next line is cut short.
pub(super) fn cap_rest(moves: &mut [RootMove]) {
    let Some((best, rest)) = moves.split_first_mut() else {
        return;
    };
    for root in rest {
        root.shift_score();
        if root.previous > best.known_score() {
            (root.previous, root.depth, root.bound) = (best.known_score(), best.depth, BoundKind::AtMost);
        }
    }
}

/// Sorts moves by a key, the highest first, stably. Few are out of place, and unlike the library's stable sort this one
/// allocates nothing.
pub(super) fn sort_by_rank<R: Ord>(moves: &mut [RootMove], rank: impl Fn(&RootMove) -> R) {
    for index in 1..moves.len() {
        let own = rank(&moves[index]);
        let place = moves[..index].partition_point(|root| rank(root) >= own);
        moves[place..=index].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Rules as _, Variant};

    #[test]
    fn a_move_that_was_just_refuted_does_not_come_back_with_its_old_score() {
        let start = Variant::Standard.start();
        let mut moves: Vec<RootMove> = start
            .legal_moves()
            .iter()
            .zip([(101, 90), (96, 108), (-INFINITE, 120), (-INFINITE, 50)])
            .map(|(mv, (score, previous))| RootMove {
                previous,
                depth: if score == -INFINITE { 4 } else { 5 },
                ..RootMove::new(*mv, score)
            })
            .collect();
        let best = moves[0].mv;
        cap_rest(&mut moves);
        let known: Vec<(i32, BoundKind)> = moves
            .iter()
            .map(|root| (root.known_score(), root.bound))
            .collect();
        let capped = (101, BoundKind::AtMost);
        let exact = |score| (score, BoundKind::Exact);
        assert_eq!(known, [exact(101), exact(96), capped, exact(50)]);
        assert_eq!(
            moves.iter().map(|root| root.depth).collect::<Vec<_>>(),
            [5, 5, 5, 4]
        );
        // The next line is cut short before it has found anything.
        sort_by_rank(&mut moves, RootMove::known_score);
        assert_eq!(moves[0].mv, best);
    }
}
