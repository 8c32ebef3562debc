//! Hints for TOML syntax errors: look-alike characters, Windows paths, syntax of other formats.

use std::ops::Range;

use super::foreign::{Foreign, is_key, key_and_colon};
use sparring_diagnostics::{Diagnostic, has_token};

/// A syntax error with a hint at what was probably meant.
pub(super) fn explained(text: &str, span: Range<usize>, message: &str) -> Diagnostic {
    if let Some(foreign) = Foreign::of(text) {
        return foreign.explained();
    }
    let line = line_at(text, span.start);
    let said = &text[line.clone()];
    if has_token(said) {
        let begin = line.start + said.len() - said.trim_start().len();
        return Diagnostic::token(begin..line.end);
    }
    let within = span.start.saturating_sub(line.start).min(said.len());
    let found = odd_character(said)
        .or_else(|| backslash(said, within))
        .or_else(|| line_end(said))
        .or_else(|| unclosed(said))
        .or_else(|| habit(said))
        .or_else(|| bare_word(said));
    match found {
        Some(finding) => Diagnostic {
            span: line.start + finding.span.start..line.start + finding.span.end,
            ..finding
        },
        None => {
            let finding = Diagnostic::error(span, message.replace('\n', ", "));
            match message {
                "duplicate key" => finding.with_help("it is written further up too: keep one of them"),
                _ => finding,
            }
        }
    }
}

/// The bytes of the line of a place, without its end. The end of a line belongs to that line.
fn line_at(text: &str, at: usize) -> Range<usize> {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let begin = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    begin..end
}

/// Which bytes of a line are neither within finished strings nor in a comment.
fn bare(line: &str) -> impl Iterator<Item = (usize, char)> {
    let mut inside: Option<char> = None;
    let mut chars = line.char_indices();
    std::iter::from_fn(move || {
        loop {
            let (at, c) = chars.next()?;
            match inside {
                Some(quote) if c == quote => inside = None,
                Some('"') if c == '\\' => drop(chars.next()),
                Some(_) => {}
                None if matches!(c, '"' | '\'') && has_end(&line[at..], c) => inside = Some(c),
                None if c == '#' => return None,
                None => return Some((at, c)),
            }
        }
    })
}

/// Whether a string that begins here ends in this line.
fn has_end(from: &str, quote: char) -> bool {
    let mut chars = from.chars().skip(1);
    while let Some(c) = chars.next() {
        match c {
            _ if c == quote => return true,
            '\\' if quote == '"' => drop(chars.next()),
            _ => {}
        }
    }
    false
}

/// The first character that only looks like one of TOML's (homoglyph).
fn odd_character(line: &str) -> Option<Diagnostic> {
    bare(line).find_map(|(at, c)| {
        let code = format!("U+{:04X}", u32::from(c));
        let full = (c as u32).checked_sub(0xfee0).and_then(char::from_u32);
        let (message, help) = match c {
            '“' | '”' | '„' | '‟' | '«' | '»' | '‹' | '›' | '‘' | '’' | '‚' | '‛' | '「' | '」' | '＂'
            | '＇' | '´' | '`' | '′' | '″' => (
                format!("{c} is no quotation mark of TOML"),
                "write straight quotes, as in \"club\"; text programs make curly ones of them".to_owned(),
            ),
            '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => (
                format!("this space is not an ordinary one ({code})"),
                "delete it, and write an ordinary space".to_owned(),
            ),
            '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
                if at > 0 || c != '\u{feff}' =>
            {
                (
                    format!("there is a character here that nobody sees ({code})"),
                    "delete it; if it cannot be found, write the line anew".to_owned(),
                )
            }
            '\u{ff01}'..='\u{ff5e}' => (
                format!("{c} is a wide character"),
                format!("write {}, the narrow one", full.unwrap_or_default()),
            ),
            '、' | '。' => (format!("{c} is a wide character"), "write a comma".to_owned()),
            '‐' | '‑' | '‒' | '–' | '—' | '−' => (
                format!("{c} is no minus"),
                "write -, the one on the keyboard".to_owned(),
            ),
            c if c.is_control() && !matches!(c, '\t' | '\r') => (
                format!("there is a control character here ({code})"),
                "delete it".to_owned(),
            ),
            _ => return None,
        };
        Some(Diagnostic::error(at..at + c.len_utf8(), message).with_help(help))
    })
}

/// A path of Windows in a string where a backslash begins a special character.
fn backslash(line: &str, at: usize) -> Option<Diagnostic> {
    let begin = line.find('"')?;
    let path = &line[begin + 1..];
    // The string ends with its line at the latest, and a backslash before the quotation mark is part of the path.
    let path = path.rfind('"').map_or(path, |end| &path[..end]);
    let is_path = path.contains('\\') && !line[..begin].contains(['#', '\'']) && at >= begin;
    let escape = path.char_indices().scan(false, |escaped, (at, c)| {
        let is_escape = c == '\\' && !*escaped;
        *escaped = is_escape;
        Some((at, is_escape))
    });
    let wrong = escape.filter(|(_, is_escape)| *is_escape).find(|(at, _)| {
        let next = path[at + 1..].chars().next();
        let digits = |count: usize| {
            let digits: Vec<char> = path[at + 2..].chars().take(count).collect();
            digits.len() == count && digits.iter().all(char::is_ascii_hexdigit)
        };
        match next {
            Some('b' | 'e' | 'f' | 'n' | 'r' | 't' | '\\' | '"') => false,
            Some('x') => !digits(2),
            Some('u') => !digits(4),
            Some('U') => !digits(8),
            _ => true,
        }
    });
    let (at, _) = wrong.filter(|_| is_path)?;
    let next: String = path[at + 1..].chars().take(1).collect();
    let begin = begin + 1 + at;
    let message = match next.as_str() {
        "" => "between \" and \" a backslash is no part of a path: this one hides the end of the text"
            .to_owned(),
        next => format!("between \" and \" a backslash begins a special character, and \\{next} is none"),
    };
    Some(Diagnostic::error(begin..begin + 1 + next.len(), message).with_help(as_path(path)))
}

/// How to write a path of Windows.
pub(super) fn as_path(path: &str) -> String {
    let path = sparring_diagnostics::without_secrets(path);
    if path.contains('\'') {
        format!("write \"{}\"", path.replace('\\', "/"))
    } else {
        format!(
            "write '{path}', in single quotes, or \"{}\"",
            path.replace('\\', "/")
        )
    }
}

/// A string that has one quotation mark only.
fn unclosed(line: &str) -> Option<Diagnostic> {
    let (at, quote) = bare(line).find(|(_, c)| matches!(c, '"' | '\''))?;
    let is_long = line[at..].starts_with(if quote == '"' { "\"\"\"" } else { "\'\'\'" });
    // An apostrophe is none.
    if is_long || line[..at].ends_with(char::is_alphanumeric) {
        return None;
    }
    let finding = Diagnostic::error(at..line.trim_end().len(), "the quotation mark is not closed");
    Some(finding.with_help("write another at the end of the value"))
}

/// A line that is neither a setting nor the head of a section.
fn bare_word(line: &str) -> Option<Diagnostic> {
    let said = line.split('#').next().unwrap_or_default().trim();
    let begin = line.find(said)?;
    let is_word =
        said.starts_with(char::is_alphanumeric) && !said.contains(['=', '[', ']', '{', '}', '"', '\'', ',']);
    let finding = Diagnostic::error(begin..begin + said.len(), "this line is no setting");
    is_word.then(|| finding.with_help("a setting is written key = value"))
}

/// A line that ends as on Macs of the last century.
fn line_end(line: &str) -> Option<Diagnostic> {
    let at = line.trim_end_matches('\r').find('\r')?;
    Some(
        Diagnostic::error(at..at + 1, "a line ends here with a carriage return alone")
            .with_help("save the file with line ends of Unix or Windows"),
    )
}

/// Syntax of other formats.
fn habit(line: &str) -> Option<Diagnostic> {
    let said = line.trim_start_matches('\u{feff}').trim();
    let begin = line.find(said).unwrap_or_default();
    let whole = begin..begin + said.len();
    if [";", "//", "--", "/*"].iter().any(|mark| said.starts_with(mark)) {
        let finding = Diagnostic::error(whole, "this begins no comment in TOML");
        return Some(finding.with_help("comments begin with #"));
    }
    if let Some((key, value)) = key_and_colon(said) {
        let message = "a setting is written with =, not with a colon";
        let at = begin + key.len();
        let help = match as_value(value) {
            _ if value.is_empty() => format!("write [{key}] on a line of its own, if it is a section"),
            value if value.is_empty() => "leave the line out".to_owned(),
            value => format!("write {key} = {value}"),
        };
        return Some(Diagnostic::error(at..at + 1, message).with_help(help));
    }
    let (key, value) = said.split_once('=')?;
    if !key.trim().chars().all(is_key) || value.starts_with('=') {
        return None;
    }
    let ends: Vec<(usize, char)> = bare(value).filter(|(_, c)| matches!(c, ',' | ';')).collect();
    let value_at = begin + key.len() + 1;
    if let [(at, c)] = ends[..]
        && !value.contains(['[', '{'])
        && (c == ';' || value[at + 1..].trim().is_empty())
    {
        let message = format!(
            "nothing stands behind a value, not even a {}",
            if c == ',' { "comma" } else { "semicolon" }
        );
        let help = if value[at + 1..].trim().is_empty() {
            "delete it"
        } else {
            "delete it; comments begin with #"
        };
        return Some(Diagnostic::error(value_at + at..value_at + at + 1, message).with_help(help));
    }
    let word = value.split('#').next().unwrap_or_default().trim();
    let is_text =
        word.chars().next().is_some_and(char::is_alphanumeric) && !word.contains(['"', '\'', '[', '{', '=']);
    if !is_text || matches!(word, "true" | "false") || word.parse::<f64>().is_ok() {
        return None;
    }
    let at = value_at + value.find(word).unwrap_or_default();
    let key = key.trim();
    let (message, help) = match as_value(word) {
        value if value.is_empty() => (format!("TOML has no {word}"), "leave the line out".to_owned()),
        value if !value.starts_with('"') => (format!("TOML has no {word}"), format!("write {key} = {value}")),
        value => (
            "text stands in quotes".to_owned(),
            format!("write {key} = {value}"),
        ),
    };
    Some(Diagnostic::error(at..at + word.len(), message).with_help(help))
}

/// A value of another format as TOML has it; nothing where that is to leave it out.
fn as_value(word: &str) -> String {
    match word.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => "true".to_owned(),
        "false" | "no" | "off" => "false".to_owned(),
        "none" | "null" | "nil" | "~" | "" => String::new(),
        _ if word.parse::<f64>().is_ok() || word.starts_with(['"', '\'', '[', '{']) => word.to_owned(),
        _ => super::value_types::quote(word),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bool, ParseResult, Text, read};

    fn said(text: &str) -> String {
        let reading: ParseResult<()> = read(text, &[], |file| {
            file.section("paths", |paths| {
                paths.optional("books", Text(1000), "none", "Books.")
            });
            file.section("games", |games| games.key("quiet", Bool, false, "Says less."));
        });
        assert_eq!(reading.value, None, "{text}");
        sparring_diagnostics::Diagnostics::new("t", text, reading.list).to_string()
    }

    #[test]
    fn a_text_of_another_kind_is_called_by_its_name() {
        for (text, expected) in [
            (
                "# mine\ntoken: \"x\"\nurl: \"y\"\n",
                "t:2:1: error: this is YAML, and Sparring reads TOML",
            ),
            ("---\na:\n  - b\n", "t:1:1: error: this is YAML"),
            ("\u{feff}a:\r\n  b: 1\r\n", "t:1:1: error: this is YAML"),
            ("\n{\"games\": {\"max\": 3}}", "t:1:1: error: this is JSON"),
            ("[\n  {\"a\": 1}\n]", "t:1:1: error: this is JSON"),
            (
                "<!DOCTYPE html>\n<html lang=\"en\">",
                "t:1:1: error: this is a web page",
            ),
            (
                "[Event \"x\"]\n\n1. e4 *\n",
                "t:1:1: error: these are games in PGN",
            ),
        ] {
            assert!(said(text).starts_with(expected), "{text}: {}", said(text));
        }
        let one = said("[games]\nquiet = true\nmax: 4\n");
        assert_eq!(
            one,
            "t:3:4: error: a setting is written with =, not with a colon; write max = 4"
        );
    }

    #[test]
    fn characters_that_only_look_right_are_named_where_they_stand() {
        for (line, expected) in [
            (
                "books = “b”",
                "t:2:9: error: “ is no quotation mark of TOML; write straight quotes",
            ),
            ("books = ‘b’", "t:2:9: error: ‘ is no quotation mark"),
            ("books = „b“", "t:2:9: error: „ is no quotation mark"),
            ("books = «b»", "t:2:9: error: « is no quotation mark"),
            ("books = \"b”", "t:2:11: error: ” is no quotation mark"),
            ("books = “b\"", "t:2:9: error: “ is no quotation mark"),
            ("“books” = \"b\"", "t:2:1: error: “ is no quotation mark"),
            (
                "books\u{a0}= \"b\"",
                "t:2:6: error: this space is not an ordinary one (U+00A0); delete it",
            ),
            (
                "books = \"b\"\u{a0}",
                "t:2:12: error: this space is not an ordinary one (U+00A0)",
            ),
            (
                "\u{3000}books = \"b\"",
                "t:2:1: error: this space is not an ordinary one (U+3000)",
            ),
            (
                "bo\u{200b}oks = \"b\"",
                "t:2:3: error: there is a character here that nobody sees (U+200B)",
            ),
            (
                "books ＝ \"b\"",
                "t:2:7: error: ＝ is a wide character; write =, the narrow one",
            ),
            (
                "books = ［\"b\"］",
                "t:2:9: error: ［ is a wide character; write [, the narrow one",
            ),
            (
                "books = [\"a\"、\"b\"]",
                "t:2:13: error: 、 is a wide character; write a comma",
            ),
            ("books = −4", "t:2:9: error: − is no minus; write -"),
            (
                "books = \u{1}",
                "t:2:9: error: there is a control character here (U+0001); delete it",
            ),
        ] {
            let said = said(&format!("[paths]\n{line}\n"));
            assert!(said.starts_with(expected), "{line}: {said}");
        }
        // Within quotes they are text.
        let reading = read("[paths]\nbooks = \"“b”\u{a0}’\" # –\n", &[], |file| {
            file.section("paths", |paths| paths.optional("books", Text(9), "none", "."))
        });
        assert_eq!(reading.value, Some(Some("“b”\u{a0}’".to_owned())));
    }

    #[test]
    fn paths_of_windows_are_told_how_they_are_written() {
        for (line, expected) in [
            (
                r#"books = "C:\Users\ann""#,
                r#"t:2:12: error: between " and " a backslash begins a special character, and \U is none; write 'C:\Users\ann', in single quotes, or "C:/Users/ann""#,
            ),
            (
                r#"books = "\\nas\share\bots" # mine"#,
                r#"t:2:15: error: between " and " a backslash begins a special character, and \s is none"#,
            ),
            (
                r#"books = "D:\bots\""#,
                r#"t:2:17: error: between " and " a backslash is no part of a path"#,
            ),
            (
                r#"books = "C:\it's\a""#,
                r#"t:2:12: error: between " and " a backslash begins a special character, and \i is none; write "C:/it's/a""#,
            ),
            // What TOML takes for a line end and a tab.
            (
                r#"books = "D:\new\tab""#,
                r#"t:2:9: error: paths.books: "D:\new\tab" is more than one line; between " and " a backslash begins a special character: write 'D:\new\tab', in single quotes, or "D:/new/tab""#,
            ),
        ] {
            let said = said(&format!("[paths]\n{line}\n"));
            assert!(said.starts_with(expected), "{line}:\n{said}\n{expected}");
        }
    }

    #[test]
    fn habits_of_other_formats_are_told_how_toml_has_it() {
        for (line, expected) in [
            (
                "; mine",
                "t:2:1: error: this begins no comment in TOML; comments begin with #",
            ),
            ("// mine", "t:2:1: error: this begins no comment in TOML"),
            (
                "quiet = true ; mine",
                "t:2:14: error: nothing stands behind a value, not even a semicolon; delete it; comments",
            ),
            (
                "quiet = true,",
                "t:2:13: error: nothing stands behind a value, not even a comma; delete it",
            ),
            (
                "quiet = True",
                "t:2:9: error: TOML has no True; write quiet = true",
            ),
            (
                "quiet = off # now",
                "t:2:9: error: TOML has no off; write quiet = false",
            ),
            (
                "quiet = None",
                "t:2:9: error: TOML has no None; leave the line out",
            ),
            (
                "quiet = very much # so",
                "t:2:9: error: text stands in quotes; write quiet = \"very much\"",
            ),
            (
                "after = \"30s",
                "t:2:9: error: the quotation mark is not closed; write another at the end of the value",
            ),
            (
                "quiet # so",
                "t:2:1: error: this line is no setting; a setting is written key = value",
            ),
            (
                "lip_aB3dE6gH9jK2mN5pQ8rS",
                "t:2:1: error: a token does not belong in settings",
            ),
            (
                "export LICHESS_TOKEN=abc",
                "t:2:1: error: a token does not belong in settings",
            ),
            (
                "after = 30s",
                "t:2:9: error: text stands in quotes; write after = \"30s\"",
            ),
            (
                "quiet = true\nquiet = false",
                "t:3:1: error: duplicate key; it is written further up too",
            ),
        ] {
            let said = said(&format!("[games]\n{line}\n"));
            assert!(said.starts_with(expected), "{line}: {said}");
        }
        let mac = said("[games]\rquiet = true\r");
        assert!(
            mac.starts_with("t:1:8: error: a line ends here with a carriage return alone"),
            "{mac}"
        );
    }
}
