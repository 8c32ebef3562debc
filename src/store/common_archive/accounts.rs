//! Whose rows an archive has: challenges do not name the account, and the oldest games do not either.

use crate::store::{Archive, StoreError};

/// The accounts of an archive, each with the time since 1970 of its first game in a row, oldest first. Most have one.
#[derive(Debug, Default)]
pub(super) struct Accounts(Vec<(i64, String)>);

impl Accounts {
    /// Reads them.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub(super) fn of(archive: &Archive) -> Result<Self, StoreError> {
        let mut select = archive
            .sql
            .prepare("SELECT began, account FROM games WHERE account IS NOT NULL ORDER BY began, id")?;
        let mut rows = select.query([])?;
        let mut all: Vec<(i64, String)> = Vec::new();
        while let Some(row) = rows.next()? {
            let account = row.get_ref(1)?.as_str().unwrap_or_default();
            if all.last().is_none_or(|(_, last)| last != account) {
                all.push((row.get(0)?, account.to_owned()));
            }
        }
        Ok(Self(all))
    }

    /// Whether no game names an account.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The account at a time in milliseconds since 1970; before the first game, that of the first game.
    pub(super) fn at(&self, time: i64) -> &str {
        let after = self.0.partition_point(|(began, _)| *began <= time);
        let found = self.0.get(after.saturating_sub(1));
        found.map_or("", |(_, account)| account)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_without_an_account_belongs_to_whose_games_were_played_then() {
        assert!(Accounts::default().is_empty());
        let accounts = Accounts(vec![(10, "A".to_owned()), (20, "B".to_owned())]);
        let at = |time| accounts.at(time);
        assert_eq!([at(5), at(10), at(19), at(20), at(99)], ["A", "A", "A", "B", "B"]);
    }
}
