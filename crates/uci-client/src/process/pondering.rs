//! Thinking in the opponent's time: `go ponder`, `ponderhit`, and `stop`.

use std::sync::mpsc::TryRecvError;

use super::{Patience, QUEUED_LINES, STOP_TIMEOUT, UciError, UciProcess};
use crate::{GoLimits, GoResult};
use sparring_chess::{GameHistory, units::Stopwatch};

impl UciProcess {
    /// Lets it think about a position that is still to come, the game's last one, until [`Self::ponder_hit`] or
    /// [`Self::stop_pondering`]. Waits for nothing.
    ///
    /// # Errors [`UciError`] when it has ended or does not stop an earlier search.
    pub fn ponder(&mut self, line: &GameHistory, limits: &GoLimits) -> Result<(), UciError> {
        self.stop_pondering()?;
        self.send_position(line)?;
        self.send(&limits.command(line).replacen("go", "go ponder", 1))?;
        self.pondering = Some(GoResult::default());
        Ok(())
    }

    /// Takes in what it has printed while it ponders, so that it need not wait for a reader.
    ///
    /// # Errors [`UciError`] when it has ended or prints what is no UCI.
    pub fn read_pondering(&mut self) -> Result<(), UciError> {
        let Some(mut answer) = self.pondering.take() else {
            return Ok(());
        };
        for _ in 0..QUEUED_LINES {
            match self.lines.try_recv() {
                Ok(Some(text)) => {
                    answer.parse_line(&text);
                }
                Ok(None) => return Err(self.long_line()),
                Err(TryRecvError::Disconnected) => return Err(self.ended()),
                Err(TryRecvError::Empty) => break,
            }
        }
        self.pondering = Some(answer);
        Ok(())
    }

    /// Tells it that the position it ponders about is on the board, and waits for the move.
    ///
    /// # Errors [`UciError`] when it has ended or does not answer in time.
    pub fn ponder_hit(&mut self, patience: Patience<'_>) -> Result<GoResult, UciError> {
        self.read_pondering()?;
        let answer = self.pondering.take().unwrap_or_default();
        let watch = Stopwatch::start();
        self.send("ponderhit")?;
        // Some engines answer before they are asked.
        if !answer.best.is_empty() {
            return Ok(answer);
        }
        self.wait_for_move(answer, watch, patience)
    }

    /// Ends its pondering, if it ponders.
    ///
    /// # Errors [`UciError`] when it has ended or does not answer.
    pub fn stop_pondering(&mut self) -> Result<(), UciError> {
        self.read_pondering()?;
        let Some(answer) = self.pondering.take() else {
            return Ok(());
        };
        self.send("stop")?;
        if answer.best.is_empty() {
            let mut dropped = GoResult::default();
            self.read_until("stop", STOP_TIMEOUT, |line| dropped.parse_line(line))?;
        }
        // A second answer to the same search would pass for that of the next one.
        self.send("isready")?;
        self.wait_for("isready", "readyok", STOP_TIMEOUT)
    }
}
