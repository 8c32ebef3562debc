//! Answers of online sources in a file of their own. It may be lost at any time: then the servers are asked again.

use std::{fs, path::Path};

use rusqlite::{Connection, OptionalExtension as _, params};

use sparring_chess::units::Millis;

/// So many answers are kept, of a kilobyte or so each.
const MOST: u32 = 20_000;
/// Every so many writes the old ones are removed.
const SWEEP: u32 = 200;
/// The layout; a file with another one is begun anew.
const LAYOUT: i64 = 1;

/// The answers by the address that gave them.
#[derive(Debug)]
pub struct OnlineCache {
    sql: Connection,
    writes: u32,
}

impl OnlineCache {
    /// Opens the file, or begins it anew if it cannot be used.
    ///
    /// # Errors
    /// [`rusqlite::Error`] when the folder cannot be written.
    pub fn open(path: &Path) -> rusqlite::Result<Self> {
        match Self::try_open(path) {
            Ok(cache) => Ok(cache),
            Err(_) => {
                for ending in ["", "-wal", "-shm"] {
                    let mut file = path.as_os_str().to_owned();
                    file.push(ending);
                    // What is not there need not go.
                    let _ = fs::remove_file(file);
                }
                Self::try_open(path)
            }
        }
    }

    fn try_open(path: &Path) -> rusqlite::Result<Self> {
        let sql = Connection::open(path)?;
        // A lost answer is asked for again.
        sql.pragma_update(None, "journal_mode", "wal")?;
        sql.pragma_update(None, "synchronous", "off")?;
        let layout: i64 = sql.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if layout != LAYOUT {
            sql.execute_batch("DROP TABLE IF EXISTS answers;")?;
            sql.pragma_update(None, "user_version", LAYOUT)?;
        }
        sql.execute_batch(
            "CREATE TABLE IF NOT EXISTS answers (url TEXT PRIMARY KEY, expires INTEGER NOT NULL, answer TEXT NOT NULL);
             CREATE INDEX IF NOT EXISTS expiry ON answers (expires);",
        )?;
        Ok(Self { sql, writes: 0 })
    }

    /// The answer of an address, unless it has expired; `now` is the time since 1970.
    ///
    /// # Errors
    /// [`rusqlite::Error`] when the file cannot be read.
    pub fn get(&self, url: &str, now: Millis) -> rusqlite::Result<Option<String>> {
        let mut select = self
            .sql
            .prepare_cached("SELECT answer FROM answers WHERE url = ? AND expires > ?")?;
        select
            .query_row(params![url, number(now)], |row| row.get(0))
            .optional()
    }

    /// Keeps an answer until a time since 1970. Removes what has expired, and the answers that expire first where there are too many.
    ///
    /// # Errors
    /// [`rusqlite::Error`] when the file cannot be written.
    pub fn put(&mut self, url: &str, answer: &str, now: Millis, expires: Millis) -> rusqlite::Result<()> {
        let mut insert = self
            .sql
            .prepare_cached("INSERT OR REPLACE INTO answers (url, expires, answer) VALUES (?, ?, ?)")?;
        insert.execute(params![url, number(expires), answer])?;
        drop(insert);
        if self.writes.is_multiple_of(SWEEP) {
            self.sweep(now, MOST)?;
        }
        self.writes = self.writes.wrapping_add(1);
        Ok(())
    }

    fn sweep(&self, now: Millis, most: u32) -> rusqlite::Result<()> {
        self.sql
            .execute("DELETE FROM answers WHERE expires <= ?", [number(now)])?;
        self.sql.execute(
            "DELETE FROM answers WHERE url IN (SELECT url FROM answers ORDER BY expires DESC LIMIT -1 OFFSET ?)",
            [most],
        )?;
        Ok(())
    }
}

fn number(time: Millis) -> i64 {
    i64::try_from(time.0).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_until_it_expires_and_over_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("online.db");
        let mut cache = OnlineCache::open(&path).unwrap();
        assert_eq!(cache.get("a", Millis(10)).unwrap(), None);
        cache.put("a", "one", Millis(10), Millis(20)).unwrap();
        cache.put("a", "two", Millis(10), Millis(20)).unwrap();
        drop(cache);
        let cache = OnlineCache::open(&path).unwrap();
        assert_eq!(cache.get("a", Millis(19)).unwrap().as_deref(), Some("two"));
        assert_eq!(cache.get("a", Millis(20)).unwrap(), None);
        assert_eq!(cache.get("b", Millis(10)).unwrap(), None);
    }

    #[test]
    fn a_sweep_leaves_those_that_last_longest() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = OnlineCache::open(&folder.path().join("online.db")).unwrap();
        for (url, expires) in [("old", 5), ("a", 20), ("b", 40), ("c", 30)] {
            cache.put(url, "x", Millis(1), Millis(expires)).unwrap();
        }
        cache.sweep(Millis(10), 2).unwrap();
        let has = |url| cache.get(url, Millis(0)).unwrap().is_some();
        assert_eq!(["old", "a", "b", "c"].map(has), [false, false, true, true]);
    }

    #[test]
    fn f56_a_file_that_is_no_cache_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("online.db");
        std::fs::write(&path, "no database ".repeat(1000)).unwrap();
        let mut cache = OnlineCache::open(&path).unwrap();
        cache.put("a", "one", Millis(1), Millis(20)).unwrap();
        assert_eq!(cache.get("a", Millis(1)).unwrap().as_deref(), Some("one"));
        let nowhere = OnlineCache::open(&folder.path().join("no/such/online.db"));
        assert!(nowhere.is_err());
    }
}
