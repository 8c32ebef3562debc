//! From text to book: headers and rows, each line read or refused by itself.

use std::{ops::Range, sync::Arc};

use crate::{
    chess::{Color, Variant, parse_fen},
    diagnostic::{Diagnostic, Findings},
};

use super::{
    positions::{Entry, Note, Occurrence, Positions},
    row::{Trail, read_row},
    text::{Kind, Line, PieceKind, Text},
};

/// The largest text that is read as a book.
pub const MAX_BYTES: usize = 16 << 20;

/// The most lines that are read as a book.
pub const MAX_LINES: usize = 200_000;

/// How many errors are listed; a file that is no book would otherwise give one for each line.
const MAX_ERRORS: usize = 100;

/// A book of openings: its text, and what it says of each position.
#[derive(Debug, Clone)]
pub struct Book {
    name: Arc<str>,
    path: Arc<str>,
    title: Option<String>,
    text: Text,
    rows: usize,
    positions: Positions,
}

impl Book {
    /// What personalities call it: the file's name without folder and ending, as in `starter`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file's name as it was given, as in `books/starter.book`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What its author calls it: the header `name:`.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// How many lines the text has, comments and refused lines included.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.text.len()
    }

    /// How many lines of moves were read.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many positions have a move.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.positions.len()
    }

    /// The text it was read from.
    #[must_use]
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// What it says of a position, by [`chess::key`](crate::chess::key), in the order of the text; those that are
    /// never played included. Empty if it does not know the position.
    #[must_use]
    pub fn entries(&self, key: u64) -> &[Entry] {
        self.positions.at(key)
    }

    /// The name that all lines share in which the move is played.
    #[must_use]
    pub fn note(&self, entry: &Entry) -> Option<&str> {
        entry.note.text(self.text.as_str())
    }
}

/// The text of a book, byte for byte as it was read.
#[must_use]
pub fn write(book: &Book) -> String {
    book.text.write()
}

/// Reads a book from bytes, which must be UTF-8. See [`parse`].
#[must_use]
pub fn parse_bytes(name: &str, bytes: &[u8]) -> (Option<Book>, Findings) {
    if bytes.len() > MAX_BYTES {
        return (None, too_large(name, bytes.len()));
    }
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return parse(name, text),
        Err(error) => error,
    };
    let message = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        "this is UTF-16, not UTF-8"
    } else if bytes.contains(&0) {
        "this is not a text"
    } else {
        "this is not UTF-8"
    };
    let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
    let text = String::from_utf8_lossy(before);
    let span = text.len()..text.len();
    let finding = Diagnostic::error(span, message).with_help("save the file as UTF-8");
    (None, Findings::new(name, text, vec![finding]))
}

/// Reads a book. A line with a mistake is refused whole and all others load; the findings say what is wrong.
///
/// `name` is the file's name as its user would write it. There is no book only if the text cannot be one:
/// larger than [`MAX_BYTES`], longer than [`MAX_LINES`], or not a text at all.
#[must_use]
pub fn parse(name: &str, text: &str) -> (Option<Book>, Findings) {
    if text.len() > MAX_BYTES {
        return (None, too_large(name, text.len()));
    }
    let text = Text::new(text);
    let refuse = |span, message: String| {
        let findings = vec![Diagnostic::error(span, message)];
        (None, Findings::new(name, text.source(), findings))
    };
    if let Some(at) = text.as_str().find('\0') {
        return refuse(at..at + 1, "this is not a text: it has a zero byte".to_owned());
    }
    if text.len() > MAX_LINES {
        let count = text.len();
        return refuse(
            0..0,
            format!("{count} lines are too many for a book: {MAX_LINES} are read"),
        );
    }
    let source = text.source();
    let mut reader = Reader::new(&source);
    for line in text.lines() {
        reader.line(line);
    }
    let (title, rows) = (reader.title.take(), reader.rows);
    let (occurrences, findings) = reader.finish();
    let book = Book {
        name: stem(name).into(),
        path: name.into(),
        title,
        rows,
        positions: Positions::gather(occurrences, &source),
        text,
    };
    (Some(book), Findings::new(name, source, findings))
}

fn too_large(name: &str, bytes: usize) -> Findings {
    let message = format!("{bytes} bytes are too many for a book: {MAX_BYTES} are read");
    Findings::new(name, "", vec![Diagnostic::error(0..0, message)])
}

/// The name of a file without its folder and ending, on any system.
fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => file,
    }
}

/// A text under way: what the headers so far say, and what was found.
struct Reader<'t> {
    source: &'t str,
    title: Option<String>,
    /// Whose moves count; both if none is named.
    color: Option<Color>,
    /// The moves of the row before; none while the start of the rows is not known.
    trail: Option<Trail<'t>>,
    rows: usize,
    occurrences: Vec<Occurrence>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    fn new(source: &'t str) -> Self {
        Self {
            source,
            title: None,
            color: None,
            trail: Some(Trail::new(Variant::Standard.start(), true)),
            rows: 0,
            occurrences: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn line(&mut self, line: Line<'t>) {
        match line.kind() {
            Kind::Blank | Kind::Comment => {}
            Kind::Header => self.header(line),
            Kind::Row => self.row(line),
        }
    }

    fn row(&mut self, line: Line<'t>) {
        // Without a start there is nothing to say of the rows; the header has its error.
        let Some(trail) = &mut self.trail else { return };
        let played = match read_row(line, trail, &mut self.warnings) {
            Ok(played) => played,
            Err(error) => return self.errors.push(error),
        };
        self.rows += 1;
        let note = line.comment().map_or_else(Note::default, |(span, text)| Note {
            start: span.start as u32,
            len: text.len() as u32,
        });
        let counting = played
            .into_iter()
            .filter(|played| self.color.is_none_or(|color| color == played.turn));
        self.occurrences.extend(counting.map(|played| Occurrence {
            key: played.key,
            mv: played.mv,
            worth: played.worth,
            line: line.number as u32,
            note,
        }));
    }

    fn header(&mut self, line: Line<'t>) {
        let (mut key, mut value) = ((0..0, ""), None);
        for piece in line.pieces() {
            match piece.kind {
                PieceKind::Key => key = (piece.span, piece.text.trim_end_matches(':')),
                PieceKind::Value => value = Some((piece.span, piece.text)),
                PieceKind::Space | PieceKind::Comment | PieceKind::Word => {}
            }
        }
        let (key_span, key) = key;
        let Some((span, value)) = value else {
            let message = format!("\"{key}\" has no value");
            return self.errors.push(Diagnostic::error(key_span, message));
        };
        match key {
            "name" => self.title = Some(value.to_owned()),
            "author" => {}
            "color" => self.set_color(value, span),
            "from" | "pos" => self.set_start(value, span),
            _ => self.errors.push(unknown_key(key, key_span)),
        }
    }

    fn set_color(&mut self, value: &str, span: Range<usize>) {
        self.color = match value {
            "white" => Some(Color::White),
            "black" => Some(Color::Black),
            "both" => None,
            _ => {
                let error = Diagnostic::error(span, format!("\"{value}\" is not a color"));
                return self.errors.push(error.with_help("write white, black or both"));
            }
        };
    }

    fn set_start(&mut self, value: &str, span: Range<usize>) {
        self.trail = match parse_fen(Variant::Standard, value) {
            Ok(start) => Some(Trail::new(start, value == "startpos")),
            Err(error) => {
                let error = Diagnostic::error(span, error.to_string());
                self.errors
                    .push(error.with_help("the lines below are left out, up to the next \"from:\""));
                None
            }
        };
    }

    fn finish(mut self) -> (Vec<Occurrence>, Vec<Diagnostic>) {
        let more = self.errors.len().saturating_sub(MAX_ERRORS);
        if more > 0 {
            self.errors.truncate(MAX_ERRORS);
            let end = self.source.len();
            let message = format!("{more} more errors are not listed");
            self.errors.push(Diagnostic::error(end..end, message));
        }
        self.warnings.truncate(MAX_ERRORS);
        self.errors.append(&mut self.warnings);
        (self.occurrences, self.errors)
    }
}

fn unknown_key(key: &str, span: Range<usize>) -> Diagnostic {
    Diagnostic::error(span, format!("\"{key}\" is not a header of a book"))
        .with_help("headers are name, author, color and from")
}
