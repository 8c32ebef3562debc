//! The bytes of a file as UTF-8 or Windows-1252 with their places; UTF-16 is turned into UTF-8.

use std::io::{self, Read};

use encoding_rs::{Decoder, UTF_16BE, UTF_16LE};

/// Bytes read from the stream at a time.
const CHUNK: usize = 64 * 1024;

/// Bytes that determine the encoding of a file.
const SNIFFED: usize = 3;

/// The place of a word: line and column, both from 1. Columns are characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub line: u64,
    pub column: u64,
}

/// A stream of bytes. Every end of a line, also `\r\n` and `\r`, is a `\n`.
pub(super) struct Source<R> {
    stream: R,
    /// Only for UTF-16.
    decoder: Option<Decoder>,
    /// Where the stream puts its bytes.
    chunk: Box<[u8]>,
    /// What is decoded.
    buffer: Vec<u8>,
    at: usize,
    is_over: bool,
    has_begun: bool,
    place: Place,
    /// How many bytes of the current character are still to come.
    rest_of_character: u8,
}

impl<R: Read> Source<R> {
    pub(super) fn new(stream: R) -> Self {
        Self {
            stream,
            decoder: None,
            chunk: vec![0; CHUNK].into(),
            buffer: Vec::new(),
            at: 0,
            is_over: false,
            has_begun: false,
            place: Place { line: 1, column: 1 },
            rest_of_character: 0,
        }
    }

    /// The place of the next byte.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// The next byte, which stays; none at the end.
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        let byte = self.ahead(0)?;
        Ok(byte.map(|byte| if byte == b'\r' { b'\n' } else { byte }))
    }

    /// A byte further ahead as it is in the file.
    pub(super) fn ahead(&mut self, distance: usize) -> io::Result<Option<u8>> {
        if self.at + distance >= self.buffer.len() {
            self.fill(distance + 1)?;
        }
        Ok(self.buffer.get(self.at + distance).copied())
    }

    /// Takes the next byte.
    pub(super) fn next(&mut self) -> io::Result<Option<u8>> {
        let Some(mut byte) = self.ahead(0)? else {
            return Ok(None);
        };
        if byte == b'\r' {
            byte = b'\n';
            if self.ahead(1)? == Some(b'\n') {
                self.at += 1;
            }
        }
        self.at += 1;
        if byte == b'\n' {
            self.place.line += 1;
            self.place.column = 1;
            self.rest_of_character = 0;
        } else {
            count(&mut self.place.column, &mut self.rest_of_character, byte);
        }
        Ok(Some(byte))
    }

    /// Takes the bytes of this line up to one that stops, and keeps as many as fit. Gives the last that is no blank.
    pub(super) fn take_until(
        &mut self,
        kept: &mut Vec<u8>,
        most: usize,
        is_stop: impl Fn(u8) -> bool,
    ) -> io::Result<Option<u8>> {
        let mut last = None;
        while self.ahead(0)?.is_some() {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            let stop = rest
                .iter()
                .position(|byte| matches!(byte, b'\n' | b'\r') || is_stop(*byte));
            let run = rest.get(..stop.unwrap_or(rest.len())).unwrap_or_default();
            kept.extend(run.iter().take(most.saturating_sub(kept.len())));
            last = run.iter().rev().find(|byte| **byte > b' ').copied().or(last);
            let length = run.len();
            if self.rest_of_character == 0 && run.is_ascii() {
                self.place.column += length as u64;
            } else {
                let (mut column, mut rest) = (self.place.column, self.rest_of_character);
                run.iter().for_each(|byte| count(&mut column, &mut rest, *byte));
                (self.place.column, self.rest_of_character) = (column, rest);
            }
            self.at += length;
            if stop.is_some() {
                break;
            }
        }
        Ok(last)
    }

    /// Reads until this many bytes are buffered, or the stream ends.
    fn fill(&mut self, least: usize) -> io::Result<()> {
        self.buffer.drain(..self.at);
        self.at = 0;
        if !self.has_begun {
            while self.buffer.len() < SNIFFED && !self.is_over {
                self.read()?;
            }
            self.has_begun = true;
            self.sniff();
        }
        while self.buffer.len() - self.at < least && !self.is_over {
            let decoded = self.buffer.len();
            self.read()?;
            self.decode(decoded);
        }
        Ok(())
    }

    fn read(&mut self) -> io::Result<()> {
        let read = loop {
            match self.stream.read(&mut self.chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        let bytes = self.chunk.get(..read).unwrap_or_default();
        self.buffer.extend_from_slice(bytes);
        self.is_over = read == 0;
        Ok(())
    }

    /// UTF-16 is recognised by its byte order mark, or by the zero bytes of Latin letters.
    fn sniff(&mut self) {
        match *self.buffer.as_slice() {
            [0xef, 0xbb, 0xbf, ..] => self.at = 3,
            [0xff, 0xfe, ..] => self.decoder = Some(UTF_16LE.new_decoder_with_bom_removal()),
            [0xfe, 0xff, ..] => self.decoder = Some(UTF_16BE.new_decoder_with_bom_removal()),
            [1..=0x7f, 0, ..] => self.decoder = Some(UTF_16LE.new_decoder_without_bom_handling()),
            [0, 1..=0x7f, ..] => self.decoder = Some(UTF_16BE.new_decoder_without_bom_handling()),
            _ => {}
        }
        self.decode(0);
    }

    /// Converts the buffer from there on to UTF-8, if it is UTF-16.
    fn decode(&mut self, from: usize) {
        let Some(decoder) = &mut self.decoder else { return };
        let bytes = self.buffer.split_off(from);
        let mut text = String::new();
        text.reserve(
            decoder
                .max_utf8_buffer_length(bytes.len())
                .unwrap_or(4 * bytes.len()),
        );
        let _ = decoder.decode_to_string(&bytes, &mut text, self.is_over);
        self.buffer.extend_from_slice(text.as_bytes());
    }
}

/// Counts characters by their first bytes. In Windows-1252 every byte is one.
fn count(column: &mut u64, rest_of_character: &mut u8, byte: u8) {
    match byte {
        0x80..=0xbf if *rest_of_character > 0 => *rest_of_character -= 1,
        _ => {
            *column += 1;
            *rest_of_character = match byte {
                0xc2..=0xdf => 1,
                0xe0..=0xef => 2,
                0xf0..=0xf4 => 3,
                _ => 0,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte a read.
    struct Drops<'b>(&'b [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    fn all(stream: impl Read) -> String {
        let mut source = Source::new(stream);
        let bytes = std::iter::from_fn(|| source.next().unwrap()).collect();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn every_encoding_gives_the_same_text_in_whatever_pieces() {
        let text = "[White \"Müller\"]\n1. e4 ½ ♘f3\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (name, bytes) in [
            ("UTF-8", text.as_bytes().to_vec()),
            ("UTF-8 with a mark", [b"\xef\xbb\xbf", text.as_bytes()].concat()),
            ("UTF-16LE", [b"\xff\xfe", little.as_slice()].concat()),
            ("UTF-16BE", [b"\xfe\xff", big.as_slice()].concat()),
            ("UTF-16LE without a mark", little),
            ("UTF-16BE without a mark", big),
        ] {
            assert_eq!(all(bytes.as_slice()), text, "{name}");
            assert_eq!(all(Drops(&bytes)), text, "{name} byte by byte");
        }
        assert_eq!(all(&b"\xff"[..].repeat(0)[..]), "");
    }

    #[test]
    fn lines_end_in_three_ways_and_columns_are_characters() {
        let mut source = Source::new(&b"a\r\nb\rc\n\xc3\xbc\xfc!"[..]);
        let mut places = Vec::new();
        while let Some(byte) = source.next().unwrap() {
            places.push((byte, source.place().line, source.place().column));
        }
        assert_eq!(places[1], (b'\n', 2, 1));
        assert_eq!(places[3], (b'\n', 3, 1));
        assert_eq!(places.last(), Some(&(b'!', 4, 4)));
    }
}
