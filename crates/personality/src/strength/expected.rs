//! Averages a request over many seeds: how a level plays on average, with fewer searches.

use super::{
    blunder_check::{Spent, check_search, loss},
    levels::BlunderCheck,
    request::StrengthRequest,
    search::{draw_blunder_check, search_root_moves, unstyled_candidates},
};
use crate::human_model::draw;
use sparring_chess::Move;
use sparring_engine::{Engine, SearchControl, SearchResult};

/// The move of a request for each of these seeds in place of its own; `None` if there is no legal move.
///
/// Searches that do not depend on the seed run once. The moves equal those of [`choose_move`](super::choose_move), except
/// that a check may find entries of other seeds' checks in the transposition table.
pub fn expected_choice(
    engine: &mut Engine,
    request: &StrengthRequest,
    control: &SearchControl<'_>,
    seeds: &[u64],
) -> Vec<Option<Move>> {
    let mut report = SearchResult::default();
    let Some(choice) = request.choice else {
        engine.search_into(&request.search, control, &mut |_| {}, &mut report);
        return vec![report.best(); seeds.len()];
    };
    let scored = search_root_moves(engine, request, control, &mut |_| {}, &mut report);
    let line = &request.search.line;
    let candidates = [None, choice.blunder_check].map(|check| {
        let mut candidates = unstyled_candidates(request, choice, check, &scored);
        request.style.apply(&mut candidates, line);
        candidates
    });
    let drawn: Vec<(Option<Move>, Option<BlunderCheck>)> = seeds
        .iter()
        .map(|seed| {
            let check = draw_blunder_check(request, choice, &scored, *seed);
            let candidates = &candidates[usize::from(check.is_some())];
            (draw(candidates, line, *seed).map(|drawn| drawn.mv), check)
        })
        .collect();
    let without_check = || drawn.iter().map(|(drawn, _)| *drawn).collect();
    let (Some(limits), 2..) = (request.check_limits, scored.len()) else {
        return without_check();
    };
    let mut spent = Spent::default();
    spent.add(&report);
    let Some(best) = check_search(engine, request, control, limits, &mut spent) else {
        return without_check();
    };
    let mut checked: Vec<(Move, bool)> = Vec::new();
    let mut is_refused = |mv: Move, margin: f64| {
        if let Some((_, refused)) = checked.iter().find(|(known, _)| *known == mv) {
            return *refused;
        }
        // Each seed has the limits of a move of its own.
        let mut spent = spent;
        let loss = loss(engine, request, control, mv, &best, limits, &mut spent);
        let refused = loss.is_some_and(|loss| loss > margin);
        checked.push((mv, refused));
        refused
    };
    let played = drawn.iter().map(|(drawn, check)| match (*drawn, check) {
        (Some(mv), Some(check)) if is_refused(mv, check.margin) => best.best(),
        (drawn, _) => drawn,
    });
    played.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strength::{Levels, choose_move, request_with};
    use sparring_chess::{
        GameHistory, Variant,
        units::{Elo, Stopwatch},
    };
    use sparring_engine::Stop;

    #[test]
    fn a_level_plays_with_many_seeds_what_it_plays_with_each() {
        let moves = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6";
        let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
        let control = SearchControl {
            stop: &Stop::new(),
            clock: &Stopwatch::start(),
        };
        let mut engine = Engine::new(1);
        for level in [1000, 1800, 2400] {
            let request =
                |seed| request_with(&Levels::shipped().params(Elo(level)), line.clone(), None, seed);
            let seeds: Vec<u64> = (0..8).collect();
            let often = expected_choice(&mut engine, &request(0), &control, &seeds);
            let each: Vec<Option<Move>> = seeds
                .iter()
                .map(|seed| {
                    choose_move(&mut engine, &request(*seed), &control, &mut |_| {})
                        .report
                        .best()
                })
                .collect();
            assert_eq!(often, each, "{level}");
            assert!(
                often.iter().any(|mv| *mv != often[0]),
                "{level}: eight seeds, one move"
            );
        }
    }
}
