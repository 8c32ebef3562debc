//! User lists for rules: in `bot.toml`, in a file, or at a URL.
//!
//! The last good version of a list stays until a newer one can be read, so that a server outage unblocks nobody.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cache;
mod fetch;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
    time::Duration,
};

use futures::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use tokio::{sync::watch, time::sleep};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

pub use cache::Cache;
use cache::CachedList;
use fetch::{FetchError, Fetched, Source};

use crate::config::UserList;
use sparring_files as files;
use sparring_lichess::model::UserId;

/// Interval of reading files and fetching URLs.
const INTERVAL: Duration = Duration::from_secs(30 * 60);
/// Largest list in bytes.
const LONGEST: u64 = 1024 * 1024;
/// How long challenges wait at the start for lists that were never fetched.
const FIRST_LOOK: Duration = Duration::from_secs(5);

/// All user lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserLists {
    users: BTreeMap<String, BTreeSet<UserId>>,
    is_pending: bool,
}

impl UserLists {
    /// The names in `bot.toml`, without files and URLs.
    #[must_use]
    pub fn written(declared: &[UserList]) -> Self {
        let lists = declared
            .iter()
            .map(|list| (list.name.clone(), list.users.iter().cloned().collect()));
        Self {
            users: lists.collect(),
            is_pending: false,
        }
    }

    /// The names in `bot.toml`, in files, and in the cache folder of fetched lists. Fetches nothing. Also returns the names of lists
    /// that were never fetched.
    #[must_use]
    pub fn read(declared: &[UserList], folder: &Path) -> (Self, Vec<String>) {
        let cache = Cache::new(folder);
        let mut lists = Self::written(declared);
        let mut unknown = Vec::new();
        for list in declared {
            let file = list.file.as_ref();
            let text = file.and_then(|path| files::read(path, LONGEST).ok());
            let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let kept = list.url.as_ref().map(|url| cache.read(&list.name, url));
            if kept == Some(None) {
                unknown.push(list.name.clone());
            }
            let kept = kept.flatten().map(|kept| kept.text);
            for text in text.into_iter().chain(kept) {
                lists.add(&list.name, parse(&text).0);
            }
        }
        (lists, unknown)
    }

    /// Whether a list was not fetched yet, so that users on it are unknown. Ends after a few seconds.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.is_pending
    }

    /// The same lists, pending or not.
    #[must_use]
    pub fn pending(self, is_pending: bool) -> Self {
        Self { is_pending, ..self }
    }

    fn add(&mut self, list: &str, more: impl IntoIterator<Item = UserId>) {
        if let Some(users) = self.users.get_mut(list) {
            users.extend(more);
        }
    }

    /// Whether a user is on a list. False for a list that does not exist.
    #[must_use]
    pub fn has(&self, list: &str, user: &UserId) -> bool {
        self.users.get(list).is_some_and(|users| users.contains(user))
    }

    /// The names of all lists that a user is on.
    #[must_use]
    pub fn with(&self, user: &UserId) -> Vec<String> {
        let on = self.users.iter().filter(|(_, users)| users.contains(user));
        on.map(|(name, _)| name.clone()).collect()
    }
}

/// Users, and the numbers of lines that are no user names.
type Names = (BTreeSet<UserId>, Vec<usize>);

/// Parses user names, one per line; `#` begins a comment. Returns the numbers of bad lines too, from 1.
#[must_use]
pub fn parse(text: &str) -> (BTreeSet<UserId>, Vec<usize>) {
    let mut misfits = Vec::new();
    let mut users = BTreeSet::new();
    for (index, line) in text.lines().enumerate() {
        // Some editors write a byte order mark.
        let line = line.trim_start_matches('\u{feff}');
        let name = line.split('#').next().unwrap_or_default().trim();
        match UserId::parse_written(name) {
            Ok(user) => {
                users.insert(user);
            }
            Err(_) if name.is_empty() => {}
            Err(_) => misfits.push(index + 1),
        }
    }
    (users, misfits)
}

/// [`parse`] for a fetched text. An error where no line is a user name: then it is no list.
fn legible(text: &str) -> Result<Names, FetchError> {
    match parse(text) {
        (users, misfits) if users.is_empty() && !misfits.is_empty() => Err(FetchError::NoNames),
        names => Ok(names),
    }
}

/// Starts the task that updates the lists until `stop`, also when the settings change. Fetched lists are cached.
///
/// Files and the cache are read before it returns; URLs are not awaited. Challenges wait while lists are
/// [pending](UserLists::is_pending).
pub async fn keep(
    declared: watch::Receiver<Vec<UserList>>,
    cache: Cache,
    stop: &CancellationToken,
) -> watch::Receiver<Arc<UserLists>> {
    let mut keeper = Keeper {
        declared,
        publish: watch::Sender::default(),
        cache,
        outside: BTreeMap::new(),
        has_waited: false,
    };
    let now = keeper.poll().await;
    let lists = keeper.publish.subscribe();
    let stop = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = stop.cancelled() => {}
            () = keeper.run(now) => {}
        }
    });
    lists
}

/// The task that reads files and fetches URLs.
struct Keeper {
    declared: watch::Receiver<Vec<UserList>>,
    publish: watch::Sender<Arc<UserLists>>,
    /// The cache of fetched lists.
    cache: Cache,
    /// The last good version of each file and URL.
    outside: BTreeMap<Source, Outside>,
    /// Whether every URL of the first poll has answered or timed out.
    has_waited: bool,
}

#[derive(Debug, Default)]
struct Outside {
    users: BTreeSet<UserId>,
    etag: Option<String>,
}

/// The answer of a URL, and the name of its list.
struct FetchedList {
    list: String,
    address: String,
    fetched: Result<Fetched, FetchError>,
}

impl Keeper {
    async fn run(mut self, mut declared: Vec<UserList>) {
        let patience = sleep(FIRST_LOOK);
        tokio::pin!(patience);
        loop {
            let mut asked = self.ask(&declared);
            let again = sleep(INTERVAL);
            tokio::pin!(again);
            loop {
                self.has_waited |= asked.is_empty();
                self.show(&declared);
                tokio::select! {
                    Some(answer) = asked.next() => self.take(answer),
                    () = &mut patience, if !self.has_waited => self.has_waited = true,
                    () = &mut again => break,
                    changed = self.declared.changed() => match changed {
                        Ok(()) => break,
                        Err(_) => return,
                    },
                }
            }
            declared = self.poll().await;
        }
    }

    /// Reads files and cache, and publishes the lists without waiting for URLs. Returns the declared lists.
    async fn poll(&mut self) -> Vec<UserList> {
        let declared = self.declared.borrow_and_update().clone();
        let wanted: BTreeSet<Source> = declared.iter().flat_map(Source::of).collect();
        self.outside.retain(|source, _| wanted.contains(source));
        for list in &declared {
            for source in Source::of(list) {
                match source {
                    Source::File(path) => {
                        let text = fetch::read(&path, LONGEST).await;
                        let names = text.and_then(|text| legible(&text));
                        self.learn(&list.name, Source::File(path), names.map(|names| (names, None)));
                    }
                    Source::Address(address) => self.remember(&list.name, address),
                }
            }
        }
        self.show(&declared);
        declared
    }

    /// Reads a list from the cache, if it was not fetched yet.
    fn remember(&mut self, name: &str, address: String) {
        let kept = self.cache.read(name, &address);
        let source = Source::Address(address);
        if !self.outside.contains_key(&source)
            && let Some(CachedList { text, etag }) = kept
            && let Ok((users, _)) = legible(&text)
        {
            self.outside.insert(source, Outside { users, etag });
        }
    }

    /// Fetches all URLs concurrently.
    fn ask(&self, declared: &[UserList]) -> FuturesUnordered<BoxFuture<'static, FetchedList>> {
        let calls = declared.iter().filter_map(|list| {
            let (list, address) = (list.name.clone(), list.url.clone()?);
            let known = self.outside.get(&Source::Address(address.clone()));
            let etag = known.and_then(|outside| outside.etag.clone());
            let call = async move {
                let fetched = fetch::get(&address, etag.as_deref(), LONGEST).await;
                FetchedList {
                    list,
                    address,
                    fetched,
                }
            };
            Some(call.boxed())
        });
        calls.collect()
    }

    /// Stores the answer of a URL, in the cache too. A text that is no list changes nothing.
    fn take(&mut self, answer: FetchedList) {
        let FetchedList {
            list,
            address,
            fetched,
        } = answer;
        let names = match fetched {
            Ok(Fetched::Same) => return,
            Ok(Fetched::Text { text, etag }) => legible(&text).map(|names| {
                let kept = CachedList { text, etag };
                if let Err(why) = self.cache.write(&list, &address, &kept) {
                    warn!("list {list} cannot be cached for the next start: {why}");
                }
                (names, kept.etag)
            }),
            Err(why) => Err(why),
        };
        self.learn(&list, Source::Address(address), names);
    }

    /// Stores the names of a source, and logs its bad lines.
    fn learn(&mut self, list: &str, source: Source, names: Result<(Names, Option<String>), FetchError>) {
        match names {
            Ok(((users, misfits), etag)) => {
                if let Some(first) = misfits.first() {
                    warn!(
                        "list {list}: {} lines of {source} are not user names, the first of them is line {first}",
                        misfits.len()
                    );
                }
                info!("list {list}: {} users from {source}", users.len());
                self.outside.insert(source, Outside { users, etag });
            }
            Err(why) => warn!("list {list} stays as it was, {source}: {why}"),
        }
    }

    /// Publishes the lists as far as they are known.
    fn show(&self, declared: &[UserList]) {
        let mut lists = UserLists::written(declared);
        let mut is_known = true;
        for list in declared {
            for source in Source::of(list) {
                match self.outside.get(&source) {
                    Some(outside) => lists.add(&list.name, outside.users.iter().cloned()),
                    None => is_known &= matches!(source, Source::File(_)),
                }
            }
        }
        let lists = lists.pending(!is_known && !self.has_waited);
        self.publish.send_if_modified(|current| {
            let changed = **current != lists;
            if changed {
                *current = Arc::new(lists);
            }
            changed
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_one_a_line_in_any_case() {
        let text = "\u{feff}Ana\r\n# a comment\n\n  @BORIS # cheats\nnot a name\n<html>\nhttps://lichess.org/@/ana\n";
        let (users, misfits) = parse(text);
        let names: Vec<&str> = users.iter().map(UserId::as_str).collect();
        assert_eq!((names, misfits), (vec!["ana", "boris"], vec![5, 6]));
    }

    fn list(name: &str, file: Option<std::path::PathBuf>) -> UserList {
        UserList {
            name: name.to_owned(),
            users: vec!["Ana".parse().unwrap()],
            file,
            url: None,
        }
    }

    /// A cache that was never used.
    fn no_cache() -> Cache {
        Cache::new(Path::new("/nowhere")).reading_only()
    }

    #[tokio::test]
    async fn a_file_joins_what_is_written_and_a_lost_one_unblocks_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("blocked.txt");
        std::fs::write(&path, "Boris\n").unwrap();
        let (send, declared) = watch::channel(vec![list("blocked", Some(path.clone()))]);
        let stop = CancellationToken::new();
        let mut lists = keep(declared, no_cache(), &stop).await;
        let (ana, boris) = ("ana".parse().unwrap(), "BORIS".parse().unwrap());
        let now = lists.borrow_and_update().clone();
        assert!(now.has("blocked", &ana) && now.has("blocked", &boris));
        assert!(!now.has("friends", &ana) && !now.is_pending());
        std::fs::remove_file(&path).unwrap();
        send.send(vec![list("blocked", Some(path)), list("friends", None)])
            .unwrap();
        let later = lists.wait_for(|lists| lists.has("friends", &ana)).await.unwrap();
        assert!(later.has("blocked", &boris));
        stop.cancel();
    }

    fn at(address: &str, name: &str) -> UserList {
        UserList {
            url: Some(address.to_owned()),
            ..list(name, None)
        }
    }

    fn kept(text: &str) -> CachedList {
        CachedList {
            text: text.to_owned(),
            etag: Some("\"1\"".to_owned()),
        }
    }

    #[tokio::test]
    async fn an_address_that_cannot_be_asked_unblocks_nobody_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        // Nobody listens on port 9 of this machine.
        let address = "http://127.0.0.1:9/blocked.txt";
        let cache = Cache::new(folder.path());
        cache.write("blocked", address, &kept("Clara\n")).unwrap();
        let (_send, declared) = watch::channel(vec![at(address, "blocked")]);
        let stop = CancellationToken::new();
        let lists = keep(declared, cache, &stop).await;
        assert!(lists.borrow().has("blocked", &"clara".parse().unwrap()));
        assert!(!lists.borrow().is_pending(), "it is known well enough");
        stop.cancel();
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_that_hangs_keeps_back_neither_the_start_nor_other_lists() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cheats.txt");
        std::fs::write(&path, "Boris\n").unwrap();
        // Nobody ever accepts.
        let hanging = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/", hanging.local_addr().unwrap());
        let (send, declared) = watch::channel(vec![at(&address, "slow"), list("cheats", Some(path.clone()))]);
        let stop = CancellationToken::new();
        let begun = tokio::time::Instant::now();
        let mut lists = keep(declared, no_cache(), &stop).await;
        let boris = "boris".parse().unwrap();
        assert!(lists.borrow().has("cheats", &boris) && lists.borrow().is_pending());
        send.send(vec![at(&address, "slow"), list("others", Some(path))])
            .unwrap();
        lists.wait_for(|lists| lists.has("others", &boris)).await.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        lists.wait_for(|lists| !lists.is_pending()).await.unwrap();
        let waited = begun.elapsed();
        assert!((FIRST_LOOK..FIRST_LOOK * 2).contains(&waited), "{waited:?}");
        stop.cancel();
    }

    #[tokio::test]
    async fn what_is_no_list_overwrites_none() {
        let folder = tempfile::tempdir().unwrap();
        let address = "https://a.example/blocked.txt";
        let cache = Cache::new(folder.path());
        cache.write("blocked", address, &kept("Clara\n")).unwrap();
        let mut keeper = Keeper {
            declared: watch::channel(vec![at(address, "blocked")]).1,
            publish: watch::Sender::default(),
            cache: cache.clone(),
            outside: BTreeMap::new(),
            has_waited: true,
        };
        let declared = keeper.poll().await;
        let mut answers = |text: &str| {
            keeper.take(FetchedList {
                list: "blocked".to_owned(),
                address: address.to_owned(),
                fetched: Ok(Fetched::Text {
                    text: text.to_owned(),
                    etag: None,
                }),
            });
            keeper.show(&declared);
            keeper.publish.borrow().with(&"clara".parse().unwrap())
        };
        assert_eq!(answers("<html>\n<p>This site has moved</p>\n"), ["blocked"]);
        assert_eq!(cache.read("blocked", address), Some(kept("Clara\n")));
        assert_eq!(answers("# nobody any more\n"), [""; 0], "an empty list is one");
    }
}
