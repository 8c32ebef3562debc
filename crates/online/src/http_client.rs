//! Requests: one at a time for each host, with time and size limits, without redirects and cookies.

use std::{
    collections::BTreeMap,
    error::Error as _,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use reqwest::{
    Client, StatusCode, Url,
    header::{ACCEPT, AUTHORIZATION, HeaderValue, RETRY_AFTER, USER_AGENT},
};
use secrecy::{ExposeSecret as _, SecretString};
use thiserror::Error;
use tokio::time::{Instant, timeout_at};

use super::source::Question;

/// Longest body, in bytes.
const LONGEST_BODY: usize = 512 * 1024;
/// The least pause after a 429: lichess asks for a whole minute.
const LEAST_PAUSE: Duration = Duration::from_secs(60);
/// With less time left nothing is sent: no answer comes in so little, and the source would be blamed.
const LEAST_TIME: Duration = Duration::from_millis(20);
/// Who asks.
const AGENT: &str = concat!("sparring/", env!("CARGO_PKG_VERSION"));

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum AskError {
    /// Another request to the host took all the time.
    #[error("another game asks the server")]
    Busy,
    /// The host asked for a pause that has not passed.
    #[error("the server asked for a pause")]
    Paused,
    /// The server does not know the position.
    #[error("the server does not know the position")]
    NotFound,
    /// No answer, or no end of one, in time.
    #[error("no answer in time")]
    Timeout,
    /// Too many requests.
    #[error("too many requests: the server asks for a pause of {} s", after.as_secs())]
    RateLimited {
        /// The pause.
        after: Duration,
    },
    /// The server wants a token, or another one.
    #[error("the server wants a token (status {0}): token-file names a file with one")]
    Unauthorized(u16),
    /// Another status than success.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// The connection failed.
    #[error("{0}")]
    Network(String),
    /// The body does not end.
    #[error("the answer is longer than {LONGEST_BODY} bytes")]
    TooLong,
}

impl AskError {
    /// The result in the metric; none where nothing was asked.
    #[must_use]
    pub const fn result(&self) -> Option<&'static str> {
        match self {
            Self::Busy | Self::Paused => None,
            Self::NotFound => Some("unknown"),
            Self::Timeout => Some("timeout"),
            Self::RateLimited { .. } => Some("rate-limited"),
            Self::Unauthorized(_) => Some("unauthorized"),
            Self::Status(_) => Some("status"),
            Self::Network(_) => Some("network"),
            Self::TooLong => Some("garbage"),
        }
    }

    /// A pause that has to follow.
    #[must_use]
    pub const fn pause(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { after } => Some(*after),
            // Nothing but the settings can mend it.
            Self::Unauthorized(_) => Some(Duration::from_secs(600)),
            _ => None,
        }
    }
}

/// Sends requests. Clones share connections, and what hosts asked for.
#[derive(Debug, Clone, Default)]
pub struct HttpClient(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// For servers on this machine, and for all others.
    clients: [Mutex<Option<Client>>; 2],
    hosts: Mutex<BTreeMap<String, Arc<Host>>>,
}

/// What is known of a host.
#[derive(Debug, Default)]
struct Host {
    /// Held during a request.
    turn: tokio::sync::Mutex<()>,
    paused_until: Mutex<Option<Instant>>,
}

impl HttpClient {
    /// The body of an answer that comes before the deadline. A token goes to the host of the address and nowhere else.
    ///
    /// # Errors
    /// [`AskError`] without one.
    pub async fn ask(
        &self,
        question: &Question,
        token: Option<&SecretString>,
        deadline: Instant,
    ) -> Result<Vec<u8>, AskError> {
        let network = |why: &str| AskError::Network(why.to_owned());
        let url = Url::parse(&question.url).map_err(|_| network("the address cannot be used"))?;
        let host = self.host(&url);
        let _turn = timeout_at(deadline, host.turn.lock())
            .await
            .map_err(|_| AskError::Busy)?;
        if Instant::now() + LEAST_TIME > deadline {
            return Err(AskError::Busy);
        }
        let paused_until = *host.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        if paused_until.is_some_and(|until| Instant::now() < until) {
            return Err(AskError::Paused);
        }
        let mut request = self
            .client(&url)?
            .get(url)
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, AGENT);
        if let Some(token) = token {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret().trim()))
                .map_err(|_| network("the token is no text for a header"))?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        let sent = timeout_at(deadline, request.send()).await;
        let mut answer = sent
            .map_err(|_| AskError::Timeout)?
            .map_err(|error| AskError::Network(reason(&error)))?;
        match answer.status() {
            StatusCode::OK => {}
            StatusCode::TOO_MANY_REQUESTS => {
                let asked = answer.headers().get(RETRY_AFTER);
                let asked = asked.and_then(|value| value.to_str().ok()?.trim().parse().ok());
                let after = Duration::from_secs(asked.unwrap_or(0)).max(LEAST_PAUSE);
                // An absurd pause is the breaker's to cap, and no reason for a panic here.
                *host.paused_until.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(Instant::now() + after.min(Duration::from_secs(3600)));
                return Err(AskError::RateLimited { after });
            }
            // How each server says that it has no such position.
            StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST => return Err(AskError::NotFound),
            status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
                return Err(AskError::Unauthorized(status.as_u16()));
            }
            status => return Err(AskError::Status(status.as_u16())),
        }
        let mut body = Vec::new();
        loop {
            match timeout_at(deadline, answer.chunk()).await {
                Ok(Ok(Some(chunk))) if body.len() + chunk.len() > LONGEST_BODY => {
                    return Err(AskError::TooLong);
                }
                Ok(Ok(Some(chunk))) => body.extend_from_slice(&chunk),
                Ok(Ok(None)) => return Ok(body),
                // Whole lines count as they are.
                Ok(Err(_)) | Err(_) if question.improves && body.contains(&b'\n') => return Ok(body),
                Ok(Err(error)) => return Err(AskError::Network(reason(&error))),
                Err(_) => return Err(AskError::Timeout),
            }
        }
    }

    fn host(&self, url: &Url) -> Arc<Host> {
        let key = format!(
            "{}:{}",
            url.host_str().unwrap_or_default(),
            url.port_or_known_default().unwrap_or_default()
        );
        let mut hosts = self.0.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(hosts.entry(key).or_default())
    }

    fn client(&self, url: &Url) -> Result<Client, AskError> {
        let is_local = is_loopback(url);
        let [local, public] = &self.0.clients;
        let slot = if is_local { local } else { public };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*slot {
            return Ok(client.clone());
        }
        // An error here means that a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .https_only(!is_local)
            .tcp_nodelay(true)
            .pool_max_idle_per_host(1)
            .pool_idle_timeout(Duration::from_secs(25));
        if is_local {
            builder = builder.no_proxy();
        }
        let client = builder
            .build()
            .map_err(|error| AskError::Network(reason(&error)))?;
        Ok(slot.insert(client).clone())
    }
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || bare.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    })
}

/// The innermost cause, without the address.
fn reason(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    let mut text = None;
    while let Some(inner) = cause {
        text = Some(inner.to_string());
        cause = inner.source();
    }
    text.unwrap_or_else(|| "the request could not be sent".to_owned())
}

#[cfg(test)]
mod tests;
