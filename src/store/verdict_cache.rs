//! Scores of positions that the engine has searched, in a file of their own. It may be lost at any time: then it searches again.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, params};
use thiserror::Error;

use super::archive::BUSY;
use sparring_chess::units::{Centipawns, Nodes};
use sparring_engine::Score;

/// What tells the file from other databases: "spva" in ASCII.
const KIND: i64 = 0x7370_7661;

/// Why known scores cannot be used.
#[derive(Debug, Error)]
pub enum CacheError {
    /// SQLite's error.
    #[error(transparent)]
    Sql(#[from] rusqlite::Error),
    /// A database with other tables.
    #[error("it is a database of another kind")]
    Foreign,
}

/// Scores by position, build of the engine and limit.
#[derive(Debug)]
pub struct VerdictCache {
    sql: Connection,
    build: String,
    limit: Nodes,
}

impl VerdictCache {
    /// Opens the file, or makes it. Scores of other limits stay in it, those of other builds go.
    ///
    /// # Errors
    /// [`CacheError`] when it cannot be read or written, or is another database.
    pub fn open(path: &Path, build: &str, limit: Nodes) -> Result<Self, CacheError> {
        let sql = Connection::open(path)?;
        let found: i64 = sql.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let tables: u32 = sql.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if found != KIND && tables > 0 {
            return Err(CacheError::Foreign);
        }
        // Several programs may share it, and a lost score is searched for again.
        sql.busy_timeout(BUSY)?;
        sql.pragma_update(None, "journal_mode", "wal")?;
        sql.pragma_update(None, "synchronous", "off")?;
        sql.pragma_update(None, "application_id", KIND)?;
        sql.execute_batch(
            "CREATE TABLE IF NOT EXISTS verdicts (
                 position TEXT NOT NULL,     -- variant, and FEN without the number of the move
                 build    TEXT NOT NULL,
                 nodes    INTEGER NOT NULL,  -- the limit
                 score    INTEGER,           -- centipawns for the side to move
                 mate     INTEGER,           -- moves to mate, negative when the side to move is mated
                 PRIMARY KEY (position, build, nodes)
             ) STRICT, WITHOUT ROWID;",
        )?;
        sql.execute("DELETE FROM verdicts WHERE build <> ?", [build])?;
        Ok(Self {
            sql,
            build: build.to_owned(),
            limit,
        })
    }

    /// The score of a position for the side to move, if it is known.
    ///
    /// # Errors
    /// [`rusqlite::Error`] when the file cannot be read.
    pub fn get(&self, position: &str) -> rusqlite::Result<Option<Score>> {
        let mut select = self.sql.prepare_cached(
            "SELECT score, mate FROM verdicts WHERE position = ? AND build = ? AND nodes = ?",
        )?;
        let found = select
            .query_row(params![position, self.build, self.limit.0.cast_signed()], |row| {
                Ok((row.get::<_, Option<i32>>(0)?, row.get::<_, Option<i32>>(1)?))
            })
            .optional()?;
        Ok(found.and_then(|(score, mate)| {
            mate.map(Score::Mate)
                .or_else(|| score.map(|score| Score::Cp(Centipawns(score))))
        }))
    }

    /// Keeps the score of a position.
    ///
    /// # Errors
    /// [`rusqlite::Error`] when the file cannot be written.
    pub fn put(&self, position: &str, score: Score) -> rusqlite::Result<()> {
        let (score, mate) = match score {
            Score::Cp(Centipawns(score)) => (Some(score), None),
            Score::Mate(moves) => (None, Some(moves)),
        };
        self.sql
            .prepare_cached("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?)")?
            .execute(params![
                position,
                self.build,
                self.limit.0.cast_signed(),
                score,
                mate
            ])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_kept_by_position_build_and_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("analysis.db");
        let open = |build: &str, nodes| VerdictCache::open(&path, build, Nodes(nodes)).unwrap();
        open("a", 100).put("one", Score::Cp(Centipawns(-31))).unwrap();
        open("a", 100).put("two", Score::Mate(-2)).unwrap();
        let again = open("a", 100);
        assert_eq!(again.get("one").unwrap(), Some(Score::Cp(Centipawns(-31))));
        assert_eq!(again.get("two").unwrap(), Some(Score::Mate(-2)));
        assert_eq!(again.get("three").unwrap(), None);
        assert_eq!(open("a", 200).get("one").unwrap(), None);
        assert_eq!(open("b", 100).get("one").unwrap(), None);
        assert_eq!(
            open("a", 100).get("one").unwrap(),
            None,
            "scores of the other build are gone"
        );
    }

    #[test]
    fn a_file_of_another_kind_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("analysis.db");
        let text = "this is a letter to somebody, and no database".repeat(40);
        std::fs::write(&path, &text).unwrap();
        assert!(VerdictCache::open(&path, "a", Nodes(1)).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        let archive = folder.path().join("archive.db");
        drop(super::super::Archive::open(&archive).unwrap());
        let refused = VerdictCache::open(&archive, "a", Nodes(1)).unwrap_err();
        assert!(matches!(refused, CacheError::Foreign), "{refused}");
    }
}
