//! Strength compensation: after a style is applied, the average loss equals that before.

use crate::human_model::Candidate;

/// Losses above this, in percentage points of winning chances, count as this. Otherwise the worst blunders would take all of
/// the tilt.
const HEAVY: f32 = 15.0;

/// Bound of the tilt in log-chance per point of loss: a factor of 400 between the best move and a heavy loss. Half of it is
/// too little for strong styles.
const STEEPEST: f32 = 0.4;

/// Bisection steps: the tilt is exact to a millionth.
const HALVINGS: usize = 20;

/// Expected loss of a choice in percentage points of winning chances.
pub(super) fn expected_loss(candidates: &[Candidate]) -> f32 {
    tilted_loss(candidates, 0.0)
}

/// Tilts chances by loss until the expected loss is `expected`, as near as the bounds allow, and normalises them.
pub(super) fn restore(candidates: &mut [Candidate], expected: f32) {
    // The expected loss is monotonic in the tilt.
    let (mut low, mut high) = (-STEEPEST, STEEPEST);
    for _ in 0..HALVINGS {
        let middle = f32::midpoint(low, high);
        if tilted_loss(candidates, middle) < expected {
            low = middle;
        } else {
            high = middle;
        }
    }
    let tilt = f32::midpoint(low, high);
    let sum: f32 = candidates.iter().map(|each| tilted(each, tilt)).sum();
    if sum > 0.0 {
        for candidate in candidates {
            candidate.chance = tilted(candidate, tilt) / sum;
        }
    }
}

/// A chance after a tilt, not yet normalised.
fn tilted(candidate: &Candidate, tilt: f32) -> f32 {
    candidate.chance * libm::expf(tilt * candidate.loss.min(HEAVY))
}

fn tilted_loss(candidates: &[Candidate], tilt: f32) -> f32 {
    let (sum, lost) = candidates.iter().fold((0.0, 0.0), |(sum, lost), each| {
        let chance = tilted(each, tilt);
        (sum + chance, lost + chance * each.loss)
    });
    if sum > 0.0 { lost / sum } else { 0.0 }
}

/// The loss nearest to the expected one that the tilt's bounds allow.
#[cfg(test)]
pub(super) fn nearest(candidates: &[Candidate], expected: f32) -> f32 {
    expected.clamp(
        tilted_loss(candidates, -STEEPEST),
        tilted_loss(candidates, STEEPEST),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::human_model::{Context, Model};
    use sparring_chess::{GameHistory, Variant, units::Elo};

    /// The first moves of a game with these chances and losses.
    fn candidates(choice: &[(f32, f32)]) -> Vec<Candidate> {
        let line = GameHistory::replay(Variant::Standard, "startpos", "").unwrap();
        let mut candidates = Model::shipped().prior(&line, &Context::rated(Elo(1500)));
        candidates.truncate(choice.len());
        let sum: f32 = choice.iter().map(|(chance, _)| chance).sum();
        for (candidate, (chance, loss)) in candidates.iter_mut().zip(choice) {
            (candidate.chance, candidate.loss) = (chance / sum, *loss);
        }
        candidates
    }

    proptest! {
        #[test]
        fn the_expected_loss_is_restored_after_any_reweighting(
            choice in prop::collection::vec((0.001_f32..1.0, 0.0_f32..100.0, 0.2_f32..5.0), 2..20),
        ) {
            let mut plain: Vec<(f32, f32)> = choice.iter().map(|(chance, loss, _)| (*chance, *loss)).collect();
            // Losses are against the best move, which is one of them.
            plain[0].1 = 0.0;
            let mut candidates = candidates(&plain);
            let expected = expected_loss(&candidates);
            for (candidate, (_, _, factor)) in candidates.iter_mut().zip(&choice) {
                candidate.chance *= factor;
            }
            let reweighted = candidates.clone();
            restore(&mut candidates, expected);
            let sum: f32 = candidates.iter().map(|each| each.chance).sum();
            prop_assert!((sum - 1.0).abs() < 1e-3);
            let now = expected_loss(&candidates);
            let aim = nearest(&reweighted, expected);
            prop_assert!((now - aim).abs() < 0.02, "{now} for {expected}, at best {aim}");
        }
    }

    #[test]
    fn equal_moves_keep_their_style_and_losing_moves_compensate() {
        // Three equal moves, of which the style prefers the first, and two that lose.
        let plain = candidates(&[(0.2, 0.0), (0.3, 0.0), (0.3, 0.0), (0.1, 5.0), (0.1, 40.0)]);
        let mut styled = plain.clone();
        styled[0].chance *= 10.0;
        restore(&mut styled, expected_loss(&plain));
        assert!((expected_loss(&styled) - expected_loss(&plain)).abs() < 1e-2);
        assert!(styled[0].chance > 2.0 * plain[0].chance);
        assert!((styled[1].chance - styled[2].chance).abs() < 1e-6);
        assert!(styled[3].chance + styled[4].chance < 1.3 * (plain[3].chance + plain[4].chance));
    }

    #[test]
    fn nothing_changes_without_reweighting_or_without_losses() {
        let plain = candidates(&[(0.5, 0.0), (0.3, 3.0), (0.2, 30.0)]);
        let mut same = plain.clone();
        restore(&mut same, expected_loss(&plain));
        for (now, then) in same.iter().zip(&plain) {
            assert!((now.chance - then.chance).abs() < 1e-4);
        }
        let mut free = candidates(&[(0.8, 0.0), (0.8, 0.0)]);
        free[0].chance *= 3.0;
        restore(&mut free, 0.0);
        assert!((free[0].chance - 0.75).abs() < 1e-6);
        restore(&mut [], 0.0);
    }
}
