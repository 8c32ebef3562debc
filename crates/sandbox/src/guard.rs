//! Host and Origin checks, and security headers.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{answer::error, hub::Hub};
use sparring_http_server::{is_own_origin, is_this_machine, name_in};

/// The page connects to its own server only. Its style sheet has the pieces as `data:` images.
const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; img-src 'self' data:; style-src 'self'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Refuses requests that a foreign page could have caused, and marks every answer.
///
/// A page of another site can make a browser send requests here. The `Host` check stops names that were made to
/// point to this machine; the `Origin` check stops pages from changing anything outside `/api`. Within `/api`
/// every origin is welcome, as on lichess, because nothing there works without a token.
pub async fn check(State(hub): State<Arc<Hub>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let is_api = request.uri().path().starts_with("/api/");
    if !host(headers).is_none_or(|host| is_ours(host, &hub.options.hosts)) {
        return error(StatusCode::FORBIDDEN, "This server is only for its own machine");
    }
    if !is_api && !request.method().is_safe() && is_own_origin(headers) == Some(false) {
        return error(StatusCode::FORBIDDEN, "This page may not do that");
    }
    let mut response = if is_api && request.method() == Method::OPTIONS {
        StatusCode::NO_CONTENT.into_response()
    } else {
        next.run(request).await
    };
    let mut put = |name: &'static str, value: &'static str| {
        let name = HeaderName::from_static(name);
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    };
    put("content-security-policy", CONTENT_SECURITY_POLICY);
    put("x-content-type-options", "nosniff");
    put("referrer-policy", "no-referrer");
    if is_api {
        put("access-control-allow-origin", "*");
        put("access-control-allow-methods", "GET, POST, OPTIONS");
        put("access-control-allow-headers", "Authorization, Content-Type");
    }
    response
}

fn host(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST).map(|host| host.to_str().unwrap_or("?"))
}

/// Whether a `Host` names this machine, or is a name that the owner allowed.
fn is_ours(host: &str, allowed: &[String]) -> bool {
    let name = name_in(host).unwrap_or_default();
    is_this_machine(host) || allowed.iter().any(|ours| name.eq_ignore_ascii_case(ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_and_those_the_owner_allowed_are_ours() {
        let allowed = ["chess.home".to_owned()];
        for host in [
            "LOCALHOST:80",
            "127.1.2.3",
            "[::1]:8080",
            "chess.home:80",
            "Chess.Home",
        ] {
            assert!(is_ours(host, &allowed), "{host}");
        }
        for host in ["evil.example", "chess.home.evil.example", "chess.home:x", ""] {
            assert!(!is_ours(host, &allowed), "{host}");
        }
    }
}
