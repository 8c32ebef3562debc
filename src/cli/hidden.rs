//! A line from the terminal that is not shown while it is typed or pasted.

use std::io::{self, BufRead as _};

use console::Term;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Shows a prompt and reads a line without its end.
///
/// The echo is off before the prompt shows and nothing that was typed until then is thrown away: who pastes at once
/// loses nothing, and nothing of it is seen.
///
/// # Errors
/// When there is no terminal, or nothing more to read.
pub(super) fn read_line(term: &Term, prompt: &str) -> io::Result<String> {
    let _hush = Hush::new()?;
    term.write_str(prompt)?;
    let mut line = String::new();
    let count = io::stdin().lock().read_line(&mut line)?;
    term.write_line("")?;
    if count == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

/// The terminal without echo, until it is dropped.
struct Hush(Termios);

impl Hush {
    fn new() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut hushed = before.clone();
        hushed.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Now, &hushed)?;
        Ok(Self(before))
    }
}

impl Drop for Hush {
    fn drop(&mut self) {
        // A terminal that has gone needs no echo.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
