//! A large book that is saved again and again.

use std::{path::PathBuf, time::Duration};

use rand::{SeedableRng as _, rngs::ChaCha8Rng, seq::IndexedRandom as _};
use tokio_util::sync::CancellationToken;

use sparring_chess::{Position, Rules as _, Variant, write_san};

/// The lines of the book.
pub(super) const LINES: usize = 50_000;
/// The half moves of a line.
const PLIES: usize = 20;
/// Between two saves: the bot waits for a file to come to rest, and so reads each of them.
const BETWEEN: Duration = Duration::from_millis(2500);

/// A book of so many lines, drawn from a seed.
pub(super) fn text(seed: u64, lines: usize) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut line = |_| {
        let mut pos: Position = Variant::Standard.start();
        let mut words = Vec::with_capacity(PLIES);
        while let (true, Some(mv)) = (words.len() < PLIES, pos.legal_moves().choose(&mut rng).copied()) {
            words.push(write_san(&pos, mv));
            pos.play_unchecked(mv);
        }
        words.join(" ")
    };
    let mut lines: Vec<String> = (0..lines).map(&mut line).collect();
    lines.sort();
    lines.join("\n") + "\n"
}

/// Saves the text, each time a little longer, until stopped. Returns the number of saves.
///
/// # Errors
/// When the file cannot be written.
pub(super) async fn save(path: PathBuf, mut text: String, done: CancellationToken) -> std::io::Result<usize> {
    let mut saves = 0;
    loop {
        tokio::select! {
            () = done.cancelled() => return Ok(saves),
            () = tokio::time::sleep(BETWEEN) => {}
        }
        text += "# saved again\n";
        tokio::fs::write(&path, &text).await?;
        saves += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_book as book;

    #[test]
    fn the_book_is_a_book() {
        let (book, findings) = book::parse("large.book", &text(1, 50));
        assert_eq!(findings.to_string(), "");
        assert_eq!(book.map(|book| book.rows()), Some(50));
    }
}
