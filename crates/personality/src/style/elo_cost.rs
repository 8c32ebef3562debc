//! Elo cost of styles beyond the measured loss of their moves, and the adjustment that compensates it.

use super::{
    Style,
    axis::{Axis, COUNT},
    blind_spots::BlindSpot,
};

/// Elo that a step up on each axis costs, in the order of [`Axis::ALL`]; negative where it gains. Searches of a few plies do not
/// see it: a piece that is offered for an attack is lost later, a pawn that was free stays won.
///
/// Fitted to 1,400 games of each personality at 1500: three runs of `sparring-lab style-report`, 400 without prices, 500 with the
/// first ones, 500 with the second. What a personality cost beyond its price of then, on average over the runs, gives these by
/// the least squares of the report's last line, which knows its own run only. What greed, trades and endgames show has changed
/// since: their prices, and those of pawns and openness, were moved by hand towards what three runs more, of 400 to 500
/// games, said at their ends.
const PRICES: [f32; COUNT] = [23.0, -21.0, 10.0, -65.0, -5.0, 9.0, 3.0, 8.0, -5.0, 1.0];

/// Elo that overlooking each kind of moves costs, in the order of [`BlindSpot::NAMES`]. Backward moves: the casual player
/// without a price was 25 +- 19 Elo short in 1,100 games of three runs. The rescue of a piece, of which half is forgiven: the
/// beginner without a price was 53 +- 34 short in 400 games. Nobody who is shipped overlooks the others, which were not measured.
const OVERSIGHTS: [f32; BlindSpot::COUNT] = [0.0, 25.0, 0.0, 45.0];

/// By how much the logarithm of what a choice loses on average falls for each point of Elo. Levels of 1300 and 1700 lost 4.56
/// and 3.22 points a move when the prices were fitted, which makes 0.0009; the prices are measured with what this makes of
/// them, so that an error here is in them as well.
const LESS_PER_ELO: f32 = 0.001;

/// No style is trusted to cost, or gain, more than this, in Elo: the prices are known for single styles, not for all ends at once.
const MOST: f32 = 150.0;

impl Axis {
    /// What a step up on it would cost in games, in Elo, if nothing made up for it.
    #[must_use]
    pub fn price(self) -> f32 {
        PRICES[self as usize]
    }
}

impl Style {
    /// By what to multiply the loss that a choice may have on average, so that the style is as strong as none.
    pub(super) fn allowance(&self) -> f32 {
        let axes = Axis::ALL
            .iter()
            .map(|row| self.on(row.axis) as f32 * row.axis.price());
        let oversights = BlindSpot::NAMES
            .0
            .iter()
            .filter(|(_, kind)| self.overlooks(*kind))
            .map(|(_, kind)| OVERSIGHTS[*kind as usize]);
        (-LESS_PER_ELO * axes.chain(oversights).sum::<f32>().clamp(-MOST, MOST)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_pays_for_a_style_may_lose_less_and_who_gains_by_it_more() {
        for row in Axis::ALL {
            let allowance = |value| Style::default().with(row.axis, value).allowance();
            assert!((allowance(1) * allowance(-1) - 1.0).abs() < 1e-5, "{row:?}");
            assert_eq!(allowance(2) < 1.0, row.axis.price() > 0.0, "{row:?}");
        }
        let dearest = Axis::ALL.iter().fold(Style::default(), |style, row| {
            style.with(row.axis, 2 * row.axis.price().signum() as i32)
        });
        assert!((dearest.allowance() - (-LESS_PER_ELO * MOST).exp()).abs() < 1e-5);
        assert_eq!(Style::default().allowance(), 1.0);
        let careless = |kinds: &[BlindSpot]| Style::default().missing(kinds).allowance();
        let [one, both] = [
            careless(&[BlindSpot::Defence]),
            careless(&[BlindSpot::Backward, BlindSpot::Defence]),
        ];
        assert!(both < one && one < 1.0, "{both} {one}");
    }
}
