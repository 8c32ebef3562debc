//! Syzygy tablebases: opening the files, WDL and DTZ probes, and the WDL rank of each root move.
//!
//! The root ranks its moves under the fifty-move rule ([`WdlRank`]) and searches the best group of them. Nodes below
//! probe only right after a capture or a pawn move, where the result needs no count of moves.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

use shakmaty::Chess;
use shakmaty_syzygy::{AmbiguousWdl, Dtz, SyzygyError, Tablebase as Tables, Wdl};
use thiserror::Error;

use super::score::TABLE_WIN;
use sparring_chess::{Color, GameHistory, Move, Position, Rules as _};

/// Why endgame tables cannot be used.
#[derive(Debug, Error)]
pub enum TablebaseError {
    /// A folder that is not there or cannot be read.
    #[error("cannot read {}: {error}", folder.display())]
    Folder {
        /// Which one.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file with the name of a table that cannot be read or was cut off.
    #[error("cannot use {}: {error}", file.display())]
    File {
        /// Which one.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// No WDL tables in these folders; DTZ tables alone are of no use.
    #[error("there are no tables of results (*.rtbw) in {0}")]
    Empty(String),
}

/// Syzygy tablebases. A file is opened by the first probe that needs it, and read by any number of threads.
pub struct Tablebase {
    tables: Tables<Chess>,
    files: usize,
    /// A probe failed. From then on none is made: each would open the file again.
    has_failed: AtomicBool,
}

/// The tablebase result of a root move, from loss to win. Among moves of one rank the search decides.
pub(super) type WdlRank = AmbiguousWdl;

/// Tablebase results of the root moves.
#[derive(Debug)]
pub(super) struct RootRanks {
    pub moves: Vec<(Move, WdlRank)>,
    /// The ranks include the fifty-move rule, so that a player of best-ranked moves gets the result without probes below
    /// the root.
    pub is_exact: bool,
}

/// Mixed into the keys of searches that probe tablebases, so that others do not find their scores.
pub(super) const SALT: u64 = 0x5a5c_93b1_70e4_2d6f;

/// The extension of WDL tables.
const RESULTS: &str = "rtbw";

impl Tablebase {
    /// The tables in these folders.
    ///
    /// # Errors
    /// [`TablebaseError`] for a folder that cannot be read, a file that was cut off, or no tables of results at all.
    pub fn open(folders: &[impl AsRef<Path>]) -> Result<Self, TablebaseError> {
        let mut base = Self {
            tables: Tables::new(),
            files: 0,
            has_failed: AtomicBool::new(false),
        };
        let mut has_results = false;
        for folder in folders {
            has_results |= base.add(folder.as_ref())?;
        }
        if !has_results {
            let name = |folder: &_| AsRef::<Path>::as_ref(folder).display().to_string();
            let names: Vec<String> = folders.iter().map(name).collect();
            return Err(TablebaseError::Empty(names.join(" or ")));
        }
        Ok(base)
    }

    /// Adds the tables of a folder. Returns whether any is a WDL table.
    fn add(&mut self, folder: &Path) -> Result<bool, TablebaseError> {
        let unreadable = |error| TablebaseError::Folder {
            folder: folder.to_owned(),
            error,
        };
        let mut has_results = false;
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            // Tables are opened during a search, which must not wait for a pipe.
            if !file.is_file() {
                continue;
            }
            match self.tables.add_file(&file) {
                Ok(()) => {
                    self.files += 1;
                    has_results |= file.extension().is_some_and(|extension| extension == RESULTS);
                }
                // Not named like a table.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
                Err(error) => return Err(TablebaseError::File { file, error }),
            }
        }
        Ok(has_results)
    }

    /// A sentence with the number of files and the most pieces.
    #[must_use]
    pub fn summary(&self) -> String {
        let pieces = self.tables.max_pieces();
        format!("endgame tables: {} files, of up to {pieces} pieces", self.files)
    }

    /// The position, if the tables may hold it: orthodox chess, few pieces, no castling rights.
    fn probeable<'p>(&self, pos: &'p Position) -> Option<&'p Chess> {
        let Position::Chess(chess) = pos else {
            return None;
        };
        let is_held =
            chess.board().occupied().count() <= self.tables.max_pieces() && chess.castles().is_empty();
        (is_held && !self.has_failed.load(Relaxed)).then_some(chess)
    }

    /// The result of a probe; none where a table is missing or cannot be read, which is remembered.
    fn checked<T>(&self, answer: Result<T, SyzygyError>) -> Option<T> {
        if let Err(SyzygyError::ProbeFailed { .. }) = answer {
            self.has_failed.store(true, Relaxed);
        }
        answer.ok()
    }

    /// WDL of a position right after a capture or a pawn move, for the side to move.
    pub(super) fn wdl(&self, pos: &Position) -> Option<Wdl> {
        self.checked(self.tables.probe_wdl_after_zeroing(self.probeable(pos)?))
    }

    /// The winner under perfect play without the fifty-move rule; `Some(None)` for a draw, `None` without a table.
    #[must_use]
    pub fn winner(&self, pos: &Position) -> Option<Option<Color>> {
        let turn = pos.turn();
        Some(match self.wdl(pos)? {
            Wdl::Win | Wdl::CursedWin => Some(turn),
            Wdl::Loss | Wdl::BlessedLoss => Some(!turn),
            Wdl::Draw => None,
        })
    }

    /// The rank of each legal move of a game's last position; none unless the tables hold them all.
    ///
    /// Once a position has been repeated since the last capture or pawn move, only the quickest wins rank as wins, so
    /// that the game makes progress whatever the search prefers.
    pub(super) fn root_ranks(&self, line: &GameHistory) -> Option<RootRanks> {
        let chess = self.probeable(line.position())?;
        let by_count = |after: &Chess| self.checked(self.tables.probe_wdl(after));
        if let Some(mut moves) = rank_moves(chess, by_count) {
            if has_repeated(line) {
                self.keep_quickest_wins(chess, &mut moves)?;
            }
            return Some(RootRanks {
                moves,
                is_exact: true,
            });
        }
        // Without DTZ tables (*.rtbz) the halfmove clock is ignored.
        let by_result = |after: &Chess| self.checked(self.tables.probe_wdl_after_zeroing(after));
        let moves = rank_moves(chess, |after| by_result(after).map(WdlRank::from))?;
        Some(RootRanks {
            moves,
            is_exact: false,
        })
    }

    /// Keeps as wins only the moves nearest to mate, or to the next capture or pawn move.
    fn keep_quickest_wins(&self, chess: &Chess, moves: &mut [(Move, WdlRank)]) -> Option<()> {
        let mut distances = Vec::with_capacity(moves.len());
        for (mv, rank) in moves.iter() {
            let mut after = chess.clone();
            after.play_unchecked(*mv);
            distances.push(match *rank {
                WdlRank::Win if after.is_checkmate() => 0,
                WdlRank::Win if mv.is_zeroing() => 1,
                WdlRank::Win => {
                    let Dtz(distance) = self.checked(self.tables.probe_dtz(&after))?.ignore_rounding();
                    1 + distance.abs()
                }
                _ => i32::MAX,
            });
        }
        let least = distances.iter().copied().min()?;
        for ((_, rank), distance) in moves.iter_mut().zip(distances) {
            if *rank == WdlRank::Win && distance > least {
                *rank = WdlRank::MaybeWin;
            }
        }
        Some(())
    }
}

/// The rank of each legal move, by the rank `of` of the position after it for the side to move there.
fn rank_moves(chess: &Chess, of: impl Fn(&Chess) -> Option<WdlRank>) -> Option<Vec<(Move, WdlRank)>> {
    let each = chess.legal_moves().into_iter().map(|mv| {
        let mut after = chess.clone();
        after.play_unchecked(mv);
        // Mate comes before the fifty-move rule.
        let rank = match after.is_checkmate() {
            true => WdlRank::Win,
            false => -of(&after)?,
        };
        Some((mv, rank))
    });
    each.collect()
}

/// Whether any position was repeated since the last capture or pawn move.
fn has_repeated(line: &GameHistory) -> bool {
    let reversible = line.position().halfmoves() as usize + 1;
    let keys = line.keys();
    let since = &keys[keys.len().saturating_sub(reversible)..];
    since
        .iter()
        .enumerate()
        .any(|(index, key)| since[..index].contains(key))
}

impl fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tablebase")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

/// The score to report for a root move: the search's, kept within what the tables know.
pub(super) fn reported_score(score: i32, rank: Option<WdlRank>) -> i32 {
    match rank {
        None => score,
        Some(WdlRank::Win | WdlRank::MaybeWin) => score.max(TABLE_WIN),
        Some(WdlRank::Loss | WdlRank::MaybeLoss) => score.min(-TABLE_WIN),
        Some(WdlRank::Draw | WdlRank::CursedWin | WdlRank::BlessedLoss) => 0,
    }
}

/// The shared test tablebases beside the checkout; panics if one cannot be read. Without them, prints a notice that
/// bypasses the test runner's capture.
#[cfg(any(test, feature = "test-fixtures"))]
pub fn shared_tables() -> Option<Tablebase> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata/syzygy");
    if !folder.exists() {
        let notice = b"not run: the shared endgame tables are not beside this checkout\n";
        let _ = io::Write::write_all(&mut io::stderr(), notice); // without standard error there is nobody to notify
        return None;
    }
    Some(Tablebase::open(&[folder]).unwrap())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::MATE;
    use sparring_chess::{Variant, parse_fen};

    fn refusal(folder: &Path) -> String {
        Tablebase::open(&[folder]).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_folder_of_tables_is_refused_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let name = at.display();
        assert_eq!(
            refusal(at),
            format!("there are no tables of results (*.rtbw) in {name}")
        );
        fs::write(at.join("KQvK.txt"), "of another name").unwrap();
        fs::write(at.join("KQvK.rtbz"), [0; 80]).unwrap();
        assert_eq!(
            refusal(at),
            format!("there are no tables of results (*.rtbw) in {name}")
        );
        let cut = at.join("KQvK.rtbw");
        fs::write(&cut, [0; 81]).unwrap();
        let expected = format!("cannot use {}: unexpected file size", cut.display());
        assert_eq!(refusal(at), expected);
        let missing = refusal(&at.join("elsewhere"));
        assert!(
            missing.starts_with(&format!("cannot read {name}/elsewhere: ")),
            "{missing}"
        );
    }

    #[test]
    fn a_broken_table_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("KQvK.rtbw"), [0; 80]).unwrap();
        let tables = Tablebase::open(&[folder.path()]).unwrap();
        let pos = parse_fen(Variant::Standard, "7k/8/8/8/8/8/8/KQ6 w - - 0 1").unwrap();
        assert!(tables.probeable(&pos).is_some());
        assert_eq!(tables.wdl(&pos), None);
        assert!(tables.probeable(&pos).is_none(), "it is not opened again");
    }

    #[test]
    fn once_a_position_has_come_back_only_the_quickest_way_is_a_win() {
        let Some(tables) = shared_tables() else { return };
        let wins = |moves: &str| {
            let fen = "8/8/3k4/8/3r4/8/1K6/3Q4 w - - 0 1";
            let line = GameHistory::replay(Variant::Standard, fen, moves).unwrap();
            let ranks = tables.root_ranks(&line).unwrap();
            assert!(ranks.is_exact);
            let wins = ranks.moves.iter().filter(|(_, rank)| *rank == WdlRank::Win);
            wins.count()
        };
        let (fresh, once) = (wins(""), wins("b2c3 d6c5 c3b2 c5d6"));
        assert!(fresh > 3, "{fresh}");
        assert!((1..fresh).contains(&once), "{fresh} and then {once}");
        // A move back alone brings nothing back.
        assert!(wins("b2c3 d6c5") > 1);
    }

    #[test]
    fn a_reported_score_stays_within_the_tablebase_result() {
        for (score, rank, expected) in [
            (250, None, 250),
            (250, Some(WdlRank::Win), TABLE_WIN),
            (MATE - 7, Some(WdlRank::Win), MATE - 7),
            (-250, Some(WdlRank::Loss), -TABLE_WIN),
            (7 - MATE, Some(WdlRank::Loss), 7 - MATE),
            (250, Some(WdlRank::Draw), 0),
            (250, Some(WdlRank::CursedWin), 0),
        ] {
            assert_eq!(reported_score(score, rank), expected, "{score} {rank:?}");
        }
    }
}
