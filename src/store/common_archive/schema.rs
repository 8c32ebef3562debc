//! The tables of the common archive: those of a bot's archive, by the same migrations, and what [`ADDED`] adds.

use tokio_postgres::Transaction;

use super::{Address, PushError, lock};
use crate::store::archive::MIGRATIONS;

/// The tables that are pushed. Statements about others are left out, and so are indexes and triggers.
const TABLES: [&str; 3] = ["games", "moves", "challenges"];
/// The common archive's own migrations.
const ADDED: [&str; 1] = [include_str!("../schema/common-001.sql")];
/// SQLite's words with PostgreSQL's. Texts compare byte by byte there too, which is quick, and the same everywhere.
const WORDS: [(&str, &str); 4] = [
    (" STRICT, WITHOUT ROWID", ""),
    (" INTEGER", " BIGINT"),
    (" REAL", " DOUBLE PRECISION"),
    (" TEXT", " TEXT COLLATE \"C\""),
];

/// Runs the migrations that the common archive lacks, in the given transaction.
///
/// # Errors
/// When it is newer than this program, has tables of somebody else, or the server refuses.
pub(super) async fn migrate(transaction: &Transaction<'_>, address: &Address) -> Result<(), PushError> {
    let failed = |error: tokio_postgres::Error| PushError::of(&error, address);
    lock(transaction, address).await?;
    let find = "SELECT to_regclass('schema_version') IS NOT NULL, to_regclass('games') IS NOT NULL";
    let row = transaction.query_one(find, &[]).await.map_err(failed)?;
    let (is_ours, has_games): (bool, bool) = (row.get(0), row.get(1));
    if !is_ours && has_games {
        return Err(PushError::Refused(format!(
            "database {} has a table games of another program: give the common archive a database of its own",
            address.database
        )));
    }
    let known = [MIGRATIONS.len(), ADDED.len()];
    let found = if is_ours {
        let select = "SELECT archive, common FROM schema_version";
        let row = transaction.query_one(select, &[]).await.map_err(failed)?;
        [row.get(0), row.get(1)].map(|version: i64| usize::try_from(version).unwrap_or(usize::MAX))
    } else {
        let create = "CREATE TABLE schema_version (archive BIGINT NOT NULL, common BIGINT NOT NULL);
                      INSERT INTO schema_version VALUES (0, 0)";
        transaction.batch_execute(create).await.map_err(failed)?;
        [0, 0]
    };
    if found == known {
        return Ok(());
    }
    if found[0] > known[0] || found[1] > known[1] {
        let [found, known] = [found, known].map(|[archive, common]| format!("{archive}.{common}"));
        return Err(PushError::TooNew { found, known });
    }
    for migration in MIGRATIONS.iter().skip(found[0]) {
        let statements = for_postgres(migration).join(";\n");
        transaction.batch_execute(&statements).await.map_err(failed)?;
    }
    for added in ADDED.iter().skip(found[1]) {
        transaction.batch_execute(added).await.map_err(failed)?;
    }
    let [archive, common] = known.map(|version| i64::try_from(version).unwrap_or(i64::MAX));
    let update = "UPDATE schema_version SET archive = $1, common = $2";
    transaction
        .execute(update, &[&archive, &common])
        .await
        .map_err(failed)?;
    Ok(())
}

/// The statements of a migration that are about pushed tables, in PostgreSQL's words.
fn for_postgres(migration: &str) -> Vec<String> {
    statements(migration)
        .into_iter()
        .filter(|statement| {
            let mut words = statement.split_ascii_whitespace();
            let table = match words.next() {
                Some("UPDATE") => words.next(),
                Some("CREATE" | "ALTER") if words.next() == Some("TABLE") => words.next(),
                _ => None,
            };
            table.is_some_and(|table| TABLES.contains(&table))
        })
        .map(|statement| {
            WORDS.iter().fold(statement, |text, (sqlite, postgres)| {
                text.replace(sqlite, postgres)
            })
        })
        .collect()
}

/// The statements of a migration without comments. Those of a trigger stay together.
fn statements(migration: &str) -> Vec<String> {
    let code: Vec<&str> = migration
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default().trim_end())
        .collect();
    let mut all: Vec<String> = Vec::new();
    for part in code
        .join("\n")
        .split(';')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        match all.last_mut() {
            Some(last) if last.starts_with("CREATE TRIGGER") && !last.ends_with("END") => {
                last.push_str(";\n");
                last.push_str(part);
            }
            _ => all.push(part.to_owned()),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_is_rewritten_for_the_tables_that_are_pushed() {
        let migration = "-- Games; all of them.
            CREATE TABLE games (
                id    TEXT PRIMARY KEY, -- lichess'; ours
                began INTEGER NOT NULL,
                score REAL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX games_by_time ON games (began);
            CREATE TRIGGER later AFTER INSERT ON games BEGIN
                UPDATE games SET began = 1;
                UPDATE games SET score = 2;
            END;
            CREATE TABLE limits (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
            UPDATE games SET began = 0";
        let rewritten: Vec<String> = for_postgres(migration)
            .iter()
            .map(|statement| statement.split_ascii_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(
            rewritten,
            [
                "CREATE TABLE games ( id TEXT COLLATE \"C\" PRIMARY KEY, began BIGINT NOT NULL, score DOUBLE PRECISION )",
                "UPDATE games SET began = 0"
            ]
        );
    }

    #[test]
    fn every_word_of_sqlite_in_the_migrations_is_known() {
        let all: Vec<String> = MIGRATIONS
            .iter()
            .flat_map(|migration| for_postgres(migration))
            .collect();
        assert!(all.len() > 10, "{all:?}");
        for statement in all {
            for word in [
                "STRICT",
                "ROWID",
                "INTEGER",
                "REAL ",
                "BLOB",
                "AUTOINCREMENT",
                "INDEX",
            ] {
                assert!(!statement.contains(word), "{word} in {statement}");
            }
        }
    }
}
