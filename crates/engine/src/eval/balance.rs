//! Evaluation by term for people: what each adds for one side, and which matter most.

use std::{array, cmp::Reverse};

use super::{
    accumulator::{EvalAccumulator, OverriddenScore},
    classical::{Term, Terms},
    fifty_move_scaled, pawns,
    score_pair::ScorePair,
};
use crate::{movegen::captures, node::Node, overrides::EngineOverrides, see};
use sparring_chess::{Color, Position, Rules as _, Variant, units::Centipawns};

/// At most this many terms are named.
const NAMED: usize = 4;
/// A term is named from this many centipawns on.
const NOTICED: i32 = 10;
/// A term is not named beside one this many times as large: piece squares do not matter where a queen is missing.
const OUTWEIGHED: i32 = 10;
/// A capture that gains this many centipawns is due. A bishop taken for a knight gains less, and settles nothing.
const GAIN: i32 = 50;

/// The static evaluation of a position, by term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BalanceResult {
    /// The evaluation by term.
    Balance(Balance),
    /// None: the side to move is in check.
    InCheck,
    /// None: the side to move gains by a capture or a promotion, so the sum counts pieces that are about to go.
    CaptureDue,
}

/// An evaluation for one side as the sum of its terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// Every term, in the order of [`term_names`].
    pub shares: [TermShare; Term::ALL.len()],
    /// Indices in `shares` of the terms that matter most, the largest first: four at most, and none where nothing stands
    /// out. Never the tempo bonus, which is the same in every position.
    pub named: Vec<usize>,
    /// Their sum: the evaluation without the NNUE correction, which no term explains.
    pub total: Centipawns,
}

/// The part of a term in an evaluation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TermShare {
    /// Its score for the side of the balance.
    pub own: Centipawns,
    /// Its score for the other side.
    pub theirs: Centipawns,
}

impl TermShare {
    /// The difference, for the side of the balance.
    #[must_use]
    pub fn balance(self) -> Centipawns {
        Centipawns(self.own.0 - self.theirs.0)
    }
}

/// The names of the terms, in the order of display.
pub fn term_names() -> impl ExactSizeIterator<Item = &'static str> {
    Term::ALL.into_iter().map(|(_, name)| name)
}

/// Evaluates a position for the side `us`, with a personality's weights where it has any. None where no move is legal,
/// and in variants without terms.
#[must_use]
pub fn evaluation_balance(
    pos: &Position,
    variant: Variant,
    us: Color,
    overrides: Option<&EngineOverrides>,
) -> Option<BalanceResult> {
    if !variant.traits().standard_eval || pos.legal_moves().is_empty() {
        return None;
    }
    let node = Node::new(pos, Variant::Standard.traits());
    Some(if node.in_check() {
        BalanceResult::InCheck
    } else if is_capture_due(&node) {
        BalanceResult::CaptureDue
    } else {
        BalanceResult::Balance(match overrides.and_then(EngineOverrides::weights) {
            Some(weights) => balance(&node, us, terms::<OverriddenScore<'_>>(&node, weights)),
            None => balance(&node, us, terms::<ScorePair>(&node, ())),
        })
    })
}

fn is_capture_due(node: &Node) -> bool {
    let mut is_due = false;
    captures(node, &mut |mv| {
        is_due |= see::gains_at_least(node.board(), node.turn, mv, GAIN);
    });
    is_due
}

/// The score of every term for each side, by either kind of weights.
fn terms<T: EvalAccumulator>(node: &Node, weights: T::Weights) -> Terms<ScorePair> {
    let structure = pawns::evaluate_pawns::<T>(node.board(), weights);
    let terms = Terms::of(node, &structure, weights);
    Terms {
        by_term: terms.by_term.map(|score| score.map(|sum| sum.score())),
        phase: terms.phase,
        scales: terms.scales,
        known: terms.known,
    }
}

/// A share is the change of the evaluation when its term is added to those before it, so that the shares add up to the
/// evaluation despite rounding.
fn balance(node: &Node, us: Color, terms: Terms<ScorePair>) -> Balance {
    let so_far = |sum: ScorePair| fifty_move_scaled(terms.blend(sum), &node.pos);
    let mut sum = ScorePair::ZERO;
    let shares = array::from_fn(|place| {
        let score = &terms.by_term[place];
        let before = so_far(sum);
        sum += *score.get(us);
        let between = so_far(sum);
        sum -= *score.get(!us);
        TermShare {
            own: Centipawns(between - before),
            theirs: Centipawns(between - so_far(sum)),
        }
    });
    Balance {
        named: named(&shares),
        total: Centipawns(so_far(sum)),
        shares,
    }
}

fn named(shares: &[TermShare]) -> Vec<usize> {
    let weight = |place: &usize| shares[*place].balance().0.abs();
    let mut places: Vec<usize> = (0..shares.len())
        .filter(|place| *place != Term::TheMove as usize)
        .collect();
    places.sort_by_key(|place| Reverse(weight(place)));
    let most = places.first().map_or(0, weight);
    places.retain(|place| weight(place) >= NOTICED && weight(place) * OUTWEIGHED >= most);
    places.truncate(NAMED);
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Params, WeightChange, WeightOverrides,
        eval::{Evaluator, PawnTable},
        weight_rows,
    };
    use sparring_chess::parse_fen;

    fn of(fen: &str, us: Color) -> Option<BalanceResult> {
        evaluation_balance(
            &parse_fen(Variant::Standard, fen).unwrap(),
            Variant::Standard,
            us,
            None,
        )
    }

    fn balance_of(fen: &str, us: Color) -> Balance {
        match of(fen, us) {
            Some(BalanceResult::Balance(balance)) => balance,
            other => panic!("{fen}: {other:?}"),
        }
    }

    /// The named terms and what they add.
    fn named_terms(balance: &Balance) -> Vec<(&'static str, i32)> {
        let names: Vec<_> = term_names().collect();
        let share = |place: &usize| (names[*place], balance.shares[*place].balance().0);
        balance.named.iter().map(share).collect()
    }

    proptest! {
        #[test]
        fn the_shares_add_up_to_the_evaluation_and_are_the_other_sides_reversed(
            choices in prop::collection::vec(any::<usize>(), 1..160),
        ) {
            let mut pos = Variant::Standard.start();
            for choice in choices {
                let moves = pos.legal_moves();
                if moves.is_empty() {
                    break;
                }
                pos.play_unchecked(moves[choice % moves.len()]);
                let turn = pos.turn();
                let both = [turn, !turn].map(|us| evaluation_balance(&pos, Variant::Standard, us, None));
                let [Some(BalanceResult::Balance(mine)), Some(BalanceResult::Balance(theirs))] = both else {
                    continue;
                };
                let node = Node::new(&pos, Variant::Standard.traits());
                let value = Evaluator::for_variant(Variant::Standard).evaluate(&node, &mut PawnTable::new());
                let sum: i32 = mine.shares.iter().map(|share| share.balance().0).sum();
                prop_assert_eq!((sum, mine.total, theirs.total), (value, Centipawns(value), Centipawns(-value)));
            }
        }
    }

    #[test]
    fn what_matters_most_is_named_first_and_the_move_never() {
        // White has a passed pawn near its goal, Black a bare king.
        let far = "6k1/5ppp/1P6/8/8/8/5PPP/6K1 w - - 0 1";
        let names = named_terms(&balance_of(far, Color::White));
        assert_eq!(names[0].0, "passed pawns", "{names:?}");
        assert!(names[0].1 > 100 && names.len() <= NAMED, "{names:?}");
        let weights: Vec<i32> = names.iter().map(|(_, balance)| balance.abs()).collect();
        assert!(weights.is_sorted_by(|a, b| a >= b), "{names:?}");
        assert!(
            weights
                .iter()
                .all(|weight| *weight >= NOTICED && weight * OUTWEIGHED >= weights[0])
        );

        let start = balance_of("startpos", Color::White);
        assert_eq!(named_terms(&start), [], "nothing stands out but the move");
        assert!(start.total.0 > 0 && start.shares[Term::TheMove as usize].own == start.total);
    }

    #[test]
    fn the_balance_is_mirrored_for_the_other_side() {
        let fen = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQR1K1 b - - 4 8";
        let (white, black) = (balance_of(fen, Color::White), balance_of(fen, Color::Black));
        assert_eq!(white.named, black.named);
        assert_eq!(white.total, -black.total);
        for (mine, theirs) in white.shares.iter().zip(&black.shares) {
            let apart = mine.balance().0 + theirs.balance().0;
            assert!(apart.abs() <= 1, "rounding alone: {mine:?} {theirs:?}");
        }
    }

    #[test]
    fn no_term_is_named_where_nothing_stands_out() {
        let check = "rnbqkbnr/ppppp1pp/8/5p1Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2";
        assert_eq!(of(check, Color::White), Some(BalanceResult::InCheck));
        // A knight on d5 that a pawn may take.
        let taken = "rnbqkb1r/pppppppp/8/3n4/2P5/8/PP1PPPPP/RNBQKBNR w KQkq - 0 3";
        assert_eq!(of(taken, Color::Black), Some(BalanceResult::CaptureDue));
        let promotes = "8/4P2k/8/8/8/8/8/K7 w - - 0 1";
        assert_eq!(of(promotes, Color::White), Some(BalanceResult::CaptureDue));
        // The same with the other side to move, which is just as lost but for one move.
        assert!(matches!(
            of("8/4P2k/8/8/8/8/8/K7 b - - 0 1", Color::White),
            Some(BalanceResult::Balance(_))
        ));
        // A knight that a bishop may take, and a pawn the bishop.
        let traded = "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5";
        assert!(matches!(
            of(traded, Color::White),
            Some(BalanceResult::Balance(_))
        ));
        let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        assert_eq!(of(mate, Color::White), None);
        assert_eq!(
            of("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Color::White),
            None,
            "stalemate"
        );
        for variant in Variant::ALL
            .into_iter()
            .filter(|variant| !variant.traits().standard_eval)
        {
            assert_eq!(
                evaluation_balance(&variant.start(), variant, Color::White, None),
                None,
                "{variant}"
            );
        }
    }

    #[test]
    fn overridden_weights_change_the_balance() {
        let far = "6k1/5ppp/1P6/8/8/8/5PPP/6K1 w - - 0 1";
        let pos = parse_fen(Variant::Standard, far).unwrap();
        let mut weights = WeightOverrides::default();
        for row in weight_rows()
            .iter()
            .filter(|row| row.key.starts_with("passed") || row.key == "unstoppable")
        {
            weights.set(row, &WeightChange::Percent(0)).unwrap();
        }
        let overrides = EngineOverrides::new(Params::default(), weights);
        let Some(BalanceResult::Balance(own)) =
            evaluation_balance(&pos, Variant::Standard, Color::White, Some(&overrides))
        else {
            panic!("{far}")
        };
        assert_eq!(own.shares[Term::Passed as usize], TermShare::default());
        let engines = balance_of(far, Color::White);
        assert_ne!(engines.shares[Term::Passed as usize], TermShare::default());
        let node = Node::new(&pos, Variant::Standard.traits());
        let value = Evaluator::for_variant(Variant::Standard)
            .with_weights(overrides.weights())
            .evaluate(&node, &mut PawnTable::new());
        assert_eq!(own.total, Centipawns(value));
    }
}
