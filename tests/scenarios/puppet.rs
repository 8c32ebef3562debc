//! A server without a mind of its own: a test feeds its streams byte by byte and reads what was posted.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{Method, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::{mpsc, watch},
    task::JoinHandle,
    time::timeout,
};

use crate::stage::{Bot, Crew, PATIENCE, Staging};

/// The game of most tests.
pub const ID: &str = "abcd1234";

const TOKEN: &str = "lip_puppet";

/// The server, and a daemon on it.
pub struct Puppet {
    pub crew: Crew,
    pub bot: Bot,
    /// The open event stream.
    pub events: Tap,
    posts: watch::Receiver<Vec<String>>,
    opened: mpsc::UnboundedReceiver<(String, Tap)>,
    unclaimed: VecDeque<(String, Tap)>,
    kept: Vec<Tap>,
    strings: Arc<Strings>,
    _served: JoinHandle<std::io::Result<()>>,
}

struct Strings {
    posts: watch::Sender<Vec<String>>,
    opened: mpsc::UnboundedSender<(String, Tap)>,
    /// Answers to posts, by what their path ends with, first come first used.
    answers: std::sync::Mutex<VecDeque<(&'static str, StatusCode, &'static str)>>,
    /// The list of running games.
    playing: std::sync::Mutex<Value>,
    /// How often that was asked for.
    listed: AtomicUsize,
    /// Whether the chat of a game is told by a tap.
    holds_chat: AtomicBool,
}

/// The feeding end of a stream. Dropping it closes the stream.
pub struct Tap(mpsc::UnboundedSender<Bytes>);

impl Tap {
    /// Sends bytes as they are, as one chunk.
    pub fn bytes(&self, bytes: impl Into<Vec<u8>>) {
        let _ = self.0.send(Bytes::from(bytes.into())); // the daemon may have gone
    }

    /// Proves that the connection lives, as a server does, until the stream is given up.
    pub fn keep_alive(&self, every: Duration) {
        self.repeats("\n", every);
    }

    /// Sends the same again and again until the stream is given up.
    pub fn repeats(&self, bytes: impl Into<Bytes>, every: Duration) {
        let (tap, bytes) = (self.0.clone(), bytes.into());
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(every);
            while tap.send(bytes.clone()).is_ok() {
                ticks.tick().await;
            }
        });
    }

    /// Sends a line.
    pub fn line(&self, line: &Value) {
        self.bytes(format!("{line}\n"));
    }
}

impl Staging {
    /// Puts the daemon on a puppet server and waits for its event stream.
    pub async fn on_strings(self) -> Puppet {
        let (post_sender, posts) = watch::channel(Vec::new());
        let (open_sender, opened) = mpsc::unbounded_channel();
        let strings = Arc::new(Strings {
            posts: post_sender,
            opened: open_sender,
            answers: std::sync::Mutex::default(),
            playing: std::sync::Mutex::new(json!([])),
            listed: AtomicUsize::new(0),
            holds_chat: AtomicBool::new(false),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(serve).with_state(Arc::clone(&strings));
        let served = tokio::spawn(async { axum::serve(listener, router).await });
        let crew = self.crew();
        let mut puppet = Puppet {
            bot: crew.daemon(&url, TOKEN),
            crew,
            events: Tap(mpsc::unbounded_channel().0),
            posts,
            opened,
            unclaimed: VecDeque::new(),
            kept: Vec::new(),
            strings,
            _served: served,
        };
        puppet.events = puppet.opens("/api/stream/event").await;
        puppet
    }
}

async fn serve(State(strings): State<Arc<Strings>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    match (request.method(), path.as_str()) {
        (&Method::POST, "/api/token/test") => {
            json!({ TOKEN: {"userId": "bot", "scopes": "bot:play", "expires": null} }).to_string()
        }
        (&Method::POST, _) => {
            strings
                .posts
                .send_modify(|posts| posts.push(path.trim_start_matches("/api/").to_owned()));
            let mut answers = strings.answers.lock().unwrap();
            let armed = answers.iter().position(|(end, ..)| path.ends_with(end));
            if let Some((_, status, body)) = armed.and_then(|index| answers.remove(index)) {
                return (status, body).into_response();
            }
            r#"{"ok":true}"#.to_owned()
        }
        (_, "/api/account") => json!({"id": "bot", "username": "Bot", "title": "BOT"}).to_string(),
        (_, "/api/account/playing") => {
            strings.listed.fetch_add(1, Ordering::Relaxed);
            json!({"nowPlaying": *strings.playing.lock().unwrap()}).to_string()
        }
        (_, path) if path.contains("/stream/") => return stream(&strings, path),
        (_, path) if path.ends_with("/chat") && strings.holds_chat.load(Ordering::Relaxed) => {
            return stream(&strings, path);
        }
        _ => "[]".to_owned(),
    }
    .into_response()
}

fn stream(strings: &Strings, path: &str) -> Response {
    let (tap, bytes) = mpsc::unbounded_channel();
    let _ = strings.opened.send((path.to_owned(), Tap(tap))); // the test may be over
    let chunks = stream::unfold(bytes, |mut bytes| async {
        bytes.recv().await.map(|chunk| (chunk, bytes))
    });
    let body = Body::from_stream(chunks.map(Ok::<_, Infallible>));
    ([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}

impl Puppet {
    /// Waits until the daemon opens a stream at this path.
    pub async fn opens(&mut self, path: &str) -> Tap {
        let opening = async {
            loop {
                if let Some(index) = self.unclaimed.iter().position(|(opened, _)| opened == path) {
                    return self.unclaimed.remove(index).unwrap().1;
                }
                self.unclaimed.push_back(self.opened.recv().await.unwrap());
            }
        };
        timeout(PATIENCE, opening)
            .await
            .unwrap_or_else(|_| panic!("{path} was never opened"))
    }

    /// Starts a game: its stream, at which nothing was said yet.
    pub async fn game(&mut self, id: &str) -> Tap {
        self.events
            .line(&json!({"type": "gameStart", "game": {"gameId": id, "id": id}}));
        self.opens(&format!("/api/bot/game/stream/{id}")).await
    }

    /// Starts the game [`ID`], in which the bot has White, and lets it say its first move: its stream.
    pub async fn begun_game(&mut self) -> Tap {
        let game = self.game(ID).await;
        game.line(&full(ID, ""));
        self.posted(1).await;
        game
    }

    /// The stream of the game is opened again.
    pub async fn opens_again(&mut self, id: &str) -> Tap {
        self.opens(&format!("/api/bot/game/stream/{id}")).await
    }

    /// How often the list of running games was asked for.
    pub fn listed(&self) -> usize {
        self.strings.listed.load(Ordering::Relaxed)
    }

    /// What was opened and not asked for.
    pub fn others_opened(&mut self) -> Vec<String> {
        while let Ok(opened) = self.opened.try_recv() {
            self.unclaimed.push_back(opened);
        }
        self.unclaimed.iter().map(|(path, _)| path.clone()).collect()
    }

    /// The next post whose path ends so gets this answer.
    pub fn answers(&self, end: &'static str, status: u16, body: &'static str) {
        let status = StatusCode::from_u16(status).unwrap();
        self.strings
            .answers
            .lock()
            .unwrap()
            .push_back((end, status, body));
    }

    /// What was said in a game is told from now on when the test says so, who gets it as a stream.
    pub fn holds_chat(&self) {
        self.strings.holds_chat.store(true, Ordering::Relaxed);
    }

    /// Holds a stream open to the end of the test.
    pub fn keep(&mut self, tap: Tap) {
        self.kept.push(tap);
    }

    /// From now on the list of running games is this one.
    pub fn plays(&self, games: Value) {
        *self.strings.playing.lock().unwrap() = games;
    }

    /// Everything that was posted so far.
    pub fn posts(&self) -> Vec<String> {
        self.posts.borrow().clone()
    }

    /// Waits until so many things were posted, and gives them all.
    pub async fn posted(&mut self, count: usize) -> Vec<String> {
        let wait = timeout(PATIENCE, self.posts.wait_for(|posts| posts.len() >= count));
        let posts = wait.await.map(|posts| posts.unwrap().clone());
        posts.unwrap_or_else(|_| panic!("only {:?} was posted", self.posts.borrow()))
    }
}

/// The first line of a game in which the bot has White, after these moves.
pub fn full(id: &str, moves: &str) -> Value {
    json!({
        "type": "gameFull", "id": id, "variant": {"key": "standard"}, "speed": "blitz", "rated": false,
        "white": {"id": "bot", "name": "Bot", "title": "BOT"}, "black": {"id": "ana", "name": "Ana"},
        "initialFen": "startpos", "clock": {"initial": 600_000, "increment": 0},
        "state": state(moves)
    })
}

/// A state after these moves.
pub fn state(moves: &str) -> Value {
    json!({
        "type": "gameState", "moves": moves, "wtime": 600_000, "btime": 600_000, "winc": 0, "binc": 0,
        "status": "started"
    })
}

/// The final state after these moves.
pub fn over(moves: &str, status: &str) -> Value {
    let mut state = state(moves);
    state["status"] = status.into();
    state
}
