//! Lines of the protocol as commands: reading only, nothing is done here.

use thiserror::Error;

use super::position;
use crate::{chess::Color, units::Millis};

/// What a line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    Uci,
    IsReady,
    NewGame,
    SetOption {
        name: String,
        value: Option<String>,
    },
    Position {
        fen: String,
        moves: Vec<String>,
    },
    Go(Box<Go>),
    Stop,
    PonderHit,
    /// Show the position.
    Display,
    /// Take the evaluation apart.
    Eval,
    /// List the numbers of the search for tuning.
    Params,
    Perft(u32),
    /// Count nodes over fixed positions, to this depth or the usual one.
    Bench(Option<u32>),
    Quit,
    /// A line that asks for nothing: blank, or a command of the protocol that needs no answer.
    Nothing,
}

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
    /// What means nothing here. The protocol has it skipped: a game on the clock waits for an answer.
    pub skipped: Vec<ParseError>,
}

/// The clock of one side, as far as it was told.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideClock {
    pub remaining: Option<Millis>,
    pub increment: Option<Millis>,
}

impl Go {
    /// Whether it says when the search shall end, or that it shall go on until it is stopped.
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
            // Fewer than none are as good as nothing said.
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

/// A line that is no command.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum ParseError {
    #[error("\"{0}\" is not a command")]
    Unknown(String),
    #[error("\"{word}\" needs a number, not \"{text}\"")]
    Number { word: String, text: String },
    #[error("\"{0}\" needs a number from 1, nothing is found with 0")]
    Zero(String),
    #[error("\"{0}\" needs a value")]
    Missing(String),
    #[error("\"position\" needs \"startpos\" or \"fen\" and a FEN, not \"{0}\"")]
    Position(String),
    #[error("\"go\" does not know \"{0}\"")]
    Limit(String),
    #[error("\"setoption\" needs \"name\" and the option's name")]
    Option,
}

/// Reads a line. The words of the protocol may be in any case of letters.
pub(super) fn parse(line: &str) -> Result<Command, ParseError> {
    let mut words = line.split_ascii_whitespace();
    let Some(first) = words.next() else {
        return Ok(Command::Nothing);
    };
    let rest: Vec<&str> = words.collect();
    Ok(match first.to_ascii_lowercase().as_str() {
        "uci" => Command::Uci,
        "isready" => Command::IsReady,
        "ucinewgame" => Command::NewGame,
        "setoption" => set_option(line)?,
        "position" => position(&rest)?,
        "go" => go(&rest)?,
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "d" => Command::Display,
        "eval" => Command::Eval,
        "params" => Command::Params,
        "perft" => Command::Perft(small(number("perft", rest.first().copied())?)),
        "bench" => Command::Bench(match rest.first() {
            Some(text) => Some(small(positive("bench", Some(text))?)),
            None => None,
        }),
        "quit" => Command::Quit,
        "debug" | "register" => Command::Nothing,
        _ => return Err(ParseError::Unknown(first.to_owned())),
    })
}

fn set_option(line: &str) -> Result<Command, ParseError> {
    let (_, rest) = next_word(line);
    let (word, mut rest) = next_word(rest);
    if !word.eq_ignore_ascii_case("name") {
        return Err(ParseError::Option);
    }
    let (mut name, mut value) = (Vec::new(), None);
    loop {
        let (word, behind) = next_word(rest);
        if word.is_empty() {
            break;
        }
        if word.eq_ignore_ascii_case("value") {
            // As it was written: names of files may have more than one space in a row.
            value = Some(behind.trim().to_owned());
            break;
        }
        name.push(word);
        rest = behind;
    }
    if name.is_empty() {
        return Err(ParseError::Option);
    }
    Ok(Command::SetOption {
        name: name.join(" "),
        value,
    })
}

/// The first word of a text, and what stands behind it.
fn next_word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii_start();
    let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
    text.split_at(end)
}

fn position(words: &[&str]) -> Result<Command, ParseError> {
    let is = |word: &&str, keyword: &str| word.eq_ignore_ascii_case(keyword);
    let split = words.iter().position(|word| is(word, "moves"));
    let (start, moves) = match split {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (words, [].as_slice()),
    };
    let fen = match start {
        [word] if is(word, "startpos") => "startpos".to_owned(),
        [word, board, fields @ ..] if is(word, "fen") => position::complete(board, fields),
        _ => return Err(ParseError::Position(start.join(" "))),
    };
    Ok(Command::Position {
        fen,
        moves: moves.iter().map(|mv| (*mv).to_owned()).collect(),
    })
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

/// No clock shows more, in milliseconds: thirty thousand years.
const LONGEST: f64 = 1e15;

fn is_limit(word: &str) -> bool {
    LIMITS.iter().any(|limit| word.eq_ignore_ascii_case(limit))
}

fn go(words: &[&str]) -> Result<Command, ParseError> {
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
            "perft" => return Ok(Command::Perft(small(number(word, words.next())?))),
            limit if is_limit(limit) => {
                let value = words.next_if(|value| !is_limit(value));
                if let Err(error) = go.limit(limit, value) {
                    go.skipped.push(error);
                }
            }
            _ => {
                // What stands behind a word that nobody knows is its value only if it is a number.
                let _ = words.next_if(|value| value.parse::<f64>().is_ok());
                go.skipped.push(ParseError::Limit(word.to_owned()));
            }
        }
    }
    Ok(Command::Go(Box::new(go)))
}

/// A number from 0. One too large to count with is as good as the largest: whoever says so wants no limit.
fn number(word: &str, text: Option<&str>) -> Result<u64, ParseError> {
    let text = text.ok_or_else(|| ParseError::Missing(word.to_owned()))?;
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(text.parse().unwrap_or(u64::MAX));
    }
    Err(ParseError::Number {
        word: word.to_owned(),
        text: text.to_owned(),
    })
}

/// A number of which there must be some: a mate in 0 would be looked for for ever.
fn positive(word: &str, text: Option<&str>) -> Result<u64, ParseError> {
    match number(word, text)? {
        0 => Err(ParseError::Zero(word.to_owned())),
        number => Ok(number),
    }
}

fn is_negative(text: &str) -> bool {
    text.parse::<i64>().is_ok_and(|number| number < 0)
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A time in milliseconds. Programs send negative clocks when a flag is about to fall, which is no time at all, and some send
/// fractions.
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn positions_with_and_without_moves_are_read() {
        assert_eq!(
            parse("position startpos moves e2e4 e7e5"),
            Ok(Command::Position {
                fen: "startpos".into(),
                moves: vec!["e2e4".into(), "e7e5".into()],
            })
        );
        assert_eq!(
            parse("  position   fen 8/8/8/8/8/8/8/K1k5 w - -  "),
            Ok(Command::Position {
                fen: "8/8/8/8/8/8/8/K1k5 w - - 0 1".into(),
                moves: Vec::new(),
            })
        );
        assert_eq!(
            parse("Position STARTPOS Moves e2e4"),
            parse("position startpos moves e2e4")
        );
        assert!(matches!(parse("position"), Err(ParseError::Position(_))));
        assert!(matches!(parse("position fen"), Err(ParseError::Position(_))));
    }

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
            let told: Vec<String> = go.skipped.iter().map(ToString::to_string).collect();
            let rest = Go {
                skipped: Vec::new(),
                ..*go
            };
            (rest, told)
        };
        let (go, told) = read("go wtime 1000 foo 3.5 btime 2000 bar nodes 9");
        assert_eq!(
            told,
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
        let (go, told) = read("go searchmoves depth 3");
        assert_eq!(
            (go.depth, told),
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

    #[test]
    fn options_may_have_spaces_in_name_and_value() {
        assert_eq!(
            parse("setoption name Move Overhead value 30"),
            Ok(Command::SetOption {
                name: "Move Overhead".into(),
                value: Some("30".into()),
            })
        );
        assert_eq!(
            parse("setoption name Clear Hash"),
            Ok(Command::SetOption {
                name: "Clear Hash".into(),
                value: None,
            })
        );
        assert_eq!(
            parse("setoption  name BookFile  value  my  own.book "),
            Ok(Command::SetOption {
                name: "BookFile".into(),
                value: Some("my  own.book".into())
            })
        );
        assert_eq!(
            parse("setoption name BookFile value"),
            Ok(Command::SetOption {
                name: "BookFile".into(),
                value: Some(String::new())
            })
        );
        for line in [
            "SetOption NAME Hash VALUE 8",
            "setoption Name Hash Value 8",
            "setoption\tname Hash\tvalue\t8",
        ] {
            assert_eq!(parse(line), parse("setoption name Hash value 8"), "{line}");
        }
        assert_eq!(
            parse("setoption name BookFile VALUE the value of  books.book"),
            Ok(Command::SetOption {
                name: "BookFile".into(),
                value: Some("the value of  books.book".into())
            })
        );
        for line in [
            "setoption value 3",
            "setoption",
            "setoption name",
            "setoption name value 3",
        ] {
            assert_eq!(parse(line), Err(ParseError::Option), "{line}");
        }
    }

    #[test]
    fn errors_quote_what_is_wrong() {
        let text = |line: &str| parse(line).unwrap_err().to_string();
        assert_eq!(text("hello there"), "\"hello\" is not a command");
        assert_eq!(text("perft ten"), "\"perft\" needs a number, not \"ten\"");
        assert_eq!(text("go perft"), "\"perft\" needs a value");
        assert_eq!(
            text("bench 0"),
            "\"bench\" needs a number from 1, nothing is found with 0"
        );
    }

    proptest! {
        #[test]
        fn no_line_panics(line in "(go|position|setoption|perft|bench)?( (startpos|fen|moves|name|value|depth|wtime|-?[0-9]{1,30}|\\PC{0,8})){0,12}") {
            let _ = parse(&line);
        }
    }
}
