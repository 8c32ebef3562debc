//! `sparring doctor`: checks everything that the bot needs, one line a check, each with a fix.

mod machine;
mod move_sources;

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
        state_dir,
        token::{Sources, TokenError},
    },
    web::listener,
};
use crate::{
    config::{Config, Server, load},
    platform::{PRIVATE, forbid_core_dumps},
    store::{Archive, StoreError},
};
use sparring_chess::units::Millis;
use sparring_http_server::raise_open_files;
use sparring_lichess::{Client, Escaped, Token};

/// Checks what the bot needs on lichess, and prints a fix for each problem.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring doctor                                        checks everything, with ./bot.toml
  sudo sparring doctor --config /etc/sparring/bot.toml   checks the service, with its token and archive
  sparring doctor --offline                              without calls to the server

Exit codes: 0 no problems (there may be warnings), else that of the first problem: 69 server, 77 token or account, \
78 settings, 1 anything else.")]
pub struct Args {
    #[command(flatten)]
    station: AccountArgs,
    /// Makes no call to the server.
    #[arg(long)]
    offline: bool,
}

/// How many round trips to the server are timed.
const ROUND_TRIPS: usize = 5;

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    /// No problem.
    Ok,
    /// A warning, with its fix.
    Warning(String),
    /// The bot cannot run; with the exit code and the fix.
    Failed(Exit, String),
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    what: &'static str,
    found: String,
    verdict: Verdict,
}

impl Line {
    fn ok(what: &'static str, found: impl Into<String>) -> Self {
        Self {
            what,
            found: found.into(),
            verdict: Verdict::Ok,
        }
    }

    fn warning(what: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            what,
            found: found.into(),
            verdict: Verdict::Warning(remedy.into()),
        }
    }

    fn failed(what: &'static str, exit: Exit, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            what,
            found: found.into(),
            verdict: Verdict::Failed(exit, remedy.into()),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mark, remedy) = match &self.verdict {
            Verdict::Ok => ("ok  ", None),
            Verdict::Warning(remedy) => ("warn", Some(remedy)),
            Verdict::Failed(_, remedy) => ("FAIL", Some(remedy)),
        };
        write!(f, "{mark}  {:<14} {}", self.what, self.found)?;
        match remedy {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}

/// Runs all checks and prints a line for each.
///
/// # Errors
/// When the runtime cannot be started. Failed checks are no error; they decide the exit code.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    forbid_core_dumps();
    let mut lines = Vec::new();
    let config = settings(&args.station.config, &mut lines);
    lines.push(files(&args.station.config));
    if let Some(config) = &config {
        let state = state_dir::folder(config, &args.station.config);
        lines.push(folder(&state));
        lines.extend(archive(&state.join(state_dir::ARCHIVE)).filter(|_| config.state.archive));
        lines.extend(machine::disk(&state));
        lines.extend(
            config
                .engines
                .iter()
                .map(|engine| move_sources::external_engine(engine)),
        );
        lines.extend(config.status.listen.as_ref().map(machine::port));
        let handed = args.station.config.with_file_name(listener::CREDENTIAL);
        // A machine without /etc/passwd has its users elsewhere: no warning about them.
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
        if !args.offline && !config.online.is_empty() {
            lines.extend(move_sources::online(
                &config.online,
                token(args, config).ok().as_ref(),
            )?);
        }
    }
    lines.push(machine::unit(
        state_dir::instance(&args.station.config).as_deref(),
    ));
    for line in &lines {
        super::print(line)?;
    }
    let trouble = lines.iter().find_map(|line| match line.verdict {
        Verdict::Failed(exit, _) => Some(exit),
        _ => None,
    });
    Ok(trouble.unwrap_or(Exit::Success))
}

fn settings(path: &Path, lines: &mut Vec<Line>) -> Option<Config> {
    const WHAT: &str = "settings";
    match load(path) {
        Ok((config, findings)) if findings.list.is_empty() => {
            lines.push(Line::ok(WHAT, path.display().to_string()));
            Some(config)
        }
        Ok((config, findings)) => {
            let found = format!("{}: {} warnings", path.display(), findings.list.len());
            lines.push(Line::warning(WHAT, found, "`sparring check` shows them"));
            Some(config)
        }
        Err(_) if !path.exists() => {
            let found = format!("{} does not exist", path.display());
            lines.push(Line::failed(
                WHAT,
                Exit::BadConfiguration,
                found,
                "write one with `sparring init`, or name another with --config",
            ));
            None
        }
        Err(_) => {
            let found = format!("{} cannot be used", path.display());
            lines.push(Line::failed(
                WHAT,
                Exit::BadConfiguration,
                found,
                format!("`sparring check {}` says why", path.display()),
            ));
            None
        }
    }
}

/// The findings of `sparring check` in books and personalities.
fn files(config: &Path) -> Line {
    const WHAT: &str = "files";
    let named = [config.to_owned()];
    let asked: &[PathBuf] = if config.exists() { &named } else { &[] };
    match check(asked) {
        Ok(outcome) if outcome.findings.is_empty() => Line::ok(WHAT, summary(&outcome)),
        Ok(outcome) if outcome.is_usable() => Line::warning(WHAT, summary(&outcome), remedy(config)),
        Ok(outcome) => Line::failed(WHAT, Exit::BadConfiguration, summary(&outcome), remedy(config)),
        Err((path, error)) => Line::failed(
            WHAT,
            Exit::BadConfiguration,
            format!("cannot read {}: {error}", path.display()),
            "check its owner and its permissions",
        ),
    }
}

fn remedy(config: &Path) -> String {
    format!("`sparring check {}` shows them", config.display())
}

/// Whether the state folder can be written, and no other bot holds it.
fn folder(path: &Path) -> Line {
    const WHAT: &str = "state";
    let shown = path.display().to_string();
    let is_there = match path.try_exists() {
        Ok(is_there) => is_there,
        Err(error) => {
            return Line::warning(
                WHAT,
                format!("{shown} cannot be read: {error}"),
                "run this command as its owner, or with sudo for a service",
            );
        }
    };
    if !is_there {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        return match tempfile::tempfile_in(parent.unwrap_or(Path::new("."))) {
            Ok(_) => Line::ok(WHAT, format!("{shown} will be created")),
            Err(error) => Line::warning(
                WHAT,
                format!("{shown} cannot be created: {error}"),
                "let the bot's user create it, or set another `folder` in [state]; without it the bot keeps nothing over a restart",
            ),
        };
    }
    if let Err(error) = tempfile::tempfile_in(path) {
        return Line::warning(
            WHAT,
            format!("{shown} cannot be written: {error}"),
            "free disk space, let the bot's user write there, or set another `folder` in [state]",
        );
    }
    if state_dir::is_held(path) {
        return Line::warning(
            WHAT,
            format!("{shown} is in use by a running bot"),
            "do not start another bot with it",
        );
    }
    Line::ok(WHAT, shown)
}

/// Whether the archive, if there is one, can be read and is undamaged.
fn archive(path: &Path) -> Option<Line> {
    const WHAT: &str = "archive";
    let shown = path.display();
    if !path.exists() {
        // A dangling link.
        path.symlink_metadata().ok()?;
        return Some(Line::warning(
            WHAT,
            format!("{shown} is a dangling link"),
            "create the folder that it leads to, or remove the link: until then the bot archives no games",
        ));
    }
    let damaged = |how: &str| {
        Line::warning(
            WHAT,
            format!("{shown} is damaged: {how}"),
            "the bot moves it aside, starts a new one and copies over what can be read; a backup may have more",
        )
    };
    let line = match Archive::read(path).and_then(|archive| archive.integrity_errors()) {
        Ok(faults) if !faults.is_empty() => damaged(&faults.join("; ").replace('\n', " ")),
        Err(why) if why.is_damage() => damaged(&why.reason()),
        // The bot migrates an empty or older archive when it starts.
        Ok(_) | Err(StoreError::Empty | StoreError::TooOld { .. }) => Line::ok(WHAT, shown.to_string()),
        Err(why) => Line::warning(
            WHAT,
            format!("{shown} cannot be used: {:#}", anyhow::Error::new(why)),
            "if no version of sparring can read it, move it away while the bot is stopped: the next start makes a new one",
        ),
    };
    Some(line)
}

/// The token that the bot would use.
fn token(args: &Args, config: &Config) -> Result<Token, TokenError> {
    let AccountArgs {
        config: settings,
        token_file,
        ..
    } = &args.station;
    Sources::of_process(token_file.clone(), config.lichess.token_file.clone(), settings).read()
}

/// The client that the bot would use.
fn client(args: &Args, config: &Config, lines: &mut Vec<Line>) -> Option<Client> {
    const WHAT: &str = "token";
    let server = match args.station.url.as_deref().map(Server::parse) {
        None => config.lichess.url.clone(),
        Some(Ok(server)) => server,
        Some(Err(error)) => {
            lines.push(Line::failed(
                "server",
                Exit::BadConfiguration,
                error.to_string(),
                "use another --url",
            ));
            return None;
        }
    };
    let token = match token(args, config) {
        Ok(token) => token,
        Err(error) => {
            let found = format!("{:#}", anyhow::Error::new(error));
            lines.push(Line::failed(
                WHAT,
                Exit::NoPermission,
                found,
                "`sparring init` asks for one and checks it",
            ));
            return None;
        }
    };
    match Client::new(server.as_str(), token, fresh_seed()) {
        Ok(client) => {
            lines.push(Line::ok(WHAT, format!("found, {PRIVATE}")));
            Some(client)
        }
        Err(error) => {
            lines.push(Line::failed(
                "server",
                Exit::BadConfiguration,
                error.to_string(),
                "correct `url` in [lichess]",
            ));
            None
        }
    }
}

/// Checks the server's latency and clock, and the account of the token.
async fn server(client: &Client, wanted: &[&'static str], lines: &mut Vec<Line>) {
    let mut round_trips = Vec::new();
    let mut date = None;
    for _ in 0..ROUND_TRIPS {
        let begun = Instant::now();
        match client.server_time().await {
            Ok(time) => date = time,
            Err(error) => {
                lines.push(Line::failed(
                    "server",
                    Exit::Unavailable,
                    error.to_string(),
                    "check the network, and `url` in [lichess]",
                ));
                return;
            }
        }
        round_trips.push(Millis::from(begun.elapsed()));
    }
    round_trips.sort_unstable();
    let median = round_trips.get(ROUND_TRIPS / 2).copied().unwrap_or_default();
    let slowest = round_trips.last().copied().unwrap_or_default();
    let found = format!("{ROUND_TRIPS} round trips: median {median}, slowest {slowest}");
    lines.push(if median > Millis(500) {
        Line::warning(
            "server",
            found,
            "raise `move-overhead` in [play], or run the bot nearer to the server",
        )
    } else {
        Line::ok("server", found)
    });
    lines.push(machine::clock(date));
    lines.push(match account::verify_token(client, wanted).await {
        Err(error) => Line::failed(
            "account",
            exit::code_of(&error),
            error.to_string(),
            "then run this command again",
        ),
        Ok(standing) if !standing.account.is_bot() => Line::failed(
            "account",
            Exit::NoPermission,
            format!("{} is not a bot account", Escaped(&standing.account.username)),
            "`sparring init` makes an account without games a bot; this cannot be undone",
        ),
        Ok(standing) if !standing.missing.is_empty() => Line::warning(
            "account",
            format!("the token lacks {}", standing.missing.join(", ")),
            format!("create another at {}", account::TOKENS),
        ),
        Ok(standing) if !standing.needless.is_empty() => Line::warning(
            "account",
            format!(
                "the token has scopes that the bot does not need: {}",
                standing.needless.join(", ")
            ),
            "a token without them does less harm if stolen",
        ),
        Ok(standing) => Line::ok(
            "account",
            format!("{}, a bot", Escaped(&standing.account.username)),
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_archive_gets_a_warning_with_a_fix() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(state_dir::ARCHIVE);
        assert_eq!(archive(&path), None, "the bot makes one when it starts");
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink("/nowhere/archive.db", &link).unwrap();
            let line = archive(&link).unwrap().to_string();
            assert!(line.contains("is a dangling link"), "{line}");
        }
        drop(Archive::open(&path).unwrap());
        assert_eq!(archive(&path).unwrap().verdict, Verdict::Ok);
        std::fs::write(&path, "garbage ".repeat(1000)).unwrap();
        let told = archive(&path).unwrap().to_string();
        assert!(
            told.starts_with("warn") && told.contains("moves it aside"),
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
        assert_eq!(super::archive(&path).unwrap().verdict, Verdict::Ok);
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 4096;
        bytes[last..].fill(0xa5);
        std::fs::write(&path, bytes).unwrap();
        let told = super::archive(&path).unwrap().to_string();
        assert!(told.starts_with("warn") && told.contains("is damaged"), "{told}");
    }
}
