//! State that outlasts a restart: rate limits, cooldowns, requested personas, game flags, scores and unfinished games.

use rusqlite::{OptionalExtension as _, Row, params};

use super::{
    Archive, StoreError,
    rows::{millis, number},
};
use crate::store::{ChallengeCooldown, GameFlags, OpponentScore, RequestedPersona};
use sparring_chess::units::{Elo, Millis};
use sparring_lichess::model::{GameId, UserId};

/// The `latest` of queries without an upper bound.
pub const ALWAYS: Millis = Millis(u64::MAX);

/// Queries of every start, during which game clocks may run: none may scan all games. Each has an upper bound of time, since a wrong
/// clock may have left rows dated in the future.
pub(super) const COOLDOWNS: &str = "SELECT opponent, refusals, until FROM rests WHERE until > ? AND until <= ? ORDER BY until DESC LIMIT 2000";
pub(super) const REQUESTED_PERSONAS: &str =
    "SELECT opponent, personality, level FROM wishes WHERE at <= ? ORDER BY at DESC LIMIT 5000";
pub(super) const OPPONENTS: &str =
    "SELECT opponent, is_bot FROM games WHERE began >= ? AND began <= ? AND opponent IS NOT NULL";
pub(super) const DECIDED: &str = "SELECT opponent, winner != side FROM games
    WHERE began >= ? AND began <= ? AND NOT rated AND opponent IS NOT NULL AND winner IS NOT NULL";
/// Joins from the running games to their flags, of which all games may have many.
pub(super) const GAME_FLAGS: &str = "SELECT id, takebacks, offered, favours.personality, favours.level
    FROM games INDEXED BY games_without_end CROSS JOIN favours ON game = id
    WHERE ended IS NULL AND began <= ? ORDER BY began DESC LIMIT 1000";
pub(super) const UNFINISHED: &str = "SELECT id FROM games INDEXED BY games_without_end WHERE ended IS NULL AND began <= ? ORDER BY began DESC LIMIT 100";

/// Scores by opponent, from an index alone. In a group with `max`, SQLite takes the other columns from the row with the maximum.
pub(super) fn scores_query(whose: &str) -> String {
    format!(
        "SELECT opponent, count(*), sum(CASE WHEN winner = side THEN 2 WHEN winner IS NULL THEN 1 ELSE 0 END),
         max(CASE WHEN NOT rated AND ended <= ?1 THEN ended END), played FROM games INDEXED BY games_by_score
         WHERE {whose} AND ended IS NOT NULL AND status NOT IN ('aborted', 'noStart') GROUP BY opponent"
    )
}
/// Conditions for [`scores_query`]: all opponents with a name, and one of them.
pub(super) const NAMED: &str = "opponent IS NOT NULL";
pub(super) const ONE: &str = "opponent = ?2";

impl Archive {
    /// Writes the end of a rate limit, in milliseconds since 1970.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn put_limit(&self, key: &str, until: Millis) -> Result<(), StoreError> {
        self.sql.execute(
            "INSERT OR REPLACE INTO limits (key, until) VALUES (?, ?)",
            params![key, number(until.0)],
        )?;
        Ok(())
    }

    /// The rate limits in force and their ends, without those that end after `latest`.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn limits(&self, now: Millis, latest: Millis) -> Result<Vec<(String, Millis)>, StoreError> {
        let mut select = self
            .sql
            .prepare("SELECT key, until FROM limits WHERE until > ? AND until <= ?")?;
        let rows = select.query_map([number(now.0), number(latest.0)], |row| {
            Ok((row.get(0)?, millis(row.get(1)?)))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Writes until when an opponent is not challenged, in milliseconds since 1970.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn put_cooldown(&self, rest: &ChallengeCooldown) -> Result<(), StoreError> {
        self.sql.execute(
            "INSERT OR REPLACE INTO rests (opponent, refusals, until) VALUES (?, ?, ?)",
            params![rest.user.as_str(), rest.refusals, number(rest.until.0)],
        )?;
        Ok(())
    }

    /// Cooldowns that end after `since` and not after `latest`. Ended ones count too: they hold the number of refusals.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn cooldowns(&self, since: Millis, latest: Millis) -> Result<Vec<ChallengeCooldown>, StoreError> {
        let mut select = self.sql.prepare(COOLDOWNS)?;
        let rows = select.query_map([number(since.0), number(latest.0)], |row| {
            Ok((row.get::<_, String>(0)?, row.get(1)?, millis(row.get(2)?)))
        })?;
        let all: Vec<(String, u32, Millis)> = rows.collect::<Result<_, _>>()?;
        let read = |(name, refusals, until): (String, u32, Millis)| {
            let user = name.parse().ok()?;
            Some(ChallengeCooldown {
                user,
                refusals,
                until,
            })
        };
        Ok(all.into_iter().filter_map(read).collect())
    }

    /// Writes the persona that an opponent asked for, or deletes the row if none is asked for. `at` is the time since 1970.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn put_requested_persona(
        &self,
        opponent: &UserId,
        asked: &RequestedPersona,
        at: Millis,
    ) -> Result<(), StoreError> {
        if *asked == RequestedPersona::default() {
            self.sql
                .execute("DELETE FROM wishes WHERE opponent = ?", [opponent.as_str()])?;
            return Ok(());
        }
        self.sql.execute(
            "INSERT OR REPLACE INTO wishes VALUES (?, ?, ?, ?)",
            params![
                opponent.as_str(),
                asked.personality,
                asked.level.map(|level| level.0),
                number(at.0)
            ],
        )?;
        Ok(())
    }

    /// The personas that opponents asked for, newest first, at most 5000.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn requested_personas(&self, latest: Millis) -> Result<Vec<(UserId, RequestedPersona)>, StoreError> {
        let mut select = self.sql.prepare(REQUESTED_PERSONAS)?;
        let rows = select.query_map([number(latest.0)], |row| {
            let asked = RequestedPersona {
                personality: row.get(1)?,
                level: row.get::<_, Option<u32>>(2)?.map(Elo),
            };
            Ok((row.get::<_, String>(0)?, asked))
        })?;
        let all: Vec<(String, RequestedPersona)> = rows.collect::<Result<_, _>>()?;
        Ok(all
            .into_iter()
            .filter_map(|(name, asked)| Some((name.parse().ok()?, asked)))
            .collect())
    }

    /// The opponent of each game begun from `since` to `latest`, and whether it is a bot.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn opponents_between(
        &self,
        since: Millis,
        latest: Millis,
    ) -> Result<Vec<(UserId, bool)>, StoreError> {
        let mut select = self.sql.prepare(OPPONENTS)?;
        let rows = select.query_map([number(since.0), number(latest.0)], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?))
        })?;
        let read =
            |row: rusqlite::Result<(String, bool)>| row.map(|(name, bot)| Some((name.parse().ok()?, bot)));
        let known: Vec<Option<_>> = rows.map(read).collect::<Result<_, _>>()?;
        Ok(known.into_iter().flatten().collect())
    }

    /// The opponent of each decisive casual game begun from `since` to `latest`, and whether the opponent won.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn decided_between(&self, since: Millis, latest: Millis) -> Result<Vec<(UserId, bool)>, StoreError> {
        let mut select = self.sql.prepare(DECIDED)?;
        let rows = select.query_map([number(since.0), number(latest.0)], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?))
        })?;
        let all: Vec<(String, bool)> = rows.collect::<Result<_, _>>()?;
        Ok(all
            .into_iter()
            .filter_map(|(name, lost)| Some((name.parse().ok()?, lost)))
            .collect())
    }

    /// The score against each opponent, and the level of the last casual game that ended by `latest`. Void games do not count.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn scores(&self, latest: Millis) -> Result<Vec<(UserId, OpponentScore)>, StoreError> {
        let mut select = self.sql.prepare(&scores_query(NAMED))?;
        let rows = select.query_map([number(latest.0)], |row| {
            Ok((row.get::<_, String>(0)?, score_of(row)?))
        })?;
        let all: Vec<(String, OpponentScore)> = rows.collect::<Result<_, _>>()?;
        Ok(all
            .into_iter()
            .filter_map(|(name, score)| Some((name.parse().ok()?, score)))
            .collect())
    }

    /// The score against one opponent; see [`scores`](Self::scores).
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn score(&self, opponent: &UserId, latest: Millis) -> Result<OpponentScore, StoreError> {
        let mut select = self.sql.prepare(&scores_query(ONE))?;
        let found = select
            .query_row(params![number(latest.0), opponent.as_str()], score_of)
            .optional()?;
        Ok(found.unwrap_or_default())
    }

    /// Writes the flags of a game.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn put_game_flags(&self, game: &GameId, favour: &GameFlags) -> Result<(), StoreError> {
        self.sql.execute(
            "INSERT OR REPLACE INTO favours (game, takebacks, offered, personality, level) VALUES (?, ?, ?, ?, ?)",
            params![
                game.as_str(),
                favour.takebacks,
                favour.offered_at,
                favour.asked.personality,
                favour.asked.level.map(|level| level.0)
            ],
        )?;
        Ok(())
    }

    /// The flags of unfinished games begun by `latest`, newest first, at most 1000. A correspondence game may be months old.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn game_flags(&self, latest: Millis) -> Result<Vec<(GameId, GameFlags)>, StoreError> {
        let mut select = self.sql.prepare(GAME_FLAGS)?;
        let rows = select.query_map([number(latest.0)], |row| {
            let favour = GameFlags {
                takebacks: row.get(1)?,
                offered_at: row.get(2)?,
                asked: RequestedPersona {
                    personality: row.get(3)?,
                    level: row.get::<_, Option<u32>>(4)?.map(Elo),
                },
            };
            Ok((row.get::<_, String>(0)?, favour))
        })?;
        let all: Vec<(String, GameFlags)> = rows.collect::<Result<_, _>>()?;
        Ok(all
            .into_iter()
            .filter_map(|(id, favour)| Some((id.parse().ok()?, favour)))
            .collect())
    }

    /// Whether a game has ended.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn has_ended(&self, game: &GameId) -> Result<bool, StoreError> {
        let mut select = self
            .sql
            .prepare_cached("SELECT ended IS NOT NULL FROM games WHERE id = ?")?;
        let found = select.query_row([game.as_str()], |row| row.get(0)).optional()?;
        Ok(found.unwrap_or_default())
    }

    /// Ends a game as aborted that the server no longer knows, with the moves that were seen: lichess forgets only aborted games.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn put_forgotten(&self, game: &GameId, at: Millis) -> Result<(), StoreError> {
        self.sql.execute(
            "UPDATE games SET ended = ?, status = 'aborted',
             moves = coalesce((SELECT group_concat(uci, ' ' ORDER BY ply) FROM moves WHERE game = id), '')
             WHERE id = ? AND ended IS NULL",
            params![number(at.0), game.as_str()],
        )?;
        Ok(())
    }

    /// Unfinished games begun by `latest`, newest first, at most 100.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn unfinished(&self, latest: Millis) -> Result<Vec<GameId>, StoreError> {
        let mut select = self.sql.prepare(UNFINISHED)?;
        let rows = select.query_map([number(latest.0)], |row| row.get::<_, String>(0))?;
        let ids: Vec<String> = rows.collect::<Result<_, _>>()?;
        Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
    }
}

/// A score row. Without a casual game there is no level.
fn score_of(row: &Row<'_>) -> rusqlite::Result<OpponentScore> {
    let was_casual = row.get::<_, Option<i64>>(3)?.is_some();
    let level = row.get::<_, Option<u32>>(4)?.map(Elo);
    Ok(OpponentScore {
        games: row.get(1)?,
        half_points: row.get(2)?,
        level: level.filter(|_| was_casual),
    })
}
