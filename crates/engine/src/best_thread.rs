//! Best thread: whose move is played when several threads have searched (lazy SMP voting).

use super::score::MATE_BOUND;

/// The result of one thread: its last finished depth, and the score of its first move, which may be a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ThreadResult<M> {
    pub mv: M,
    pub depth: i32,
    pub score: i32,
    /// The score of that depth; never a bound.
    pub finished: i32,
    /// The deepest ply it visited.
    pub seldepth: usize,
}

/// The base weight of every vote beside its lead over the worst, in centipawns, so that among equal scores depth decides.
const BASE_WEIGHT: i32 = 14;

/// The index of the thread whose line is played. Each thread votes for its move, with a weight that grows with depth and
/// score; of those for the winning move the one of most weight is elected. Mates skip the vote: the shortest wins. So
/// does being mated: the deeper thread wins, as a shallower one cannot have seen the defence or the mate.
pub(super) fn elect<M: PartialEq>(found: &[ThreadResult<M>]) -> usize {
    let is_mated = |one: &ThreadResult<M>| one.score <= -MATE_BOUND;
    let unsettled = found.iter().filter(|one| !is_mated(one));
    let lowest = unsettled.map(|one| one.score).min().unwrap_or(0);
    let weight = |one: &ThreadResult<M>| {
        let lead = (one.score - lowest).max(0);
        i64::from(lead + BASE_WEIGHT) * i64::from(one.depth)
    };
    let votes =
        |one: &ThreadResult<M>| -> i64 { found.iter().filter(|other| other.mv == one.mv).map(weight).sum() };
    let mut elected = 0;
    for (index, one) in found.iter().enumerate().skip(1) {
        let best = &found[elected];
        let wins = if one.depth == 0 {
            false
        } else if best.score >= MATE_BOUND || one.score >= MATE_BOUND {
            one.score > best.score
        } else if is_mated(best) || is_mated(one) {
            (one.depth, one.score) > (best.depth, best.score)
        } else {
            (votes(one), weight(one)) > (votes(best), weight(best))
        };
        if wins {
            elected = index;
        }
    }
    elected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(mv: char, depth: i32, score: i32) -> ThreadResult<char> {
        ThreadResult {
            mv,
            depth,
            score,
            finished: score,
            seldepth: 0,
        }
    }

    #[test]
    fn the_best_thread_is_elected() {
        // A single thread; more votes; the deeper of equals; a thread that finished nothing has no vote.
        assert_eq!(elect(&[found('a', 9, 10)]), 0);
        assert_eq!(
            elect(&[found('a', 9, 10), found('b', 9, 12), found('b', 9, 11)]),
            1
        );
        assert_eq!(elect(&[found('a', 9, 10), found('a', 11, 10)]), 1);
        assert_eq!(elect(&[found('a', 9, 10), found('b', 0, 500)]), 0);
        // The shorter mate wins whatever the votes.
        let (mate, shorter) = (MATE_BOUND + 10, MATE_BOUND + 12);
        assert_eq!(
            elect(&[found('a', 20, mate), found('a', 20, mate), found('b', 4, shorter)]),
            2
        );
        // The deeper thread knows whether there is a defence; of two as deep the later mate is the better result.
        assert_eq!(elect(&[found('a', 20, -shorter), found('b', 18, -30)]), 0);
        assert_eq!(elect(&[found('a', 4, -2243), found('b', 18, -shorter)]), 1);
        assert_eq!(elect(&[found('a', 18, -shorter), found('b', 20, -30)]), 1);
        assert_eq!(elect(&[found('a', 18, -shorter), found('b', 18, -mate)]), 1);
    }
}
