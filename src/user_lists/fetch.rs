//! Fetches user lists: without the token, without redirects, never from a private network.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

use reqwest::{
    StatusCode, Url,
    header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH},
};
use thiserror::Error;

use crate::config::UserList;
use sparring_diagnostics::address_without_secrets;
use sparring_files as files;

/// Timeout of a fetch.
const PATIENCE: Duration = Duration::from_secs(10);

/// The source of a list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// A file.
    File(PathBuf),
    /// A URL.
    Address(String),
}

impl Source {
    /// The source of a list besides `bot.toml`.
    pub(super) fn of(list: &UserList) -> impl Iterator<Item = Self> + use<> {
        let file = list.file.clone().map(Self::File);
        let address = list.url.clone().map(Self::Address);
        file.into_iter().chain(address)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Address(address) => address_without_secrets(address).fmt(f),
        }
    }
}

/// The result of a fetch.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fetched {
    /// Not modified.
    Same,
    /// A new text with its ETag.
    Text {
        /// The text.
        text: String,
        /// The ETag.
        etag: Option<String>,
    },
}

/// Why a list could not be read.
#[derive(Debug, Error)]
pub(super) enum FetchError {
    #[error("cannot be read: {0}")]
    File(#[from] std::io::Error),
    #[error("is no address")]
    Address,
    #[error("\"{0}\" lies in a private network")]
    Private(String),
    #[error("answered with status {0}")]
    Status(StatusCode),
    #[error("is longer than {0} bytes")]
    TooLong(u64),
    #[error("answered with a web page")]
    Page,
    #[error("has lines, and none of them is a name of a user")]
    NoNames,
    #[error("{0}")]
    Web(reqwest::Error),
}

impl From<reqwest::Error> for FetchError {
    /// The HTTP error without the URL, which may hold a password and is logged separately.
    fn from(error: reqwest::Error) -> Self {
        Self::Web(error.without_url())
    }
}

/// Reads a file.
pub(super) async fn read(path: &Path, longest: u64) -> Result<String, FetchError> {
    let path = path.to_owned();
    let read = tokio::task::spawn_blocking(move || files::read(&path, longest));
    let bytes = read.await.map_err(std::io::Error::from)??;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Fetches a URL, unless it still has this ETag.
pub(super) async fn get(address: &str, known: Option<&str>, longest: u64) -> Result<Fetched, FetchError> {
    let url = Url::parse(address).map_err(|_| FetchError::Address)?;
    let mut request = client(&url).await?.get(url);
    if let Some(etag) = known {
        request = request.header(IF_NONE_MATCH, etag);
    }
    let mut answer = request.send().await?;
    if answer.status() == StatusCode::NOT_MODIFIED && known.is_some() {
        return Ok(Fetched::Same);
    }
    if answer.status() != StatusCode::OK {
        return Err(FetchError::Status(answer.status()));
    }
    // A login page of a proxy, or a parked domain.
    let kind = answer
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    if kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/html")) {
        return Err(FetchError::Page);
    }
    let etag = answer.headers().get(ETAG).and_then(|etag| etag.to_str().ok());
    let etag = etag.map(str::to_owned);
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        if (body.len() + chunk.len()) as u64 > longest {
            return Err(FetchError::TooLong(longest));
        }
        body.extend_from_slice(&chunk);
    }
    let text = String::from_utf8_lossy(&body).into_owned();
    Ok(Fetched::Text { text, etag })
}

/// A client for one request, bound to the checked IP addresses, since a host name may resolve differently a moment later (DNS
/// rebinding).
async fn client(url: &Url) -> Result<reqwest::Client, FetchError> {
    let host = url.host_str().ok_or(FetchError::Address)?;
    let port = url.port_or_known_default().ok_or(FetchError::Address)?;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let local = host == "localhost" || bare.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    let found: Vec<SocketAddr> = tokio::net::lookup_host((bare, port)).await?.collect();
    // A loopback host in the settings is intended; a public name that resolves to loopback is not.
    if !local && found.iter().any(|address| !is_public(address.ip())) {
        return Err(FetchError::Private(host.to_owned()));
    }
    // It fails if a provider is installed already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .https_only(!local)
        .no_proxy()
        .timeout(PATIENCE)
        .resolve_to_addrs(host, &found);
    Ok(builder.build()?)
}

/// Whether an IP address is public.
fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => {
            let [first, second, ..] = ip.octets();
            let is_shared = first == 100 && (64..128).contains(&second);
            !(ip.is_private()
                || ip.is_loopback()
                || ip.is_link_local()
                || ip.is_broadcast()
                || ip.is_multicast()
                || is_shared
                || first == 0)
        }
        IpAddr::V6(ip) => {
            !(ip.is_loopback()
                || ip.is_unspecified()
                || ip.is_multicast()
                || ip.is_unique_local()
                || ip.is_unicast_link_local())
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::{
        Router,
        http::{HeaderMap, StatusCode, header},
        routing::get as route,
    };
    use tokio::net::TcpListener;

    use super::*;

    async fn server() -> String {
        let list = route(|headers: HeaderMap| async move {
            if headers
                .get(header::IF_NONE_MATCH)
                .is_some_and(|tag| tag == "\"1\"")
            {
                return (StatusCode::NOT_MODIFIED, [(header::ETAG, "\"1\"")], String::new());
            }
            (StatusCode::OK, [(header::ETAG, "\"1\"")], "Ana\n".to_owned())
        });
        let away = route(|| async { (StatusCode::FOUND, [(header::LOCATION, "/list")], String::new()) });
        let page = route(|| async { axum::response::Html("ana\n") });
        let router = Router::new()
            .route("/list", list)
            .route("/away", away)
            .route("/page", page);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        address
    }

    #[tokio::test]
    async fn an_unchanged_list_is_not_sent_again() {
        let list = server().await + "/list";
        let Ok(Fetched::Text { text, etag }) = get(&list, None, 100).await else {
            panic!("no text");
        };
        assert_eq!((text.as_str(), etag.as_deref()), ("Ana\n", Some("\"1\"")));
        assert_eq!(get(&list, etag.as_deref(), 100).await.unwrap(), Fetched::Same);
        assert!(matches!(get(&list, None, 3).await, Err(FetchError::TooLong(3))));
    }

    #[tokio::test]
    async fn nobody_is_followed_elsewhere() {
        let away = server().await + "/away";
        assert!(matches!(
            get(&away, None, 100).await,
            Err(FetchError::Status(StatusCode::FOUND))
        ));
    }

    #[tokio::test]
    async fn a_web_page_is_no_list() {
        let page = server().await + "/page";
        assert!(matches!(get(&page, None, 100).await, Err(FetchError::Page)));
    }

    #[tokio::test]
    async fn no_error_and_no_place_has_the_password_of_an_address() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap();
        drop(listener);
        let address = format!("http://me:CANARY@{host}/list?token=CANARY");
        let error = get(&address, None, 100).await.unwrap_err();
        assert!(matches!(error, FetchError::Web(_)));
        let shown = format!("{error} {error:?} {}", Source::Address(address));
        assert!(
            !shown.contains("CANARY") && shown.contains(&host.to_string()),
            "{shown}"
        );
    }

    #[test]
    fn private_networks_are_told_from_the_world() {
        for inside in [
            "10.1.2.3",
            "192.168.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "::1",
            "fd00::1",
            "fe80::1",
            "::ffff:10.0.0.1",
        ] {
            assert!(!is_public(inside.parse().unwrap()), "{inside}");
        }
        for outside in ["37.187.205.99", "2001:41d0:307:b200::"] {
            assert!(is_public(outside.parse().unwrap()), "{outside}");
        }
    }
}
