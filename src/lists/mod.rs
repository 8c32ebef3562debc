//! Lists of users that rules can name: written down in `bot.toml`, in a file, or kept by somebody else at an address.
//!
//! What was read last stays until something newer can be read: a server that is down unblocks nobody.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cache;
mod fetch;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
    time::Duration,
};

use tokio::{sync::watch, time::timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use cache::{Cache, Kept};
use fetch::{Fetched, Source};

use crate::{config::UserList, lichess::model::UserId};

/// Between two looks at files and addresses.
const INTERVAL: Duration = Duration::from_secs(30 * 60);
/// A longer text is not a list of names, in bytes.
const LONGEST: usize = 1024 * 1024;
/// The first look may take so long before the bot begins without it.
const FIRST_LOOK: Duration = Duration::from_secs(5);

/// Who is on which list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists(BTreeMap<String, BTreeSet<UserId>>);

impl Lists {
    /// The lists as `bot.toml` writes them down, without files and addresses.
    #[must_use]
    pub fn written(declared: &[UserList]) -> Self {
        let lists = declared
            .iter()
            .map(|list| (list.name.clone(), list.users.iter().cloned().collect()));
        Self(lists.collect())
    }

    /// The same with what stands in files, read now, and with what addresses said last, as far as it is kept in a folder.
    /// They are not asked: the names of lists of which nothing is known come along.
    #[must_use]
    pub fn read(declared: &[UserList], folder: &Path) -> (Self, Vec<String>) {
        let cache = Cache::new(folder);
        let mut lists = Self::written(declared);
        let mut unknown = Vec::new();
        for list in declared {
            let file = list.file.as_ref();
            let text = file.and_then(|path| std::fs::read_to_string(path).ok());
            let kept = list.url.as_ref().map(|url| cache.read(&list.name, url));
            if kept == Some(None) {
                unknown.push(list.name.clone());
            }
            let kept = kept.flatten().map(|kept| kept.text);
            if let Some(users) = lists.0.get_mut(&list.name) {
                for text in text.into_iter().chain(kept) {
                    users.extend(parse(&text).0);
                }
            }
        }
        (lists, unknown)
    }

    /// Whether somebody is on a list. Nobody is on a list that does not exist.
    #[must_use]
    pub fn has(&self, list: &str, user: &UserId) -> bool {
        self.0.get(list).is_some_and(|users| users.contains(user))
    }

    /// The names of all lists that somebody is on.
    #[must_use]
    pub fn with(&self, user: &UserId) -> Vec<String> {
        let on = self.0.iter().filter(|(_, users)| users.contains(user));
        on.map(|(name, _)| name.clone()).collect()
    }
}

/// Reads names from text: one a line, `#` begins a comment. What cannot be a name is counted, not kept.
#[must_use]
pub fn parse(text: &str) -> (BTreeSet<UserId>, usize) {
    let mut misfits = 0;
    let mut users = BTreeSet::new();
    for line in text.lines() {
        let name = line.split('#').next().unwrap_or_default().trim();
        match name.parse() {
            Ok(user) => {
                users.insert(user);
            }
            Err(_) if name.is_empty() => {}
            Err(_) => misfits += 1,
        }
    }
    (users, misfits)
}

/// The lists as they are now, kept fresh until `stop`, also when other ones are declared. What addresses say is kept in
/// a folder, if there is one, and stands in until they can be asked again.
///
/// Waits a few seconds at most for the first look, so that whoever is blocked is blocked from the beginning.
pub async fn keep(
    declared: watch::Receiver<Vec<UserList>>,
    folder: Option<&Path>,
    stop: &CancellationToken,
) -> watch::Receiver<Arc<Lists>> {
    let first = Lists::written(&declared.borrow());
    let (publish, lists) = watch::channel(Arc::new(first));
    let mut keeper = Keeper {
        declared,
        publish,
        cache: folder.map(Cache::new),
        outside: BTreeMap::new(),
    };
    let remembered = keeper.remembered();
    keeper.publish.send_replace(Arc::new(remembered));
    let (looked, first_look) = tokio::sync::oneshot::channel();
    let stop = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = stop.cancelled() => {}
            () = keeper.run(looked) => {}
        }
    });
    // Too slow, or the program is ending: both are fine without.
    let _ = timeout(FIRST_LOOK, first_look).await;
    lists
}

/// The task that reads files and addresses again and again.
struct Keeper {
    declared: watch::Receiver<Vec<UserList>>,
    publish: watch::Sender<Arc<Lists>>,
    /// Where what addresses said is kept.
    cache: Option<Cache>,
    /// What was last read from outside `bot.toml`.
    outside: BTreeMap<Source, Outside>,
}

#[derive(Debug, Default)]
struct Outside {
    users: BTreeSet<UserId>,
    etag: Option<String>,
}

impl Keeper {
    async fn run(mut self, looked: tokio::sync::oneshot::Sender<()>) {
        let mut looked = Some(looked);
        loop {
            let declared = self.declared.borrow_and_update().clone();
            self.look(&declared).await;
            if let Some(looked) = looked.take() {
                let _ = looked.send(()); // whoever waited has gone on without
            }
            tokio::select! {
                () = tokio::time::sleep(INTERVAL) => {}
                changed = self.declared.changed() => if changed.is_err() {
                    return;
                },
            }
        }
    }

    /// Takes what an address said last from the disk, if nothing newer is known.
    fn remember(&mut self, address: &str, name: &str) {
        let source = Source::Address(address.to_owned());
        if self.outside.contains_key(&source) {
            return;
        }
        if let Some(kept) = self.cache.as_ref().and_then(|cache| cache.read(name, address)) {
            let (users, _) = parse(&kept.text);
            let outside = Outside {
                users,
                etag: kept.etag,
            };
            self.outside.insert(source, outside);
        }
    }

    /// The lists before anything was asked for: as written, and as the disk remembers them. A server that hangs keeps
    /// the bot waiting no longer than it takes to read them.
    fn remembered(&mut self) -> Lists {
        let declared = self.declared.borrow().clone();
        let mut lists = Lists::written(&declared);
        for list in &declared {
            let Some(address) = &list.url else { continue };
            self.remember(address, &list.name);
            let kept = self.outside.get(&Source::Address(address.clone()));
            if let (Some(users), Some(kept)) = (lists.0.get_mut(&list.name), kept) {
                users.extend(kept.users.iter().cloned());
            }
        }
        lists
    }

    async fn look(&mut self, declared: &[UserList]) {
        let mut lists = Lists::written(declared);
        let mut wanted = BTreeSet::new();
        for list in declared {
            let file = list.file.clone().map(Source::File);
            let url = list.url.clone().map(Source::Address);
            for source in file.into_iter().chain(url) {
                self.refresh(&source, &list.name).await;
                if let (Some(users), Some(outside)) = (lists.0.get_mut(&list.name), self.outside.get(&source))
                {
                    users.extend(outside.users.iter().cloned());
                }
                wanted.insert(source);
            }
        }
        self.outside.retain(|source, _| wanted.contains(source));
        self.publish.send_if_modified(|current| {
            let changed = **current != lists;
            if changed {
                *current = Arc::new(lists);
            }
            changed
        });
    }

    async fn refresh(&mut self, source: &Source, name: &str) {
        if let Source::Address(address) = source {
            self.remember(address, name);
        }
        let known = self.outside.get(source).and_then(|outside| outside.etag.clone());
        match source.fetch(known.as_deref(), LONGEST).await {
            Ok(Fetched::Same) => {}
            Ok(Fetched::Text { text, etag }) => {
                let (users, misfits) = parse(&text);
                if misfits > 0 {
                    warn!("list {name}: {misfits} lines of {source} are no names of users");
                }
                info!("list {name}: {} users from {source}", users.len());
                if let (Source::Address(address), Some(cache)) = (source, &self.cache) {
                    let etag = etag.clone();
                    if let Err(why) = cache.write(name, address, &Kept { text, etag }) {
                        warn!("list {name} cannot be kept for the next start: {why}");
                    }
                }
                self.outside.insert(source.clone(), Outside { users, etag });
            }
            Err(why) => warn!("list {name} stays as it was, {source}: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_one_a_line_in_any_case() {
        let (users, misfits) = parse("Ana\n# a comment\n\n  BORIS # cheats\nnot a name\n<html>\nana\n");
        let names: Vec<&str> = users.iter().map(UserId::as_str).collect();
        assert_eq!((names, misfits), (vec!["ana", "boris"], 2));
    }

    fn list(name: &str, file: Option<std::path::PathBuf>) -> UserList {
        UserList {
            name: name.to_owned(),
            users: vec!["Ana".parse().unwrap()],
            file,
            url: None,
        }
    }

    #[tokio::test]
    async fn a_file_joins_what_is_written_and_a_lost_one_unblocks_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("blocked.txt");
        std::fs::write(&path, "Boris\n").unwrap();
        let (send, declared) = watch::channel(vec![list("blocked", Some(path.clone()))]);
        let stop = CancellationToken::new();
        let mut lists = keep(declared, None, &stop).await;
        let (ana, boris) = ("ana".parse().unwrap(), "BORIS".parse().unwrap());
        let now = lists.borrow_and_update().clone();
        assert!(now.has("blocked", &ana) && now.has("blocked", &boris));
        assert!(!now.has("friends", &ana));
        std::fs::remove_file(&path).unwrap();
        send.send(vec![list("blocked", Some(path)), list("friends", None)])
            .unwrap();
        let later = lists.wait_for(|lists| lists.has("friends", &ana)).await.unwrap();
        assert!(later.has("blocked", &boris));
        stop.cancel();
    }

    #[tokio::test]
    async fn an_address_that_cannot_be_asked_unblocks_nobody_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        // Nobody listens on port 9 of this machine.
        let address = "http://127.0.0.1:9/blocked.txt";
        let kept = Kept {
            text: "Clara\n".to_owned(),
            etag: Some("\"1\"".to_owned()),
        };
        Cache::new(folder.path())
            .write("blocked", address, &kept)
            .unwrap();
        let declared = UserList {
            url: Some(address.to_owned()),
            ..list("blocked", None)
        };
        let (_send, declared) = watch::channel(vec![declared]);
        let stop = CancellationToken::new();
        let lists = keep(declared, Some(folder.path()), &stop).await;
        assert!(lists.borrow().has("blocked", &"clara".parse().unwrap()));
        stop.cancel();
    }
}
