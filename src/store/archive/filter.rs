//! Filters of games as SQL.

use rusqlite::types::Value;

use super::rows::{number, side_name};
use crate::store::record::GameResult;
use sparring_chess::units::Millis;
use sparring_lichess::model::{GameId, Side, UserId};

/// The SQL condition on a row of `games`.
fn condition(result: GameResult) -> &'static str {
    match result {
        GameResult::Won => "winner = side",
        GameResult::Lost => "winner != side",
        GameResult::Drawn => "ended IS NOT NULL AND winner IS NULL AND status NOT IN ('aborted', 'noStart')",
        GameResult::Void => "winner IS NULL AND status IN ('aborted', 'noStart')",
        GameResult::Runs => "ended IS NULL",
    }
}

/// Which games to read. A field that is none restricts nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Against this opponent.
    pub opponent: Option<UserId>,
    /// Begun at this time since 1970 or later.
    pub since: Option<Millis>,
    /// Begun before this time since 1970.
    pub until: Option<Millis>,
    /// Only rated ones, or only casual ones.
    pub rated: Option<bool>,
    /// Only against bots, or only against people.
    pub bots: Option<bool>,
    /// In which I had this side.
    pub side: Option<Side>,
    /// That ended so for me.
    pub result: Option<GameResult>,
    /// Of this variant, by lichess' key in any spelling of case.
    pub variant: Option<String>,
    /// Of this speed, by lichess' key in any spelling of case.
    pub speed: Option<String>,
    /// Played by this personality, in any spelling of case.
    pub personality: Option<String>,
    /// Only those that come after this one, which began at this time since 1970, in the order in which games are shown.
    pub after: Option<(Millis, GameId)>,
    /// No more than so many, the newest first; none for all.
    pub most: Option<u32>,
}

impl Filter {
    /// The question for these columns, and the values in it.
    pub(super) fn select(&self, columns: &str) -> (String, Vec<Value>) {
        let time = |epoch: Millis| Value::from(number(epoch.0));
        let text = |text: &String| Value::from(text.clone());
        let asked = [
            (
                "opponent = ?",
                self.opponent.as_ref().map(|user| Value::from(user.to_string())),
            ),
            ("began >= ?", self.since.map(time)),
            ("began < ?", self.until.map(time)),
            ("rated = ?", self.rated.map(Value::from)),
            ("is_bot = ?", self.bots.map(Value::from)),
            (
                "side = ?",
                self.side.map(|side| Value::from(side_name(side).to_owned())),
            ),
            ("variant = ? COLLATE NOCASE", self.variant.as_ref().map(text)),
            ("speed = ? COLLATE NOCASE", self.speed.as_ref().map(text)),
            (
                "personality = ? COLLATE NOCASE",
                self.personality.as_ref().map(text),
            ),
        ];
        let (mut conditions, mut values): (Vec<&str>, Vec<Value>) = asked
            .into_iter()
            .filter_map(|(condition, value)| Some((condition, value?)))
            .unzip();
        conditions.extend(self.result.map(condition));
        if let Some((began, id)) = &self.after {
            conditions.push("began <= ? AND (began < ? OR id > ?)");
            values.extend([time(*began), time(*began), Value::from(id.to_string())]);
        }
        let conditions = if conditions.is_empty() {
            String::new()
        } else {
            format!("WHERE ({})", conditions.join(") AND ("))
        };
        values.push(Value::from(self.most.map_or(-1, i64::from)));
        (
            format!("SELECT {columns} FROM games {conditions} ORDER BY began DESC, id LIMIT ?"),
            values,
        )
    }
}
