//! What the next start reads from the archive.

use rusqlite::{OptionalExtension as _, Row, params};

use super::{
    Archive, StoreError,
    rows::{millis, number},
};
use crate::store::{ChallengeCooldown, GameFlags, OpponentScore, RequestedPersona};
use sparring_chess::units::{Elo, Millis};
use sparring_lichess::model::{GameId, UserId};

/// For questions without a last moment: nothing is dated later.
pub const ALWAYS: Millis = Millis(u64::MAX);

/// Questions of every start, which may come while a clock runs: none of them may read all games. Each has a last moment: a clock that
/// went wrong once may have left rows of a year to come, which are nothing of today.
pub(super) const RESTS: &str = "SELECT opponent, refusals, until FROM rests WHERE until > ? AND until <= ? ORDER BY until DESC LIMIT 2000";
pub(super) const WISHES: &str =
    "SELECT opponent, personality, level FROM wishes WHERE at <= ? ORDER BY at DESC LIMIT 5000";
pub(super) const OPPONENTS: &str =
    "SELECT opponent, is_bot FROM games WHERE began >= ? AND began <= ? AND opponent IS NOT NULL";
pub(super) const DECIDED: &str = "SELECT opponent, winner != side FROM games
    WHERE began >= ? AND began <= ? AND NOT rated AND opponent IS NOT NULL AND winner IS NOT NULL";
/// From the games that run to what was granted in them, since of all games that may be much.
pub(super) const FAVOURS: &str = "SELECT id, takebacks, offered, favours.personality, favours.level
    FROM games INDEXED BY games_without_end CROSS JOIN favours ON game = id
    WHERE ended IS NULL AND began <= ? ORDER BY began DESC LIMIT 1000";
pub(super) const WITHOUT_END: &str = "SELECT id FROM games INDEXED BY games_without_end WHERE ended IS NULL AND began <= ? ORDER BY began DESC LIMIT 100";

/// What was played with such opponents, from an index alone. In a group with `max` SQLite takes the other columns from the row that
/// has it.
pub(super) fn tallies(whose: &str) -> String {
    format!(
        "SELECT opponent, count(*), sum(CASE WHEN winner = side THEN 2 WHEN winner IS NULL THEN 1 ELSE 0 END),
         max(CASE WHEN NOT rated AND ended <= ?1 THEN ended END), played FROM games INDEXED BY games_by_score
         WHERE {whose} AND ended IS NOT NULL AND status NOT IN ('aborted', 'noStart') GROUP BY opponent"
    )
}
/// All opponents that have a name, and one of them.
pub(super) const NAMED: &str = "opponent IS NOT NULL";
pub(super) const ONE: &str = "opponent = ?2";

impl Archive {
    /// Writes down until when a limit holds, in milliseconds since 1970.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn put_limit(&self, key: &str, until: Millis) -> Result<(), StoreError> {
        self.sql.execute(
            "INSERT OR REPLACE INTO limits (key, until) VALUES (?, ?)",
            params![key, number(until.0)],
        )?;
        Ok(())
    }

    /// The limits that still hold, and until when; none that would hold longer than until `latest`.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn limits(&self, now: Millis, latest: Millis) -> Result<Vec<(String, Millis)>, StoreError> {
        let mut select = self
            .sql
            .prepare("SELECT key, until FROM limits WHERE until > ? AND until <= ?")?;
        let rows = select.query_map([number(now.0), number(latest.0)], |row| {
            Ok((row.get(0)?, millis(row.get(1)?)))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Writes down who is not challenged for a while, until a time since 1970.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn put_rest(&self, rest: &ChallengeCooldown) -> Result<(), StoreError> {
        self.sql.execute(
            "INSERT OR REPLACE INTO rests (opponent, refusals, until) VALUES (?, ?, ?)",
            params![rest.user.as_str(), rest.refusals, number(rest.until.0)],
        )?;
        Ok(())
    }

    /// Who is not challenged now or was not until a while ago: how often somebody refused counts beyond the rest itself. A rest longer than
    /// until `latest` is none.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn rests(&self, since: Millis, latest: Millis) -> Result<Vec<ChallengeCooldown>, StoreError> {
        let mut select = self.sql.prepare(RESTS)?;
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

    /// Writes down at a time since 1970 what the next casual game with an opponent is to be; nothing once that is settled.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn put_wish(
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

    /// What the next casual games are to be, the newest wishes first, at most five thousand.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn wishes(&self, latest: Millis) -> Result<Vec<(UserId, RequestedPersona)>, StoreError> {
        let mut select = self.sql.prepare(WISHES)?;
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

    /// With whom games were begun from a time to another, once for each game, and whether that was a bot.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
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

    /// How casual games begun from a time to another ended that were not drawn: against whom, and whether the opponent won.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
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

    /// What was played with each opponent ever, and how strong in the last casual game, of those that had ended by `latest`.
    /// Games that do not count are left out.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn scores(&self, latest: Millis) -> Result<Vec<(UserId, OpponentScore)>, StoreError> {
        let mut select = self.sql.prepare(&tallies(NAMED))?;
        let rows = select.query_map([number(latest.0)], |row| {
            Ok((row.get::<_, String>(0)?, tally_of(row)?))
        })?;
        let all: Vec<(String, OpponentScore)> = rows.collect::<Result<_, _>>()?;
        Ok(all
            .into_iter()
            .filter_map(|(name, score)| Some((name.parse().ok()?, score)))
            .collect())
    }

    /// The same of one opponent.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn score(&self, opponent: &UserId, latest: Millis) -> Result<OpponentScore, StoreError> {
        let mut select = self.sql.prepare(&tallies(ONE))?;
        let found = select
            .query_row(params![number(latest.0), opponent.as_str()], tally_of)
            .optional()?;
        Ok(found.unwrap_or_default())
    }

    /// Writes down what was granted in a game so far.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn put_favour(&self, game: &GameId, favour: &GameFlags) -> Result<(), StoreError> {
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

    /// What was granted in games whose end nobody has written down, begun by `latest`, the newest first, at most a
    /// thousand. A game of days may be months old.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn favours(&self, latest: Millis) -> Result<Vec<(GameId, GameFlags)>, StoreError> {
        let mut select = self.sql.prepare(FAVOURS)?;
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

    /// Whether the end of a game is written down.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn has_ended(&self, game: &GameId) -> Result<bool, StoreError> {
        let mut select = self
            .sql
            .prepare_cached("SELECT ended IS NOT NULL FROM games WHERE id = ?")?;
        let found = select.query_row([game.as_str()], |row| row.get(0)).optional()?;
        Ok(found.unwrap_or_default())
    }

    /// A game whose end nobody has seen and nobody can tell any more is kept as aborted, with the moves that were shown: that
    /// is what lichess does with games before it forgets them, and it counts for nobody.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn put_forgotten(&self, game: &GameId, at: Millis) -> Result<(), StoreError> {
        self.sql.execute(
            "UPDATE games SET ended = ?, status = 'aborted',
             moves = coalesce((SELECT group_concat(uci, ' ' ORDER BY ply) FROM moves WHERE game = id), '')
             WHERE id = ? AND ended IS NULL",
            params![number(at.0), game.as_str()],
        )?;
        Ok(())
    }

    /// Games whose end nobody has written down, begun by `latest`, the newest first, at most a hundred.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn without_end(&self, latest: Millis) -> Result<Vec<GameId>, StoreError> {
        let mut select = self.sql.prepare(WITHOUT_END)?;
        let rows = select.query_map([number(latest.0)], |row| row.get::<_, String>(0))?;
        let ids: Vec<String> = rows.collect::<Result<_, _>>()?;
        Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
    }
}

/// Who has played rated games alone has no level.
fn tally_of(row: &Row<'_>) -> rusqlite::Result<OpponentScore> {
    let was_casual = row.get::<_, Option<i64>>(3)?.is_some();
    let level = row.get::<_, Option<u32>>(4)?.map(Elo);
    Ok(OpponentScore {
        games: row.get(1)?,
        half_points: row.get(2)?,
        level: level.filter(|_| was_casual),
    })
}
