//! Harness: an embedded sandbox, the program as a process, and opponents without faults.

mod opponent;
mod process;
mod sandbox_server;

pub(super) use opponent::{GameStart, Opponent, OpponentBehavior, Played, Player, Unanswered};
pub(super) use process::{Folder, Program, program, settings};
pub(super) use sandbox_server::SandboxServer;

/// Text of the test book.
pub(super) const BOOK: &str = "e4 e5 Nf3 Nc6 Bb5\nd4 d5 c4 e6 Nc3\n";

/// The clocks of the trials, in seconds and seconds a move: the fastest that lichess allows bots, up to a minute and one.
const CLOCKS: [(u64, u64); 5] = [(30, 0), (15, 1), (45, 0), (60, 0), (60, 1)];

/// The clock of a game by its number.
pub(super) fn clock(number: usize) -> (sparring_chess::units::Millis, sparring_chess::units::Millis) {
    let (limit, increment) = CLOCKS.get(number % CLOCKS.len()).copied().unwrap_or((60, 1));
    let secs = sparring_chess::units::Millis::from_secs;
    (secs(limit), secs(increment))
}
