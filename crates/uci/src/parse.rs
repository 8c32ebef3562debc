//! Parses UCI commands.

use super::{
    go::{Go, GoCommand, go},
    parse_error::{ParseError, number, positive, small},
    position,
};

/// A UCI command.
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
    /// `d`: print the position.
    Display,
    /// `eval`: print the evaluation by term.
    Eval,
    /// `params`: list the search parameters for tuning.
    Params,
    Perft(u32),
    /// `bench`: count nodes over fixed positions, to this depth or the default.
    Bench(Option<u32>),
    Quit,
    /// A line without effect: blank, or a command that needs no answer.
    Nothing,
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
        "go" => match go(&rest)? {
            GoCommand::Search(go) => Command::Go(Box::new(go)),
            GoCommand::Perft(depth) => Command::Perft(depth),
        },
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

/// The first word of a text, and the rest.
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
