//! Files of EPD and FEN lines.

use std::{io, path::Path};

use sparring_files as files;

/// The largest file that is read, unpacked.
pub(super) const MOST: u64 = 256 * files::MIB;

/// Reads an EPD file, which may be compressed.
///
/// # Errors When the file cannot be read.
pub fn read_file(path: &Path) -> io::Result<String> {
    Ok(text_of(&files::read_unpacked(path, MOST)?))
}

/// Decodes EPD text. What is not ASCII is a name or a comment, so an old encoding loses only a few letters of it; a byte
/// order mark at the beginning is dropped.
pub(super) fn text_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_read_whatever_their_encoding() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.epd");
        fs::write(&path, b"\xEF\xBB\xBF8/8/8/8 w - - id \"Caf\xE9\";").unwrap();
        assert_eq!(read_file(&path).unwrap(), "8/8/8/8 w - - id \"Caf\u{fffd}\";");
    }
}
