//! API token of an account: validated, never logged.

use std::fmt;

use rustls::{SupportedCipherSuite, crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256};
use secrecy::{ExposeSecret as _, SecretString};
use thiserror::Error;

/// The longest accepted token. lichess' own are shorter; its API documentation allows 512.
const LONGEST: usize = 512;

/// A personal access token that is valid in a header. Its text is never printed.
#[derive(Clone)]
pub struct Token(SecretString);

/// Text that cannot be a token. The message never quotes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BadToken {
    /// Nothing there.
    #[error("the token is empty")]
    Empty,
    /// It starts with the name of a header or variable.
    #[error("\"{0}\" stands before the token; write the token alone, which begins with lip_")]
    Named(&'static str),
    /// Longer than lichess' tokens can be.
    #[error("the token is {0} characters long; lichess' are at most {LONGEST}")]
    TooLong(usize),
    /// Something other than letters, digits and `_`.
    #[error("character {0} of the token is neither letter, digit nor \"_\"; was more pasted than the token?")]
    StrangeCharacter(usize),
}

impl Token {
    /// Checks the text of a token, see [`bare_token`].
    ///
    /// # Errors
    /// [`BadToken`] for text that lichess would not have given out.
    pub fn parse(text: &str) -> Result<Self, BadToken> {
        let text = bare_token(text);
        if text.is_empty() {
            return Err(BadToken::Empty);
        }
        let before = [
            "Authorization:",
            "Bearer ",
            "export LICHESS_TOKEN",
            "LICHESS_TOKEN",
            "token",
        ]
        .into_iter()
        .find(|before| {
            let start = text.get(..before.len());
            let rest = text.get(before.len()..).unwrap_or_default().trim_start();
            start.is_some_and(|start| start.eq_ignore_ascii_case(before))
                && (before.ends_with([' ', ':']) || rest.starts_with(['=', ':']))
        });
        if let Some(before) = before {
            return Err(BadToken::Named(before.trim_end()));
        }
        if text.len() > LONGEST {
            return Err(BadToken::TooLong(text.chars().count()));
        }
        let strange = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        match text.chars().position(strange) {
            Some(at) => Err(BadToken::StrangeCharacter(at + 1)),
            None => Ok(Self(text.into())),
        }
    }

    /// A hash that distinguishes tokens on a server, see [`fingerprint`].
    #[must_use]
    pub fn fingerprint(&self, server: &str) -> u64 {
        fingerprint(server, self.expose())
    }

    /// What only somebody with the token can say to a question, as a holder of the lock of this name: 32 bytes that lead back to
    /// nothing.
    #[must_use]
    pub fn proof(&self, name: &str, question: &[u8]) -> Vec<u8> {
        let inner = sha256(
            &[
                b"sparring proof\n",
                self.expose().as_bytes(),
                b"\n",
                name.as_bytes(),
                b"\n",
                question,
            ]
            .concat(),
        );
        // Keyed at both ends, as HMAC is, against length extension.
        sha256(&[self.expose().as_bytes(), &inner].concat())
    }

    /// The text, for the header and for nothing else.
    pub(super) fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

/// The token in a text without what programs put around it: white space, since files end in a new line, characters that nobody
/// sees, such as the mark of the byte order that some editors write first, and quotation marks: those of a shell, which
/// docker's files of variables keep, and the curly ones of text programs.
#[must_use]
pub fn bare_token(text: &str) -> &str {
    let is_around = |c: char| {
        c.is_whitespace()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
            || c == '\u{feff}'
    };
    let text = text.trim_matches(is_around);
    let curly = ['“', '”', '„', '‘', '’', '‚', '«', '»'];
    let unquoted = ['"', '\'']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
        .or_else(|| text.strip_prefix(curly)?.strip_suffix(curly));
    unquoted.map_or(text, |text| text.trim_matches(is_around))
}

/// A number that tells apart what a server knows, for the names of locks. The same in every version of this program: the
/// first eight bytes of a SHA-256.
#[must_use]
pub fn fingerprint(server: &str, known: &str) -> u64 {
    let hash = sha256(format!("sparring\n{server}\n{known}").as_bytes());
    let first = hash.iter().take(8);
    first.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn sha256(text: &[u8]) -> Vec<u8> {
    // The hash of this suite is the one that is needed, and no crate has to be added for it.
    let SupportedCipherSuite::Tls13(suite) = TLS13_AES_128_GCM_SHA256 else {
        unreachable!("the name of the suite says which protocol it is for")
    };
    suite.common.hash_provider.hash(text).as_ref().to_vec()
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(not shown)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_could_split_a_header_is_refused_without_being_quoted() {
        let error = Token::parse("lip_CANARY\r\nHost: evil").unwrap_err();
        assert_eq!(error, BadToken::StrangeCharacter(11));
        assert!(!error.to_string().contains("CANARY"));
        assert_eq!(Token::parse(" \n").unwrap_err(), BadToken::Empty);
        assert_eq!(
            Token::parse(&"x".repeat(513)).unwrap_err(),
            BadToken::TooLong(513)
        );
    }

    #[test]
    fn what_programs_put_around_a_token_is_no_part_of_it() {
        for text in [
            "\u{feff}lip_a",
            "\u{feff}lip_a\r\n",
            " lip_a\u{a0}\n\n",
            "\"lip_a\"\n",
            "'lip_a'",
            "“lip_a”\n",
            "„lip_a“",
            "‘lip_a’",
            "lip_a\u{200b}\n",
            "\u{2060}“\u{200b}lip_a”",
        ] {
            assert_eq!(Token::parse(text).unwrap().expose(), "lip_a", "{text:?}");
        }
        for text in ["\"lip_a", "\"\"", "\"", "Bearer lip_a", "lip_a lip_b"] {
            assert!(Token::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_stands_before_a_token_is_named() {
        for (text, before) in [
            ("Bearer lip_a", "Bearer"),
            ("bearer lip_a", "Bearer"),
            ("Authorization: Bearer lip_a", "Authorization:"),
            ("LICHESS_TOKEN=lip_a\n", "LICHESS_TOKEN"),
            ("export LICHESS_TOKEN=lip_a", "export LICHESS_TOKEN"),
            ("token = \"lip_a\"", "token"),
        ] {
            assert_eq!(Token::parse(text).unwrap_err(), BadToken::Named(before));
        }
        assert!(Token::parse("token1").is_ok());
    }

    #[test]
    fn a_fingerprint_tells_tokens_and_servers_apart() {
        let [one, other] = ["lip_one", "lip_other"].map(|text| Token::parse(text).unwrap());
        assert_eq!(one.fingerprint("a"), one.clone().fingerprint("a"));
        assert_ne!(one.fingerprint("a"), other.fingerprint("a"));
        assert_ne!(one.fingerprint("a"), one.fingerprint("b"));
        assert_eq!(
            Token::parse("lip_one")
                .unwrap()
                .fingerprint("https://lichess.org/"),
            0x7a08_5158_c633_2b26,
            "of another version of this program too"
        );
    }

    #[test]
    fn a_token_prints_nothing() {
        let token = Token::parse("lip_CANARY\n").unwrap();
        assert_eq!(format!("{token:?}"), "Token(not shown)");
        assert_eq!(token.expose(), "lip_CANARY");
    }
}
