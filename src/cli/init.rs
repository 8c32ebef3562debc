//! `sparring init`: makes a bot account of a fresh account, or moves over from another bot. Checks the token, and writes
//! bot.toml and the token file before the upgrade, which cannot be undone. Overwrites nothing.

mod import;
mod new_files;

use std::{
    io::IsTerminal as _,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use console::Term;

use import::Import;
use new_files::NewFiles;

use crate::cli::{
    account::{self, NEEDED, TOKENS, VerifiedToken, failed},
    bootstrap::fresh_seed,
    exit::{Exit, Failure},
};
use crate::{
    config::{Config, Server},
    platform::{PRIVATE, advice_on_privacy, forbid_core_dumps, read_secret},
    secret_file,
};
use sparring_lichess::{Client, Escaped, Token, bare_token};

/// Prepares bot.toml and the token for a lichess account.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring init                                       asks for everything
  sparring init --from ~/token.txt --upgrade MyBot    asks nothing, for scripts
  sparring init --from config.yml --output mybot      moves over from lichess-bot or BotLi, books and token as well
  sparring init --from config.yml --output mybot --offline    the same without asking lichess about the token

Exit codes: 0 ready, 1 a file exists already or cannot be written, 2 usage, 69 server not reachable, \
77 token or account refused, 78 the settings of another bot cannot be read.")]
pub struct Args {
    /// The settings file to write.
    #[arg(long, default_value = "bot.toml")]
    config: PathBuf,
    /// The file to write the token to, readable by you alone (on Windows by whoever may read its folder); by default `token` beside the settings.
    #[arg(long)]
    token_file: Option<PathBuf>,
    /// The folder for bot.toml, token, books and personalities, instead of --config.
    #[arg(long, value_name = "FOLDER", conflicts_with = "config")]
    output: Option<PathBuf>,
    /// Reads the token from this file instead of asking; from a config.yml of lichess-bot or BotLi, all settings.
    #[arg(long)]
    from: Option<PathBuf>,
    /// Makes no call: the token that is moved over from a config.yml is not checked.
    #[arg(long, requires = "from")]
    offline: bool,
    /// Makes the account of this name a bot without asking. This cannot be undone.
    #[arg(long, value_name = "NAME")]
    upgrade: Option<String>,
    /// The server's URL; by default that of the config.yml, or https://lichess.org.
    #[arg(long, env = "LICHESS_URL", hide_env_values = true)]
    url: Option<String>,
}

/// The shipped bot.toml: every key with its default.
const SETTINGS: &str = include_str!("../../bot.toml");
/// The line of the shipped settings that names the token file.
const TOKEN_LINE: &str = "# token-file = \"token\"";
/// The line of the shipped settings that names the server.
const URL_LINE: &str = "url = \"https://lichess.org\"";
/// The account's takeback preference. lichess starts new bots without takebacks, and the API cannot change that.
const PREFERENCES: &str = "https://lichess.org/account/preferences/game-behavior";

/// Runs the wizard.
///
/// # Errors
/// When a file exists already or cannot be written, settings of another bot cannot be read, there is no token, or the server
/// refuses token or account.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    forbid_core_dumps();
    let files = Places::of(args);
    let import = match args.from.as_deref().filter(|from| import::is_yaml(from)) {
        Some(from) => Some(import::read(from)?),
        None if args.offline => {
            let sentence =
                "--offline is for moving over: --from names the config.yml of lichess-bot or BotLi";
            return Err(Failure::error(Exit::Usage, sentence));
        }
        None => None,
    };
    files.must_be_free(import.as_ref())?;
    let url = args.url.clone().or_else(|| import.as_ref()?.url());
    let server = url
        .map_or(Ok(Server::default()), |url| Server::parse(&url))
        .map_err(|error| Failure::error(Exit::BadConfiguration, error.to_string()))?;
    if args.offline {
        files
            .write(
                &server,
                import.as_ref(),
                None,
                import.as_ref().and_then(Import::token),
            )?
            .keep();
        return said(&files, import.as_ref(), None);
    }
    let text = match &import {
        Some(import) => import.token().map(str::to_owned).ok_or_else(no_token)?,
        None => token_text(args.from.as_deref())?,
    };
    let token = Token::parse(&text).map_err(|error| Failure::error(Exit::NoPermission, error.to_string()))?;
    let client = Client::new(server.as_str(), token, fresh_seed())
        .map_err(|error| Failure::error(Exit::BadConfiguration, error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let verified = runtime.block_on(account::verify_token(
        &client,
        Config::default().tournaments.scopes(),
    ))?;
    let name = admit(&verified, args.upgrade.as_deref())?;
    // Before the upgrade, which cannot be undone: it must not happen if the disk is full.
    let drafts = files.write(&server, import.as_ref(), Some(&name), Some(&text))?;
    if !verified.account.is_bot() {
        runtime
            .block_on(client.upgrade_to_bot())
            .map_err(|error| failed(&error))?;
    }
    drafts.keep();
    said(&files, import.as_ref(), Some(&name))
}

fn no_token() -> anyhow::Error {
    let sentence = "the config.yml holds no token, only a placeholder; write yours into it, or use --offline";
    Failure::error(Exit::NoPermission, sentence)
}

/// Where the files go.
struct Places {
    config: PathBuf,
    token: PathBuf,
    /// The folder of bot.toml.
    folder: PathBuf,
}

impl Places {
    fn of(args: &Args) -> Self {
        let config = match &args.output {
            Some(folder) => folder.join("bot.toml"),
            None => args.config.clone(),
        };
        let folder = config.parent().unwrap_or(Path::new("")).to_owned();
        let token = args.token_file.clone().unwrap_or_else(|| folder.join("token"));
        Self {
            config,
            token,
            folder,
        }
    }

    /// Refuses to write over a file. Books and personalities that come with the program may be there already.
    fn must_be_free(&self, import: Option<&Import>) -> anyhow::Result<()> {
        let own = import.map_or_else(Vec::new, |import| import.files(None));
        let own = own
            .iter()
            .filter(|file| !file.is_shipped)
            .map(|file| self.folder.join(&file.path));
        match [self.config.clone(), self.token.clone()]
            .into_iter()
            .chain(own)
            .find(|path| path.exists())
        {
            Some(path) => Err(taken(&path)),
            None => Ok(()),
        }
    }

    /// Writes all files, to be kept or removed. `name` is the bot's, if it is known.
    fn write(
        &self,
        server: &Server,
        import: Option<&Import>,
        name: Option<&str>,
        token: Option<&str>,
    ) -> anyhow::Result<Drafts> {
        let mut drafts = Drafts::default();
        // The token first: settings that name a missing file would be worse than a token without settings.
        if let Some(token) = token {
            drafts.write(&self.token, &format!("{}\n", bare_token(token)), 0o600)?;
        }
        for file in import.map_or_else(Vec::new, |import| import.files(name)) {
            let path = self.folder.join(&file.path);
            if !(file.is_shipped && path.exists()) {
                drafts.write(&path, &file.text, 0o644)?;
            }
        }
        let shipped = settings(server, &self.config, &self.token)?;
        let text = import.map_or_else(|| Ok(shipped.clone()), |import| import.settings(&shipped))?;
        drafts.write(&self.config, &text, 0o644)?;
        Ok(drafts)
    }
}

/// Files that are removed again unless they are kept.
#[derive(Default)]
struct Drafts(Vec<NewFiles>);

impl Drafts {
    fn write(&mut self, path: &Path, text: &str, mode: u32) -> anyhow::Result<()> {
        self.0.push(NewFiles::write(path, text, mode)?);
        Ok(())
    }

    fn keep(mut self) {
        self.0.drain(..).for_each(NewFiles::keep);
    }
}

impl Drop for Drafts {
    fn drop(&mut self) {
        // The first ones made the folders.
        while self.0.pop().is_some() {}
    }
}

/// Says what was done and what comes next. `name` is the bot's, if the server was asked.
fn said(files: &Places, import: Option<&Import>, name: Option<&str>) -> anyhow::Result<Exit> {
    if let Some(import) = import {
        super::print(import.report())?;
        super::print(format_args!(
            "Books and personalities that come with Sparring lie beside yours, in {}.",
            match files.folder.as_os_str().is_empty() {
                true => Path::new("."),
                false => &files.folder,
            }
            .display()
        ))?;
    }
    let (config, token) = (files.config.display(), files.token.display());
    let next = format!("Next: sparring doctor --config {config}, then sparring run --config {config}");
    let Some(name) = name else {
        let token = match import.and_then(Import::token) {
            Some(_) => format!("the token is in {token}, {PRIVATE}, and was not checked"),
            None => format!(
                "put the token into {token}, and {}",
                advice_on_privacy(&files.token)
            ),
        };
        return super::print(format_args!("The settings are in {config}; {token}.\n{next}"));
    };
    super::print(format_args!(
        "{name} is ready. The settings are in {config}; the token is in {token}, {PRIVATE}.\n\
         Takebacks: lichess starts new bots without them. To allow them, log in as {name} and choose casual games at\n\
         {PREFERENCES}\n\
         {next}"
    ))
}

fn taken(path: &Path) -> anyhow::Error {
    let sentence = format!(
        "{} exists already and stays as it is; name another file, or move it away first",
        path.display()
    );
    Failure::error(Exit::Failed, sentence)
}

/// The token's text, from a file or from a prompt without echo.
fn token_text(from: Option<&Path>) -> anyhow::Result<String> {
    if let Some(path) = from {
        return Ok(secret_file::read(path)?);
    }
    let term = terminal("--from FILE")?;
    say(
        &term,
        &format!(
            "Sparring needs an API token of the bot's account. Create one at\n  {TOKENS}\n\
             with the scopes {} and nothing else, and paste it here (it is not shown).",
            NEEDED.join(", ")
        ),
    )?;
    Ok(read_secret(&term, "Token: ")?)
}

/// The account's name, if it is a bot, or may become one and its owner confirms that.
fn admit(verified: &VerifiedToken, upgrade: Option<&str>) -> anyhow::Result<String> {
    let name = Escaped(&verified.account.username).to_string();
    if !verified.needless.is_empty() {
        warn(&format!(
            "The token has scopes that a bot does not need ({}): one without them is safer.",
            verified.needless.join(", ")
        ));
    }
    if !verified.missing.is_empty() {
        warn(&format!(
            "The token lacks {}: the bot will not get or answer challenges.",
            verified.missing.join(", ")
        ));
    }
    if verified.account.is_bot() {
        return Ok(name);
    }
    let games = verified.account.games();
    if games > 0 {
        let sentence = format!(
            "{name} has played {games} games; lichess makes bots only of accounts without games. Create a new account"
        );
        return Err(Failure::error(Exit::NoPermission, sentence));
    }
    let typed = match upgrade {
        Some(typed) => typed.to_owned(),
        None => ask_for_upgrade(&name)?,
    };
    if !typed.trim().eq_ignore_ascii_case(&verified.account.username) {
        let sentence = format!("that is not {name}: the account was not changed, and no file was written");
        return Err(Failure::error(Exit::NoPermission, sentence));
    }
    Ok(name)
}

fn ask_for_upgrade(name: &str) -> anyhow::Result<String> {
    let term = terminal("--upgrade NAME")?;
    say(
        &term,
        &format!(
            "{name} is a person's account. A bot account may play with an engine, against people and bots, but never again\n\
             by hand, in the pools or in tournaments for people. This can not be undone."
        ),
    )?;
    term.write_str("Type the name of the account to make it a bot for ever: ")?;
    // Not key by key: the terminal's line editing keeps what was typed or pasted before the prompt.
    let mut typed = String::new();
    std::io::stdin().read_line(&mut typed)?;
    Ok(typed)
}

/// The terminal for questions. `instead` is the option that answers the question without one.
fn terminal(instead: &str) -> anyhow::Result<Term> {
    if std::io::stdin().is_terminal() {
        return Ok(Term::stderr());
    }
    let sentence = format!("there is no terminal to ask on; use {instead}");
    Err(Failure::error(Exit::Usage, sentence))
}

fn say(term: &Term, text: &str) -> anyhow::Result<()> {
    Ok(term.write_line(text)?)
}

/// Prints a warning; goes on where it cannot be printed.
fn warn(text: &str) {
    let _ = Term::stderr().write_line(text);
}

/// The shipped settings with this server and token file.
fn settings(server: &Server, config: &Path, token_file: &Path) -> anyhow::Result<String> {
    let folder = config.parent().unwrap_or(Path::new(""));
    // Paths in the settings count from their folder.
    let named = match token_file.strip_prefix(folder) {
        Ok(beside) => beside.to_owned(),
        Err(_) => std::path::absolute(token_file)?,
    };
    let named = named
        .to_str()
        .context("the path of the token file is not UTF-8")?;
    let line = format!("token-file = {}", toml::Value::String(named.to_owned()));
    Ok(SETTINGS.replacen(TOKEN_LINE, &line, 1).replacen(
        URL_LINE,
        &format!("url = \"{}\"", server.as_str()),
        1,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_settings_take_a_server_and_a_token() {
        let server = Server::parse("http://127.0.0.1:8888").unwrap();
        let text = settings(&server, Path::new("etc/bot.toml"), Path::new("etc/token")).unwrap();
        let (config, findings) = crate::config::read("bot.toml", &text);
        let config = config.unwrap_or_else(|| panic!("{findings}"));
        assert_eq!(config.lichess.url.as_str(), "http://127.0.0.1:8888");
        assert_eq!(config.lichess.token_file.as_deref(), Some(Path::new("token")));
        let elsewhere = settings(&server, Path::new("etc/bot.toml"), Path::new("/secret/t")).unwrap();
        assert!(elsewhere.contains("token-file = \"/secret/t\""), "{elsewhere}");
    }
}
