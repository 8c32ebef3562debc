//! Elo cost of styles beyond the measured loss of their moves, and the adjustment that compensates it.

use super::{
    Style,
    axis::{Axis, COUNT},
    blind_spots::BlindSpot,
};

/// Elo cost of a step up on each axis, in the order of [`Axis::ALL`]; negative where it gains. A search of a few plies does
/// not see it: a piece offered for an attack is lost later, a free pawn stays won.
///
/// Least squares over 1,400 games of each personality at 1500 (three runs of `sparring-lab style-report`). Greed, trades,
/// endgames, pawns and openness were then adjusted by hand to three more runs of 400 to 500 games.
const ELO_COSTS: [f32; COUNT] = [23.0, -21.0, 10.0, -65.0, -5.0, 9.0, 3.0, 8.0, -5.0, 1.0];

/// Elo cost of each blind spot, in the order of [`BlindSpot::NAMES`]. Backward moves: the casual player was 25 +- 19 Elo
/// short in 1,100 games. Rescues: the beginner was 53 +- 34 short in 400 games. The others are not measured.
const BLIND_SPOT_COSTS: [f32; BlindSpot::COUNT] = [0.0, 25.0, 0.0, 45.0];

/// Decrease of the logarithm of the expected loss per Elo. Levels of 1300 and 1700 lost 4.56 and 3.22 points a move when
/// the costs were fitted, which gives 0.0009. The costs were measured with this value and absorb its error.
const LOG_LOSS_PER_ELO: f32 = 0.001;

/// Largest total cost or gain in Elo: costs are measured for single styles, not for all extremes at once.
const MOST: f32 = 150.0;

impl Axis {
    /// Elo cost of a step up without compensation.
    #[must_use]
    pub fn elo_cost(self) -> f32 {
        ELO_COSTS[self as usize]
    }
}

impl Style {
    /// Factor on the expected loss of a choice that makes the style as strong as none.
    pub(super) fn loss_factor(&self) -> f32 {
        let axes = Axis::ALL
            .iter()
            .map(|row| self.on(row.axis) as f32 * row.axis.elo_cost());
        let oversights = BlindSpot::NAMES
            .0
            .iter()
            .filter(|(_, kind)| self.overlooks(*kind))
            .map(|(_, kind)| BLIND_SPOT_COSTS[*kind as usize]);
        let elo = axes.chain(oversights).sum::<f32>().clamp(-MOST, MOST);
        libm::expf(-LOG_LOSS_PER_ELO * elo)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_pays_for_a_style_may_lose_less_and_who_gains_by_it_more() {
        for row in Axis::ALL {
            let allowance = |value| Style::default().with(row.axis, value).loss_factor();
            assert!((allowance(1) * allowance(-1) - 1.0).abs() < 1e-5, "{row:?}");
            assert_eq!(allowance(2) < 1.0, row.axis.elo_cost() > 0.0, "{row:?}");
        }
        let dearest = Axis::ALL.iter().fold(Style::default(), |style, row| {
            style.with(row.axis, 2 * row.axis.elo_cost().signum() as i32)
        });
        assert!((dearest.loss_factor() - libm::expf(-LOG_LOSS_PER_ELO * MOST)).abs() < 1e-5);
        assert_eq!(Style::default().loss_factor(), 1.0);
        let careless = |kinds: &[BlindSpot]| Style::default().with_blind_spots(kinds).loss_factor();
        let [one, both] = [
            careless(&[BlindSpot::Defence]),
            careless(&[BlindSpot::Backward, BlindSpot::Defence]),
        ];
        assert!(both < one && one < 1.0, "{both} {one}");
    }
}
