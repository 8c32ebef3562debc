//! The key of a server on a machine with several users.

use std::io;

use axum::http::HeaderMap;
use secrecy::{ExposeSecret as _, SecretString};
use subtle::ConstantTimeEq as _;

/// The header that carries the key.
const HEADER: &str = "x-sandbox-key";
/// 128 bits.
const BYTES: usize = 16;

/// The secret of a server's owner. It is never logged.
#[derive(Debug, Clone)]
pub struct Key(SecretString);

impl Key {
    /// A new key from the system's random numbers.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self(format!("{:032x}", u128::from_be_bytes(bytes)).into()))
    }

    /// The key in plain text, to print when the server starts.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Whether a request carries the key. Compares in constant time.
    pub(super) fn is_in(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(HEADER).map(|given| given.as_bytes());
        given.is_some_and(|given| given.ct_eq(self.expose().as_bytes()).into())
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_the_whole_key_is_the_key_and_no_two_are_alike() {
        let key = Key::random().unwrap();
        let text = key.expose().to_owned();
        assert_eq!(text.len(), 2 * BYTES);
        assert_ne!(text, Key::random().unwrap().expose());
        let given = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HEADER, HeaderValue::from_str(text).unwrap());
            headers
        };
        assert!(key.is_in(&given(&text)));
        for wrong in ["", &text[1..], &format!("{text}0"), &"0".repeat(2 * BYTES)] {
            assert!(!key.is_in(&given(wrong)), "{wrong}");
        }
        assert!(!key.is_in(&HeaderMap::new()));
    }

    #[test]
    fn a_key_is_not_shown_by_what_is_logged() {
        let key = Key::random().unwrap();
        assert!(!format!("{key:?}").contains(key.expose()));
    }
}
