//! Accuracy of move predictions: top-1, top-3 and log-likelihood over many decisions.

use std::fmt;

use super::scored_moves::Scored;

/// Accuracy of a predictor over some decisions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Accuracy {
    /// Decisions.
    pub count: usize,
    /// How often the most likely move was played.
    pub first: usize,
    /// How often one of the three most likely moves was played.
    pub among_three: usize,
    /// Sum of the logarithms of the chance of the move played.
    pub likelihood: f64,
    /// Sum of that chance: how often a draw by the chances would play the same.
    pub drawn: f64,
}

impl Accuracy {
    /// Counts a decision with the predicted chances of its moves.
    pub fn add(&mut self, chances: &[f32], played: usize) {
        let chance = chances[played];
        let rank = chances.iter().filter(|other| **other > chance).count();
        self.count += 1;
        self.first += usize::from(rank == 0);
        self.among_three += usize::from(rank < 3);
        self.likelihood += f64::from(chance.max(1e-9)).ln();
        self.drawn += f64::from(chance);
    }

    /// The share of first places, in percent.
    #[must_use]
    pub fn percent(&self) -> f64 {
        percent(self.first as f64, self.count)
    }
}

/// Top-1, top-3 and drawn in percent, nats a decision; columns of a table.
impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |sum: f64| percent(sum, self.count);
        write!(
            f,
            "{:.1} | {:.1} | {:.1} | {:.3}",
            share(self.first as f64),
            share(self.among_three as f64),
            share(self.drawn),
            self.likelihood / self.count.max(1) as f64
        )
    }
}

/// Losses over some decisions, of humans or of a model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Losses {
    count: f64,
    sum: f64,
    over_15: f64,
    over_20: f64,
}

impl Losses {
    /// Counts in the move that was played.
    pub fn add_played(&mut self, scored: &Scored) {
        self.add(scored.losses[scored.decision.played].deep, 1.0);
    }

    /// Counts in every move by its chance.
    pub fn add_chances(&mut self, scored: &Scored, chances: &[f32]) {
        for (loss, chance) in scored.losses.iter().zip(chances) {
            self.add(loss.deep, f64::from(*chance));
        }
    }

    /// Whether anything was counted in.
    #[must_use]
    pub fn has_any(&self) -> bool {
        self.count > 0.0
    }

    fn add(&mut self, loss: f32, share: f64) {
        self.count += share;
        self.sum += share * f64::from(loss);
        self.over_15 += if loss > 15.0 { share } else { 0.0 };
        self.over_20 += if loss > 20.0 { share } else { 0.0 };
    }
}

/// Mean loss, and losses above 15 and 20 in percent.
impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |sum: f64| 100.0 * sum / self.count.max(1.0);
        write!(
            f,
            "{:.2} / {:.1} / {:.1}",
            self.sum / self.count.max(1.0),
            share(self.over_15),
            share(self.over_20)
        )
    }
}

/// A share in percent; 0 of nothing is 0.
#[must_use]
pub fn percent(part: f64, whole: usize) -> f64 {
    100.0 * part / whole.max(1) as f64
}
