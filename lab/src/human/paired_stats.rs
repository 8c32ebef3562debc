//! Paired statistics of humans and a level in the same positions, with standard errors.
//!
//! Decisions of one game are not independent, so errors are those of a sample of games: each game's sums are one draw.

/// The figures of a loss in points of winning chances: the loss, and whether it is above 15 and above 20, in percent.
pub type Figures = [f64; 3];

/// A figure that was estimated, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error; none from a single game.
    pub error: Option<f64>,
}

/// The mover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The players of the games.
    People,
    /// The level.
    Level,
}

/// The losses of people and of a level in the same positions.
#[derive(Debug, Clone, Default)]
pub struct PairedStats {
    games: Vec<GameSums>,
}

#[derive(Debug, Clone, Copy, Default)]
struct GameSums {
    game: usize,
    count: f64,
    people: Figures,
    level: Figures,
}

impl PairedStats {
    /// Counts in a decision of a game: what people's move lost, and what the level's moves lost, which count as one move
    /// together. Decisions of one game come one after another.
    pub fn add(&mut self, game: usize, people: f32, level: &[f32]) {
        if self.games.last().is_none_or(|last| last.game != game) {
            self.games.push(GameSums {
                game,
                ..GameSums::default()
            });
        }
        let Some(sums) = self.games.last_mut() else { return };
        sums.count += 1.0;
        add(&mut sums.people, figures(people), 1.0);
        for loss in level {
            add(&mut sums.level, figures(*loss), 1.0 / level.len() as f64);
        }
    }

    /// Decisions.
    #[must_use]
    pub fn count(&self) -> f64 {
        self.games.iter().map(|game| game.count).sum()
    }

    /// Games that they are of.
    #[must_use]
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// The mean loss of a side, and how many of its moves lose more than 15 and 20, in percent.
    #[must_use]
    pub fn means(&self, side: Side) -> [Estimate; 3] {
        std::array::from_fn(|index| {
            let of = |game: &GameSums| match side {
                Side::People => game.people[index],
                Side::Level => game.level[index],
            };
            self.ratio(of, |game| game.count).unwrap_or(Estimate {
                value: 0.0,
                error: None,
            })
        })
    }

    /// How far the level is from people, in percent of their figures; none where theirs is nothing. As both move in the
    /// same positions, this is known better than the two means are.
    #[must_use]
    pub fn distances(&self) -> [Option<Estimate>; 3] {
        std::array::from_fn(|index| {
            let ratio = self.ratio(|game| game.level[index], |game| game.people[index])?;
            Some(Estimate {
                value: 100.0 * (ratio.value - 1.0),
                error: ratio.error.map(|error| 100.0 * error),
            })
        })
    }

    /// One sum over another, and its error to first order: what each game's first sum is off from the ratio times its
    /// second (Cochran, Sampling Techniques, the ratio estimator).
    fn ratio(&self, of: impl Fn(&GameSums) -> f64, to: impl Fn(&GameSums) -> f64) -> Option<Estimate> {
        let whole: f64 = self.games.iter().map(&to).sum();
        if whole <= 0.0 {
            return None;
        }
        let value = self.games.iter().map(&of).sum::<f64>() / whole;
        let count = self.games.len() as f64;
        let squares: f64 = self
            .games
            .iter()
            .map(|game| (of(game) - value * to(game)).powi(2))
            .sum();
        let error = (count > 1.0).then(|| (squares * count / (count - 1.0)).sqrt() / whole);
        Some(Estimate { value, error })
    }
}

fn figures(loss: f32) -> Figures {
    let percent = |over: bool| if over { 100.0 } else { 0.0 };
    [f64::from(loss), percent(loss > 15.0), percent(loss > 20.0)]
}

fn add(sums: &mut Figures, figures: Figures, share: f64) {
    for (sum, figure) in sums.iter_mut().zip(figures) {
        *sum += share * figure;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(estimates: [Estimate; 3]) -> Figures {
        estimates.map(|estimate| estimate.value)
    }

    #[test]
    fn several_moves_of_a_level_count_as_one() {
        let mut beside = PairedStats::default();
        beside.add(1, 16.0, &[0.0, 0.0, 0.0, 24.0]);
        beside.add(1, 0.0, &[2.0]);
        assert_eq!(values(beside.means(Side::People)), [8.0, 50.0, 0.0]);
        assert_eq!(values(beside.means(Side::Level)), [4.0, 12.5, 12.5]);
        let [mean, over_15, over_20] = beside.distances().map(|distance| distance.map(|it| it.value));
        assert_eq!((mean, over_15, over_20), (Some(-50.0), Some(-75.0), None));
        assert_eq!((beside.count(), beside.games()), (2.0, 1));
    }

    #[test]
    fn the_error_of_a_mean_of_equally_long_games_is_that_of_the_games_means() {
        let mut beside = PairedStats::default();
        for (game, loss) in [1.0, 3.0, 5.0, 11.0].into_iter().enumerate() {
            beside.add(game, loss, &[loss]);
            beside.add(game, loss, &[loss]);
        }
        // A mean of 5, so the squares are 16, 4, 0 and 36: 56 / 3 is the variance, over 4 games.
        let error = beside.means(Side::People)[0].error.unwrap();
        assert!((error - (56.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-9, "{error}");
    }

    #[test]
    fn who_loses_the_same_share_in_each_game_is_known_to_without_error() {
        let mut beside = PairedStats::default();
        for (game, loss) in [1.0, 3.0, 8.0].into_iter().enumerate() {
            beside.add(game, loss, &[loss / 2.0]);
        }
        let distance = beside.distances()[0].unwrap();
        assert!((distance.value + 50.0).abs() < 1e-9 && distance.error.unwrap() < 1e-9);
        assert!(beside.means(Side::Level)[0].error.unwrap() > 0.5);
    }

    #[test]
    fn one_game_says_nothing_of_errors() {
        let mut beside = PairedStats::default();
        beside.add(7, 4.0, &[4.0]);
        assert_eq!(
            beside.means(Side::People)[0],
            Estimate {
                value: 4.0,
                error: None
            }
        );
        assert_eq!(beside.distances()[1], None);
    }
}
