//! What protects the dashboard from pages of other sites in the same browser, and what every answer carries.

use axum::{
    Json,
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use serde_json::json;

use crate::cli::health::is_at_home;

/// The page talks to nobody but the daemon it came from. Its style sheet carries the pieces as `data:` images.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; style-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// Refuses what a foreign page could have caused, and marks every answer.
///
/// A false name may lead a browser here: then `Host` is not this machine. A page elsewhere may send a form here: then
/// `Origin` is not this page, and unlike a program a browser always sends it with a POST.
pub(super) async fn check(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let refused = if !is_at_home(headers) {
        Some("The dashboard is only for its own machine")
    } else if !request.method().is_safe() && !is_own_page(headers) {
        Some("Only the dashboard's own page may do that")
    } else {
        None
    };
    let mut response = match refused {
        Some(why) => (StatusCode::FORBIDDEN, Json(json!({ "error": why }))).into_response(),
        None => next.run(request).await,
    };
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
    ] {
        let name = HeaderName::from_static(name);
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whether the request says that it comes from a page of this server.
fn is_own_page(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    match (text(header::ORIGIN), text(header::HOST)) {
        (Some(origin), Some(host)) => origin.strip_prefix("http://") == Some(host),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_page_may_change_anything() {
        let headers = |origin: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("127.0.0.1:9464"));
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            }
            headers
        };
        assert!(is_own_page(&headers(Some("http://127.0.0.1:9464"))));
        for origin in ["http://127.0.0.1:80", "http://evil.example", "null"] {
            assert!(!is_own_page(&headers(Some(origin))), "{origin}");
        }
        assert!(!is_own_page(&headers(None)), "a form without an origin");
    }
}
