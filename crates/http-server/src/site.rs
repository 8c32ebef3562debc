//! Checks of Host, Origin and Sec-Fetch-Site.
//!
//! A page of another site can make a browser send requests here, under any name that leads to this machine. Browsers
//! tell of it: by the name in `Host`, by `Origin`, and by `Sec-Fetch-Site`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::http::{HeaderMap, Method, header};

/// Whether a `Host` names this machine: `localhost` in any case, or a loopback address, with a port or without.
#[must_use]
pub fn is_this_machine(host: &str) -> bool {
    let Some(name) = name_in(host) else {
        return false;
    };
    let address = match name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => inner.parse().map(|address: Ipv6Addr| IpAddr::V6(address)).ok(),
        None => name.parse().map(|address: Ipv4Addr| IpAddr::V4(address)).ok(),
    };
    match address {
        Some(address) => address.to_canonical().is_loopback(),
        // A trailing dot marks a fully qualified name.
        None => name
            .strip_suffix('.')
            .unwrap_or(name)
            .eq_ignore_ascii_case("localhost"),
    }
}

/// The name in a `Host` without its port; none where the port is no number.
#[must_use]
pub fn name_in(host: &str) -> Option<&str> {
    let after = host.rfind(']').map_or(0, |end| end + 1);
    let Some(colon) = host.get(after..)?.find(':') else {
        return Some(host);
    };
    let (name, port) = host.split_at(after + colon);
    port.bytes()
        .skip(1)
        .all(|byte| byte.is_ascii_digit())
        .then_some(name)
}

/// Whether the `Origin` of a request is the server that it goes to; none without an `Origin`.
#[must_use]
pub fn is_own_origin(headers: &HeaderMap) -> Option<bool> {
    let origin = headers.get(header::ORIGIN)?.to_str().unwrap_or_default();
    let host = text(headers, "host").unwrap_or_default();
    // A server in front of this one may speak https.
    let named = ["http://", "https://"]
        .iter()
        .find_map(|scheme| origin.strip_prefix(scheme));
    Some(named.is_some_and(|named| !host.is_empty() && named.eq_ignore_ascii_case(host)))
}

/// Whether a page of another site sent the request. Following a link to a page (`is_page`) does not count: the other site
/// cannot read it.
#[must_use]
pub fn is_cross_site(method: &Method, headers: &HeaderMap, is_page: bool) -> bool {
    if is_own_origin(headers) == Some(false) {
        return true;
    }
    // Programs and old browsers send no such header.
    let is_foreign =
        text(headers, "sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let is_visit = is_page
        && method.is_safe()
        && text(headers, "sec-fetch-mode") == Some("navigate")
        && text(headers, "sec-fetch-dest").is_none_or(|to| to == "document");
    is_foreign && !is_visit
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_at_home() {
        for host in [
            "localhost",
            "LOCALHOST:80",
            "LocalHost.:9464",
            "127.0.0.1:8080",
            "127.0.0.1:",
            "127.0.0.2",
            "127.1.2.3:9464",
            "[::1]",
            "[::1]:8080",
            "[0:0:0:0:0:0:0:1]:80",
            "[::ffff:127.0.0.1]:80",
        ] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "",
            ":80",
            ".",
            "evil.example",
            "localhost.evil.example",
            "localhost..",
            "localhost:80:80",
            "localhost:80@evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.1:evil",
            "128.0.0.1",
            "10.0.0.1:80",
            "0.0.0.0",
            "::1",
            "[127.0.0.1]",
            "[localhost]",
            "[::1",
            "[::1]x",
            "[::2]",
            "[fe80::1]",
            "[::ffff:10.0.0.1]",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| {
            let value = axum::http::HeaderValue::from_static(value);
            (axum::http::HeaderName::from_static(name), value)
        });
        pairs.collect()
    }

    #[test]
    fn an_origin_is_the_server_itself_or_another_one() {
        let said = |origin| is_own_origin(&headers(&[("host", "127.0.0.1:9464"), ("origin", origin)]));
        assert_eq!(said("http://127.0.0.1:9464"), Some(true));
        assert_eq!(
            said("https://127.0.0.1:9464"),
            Some(true),
            "behind a server with TLS"
        );
        for origin in [
            "http://127.0.0.1:80",
            "http://127.0.0.1",
            "http://evil.example",
            "null",
            "",
            "127.0.0.1:9464",
        ] {
            assert_eq!(said(origin), Some(false), "{origin}");
        }
        assert_eq!(is_own_origin(&headers(&[("host", "127.0.0.1")])), None);
        assert_eq!(
            is_own_origin(&headers(&[("origin", "http://")])),
            Some(false),
            "no host at all"
        );
    }

    #[test]
    fn what_another_site_asks_for_warned_about_files_from_a_visit() {
        let asked = |pairs: &[(&'static str, &'static str)], is_page| {
            is_cross_site(&Method::GET, &headers(pairs), is_page)
        };
        let (site, mode, to) = ("sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest");
        for own in ["same-origin", "none"] {
            assert!(!asked(&[(site, own), (mode, "cors")], false), "{own}");
        }
        assert!(!asked(&[], false), "a program");
        for foreign in ["cross-site", "same-site", "anything"] {
            assert!(
                asked(&[(site, foreign), (mode, "no-cors"), (to, "image")], true),
                "an image"
            );
            assert!(
                asked(&[(site, foreign), (mode, "cors"), (to, "empty")], false),
                "a script"
            );
            let link = [(site, foreign), (mode, "navigate"), (to, "document")];
            assert!(
                !asked(&link, true) && asked(&link, false),
                "a link leads to pages alone"
            );
            assert!(is_cross_site(&Method::POST, &headers(&link), true), "a form");
            let frame = [(site, foreign), (mode, "navigate"), (to, "iframe")];
            assert!(asked(&frame, true), "a frame");
        }
        assert!(asked(
            &[("host", "127.0.0.1"), ("origin", "http://evil.example")],
            true
        ));
    }
}
