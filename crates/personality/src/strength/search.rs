//! Carries out a strength request: the search, the human choice among its moves, and the blunder check.

use super::{
    blunder_check::{Spent, correction},
    levels::{BlunderCheck, HumanChoice},
    request::StrengthRequest,
    temperature::sharpen,
};
use crate::{
    human_model::{Candidate, Context, Model, RootScores, ScoredMove, draw, luck, winning_chances},
    style::{Axis, Style},
};
use sparring_chess::{
    Move,
    units::{Centipawns, Depth},
};
use sparring_engine::{
    BoundKind, Engine, Line, Score, SearchControl, SearchEvent, SearchRequest, SearchResult,
};

/// Result of a request.
#[derive(Debug, Clone, Default)]
pub struct StrengthResult {
    /// Result of the search, the line to play first. Nodes and time count all searches.
    pub report: SearchResult,
    /// How the human choice was made; `None` for the best move.
    pub chosen: Option<HumanPick>,
}

/// A move chosen by the human model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HumanPick {
    /// The chance (0 to 1) that it had.
    pub chance: f32,
    /// The parameters of the choice.
    pub choice: HumanChoice,
    /// Whether the blunder check replaced the drawn move by the best one.
    pub corrected: bool,
    /// The effect of the style; `None` without a style.
    pub style_effect: Option<StyleEffect>,
    /// The moves that the network alone finds likeliest, most likely first; their `chance` is that of the draw.
    pub likeliest: [Option<Candidate>; LIKELIEST],
}

/// How many of the likeliest moves a pick lists.
pub const LIKELIEST: usize = 5;

/// The effect of style on a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StyleEffect {
    /// The chance (0 to 1) of the drawn move without the style.
    pub chance_without_style: f32,
    /// The axes that made the move more likely, strongest first.
    pub axes: [Option<Axis>; 2],
}

/// Carries out a request. Equal requests give equal results unless time or a stop ends a search: human-like levels start
/// with an empty transposition table, and randomness follows from seed, position and ply.
///
/// `on_event` receives the events of the main search, not of the blunder check.
pub fn choose_move(
    engine: &mut Engine,
    request: &StrengthRequest,
    control: &SearchControl<'_>,
    on_event: &mut dyn FnMut(SearchEvent<'_>),
) -> StrengthResult {
    let mut report = SearchResult::default();
    let Some(choice) = request.choice else {
        engine.search_into(&request.search, control, on_event, &mut report);
        return StrengthResult { report, chosen: None };
    };
    let scored = search_root_moves(engine, request, control, on_event, &mut report);
    let check = draw_blunder_check(request, choice, &scored, request.seed);
    let Some(drawing) = draw_move(request, choice, check, &scored) else {
        return StrengthResult { report, chosen: None };
    };
    let mut spent = Spent::default();
    spent.add(&report);
    let correction = match (check, request.check_limits) {
        (Some(check), Some(limits)) if scored.len() > 1 => correction(
            engine,
            request,
            control,
            drawing.drawn.mv,
            check.margin,
            limits,
            &mut spent,
        ),
        _ => None,
    };
    let chosen = HumanPick {
        chance: drawing.drawn.chance,
        choice,
        corrected: correction.is_some(),
        style_effect: drawing.effect,
        likeliest: drawing.likeliest,
    };
    match correction {
        Some(better) => report = better,
        None => put_first(&mut report, drawing.drawn.mv),
    }
    (report.nodes, report.elapsed) = (spent.nodes, spent.time);
    StrengthResult {
        report,
        chosen: Some(chosen),
    }
}

/// Searches all root moves into `report` and returns their scores at both depths.
pub(super) fn search_root_moves(
    engine: &mut Engine,
    request: &StrengthRequest,
    control: &SearchControl<'_>,
    on_event: &mut dyn FnMut(SearchEvent<'_>),
    report: &mut SearchResult,
) -> Vec<ScoredMove> {
    // An empty table makes equal requests give equal results. Clearing a large table takes some of the time.
    let began = control.clock.elapsed();
    engine.clear();
    let clearing = control.clock.elapsed() - began;
    let search = SearchRequest {
        limits: request.search.limits.after(clearing),
        ..request.search.clone()
    };
    let mut scores = RootScores::default();
    let mut record = |event: SearchEvent<'_>| {
        if let SearchEvent::Iteration(report) = &event {
            scores.record(report);
        }
        on_event(event);
    };
    engine.search_into(&search, control, &mut record, report);
    report.elapsed += clearing;
    scores.scored(report)
}

/// The blunder check of this move; `None` if it gets none. Drawn from seed, position and ply.
pub(super) fn draw_blunder_check(
    request: &StrengthRequest,
    choice: HumanChoice,
    scored: &[ScoredMove],
    seed: u64,
) -> Option<BlunderCheck> {
    // Makes this draw independent of the draw of the move.
    const SALT: u64 = 0x6361_7265;
    let best = scored.iter().map(|each| winning_chances(each.deep));
    let best = f64::from(best.fold(0.0, f32::max));
    let luck = f64::from(luck(&request.search.line, seed ^ SALT));
    choice.blunder_check.filter(|check| luck < check.chance(best))
}

/// A drawn move, and what it was drawn from.
struct Drawing {
    drawn: Candidate,
    effect: Option<StyleEffect>,
    likeliest: [Option<Candidate>; LIKELIEST],
}

/// Draws a move by the human model.
fn draw_move(
    request: &StrengthRequest,
    choice: HumanChoice,
    check: Option<BlunderCheck>,
    scored: &[ScoredMove],
) -> Option<Drawing> {
    let line = &request.search.line;
    let unstyled = unstyled_candidates(request, choice, check, scored);
    let mut candidates = unstyled.clone();
    request.style.apply(&mut candidates, line);
    let drawn = draw(&candidates, line, request.seed)?;
    let chance_without_style = unstyled.iter().find(|each| each.mv == drawn.mv)?.chance;
    let effect = (request.style != Style::default()).then(|| StyleEffect {
        chance_without_style,
        axes: request.style.reasons_for(drawn.mv, line),
    });
    candidates.sort_by(|a, b| b.prior.total_cmp(&a.prior));
    let mut likeliest = candidates.into_iter();
    Some(Drawing {
        drawn,
        effect,
        likeliest: std::array::from_fn(|_| likeliest.next()),
    })
}

/// The candidates and their chances before the style applies.
pub(super) fn unstyled_candidates(
    request: &StrengthRequest,
    choice: HumanChoice,
    check: Option<BlunderCheck>,
    scored: &[ScoredMove],
) -> Vec<Candidate> {
    let (line, player) = (&request.search.line, Context::rated(choice.rating));
    let model = request.model.as_deref().unwrap_or_else(|| Model::shipped());
    let mut candidates = model.chances(line, &player, scored);
    if !request.search.search_moves.is_empty() {
        candidates.retain(|candidate| request.search.search_moves.contains(&candidate.mv));
    }
    let sharpness = check.map_or(choice.sharpness, |check| check.sharpness);
    sharpen(&mut candidates, sharpness as f32, scored);
    candidates
}

/// Moves the line of a move to the front. A move without a line gets one with the score of the worst.
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
                bound: BoundKind::AtMost,
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
            choice: Some(HumanChoice {
                rating: Elo(rating),
                sharpness,
                blunder_check: margin.map(|margin| BlunderCheck {
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

    fn result(engine: &mut Engine, params: &LevelParams, line: &GameHistory, seed: u64) -> StrengthResult {
        let control = SearchControl {
            stop: &Stop::new(),
            clock: &Stopwatch::start(),
        };
        let request = request_with(params, line.clone(), None, seed);
        choose_move(engine, &request, &control, &mut |_| {})
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
                let again = result(&mut Engine::new(1), &params, &line, seed);
                let result = result(&mut warm, &params, &line, seed);
                assert_eq!(result.report.lines, again.report.lines);
                result.report.best()
            })
            .collect();
        assert!(moves.iter().any(|mv| *mv != moves[0]), "four seeds, one move");
    }

    /// A clock that goes on by a millisecond whenever it is looked at, and by a hundred between the first two scores.
    struct Slow(Cell<u64>);

    impl TimeSource for Slow {
        fn elapsed(&self) -> Millis {
            let now = self.0.get();
            self.0.set(now + if now == 0 { 100 } else { 1 });
            Millis(now)
        }
    }

    #[test]
    fn clearing_the_table_counts_as_time_of_the_move() {
        let control = SearchControl {
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
        search_root_moves(&mut Engine::new(1), &request, &control, &mut |_| {}, &mut report);
        assert!((110..=112).contains(&report.elapsed.0), "{}", report.elapsed);
    }

    #[test]
    fn the_chosen_line_comes_first_and_no_other_is_lost() {
        let line = line("startpos", ITALIAN);
        for seed in 0..3 {
            let result = result(&mut Engine::new(1), &params(800, 1.0, None), &line, seed);
            assert_eq!(result.report.lines.len(), line.position().legal_moves().len());
            assert!(result.chosen.unwrap().chance > 0.0);
        }
    }

    #[test]
    fn a_move_that_loses_more_than_the_margin_is_not_played() {
        // Some of the rook's squares are attacked: a flat distribution gives it away now and then.
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
                    let result = result(&mut engine, params, &line, seed);
                    let Score::Cp(cp) = result.report.lines[0].score else {
                        return (false, 1000);
                    };
                    (result.chosen.unwrap().corrected, cp.0)
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
    fn a_share_of_the_moves_gets_a_blunder_check() {
        let line = line("6k1/1p3ppp/2p5/8/8/8/2R2PPP/6K1 w - - 0 1", "");
        let careful = |vigilance: f64, ease: f64| {
            let mut choice = params(800, 0.1, Some(5.0)).choice.unwrap();
            choice.blunder_check = choice.blunder_check.map(|check| BlunderCheck {
                vigilance,
                ease,
                ..check
            });
            let request = request_with(&params(800, 0.1, Some(5.0)), line.clone(), None, 0);
            let scored = [400, -900].map(|cp| ScoredMove {
                mv: line.position().legal_moves()[0],
                deep: Score::Cp(Centipawns(cp)),
                shallow: None,
            });
            (0..400)
                .filter(|seed| draw_blunder_check(&request, choice, &scored, *seed).is_some())
                .count()
        };
        assert_eq!((careful(0.0, 0.0), careful(1.0, 0.0)), (0, 400));
        assert!((160..240).contains(&careful(0.5, 0.0)), "{}", careful(0.5, 0.0));
        // A rook up is a decided position.
        assert!((70..130).contains(&careful(0.5, 0.5)), "{}", careful(0.5, 0.5));
    }

    #[test]
    fn the_effect_of_a_style_is_reported() {
        let line = line("startpos", "e2e4 e7e5");
        let control = SearchControl {
            stop: &Stop::new(),
            clock: &Stopwatch::start(),
        };
        let style = Style::default().with(Axis::Pawns, 2);
        let chosen = |style: Style, seed: u64| {
            let request = request_with(&params(1200, 1.0, None), line.clone(), None, seed).in_style(style);
            let result = choose_move(&mut Engine::new(1), &request, &control, &mut |_| {});
            // The chosen move comes first, whatever its score.
            let worth = |line: &Line| winning_chances(line.score);
            let lines = &result.report.lines;
            let lost = lines.iter().map(worth).fold(0.0, f32::max) - worth(&lines[0]);
            (result.report.best().unwrap(), lost, result.chosen.unwrap())
        };
        assert_eq!(chosen(Style::default(), 1).2.style_effect, None);
        let (mut asked, mut pawns) = (0, 0);
        for (mv, lost, chosen) in (0..16).map(|seed| chosen(style, seed)) {
            let effect = chosen.style_effect.unwrap();
            let is_pawn = mv.role() == sparring_chess::Role::Pawn;
            assert_eq!(effect.axes[0], is_pawn.then_some(Axis::Pawns));
            // A style counts less for a pawn move that loses more, so that its share may shrink.
            if !is_pawn || lost < 5.0 {
                assert_eq!(chosen.chance > effect.chance_without_style, is_pawn, "{chosen:?}");
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
    fn all_searches_together_keep_the_node_limit() {
        let line = line("startpos", ITALIAN);
        let control = SearchControl {
            stop: &Stop::new(),
            clock: &Stopwatch::start(),
        };
        let visited = |most: Option<Nodes>, seed: u64| {
            let request = StrengthRequest {
                node_limit: most,
                ..request_with(&params(800, 0.1, Some(5.0)), line.clone(), None, seed)
            };
            let mut first = Nodes(0);
            let mut on_event = |event: SearchEvent<'_>| {
                if let SearchEvent::Iteration(report) = event {
                    first = report.nodes;
                }
            };
            let result = choose_move(&mut Engine::new(1), &request, &control, &mut on_event);
            (first, result.report.nodes)
        };
        for seed in 0..5 {
            let (first, all) = visited(None, seed);
            assert!(first < all, "the check visits nodes of its own");
            let most = Nodes((first.0 + all.0) / 2);
            assert!(visited(Some(most), seed).1 <= most);
        }
    }

    #[test]
    fn a_winning_side_mates_rather_than_shuffles() {
        let line = line("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "");
        let mates = (0..40).filter(|seed| {
            let result = result(&mut Engine::new(1), &params(1200, 1.0, None), &line, *seed);
            let mut after = line.clone();
            after.play(result.report.best().unwrap());
            after.outcome().is_some_and(|ending| ending.winner().is_some())
        });
        assert!(mates.count() >= 30);
    }

    #[test]
    fn without_a_choice_the_best_move_is_played() {
        let line = line("startpos", "");
        let params = LevelParams {
            nodes: Some(Nodes(500)),
            ..LevelParams::default()
        };
        let result = result(&mut Engine::new(1), &params, &line, 1);
        assert_eq!((result.chosen, result.report.lines.len()), (None, 1));
    }

    #[test]
    fn no_move_is_chosen_when_the_game_is_over() {
        let mate = line("startpos", "f2f3 e7e5 g2g4 d8h4");
        let result = result(&mut Engine::new(1), &params(1200, 1.0, None), &mate, 1);
        assert_eq!((result.report.best(), result.chosen), (None, None));
    }
}
