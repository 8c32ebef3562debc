//! Blocks of a compiled book: fixed-size records sorted by Zobrist key, each block with a checksum.
//!
//! Numbers are little-endian. A record is key 8, move 4, lines 4, marks 8, number 4, line 4, start of the name 4, its
//! length 2, flags 1 and half moves before its block 1. A block is up to [`ROOM`] records, their count in 2 bytes, zeros, and the checksum.

use super::{
    move16::{pack, unpack},
    positions::{Entry, Note},
};

/// Bytes of a block: a look-up reads one, or two where a position lies across a border.
pub(super) const BLOCK: usize = 1024;

/// Bytes of a record.
const RECORD: usize = 40;

/// Records of a full block.
pub(super) const ROOM: usize = 25;

/// Where the checksum of a block begins; all before it is summed.
const SUMMED: usize = BLOCK - 8;

const HAS_NUMBER: u8 = 1;
const NEVER: u8 = 2;
const CHOSEN: u8 = 4;
const LEFT_OUT: u8 = 8;

/// A number that changes when any byte does; no defence against intent. The seed says where the bytes belong.
pub(super) fn checksum(seed: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    let words = words.iter().chain([&last]);
    words.fold(
        seed ^ bytes.len() as u64 ^ 0x9e37_79b9_7f4a_7c15,
        |sum: u64, word| {
            (sum ^ u64::from_le_bytes(*word))
                .wrapping_mul(0xff51_afd7_ed55_8ccd)
                .rotate_left(29)
        },
    )
}

/// Numbers read one after the other; nothing where the bytes end.
pub(super) struct Fields<'a>(pub &'a [u8]);

impl Fields<'_> {
    pub fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*head)
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

/// Adds a record to a block under way.
pub(super) fn write_record(block: &mut Vec<u8>, key: u64, entry: &Entry, note: Note) {
    let flag = |is: bool, flag: u8| if is { flag } else { 0 };
    let flags = flag(entry.number.is_some(), HAS_NUMBER)
        | flag(entry.never, NEVER)
        | flag(entry.chosen, CHOSEN)
        | flag(entry.left_out, LEFT_OUT);
    block.extend(key.to_le_bytes());
    block.extend(pack(entry.mv).to_le_bytes());
    block.extend(entry.lines.to_le_bytes());
    block.extend(entry.marks.to_le_bytes());
    block.extend(entry.number.unwrap_or(0).to_le_bytes());
    block.extend(entry.line.to_le_bytes());
    block.extend(note.start.to_le_bytes());
    // Names are shorter; the writer sees to that.
    block.extend((note.len as u16).to_le_bytes());
    block.extend([flags, entry.begins]);
}

/// Fills a block up and seals it.
pub(super) fn seal(block: &mut Vec<u8>, number: u64) {
    let count = (block.len() / RECORD) as u16;
    block.resize(ROOM * RECORD, 0);
    block.extend(count.to_le_bytes());
    block.resize(SUMMED, 0);
    let sum = checksum(number, block);
    block.extend(sum.to_le_bytes());
}

/// The records of a block, or nothing if it is not as it was sealed.
pub(super) fn records(
    block: &[u8; BLOCK],
    number: u64,
) -> Option<impl Iterator<Item = Option<(u64, Entry)>>> {
    let (summed, sum) = block.split_last_chunk::<8>()?;
    if checksum(number, summed) != u64::from_le_bytes(*sum) {
        return None;
    }
    let (records, mut rest) = (summed.get(..ROOM * RECORD)?, Fields(summed.get(ROOM * RECORD..)?));
    let count = usize::from(rest.u16()?);
    Some(
        records
            .as_chunks::<RECORD>()
            .0
            .iter()
            .take(count)
            .map(read_record),
    )
}

fn read_record(bytes: &[u8; RECORD]) -> Option<(u64, Entry)> {
    let mut fields = Fields(bytes);
    let key = fields.u64()?;
    let mv = unpack(fields.u32()?)?;
    let lines = fields.u32()?;
    let marks = fields.take().map(i64::from_le_bytes)?;
    let number = fields.u32()?;
    let line = fields.u32()?;
    let note = Note {
        start: fields.u32()?,
        len: u32::from(fields.u16()?),
    };
    let [flags, begins] = fields.take()?;
    let entry = Entry {
        mv,
        lines,
        marks,
        number: (flags & HAS_NUMBER != 0).then_some(number),
        never: flags & NEVER != 0,
        chosen: flags & CHOSEN != 0,
        left_out: flags & LEFT_OUT != 0,
        begins,
        line,
        file: 0,
        note,
    };
    Some((key, entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_byte_or_another_place_is_noticed() {
        let mut block = Vec::new();
        seal(&mut block, 3);
        let mut block: [u8; BLOCK] = block.try_into().unwrap();
        assert_eq!(records(&block, 3).unwrap().count(), 0);
        assert!(records(&block, 4).is_none());
        for at in 0..BLOCK {
            block[at] ^= 0x40;
            assert!(records(&block, 3).is_none(), "byte {at}");
            block[at] ^= 0x40;
        }
    }
}
