//! Walks a text's lines in order: applies headers and replays the moves.

use std::{num::NonZero, ops::Range, thread};

use sparring_chess::{Color, Position, Variant, key, parse_fen};
use sparring_diagnostics::Diagnostic;

use super::{
    book_line::{ReplayedMove, read_row},
    header::{BookHeader, Include, SPEEDS, read_levels, read_speeds},
    moves::is_near,
    prefix_cache::PrefixCache,
    syntax::{BookText, Kind, Line, SyntaxKind},
};

/// How many errors are listed; a file that is no book would otherwise give one for each line.
pub(super) const MAX_ERRORS: usize = 100;

/// What may stand before a colon.
const HEADERS: [&str; 8] = [
    "name", "author", "color", "from", "variant", "speeds", "levels", "include",
];

/// A row that was read, under the headers above it.
pub(super) struct Row<'a, 't> {
    /// Its line in the text.
    pub line: Line<'t>,
    /// Whose moves count; both if none is named.
    pub color: Option<Color>,
    /// The positions it goes through.
    pub prefix: &'a PrefixCache<'t>,
    /// Its moves, at least one.
    pub played: &'a [ReplayedMove],
}

impl Row<'_, '_> {
    /// How many half moves the line has: all but the alternatives of a choice.
    pub fn depth(&self) -> usize {
        self.played
            .iter()
            .map(|played| played.depth + 1)
            .max()
            .unwrap_or(0)
    }

    /// The moves of the side that the row counts for.
    pub fn counting(&self) -> impl Iterator<Item = &ReplayedMove> {
        let color = self.color;
        self.played
            .iter()
            .filter(move |played| color.is_none_or(|color| color == played.turn))
    }
}

/// What a walk found besides its rows.
pub(super) struct Walk {
    /// What the headers say of the book as a whole.
    pub head: BookHeader,
    /// How many rows were read.
    pub rows: usize,
    /// Whose moves count at the end of the text.
    pub color: Option<Color>,
    /// Where a row at the end of the text would start; none if that could not be read.
    pub start: Option<Position>,
    /// How many half moves stand before that start, as in [`PrefixCache::start_ply`].
    pub start_ply: u8,
    /// What is wrong; as many errors as are worth reading.
    pub findings: Vec<Diagnostic>,
}

/// Reads all lines and shows each row that could be read.
pub(super) fn walk<'t>(text: &'t BookText, visit: &mut dyn FnMut(&Row<'_, 't>)) -> Walk {
    let mut reader = Reader::new();
    reader.read(text.lines(), visit);
    reader.finish(text)
}

/// Reads all lines of several texts, each by itself, and shows each row that could be read.
pub(super) fn walk_all<'t>(texts: impl Iterator<Item = &'t BookText>, visit: &mut dyn FnMut(&Row<'_, '_>)) {
    for text in texts {
        walk(text, &mut |row| visit(row));
    }
}

/// Texts with fewer lines than this are read faster than threads start.
const WORTH_THREADS: usize = 2000;

/// Reads all lines as [`walk`] does, on several threads where the text is long. Each part of the text has an
/// accumulator of its own, made for so many bytes of text, and they come back in the order of the parts.
pub(super) fn walk_parts<'t, G: Send>(
    text: &'t BookText,
    accumulator: impl Fn(usize) -> G + Sync,
    visit: impl Fn(&Row<'_, 't>, &mut G) + Sync,
) -> (Walk, Vec<G>) {
    let parts = if text.len() < WORTH_THREADS { 1 } else { threads() };
    let length = text.len().div_ceil(parts).max(1);
    let starts = Reader::starts(text, length);
    let (visit, accumulator, bytes) = (&visit, &accumulator, text.as_str().len() / parts);
    let (readers, accumulated): (Vec<Reader<'t>>, Vec<G>) = thread::scope(|scope| {
        let started: Vec<_> = starts
            .into_iter()
            .enumerate()
            .map(|(part, mut reader)| {
                scope.spawn(move || {
                    let mut accumulated = accumulator(bytes);
                    let lines = text.lines().skip(part * length).take(length);
                    reader.read(lines, &mut |row| visit(row, &mut accumulated));
                    (reader, accumulated)
                })
            })
            .collect();
        let finished = started.into_iter().map(|part| match part.join() {
            Ok(done) => done,
            // What failed there is this thread's failure too.
            Err(panic) => std::panic::resume_unwind(panic),
        });
        finished.unzip()
    });
    let whole = readers
        .into_iter()
        .reduce(Reader::followed_by)
        .unwrap_or_else(Reader::new);
    (whole.finish(text), accumulated)
}

/// More threads than this gain nothing: some steps have to wait for all of them.
const MOST_THREADS: usize = 8;

/// How many threads read a long text.
pub(super) fn threads() -> usize {
    thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(MOST_THREADS)
}

/// Reads all headers and some of the rows, and shows those of them that could be read.
pub(super) fn walk_some<'t>(
    text: &'t BookText,
    is_wanted: impl Fn(usize) -> bool,
    visit: &mut dyn FnMut(&Row<'_, 't>),
) {
    let mut reader = Reader::new();
    for line in text.lines() {
        match line.kind() {
            Kind::Blank | Kind::Comment => {}
            Kind::Header => reader.header(line),
            Kind::Row if is_wanted(line.number) => reader.row(line, visit),
            Kind::Row => reader.has_met_rows = true,
        }
    }
}

impl<'t> Reader<'t> {
    fn read(&mut self, lines: impl Iterator<Item = Line<'t>>, visit: &mut dyn FnMut(&Row<'_, 't>)) {
        for line in lines {
            match line.kind() {
                Kind::Blank | Kind::Comment => {}
                Kind::Header => self.header(line),
                Kind::Row => self.row(line, visit),
            }
        }
    }

    /// A reader for each part of a text of so many lines, with what the headers above the part say.
    fn starts(text: &'t BookText, length: usize) -> Vec<Self> {
        let mut reader = Self::new();
        let mut starts = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if index % length == 0 {
                starts.push(reader.fork());
            }
            match line.kind() {
                Kind::Header => reader.header(line),
                Kind::Row => reader.has_met_rows = true,
                Kind::Blank | Kind::Comment => {}
            }
        }
        starts
    }

    /// A reader under the same headers that has found nothing yet.
    fn fork(&self) -> Self {
        Self {
            head: self.head.clone(),
            color: self.color,
            prefix: self.prefix.clone(),
            played: Vec::new(),
            has_met_rows: self.has_met_rows,
            has_met_start: self.has_met_start,
            rows: 0,
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// What this reader and the one of the part below it found, together.
    fn followed_by(mut self, next: Self) -> Self {
        self.errors.extend(next.errors);
        self.warnings.extend(next.warnings);
        Self {
            rows: self.rows + next.rows,
            errors: self.errors,
            warnings: self.warnings,
            ..next
        }
    }
}

/// A text under way: what the headers so far say, and what was found.
struct Reader<'t> {
    head: BookHeader,
    /// Whose moves count; both if none is named.
    color: Option<Color>,
    /// The moves of the row before; none while the start of the rows is not known.
    prefix: Option<PrefixCache<'t>>,
    /// The moves of the last row.
    played: Vec<ReplayedMove>,
    rows: usize,
    /// Whether a line of moves stood above, read or refused.
    has_met_rows: bool,
    /// Whether a start position stood above, read or refused.
    has_met_start: bool,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    fn new() -> Self {
        Self {
            head: BookHeader::default(),
            color: None,
            prefix: Some(PrefixCache::new(Variant::Standard.start(), true)),
            played: Vec::new(),
            rows: 0,
            has_met_rows: false,
            has_met_start: false,
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn row(&mut self, line: Line<'t>, visit: &mut dyn FnMut(&Row<'_, 't>)) {
        self.has_met_rows = true;
        // Without a start there is nothing to say of the rows; the header has its error.
        let Some(prefix) = &mut self.prefix else { return };
        match read_row(line, prefix, &mut self.played, &mut self.warnings) {
            Ok(()) => {
                self.rows += 1;
                let pinned = self.played.iter().find(|played| played.annotation.pinned);
                if let Some(pinned) = pinned.filter(|_| prefix.key(0) != key(&self.head.variant.start())) {
                    let message = "\"@\" counts only in games that begin with this \"from:\"";
                    let help = "without it the move counts by whatever way the position comes up";
                    let warning = Diagnostic::warning(pinned.span.clone(), message);
                    self.warnings.push(warning.with_help(help));
                }
                visit(&Row {
                    line,
                    color: self.color,
                    prefix,
                    played: &self.played,
                });
            }
            Err(error) => self.errors.push(about_header(line, error)),
        }
    }

    fn header(&mut self, line: Line<'t>) {
        let (mut key, mut value) = ((0..0, ""), None);
        for piece in line.pieces() {
            match piece.kind {
                SyntaxKind::Key => key = (piece.span, piece.text.trim_end_matches(':')),
                SyntaxKind::Value => value = Some((piece.span, piece.text)),
                SyntaxKind::Space | SyntaxKind::Comment | SyntaxKind::Word => {}
            }
        }
        let (key_span, key) = key;
        let Some((span, value)) = value else {
            let message = format!("\"{key}\" has no value");
            return self.errors.push(Diagnostic::error(key_span, message));
        };
        match key {
            "name" => self.head.title = Some(value.to_owned()),
            "author" => self.head.author = Some(value.to_owned()),
            "variant" => self.set_variant(value, span),
            "speeds" => match read_speeds(value) {
                Ok(speeds) => self.head.speeds = speeds,
                Err(error) => self.refuse(span, error, format!("speeds are {}", SPEEDS.join(", "))),
            },
            "levels" => match read_levels(value) {
                Ok(levels) => self.head.levels = Some(levels),
                Err(error) => self.refuse(span, error, "write 1200-1800, 1800- or -1200".to_owned()),
            },
            "include" => self.head.includes.push(Include {
                name: value.strip_suffix(".book").unwrap_or(value).to_owned(),
                span,
            }),
            "color" => self.set_color(value, span),
            "from" => {
                self.set_start(value, span);
                self.prefix = self.prefix.take().map(PrefixCache::placed);
            }
            // Blocks of other programs give every position of a book so, whatever stands before it.
            "pos" => self.set_start(value, span),
            _ => self.errors.push(unknown_key(key, key_span)),
        }
    }

    fn refuse(&mut self, span: Range<usize>, error: String, help: String) {
        self.errors.push(Diagnostic::error(span, error).with_help(help));
    }

    fn set_variant(&mut self, value: &str, span: Range<usize>) {
        let late = match (self.has_met_rows, self.has_met_start) {
            (true, _) => Some((
                "the variant stands below lines of moves",
                "put it above the first line of moves: it holds for the whole book",
            )),
            (false, true) => Some((
                "the variant stands below a start position",
                "put it above: the position is read by its rules",
            )),
            (false, false) => None,
        };
        if let Some((error, help)) = late {
            return self.refuse(span, error.to_owned(), help.to_owned());
        }
        match value.parse::<Variant>() {
            Ok(variant) => {
                self.head.variant = variant;
                self.prefix = Some(PrefixCache::new(variant.start(), true));
            }
            Err(error) => {
                let keys: Vec<&str> = Variant::ALL.iter().map(|variant| variant.key()).collect();
                self.refuse(
                    span,
                    error.to_string(),
                    format!("variants are {}", keys.join(", ")),
                );
            }
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
        self.has_met_start = true;
        self.prefix = match parse_fen(self.head.variant, value) {
            Ok(start) => Some(PrefixCache::new(start, value == "startpos")),
            Err(error) => {
                let error = Diagnostic::error(span, error.to_string());
                self.errors
                    .push(error.with_help("the lines below are left out, up to the next \"from:\""));
                None
            }
        };
    }

    fn finish(mut self, text: &BookText) -> Walk {
        let more = self.errors.len().saturating_sub(MAX_ERRORS);
        if more > 0 {
            self.errors.truncate(MAX_ERRORS);
            let end = text.as_str().len();
            let message = format!("{more} more errors are not listed");
            self.errors.push(Diagnostic::error(end..end, message));
        }
        let more = self.warnings.len().saturating_sub(MAX_ERRORS);
        if more > 0 {
            self.warnings.truncate(MAX_ERRORS);
            let end = text.as_str().len();
            let message = format!("{more} more warnings are not listed");
            self.warnings.push(Diagnostic::warning(end..end, message));
        }
        self.errors.append(&mut self.warnings);
        Walk {
            head: self.head,
            rows: self.rows,
            color: self.color,
            start_ply: self.prefix.as_ref().map_or(0, PrefixCache::start_ply),
            start: self.prefix.map(|prefix| prefix.position(0).clone()),
            findings: self.errors,
        }
    }
}

/// Says of a row that cannot be read that a header is meant, if its first word is one.
fn about_header(line: Line<'_>, error: Diagnostic) -> Diagnostic {
    let first = line.words().next().map(|(_, word)| word);
    let meant = HEADERS
        .iter()
        .find(|header| first.is_some_and(|word| word.eq_ignore_ascii_case(header)));
    match meant {
        Some(header) => error.with_help(format!(
            "a header has its colon right behind it: \"{header}: ...\""
        )),
        None => error,
    }
}

fn unknown_key(key: &str, span: Range<usize>) -> Diagnostic {
    let help = match HEADERS.iter().find(|header| is_near(key, header)) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("headers are {}", HEADERS.join(", ")),
    };
    Diagnostic::error(span, format!("\"{key}\" is not a header of a book")).with_help(help)
}
