//! URL of the lichess server: https, or plain http to this machine.

use std::fmt;

use reqwest::Url;
use thiserror::Error;
use toml::{Spanned, de::DeValue};

use sparring_config_schema::{Text, TypeError, ValueType};
use sparring_diagnostics::address_without_secrets;

/// A checked server URL, to which the token may be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server(String);

/// A URL to which the token must not be sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadServer {
    /// Not a URL.
    #[error("\"{0}\" is not the address of a server; write one as in \"https://lichess.org\"")]
    NotAnAddress(String),
    /// A URL with user name or password.
    #[error(
        "\"{0}\" has a name or password in it; write the address alone, as in \"https://lichess.org\": the token says who it is"
    )]
    Password(String),
    /// Plain http to another machine.
    #[error("\"{0}\" would send the token in the clear; write https:// unless the server is on this machine")]
    InTheClear(String),
}

impl Server {
    /// Checks a URL. Errors quote it without passwords.
    ///
    /// # Errors
    /// [`BadServer`] for a text that is no URL, has more than scheme, host and port, or is plain http to another machine.
    pub fn parse(text: &str) -> Result<Self, BadServer> {
        let shown = || address_without_secrets(text);
        let not_an_address = || BadServer::NotAnAddress(shown());
        let url = Url::parse(text.trim()).map_err(|_| not_an_address())?;
        let bare = url.username().is_empty()
            && url.password().is_none()
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none();
        if !bare || !url.has_host() {
            return Err(match !url.username().is_empty() || url.password().is_some() {
                true => BadServer::Password(shown()),
                false => not_an_address(),
            });
        }
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&url) => {}
            "http" => return Err(BadServer::InTheClear(shown())),
            _ => return Err(not_an_address()),
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// The URL without a trailing slash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || address
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

impl Default for Server {
    fn default() -> Self {
        Self("https://lichess.org".to_owned())
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The value type of server URLs.
impl ValueType for Server {
    type Value = Self;

    fn describe(&self) -> String {
        "the address of a server, as in \"https://lichess.org\" or \"http://127.0.0.1:8080\"".to_owned()
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<Self, Vec<TypeError>> {
        let text = Text(300).read(value)?;
        Self::parse(&text).map_err(|bad| {
            let bad = bad.to_string();
            let (message, help) = bad.split_once("; ").unwrap_or((&bad, ""));
            vec![TypeError::new(value, message).with_help(help)]
        })
    }

    fn write(&self, value: &Self) -> String {
        format!("\"{value}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_go_only_to_private_addresses() {
        for (text, kept) in [
            ("https://lichess.org", "https://lichess.org"),
            ("https://lichess.org/", "https://lichess.org"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://localhost:1", "http://localhost:1"),
            ("http://[::1]:8080/", "http://[::1]:8080"),
        ] {
            assert_eq!(Server::parse(text).unwrap().as_str(), kept);
        }
        for text in [
            "http://lichess.org",
            "http://192.168.0.2:9",
            "http://127.0.0.1.evil.org",
        ] {
            assert!(
                matches!(Server::parse(text), Err(BadServer::InTheClear(_))),
                "{text}"
            );
        }
        for text in [
            "",
            "lichess.org",
            "ftp://lichess.org",
            "https://lichess.org/api",
            "https://lichess.org?x=1",
        ] {
            assert!(
                matches!(Server::parse(text), Err(BadServer::NotAnAddress(_))),
                "{text}"
            );
        }
        for text in [
            "https://me:secret@lichess.org",
            "https://secret@lichess.org",
            "https://me:sec?ret@lichess.org/api",
            "http://me:secret@lichess.org",
            "me:secret@lichess.org",
            "https://me:my sec phrase@lichess.org",
            "https://lichess.org#sec",
            "lichess.org?y=sec",
            "ftp://me:secret@lichess.org",
        ] {
            let said = Server::parse(text).unwrap_err().to_string();
            assert!(!said.contains("sec") && said.contains("lichess.org"), "{said}");
        }
    }
}
