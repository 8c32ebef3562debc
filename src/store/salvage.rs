//! Recovery of rows from a damaged SQLite file: reads every intact page and copies its rows to a new archive. Existing rows stay, so
//! that a copy may be repeated.

mod pages;

use std::{collections::BTreeSet, fmt, path::Path, time::Duration};

use rusqlite::{ErrorCode, params_from_iter, types::Value};

use super::archive::{Archive, StoreError};
use pages::Pages;
use sparring_lichess::model::{GameId, UserId};

/// Rows per transaction: the bot's own writes wait no longer than one takes.
const AT_ONCE: usize = 300;
/// Every time in milliseconds since 1970 is larger than this (March 1973), and no other number of an archive is.
const TIME: i64 = 100_000_000_000;
/// How often and how long a full disk or another writer is waited for.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_secs(5);

/// The type of a column.
#[derive(Clone, Copy)]
enum ColumnKind {
    Text,
    Number,
    /// Milliseconds since 1970.
    Time,
    /// A text or nothing.
    MaybeText,
    /// A number or nothing.
    MaybeNumber,
}
use ColumnKind::{MaybeNumber, MaybeText, Number, Text, Time};

impl ColumnKind {
    fn fits(self, value: &Value) -> bool {
        match (self, value) {
            (Time, Value::Integer(time)) => *time >= TIME,
            (Text | MaybeText, Value::Text(_))
            | (Number | MaybeNumber, Value::Integer(_))
            | (MaybeText | MaybeNumber, Value::Null) => true,
            _ => false,
        }
    }
}

/// The type of a table's first column.
#[derive(Clone, Copy)]
enum Key {
    Game,
    User,
    Any,
}

/// A table. Rows on a page have no table name, so they are recognised by the types of their columns.
struct Table {
    name: &'static str,
    key: Key,
    columns: &'static [(&'static str, ColumnKind)],
    /// The number of columns in the table's first version.
    least: usize,
    /// The `ON CONFLICT` action for a row that exists.
    known: &'static str,
}

const MOVES: &str = "moves";
/// A column that is not copied: each archive gives numbers of its own.
const OWN: &str = "revision";

/// All tables but the learned book weights, which are computed again from the games.
const TABLES: [Table; 7] = [
    Table {
        name: "games",
        key: Key::Game,
        columns: &[
            ("id", Text),
            ("began", Number),
            ("ended", MaybeNumber),
            ("side", Text),
            ("opponent", MaybeText),
            ("name", Text),
            ("is_bot", Number),
            ("rating", MaybeNumber),
            ("own_rating", MaybeNumber),
            ("rated", Number),
            ("variant", Text),
            ("speed", Text),
            ("initial", MaybeNumber),
            ("increment", MaybeNumber),
            ("days", MaybeNumber),
            ("start", Text),
            ("personality", Text),
            ("level", MaybeNumber),
            ("status", MaybeText),
            ("winner", MaybeText),
            ("moves", Text),
            ("account", MaybeText),
            ("played", MaybeNumber),
            ("revision", MaybeNumber),
        ],
        least: 21,
        // Of two versions, the one with an end is newer.
        known: "UPDATE SET ended = excluded.ended, status = excluded.status, winner = excluded.winner,
                moves = excluded.moves WHERE ended IS NULL AND excluded.ended IS NOT NULL",
    },
    Table {
        name: MOVES,
        key: Key::Game,
        columns: &[
            ("game", Text),
            ("ply", Number),
            ("uci", Text),
            ("clock", MaybeNumber),
            ("source", MaybeText),
            ("note", MaybeText),
            ("score", MaybeNumber),
            ("mate", MaybeNumber),
            ("depth", MaybeNumber),
            ("nodes", MaybeNumber),
            ("think", MaybeNumber),
            ("grounds", MaybeText),
            ("pondered", MaybeNumber),
        ],
        least: 11,
        known: "NOTHING",
    },
    Table {
        name: "challenges",
        key: Key::Game,
        columns: &[
            ("id", Text),
            ("at", Number),
            ("opponent", MaybeText),
            ("verdict", Text),
            ("rule", Text),
            ("sent", Number),
            ("game", MaybeText),
            ("repeats", MaybeText),
            ("revision", MaybeNumber),
        ],
        least: 5,
        known: "NOTHING",
    },
    Table {
        name: "limits",
        key: Key::Any,
        columns: &[("key", Text), ("until", Time)],
        least: 2,
        known: "UPDATE SET until = max(until, excluded.until)",
    },
    Table {
        name: "rests",
        key: Key::User,
        columns: &[("opponent", Text), ("refusals", Number), ("until", Time)],
        least: 3,
        known: "UPDATE SET refusals = excluded.refusals, until = excluded.until WHERE excluded.until > until",
    },
    Table {
        name: "wishes",
        key: Key::User,
        columns: &[
            ("opponent", Text),
            ("personality", MaybeText),
            ("level", MaybeNumber),
            ("at", Time),
        ],
        least: 4,
        known: "UPDATE SET personality = excluded.personality, level = excluded.level, at = excluded.at
                WHERE excluded.at > at",
    },
    Table {
        name: "favours",
        key: Key::Game,
        columns: &[
            ("game", Text),
            ("takebacks", Number),
            ("offered", MaybeNumber),
            ("personality", MaybeText),
            ("level", MaybeNumber),
        ],
        least: 3,
        // Both only grow.
        known: "UPDATE SET takebacks = max(takebacks, excluded.takebacks),
                offered = coalesce(max(offered, excluded.offered), offered, excluded.offered)",
    },
];

/// Deletes moves beyond a finished game's move list: they were taken back.
const TAKEN_BACK: &str = "DELETE FROM moves WHERE game = ?1 AND ply > (
    SELECT 1 + length(trim(moves)) - length(replace(trim(moves), ' ', '')) FROM games
    WHERE id = ?1 AND ended IS NOT NULL AND status != 'aborted' AND trim(moves) != '')";

impl Table {
    /// The table of a row; none for index entries.
    fn of(row: &[Value]) -> Option<&'static Self> {
        TABLES.iter().find(|table| {
            (table.least..=table.columns.len()).contains(&row.len())
                && table
                    .columns
                    .iter()
                    .zip(row)
                    .all(|((_, kind), value)| kind.fits(value))
                && match (table.key, row.first()) {
                    (Key::Game, Some(Value::Text(id))) => id.parse::<GameId>().is_ok(),
                    (Key::User, Some(Value::Text(name))) => name.parse::<UserId>().is_ok(),
                    (key, _) => matches!(key, Key::Any),
                }
        })
    }

    /// The places and names of the columns that are copied of a row with so many.
    fn copied(&self, columns: usize) -> impl Iterator<Item = (usize, &'static str)> {
        let names = self.columns.iter().take(columns).map(|(name, _)| *name);
        names.enumerate().filter(|(_, name)| *name != OWN)
    }

    /// The SQL that inserts a row of so many columns.
    fn insert(&self, columns: usize) -> String {
        let names: Vec<&str> = self.copied(columns).map(|(_, name)| name).collect();
        let key = if self.name == MOVES {
            "game, ply"
        } else {
            names.first().copied().unwrap_or_default()
        };
        let places = vec!["?"; names.len()].join(", ");
        format!(
            "INSERT INTO {} ({}) VALUES ({places}) ON CONFLICT ({key}) DO {}",
            self.name,
            names.join(", "),
            self.known
        )
    }
}

/// The tables of an archive with their number of columns.
pub(super) fn tables() -> impl Iterator<Item = (&'static str, usize)> {
    TABLES.iter().map(|table| (table.name, table.columns.len()))
}

/// Which rows to copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The rows that the bot needs at the start.
    AllButMoves,
    /// The moves, which are most of the rows.
    Moves,
}

/// The number of rows copied.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Salvaged {
    pub(super) games: u64,
    pub(super) moves: u64,
    pub(super) others: u64,
}

impl Salvaged {
    fn count(&mut self, table: &Table) {
        let rows = match table.name {
            "games" => &mut self.games,
            MOVES => &mut self.moves,
            _ => &mut self.others,
        };
        *rows += 1;
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            games: self.games + other.games,
            moves: self.moves + other.moves,
            others: self.others + other.others,
        }
    }
}

impl fmt::Display for Salvaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, moves, others } = self;
        write!(f, "{games} games, {moves} moves and {others} other rows")
    }
}

/// Copies the readable rows of a damaged archive, without moves, to an archive in memory. The file stays as it is.
///
/// # Errors
/// [`StoreError`] when SQLite fails.
pub fn read_damaged(path: &Path) -> Result<Archive, StoreError> {
    let archive = Archive::in_memory()?;
    salvage(path, &archive, Part::AllButMoves)?;
    Ok(archive)
}

/// Copies rows of a damaged file to an archive.
///
/// # Errors
/// [`StoreError`] when the archive cannot be written; the rows copied so far stay.
pub(super) fn salvage(from: &Path, into: &Archive, part: Part) -> Result<Salvaged, StoreError> {
    let pages = Pages::open(from);
    let (mut haul, mut rows) = (Salvaged::default(), Vec::new());
    for row in pages.rows() {
        if let Some(table) = Table::of(&row).filter(|table| (table.name == MOVES) == (part == Part::Moves)) {
            rows.push((table, row));
        }
        if rows.len() >= AT_ONCE {
            write(into, &mut rows, &mut haul)?;
        }
    }
    write(into, &mut rows, &mut haul)?;
    Ok(haul)
}

type Rows = Vec<(&'static Table, Vec<Value>)>;

fn write(into: &Archive, rows: &mut Rows, haul: &mut Salvaged) -> Result<(), StoreError> {
    for tries in 1.. {
        match write_once(into, rows) {
            Ok(written) => {
                *haul = haul.and(written);
                rows.clear();
                return Ok(());
            }
            Err(why) if why.is_damage() || tries == TRIES => return Err(why),
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
    Ok(())
}

/// Writes rows in one transaction. Skips rows that the archive rejects, as those of a half overwritten page.
fn write_once(into: &Archive, rows: &Rows) -> Result<Salvaged, StoreError> {
    let (mut haul, mut games) = (Salvaged::default(), BTreeSet::new());
    let transaction = into.sql.unchecked_transaction()?;
    for (table, row) in rows {
        let mut insert = transaction.prepare_cached(&table.insert(row.len()))?;
        let values = table.copied(row.len()).filter_map(|(place, _)| row.get(place));
        match insert.execute(params_from_iter(values)) {
            Ok(_) => {
                haul.count(table);
                if let (MOVES, Some(Value::Text(game))) = (table.name, row.first()) {
                    games.insert(game);
                }
            }
            Err(why) if why.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {}
            Err(why) => return Err(why.into()),
        }
    }
    for game in games {
        transaction.prepare_cached(TAKEN_BACK)?.execute([game])?;
    }
    transaction.commit()?;
    Ok(haul)
}
