//! Servers that other bots ask for moves, in the form of `[online.NAME]`.

use super::{
    draft::{Draft, but, millis_of, nearest_of, span, toml},
    shared::taken,
    table::{Fate, Found, Refusal, at, is_on},
    yaml::Value,
};
use sparring_lichess::model::UserId;

/// A server that is asked for moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OnlineSource {
    /// Its name in bot.toml.
    name: &'static str,
    /// Whoever has more is asked first.
    priority: i64,
    /// Its keys with their values as TOML.
    keys: Vec<(&'static str, String)>,
}

const OFF: &str = "off there";
/// What lichess-bot asks first has the highest number; BotLi's settings have numbers of their own.
const PRIORITIES: [(&str, i64); 7] = [
    ("online_egtb", 450),
    ("chessdb_book", 350),
    ("lichess_cloud_analysis", 250),
    ("lichess_opening_explorer", 150),
    ("opening_explorer", 300),
    ("lichess_cloud", 200),
    ("chessdb", 100),
];
/// The priority of books unless settings say otherwise.
const OF_BOOKS: i64 = 400;
/// Centipawns that stand for "good" and "all" moves.
const GOOD: &str = "10";
const ALL: &str = "30";

impl OnlineSource {
    fn set(&mut self, key: &'static str, value: String) {
        self.keys.retain(|(other, _)| *other != key);
        self.keys.push((key, value));
    }
}

/// The sections of sources. Empty without one.
pub(super) fn sections(sources: &[OnlineSource]) -> String {
    let mut text = String::new();
    for source in sources {
        text += &format!("[online.{}]\n", source.name);
        for (key, value) in &source.keys {
            text += &format!("{key} = {value}\n");
        }
        text.push('\n');
    }
    text
}

/// Books with the sources before and after them, in the order in which they were asked.
pub(super) fn in_order(draft: &Draft, books: Vec<String>) -> Vec<String> {
    let mut sources: Vec<&OnlineSource> = draft.online.iter().collect();
    sources.sort_by_key(|source| -source.priority);
    let names = |is_before: bool| {
        let sources = sources
            .iter()
            .filter(move |source| (source.priority > draft.books.priority.unwrap_or(OF_BOOKS)) == is_before);
        sources.map(|source| format!("online:{}", source.name))
    };
    // Endgames are in no book, so that a table before them is asked for nothing else.
    names(true).chain(books).chain(names(false)).collect()
}

/// Names the sources in the personality, where no book has a place beside them.
pub(super) fn name_all(draft: &mut Draft) {
    let has_books = draft.personality.iter().any(|setting| setting.key == "books");
    if draft.online.is_empty() || has_books {
        return;
    }
    let value = toml(in_order(draft, Vec::new()));
    draft.personality.push(super::draft::Setting {
        section: "",
        key: "books",
        value,
        from: "online_moves".to_owned(),
    });
}

/// The section that a setting stands in.
fn section<'f>(found: &'f Found<'_>) -> (&'f str, &'f str) {
    let whole = found.path.rsplit_once('.').map_or("", |(section, _)| section);
    (whole, whole.rsplit('.').next().unwrap_or(whole))
}

fn text_beside<'f>(found: &'f Found<'_>, key: &str) -> Option<&'f str> {
    match &at(found.root, &format!("{}.{key}", section(found).0))?.value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// The source of a section, if it is on; made when it is asked for first.
fn source<'d>(draft: &'d mut Draft, found: &Found<'_>) -> Option<&'d mut OnlineSource> {
    let (path, section) = section(found);
    let is_against = is_on(found.root, &format!("{path}.anti"));
    if !is_on(found.root, &format!("{path}.enabled")) || is_against {
        return None;
    }
    let (name, kind) = match section {
        "chessdb_book" | "chessdb" => ("chessdb", "chessdb"),
        "lichess_cloud_analysis" | "lichess_cloud" => ("cloud", "cloud-eval"),
        "online_egtb" => ("tables", "tablebase"),
        "opening_explorer" => ("explorer", "explorer-player"),
        _ => match text_beside(found, "source") {
            Some("lichess") => ("explorer", "explorer-lichess"),
            Some("player") => ("explorer", "explorer-player"),
            _ => ("explorer", "explorer-masters"),
        },
    };
    let written = match at(found.root, &format!("{path}.priority")).map(|node| &node.value) {
        Some(Value::Int(priority)) => Some(*priority),
        _ => None,
    };
    let usual = PRIORITIES.iter().find(|(known, _)| *known == section);
    let index = draft
        .online
        .iter()
        .position(|source| source.name == name)
        .unwrap_or_else(|| {
            draft.online.push(OnlineSource {
                name,
                priority: written.unwrap_or(usual.map_or(0, |(_, priority)| *priority)),
                keys: vec![("source", toml(kind))],
            });
            draft.online.len() - 1
        });
    draft.online.get_mut(index)
}

/// Whether a source is asked.
pub(super) fn enabled(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    if !found.truth()? {
        return Ok(taken(OFF));
    }
    let Some(source) = source(draft, found) else {
        return Ok(Fate::Nothing(
            "the bot does not ask for the games of its opponents".to_owned(),
        ));
    };
    let fate = Fate::Taken(format!(
        "[online.{}], named by the books of moved.toml",
        source.name
    ));
    Ok(match source.name {
        "explorer" => but(
            fate,
            "lichess' explorer answers nobody without a token: create one without any scope, and name its file by token-file",
        ),
        _ => fate,
    })
}

/// A setting of a source.
pub(super) fn setting(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let good = text_beside(found, "move_quality") == Some("good");
    let Some(source) = source(draft, found) else {
        // The value must be of its kind all the same.
        return Ok(taken(OFF));
    };
    let (key, value, told) = match found.key {
        "min_time" => {
            let millis = millis_of(found.number()?).clamp(5_000, 10_800_000);
            ("min-clock", span(millis), None)
        }
        "min_depth" | "min_eval_depth" => number("min-depth", found, 1..=200)?,
        "min_games" => {
            let (key, value, told) = number("min-games", found, 1..=1_000_000)?;
            let of_moves = "of the move; BotLi counts those of the position".to_owned();
            (
                key,
                value,
                told.or((section(found).1 == "opening_explorer").then_some(of_moves)),
            )
        }
        // BotLi counts half moves.
        "max_depth" => number("max-ply", found, 1..=600)?,
        "player" | "player_name" => {
            let Some(player) = found.text().ok().filter(|name| !name.is_empty()) else {
                return Ok(taken("without a name the bot's own games count"));
            };
            if player.parse::<UserId>().is_err() {
                return Ok(Fate::Differs(format!(
                    "not written: \"{player}\" is no name of a user"
                )));
            }
            if !source.keys.contains(&("source", toml("explorer-player"))) {
                return Ok(taken("no effect, as there: other games count"));
            }
            ("player", toml(player), None)
        }
        "sort" | "selection" => {
            let by = if found.text()? == "games_played" {
                "games"
            } else {
                "score"
            };
            let told = "moves are drawn by that as book-choice says; \"best\" plays the first";
            ("rank-by", toml(by), Some(told.to_owned()))
        }
        "max_score_difference" if !good => {
            return Ok(taken("no effect, as there, without move_quality: good"));
        }
        "max_score_difference" => number("max-loss", found, 0..=300)?,
        "move_quality" | "best_move" => {
            let loss = match found.text()?.as_str() {
                "all" => ALL,
                "good" if section(found).1 == "lichess_cloud_analysis" => {
                    return Ok(taken("max-loss, by max_score_difference"));
                }
                "good" | "false" => GOOD,
                _ => "0",
            };
            let told = (loss != "0").then(|| "chessdb picks them by a rule of its own".to_owned());
            ("max-loss", loss.to_owned(), told)
        }
        _ => return Ok(Fate::Nothing("there is nothing like it".to_owned())),
    };
    source.set(key, value.clone());
    let fate = Fate::Taken(format!("{key} = {value} in [online.{}]", source.name));
    Ok(told.map_or(fate.clone(), |told| but(fate, &told)))
}

/// What the endgame tables are: those of lichess, for seven pieces, of which the first move is played.
pub(super) fn tables(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let text = found.text()?;
    if source(draft, found).is_none() {
        return Ok(taken(OFF));
    }
    Ok(match (found.key, text.as_str()) {
        ("source", "lichess") | ("max_pieces", "7") | ("move_quality", "best") => taken("it is so"),
        ("source", _) => Fate::Differs("lichess' tables are asked, no others".to_owned()),
        ("max_pieces", _) => Fate::Differs("asked with seven pieces or fewer".to_owned()),
        _ => Fate::Differs("the first move of lichess' order is played".to_owned()),
    })
}

/// The end of all opening sources of lichess-bot, in full moves.
pub(super) fn length(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let moves = found.number()?;
    if !moves.is_finite() {
        return Ok(Fate::Differs(
            "max-ply in [online.NAME] is 40 unless it says more".to_owned(),
        ));
    }
    let (plies, told) = nearest_of((moves.clamp(0.0, 1000.0) * 2.0) as i64, 1..=600);
    let openings = draft.online.iter_mut().filter(|source| source.name != "tables");
    for source in openings {
        source.set("max-ply", plies.to_string());
    }
    let fate = Fate::Taken(format!("max-ply = {plies} in each [online.NAME]"));
    Ok(told.map_or(fate.clone(), |told| but(fate, &told)))
}

/// The place of a source among the books.
pub(super) fn priority(_: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    found.int()?;
    Ok(taken("the order of books in moved.toml"))
}

/// Whether positions may be repeated.
pub(super) fn repetitions(_: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    Ok(match found.truth()? {
        false => taken("no move of a server leads back to a position of the game"),
        true => Fate::Differs("no move of a server leads back to a position of the game".to_owned()),
    })
}

fn number(
    key: &'static str,
    found: &Found<'_>,
    range: std::ops::RangeInclusive<i64>,
) -> Result<(&'static str, String, Option<String>), Refusal> {
    let (near, told) = nearest_of(found.int()?, range);
    Ok((key, near.to_string(), told))
}
