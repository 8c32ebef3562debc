//! HTTP transport: one request and its response, with time and size limits.

use std::{error::Error as _, sync::Arc, time::Duration};

use futures::{StreamExt as _, TryStreamExt as _};
use reqwest::{
    Method, RequestBuilder, Response, StatusCode, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, DATE, HeaderValue, LOCATION, RETRY_AFTER, USER_AGENT},
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;
use tokio::time::Instant;
use tracing::trace;

use super::{
    CallError, Escaped, NdjsonStream, Token,
    connection_pool::ConnectionPool,
    ndjson::NdjsonItem,
    rate_limiter::RateLimiter,
    response::{ErrorResponse, decode_body, error_from, limit_key, since_1970, wait_asked_for},
    retry::EndpointClass,
};
use crate::model::UserId;
use sparring_chess::units::Millis;
use sparring_diagnostics::address_without_secrets;

/// Time limit of short calls, unless they set their own.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest body of a short call, in bytes.
const LONGEST_BODY: usize = 4 * 1024 * 1024;

/// HTTP transport to one server. Clones share connections and rate limits.
#[derive(Clone)]
pub(super) struct Transport {
    base: Url,
    /// Connections of moves and other short calls. Apart from streams, so that a stalled stream cannot delay a move.
    commands: Arc<ConnectionPool>,
    /// Without pooling: each stream gets a new connection, since a pooled one may be dead like the stream that left it.
    streams: reqwest::Client,
    authorization: HeaderValue,
    agent: HeaderValue,
    /// Whether lichess has answered at this address before.
    is_known: bool,
    rate_limiter: Arc<RateLimiter>,
    /// Only GET requests are sent.
    reads_only: bool,
}

/// A server address that cannot be used.
#[derive(Debug, Error)]
pub enum SetupError {
    /// Not an http or https URL.
    #[error("\"{0}\" is not an address such as https://lichess.org")]
    Address(String),
    /// The token would cross the network unencrypted.
    #[error("\"{0}\" is neither https nor on this machine: a token must not cross a network in the open")]
    NotEncrypted(String),
    /// TLS or the resolver could not be set up.
    #[error("the network client cannot be set up")]
    Client(#[source] reqwest::Error),
}

impl Transport {
    /// A transport to a server such as `https://lichess.org`. Sends nothing yet.
    pub(super) fn new(server: &str, token: &Token, seed: u64) -> Result<Self, SetupError> {
        let base = Url::parse(server).map_err(|_| SetupError::Address(address_without_secrets(server)))?;
        if base.cannot_be_a_base() || !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(SetupError::Address(address_without_secrets(server)));
        }
        let local = is_loopback(&base);
        if base.scheme() != "https" && !local {
            return Err(SetupError::NotEncrypted(address_without_secrets(server)));
        }
        // An error here means that a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", token.expose()))
            .unwrap_or_else(|_| unreachable!("a checked token has only letters, digits and underscores"));
        authorization.set_sensitive(true);
        Ok(Self {
            commands: Arc::new(ConnectionPool::new(http, local).map_err(SetupError::Client)?),
            streams: without_pooling(local).map_err(SetupError::Client)?,
            base,
            authorization,
            agent: agent(None),
            is_known: false,
            rate_limiter: Arc::new(RateLimiter::new(seed)),
            reads_only: false,
        })
    }

    /// Names the account in the user agent from now on.
    pub(super) fn set_user_agent(&mut self, user: &UserId) {
        self.agent = agent(Some(user));
        self.is_known = true;
    }

    /// Blocks a class of calls for this time.
    pub(super) fn block(&self, class: EndpointClass, wait: Millis) {
        self.rate_limiter.block(class, wait);
    }

    /// How long a class of calls is still blocked.
    pub(super) fn blocked_for(&self, class: EndpointClass) -> Option<Millis> {
        self.rate_limiter.blocked_for(class)
    }

    /// Sends only GET requests from now on.
    pub(super) fn set_read_only(&mut self) {
        self.reads_only = true;
    }

    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        // `new` has checked that the URL can be a base, so it has segments.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    /// A short call with authorization and a total time limit.
    pub(super) fn request(&self, method: Method, path: &[&str]) -> RequestBuilder {
        self.with_headers(self.commands.client().request(method, self.url(path)))
            .header(ACCEPT, "application/json")
            .timeout(PATIENCE)
    }

    fn with_headers(&self, request: RequestBuilder) -> RequestBuilder {
        request
            .header(AUTHORIZATION, self.authorization.clone())
            .header(USER_AGENT, self.agent.clone())
    }

    /// The `Date` header of the server's front page. Sent without the token.
    pub(super) async fn server_time(&self) -> Result<Option<Millis>, CallError> {
        let request = self.commands.client().head(self.url(&[])).timeout(PATIENCE);
        let answer = request.send().await.map_err(|error| CallError::Transient {
            call: "time",
            why: reason(&error),
        })?;
        let date = answer.headers().get(DATE).and_then(|date| date.to_str().ok());
        Ok(date.and_then(since_1970))
    }

    /// Opens an NDJSON stream by GET, with an idle time-out.
    pub(super) async fn open<T: NdjsonItem>(
        &self,
        call: &'static str,
        class: EndpointClass,
        path: &[&str],
        silence: Millis,
    ) -> Result<NdjsonStream<T>, CallError> {
        self.stream(call, class, self.streams.get(self.url(path)), silence)
            .await
    }

    /// Opens an NDJSON stream by POST, with an idle time-out.
    pub(super) async fn post<T: NdjsonItem>(
        &self,
        call: &'static str,
        class: EndpointClass,
        path: &[&str],
        form: &[(&str, String)],
        silence: Millis,
    ) -> Result<NdjsonStream<T>, CallError> {
        let request = self.streams.post(self.url(path)).form(form);
        self.stream(call, class, request, silence).await
    }

    async fn stream<T: NdjsonItem>(
        &self,
        call: &'static str,
        class: EndpointClass,
        request: RequestBuilder,
        silence: Millis,
    ) -> Result<NdjsonStream<T>, CallError> {
        let request = self.with_headers(request).header(ACCEPT, "application/x-ndjson");
        // The limit is for the response head; the stream itself may last for days.
        let answer = tokio::time::timeout(PATIENCE, self.exchange(call, class, request))
            .await
            .map_err(|_| CallError::Transient {
                call,
                why: format!("no answer within {}", Millis::from(PATIENCE)),
            })??;
        let kind = answer
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok());
        if let Some(kind) = kind.filter(|kind| !kind.contains("json")) {
            return Err(CallError::Transient {
                call,
                why: format!("answered with \"{kind}\" instead of lines of JSON"),
            });
        }
        let chunks = answer.bytes_stream().map_err(|error| reason(&error)).boxed();
        Ok(NdjsonStream::new(chunks, silence))
    }

    /// Sends a request and ignores the body of a success.
    pub(super) async fn post_ok(
        &self,
        call: &'static str,
        class: EndpointClass,
        request: RequestBuilder,
    ) -> Result<(), CallError> {
        self.send::<Map<String, Value>>(call, class, request)
            .await
            .map(|_| ())
    }

    /// Sends a request and decodes the JSON body of a success.
    pub(super) async fn send<T: DeserializeOwned>(
        &self,
        call: &'static str,
        class: EndpointClass,
        request: RequestBuilder,
    ) -> Result<T, CallError> {
        let answer = self.exchange(call, class, request).await?;
        decode_body(call, &body(call, answer).await?)
    }

    /// Sends a request and decodes an NDJSON list. Lines that do not decode are skipped.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        call: &'static str,
        class: EndpointClass,
        request: RequestBuilder,
    ) -> Result<Vec<T>, CallError> {
        let answer = self.exchange(call, class, request).await?;
        let body = body(call, answer).await?;
        let lines = body.split(|byte| *byte == b'\n');
        Ok(lines
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect())
    }

    /// Sends a request and returns the response if its status is a success.
    async fn exchange(
        &self,
        call: &'static str,
        class: EndpointClass,
        request: RequestBuilder,
    ) -> Result<Response, CallError> {
        if let Some(after) = self.rate_limiter.blocked_for(class) {
            return Err(CallError::RateLimited {
                call,
                after,
                key: None,
            });
        }
        let unsent = |error: reqwest::Error| CallError::Transient {
            call,
            why: reason(&error),
        };
        let (client, request) = request.build_split();
        let request = request.map_err(unsent)?;
        if self.reads_only && request.method() != Method::GET {
            return Err(CallError::Rejected {
                call,
                status: 0,
                message: "nothing is sent in a dry run".to_owned(),
                ratelimit: None,
            });
        }
        let began = Instant::now();
        trace!("{} {}", request.method(), Escaped(request.url().path()));
        let answer = client.execute(request).await.map_err(|error| {
            if error.is_timeout() {
                self.commands.renew(began);
            }
            unsent(error)
        })?;
        let status = answer.status();
        trace!("{call}: {status} after {}", Millis::from(began.elapsed()));
        if status.is_success() {
            self.rate_limiter.on_success(class);
            return Ok(answer);
        }
        let header = |name| {
            let value: Option<&HeaderValue> = answer.headers().get(name);
            value.and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let (retry_after, date, location) = (header(RETRY_AFTER), header(DATE), header(LOCATION));
        // The body is optional: the status decides.
        let body = body(call, answer).await.unwrap_or_default();
        if status == StatusCode::TOO_MANY_REQUESTS {
            let asked = wait_asked_for(&body, retry_after.as_deref(), date.as_deref());
            let key = limit_key(&body);
            // A limit on games between bots must not block the class: people's challenges use the same calls.
            let is_about_bots = key.as_deref().is_some_and(|key| key.starts_with("bot.vsBot"));
            let after = match asked {
                Some(asked) if is_about_bots => asked,
                _ => self.rate_limiter.on_rate_limited(class, asked),
            };
            return Err(CallError::RateLimited { call, after, key });
        }
        Err(error_from(&ErrorResponse {
            call,
            status,
            body: &body,
            location: location.as_deref(),
            is_known: self.is_known,
        }))
    }
}

fn agent(user: Option<&UserId>) -> HeaderValue {
    let product = concat!("sparring/", env!("CARGO_PKG_VERSION"));
    let text = user.map_or_else(|| product.to_owned(), |user| format!("{product} user:{user}"));
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(product))
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || bare.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
    })
}

/// A client with pooled connections.
fn http(local: bool) -> Result<reqwest::Client, reqwest::Error> {
    connections(local).build()
}

/// A client that opens a new connection for each request.
fn without_pooling(local: bool) -> Result<reqwest::Client, reqwest::Error> {
    connections(local).pool_max_idle_per_host(0).build()
}

/// No automatic retries, redirects or decompression: a compressed bomb stays small.
fn connections(local: bool) -> reqwest::ClientBuilder {
    let mut builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .https_only(!local)
        .connect_timeout(Duration::from_secs(5))
        .tcp_nodelay(true)
        .tcp_keepalive(Duration::from_secs(20))
        // Below the servers' own limit, so that a pooled connection is rarely one they have just closed.
        .pool_idle_timeout(Duration::from_secs(25))
        .http2_keep_alive_interval(Duration::from_secs(10))
        .http2_keep_alive_timeout(Duration::from_secs(5))
        .http2_keep_alive_while_idle(true);
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        builder = builder.tcp_user_timeout(Duration::from_secs(15));
    }
    if local {
        builder = builder.no_proxy();
    }
    builder
}

async fn body(call: &'static str, mut answer: Response) -> Result<Vec<u8>, CallError> {
    let failed = |why| CallError::Transient { call, why };
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| failed(reason(&error)))? {
        if body.len() + chunk.len() > LONGEST_BODY {
            return Err(failed("the answer is endless".to_owned()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The error chain in one line, without the URL.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time".to_owned();
    }
    let mut text = String::new();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = if text.is_empty() {
            inner.to_string()
        } else {
            format!("{text}: {inner}")
        };
        cause = inner.source();
    }
    if text.is_empty() {
        "the request could not be sent".to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests;
