//! The archive's schema: migrations, version and whether a database has it.

use rusqlite::{Transaction, TransactionBehavior};

use super::{Archive, StoreError, rows::number};

/// The migrations in order. `user_version` counts those that a database has.
pub(in crate::store) const MIGRATIONS: [&str; 12] = [
    include_str!("../schema/001.sql"),
    include_str!("../schema/002.sql"),
    include_str!("../schema/003.sql"),
    include_str!("../schema/004.sql"),
    include_str!("../schema/005.sql"),
    include_str!("../schema/006.sql"),
    include_str!("../schema/007.sql"),
    include_str!("../schema/008.sql"),
    include_str!("../schema/009.sql"),
    include_str!("../schema/010.sql"),
    include_str!("../schema/011.sql"),
    include_str!("../schema/012.sql"),
];
/// A `user_version` from here on is damage, not a newer program's.
const IMPLAUSIBLE_VERSION: usize = 1000;

impl Archive {
    /// The number of migrations that the database has.
    fn version(&self) -> Result<usize, StoreError> {
        let found: i64 = self
            .sql
            .pragma_query_value(None, "user_version", |row| row.get(0))?;
        let (found, known) = (
            usize::try_from(found).map_err(|_| StoreError::Foreign)?,
            MIGRATIONS.len(),
        );
        if found >= IMPLAUSIBLE_VERSION {
            return Err(StoreError::Damaged(
                "its header has a version that no program has",
            ));
        }
        if found > known {
            return Err(StoreError::TooNew { found, known });
        }
        Ok(found)
    }

    /// Runs the missing migrations in one transaction.
    pub(super) fn migrate(&self) -> Result<(), StoreError> {
        if self.version()? == MIGRATIONS.len() {
            return self.check_tables();
        }
        let transaction = Transaction::new_unchecked(&self.sql, TransactionBehavior::Immediate)?;
        // Another program may have migrated while this one waited for the lock.
        let done = self.version()?;
        if done == 0 && self.has_tables()? {
            return Err(StoreError::Foreign);
        }
        for migration in MIGRATIONS.iter().skip(done) {
            transaction
                .execute_batch(migration)
                .map_err(|why| match why.sqlite_error_code() {
                    Some(rusqlite::ErrorCode::Unknown) => StoreError::Foreign,
                    _ => why.into(),
                })?;
        }
        transaction.pragma_update(None, "user_version", number(MIGRATIONS.len() as u64))?;
        Ok(transaction.commit()?)
    }

    /// Checks that the tables are those of this program, at this version.
    pub(super) fn check_schema(&self) -> Result<(), StoreError> {
        let (found, known) = (self.version()?, MIGRATIONS.len());
        if found == 0 && self.has_tables()? {
            return Err(StoreError::Foreign);
        }
        if found == 0 {
            return Err(StoreError::Empty);
        }
        if found < known {
            return Err(StoreError::TooOld { found, known });
        }
        self.check_tables()
    }
}
