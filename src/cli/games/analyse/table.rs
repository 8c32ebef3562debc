//! The figures of analysed games, by personality and level.

use std::{collections::BTreeMap, fmt::Write as _};

use serde::Serialize;

use super::AnalysedGame;
use crate::statistics::{interval, mean, performance};

/// Games of one personality at one level.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Figures {
    personality: String,
    /// The level that was meant; none for full strength, and of early versions.
    level: Option<u32>,
    /// Games with a result.
    games: usize,
    /// Points a game, from 0 to 1.
    score: f64,
    /// The rating that such a score is expected of, in standard chess against opponents with a rating; none without such games.
    performance: Option<f64>,
    /// The ends of its 95 % interval; none of fewer than two games.
    low: Option<f64>,
    high: Option<f64>,
    /// Over all moves of the bot, as [`Quality`](super::Quality) has them.
    accuracy: f64,
    loss: f64,
    /// A game.
    blunders: f64,
    /// Over all moves of the opponents.
    their_accuracy: f64,
    their_loss: f64,
}

/// The rows, by personality and level.
pub(super) fn rows<'a>(games: impl IntoIterator<Item = &'a AnalysedGame>) -> Vec<Figures> {
    let mut groups: BTreeMap<(&str, Option<u32>), Vec<&AnalysedGame>> = BTreeMap::new();
    for game in games {
        groups
            .entry((&game.personality, game.level))
            .or_default()
            .push(game);
    }
    groups
        .into_iter()
        .map(|((personality, level), games)| row(personality, level, &games))
        .collect()
}

fn row(personality: &str, level: Option<u32>, games: &[&AnalysedGame]) -> Figures {
    let points: Vec<f64> = games.iter().map(|game| game.points).collect();
    let rated = games.iter().filter(|game| game.variant == "standard");
    let (met, scored): (Vec<f64>, Vec<f64>) = rated
        .filter_map(|game| Some((f64::from(game.rating?), game.points)))
        .unzip();
    let performed = mean(&met).zip(mean(&scored));
    let bound = |sign: f64| {
        let (met, score) = performed?;
        Some(performance(met, score + sign * interval(&scored)?))
    };
    // Long games have more moves, and count more.
    let over_moves = |value: fn(&AnalysedGame) -> (u32, f64)| {
        let (moves, sum) = games.iter().fold((0, 0.0), |(moves, sum), game| {
            let (count, value) = value(game);
            (moves + count, sum + f64::from(count) * value)
        });
        sum / f64::from(moves.max(1))
    };
    let blunders: u32 = games.iter().map(|game| game.bot.blunders).sum();
    Figures {
        personality: personality.to_owned(),
        level,
        games: games.len(),
        score: mean(&points).unwrap_or_default(),
        performance: performed.map(|(met, score)| performance(met, score)),
        low: bound(-1.0),
        high: bound(1.0),
        accuracy: over_moves(|game| (game.bot.moves, game.bot.accuracy)),
        loss: over_moves(|game| (game.bot.moves, game.bot.loss)),
        blunders: f64::from(blunders) / games.len().max(1) as f64,
        their_accuracy: over_moves(|game| (game.opponent.moves, game.opponent.accuracy)),
        their_loss: over_moves(|game| (game.opponent.moves, game.opponent.loss)),
    }
}

/// The rows as a table with headings.
pub(super) fn written(rows: &[Figures]) -> String {
    let mut text = format!(
        "{:<16} {:>5} {:>11} {:>13} {:>6} {:>6} {:>9} {:>6} {:>9} {:>9} {:>6}\n",
        "personality",
        "level",
        "performance",
        "interval",
        "games",
        "score",
        "accuracy",
        "loss",
        "blunders",
        "theirs",
        "loss"
    );
    for row in rows {
        let rounded =
            |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.0}"));
        let interval = match (row.low, row.high) {
            (Some(low), Some(high)) => format!("{low:.0} to {high:.0}"),
            _ => "-".to_owned(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<16} {:>5} {:>11} {interval:>13} {:>6} {:>4.0} % {:>9.1} {:>6.2} {:>9.2} {:>9.1} {:>6.2}",
            row.personality,
            row.level
                .map_or_else(|| "-".to_owned(), |level| level.to_string()),
            rounded(row.performance),
            row.games,
            100.0 * row.score,
            row.accuracy,
            row.loss,
            row.blunders,
            row.their_accuracy,
            row.their_loss,
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::games::analyse::quality::Quality;

    fn game(level: Option<u32>, points: f64, rating: Option<u32>, losses: &[f64]) -> AnalysedGame {
        AnalysedGame {
            unit: 0,
            game: "abcd1234".to_owned(),
            personality: "club".to_owned(),
            level,
            variant: "standard".to_owned(),
            speed: "blitz".to_owned(),
            rating,
            points,
            bot: Quality::of(losses),
            opponent: Quality::of(&[0.0]),
            worst: None,
        }
    }

    #[test]
    fn what_was_meant_stands_beside_what_came_of_it() {
        let games = [
            game(Some(1400), 1.0, Some(1500), &[0.0, 0.0, 0.0]),
            game(Some(1400), 0.0, Some(1300), &[20.0]),
            game(None, 0.5, None, &[1.0]),
        ];
        let rows = rows(&games);
        assert_eq!(rows.len(), 2);
        let (full, limited) = (&rows[0], &rows[1]);
        assert_eq!((full.level, full.performance), (None, None));
        assert_eq!((limited.games, limited.score), (2, 0.5));
        assert_eq!(limited.performance, Some(1400.0));
        assert!(limited.low < Some(1300.0) && limited.high > Some(1500.0));
        assert!((limited.loss - 5.0).abs() < 1e-9, "twenty points in four moves");
        assert!((limited.blunders - 0.5).abs() < 1e-9);
        let text = written(&rows);
        assert!(text.contains("club              1400        1400"), "{text}");
    }
}
