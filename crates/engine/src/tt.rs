//! Transposition table, in buckets of one cache line.
//!
//! Slots are pairs of atomic words, the key XORed with the contents (Hyatt and Mann's lockless hashing): a slot torn by
//! two writers does not match its key and counts as empty, so threads share the table without locks.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{huge_pages::HugePageBuf, move16::Move16, prefetch::prefetch};

/// The bound type of a stored score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// The true score is at most this: no move reached alpha.
    Upper,
    /// The true score is at least this: a move reached beta.
    Lower,
    /// The true score.
    Exact,
    /// No score: only the evaluation is valid.
    Unknown,
}

/// A table entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// The best move, if one stood out.
    pub mv: Move16,
    /// The score, mates counted from this position.
    pub score: i32,
    /// The static evaluation before correction; [`NO_EVAL`] when in check.
    pub eval: i32,
    /// The depth searched, 0 for quiescence.
    pub depth: i32,
    /// The bound type of the score.
    pub bound: Bound,
    /// Whether it was on a principal variation.
    pub pv: bool,
}

/// Marks a missing static evaluation.
pub(super) const NO_EVAL: i32 = i16::MIN as i32;

/// Generations are counted in five bits.
const AGES: u8 = 32;
const SLOTS: usize = 4;

/// The key mixed with the contents, and the contents.
type Slot = [AtomicU64; 2];
type Bucket = [Slot; SLOTS];

/// The table.
#[derive(Debug)]
pub(super) struct TranspositionTable {
    /// Pages begin where cache lines do.
    pages: HugePageBuf,
    age: u8,
    /// Whether a search may have stored something since it was empty.
    used: bool,
}

impl TranspositionTable {
    /// An empty table of this many mebibytes, at least 1: less when memory lacks. It costs nothing until it is used.
    pub fn new(mib: usize) -> Self {
        Self::of(HugePageBuf::new(words(mib)))
    }

    /// The same, with its memory allocated now instead of in the first search: a few seconds for ten thousand mebibytes.
    pub fn ready(mib: usize) -> Self {
        Self::of(HugePageBuf::ready(words(mib)))
    }

    fn of(pages: HugePageBuf) -> Self {
        Self {
            pages,
            age: 0,
            used: false,
        }
    }

    /// The size in mebibytes, rounded down.
    pub fn mib(&self) -> usize {
        size_of_val(self.buckets()) >> 20
    }

    /// Clears the table. An empty one is left alone: writing zeros to pages that were never touched takes long.
    pub fn clear(&mut self) {
        if self.used {
            self.pages.wipe();
            self.age = 0;
            self.used = false;
        }
    }

    /// Ages all entries, as every search does before it stores any.
    pub fn new_search(&mut self) {
        self.used = true;
        self.age = (self.age + 1) % AGES;
    }

    /// Prefetches the bucket of a key.
    pub fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    /// The entry of the position with this key.
    pub fn probe(&self, key: u64) -> Option<Entry> {
        self.bucket(key).iter().find_map(|[mixed, contents]| {
            let packed = contents.load(Relaxed);
            (packed != 0 && mixed.load(Relaxed) ^ packed == key).then(|| unpack(packed))
        })
    }

    /// Stores an entry, in place of the least valuable of its bucket: shallow and old ones go first.
    pub fn store(&self, key: u64, mut entry: Entry) {
        let bucket = self.bucket(key);
        let mut victim = &bucket[0];
        let mut least = i32::MAX;
        for slot in bucket {
            let [mixed, contents] = slot;
            let packed = contents.load(Relaxed);
            if packed == 0 {
                victim = slot;
                break;
            }
            if mixed.load(Relaxed) ^ packed == key {
                let old = unpack(packed);
                if entry.mv.is_none() {
                    entry.mv = old.mv;
                }
                let deeper_is_known = entry.bound != Bound::Exact
                    && age_of(packed) == self.age
                    && old.depth > entry.depth + 4 + 2 * i32::from(entry.pv);
                if deeper_is_known {
                    return;
                }
                victim = slot;
                break;
            }
            let value = depth_of(packed) - 4 * i32::from((self.age + AGES - age_of(packed)) % AGES);
            if value < least {
                least = value;
                victim = slot;
            }
        }
        let packed = pack(&entry, self.age);
        let [mixed, contents] = victim;
        mixed.store(key ^ packed, Relaxed);
        contents.store(packed, Relaxed);
    }

    /// How full the table is with entries of this search, in thousandths, sampled from its first thousand slots.
    pub fn hashfull(&self) -> u16 {
        let sample = 1000.min(self.buckets().len() * SLOTS);
        let used = self
            .buckets()
            .iter()
            .flatten()
            .take(sample)
            .filter(|[_, contents]| {
                let packed = contents.load(Relaxed);
                packed != 0 && age_of(packed) == self.age
            })
            .count();
        u16::try_from(used * 1000 / sample).unwrap_or(1000)
    }

    fn bucket(&self, key: u64) -> &Bucket {
        // The high bits select the bucket, evenly for any table size.
        let buckets = self.buckets();
        let index = (u128::from(key) * buckets.len() as u128) >> 64;
        &buckets[index as usize]
    }

    fn buckets(&self) -> &[Bucket] {
        let slots = self.pages.words().as_chunks().0;
        slots.as_chunks().0
    }
}

/// The 64-bit words of a table of this many mebibytes.
fn words(mib: usize) -> usize {
    mib.clamp(1, 1 << 20).saturating_mul(1 << 20) / size_of::<AtomicU64>()
}

/// Bits 0-15 move, 16-31 score, 32-47 evaluation, 48-55 depth, 56-57 bound plus one, 58 PV, 59-63 age.
fn pack(entry: &Entry, age: u8) -> u64 {
    let bound = match entry.bound {
        Bound::Upper => 1,
        Bound::Lower => 2,
        Bound::Exact => 3,
        Bound::Unknown => 0,
    };
    u64::from(entry.mv.0)
        | u64::from(entry.score as i16 as u16) << 16
        | u64::from(entry.eval as i16 as u16) << 32
        | (entry.depth.clamp(0, 255) as u64) << 48
        | bound << 56
        | u64::from(entry.pv) << 58
        | u64::from(age) << 59
}

fn unpack(packed: u64) -> Entry {
    Entry {
        mv: Move16(packed as u16),
        score: i32::from((packed >> 16) as i16),
        eval: i32::from((packed >> 32) as i16),
        depth: depth_of(packed),
        bound: match packed >> 56 & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => Bound::Unknown,
        },
        pv: packed >> 58 & 1 == 1,
    }
}

fn depth_of(packed: u64) -> i32 {
    (packed >> 48 & 255) as i32
}

fn age_of(packed: u64) -> u8 {
    (packed >> 59) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: i32, bound: Bound) -> Entry {
        Entry {
            mv: Move16(0x1234),
            score: -31_990,
            eval: NO_EVAL,
            depth,
            bound,
            pv: true,
        }
    }

    #[test]
    fn entries_come_back_whole() {
        let table = TranspositionTable::new(1);
        for (key, bound) in [
            (1, Bound::Upper),
            (u64::MAX, Bound::Lower),
            (1 << 63, Bound::Exact),
            (3, Bound::Unknown),
        ] {
            table.store(key, entry(17, bound));
            assert_eq!(table.probe(key), Some(entry(17, bound)));
        }
        assert_eq!(table.probe(2), None);
    }

    #[test]
    fn a_full_bucket_loses_its_shallowest_and_then_its_oldest() {
        let mut table = TranspositionTable::new(1);
        for key in 1..=4 {
            table.store(key, entry(key as i32, Bound::Lower));
        }
        table.store(5, entry(9, Bound::Lower));
        assert_eq!(table.probe(1), None);
        assert!((2..=5).all(|key| table.probe(key).is_some()));
        for _ in 0..8 {
            table.new_search();
        }
        table.store(6, entry(1, Bound::Lower));
        table.store(7, entry(1, Bound::Lower));
        assert!(table.probe(6).is_some() && table.probe(7).is_some());
    }

    #[test]
    fn a_stored_move_survives_an_entry_without_one() {
        let table = TranspositionTable::new(1);
        table.store(1, entry(3, Bound::Lower));
        let upper = Entry {
            mv: Move16::default(),
            ..entry(5, Bound::Upper)
        };
        table.store(1, upper);
        assert_eq!(table.probe(1).map(|entry| entry.mv), Some(Move16(0x1234)));
    }

    #[test]
    fn buckets_fill_cache_lines_and_a_huge_table_is_there_at_once() {
        let check = |table: TranspositionTable, mib| {
            assert_eq!(table.mib(), mib);
            assert!(table.buckets().as_ptr().addr().is_multiple_of(64));
        };
        for mib in [1, 3, 4096] {
            check(TranspositionTable::new(mib), mib);
        }
        for mib in [1, 3] {
            check(TranspositionTable::ready(mib), mib);
        }
    }

    #[test]
    fn a_cleared_table_is_empty() {
        let mut table = TranspositionTable::new(1);
        table.new_search();
        for key in 0..2000u64 {
            table.store(key << 40 | 1, entry(1, Bound::Exact));
        }
        assert!(table.hashfull() > 0);
        table.clear();
        assert_eq!(table.hashfull(), 0);
        assert_eq!(table.mib(), 1);
        for mut large in [TranspositionTable::new(257), TranspositionTable::ready(257)] {
            large.new_search();
            large.store(1, entry(1, Bound::Exact));
            large.clear();
            assert_eq!((large.probe(1), large.mib()), (None, 257));
        }
    }
}
