//! An engine to talk to over pipes in memory, and files that go when the test is over.

use std::{
    io::{self, BufReader, Read, Write},
    sync::mpsc::{self, Receiver, Sender},
    thread::{self, JoinHandle},
    time::Duration,
};

use sparring_uci as uci;

/// Longer than anything here takes.
pub const PATIENCE: Duration = Duration::from_secs(60);

struct Input(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.1.is_empty() {
            match self.0.recv() {
                Ok(bytes) => self.1 = bytes,
                Err(_) => return Ok(0),
            }
        }
        let count = buffer.len().min(self.1.len());
        for (slot, byte) in buffer.iter_mut().zip(self.1.drain(..count)) {
            *slot = byte;
        }
        Ok(count)
    }
}

/// The far end of an engine's output, line by line.
pub struct Output(Sender<String>, Vec<u8>);

impl Output {
    pub fn new(lines: Sender<String>) -> Self {
        Self(lines, Vec::new())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            if *byte == b'\n' {
                let line = String::from_utf8(std::mem::take(&mut self.1)).unwrap();
                // The test may have heard enough.
                let _ = self.0.send(line);
            } else {
                self.1.push(*byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A running engine to talk to.
pub struct Session {
    pub input: Option<Sender<Vec<u8>>>,
    output: Receiver<String>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Session {
    pub fn start() -> Self {
        let (input, read) = mpsc::channel();
        let (write, output) = mpsc::channel();
        let thread =
            thread::spawn(move || uci::run(BufReader::new(Input(read, Vec::new())), Output::new(write)));
        Self {
            input: Some(input),
            output,
            thread: Some(thread),
        }
    }

    pub fn say(&self, line: &str) -> &Self {
        let bytes = format!("{line}\n").into_bytes();
        self.input.as_ref().unwrap().send(bytes).unwrap();
        self
    }

    /// All lines up to the first that begins so, which comes last.
    pub fn until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self
                .output
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|_| panic!("no \"{start}\" after {lines:#?}"));
            let found = line.starts_with(start);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    pub fn last(&self, start: &str) -> String {
        self.until(start).pop().unwrap()
    }

    /// The line that answers a command that cannot be obeyed.
    pub fn refusal(&self, line: &str) -> String {
        self.say(line).last("info string")
    }

    /// Ends the input and returns what was still said.
    pub fn end(mut self) -> Vec<String> {
        self.input = None;
        self.thread.take().unwrap().join().unwrap().unwrap();
        self.output.iter().collect()
    }
}

/// A file that goes when the test is over.
pub struct Scratch(pub std::path::PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("sparring-{}-{name}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It may never have been written.
        let _ = std::fs::remove_file(&self.0);
    }
}
