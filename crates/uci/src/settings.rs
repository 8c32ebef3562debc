//! Current option values.

use std::path::PathBuf;

use super::resources::StrengthSetting;
#[cfg(feature = "personality")]
use sparring_chess::units::Elo;
use sparring_chess::{
    Variant,
    units::{Centipawns, Millis},
};
use sparring_engine::{Handicap, Params};

/// The log's file unless `LogFile` names another.
pub(super) const LOG_FILE: &str = "sparring-uci.log";

#[cfg(feature = "personality")]
pub(super) const DEFAULT_ELO: u32 = 1500;

/// What else has to change with a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing but the settings.
    None,
    /// Another size of the hash table, in mebibytes.
    Hash(usize),
    /// Another number of threads.
    Threads(usize),
    /// Clear all tables.
    Clear,
    /// Another variant is played.
    Variant,
    /// Other search parameters.
    Params(Box<Params>),
    /// Another book, or none.
    Book(Option<PathBuf>),
    /// Endgame tables of other folders, or none.
    Tablebase(Vec<PathBuf>),
    /// The log begins, goes to another file, or ends.
    Log,
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    pub hash: usize,
    pub multi_pv: usize,
    pub overhead: Millis,
    /// The GUI ponders, so a search may take more time.
    pub ponder: bool,
    pub own_book: bool,
    pub verify_book: bool,
    #[cfg(feature = "personality")]
    pub limit_strength: bool,
    #[cfg(feature = "personality")]
    pub elo: Elo,
    #[cfg(feature = "personality")]
    pub personality: Option<String>,
    /// Standard deviation of the evaluation noise in centipawns; zero to leave it to level and personality.
    pub noise: Centipawns,
    /// Chance in percent to overlook a kind of move; zero to leave it to level and personality.
    pub blunder_percent: u32,
    /// The seed of the first game; zero for a random one each run.
    pub seed: u64,
    /// The least time for an answer, if the clock allows it.
    pub delay: Millis,
    /// One of [`Variant::of_uci`].
    pub variant: Variant,
    pub chess960: bool,
    pub show_wdl: bool,
    /// Plain engine: no book, level, personality or handicap.
    pub analyse: bool,
    pub log: bool,
    pub log_file: PathBuf,
    pub params: Params,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hash: 64,
            multi_pv: 1,
            overhead: Millis(20),
            ponder: false,
            own_book: false,
            verify_book: false,
            #[cfg(feature = "personality")]
            limit_strength: false,
            #[cfg(feature = "personality")]
            elo: Elo(DEFAULT_ELO),
            #[cfg(feature = "personality")]
            personality: None,
            noise: Centipawns(0),
            blunder_percent: 0,
            seed: 0,
            delay: Millis::ZERO,
            variant: Variant::Standard,
            chess960: false,
            show_wdl: false,
            analyse: false,
            log: false,
            log_file: LOG_FILE.into(),
            params: Params::default(),
        }
    }
}

impl Settings {
    /// The handicap set by options, in the game of this seed.
    pub fn handicap(&self, seed: u64) -> Handicap {
        if self.analyse {
            return Handicap::default();
        }
        Handicap {
            noise: self.noise,
            blindness: self.blunder_percent as f32 / 100.0,
            seed,
        }
    }

    /// The strength to play at.
    pub fn strength(&self) -> StrengthSetting {
        if self.analyse {
            return StrengthSetting::default();
        }
        StrengthSetting {
            #[cfg(feature = "personality")]
            level: self.limit_strength.then_some(self.elo),
            #[cfg(feature = "personality")]
            personality: self.personality.clone(),
        }
    }
}
