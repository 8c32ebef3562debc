//! Carries out a strength request: the search, the human choice among its moves, and the blunder check.

use super::{
    blunder_check::{Spent, correction},
    levels::{BlunderCheck, Choice},
    request::StrengthRequest,
    temperature::sharpen,
};
use crate::{
    human_model::{Candidate, Model, RootScores, ScoredMove, TimePressure, draw, luck, winning_chances},
    style::{Axis, Style},
};
use sparring_chess::{
    Move,
    units::{Centipawns, Depth},
};
use sparring_engine::{
    BoundKind, Engine, Line, Score, SearchControl, SearchEvent, SearchRequest, SearchResult,
};

/// What came of an order.
#[derive(Debug, Clone, Default)]
pub struct StrengthResult {
    /// What the search found, with the line to play first; nodes and time are those of all searches.
    pub report: SearchResult,
    /// How the move was chosen, where it was chosen as people do.
    pub chosen: Option<HumanPick>,
}

/// A move chosen as people do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HumanPick {
    /// The chance from 0 to 1 that it had.
    pub chance: f32,
    /// The rating of the people.
    pub choice: Choice,
    /// The drawn move lost too much; this is the best one instead.
    pub corrected: bool,
    /// What a style had to do with it; none without one.
    pub styled: Option<StyleEffect>,
}

/// The effect of style on a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StyleEffect {
    /// The chance from 0 to 1 that the drawn move would have had without it.
    pub plainly: f32,
    /// The axes that drew to the move, the strongest first.
    pub axes: [Option<Axis>; 2],
}

/// Carries out a request. Equal requests give equal results unless time or a stop ends a search: human-like levels start
/// with an empty transposition table, and randomness follows from seed, position and ply.
///
/// `tell` receives the events of the main search, not of the blunder check.
pub fn choose_move(
    engine: &mut Engine,
    request: &StrengthRequest,
    around: &SearchControl<'_>,
    tell: &mut dyn FnMut(SearchEvent<'_>),
) -> StrengthResult {
    let mut report = SearchResult::default();
    let Some(choice) = request.choice else {
        engine.search_into(&request.search, around, tell, &mut report);
        return StrengthResult { report, chosen: None };
    };
    let scored = look(engine, request, around, tell, &mut report);
    let care = care(request, choice, &scored, request.seed);
    let Some((drawn, styled)) = drawn(request, choice, care, &scored) else {
        return StrengthResult { report, chosen: None };
    };
    let mut spent = Spent::default();
    spent.add(&report);
    let correction = match (care, request.check) {
        (Some(care), Some(limits)) if scored.len() > 1 => {
            correction(engine, request, around, drawn.mv, care.margin, limits, &mut spent)
        }
        _ => None,
    };
    let chosen = HumanPick {
        chance: drawn.chance,
        choice,
        corrected: correction.is_some(),
        styled,
    };
    match correction {
        Some(better) => report = better,
        None => put_first(&mut report, drawn.mv),
    }
    (report.nodes, report.elapsed) = (spent.nodes, spent.time);
    StrengthResult {
        report,
        chosen: Some(chosen),
    }
}

/// Searches all moves, as the order says, into `report`, and keeps what both looks found of each.
pub(super) fn look(
    engine: &mut Engine,
    request: &StrengthRequest,
    around: &SearchControl<'_>,
    tell: &mut dyn FnMut(SearchEvent<'_>),
    report: &mut SearchResult,
) -> Vec<ScoredMove> {
    // Whatever was searched before, equal orders come to equal thoughts. With a large table that takes some of the time.
    let began = around.clock.elapsed();
    engine.clear();
    let clearing = around.clock.elapsed() - began;
    let search = SearchRequest {
        limits: request.search.limits.after(clearing),
        ..request.search.clone()
    };
    let mut looks = RootScores::default();
    let mut listen = |news: SearchEvent<'_>| {
        if let SearchEvent::Iteration(report) = &news {
            looks.record(report);
        }
        tell(news);
    };
    engine.search_into(&search, around, &mut listen, report);
    report.elapsed += clearing;
    looks.scored(report)
}

/// The care taken with this move in the game with this seed; none where none is.
pub(super) fn care(
    request: &StrengthRequest,
    choice: Choice,
    scored: &[ScoredMove],
    seed: u64,
) -> Option<BlunderCheck> {
    // Apart from the luck that draws the move.
    const APART: u64 = 0x6361_7265;
    let best = scored.iter().map(|each| winning_chances(each.deep));
    let best = f64::from(best.fold(0.0, f32::max));
    let luck = f64::from(luck(&request.search.line, seed ^ APART));
    choice.care.filter(|care| luck < care.chance(best))
}

/// The move that a person plays here with the chance it had, and what the style had to do with it.
fn drawn(
    request: &StrengthRequest,
    choice: Choice,
    care: Option<BlunderCheck>,
    scored: &[ScoredMove],
) -> Option<(Candidate, Option<StyleEffect>)> {
    let line = &request.search.line;
    let plain = plain(request, choice, care, scored);
    let mut candidates = plain.clone();
    request.style.apply(&mut candidates, line);
    let drawn = draw(&candidates, line, request.seed)?;
    let plainly = plain.iter().find(|each| each.mv == drawn.mv)?.chance;
    let styled = (request.style != Style::default()).then(|| StyleEffect {
        plainly,
        axes: request.style.draws_to(drawn.mv, line),
    });
    Some((drawn, styled))
}

/// The moves that a person may play here with their chances, before any style.
pub(super) fn plain(
    request: &StrengthRequest,
    choice: Choice,
    care: Option<BlunderCheck>,
    scored: &[ScoredMove],
) -> Vec<Candidate> {
    let mut candidates =
        Model::shipped().chances(&request.search.line, choice.rating, TimePressure::Calm, scored);
    if !request.search.only.is_empty() {
        candidates.retain(|candidate| request.search.only.contains(&candidate.mv));
    }
    let sharpness = care.map_or(choice.sharpness, |care| care.sharpness);
    sharpen(&mut candidates, sharpness as f32, scored);
    candidates
}

/// Puts the line of a move before all others. A move that the search overlooked gets a line of its own, worth as
/// much as the worst.
fn put_first(report: &mut SearchResult, mv: Move) {
    match report.lines.iter().position(|line| line.pv.first() == Some(&mv)) {
        Some(at) => report.lines[..=at].rotate_right(1),
        None => {
            let (depth, score) = report
                .lines
                .last()
                .map_or((Depth(0), Score::Cp(Centipawns(0))), |line| {
                    (line.depth, line.score)
                });
            let line = Line {
                depth,
                score,
                sureness: BoundKind::AtMost,
                pv: vec![mv],
            };
            report.lines.insert(0, line);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::strength::{LevelParams, request_with};
    use sparring_chess::{
        GameHistory, Rules as _, Variant,
        units::{Elo, Millis, Nodes, Stopwatch, TimeSource},
    };
    use sparring_engine::Stop;

    const ITALIAN: &str = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6";

    fn params(rating: u32, sharpness: f64, margin: Option<f64>) -> LevelParams {
        LevelParams {
            choice: Some(Choice {
                rating: Elo(rating),
                sharpness,
                care: margin.map(|margin| BlunderCheck {
                    vigilance: 1.0,
                    ease: 0.0,
                    sharpness,
                    margin,
                }),
            }),
            nodes: margin.map(|_| Nodes(5000)),
            ..LevelParams::default()
        }
    }

    fn thought(engine: &mut Engine, params: &LevelParams, line: &GameHistory, seed: u64) -> StrengthResult {
        let around = SearchControl {
            stop: &Stop::new(),
            clock: &Stopwatch::start(),
        };
        let request = request_with(params, line.clone(), None, seed);
        choose_move(engine, &request, &around, &mut |_| {})
    }

    fn line(fen: &str, moves: &str) -> GameHistory {
        GameHistory::replay(Variant::Standard, fen, moves).unwrap()
    }

    #[test]
    fn a_seed_means_one_move_whatever_was_searched_before_and_seeds_differ() {
        let line = line("startpos", ITALIAN);
        let params = params(1200, 1.0, Some(30.0));
        let mut warm = Engine::new(1);
        let moves: Vec<Option<Move>> = (0..4)
            .map(|seed| {
                let again = thought(&mut Engine::new(1), &params, &line, seed);
                let thought = thought(&mut warm, &params, &line, seed);
                assert_eq!(thought.report.lines, again.report.lines);
                thought.report.best()
            })
            .collect();
        assert!(moves.iter().any(|mv| *mv != moves[0]), "four seeds, one move");
    }

    /// A clock that goes on by a millisecond whenever it is looked at, and by a hundred between the first two looks.
    struct Slow(Cell<u64>);

    impl TimeSource for Slow {
        fn elapsed(&self) -> Millis {
            let now = self.0.get();
            self.0.set(now + if now == 0 { 100 } else { 1 });
            Millis(now)
        }
    }

    #[test]
    fn emptying_the_table_takes_of_the_time_of_the_move() {
        let around = SearchControl {
            stop: &Stop::new(),
            clock: &Slow(Cell::new(0)),
        };
        let budget = Some((Millis(110), Millis(110)));
        let unlimited = LevelParams {
            nodes: None,
            ..params(1200, 1.0, None)
        };
        let request = request_with(&unlimited, line("startpos", ITALIAN), budget, 1);
        let mut report = SearchResult::default();
        look(&mut Engine::new(1), &request, &around, &mut |_| {}, &mut report);
        assert!((110..=112).contains(&report.elapsed.0), "{}", report.elapsed);
    }

    #[test]
    fn the_chosen_line_comes_first_and_no_other_is_lost() {
        let line = line("startpos", ITALIAN);
        for seed in 0..3 {
            let thought = thought(&mut Engine::new(1), &params(800, 1.0, None), &line, seed);
            assert_eq!(thought.report.lines.len(), line.position().legal_moves().len());
            assert!(thought.chosen.unwrap().chance > 0.0);
        }
    }

    #[test]
    fn a_move_that_loses_more_than_the_margin_is_not_played() {
        // Some of the rook's squares are attacked: a scattered mind gives it away now and then.
        let line = line("6k1/1p3ppp/2p5/8/8/8/2R2PPP/6K1 w - - 0 1", "");
        let careless = params(800, 0.1, None);
        let careful = LevelParams {
            nodes: Some(Nodes(300)),
            ..params(800, 0.1, Some(5.0))
        };
        let mut engine = Engine::new(1);
        let mut losses = |params: &LevelParams| -> Vec<(bool, i32)> {
            (0..90)
                .map(|seed| {
                    let thought = thought(&mut engine, params, &line, seed);
                    let Score::Cp(cp) = thought.report.lines[0].score else {
                        return (false, 1000);
                    };
                    (thought.chosen.unwrap().corrected, cp.0)
                })
                .collect()
        };
        let (free, checked) = (losses(&careless), losses(&careful));
        assert!(free.iter().any(|(_, cp)| *cp < 100), "{free:?}");
        assert!(free.iter().all(|(corrected, _)| !corrected));
        assert!(checked.iter().any(|(corrected, _)| *corrected));
        assert!(checked.iter().all(|(_, cp)| *cp > 100), "{checked:?}");
    }

    #[test]
    fn care_is_taken_of_a_share_of_the_moves_and_not_of_others() {
        let line = line("6k1/1p3ppp/2p5/8/8/8/2R2PPP/6K1 w - - 0 1", "");
        let careful = |vigilance: f64, ease: f64| {
            let mut choice = params(800, 0.1, Some(5.0)).choice.unwrap();
            choice.care = choice.care.map(|care| BlunderCheck {
                vigilance,
                ease,
                ..care
            });
            let request = request_with(&params(800, 0.1, Some(5.0)), line.clone(), None, 0);
            let scored = [400, -900].map(|cp| ScoredMove {
                mv: line.position().legal_moves()[0],
                deep: Score::Cp(Centipawns(cp)),
                shallow: None,
            });
            (0..400)
                .filter(|seed| care(&request, choice, &scored, *seed).is_some())
                .count()
        };
        assert_eq!((careful(0.0, 0.0), careful(1.0, 0.0)), (0, 400));
        assert!((160..240).contains(&careful(0.5, 0.0)), "{}", careful(0.5, 0.0));
        // Whoever is a rook up has won as good as.
        assert!((70..130).contains(&careful(0.5, 0.5)), "{}", careful(0.5, 0.5));
    }

    #[test]
    fn a_style_says_what_it_had_to_do_with_the_choice() {
        let line = line("startpos", "e2e4 e7e5");
        let around = SearchControl {
            stop: &Stop::new(),
            clock: &Stopwatch::start(),
        };
        let style = Style::default().with(Axis::Pawns, 2);
        let chosen = |style: Style, seed: u64| {
            let request = request_with(&params(1200, 1.0, None), line.clone(), None, seed).in_style(style);
            let thought = choose_move(&mut Engine::new(1), &request, &around, &mut |_| {});
            // The chosen move comes first, whatever it is worth.
            let worth = |line: &Line| winning_chances(line.score);
            let lines = &thought.report.lines;
            let lost = lines.iter().map(worth).fold(0.0, f32::max) - worth(&lines[0]);
            (thought.report.best().unwrap(), lost, thought.chosen.unwrap())
        };
        assert_eq!(chosen(Style::default(), 1).2.styled, None);
        let (mut asked, mut pawns) = (0, 0);
        for (mv, lost, chosen) in (0..16).map(|seed| chosen(style, seed)) {
            let styled = chosen.styled.unwrap();
            let is_pawn = mv.role() == sparring_chess::Role::Pawn;
            assert_eq!(styled.axes[0], is_pawn.then_some(Axis::Pawns));
            // For a pawn move that loses more the style speaks less than for others, so that its share may shrink.
            if !is_pawn || lost < 5.0 {
                assert_eq!(chosen.chance > styled.plainly, is_pawn, "{chosen:?}");
                asked += 1;
                pawns += usize::from(is_pawn);
            }
        }
        assert!(
            asked >= 12 && pawns > 0,
            "asked of {asked}, {pawns} of them pawn moves"
        );
    }

    #[test]
    fn all_searches_together_keep_to_the_nodes_of_the_order() {
        let line = line("startpos", ITALIAN);
        let around = SearchControl {
            stop: &Stop::new(),
            clock: &Stopwatch::start(),
        };
        let visited = |most: Option<Nodes>, seed: u64| {
            let request = StrengthRequest {
                most,
                ..request_with(&params(800, 0.1, Some(5.0)), line.clone(), None, seed)
            };
            let mut first = Nodes(0);
            let mut tell = |news: SearchEvent<'_>| {
                if let SearchEvent::Iteration(report) = news {
                    first = report.nodes;
                }
            };
            let thought = choose_move(&mut Engine::new(1), &request, &around, &mut tell);
            (first, thought.report.nodes)
        };
        for seed in 0..5 {
            let (first, all) = visited(None, seed);
            assert!(first < all, "the check visits nodes of its own");
            let most = Nodes((first.0 + all.0) / 2);
            assert!(visited(Some(most), seed).1 <= most);
        }
    }

    #[test]
    fn who_is_winning_by_far_mates_rather_than_shuffles() {
        let line = line("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "");
        let mates = (0..40).filter(|seed| {
            let thought = thought(&mut Engine::new(1), &params(1200, 1.0, None), &line, *seed);
            let mut after = line.clone();
            after.play(thought.report.best().unwrap());
            after.ending().is_some_and(|ending| ending.winner().is_some())
        });
        assert!(mates.count() >= 30);
    }

    #[test]
    fn the_best_of_a_search_needs_no_choice() {
        let line = line("startpos", "");
        let params = LevelParams {
            nodes: Some(Nodes(500)),
            ..LevelParams::default()
        };
        let thought = thought(&mut Engine::new(1), &params, &line, 1);
        assert_eq!((thought.chosen, thought.report.lines.len()), (None, 1));
    }

    #[test]
    fn nobody_moves_when_the_game_is_over() {
        let mate = line("startpos", "f2f3 e7e5 g2g4 d8h4");
        let thought = thought(&mut Engine::new(1), &params(1200, 1.0, None), &mate, 1);
        assert_eq!((thought.report.best(), thought.chosen), (None, None));
    }
}
