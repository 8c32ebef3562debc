//! Learned book weights in the archive, one set a book.

use std::collections::BTreeMap;

use rusqlite::params;

use super::archive::{Archive, StoreError};
use sparring_book::WeightFactor;

impl Archive {
    /// Replaces the learned weights of a book. An empty list deletes them.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn put_learned_weights(&self, book: &str, weights: &[WeightFactor]) -> Result<(), StoreError> {
        let transaction = self.sql.unchecked_transaction()?;
        self.sql.execute("DELETE FROM leans WHERE book = ?", [book])?;
        let mut insert = self.sql.prepare_cached(
            "INSERT OR REPLACE INTO leans (book, position, uci, games, points, expected, permille)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?;
        for factor in weights {
            insert.execute(params![
                book,
                factor.key.cast_signed(),
                factor.uci,
                factor.games,
                factor.points,
                factor.expected,
                factor.permille,
            ])?;
        }
        drop(insert);
        Ok(transaction.commit()?)
    }

    /// The learned weights of all books, by name.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn learned_weights(&self) -> Result<BTreeMap<String, Vec<WeightFactor>>, StoreError> {
        let mut select = self.sql.prepare("SELECT * FROM leans")?;
        let rows = select.query_map([], |row| {
            let factor = WeightFactor {
                key: row.get::<_, i64>("position")?.cast_unsigned(),
                uci: row.get("uci")?,
                games: row.get("games")?,
                points: row.get("points")?,
                expected: row.get("expected")?,
                permille: row.get("permille")?,
            };
            Ok((row.get::<_, String>("book")?, factor))
        })?;
        let mut books: BTreeMap<String, Vec<WeightFactor>> = BTreeMap::new();
        for row in rows {
            let (book, factor) = row?;
            books.entry(book).or_default().push(factor);
        }
        Ok(books)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_is_kept_as_a_whole_and_forgotten_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::open(&folder.path().join("archive.db")).unwrap();
        let factor = |key, uci: &str| WeightFactor {
            key,
            uci: uci.to_owned(),
            games: 6,
            points: 1.5,
            expected: 3.0,
            permille: 860,
        };
        let (first, second) = (factor(u64::MAX, "e2e4"), factor(3, "e7e8q"));
        archive
            .put_learned_weights("main", &[first.clone(), factor(2, "d2d4")])
            .unwrap();
        archive
            .put_learned_weights("mine", std::slice::from_ref(&second))
            .unwrap();
        archive
            .put_learned_weights("main", std::slice::from_ref(&first))
            .unwrap();
        let known = archive.learned_weights().unwrap();
        assert_eq!(known["main"], [first]);
        assert_eq!(known["mine"], [second]);
        archive.put_learned_weights("main", &[]).unwrap();
        assert_eq!(archive.learned_weights().unwrap().len(), 1);
    }
}
