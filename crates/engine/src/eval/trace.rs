//! Evaluation trace: the evaluation by term and weight row, as a table for people.

use std::fmt;

use super::{
    Evaluator, PawnTable,
    accumulator::{Coefficients, EvalAccumulator as _, OverriddenScore},
    classical::{FULL_PHASE, Term, Terms, halves},
    fifty_move_scaled, pawns,
    weight::WeightRow,
    weight_overrides::WeightOverrides,
    weights::ROWS,
};
use crate::{node::Node, overrides::EngineOverrides, params::Params, search_request::SearchRequest};
use sparring_chess::{ByColor, units::Centipawns};

/// One term of an evaluation: for each side, the middle game and endgame scores, in centipawns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceRow {
    /// What the term is about.
    pub name: &'static str,
    /// White's score.
    pub white: (i32, i32),
    /// Black's score.
    pub black: (i32, i32),
    /// Its non-zero parts; they add up to the score, but for points of danger.
    pub parts: Vec<TracePart>,
}

/// The part of a row of weights in a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracePart {
    /// The row's name in settings.
    pub name: &'static str,
    /// White's score.
    pub white: (i32, i32),
    /// Black's score.
    pub black: (i32, i32),
    /// In points of danger, of which a curve makes centipawns, and not in centipawns.
    pub is_danger: bool,
}

/// An evaluation by term. Displays as a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The terms; none for variants without terms.
    pub rows: Vec<TraceRow>,
    /// How much of the middle game is left, in percent.
    pub phase: i32,
    /// The scales of the middle game and endgame scores, in percent: less where a draw is near.
    pub scales: [i32; 2],
    /// The NNUE correction for White; none where the net is not used.
    pub net: Option<Centipawns>,
    /// The fifty-move scaling of it all, in percent.
    pub faded: i32,
    /// The evaluation for White, tempo bonus included.
    pub total: Centipawns,
}

/// The evaluation of a search's position by term, as that search evaluates it where the engine's own parameters are
/// `params`; without style bonuses and handicap.
#[must_use]
pub fn trace(search: &SearchRequest, params: &Params) -> Trace {
    let (pos, variant) = (search.line.position(), search.line.variant());
    let node = Node::new(pos, variant.traits());
    let own = search.overrides.as_deref().and_then(EngineOverrides::weights);
    let (evaluator, mut pawns) = (
        Evaluator::for_variant(variant).with_weights(own),
        PawnTable::new(),
    );
    let white = |value: i32| Centipawns(node.turn.fold_wb(value, -value));
    let classical = white(evaluator.evaluate(&node, &mut pawns));
    let whole = search
        .uses_net(params)
        .then(|| white(evaluator.evaluate_with_net(&node, &mut pawns)));
    let net = whole.map(|whole| Centipawns(whole.0 - classical.0));
    let total = whole.unwrap_or(classical);
    let faded = fifty_move_scaled(100, pos);
    if !variant.traits().standard_eval {
        return Trace {
            rows: Vec::new(),
            phase: 100,
            scales: [100; 2],
            net: None,
            faded,
            total,
        };
    }
    let engines = WeightOverrides::default();
    let weights = own.unwrap_or(&engines);
    let structure = pawns::evaluate_pawns::<OverriddenScore<'_>>(node.board(), weights);
    let terms = Terms::of(&node, &structure, weights);
    let structure = pawns::evaluate_pawns::<Coefficients>(node.board(), ());
    let counts = Terms::of(&node, &structure, ());
    let row = |(term, name)| {
        let sums = &terms.by_term[term as usize];
        TraceRow {
            name,
            white: halves(sums.white.score()),
            black: halves(sums.black.score()),
            parts: parts(&counts.by_term[term as usize], weights),
        }
    };
    Trace {
        rows: Term::ALL.into_iter().map(row).collect(),
        phase: terms.phase * 100 / FULL_PHASE,
        scales: terms.scales.map(|scale| scale * 100 / 64),
        net,
        faded,
        total,
    }
}

/// The non-zero parts of a term, by row of weights.
fn parts(sums: &ByColor<Coefficients>, weights: &WeightOverrides) -> Vec<TracePart> {
    let mut parts = list(sums, false, weights);
    let danger = |sum: &Coefficients| {
        let mut all = Coefficients::empty(());
        sum.dangers.iter().for_each(|(danger, _)| all.add_all(danger, 1));
        all
    };
    let dangers = ByColor {
        white: danger(&sums.white),
        black: danger(&sums.black),
    };
    let cost = |sum: &Coefficients| {
        let linear = Coefficients {
            dangers: Vec::new(),
            ..sum.clone()
        };
        halves(sum.score_with(weights) - linear.score_with(weights))
    };
    let (white, black) = (cost(&sums.white), cost(&sums.black));
    if (white, black) != Default::default() {
        parts.push(TracePart {
            name: "danger to the king",
            white,
            black,
            is_danger: false,
        });
    }
    parts.extend(list(&dangers, true, weights));
    parts
}

/// The rows of weights that count in a linear sum, and its constant part.
fn list(sums: &ByColor<Coefficients>, is_danger: bool, weights: &WeightOverrides) -> Vec<TracePart> {
    let counts = |sum: &Coefficients, row: &WeightRow| {
        let mut own = sum.counts.clone();
        own.retain(|(place, _)| (row.first..row.first + row.length).contains(&usize::from(*place)));
        Coefficients {
            counts: own,
            ..Coefficients::empty(())
        }
    };
    let fixed = |sum: &Coefficients| Coefficients {
        fixed: sum.fixed,
        ..Coefficients::empty(())
    };
    let rows = ROWS
        .iter()
        .map(|row| (row.key, counts(&sums.white, row), counts(&sums.black, row)));
    let known = ("known endings", fixed(&sums.white), fixed(&sums.black));
    let nothing = Coefficients::empty(());
    rows.chain([known])
        .filter(|(_, white, black)| *white != nothing || *black != nothing)
        .map(|(name, white, black)| TracePart {
            name,
            white: halves(white.score_with(weights)),
            black: halves(black.score_with(weights)),
            is_danger,
        })
        .collect()
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pawns = |cp: i32| Centipawns(cp).to_string();
        let points = |points: i32| format!("{points} p");
        writeln!(f, "{:<25} {:>15}  {:>15}", "term", "white", "black")?;
        writeln!(
            f,
            "{:<25} {:>7} {:>7}  {:>7} {:>7}",
            "", "middle", "end", "middle", "end"
        )?;
        let mut line = |name: &str, show: &dyn Fn(i32) -> String, white: (i32, i32), black: (i32, i32)| {
            let cells = [white.0, white.1, black.0, black.1].map(show);
            let [white_mg, white_eg, black_mg, black_eg] = cells;
            writeln!(
                f,
                "{name:<25} {white_mg:>7} {white_eg:>7}  {black_mg:>7} {black_eg:>7}"
            )
        };
        for row in &self.rows {
            line(row.name, &pawns, row.white, row.black)?;
            for part in &row.parts {
                let (indent, show): (_, &dyn Fn(i32) -> String) = if part.is_danger {
                    ("    ", &points)
                } else {
                    ("  ", &pawns)
                };
                let name = format!("{indent}{}", part.name.replace('_', " "));
                line(&name, show, part.white, part.black)?;
            }
        }
        let [middle, end] = self.scales;
        writeln!(
            f,
            "middle game left {} %; of it counts {middle} %, of the endgame {end} %; so near the fifty-move rule {} % of all",
            self.phase, self.faded
        )?;
        writeln!(f, "p: points of danger, of which a curve makes pawns")?;
        if let Some(net) = self.net {
            writeln!(f, "the net corrects all this by {net}")?;
        }
        write!(f, "total {} for white", self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Handicap, Limits, WeightChange};
    use sparring_chess::{GameHistory, Variant};
    use std::sync::Arc;

    #[test]
    fn the_parts_are_shown_with_their_names() {
        let trace = traced("4k3/8/8/4P3/8/8/8/4K3 b - - 0 1", None);
        assert_eq!(trace.rows.len(), 10);
        let passed = trace.rows.iter().find(|row| row.name == "passed pawns").unwrap();
        assert!(passed.white.1 > 20 && passed.black == (0, 0));
        let text = trace.to_string();
        assert!(
            text.contains("king safety") && text.ends_with("for white"),
            "{text}"
        );
    }

    /// Positions in which all kinds of terms count, each with a part that must be shown.
    const SHOWN: [(&str, &str); 3] = [
        (
            "r1bq1rk1/ppp1bppp/2np1n2/4p3/2B1P3/2NP1N1P/PPP2PP1/R1BQ1RK1 w - - 0 1",
            "king squares",
        ),
        (ATTACKED, "king squares"),
        ("8/2k5/8/8/8/8/1Q6/K7 w - - 0 1", "known endings"),
    ];
    const ATTACKED: &str = "3r1rk1/pp3ppq/8/3pN3/3P2b1/2P1R3/PP3PQP/4R1K1 b - - 0 1";

    fn search(fen: &str) -> SearchRequest {
        let line = GameHistory::replay(Variant::Standard, fen, "").unwrap();
        SearchRequest::new(line, Limits::default())
    }

    fn traced(fen: &str, overrides: Option<&EngineOverrides>) -> Trace {
        let search = SearchRequest {
            overrides: overrides.cloned().map(Arc::new),
            ..search(fen)
        };
        trace(&search, &Params::default())
    }

    fn assert_that_parts_add_up(trace: &Trace, fen: &str) {
        for row in &trace.rows {
            let sum = |of: fn(&TracePart) -> (i32, i32)| {
                let centipawns = row.parts.iter().filter(|part| !part.is_danger).map(of);
                centipawns.fold((0, 0), |(mg, eg), own| (mg + own.0, eg + own.1))
            };
            assert_eq!(sum(|part| part.white), row.white, "{} of {fen}", row.name);
            assert_eq!(sum(|part| part.black), row.black, "{} of {fen}", row.name);
        }
    }

    #[test]
    fn every_weight_that_counts_is_shown_and_the_parts_add_up() {
        for (fen, shown) in SHOWN {
            let trace = traced(fen, None);
            assert_that_parts_add_up(&trace, fen);
            let text = trace.to_string();
            assert!(text.contains("  material") && text.contains(shown), "{text}");
        }
        let attacked = traced(ATTACKED, None);
        let parts = attacked.rows.iter().flat_map(|row| &row.parts);
        assert!(parts.clone().any(|part| part.name == "danger to the king"));
        assert!(parts.clone().any(|part| part.is_danger));
    }

    #[test]
    fn the_rows_add_up_to_the_total_by_the_footer() {
        for fen in [
            "r1bq1rk1/ppp1bppp/2np1n2/4p3/2B1P3/2NP1N1P/PPP2PP1/R1BQ1RK1 w - - 0 1",
            "3r1rk1/pp3ppq/8/3pN3/3P2b1/2P1R3/PP3PQP/4R1K1 b - - 40 1",
            "3rk3/8/8/8/8/8/8/2BRK3 w - - 0 1",
            "3rk3/8/8/8/8/8/8/2BRK3 w - - 60 1",
            "3rk3/5b2/8/8/8/2B5/PP6/3RK3 w - - 99 1",
        ] {
            let trace = traced(fen, None);
            let sum = |half: fn((i32, i32)) -> i32| -> i32 {
                let rows = trace.rows.iter();
                rows.map(|row| half(row.white) - half(row.black)).sum()
            };
            let (middle, end) = (sum(|score| score.0), sum(|score| score.1));
            let [of_middle, of_end] = trace.scales;
            let whole = middle * trace.phase * of_middle + end * (100 - trace.phase) * of_end;
            let total = whole / 10_000 * trace.faded / 100 + trace.net.map_or(0, |net| net.0);
            // Each percentage is rounded.
            let allowed = 2 + (middle.abs() + end.abs()) / 50;
            assert!(
                total.abs_diff(trace.total.0) <= allowed.unsigned_abs(),
                "{total} of {fen}: {trace}"
            );
        }
    }

    #[test]
    fn the_net_correction_is_shown_where_it_is_used() {
        let fen = SHOWN[0].0;
        let with = traced(fen, None);
        let unasked = [
            trace(
                &search(fen),
                &Params {
                    net: 0,
                    ..Params::default()
                },
            ),
            traced(
                fen,
                Some(&EngineOverrides::new(
                    Params {
                        net: 0,
                        ..Params::default()
                    },
                    WeightOverrides::default(),
                )),
            ),
            trace(
                &SearchRequest {
                    classical_only: true,
                    ..search(fen)
                },
                &Params::default(),
            ),
            trace(
                &SearchRequest {
                    handicap: Handicap {
                        noise: Centipawns(30),
                        ..Handicap::default()
                    },
                    ..search(fen)
                },
                &Params::default(),
            ),
        ];
        for without in unasked {
            assert_eq!(without.net, None);
            assert_eq!(Some(Centipawns(with.total.0 - without.total.0)), with.net);
            assert!(!without.to_string().contains("the net"), "{without}");
        }
        assert!(
            with.to_string().contains("the net corrects all this by "),
            "{with}"
        );
    }

    #[test]
    fn weights_of_ones_own_are_what_is_shown() {
        let mut own = WeightOverrides::default();
        for row in ROWS {
            own.set(row, &WeightChange::Percent(150)).unwrap();
        }
        let overrides = EngineOverrides::new(Params::default(), own);
        for (fen, _) in SHOWN {
            let (plain, other) = (traced(fen, None), traced(fen, Some(&overrides)));
            assert_that_parts_add_up(&other, fen);
            assert_ne!(plain.total, other.total, "{fen}");
            assert_eq!(other.net, None, "{fen}");
            let material = |trace: &Trace| trace.rows[0].white.0;
            let grown = material(&other) * 100 / material(&plain);
            assert!((148..=152).contains(&grown), "{grown} % of {fen}");
        }
    }
}
