//! Strength compensation: after a style is applied, the average loss equals that before.

use crate::human_model::Candidate;

/// Losses beyond this, in points of winning chances, are all the same to the tilt: else the last few blunders would
/// bear all of it, and a small tilt would multiply them.
const HEAVY: f32 = 15.0;

/// The tilt's bounds, in logarithms of a chance for each point of loss: a factor of 400 between the best move and a heavy
/// loss. Half of it left strong styles short of what they owed.
const STEEPEST: f32 = 0.4;

/// Halvings of the bounds: the tilt is known to a millionth.
const HALVINGS: usize = 20;

/// What a choice loses on average, in points of winning chances. This is what strength is made of: a game's expected score
/// falls by the sum of what its moves lose.
pub(super) fn expected_loss(candidates: &[Candidate]) -> f32 {
    tilted_loss(candidates, 0.0)
}

/// Tilts chances, which need not add up to 1, by what moves lose until the choice loses `expected` on average, as near as
/// the bounds allow. They add up to 1 afterwards.
pub(super) fn restore(candidates: &mut [Candidate], expected: f32) {
    // The mean rises with the tilt: both the loss and the tilt of a move rise with its loss.
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
    candidate.chance * (tilt * candidate.loss.min(HEAVY)).exp()
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
    use crate::human_model::{Model, TimePressure};
    use sparring_chess::{GameHistory, Variant, units::Elo};

    /// The first moves of a game with these chances and losses.
    fn candidates(choice: &[(f32, f32)]) -> Vec<Candidate> {
        let line = GameHistory::replay(Variant::Standard, "startpos", "").unwrap();
        let mut candidates = Model::shipped().prior(&line, Elo(1500), TimePressure::Calm);
        candidates.truncate(choice.len());
        let sum: f32 = choice.iter().map(|(chance, _)| chance).sum();
        for (candidate, (chance, loss)) in candidates.iter_mut().zip(choice) {
            (candidate.chance, candidate.loss) = (chance / sum, *loss);
        }
        candidates
    }

    proptest! {
        #[test]
        fn whatever_leans_on_a_choice_as_much_is_lost_on_average(
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
            let leaned = candidates.clone();
            restore(&mut candidates, expected);
            let sum: f32 = candidates.iter().map(|each| each.chance).sum();
            prop_assert!((sum - 1.0).abs() < 1e-3);
            let now = expected_loss(&candidates);
            let aim = nearest(&leaned, expected);
            prop_assert!((now - aim).abs() < 0.02, "{now} for {expected}, at best {aim}");
        }
    }

    #[test]
    fn equal_moves_stay_as_the_style_has_them_and_of_others_the_losing_ones_pay() {
        // Three moves as good as each other, of which the first is liked; two that lose, and are not.
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
    fn nothing_is_changed_where_nothing_leaned_and_where_nothing_is_lost() {
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
