//! How long a book takes: reading 50,000 lines, and looking up a million positions.
//!
//! `cargo run --release --no-default-features --example book_speed`

#![expect(clippy::print_stdout, reason = "a figure for people")]

use std::time::{Duration, Instant};

use rand::{Rng as _, SeedableRng as _, rngs::ChaCha8Rng};
use sparring::{
    book,
    chess::{Position, Rules as _, Variant, key, write_san},
};

const LINES: usize = 50_000;
const PLIES: usize = 20;

fn main() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut lines, mut keys) = (Vec::new(), Vec::new());
    for _ in 0..LINES {
        lines.push(random_line(&mut rng, &mut keys));
    }
    lines.sort();
    let text = lines.join("\n");

    // The best of several, since other work on the machine only ever adds to it.
    let (mut best, mut read) = (Duration::MAX, None);
    for _ in 0..7 {
        let start = Instant::now();
        let (book, _) = book::parse("speed.book", &text);
        best = best.min(start.elapsed());
        read = book;
    }
    let Some(book) = read else { return };
    println!("read {} lines of {PLIES} moves: {best:.0?}", book.rows());

    let mut times: Vec<Duration> = Vec::new();
    let mut moves = 0;
    for _ in 0..100_000 {
        let key = keys[(rng.next_u64() % keys.len() as u64) as usize];
        let start = Instant::now();
        moves += book.entries(key).len();
        times.push(start.elapsed());
    }
    times.sort();
    println!(
        "look up one of {} positions: {:?} median, {:?} at 99% ({moves} moves)",
        book.positions(),
        times[times.len() / 2],
        times[times.len() * 99 / 100]
    );
}

/// Moves that favour the first few legal ones, so that lines share beginnings as those of people do.
fn random_line(rng: &mut ChaCha8Rng, keys: &mut Vec<u64>) -> String {
    let mut pos: Position = Variant::Standard.start();
    let mut words = Vec::new();
    for ply in 0..PLIES {
        let moves = pos.legal_moves();
        let width = (moves.len() as u64).min(if ply < 6 { 4 } else { 40 });
        let Some(mv) = moves.get((rng.next_u64() % width.max(1)) as usize).copied() else {
            break;
        };
        words.push(write_san(&pos, mv));
        keys.push(key(&pos));
        pos.play_unchecked(mv);
    }
    words.join(" ")
}
