//! Listener of the dashboard: an address and port, or a Unix socket.

use std::{
    fs, io,
    net::SocketAddr,
    os::unix::{
        fs::{FileTypeExt as _, PermissionsExt as _},
        net::UnixStream,
    },
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::Router;
use secrecy::SecretString;
use tokio::{
    net::{TcpListener, UnixListener},
    time::sleep,
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::config::{Dashboard, Listen};
use crate::{
    cli::{
        exit::{Exit, Failure},
        secret_file::{self, SecretFileError},
    },
    web::{auth::Access, dashboard::LIMITS},
};
use sparring_http_server::{self as http_server, Acceptor, Connections};

/// The name of the systemd credential that may hold the password.
pub(crate) const CREDENTIAL: &str = "dashboard-password";
/// A shorter password can be guessed.
const SHORTEST: usize = 12;
/// The owner and the group of the socket may use it: the group is for the server in front.
const SOCKET_MODE: u32 = 0o660;
/// A place that another program holds is asked for again so often.
const AGAIN: Duration = Duration::from_secs(5);

/// Who may see the pages, by the settings and what systemd hands over.
///
/// # Errors
/// [`Exit::BadConfiguration`] when the password's file cannot be used. The password is never quoted.
pub(crate) fn access(dashboard: &Dashboard) -> anyhow::Result<Access> {
    access_by(secret_file::credentials().as_deref(), dashboard)
}

fn access_by(credentials: Option<&Path>, dashboard: &Dashboard) -> anyhow::Result<Access> {
    let refused = |sentence: String| Failure::error(Exit::BadConfiguration, sentence);
    let found = password(credentials, dashboard)
        .map_err(|error| refused(format!("{:#}", anyhow::Error::new(error))))?;
    let Some((text, path)) = found else {
        return Ok(match &dashboard.listen {
            Some(Listen::Unix(_)) => Access::through_socket(),
            _ => Access::default(),
        });
    };
    let password = text.trim_end_matches(['\r', '\n']);
    if password.chars().count() < SHORTEST || password.contains('\n') {
        return Err(refused(format!(
            "the password in {} must be one line of at least {SHORTEST} characters",
            path.display()
        )));
    }
    Ok(Access::by_password(SecretString::from(password.to_owned())))
}

/// The text that should be the password, and where it was: systemd's credential, else the file that the settings name.
fn password(
    credentials: Option<&Path>,
    dashboard: &Dashboard,
) -> Result<Option<(String, PathBuf)>, SecretFileError> {
    if let Some(found) = secret_file::credential(credentials, CREDENTIAL)? {
        return Ok(Some(found));
    }
    let Some(path) = &dashboard.password_file else {
        return Ok(None);
    };
    Ok(Some((secret_file::read_private(path)?, path.clone())))
}

/// Serves there until `stop`. Nobody needs the pages to play: a place that another program holds ends no game, and is
/// served once it is free.
///
/// # Errors
/// [`Exit::BadConfiguration`] with the remedy when the place cannot be used, whoever holds it.
pub(crate) async fn serve(listen: &Listen, router: Router, stop: &CancellationToken) -> anyhow::Result<()> {
    let place = match ListenAddress::take(listen).await {
        Ok(place) => Some(place),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            warn!(
                "{listen} is taken: the dashboard is served there once it is free; for another place name it by listen \
                 in [dashboard] and start again"
            );
            None
        }
        Err(error) => {
            let sentence =
                format!("cannot listen on {listen}: {error}; name another by listen in [dashboard]");
            return Err(Failure::error(Exit::BadConfiguration, sentence));
        }
    };
    let (listen, stop) = (listen.clone(), stop.clone());
    tokio::spawn(async move {
        let place = match place {
            Some(place) => Some(place),
            None => stop.run_until_cancelled(ListenAddress::wait(&listen)).await,
        };
        if let Some(place) = place {
            place.serve(router, stop).await;
        }
    });
    Ok(())
}

/// A place that this process holds.
enum ListenAddress {
    Tcp(TcpListener),
    Unix(UnixListener, PathBuf),
}

impl ListenAddress {
    async fn take(listen: &Listen) -> io::Result<Self> {
        Ok(match listen {
            Listen::Tcp(address) => {
                let listener = TcpListener::bind(address).await?;
                if let Ok(address) = listener.local_addr() {
                    info!("the dashboard is at http://{}/", reachable(address));
                }
                Self::Tcp(listener)
            }
            Listen::Unix(path) => {
                let listener = bind_socket(path)?;
                info!("the dashboard is at the socket {}", path.display());
                Self::Unix(listener, path.clone())
            }
        })
    }

    /// Takes it as soon as it can be had.
    async fn wait(listen: &Listen) -> Self {
        loop {
            sleep(AGAIN).await;
            if let Ok(place) = Self::take(listen).await {
                return place;
            }
        }
    }

    async fn serve(self, router: Router, stop: CancellationToken) {
        let connections = Arc::new(Connections::new(LIMITS));
        let served = match self {
            Self::Tcp(listener) => {
                http_server::serve(Acceptor::new(listener, connections), router, stop).await
            }
            Self::Unix(listener, path) => {
                let served = http_server::serve(Acceptor::new(listener, connections), router, stop).await;
                leave_socket(path);
                served
            }
        };
        if let Err(error) = served {
            warn!("the dashboard is served no longer: {error}");
        }
    }
}

/// An address that a browser can go to.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        ip if !ip.is_unspecified() => ip,
        std::net::IpAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
        std::net::IpAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, address.port())
}

/// A socket that a program left behind when it was killed is in nobody's use and makes room.
fn bind_socket(path: &Path) -> io::Result<UnixListener> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    if is_socket && UnixStream::connect(path).is_err() {
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(SOCKET_MODE))?;
    Ok(listener)
}

fn leave_socket(path: PathBuf) {
    if let Err(error) = fs::remove_file(&path) {
        warn!("{} stays behind: {error}", path.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dashboard(password: &str, mode: u32) -> (tempfile::TempDir, Dashboard) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("password");
        fs::write(&path, password).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let dashboard = Dashboard {
            password_file: Some(path),
            ..Dashboard::default()
        };
        (folder, dashboard)
    }

    #[test]
    fn a_password_is_long_private_and_never_shown() {
        let (_folder, good) = dashboard("correct horse\n", 0o600);
        let shown = format!("{:?}", access(&good).unwrap());
        assert!(!shown.contains("horse"), "{shown}");
        // As an editor of Windows writes it.
        let (_folder, marked) = dashboard("\u{feff}correct horse\r\n", 0o600);
        let (found, _) = password(None, &marked).unwrap().unwrap();
        assert_eq!(found, "correct horse\r\n");
        for (text, mode, why) in [
            ("short", 0o600, "at least 12 characters"),
            ("two lines of\ntext", 0o600, "one line"),
            ("correct horse", 0o644, "chmod 600"),
        ] {
            let (_folder, bad) = dashboard(text, mode);
            let error = access(&bad).unwrap_err().to_string();
            assert!(error.contains(why) && !error.contains(text), "{error}");
        }
    }

    #[test]
    fn a_password_that_systemd_hands_over_needs_no_file_that_the_bot_can_read() {
        let credentials = tempfile::tempdir().unwrap();
        let handed = credentials.path().join(CREDENTIAL);
        // As in the units: root alone reads the file that the settings name, and systemd's copy has a mode of its own.
        let dashboard = Dashboard {
            password_file: Some("/nobody/reads/this".into()),
            ..Dashboard::default()
        };
        fs::write(&handed, "correct horse\n").unwrap();
        fs::set_permissions(&handed, fs::Permissions::from_mode(0o640)).unwrap();
        let asks = |dashboard: &Dashboard| {
            let access = access_by(Some(credentials.path()), dashboard)?;
            anyhow::Ok(format!("{access:?}") != format!("{:?}", Access::default()))
        };
        assert!(asks(&dashboard).unwrap());
        assert!(asks(&Dashboard::default()).unwrap(), "whatever the settings say");
        fs::write(&handed, "short\n").unwrap();
        assert!(asks(&dashboard).unwrap_err().to_string().contains("at least 12"));
        // What the units hand over where there is no such file.
        fs::write(&handed, "\n").unwrap();
        assert!(!asks(&Dashboard::default()).unwrap());
        assert!(
            asks(&dashboard)
                .unwrap_err()
                .to_string()
                .contains("/nobody/reads")
        );
    }

    #[tokio::test]
    async fn a_socket_is_served_until_the_end_and_then_gone() {
        use axum::{middleware::from_fn_with_state, routing::get};
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("status.sock");
        let listen = Listen::Unix(path.clone());
        let dashboard = Dashboard {
            listen: Some(listen.clone()),
            ..Dashboard::default()
        };
        let router = Router::new()
            .route("/", get(async || "at work"))
            .layer(from_fn_with_state(
                access(&dashboard).unwrap(),
                crate::web::auth::check,
            ));
        let stop = CancellationToken::new();
        serve(&listen, router, &stop).await.unwrap();
        let mut stream = tokio::net::UnixStream::connect(&path).await.unwrap();
        let asked = b"GET / HTTP/1.1\r\nHost: bot.example\r\nConnection: close\r\n\r\n";
        stream.write_all(asked).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.ends_with("at work"),
            "{answer}"
        );
        stop.cancel();
        let gone = async {
            while path.exists() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(5), gone)
            .await
            .unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_port_that_another_program_holds_is_served_once_it_is_free() {
        use tokio::net::TcpStream;
        let foreign = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = foreign.local_addr().unwrap();
        let stop = CancellationToken::new();
        serve(&Listen::Tcp(address), Router::new(), &stop).await.unwrap();
        drop(foreign);
        while TcpStream::connect(address).await.is_err() {
            sleep(AGAIN).await;
        }
    }

    #[tokio::test]
    async fn an_address_that_is_not_of_this_machine_is_a_bad_configuration() {
        // Of the block that no machine has (RFC 5737).
        let listen = Listen::Tcp("192.0.2.1:9464".parse().unwrap());
        let served = serve(&listen, Router::new(), &CancellationToken::new()).await;
        let error = served.unwrap_err();
        assert_eq!(crate::cli::exit::code_of(&error), Exit::BadConfiguration);
        assert!(error.to_string().contains("name another by listen"), "{error}");
    }

    #[tokio::test]
    async fn a_socket_left_behind_makes_room_and_one_in_use_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("status.sock");
        let first = bind_socket(&path).unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            SOCKET_MODE
        );
        assert!(bind_socket(&path).is_err(), "somebody listens there");
        drop(first);
        assert!(path.exists(), "as after a kill");
        bind_socket(&path).unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "mine").unwrap();
        assert!(bind_socket(&file).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine", "no file makes room");
    }
}
