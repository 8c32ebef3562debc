//! Book formats of other programs, by the ending of a file's name.

use std::path::Path;

use super::polyglot::{Imported, PolyglotError, ZeroWeights, import_polyglot_with};

/// A format that is read by making a text of it.
#[derive(Debug, Clone, Copy)]
pub struct BookFormat {
    /// Its name.
    pub name: &'static str,
    /// The ending of its files, without the full stop.
    pub extension: &'static str,
    /// Makes a text of a file.
    pub import: fn(&[u8], ZeroWeights) -> Result<Imported, PolyglotError>,
}

/// Every format. `sparring book import`, the UCI option `BookFile` and the fuzz target read these.
pub const FORMATS: &[BookFormat] = &[BookFormat {
    name: "Polyglot",
    extension: "bin",
    import: import_polyglot_with,
}];

impl BookFormat {
    /// The format of a file by the ending of its name, in any case of letters; none for books as text.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        FORMATS
            .iter()
            .copied()
            .find(|format| extension.eq_ignore_ascii_case(format.extension))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_name_tells_the_format() {
        let of = |name: &str| BookFormat::of(Path::new(name)).map(|format| format.name);
        assert_eq!(of("books/performance.BIN"), Some("Polyglot"));
        assert_eq!((of("main.book"), of("bin")), (None, None));
    }
}
