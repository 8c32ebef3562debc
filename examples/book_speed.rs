//! How fast books are: one table of what is measured, with its bar. Input is generated from a fixed seed.
//!
//! `make bench-books`, or `cargo run --release --no-default-features --example book_speed -- [all|read|small|large|open FILE]`.
//! Growing a book from games is measured only where `SPARRING` names the program.

#![expect(clippy::print_stdout, reason = "figures for people")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    collections::HashSet,
    env, error,
    fs::{self, File},
    io::{BufWriter, Write as _},
    process::Command,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use rand::{Rng as _, SeedableRng as _, rngs::ChaCha8Rng};
use sparring_book::{self as book, Book, ZeroWeights};
use sparring_chess::{Position, Rules as _, Variant, key, write_san};

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

fn main() -> Outcome {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        // A process of its own, whose memory is that of the open book and nothing else.
        ["open", file] => return open(file),
        ["read"] => {
            heading();
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let text = sorted_lines(&mut rng, 50_000, 20);
            read("50,000 lines of 20 moves", &text)?;
            let text = annotated(&text, &mut rng);
            read("the same with move numbers, marks, weights and names", &text)?;
        }
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
    read("50,000 lines of 20 moves", &text)?;
    let text = annotated(&text, &mut rng);
    read("the same with move numbers, marks, weights and names", &text)?;

    let text = sorted_lines(&mut rng, 84_000, 20);
    let book = book::parse("speed.book", &text).0.ok_or("no book")?;
    let what = format!("look up one of {} positions in memory", book.positions());
    row(&what, &look_ups(&book, &keys(&text), &mut rng), "< 2 µs, 0");

    // A text made of keys alone repeats the way to each position, so this one is smaller.
    let text = sorted_lines(&mut rng, 20_000, 20);
    let book = book::parse("speed.book", &text).0.ok_or("no book")?;
    let bytes = book::export_polyglot(&book);
    let again = book::import_polyglot_with(&bytes, ZeroWeights::Keep)?;
    let back = book::parse("again.book", &again.text).0.ok_or("no book")?;
    let is_equal = book::export_polyglot(&back) == bytes;
    let said = format!(
        "{} records, {} left, {}",
        bytes.len() / 16,
        again.left_out.total(),
        if is_equal { "equal" } else { "NOT equal" }
    );
    row(
        "Polyglot: export, import, export again, compared byte for byte",
        &said,
        "equal",
    );
    feed(&mut rng)
}

/// Reads a text and looks for slips in it, as `sparring book check` does.
fn read(what: &str, text: &str) -> Outcome {
    // The best of several, since other work on the machine only ever adds to it.
    let (mut best, mut best_read, mut findings) = (Duration::MAX, Duration::MAX, 0);
    for _ in 0..9 {
        let start = Instant::now();
        drop(book::parse("speed.book", text));
        best_read = best_read.min(start.elapsed());
        let start = Instant::now();
        let (book, wrong) = book::check("speed.book", text);
        best = best.min(start.elapsed());
        findings = wrong.list.len();
        drop(book);
    }
    let measured = format!("{best:.1?}, and {best_read:.1?} without the check; {findings} findings");
    row(
        &format!("read and check {what}, best of nine"),
        &measured,
        "< 300 ms",
    );
    Ok(())
}

/// Books of hundreds of thousands of lines, each read by a process of its own, whose memory is that of the book.
fn large() -> Outcome {
    for (lines, plies) in [(100_000, 20), (330_000, 24), (1_000_000, 14)] {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let path = env::temp_dir().join(format!("sparring-{}.book", std::process::id()));
        fs::write(&path, sorted_lines(&mut rng, lines, plies))?;
        let done = Command::new(env::current_exe()?).arg("open").arg(&path).status();
        fs::remove_file(&path)?;
        done?;
    }
    Ok(())
}

/// Reads the text of a large book from its file.
fn open(file: &str) -> Outcome {
    let start = Instant::now();
    let bytes = fs::read(file)?;
    let size = bytes.len() >> 20;
    let (book, _) = book::parse_bytes("large.book", &bytes);
    let book = book.ok_or("no book")?;
    drop(bytes);
    let what = format!(
        "read {} lines, {size} MiB, {} positions",
        book.lines(),
        book.positions()
    );
    let id = std::process::id();
    let measured = format!(
        "{:.2?}, {} at most, {} held",
        start.elapsed(),
        memory(id, "VmHWM"),
        memory(id, "VmRSS")
    );
    row(&what, &measured, "-");
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

/// Grows a book from 100,000 different games, by the program as people start it.
fn feed(rng: &mut ChaCha8Rng) -> Outcome {
    let Ok(program) = env::var("SPARRING") else {
        return Ok(());
    };
    let games = 100_000;
    let path = env::temp_dir().join(format!("sparring-{}.pgn", std::process::id()));
    let mut pgn = BufWriter::new(File::create(&path)?);
    for (number, line) in random_lines(rng, games, 80).iter().enumerate() {
        let (white, black) = (number % 97, number % 89);
        write!(
            pgn,
            "[White \"a{white}\"]\n[Black \"b{black}\"]\n[WhiteElo \"1800\"]\n[BlackElo \"1900\"]\n[Result \"1-0\"]\n\n{line} 1-0\n\n"
        )?;
    }
    pgn.flush()?;
    drop(pgn);
    let size = fs::metadata(&path)?.len() >> 20;
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(["book", "feed", "--quiet", "--min", "2"])
        .arg(&path)
        .arg("-o")
        .arg(path.with_extension("book"))
        .spawn()?;
    // The kernel tells of the peak while the process lives, and the peak only rises.
    let mut most = String::new();
    let done = loop {
        if let Some(done) = child.try_wait()? {
            break done;
        }
        most = Some(memory(child.id(), "VmHWM"))
            .filter(|told| told != "-")
            .unwrap_or(most);
        thread::sleep(Duration::from_millis(5));
    };
    let spent = start.elapsed();
    fs::remove_file(&path)?;
    fs::remove_file(path.with_extension("book"))?;
    if !done.success() {
        return Err("book build failed".into());
    }
    let rate = games as f64 / spent.as_secs_f64() * 60.0;
    row(
        &format!("feed {games} different games of 80 plies, {size} MiB"),
        &format!("{spent:.1?}: {rate:.0} a minute, {most} at most"),
        "> 20,000 a minute, < 500 MB",
    );
    Ok(())
}

/// A figure of a process as the kernel of Linux tells it, or a dash.
fn memory(process: u32, figure: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
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
            let Ok(mv) = sparring_chess::parse_san(&pos, word) else {
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

/// Lines as people write them: with numbers of moves, here and there a mark or a weight, and a name behind every third.
fn annotated(text: &str, rng: &mut ChaCha8Rng) -> String {
    let line = |(number, line): (usize, &str)| {
        let mut said = String::new();
        for (ply, word) in line.split(' ').enumerate() {
            if ply % 2 == 0 {
                said += &format!("{}. ", ply / 2 + 1);
            }
            said += word;
            said += match rng.next_u64() % 64 {
                0 => "!",
                1 => "?!",
                2 => " 250",
                _ => "",
            };
            said.push(' ');
        }
        if number % 3 == 0 {
            said += &format!(" # Opening {}, line {number}", number / 300);
        }
        said
    };
    let lines: Vec<String> = text.lines().enumerate().map(line).collect();
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
