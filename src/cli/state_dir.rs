//! State folder: its path, the archive in it, and the locks that keep a folder, token and account to one bot.

mod folder_lock;

use std::{
    env,
    fs::TryLockError,
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use tracing::{debug, warn};

pub use crate::platform::NameLock;
pub use folder_lock::{LockError, StateDir};

use crate::{
    bot::{ClaimAccount, LockGuard, RestoredState, latest_limit},
    config::{self, Config, Server},
    platform::lock_name,
    store::{
        Archive, ChallengeFilter, ChallengeRecord, Filter, GameRecord, GameResult, StoreError, read_damaged,
    },
};
use sparring_chess::units::Millis;
use sparring_files as files;
use sparring_lichess::{Token, fingerprint};

/// File name of the archive.
pub const ARCHIVE: &str = "archive.db";
/// File name of the answers of online sources.
pub const ONLINE: &str = "online.db";
/// Name of the subfolder that caches fetched user lists.
pub const LISTS: &str = "lists";
/// File name of the lock.
const LOCK: &str = "lock";
/// The environment variable in which systemd passes a service's state folder.
const SYSTEMD: &str = "STATE_DIRECTORY";
/// Settings and state folders of the shipped units: `/etc/sparring/NAME` and `/var/lib/sparring-NAME` for an instance.
const SERVICES: [&str; 2] = ["/etc/sparring", "/var/lib/sparring"];
/// A day in milliseconds.
const DAY: u64 = 24 * 3600 * 1000;
/// Largest difference between the server's clock, which dates games, and ours. Rows dated further ahead come from a wrong clock and do
/// not count.
pub(super) const AHEAD: Millis = Millis(10 * 60 * 1000);
/// How long refusals of challenges are remembered.
const REMEMBERED: Millis = Millis(14 * DAY);
/// At most so many unfinished games, the newest, are taken to be running.
const UNFINISHED: u32 = 100;

/// The state folder: the one in the settings, else systemd's, else `state` beside the settings. For the settings of a service it is
/// the service's folder, for other commands too.
#[must_use]
pub fn folder(config: &Config, settings: &Path) -> PathBuf {
    folder_if_named(config.state.folder.clone(), settings)
}

/// The state folder by the text of settings that cannot be used.
#[must_use]
pub(super) fn folder_of_text(text: &str, settings: &Path) -> PathBuf {
    let named = config::state_folder(text).map(|folder| beside(settings).join(folder));
    folder_if_named(named, settings)
}

fn folder_if_named(named: Option<PathBuf>, settings: &Path) -> PathBuf {
    let of_systemd = || {
        let folders = env::var_os(SYSTEMD)?;
        env::split_paths(&folders).next()
    };
    named
        .or_else(of_systemd)
        .or_else(|| of_service(settings, SERVICES.map(Path::new)))
        .unwrap_or_else(|| beside(settings).join("state"))
}

/// The state folder of the service with these settings, if it has ever run.
fn of_service(settings: &Path, [etc, var]: [&Path; 2]) -> Option<PathBuf> {
    let instance = instance_below(settings, etc)?;
    let mut folder = var.as_os_str().to_owned();
    if !instance.as_os_str().is_empty() {
        folder.push("-");
        folder.push(instance);
    }
    let folder = PathBuf::from(folder);
    // With DynamicUser it is a link into a folder of root's. The caller should get "permission denied", not "not found".
    let is_missing = matches!(folder.symlink_metadata(), Err(why) if why.kind() == io::ErrorKind::NotFound);
    (!is_missing).then_some(folder)
}

/// The template unit's instance with these settings: empty for the unit of a single bot, none for settings of no service.
#[must_use]
pub(super) fn instance(settings: &Path) -> Option<PathBuf> {
    instance_below(settings, Path::new(SERVICES[0]))
}

fn instance_below(settings: &Path, etc: &Path) -> Option<PathBuf> {
    let settings = std::path::absolute(settings).ok()?;
    beside(&settings).strip_prefix(etc).ok().map(Path::to_owned)
}

/// The folder of the settings file, to which its paths are relative.
pub(super) fn beside(settings: &Path) -> &Path {
    settings.parent().unwrap_or(Path::new(""))
}

/// Whether a running bot holds the folder's lock. Changes nothing.
#[must_use]
pub fn is_held(folder: &Path) -> bool {
    let lock = files::open(&folder.join(LOCK));
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Another process of this machine uses the token.
#[derive(Debug, thiserror::Error)]
#[error("another bot on this machine uses this token: stop it, or use another account for this one")]
pub struct TokenTaken;

/// Locks a token for this process, independent of state folders.
///
/// # Errors
/// [`TokenTaken`] when another process holds it.
pub async fn take_token(token: &Token, server: &str) -> Result<NameLock, TokenTaken> {
    lock_name(token.fingerprint(server), token)
        .await
        .ok_or(TokenTaken)
}

/// Locks an account for this process, whatever its token.
pub(super) fn claim(server: &Server, token: Token) -> ClaimAccount {
    let server = server.clone();
    Box::new(move |account| {
        let name = fingerprint(server.as_str(), &format!("account {account}"));
        Box::pin(async move { Some(Box::new(lock_name(name, &token).await?) as LockGuard) })
    })
}

/// The state that the folder's archive restores, for a dry run; empty without an archive.
#[must_use]
pub fn remembered(folder: &Path) -> RestoredState {
    let path = folder.join(ARCHIVE);
    if !path.exists() {
        return RestoredState::default();
    }
    as_far_as_it_can_be_read(&path, past).unwrap_or_else(|why| {
        warn!(
            "cannot read {}, starting without a history: {:#}",
            path.display(),
            anyhow::Error::new(why)
        );
        RestoredState::default()
    })
}

/// The unfinished games of the last run, newest first; empty where no archive can be read.
#[must_use]
pub(super) fn unfinished(folder: &Path) -> Vec<GameRecord> {
    let filter = Filter {
        result: Some(GameResult::Runs),
        until: Some(epoch() + Millis(DAY)),
        most: Some(UNFINISHED),
        ..Filter::default()
    };
    let path = folder.join(ARCHIVE);
    if !path.exists() {
        return Vec::new();
    }
    // The daemon starts next, so an older archive may be migrated now. On a full disk it can only be read.
    let running = Archive::open(&path).and_then(|archive| archive.games(&filter));
    let running = running.or_else(|_| as_far_as_it_can_be_read(&path, |archive| archive.games(&filter)));
    running.unwrap_or_else(|why| {
        debug!("cannot tell which games are running: {why}");
        Vec::new()
    })
}

/// Queries an archive, or the readable rows of a damaged one. Leaves the file as it is: another bot may be using it.
fn as_far_as_it_can_be_read<T>(
    path: &Path,
    question: impl Fn(&Archive) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    match Archive::read(path).and_then(|archive| question(&archive)) {
        Err(why) if why.is_damage() => question(&read_damaged(path)?),
        answer => answer,
    }
}

/// The current time since 1970.
fn epoch() -> Millis {
    Millis::since_1970(SystemTime::now())
}

fn past(archive: &Archive) -> Result<RestoredState, StoreError> {
    past_at(archive, epoch())
}

fn past_at(archive: &Archive, now: Millis) -> Result<RestoredState, StoreError> {
    let midnight = Millis(now.0 - now.0 % DAY);
    let challenges = |since, sent| {
        archive.challenges(&ChallengeFilter {
            since: Some(since),
            until: Some(now + AHEAD),
            sent: Some(sent),
            ..ChallengeFilter::default()
        })
    };
    let (sent, received) = (challenges(midnight, true)?, challenges(now - Millis(DAY), false)?);
    let repeats = |challenge: ChallengeRecord| Some((challenge.id, challenge.repeats?));
    Ok(RestoredState {
        opponents_today: archive.opponents_between(midnight, now + AHEAD)?,
        decided_today: archive.decided_between(midnight, now + AHEAD)?,
        requested_personas: archive.requested_personas(now + AHEAD)?,
        limits: archive.limits(now, latest_limit(now))?,
        scores: archive.scores(now + AHEAD)?,
        cooldowns: archive.cooldowns(now - REMEMBERED, now + REMEMBERED)?,
        asked_today: u32::try_from(sent.len()).unwrap_or(u32::MAX),
        repeats: received.into_iter().rev().filter_map(repeats).collect(),
        game_flags: archive.game_flags(now + Millis(DAY))?,
        unfinished: archive.unfinished(now + Millis(DAY))?,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::store::{ChallengeCooldown, GameFlags, RequestedPersona, test_fixtures};
    use sparring_chess::units::Elo;
    use sparring_lichess::model::Side;

    #[test]
    fn whoever_names_the_settings_of_a_service_means_its_folder() {
        let at = tempfile::tempdir().unwrap();
        let [etc, var] = ["etc/sparring", "var/lib/sparring"].map(|path| at.path().join(path));
        let found = |settings: &str| of_service(&etc.join(settings), [&etc, &var]);
        assert_eq!(found("bot.toml"), None, "it has never run");
        let of_club = at.path().join("var/lib/sparring-club");
        std::fs::create_dir_all(&of_club).unwrap();
        assert_eq!(found("club/bot.toml"), Some(of_club));
        assert_eq!(found("bot.toml"), None);
        std::fs::create_dir_all(&var).unwrap();
        assert_eq!(found("bot.toml"), Some(var.clone()));
        assert_eq!(found("other/bot.toml"), None);
        assert_eq!(of_service(&at.path().join("bot.toml"), [&etc, &var]), None);
    }

    #[tokio::test]
    async fn a_token_is_held_by_one_process_on_a_server_until_it_lets_go() {
        let token = Token::parse("lip_heldByOneAlone").unwrap();
        let held = take_token(&token, "https://a.example/").await.unwrap();
        assert!(take_token(&token, "https://a.example/").await.is_err());
        take_token(&token, "https://b.example/").await.unwrap();
        drop(held);
        until_let_go(async || take_token(&token, "https://a.example/").await.is_ok()).await;
    }

    /// Waits until a name can be taken again: the runtime closes the socket when it comes to that.
    async fn until_let_go(is_taken: impl AsyncFn() -> bool) {
        let free = async { while !is_taken().await {} };
        tokio::time::timeout(Duration::from_secs(30), free)
            .await
            .expect("the name is still held 30 s after it was let go");
    }

    #[tokio::test]
    async fn an_account_is_held_by_one_process_on_a_server_by_whatever_token() {
        let claimed = async |url, account: &str, token| {
            let claim = claim(&Server::parse(url).unwrap(), Token::parse(token).unwrap());
            claim(&account.parse().unwrap()).await
        };
        let held = claimed("https://a.example", "ana", "lip_one").await;
        assert!(held.is_some());
        assert!(claimed("https://a.example", "ana", "lip_one").await.is_none());
        assert!(claimed("https://a.example", "ana", "lip_other").await.is_none());
        assert!(claimed("https://a.example", "boris", "lip_one").await.is_some());
        assert!(claimed("https://b.example", "ana", "lip_one").await.is_some());
        drop(held);
        until_let_go(async || claimed("https://a.example", "ana", "lip_one").await.is_some()).await;
    }

    #[test]
    fn a_game_of_months_is_known_as_long_as_it_runs() {
        let at = tempfile::tempdir().unwrap();
        let game = GameRecord {
            began: epoch() - Millis(90 * DAY),
            ..test_fixtures::game("abcd1234", Side::White)
        };
        let favour = GameFlags {
            takebacks: 1,
            ..GameFlags::default()
        };
        let archive = Archive::open(&at.path().join(ARCHIVE)).unwrap();
        archive.put_game(&game).unwrap();
        archive.put_game_flags(&game.id, &favour).unwrap();
        let known = past(&archive).unwrap();
        assert_eq!(known.game_flags, [(game.id.clone(), favour)]);
        assert_eq!(known.unfinished, std::slice::from_ref(&game.id));
        assert_eq!(unfinished(at.path()), std::slice::from_ref(&game));
        let end = test_fixtures::end("mate", None, "");
        archive.put_game(&GameRecord { end, ..game }).unwrap();
        let known = past(&archive).unwrap();
        assert_eq!((known.game_flags, known.unfinished), (vec![], vec![]));
    }

    #[test]
    fn f51_rows_of_a_time_to_come_are_nothing_of_today() {
        let archive = Archive::in_memory().unwrap();
        let now = Millis(20_000 * DAY + DAY / 2);
        let days = |days: u64| Millis(days * DAY);
        let ahead = now + days(300);
        for number in 0..120 {
            let id = format!("game{number:04}");
            let end = test_fixtures::end("mate", Some(Side::Black), "");
            let bot = GameRecord {
                began: ahead,
                is_bot: true,
                rated: false,
                end: (number % 2 == 0).then_some(end).flatten(),
                ..test_fixtures::game(&id, Side::White)
            };
            archive.put_game(&bot).unwrap();
            archive.put_game_flags(&bot.id, &GameFlags::default()).unwrap();
            archive
                .put_challenge(&ChallengeRecord {
                    id: bot.id.clone(),
                    at: ahead,
                    opponent: None,
                    verdict: "accepted".to_owned(),
                    rule: "x".to_owned(),
                    sent: number % 2 == 0,
                    game: None,
                    repeats: Some(bot.id),
                })
                .unwrap();
        }
        archive.put_limit("bot.vsBot.day", ahead).unwrap();
        archive.put_limit("class.read", now + days(1)).unwrap();
        let (ana, asked) = (
            "ana".parse().unwrap(),
            RequestedPersona {
                level: Some(Elo(1500)),
                personality: None,
            },
        );
        archive.put_requested_persona(&ana, &asked, ahead).unwrap();
        archive
            .put_cooldown(&ChallengeCooldown {
                user: ana.clone(),
                refusals: 1,
                until: ahead,
            })
            .unwrap();
        let known = past_at(&archive, now).unwrap();
        let expected = RestoredState {
            limits: vec![("class.read".to_owned(), now + days(1))],
            scores: known.scores.clone(),
            ..RestoredState::default()
        };
        assert_eq!(known, expected);
        // On that day they count, and the day after no more.
        let known = past_at(&archive, ahead).unwrap();
        assert_eq!((known.opponents_today.len(), known.asked_today), (120, 60));
        assert!(
            past_at(&archive, ahead + days(1))
                .unwrap()
                .opponents_today
                .is_empty()
        );
        // A clock that begins at 1970 is no reason to fall.
        assert!(
            past_at(&archive, Millis::ZERO)
                .unwrap()
                .opponents_today
                .is_empty()
        );
    }

    #[test]
    fn the_settings_come_before_the_folder_beside_them() {
        let mut config = Config::default();
        config.state.folder = Some(PathBuf::from("/var/x"));
        assert_eq!(folder(&config, Path::new("/etc/bot.toml")), Path::new("/var/x"));
        let spoiled = "[state]\nfolder = \"x\"\n[games";
        assert_eq!(
            folder_of_text(spoiled, Path::new("/etc/bot.toml")),
            Path::new("/etc/x")
        );
    }
}
