//! Searches one position of a book or game: the best move and its score.

use sparring_chess::{
    Move,
    units::{Centipawns, Stopwatch},
};
use sparring_engine::{Engine, Score, SearchControl, SearchRequest, Stop};

/// What a mate counts in an average, or a single game would decide about all.
const MATE_SCORE: i32 = 1000;

/// The best move of a search and its score for the side to move; none where the game is over.
pub fn search(engine: &mut Engine, request: &SearchRequest) -> Option<(Move, Score)> {
    let control = SearchControl {
        stop: &Stop::new(),
        clock: &Stopwatch::start(),
    };
    let result = engine.search(request, &control, &mut |_| {});
    let best = result.lines.first()?;
    Some((*best.pv.first()?, best.score))
}

/// A score in centipawns, cut off at what a mate counts.
pub fn bounded(score: Score) -> Centipawns {
    match score {
        Score::Cp(cp) => Centipawns(cp.0.clamp(-MATE_SCORE, MATE_SCORE)),
        Score::Mate(moves) if moves < 0 => Centipawns(-MATE_SCORE),
        Score::Mate(_) => Centipawns(MATE_SCORE),
    }
}
