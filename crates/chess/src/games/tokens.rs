//! The tokens of PGN: tags, words and brackets, each with its place. Every word is handed on, whatever it is.

use std::{borrow::Cow, collections::VecDeque, io, io::Read};

use encoding_rs::WINDOWS_1252;

use super::{
    super::in_plain_signs,
    source::{Place, Source},
};

/// The most bytes kept of a word. No move is as long.
const WORD: usize = 64;
/// The most bytes kept of a tag name.
const NAME: usize = 255;
/// The most bytes kept of a tag value.
const VALUE: usize = 4096;

/// A piece of PGN. Comments and escaped lines are passed over.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    Tag(Tag),
    Word(MoveWord),
    /// `(`
    Open(Place),
    /// `)`
    Close(Place),
    /// A comment that ends with the text, or at the tags of the next game.
    UnclosedComment(Place),
    End(Place),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub name: String,
    pub value: String,
    pub place: Place,
    /// Whether an empty line comes before it.
    pub after_blank_line: bool,
    /// Whether the text ended, or other lines were swallowed, before the value was closed.
    pub is_cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MoveWord {
    /// Without invisible characters; dashes, `½` and `×` are in the signs of a keyboard.
    pub text: String,
    pub place: Place,
    /// Whether an empty line comes before it.
    pub after_blank_line: bool,
    /// Whether the text ends with this word, so that a part of it may be missing.
    pub is_last: bool,
}

pub(super) struct Tokens<R> {
    source: Source<R>,
    /// The rest of what was one word by its bytes.
    parts: VecDeque<MoveWord>,
    /// Ends of lines since the last token.
    newlines: usize,
    /// Whether only tags came before, or only tags since the last movetext.
    is_in_tags: bool,
    /// The name of a tag whose value comes next: it ended an unclosed comment.
    begun_tag: Option<(Vec<u8>, Place)>,
}

impl<R: Read> Tokens<R> {
    pub(super) fn new(stream: R) -> Self {
        Self {
            source: Source::new(stream),
            parts: VecDeque::new(),
            newlines: 0,
            is_in_tags: true,
            begun_tag: None,
        }
    }

    pub(super) fn next(&mut self) -> io::Result<Token> {
        if let Some((name, place)) = self.begun_tag.take() {
            return self.quoted_tag(&name, place, true);
        }
        loop {
            if let Some(word) = self.parts.pop_front() {
                self.is_in_tags = false;
                return Ok(Token::Word(word));
            }
            self.skip_blanks()?;
            let place = self.source.place();
            let Some(byte) = self.source.peek()? else {
                return Ok(Token::End(place));
            };
            match byte {
                b'%' if place.column == 1 => self.skip_line()?,
                b';' => self.skip_line()?,
                b'{' => {
                    if !self.skip_comment()? {
                        return Ok(Token::UnclosedComment(place));
                    }
                }
                b'(' | b')' => {
                    self.take()?;
                    return Ok(if byte == b'(' {
                        Token::Open(place)
                    } else {
                        Token::Close(place)
                    });
                }
                b'[' => {
                    if let Some(token) = self.bracket(place)? {
                        return Ok(token);
                    }
                }
                _ => {
                    if let Some(word) = self.word(Vec::with_capacity(8), place)? {
                        return Ok(word);
                    }
                }
            }
        }
    }

    /// Takes a byte that is no blank, after which no line has ended yet.
    fn take(&mut self) -> io::Result<Option<u8>> {
        self.newlines = 0;
        self.source.next()
    }

    fn skip_blanks(&mut self) -> io::Result<()> {
        while let Some(byte) = self.source.peek()?.filter(|byte| is_blank(*byte)) {
            self.source.next()?;
            self.newlines += usize::from(byte == b'\n');
        }
        Ok(())
    }

    /// Skips blanks of this line; gives how many.
    fn skip_spaces(&mut self) -> io::Result<usize> {
        let mut skipped = 0;
        while self
            .source
            .peek()?
            .is_some_and(|byte| is_blank(byte) && byte != b'\n')
        {
            self.source.next()?;
            skipped += 1;
        }
        Ok(skipped)
    }

    fn skip_line(&mut self) -> io::Result<()> {
        self.newlines = 0;
        self.source.take_until(&mut Vec::new(), 0, |_| false)?;
        Ok(())
    }

    /// Skips a comment; false if it is not closed before the text ends or the tags of the next game begin.
    fn skip_comment(&mut self) -> io::Result<bool> {
        self.take()?;
        let mut newlines = 0;
        loop {
            let place = self.source.place();
            match self.source.next()? {
                None => return Ok(false),
                Some(b'}') => return Ok(true),
                Some(b'\n') => newlines += 1,
                Some(b'[') if newlines >= 2 => {
                    let name = self.name()?;
                    self.skip_spaces()?;
                    if is_name(&name) && self.source.peek()? == Some(b'"') {
                        self.begun_tag = Some((name, place));
                        return Ok(false);
                    }
                    newlines = 0;
                }
                Some(byte) if is_blank(byte) => {}
                Some(_) => {
                    newlines = 0;
                    self.source.take_until(&mut Vec::new(), 0, |byte| byte == b'}')?;
                }
            }
        }
    }

    /// What begins with `[`: a tag, or a word that is none.
    fn bracket(&mut self, place: Place) -> io::Result<Option<Token>> {
        let after_blank_line = self.newlines >= 2;
        let begins_line = self.newlines > 0 || place.line == 1;
        self.take()?;
        self.skip_spaces()?;
        let name = self.name()?;
        if is_name(&name) || self.is_in_tags {
            self.skip_blanks()?;
            if self.source.peek()? == Some(b'"') {
                return self.quoted_tag(&name, place, after_blank_line).map(Some);
            }
            if self.is_in_tags && begins_line {
                return self.bare_tag(&name, place, after_blank_line).map(Some);
            }
        }
        let mut text = b"[".to_vec();
        text.extend_from_slice(&name);
        self.word(text, place)
    }

    fn name(&mut self) -> io::Result<Vec<u8>> {
        let mut name = Vec::new();
        let is_stop = |byte| is_blank(byte) || b"\"[]{}();".contains(&byte);
        self.source.take_until(&mut name, NAME, is_stop)?;
        Ok(name)
    }

    /// A tag whose value begins with the next byte, a quotation mark.
    fn quoted_tag(&mut self, name: &[u8], place: Place, after_blank_line: bool) -> io::Result<Token> {
        self.take()?;
        let mut value = Vec::new();
        let mut last = b'"';
        let mut lines = 0;
        let is_closed = loop {
            let Some(byte) = self.source.peek()? else {
                break false;
            };
            match byte {
                b'"' => {
                    self.source.next()?;
                    self.newlines = 0;
                    let blanks = self.skip_spaces()?;
                    match self.source.peek()? {
                        Some(b']' | b'[' | b'\n') | None => {
                            self.close_bracket()?;
                            break true;
                        }
                        Some(_) => {
                            keep(&mut value, b'"', VALUE);
                            (0..blanks).for_each(|_| keep(&mut value, b' ', VALUE));
                        }
                    }
                }
                b'\n' => {
                    if last == b']' {
                        // The quotation mark is missing.
                        let end = value.trim_ascii_end().len();
                        value.truncate(end.saturating_sub(usize::from(value.len() < VALUE)));
                        break true;
                    }
                    self.source.next()?;
                    lines += 1;
                    self.newlines = 1;
                    self.skip_spaces()?;
                    if matches!(self.source.peek()?, Some(b'[' | b'\n') | None) {
                        break false;
                    }
                    keep(&mut value, b' ', VALUE);
                }
                b'\\' => {
                    self.source.next()?;
                    let is_escape = matches!(self.source.peek()?, Some(b'"' | b'\\'));
                    last = if is_escape { self.source.next()? } else { None }.unwrap_or(byte);
                    keep(&mut value, last, VALUE);
                }
                _ => {
                    let is_stop = |byte| matches!(byte, b'"' | b'\\');
                    last = self
                        .source
                        .take_until(&mut value, VALUE, is_stop)?
                        .unwrap_or(last);
                }
            }
        };
        let is_cut = !is_closed && (lines > 1 || self.source.peek()?.is_none());
        Ok(self.tag(name, &value, place, after_blank_line, is_cut))
    }

    /// A tag whose value has no quotation marks.
    fn bare_tag(&mut self, name: &[u8], place: Place, after_blank_line: bool) -> io::Result<Token> {
        let mut value = Vec::new();
        self.newlines = 0;
        self.source.take_until(&mut value, VALUE, |byte| byte == b']')?;
        self.close_bracket()?;
        let is_cut = self.source.peek()?.is_none();
        Ok(self.tag(name, value.trim_ascii(), place, after_blank_line, is_cut))
    }

    fn close_bracket(&mut self) -> io::Result<()> {
        self.skip_blanks()?;
        if self.source.peek()? == Some(b']') {
            self.take()?;
        }
        Ok(())
    }

    fn tag(
        &mut self,
        name: &[u8],
        value: &[u8],
        place: Place,
        after_blank_line: bool,
        is_cut: bool,
    ) -> Token {
        self.is_in_tags = true;
        let value = decoded(value);
        let value = value.replace(char::is_control, " ");
        let value = value.trim_matches(['"', '“', '”', '„']);
        Token::Tag(Tag {
            name: decoded(name).into_owned(),
            value: value.to_owned(),
            place,
            after_blank_line,
            is_cut,
        })
    }

    /// Reads a word that begins with these bytes. None where it has parts, which are put where they are taken from.
    fn word(&mut self, mut bytes: Vec<u8>, place: Place) -> io::Result<Option<Token>> {
        let after_blank_line = self.newlines >= 2;
        self.newlines = 0;
        self.bytes_of_word(&mut bytes)?;
        // `1 - 0`
        if matches!(&*bytes, b"0" | b"1" | b"1/2" | b"0.5" | b"\xc2\xbd" | b"\xbd")
            && self.next_after_spaces_is(|byte| matches!(byte, b'-' | b':'))?
        {
            self.skip_spaces()?;
            self.bytes_of_word(&mut bytes)?;
        }
        if matches!(
            &*bytes,
            b"0-" | b"1-" | b"1/2-" | b"0.5-" | b"\xc2\xbd-" | b"\xbd-"
        ) && self.next_after_spaces_is(|byte| matches!(byte, b'0' | b'1' | 0xc2 | 0xbd))?
        {
            self.skip_spaces()?;
            self.bytes_of_word(&mut bytes)?;
        }
        let is_last = self.source.peek()?.is_none();
        if bytes.is_ascii() {
            self.is_in_tags = false;
            return Ok(Some(Token::Word(MoveWord {
                text: String::from_utf8(bytes).unwrap_or_default(),
                place,
                after_blank_line,
                is_last,
            })));
        }
        let text = decoded(&bytes);
        let mut start = place.column;
        for part in text.split(is_wide_blank) {
            let column = start;
            start += part.chars().count() as u64 + 1;
            let text: String = part.chars().filter(|c| !is_invisible(*c)).collect();
            if !text.is_empty() {
                self.parts.push_back(MoveWord {
                    text: in_plain_signs(&text).unwrap_or(text),
                    place: Place { column, ..place },
                    after_blank_line,
                    is_last: false,
                });
            }
        }
        if let Some(word) = self.parts.back_mut() {
            word.is_last = is_last && !text.ends_with(is_wide_blank);
        }
        Ok(None)
    }

    fn bytes_of_word(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        loop {
            let is_stop = |byte| is_blank(byte) || matches!(byte, b'{' | b'(' | b')' | b'[' | b';');
            self.source.take_until(bytes, WORD, is_stop)?;
            // `e8(Q)` names a piece, and begins no variation.
            let is_piece = self.source.peek()? == Some(b'(')
                && matches!(bytes.last(), Some(b'1' | b'8' | b'='))
                && self.source.ahead(1)?.is_some_and(|b| b.is_ascii_alphabetic())
                && self.source.ahead(2)? == Some(b')');
            if !is_piece {
                return Ok(());
            }
            for _ in 0..3 {
                let byte = self.source.next()?;
                byte.into_iter().for_each(|byte| keep(bytes, byte, WORD));
            }
        }
    }

    /// Whether the next byte of this line that is no blank, if it is not far, is such a one.
    fn next_after_spaces_is(&mut self, wanted: impl Fn(u8) -> bool) -> io::Result<bool> {
        for distance in 0..8 {
            match self.source.ahead(distance)? {
                Some(b' ' | b'\t') => {}
                Some(byte) => return Ok(wanted(byte)),
                None => return Ok(false),
            }
        }
        Ok(false)
    }
}

fn keep(bytes: &mut Vec<u8>, byte: u8, most: usize) {
    if bytes.len() < most {
        bytes.push(byte);
    }
}

/// A blank or a control character: files that were being written when the power went end in zeros.
fn is_blank(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f
}

fn is_name(name: &[u8]) -> bool {
    name.first().is_some_and(u8::is_ascii_alphabetic)
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-.+:#=".contains(byte))
}

/// Bytes that are not UTF-8 are Windows-1252.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        // What was too long may have been cut inside of a character.
        Err(error) if error.error_len().is_none() && bytes.len() >= WORD => {
            let whole = bytes.get(..error.valid_up_to()).unwrap_or_default();
            String::from_utf8_lossy(whole)
        }
        Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
}

fn is_wide_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}')
}

/// Joiners, marks of direction, the soft hyphen, and what chooses between a figurine and an emoji.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
        | '\u{fe00}'..='\u{fe0f}')
}
