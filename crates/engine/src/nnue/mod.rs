//! NNUE correction: a small net that corrects the classical evaluation, trained on self-play.
//!
//! Each side sees the board from behind its own pieces, mirrored so that its king is on the right half (`perspective`).
//! The inputs of a side add up to its half of the hidden layer (`Accumulators`), updated along the path of a search
//! (`Path`); the side to move's half comes first. The output is the error of the evaluation in centipawns. All
//! arithmetic is in integers, so that every build gives the same result. `usage` decides when the net is used.

mod accumulator;
mod arch;
mod layout;
mod perspective;
mod training_sample;
mod usage;

pub(super) use accumulator::{AccumulatorStack, Accumulators, Halves};
pub use arch::{NET_CENTIPAWNS, NetWeights, WrongSize};
pub use layout::{BIAS, HIDDEN, INPUTS, OUTPUT_BIASES, OUTPUTS};
pub use training_sample::{NetSample, Sampler};
pub(super) use usage::salt;

use arch::{CENTIPAWNS, Net};
use layout::{BUCKETS, HIDDEN_UNIT, OUTPUT_UNIT};
use shakmaty::Board;

/// The net of this build, as `sparring-lab train-net` wrote it: `weights.bin` unless the build script was given another.
static SHIPPED: Net = Net::read(include_bytes!(env!("NET")));

/// The largest correction, in centipawns.
const MOST: i32 = 1000;

/// What to add to the classical evaluation for the side to move, in centipawns.
pub(super) fn correction([ours, theirs]: Halves<'_>, board: &Board) -> i32 {
    let output = &SHIPPED.outputs[bucket(board)];
    let sum = squared_sum(ours, &output.ours) + squared_sum(theirs, &output.theirs);
    let value = i64::from(sum / HIDDEN_UNIT + output.bias) * i64::from(CENTIPAWNS);
    let most = i64::from(MOST);
    (value / i64::from(HIDDEN_UNIT * OUTPUT_UNIT)).clamp(-most, most) as i32
}

/// The output bucket of a board, by the number of pieces.
fn bucket(board: &Board) -> usize {
    (board.occupied().count().saturating_sub(2) * BUCKETS / 31).min(BUCKETS - 1)
}

/// The weighted sum of the squared clipped values of a half. A weight times a clipped value fits 16 bits, so that SIMD
/// does many at once.
fn squared_sum(half: &[i16; HIDDEN], weights: &[i16; HIDDEN]) -> i32 {
    let weighed = half.iter().zip(weights).map(|(value, weight)| {
        let clipped = (*value).clamp(0, HIDDEN_UNIT as i16);
        i32::from(clipped * weight) * i32::from(clipped)
    });
    weighed.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Node;
    use sparring_chess::{Position, Rules as _, Variant, parse_fen};

    const OPEN: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    const FENS: [&str; 4] = [
        "startpos",
        OPEN,
        "3r1rk1/pp3ppq/8/3pN3/3P2b1/2P1R3/PP3PQP/4R1K1 b - - 0 1",
        "8/5pk1/4p1p1/7p/7P/5PP1/1r3K2/R7 w - - 0 1",
    ];

    fn position(fen: &str) -> Position {
        parse_fen(Variant::Standard, fen).unwrap()
    }

    fn corrected(pos: &Position) -> i32 {
        let accumulators = Accumulators::fresh(pos.board());
        correction(accumulators.halves(pos.turn()), pos.board())
    }

    /// The output of the shipped net in floating point.
    fn in_fractions(pos: &Position) -> f64 {
        let mut sampler = Sampler::default();
        let sample = sampler.sample(pos).unwrap();
        let output = &SHIPPED.outputs[usize::from(sample.bucket)];
        let unit = f64::from(HIDDEN_UNIT);
        let halves = sample.inputs.iter().zip([&output.ours, &output.theirs]);
        let value: f64 = halves
            .flat_map(|(inputs, weights)| {
                (0..HIDDEN).map(move |neuron| {
                    let seen: f64 = inputs
                        .iter()
                        .map(|input| f64::from(SHIPPED.rows[usize::from(*input)].0[neuron]))
                        .sum();
                    let clipped = ((seen + f64::from(SHIPPED.bias.0[neuron])) / unit).clamp(0.0, 1.0);
                    clipped * clipped * f64::from(weights[neuron])
                })
            })
            .sum();
        (value + f64::from(output.bias) / unit) / f64::from(OUTPUT_UNIT) * f64::from(CENTIPAWNS)
    }

    #[test]
    fn whole_numbers_come_to_what_fractions_come_to() {
        for fen in FENS {
            let pos = position(fen);
            let (whole, exact) = (f64::from(corrected(&pos)), in_fractions(&pos));
            assert!((whole - exact).abs() < 1.5, "{fen}: {whole}, {exact}");
        }
    }

    #[test]
    fn the_net_that_is_shipped_has_learned_something_and_stays_a_correction() {
        let corrections = FENS.map(|fen| corrected(&position(fen)));
        assert!(corrections.iter().any(|value| *value != 0), "{corrections:?}");
        // It corrects the terms and does not replace them.
        assert!(
            corrections.iter().all(|value| value.abs() < 300),
            "{corrections:?}"
        );
    }

    #[test]
    fn the_net_that_is_shipped_has_learned_beside_the_terms_that_are() {
        assert_eq!(
            SHIPPED.eval_fingerprint,
            arch::eval_fingerprint(),
            "the weights of the terms are others: `sparring-lab train-net` again, and play a match"
        );
    }

    #[test]
    fn each_number_of_men_has_an_output_and_the_order_is_theirs() {
        let board = |men: usize| {
            let mut board = Board::empty();
            for square in sparring_chess::Square::ALL.into_iter().take(men) {
                board.set_piece_at(square, sparring_chess::Color::White.pawn());
            }
            board
        };
        let buckets: Vec<usize> = (2..=32).map(|men| bucket(&board(men))).collect();
        assert!(buckets.is_sorted() && buckets[0] == 0 && buckets[30] == BUCKETS - 1);
        assert!((0..BUCKETS).all(|each| buckets.contains(&each)), "{buckets:?}");
    }

    #[test]
    fn known_endings_are_not_corrected() {
        use crate::eval::{Evaluator, PawnTable};
        let evaluator = Evaluator::for_variant(Variant::Standard);
        for (fen, known) in [
            ("8/8/2K5/4k3/8/8/8/R7 w - - 0 1", true),
            ("8/4k3/8/4K3/4P3/8/8/8 w - - 0 1", true),
            (OPEN, false),
        ] {
            let node = Node::new(&position(fen), Variant::Standard.traits());
            let mut pawns = PawnTable::new();
            let plain = evaluator.evaluate(&node, &mut pawns);
            assert_eq!(
                evaluator.evaluate_with_net(&node, &mut pawns) == plain,
                known,
                "{fen}"
            );
        }
    }
}
