//! Lossless syntax of a book file: lines and tokens that cover every byte.

use std::{fmt, ops::Range, sync::Arc};

/// A whole text, cut into lines. [`write`](Text::write) gives the same text back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookText {
    source: Arc<str>,
    lines: Vec<Range<usize>>,
}

/// What a line of a book is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Nothing but white space.
    Blank,
    /// Nothing but a comment.
    Comment,
    /// `key: value`.
    Header,
    /// Moves.
    Row,
}

/// One line of a text, with its ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'t> {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Where it begins in the text, in bytes.
    pub start: usize,
    /// The line, with its line ending if it has one.
    pub text: &'t str,
}

/// What a piece of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyntaxKind {
    /// White space, line ending and byte order mark included.
    Space,
    /// From `#` or `;` to the end of the line.
    Comment,
    /// The key of a header, with its colon.
    Key,
    /// The value of a header.
    Value,
    /// Anything else: a move, a number, marks, `|`.
    Word,
}

/// A piece of a line. The pieces of a line, one after the other, are the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxToken<'t> {
    /// What it is.
    pub kind: SyntaxKind,
    /// Its bytes in the whole text.
    pub span: Range<usize>,
    /// Its text.
    pub text: &'t str,
}

impl BookText {
    /// Cuts a text into lines. Any text will do.
    #[must_use]
    pub fn new(source: impl Into<Arc<str>>) -> Self {
        let source = source.into();
        let mut lines = Vec::new();
        let mut start = 0;
        for line in source.split_inclusive('\n') {
            lines.push(start..start + line.len());
            start += line.len();
        }
        Self { source, lines }
    }

    /// The text as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The text as it was given, shared.
    #[must_use]
    pub fn source(&self) -> Arc<str> {
        self.source.clone()
    }

    /// How many lines it has; an ending after the last one begins no other.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is no line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The lines, in order.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = Line<'_>> {
        self.lines.iter().enumerate().map(|(index, span)| Line {
            number: index + 1,
            start: span.start,
            text: &self.source[span.clone()],
        })
    }

    /// Puts the text together again from its pieces.
    #[must_use]
    pub fn write(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for BookText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.lines() {
            for piece in line.pieces() {
                f.write_str(piece.text)?;
            }
        }
        Ok(())
    }
}

impl<'t> Line<'t> {
    /// What the line is, by its first piece that is not white space.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.pieces().find(|piece| piece.kind != SyntaxKind::Space) {
            None => Kind::Blank,
            Some(piece) => match piece.kind {
                SyntaxKind::Comment => Kind::Comment,
                SyntaxKind::Key | SyntaxKind::Value => Kind::Header,
                SyntaxKind::Word | SyntaxKind::Space => Kind::Row,
            },
        }
    }

    /// The pieces of the line, which cover all of it.
    #[must_use]
    pub fn pieces(&self) -> SyntaxTokens<'t> {
        SyntaxTokens {
            line: *self,
            at: 0,
            stage: Stage::First,
        }
    }

    /// The words of a row of moves: what [`pieces`](Self::pieces) gives of that kind, with less ado.
    pub(super) fn words(&self) -> impl Iterator<Item = (Range<usize>, &'t str)> {
        let (mut rest, mut at) = (self.text, self.start);
        std::iter::from_fn(move || {
            let space = space_len(rest);
            (at, rest) = (at + space, &rest[space..]);
            if rest.is_empty() || rest.starts_with(['#', ';']) {
                return None;
            }
            let (word, after) = rest.split_at(word_len(rest));
            let span = at..at + word.len();
            (at, rest) = (span.end, after);
            Some((span, word))
        })
    }

    /// The text of its comment without the sign and the white space around it, if there is one.
    #[must_use]
    pub fn comment(&self) -> Option<(Range<usize>, &'t str)> {
        // Most lines have none, and a look for the signs is quicker than cutting the line.
        if !self.text.bytes().any(|byte| matches!(byte, b'#' | b';')) {
            return None;
        }
        let piece = self.pieces().find(|piece| piece.kind == SyntaxKind::Comment)?;
        let bare = piece.text.trim_start_matches(['#', ';']);
        let inner = bare.trim();
        let start = piece.span.end - bare.trim_start().len();
        (!inner.is_empty()).then_some((start..start + inner.len(), inner))
    }
}

/// Iterator over the pieces of a line.
#[derive(Debug, Clone)]
pub struct SyntaxTokens<'t> {
    line: Line<'t>,
    at: usize,
    stage: Stage,
}

/// Where in a line the reading is: the first word decides whether the rest is a value or more words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    First,
    Value,
    Words,
}

impl<'t> Iterator for SyntaxTokens<'t> {
    type Item = SyntaxToken<'t>;

    fn next(&mut self) -> Option<SyntaxToken<'t>> {
        let rest = &self.line.text[self.at..];
        let first = rest.chars().next()?;
        let (kind, len) = if is_space(first) {
            (SyntaxKind::Space, space_len(rest))
        } else if first == '#' || first == ';' {
            (SyntaxKind::Comment, rest.trim_end_matches(is_space).len())
        } else {
            match self.stage {
                Stage::Value => (SyntaxKind::Value, value_len(rest)),
                Stage::First if key_len(rest) > 0 => (SyntaxKind::Key, key_len(rest)),
                Stage::First | Stage::Words => (SyntaxKind::Word, word_len(rest)),
            }
        };
        match kind {
            SyntaxKind::Key => self.stage = Stage::Value,
            SyntaxKind::Word => self.stage = Stage::Words,
            SyntaxKind::Space | SyntaxKind::Comment | SyntaxKind::Value => {}
        }
        let start = self.line.start + self.at;
        self.at += len;
        Some(SyntaxToken {
            kind,
            span: start..start + len,
            text: &rest[..len],
        })
    }
}

fn is_space(c: char) -> bool {
    // Some editors put a byte order mark first, and web pages have blanks of no width; they mean nothing, and are kept.
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200d}' | '\u{2060}')
}

/// The length of a header's key with its colon, or 0. `from`, and `pos` as other programs write it, need no colon.
fn key_len(rest: &str) -> usize {
    let letters = rest
        .find(|c: char| !c.is_ascii_alphabetic() && c != '-')
        .unwrap_or(rest.len());
    match rest[letters..].chars().next() {
        Some(':') if letters > 0 => letters + 1,
        Some(c) if is_space(c) && matches!(&rest[..letters], "pos" | "from") => letters,
        _ => 0,
    }
}

/// A value goes up to the end of the line or a comment, which stands after a blank.
fn value_len(rest: &str) -> usize {
    let mut before = 'x';
    let end = rest.find(|c: char| {
        let comment = (c == '#' || c == ';') && is_space(before);
        before = c;
        comment
    });
    rest[..end.unwrap_or(rest.len())].trim_end_matches(is_space).len()
}

fn space_len(rest: &str) -> usize {
    // Nearly always a single blank, which needs no look at characters.
    match rest.as_bytes() {
        [b' ', b'!'..=b'~', ..] => 1,
        [b'!'..=b'~', ..] => 0,
        _ => rest.find(|c| !is_space(c)).unwrap_or(rest.len()),
    }
}

/// A word ends before white space, `|` or `;`; `|` is a word alone. `#` inside a word is the sign of mate.
fn word_len(rest: &str) -> usize {
    if rest.starts_with('|') {
        return 1;
    }
    // Most words are of plain signs and end at a blank; characters are looked at from the first other byte on.
    let end = rest.bytes().position(|byte| !IS_PLAIN[usize::from(byte)]);
    let plain = end.unwrap_or(rest.len());
    if matches!(rest.as_bytes().get(plain), None | Some(b' ')) {
        return plain;
    }
    let more = rest[plain..].find(|c: char| is_space(c) || c == '|' || c == ';');
    more.map_or(rest.len(), |more| plain + more)
}

/// By byte: the signs of ASCII that end no word.
const IS_PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = b'!';
    while byte <= b'~' {
        plain[byte as usize] = byte != b'|' && byte != b';';
        byte += 1;
    }
    plain
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds(line: &str) -> Vec<(SyntaxKind, String)> {
        let text = BookText::new(line);
        let line = text.lines().next().unwrap();
        line.pieces()
            .filter(|piece| piece.kind != SyntaxKind::Space)
            .map(|piece| (piece.kind, piece.text.to_owned()))
            .collect()
    }

    #[test]
    fn words_are_the_pieces_of_that_kind() {
        for line in [
            "1. e4  e5|c5 60 ; x",
            "\u{feff}e4\te5\r\n",
            "Qh4# # mate",
            " ",
            "e4#x é # a",
            "e4;x",
        ] {
            let text = BookText::new(line);
            let line = text.lines().next().unwrap();
            let pieces = line.pieces().filter(|piece| piece.kind == SyntaxKind::Word);
            let expected: Vec<(Range<usize>, &str)> = pieces.map(|piece| (piece.span, piece.text)).collect();
            assert_eq!(line.words().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_hash_after_a_blank_is_a_comment_and_at_a_move_a_mate() {
        let pieces = kinds("1. f3 e5 2. g4 Qh4#\t# quick; sad\r\n");
        assert_eq!(pieces[5], (SyntaxKind::Word, "Qh4#".into()));
        assert_eq!(pieces[6], (SyntaxKind::Comment, "# quick; sad".into()));
    }

    #[test]
    fn bars_and_semicolons_need_no_blanks() {
        let words: Vec<String> = kinds("e4 60|d4;rest").into_iter().map(|piece| piece.1).collect();
        assert_eq!(words, ["e4", "60", "|", "d4", ";rest"]);
    }

    #[test]
    fn headers_have_a_key_and_a_value() {
        assert_eq!(
            kinds("\u{feff}name:  My C# book # not this\n"),
            [
                (SyntaxKind::Key, "name:".into()),
                (SyntaxKind::Value, "My C# book".into()),
                (SyntaxKind::Comment, "# not this".into()),
            ]
        );
        assert_eq!(kinds("pos 8/8/8/8 w - -")[0], (SyntaxKind::Key, "pos".into()));
        assert_eq!(kinds("from 8/8/8/8 w - -")[1].0, SyntaxKind::Value);
        assert_eq!(kinds("e4 name: x")[1], (SyntaxKind::Word, "name:".into()));
    }

    #[test]
    fn a_comment_is_found_bare() {
        let text = BookText::new("e4 ## Open game \n");
        let (span, comment) = text.lines().next().unwrap().comment().unwrap();
        assert_eq!(comment, "Open game");
        assert_eq!(&text.as_str()[span], "Open game");
        assert_eq!(BookText::new("e4 #  \n").lines().next().unwrap().comment(), None);
    }

    proptest! {
        #[test]
        fn pieces_put_together_are_the_text(source in "\\PC{0,40}|([a-h1-8 |#;:?!.\r\n\t\u{feff}]|name: |pos ){0,80}") {
            let text = BookText::new(source.as_str());
            prop_assert_eq!(text.write(), source.clone());
            for line in text.lines() {
                prop_assert_eq!(&source[line.start..line.start + line.text.len()], line.text);
                for piece in line.pieces() {
                    prop_assert_eq!(&source[piece.span.clone()], piece.text);
                    prop_assert!(!piece.text.is_empty());
                }
            }
        }
    }
}
