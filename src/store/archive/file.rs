//! The archive's file: is it SQLite, is it whole, and how to close it.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::{Archive, BUSY, StoreError};
use crate::store::salvage::tables;

/// How many errors SQLite's check reports.
const MAX_ERRORS: u32 = 3;

impl Archive {
    /// Whether the database has any table.
    pub(super) fn has_tables(&self) -> Result<bool, StoreError> {
        let all = "SELECT count(*) FROM sqlite_schema";
        Ok(self.sql.query_row(all, [], |row| row.get::<_, u32>(0))? > 0)
    }

    /// Checks that every table has this program's number of columns.
    ///
    /// # Errors
    /// [`StoreError::Foreign`] where one has not.
    pub(in crate::store) fn check_tables(&self) -> Result<(), StoreError> {
        let mut select = self.sql.prepare("SELECT count(*) FROM pragma_table_info(?)")?;
        for (table, columns) in tables() {
            if select.query_row([table], |row| row.get::<_, u32>(0))? as usize != columns {
                return Err(StoreError::Foreign);
            }
        }
        Ok(())
    }

    /// Opens a file a second time and reads its header and the ends of each table, to see what the next opening would see.
    ///
    /// # Errors
    /// [`StoreError`] where that fails.
    pub(in crate::store) fn probe(path: &Path) -> Result<(), StoreError> {
        let sql = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        sql.busy_timeout(BUSY)?;
        for (table, _) in tables() {
            for order in ["ASC", "DESC"] {
                let ends = format!("SELECT * FROM {table} ORDER BY 1 {order} LIMIT 1");
                sql.prepare(&ends)?.query([])?.next()?;
            }
        }
        Ok(())
    }

    /// The errors that SQLite's `quick_check` finds. Reads all pages.
    ///
    /// # Errors
    /// [`StoreError`] when the check cannot run.
    pub fn integrity_errors(&self) -> Result<Vec<String>, StoreError> {
        let mut check = self.sql.prepare(&format!("PRAGMA quick_check({MAX_ERRORS})"))?;
        let lines = check.query_map([], |row| row.get::<_, String>(0))?;
        let lines: Vec<String> = lines.collect::<Result<_, _>>()?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    /// The length in bytes that the file should have by its header.
    pub(in crate::store) fn stated_length(&self) -> Result<u64, StoreError> {
        let number = |name| {
            self.sql
                .pragma_query_value(None, name, |row| row.get::<_, u32>(0))
        };
        Ok(u64::from(number("page_count")?) * u64::from(number("page_size")?))
    }

    /// Closes a damaged archive without a checkpoint, so that its write-ahead log stays as it is.
    pub fn close_without_checkpoint(self) {
        // If that fails, it is closed as usual.
        let _ = self
            .sql
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }
}
