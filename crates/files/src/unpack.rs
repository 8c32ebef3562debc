//! Decompresses gzip, Zstandard and bzip2, detected by magic bytes.
//!
//! Files of several members, frames or streams are read to the end (`cat a.gz b.gz`, `pzstd`, `pbzip2`). Memory is bounded:
//! a Zstandard window may have 128 MiB, the default limit of the `zstd` program.

use std::{
    fmt,
    io::{self, BufRead, BufReader, Cursor, ErrorKind, Read},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;

use super::{open, read_at_most, zstd::Frames};

/// Enough of the beginning to know each kind.
const MAGIC: usize = 6;

/// How a stream is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Plain,
    Gzip,
    Zstandard,
    Bzip2,
}

impl Packing {
    /// Knows a stream by its first bytes.
    fn of(begin: &[u8]) -> io::Result<Self> {
        let foreign = match begin {
            [0x1f, 0x8b, ..] => return Ok(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => return Ok(Self::Zstandard),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, ..] => return Ok(Self::Bzip2),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => "compressed with xz",
            [b'P', b'K', 3, 4, ..] => "a zip archive",
            [b'7', b'z', 0xbc, 0xaf, ..] => "a 7z archive",
            [b'R', b'a', b'r', b'!', ..] => "a rar archive",
            _ => return Ok(Self::Plain),
        };
        let sentence =
            format!("this is {foreign}: unpack it first (gzip, Zstandard and bzip2 are read as they are)");
        Err(io::Error::new(ErrorKind::InvalidData, sentence))
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "plain",
            Self::Gzip => "gzip",
            Self::Zstandard => "Zstandard",
            Self::Bzip2 => "bzip2",
        })
    }
}

/// Decompressed contents of a file. A damaged file gives its readable part, then an error with the position.
pub struct Unpacked {
    packing: Packing,
    stream: Box<dyn Read + Send>,
    consumed: Arc<AtomicU64>,
    size: Option<u64>,
    given: u64,
    /// Bytes that were peeked at.
    peeked: Cursor<Vec<u8>>,
    /// Why it can be read no further.
    fault: Option<(ErrorKind, String)>,
}

/// Opens a file that may be compressed.
///
/// # Errors
/// When it cannot be opened, is no file, or is compressed in a way that is not read.
pub fn open_packed(path: &Path) -> io::Result<Unpacked> {
    let file = open(path)?;
    let metadata = file.metadata()?;
    let mut unpacked = unpack(file)?;
    unpacked.size = metadata.is_file().then_some(metadata.len());
    Ok(unpacked)
}

/// Unpacks a stream that may be compressed.
///
/// # Errors
/// When its beginning cannot be read, or is compressed in a way that is not read.
pub fn unpack(mut stream: impl Read + Send + 'static) -> io::Result<Unpacked> {
    let mut begin = Vec::new();
    stream.by_ref().take(MAGIC as u64).read_to_end(&mut begin)?;
    let packing = Packing::of(&begin)?;
    let consumed = Arc::new(AtomicU64::new(0));
    let source = BufReader::with_capacity(
        1 << 16,
        Counted {
            stream: Cursor::new(begin).chain(stream),
            consumed: Arc::clone(&consumed),
        },
    );
    Ok(Unpacked {
        packing,
        stream: decoder(packing, source),
        consumed,
        size: None,
        given: 0,
        peeked: Cursor::default(),
        fault: None,
    })
}

fn decoder(packing: Packing, source: impl BufRead + Send + 'static) -> Box<dyn Read + Send> {
    match packing {
        Packing::Plain => Box::new(source),
        Packing::Gzip => Box::new(MultiGzDecoder::new(source)),
        Packing::Zstandard => Box::new(Frames::new(source)),
        Packing::Bzip2 => Box::new(MultiBzDecoder::new(source)),
    }
}

/// Reads a whole file that may be compressed, of at most so many bytes when it is unpacked.
///
/// # Errors
/// As [`open_packed`], and when it is damaged or larger.
pub fn read_unpacked(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_at_most(open_packed(path)?, most)
}

impl Unpacked {
    /// The first bytes, and the stream with them still to come.
    #[must_use]
    pub fn peek(mut self, count: usize) -> (Vec<u8>, Self) {
        let mut begin = Vec::new();
        // Read errors are reported when reading.
        let _ = self.by_ref().take(count as u64).read_to_end(&mut begin);
        self.given -= begin.len() as u64;
        self.peeked = Cursor::new(begin.clone());
        (begin, self)
    }

    /// How many bytes of the file are read by now, packed as they are.
    #[must_use]
    pub fn consumed(&self) -> Consumed {
        Consumed(Arc::clone(&self.consumed))
    }

    /// How many bytes the file has, where that is known.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        self.size
    }
}

impl Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.peeked.read(buffer)?;
        if count > 0 {
            self.given += count as u64;
            return Ok(count);
        }
        if let Some((kind, sentence)) = &self.fault {
            return Err(io::Error::new(*kind, sentence.clone()));
        }
        match self.stream.read(buffer) {
            Ok(count) => {
                self.given += count as u64;
                Ok(count)
            }
            Err(error) if self.packing == Packing::Plain || error.kind() == ErrorKind::Interrupted => {
                Err(error)
            }
            Err(error) => {
                let at = self.consumed.load(Ordering::Relaxed);
                let what = match error.kind() {
                    ErrorKind::UnexpectedEof => {
                        format!("the {} data end in the middle, after {at} bytes", self.packing)
                    }
                    ErrorKind::Unsupported => format!("a part of the {} data {error}", self.packing),
                    _ => format!("the {} data are damaged near byte {at}: {error}", self.packing),
                };
                let sentence = format!("{what} ({} bytes unpacked)", self.given);
                self.fault = Some((error.kind(), sentence.clone()));
                Err(io::Error::new(error.kind(), sentence))
            }
        }
    }
}

/// Progress of a file that is being read.
#[derive(Debug, Clone)]
pub struct Consumed(Arc<AtomicU64>);

impl Consumed {
    /// The number of bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

struct Counted<R> {
    stream: R,
    consumed: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        self.consumed.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// A text that does not shrink to nothing, of several blocks of each kind.
    fn text() -> Vec<u8> {
        let numbers = (0..50_000_u32).map(|n| format!("{}\n", n.wrapping_mul(2_654_435_761)));
        numbers.collect::<String>().into_bytes()
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    }

    fn bzip2(text: &[u8]) -> Vec<u8> {
        let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
    }

    /// The readable part, and the error that ends it.
    fn read(packed: &[u8]) -> (Vec<u8>, Option<String>) {
        let mut text = Vec::new();
        let result =
            unpack(Cursor::new(packed.to_vec())).and_then(|mut stream| stream.read_to_end(&mut text));
        (text, result.err().map(|error| error.to_string()))
    }

    #[test]
    fn each_kind_is_read_as_what_it_holds_also_in_several_parts() {
        let (text, begin) = (text(), text()[..5000].to_vec());
        for pack in [gzip, zstd, bzip2, <[u8]>::to_vec] {
            let several = [pack(&begin), pack(b""), pack(&text)].concat();
            let (found, error) = read(&several);
            assert_eq!(error, None);
            assert!(found == [&begin[..], &text].concat());
        }
        assert_eq!(read(b""), (Vec::new(), None));
        assert_eq!(read(b"BZh"), (b"BZh".to_vec(), None));
    }

    #[test]
    fn frames_to_be_skipped_are() {
        // As pzstd writes before each frame, to say how long it is.
        let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0][..], &[1, 2, 3, 4]].concat();
        let parts = [
            &skippable[..],
            &zstd(b"one "),
            &skippable,
            &zstd(b"two"),
            &skippable,
        ];
        let packed = parts.concat();
        assert_eq!(read(&packed), (b"one two".to_vec(), None));
    }

    #[test]
    fn what_was_read_of_a_cut_file_counts_and_the_place_warned_about_files() {
        let text = text();
        for (pack, name) in [
            (gzip as fn(&[u8]) -> Vec<u8>, "gzip"),
            (zstd, "Zstandard"),
            (bzip2, "bzip2"),
        ] {
            let packed = pack(&text);
            let cut = packed.len() * 2 / 3;
            let (found, error) = read(&packed[..cut]);
            assert!(text.starts_with(&found), "{name}");
            assert!(
                found.len() > text.len() / 3,
                "{name}: {} of {}",
                found.len(),
                text.len()
            );
            let expected = format!(
                "the {name} data end in the middle, after {cut} bytes ({} bytes unpacked)",
                found.len()
            );
            assert_eq!(error, Some(expected));
        }
    }

    #[test]
    fn every_cut_gives_a_beginning() {
        let text = &text()[..3000];
        for pack in [gzip, zstd, bzip2] {
            let packed = pack(text);
            for cut in MAGIC..packed.len() {
                let (found, error) = read(&packed[..cut]);
                assert!(
                    text.starts_with(&found) && error.is_some(),
                    "{cut} of {}",
                    packed.len()
                );
            }
        }
    }

    #[test]
    fn a_window_beyond_all_measure_is_refused() {
        // The beginning of a frame that looks back 2 GiB, as `zstd --long=31` writes it.
        let (_, error) = read(&[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 1, 0, 0]);
        assert_eq!(
            error.unwrap(),
            "a part of the Zstandard data needs 2 GiB of memory, and 128 MiB are the most (zstd --long=27) (0 bytes unpacked)"
        );
    }

    #[test]
    fn a_wrong_bit_warned_about_files() {
        for pack in [gzip, zstd, bzip2] {
            let mut packed = pack(&text());
            let middle = packed.len() / 2;
            packed[middle] ^= 4;
            let (_, error) = read(&packed);
            assert!(error.unwrap().contains("are damaged near byte"));
        }
    }

    #[test]
    fn what_is_packed_otherwise_is_named() {
        let (_, error) = read(b"PK\x03\x04 and so on");
        assert_eq!(
            error.unwrap(),
            "this is a zip archive: unpack it first (gzip, Zstandard and bzip2 are read as they are)"
        );
    }

    #[test]
    fn a_small_file_does_not_unpack_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zeros.gz");
        std::fs::write(&path, gzip(&vec![0; 1 << 20])).unwrap();
        assert_eq!(
            read_unpacked(&path, 1 << 16).unwrap_err().to_string(),
            "it has more, and at most 64 KiB are read"
        );
        assert_eq!(read_unpacked(&path, 1 << 20).unwrap().len(), 1 << 20);
    }
}
