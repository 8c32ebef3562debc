//! Suggests the place of each level on the parameter path from measured ratings.

use std::fmt::Write as _;

use super::table::RatedLevel;
use sparring_chess::units::Elo;
use sparring_personality::strength::Levels;

/// The level that stays where it is: people fix it, and games only the distance of all others from it.
const ANCHOR: Elo = Elo(1400);

/// The rows of `[[level]]` at which the path is as strong as each level says, as far as the ladder reached.
///
/// Strengths that fall from one place to the next are taken for their mean, and between places they rise in a
/// straight line. Levels beyond the weakest and the strongest entrant stay where they are.
pub fn rows(levels: &Levels, rated_levels: &[RatedLevel]) -> String {
    let points: Vec<(f64, f64)> = rated_levels
        .iter()
        .filter_map(|rated| Some((rated.place?, rated.measured)))
        .collect();
    let curve = Curve::through(points);
    let anchor = curve.strength(levels.place(ANCHOR));
    let mut text = String::new();
    for row in levels.rows() {
        let wanted = anchor.map(|anchor| row.level - f64::from(ANCHOR.0) + anchor);
        let place = wanted.and_then(|wanted| curve.place(wanted)).unwrap_or(row.at);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "[[level]]\nlevel = {}\nat = {}\nbook-plies = {}\n",
            row.level,
            (place * 100.0).round() / 100.0,
            row.book_plies
        );
    }
    text
}

/// Strength over places, rising from point to point.
struct Curve(Vec<(f64, f64)>);

impl Curve {
    /// The least squares among rising curves: neighbours that fall are pooled until nothing falls.
    fn through(mut points: Vec<(f64, f64)>) -> Self {
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        // Runs of places that share a strength, with the sum of theirs.
        let mut runs: Vec<(Vec<f64>, f64)> = Vec::new();
        for (place, strength) in points {
            runs.push((vec![place], strength));
            while let [.., (low, below), (high, above)] = &runs[..]
                && below / low.len() as f64 >= above / high.len() as f64
            {
                let sum = below + above;
                let places = [low.as_slice(), high.as_slice()].concat();
                runs.truncate(runs.len() - 2);
                runs.push((places, sum));
            }
        }
        let middle = |places: &[f64]| places.iter().sum::<f64>() / places.len() as f64;
        Self(
            runs.iter()
                .map(|(places, sum)| (middle(places), sum / places.len() as f64))
                .collect(),
        )
    }

    fn strength(&self, place: f64) -> Option<f64> {
        between(self.0.iter().copied(), place)
    }

    fn place(&self, strength: f64) -> Option<f64> {
        between(
            self.0.iter().map(|(place, strength)| (*strength, *place)),
            strength,
        )
    }
}

/// What belongs to `at` on the line through points, whose first parts rise; none beyond its ends.
fn between(points: impl Iterator<Item = (f64, f64)>, at: f64) -> Option<f64> {
    let points: Vec<(f64, f64)> = points.collect();
    points.windows(2).find_map(|pair| {
        let ((low, from), (high, to)) = (pair[0], pair[1]);
        (low..=high)
            .contains(&at)
            .then(|| from + (at - low) / (high - low) * (to - from))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rated(place: f64, measured: f64) -> RatedLevel {
        RatedLevel {
            name: String::new(),
            is_level: true,
            place: Some(place),
            nominal: 0.0,
            measured,
            error: 0.0,
            games: 0,
            score: 50.0,
        }
    }

    #[test]
    fn levels_move_to_where_the_path_is_as_strong_as_they_say() {
        let levels = Levels::shipped();
        let anchor = levels.place(ANCHOR);
        // A hundred Elo for each tenth of the path, whatever the shift of the scale.
        let rated_levels = [
            rated(anchor - 0.5, 0.0),
            rated(anchor, 500.0),
            rated(anchor + 0.5, 1000.0),
        ];
        let suggested = rows(levels, &rated_levels);
        let at = |level: u32| -> f64 {
            let row = suggested
                .split(&format!("level = {level}\nat = "))
                .nth(1)
                .unwrap();
            row.lines().next().unwrap().parse().unwrap()
        };
        assert!((at(1400) - anchor).abs() < 0.006);
        assert!((at(1800) - anchor - 0.4).abs() < 0.006);
        assert!((at(1000) - anchor + 0.4).abs() < 0.006);
        assert!(
            (at(2400) - levels.place(Elo(2400))).abs() < 0.006,
            "beyond what was measured"
        );
    }

    #[test]
    fn a_curve_never_falls() {
        let curve = Curve::through(vec![(0.0, 100.0), (1.0, 300.0), (2.0, 200.0), (3.0, 400.0)]);
        assert_eq!(curve.0, [(0.0, 100.0), (1.5, 250.0), (3.0, 400.0)]);
        assert_eq!(curve.place(325.0), Some(2.25));
        assert_eq!(curve.place(500.0), None);
    }
}
