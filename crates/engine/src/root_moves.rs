//! Root moves: the score, bound, line and node count that each has from the search.

use arrayvec::ArrayVec;

use super::{
    BoundKind, Score,
    score::{INFINITE, MAX_PLY, is_mate},
    syzygy::{WdlRank, reported_score},
};
use sparring_chess::Move;

/// A move of the root.
#[derive(Debug, Clone)]
pub(super) struct RootMove {
    pub mv: Move,
    /// What this iteration found; minus infinite when it is no better than another move.
    pub score: i32,
    /// What was found last when it was the best of its line; older than that means nothing. No more than a better move is
    /// known to be worth.
    pub previous: i32,
    /// The iteration that its worth comes from, in plies.
    pub depth: i32,
    /// How its worth is meant: `score`, or `previous` where there is none.
    pub bound: BoundKind,
    /// The line that starts with it.
    pub pv: ArrayVec<Move, MAX_PLY>,
    /// Nodes spent below it.
    pub nodes: u64,
    /// How it does by endgame tables, where they hold the root. Of moves of another standing the better ones come first,
    /// whatever a search finds.
    pub wdl_rank: Option<WdlRank>,
}

impl RootMove {
    /// A move of which nothing is known but a score to be ranked by.
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

    /// By what moves are put in order that have been searched.
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

    /// The best knowledge of its worth.
    pub fn known_score(&self) -> i32 {
        if self.score > -INFINITE {
            self.score
        } else {
            self.previous
        }
    }

    /// Its score becomes what was found last, to make room for what will be found.
    pub fn shift_score(&mut self) {
        self.previous = self.known_score();
        self.score = -INFINITE;
    }

    /// A search of an iteration has found a score, in this window.
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

/// The first of these moves was found the best: the others are worth no more than it, whatever the last iteration said.
/// Were the next line cut short, a move that has just been refuted would otherwise come back with its old score.
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

/// Sorts moves by a rank, the highest first, equal ones staying in their order. Few are out of place, and unlike the
/// library's stable sort this one allocates nothing.
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
        let exact = |worth| (worth, BoundKind::Exact);
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
