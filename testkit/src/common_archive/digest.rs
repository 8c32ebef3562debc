//! Whether two databases hold the same rows, in any order: their number, and a sum of hashes.

use std::{
    hash::{DefaultHasher, Hasher as _},
    path::Path,
};

use anyhow::Context as _;
use rusqlite::{Connection, OpenFlags, types::ValueRef};

use super::server::{COLUMN, PostgresServer};

/// The tables that are pushed, each with its rows in a bot's archive, by the account first.
const TABLES: [(&str, &str); 3] = [
    ("games", "SELECT account, * FROM games WHERE ended IS NOT NULL"),
    (
        "moves",
        "SELECT games.account, moves.* FROM moves JOIN games ON games.id = game WHERE ended IS NOT NULL",
    ),
    (
        "challenges",
        "SELECT (SELECT account FROM games LIMIT 1), * FROM challenges",
    ),
];
/// Columns that are not pushed. The account comes first in any case.
const LEFT_OUT: [&str; 3] = ["account", "grounds", "revision"];

/// Rows of a table.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Digest {
    /// How many.
    pub rows: u64,
    /// Of the hashes of all rows, wrapping.
    sum: u64,
}

impl Digest {
    fn add(&mut self, row: &[u8]) {
        let mut hasher = DefaultHasher::new();
        hasher.write(row);
        self.rows += 1;
        self.sum = self.sum.wrapping_add(hasher.finish());
    }
}

/// Games, moves and challenges of bots' archives together, without running games.
///
/// # Errors
/// When one cannot be read.
pub fn of_archives(paths: &[&Path]) -> anyhow::Result<[Digest; 3]> {
    let mut digests = [Digest::default(); 3];
    for path in paths {
        let archive = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        for ((table, select), digest) in TABLES.into_iter().zip(&mut digests) {
            let mut select = archive.prepare(select).context(table)?;
            let names: Vec<String> = select.column_names().map(str::to_owned).collect();
            let kept: Vec<usize> = (0..names.len())
                .filter(|&place| place == 0 || !LEFT_OUT.contains(&names[place].as_str()))
                .collect();
            let mut rows = select.query([])?;
            let mut text = String::new();
            while let Some(row) = rows.next()? {
                text.clear();
                for &place in &kept {
                    match row.get_ref(place)? {
                        ValueRef::Null => text.push_str("NULL"),
                        ValueRef::Integer(number) => text.push_str(&number.to_string()),
                        value => text.push_str(value.as_str()?),
                    }
                    text.push(COLUMN);
                }
                text.pop();
                digest.add(text.as_bytes());
            }
        }
    }
    Ok(digests)
}

/// Games, moves and challenges of a common archive. The columns are those of the bot's archive at `like`, in its order.
///
/// # Errors
/// When one cannot be read.
pub fn of_common(server: &PostgresServer, database: &str, like: &Path) -> anyhow::Result<[Digest; 3]> {
    let archive = Connection::open_with_flags(like, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let mut digests = [Digest::default(); 3];
    for ((table, _), digest) in TABLES.into_iter().zip(&mut digests) {
        let mut select = archive.prepare("SELECT name FROM pragma_table_info(?)")?;
        let names = select.query_map([table], |row| row.get::<_, String>(0))?;
        let mut columns = vec!["account".to_owned()];
        for name in names {
            columns.push(name?);
        }
        let first = columns.remove(0);
        columns.retain(|name| !LEFT_OUT.contains(&name.as_str()));
        columns.insert(0, first);
        let sql = format!("SELECT {} FROM {table}", columns.join(", "));
        server.rows(database, &sql, |row| digest.add(row))?;
    }
    Ok(digests)
}
