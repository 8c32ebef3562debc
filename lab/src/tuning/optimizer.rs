//! Adam optimizer, and the squared error that tuning and training minimise.

use super::dataset::Labelled;

/// Adam's decay rates of both moments, and its epsilon.
const BETA: [f32; 2] = [0.9, 0.999];
const EPSILON: f32 = 1e-8;

/// Adam (Kingma and Ba, 2014): each number moves by about as much, however steep its slope is.
#[derive(Debug)]
pub struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    step: i32,
}

impl Adam {
    /// For so many numbers.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self {
            mean: vec![0.0; count],
            square: vec![0.0; count],
            step: 0,
        }
    }

    /// Moves numbers against their slopes, by `rate` at first.
    pub fn descend(&mut self, numbers: &mut [f32], slopes: &[f32], rate: f32) {
        self.step += 1;
        // Both means begin at zero, which these shares make good for.
        let [first, second] = BETA.map(|beta| 1.0 - beta.powi(self.step.min(100_000)));
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((number, slope), (mean, square)) in numbers.iter_mut().zip(slopes).zip(moments) {
            *mean = BETA[0] * *mean + (1.0 - BETA[0]) * slope;
            *square = BETA[1] * *square + (1.0 - BETA[1]) * slope * slope;
            let size = (*square / second).sqrt() + EPSILON;
            *number -= rate * (*mean / first) / size;
        }
    }
}

/// The points that an evaluation, times K, predicts.
pub(super) fn points(scaled: f32) -> f32 {
    1.0 / (1.0 + (-scaled).exp())
}

impl<S> Labelled<S> {
    /// The target, in points for White: later result blended with the search score.
    pub(super) fn target(&self, k: f32, later_share: f32) -> f32 {
        later_share * self.points + (1.0 - later_share) * points(k * self.score)
    }
}

/// The mean squared error on positions.
pub(super) fn mean_error<'p, S: 'p>(
    positions: impl ExactSizeIterator<Item = &'p Labelled<S>>,
    error: impl Fn(&Labelled<S>) -> f32,
) -> f64 {
    let count = positions.len().max(1);
    let sum: f64 = positions.map(|position| f64::from(error(position)).powi(2)).sum();
    sum / count as f64
}
