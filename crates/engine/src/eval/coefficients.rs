//! The evaluation of one position as a function of the weights, for tuning.
//!
//! Nearly all of it is linear: each weight has a coefficient. King danger is a linear sum too, of which the evaluation
//! takes a curve of known slope, so the gradient is exact there as well. What does not depend on the weights (phase,
//! scale of drawish endgames, halfmove clock) is fixed by the weights in use.

use super::{
    accumulator::Coefficients,
    classical::{FULL_PHASE, Terms},
    king_danger, pawns,
    weight::WeightRow,
    weights::{ROWS, TABLE},
};
use crate::node::Node;
use sparring_chess::{Position, Rules as _, Variant};

/// A weight as tuning sees it: middle game and endgame, in centipawns and fractions of them.
pub type WeightPair = [f32; 2];

/// How often each weight counts: its place in the table, and how often.
type Counts = Box<[(u16, i16)]>;

/// The evaluation of one position as a function of the weights.
#[derive(Debug, Clone)]
pub struct EvalSample {
    counts: Counts,
    /// Sums of danger and how often their curves count.
    dangers: Box<[(Counts, i16)]>,
    /// The constant part.
    fixed: WeightPair,
    /// The factors of the middle game and endgame scores.
    shares: WeightPair,
}

/// The rows of weights, in the order of the table.
#[must_use]
pub fn weight_rows() -> &'static [WeightRow] {
    ROWS
}

/// The weights in use, in the order of the table.
#[must_use]
pub fn weights_in_use() -> Vec<WeightPair> {
    TABLE
        .iter()
        .map(|pair| [pair.mg() as f32, pair.eg() as f32])
        .collect()
}

impl EvalSample {
    /// Takes a position of orthodox chess apart.
    #[must_use]
    pub fn of(pos: &Position) -> Self {
        let node = Node::new(pos, Variant::Standard.traits());
        let structure = pawns::evaluate_pawns::<Coefficients>(node.board(), ());
        let terms = Terms::of(&node, &structure, ());
        let total = terms.total(());
        let pieces_left = terms.phase as f32 / FULL_PHASE as f32;
        let fifty = (200 - pos.halfmoves().min(100)) as f32 / 200.0;
        let [mg, eg] = terms.scales.map(|scale| scale as f32 / 64.0);
        let boxed = |coefficients: &Coefficients| coefficients.counts.clone().into_boxed_slice();
        Self {
            counts: boxed(&total),
            dangers: total
                .dangers
                .iter()
                .map(|(danger, times)| (boxed(danger), *times as i16))
                .collect(),
            fixed: [total.fixed.mg() as f32, total.fixed.eg() as f32],
            shares: [pieces_left * fifty * mg, (1.0 - pieces_left) * fifty * eg],
        }
    }

    /// The evaluation with these weights, in centipawns from White's view.
    #[must_use]
    pub fn evaluate(&self, weights: &[WeightPair]) -> f32 {
        let [mut mg, mut eg] = sum(&self.counts, weights);
        mg += self.fixed[0];
        eg += self.fixed[1];
        for (danger, times) in &self.dangers {
            let [danger_mg, danger_eg] = sum(danger, weights);
            mg += f32::from(*times) * king_danger::smooth_mg(danger_mg).0;
            eg += f32::from(*times) * king_danger::smooth_eg(danger_eg).0;
        }
        mg * self.shares[0] + eg * self.shares[1]
    }

    /// Adds `slope` times the gradient of the evaluation to `gradient`.
    pub fn add_gradient(&self, weights: &[WeightPair], slope: f32, gradient: &mut [WeightPair]) {
        let slopes = [slope * self.shares[0], slope * self.shares[1]];
        add(&self.counts, slopes, gradient);
        for (danger, times) in &self.dangers {
            let [mg, eg] = sum(danger, weights);
            let times = f32::from(*times);
            let slopes = [
                slopes[0] * times * king_danger::smooth_mg(mg).1,
                slopes[1] * times * king_danger::smooth_eg(eg).1,
            ];
            add(danger, slopes, gradient);
        }
    }
}

fn sum(counts: &Counts, weights: &[WeightPair]) -> WeightPair {
    let (mut mg, mut eg) = (0.0, 0.0);
    for (place, count) in counts {
        let [weight_mg, weight_eg] = weights[usize::from(*place)];
        mg += weight_mg * f32::from(*count);
        eg += weight_eg * f32::from(*count);
    }
    [mg, eg]
}

fn add(counts: &Counts, slopes: WeightPair, gradient: &mut [WeightPair]) {
    for (place, count) in counts {
        let slot = &mut gradient[usize::from(*place)];
        slot[0] += slopes[0] * f32::from(*count);
        slot[1] += slopes[1] * f32::from(*count);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::eval::{Evaluator, PawnTable};
    use sparring_chess::{Color, parse_fen, write_fen};

    fn in_play(pos: &Position, table: &mut PawnTable) -> i32 {
        let node = Node::new(pos, Variant::Standard.traits());
        let value = Evaluator::for_variant(Variant::Standard).evaluate(&node, table);
        if pos.turn() == Color::White { value } else { -value }
    }

    proptest! {
        #[test]
        fn a_sample_says_what_the_evaluation_says(choices in prop::collection::vec(any::<usize>(), 1..160)) {
            let weights = weights_in_use();
            let mut table = PawnTable::new();
            let mut pos = Variant::Standard.start();
            for choice in choices {
                let moves = pos.legal_moves();
                if moves.is_empty() {
                    break;
                }
                pos.play_unchecked(moves[choice % moves.len()]);
                let (sample, played) = (EvalSample::of(&pos).evaluate(&weights), in_play(&pos, &mut table) as f32);
                // Only rounding may differ: of both curves, the blend and the fifty-move share.
                prop_assert!((sample - played).abs() <= 4.0, "{sample} {played} {}", write_fen(&pos));
            }
        }
    }

    #[test]
    fn the_gradient_is_what_small_steps_show() {
        let weights = weights_in_use();
        for fen in [
            "r1bq1rk1/ppp2ppp/2np1n2/2b1p1N1/2B1P2Q/2NP4/PPP2PPP/R1B2RK1 w - - 4 8",
            "2kr3r/pp3ppp/2n1b3/q3p1N1/1b2P3/2N1B2Q/PPP2PPP/R4RK1 b - - 0 14",
            "8/2k5/3p4/p2P1p2/P2P1P2/8/4K3/8 w - - 10 40",
        ] {
            let sample = EvalSample::of(&parse_fen(Variant::Standard, fen).unwrap());
            let mut gradient = vec![[0.0; 2]; weights.len()];
            sample.add_gradient(&weights, 1.0, &mut gradient);
            for row in weight_rows() {
                for (place, half) in
                    (row.first..row.first + row.length).flat_map(|place| [(place, 0), (place, 1)])
                {
                    // Dangers are whole numbers and their curves bend at such: a small step rarely gets to the next one.
                    let step = 0.05;
                    let (mut up, mut down) = (weights.clone(), weights.clone());
                    up[place][half] += step;
                    down[place][half] -= step;
                    let seen = (sample.evaluate(&up) - sample.evaluate(&down)) / (2.0 * step);
                    let error = (seen - gradient[place][half]).abs();
                    assert!(
                        error < 0.02 + 0.02 * seen.abs(),
                        "{} {half}: {seen} {gradient:?} {fen}",
                        row.name,
                        gradient = gradient[place][half]
                    );
                }
            }
        }
    }
}
