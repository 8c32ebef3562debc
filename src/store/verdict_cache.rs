//! Scores of positions that the engine has searched, in a file of their own. It may be lost at any time: then it searches again.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::archive::BUSY;
use sparring_chess::units::{Centipawns, Nodes};
use sparring_engine::Score;

/// Scores by position, build of the engine and limit.
#[derive(Debug)]
pub struct VerdictCache {
    sql: Connection,
    build: String,
    limit: Nodes,
}

impl VerdictCache {
    /// Opens the file, or makes it. Scores of other builds and limits stay in it.
    ///
    /// # Errors
    /// [`rusqlite::Error`] when it cannot be read or written, or is no such file.
    pub fn open(path: &Path, build: &str, limit: Nodes) -> rusqlite::Result<Self> {
        let sql = Connection::open(path)?;
        // Several programs may share it, and a lost score is searched for again.
        sql.busy_timeout(BUSY)?;
        sql.pragma_update(None, "journal_mode", "wal")?;
        sql.pragma_update(None, "synchronous", "off")?;
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
        assert_eq!(open("b", 100).get("one").unwrap(), None);
        assert_eq!(open("a", 200).get("one").unwrap(), None);
    }

    #[test]
    fn a_file_of_another_kind_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("analysis.db");
        let text = "this is a letter to somebody, and no database".repeat(40);
        std::fs::write(&path, &text).unwrap();
        assert!(VerdictCache::open(&path, "a", Nodes(1)).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}
