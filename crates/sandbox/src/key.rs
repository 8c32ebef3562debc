//! The key of a server on a machine with several users.

use std::{io, sync::Arc};

use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use subtle::ConstantTimeEq as _;

use super::{auth, hub::Hub, options::AnonymousAccess};

/// The header that carries it.
const HEADER: &str = "x-sandbox-key";
/// 128 bits.
const BYTES: usize = 16;

/// A secret that the owner of a server has. It is never logged.
#[derive(Debug, Clone)]
pub struct Key(SecretString);

impl Key {
    /// A new one, of the system's random numbers.
    ///
    /// # Errors
    /// When the system has none.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self(format!("{:032x}", u128::from_be_bytes(bytes)).into()))
    }

    /// The key itself, for whoever starts the server.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Whether a request carries it. How long this takes tells nothing of the key.
    fn is_in(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(HEADER).map(|given| given.as_bytes());
        given.is_some_and(|given| given.ct_eq(self.expose().as_bytes()).into())
    }
}

/// Lets nobody but the owner through, where there is a key.
pub async fn owner_only(State(hub): State<Arc<Hub>>, request: Request, next: Next) -> Response {
    match &hub.options.access {
        AnonymousAccess::Public(key) | AnonymousAccess::Private(key) if !key.is_in(request.headers()) => {
            refusal()
        }
        _ => next.run(request).await,
    }
}

/// Lets nobody through to a private server but the owner and whoever has got a token of it.
pub async fn known_only(State(hub): State<Arc<Hub>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let has_token = || {
        let token = auth::bearer(headers);
        token.is_some_and(|token| hub.with(|world, _| world.users().granted(token).is_some()))
    };
    match &hub.options.access {
        AnonymousAccess::Private(key) if !key.is_in(headers) && !has_token() => refusal(),
        _ => next.run(request).await,
    }
}

/// `needs` tells the page what it is about; a key of an earlier start is as good as none.
fn refusal() -> Response {
    let why = "Only with the key: open the address that the program printed in the terminal when it started";
    (
        StatusCode::FORBIDDEN,
        Json(json!({ "error": why, "needs": "key" })),
    )
        .into_response()
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
