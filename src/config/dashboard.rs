//! `[dashboard]`: address, access, controls and editor.

use std::{
    fmt,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use toml::{Spanned, de::DeValue};

use super::PATH;
use sparring_config_schema::{Bool, Section, Text, TypeError, ValueType};

/// Prefix of a Unix socket's path.
const UNIX: &str = "unix:";

/// The address of the dashboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listen {
    /// An address and a port.
    Tcp(SocketAddr),
    /// A Unix socket, for a reverse proxy.
    Unix(PathBuf),
}

impl Listen {
    /// Reads `127.0.0.1:9464` or `unix:/run/sparring/status.sock`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix(UNIX) {
            Some("") => None,
            Some(path) => Some(Self::Unix(PathBuf::from(path))),
            None => text.parse().ok().map(Self::Tcp),
        }
    }

    /// Whether only this machine can connect directly.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        matches!(self, Self::Tcp(address) if address.ip().is_loopback())
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "{address}"),
            Self::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

/// `[dashboard]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dashboard {
    /// The address; none for no dashboard.
    pub listen: Option<Listen>,
    /// The file with the password, readable by its owner alone; none for no password.
    pub password_file: Option<PathBuf>,
    /// Whether the controls are enabled; by default only on a loopback address.
    pub controls: Option<bool>,
    /// Whether the editor is enabled.
    pub edit: bool,
}

impl Dashboard {
    /// Whether the controls are enabled.
    #[must_use]
    pub fn has_controls(&self) -> bool {
        self.controls
            .unwrap_or_else(|| self.listen.as_ref().is_some_and(Listen::is_loopback))
    }

    /// The same settings, with relative paths resolved against a folder.
    pub(super) fn within(self, folder: &Path) -> Self {
        let listen = self.listen.map(|listen| match listen {
            Listen::Unix(path) => Listen::Unix(folder.join(path)),
            tcp @ Listen::Tcp(_) => tcp,
        });
        Self {
            listen,
            password_file: self.password_file.map(|path| folder.join(path)),
            controls: self.controls,
            edit: self.edit,
        }
    }
}

pub(super) fn declare(status: &mut Section<'_>) -> Dashboard {
    let dashboard = Dashboard {
        listen: status.optional(
            "listen",
            ListenForm,
            "nowhere",
            "Where the dashboard, /livez, /readyz and /metrics (OpenMetrics) are served. Beyond this machine only with a password.",
        ),
        password_file: status
            .optional(
                "password-file",
                PATH,
                "no password",
                "A file with the password and nothing else, at least 12 characters, readable by you alone (chmod 600).",
            )
            .map(PathBuf::from),
        controls: status.optional(
            "controls",
            Bool,
            "only where listen is an address of this machine",
            "Whether the buttons of the dashboard work: pause, end, read settings, level of casual games.",
        ),
        edit: status.key(
            "edit",
            Bool,
            false,
            "Books and personalities can be edited in the browser. Only where listen is an address of this machine.",
        ),
    };
    if let Some(listen) = &dashboard.listen {
        let is_open = matches!(listen, Listen::Tcp(_)) && !listen.is_loopback();
        if is_open && dashboard.password_file.is_none() {
            status.error(
                "listen",
                format!("\"{listen}\" is open to other machines, and there is no password"),
                "write 127.0.0.1, or name a file with a password by password-file",
            );
        }
        if dashboard.edit && !listen.is_loopback() {
            status.error(
                "edit",
                "files are edited from this machine alone",
                "leave it out, or let listen be an address as 127.0.0.1:9464",
            );
        }
    }
    dashboard
}

/// [`Listen`] as a setting.
#[derive(Debug, Clone, Copy)]
struct ListenForm;

impl ValueType for ListenForm {
    type Value = Listen;

    fn describe(&self) -> String {
        "an address and a port, as in \"127.0.0.1:9464\", or a socket, as in \"unix:/run/sparring/status.sock\""
            .to_owned()
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<Listen, Vec<TypeError>> {
        let text = Text(1000).read(value)?;
        Listen::parse(&text).ok_or_else(|| {
            let shown: String = text.chars().take(60).collect();
            vec![
                TypeError::new(
                    value,
                    format!("{shown:?} is neither an address and a port nor a socket"),
                )
                .with_help("write \"127.0.0.1:9464\" or \"unix:/run/sparring/status.sock\""),
            ]
        })
    }

    fn write(&self, value: &Listen) -> String {
        format!("\"{value}\"")
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Listen, read};

    fn config(status: &str) -> Result<Config, String> {
        let (config, findings) = read("bot.toml", &format!("[dashboard]\n{status}"));
        config.ok_or_else(|| findings.to_string())
    }

    #[test]
    fn beyond_this_machine_there_must_be_a_password() {
        let open = "listen = \"0.0.0.0:9464\"\n";
        let refused = config(open).unwrap_err();
        assert!(refused.contains("bot.toml:2:10: error"), "{refused}");
        assert!(refused.contains("there is no password"), "{refused}");
        let guarded = config(&format!("{open}password-file = \"password\"\n")).unwrap();
        assert!(!guarded.status.listen.unwrap().is_loopback());
        for home in ["127.0.0.1:9464", "[::1]:0", "unix:/run/sparring/status.sock"] {
            let config = config(&format!("listen = \"{home}\"\n")).unwrap();
            assert_eq!(config.status.listen.unwrap().to_string(), home);
        }
        for nonsense in ["unix:", "localhost", "9464", "http://127.0.0.1:80"] {
            let refused = config(&format!("listen = \"{nonsense}\"\n")).unwrap_err();
            assert!(refused.contains("neither an address"), "{refused}");
        }
    }

    #[test]
    fn files_are_edited_from_this_machine_alone() {
        assert!(
            config("listen = \"127.0.0.1:1\"\nedit = true\n")
                .unwrap()
                .status
                .edit
        );
        for far in [
            "listen = \"unix:/tmp/x\"",
            "listen = \"10.0.0.1:80\"\npassword-file = \"p\"",
        ] {
            let refused = config(&format!("{far}\nedit = true\n")).unwrap_err();
            assert!(refused.contains("from this machine alone"), "{refused}");
        }
    }

    #[test]
    fn beyond_this_machine_one_only_looks_unless_the_settings_say_so() {
        let has_controls = |status: &str| config(status).unwrap().status.has_controls();
        assert!(has_controls("listen = \"127.0.0.1:1\"\n"));
        assert!(!has_controls("listen = \"127.0.0.1:1\"\ncontrols = false\n"));
        let far = "listen = \"10.0.0.1:80\"\npassword-file = \"p\"\n";
        assert!(!has_controls(far) && !has_controls("listen = \"unix:/tmp/x\"\n"));
        assert!(has_controls(&format!("{far}controls = true\n")));
    }

    #[test]
    fn paths_count_from_the_settings() {
        let config = config("listen = \"unix:run/s.sock\"\npassword-file = \"p\"\n").unwrap();
        let status = config.within("/etc/bot".as_ref()).status;
        assert_eq!(status.listen, Some(Listen::Unix("/etc/bot/run/s.sock".into())));
        assert_eq!(status.password_file, Some("/etc/bot/p".into()));
    }
}
