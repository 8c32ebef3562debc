//! Line reader with a length limit, for untrusted streams: engine output, pipes.
//!
//! `BufRead::read_line` keeps a line whole, so that a stream without line ends fills the memory. This reader skips longer lines.

use std::io::{self, BufRead, ErrorKind};

/// The longest line that is taken from an engine, an interface or a file of our own, in bytes. A position with the
/// moves of a game of 1,000 moves has 12 KiB.
pub const LONGEST: usize = 1 << 20;

/// A line of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// The line without its end.
    Whole(&'a [u8]),
    /// A line over the limit, reported at once; the next call skips the rest of it.
    TooLong,
}

/// Reads the lines of a stream, each of at most so many bytes.
#[derive(Debug)]
pub struct Lines<R> {
    stream: R,
    longest: usize,
    line: Vec<u8>,
    /// The rest of the line under way is of no use.
    skips: bool,
}

impl<R: BufRead> Lines<R> {
    /// Reads lines of at most [`LONGEST`] bytes.
    pub fn new(stream: R) -> Self {
        Self::at_most(stream, LONGEST)
    }

    /// Reads lines of at most so many bytes.
    pub fn at_most(stream: R, longest: usize) -> Self {
        Self {
            stream,
            longest,
            line: Vec::new(),
            skips: false,
        }
    }

    /// The next line; none at the end of the stream. A last line needs no end.
    ///
    /// # Errors
    /// Whatever reading fails with.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        loop {
            let part = match self.stream.fill_buf() {
                Ok([]) if self.skips || self.line.is_empty() => return Ok(None),
                Ok([]) => return Ok(Some(Line::Whole(&self.line))),
                Ok(part) => part,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = part.iter().position(|byte| *byte == b'\n');
            let rest = &part[..end.unwrap_or(part.len())];
            let used = end.map_or(part.len(), |end| end + 1);
            let fits = self.line.len() + rest.len() <= self.longest;
            if !self.skips && fits {
                self.line.extend_from_slice(rest);
            }
            self.stream.consume(used);
            let skipped = self.skips;
            self.skips = end.is_none() && (skipped || !fits);
            match end {
                _ if !skipped && !fits => return Ok(Some(Line::TooLong)),
                Some(_) if !skipped => return Ok(Some(Line::Whole(&self.line))),
                _ => {}
            }
        }
    }

    /// The next line as text, in which bytes that are not UTF-8 are replaced; none at the end of the stream.
    ///
    /// # Errors
    /// Whatever reading fails with, and [`ErrorKind::InvalidData`] for a line that is too long.
    pub fn next_text(&mut self) -> io::Result<Option<String>> {
        let longest = self.longest;
        match self.next_line()? {
            Some(Line::Whole(line)) => {
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                Ok(Some(String::from_utf8_lossy(line).into_owned()))
            }
            Some(Line::TooLong) => {
                let sentence = format!("a line of more than {longest} bytes");
                Err(io::Error::new(ErrorKind::InvalidData, sentence))
            }
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read as _, repeat};

    use proptest::prelude::*;

    use super::*;

    /// All lines of a text, read by so many bytes at once; a line that is too long is `None`.
    fn read(text: &[u8], longest: usize, chunk: usize) -> Vec<Option<Vec<u8>>> {
        let mut lines = Lines::at_most(BufReader::with_capacity(chunk, text), longest);
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            found.push(match line {
                Line::Whole(line) => Some(line.to_vec()),
                Line::TooLong => None,
            });
        }
        found
    }

    #[test]
    fn a_line_that_is_too_long_costs_only_itself() {
        let some = |text: &str| Some(text.as_bytes().to_vec());
        for chunk in 1..20 {
            assert_eq!(
                read(b"one\n123456\n\nfour\nlonger", 5, chunk),
                [some("one"), None, some(""), some("four"), None]
            );
            assert_eq!(read(b"12345\n12345", 5, chunk), [some("12345"), some("12345")]);
        }
        assert_eq!(read(b"", 5, 8), []);
    }

    #[test]
    fn a_stream_without_line_ends_warned_about_files_of_before_it_ends() {
        let mut lines = Lines::at_most(BufReader::new(repeat(0)), 1000);
        assert_eq!(lines.next_line().unwrap(), Some(Line::TooLong));
        let mut lines = Lines::new(BufReader::new(repeat(b'x')));
        let error = lines.next_text().unwrap_err();
        assert_eq!(error.to_string(), "a line of more than 1048576 bytes");
        assert!(lines.line.capacity() <= LONGEST);
        let mut lines = Lines::at_most(BufReader::new(repeat(b'x').take(5000)), 1000);
        assert_eq!(lines.next_line().unwrap(), Some(Line::TooLong));
        assert_eq!(lines.next_line().unwrap(), None);
    }

    #[test]
    fn text_is_read_in_any_code_and_with_any_line_end() {
        let mut lines = Lines::new(&b"Jos\xe9\r\nb"[..]);
        assert_eq!(lines.next_text().unwrap().as_deref(), Some("Jos\u{fffd}"));
        assert_eq!(lines.next_text().unwrap().as_deref(), Some("b"));
        assert_eq!(lines.next_text().unwrap(), None);
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_whole_text(text in "[ab\n]{0,60}", longest in 0_usize..8, chunk in 1_usize..9) {
            let mut whole: Vec<&str> = text.split('\n').collect();
            if whole.last() == Some(&"") {
                whole.pop();
            }
            let expected: Vec<Option<Vec<u8>>> = whole
                .iter()
                .map(|line| (line.len() <= longest).then(|| line.as_bytes().to_vec()))
                .collect();
            prop_assert_eq!(read(text.as_bytes(), longest, chunk), expected);
        }
    }
}
