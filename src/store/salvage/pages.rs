//! Reads the pages of a SQLite file without SQLite: a damaged file may still have intact pages. The format is
//! <https://www.sqlite.org/fileformat2.html>. No number in the file is trusted.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{Read as _, Seek as _, SeekFrom},
    path::Path,
};

use rusqlite::types::Value;

use crate::store::damage::beside;

/// The magic string of a SQLite file.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Length of the file header, before the first page's own header.
const FILE_HEADER: usize = 100;
/// SQLite's default page size, which all archives have: for files without a header.
const PAGE: usize = 4096;
/// Longest row in bytes.
const LONGEST_ROW: usize = 1 << 16;
/// More columns than any table of an archive.
const MOST_COLUMNS: usize = 64;
/// Lengths of the write-ahead log's header and frame headers.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// A database file and its write-ahead log, which has the newer version of some pages.
pub(super) struct Pages {
    main: Option<File>,
    log: Option<File>,
    /// Offset in the log of the newest version of each page.
    newer: BTreeMap<u32, u64>,
    size: usize,
    /// Usable bytes of a page.
    usable: usize,
    /// Number of pages in the database file.
    in_main: u32,
    /// Free pages, which hold stale rows.
    free: BTreeSet<u32>,
}

impl Pages {
    /// Opens the database file at a path.
    pub(super) fn open(path: &Path) -> Self {
        let (main, length) = regular(path);
        let (log, log_length) = regular(&beside(path, "-wal"));
        let header = main
            .as_ref()
            .and_then(|main| read(main, 0, FILE_HEADER))
            .filter(|header| header.starts_with(MAGIC));
        let stated = header
            .as_ref()
            .and_then(|header| page_size(u32::from(number16(header, 16)?)));
        let reserved = header.as_ref().map_or(0, |header| usize::from(header[20]));
        let size = stated
            .or_else(|| {
                log.as_ref()
                    .and_then(|log| page_size(number32(&read(log, 0, LOG_HEADER)?, 8)?))
            })
            .unwrap_or(PAGE);
        let newer = log
            .as_ref()
            .map(|log| newest(log, log_length, size))
            .unwrap_or_default();
        let in_main = length.div_ceil(size as u64);
        let mut pages = Self {
            main,
            log,
            newer,
            size,
            usable: size - reserved.min(size - 480),
            in_main: u32::try_from(in_main).unwrap_or(u32::MAX),
            free: BTreeSet::new(),
        };
        pages.free = pages.freelist().unwrap_or_default();
        pages
    }

    /// All rows, one by one.
    pub(super) fn rows(&self) -> impl Iterator<Item = Vec<Value>> {
        self.numbers()
            .filter(|number| !self.free.contains(number))
            .flat_map(|number| self.rows_on(number))
    }

    /// The numbers of all pages, of the file and of the log, from 1.
    fn numbers(&self) -> impl Iterator<Item = u32> {
        let beyond = self.newer.keys().filter(|number| **number > self.in_main);
        (1..=self.in_main).chain(beyond.copied())
    }

    /// The rows on an index page; none on others. The tables have no row ids, so all rows are on index pages.
    fn rows_on(&self, number: u32) -> impl Iterator<Item = Vec<Value>> {
        let page = self.page(number).unwrap_or_default();
        let header = if number == 1 { FILE_HEADER } else { 0 };
        let (first, child) = match page.get(header) {
            Some(0x02) => (header + 12, 4),
            _ => (header + 8, 0),
        };
        let cells = match page.get(header) {
            Some(0x0a | 0x02) => usize::from(number16(&page, header + 3).unwrap_or(0)),
            _ => 0,
        };
        (0..cells).filter_map(move |cell| {
            let at = number16(&page, first + 2 * cell)?;
            record(&self.payload(&page, usize::from(at) + child)?)
        })
    }

    /// The free pages. Empty if the list is inconsistent: then no page is skipped.
    fn freelist(&self) -> Option<BTreeSet<u32>> {
        let first = self.page(1).filter(|page| page.starts_with(MAGIC))?;
        let (mut trunk, count) = (number32(&first, 32)?, number32(&first, 36)? as usize);
        let mut free = BTreeSet::new();
        let mut note = |number| (number > 1 && free.len() < count && free.insert(number)).then_some(());
        while trunk != 0 {
            note(trunk)?;
            let page = self.page(trunk)?;
            for leaf in 0..number32(&page, 4)? as usize {
                note(number32(&page, 8 + 4 * leaf)?)?;
            }
            trunk = number32(&page, 0)?;
        }
        (free.len() == count).then_some(free)
    }

    fn page(&self, number: u32) -> Option<Vec<u8>> {
        if let (Some(at), Some(log)) = (self.newer.get(&number), &self.log) {
            return read(log, *at, self.size);
        }
        let at = u64::from(number.checked_sub(1)?) * self.size as u64;
        let mut page = vec![0; self.size];
        // The last page may be truncated.
        (fill(self.main.as_ref()?, at, &mut page) > 0).then_some(page)
    }

    /// The payload of a cell, overflow pages included.
    fn payload(&self, page: &[u8], at: usize) -> Option<Vec<u8>> {
        let (length, after) = varint(page, at)?;
        let length = usize::try_from(length)
            .ok()
            .filter(|length| *length <= LONGEST_ROW)?;
        let most = (self.usable - 12) * 64 / 255 - 23;
        let least = (self.usable - 12) * 32 / 255 - 23;
        let local = if length <= most {
            length
        } else {
            let kept = least + (length - least) % (self.usable - 4);
            if kept <= most { kept } else { least }
        };
        let mut payload = page.get(after..after + local)?.to_vec();
        let mut next = if local < length {
            number32(page, after + local)?
        } else {
            0
        };
        while payload.len() < length {
            let overflow = self.page(next)?;
            let more = (length - payload.len()).min(self.usable - 4);
            payload.extend_from_slice(overflow.get(4..4 + more)?);
            next = number32(&overflow, 0)?;
        }
        Some(payload)
    }
}

/// A regular file and its length, if it exists.
fn regular(path: &Path) -> (Option<File>, u64) {
    let is_file = fs::metadata(path).is_ok_and(|meta| meta.is_file());
    let file = if is_file { File::open(path).ok() } else { None };
    let length = file
        .as_ref()
        .and_then(|file| file.metadata().ok())
        .map_or(0, |meta| meta.len());
    (file, length)
}

fn page_size(stated: u32) -> Option<usize> {
    let size = if stated == 1 { 65_536 } else { stated };
    (size.is_power_of_two() && (512..=65_536).contains(&size)).then_some(size as usize)
}

/// Offsets of the newest committed version of each page in a write-ahead log.
fn newest(log: &File, length: u64, size: usize) -> BTreeMap<u32, u64> {
    let mut newer = BTreeMap::new();
    let mut uncommitted = Vec::new();
    let Some(header) = read(log, 0, LOG_HEADER) else {
        return newer;
    };
    if number32(&header, 0).is_none_or(|magic| magic & !1 != 0x377f_0682) {
        return newer;
    }
    let mut at = LOG_HEADER as u64;
    let frame = (FRAME_HEADER + size) as u64;
    while at + frame <= length {
        let Some(head) = read(log, at, FRAME_HEADER) else {
            break;
        };
        let is_of_this_run = head.get(8..16) == header.get(16..24);
        let (Some(page), Some(pages), true) = (number32(&head, 0), number32(&head, 4), is_of_this_run) else {
            break;
        };
        uncommitted.push((page, at + FRAME_HEADER as u64));
        if pages > 0 {
            newer.extend(uncommitted.drain(..));
        }
        at += frame;
    }
    newer
}

fn read(file: &File, at: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    (fill(file, at, &mut bytes) == length).then_some(bytes)
}

/// Reads from an offset until the buffer is full or the file ends. Returns how many bytes were read.
fn fill(mut file: &File, at: u64, buffer: &mut [u8]) -> usize {
    let mut filled = 0;
    if file.seek(SeekFrom::Start(at)).is_ok() {
        while let Some(more) = file.read(&mut buffer[filled..]).ok().filter(|more| *more > 0) {
            filled += more;
        }
    }
    filled
}

fn number16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn number32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// A varint of one to nine bytes, and its end.
fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut number = 0;
    for place in 0..8 {
        let byte = *bytes.get(at + place)?;
        number = number << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((number, at + place + 1));
        }
    }
    Some((number << 8 | u64::from(*bytes.get(at + 8)?), at + 9))
}

/// The values of a row.
fn record(payload: &[u8]) -> Option<Vec<Value>> {
    let (header, mut at) = varint(payload, 0)?;
    let header = usize::try_from(header)
        .ok()
        .filter(|header| *header <= payload.len())?;
    let (mut row, mut body) = (Vec::new(), header);
    while at < header && row.len() < MOST_COLUMNS {
        let (kind, after) = varint(payload, at)?;
        at = after;
        let length = match kind {
            0 | 8 | 9 => 0,
            1..=4 => kind,
            5 => 6,
            6 | 7 => 8,
            10 | 11 => return None,
            _ => (kind - 12) / 2,
        };
        let end = body.checked_add(usize::try_from(length).ok()?)?;
        let bytes = payload.get(body..end)?;
        body = end;
        row.push(match kind {
            0 => Value::Null,
            8 => Value::Integer(0),
            9 => Value::Integer(1),
            1..=6 => Value::Integer(signed(bytes)),
            7 => Value::Real(f64::from_be_bytes(bytes.try_into().ok()?)),
            _ if kind % 2 == 0 => Value::Blob(bytes.to_vec()),
            _ => Value::Text(std::str::from_utf8(bytes).ok()?.to_owned()),
        });
    }
    (at == header).then_some(row)
}

/// A big-endian two's complement integer of up to eight bytes.
fn signed(bytes: &[u8]) -> i64 {
    let sign = if bytes.first().is_some_and(|first| *first >= 0x80) {
        -1
    } else {
        0
    };
    bytes
        .iter()
        .fold(sign, |number, byte| number << 8 | i64::from(*byte))
}
