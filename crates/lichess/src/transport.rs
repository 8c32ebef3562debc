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
    response::{ErrorResponse, accepted, asked_silence, limit_key, refused, since_1970},
    retry::EndpointClass,
};
use crate::model::UserId;
use sparring_chess::units::Millis;
use sparring_diagnostics::address_without_secrets;

/// For calls that no clock waits for.
const PATIENCE: Duration = Duration::from_secs(10);
/// An answer that is not a stream is never longer than this, in bytes.
const LONGEST_BODY: usize = 4 * 1024 * 1024;

/// The way to a server. Clones share connections and gates.
#[derive(Clone)]
pub(super) struct Transport {
    base: Url,
    /// Moves and other short calls. Streams have connections of their own, so that one that stalls cannot hold
    /// a move back.
    commands: Arc<ConnectionPool>,
    /// Each stream has a new connection: a stream that fell silent is opened again while a clock runs, and a connection that an
    /// earlier one has left may be forgotten as well.
    streams: reqwest::Client,
    authorization: HeaderValue,
    agent: HeaderValue,
    /// Whether lichess has shown that it is at this address.
    is_known: bool,
    gates: Arc<RateLimiter>,
    /// Nothing but GET leaves this machine.
    reads_only: bool,
}

/// A server's address that cannot be used.
#[derive(Debug, Error)]
pub enum SetupError {
    /// Not an address of the web.
    #[error("\"{0}\" is not an address such as https://lichess.org")]
    Address(String),
    /// The token would cross the network in the open.
    #[error("\"{0}\" is neither https nor on this machine: a token must not cross a network in the open")]
    NotEncrypted(String),
    /// TLS or the resolver could not be set up.
    #[error("the network client cannot be set up")]
    Client(#[source] reqwest::Error),
}

impl Transport {
    /// The way to a server such as `https://lichess.org`. Nothing is sent yet.
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
            streams: each_anew(local).map_err(SetupError::Client)?,
            base,
            authorization,
            agent: agent(None),
            is_known: false,
            gates: Arc::new(RateLimiter::new(seed)),
            reads_only: false,
        })
    }

    /// From now on the account, which the server has shown, is named to it.
    pub(super) fn name(&mut self, user: &UserId) {
        self.agent = agent(Some(user));
        self.is_known = true;
    }

    /// A class of calls is silent for so long.
    pub(super) fn hold(&self, class: EndpointClass, wait: Millis) {
        self.gates.hold(class, wait);
    }

    /// How long a class of calls is silent still.
    pub(super) fn silence(&self, class: EndpointClass) -> Option<Millis> {
        self.gates.wait(class)
    }

    /// From now on nothing is sent but questions.
    pub(super) fn only_read(&mut self) {
        self.reads_only = true;
    }

    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        // Checked to be a base when the client was made, so there are segments to extend.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    /// A short call, authorised, with a limit to its whole time.
    pub(super) fn request(&self, method: Method, path: &[&str]) -> RequestBuilder {
        self.dressed(self.commands.client().request(method, self.url(path)))
            .header(ACCEPT, "application/json")
            .timeout(PATIENCE)
    }

    fn dressed(&self, request: RequestBuilder) -> RequestBuilder {
        request
            .header(AUTHORIZATION, self.authorization.clone())
            .header(USER_AGENT, self.agent.clone())
    }

    /// Asks for the server's front page, whatever it says, for the date on it. The token stays here.
    pub(super) async fn server_time(&self) -> Result<Option<Millis>, CallError> {
        let request = self.commands.client().head(self.url(&[])).timeout(PATIENCE);
        let answer = request.send().await.map_err(|error| CallError::Transient {
            call: "time",
            why: reason(&error),
        })?;
        let date = answer.headers().get(DATE).and_then(|date| date.to_str().ok());
        Ok(date.and_then(since_1970))
    }

    /// Opens a stream that may last for days and may be silent for so long.
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

    /// Sends an order whose answer is a stream, which may be silent for so long.
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
        let request = self.dressed(request).header(ACCEPT, "application/x-ndjson");
        // The limit is for the head of the answer; the stream itself may last for days.
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

    /// Sends a command whose success has no content worth reading.
    pub(super) async fn order(
        &self,
        call: &'static str,
        class: EndpointClass,
        request: RequestBuilder,
    ) -> Result<(), CallError> {
        self.send::<Map<String, Value>>(call, class, request)
            .await
            .map(|_| ())
    }

    /// Sends a request and reads what its success promises.
    pub(super) async fn send<T: DeserializeOwned>(
        &self,
        call: &'static str,
        class: EndpointClass,
        request: RequestBuilder,
    ) -> Result<T, CallError> {
        let answer = self.exchange(call, class, request).await?;
        accepted(call, &body(call, answer).await?)
    }

    /// Sends a request and reads a list, one value a line. Lines that do not fit are passed over.
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

    /// Sends a request and returns the answer if its status is a success.
    async fn exchange(
        &self,
        call: &'static str,
        class: EndpointClass,
        request: RequestBuilder,
    ) -> Result<Response, CallError> {
        if let Some(after) = self.gates.wait(class) {
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
            self.gates.succeed(class);
            return Ok(answer);
        }
        let header = |name| {
            let value: Option<&HeaderValue> = answer.headers().get(name);
            value.and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let (retry_after, date, location) = (header(RETRY_AFTER), header(DATE), header(LOCATION));
        // The body only explains; a status without one still counts.
        let body = body(call, answer).await.unwrap_or_default();
        if status == StatusCode::TOO_MANY_REQUESTS {
            let asked = asked_silence(&body, retry_after.as_deref(), date.as_deref());
            let key = limit_key(&body);
            // A limit on games between bots says nothing about people, who are answered by the same calls.
            let is_about_bots = key.as_deref().is_some_and(|key| key.starts_with("bot.vsBot"));
            let after = match asked {
                Some(asked) if is_about_bots => asked,
                _ => self.gates.refuse(class, asked),
            };
            return Err(CallError::RateLimited { call, after, key });
        }
        Err(refused(&ErrorResponse {
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

/// One pool of connections.
fn http(local: bool) -> Result<reqwest::Client, reqwest::Error> {
    connections(local).build()
}

/// Connections of which none is used twice.
fn each_anew(local: bool) -> Result<reqwest::Client, reqwest::Error> {
    connections(local).pool_max_idle_per_host(0).build()
}

/// Nothing is repeated or redirected behind our back, and no answer is unpacked: a compressed bomb stays small.
fn connections(local: bool) -> reqwest::ClientBuilder {
    let mut builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .https_only(!local)
        .connect_timeout(Duration::from_secs(5))
        .tcp_nodelay(true)
        .tcp_keepalive(Duration::from_secs(20))
        // Below what servers keep, so that a pooled connection is seldom one they have just closed.
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

/// The whole chain of an error in one line, without the address, which the call's name says better.
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
