//! What protects a server on the own machine from pages in the same browser, and what every answer carries.

use std::{
    net::{Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

use axum::{
    extract::{ConnectInfo, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{answer::error, connections::ConnectionNumber, hub::Hub};

/// The page talks to nobody but the server it came from. Its style sheet carries the pieces as `data:` images.
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
    if !is_api && !request.method().is_safe() && !is_same_origin(headers) {
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

/// Notes what a connection is used for, whoever serves it.
pub async fn note(State(hub): State<Arc<Hub>>, request: Request, next: Next) -> Response {
    if let Some(ConnectInfo(number)) = request.extensions().get::<ConnectInfo<ConnectionNumber>>() {
        let name = format!("{} {}", request.method(), request.uri().path());
        hub.connections.note_request(*number, name);
    }
    next.run(request).await
}

fn host(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST).map(|host| host.to_str().unwrap_or("?"))
}

/// Whether a `Host` names this machine: `localhost`, a loopback address, or a name the owner allowed.
fn is_ours(host: &str, allowed: &[String]) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.split(':').next().unwrap_or(host),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse().is_ok_and(|address: Ipv4Addr| address.is_loopback())
        || name.parse().is_ok_and(|address: Ipv6Addr| address.is_loopback())
        || allowed.iter().any(|ours| name.eq_ignore_ascii_case(ours))
}

/// Whether the request came from a page of this server, or from no page at all.
fn is_same_origin(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return true;
    };
    let origin = origin.to_str().unwrap_or_default();
    host(headers).is_some_and(|host| origin.strip_prefix("http://") == Some(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_ours() {
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:8080",
            "127.1.2.3",
            "[::1]:8080",
        ] {
            assert!(is_ours(host, &[]), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "10.0.0.1:80",
            "[fe80::1]",
            "",
        ] {
            assert!(!is_ours(host, &[]), "{host}");
        }
        assert!(is_ours("chess.home:80", &["chess.home".to_owned()]));
    }

    #[test]
    fn a_foreign_page_is_not_of_the_same_origin() {
        let headers = |origin: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("127.0.0.1:80"));
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            headers
        };
        assert!(is_same_origin(&headers("http://127.0.0.1:80")));
        assert!(!is_same_origin(&headers("http://127.0.0.1:81")));
        assert!(!is_same_origin(&headers("http://evil.example")));
        assert!(!is_same_origin(&headers("null")));
        assert!(is_same_origin(&HeaderMap::new()));
    }
}
