//! Texts without the secrets that are in them, for whoever is shown them. Each byte of a secret becomes a star, so that places
//! stay where they are.

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
        // Whatever stands behind such a key may be one, even in an older form than "lip_...".
        let at = value_of_token(line).unwrap_or(line.len());
        shown.push_str(&strike_prefixed(&line[..at]));
        strike_all(&mut shown, &line[at..], |c| {
            c.is_whitespace() || matches!(c, '"' | '\'')
        });
    }
    shown
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

/// The text with passwords and keys in addresses struck out: `https://ana:***@example.org/list?token=***`.
#[must_use]
pub fn without_passwords(text: &str) -> String {
    let ends =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '“' | '”' | '‘' | '’');
    let mut shown = String::with_capacity(text.len());
    for run in text.split_inclusive(ends) {
        let (begin, end) = password(run).unwrap_or((0, 0));
        shown.push_str(&run[..begin]);
        strike_all(&mut shown, &run[begin..end], |_| false);
        strike_keys(&mut shown, &run[end..], ends);
    }
    shown
}

/// The bytes of the password in an address, or of all that stands before its host where that is one word.
fn password(run: &str) -> Option<(usize, usize)> {
    let scheme = run.find("://");
    let begin = scheme.map_or(0, |at| at + 3);
    let body = &run[begin..];
    // The page of a user, "lichess.org/@/Ana", has an @ that belongs to the path. A password may have any other.
    let (at, _) = body
        .match_indices('@')
        .rfind(|(at, _)| !body[..*at].ends_with('/'))?;
    let user = &body[..at];
    match user.find(':') {
        Some(colon) => Some((begin + colon + 1, begin + at)),
        None => (scheme.is_some() && !user.contains(['/', '?', '#'])).then_some((begin, begin + at)),
    }
}

/// Strikes out the values of the parameters of an address that are known to be secret by their names.
fn strike_keys(shown: &mut String, run: &str, ends: impl Fn(char) -> bool) {
    const SECRET: [&str; 9] = [
        "token",
        "key",
        "secret",
        "password",
        "passwd",
        "pwd",
        "auth",
        "signature",
        "sig",
    ];
    for (index, part) in run.split_inclusive(['?', '&', ';', '#']).enumerate() {
        let name = part.split('=').next().unwrap_or_default();
        let word = name.to_ascii_lowercase();
        let is_secret =
            index > 0 && name.len() < part.len() && SECRET.iter().any(|secret| word.ends_with(secret));
        let kept = if is_secret { name.len() + 1 } else { part.len() };
        shown.push_str(&part[..kept]);
        strike_all(shown, &part[kept..], |c| {
            ends(c) || matches!(c, '?' | '&' | ';' | '#')
        });
    }
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
    fn passwords_and_keys_in_addresses_are_struck_out() {
        for (text, shown) in [
            ("https://ana:secret@lichess.org", "https://ana:******@lichess.org"),
            (
                "\"https://ana:p@s/s#?@lichess.org/a\" and more",
                "\"https://ana:*******@lichess.org/a\" and more",
            ),
            ("https://secret@lichess.org", "https://******@lichess.org"),
            ("https://:secret@lichess.org", "https://:******@lichess.org"),
            ("ana:secret@lichess.org", "ana:******@lichess.org"),
            ("http://ana:é@h http://b:x@h", "http://ana:**@h http://b:*@h"),
            ("https://h/l?a=1&token=x#y", "https://h/l?a=1&token=*#y"),
            ("(/api/l?access_token=x&a=1)", "(/api/l?access_token=*&a=1)"),
            ("“https://h/?API_KEY=x”", "“https://h/?API_KEY=*”"),
        ] {
            assert_eq!(without_passwords(text), shown);
        }
        for plain in [
            "https://lichess.org/@/Ana",
            "https://127.0.0.1:8080/a?b=c",
            "@Ana, ana@example.org",
            "sparring@club.service:12: max = 3",
        ] {
            assert_eq!(without_passwords(plain), plain);
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
