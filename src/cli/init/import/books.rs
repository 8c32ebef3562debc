//! Polyglot books of other bots, as text books.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};

use sparring_book::{FORMATS, ZeroWeights};
use sparring_files as files;

use super::draft::free_name;
use crate::cli::assets::BOOKS;

/// The most that is read of a book.
const LARGEST: u64 = 256 * files::MIB;
/// Bytes of an entry: key, move, weight and four of learning.
const RECORD: usize = 16;

/// The books of another bot.
#[derive(Default)]
pub(super) struct Books {
    /// Whether that bot plays from books.
    pub(super) enabled: bool,
    /// When they are asked, among servers: whoever has more comes first; none where the settings do not say.
    pub(super) priority: Option<i64>,
    /// Paths by the names that the settings give them.
    pub(super) paths: BTreeMap<String, String>,
    /// Moves of less weight are left out; in percent where there is a scale.
    pub(super) min_weight: f64,
    /// What weights are measured by.
    pub(super) scale: Scale,
    /// Books as text.
    pub(super) converted: Vec<Converted>,
}

/// What the least weight is measured by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Scale {
    /// Nothing.
    #[default]
    None,
    /// The weights of a position together.
    Sum,
    /// The heaviest move of a position.
    Max,
}

/// A book as text.
pub(super) struct Converted {
    /// The Polyglot book.
    pub(super) source: PathBuf,
    /// Its name here.
    pub(super) name: String,
    /// Its text.
    pub(super) text: String,
    /// What was read.
    pub(super) said: String,
}

impl Books {
    /// Converts a book once, and returns its name here.
    ///
    /// # Errors
    /// Why it cannot be converted.
    pub(super) fn convert(&mut self, path: &Path) -> Result<String, String> {
        if let Some(known) = self.converted.iter().find(|known| known.source == path) {
            return Ok(known.name.clone());
        }
        let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        let bytes = files::read_unpacked(path, LARGEST).map_err(|error| failed(&error))?;
        let bytes = heavy_enough(&bytes, self.min_weight, self.scale);
        let imported = (FORMATS[0].import)(&bytes, ZeroWeights::Drop).map_err(|error| failed(&error))?;
        if imported.entries == 0 {
            return Err(failed(&imported));
        }
        let is_shipped = |name: &str| {
            BOOKS
                .iter()
                .any(|(path, _)| Path::new(path).file_stem().is_some_and(|stem| stem == name))
        };
        let is_taken = |name: &str| is_shipped(name) || self.converted.iter().any(|known| known.name == name);
        let name = free_name(&path.display().to_string(), "book", is_taken);
        let said = imported.to_string();
        self.converted.push(Converted {
            source: path.to_owned(),
            name: name.clone(),
            text: imported.text,
            said,
        });
        Ok(name)
    }
}

/// The entries of a Polyglot book with at least this weight. What stands behind the last whole entry stays.
fn heavy_enough(bytes: &[u8], least: f64, scale: Scale) -> Vec<u8> {
    let weight = |record: &[u8]| f64::from(u16::from_be_bytes([record[10], record[11]]));
    let mut scales: HashMap<&[u8], f64> = HashMap::new();
    for record in bytes.chunks_exact(RECORD) {
        let known = scales.entry(&record[..8]).or_default();
        *known = match scale {
            Scale::None => 100.0,
            Scale::Sum => *known + weight(record),
            Scale::Max => known.max(weight(record)),
        };
    }
    let fits = |record: &&[u8]| {
        let whole = scales.get(&record[..8]).copied().unwrap_or_default();
        weight(record) >= least * whole / 100.0
    };
    let records = bytes.chunks_exact(RECORD);
    let rest = records.remainder();
    let mut kept = records.filter(fits).collect::<Vec<_>>().concat();
    kept.extend_from_slice(rest);
    kept
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A Polyglot book of these lines of text.
    pub(in super::super) fn polyglot(text: &str) -> Vec<u8> {
        sparring_book::export_polyglot(&sparring_book::parse("a.book", text).0.unwrap())
    }

    #[test]
    fn a_book_is_converted_once_under_a_free_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Main.bin");
        std::fs::write(&path, polyglot("e4 60 | d4 40\n")).unwrap();
        let mut books = Books::default();
        assert_eq!(books.convert(&path), Ok("main-2".into()));
        assert_eq!(books.convert(&path), Ok("main-2".into()));
        assert_eq!(books.converted.len(), 1);
        assert_eq!(books.converted[0].text, "1. e4 60 | d4 40\n");
        let missing = books.convert(&folder.path().join("none.bin")).unwrap_err();
        assert!(missing.contains("none.bin: "), "{missing}");
        std::fs::write(&path, b"not a book").unwrap();
        assert!(Books::default().convert(&path).is_err());
    }

    #[test]
    fn light_moves_are_left_out_as_the_scale_says() {
        let bytes = polyglot("e4 60 | d4 30 | c4 10\n");
        let kept = |least, scale| heavy_enough(&bytes, least, scale).len() / RECORD;
        assert_eq!(kept(0.0, Scale::None), 3);
        assert_eq!(kept(30.0, Scale::None), 2);
        assert_eq!(kept(30.0, Scale::Sum), 2);
        assert_eq!(kept(31.0, Scale::Sum), 1);
        assert_eq!(kept(50.0, Scale::Max), 2);
        assert_eq!(kept(51.0, Scale::Max), 1);
    }
}
