//! Client of lichess' bot and board API. Paths are built here only, from checked ids.
//!
//! The client never waits or repeats on its own: it reports, and the caller decides with `retry`. A call of a class
//! during a rate limit of lichess is not sent at all.

use std::{collections::BTreeMap, time::Duration};

use reqwest::{Method, RequestBuilder, header::CONTENT_TYPE};

use super::{
    CallError, ChallengeOutcome, NdjsonStream, SetupError, Token, retry::EndpointClass, transport::Transport,
};
use crate::model::{
    Account, Challenge, ChallengeRequest, ChatMessage, DeclineReason, Event, GameEvent, GameId, NowPlaying,
    PartialDecode, Room, TokenInfo, UserId,
};
use sparring_chess::units::Millis;

/// Time limit of chat: late lines are worthless.
const CHAT_PATIENCE: Duration = Duration::from_secs(5);
/// Idle time-out of the event stream: two keep-alives of 7 s missed.
const EVENT_SILENCE: Millis = Millis::from_secs(15);
/// Idle time-out of a challenge's stream: lichess sends a blank line every 50 s.
const CHALLENGE_SILENCE: Millis = Millis::from_secs(110);
/// Idle time-out of a game stream: one missed keep-alive, since a clock may be running.
const GAME_SILENCE: Millis = Millis::from_secs(10);

/// A client for one account on one server. Clones share connections and rate limits.
#[derive(Clone)]
pub struct Client {
    pub(super) transport: Transport,
    token: Token,
    /// `bot` or `board`: the part of the paths of games.
    interface: &'static str,
}

impl Client {
    /// A client for a server such as `https://lichess.org`. Sends nothing yet. The seed decides the jitter of waits after a 429.
    ///
    /// # Errors
    /// [`SetupError`] when the address is none, or neither encrypted nor on this machine.
    pub fn new(server: &str, token: Token, seed: u64) -> Result<Self, SetupError> {
        Ok(Self {
            transport: Transport::new(server, &token, seed)?,
            token,
            interface: "bot",
        })
    }

    /// The same client on the board API, for accounts without the title BOT. lichess forbids engines there; the sandbox's console and
    /// tests use it.
    #[must_use]
    pub fn board_api(mut self) -> Self {
        self.interface = "board";
        self
    }

    /// The same client, read-only: every request but GET is rejected here.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.transport.set_read_only();
        self
    }

    /// Blocks a class of calls for this time, restored from an earlier run. Moves and game streams are never blocked.
    pub fn block(&self, class: EndpointClass, wait: Millis) {
        self.transport.block(class, wait);
    }

    /// How long calls of this class are still blocked.
    #[must_use]
    pub fn blocked_for(&self, class: EndpointClass) -> Option<Millis> {
        self.transport.blocked_for(class)
    }

    /// The same client with the account in its user agent, as lichess requires. lichess rejects calls whose name does not fit the
    /// token, so pass only the id that [`account`](Self::account) returned.
    #[must_use]
    pub fn with_user_agent(mut self, user: &UserId) -> Self {
        self.transport.set_user_agent(user);
        self
    }

    /// User and scopes of the token; `None` for a token that lichess does not know.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn test_token(&self) -> Result<Option<TokenInfo>, CallError> {
        let request = self
            .transport
            .request(Method::POST, &["api", "token", "test"])
            .header(CONTENT_TYPE, "text/plain")
            .body(self.token.expose().to_owned());
        // The response quotes the token, and an error may quote the response.
        let known = self
            .transport
            .send("token test", EndpointClass::Account, request)
            .await;
        let mut known: BTreeMap<String, Option<TokenInfo>> =
            known.map_err(|error: CallError| error.without_secret(self.token.expose()))?;
        Ok(known.remove(self.token.expose()).flatten())
    }

    /// The server's time since 1970, if it sends a `Date`. Sent without the token.
    ///
    /// # Errors
    /// [`CallError`] when no HTTP server answers.
    pub async fn server_time(&self) -> Result<Option<Millis>, CallError> {
        self.transport.server_time().await
    }

    /// The account that the token belongs to.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn account(&self) -> Result<Account, CallError> {
        let request = self.transport.request(Method::GET, &["api", "account"]);
        let PartialDecode(account) = self
            .transport
            .send("account", EndpointClass::Account, request)
            .await?;
        Ok(account)
    }

    /// Upgrades the account to a bot. It cannot be undone. lichess rejects it once a game was played.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn upgrade_to_bot(&self) -> Result<(), CallError> {
        let request = self
            .transport
            .request(Method::POST, &["api", "bot", "account", "upgrade"]);
        self.transport
            .post_ok("upgrade", EndpointClass::Account, request)
            .await
    }

    /// Ongoing games, at most 50.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn ongoing_games(&self) -> Result<NowPlaying, CallError> {
        let request = self
            .transport
            .request(Method::GET, &["api", "account", "playing"])
            .query(&[("nb", 50)]);
        self.transport
            .send("running games", EndpointClass::Account, request)
            .await
    }

    /// Online bots, at most `most`. Lines that do not decode are skipped.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn online_bots(&self, most: u32) -> Result<Vec<Account>, CallError> {
        let request = self
            .transport
            .request(Method::GET, &["api", "bot", "online"])
            .query(&[("nb", most)]);
        let bots = self
            .transport
            .list("online bots", EndpointClass::Read, request)
            .await?;
        Ok(bots.into_iter().map(|PartialDecode(bot)| bot).collect())
    }

    /// Opens the event stream.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn events(&self) -> Result<NdjsonStream<Event>, CallError> {
        self.transport
            .open(
                "event stream",
                EndpointClass::EventStream,
                &["api", "stream", "event"],
                EVENT_SILENCE,
            )
            .await
    }

    /// Opens the stream of a game.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn game(&self, game: &GameId) -> Result<NdjsonStream<GameEvent>, CallError> {
        let path = ["api", self.interface, "game", "stream", game.as_str()];
        self.transport
            .open("game stream", EndpointClass::GameStream, &path, GAME_SILENCE)
            .await
    }

    /// Plays a move in UCI notation, with a draw offer if `offering_draw`. `patience` is the time limit.
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
        self.transport.post_ok("move", EndpointClass::Move, request).await
    }

    /// Aborts a game.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn abort(&self, game: &GameId) -> Result<(), CallError> {
        self.transport
            .post_ok("abort", EndpointClass::Command, self.command(game, &["abort"]))
            .await
    }

    /// Resigns a game.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn resign(&self, game: &GameId) -> Result<(), CallError> {
        self.transport
            .post_ok("resign", EndpointClass::Command, self.command(game, &["resign"]))
            .await
    }

    /// Offers or accepts a draw (`yes`), or declines or withdraws one.
    ///
    /// # Errors
    /// [`CallError`] as for every call. The game stream shows the effect; a success does not.
    pub async fn draw(&self, game: &GameId, yes: bool) -> Result<(), CallError> {
        self.transport
            .post_ok(
                "draw",
                EndpointClass::Command,
                self.command(game, &["draw", yes_or_no(yes)]),
            )
            .await
    }

    /// Accepts or declines a takeback.
    ///
    /// # Errors
    /// [`CallError`] as for every call. The game stream shows the effect; a success does not.
    pub async fn takeback(&self, game: &GameId, yes: bool) -> Result<(), CallError> {
        self.transport
            .post_ok(
                "takeback",
                EndpointClass::Command,
                self.command(game, &["takeback", yes_or_no(yes)]),
            )
            .await
    }

    /// Claims victory against an opponent who left.
    ///
    /// # Errors
    /// [`CallError`] as for every call. The game stream shows the effect; a success does not.
    pub async fn claim_victory(&self, game: &GameId) -> Result<(), CallError> {
        self.transport
            .post_ok(
                "claim victory",
                EndpointClass::Command,
                self.command(game, &["claim-victory"]),
            )
            .await
    }

    /// Claims a draw against an opponent who left.
    ///
    /// # Errors
    /// [`CallError`] as for every call. The game stream shows the effect; a success does not.
    pub async fn claim_draw(&self, game: &GameId) -> Result<(), CallError> {
        self.transport
            .post_ok(
                "claim draw",
                EndpointClass::Command,
                self.command(game, &["claim-draw"]),
            )
            .await
    }

    /// Posts a chat line of 1 to 140 characters.
    ///
    /// # Errors
    /// [`CallError`] as for every call. lichess drops lines with links without an error.
    pub async fn post_chat(&self, game: &GameId, room: &Room, text: &str) -> Result<(), CallError> {
        let room = match room {
            Room::Player => "player",
            Room::Spectator => "spectator",
            Room::Other(name) => name,
        };
        let request = self
            .command(game, &["chat"])
            .timeout(CHAT_PATIENCE)
            .form(&[("room", room), ("text", text)]);
        self.transport.post_ok("chat", EndpointClass::Chat, request).await
    }

    /// The chat lines of the players so far.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn chat_history(&self, game: &GameId) -> Result<Vec<ChatMessage>, CallError> {
        let request = self.transport.request(
            Method::GET,
            &["api", self.interface, "game", game.as_str(), "chat"],
        );
        self.transport
            .send("chat history", EndpointClass::Chat, request)
            .await
    }

    /// Creates a challenge. Its outcome arrives on the event stream.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn create_challenge(
        &self,
        user: &UserId,
        invitation: &ChallengeRequest,
    ) -> Result<Challenge, CallError> {
        let request = self
            .transport
            .request(Method::POST, &["api", "challenge", user.as_str()])
            .form(&invitation.form());
        self.transport
            .send("challenge", EndpointClass::Invite, request)
            .await
    }

    /// Creates a challenge that stays alive as long as the returned stream (`keepAliveStream`). Its outcome is the last line of the
    /// stream, and arrives on the event stream too.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn create_challenge_and_wait(
        &self,
        user: &UserId,
        invitation: &ChallengeRequest,
    ) -> Result<(Box<Challenge>, NdjsonStream<ChallengeOutcome>), CallError> {
        const CALL: &str = "challenge";
        let mut form = invitation.form();
        form.push(("keepAliveStream", true.to_string()));
        let path = ["api", "challenge", user.as_str()];
        let mut lines = self
            .transport
            .post(CALL, EndpointClass::Invite, &path, &form, CHALLENGE_SILENCE)
            .await?;
        let why = match lines.next().await {
            Ok(Ok(ChallengeOutcome::Challenge(challenge))) => return Ok((challenge, lines)),
            Ok(Ok(ChallengeOutcome::Done(_))) => "it was over before it began".to_owned(),
            Ok(Err(bad)) => bad.to_string(),
            Err(lost) => lost.to_string(),
        };
        Err(CallError::Transient { call: CALL, why })
    }

    /// Accepts a challenge. `gameStart` arrives on the event stream.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn accept(&self, challenge: &GameId) -> Result<(), CallError> {
        let request = self.challenge(challenge, "accept");
        self.transport
            .post_ok("accept", EndpointClass::Challenge, request)
            .await
    }

    /// Declines a challenge.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn decline(&self, challenge: &GameId, reason: DeclineReason) -> Result<(), CallError> {
        let request = self
            .challenge(challenge, "decline")
            .form(&[("reason", reason.key())]);
        self.transport
            .post_ok("decline", EndpointClass::Challenge, request)
            .await
    }

    /// Cancels a challenge of mine.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn cancel(&self, challenge: &GameId) -> Result<(), CallError> {
        self.transport
            .post_ok(
                "cancel",
                EndpointClass::Challenge,
                self.challenge(challenge, "cancel"),
            )
            .await
    }

    fn command(&self, game: &GameId, rest: &[&str]) -> RequestBuilder {
        self.transport.request(
            Method::POST,
            &[&["api", self.interface, "game", game.as_str()], rest].concat(),
        )
    }

    fn challenge(&self, challenge: &GameId, what: &str) -> RequestBuilder {
        self.transport
            .request(Method::POST, &["api", "challenge", challenge.as_str(), what])
    }
}

fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}
