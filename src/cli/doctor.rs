//! `sparring doctor`: checks everything that the bot needs, one line a check, each with a fix.

mod machine;

use std::{
    fmt,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Context as _;

use crate::{
    cli::{
        account,
        bootstrap::fresh_seed,
        check::{check, summary},
        common_args::AccountArgs,
        exit::{self, Exit},
        memory_protection, state_dir,
        token::Sources,
    },
    web::listener,
};
use crate::{
    config::{Config, Server, load},
    store::{Archive, StoreError},
};
use sparring_chess::units::Millis;
use sparring_http_server::raise_open_files;
use sparring_lichess::{Client, Escaped};

/// Says whether everything is in order that the bot needs on lichess, and how to mend what is not.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring doctor                                        everything, with bot.toml here
  sudo sparring doctor --config /etc/sparring/bot.toml   with the token and the archive of the service
  sparring doctor --offline                              without asking the server

Exit codes: 0 in order (there may be warnings), else that of the first trouble: 69 server, 77 token or account,
78 settings, 1 anything else.")]
pub struct Args {
    #[command(flatten)]
    station: AccountArgs,
    /// Asks nothing of the server.
    #[arg(long)]
    offline: bool,
}

/// So many round trips are timed.
const TRIPS: usize = 5;

/// How a thing stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    /// In order.
    Fine,
    /// Worth a look; this would help.
    Worth(String),
    /// The bot cannot do without; this mends it.
    Broken(Exit, String),
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    what: &'static str,
    found: String,
    verdict: Verdict,
}

impl Line {
    fn fine(what: &'static str, found: impl Into<String>) -> Self {
        Self {
            what,
            found: found.into(),
            verdict: Verdict::Fine,
        }
    }

    fn worth(what: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            what,
            found: found.into(),
            verdict: Verdict::Worth(remedy.into()),
        }
    }

    fn broken(what: &'static str, exit: Exit, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            what,
            found: found.into(),
            verdict: Verdict::Broken(exit, remedy.into()),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mark, remedy) = match &self.verdict {
            Verdict::Fine => ("ok  ", None),
            Verdict::Worth(remedy) => ("warn", Some(remedy)),
            Verdict::Broken(_, remedy) => ("FAIL", Some(remedy)),
        };
        write!(f, "{mark}  {:<14} {}", self.what, self.found)?;
        match remedy {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}

/// Looks at everything and prints a line for each thing.
///
/// # Errors
/// When the runtime cannot be started; what is found wrong is told by the exit code.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    memory_protection::forbid_core_dumps();
    let mut lines = Vec::new();
    let config = settings(&args.station.config, &mut lines);
    lines.push(files(&args.station.config));
    if let Some(config) = &config {
        let state = state_dir::folder(config, &args.station.config);
        lines.push(folder(&state));
        lines.extend(archive(&state.join(state_dir::ARCHIVE)).filter(|_| config.state.archive));
        lines.extend(machine::disk(&state));
        lines.extend(config.status.listen.as_ref().map(machine::port));
        let handed = args.station.config.with_file_name(listener::CREDENTIAL);
        // A machine without such a file has its users elsewhere, and nothing is said of them.
        let accounts =
            sparring_files::read_text(Path::new("/etc/passwd"), sparring_files::TEXT).unwrap_or_default();
        lines.extend(machine::others(&config.status, &handed, &accounts));
        lines.push(machine::files(raise_open_files()));
        let client = client(args, config, &mut lines);
        if let Some(client) = client.filter(|_| !args.offline) {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .context("cannot start the runtime")?;
            runtime.block_on(server(&client, config.tournaments.scopes(), &mut lines));
        }
    }
    lines.push(machine::unit(
        state_dir::instance(&args.station.config).as_deref(),
    ));
    for line in &lines {
        super::print(line)?;
    }
    let trouble = lines.iter().find_map(|line| match line.verdict {
        Verdict::Broken(exit, _) => Some(exit),
        _ => None,
    });
    Ok(trouble.unwrap_or(Exit::Success))
}

fn settings(path: &Path, lines: &mut Vec<Line>) -> Option<Config> {
    const WHAT: &str = "settings";
    match load(path) {
        Ok((config, findings)) if findings.list.is_empty() => {
            lines.push(Line::fine(WHAT, path.display().to_string()));
            Some(config)
        }
        Ok((config, findings)) => {
            let found = format!("{}: {} warnings", path.display(), findings.list.len());
            lines.push(Line::worth(WHAT, found, "sparring check shows them"));
            Some(config)
        }
        Err(_) if !path.exists() => {
            let found = format!("{} is not there", path.display());
            lines.push(Line::broken(
                WHAT,
                Exit::BadConfiguration,
                found,
                "sparring init writes one, --config names another",
            ));
            None
        }
        Err(_) => {
            let found = format!("{} cannot be used", path.display());
            lines.push(Line::broken(
                WHAT,
                Exit::BadConfiguration,
                found,
                format!("sparring check {} says why", path.display()),
            ));
            None
        }
    }
}

/// Books and personalities, with whatever the settings say of them.
fn files(config: &Path) -> Line {
    const WHAT: &str = "files";
    let named = [config.to_owned()];
    let asked: &[PathBuf] = if config.exists() { &named } else { &[] };
    match check(asked) {
        Ok(outcome) if outcome.findings.is_empty() => Line::fine(WHAT, summary(&outcome)),
        Ok(outcome) if outcome.is_usable() => Line::worth(WHAT, summary(&outcome), remedy(config)),
        Ok(outcome) => Line::broken(WHAT, Exit::BadConfiguration, summary(&outcome), remedy(config)),
        Err((path, error)) => Line::broken(
            WHAT,
            Exit::BadConfiguration,
            format!("cannot read {}: {error}", path.display()),
            "check its owner and its permissions",
        ),
    }
}

fn remedy(config: &Path) -> String {
    format!("sparring check {} shows them", config.display())
}

/// The folder of what outlasts a restart: can it be written, and does no other bot hold it?
fn folder(path: &Path) -> Line {
    const WHAT: &str = "state";
    let shown = path.display().to_string();
    let is_there = match path.try_exists() {
        Ok(is_there) => is_there,
        Err(error) => {
            return Line::worth(
                WHAT,
                format!("{shown} cannot be looked into: {error}"),
                "ask as its owner, or by sudo where it is a service's",
            );
        }
    };
    if !is_there {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        return match tempfile::tempfile_in(parent.unwrap_or(Path::new("."))) {
            Ok(_) => Line::fine(WHAT, format!("{shown} will be made")),
            Err(error) => Line::worth(
                WHAT,
                format!("{shown} cannot be made: {error}"),
                "give the bot's user the right to, or name another by [state]; without it nothing outlasts a restart",
            ),
        };
    }
    if let Err(error) = tempfile::tempfile_in(path) {
        return Line::worth(
            WHAT,
            format!("{shown} cannot be written: {error}"),
            "make room there, give the bot's user the right to, or name another by [state]",
        );
    }
    if state_dir::is_held(path) {
        return Line::worth(
            WHAT,
            format!("{shown} is held by a bot that runs"),
            "do not start another one with it",
        );
    }
    Line::fine(WHAT, shown)
}

/// The archive, if there is one: can what the bot has played be read?
fn archive(path: &Path) -> Option<Line> {
    const WHAT: &str = "archive";
    let shown = path.display();
    if !path.exists() {
        // A link that leads nowhere, or a name that is no longer reached.
        path.symlink_metadata().ok()?;
        return Some(Line::worth(
            WHAT,
            format!("{shown} is a link to what is not there"),
            "make the folder that it leads to, or remove the link: the bot keeps its games nowhere until then",
        ));
    }
    let damaged = |how: &str| {
        Line::worth(
            WHAT,
            format!("{shown} is damaged: {how}"),
            "the bot sets it aside when it comes upon that, begins a new one and brings over what can be read; a backup may have more",
        )
    };
    let line = match Archive::read(path).and_then(|archive| archive.faults()) {
        Ok(faults) if !faults.is_empty() => damaged(&faults.join("; ").replace('\n', " ")),
        Err(why) if why.is_damage() => damaged(&why.reason()),
        // What is empty or of an earlier version the bot makes a whole one of when it starts.
        Ok(_) | Err(StoreError::Empty | StoreError::TooOld { .. }) => Line::fine(WHAT, shown.to_string()),
        Err(why) => Line::worth(
            WHAT,
            format!("{shown} cannot be used: {:#}", anyhow::Error::new(why)),
            "if no sparring can read it, move it away while the bot is down: it makes a new one when it starts",
        ),
    };
    Some(line)
}

/// A client for the server and token that the bot would use.
fn client(args: &Args, config: &Config, lines: &mut Vec<Line>) -> Option<Client> {
    const WHAT: &str = "token";
    let server = match args.station.url.as_deref().map(Server::parse) {
        None => config.lichess.url.clone(),
        Some(Ok(server)) => server,
        Some(Err(error)) => {
            lines.push(Line::broken(
                "server",
                Exit::BadConfiguration,
                error.to_string(),
                "say another by --url",
            ));
            return None;
        }
    };
    let AccountArgs {
        config: settings,
        token_file,
        ..
    } = &args.station;
    let sources = Sources::of_process(token_file.clone(), config.lichess.token_file.clone(), settings);
    let token = match sources.read() {
        Ok(token) => token,
        Err(error) => {
            let found = format!("{:#}", anyhow::Error::new(error));
            lines.push(Line::broken(
                WHAT,
                Exit::NoPermission,
                found,
                "sparring init asks for one and checks it",
            ));
            return None;
        }
    };
    match Client::new(server.as_str(), token, fresh_seed()) {
        Ok(client) => {
            lines.push(Line::fine(WHAT, "there, and nobody else can read it"));
            Some(client)
        }
        Err(error) => {
            lines.push(Line::broken(
                "server",
                Exit::BadConfiguration,
                error.to_string(),
                "mend url in [lichess]",
            ));
            None
        }
    }
}

/// What the server says: that it is there, how far away, what time it is, and whose token this is.
async fn server(client: &Client, wanted: &[&'static str], lines: &mut Vec<Line>) {
    let mut trips = Vec::new();
    let mut date = None;
    for _ in 0..TRIPS {
        let begun = Instant::now();
        match client.server_time().await {
            Ok(told) => date = told,
            Err(error) => {
                lines.push(Line::broken(
                    "server",
                    Exit::Unavailable,
                    error.to_string(),
                    "is the network there, and url in [lichess] right?",
                ));
                return;
            }
        }
        trips.push(Millis::from(begun.elapsed()));
    }
    trips.sort_unstable();
    let median = trips.get(TRIPS / 2).copied().unwrap_or_default();
    let slowest = trips.last().copied().unwrap_or_default();
    let found = format!("answers within {median}, at most {slowest} of {TRIPS} times");
    lines.push(if median > Millis(500) {
        Line::worth(
            "server",
            found,
            "raise move-overhead in [play], or move nearer to it",
        )
    } else {
        Line::fine("server", found)
    });
    lines.push(machine::clock(date));
    lines.push(match account::verify_token(client, wanted).await {
        Err(error) => Line::broken(
            "account",
            exit::code_of(&error),
            error.to_string(),
            "then ask again",
        ),
        Ok(standing) if !standing.account.is_bot() => Line::broken(
            "account",
            Exit::NoPermission,
            format!("{} is no bot yet", Escaped(&standing.account.username)),
            "sparring init makes an account without games a bot, for ever",
        ),
        Ok(standing) if !standing.missing.is_empty() => Line::worth(
            "account",
            format!("the token lacks {}", standing.missing.join(", ")),
            format!("make another at {}", account::TOKENS),
        ),
        Ok(standing) if !standing.needless.is_empty() => Line::worth(
            "account",
            format!(
                "the token may do more than a bot needs: {}",
                standing.needless.join(", ")
            ),
            "a narrower one is worth less to a thief",
        ),
        Ok(standing) => Line::fine(
            "account",
            format!("{}, a bot", Escaped(&standing.account.username)),
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_that_cannot_be_read_is_told_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(state_dir::ARCHIVE);
        assert_eq!(archive(&path), None, "the bot makes one when it starts");
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink("/nowhere/archive.db", &link).unwrap();
            let told = archive(&link).unwrap().to_string();
            assert!(told.contains("is a link to what is not there"), "{told}");
        }
        drop(Archive::open(&path).unwrap());
        assert_eq!(archive(&path).unwrap().verdict, Verdict::Fine);
        std::fs::write(&path, "garbage ".repeat(1000)).unwrap();
        let told = archive(&path).unwrap().to_string();
        assert!(
            told.starts_with("warn") && told.contains("sets it aside"),
            "{told}"
        );
        // A page in the middle, which is found only when all are read.
        std::fs::remove_file(&path).unwrap();
        let archive = Archive::open(&path).unwrap();
        for ply in 1..2000 {
            let shown = crate::store::MoveRecord {
                ply,
                uci: "e2e4".to_owned(),
                clock: None,
                thought: None,
            };
            archive.put_move(&"abcd1234".parse().unwrap(), &shown).unwrap();
        }
        drop(archive);
        assert_eq!(super::archive(&path).unwrap().verdict, Verdict::Fine);
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 4096;
        bytes[last..].fill(0xa5);
        std::fs::write(&path, bytes).unwrap();
        let told = super::archive(&path).unwrap().to_string();
        assert!(told.starts_with("warn") && told.contains("is damaged"), "{told}");
    }
}
