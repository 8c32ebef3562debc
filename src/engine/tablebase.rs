//! Endgame tables in Syzygy's format: what a position with few pieces is worth however well both sides play, read from
//! files that somebody has downloaded or made.
//!
//! The root asks how each move does under the fifty-move rule and searches the best group of them (see [`Standing`]);
//! nodes below ask only right after a capture or a pawn move, where the tables' answer needs no count of moves.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use shakmaty::Chess;
use shakmaty_syzygy::{AmbiguousWdl, SyzygyError, Tablebase as Tables, Wdl};
use thiserror::Error;

use super::{node::Node, score::TABLE_WIN, searcher::Searcher, tt::Bound};
use crate::chess::{Move, Position, Rules as _};

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
    /// A file that is no whole table.
    #[error("{} is no whole table: {error}", file.display())]
    File {
        /// Which one.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Folders without tables.
    #[error("there are no tables (*.rtbw) in {0}")]
    Empty(String),
}

/// Endgame tables. Their files are opened when a position first asks for them, and read by any number of threads.
pub struct Tablebase {
    tables: Tables<Chess>,
    files: usize,
}

/// How a root move does, from a loss to a win. Moves of one standing are the search's to choose from.
pub(super) type Standing = AmbiguousWdl;

/// What the tables say of the root.
#[derive(Debug)]
pub(super) struct Standings {
    pub moves: Vec<(Move, Standing)>,
    /// The count of moves without progress is part of it, so that whoever keeps to moves of the best standing makes it come
    /// true: the search needs no tables below.
    pub is_exact: bool,
}

impl Tablebase {
    /// The tables in these folders.
    ///
    /// # Errors
    /// [`TablebaseError`] for a folder that cannot be read, a file that was cut off, or no tables at all.
    pub fn open(folders: &[impl AsRef<Path>]) -> Result<Self, TablebaseError> {
        let mut base = Self {
            tables: Tables::new(),
            files: 0,
        };
        for folder in folders {
            base.add(folder.as_ref())?;
        }
        if base.tables.max_pieces() == 0 {
            let name = |folder: &_| AsRef::<Path>::as_ref(folder).display().to_string();
            let names: Vec<String> = folders.iter().map(name).collect();
            return Err(TablebaseError::Empty(names.join(" or ")));
        }
        Ok(base)
    }

    fn add(&mut self, folder: &Path) -> Result<(), TablebaseError> {
        let unreadable = |error| TablebaseError::Folder {
            folder: folder.to_owned(),
            error,
        };
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            match self.tables.add_file(&file) {
                Ok(()) => self.files += 1,
                // Of another name than tables have.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
                Err(error) => return Err(TablebaseError::File { file, error }),
            }
        }
        Ok(())
    }

    /// How many files there are and how many pieces the largest of them has, in words.
    #[must_use]
    pub fn extent(&self) -> String {
        let pieces = self.tables.max_pieces();
        format!("endgame tables: {} files, of up to {pieces} pieces", self.files)
    }

    /// The position as tables know it: of orthodox chess, with few pieces, and nobody may castle.
    fn held<'p>(&self, pos: &'p Position) -> Option<&'p Chess> {
        let Position::Chess(chess) = pos else {
            return None;
        };
        let is_held =
            chess.board().occupied().count() <= self.tables.max_pieces() && chess.castles().is_empty();
        is_held.then_some(chess)
    }

    /// What a position right after a capture or a pawn move is worth to the side to move. None where a table is missing
    /// or broken.
    fn worth(&self, pos: &Position) -> Option<Wdl> {
        self.tables.probe_wdl_after_zeroing(self.held(pos)?).ok()
    }

    /// How each legal move does; none where the tables do not hold them all.
    pub(super) fn standings(&self, pos: &Position) -> Option<Standings> {
        let chess = self.held(pos)?;
        let ask = |of: &dyn Fn(&Chess) -> Result<Standing, SyzygyError>| {
            let each = chess.legal_moves().into_iter().map(|mv| {
                let mut after = chess.clone();
                after.play_unchecked(mv);
                Ok((mv, -of(&after)?))
            });
            each.collect::<Result<Vec<_>, SyzygyError>>().ok()
        };
        if let Some(moves) = ask(&|after| self.tables.probe_wdl(after)) {
            return Some(Standings {
                moves,
                is_exact: true,
            });
        }
        // Without tables of distances (*.rtbz) the count of moves is left out.
        let moves = ask(&|after| self.tables.probe_wdl_after_zeroing(after).map(Standing::from))?;
        Some(Standings {
            moves,
            is_exact: false,
        })
    }
}

impl fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tablebase")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

/// What is told of a move's worth: what the tables know, and within it what the search found.
pub(super) fn told(worth: i32, standing: Option<Standing>) -> i32 {
    match standing {
        None => worth,
        Some(Standing::Win | Standing::MaybeWin) => worth.max(TABLE_WIN),
        Some(Standing::Loss | Standing::MaybeLoss) => worth.min(-TABLE_WIN),
        Some(Standing::Draw | Standing::CursedWin | Standing::BlessedLoss) => 0,
    }
}

impl Searcher<'_> {
    /// What the tables say of a node below the root, and whether that is all there is to say: a mate may be better than a
    /// win, and worse than a loss.
    pub fn ask_tables(&self, node: &Node, ply: usize) -> Option<(Bound, i32)> {
        let tables = self.tablebase?;
        if node.pos.halfmoves() > 0 {
            return None;
        }
        let worth = tables.worth(&node.pos)?;
        self.crew.add_table_hits(1);
        let draw = self.inclined.draw(node.turn);
        let win = TABLE_WIN - ply as i32;
        Some(match worth {
            Wdl::Win => (Bound::Lower, win),
            Wdl::Loss => (Bound::Upper, -win),
            // A draw by the fifty-move rule, which has to be claimed or defended for.
            Wdl::CursedWin => (Bound::Exact, draw + 1),
            Wdl::BlessedLoss => (Bound::Exact, draw - 1),
            Wdl::Draw => (Bound::Exact, draw),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        chess::{Variant, parse_fen},
        engine::score::MATE,
    };

    fn refusal(folder: &Path) -> String {
        Tablebase::open(&[folder]).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_folder_of_tables_is_refused_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let name = at.display();
        assert_eq!(refusal(at), format!("there are no tables (*.rtbw) in {name}"));
        fs::write(at.join("KQvK.txt"), "of another name").unwrap();
        assert_eq!(refusal(at), format!("there are no tables (*.rtbw) in {name}"));
        let cut = at.join("KQvK.rtbw");
        fs::write(&cut, [0; 81]).unwrap();
        let expected = format!("{} is no whole table: unexpected file size", cut.display());
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
        assert_eq!(tables.worth(&pos), None);
        assert!(tables.standings(&pos).is_none());
    }

    #[test]
    fn what_is_told_is_no_more_nor_less_than_the_tables_know() {
        for (worth, standing, expected) in [
            (250, None, 250),
            (250, Some(Standing::Win), TABLE_WIN),
            (MATE - 7, Some(Standing::Win), MATE - 7),
            (-250, Some(Standing::Loss), -TABLE_WIN),
            (7 - MATE, Some(Standing::Loss), 7 - MATE),
            (250, Some(Standing::Draw), 0),
            (250, Some(Standing::CursedWin), 0),
        ] {
            assert_eq!(told(worth, standing), expected, "{worth} {standing:?}");
        }
    }
}
