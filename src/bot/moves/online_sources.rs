//! Online sources of moves: cache, token, circuit breaker and metric of each, and one answer for a position.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant as StdInstant},
};

use secrecy::{ExposeSecret as _, SecretString};
use tokio::{task::spawn_blocking, time::Instant};
use tracing::{debug, info, warn};

use crate::{
    bot::{observe::metrics::Metrics, wall_clock},
    secret_file::read_private,
    store::OnlineCache,
};
use sparring_chess::{GameHistory, parse_uci};
use sparring_lichess::{Token, bare_token};
use sparring_online::{
    Answer, AskError, CircuitBreaker, DecodeError, HttpClient, Question, Source, Tripped, decode,
};

/// Positions in a row that a source does not know, after which a game asks it no more.
const MOST_UNKNOWN: u32 = 5;
/// The pause after a token that cannot be read: only its owner can mend it.
const TOKEN_PAUSE: Duration = Duration::from_secs(600);

/// Fingerprints are taken for a server; these are compared with each other alone.
const NO_SERVER: &str = "";

/// All online sources. Clones share connections, cache and what is known of failures.
#[derive(Clone, Default)]
pub struct OnlineSources(Arc<Shared>);

#[derive(Default)]
struct Shared {
    http: HttpClient,
    /// By the names of sources; other settings under a name get a new one.
    breakers: Mutex<BTreeMap<String, (Arc<Source>, CircuitBreaker)>>,
    cache: Mutex<Cache>,
    /// The fingerprint of the bot's own token, which no source gets.
    own_token: OnceLock<u64>,
}

/// The cache: nowhere, not opened yet, or open.
#[derive(Default)]
enum Cache {
    #[default]
    None,
    At(PathBuf),
    Open(Box<OnlineCache>),
}

/// What one game knows of its sources. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct OnlineSlot(Arc<Mutex<BTreeMap<String, u32>>>);

impl OnlineSlot {
    /// Whether the game still asks a source.
    fn asks(&self, source: &Source) -> bool {
        let unknown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        unknown
            .get(&source.name)
            .is_none_or(|count| *count < MOST_UNKNOWN)
    }

    /// Counts the positions in a row that a source does not know.
    fn note(&self, source: &Source, is_known: bool) {
        let mut unknown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = unknown.entry(source.name.clone()).or_default();
        *count = if is_known { 0 } else { *count + 1 };
    }
}

/// Why a source that was asked gave nothing.
#[derive(Debug)]
enum Failure {
    Ask(AskError),
    Decode(DecodeError),
    Token(String),
}

impl Failure {
    /// The result in the metric; none where nothing was asked.
    fn result(&self) -> Option<&'static str> {
        match self {
            Self::Ask(error) => error.result(),
            Self::Decode(DecodeError::Illegal(_)) => Some("illegal"),
            Self::Decode(DecodeError::Garbage(_) | DecodeError::Status(_)) => Some("garbage"),
            Self::Token(_) => Some("unauthorized"),
        }
    }

    fn pause(&self) -> Option<Duration> {
        match self {
            Self::Ask(error) => error.pause(),
            Self::Decode(_) => None,
            Self::Token(_) => Some(TOKEN_PAUSE),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ask(error) => error.fmt(f),
            Self::Decode(error) => error.fmt(f),
            Self::Token(why) => f.write_str(why),
        }
    }
}

impl OnlineSources {
    /// Keeps answers in this file, which is opened with the first question.
    pub fn keep_answers(&self, path: &Path) {
        *self.0.cache.lock().unwrap_or_else(PoisonError::into_inner) = Cache::At(path.to_owned());
    }

    /// Sends this token, the bot's own, to no source, whatever file it is in.
    pub fn keep_secret(&self, token: &Token) {
        // A second call would be about the same token.
        let _ = self.0.own_token.set(token.fingerprint(NO_SERVER));
    }

    /// What a source knows of the last position of a game, from the cache or the server, by the deadline. None where it knows
    /// nothing, is not asked, or fails.
    pub(super) async fn ask(
        &self,
        source: &Arc<Source>,
        line: &GameHistory,
        slot: &OnlineSlot,
        deadline: Instant,
        metrics: &Metrics,
    ) -> Option<Answer> {
        let question = source.question(line).filter(|_| slot.asks(source))?;
        let count = |result| metrics.online_source_asked(source.kind.key(), result);
        if let Some(answer) = self.remembered(source, &question, line, deadline).await {
            count("cached");
            slot.note(source, !answer.moves.is_empty());
            return Some(answer);
        }
        if !self.with_breaker(source, |breaker| breaker.admits(StdInstant::now())) {
            return None;
        }
        match self.fetch(source, &question, line, deadline).await {
            Ok(answer) => {
                count(if answer.moves.is_empty() {
                    "unknown"
                } else {
                    "answered"
                });
                slot.note(source, !answer.moves.is_empty());
                if self.with_breaker(source, CircuitBreaker::succeeded) {
                    info!("the online source {} answers again", source.name);
                }
                self.remember(question, &answer);
                Some(answer)
            }
            Err(failure) => {
                if let Some(result) = failure.result() {
                    count(result);
                    self.failed(source, &failure);
                } else {
                    debug!("online source {}: {failure}", source.name);
                }
                None
            }
        }
    }

    async fn fetch(
        &self,
        source: &Source,
        question: &Question,
        line: &GameHistory,
        deadline: Instant,
    ) -> Result<Answer, Failure> {
        let token = match source.token_file.clone() {
            Some(path) => Some(self.token(path).await?),
            None => None,
        };
        match self.0.http.ask(question, token.as_ref(), deadline).await {
            Ok(body) => decode(source.kind, line.position(), &body).map_err(Failure::Decode),
            Err(AskError::NotFound) => Ok(Answer::default()),
            Err(error) => Err(Failure::Ask(error)),
        }
    }

    /// Tries a source in an example position, without cache and breaker: how many moves it knows.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub async fn try_out(&self, source: &Source, patience: Duration) -> Result<usize, String> {
        let line = source.example();
        let question = source.question(&line).ok_or("it cannot be asked")?;
        let deadline = Instant::now() + patience;
        let answer = self.fetch(source, &question, &line, deadline).await;
        answer
            .map(|answer| answer.moves.len())
            .map_err(|failure| failure.to_string())
    }

    fn failed(&self, source: &Arc<Source>, failure: &Failure) {
        let asked = failure.pause();
        let tripped = self.with_breaker(source, |breaker| breaker.failed(StdInstant::now(), asked));
        let name = &source.name;
        match tripped {
            Tripped::Not => debug!("online source {name}: {failure}"),
            Tripped::For { pause, is_news: true } => warn!(
                "online source {name}: {failure}; it is not asked for {} s, and what comes after it in the list of books moves",
                pause.as_secs()
            ),
            Tripped::For {
                pause,
                is_news: false,
            } => {
                debug!(
                    "online source {name}: {failure}; not asked for {} s",
                    pause.as_secs()
                );
            }
        }
    }

    fn with_breaker<T>(&self, source: &Arc<Source>, act: impl FnOnce(&mut CircuitBreaker) -> T) -> T {
        let mut breakers = self.0.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || (Arc::clone(source), CircuitBreaker::default());
        let known = breakers.entry(source.name.clone()).or_insert_with(new);
        if known.0 != *source {
            *known = new();
        }
        act(&mut known.1)
    }

    /// A kept answer, if it can be had in time and still fits the position.
    async fn remembered(
        &self,
        source: &Source,
        question: &Question,
        line: &GameHistory,
        deadline: Instant,
    ) -> Option<Answer> {
        let (shared, url) = (Arc::clone(&self.0), question.url.clone());
        let read = spawn_blocking(move || shared.with_cache(|cache| cache.get(&url, wall_clock::epoch())));
        let text = tokio::time::timeout_at(deadline, read).await.ok()?.ok()???;
        let answer: Answer = serde_json::from_str(&text).ok()?;
        let is_legal = |uci: &str| parse_uci(line.position(), uci).is_ok();
        let fits = answer.moves.iter().all(|offer| is_legal(&offer.uci));
        if !fits {
            debug!(
                "online source {}: a kept answer is for another position",
                source.name
            );
        }
        fits.then_some(answer)
    }

    /// Keeps an answer; no move waits for that.
    fn remember(&self, question: Question, answer: &Answer) {
        let Ok(text) = serde_json::to_string(answer) else {
            return;
        };
        let (shared, lasts) = (Arc::clone(&self.0), answer.keeps_for());
        // Nobody waits for the end: without it the server is asked again.
        drop(spawn_blocking(move || {
            let now = wall_clock::epoch();
            shared.with_cache(|cache| cache.put(&question.url, &text, now, now + lasts))
        }));
    }
}

impl Shared {
    /// Acts on the cache, if there is one. One that fails is given up for this run.
    fn with_cache<T, E: fmt::Display>(
        &self,
        act: impl FnOnce(&mut OnlineCache) -> Result<T, E>,
    ) -> Option<T> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Cache::At(path) = &*cache {
            *cache = match OnlineCache::open(path) {
                Ok(open) => Cache::Open(Box::new(open)),
                Err(why) => {
                    warn!(
                        "answers of online sources are not kept in {}: {why}",
                        path.display()
                    );
                    Cache::None
                }
            };
        }
        let Cache::Open(open) = &mut *cache else {
            return None;
        };
        match act(open) {
            Ok(value) => Some(value),
            Err(why) => {
                warn!("answers of online sources are no longer kept: {why}");
                *cache = Cache::None;
                None
            }
        }
    }
}

impl fmt::Debug for OnlineSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnlineSources").finish_non_exhaustive()
    }
}

impl OnlineSources {
    /// The token in a file, unless it is the bot's.
    async fn token(&self, path: PathBuf) -> Result<SecretString, Failure> {
        let name = path.display().to_string();
        let text = read_token(path).await?;
        let read = Token::parse(text.expose_secret()).ok();
        let read = read.map(|token| token.fingerprint(NO_SERVER));
        if read.is_some() && read.as_ref() == self.0.own_token.get() {
            return Err(Failure::Token(format!(
                "{name} holds the bot's own token, which can play games in its name: create one without any scope"
            )));
        }
        Ok(text)
    }
}

async fn read_token(path: PathBuf) -> Result<SecretString, Failure> {
    let read = spawn_blocking(move || read_private(&path)).await;
    match read {
        Ok(Ok(text)) => Ok(bare_token(&text).into()),
        Ok(Err(why)) => Err(Failure::Token(format!("{:#}", anyhow::Error::new(why)))),
        Err(why) => Err(Failure::Token(format!("the token could not be read: {why}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[tokio::test]
    async fn the_bots_own_token_is_sent_to_no_source_whatever_file_it_is_in() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str, mode| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let sources = OnlineSources::default();
        sources.keep_secret(&Token::parse("lip_own").unwrap());
        let other = sources.token(file("other", "lip_other\n", 0o600)).await;
        assert_eq!(other.unwrap().expose_secret(), "lip_other");
        for (text, mode, expected) in [
            ("lip_own\n", 0o600, "holds the bot's own token"),
            ("\"lip_own\"\r\n", 0o600, "holds the bot's own token"),
            ("lip_other\n", 0o644, "can be read by others"),
        ] {
            let failure = sources.token(file("token", text, mode)).await.unwrap_err();
            assert!(failure.to_string().contains(expected), "{failure}");
            assert_eq!(failure.result(), Some("unauthorized"));
        }
    }
}
