//! Strengths from results: Bradley and Terry's model with Davidson's draws and an advantage of the first move.
//!
//! A result's chances are in the proportion `e^x : n : e^-x` for win, draw and loss of White, where `x` is half the
//! difference of strength (in natural logarithms) with White's advantage. Source: Davidson, "On extending the
//! Bradley-Terry model to accommodate ties in paired comparison experiments", JASA 1970.
//!
//! In that model a draw counts as less than half a point, so that the same score means the more, the more is drawn. Strengths are
//! told on the scale of ratings instead, where a difference is what a score says: theirs times the share of decided games
//! between equals, which makes both agree at small differences, as Coulom's BayesElo does.

/// One game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Game {
    /// Which of the players had White.
    pub white: usize,
    /// Which had Black.
    pub black: usize,
    /// Half points of White: 0, 1 or 2.
    pub half_points: u8,
}

/// Results of the games.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The strength of each player in Elo, about a mean of 0.
    pub elo: Vec<f64>,
    /// Covariances of the strengths, in square Elo.
    covariance: Vec<Vec<f64>>,
    /// First-move advantage in Elo.
    pub white: f64,
    /// The share of draws between equals, from 0 to 1.
    pub draws: f64,
}

/// Elo in a unit of the natural logarithm.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Standard deviation of where strengths are expected before any game, in Elo: wide enough to change nothing but a
/// score of all or nothing.
const WIDE: f64 = 2000.0;

impl Fit {
    /// The likeliest strengths of so many players.
    pub fn of(games: &[Game], players: usize) -> Self {
        // Players, then White's advantage, then the logarithm of Davidson's weight of draws.
        let size = players + 2;
        let mut at = vec![0.0; size];
        let mut information = Vec::new();
        // Newton on a concave function: the steps become tiny long before so many.
        for _ in 0..100 {
            let (slope, curvature) = slopes(games, players, &at);
            information = curvature;
            let step = solve(&information, &slope);
            let longest = step.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
            let scale = (1.0 / longest).min(1.0);
            for (value, step) in at.iter_mut().zip(&step) {
                *value += scale * step;
            }
            if longest < 1e-9 {
                break;
            }
        }
        let mean = at[..players].iter().sum::<f64>() / players.max(1) as f64;
        let weight = at[size - 1].exp();
        let draws = weight / (2.0 + weight);
        let elo = ELO * (1.0 - draws);
        let covariance = (0..players)
            .map(|player| {
                let mut unit = vec![0.0; size];
                unit[player] = elo * elo;
                let mut column = solve(&information, &unit);
                column.truncate(players);
                column
            })
            .collect();
        Self {
            elo: at[..players].iter().map(|value| (value - mean) * elo).collect(),
            covariance,
            white: at[players] * elo,
            draws,
        }
    }

    /// The 95 % error of one player's strength above another's, in Elo.
    pub fn error(&self, one: usize, other: usize) -> f64 {
        let c = &self.covariance;
        1.96 * (c[one][one] + c[other][other] - 2.0 * c[one][other])
            .max(0.0)
            .sqrt()
    }

    /// The 95 % error of a player's strength against the mean of some, in Elo.
    pub fn error_to_mean(&self, player: usize, of: &[usize]) -> f64 {
        let mut weights = vec![0.0; self.elo.len()];
        weights[player] += 1.0;
        for other in of {
            weights[*other] -= 1.0 / of.len() as f64;
        }
        let variance: f64 = weights
            .iter()
            .zip(&self.covariance)
            .map(|(a, row)| weights.iter().zip(row).map(|(b, c)| a * b * c).sum::<f64>())
            .sum();
        1.96 * variance.max(0.0).sqrt()
    }
}

/// The slope of the logarithm of the likelihood, and minus its curvature.
fn slopes(games: &[Game], players: usize, at: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let size = at.len();
    let prior = (ELO / WIDE).powi(2);
    let mut slope: Vec<f64> = at.iter().map(|value| -prior * value).collect();
    let mut curvature = vec![vec![0.0; size]; size];
    for (index, row) in curvature.iter_mut().enumerate() {
        row[index] = prior;
    }
    let weight = at[size - 1].exp();
    for game in games {
        let half = (at[game.white] - at[game.black] + at[players]) / 2.0;
        let (win, loss) = (half.exp(), (-half).exp());
        let all = win + loss + weight;
        let (lean, draw) = ((win - loss) / all, weight / all);
        let by_half = f64::from(game.half_points) - 1.0 - lean;
        let by_draws = f64::from(u8::from(game.half_points == 1)) - draw;
        let bend = (win + loss) / all - lean * lean;
        let rows = [(game.white, 0.5), (game.black, -0.5), (players, 0.5)];
        for (one, a) in rows {
            slope[one] += a * by_half;
            for (other, b) in rows {
                curvature[one][other] += a * b * bend;
            }
            curvature[one][size - 1] -= a * lean * draw;
            curvature[size - 1][one] -= a * lean * draw;
        }
        slope[size - 1] += by_draws;
        curvature[size - 1][size - 1] += draw * (1.0 - draw);
    }
    (slope, curvature)
}

/// Solves a symmetric positive system; the prior makes it one.
fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let size = right.len();
    let mut rows: Vec<Vec<f64>> = matrix.to_vec();
    let mut right = right.to_vec();
    for pivot in 0..size {
        let head = rows[pivot].clone();
        for below in pivot + 1..size {
            let factor = rows[below][pivot] / head[pivot];
            for (value, above) in rows[below].iter_mut().zip(&head).skip(pivot) {
                *value -= factor * above;
            }
            right[below] -= factor * right[pivot];
        }
    }
    for pivot in (0..size).rev() {
        let known: f64 = (pivot + 1..size)
            .map(|column| rows[pivot][column] * right[column])
            .sum();
        right[pivot] = (right[pivot] - known) / rows[pivot][pivot];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both colors, so many times each result of the first player.
    fn games(one: usize, other: usize, wins: usize, draws: usize, losses: usize) -> Vec<Game> {
        let results = [(wins, 2), (draws, 1), (losses, 0)];
        let all = results
            .into_iter()
            .flat_map(|(count, points)| std::iter::repeat_n(points, count));
        all.flat_map(|half_points: u8| {
            [
                Game {
                    white: one,
                    black: other,
                    half_points,
                },
                Game {
                    white: other,
                    black: one,
                    half_points: 2 - half_points,
                },
            ]
        })
        .collect()
    }

    #[test]
    fn two_players_differ_by_what_their_score_says() {
        // Without draws the model is the logistic one: 75 % is 400 log10(3) Elo.
        let fit = Fit::of(&games(0, 1, 300, 0, 100), 2);
        assert!((fit.elo[0] - fit.elo[1] - 190.85).abs() < 0.5, "{:?}", fit.elo);
        assert!(fit.white.abs() < 0.01);
        // The error of a proportion, by hand: sqrt(0.75 * 0.25 / 800) at a slope of 0.75 * 0.25 a unit.
        let by_hand = 1.96 * ELO * (1.0_f64 / (800.0 * 0.75 * 0.25)).sqrt();
        assert!(
            (fit.error(0, 1) - by_hand).abs() < 0.3,
            "{} {by_hand}",
            fit.error(0, 1)
        );
    }

    #[test]
    fn draws_change_nothing_of_what_a_score_means() {
        for draws in [0, 80, 160] {
            let half = draws / 2;
            let fit = Fit::of(&games(0, 1, 260 - half, draws, 140 - half), 2);
            let by_hand = 400.0 * (0.65_f64 / 0.35).log10();
            let found = fit.elo[0] - fit.elo[1];
            assert!((found - by_hand).abs() < 3.0, "{draws} draws: {found}");
        }
    }

    #[test]
    fn strengths_add_up_along_a_ladder_and_four_times_the_games_halve_the_error() {
        let mut ladder = games(0, 1, 40, 20, 20);
        ladder.extend(games(1, 2, 40, 20, 20));
        let fit = Fit::of(&ladder, 3);
        let step = fit.elo[0] - fit.elo[1];
        assert!(
            (fit.elo[1] - fit.elo[2] - step).abs() < 0.5 && step > 50.0,
            "{:?}",
            fit.elo
        );
        let more = Fit::of(&ladder.repeat(4), 3);
        assert!((more.error(0, 2) * 2.0 - fit.error(0, 2)).abs() < 1.0);
        assert!((fit.draws - 0.26).abs() < 0.03, "{}", fit.draws);
    }

    #[test]
    fn the_first_move_is_told_from_strength() {
        let games: Vec<Game> = (0..400)
            .map(|index| Game {
                white: index % 2,
                black: 1 - index % 2,
                half_points: if index % 5 < 3 { 2 } else { 0 },
            })
            .collect();
        let fit = Fit::of(&games, 2);
        assert!((fit.white - 70.4).abs() < 0.5, "{}", fit.white);
        assert!((fit.elo[0] - fit.elo[1]).abs() < 0.5);
    }

    #[test]
    fn a_clean_sweep_is_far_but_finite() {
        let fit = Fit::of(&games(0, 1, 10, 0, 0), 2);
        assert!(fit.elo[0] - fit.elo[1] > 400.0 && fit.elo[0].is_finite());
    }
}
