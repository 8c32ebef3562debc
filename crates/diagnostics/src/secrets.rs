//! Redacts tokens and passwords in text. Each byte becomes a star, so that byte offsets stay valid.

use std::ops::Range;

/// The text without tokens and without passwords in addresses.
#[must_use]
pub fn without_secrets(text: &str) -> String {
    without_passwords(&without_tokens(text))
}

/// The text with anything that may be a token of lichess struck out, in TOML, YAML and JSON.
#[must_use]
pub fn without_tokens(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // The value of such a key may be a token, even in an older form than "lip_...".
        let at = value_of_token(line).unwrap_or(line.len());
        shown.push_str(&strike_prefixed(&line[..at]));
        strike_all(&mut shown, &line[at..], |c| {
            c.is_whitespace() || matches!(c, '"' | '\'')
        });
    }
    shown
}

/// Whether a line has a token of lichess in it, or something that is called one.
#[must_use]
pub fn has_token(line: &str) -> bool {
    value_of_token(line).is_some() || holds_token(line)
}

/// Whether a text has a token of lichess in it.
#[must_use]
pub fn holds_token(text: &str) -> bool {
    /// Shorter words of the same beginning are none: "lip_sync".
    const SHORTEST: usize = 12;
    let is_one = |(at, prefix): (usize, &str)| {
        let rest = &text[at + prefix.len()..];
        let ends = |c: char| !c.is_ascii_alphanumeric();
        !text[..at].ends_with(|c: char| c.is_ascii_alphabetic())
            && rest.find(ends).unwrap_or(rest.len()) >= SHORTEST
    };
    ["lip_", "lio_"]
        .iter()
        .any(|prefix| text.match_indices(prefix).any(is_one))
}

/// Where the value begins in a line that gives something the name of a token, commented out or not.
fn value_of_token(line: &str) -> Option<usize> {
    let quotes = ['"', '\''];
    line.match_indices(['=', ':']).find_map(|(at, _)| {
        let before = line[..at].trim_end().trim_end_matches(quotes);
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let word = before.rsplit(|c| !is_part(c)).next()?;
        let lead = before[..before.len() - word.len()]
            .trim_end_matches(quotes)
            .trim_end();
        let is_key = lead.is_empty()
            || lead.ends_with(['#', '{', ',', '[', '-', '.', '\u{feff}'])
            || matches!(lead, "export" | "set");
        let word = word.to_ascii_lowercase().replace('-', "_");
        (is_key && (word == "token" || word.ends_with("_token"))).then_some(at + 1)
    })
}

/// lichess' tokens begin with `lip_` (personal) or `lio_` (OAuth).
fn strike_prefixed(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = [rest.find("lip_"), rest.find("lio_")].into_iter().flatten().min() {
        let (before, from) = rest.split_at(at);
        let end = from
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(from.len());
        shown.push_str(before);
        strike_all(&mut shown, &from[..end], |_| false);
        rest = &from[end..];
    }
    shown + rest
}

/// The text with what may be secret in addresses struck out: all from `//` to the last `@` of the value, and all behind `?` or
/// `#`, as in `https://***@example.org/list?***`.
#[must_use]
pub fn without_passwords(text: &str) -> String {
    let mut secret = Vec::new();
    let mut done = 0;
    let mut open: Option<&str> = None;
    while let Some(found) = text[done..].find("://") {
        let at = done + found;
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let scheme = text[done..at].trim_end_matches(is_scheme).len() + done;
        strike_words(text, done..scheme, &mut secret);
        open = long_string(&text[done..scheme], open);
        let begin = at + 3;
        let (is_whole, end) = end_of_value(text, scheme, begin, open);
        strike_address(text, begin..end, is_whole, &mut secret);
        done = end;
        if let Some(quote) = open.filter(|quote| text[end..].starts_with(quote)) {
            (open, done) = (None, end + quote.len());
        }
    }
    strike_words(text, done..text.len(), &mut secret);
    let mut shown = String::with_capacity(text.len());
    let mut kept = 0;
    for range in secret {
        shown.push_str(&text[kept..range.start]);
        strike_all(&mut shown, &text[range.clone()], |c| matches!(c, '\n' | '\r'));
        kept = range.end;
    }
    shown + &text[kept..]
}

/// A text that is an address as a whole, or should be one, without what may be secret in it.
#[must_use]
pub fn address_without_secrets(address: &str) -> String {
    let begin = address.find("://").map_or(0, |at| at + 3);
    let mut secret = Vec::new();
    strike_address(address, begin..address.len(), true, &mut secret);
    let mut shown = address[..begin].to_owned();
    let mut kept = begin;
    for range in secret {
        shown.push_str(&address[kept..range.start]);
        strike_all(&mut shown, &address[range.clone()], |_| false);
        kept = range.end;
    }
    shown + &address[kept..]
}

/// Whether a text ends within a string of TOML of several lines, and the marks it is to end with.
fn long_string<'q>(text: &str, mut open: Option<&'q str>) -> Option<&'q str> {
    let mut rest = text;
    loop {
        let next = ["\"\"\"", "'''"]
            .into_iter()
            .filter(|quote| open.is_none_or(|open| open == *quote))
            .filter_map(|quote| Some((rest.find(quote)?, quote)))
            .min();
        let Some((at, quote)) = next else { return open };
        open = match open {
            Some(_) => None,
            None => Some(quote),
        };
        rest = &rest[at + quote.len()..];
    }
}

/// Where the value ends whose address begins here, and whether all until there belongs to it: in quotes and behind `=`. An
/// address in prose may have blanks in its password too; what is behind it ends with its word.
fn end_of_value(text: &str, scheme: usize, begin: usize, open: Option<&str>) -> (bool, usize) {
    if let Some(end) = open.and_then(|quote| text[begin..].find(quote)) {
        return (true, begin + end);
    }
    let line = text[..scheme].rfind('\n').map_or(0, |end| end + 1);
    let until = text[begin..]
        .find(['\n', '\r'])
        .map_or(text.len(), |end| begin + end);
    let before = &text[line..scheme];
    if let Some(quote) = quote_around(before) {
        let end = closing(&text[begin..until], quote);
        return (true, end.map_or(until, |end| begin + end));
    }
    if before.trim_end().ends_with('=') {
        return (true, until);
    }
    // A second address in the same line is one of its own.
    let next = text[begin..until].find("://").and_then(|next| {
        let space = text[begin..begin + next].rfind(char::is_whitespace)?;
        Some(begin + space)
    });
    (false, next.unwrap_or(until))
}

/// The quotation mark that a line has open at its end, as the one that closes it.
fn quote_around(before: &str) -> Option<char> {
    let mut inside = None;
    let mut last = ' ';
    for c in before.chars() {
        inside = match inside {
            Some(quote) if c == quote && last != '\\' => None,
            None if !last.is_alphanumeric() => match c {
                '"' | '\'' | '`' => Some(c),
                '“' | '„' | '”' => Some('”'),
                '‘' | '‚' | '’' => Some('’'),
                '«' => Some('»'),
                '<' => Some('>'),
                _ => None,
            },
            inside => inside,
        };
        last = c;
    }
    inside
}

/// Where a value ends that stands in quotes.
fn closing(value: &str, quote: char) -> Option<usize> {
    let is_one = |c: char| c == quote || (quote == '”' && matches!(c, '“' | '"'));
    let mut escaped = false;
    value.char_indices().find_map(|(at, c)| {
        let was_escaped = escaped;
        escaped = quote == '"' && c == '\\' && !was_escaped;
        // One that a letter follows does not close anything: it is a part of the value that is not escaped.
        let next = value[at + c.len_utf8()..].chars().next();
        let ends = next.is_none_or(|c| !c.is_alphanumeric() && c != '@');
        (is_one(c) && !was_escaped && ends).then_some(at)
    })
}

/// Whether an address goes on from here with no more than a host, a port perhaps, and a path.
fn begins_with_host(address: &str) -> bool {
    let host = address.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let port = match host.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => port,
        _ => "",
    };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    !host.is_empty() && host.chars().all(is_name) && port.chars().all(|c| c.is_ascii_digit())
}

/// The secrets of an address from behind its `//`.
fn strike_address(text: &str, value: Range<usize>, is_whole: bool, secret: &mut Vec<Range<usize>>) {
    let ends = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | ')' | '“' | '”' | '‘' | '’')
    };
    let (begin, body) = (value.start, &text[value.clone()]);
    // The page of a user, "lichess.org/@/Ana", has an @ that belongs to the path.
    let is_page =
        |at: usize| body[..at].ends_with('/') && body[at + 1..].starts_with('/') && begins_with_host(body);
    let at = body
        .match_indices('@')
        .map(|(at, _)| at)
        .rfind(|at| !is_page(*at));
    let host = at.map_or(begin, |at| begin + at + 1);
    let end = match is_whole {
        true => value.end,
        false => text[host..value.end]
            .find(ends)
            .map_or(value.end, |end| host + end),
    };
    if let Some(at) = at {
        secret.push(begin..begin + at);
        // Whether the @ belongs to the user or to the question is open.
        if body[..at].contains(['?', '#']) && begins_with_host(body) {
            secret.push(host..end);
            return;
        }
    }
    let rest = &text[host..end];
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // A user and a password that nothing ends, where a port would be.
    let password = authority
        .split_once(':')
        .filter(|(name, port)| !name.starts_with('[') && port.contains(|c: char| c.is_ascii_alphabetic()));
    let from = match password {
        Some((name, _)) => Some(name.len() + 1),
        None => rest.find(['?', '#']).map(|at| at + 1),
    };
    secret.extend(from.map(|from| host + from..end));
}

/// The secrets of addresses that have no scheme: passwords in words, what is behind `?`, and values called an address.
fn strike_words(text: &str, part: Range<usize>, secret: &mut Vec<Range<usize>>) {
    let ends = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | ')' | '“' | '”' | '‘' | '’')
    };
    let mut line_at = part.start;
    for line in text[part].split_inclusive('\n') {
        let begins_line = line_at == 0 || text[..line_at].ends_with('\n');
        if let Some(value) = value_of_address(line).filter(|_| begins_line) {
            let value = line_at + value.start..line_at + value.end;
            strike_address(text, value, true, secret);
        } else {
            let mut at = line_at;
            for run in line.split_inclusive(ends) {
                let word = run.trim_end_matches(ends);
                if let Some((user, host)) = word.rsplit_once('@')
                    && let Some((name, _)) = user.split_once(':')
                    && !user.ends_with('/')
                    && !host.is_empty()
                {
                    secret.push(at + name.len() + 1..at + user.len());
                } else if let Some((before, after)) = word.split_once('?')
                    && after.contains('=')
                {
                    secret.push(at + before.len() + 1..at + word.len());
                }
                at += run.len();
            }
        }
        line_at += line.len();
    }
}

/// The value in a line that gives something the name of an address, without its quotation marks.
fn value_of_address(line: &str) -> Option<Range<usize>> {
    let (key, value) = line.split_once('=')?;
    let key = key
        .trim()
        .rsplit(['.', ' ', '_'])
        .next()?
        .trim_matches(['"', '\'']);
    let (begin, body) = (key_end(line, value), value.trim());
    let quote = body.chars().next().filter(|c| matches!(c, '"' | '\''));
    let begin = begin + quote.map_or(0, char::len_utf8);
    let body = &body[quote.map_or(0, char::len_utf8)..];
    let end = quote.and_then(|quote| closing(body, quote)).unwrap_or(body.len());
    (key.eq_ignore_ascii_case("url") && end > 0).then_some(begin..begin + end)
}

fn key_end(line: &str, value: &str) -> usize {
    line.len() - value.trim_start().len()
}

fn strike_all(shown: &mut String, secret: &str, is_kept: impl Fn(char) -> bool) {
    for c in secret.chars() {
        if is_kept(c) {
            shown.push(c);
        } else {
            shown.extend(std::iter::repeat_n('*', c.len_utf8()));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tokens_are_struck_out_wherever_they_stand() {
        let text = "token = \"old form\" # mine\nurl = 'lip_abc' + lio_x\ntoken-file = \"token\"\n";
        assert_eq!(
            without_tokens(text),
            "token = \"*** ****\" * ****\nurl = '*******' + *****\ntoken-file = \"token\"\n"
        );
        for (text, shown) in [
            ("# token = \"old\"\n", "# token = \"***\"\n"),
            (
                "[lichess]\nlichess.token = é\n",
                "[lichess]\nlichess.token = **\n",
            ),
            ("token: \"old\"\n", "token: \"***\"\n"),
            ("{\"a\": 1, \"token\": \"old\"}", "{\"a\": 1, \"token\": \"***\"*"),
            ("export LICHESS_TOKEN=old", "export LICHESS_TOKEN=***"),
            ("API-Token='old'", "API-Token='***'"),
        ] {
            assert_eq!(without_tokens(text), shown);
        }
        for plain in [
            "no lichess token: put it into a file\n",
            "token-file = \"/etc/token\"",
            "url = \"https://example.org/list?token=x\"",
        ] {
            assert_eq!(without_tokens(plain), plain);
        }
    }

    #[test]
    fn secrets_in_addresses_are_struck_out_whatever_they_are_of() {
        for (text, shown) in [
            ("https://ana:secret@lichess.org", "https://**********@lichess.org"),
            (
                "\"https://ana:p@s/s#?@lichess.org/a\" and more",
                "\"https://***********@lichess.org/a\" and more",
            ),
            ("https://secret@lichess.org", "https://******@lichess.org"),
            (
                "url = \"https://me:my secret phrase@lichess.org\" # to x@y",
                "url = \"https://*******************@lichess.org\" # to x@y",
            ),
            ("'https://me:pw @lichess.org'", "'https://******@lichess.org'"),
            ("url = https://me:a b@h", "url = https://******@h"),
            (
                "cannot reach https://me:a b@h: no",
                "cannot reach https://******@h: no",
            ),
            ("u = \"https://me:a\"b@h\"", "u = \"https://******@h\""),
            ("u = \"https://me:a\\\" b@h\"", "u = \"https://********@h\""),
            ("u = \"https://me:a b", "u = \"https://me:***"),
            ("u = 'https://me:a b@h?x y", "u = 'https://******@h?***"),
            ("“https://me:a b@h”", "“https://******@h”"),
            (
                "u = [\"see https://a b@h\", \"c@d\"]",
                "u = [\"see https://***@h\", \"c@d\"]",
            ),
            (
                "u = \"\"\"https://me:a\nb@h/?\nx\"\"\"\nv = 1",
                "u = \"\"\"https://****\n*@h/?\n*\"\"\"\nv = 1",
            ),
            ("url = \"me:my secret@h\"", "url = \"************@h\""),
            ("LICHESS_URL=h#secret", "LICHESS_URL=h#******"),
            ("ana:secret@lichess.org", "ana:******@lichess.org"),
            ("http://ana:é@h http://b:x@h", "http://******@h http://***@h"),
            ("https://h#secret", "https://h#******"),
            ("https://h?y=secret", "https://h?********"),
            ("https://h?y=sec@ret", "https://*******@***"),
            (
                "https://h/l?a=1&token=x#y is gone",
                "https://h/l?************* is gone",
            ),
            ("(https://h/l?a=1): 404", "(https://h/l?***): 404"),
            ("(/api/l?access_token=x&a=1)", "(/api/l?******************)"),
            ("“https://h/?API_KEY=x”", "“https://h/?*********”"),
        ] {
            assert_eq!(without_passwords(text), shown);
        }
        for plain in [
            "https://lichess.org/@/Ana",
            "https://127.0.0.1:8080/a",
            "http://[::1]:8080/a",
            "https://lichess.org: it is gone",
            "@Ana, ana@example.org",
            "sparring@club.service:12: max = 3",
            "1.e4?! e5 2.Qh5?",
            "url = \"https://lichess.org\" # mine",
        ] {
            assert_eq!(without_passwords(plain), plain);
        }
    }

    #[test]
    fn an_address_alone_is_shown_without_its_secrets() {
        for (text, shown) in [
            ("https://me:my\nsecret @h/a?b c", "https://*************@h/a?***"),
            ("me:my secret@h#x", "************@h#*"),
            ("https://lichess.org/", "https://lichess.org/"),
        ] {
            assert_eq!(address_without_secrets(text), shown);
        }
    }

    proptest! {
        #[test]
        fn striking_out_moves_no_byte(text in "(token|lip_|=|:|://|@|/|\\?|&|key|\"|é|\n| |a){0,30}") {
            let shown = without_secrets(&text);
            prop_assert_eq!(shown.len(), text.len());
            prop_assert!(!shown.contains("lip_"), "{}", shown);
            prop_assert_eq!(shown.lines().count(), text.lines().count());
        }
    }
}
