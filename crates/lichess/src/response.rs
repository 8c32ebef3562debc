//! Reads a response: the status first, then a JSON body if there is one.

use reqwest::StatusCode;
use serde::de::DeserializeOwned;

use super::{CallError, Escaped, retry::LONGEST_ASKED};
use crate::model::{ErrorBody, decode};
use sparring_chess::units::Millis;
use sparring_diagnostics::address_without_secrets;

/// A response whose status is no success.
pub(super) struct ErrorResponse<'a> {
    /// Name of the call.
    pub call: &'static str,
    /// The status.
    pub status: StatusCode,
    /// The body: JSON, text, a page of HTML or nothing.
    pub body: &'a [u8],
    /// The header `Location`.
    pub location: Option<&'a str>,
    /// Whether lichess has answered at this address before.
    pub is_known: bool,
}

/// The wait of a 429, a day at most: `ratelimit.seconds`, else `Retry-After`. `None` for less than a second.
///
/// A date in the header counts from the server's own `Date`, so that no two clocks need to agree.
pub(super) fn wait_asked_for(body: &[u8], retry_after: Option<&str>, date: Option<&str>) -> Option<Millis> {
    let limit = serde_json::from_slice::<ErrorBody>(body)
        .ok()
        .and_then(|body| body.ratelimit)
        .map(|limit| limit.seconds);
    limit
        .or_else(|| retry_after.and_then(|text| text.trim().parse().ok()))
        .map(|secs| Millis(secs.saturating_mul(1000)).min(LONGEST_ASKED))
        .or_else(|| until(retry_after?, date?))
        .filter(|wait| *wait >= Millis::from_secs(1))
}

/// The time from one HTTP date to another, a day at most. `None` when it has passed.
fn until(then: &str, now: &str) -> Option<Millis> {
    let moment = |text: &str| {
        jiff::fmt::rfc2822::parse(text.trim())
            .ok()
            .map(|zoned| zoned.timestamp())
    };
    let secs = moment(then)?.as_second() - moment(now)?.as_second();
    u64::try_from(secs)
        .ok()
        .map(Millis::from_secs)
        .filter(|span| *span <= LONGEST_ASKED)
}

/// An HTTP date as time since 1970.
pub(super) fn since_1970(date: &str) -> Option<Millis> {
    let secs = jiff::fmt::rfc2822::parse(date.trim())
        .ok()?
        .timestamp()
        .as_second();
    u64::try_from(secs).ok().map(Millis::from_secs)
}

/// The key of the rate limit that a 429 names.
pub(super) fn limit_key(body: &[u8]) -> Option<String> {
    let body: ErrorBody = serde_json::from_slice(body).ok()?;
    Some(body.ratelimit?.key)
}

/// Classifies an error response other than 429 by what the caller can do.
///
/// A 401 or 403 counts as lichess' own only with its JSON body: gateways and captive portals send such pages too, and those must not
/// stop a daemon. Once lichess has answered (`is_known`), that holds for every status: a portal's page must not end a game. Before, a
/// redirect or a page means that the address is wrong.
pub(super) fn error_from(refusal: &ErrorResponse<'_>) -> CallError {
    let &ErrorResponse {
        call,
        status,
        body,
        location,
        is_known,
    } = refusal;
    let said = serde_json::from_slice::<ErrorBody>(body).ok();
    let ratelimit = said.as_ref().and_then(|said| said.ratelimit.clone());
    let message = said.as_ref().map_or_else(|| excerpt(body), ErrorBody::message);
    let is_stray = is_known && said.is_none();
    match status.as_u16() {
        300..=399 if !is_known => CallError::Rejected {
            call,
            status: status.as_u16(),
            message: format!(
                "redirected to {}; the server's address is not right",
                address_without_secrets(location.unwrap_or("nowhere"))
            ),
            ratelimit: None,
        },
        401 | 403 if said.is_some() => CallError::Unauthorized { call, message },
        code if is_stray || matches!(code, 401 | 403 | 408 | 500..) => CallError::Transient {
            call,
            why: format!("status {code}, \"{}\"", Escaped(&message)),
        },
        status => CallError::Rejected {
            call,
            status,
            message,
            ratelimit,
        },
    }
}

/// Decodes the body of a success.
///
/// # Errors
/// [`CallError::Transient`] for other JSON or none: a proxy's page with status 200 does not show what the server did.
pub(super) fn decode_body<T: DeserializeOwned>(call: &'static str, body: &[u8]) -> Result<T, CallError> {
    let text = std::str::from_utf8(body).unwrap_or_default();
    decode(call, text).map_err(|error| CallError::Transient {
        call,
        // Escaped and cut, the reason too: serde may quote the whole value.
        why: format!(
            "answered with {:?}, which is not what was promised: {}",
            excerpt(body),
            Escaped(&error.source.to_string())
        ),
    })
}

/// The first 200 bytes as text.
fn excerpt(body: &[u8]) -> String {
    let cut = body.get(..200).unwrap_or(body);
    String::from_utf8_lossy(cut).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_transient(error: &CallError) -> bool {
        matches!(error, CallError::Transient { .. })
    }

    fn sort(status: u16, body: &str) -> CallError {
        error_from(&ErrorResponse {
            call: "move",
            status: StatusCode::from_u16(status).unwrap(),
            body: body.as_bytes(),
            location: None,
            is_known: true,
        })
    }

    #[test]
    fn a_refusal_keeps_what_lichess_says() {
        let body = r#"{"error":"X played 100 games","ratelimit":{"key":"bot.vsBot.day","seconds":90}}"#;
        let CallError::Rejected {
            status: 400,
            message,
            ratelimit: Some(limit),
            ..
        } = sort(400, body)
        else {
            panic!("not a refusal");
        };
        assert_eq!((message.as_str(), limit.seconds), ("X played 100 games", 90));
    }

    #[test]
    fn f17_only_lichess_itself_can_refuse_the_token() {
        let missing = sort(403, r#"{"error":"Missing scope: bot:play"}"#);
        assert!(matches!(missing, CallError::Unauthorized { .. }));
        for page in ["<html>Forbidden</html>", ""] {
            assert!(is_transient(&sort(403, page)));
            assert!(is_transient(&sort(401, page)));
        }
    }

    #[test]
    fn f12_errors_of_the_server_are_worth_another_look_whatever_their_body() {
        for body in ["", "<html>502</html>", "oops", r#"{"error":"sorry"}"#] {
            for status in [500, 502, 503, 504] {
                assert!(is_transient(&sort(status, body)));
            }
        }
    }

    #[test]
    fn f12_f16_once_lichess_is_known_a_page_is_no_refusal() {
        let page = "<html>404</html>";
        for status in [302, 400, 404, 451] {
            assert!(is_transient(&sort(status, page)), "{status}");
        }
        assert!(!is_transient(&sort(404, r#"{"error":"No such game"}"#)));
        let stranger = error_from(&ErrorResponse {
            call: "token test",
            status: StatusCode::NOT_FOUND,
            body: page.as_bytes(),
            location: None,
            is_known: false,
        });
        assert!(matches!(stranger, CallError::Rejected { status: 404, .. }));
    }

    #[test]
    fn f53_a_redirect_is_refused_and_named() {
        let error = error_from(&ErrorResponse {
            call: "account",
            status: StatusCode::FOUND,
            body: b"",
            location: Some("https://elsewhere.example/"),
            is_known: false,
        });
        assert!(
            error.to_string().contains("https://elsewhere.example/"),
            "{error}"
        );
    }

    #[test]
    fn f9_the_wait_is_read_from_the_body_first() {
        let body = br#"{"error":"x","ratelimit":{"key":"k","seconds":7}}"#;
        let asked = |body: &[u8], retry_after| wait_asked_for(body, Some(retry_after), None);
        assert_eq!(asked(body, "3"), Some(Millis::from_secs(7)));
        assert_eq!(asked(b"<html>", "3"), Some(Millis::from_secs(3)));
        assert_eq!(asked(b"", "soon"), None);
        assert_eq!(asked(b"", "0"), None);
        assert_eq!(
            asked(br#"{"error":"x","ratelimit":{"key":"k","seconds":0}}"#, "3"),
            None
        );
        let years = br#"{"error":"x","ratelimit":{"key":"k","seconds":18446744073709551615}}"#;
        assert_eq!(asked(years, "3"), Some(Millis::from_secs(86_400)));
        assert_eq!(asked(b"", "99999999999"), Some(Millis::from_secs(86_400)));
    }

    #[test]
    fn f9_a_date_counts_from_the_servers_own_clock() {
        let now = "Wed, 21 Oct 2026 07:28:00 GMT";
        let asked = |then| wait_asked_for(b"", Some(then), Some(now));
        assert_eq!(
            asked("Wed, 21 Oct 2026 07:29:30 GMT"),
            Some(Millis::from_secs(90))
        );
        for useless in [
            "Wed, 21 Oct 2026 07:27:00 GMT",
            "Wed, 21 Oct 2037 07:28:00 GMT",
            "Wed, 99 Oct",
        ] {
            assert_eq!(asked(useless), None, "{useless}");
        }
        assert_eq!(
            wait_asked_for(b"", Some(now), None),
            None,
            "whose clock would it be?"
        );
    }

    #[test]
    fn f13_a_page_with_status_200_is_a_failure() {
        let error = decode_body::<serde_json::Value>("move", b"<html>maintenance</html>").unwrap_err();
        assert!(is_transient(&error));
        assert!(error.to_string().contains("<html>maintenance"), "{error}");
        assert!(decode_body::<serde_json::Value>("move", b"{\"ok\":true}").is_ok());
    }

    #[test]
    fn f13_of_a_page_no_more_than_200_bytes_are_told_and_on_one_line() {
        let page = format!("<html>\n12:00 INFO you won\u{1b}[2J{}", "x".repeat(10_000));
        let text = format!("\"{}\"", "y".repeat(10_000));
        for (body, shown) in [(&page, 'x'), (&text, 'y')] {
            let told = decode_body::<serde_json::Map<String, serde_json::Value>>("move", body.as_bytes());
            let told = told.unwrap_err().to_string();
            assert!(told.contains(&shown.to_string().repeat(160)), "{told}");
            // 200 characters of the body, and the reason's quote.
            assert!(told.len() < 500, "{told}");
            assert!(!told.contains(['\n', '\u{1b}']), "{told}");
        }
    }
}
