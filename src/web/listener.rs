//! Listener of the dashboard: an address and port, or a Unix socket.

use std::{
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use axum::Router;
use secrecy::SecretString;
use thiserror::Error;
use tokio::{net::TcpListener, time::sleep};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::{
    config::{Dashboard, Listen},
    platform::{SocketListener, bind_socket},
    secret_file::{self, SecretFileError},
    web::{auth::Access, dashboard::LIMITS},
};
use sparring_http_server::{self as http_server, Acceptor, Connections};

/// The name of the systemd credential that may hold the password.
pub(crate) const CREDENTIAL: &str = "dashboard-password";
/// A shorter password can be guessed.
const MIN_PASSWORD: usize = 12;
/// Delay between attempts to bind an address in use.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Why the dashboard cannot be served as `[dashboard]` says. No message quotes the password.
#[derive(Debug, Error)]
pub(crate) enum DashboardError {
    /// The password's file cannot be read, or others may read it.
    #[error(transparent)]
    PasswordFile(#[from] SecretFileError),
    /// The password is too short, or has several lines.
    #[error("the password in {} must be one line of at least {MIN_PASSWORD} characters", .0.display())]
    WeakPassword(PathBuf),
    /// The address cannot be bound, whoever else uses it.
    #[error("cannot listen on {listen}: {error}; set another address with `listen` in [dashboard]")]
    Bind {
        /// The address.
        listen: Listen,
        /// The system's error.
        error: io::Error,
    },
}

/// Who may see the pages, by the settings and systemd's credential.
///
/// # Errors
/// [`DashboardError`] when the password cannot be used.
pub(crate) fn access(dashboard: &Dashboard) -> Result<Access, DashboardError> {
    access_by(secret_file::credentials().as_deref(), dashboard)
}

fn access_by(credentials: Option<&Path>, dashboard: &Dashboard) -> Result<Access, DashboardError> {
    let Some((text, path)) = password(credentials, dashboard)? else {
        return Ok(match &dashboard.listen {
            Some(Listen::Unix(_)) => Access::through_socket(),
            _ => Access::default(),
        });
    };
    let password = text.trim_end_matches(['\r', '\n']);
    if password.chars().count() < MIN_PASSWORD || password.contains('\n') {
        return Err(DashboardError::WeakPassword(path));
    }
    Ok(Access::by_password(SecretString::from(password.to_owned())))
}

/// The password for a client: systemd's credential, else that of the file.
///
/// # Errors
/// [`SecretFileError`] when it cannot be read, or others may read it.
pub(crate) fn known_password(file: Option<PathBuf>) -> Result<Option<SecretString>, SecretFileError> {
    let dashboard = Dashboard {
        password_file: file,
        ..Dashboard::default()
    };
    let found = password(secret_file::credentials().as_deref(), &dashboard)?;
    Ok(found.map(|(text, _)| SecretString::from(text.trim_end_matches(['\r', '\n']).to_owned())))
}

/// The password's text and its path: systemd's credential, else the file that the settings name.
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

/// Serves `router` at `listen` until `stop`, on a task of its own. An address in use by another program is no error: it is bound
/// as soon as it is free, since games need no dashboard.
///
/// # Errors
/// [`DashboardError::Bind`] when the address cannot be bound for another reason.
pub(crate) async fn serve(
    listen: &Listen,
    router: Router,
    stop: &CancellationToken,
) -> Result<(), DashboardError> {
    let bound = match Listener::bind(listen).await {
        Ok(listener) => Some(listener),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            warn!(
                "{listen} is in use: the dashboard starts there once it is free; to use another address, set `listen` in \
                 [dashboard] and restart"
            );
            None
        }
        Err(error) => {
            let listen = listen.clone();
            return Err(DashboardError::Bind { listen, error });
        }
    };
    let (listen, stop) = (listen.clone(), stop.clone());
    tokio::spawn(async move {
        let listener = match bound {
            Some(listener) => Some(listener),
            None => stop.run_until_cancelled(Listener::bind_when_free(&listen)).await,
        };
        if let Some(listener) = listener {
            listener.serve(router, stop).await;
        }
    });
    Ok(())
}

/// A bound address.
enum Listener {
    Tcp(TcpListener),
    Unix(SocketListener, PathBuf),
}

impl Listener {
    async fn bind(listen: &Listen) -> io::Result<Self> {
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

    async fn bind_when_free(listen: &Listen) -> Self {
        loop {
            sleep(RETRY_INTERVAL).await;
            if let Ok(listener) = Self::bind(listen).await {
                return listener;
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
                remove_socket(path);
                served
            }
        };
        if let Err(error) = served {
            warn!("the dashboard has stopped: {error}");
        }
    }
}

/// The address for a URL: an unspecified one becomes loopback.
pub(crate) fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        ip if !ip.is_unspecified() => ip,
        std::net::IpAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
        std::net::IpAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, address.port())
}

fn remove_socket(path: PathBuf) {
    if let Err(error) = fs::remove_file(&path) {
        warn!("cannot remove the socket {}: {error}", path.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    fn dashboard(password: &str, mode: u32) -> (tempfile::TempDir, Dashboard) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("password");
        fs::write(&path, password).unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        let dashboard = Dashboard {
            password_file: Some(path),
            ..Dashboard::default()
        };
        (folder, dashboard)
    }

    #[cfg(unix)]
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
    fn a_systemd_credential_replaces_the_password_file() {
        let credentials = tempfile::tempdir().unwrap();
        let handed = credentials.path().join(CREDENTIAL);
        // As in the units: root alone reads the file that the settings name, and systemd's copy has a mode of its own.
        let dashboard = Dashboard {
            password_file: Some("/nobody/reads/this".into()),
            ..Dashboard::default()
        };
        fs::write(&handed, "correct horse\n").unwrap();
        #[cfg(unix)]
        fs::set_permissions(&handed, std::os::unix::fs::PermissionsExt::from_mode(0o640)).unwrap();
        let asks = |dashboard: &Dashboard| {
            let access = access_by(Some(credentials.path()), dashboard)?;
            Ok::<_, DashboardError>(format!("{access:?}") != format!("{:?}", Access::default()))
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

    #[cfg(unix)]
    #[tokio::test]
    async fn a_unix_socket_is_served_and_removed_at_the_end() {
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
    async fn a_port_in_use_is_bound_once_it_is_free() {
        use tokio::net::TcpStream;
        let foreign = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = foreign.local_addr().unwrap();
        let stop = CancellationToken::new();
        serve(&Listen::Tcp(address), Router::new(), &stop).await.unwrap();
        drop(foreign);
        while TcpStream::connect(address).await.is_err() {
            sleep(RETRY_INTERVAL).await;
        }
    }

    #[tokio::test]
    async fn an_address_of_another_machine_cannot_be_bound() {
        // Of the block that no machine has (RFC 5737).
        let listen = Listen::Tcp("192.0.2.1:9464".parse().unwrap());
        let served = serve(&listen, Router::new(), &CancellationToken::new()).await;
        let error = served.unwrap_err();
        assert!(matches!(error, DashboardError::Bind { .. }));
        assert!(
            error.to_string().contains("set another address with `listen`"),
            "{error}"
        );
    }
}
