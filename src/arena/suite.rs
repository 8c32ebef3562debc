//! Test suites: positions in EPD whose best moves are known, and what an engine makes of them.

use thiserror::Error;

use super::epd;
use crate::{
    chess::{Move, Position, Variant, parse_fen, parse_san, parse_uci},
    engine::{Report, Score},
    units::{Millis, Nodes},
};

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
    /// A proven mate in so many moves or fewer (`dm`, or `bm #n`); of the side to move where it is negative.
    Mate(i32),
    /// As many points as there are (`c0`, or `c7` and `c8`, as in the Strategic Test Suite).
    Points(Vec<(Move, u32)>),
}

/// A line that is no problem.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {why}")]
pub struct SuiteError {
    /// From 1.
    line: usize,
    why: String,
}

/// Reads a suite, one EPD a line; empty lines and those that begin with `#` do not count.
///
/// # Errors
/// [`SuiteError`] names the first line that is no problem.
pub fn read_suite(text: &str) -> Result<Vec<Problem>, SuiteError> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .map(|(index, line)| {
            let line_number = index + 1;
            problem(line.trim(), line_number).map_err(|why| SuiteError {
                line: line_number,
                why,
            })
        })
        .collect()
}

fn problem(line: &str, number: usize) -> Result<Problem, String> {
    let (fen, operations) =
        epd::split(line).ok_or_else(|| format!("\"{line}\" has no operations after its four fields"))?;
    let position = parse_fen(Variant::Standard, &fen).map_err(|error| error.to_string())?;
    let (mut id, mut mated, mut best, mut avoided, mut points) = (number.to_string(), None, None, None, None);
    let (mut rated, mut ratings) = ("", "");
    for operation in split_operations(operations) {
        let (name, value) = operation
            .split_once(char::is_whitespace)
            .unwrap_or((operation, ""));
        let value = value.trim().trim_matches('"');
        match name {
            "id" => id = value.to_owned(),
            "dm" => mated = Some(Goal::Mate(mate(value)?)),
            "bm" if value.starts_with('#') => mated = Some(Goal::Mate(mate(&value[1..])?)),
            "bm" => best = Some(Goal::Play(moves(&position, value)?)),
            "am" => avoided = Some(Goal::Avoid(moves(&position, value)?)),
            "c0" if value.contains('=') => points = read_points(&position, value)?,
            "c7" => rated = value,
            "c8" => ratings = value,
            _ => {}
        }
    }
    let points = match points {
        None => pair_points(&position, rated, ratings)?,
        points => points,
    };
    // Points tell most. A mate told beside the best move is what that move leads to: suites are counted by moves. Whoever plays
    // the best move avoids the others.
    let goal = points
        .or(best)
        .or(mated)
        .or(avoided)
        .ok_or_else(|| format!("\"{line}\" has no bm, am, dm or points"))?;
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

fn mate(text: &str) -> Result<i32, String> {
    text.parse()
        .ok()
        .filter(|moves| *moves != 0)
        .ok_or_else(|| format!("\"{text}\" is no number of moves"))
}

fn moves(position: &Position, text: &str) -> Result<Vec<Move>, String> {
    // Some suites mark en passant, with or without a space before it, and some judge the move by a glyph.
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    let moves = words.map(|word| word.strip_suffix("e.p.").unwrap_or(word));
    let is_number = |word: &str| {
        word.trim_end_matches('.')
            .bytes()
            .all(|byte| byte.is_ascii_digit())
    };
    let moves: Vec<Move> = moves
        .filter(|word| !word.starts_with('$') && !is_number(word))
        .map(|word| one_move(position, word))
        .collect::<Result<_, _>>()?;
    if moves.is_empty() {
        return Err("bm or am without a move".to_owned());
    }
    Ok(moves)
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

/// Points by move, `f5=10, Be5+=2, Bf2=3`; none when the comment says something else.
///
/// # Errors
/// A part that is no move with its points among others that are: a table with a hole would count for less than it says.
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

/// Points by move from two operations, `c7 "f5 Be5+"` and `c8 "10 2"`, as later editions of the Strategic Test Suite have them; none
/// when the comments say something else.
///
/// # Errors
/// As [`read_points`], for two lists of which one has more.
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
    pub fn points(&self, report: &Report) -> u32 {
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
    /// Notes a report of the search, the last one too.
    pub fn note(&mut self, goal: &Goal, report: &Report) {
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
mod tests {
    use super::*;
    use crate::{
        chess::write_uci,
        engine::{Line, Sureness},
        units::{Centipawns, Depth},
    };

    fn one(line: &str) -> Problem {
        read_suite(line).unwrap().remove(0)
    }

    fn report(position: &Position, mv: &str, score: Score) -> Report {
        Report {
            depth: Depth(1),
            elapsed: Millis(7),
            lines: vec![Line {
                depth: Depth(1),
                score,
                sureness: Sureness::Exact,
                pv: vec![parse_uci(position, mv).unwrap()],
            }],
            ..Report::default()
        }
    }

    #[test]
    fn every_kind_of_goal_is_read() {
        let played = one("k7/8/PP1b2P1/K2Pn2P/4R3/8/6np/8 w - - bm Re1 a7; id \"a; b\";");
        assert_eq!(played.id, "a; b");
        let Goal::Play(moves) = &played.goal else {
            panic!("{:?}", played.goal);
        };
        let texts: Vec<String> = moves.iter().map(|mv| write_uci(*mv, Variant::Standard)).collect();
        assert_eq!(texts, ["e4e1", "a6a7"]);
        assert_eq!(one("8/8/3k4/8/2R5/K7/8/8 w - - bm #14;").goal, Goal::Mate(14));
        assert_eq!(one("8/8/3k4/8/2R5/K7/8/8 w - - dm 14;").goal, Goal::Mate(14));
        assert_eq!(one("8/8/3k4/8/2R5/K7/8/8 b - - bm #-14;").goal, Goal::Mate(-14));
        assert!(matches!(
            one("8/8/3k4/8/2R5/K7/8/8 w - - am Rc1;").goal,
            Goal::Avoid(_)
        ));
        let points = one("8/8/3k4/8/2R5/K7/8/8 w - - bm Rc1; c0 \"Rc1=10, Kb4=3\";").goal;
        assert_eq!(points.most(), 10);
        assert!(
            read_suite("8/8/3k4/8/2R5/K7/8/8 w - - bm Rc9;")
                .unwrap_err()
                .to_string()
                .starts_with("line 1: ")
        );
        // Of several goals one counts, whatever their order.
        for line in ["am Kb4; dm 3;", "dm 3; am Kb4;"] {
            let line = format!("8/8/3k4/8/2R5/K7/8/8 w - - {line}");
            assert_eq!(one(&line).goal, Goal::Mate(3), "{line}");
        }
        for line in ["bm Rc1; am Kb4;", "dm 3; bm Rc1;", "bm Rc1; dm 3;"] {
            let line = format!("8/8/3k4/8/2R5/K7/8/8 w - - {line}");
            assert!(matches!(one(&line).goal, Goal::Play(_)), "{line}");
        }
        for best in [
            "exd6",
            "exd6 e.p.",
            "exd6e.p.",
            "exd6 e.p., e6",
            "exd6,e6",
            "e5-d6",
            "1.exd6 $1",
            "1. exd6",
        ] {
            let goal = one(&format!("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2 bm {best};")).goal;
            let Goal::Play(moves) = goal else {
                panic!("{goal:?}")
            };
            assert!(moves[0].is_en_passant(), "{best}");
        }
        assert_eq!(one("8/8/3k4/8/2R5/K7/8/8 b - -\tdm\t3;").goal, Goal::Mate(3));
        let empty = read_suite("8/8/3k4/8/2R5/K7/8/8 w - - am ;").unwrap_err();
        assert!(empty.to_string().contains("without a move"), "{empty}");
        assert!(read_suite("# nothing\n\n8/8/8/8 w").is_err());
    }

    #[test]
    fn points_are_read_however_their_table_is_spaced() {
        let line = |operations: &str| format!("8/8/3k4/8/2R5/K7/8/8 w - - bm Rc1; {operations}");
        let whole = one(&line("c0 \"Rc1=10, Kb4=3\";")).goal;
        assert!(matches!(&whole, Goal::Points(points) if points.len() == 2));
        for operations in [
            "c0 \"Rc1=10 Kb4=3\";",
            "c0 \"Rc1= 10,Kb4  =  3,\";",
            "c0 \"c4-c1=10, a3b4=3\";",
            "c7 \"Rc1 Kb4\"; c8 \"10 3\";",
        ] {
            assert_eq!(one(&line(operations)).goal, whole, "{operations}");
        }
        for comment in [
            "c0 \"x = y\";",
            "c7 \"by hand\"; c8 \"of 2 rooks\";",
            "c7 \"\"; c8 \"\";",
        ] {
            assert!(matches!(one(&line(comment)).goal, Goal::Play(_)), "{comment}");
        }
        for (hole, told) in [
            ("c0 \"Rc1=10, Qz7=6\";", "\"Qz7=6\" is no move with its points"),
            (
                "c7 \"Rc1 Qz7\"; c8 \"10 6\";",
                "\"Qz7=6\" is no move with its points",
            ),
            (
                "c7 \"Rc1 Kb4\"; c8 \"10\";",
                "c7 has 2 moves, but c8 the points of 1",
            ),
        ] {
            let error = read_suite(&line(hole)).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn a_solution_counts_from_when_it_was_kept() {
        let problem = one("8/8/3k4/8/2R5/K7/8/8 w - - bm Rc1;");
        let even = Score::Cp(Centipawns(0));
        let right = report(&problem.position, "c4c1", even);
        let wrong = report(&problem.position, "a3b3", even);
        let mut attempt = Attempt::default();
        attempt.note(&problem.goal, &right);
        assert!(attempt.is_solved());
        attempt.note(&problem.goal, &wrong);
        assert!(!attempt.is_solved());
        attempt.note(&problem.goal, &right);
        assert_eq!(attempt.since, Some((Millis(7), Nodes(0))));
    }

    #[test]
    fn only_a_mate_that_is_short_enough_solves_a_mate_problem() {
        let problem = one("8/8/3k4/8/2R5/K7/8/8 w - - bm #5;");
        for (score, points) in [
            (Score::Mate(5), 1),
            (Score::Mate(6), 0),
            (Score::Mate(-3), 0),
            (Score::Cp(Centipawns(900)), 0),
        ] {
            assert_eq!(
                problem.goal.points(&report(&problem.position, "c4c1", score)),
                points
            );
        }
        let mated = one("8/8/3k4/8/2R5/K7/8/8 w - - bm #-5;");
        for (moves, points) in [(-5, 1), (-3, 1), (-6, 0), (5, 0)] {
            let report = report(&mated.position, "c4c1", Score::Mate(moves));
            assert_eq!(mated.goal.points(&report), points, "{moves}");
        }
    }
}
