//! How fast books are: one table of what is measured, with its bar. Input is generated from a fixed seed.
//!
//! `make bench-books`, or `cargo run --release --no-default-features --example book_speed -- [all|small|large|open FILE]`.
//! Growing a book from games is measured only where `SPARRING` names the program.

#![expect(clippy::print_stdout, reason = "figures for people")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    collections::HashSet,
    env, error,
    fmt::Write as _,
    fs::{self, File},
    io::{BufWriter, Write as _},
    path::Path,
    process::Command,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use rand::{Rng as _, SeedableRng as _, rngs::ChaCha8Rng};
use sparring::{
    book::{self, Book, Origin},
    chess::{Position, Rules as _, Variant, key, write_san},
};

type Outcome = Result<(), Box<dyn error::Error>>;

/// Counts how often memory is asked for.
struct Counting;

static ASKED: AtomicU64 = AtomicU64::new(0);

#[expect(
    unsafe_code,
    reason = "the trait of allocators is unsafe; this one only counts"
)]
// SAFETY: everything is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the trait's promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the trait's promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const ORIGIN: Origin = Origin {
    bytes: 0,
    modified: 0,
};

fn main() -> Outcome {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        // A process of its own, whose memory is that of the open book and nothing else.
        ["open", file] => return open(file),
        ["small"] => {
            heading();
            small()?;
        }
        ["large"] => {
            heading();
            large()?;
        }
        _ => {
            heading();
            small()?;
            large()?;
        }
    }
    Ok(())
}

fn heading() {
    println!("| what | measured | bar |\n|---|---|---|");
}

fn row(what: &str, measured: &str, bar: &str) {
    println!("| {what} | {measured} | {bar} |");
}

/// What people's books are: some ten thousands of lines.
fn small() -> Outcome {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let text = sorted_lines(&mut rng, 50_000, 20);
    // The best of several, since other work on the machine only ever adds to it.
    let (mut best, mut findings) = (Duration::MAX, 0);
    for _ in 0..5 {
        let start = Instant::now();
        findings = book::parse("speed.book", &text).1.list.len();
        best = best.min(start.elapsed());
    }
    let measured = format!("{best:.0?}, {findings} findings");
    row(
        "read a text of 50,000 lines of 20 moves and check its moves, best of five",
        &measured,
        "< 300 ms",
    );

    let text = sorted_lines(&mut rng, 84_000, 20);
    let book = book::parse("speed.book", &text).0.ok_or("no book")?;
    let what = format!("look up one of {} positions in memory", book.positions());
    row(&what, &look_ups(&book, &keys(&text), &mut rng), "< 2 µs, 0");

    let bytes = book::export_polyglot(&book);
    let again = book::import_polyglot(&bytes)?;
    let back = book::parse("again.book", &again.text).0.ok_or("no book")?;
    let is_equal = book::export_polyglot(&back) == bytes;
    let said = format!(
        "{} records, {} left, {}",
        bytes.len() / 16,
        again.left,
        if is_equal { "equal" } else { "NOT equal" }
    );
    row(
        "Polyglot: export, import, export again, compared byte for byte",
        &said,
        "equal",
    );
    feed(&mut rng)
}

/// A book of five million positions, compiled and opened.
fn large() -> Outcome {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let text = sorted_lines(&mut rng, 330_000, 24);
    let size = text.len() >> 20;
    let start = Instant::now();
    let book = book::parse("large.book", &text).0.ok_or("no book")?;
    let read = start.elapsed();
    let path = env::temp_dir().join(format!("sparring-{}.bookc", std::process::id()));
    let start = Instant::now();
    let mut out = BufWriter::new(File::create(&path)?);
    book::compile(&book, ORIGIN, &mut out)?;
    out.flush()?;
    drop(out);
    let what = format!("compile {} positions of a text of {size} MiB", book.positions());
    let measured = format!(
        "{read:.1?} to read, {:.1?} to write {} MiB, {} at most",
        start.elapsed(),
        fs::metadata(&path)?.len() >> 20,
        memory("VmHWM")
    );
    row(&what, &measured, "-");
    drop((book, text));
    let done = Command::new(env::current_exe()?).arg("open").arg(&path).status();
    fs::remove_file(&path)?;
    done?;
    Ok(())
}

/// Opens a compiled book and looks up positions in it.
fn open(file: &str) -> Outcome {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        let (book, _) = book::open_compiled("large.book", File::open(file)?)?;
        drop(book);
        best = best.min(start.elapsed());
    }
    let (book, _) = book::open_compiled("large.book", File::open(file)?)?;
    let what = format!(
        "open a compiled book of {} positions, best of five",
        book.positions()
    );
    row(
        &what,
        &format!("{best:.1?}, {} resident", memory("VmRSS")),
        "< 50 ms, < 100 MB",
    );
    // The positions of some of its own lines, made again from the same seed.
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let known = keys(&sorted_lines(&mut rng, 5_000, 24));
    row(
        "look up a position in it",
        &look_ups(&book, &known, &mut rng),
        "-",
    );
    Ok(())
}

/// The median and the memory asked for of 100,000 look-ups.
fn look_ups(book: &Book, keys: &[u64], rng: &mut ChaCha8Rng) -> String {
    let mut times: Vec<Duration> = Vec::with_capacity(100_000);
    let (mut moves, asked) = (0, ASKED.load(Ordering::Relaxed));
    for _ in 0..100_000 {
        let Some(key) = keys.get((rng.next_u64() % keys.len() as u64) as usize) else {
            continue;
        };
        let start = Instant::now();
        moves += book.entries(*key).len();
        times.push(start.elapsed());
    }
    let asked = ASKED.load(Ordering::Relaxed) - asked;
    times.sort();
    let at = |percent: usize| {
        times
            .get(times.len() * percent / 100)
            .copied()
            .unwrap_or_default()
    };
    format!(
        "{:?} median, {:?} at 99%, {asked} allocations, {moves} moves",
        at(50),
        at(99)
    )
}

/// Grows a book from 20,000 different games, by the program as people start it.
fn feed(rng: &mut ChaCha8Rng) -> Outcome {
    let Ok(program) = env::var("SPARRING") else {
        return Ok(());
    };
    let games = 20_000;
    let mut pgn = String::new();
    for (number, line) in random_lines(rng, games, 80).iter().enumerate() {
        let (white, black) = (number % 97, number % 89);
        write!(
            pgn,
            "[White \"a{white}\"]\n[Black \"b{black}\"]\n[WhiteElo \"1800\"]\n[BlackElo \"1900\"]\n[Result \"1-0\"]\n\n{line} 1-0\n\n"
        )?;
    }
    let path = env::temp_dir().join(format!("sparring-{}.pgn", std::process::id()));
    fs::write(&path, &pgn)?;
    let start = Instant::now();
    let done = Command::new(program)
        .args(["book", "feed", "--quiet", "--min", "2"])
        .arg(&path)
        .arg("-o")
        .arg(path.with_extension("book"))
        .status();
    let spent = start.elapsed();
    fs::remove_file(&path)?;
    fs::remove_file(path.with_extension("book"))?;
    if !done?.success() {
        return Err("book feed failed".into());
    }
    let rate = games as f64 / spent.as_secs_f64() * 60.0;
    let what = format!(
        "feed {games} different games of 80 plies, {} MiB",
        pgn.len() >> 20
    );
    row(
        &what,
        &format!("{spent:.1?}: {rate:.0} a minute"),
        "> 20,000 a minute",
    );
    Ok(())
}

/// A figure of this process as the kernel of Linux tells it, or a dash.
fn memory(figure: &str) -> String {
    let status = fs::read_to_string(Path::new("/proc/self/status")).unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with(figure))
        .unwrap_or_default();
    let kilobytes = line
        .split_whitespace()
        .nth(1)
        .and_then(|number| number.parse::<u64>().ok());
    kilobytes.map_or_else(|| "-".to_owned(), |kilobytes| format!("{} MiB", kilobytes >> 10))
}

/// Keys of all positions of some of the lines.
fn keys(text: &str) -> Vec<u64> {
    let mut keys = HashSet::new();
    for line in text.lines().step_by(text.lines().count() / 5_000 + 1) {
        let mut pos: Position = Variant::Standard.start();
        for word in line.split(' ') {
            let Ok(mv) = sparring::chess::parse_san(&pos, word) else {
                break;
            };
            keys.insert(key(&pos));
            pos.play_unchecked(mv);
        }
    }
    let mut keys: Vec<u64> = keys.into_iter().collect();
    keys.sort_unstable();
    keys
}

fn sorted_lines(rng: &mut ChaCha8Rng, lines: usize, plies: usize) -> String {
    let mut lines = random_lines(rng, lines, plies);
    lines.sort();
    lines.join("\n")
}

/// Moves that favour the first few legal ones, so that lines share beginnings as those of people do.
fn random_lines(rng: &mut ChaCha8Rng, lines: usize, plies: usize) -> Vec<String> {
    let line = |_| {
        let mut pos: Position = Variant::Standard.start();
        let mut words = Vec::new();
        for ply in 0..plies {
            let moves = pos.legal_moves();
            let width = (moves.len() as u64).min(if ply < 6 { 4 } else { 40 });
            let Some(mv) = moves.get((rng.next_u64() % width.max(1)) as usize).copied() else {
                break;
            };
            words.push(write_san(&pos, mv));
            pos.play_unchecked(mv);
        }
        words.join(" ")
    };
    (0..lines).map(line).collect()
}
