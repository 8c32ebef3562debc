//! Test suites: EPD positions with known best moves, and whether an engine solves them.

use sparring_chess::{
    Move, Position, Rules as _, Variant, parse_fen, parse_san, parse_uci, split_epd,
    units::{Millis, Nodes},
    write_san,
};
use sparring_diagnostics::{Diagnostic, Diagnostics, nearest};
use sparring_engine::{Score, SearchResult};

/// One position of a suite.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Its name, or its number in the file if it has none.
    pub id: String,
    /// The position.
    pub position: Position,
    /// What solves it.
    pub goal: Goal,
}

/// What solves a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// One of these moves (`bm`).
    Play(Vec<Move>),
    /// None of these moves (`am`).
    Avoid(Vec<Move>),
    /// A proven mate in this many moves or fewer (`dm`, or `bm #n`); of the side to move where it is negative.
    Mate(i32),
    /// As many points as there are (`c0`, or `c7` and `c8`, as in the Strategic Test Suite).
    Points(Vec<(Move, u32)>),
}

/// What is wrong with a line, and where.
#[derive(Debug)]
struct Wrong<'t> {
    /// The part of the line.
    at: &'t str,
    why: String,
    help: Option<String>,
}

impl<'t> Wrong<'t> {
    fn new(at: &'t str, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { at, why, help: None }
    }

    fn with_help(self, help: String) -> Self {
        let help = Some(help).filter(|help| !help.is_empty());
        Self { help, ..self }
    }
}

/// Operations that suites have, but for comments and values, which are numbered. One among the operands of another lacks
/// the semicolon before it.
const OPERATIONS: [&str; 20] = [
    "acd", "acn", "acs", "am", "bm", "ce", "dm", "eco", "fmvn", "hmvc", "id", "nic", "noop", "pm", "pv",
    "rc", "resign", "sm", "tcgs", "tcri",
];

/// Reads a suite, one EPD a line; empty lines and those that begin with `#` are skipped. Each invalid line is left out
/// and has one diagnostic.
#[must_use]
pub fn read_suite(name: &str, text: &str) -> (Vec<Problem>, Diagnostics) {
    let (mut problems, mut findings) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match problem(line, index + 1) {
            Ok(problem) => problems.push(problem),
            Err(wrong) => {
                // All parts of a line are parts of the text.
                let start = wrong.at.as_ptr() as usize - text.as_ptr() as usize;
                let finding = Diagnostic::error(start..start + wrong.at.len(), wrong.why);
                findings.push(Diagnostic {
                    help: wrong.help,
                    ..finding
                });
            }
        }
    }
    (problems, Diagnostics::new(name, text, findings))
}

fn problem(line: &str, number: usize) -> Result<Problem, Wrong<'_>> {
    let (fen, operations) = split_epd(line)
        .ok_or_else(|| Wrong::new(line, "a position has four fields, with operations behind them"))?;
    let written = line[..line.len() - operations.len()].trim_end();
    let position =
        parse_fen(Variant::Standard, &fen).map_err(|error| Wrong::new(written, error.to_string()))?;
    let (mut id, mut mated, mut best, mut avoided, mut points) = (number.to_string(), None, None, None, None);
    let (mut rated, mut ratings) = ("", "");
    for operation in split_operations(operations) {
        let (name, operand) = operation
            .split_once(char::is_whitespace)
            .unwrap_or((operation, &operation[operation.len()..]));
        undivided(name, operand)?;
        let value = operand.trim().trim_matches('"');
        let wrong = |why| Wrong::new(operation, why);
        match name {
            "id" => id = value.to_owned(),
            "dm" => mated = Some(Goal::Mate(mate(value).map_err(wrong)?)),
            "bm" if value.starts_with('#') => mated = Some(Goal::Mate(mate(&value[1..]).map_err(wrong)?)),
            "bm" => best = Some(Goal::Play(moves(&position, operation, value)?)),
            "am" => avoided = Some(Goal::Avoid(moves(&position, operation, value)?)),
            "c0" if value.contains('=') => points = read_points(&position, value).map_err(wrong)?,
            "c7" => rated = value,
            "c8" => ratings = value,
            _ => {}
        }
    }
    let points = match points {
        None => pair_points(&position, rated, ratings).map_err(|why| Wrong::new(operations, why))?,
        points => points,
    };
    // Points take precedence. A mate given beside the best move is what that move leads to: suites are counted by moves.
    // The best move implies that moves to avoid are avoided.
    let goal = points
        .or(best)
        .or(mated)
        .or(avoided)
        .ok_or_else(|| without_goal(line, operations))?;
    Ok(Problem { id, position, goal })
}

/// The operations of an EPD; a semicolon within quotes ends none.
fn split_operations(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |c| {
        quoted ^= c == '"';
        c == ';' && !quoted
    })
    .map(str::trim)
    .filter(|operation| !operation.is_empty())
}

/// Finds an operation among the operands of another, outside of quotes: the semicolon before it is missing.
fn undivided<'t>(name: &str, operand: &'t str) -> Result<(), Wrong<'t>> {
    let is_comment = matches!(name.as_bytes(), [b'c', b'0'..=b'9']);
    if name == "noop" || is_comment && !operand.trim_start().starts_with('"') {
        return Ok(());
    }
    let mut quoted = false;
    // Every other part is quoted, and with an odd number of quotes the last one has no end.
    let parts = operand.split('"').map(|part| {
        quoted = !quoted;
        (quoted, part)
    });
    let plain = parts.filter(|(is_plain, _)| *is_plain).map(|(_, part)| part);
    let mut words = plain.flat_map(str::split_whitespace);
    let is_operation = |word: &&str| {
        // Comments have names that pawns' moves have too: there are quotes behind them.
        let is_comment = matches!(word.as_bytes(), [b'c' | b'v', b'0'..=b'9']) && {
            let behind = word.as_ptr() as usize - operand.as_ptr() as usize + word.len();
            operand[behind..].trim_start().starts_with('"')
        };
        is_comment || OPERATIONS.contains(word)
    };
    match words.find(is_operation) {
        Some(word) => Err(Wrong::new(
            word,
            format!("a semicolon is missing before \"{word}\""),
        )),
        None => Ok(()),
    }
}

/// The error of a line without a goal, with a hint at the cause.
fn without_goal<'t>(line: &'t str, operations: &'t str) -> Wrong<'t> {
    let wrong = Wrong::new(
        line,
        "there is no bm, am or dm, nor points in c0, or in c7 and c8",
    );
    if operations.matches('"').count() % 2 == 1 {
        return wrong.with_help("a quote has no end".to_owned());
    }
    let names = split_operations(operations).filter_map(|operation| operation.split_whitespace().next());
    for name in names {
        let known = ["bm", "am", "dm"].into_iter();
        // `bm:` and `BM` are near enough.
        let bare = name.trim_end_matches(|c: char| !c.is_alphanumeric());
        if let Some(meant) = known.clone().find(|known| bare.eq_ignore_ascii_case(known)) {
            return Wrong::new(name, wrong.why).with_help(format!("did you mean {meant}?"));
        }
    }
    wrong
}

fn mate(text: &str) -> Result<i32, String> {
    text.parse()
        .ok()
        .filter(|moves| *moves != 0)
        .ok_or_else(|| format!("\"{text}\" is no number of moves"))
}

fn moves<'t>(position: &Position, operation: &'t str, text: &'t str) -> Result<Vec<Move>, Wrong<'t>> {
    // Some suites mark en passant, with or without a space before it, and some annotate the move with a glyph.
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    let moves = words.map(|word| word.strip_suffix("e.p.").unwrap_or(word));
    let is_number = |word: &str| {
        word.trim_end_matches('.')
            .bytes()
            .all(|byte| byte.is_ascii_digit())
    };
    let moves: Vec<Move> = moves
        .filter(|word| !word.starts_with('$') && !is_number(word))
        .map(|word| {
            one_move(position, word)
                .map_err(|why| Wrong::new(word, why).with_help(nearest_move(position, word)))
        })
        .collect::<Result<_, _>>()?;
    if moves.is_empty() {
        return Err(Wrong::new(operation, "bm or am without a move"));
    }
    Ok(moves)
}

/// A hint at the legal move nearest to an invalid word; empty where none is near. Signs alone make no difference, so that
/// `a8Q` is `a8=Q` and not `a8=R`.
fn nearest_move(position: &Position, word: &str) -> String {
    let legal: Vec<String> = position
        .legal_moves()
        .iter()
        .map(|mv| write_san(position, *mv))
        .collect();
    let bare = |text: &str| text.replace(|c: char| !c.is_alphanumeric(), "");
    let mut same = legal.iter().filter(|san| bare(san) == bare(word));
    let found = match (same.next(), same.next()) {
        (Some(san), None) => Some(san.as_str()),
        _ => nearest(word, legal.iter().map(String::as_str)),
    };
    found.map_or_else(String::new, |san| {
        format!("did you mean {}?", san.trim_end_matches(['+', '#']))
    })
}

/// A move in SAN, or in UCI or with a hyphen as some suites have it, and maybe with its number before it.
fn one_move(position: &Position, text: &str) -> Result<Move, String> {
    let unnumbered = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = match unnumbered.trim_start_matches('.') {
        numbered if numbered.len() < unnumbered.len() => numbered,
        _ => text,
    };
    let joined = text.replace('-', "");
    parse_san(position, text)
        .or_else(|error| parse_san(position, &joined).map_err(|_| error))
        .or_else(|error| parse_uci(position, &joined).map_err(|_| error))
        .map_err(|error| error.to_string())
}

/// Points by move, `f5=10, Be5+=2, Bf2=3`; none where the comment has another form.
///
/// # Errors A part that is no move with its points among others that are: the table would be incomplete.
fn read_points(position: &Position, text: &str) -> Result<Option<Goal>, String> {
    let mut table = text.to_owned();
    for spaced in [" =", "= "] {
        while table.contains(spaced) {
            table = table.replace(spaced, "=");
        }
    }
    let parts = table.split(|c: char| c.is_whitespace() || c == ',');
    let (mut points, mut wrong) = (Vec::new(), Vec::new());
    for part in parts.filter(|part| !part.is_empty()) {
        let read = part
            .rsplit_once('=')
            .and_then(|(mv, points)| Some((one_move(position, mv).ok()?, points.parse().ok()?)));
        match read {
            Some(read) => points.push(read),
            None => wrong.push(part),
        }
    }
    match wrong.first() {
        _ if points.is_empty() => Ok(None),
        Some(part) => Err(format!(
            "among points for moves \"{part}\" is no move with its points"
        )),
        None => Ok(Some(Goal::Points(points))),
    }
}

/// Points by move from two operations, `c7 "f5 Be5+"` and `c8 "10 2"`, as in later editions of the Strategic Test Suite;
/// none where the comments have another form.
///
/// # Errors As [`read_points`], and for two lists of different length.
fn pair_points(position: &Position, moves: &str, points: &str) -> Result<Option<Goal>, String> {
    let parts =
        |text| str::split(text, |c: char| c.is_whitespace() || c == ',').filter(|part| !part.is_empty());
    let (moves, points): (Vec<&str>, Vec<&str>) = (parts(moves).collect(), parts(points).collect());
    if !points.iter().all(|points| points.parse::<u32>().is_ok()) {
        return Ok(None);
    }
    let pairs = moves
        .iter()
        .zip(&points)
        .map(|(mv, points)| format!("{mv}={points}"));
    match read_points(position, &pairs.collect::<Vec<_>>().join(","))? {
        Some(_) if moves.len() != points.len() => Err(format!(
            "c7 has {} moves, but c8 the points of {}",
            moves.len(),
            points.len()
        )),
        read => Ok(read),
    }
}

impl Goal {
    /// The points that a report earns, of [`Self::most`].
    #[must_use]
    pub fn points(&self, report: &SearchResult) -> u32 {
        let Some(best) = report.best() else {
            return 0;
        };
        match self {
            Self::Play(moves) => u32::from(moves.contains(&best)),
            Self::Avoid(moves) => u32::from(!moves.contains(&best)),
            Self::Mate(wanted) => {
                let score = report.lines.first().map(|line| line.score);
                let is_mate = matches!(score, Some(Score::Mate(found))
                    if found.signum() == wanted.signum() && found.abs() <= wanted.abs());
                u32::from(is_mate)
            }
            Self::Points(points) => points
                .iter()
                .find(|(mv, _)| *mv == best)
                .map_or(0, |(_, points)| *points),
        }
    }

    /// The most points there are.
    #[must_use]
    pub fn most(&self) -> u32 {
        match self {
            Self::Points(points) => points.iter().map(|(_, points)| *points).max().unwrap_or(0),
            _ => 1,
        }
    }
}

/// Follows a search of a problem: whether it is solved, and since when.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attempt {
    /// Points of the last report.
    pub points: u32,
    /// When the solution was found that was kept to the end; none when it was not found.
    pub since: Option<(Millis, Nodes)>,
}

impl Attempt {
    /// Records a result of the search, the last one too.
    pub fn record(&mut self, goal: &Goal, report: &SearchResult) {
        self.points = goal.points(report);
        self.since = match self.since {
            _ if self.points < goal.most() => None,
            None => Some((report.elapsed, report.nodes)),
            found => found,
        };
    }

    /// Whether the problem is solved.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.since.is_some()
    }
}

#[cfg(test)]
mod tests;
