//! Client of lichess' bot and board API. Paths are built here only, from checked ids.
//!
//! The client never waits or repeats on its own: it reports, and the caller decides with `retry`. A call of a class
//! that lichess has asked to be silent is not sent at all.

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

/// Chat is said now or never.
const CHAT_PATIENCE: Duration = Duration::from_secs(5);
/// Two keep-alives of 7 s missed: the event stream is dead.
const EVENT_SILENCE: Millis = Millis::from_secs(15);
/// lichess keeps challenges alive by a blank line each 50 s.
const CHALLENGE_SILENCE: Millis = Millis::from_secs(110);
/// A game's stream is given up after one missed keep-alive, because a clock may be running.
const GAME_SILENCE: Millis = Millis::from_secs(10);

/// A server and an account on it. Clones share connections and gates.
#[derive(Clone)]
pub struct Client {
    pub(super) wire: Transport,
    token: Token,
    /// `bot` or `board`: the part of the paths of games.
    interface: &'static str,
}

impl Client {
    /// A client for a server such as `https://lichess.org`. Nothing is sent yet. The seed decides how waits after
    /// a 429 are jittered.
    ///
    /// # Errors
    /// [`SetupError`] when the address is none, or neither encrypted nor on this machine.
    pub fn new(server: &str, token: Token, seed: u64) -> Result<Self, SetupError> {
        Ok(Self {
            wire: Transport::new(server, &token, seed)?,
            token,
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

    /// The same client that only asks: whatever would change something on the server is refused here.
    #[must_use]
    pub fn reading_only(mut self) -> Self {
        self.wire.only_read();
        self
    }

    /// Makes a class of calls silent for so long, as an earlier run was told to be. Moves and streams of games are
    /// never held back.
    pub fn hold(&self, class: EndpointClass, wait: Millis) {
        self.wire.hold(class, wait);
    }

    /// How long calls of this class have to be silent still, if at all.
    #[must_use]
    pub fn silence(&self, class: EndpointClass) -> Option<Millis> {
        self.wire.silence(class)
    }

    /// The same client that names its account to the server, as lichess asks of polite programs. lichess refuses
    /// calls whose name does not fit the token, so name only whom `account` has shown.
    #[must_use]
    pub fn named(mut self, user: &UserId) -> Self {
        self.wire.name(user);
        self
    }

    /// Whose token this is and what it allows; `None` for a token that lichess does not know.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn test_token(&self) -> Result<Option<TokenInfo>, CallError> {
        let request = self
            .wire
            .request(Method::POST, &["api", "token", "test"])
            .header(CONTENT_TYPE, "text/plain")
            .body(self.token.expose().to_owned());
        // The answer names the token, and what cannot be read of an answer is told.
        let known = self
            .wire
            .send("token test", EndpointClass::Account, request)
            .await;
        let mut known: BTreeMap<String, Option<TokenInfo>> =
            known.map_err(|error: CallError| error.without(self.token.expose()))?;
        Ok(known.remove(self.token.expose()).flatten())
    }

    /// What time it is for the server, since 1970, if it says so. Asked without the token.
    ///
    /// # Errors
    /// [`CallError`] when nothing that speaks HTTP answers.
    pub async fn server_time(&self) -> Result<Option<Millis>, CallError> {
        self.wire.server_time().await
    }

    /// The account that the token belongs to.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn account(&self) -> Result<Account, CallError> {
        let request = self.wire.request(Method::GET, &["api", "account"]);
        let PartialDecode(account) = self.wire.send("account", EndpointClass::Account, request).await?;
        Ok(account)
    }

    /// Makes the account a bot, for ever. lichess refuses if a game was played.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn upgrade_to_bot(&self) -> Result<(), CallError> {
        let request = self
            .wire
            .request(Method::POST, &["api", "bot", "account", "upgrade"]);
        self.wire.order("upgrade", EndpointClass::Account, request).await
    }

    /// My running games, at most 50.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn playing(&self) -> Result<NowPlaying, CallError> {
        let request = self
            .wire
            .request(Method::GET, &["api", "account", "playing"])
            .query(&[("nb", 50)]);
        self.wire
            .send("running games", EndpointClass::Account, request)
            .await
    }

    /// Bots that are online, at most so many. Lines that make no account are passed over.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn online_bots(&self, most: u32) -> Result<Vec<Account>, CallError> {
        let request = self
            .wire
            .request(Method::GET, &["api", "bot", "online"])
            .query(&[("nb", most)]);
        let bots = self
            .wire
            .list("online bots", EndpointClass::Read, request)
            .await?;
        Ok(bots.into_iter().map(|PartialDecode(bot)| bot).collect())
    }

    /// Opens the event stream.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn events(&self) -> Result<NdjsonStream<Event>, CallError> {
        self.wire
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
        self.wire
            .open("game stream", EndpointClass::GameStream, &path, GAME_SILENCE)
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
        self.wire.order("move", EndpointClass::Move, request).await
    }

    /// Ends a game that nobody has to count.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn abort(&self, game: &GameId) -> Result<(), CallError> {
        self.wire
            .order("abort", EndpointClass::Command, self.command(game, &["abort"]))
            .await
    }

    /// Gives a game up.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn resign(&self, game: &GameId) -> Result<(), CallError> {
        self.wire
            .order("resign", EndpointClass::Command, self.command(game, &["resign"]))
            .await
    }

    /// Offers or accepts a draw, or declines or withdraws one.
    ///
    /// # Errors
    /// [`CallError`] as for every call. A success says nothing of the effect; the stream does.
    pub async fn draw(&self, game: &GameId, yes: bool) -> Result<(), CallError> {
        self.wire
            .order(
                "draw",
                EndpointClass::Command,
                self.command(game, &["draw", yes_or_no(yes)]),
            )
            .await
    }

    /// Accepts or declines that the opponent takes a move back.
    ///
    /// # Errors
    /// [`CallError`] as for every call. A success says nothing of the effect; the stream does.
    pub async fn takeback(&self, game: &GameId, yes: bool) -> Result<(), CallError> {
        self.wire
            .order(
                "takeback",
                EndpointClass::Command,
                self.command(game, &["takeback", yes_or_no(yes)]),
            )
            .await
    }

    /// Claims the win against an opponent who left.
    ///
    /// # Errors
    /// [`CallError`] as for every call. A success says nothing of the effect; the stream does.
    pub async fn claim_victory(&self, game: &GameId) -> Result<(), CallError> {
        self.wire
            .order(
                "claim victory",
                EndpointClass::Command,
                self.command(game, &["claim-victory"]),
            )
            .await
    }

    /// Claims a draw against an opponent who left.
    ///
    /// # Errors
    /// [`CallError`] as for every call. A success says nothing of the effect; the stream does.
    pub async fn claim_draw(&self, game: &GameId) -> Result<(), CallError> {
        self.wire
            .order(
                "claim draw",
                EndpointClass::Command,
                self.command(game, &["claim-draw"]),
            )
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
        self.wire.order("chat", EndpointClass::Chat, request).await
    }

    /// What was said between the players so far.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn chat(&self, game: &GameId) -> Result<Vec<ChatMessage>, CallError> {
        let request = self.wire.request(
            Method::GET,
            &["api", self.interface, "game", game.as_str(), "chat"],
        );
        self.wire.send("chat history", EndpointClass::Chat, request).await
    }

    /// Challenges a user to a game; its fate comes on the event stream.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn invite(&self, user: &UserId, invitation: &ChallengeRequest) -> Result<Challenge, CallError> {
        let request = self
            .wire
            .request(Method::POST, &["api", "challenge", user.as_str()])
            .form(&invitation.form());
        self.wire.send("challenge", EndpointClass::Invite, request).await
    }

    /// Challenges a user and keeps the challenge alive for as long as the stream that comes back is held. Its fate is the
    /// last line of it, and comes on the event stream too.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn invite_and_wait(
        &self,
        user: &UserId,
        invitation: &ChallengeRequest,
    ) -> Result<(Box<Challenge>, NdjsonStream<ChallengeOutcome>), CallError> {
        const CALL: &str = "challenge";
        let mut form = invitation.form();
        form.push(("keepAliveStream", true.to_string()));
        let path = ["api", "challenge", user.as_str()];
        let mut lines = self
            .wire
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

    /// Accepts a challenge; the game comes on the event stream.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn accept(&self, challenge: &GameId) -> Result<(), CallError> {
        let request = self.challenge(challenge, "accept");
        self.wire.order("accept", EndpointClass::Challenge, request).await
    }

    /// Declines a challenge.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn decline(&self, challenge: &GameId, reason: DeclineReason) -> Result<(), CallError> {
        let request = self
            .challenge(challenge, "decline")
            .form(&[("reason", reason.key())]);
        self.wire
            .order("decline", EndpointClass::Challenge, request)
            .await
    }

    /// Takes back a challenge of mine.
    ///
    /// # Errors
    /// [`CallError`] as for every call.
    pub async fn cancel(&self, challenge: &GameId) -> Result<(), CallError> {
        self.wire
            .order(
                "cancel",
                EndpointClass::Challenge,
                self.challenge(challenge, "cancel"),
            )
            .await
    }

    fn command(&self, game: &GameId, rest: &[&str]) -> RequestBuilder {
        self.wire.request(
            Method::POST,
            &[&["api", self.interface, "game", game.as_str()], rest].concat(),
        )
    }

    fn challenge(&self, challenge: &GameId, what: &str) -> RequestBuilder {
        self.wire
            .request(Method::POST, &["api", "challenge", challenge.as_str(), what])
    }
}

fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}
