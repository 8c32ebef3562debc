//! Machine-wide lock of a token or account: an abstract socket, which ends with the process.

use std::{
    collections::BTreeSet,
    io,
    os::{
        linux::net::SocketAddrExt as _,
        unix::net::{SocketAddr, UnixListener as Socket},
    },
    time::Duration,
};

use futures::{StreamExt as _, future::join_all, stream};
use rustix::process::geteuid;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{UnixListener, UnixStream},
    time::timeout,
};
use tokio_util::task::AbortOnDropHandle;
use tracing::{debug, warn};

use sparring_lichess::Token;

/// The lock, held until dropped.
#[derive(Debug)]
pub struct NameLock(#[expect(dead_code, reason = "dropping it ends the lock")] Option<AbortOnDropHandle<()>>);

/// Socket names per lock: another user's program may occupy some of them.
const NAMES: usize = 8;
/// Timeout of a connection.
const TIMEOUT: Duration = Duration::from_millis(500);
/// Connections answered at the same time.
const MAX_CONNECTIONS: usize = 32;
/// Bytes of a challenge and of its response.
const LENGTH: usize = 32;
/// The superuser.
const ROOT: u32 = 0;
/// The uid that Linux shows for users without a mapping in the namespace; it proves nothing.
const NOBODY: u32 = 65_534;

/// Locks a fingerprint. None where another bot holds it: a process that has the token, or runs as the same user or as root.
pub(crate) async fn take(number: u64, token: &Token) -> Option<NameLock> {
    take_as(number, token, geteuid().as_raw()).await
}

async fn take_as(number: u64, token: &Token, own: u32) -> Option<NameLock> {
    let names: Vec<String> = (0..NAMES).map(|place| name(number, place)).collect();
    let before = look(&names, token, own).await;
    if before.has_bot {
        return None;
    }
    let mut bound = None;
    for name in &names {
        match bind(name) {
            Ok(listener) => {
                bound = Some((name.clone(), listener));
                break;
            }
            Err(why) if why.kind() == io::ErrorKind::AddrInUse => {}
            Err(why) => {
                debug!("abstract sockets cannot be bound on this machine: {why}");
                return Some(NameLock(None));
            }
        }
    }
    let Some((held, listener)) = bound else {
        warn!(
            "{}, so another bot with this account cannot be detected",
            before.strangers(number)
        );
        return Some(NameLock(None));
    };
    let others: Vec<String> = names.into_iter().filter(|name| *name != held).collect();
    let answering = tokio::spawn(answer(listener, held, token.clone()));
    let lock = NameLock(Some(AbortOnDropHandle::new(answering)));
    // Another bot may have started at the same moment.
    let after = look(&others, token, own).await;
    if after.has_bot {
        return None;
    }
    if !after.users.is_empty() {
        warn!(
            "{}: without proof that it is a bot with this token, this bot runs anyway",
            after.strangers(number)
        );
    }
    Some(lock)
}

fn name(number: u64, place: usize) -> String {
    match place {
        0 => format!("sparring-{number:016x}"),
        place => format!("sparring-{number:016x}-{place}"),
    }
}

fn bind(name: &str) -> io::Result<UnixListener> {
    let socket = Socket::bind_addr(&SocketAddr::from_abstract_name(name)?)?;
    socket.set_nonblocking(true)?;
    UnixListener::from_std(socket)
}

/// The holders of sockets.
#[derive(Default)]
struct Holders {
    has_bot: bool,
    /// The uids of holders without proof, where known.
    users: BTreeSet<Option<u32>>,
}

impl Holders {
    fn strangers(&self, number: u64) -> String {
        let users: Vec<String> = self.users.iter().flatten().map(u32::to_string).collect();
        let who = if users.is_empty() {
            "somebody".to_owned()
        } else {
            format!("user {}", users.join(", "))
        };
        let socket = name(number, 0);
        format!(
            "{who} on this machine holds the socket @{socket}, by which bots with the same account notice each other (`ss -xlp` \
             names the program)"
        )
    }
}

async fn look(names: &[String], token: &Token, own: u32) -> Holders {
    let mut holders = Holders::default();
    for holder in join_all(names.iter().map(|name| holder(name, token, own))).await {
        match holder {
            None => {}
            Some(Ok(())) => holders.has_bot = true,
            Some(Err(user)) => {
                holders.users.insert(user);
            }
        }
    }
    holders
}

/// Who holds a name: nobody, a bot, or a user who proves nothing.
async fn holder(name: &str, token: &Token, own: u32) -> Option<Result<(), Option<u32>>> {
    let stream = match timeout(TIMEOUT, UnixStream::connect(format!("\0{name}"))).await {
        Ok(Ok(stream)) => stream,
        // Nobody listens: who has the name all the same is met when it is to be bound.
        Ok(Err(why)) if why.kind() == io::ErrorKind::ConnectionRefused => return None,
        _ => return Some(Err(None)),
    };
    let user = stream.peer_cred().map(|peer| peer.uid()).ok();
    if user.is_some_and(|user| is_believed(user, own)) {
        return Some(Ok(()));
    }
    let answers = timeout(TIMEOUT, ask(stream, name, token)).await;
    Some(if matches!(answers, Ok(Ok(true))) {
        Ok(())
    } else {
        Err(user)
    })
}

/// Whether a holder is believed for its user alone.
const fn is_believed(user: u32, own: u32) -> bool {
    user == ROOT || (user == own && user != NOBODY)
}

/// Asks a holder for what only one with the token can say. The name is part of it, so that nobody can pass on what the holder
/// of another name says.
async fn ask(mut stream: UnixStream, name: &str, token: &Token) -> io::Result<bool> {
    let mut question = [0; LENGTH];
    getrandom::fill(&mut question).map_err(io::Error::other)?;
    stream.write_all(&question).await?;
    let mut told = [0; LENGTH];
    stream.read_exact(&mut told).await?;
    Ok(token.proof(name, &question)[..] == told)
}

/// Answers whoever asks, several at once, none for long: who says nothing keeps no other from the answer.
async fn answer(listener: UnixListener, name: String, token: Token) {
    let askers = stream::unfold(listener, |listener| async move {
        let asker = listener.accept().await.map(|(stream, _)| stream);
        if asker.is_err() {
            // Too many files are open.
            tokio::time::sleep(TIMEOUT).await;
        }
        Some((asker, listener))
    });
    let tell = async |mut stream: UnixStream| {
        let mut question = [0; LENGTH];
        stream.read_exact(&mut question).await?;
        stream.write_all(&token.proof(&name, &question)).await
    };
    askers
        .for_each_concurrent(MAX_CONNECTIONS, async |asker| {
            if let Ok(stream) = asker {
                // Whoever asked and left needs no answer.
                let _: Result<io::Result<()>, _> = timeout(TIMEOUT, tell(stream)).await;
            }
        })
        .await;
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead as _, BufReader},
        os::unix::process::CommandExt as _,
        process::{Child, Command, Stdio},
    };

    use super::*;

    fn token() -> Token {
        Token::parse("lip_heldByOneAlone").unwrap()
    }

    /// Number that no other test has: the process is part of it.
    fn number(test: u64) -> u64 {
        u64::from(std::process::id()) << 16 | test
    }

    /// Ends with the test.
    struct Squatter(Child);

    impl Drop for Squatter {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// Another user who holds these names; none where this test has no right to be one.
    fn squatter(names: &[String]) -> Option<Squatter> {
        let script = "import socket, sys, time\nheld = []\nfor name in sys.argv[1:]:\n s = socket.socket(socket.AF_UNIX)\n \
                      s.bind('\\0' + name)\n s.listen(8)\n held.append(s)\nprint('there', flush=True)\ntime.sleep(600)";
        let child = Command::new("python3")
            .arg("-c")
            .arg(script)
            .args(names)
            .uid(61_999)
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            println!("not run: no python3, or no right to be another user");
            return None;
        };
        let mut told = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut told)
            .unwrap();
        assert_eq!(told, "there\n");
        Some(Squatter(child))
    }

    #[test]
    fn only_root_and_the_same_user_are_believed_for_their_names() {
        assert!(is_believed(0, 1000) && is_believed(1000, 1000) && is_believed(0, 0));
        assert!(!is_believed(1001, 1000) && !is_believed(1000, 0));
        assert!(!is_believed(65_534, 65_534), "that may be anybody");
    }

    #[tokio::test]
    async fn a_bot_of_another_user_is_believed_for_its_token_alone() {
        // To this user root's processes are strangers only where it is not root itself, so it says that it is somebody else.
        let held = take_as(number(1), &token(), 61_998).await;
        assert!(held.is_some());
        assert!(take(number(1), &token()).await.is_none());
        let other = Token::parse("lip_another").unwrap();
        let is_root = geteuid().is_root();
        assert_eq!(take_as(number(1), &other, 61_998).await.is_none(), is_root);
        assert!(take(number(2), &token()).await.is_some());
    }

    #[tokio::test]
    async fn whoever_connects_and_says_nothing_keeps_no_other_from_the_answer() {
        let number = number(3);
        let _held = take(number, &token()).await;
        let name = name(number, 0);
        let connect = || UnixStream::connect(format!("\0{name}"));
        let mut silent = Vec::new();
        for _ in 0..20 {
            silent.push(connect().await.unwrap());
        }
        let (token, asker) = (token(), connect().await.unwrap());
        let asked = ask(asker, &name, &token);
        // One after the other they would keep it from an answer for ten seconds.
        let answer = timeout(Duration::from_secs(5), asked).await;
        assert!(answer.unwrap().unwrap());
    }

    #[tokio::test]
    async fn f7_another_user_who_holds_the_name_keeps_no_bot_down_and_hides_none() {
        let own = geteuid().as_raw();
        for squatted in [1, 3, 8] {
            let number = number(10 + squatted as u64);
            let names: Vec<String> = (0..squatted).map(|place| name(number, place)).collect();
            let Some(squatter) = squatter(&names) else { return };
            let held = take(number, &token()).await;
            assert!(held.is_some(), "{squatted} names taken");
            if squatted < 8 {
                assert!(
                    take(number, &token()).await.is_none(),
                    "the second bot sees the first"
                );
                drop(squatter);
                assert!(
                    take(number, &token()).await.is_none(),
                    "when the squatter is gone too"
                );
                assert!(
                    take_as(number, &token(), own + 1).await.is_none(),
                    "as another user, by the token"
                );
            }
        }
    }
}
