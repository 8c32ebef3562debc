//! The lines of a text in order: what the headers say, and the rows below them played out.

use std::ops::Range;

use crate::{
    chess::{Color, Position, Variant, parse_fen},
    diagnostic::Diagnostic,
};

use super::{
    moves::is_near,
    row::{Played, read_row},
    text::{Kind, Line, PieceKind, Text},
    trail::Trail,
};

/// How many errors are listed; a file that is no book would otherwise give one for each line.
pub(super) const MAX_ERRORS: usize = 100;

/// What may stand before a colon.
const HEADERS: [&str; 4] = ["name", "author", "color", "from"];

/// A row that was read, under the headers above it.
pub(super) struct Row<'a, 't> {
    /// Its line in the text.
    pub line: Line<'t>,
    /// Whose moves count; both if none is named.
    pub color: Option<Color>,
    /// The positions it goes through.
    pub trail: &'a Trail<'t>,
    /// Its moves, at least one.
    pub played: &'a [Played],
}

impl Row<'_, '_> {
    /// How many half moves stand on its trail: all but the alternatives of a choice.
    pub fn depth(&self) -> usize {
        self.played
            .iter()
            .map(|played| played.depth + 1)
            .max()
            .unwrap_or(0)
    }

    /// The moves of the side that the row counts for.
    pub fn counting(&self) -> impl Iterator<Item = &Played> {
        let color = self.color;
        self.played
            .iter()
            .filter(move |played| color.is_none_or(|color| color == played.turn))
    }
}

/// What a walk found besides its rows.
pub(super) struct Walk {
    /// What the author calls the book.
    pub title: Option<String>,
    /// How many rows were read.
    pub rows: usize,
    /// Whose moves count at the end of the text.
    pub color: Option<Color>,
    /// Where a row at the end of the text would start; none if that could not be read.
    pub start: Option<Position>,
    /// What is wrong; as many errors as are worth reading.
    pub findings: Vec<Diagnostic>,
}

/// Reads all lines and shows each row that could be read.
pub(super) fn walk<'t>(text: &'t Text, see: &mut dyn FnMut(&Row<'_, 't>)) -> Walk {
    let mut reader = Reader::new();
    for line in text.lines() {
        match line.kind() {
            Kind::Blank | Kind::Comment => {}
            Kind::Header => reader.header(line),
            Kind::Row => reader.row(line, see),
        }
    }
    reader.finish(text)
}

/// A text under way: what the headers so far say, and what was found.
struct Reader<'t> {
    title: Option<String>,
    /// Whose moves count; both if none is named.
    color: Option<Color>,
    /// The moves of the row before; none while the start of the rows is not known.
    trail: Option<Trail<'t>>,
    rows: usize,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    fn new() -> Self {
        Self {
            title: None,
            color: None,
            trail: Some(Trail::new(Variant::Standard.start(), true)),
            rows: 0,
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn row(&mut self, line: Line<'t>, see: &mut dyn FnMut(&Row<'_, 't>)) {
        // Without a start there is nothing to say of the rows; the header has its error.
        let Some(trail) = &mut self.trail else { return };
        match read_row(line, trail, &mut self.warnings) {
            Ok(played) => {
                self.rows += 1;
                see(&Row {
                    line,
                    color: self.color,
                    trail,
                    played: &played,
                });
            }
            Err(error) => self.errors.push(error),
        }
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

    fn finish(mut self, text: &Text) -> Walk {
        let more = self.errors.len().saturating_sub(MAX_ERRORS);
        if more > 0 {
            self.errors.truncate(MAX_ERRORS);
            let end = text.as_str().len();
            let message = format!("{more} more errors are not listed");
            self.errors.push(Diagnostic::error(end..end, message));
        }
        self.warnings.truncate(MAX_ERRORS);
        self.errors.append(&mut self.warnings);
        Walk {
            title: self.title,
            rows: self.rows,
            color: self.color,
            start: self.trail.map(|trail| trail.position(0).clone()),
            findings: self.errors,
        }
    }
}

fn unknown_key(key: &str, span: Range<usize>) -> Diagnostic {
    let help = match HEADERS.iter().find(|header| is_near(key, header)) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("headers are {}", HEADERS.join(", ")),
    };
    Diagnostic::error(span, format!("\"{key}\" is not a header of a book")).with_help(help)
}
