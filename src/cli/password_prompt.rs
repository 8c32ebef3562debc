//! Prompt for a secret, without echo.

use std::io::{self, Read as _};

use console::Term;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

/// The byte that Ctrl-C sends.
const CTRL_C: u8 = 3;

/// Shows a prompt and reads a line, without its newline.
///
/// Echo is off before the prompt shows, and typed-ahead input is kept: a secret that is pasted at once is neither shown nor
/// lost. Ctrl-C returns an error instead of ending the process, so that the echo is restored.
///
/// # Errors
/// When there is no terminal, or at its end of file; [`io::ErrorKind::Interrupted`] after Ctrl-C.
pub(super) fn read_line(term: &Term, prompt: &str) -> io::Result<String> {
    let _echo_off = EchoOff::new()?;
    term.write_str(prompt)?;
    let mut line = Vec::new();
    for byte in io::stdin().lock().bytes() {
        match byte? {
            b'\n' => {
                term.write_line("")?;
                let text = String::from_utf8_lossy(&line);
                return Ok(text.trim_end_matches('\r').to_owned());
            }
            CTRL_C => {
                term.write_line("")?;
                return Err(io::Error::new(
                    io::ErrorKind::Interrupted,
                    "interrupted by Ctrl-C",
                ));
            }
            byte => line.push(byte),
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

/// Switches the terminal's echo off until dropped. Keys send no signals meanwhile: a signal would end the program and leave the
/// echo off.
struct EchoOff(Termios);

impl EchoOff {
    fn new() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut no_echo = before.clone();
        no_echo.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
        // A read returns at the end of a line; with this, Ctrl-C ends one too.
        no_echo.special_codes[SpecialCodeIndex::VEOL] = CTRL_C;
        tcsetattr(io::stdin(), OptionalActions::Now, &no_echo)?;
        Ok(Self(before))
    }
}

impl Drop for EchoOff {
    fn drop(&mut self) {
        // It fails where the terminal is gone, which needs no echo.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
