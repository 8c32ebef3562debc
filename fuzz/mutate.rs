//! What chance makes of the texts of a corpus: small damage, pieces of other texts, and words that formats know.

use rand::{Rng, RngExt as _, rngs::ChaCha8Rng, seq::IndexedRandom as _};

/// Words that mean something to one of the readers, and numbers that may not fit.
const WORDS: [&[u8]; 24] = [
    b"\"",
    b"\\",
    b"\n",
    b"\r\n",
    b"\0",
    b"{",
    b"}",
    b"[",
    b"]",
    b"null",
    b"-1",
    b"0",
    b"18446744073709551616",
    b"1e999",
    b"e2e4",
    b"O-O-O",
    b"@@@@",
    b"=Q",
    b"$255",
    b"(((",
    b"position fen ",
    b"\xff\xfe",
    "\u{202e}".as_bytes(),
    b"= ",
];
/// No text grows longer.
const LONGEST: usize = 64 * 1024;

/// A text of the corpus, spoiled.
pub fn spoiled(corpus: &[Vec<u8>], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = corpus.choose(rng).cloned().unwrap_or_default();
    for _ in 0..rng.random_range(1..6) {
        spoil(&mut bytes, corpus, rng);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn spoil(bytes: &mut Vec<u8>, corpus: &[Vec<u8>], rng: &mut ChaCha8Rng) {
    let at = rng.random_range(0..=bytes.len());
    let end = (at + rng.random_range(1..20)).min(bytes.len());
    match rng.random_range(0..8) {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = rng.random();
            }
        }
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << (rng.next_u32() % 8);
            }
        }
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..end)),
        4 => {
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
        5 => {
            let word = WORDS.choose(rng).copied().unwrap_or_default();
            drop(bytes.splice(at..at, word.iter().copied()));
        }
        6 => {
            let other = corpus.choose(rng).map_or(&[][..], Vec::as_slice);
            let from = rng.random_range(0..=other.len());
            let to = (from + rng.random_range(1..200)).min(other.len());
            drop(bytes.splice(at..end, other[from..to].iter().copied()));
        }
        _ => drop(bytes.splice(at..at, *b"999999999999999999999")),
    }
}
