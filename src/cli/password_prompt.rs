//! Prompt for a secret, without echo.

use std::io::{self, Read as _};

use console::Term;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

/// What Ctrl-C sends.
const INTERRUPT: u8 = 3;

/// Shows a prompt and reads a line without its end.
///
/// The echo is off before the prompt shows and nothing that was typed until then is thrown away: who pastes at once
/// loses nothing, and nothing of it is seen. Ctrl-C ends the line too, so that the terminal gets its echo back.
///
/// # Errors
/// When there is no terminal, or nothing more to read; [`io::ErrorKind::Interrupted`] after Ctrl-C.
pub(super) fn read_line(term: &Term, prompt: &str) -> io::Result<String> {
    let _hush = EchoOff::new()?;
    term.write_str(prompt)?;
    let mut line = Vec::new();
    for byte in io::stdin().lock().bytes() {
        match byte? {
            b'\n' => {
                term.write_line("")?;
                let text = String::from_utf8_lossy(&line);
                return Ok(text.trim_end_matches('\r').to_owned());
            }
            INTERRUPT => {
                term.write_line("")?;
                return Err(io::Error::new(io::ErrorKind::Interrupted, "ended by Ctrl-C"));
            }
            byte => line.push(byte),
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

/// The terminal without echo, until it is dropped. Its keys send no signals meanwhile: one would end the program and
/// leave the terminal as it is.
struct EchoOff(Termios);

impl EchoOff {
    fn new() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut no_echo = before.clone();
        no_echo.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
        // A line is read as soon as it ends, and this ends one.
        no_echo.special_codes[SpecialCodeIndex::VEOL] = INTERRUPT;
        tcsetattr(io::stdin(), OptionalActions::Now, &no_echo)?;
        Ok(Self(before))
    }
}

impl Drop for EchoOff {
    fn drop(&mut self) {
        // A terminal that has gone needs no echo.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
