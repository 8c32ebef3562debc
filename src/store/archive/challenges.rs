//! Challenges in the archive, with their outcomes.

use rusqlite::{Row, named_params, params};

use super::{
    Archive, StoreError,
    rows::{millis, number},
};
use crate::store::ChallengeRecord;
use sparring_chess::units::Millis;
use sparring_lichess::model::UserId;

/// Which challenges to read. A field that is none restricts nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChallengeFilter {
    /// From or to this opponent.
    pub opponent: Option<UserId>,
    /// At this time since 1970 or later.
    pub since: Option<Millis>,
    /// Before this time since 1970.
    pub until: Option<Millis>,
    /// Only sent, or only received ones.
    pub sent: Option<bool>,
    /// At most so many, newest first; none for all.
    pub most: Option<u32>,
}

impl Archive {
    /// Writes a challenge with its verdict.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn put_challenge(&self, record: &ChallengeRecord) -> Result<(), StoreError> {
        self.sql
            .prepare_cached(
                "INSERT INTO challenges (id, at, opponent, verdict, rule, sent, game, repeats)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT (id) DO UPDATE SET at = excluded.at, opponent = excluded.opponent, verdict = excluded.verdict,
                 rule = excluded.rule, sent = excluded.sent, game = excluded.game, repeats = excluded.repeats",
            )?
            .execute(params![
                record.id.as_str(),
                number(record.at.0),
                record.opponent.as_ref().map(UserId::as_str),
                record.verdict,
                record.rule,
                record.sent,
                record.game,
                record.repeats.as_ref().map(|id| id.as_str()),
            ])?;
        Ok(())
    }

    /// The challenges that match a filter, newest first.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn challenges(&self, filter: &ChallengeFilter) -> Result<Vec<ChallengeRecord>, StoreError> {
        let mut select = self.sql.prepare_cached(
            "SELECT * FROM challenges WHERE (:opponent IS NULL OR opponent = :opponent) AND at >= :since
             AND (:until IS NULL OR at < :until) AND (:sent IS NULL OR sent = :sent)
             ORDER BY at DESC, id LIMIT :most",
        )?;
        let rows = select.query_map(
            named_params! {
                ":opponent": filter.opponent.as_ref().map(UserId::as_str),
                ":since": number(filter.since.unwrap_or_default().0),
                ":until": filter.until.map(|until| number(until.0)),
                ":sent": filter.sent,
                ":most": filter.most.map_or(-1, i64::from),
            },
            challenge_of,
        )?;
        // Invalid rows are skipped.
        Ok(rows
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect())
    }
}

fn challenge_of(row: &Row<'_>) -> rusqlite::Result<Option<ChallengeRecord>> {
    let Ok(id) = row.get::<_, String>("id")?.parse() else {
        return Ok(None);
    };
    let name: Option<String> = row.get("opponent")?;
    let repeats: Option<String> = row.get("repeats")?;
    Ok(Some(ChallengeRecord {
        id,
        at: millis(row.get("at")?),
        opponent: name.and_then(|name| name.parse().ok()),
        verdict: row.get("verdict")?,
        rule: row.get("rule")?,
        sent: row.get("sent")?,
        game: row.get("game")?,
        repeats: repeats.and_then(|id| id.parse().ok()),
    }))
}
