//! The archive's file: is it SQLite, is it whole, and how to close it.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::{Archive, BUSY, StoreError};
use crate::store::salvage::tables;

/// So many faults of a file are told.
const FAULTS: u32 = 3;

impl Archive {
    /// Whether anything was made in it.
    pub(super) fn has_tables(&self) -> Result<bool, StoreError> {
        let all = "SELECT count(*) FROM sqlite_schema";
        Ok(self.sql.query_row(all, [], |row| row.get::<_, u32>(0))? > 0)
    }

    /// Whether its tables are those of an archive.
    pub(in crate::store) fn know_tables(&self) -> Result<(), StoreError> {
        let mut select = self.sql.prepare("SELECT count(*) FROM pragma_table_info(?)")?;
        for (table, columns) in tables() {
            if select.query_row([table], |row| row.get::<_, u32>(0))? as usize != columns {
                return Err(StoreError::Foreign);
            }
        }
        Ok(())
    }

    /// Looks at a file that is open elsewhere in this program as whoever opens it next will see it: at its header and at the
    /// ends of each table.
    ///
    /// # Errors
    /// [`StoreError`] where it cannot be read.
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

    /// What is wrong with the file, as SQLite's own check finds it. It reads all pages.
    ///
    /// # Errors
    /// [`StoreError`] when it cannot be checked.
    pub fn faults(&self) -> Result<Vec<String>, StoreError> {
        let mut check = self.sql.prepare(&format!("PRAGMA quick_check({FAULTS})"))?;
        let told = check.query_map([], |row| row.get::<_, String>(0))?;
        let told: Vec<String> = told.collect::<Result<_, _>>()?;
        Ok(told.into_iter().filter(|line| line != "ok").collect())
    }

    /// How long the file should be by what the database says.
    pub(in crate::store) fn stated_length(&self) -> Result<u64, StoreError> {
        let number = |name| {
            self.sql
                .pragma_query_value(None, name, |row| row.get::<_, u32>(0))
        };
        Ok(u64::from(number("page_count")?) * u64::from(number("page_size")?))
    }

    /// Closes it, where it is damaged, without writing to the file: what lies in the write-ahead log stays there.
    pub fn leave(self) {
        // Refused, it is closed as always.
        let _ = self
            .sql
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }
}
