//! File access with limits, decompression, and atomic writes.
//!
//! | module | purpose |
//! |---|---|
//! | `lib.rs` | [`open`] and [`read`]: regular files only, with a size limit |
//! | `folder` | files of a folder in a fixed order |
//! | `lines` | line reader with a length limit |
//! | `unpack, zstd` | gzip, bzip2, Zstandard (feature `unpack`) |
//! | `atomic_file` | atomic replacement (feature `write`) |

#[cfg(feature = "write")]
pub mod atomic_file;
pub mod folder;
pub mod lines;
#[cfg(feature = "unpack")]
mod unpack;
#[cfg(feature = "unpack")]
mod zstd;

#[cfg(feature = "unpack")]
pub use unpack::{Unpacked, open_packed, read_unpacked, unpack};

use std::{
    fs::{File, FileType, Metadata, OpenOptions},
    io::{self, ErrorKind, Read},
    path::Path,
};

/// One MiB, in bytes.
pub const MIB: u64 = 1 << 20;

/// Size limit of texts that people write: settings, personalities, challenges.
pub const TEXT: u64 = 16 * MIB;

/// Size limit of data that is read into memory: positions, games, a net, a program.
pub const DATA: u64 = 4096 * MIB;

/// Opens a regular file for reading, without blocking.
///
/// # Errors
/// When it cannot be opened or is no regular file; the error names its kind.
pub fn open(path: &Path) -> io::Result<File> {
    refuse(path, &path.metadata()?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    let is_pipe = is_handed_over(path);
    // Opening must not block if the path has become a pipe.
    #[cfg(unix)]
    if !is_pipe {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    if !is_pipe {
        refuse(path, &file.metadata()?)?;
    }
    Ok(file)
}

/// Reads a whole file of at most so many bytes.
///
/// # Errors
/// When it cannot be opened or read, is no file, or is larger.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let size = file.metadata()?.len();
    if size > most {
        return Err(too_large(Some(size), most));
    }
    read_at_most(file, most)
}

/// Reads a whole text of at most so many bytes.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "this is not UTF-8"))
}

/// Reads a stream of at most so many bytes to its end.
///
/// # Errors
/// When reading fails, or there is more.
pub fn read_at_most(stream: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_large(None, most));
    }
    Ok(bytes)
}

/// Formats a number of bytes with a unit: `1.5 KiB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    let unit = [(1 << 30, "GiB"), (MIB, "MiB"), (1 << 10, "KiB")]
        .into_iter()
        .find(|(unit, _)| bytes >= *unit);
    match unit {
        Some((unit, name)) if bytes.is_multiple_of(unit) => format!("{} {name}", bytes / unit),
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} bytes"),
    }
}

/// Refuses anything but a regular file.
fn refuse(path: &Path, metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_file() || is_pipe(kind) && is_handed_over(path) {
        return Ok(());
    }
    let (error, what) = if kind.is_dir() {
        (ErrorKind::IsADirectory, "a directory")
    } else {
        (ErrorKind::InvalidInput, special(kind))
    };
    Err(io::Error::new(error, format!("this is {what}, not a file")))
}

/// Whether a path is a pipe of the shell, as from process substitution.
fn is_handed_over(path: &Path) -> bool {
    ["/dev/fd", "/proc/self/fd", "/dev/stdin"]
        .iter()
        .any(|folder| path.starts_with(folder))
}

#[cfg(unix)]
fn is_pipe(kind: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_pipe(_: FileType) -> bool {
    false
}

#[cfg(unix)]
fn special(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    match kind {
        kind if kind.is_fifo() => "a named pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn special(_: FileType) -> &'static str {
    "a device"
}

fn too_large(found: Option<u64>, most: u64) -> io::Error {
    let found = found.map_or_else(
        || "it has more".to_owned(),
        |found| format!("it has {}", size(found)),
    );
    let sentence = format!("{found}, and at most {} are read", size(most));
    io::Error::new(ErrorKind::FileTooLarge, sentence)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    fn said(path: &Path) -> String {
        read(path, 8).unwrap_err().to_string()
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "12345678").unwrap();
        assert_eq!(read_text(&path, 8).unwrap(), "12345678");
        std::fs::write(&path, "123456789").unwrap();
        assert_eq!(said(&path), "it has 9 bytes, and at most 8 bytes are read");
        // Ten gigabytes that take no room.
        File::create(&path).unwrap().set_len(10 << 30).unwrap();
        assert_eq!(said(&path), "it has 10 GiB, and at most 8 bytes are read");
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_text(&path, 8).unwrap_err().to_string(), "this is not UTF-8");
    }

    #[test]
    fn what_is_no_file_is_refused_by_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(said(folder.path()), "this is a directory, not a file");
        assert_eq!(
            read(&folder.path().join("none"), 8).unwrap_err().kind(),
            ErrorKind::NotFound
        );
    }

    #[cfg(unix)]
    #[test]
    fn pipes_devices_and_sockets_are_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let made = std::process::Command::new("mkfifo")
            .arg(path("pipe"))
            .status()
            .unwrap();
        assert!(made.success());
        assert_eq!(said(&path("pipe")), "this is a named pipe, not a file");
        std::os::unix::fs::symlink("/dev/zero", path("zero")).unwrap();
        assert_eq!(said(&path("zero")), "this is a device, not a file");
        let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        assert_eq!(said(&path("socket")), "this is a socket, not a file");
    }

    #[test]
    fn sizes_are_said_in_round_units() {
        let said = [0, 900, 1536, 16 * MIB, 10_900_000_000].map(size);
        assert_eq!(said, ["0 bytes", "900 bytes", "1.5 KiB", "16 MiB", "10.2 GiB"]);
    }
}
