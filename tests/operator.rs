//! `sparring init` and `sparring doctor`, as an operator meets them: the real program against the sandbox. And what engines
//! from outside learn of an operator.

use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Command, ExitStatus, Output, Stdio},
};

use sparring_sandbox::{Fault, FaultKind, Options, Sandbox};
use tokio::{net::TcpListener, runtime::Runtime};
use tokio_util::sync::CancellationToken;

/// Everything that a bot needs.
const SCOPES: [&str; 3] = ["bot:play", "challenge:read", "challenge:write"];

/// A served sandbox with a fresh account, and a folder to work in.
struct Office {
    sandbox: Sandbox,
    url: String,
    folder: tempfile::TempDir,
    _runtime: Runtime,
}

impl Office {
    fn open() -> Self {
        let runtime = Runtime::new().unwrap();
        let sandbox = Sandbox::new(Options::default());
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(sandbox.clone().serve(listener, CancellationToken::new()));
        sandbox.add_human("Fresh").unwrap();
        Self {
            sandbox,
            url,
            folder: tempfile::tempdir().unwrap(),
            _runtime: runtime,
        }
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a token of this account to `given`.
    fn give(&self, name: &str, scopes: &[&str]) -> String {
        let token = self.sandbox.grant(name, scopes).unwrap();
        fs::write(self.at("given"), format!("{token}\n")).unwrap();
        token
    }

    fn sparring(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_sparring"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env("LICHESS_URL", &self.url)
            .env_remove("LICHESS_TOKEN")
            .env_remove("CREDENTIALS_DIRECTORY")
            .env_remove("STATE_DIRECTORY")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    fn init(&self, more: &[&str]) -> Output {
        self.sparring(&[&["init", "--from", "given"], more].concat())
    }
}

/// `sparring init` on a terminal of its own, which util-linux' `script` keeps for it.
struct Wizard {
    child: Child,
    shown: String,
}

impl Wizard {
    fn start(office: &Office) -> Self {
        let program = env!("CARGO_BIN_EXE_sparring");
        let child = Command::new("script")
            .args(["-qefc", &format!("'{program}' init"), "/dev/null"])
            .current_dir(office.folder.path())
            .env("LICHESS_URL", &office.url)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            child,
            shown: String::new(),
        }
    }

    /// Reads until it asks this, and types an answer.
    fn answers(&mut self, question: &str, answer: &str) -> &mut Self {
        let mut byte = [0];
        while !self.shown.contains(question) {
            let count = self.child.stdout.as_mut().unwrap().read(&mut byte).unwrap();
            assert_eq!(count, 1, "it ends without asking {question:?}:\n{}", self.shown);
            self.shown.push(char::from(byte[0]));
        }
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(format!("{answer}\n").as_bytes()).unwrap();
        self
    }

    /// Waits for its end: everything that the terminal has shown.
    fn ends(mut self) -> (ExitStatus, String) {
        let mut rest = Vec::new();
        self.child.stdout.take().unwrap().read_to_end(&mut rest).unwrap();
        self.shown.push_str(&String::from_utf8_lossy(&rest));
        (self.child.wait().unwrap(), self.shown)
    }
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(text).unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn whoever_moves_over_has_the_token_checked_and_keeps_nothing_if_it_is_refused() {
    let office = Office::open();
    let token = office.give("Fresh", &SCOPES);
    let config = |token: &str| {
        let text = format!(
            "token: {token}\nurl: https://lichess.org/\nengine: {{dir: x}}\ngreeting: {{hello: \"I am {{me}}.\"}}\n"
        );
        fs::write(office.at("config.yml"), text).unwrap();
    };
    let init = || {
        office.sparring(&[
            "init",
            "--from",
            "config.yml",
            "--output",
            "moved",
            "--upgrade",
            "Fresh",
        ])
    };
    config("lip_refusedRefused12");
    let output = init();
    assert_eq!(output.status.code(), Some(77), "{}", said(&output));
    assert!(!office.at("moved").exists());
    config(&token);
    let output = init();
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("Fresh is ready"), "{}", said(&output));
    assert!(!said(&output).contains(&token), "the token is never shown");
    assert_eq!(mode(&office.at("moved/token")), 0o600);
    let personality = fs::read_to_string(office.at("moved/personalities/moved.toml")).unwrap();
    assert!(personality.contains("title = \"Fresh\""), "{personality}");
    // The variable comes before what the old settings name.
    let settings = fs::read_to_string(office.at("moved/bot.toml")).unwrap();
    assert!(
        settings.contains(&format!("\nurl = \"{}\"", office.url)),
        "{settings}"
    );
    let doctor = office.sparring(&["doctor", "--config", "moved/bot.toml"]);
    assert!(doctor.status.success(), "{}", said(&doctor));
}

#[test]
fn a_fresh_account_becomes_a_bot_that_the_doctor_finds_well() {
    let office = Office::open();
    let token = office.give("Fresh", &SCOPES);
    let output = office.init(&["--upgrade", "fresh"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("Fresh is ready"), "{}", said(&output));
    assert!(
        said(&output).contains("account/preferences/game-behavior"),
        "nobody could ask for a takeback: {}",
        said(&output)
    );
    assert!(!said(&output).contains(&token), "the token is never shown");
    assert_eq!(mode(&office.at("token")), 0o600);
    assert_eq!(fs::read_to_string(office.at("token")).unwrap().trim(), token);
    let settings = fs::read_to_string(office.at("bot.toml")).unwrap();
    assert!(settings.contains("\ntoken-file = \"token\"\n") && !settings.contains(&token));
    assert!(settings.contains(&format!("url = \"{}\"", office.url)));
    let output = office.sparring(&["doctor"]);
    assert!(output.status.success(), "{}", said(&output));
    let text = said(&output);
    for line in [
        "settings", "files", "state", "token", "server", "clock", "account",
    ] {
        assert!(
            text.lines()
                .any(|found| found.starts_with(&format!("ok    {line}"))),
            "{line} is not well:\n{text}"
        );
    }
    assert!(text.contains("Fresh, a bot") && !text.contains(&token), "{text}");
    fs::write(office.at("bot.toml"), in_arenas(&settings)).unwrap();
    let text = said(&office.sparring(&["doctor"]));
    assert!(text.contains("the token lacks tournament:write"), "{text}");
}

#[test]
fn the_doctor_asks_each_online_source() {
    let office = Office::open();
    office.give("Fresh", &SCOPES);
    office.init(&["--upgrade", "fresh"]);
    let settings = fs::read_to_string(office.at("bot.toml")).unwrap();
    let source = |name: &str, more: &str| {
        let url = &office.url;
        format!("[online.{name}]\nsource = \"explorer-masters\"\nurl = \"{url}\"\n{more}")
    };
    fs::copy(office.at("token"), office.at("copy")).unwrap();
    let sources = source("well", "")
        + &source("lost", "token-file = \"nowhere\"\n")
        + &source("shared", "token-file = \"copy\"\n");
    fs::write(office.at("bot.toml"), settings + &sources).unwrap();
    let text = said(&office.sparring(&["doctor"]));
    let found = |line: &str| text.lines().any(|found| found.starts_with(line));
    assert!(found("ok    online source  well: 4 moves in "), "{text}");
    assert!(found("warn  online source  lost: cannot read "), "{text}");
    assert!(text.contains("copy holds the bot's own token"), "{text}");
    let text = said(&office.sparring(&["doctor", "--offline"]));
    assert!(!text.contains("online source"), "{text}");
}

/// The same settings for a bot that plays in an arena.
fn in_arenas(settings: &str) -> String {
    let (before, section) = settings.split_once("[tournaments]").unwrap();
    let section = section.replacen("enabled = false", "enabled = true", 1).replacen(
        "arenas = []",
        "arenas = [\"abcd1234\"]",
        1,
    );
    format!("{before}[tournaments]{section}")
}

#[test]
fn on_a_terminal_the_token_is_asked_for_unseen_and_the_upgrade_confirmed_by_name() {
    let office = Office::open();
    let token = office.give("Fresh", &SCOPES);
    let mut wizard = Wizard::start(&office);
    wizard
        .answers("Token: ", &token)
        .answers("make it a bot for ever: ", "fresh");
    let (status, shown) = wizard.ends();
    assert!(status.success(), "{shown}");
    assert!(
        shown.contains("can not be undone") && shown.contains("Fresh is ready"),
        "{shown}"
    );
    assert!(!shown.contains(&token), "the token was shown");
    assert_eq!(fs::read_to_string(office.at("token")).unwrap().trim(), token);
    assert_eq!(mode(&office.at("token")), 0o600);
}

#[test]
fn on_a_terminal_a_wrong_name_leaves_the_account_a_persons_and_writes_nothing() {
    let office = Office::open();
    let token = office.give("Fresh", &SCOPES);
    let mut wizard = Wizard::start(&office);
    wizard
        .answers("Token: ", &token)
        .answers("make it a bot for ever: ", "Other");
    let (status, shown) = wizard.ends();
    assert_eq!(status.code(), Some(77), "{shown}");
    assert!(shown.contains("that is not Fresh"), "{shown}");
    assert!(!office.at("token").exists() && !office.at("bot.toml").exists());
}

#[test]
fn nothing_that_is_there_is_overwritten_and_nothing_half_written() {
    let office = Office::open();
    office.give("Fresh", &SCOPES);
    for name in ["bot.toml", "token"] {
        fs::write(office.at(name), "mine").unwrap();
        let output = office.init(&["--upgrade", "Fresh"]);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains("stays as it is"), "{}", said(&output));
        assert_eq!(fs::read_to_string(office.at(name)).unwrap(), "mine");
        fs::remove_file(office.at(name)).unwrap();
    }
    // The wrong name leaves the account a person's, and writes nothing.
    let output = office.init(&["--upgrade", "Other"]);
    assert_eq!(output.status.code(), Some(77), "{}", said(&output));
    assert!(!office.at("bot.toml").exists() && !office.at("token").exists());
    let output = office.init(&[]);
    assert_eq!(
        output.status.code(),
        Some(2),
        "nobody can be asked: {}",
        said(&output)
    );
    assert!(!office.at("bot.toml").exists());
}

#[test]
fn an_account_stays_a_persons_where_the_files_cannot_be_written() {
    let office = Office::open();
    let token = office.give("Fresh", &SCOPES);
    fs::write(office.at("file"), "").unwrap();
    for places in [
        ["--config", "file/bot.toml", "--token-file", "token"],
        ["--config", "bot.toml", "--token-file", "file/token"],
    ] {
        let output = office.init(&[&places[..], &["--upgrade", "Fresh"]].concat());
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains("cannot write file/"), "{}", said(&output));
        let left = ["bot.toml", "token"].map(|name| office.at(name).exists());
        assert_eq!(left, [false, false], "nothing half written stays");
    }
    fs::write(office.at("doctors"), token).unwrap();
    fs::set_permissions(office.at("doctors"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(office.at("probe.toml"), "[lichess]\ntoken-file = \"doctors\"\n").unwrap();
    let seen = office.sparring(&["doctor", "--config", "probe.toml"]);
    assert!(
        said(&seen).contains("Fresh is not a bot account"),
        "{}",
        said(&seen)
    );
    // A folder that is not there yet is made, as for any other program's settings.
    let output = office.init(&["--config", "etc/club/bot.toml", "--upgrade", "Fresh"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(mode(&office.at("etc/club/token")), 0o600);
}

#[test]
fn an_upgrade_that_the_server_refuses_leaves_no_files_behind() {
    let office = Office::open();
    office.give("Fresh", &SCOPES);
    office.sandbox.arm(Fault {
        on: "account/upgrade".to_owned(),
        skip: 0,
        times: 1,
        what: FaultKind::Answer {
            status: 400,
            body: "{\"error\":\"not now\"}".to_owned(),
            content_type: "application/json".to_owned(),
            retry_after: None,
        },
    });
    let output = office.init(&["--config", "etc/bot.toml", "--upgrade", "Fresh"]);
    assert_eq!(output.status.code(), Some(69), "{}", said(&output));
    assert!(!office.at("etc").exists(), "{}", said(&output));
}

#[test]
fn tokens_that_will_not_do_are_refused_with_the_remedy() {
    let office = Office::open();
    fs::write(office.at("given"), "lip_nobody").unwrap();
    let output = office.init(&[]);
    assert_eq!(output.status.code(), Some(77));
    assert!(
        said(&output).contains("does not know this token"),
        "{}",
        said(&output)
    );
    assert!(!said(&output).contains("lip_nobody"));
    office.give("Fresh", &["challenge:read"]);
    let output = office.init(&[]);
    assert_eq!(output.status.code(), Some(77));
    assert!(
        said(&output).contains("lacks the scope bot:play"),
        "{}",
        said(&output)
    );
    fs::write(office.at("given"), "two words").unwrap();
    assert_eq!(office.init(&[]).status.code(), Some(77));
}

#[test]
fn the_doctor_names_each_trouble_with_its_remedy_and_a_code() {
    let office = Office::open();
    let output = office.sparring(&["doctor"]);
    assert_eq!(output.status.code(), Some(78), "{}", said(&output));
    assert!(
        said(&output).contains("write one with `sparring init`"),
        "{}",
        said(&output)
    );

    office.give("Fresh", &[&SCOPES[..], &["email:read"]].concat());
    assert!(office.init(&["--upgrade", "Fresh"]).status.success());
    let output = office.sparring(&["doctor"]);
    assert!(output.status.success(), "a warning is no failure");
    assert!(said(&output).contains("email:read"), "{}", said(&output));

    fs::set_permissions(office.at("token"), fs::Permissions::from_mode(0o644)).unwrap();
    let output = office.sparring(&["doctor"]);
    assert_eq!(output.status.code(), Some(77), "{}", said(&output));
    assert!(said(&output).contains("chmod 600"), "{}", said(&output));
    fs::set_permissions(office.at("token"), fs::Permissions::from_mode(0o600)).unwrap();

    let output = office.sparring(&["doctor", "--url", "http://127.0.0.1:9"]);
    assert_eq!(output.status.code(), Some(69), "{}", said(&output));

    fs::write(office.at("bot.toml"), "[games]\nmax = \"many\"").unwrap();
    let output = office.sparring(&["doctor", "--offline"]);
    assert_eq!(output.status.code(), Some(78), "{}", said(&output));
    assert!(
        said(&output).contains("`sparring check bot.toml` says why"),
        "{}",
        said(&output)
    );
}

#[test]
fn the_doctor_sees_a_person_where_a_bot_should_be() {
    let office = Office::open();
    let token = office.sandbox.grant("Fresh", &SCOPES).unwrap();
    fs::write(office.at("token"), token).unwrap();
    fs::set_permissions(office.at("token"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(office.at("bot.toml"), "[lichess]\ntoken-file = \"token\"\n").unwrap();
    let output = office.sparring(&["doctor"]);
    assert_eq!(output.status.code(), Some(77), "{}", said(&output));
    assert!(
        said(&output).contains("Fresh is not a bot account"),
        "{}",
        said(&output)
    );
}

#[test]
fn the_doctor_finds_what_the_units_hand_over_and_changes_nothing() {
    let office = Office::open();
    let token = office.sandbox.grant("Fresh", &SCOPES).unwrap();
    fs::write(office.at("lichess-token"), token).unwrap();
    fs::write(office.at("bot.toml"), "").unwrap();
    fs::create_dir(office.at("state")).unwrap();
    let ask = |mode| {
        fs::set_permissions(office.at("lichess-token"), fs::Permissions::from_mode(mode)).unwrap();
        said(&office.sparring(&["doctor", "--offline"]))
    };
    let text = ask(0o600);
    assert!(text.contains("ok    token"), "{text}");
    // A lock that root has made would keep the service out.
    assert_eq!(fs::read_dir(office.at("state")).unwrap().count(), 0, "{text}");
    let text = ask(0o644);
    assert!(text.contains("chmod 600"), "{text}");
}

#[test]
fn a_reader_that_has_left_early_is_no_failure() {
    for words in [
        &["check"][..],
        &["check", "--json"],
        &["explain", "level", "1400"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_sparring"))
            .args(words)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdout(writer)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{words:?}: {said}");
    }
}

#[test]
fn a_level_that_there_is_not_is_refused_before_anything_begins() {
    let output = Command::new(env!("CARGO_BIN_EXE_sparring"))
        .args(["play", "--console", "--level", "99"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("600..=2800"), "{said}");
}
