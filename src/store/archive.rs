//! The archive's database: opening, writes and queries. Every write may be repeated.

mod challenges;
mod error;
mod file;
mod filter;
mod restore;
mod rows;
mod schema;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{
    Connection, InterruptHandle, OpenFlags, OptionalExtension as _, Row, named_params, params,
    params_from_iter,
};

pub use challenges::ChallengeFilter;
pub use error::StoreError;
pub use filter::Filter;
pub use restore::ALWAYS;
#[cfg(feature = "postgres")]
pub(super) use schema::MIGRATIONS;

use self::rows::{game_of, move_of, number, side_name};
use super::{
    damage::check_before_opening,
    record::{End, GameRecord, MoveRecord, MoveSource},
};
use sparring_chess::units::{Centipawns, Millis, Stopwatch, TimeSource as _};
use sparring_engine::Score;
use sparring_lichess::model::{GameId, UserId};

/// Longest wait for another program's lock on the database.
pub(super) const BUSY: Duration = Duration::from_secs(2);

/// A repeated move, as after a restart, keeps known columns and fills empty ones. Another move at the same ply replaces the row.
const PUT_MOVE: &str = "INSERT INTO moves
    (game, ply, uci, clock, source, note, score, mate, depth, nodes, think, grounds, pondered) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (game, ply) DO UPDATE SET uci = excluded.uci,
    clock = CASE WHEN uci = excluded.uci THEN coalesce(excluded.clock, clock) ELSE excluded.clock END,
    source = CASE WHEN uci = excluded.uci THEN coalesce(excluded.source, source) ELSE excluded.source END,
    note = CASE WHEN uci = excluded.uci THEN coalesce(excluded.note, note) ELSE excluded.note END,
    score = CASE WHEN uci = excluded.uci THEN coalesce(excluded.score, score) ELSE excluded.score END,
    mate = CASE WHEN uci = excluded.uci THEN coalesce(excluded.mate, mate) ELSE excluded.mate END,
    depth = CASE WHEN uci = excluded.uci THEN coalesce(excluded.depth, depth) ELSE excluded.depth END,
    nodes = CASE WHEN uci = excluded.uci THEN coalesce(excluded.nodes, nodes) ELSE excluded.nodes END,
    think = CASE WHEN uci = excluded.uci THEN coalesce(excluded.think, think) ELSE excluded.think END,
    grounds = CASE WHEN uci = excluded.uci THEN coalesce(excluded.grounds, grounds) ELSE excluded.grounds END,
    pondered = CASE WHEN uci = excluded.uci THEN coalesce(excluded.pondered, pondered) ELSE excluded.pondered END";

/// An open archive.
#[derive(Debug)]
pub struct Archive {
    pub(super) sql: Connection,
    /// How many finished games are kept; none for all.
    newest: Option<u32>,
}

impl Archive {
    /// Opens an archive for writing. Creates or migrates its tables.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be opened, is damaged, or has a newer schema.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        check_before_opening(path)?;
        let archive = Self {
            sql: Connection::open(path)?,
            newest: None,
        };
        match archive.prepare() {
            Ok(()) => Ok(archive),
            Err(why) => {
                archive.close_without_checkpoint();
                Err(why)
            }
        }
    }

    fn prepare(&self) -> Result<(), StoreError> {
        self.sql.busy_timeout(BUSY)?;
        self.write_ahead()?;
        self.sql.pragma_update(None, "synchronous", "NORMAL")?;
        self.migrate()
    }

    /// Opens an archive for reading, also while a daemon writes to it. Migrates nothing.
    ///
    /// # Errors
    /// [`StoreError`] when it does not exist, is empty, or has another schema.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        check_before_opening(path)?;
        let archive = Self {
            sql: Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?,
            newest: None,
        };
        let checked = archive.sql.busy_timeout(BUSY).map_err(StoreError::from);
        match checked.and_then(|()| archive.check_schema()) {
            Ok(()) => Ok(archive),
            Err(why) => {
                archive.close_without_checkpoint();
                Err(why)
            }
        }
    }

    /// An archive in memory.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn in_memory() -> Result<Self, StoreError> {
        let archive = Self {
            sql: Connection::open_in_memory()?,
            newest: None,
        };
        archive.migrate()?;
        Ok(archive)
    }

    /// Keeps only the newest `games` finished games with their moves, and as many challenges: for an archive in memory, which would
    /// grow without end.
    #[must_use]
    pub fn keeping(self, games: u32) -> Self {
        Self {
            newest: Some(games),
            ..self
        }
    }

    /// Deletes games and challenges beyond the limit of [`keeping`](Self::keeping).
    fn prune(&self) -> rusqlite::Result<()> {
        let Some(newest) = self.newest else {
            return Ok(());
        };
        self.sql.execute(
            "DELETE FROM games WHERE id IN (SELECT id FROM games WHERE ended IS NOT NULL
             ORDER BY began DESC, id LIMIT -1 OFFSET ?)",
            [newest],
        )?;
        self.sql.execute_batch(
            "DELETE FROM moves WHERE game NOT IN (SELECT id FROM games);
             DELETE FROM favours WHERE game NOT IN (SELECT id FROM games);",
        )?;
        self.sql.execute(
            "DELETE FROM challenges WHERE id IN (SELECT id FROM challenges ORDER BY at DESC, id LIMIT -1 OFFSET ?)",
            [newest],
        )?;
        Ok(())
    }

    /// Sets `journal_mode = WAL`: readers do not wait for the writer, and a crash loses no commit. SQLite's busy timeout does not
    /// cover this pragma, so the loop does.
    fn write_ahead(&self) -> rusqlite::Result<()> {
        let begun = Stopwatch::start();
        loop {
            let changed = self.sql.pragma_update(None, "journal_mode", "WAL");
            let is_busy = changed
                .as_ref()
                .is_err_and(|error| error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy));
            if !is_busy || begun.elapsed() >= Millis::from(BUSY) {
                return changed;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Writes or updates a game; its moves stay.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn put_game(&self, game: &GameRecord) -> Result<(), StoreError> {
        let end = game.end.as_ref();
        // The end of a game is worth a sync; a running game would be restored from its stream.
        let synchronous = if end.is_some() { "FULL" } else { "NORMAL" };
        self.sql.pragma_update(None, "synchronous", synchronous)?;
        let written = self.write_game(game, end);
        self.sql.pragma_update(None, "synchronous", "NORMAL")?;
        written?;
        if end.is_some() {
            self.prune()?;
        }
        Ok(())
    }

    fn write_game(&self, game: &GameRecord, end: Option<&End>) -> rusqlite::Result<()> {
        let transaction = self.sql.unchecked_transaction()?;
        self.sql
            .prepare_cached(
                "INSERT INTO games (id, began, ended, side, opponent, name, is_bot, rating, own_rating, rated, variant,
                 speed, initial, increment, days, start, personality, level, status, winner, moves, account, played)
                 VALUES (:id, :began, :ended, :side, :opponent, :name, :is_bot, :rating, :own_rating,
                 :rated, :variant, :speed, :initial, :increment, :days, :start, :personality, :level, :status, :winner,
                 :moves, :account, :played)
                 ON CONFLICT (id) DO UPDATE SET personality = excluded.personality, level = excluded.level,
                 played = excluded.played,
                 ended = coalesce(excluded.ended, ended), status = coalesce(excluded.status, status),
                 winner = coalesce(excluded.winner, winner), account = coalesce(excluded.account, account),
                 moves = CASE WHEN excluded.ended IS NULL THEN moves ELSE excluded.moves END",
            )?
            .execute(named_params! {
                ":id": game.id.as_str(),
                ":began": number(game.began.0),
                ":ended": end.map(|end| number(end.at.0)),
                ":side": side_name(game.side),
                ":opponent": game.opponent.as_ref().map(UserId::as_str),
                ":name": game.name,
                ":is_bot": game.is_bot,
                ":rating": game.rating.map(|rating| rating.0),
                ":own_rating": game.own_rating.map(|rating| rating.0),
                ":rated": game.rated,
                ":variant": game.variant,
                ":speed": game.speed,
                ":initial": game.clock.map(|(initial, _)| number(initial.0)),
                ":increment": game.clock.map(|(_, increment)| number(increment.0)),
                ":days": game.days,
                ":start": game.start,
                ":personality": game.personality,
                ":level": game.level.map(|level| level.0),
                ":played": game.played.map(|level| level.0),
                ":status": end.map(|end| end.status.as_str()),
                ":winner": end.and_then(|end| end.winner).map(side_name),
                ":moves": end.map_or("", |end| end.moves.as_str()),
                ":account": game.account,
            })?;
        if let Some(end) = end {
            // Moves that were taken back.
            let plies = end.moves.split_ascii_whitespace().count();
            self.sql.execute(
                "DELETE FROM moves WHERE game = ? AND ply > ?",
                params![game.id.as_str(), number(plies as u64)],
            )?;
        }
        transaction.commit()
    }

    /// Writes a half move. A later one at the same ply replaces it, as after a takeback.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn put_move(&self, game: &GameId, record: &MoveRecord) -> Result<(), StoreError> {
        let thought = record.thought.as_ref();
        let (score, mate) = match thought.and_then(|thought| thought.score) {
            Some(Score::Cp(Centipawns(cp))) => (Some(cp), None),
            Some(Score::Mate(moves)) => (None, Some(moves)),
            None => (None, None),
        };
        let (source, depth, nodes) = match thought.map(|thought| thought.source) {
            Some(MoveSource::Book) => (Some("book"), None, None),
            Some(MoveSource::Online) => (Some("online"), None, None),
            Some(MoveSource::Engine { depth, nodes }) => {
                (Some("engine"), Some(depth.0), Some(number(nodes.0)))
            }
            Some(MoveSource::Other) => (Some("other"), None, None),
            None => (None, None, None),
        };
        self.sql.prepare_cached(PUT_MOVE)?.execute(params![
            game.as_str(),
            record.ply,
            record.uci,
            record.clock.map(|clock| number(clock.0)),
            source,
            thought.map(|thought| thought.note.as_str()),
            score,
            mate,
            depth,
            nodes,
            thought.map(|thought| number(thought.think.0)),
            // Serialising strings and numbers cannot fail.
            thought
                .and_then(|thought| thought.grounds.as_ref())
                .and_then(|grounds| serde_json::to_string(grounds).ok()),
            thought.and_then(|thought| thought.pondered),
        ])?;
        Ok(())
    }

    /// The games that match a filter, newest first.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn games(&self, filter: &Filter) -> Result<Vec<GameRecord>, StoreError> {
        self.select("*", filter, game_of)
    }

    /// [`games`](Self::games) without their moves, which take most of the memory: for counting results.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn results(&self, filter: &Filter) -> Result<Vec<GameRecord>, StoreError> {
        self.select("'' AS moves, *", filter, game_of)
    }

    /// The path of the file; none in memory.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        let path = self.sql.path().filter(|path| !path.is_empty());
        path.map(PathBuf::from)
    }

    /// What tells this archive from others, also from one that is begun anew in its place. A copy has the same.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn identity(&self) -> Result<String, StoreError> {
        Ok(self
            .sql
            .query_row("SELECT id FROM identity", [], |row| row.get(0))?)
    }

    /// A handle that interrupts a running query from another thread.
    #[must_use]
    pub fn interrupt(&self) -> InterruptHandle {
        self.sql.get_interrupt_handle()
    }

    /// The ids of the games that match a filter, newest first: to read games one by one, since all of them may not fit into memory.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn ids(&self, filter: &Filter) -> Result<Vec<GameId>, StoreError> {
        self.select("id", filter, |row| Ok(row.get::<_, String>("id")?.parse().ok()))
    }

    /// Reads `columns` of the games that match a filter.
    fn select<T>(
        &self,
        columns: &str,
        filter: &Filter,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<Option<T>>,
    ) -> Result<Vec<T>, StoreError> {
        let (text, values) = filter.select(columns);
        let mut select = self.sql.prepare_cached(&text)?;
        let rows = select.query_map(params_from_iter(values), read)?;
        // Invalid rows are skipped.
        Ok(rows
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    /// One game.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn game(&self, id: &GameId) -> Result<Option<GameRecord>, StoreError> {
        let mut select = self.sql.prepare_cached("SELECT * FROM games WHERE id = ?")?;
        Ok(select.query_row([id.as_str()], game_of).optional()?.flatten())
    }

    /// The recorded half moves of a game, in order.
    ///
    /// # Errors
    /// [`StoreError`] when SQLite fails.
    pub fn moves(&self, id: &GameId) -> Result<Vec<MoveRecord>, StoreError> {
        let mut select = self
            .sql
            .prepare_cached("SELECT * FROM moves WHERE game = ? ORDER BY ply")?;
        let rows = select.query_map([id.as_str()], move_of)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests;
