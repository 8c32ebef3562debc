//! Statistics of games: scores with errors against the expected ones, performance, ratings by day. No IO.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::store::{GameRecord, GameResult};
use sparring_chess::units::{Elo, Millis};

/// A day in milliseconds.
const DAY: u64 = 24 * 3600 * 1000;
/// Standard errors on either side of a 95 % confidence interval.
const NINETY_FIVE: f64 = 1.96;
/// Scores are clamped to this for a performance rating, since 0 and 1 have none.
const MAX_SCORE: f64 = 0.99;

/// The statistics of a group of games.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Group {
    /// The group.
    pub(crate) name: String,
    /// Games with a result.
    pub(crate) games: usize,
    /// Won.
    pub(crate) won: usize,
    /// Drawn.
    pub(crate) drawn: usize,
    /// Lost.
    pub(crate) lost: usize,
    /// Points per game, from 0 to 1.
    pub(crate) score: f64,
    /// Half of the 95 % confidence interval of the score; none for fewer than two games.
    pub(crate) error: Option<f64>,
    /// Expected score by Elo's formula; none where no game has both ratings.
    pub(crate) expected: Option<f64>,
    /// Games with both ratings, on which `expected` is based.
    pub(crate) rated_pairs: usize,
}

/// A rating at the end of a day.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RatingPoint {
    /// Start of the last game of the day.
    pub(crate) at: Millis,
    /// The bot's rating in it.
    pub(crate) rating: Elo,
}

/// Games by group, largest group first. Running and void games do not count.
pub(crate) fn groups(games: &[GameRecord], kind: impl Fn(&GameRecord) -> String) -> Vec<Group> {
    let mut by_kind: BTreeMap<String, Vec<&GameRecord>> = BTreeMap::new();
    for game in games.iter().filter(|game| points(game).is_some()) {
        by_kind.entry(kind(game)).or_default().push(game);
    }
    let mut groups: Vec<Group> = by_kind
        .into_iter()
        .map(|(name, games)| group(name, &games))
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.games));
    groups
}

fn group(name: String, games: &[&GameRecord]) -> Group {
    let count = |result| games.iter().filter(|game| game.result() == result).count();
    let scored: Vec<f64> = games.iter().filter_map(|game| points(game)).collect();
    let hopes: Vec<f64> = games.iter().filter_map(|game| expectation(game)).collect();
    let score = mean(&scored).unwrap_or_default();
    Group {
        name,
        games: scored.len(),
        won: count(GameResult::Won),
        drawn: count(GameResult::Drawn),
        lost: count(GameResult::Lost),
        score,
        error: interval(&scored),
        expected: mean(&hopes),
        rated_pairs: hopes.len(),
    }
}

/// The bot's points of a game; none without a result.
pub(crate) fn points(game: &GameRecord) -> Option<f64> {
    match game.result() {
        GameResult::Won => Some(1.0),
        GameResult::Drawn => Some(0.5),
        GameResult::Lost => Some(0.0),
        GameResult::Void | GameResult::Runs => None,
    }
}

fn expectation(game: &GameRecord) -> Option<f64> {
    let (mine, theirs) = (game.own_rating?, game.rating?);
    let lead = f64::from(mine.0) - f64::from(theirs.0);
    Some(1.0 / (1.0 + 10_f64.powf(-lead / 400.0)))
}

/// The mean; none of nothing.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Half of the 95 % confidence interval of a score, from the variance of the results, so that draws narrow it; none where all
/// results are alike, and of fewer than two.
pub(crate) fn interval(scored: &[f64]) -> Option<f64> {
    if scored.len() < 2 {
        return None;
    }
    let mean = mean(scored)?;
    // Of all games won, or all lost, the variance says nothing.
    if scored.iter().all(|each| *each == scored[0]) {
        return None;
    }
    let squares: f64 = scored.iter().map(|each| (each - mean).powi(2)).sum();
    let variance = squares / (scored.len() - 1) as f64;
    Some(NINETY_FIVE * (variance / scored.len() as f64).sqrt())
}

/// The performance rating: the rating expected to score so against opponents of a mean rating (Elo's formula).
pub(crate) fn performance(mean: f64, score: f64) -> f64 {
    let score = score.clamp(1.0 - MAX_SCORE, MAX_SCORE);
    (mean - 400.0 * (1.0 / score - 1.0).log10()).round()
}

/// The bot's rating at the end of each day, by speed, oldest first. Only rated games of standard chess count.
pub(crate) fn ratings(games: &[GameRecord]) -> BTreeMap<String, Vec<RatingPoint>> {
    let mut days: BTreeMap<String, BTreeMap<u64, RatingPoint>> = BTreeMap::new();
    for game in games
        .iter()
        .filter(|game| game.rated && game.variant == "standard")
    {
        let Some(rating) = game.own_rating else { continue };
        let marks = days.entry(game.speed.clone()).or_default();
        let mark = marks.entry(game.began.0 / DAY).or_insert(RatingPoint {
            at: game.began,
            rating,
        });
        if game.began >= mark.at {
            *mark = RatingPoint {
                at: game.began,
                rating,
            };
        }
    }
    days.into_iter()
        .map(|(speed, marks)| (speed, marks.into_values().collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::test_fixtures;
    use sparring_lichess::model::Side;

    fn game(day: u64, winner: Option<Side>, ratings: Option<(u32, u32)>) -> GameRecord {
        GameRecord {
            began: Millis(day * DAY),
            rating: ratings.map(|(_, theirs)| Elo(theirs)),
            own_rating: ratings.map(|(mine, _)| Elo(mine)),
            end: test_fixtures::end("mate", winner, ""),
            ..test_fixtures::game("abcd1234", Side::White)
        }
    }

    #[test]
    fn a_score_stands_beside_what_the_ratings_let_expect() {
        let games = [
            game(1, Some(Side::White), Some((1600, 1400))),
            game(2, Some(Side::Black), Some((1600, 1400))),
            game(3, None, None),
        ];
        let groups = groups(&games, |game| game.speed.clone());
        assert_eq!(groups.len(), 1);
        let group = &groups[0];
        assert_eq!((group.games, group.won, group.drawn, group.lost), (3, 1, 1, 1));
        assert!((group.score - 0.5).abs() < 1e-9);
        // Three results half a point apart: the spread is half a point, its error that over the root of three.
        assert!((group.error.unwrap() - 1.96 * 0.5 / 3_f64.sqrt()).abs() < 1e-9);
        // Elo's table: 200 points ahead score 0.76.
        assert!((group.expected.unwrap() - 0.76).abs() < 0.001);
        assert_eq!(group.rated_pairs, 2);
    }

    #[test]
    fn half_the_points_is_a_performance_at_the_opponents_rating() {
        assert!((performance(1500.0, 0.5) - 1500.0).abs() < 1e-9);
        assert!((performance(1500.0, 0.76) - 1700.0).abs() <= 1.0, "Elo's table");
        assert!(performance(1500.0, 1.0).is_finite() && performance(1500.0, 0.0).is_finite());
    }

    #[test]
    fn what_has_no_result_does_not_count() {
        let mut running = game(1, None, None);
        running.end = None;
        assert!(groups(&[running], |game| game.speed.clone()).is_empty());
        let one = groups(&[game(1, None, None)], |game| game.speed.clone());
        assert_eq!((one[0].error, one[0].expected), (None, None));
    }

    #[test]
    fn a_day_shows_its_last_rating_and_days_come_in_order() {
        let mut late = game(2, None, Some((1510, 1500)));
        late.began.0 += 5;
        let games = [
            late,
            game(2, None, Some((1505, 1500))),
            game(1, None, Some((1490, 1500))),
        ];
        let marks = &ratings(&games)["blitz"];
        assert_eq!(
            marks.iter().map(|mark| mark.rating.0).collect::<Vec<_>>(),
            [1490, 1510]
        );
    }
}
