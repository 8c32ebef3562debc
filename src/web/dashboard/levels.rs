//! Levels: their parameters, and their measured strength in the bot's own games.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    statistics::{self, Group, performance},
    store::GameRecord,
};
use sparring_chess::units::Elo;
use sparring_personality::{
    Personalities,
    strength::{CALIBRATION, Levels},
};

/// The table of levels, with their performance in rated-opponent games.
pub(super) fn table(personalities: &Personalities, games: Vec<GameRecord>) -> Value {
    let levels = Levels::shipped();
    let rows: Vec<Value> = levels
        .rows()
        .iter()
        .map(|row| {
            let level = Elo(row.level.round() as u32);
            let knobs = levels.params(level);
            let care = knobs.choice.and_then(|choice| choice.blunder_check);
            json!({
                "level": level, "place": row.at / levels.end(), "nodes": knobs.nodes,
                "bookPlies": knobs.book_plies,
                "people": knobs.choice.map(|choice| choice.rating),
                "sharpness": knobs.choice.map(|choice| choice.sharpness),
                "vigilance": care.map(|care| care.vigilance),
                "margin": care.map(|care| care.margin),
            })
        })
        .collect();
    json!({"note": CALIBRATION, "levels": rows, "played": played(personalities, games)})
}

/// Performance by level in standard chess, against opponents with a rating.
fn played(personalities: &Personalities, games: Vec<GameRecord>) -> Vec<Value> {
    let mut by_level: BTreeMap<u32, Vec<GameRecord>> = BTreeMap::new();
    for game in games
        .into_iter()
        .filter(|game| game.rating.is_some() && game.variant == "standard")
    {
        let own = || {
            personalities
                .get(&game.personality)
                .and_then(|profile| profile.level)
        };
        if let Some(level) = game.played.or_else(own) {
            by_level.entry(level.0).or_default().push(game);
        }
    }
    let rows = by_level.iter().filter_map(|(level, games)| {
        let group = statistics::groups(games, |_| String::new()).into_iter().next()?;
        let met = games
            .iter()
            .filter_map(|game| game.rating)
            .map(|rating| f64::from(rating.0));
        let mean = met.sum::<f64>() / games.len() as f64;
        let (low, high) = bounds(&group);
        Some(json!({
            "level": level, "games": group.games, "score": group.score, "opponents": mean.round(),
            "performance": performance(mean, group.score), "low": low.map(|low| performance(mean, low)),
            "high": high.map(|high| performance(mean, high)),
        }))
    });
    rows.collect()
}

/// The ends of a score's confidence interval, if known.
fn bounds(group: &Group) -> (Option<f64>, Option<f64>) {
    let at = |sign: f64| group.error.map(|error| group.score + sign * error);
    (at(-1.0), at(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_rises_and_names_its_calibration() {
        let table = table(&Personalities::new(Vec::new()), Vec::new());
        assert_eq!(table["note"], CALIBRATION);
        let places: Vec<f64> = table["levels"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|row| row["place"].as_f64())
            .collect();
        assert!(places.len() > 5 && places.is_sorted(), "{places:?}");
        assert!(places.iter().all(|place| (0.0..=1.0).contains(place)));
        assert_eq!(table["played"], json!([]));
    }
}
