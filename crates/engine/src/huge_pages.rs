//! Huge-page allocation for the transposition table.
//!
//! Table probes are unpredictable. With pages of 4 KiB nearly every probe misses the TLB, and the system creates a page
//! at the first touch: with 8 GiB that costs more than the search itself.

use std::{
    fmt,
    sync::{Mutex, PoisonError, atomic::AtomicU64},
    thread,
};

use memmap2::MmapMut;
use self_cell::{MutBorrow, self_cell};
use zerocopy::{FromBytes as _, IntoBytes as _};

type Words<'a> = &'a mut [AtomicU64];

self_cell!(
    struct Mapped {
        owner: MutBorrow<MmapMut>,
        #[covariant]
        dependent: Words,
    }
);

/// Bytes of a small page.
const PAGE: usize = 4096;

/// Bytes up to which huge pages are not requested: a bot of many weak games touches little of its tables, and would pay
/// for all of it.
const SMALL: usize = 32 << 20;

/// Bytes up to which one thread clears memory as quickly as several.
const LARGE: usize = 256 << 20;

/// Bytes that a thread clears at a time.
const PART: usize = 16 << 20;

/// A page-aligned buffer of words, zero at first.
pub(super) struct HugePageBuf(Mapped);

impl fmt::Debug for HugePageBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("words", &self.words().len())
            .finish_non_exhaustive()
    }
}

impl HugePageBuf {
    /// Allocates `count` words, or half as many and so on when memory lacks. Pages cost nothing until they are used.
    pub fn new(count: usize) -> Self {
        Self::map(count, SMALL)
    }

    /// The same, with every page allocated when this returns, as huge pages where possible.
    pub fn ready(count: usize) -> Self {
        let mut pages = Self::map(count, 0);
        pages.each_part(|words| {
            for page in words.chunks_mut(PAGE / size_of::<AtomicU64>()) {
                *page[0].get_mut() = 0;
            }
        });
        pages
    }

    /// Maps words, in huge pages if they take more bytes than `small`.
    fn map(mut count: usize, small: usize) -> Self {
        loop {
            let bytes = count.max(1) * size_of::<AtomicU64>();
            if bytes > LARGE && at_hand().is_some_and(|most| bytes > most) {
                count /= 2;
                continue;
            }
            match MmapMut::map_anon(bytes) {
                Ok(memory) => {
                    if bytes > small {
                        ask_for_large_pages(&memory);
                    }
                    return Self(Mapped::new(MutBorrow::new(memory), |memory| {
                        seen_as_words(memory.borrow_mut())
                    }));
                }
                Err(_) if count > 1 => count /= 2,
                // Not even one page is left, so nothing else can be allocated either.
                Err(_) => std::alloc::handle_alloc_error(std::alloc::Layout::new::<AtomicU64>()),
            }
        }
    }

    pub fn words(&self) -> &[AtomicU64] {
        self.0.borrow_dependent()
    }

    /// Clears all words.
    pub fn wipe(&mut self) {
        self.each_part(|words| words.as_mut_bytes().fill(0));
    }

    fn each_part(&mut self, act: impl Fn(&mut [AtomicU64]) + Sync) {
        self.0.with_dependent_mut(|_, words| share_out(words, &act));
    }
}

/// More threads are no faster than the memory, and a service's threads are limited.
const MOST_THREADS: usize = 8;

/// Runs `act` on all words: a large buffer is shared out among as many threads as there are processors, eight at most; a
/// small one starts none.
fn share_out(words: &mut [AtomicU64], act: &(impl Fn(&mut [AtomicU64]) + Sync)) {
    if size_of_val(words) <= LARGE {
        return act(words);
    }
    let parts = Mutex::new(words.chunks_mut(PART / size_of::<AtomicU64>()));
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some(part) = next() {
            act(part);
        }
    };
    let threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(MOST_THREADS);
    thread::scope(|scope| {
        for _ in 1..threads {
            // Where a thread cannot be started, the others do its share.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

fn seen_as_words(memory: &mut [u8]) -> &mut [AtomicU64] {
    let Ok(words) = <[AtomicU64]>::mut_from_bytes(memory) else {
        unreachable!("a page begins where a word does, and the size is a multiple of words");
    };
    words
}

/// Requests huge pages. A hint only: a system without them uses small ones.
fn ask_for_large_pages(memory: &MmapMut) {
    #[cfg(target_os = "linux")]
    let _ = memory.advise(memmap2::Advice::HugePage);
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// Bytes that may be allocated, where the system reports it: seven eighths of what is available, as other programs need some
/// too.
fn at_hand() -> Option<usize> {
    said_to_be_at_hand(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn said_to_be_at_hand(meminfo: &str) -> Option<usize> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib.saturating_mul(1024) / 8 * 7)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    const WORDS: usize = PAGE / size_of::<AtomicU64>();

    fn sum(pages: &HugePageBuf) -> u64 {
        pages.words().iter().map(|word| word.load(Relaxed)).sum()
    }

    /// How many of its pages are in memory.
    #[cfg(target_os = "linux")]
    fn present(pages: &HugePageBuf) -> usize {
        use std::os::unix::fs::FileExt as _;
        let mut bytes = vec![0; size_of_val(pages.words()) / PAGE * size_of::<u64>()];
        let first = pages.words().as_ptr().addr() / PAGE * size_of::<u64>();
        let map = std::fs::File::open("/proc/self/pagemap").unwrap();
        map.read_exact_at(&mut bytes, first as u64).unwrap();
        let entries = bytes.as_chunks().0;
        entries
            .iter()
            .filter(|entry| u64::from_le_bytes(**entry) >> 63 == 1)
            .count()
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn ready_ones_are_in_memory_and_the_others_come_when_used() {
        let pages = HugePageBuf::new(1024 * WORDS);
        assert_eq!(present(&pages), 0);
        for page in [0, 500, 1023] {
            pages.words()[page * WORDS].store(1, Relaxed);
        }
        // Three, or more where the system makes huge pages by itself.
        assert!(present(&pages) >= 3);
        for count in [1024, (LARGE / PAGE) + 1000] {
            assert_eq!(present(&HugePageBuf::ready(count * WORDS)), count);
        }
    }

    #[test]
    fn every_word_is_zero_at_first_and_when_wiped() {
        // More than one thread's share, and a number that no number of threads divides.
        for count in [1, 3, WORDS, LARGE / size_of::<AtomicU64>() + 1_000_003] {
            for mut pages in [HugePageBuf::new(count), HugePageBuf::ready(count)] {
                assert_eq!(pages.words().len(), count);
                for index in [0, count / 3, count - 1] {
                    pages.words()[index].store(7, Relaxed);
                }
                assert_ne!(sum(&pages), 0);
                pages.wipe();
                assert_eq!(sum(&pages), 0);
            }
        }
    }

    #[test]
    fn work_shared_out_reaches_each_word_once() {
        let mut pages = HugePageBuf::new(LARGE / size_of::<AtomicU64>() + 1_000_003);
        pages.each_part(|words| {
            for word in words {
                *word.get_mut() += 1;
            }
        });
        assert!(pages.words().iter().all(|word| word.load(Relaxed) == 1));
    }

    #[test]
    fn memory_that_is_not_there_is_not_promised() {
        let requested = (1 << 50) / size_of::<AtomicU64>();
        let pages = HugePageBuf::new(requested);
        let got = pages.words().len();
        assert!(got < requested && requested.is_multiple_of(got), "{got}");
        assert!(size_of_val(pages.words()) >= 1 << 20, "{got}");
    }

    #[test]
    fn available_memory_is_parsed() {
        let meminfo = "MemTotal:       24684316 kB\nMemFree:        19950000 kB\nMemAvailable:    8000000 kB\nBuffers: 1 kB\n";
        assert_eq!(said_to_be_at_hand(meminfo), Some(7_000_000 * 1024));
        for other in ["", "MemFree: 1 kB", "MemAvailable: much", "MemAvailable: 12"] {
            assert_eq!(said_to_be_at_hand(other), None, "{other}");
        }
    }
}
