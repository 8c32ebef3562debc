//! A served sandbox, players that talk to it, and streams that are read line by line.

use std::time::Duration;

use serde_json::Value;
use sparring_chess::units::Millis;
use sparring_sandbox::{Options, Sandbox};
use tokio::{net::TcpListener, task::JoinHandle, time::timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Nothing on loopback takes so long.
const PATIENCE: Duration = Duration::from_secs(10);

/// A sandbox whose clocks stand still until they are advanced.
pub fn standing_still() -> Options {
    Options {
        speed_factor: 0.0,
        epoch: Some(Millis(1_786_000_000_000)),
        ..Options::default()
    }
}

pub struct Table {
    pub sandbox: Sandbox,
    pub url: String,
    pub bot: Player,
    pub anna: Player,
    pub served: JoinHandle<std::io::Result<()>>,
    pub stop: DropGuard,
}

impl Table {
    /// A served sandbox with the bot SandBot and the human Anna.
    pub async fn set(options: Options) -> Self {
        // reqwest is built without a choice of cryptography; a second test finds the choice made.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let sandbox = Sandbox::new(options);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let player = |token, interface| Player {
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
            url: url.clone(),
            token,
            interface,
        };
        let bot = player(sandbox.add_bot("SandBot").unwrap(), "bot");
        let anna = player(sandbox.add_human("Anna").unwrap(), "board");
        let stop = CancellationToken::new();
        let served = tokio::spawn(sandbox.clone().serve(listener, stop.clone()));
        Self {
            sandbox,
            url,
            bot,
            anna,
            served,
            stop: stop.drop_guard(),
        }
    }

    /// One more bot account.
    pub fn another_bot(&self, name: &str) -> Player {
        Player {
            token: self.sandbox.add_bot(name).unwrap(),
            ..self.bot.clone()
        }
    }

    /// One more person.
    pub fn another_human(&self, name: &str) -> Player {
        Player {
            token: self.sandbox.add_human(name).unwrap(),
            ..self.anna.clone()
        }
    }

    /// Anna challenges the bot, which accepts: the id of their game.
    pub async fn game(&self, form: &[(&str, &str)]) -> String {
        let (status, challenge) = self.anna.post("/api/challenge/SandBot", form).await;
        assert_eq!(status, 200, "{challenge}");
        let id = challenge["id"].as_str().unwrap().to_owned();
        self.bot.does(&format!("/api/challenge/{id}/accept")).await;
        id
    }
}

/// Five minutes and three seconds, Anna has White.
pub const BLITZ: [(&str, &str); 3] = [
    ("clock.limit", "300"),
    ("clock.increment", "3"),
    ("color", "white"),
];

#[derive(Clone)]
pub struct Player {
    pub http: reqwest::Client,
    pub url: String,
    pub token: String,
    pub interface: &'static str,
}

impl Player {
    pub fn request(&self, method: reqwest::Method, path: &str) -> reqwest::RequestBuilder {
        self.http
            .request(method, format!("{}{path}", self.url))
            .bearer_auth(&self.token)
            .header("accept", "application/json")
    }

    pub async fn get(&self, path: &str) -> (u16, Value) {
        answer(self.request(reqwest::Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, form: &[(&str, &str)]) -> (u16, Value) {
        answer(self.request(reqwest::Method::POST, path).form(form)).await
    }

    /// Posts a command that must succeed.
    pub async fn does(&self, path: &str) {
        let (status, body) = self.post(path, &[]).await;
        assert_eq!((status, &body["ok"]), (200, &Value::Bool(true)), "{path}: {body}");
    }

    /// Posts a command to a game, as in `move/e2e4`.
    pub async fn plays(&self, game: &str, command: &str) {
        self.does(&format!("/api/{}/game/{game}/{command}", self.interface))
            .await;
    }

    /// Posts a command to a game that must be refused: status and text.
    pub async fn fails(&self, game: &str, command: &str) -> (u16, String) {
        let path = format!("/api/{}/game/{game}/{command}", self.interface);
        let (status, body) = self.post(&path, &[]).await;
        (status, body["error"].as_str().unwrap_or_default().to_owned())
    }

    pub async fn says(&self, game: &str, text: &str) -> (u16, Value) {
        let path = format!("/api/{}/game/{game}/chat", self.interface);
        self.post(&path, &[("room", "player"), ("text", text)]).await
    }

    pub async fn watches(&self, game: &str) -> Lines {
        self.streams(&format!("/api/{}/game/stream/{game}", self.interface))
            .await
    }

    pub async fn events(&self) -> Lines {
        self.streams("/api/stream/event").await
    }

    pub async fn streams(&self, path: &str) -> Lines {
        Lines::open(self.request(reqwest::Method::GET, path)).await
    }
}

pub async fn answer(request: reqwest::RequestBuilder) -> (u16, Value) {
    let response = timeout(PATIENCE, request.send()).await.unwrap().unwrap();
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    (status, body)
}

/// An open stream.
pub struct Lines {
    pub response: reqwest::Response,
    buffer: Vec<u8>,
}

impl Lines {
    pub async fn open(request: reqwest::RequestBuilder) -> Self {
        let response = timeout(PATIENCE, request.send()).await.unwrap().unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "application/x-ndjson");
        Self {
            response,
            buffer: Vec::new(),
        }
    }

    /// The next line, empty for a keep-alive; `None` at the end or when the connection broke.
    pub async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                return Some(String::from_utf8(line).unwrap().trim_end().to_owned());
            }
            let chunk = timeout(PATIENCE, self.response.chunk())
                .await
                .expect("the stream should have said something");
            self.buffer.extend_from_slice(&chunk.ok().flatten()?);
        }
    }

    /// The next value, keep-alives left out.
    pub async fn next(&mut self) -> Value {
        loop {
            let line = self.line().await.expect("the stream should go on");
            if !line.is_empty() {
                return serde_json::from_str(&line).unwrap();
            }
        }
    }

    /// The next value of a kind, others left out.
    pub async fn next_of(&mut self, kind: &str) -> Value {
        loop {
            let value = self.next().await;
            if value["type"] == kind {
                return value;
            }
        }
    }

    /// Reads to the end: there must be nothing but keep-alives.
    pub async fn ends(&mut self) {
        while let Some(line) = self.line().await {
            assert_eq!(line, "");
        }
    }
}
