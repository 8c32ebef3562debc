//! One interface to both kinds of network.

use std::path::{Path, PathBuf};

use sparring_chess::{GameHistory, Move};
use thiserror::Error;

use crate::{
    encoding::{Context, Encoded},
    lc0, net,
};

/// A network that predicts moves: ours, which knows ratings and clocks, or one of lc0's format, which knows the board alone.
pub enum PolicyNetwork {
    /// Ours.
    Sparring(Box<net::Network>),
    /// One of lc0's format.
    Lc0(Box<lc0::Network>),
}

/// What a network predicts of a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The chance of every legal move; they sum to 1. Empty if the game is over.
    pub chances: Vec<(Move, f32)>,
    /// Chances that the mover wins, draws, loses; the draw is 0 if the network tells only a value.
    pub wdl: [f32; 3],
    /// Chances of think times, in seconds: `[0, 1)`, `[1, 2)`, `[2, 3)`, `[3, 4)`, `[4, 5)`, `[5, 7)`, `[7, 10)`, `[10, 14)`, `[14, 20)`,
    /// `[20, 30)`, `[30, 45)`, `[45, 70)`, `[70, 120)`, from 120. lc0's networks know none.
    pub think_time: Option<[f32; TIME_BINS]>,
}

/// Number of think-time ranges.
pub const TIME_BINS: usize = 14;

/// A file that is no network.
#[derive(Debug, Error)]
pub enum OpenError {
    /// It cannot be read.
    #[error("\"{}\": {why}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: std::io::Error,
    },
    /// It holds no network of ours.
    #[error("\"{}\": {why}", path.display())]
    Sparring {
        /// The file.
        path: PathBuf,
        /// What was expected and found.
        why: net::FileError,
    },
    /// It holds no network of lc0's format that is supported.
    #[error("\"{}\": {why}", path.display())]
    Lc0 {
        /// The file.
        path: PathBuf,
        /// What was expected and found.
        why: lc0::FormatError,
    },
}

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

impl PolicyNetwork {
    /// Reads a file of either kind; how it begins tells which.
    ///
    /// # Errors
    /// [`OpenError`] names the file and says what was expected and what was found.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let named = || path.to_owned();
        let bytes =
            sparring_files::read(path, MAX_BYTES).map_err(|why| OpenError::Read { path: named(), why })?;
        if bytes.starts_with(net::MAGIC) {
            let network =
                net::Network::from_bytes(&bytes).map_err(|why| OpenError::Sparring { path: named(), why })?;
            return Ok(Self::Sparring(Box::new(network)));
        }
        let network = lc0::Network::from_gzip(&bytes).map_err(|why| OpenError::Lc0 { path: named(), why })?;
        Ok(Self::Lc0(Box::new(network)))
    }

    /// Looks at the current position of a game once. Equal games and contexts, equal numbers on every machine.
    ///
    /// `None` if the variant is neither orthodox chess nor Chess960, or if weights are so large that sums overflow.
    #[must_use]
    pub fn look(&self, game: &GameHistory, context: &Context) -> Option<Prediction> {
        match self {
            Self::Sparring(network) => Some(network.look(&Encoded::new(game, context)?)),
            Self::Lc0(network) => network.look(game),
        }
    }
}
