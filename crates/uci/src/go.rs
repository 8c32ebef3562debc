//! `go`: the limits of a search, and the words to skip among them.

use super::parse_error::{ParseError, number, positive, small};
use sparring_chess::{Color, units::Millis};

/// The limits of a search as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Go {
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub mate: Option<u32>,
    pub movetime: Option<Millis>,
    pub wtime: Option<Millis>,
    pub btime: Option<Millis>,
    pub winc: Option<Millis>,
    pub binc: Option<Millis>,
    pub movestogo: Option<u32>,
    pub searchmoves: Vec<String>,
    pub infinite: bool,
    pub ponder: bool,
    /// Words that are not understood. The protocol has them skipped: a GUI waits for the answer.
    pub skipped: Vec<ParseError>,
}

/// What a `go` line begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GoCommand {
    /// A search within these limits.
    Search(Go),
    /// `go perft DEPTH`: a count of legal lines.
    Perft(u32),
}

/// The clock of one side, as far as `go` gives it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideClock {
    pub remaining: Option<Millis>,
    pub increment: Option<Millis>,
}

impl Go {
    /// Whether it has a limit, or asks for an infinite search.
    pub fn has_end(&self) -> bool {
        let times = [self.movetime, self.wtime, self.btime];
        let counts = self.depth.is_some() || self.nodes.is_some() || self.mate.is_some();
        self.infinite || counts || times.iter().any(Option::is_some)
    }

    /// The clock of a side.
    pub fn clock(&self, color: Color) -> SideClock {
        let (remaining, increment) = match color {
            Color::White => (self.wtime, self.winc),
            Color::Black => (self.btime, self.binc),
        };
        SideClock { remaining, increment }
    }

    /// Takes a limit that is a number, by its name.
    fn limit(&mut self, word: &str, value: Option<&str>) -> Result<(), ParseError> {
        match word {
            "depth" => self.depth = Some(small(positive(word, value)?)),
            "nodes" => self.nodes = Some(positive(word, value)?),
            "mate" => self.mate = Some(small(positive(word, value)?)),
            // A negative number is ignored.
            "movestogo" if value.is_some_and(is_negative) => {}
            "movestogo" => self.movestogo = Some(small(number(word, value)?)),
            "movetime" => self.movetime = Some(span(word, value)?),
            "wtime" => self.wtime = Some(span(word, value)?),
            "btime" => self.btime = Some(span(word, value)?),
            "winc" => self.winc = Some(span(word, value)?),
            "binc" => self.binc = Some(span(word, value)?),
            other => return Err(ParseError::Limit(other.to_owned())),
        }
        Ok(())
    }
}

const LIMITS: [&str; 13] = [
    "depth",
    "nodes",
    "mate",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "searchmoves",
    "infinite",
    "ponder",
    "perft",
];

/// The longest time, in milliseconds: thirty thousand years.
const LONGEST: f64 = 1e15;

fn is_limit(word: &str) -> bool {
    LIMITS.iter().any(|limit| word.eq_ignore_ascii_case(limit))
}

/// Parses the words after `go`. Unknown words are skipped, not refused: the GUI waits for an answer.
///
/// # Errors [`ParseError`] for `perft` without its depth.
pub(super) fn go(words: &[&str]) -> Result<GoCommand, ParseError> {
    let mut go = Go::default();
    let mut words = words.iter().copied().peekable();
    while let Some(word) = words.next() {
        match word.to_ascii_lowercase().as_str() {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| !is_limit(word)) {
                    go.searchmoves.push(mv.to_owned());
                }
                if go.searchmoves.is_empty() {
                    go.skipped.push(ParseError::Missing(word.to_owned()));
                }
            }
            "perft" => return Ok(GoCommand::Perft(small(number(word, words.next())?))),
            limit if is_limit(limit) => {
                let value = words.next_if(|value| !is_limit(value));
                if let Err(error) = go.limit(limit, value) {
                    go.skipped.push(error);
                }
            }
            _ => {
                // What follows an unknown word is its value only if it is a number.
                let _ = words.next_if(|value| value.parse::<f64>().is_ok());
                go.skipped.push(ParseError::Limit(word.to_owned()));
            }
        }
    }
    Ok(GoCommand::Search(go))
}

fn is_negative(text: &str) -> bool {
    text.parse::<i64>().is_ok_and(|number| number < 0)
}

/// A time in milliseconds. Some programs send negative clocks when a flag is about to fall, which count as zero, and some
/// send fractions.
fn span(word: &str, text: Option<&str>) -> Result<Millis, ParseError> {
    let text = text.ok_or_else(|| ParseError::Missing(word.to_owned()))?;
    match text.parse::<f64>() {
        Ok(millis) if millis.is_finite() => Ok(Millis(millis.clamp(0.0, LONGEST) as u64)),
        _ => Err(ParseError::Number {
            word: word.to_owned(),
            text: text.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{Command, parse};

    #[test]
    fn every_limit_is_read_wherever_it_stands() {
        let line = "go searchmoves e2e4 d2d4 ponder wtime 100 btime -5 winc 1 binc 2 movestogo 40 depth 9 nodes 77 \
                    mate 3 movetime 50 infinite";
        let Ok(Command::Go(go)) = parse(line) else {
            panic!("not read");
        };
        assert_eq!(go.searchmoves, ["e2e4", "d2d4"]);
        assert!(go.ponder && go.infinite);
        assert_eq!((go.wtime, go.btime), (Some(Millis(100)), Some(Millis::ZERO)));
        assert_eq!(
            (go.depth, go.nodes, go.mate, go.movestogo),
            (Some(9), Some(77), Some(3), Some(40))
        );
        assert_eq!(parse("go perft 5"), Ok(Command::Perft(5)));
        assert_eq!(parse("go movestogo -1"), parse("go"));
    }

    #[test]
    fn numbers_too_large_to_count_with_are_the_largest() {
        let line = "go depth 99999999999 nodes 99999999999999999999 mate 4294967296 movestogo 5000000000";
        let Ok(Command::Go(go)) = parse(line) else {
            panic!("not read");
        };
        let most = Some(u32::MAX);
        assert_eq!(
            (go.depth, go.nodes, go.mate, go.movestogo),
            (most, Some(u64::MAX), most, most)
        );
        for text in ["-1", "+1", "1.5", "1e3", "0x10"] {
            let Ok(Command::Go(go)) = parse(&format!("go depth {text}")) else {
                panic!("not read");
            };
            assert_eq!((go.depth, go.skipped.len()), (None, 1), "{text}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_skipped_with_its_value() {
        let read = |line: &str| {
            let Ok(Command::Go(go)) = parse(line) else {
                panic!("not read: {line}");
            };
            let errors: Vec<String> = go.skipped.iter().map(ToString::to_string).collect();
            let rest = Go {
                skipped: Vec::new(),
                ..*go
            };
            (rest, errors)
        };
        let (go, errors) = read("go wtime 1000 foo 3.5 btime 2000 bar nodes 9");
        assert_eq!(
            errors,
            ["\"go\" does not know \"foo\"", "\"go\" does not know \"bar\""]
        );
        assert_eq!((go.wtime, go.btime), (Some(Millis(1000)), Some(Millis(2000))));
        assert_eq!(go.nodes, Some(9));
        let clock = Go {
            wtime: Some(Millis(1000)),
            ..Go::default()
        };
        for (limit, why) in [
            (
                "depth 0",
                "\"depth\" needs a number from 1, nothing is found with 0",
            ),
            ("nodes many", "\"nodes\" needs a number, not \"many\""),
            ("btime", "\"btime\" needs a value"),
        ] {
            for line in [format!("go {limit} wtime 1000"), format!("go wtime 1000 {limit}")] {
                assert_eq!(read(&line), (clock.clone(), vec![why.to_owned()]), "{line}");
            }
            assert_eq!(
                read(&format!("go {limit}")),
                (Go::default(), vec![why.to_owned()])
            );
        }
        assert_eq!(read("go Quickly").1, ["\"go\" does not know \"Quickly\""]);
        assert_eq!(read("GO wTime 1000"), (clock, Vec::new()));
        let (go, errors) = read("go searchmoves depth 3");
        assert_eq!(
            (go.depth, errors),
            (Some(3), vec!["\"searchmoves\" needs a value".to_owned()])
        );
    }

    #[test]
    fn clocks_may_have_fractions_and_be_larger_than_life() {
        let wtime = |text: &str| match parse(&format!("go wtime {text}")) {
            Ok(Command::Go(go)) => go.wtime,
            _ => None,
        };
        assert_eq!(wtime("1000.7"), Some(Millis(1000)));
        assert_eq!(wtime("-3.5"), Some(Millis::ZERO));
        assert_eq!(wtime("18446744073709551615"), Some(Millis(1_000_000_000_000_000)));
        assert_eq!((wtime("inf"), wtime("nan"), wtime("soon")), (None, None, None));
    }
}
