//! The calls of lichess' bot interface, typed. Every path is built here, and only from checked ids.
//!
//! The client never waits or repeats on its own: it reports, and the caller decides with `retry`. A call of a class
//! that lichess has asked to be silent is not sent at all.

use std::{collections::BTreeMap, error::Error as _, sync::Arc, time::Duration};

use futures::{StreamExt as _, TryStreamExt as _};
use reqwest::{
    Method, RequestBuilder, Response, StatusCode, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER, USER_AGENT},
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

use super::{
    CallError, Lines, Token,
    answer::{Refusal, accepted, asked_silence, limit_key, refused},
    gates::Gates,
    retry::Class,
    stream::Line,
};
use crate::{
    lichess::model::{
        Account, Challenge, ChatMessage, DeclineReason, Event, GameEvent, GameId, Invitation, NowPlaying,
        Room, TokenInfo, UserId,
    },
    units::Millis,
};

/// For calls that no clock waits for.
const PATIENCE: Duration = Duration::from_secs(10);
/// Chat is said now or never.
const CHAT_PATIENCE: Duration = Duration::from_secs(5);
/// An answer that is not a stream is never longer than this, in bytes.
const LONGEST_BODY: usize = 1024 * 1024;
/// Two keep-alives of 7 s missed: the event stream is dead.
pub const EVENT_SILENCE: Millis = Millis::from_secs(15);
/// A game's stream is given up after one missed keep-alive, because a clock may be running.
pub const GAME_SILENCE: Millis = Millis::from_secs(10);

/// A server and an account on it. Clones share connections and gates.
#[derive(Clone)]
pub struct Client {
    base: Url,
    /// Moves and other short calls. Streams have connections of their own, so that one that stalls cannot hold
    /// a move back.
    commands: reqwest::Client,
    streams: reqwest::Client,
    token: Token,
    authorization: HeaderValue,
    agent: HeaderValue,
    gates: Arc<Gates>,
    interface: &'static str,
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

impl Client {
    /// A client for a server such as `https://lichess.org`. Nothing is sent yet. The seed decides how waits after
    /// a 429 are jittered.
    ///
    /// # Errors
    /// [`SetupError`] when the address is none, or neither encrypted nor on this machine.
    pub fn new(server: &str, token: Token, seed: u64) -> Result<Self, SetupError> {
        let base = Url::parse(server).map_err(|_| SetupError::Address(server.to_owned()))?;
        if base.cannot_be_a_base() || !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(SetupError::Address(server.to_owned()));
        }
        let local = is_loopback(&base);
        if base.scheme() != "https" && !local {
            return Err(SetupError::NotEncrypted(server.to_owned()));
        }
        // An error here means that a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", token.expose()))
            .unwrap_or_else(|_| unreachable!("a checked token has only letters, digits and underscores"));
        authorization.set_sensitive(true);
        Ok(Self {
            commands: http(local).map_err(SetupError::Client)?,
            streams: http(local).map_err(SetupError::Client)?,
            base,
            token,
            authorization,
            agent: agent(None),
            gates: Arc::new(Gates::new(seed)),
            interface: "bot",
        })
    }

    /// The same client for a person's account: games go through the board interface, which is closed to bots as the
    /// bot interface is to people. On lichess engines are forbidden there; the sandbox's console and tests use it.
    #[must_use]
    pub fn at_the_board(mut self) -> Self {
        self.interface = "board";
        self
    }

    /// The same client that names its account to the server, as lichess asks of polite programs. lichess refuses
    /// calls whose name does not fit the token, so name only whom `account` has shown.
    #[must_use]
    pub fn named(mut self, user: &UserId) -> Self {
        self.agent = agent(Some(user));
        self
    }

    /// Whose token this is and what it allows; `None` for a token that lichess does not know.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn test_token(&self) -> Result<Option<TokenInfo>, CallError> {
        let request = self
            .request(Method::POST, &["api", "token", "test"])
            .header(CONTENT_TYPE, "text/plain")
            .body(self.token.expose().to_owned());
        let mut known: BTreeMap<String, Option<TokenInfo>> =
            self.send("token test", Class::Read, request).await?;
        Ok(known.remove(self.token.expose()).flatten())
    }

    /// The account that the token belongs to.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn account(&self) -> Result<Account, CallError> {
        let request = self.request(Method::GET, &["api", "account"]);
        self.send("account", Class::Read, request).await
    }

    /// Makes the account a bot, for ever. lichess refuses if a game was played.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn upgrade_to_bot(&self) -> Result<(), CallError> {
        let request = self.request(Method::POST, &["api", "bot", "account", "upgrade"]);
        self.order("upgrade", Class::Read, request).await
    }

    /// My running games, at most 50.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn playing(&self) -> Result<NowPlaying, CallError> {
        let request = self
            .request(Method::GET, &["api", "account", "playing"])
            .query(&[("nb", 50)]);
        self.send("running games", Class::Read, request).await
    }

    /// Opens the event stream.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn events(&self) -> Result<Lines<Event>, CallError> {
        self.open(
            "event stream",
            Class::EventStream,
            &["api", "stream", "event"],
            EVENT_SILENCE,
        )
        .await
    }

    /// Opens the stream of a game.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn game(&self, game: &GameId) -> Result<Lines<GameEvent>, CallError> {
        let path = ["api", self.interface, "game", "stream", game.as_str()];
        self.open("game stream", Class::GameStream, &path, GAME_SILENCE)
            .await
    }

    /// Plays a move, given in UCI notation, and offers a draw with it if asked to.
    ///
    /// # Errors
    /// [`CallError`] as for every call; a transient one leaves open whether the move was played.
    pub async fn play(
        &self,
        game: &GameId,
        uci: &str,
        offering_draw: bool,
        patience: Millis,
    ) -> Result<(), CallError> {
        let mut request = self.command(game, &["move", uci]).timeout(patience.into());
        if offering_draw {
            request = request.query(&[("offeringDraw", true)]);
        }
        self.order("move", Class::Move, request).await
    }

    /// Ends a game that nobody has to count.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn abort(&self, game: &GameId) -> Result<(), CallError> {
        self.order("abort", Class::Command, self.command(game, &["abort"]))
            .await
    }

    /// Gives a game up.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn resign(&self, game: &GameId) -> Result<(), CallError> {
        self.order("resign", Class::Command, self.command(game, &["resign"]))
            .await
    }

    /// Offers or accepts a draw, or declines or withdraws one.
    ///
    /// # Errors
    /// [`CallError`] as for every call. A success says nothing of the effect; the stream does.
    pub async fn draw(&self, game: &GameId, yes: bool) -> Result<(), CallError> {
        self.order(
            "draw",
            Class::Command,
            self.command(game, &["draw", yes_or_no(yes)]),
        )
        .await
    }

    /// Accepts or declines that the opponent takes a move back.
    ///
    /// # Errors
    /// [`CallError`] as for every call. A success says nothing of the effect; the stream does.
    pub async fn takeback(&self, game: &GameId, yes: bool) -> Result<(), CallError> {
        self.order(
            "takeback",
            Class::Command,
            self.command(game, &["takeback", yes_or_no(yes)]),
        )
        .await
    }

    /// Claims the win against an opponent who left.
    ///
    /// # Errors
    /// [`CallError`] as for every call. A success says nothing of the effect; the stream does.
    pub async fn claim_victory(&self, game: &GameId) -> Result<(), CallError> {
        self.order(
            "claim victory",
            Class::Command,
            self.command(game, &["claim-victory"]),
        )
        .await
    }

    /// Claims a draw against an opponent who left.
    ///
    /// # Errors
    /// [`CallError`] as for every call. A success says nothing of the effect; the stream does.
    pub async fn claim_draw(&self, game: &GameId) -> Result<(), CallError> {
        self.order("claim draw", Class::Command, self.command(game, &["claim-draw"]))
            .await
    }

    /// Says something in a game, 1 to 140 characters.
    ///
    /// # Errors
    /// [`CallError`] as for every call. lichess drops lines with links without saying so.
    pub async fn say(&self, game: &GameId, room: &Room, text: &str) -> Result<(), CallError> {
        let room = match room {
            Room::Player => "player",
            Room::Spectator => "spectator",
            Room::Other(name) => name,
        };
        let request = self
            .command(game, &["chat"])
            .timeout(CHAT_PATIENCE)
            .form(&[("room", room), ("text", text)]);
        self.order("chat", Class::Chat, request).await
    }

    /// What was said between the players so far.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn chat(&self, game: &GameId) -> Result<Vec<ChatMessage>, CallError> {
        let request = self.request(
            Method::GET,
            &["api", self.interface, "game", game.as_str(), "chat"],
        );
        self.send("chat history", Class::Chat, request).await
    }

    /// Challenges a user to a game; its fate comes on the event stream.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn invite(&self, user: &UserId, invitation: &Invitation) -> Result<Challenge, CallError> {
        let request = self
            .request(Method::POST, &["api", "challenge", user.as_str()])
            .form(&invitation.form());
        self.send("challenge", Class::Challenge, request).await
    }

    /// Accepts a challenge; the game comes on the event stream.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn accept(&self, challenge: &GameId) -> Result<(), CallError> {
        let request = self.challenge(challenge, "accept");
        self.order("accept", Class::Challenge, request).await
    }

    /// Declines a challenge.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn decline(&self, challenge: &GameId, reason: DeclineReason) -> Result<(), CallError> {
        let request = self
            .challenge(challenge, "decline")
            .form(&[("reason", reason.key())]);
        self.order("decline", Class::Challenge, request).await
    }

    /// Takes back a challenge of mine.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn cancel(&self, challenge: &GameId) -> Result<(), CallError> {
        self.order("cancel", Class::Challenge, self.challenge(challenge, "cancel"))
            .await
    }

    fn command(&self, game: &GameId, rest: &[&str]) -> RequestBuilder {
        self.request(
            Method::POST,
            &[&["api", self.interface, "game", game.as_str()], rest].concat(),
        )
    }

    fn challenge(&self, challenge: &GameId, what: &str) -> RequestBuilder {
        self.request(Method::POST, &["api", "challenge", challenge.as_str(), what])
    }

    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        // Checked to be a base when the client was made, so there are segments to extend.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    fn request(&self, method: Method, path: &[&str]) -> RequestBuilder {
        self.dressed(self.commands.request(method, self.url(path)))
            .header(ACCEPT, "application/json")
            .timeout(PATIENCE)
    }

    fn dressed(&self, request: RequestBuilder) -> RequestBuilder {
        request
            .header(AUTHORIZATION, self.authorization.clone())
            .header(USER_AGENT, self.agent.clone())
    }

    async fn open<T: Line>(
        &self,
        call: &'static str,
        class: Class,
        path: &[&str],
        silence: Millis,
    ) -> Result<Lines<T>, CallError> {
        let request = self
            .dressed(self.streams.get(self.url(path)))
            .header(ACCEPT, "application/x-ndjson");
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
        Ok(Lines::new(chunks, silence))
    }

    /// Sends a command whose success has no content worth reading.
    async fn order(
        &self,
        call: &'static str,
        class: Class,
        request: RequestBuilder,
    ) -> Result<(), CallError> {
        self.send::<Map<String, Value>>(call, class, request)
            .await
            .map(|_| ())
    }

    async fn send<T: DeserializeOwned>(
        &self,
        call: &'static str,
        class: Class,
        request: RequestBuilder,
    ) -> Result<T, CallError> {
        let answer = self.exchange(call, class, request).await?;
        accepted(call, &body(call, answer).await?)
    }

    /// Sends a request and returns the answer if its status is a success.
    async fn exchange(
        &self,
        call: &'static str,
        class: Class,
        request: RequestBuilder,
    ) -> Result<Response, CallError> {
        if let Some(after) = self.gates.wait(class) {
            return Err(CallError::RateLimited {
                call,
                after,
                key: None,
            });
        }
        let answer = request.send().await.map_err(|error| CallError::Transient {
            call,
            why: reason(&error),
        })?;
        let status = answer.status();
        if status.is_success() {
            self.gates.succeed(class);
            return Ok(answer);
        }
        let header = |name| {
            let value: Option<&HeaderValue> = answer.headers().get(name);
            value.and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let (retry_after, location) = (header(RETRY_AFTER), header(LOCATION));
        // The body only explains; a status without one still counts.
        let body = body(call, answer).await.unwrap_or_default();
        if status == StatusCode::TOO_MANY_REQUESTS {
            let asked = asked_silence(&body, retry_after.as_deref());
            return Err(CallError::RateLimited {
                call,
                after: self.gates.refuse(class, asked),
                key: limit_key(&body),
            });
        }
        Err(refused(&Refusal {
            call,
            status,
            body: &body,
            location: location.as_deref(),
        }))
    }
}

fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
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

/// One pool of connections. Nothing is repeated or redirected behind our back, and no answer is unpacked: a
/// compressed bomb stays small.
fn http(local: bool) -> Result<reqwest::Client, reqwest::Error> {
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
    builder.build()
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
mod tests {
    use super::*;

    fn token() -> Token {
        Token::parse("lip_CANARY").unwrap()
    }

    #[test]
    fn a_token_crosses_a_network_only_encrypted() {
        for good in [
            "https://lichess.org",
            "http://127.0.0.1:9",
            "http://localhost:9/",
            "http://[::1]:9",
        ] {
            assert!(Client::new(good, token(), 1).is_ok(), "{good}");
        }
        for open in [
            "http://lichess.org",
            "http://localhost.evil.example",
            "http://10.0.0.1",
        ] {
            let error = Client::new(open, token(), 1).err().unwrap();
            assert!(matches!(error, SetupError::NotEncrypted(_)), "{open}");
        }
        for strange in ["lichess.org", "mailto:a@b.example", "ftp://lichess.org", ""] {
            let error = Client::new(strange, token(), 1).err().unwrap();
            assert!(matches!(error, SetupError::Address(_)), "{strange}");
        }
    }

    #[test]
    fn paths_hold_whatever_they_are_given() {
        let client = Client::new("http://127.0.0.1:9/prefix/", token(), 1).unwrap();
        assert_eq!(
            client.url(&["api", "a/../b", "e2e4?x"]).as_str(),
            "http://127.0.0.1:9/prefix/api/a%2F..%2Fb/e2e4%3Fx"
        );
    }

    #[test]
    fn a_request_shows_nothing_of_the_token() {
        let client = Client::new("http://127.0.0.1:9", token(), 1).unwrap();
        let request = client
            .named(&"Ana".parse().unwrap())
            .request(Method::GET, &["api", "account"]);
        let shown = format!("{request:?}");
        assert!(!shown.contains("CANARY"), "{shown}");
        assert!(shown.contains("user:ana"), "{shown}");
    }
}
