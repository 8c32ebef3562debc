//! One transaction of a push: the rows after the mark, and the mark behind them.

use std::pin::pin;

use bytes::Bytes;
use futures::SinkExt as _;
use rusqlite::{OptionalExtension as _, Row};
use tokio_postgres::{CopyInSink, Transaction, types::ToSql};

use super::{
    Accounts, Address, PushError, Pushed,
    copy_text::{end_row, push_key, push_value},
};
use crate::store::Archive;

/// Rows that are pushed by their revision.
pub(super) struct Kind {
    table: &'static str,
    /// All columns but the account, the key first.
    columns: &'static str,
    /// When the row came to be, and the account that it names.
    whose: &'static str,
}

pub(super) const GAMES: Kind = Kind {
    table: "games",
    columns: "id, began, ended, side, opponent, name, is_bot, rating, own_rating, rated, variant, speed, initial, increment, days, \
              start, personality, level, status, winner, moves, played",
    whose: "began, account",
};
pub(super) const CHALLENGES: Kind = Kind {
    table: "challenges",
    columns: "id, at, opponent, verdict, rule, sent, game, repeats",
    whose: "at, NULL",
};
const MOVE_COLUMNS: &str = "game, ply, uci, clock, source, note, score, mate, depth, nodes, think, pondered";

/// Where moves of games wait that the common archive has already.
pub(super) const STAGE: &str = "CREATE TEMP TABLE stage (LIKE moves) ON COMMIT DELETE ROWS";
/// A known move is replaced. One that the archive does not have stays: it may have lost it by damage.
const FROM_STAGE: &str = "INSERT INTO moves (account, game, ply, uci, clock, source, note, score, mate, depth, nodes, think, pondered)
    SELECT account, game, ply, uci, clock, source, note, score, mate, depth, nodes, think, pondered FROM stage
    ON CONFLICT (account, game, ply) DO UPDATE SET uci = excluded.uci, clock = excluded.clock, source = excluded.source,
    note = excluded.note, score = excluded.score, mate = excluded.mate, depth = excluded.depth, nodes = excluded.nodes,
    think = excluded.think, pondered = excluded.pondered";
/// Moves beyond the end of a game were taken back.
const TAKEN_BACK: &str = "DELETE FROM moves USING unnest($1::text[], $2::text[]) AS known (account, id), games
    WHERE games.account = known.account AND games.id = known.id AND moves.account = known.account AND moves.game = known.id
    AND ply > cardinality(string_to_array(nullif(trim(games.moves), ''), ' '))";

/// Bytes that are sent at once.
const CHUNK: usize = 1 << 16;

/// A row to push.
struct Item {
    account: String,
    id: String,
    revision: i64,
}

/// A transaction, and what is written in it.
pub(super) struct Batch<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) address: &'a Address,
    pub(super) archive: &'a Archive,
    pub(super) accounts: &'a Accounts,
    pub(super) kind: &'a Kind,
    /// Rows at most.
    pub(super) most: u32,
}

impl Batch<'_> {
    /// Writes the next rows of a kind, at most so many, and moves the mark, which is in the common archive for the first batch of a push.
    /// What the push comes to with them, and the new mark; no mark when there were none.
    pub(super) async fn write(
        &self,
        from: Option<i64>,
        mut pushed: Pushed,
    ) -> Result<(Pushed, Option<i64>), PushError> {
        let Self { archive, kind, .. } = *self;
        // One state of the archive, although the bot goes on writing.
        let snapshot = archive.sql.unchecked_transaction()?;
        let identity: String = snapshot.query_row("SELECT id FROM identity", [], |row| row.get(0))?;
        let mark = match from {
            Some(mark) => mark,
            None => self.mark(&identity).await?,
        };
        if kind.table == GAMES.table && from.is_none() {
            let count =
                "SELECT count(*), coalesce(sum(revision <= ?), 0) FROM games WHERE revision IS NOT NULL";
            let (total, known): (u32, u32) =
                snapshot.query_row(count, [mark], |row| Ok((row.get(0)?, row.get(1)?)))?;
            (pushed.total, pushed.known) = (total.into(), known.into());
        }
        let mut items = archive.after(kind, mark, self.most, self.accounts)?;
        let Some(last) = items.last() else {
            return Ok((pushed, None));
        };
        let reached = Some(last.revision);
        self.move_mark(&identity, last).await?;
        // In the order of the keys, neighbours come to lie on one page.
        items.sort_unstable_by(|one, other| (&one.account, &one.id).cmp(&(&other.account, &other.id)));
        let known = self.delete(&items).await?;
        self.copy(kind.table, kind.table, kind.columns, "id", &items)
            .await?;
        if kind.table == GAMES.table {
            pushed.games += items.len() as u64;
            pushed.moves += self.write_moves(items, &known).await?;
        } else {
            pushed.challenges += items.len() as u64;
        }
        Ok((pushed, reached))
    }

    /// How far the common archive has the rows of this one; 0 when it holds none of them, or of a state that is no more.
    async fn mark(&self, identity: &str) -> Result<i64, PushError> {
        let select = "SELECT revision, id FROM pushes WHERE archive = $1 AND kind = $2";
        let keys: [&(dyn ToSql + Sync); 2] = [&identity, &self.kind.table];
        let found = self.transaction.query_opt(select, &keys).await;
        let found = found.map_err(|error| self.failed(&error))?;
        let found: Option<(i64, String)> = found.map(|row| (row.get(0), row.get(1)));
        Ok(match found {
            Some((revision, id)) if self.archive.has_reached(self.kind, revision, &id)? => revision,
            _ => 0,
        })
    }

    async fn move_mark(&self, identity: &str, last: &Item) -> Result<(), PushError> {
        let set = "INSERT INTO pushes (archive, kind, revision, id) VALUES ($1, $2, $3, $4)
               ON CONFLICT (archive, kind) DO UPDATE SET revision = excluded.revision, id = excluded.id";
        self.execute(set, &[&identity, &self.kind.table, &last.revision, &last.id])
            .await
    }

    /// Deletes what the common archive has of these items. Which they are, as (account, id) in order.
    async fn delete(&self, items: &[Item]) -> Result<Vec<(String, String)>, PushError> {
        let names: Vec<&str> = items.iter().map(|item| item.account.as_str()).collect();
        let ids: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
        let delete = format!(
            "DELETE FROM {} AS old USING unnest($1::text[], $2::text[]) AS new (account, id)
         WHERE old.account = new.account AND old.id = new.id RETURNING old.account, old.id",
            self.kind.table
        );
        let known = self.transaction.query(&delete, &[&names, &ids]).await;
        let known = known.map_err(|error| self.failed(&error))?;
        let mut known: Vec<(String, String)> = known.iter().map(|row| (row.get(0), row.get(1))).collect();
        known.sort_unstable();
        Ok(known)
    }

    /// Writes the moves of games. Those of `known` games replace what the common archive has of them. How many.
    async fn write_moves(&self, games: Vec<Item>, known: &[(String, String)]) -> Result<u64, PushError> {
        let is_known = |item: &Item| {
            known
                .binary_search_by(|(account, id)| (account, id).cmp(&(&item.account, &item.id)))
                .is_ok()
        };
        let (old, new): (Vec<Item>, Vec<Item>) = games.into_iter().partition(is_known);
        let mut moves = self.copy("moves", "moves", MOVE_COLUMNS, "game", &new).await?;
        if !old.is_empty() {
            moves += self.copy("moves", "stage", MOVE_COLUMNS, "game", &old).await?;
            self.execute(FROM_STAGE, &[]).await?;
            let (names, ids): (Vec<&str>, Vec<&str>) = known
                .iter()
                .map(|(account, id)| (account.as_str(), id.as_str()))
                .unzip();
            self.execute(TAKEN_BACK, &[&names, &ids]).await?;
        }
        Ok(moves)
    }

    async fn execute(&self, statement: &str, values: &[&(dyn ToSql + Sync)]) -> Result<(), PushError> {
        let done = self.transaction.execute(statement, values).await;
        done.map(drop).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &tokio_postgres::Error) -> PushError {
        PushError::of(error, self.address)
    }

    /// Sends the rows `from` a table of the archive `to` one of the common archive, whose column `key` is the id of an item. How many.
    async fn copy(
        &self,
        from: &str,
        to: &str,
        columns: &str,
        key: &str,
        items: &[Item],
    ) -> Result<u64, PushError> {
        let Self {
            transaction, archive, ..
        } = *self;
        let failed = |error: tokio_postgres::Error| self.failed(&error);
        let copy = format!("COPY {to} (account, {columns}) FROM STDIN");
        let sink: CopyInSink<Bytes> = transaction.copy_in(copy.as_str()).await.map_err(failed)?;
        let mut sink = pin!(sink);
        let width = columns.split(',').count();
        let mut select = archive
            .sql
            .prepare_cached(&format!("SELECT {columns} FROM {from} WHERE {key} = ?"))?;
        let mut lines = Vec::with_capacity(CHUNK + CHUNK / 4);
        for item in items {
            let mut rows = select.query([&item.id])?;
            while let Some(row) = rows.next()? {
                push_key(&mut lines, &item.account);
                for column in 0..width {
                    push_value(&mut lines, row.get_ref(column)?);
                }
                end_row(&mut lines);
            }
            if lines.len() >= CHUNK {
                let full = std::mem::replace(&mut lines, Vec::with_capacity(CHUNK + CHUNK / 4));
                sink.send(full.into()).await.map_err(failed)?;
            }
        }
        sink.send(lines.into()).await.map_err(failed)?;
        sink.finish().await.map_err(failed)
    }
}

impl Archive {
    /// Whether a row had this revision once. If not, the archive is an older copy of the one that was pushed.
    fn has_reached(&self, kind: &Kind, revision: i64, id: &str) -> rusqlite::Result<bool> {
        let select = format!("SELECT revision >= ? FROM {} WHERE id = ?", kind.table);
        let reached = self
            .sql
            .query_row(&select, (revision, id), |row| row.get(0))
            .optional()?;
        Ok(reached.unwrap_or(false))
    }

    /// The rows with the next revisions, at most so many.
    fn after(&self, kind: &Kind, mark: i64, most: u32, accounts: &Accounts) -> rusqlite::Result<Vec<Item>> {
        let Kind { table, whose, .. } = kind;
        let select =
            format!("SELECT id, revision, {whose} FROM {table} WHERE revision > ? ORDER BY revision LIMIT ?");
        let mut select = self.sql.prepare_cached(&select)?;
        let read = |row: &Row<'_>| {
            let account: Option<String> = row.get(3)?;
            let time = row.get(2)?;
            Ok(Item {
                account: account.unwrap_or_else(|| accounts.at(time).to_owned()),
                id: row.get(0)?,
                revision: row.get(1)?,
            })
        };
        select.query_map((mark, most), read)?.collect()
    }
}
