//! The real program: in a folder where things go wrong under it, and beside another of its kind.

use std::{fs, io::Write as _, path::Path, process::Stdio};

use rustix::fs::{OFlags, fcntl_setfl};
use sparring::store::{Archive, Filter};
use sparring_lichess::model::GameId;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

use crate::{
    stage::{BLACK, PATIENCE},
    table::{Lines, Table},
};

const BOOK: &str = "e4 e5 Nf3 Nc6 Bb5\n";

/// A folder with everything that the program needs for a quick game.
pub(crate) fn furnish(folder: &Path) {
    fs::create_dir(folder.join("books")).unwrap();
    fs::create_dir(folder.join("personalities")).unwrap();
    fs::write(folder.join("books/only.book"), BOOK).unwrap();
    fs::write(
        folder.join("personalities/quick.toml"),
        "about = \"Moves at once.\"\nnodes = 1\ndelay = \"off\"\nbooks = [\"only\"]\n",
    )
    .unwrap();
    fs::write(
        folder.join("bot.toml"),
        "[play]\npersonality = \"quick\"\n[engine]\nhash = 1\nthreads = 1\n",
    )
    .unwrap();
}

/// The settings of a folder name somebody who is not there.
pub(crate) fn misspell(folder: &Path) {
    fs::write(folder.join("bot.toml"), "[play]\npersonality = \"quikc\"\n").unwrap();
}

/// The program in this folder, on this table.
pub(crate) fn program(folder: &Path, table: &Table) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sparring"));
    command
        .args(["run", "--config"])
        .arg(folder.join("bot.toml"))
        .args(["--url", &table.url])
        .env("LICHESS_TOKEN", &table.bot.token)
        .env_remove("NOTIFY_SOCKET")
        .env_remove("STATE_DIRECTORY")
        .env_remove("SYSTEMD_EXEC_PID")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true);
    command
}

/// Starts the program on this table, its log going there.
pub(crate) fn start(folder: &Path, table: &Table, log: Stdio) -> Child {
    program(folder, table).stderr(log).spawn().unwrap()
}

/// The program has SIGHUP.
pub(crate) fn hang_up(program: &Child) {
    let hangup = std::process::Command::new("kill")
        .args(["-HUP", &program.id().unwrap().to_string()])
        .status();
    assert!(hangup.unwrap().success());
}

/// Waits for the program's end: its exit code, and what it has said.
pub(crate) async fn ends(program: Child) -> (Option<i32>, String) {
    let output = tokio::time::timeout(PATIENCE, program.wait_with_output()).await;
    let output = output.expect("it goes on").unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Challenges the program, with White for it, until it is there to accept.
pub(crate) async fn begin(table: &Table) -> (String, Lines) {
    let mut events = table.anna.events().await;
    let (status, challenge) = table.anna.post("/api/challenge/SandBot", &BLACK).await;
    assert_eq!(status, 200, "{challenge}");
    let begun = tokio::time::timeout(PATIENCE, events.next_of("gameStart"));
    let begun = begun.await.expect("the program did not come");
    let id = begun["game"]["gameId"].as_str().unwrap().to_owned();
    let lines = table.anna.watches(&id).await;
    (id, lines)
}

/// Waits until so many plies are on the board, and gives them.
pub(crate) async fn plies(lines: &mut Lines, count: usize) -> Vec<String> {
    let read = async {
        loop {
            let line = lines.next().await;
            let state = if line["type"] == "gameFull" {
                &line["state"]
            } else {
                &line
            };
            let Some(moves) = state["moves"].as_str() else {
                continue;
            };
            let moves: Vec<String> = moves.split_ascii_whitespace().map(str::to_owned).collect();
            if moves.len() >= count {
                return moves;
            }
        }
    };
    tokio::time::timeout(PATIENCE, read)
        .await
        .expect("the program does not move")
}

#[tokio::test]
async fn f52_a_log_and_a_disk_that_are_full_cost_no_game() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    // A file where the state should lie: nothing can be kept there.
    fs::write(folder.path().join("state"), "").unwrap();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let mut program = start(folder.path(), &table, full.into());
    let (id, mut lines) = begin(&table).await;
    assert_eq!(plies(&mut lines, 1).await, ["e2e4"]);
    table.anna.plays(&id, "move/e7e5").await;
    assert_eq!(plies(&mut lines, 3).await[2], "g1f3");
    assert_eq!(program.try_wait().unwrap(), None, "it goes on");
}

#[tokio::test]
async fn f52_a_disk_that_has_room_again_after_the_start_keeps_the_game_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let [state, settings, log] = ["state", "bot.toml", "log"].map(|name| folder.path().join(name));
    // A file where the state should lie: nothing can be kept there yet.
    fs::write(&state, "").unwrap();
    let text = fs::read_to_string(&settings).unwrap() + "[dashboard]\nlisten = \"127.0.0.1:0\"\n";
    fs::write(&settings, text).unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let _program = start(folder.path(), &table, fs::File::create(&log).unwrap().into());
    let (id, mut lines) = begin(&table).await;
    assert_eq!(plies(&mut lines, 1).await, ["e2e4"]);
    let said = fs::read_to_string(&log).unwrap();
    let address = said.split("dashboard is at http://").nth(1).unwrap();
    let address = address.split(['/', '\u{1b}']).next().unwrap();
    let page = async |path: &str| {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let answer = client.get(format!("http://{address}/{path}")).send().await;
        answer.unwrap().text().await.unwrap()
    };
    let health = page("healthz").await;
    assert!(
        health.contains("\"ok\":true")
            && health.contains("\"status\":\"degraded\"")
            && health.contains("archive cannot be written"),
        "{health}"
    );
    assert!(page("metrics").await.contains("sparring_archive_failing 1"));
    fs::remove_file(&state).unwrap();
    table.anna.plays(&id, "move/e7e5").await;
    assert_eq!(plies(&mut lines, 3).await[2], "g1f3");
    let id: GameId = id.parse().unwrap();
    let kept = async {
        let moves = || Archive::read(&state.join("archive.db"))?.moves(&id);
        while moves().map_or(0, |moves| moves.len()) < 3 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, kept)
        .await
        .expect("the game is not kept");
    let games = Archive::read(&state.join("archive.db"))
        .unwrap()
        .games(&Filter::default());
    assert_eq!(games.unwrap().len(), 1, "its beginning has waited");
    assert!(page("healthz").await.contains("\"note\":null"));
}

#[tokio::test]
async fn f52_a_log_that_nobody_reads_costs_no_game() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let (_unread, mut log) = std::io::pipe().unwrap();
    // Until not one byte more fits.
    fcntl_setfl(&log, OFlags::NONBLOCK).unwrap();
    while log.write(b"x").is_ok() {}
    fcntl_setfl(&log, OFlags::empty()).unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let mut program = start(folder.path(), &table, log.into());
    let (id, mut lines) = begin(&table).await;
    assert_eq!(plies(&mut lines, 1).await, ["e2e4"]);
    table.anna.plays(&id, "move/e7e5").await;
    assert_eq!(plies(&mut lines, 3).await[2], "g1f3");
    assert_eq!(program.try_wait().unwrap(), None, "it goes on");
}

#[tokio::test]
async fn f52_a_book_and_a_personality_that_are_spoiled_during_the_game_cost_no_game() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let mut program = start(folder.path(), &table, Stdio::null());
    let (id, mut lines) = begin(&table).await;
    assert_eq!(plies(&mut lines, 1).await, ["e2e4"]);
    fs::write(folder.path().join("books/only.book"), [0xff, 0x00, b'9']).unwrap();
    fs::write(folder.path().join("personalities/quick.toml"), "nodes = \"many\"").unwrap();
    fs::write(folder.path().join("bot.toml"), "[play").unwrap();
    hang_up(&program);
    table.anna.plays(&id, "move/e7e5").await;
    assert_eq!(plies(&mut lines, 3).await[2], "g1f3");
    fs::remove_file(folder.path().join("books/only.book")).unwrap();
    table.anna.plays(&id, "move/b8c6").await;
    assert_eq!(plies(&mut lines, 5).await.len(), 5);
    assert_eq!(program.try_wait().unwrap(), None, "it goes on");
}

#[tokio::test]
async fn f7_a_second_program_with_the_same_token_is_told_so_at_once() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    furnish(one.path());
    furnish(other.path());
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let _first = start(one.path(), &table, Stdio::null());
    begin(&table).await;
    let second = start(other.path(), &table, Stdio::piped());
    let (code, said) = ends(second).await;
    assert_eq!(code, Some(75), "{said}");
    assert!(
        said.contains("another bot on this machine uses this token"),
        "{said}"
    );
    assert!(!said.contains(&table.bot.token), "{said}");
}

#[tokio::test]
async fn a_dry_run_beside_a_running_bot_is_refused_instead_of_fighting_it_for_the_event_stream() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let _live = start(folder.path(), &table, Stdio::null());
    begin(&table).await;
    let dry = program(folder.path(), &table)
        .arg("--dry-run")
        .stderr(Stdio::piped())
        .spawn();
    let (code, said) = ends(dry.unwrap()).await;
    assert_eq!(code, Some(75), "{said}");
    assert!(
        said.contains("another bot on this machine uses this token"),
        "{said}"
    );
}

#[tokio::test]
async fn f7_a_second_program_with_another_token_of_the_same_account_is_told_so_too() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    furnish(one.path());
    furnish(other.path());
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let _first = start(one.path(), &table, Stdio::null());
    begin(&table).await;
    let scopes = ["bot:play", "challenge:read", "challenge:write"];
    let token = table.sandbox.grant("SandBot", &scopes).unwrap();
    let second = program(other.path(), &table)
        .env("LICHESS_TOKEN", &token)
        .stderr(Stdio::piped())
        .spawn();
    let (code, said) = ends(second.unwrap()).await;
    assert_eq!(code, Some(75), "{said}");
    assert!(
        said.contains("another bot on this machine plays as SandBot"),
        "{said}"
    );
}

#[tokio::test]
async fn a_dry_run_knows_who_has_played_today_and_what_lists_at_addresses_said_last() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let state = folder.path().join("state");
    let address = "http://127.0.0.1:9/blocked.txt";
    fs::create_dir_all(state.join("lists")).unwrap();
    let kept = format!("# address: {address}\n# etag: \nBoris\n");
    fs::write(state.join("lists/blocked.txt"), kept).unwrap();
    let rules = format!(
        "[[list]]\nname = \"blocked\"\nurl = \"{address}\"\n\
         [[rule]]\nname = \"cheats\"\nlists = [\"blocked\"]\nthen = \"decline\"\n\
         [[rule]]\nname = \"enough\"\nmin-played-today = 1\nthen = \"decline\"\n"
    );
    let settings = folder.path().join("bot.toml");
    let text = fs::read_to_string(&settings).unwrap() + &rules;
    fs::write(&settings, text).unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let mut live = start(folder.path(), &table, Stdio::null());
    let (_, mut lines) = begin(&table).await;
    plies(&mut lines, 1).await;
    let archive = Archive::read(&state.join("archive.db")).unwrap();
    let kept = async {
        while archive.games(&Filter::default()).unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, kept)
        .await
        .expect("the game is not kept");
    live.kill().await.unwrap();
    let mut dry = program(folder.path(), &table)
        .arg("--dry-run")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let boris = table.another_human("Boris");
    for human in [&table.anna, &boris] {
        assert_eq!(human.post("/api/challenge/SandBot", &BLACK).await.0, 200);
    }
    let mut said = BufReader::new(dry.stderr.take().unwrap()).lines();
    let mut verdicts = Vec::new();
    let judged = async {
        while verdicts.len() < 2 {
            let line = said.next_line().await.unwrap().expect("it has ended");
            verdicts.extend(line.contains("would be").then_some(line));
        }
    };
    tokio::time::timeout(PATIENCE, judged)
        .await
        .expect("nobody was judged");
    let because = |who: &str, rule: &str| {
        let says = |line: &String| line.contains(who) && line.contains("declined") && line.contains(rule);
        assert!(verdicts.iter().any(says), "{who}: {verdicts:?}");
    };
    because("Anna", "enough");
    because("Boris", "cheats");
}

#[tokio::test]
async fn a_dashboard_whose_port_is_taken_costs_no_game() {
    let foreign = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let settings = folder.path().join("bot.toml");
    let status = format!("[dashboard]\nlisten = \"{}\"\n", foreign.local_addr().unwrap());
    fs::write(&settings, fs::read_to_string(&settings).unwrap() + &status).unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let _program = start(folder.path(), &table, Stdio::null());
    let (_, mut lines) = begin(&table).await;
    assert_eq!(plies(&mut lines, 1).await, ["e2e4"]);
}

#[tokio::test]
async fn a_program_that_holds_a_token_leaves_no_picture_of_its_memory() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let program = start(folder.path(), &table, Stdio::null());
    begin(&table).await;
    let process = format!("/proc/{}", program.id().unwrap());
    let limits = fs::read_to_string(format!("{process}/limits")).unwrap();
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"))
        .unwrap();
    let numbers: Vec<&str> = core
        .split_whitespace()
        .filter(|word| word.parse::<u64>().is_ok())
        .collect();
    assert_eq!(numbers, ["0", "0"], "{core}");
    // What cannot be dumped belongs to root, whoever runs it.
    let owner = std::os::unix::fs::MetadataExt::uid(&fs::metadata(format!("{process}/environ")).unwrap());
    assert_eq!(owner, 0);
}

#[tokio::test]
async fn the_token_is_in_nothing_that_the_program_says_shows_or_keeps() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let settings = folder.path().join("bot.toml");
    let text = fs::read_to_string(&settings).unwrap() + "[dashboard]\nlisten = \"127.0.0.1:0\"\n";
    fs::write(&settings, text).unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let log = folder.path().join("log");
    let mut program = program(folder.path(), &table)
        .arg("-vv")
        .stdout(fs::File::create(folder.path().join("out")).unwrap())
        .stderr(fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let (id, mut lines) = begin(&table).await;
    assert_eq!(plies(&mut lines, 1).await, ["e2e4"]);
    let said = fs::read_to_string(&log).unwrap();
    let address = said.split("dashboard is at http://").nth(1).unwrap();
    let address = address.split(['/', '\u{1b}']).next().unwrap().to_owned();
    let mut shown = String::new();
    for path in [
        "",
        "metrics",
        "healthz",
        "api/overview",
        "api/games",
        "api/opponents",
        "api/warnings",
    ] {
        let page = reqwest::Client::builder().no_proxy().build().unwrap();
        let answer = page.get(format!("http://{address}/{path}")).send().await.unwrap();
        shown += &answer.text().await.unwrap();
    }
    assert!(shown.contains("sparring_games 1"), "{shown}");
    table.sandbox.revoke(&table.bot.token);
    table.anna.plays(&id, "move/e7e5").await;
    tokio::time::timeout(PATIENCE, program.wait())
        .await
        .expect("it goes on")
        .unwrap();
    let said = fs::read_to_string(&log).unwrap();
    for all in [
        "received {\"type\":\"gameStart\"",
        "POST /api/bot/game/",
        "move: 200 OK after",
    ] {
        assert!(said.contains(all), "{all} is not in\n{said}");
    }
    let secret = table.bot.token.trim_start_matches("lip_");
    assert!(!shown.contains(secret), "on a page");
    let mut looked_at = Vec::new();
    for place in [folder.path().to_owned(), folder.path().join("state")] {
        for file in fs::read_dir(place)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file())
        {
            let bytes = fs::read(&file).unwrap();
            let leaks = bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes());
            assert!(!leaks, "in {}", file.display());
            looked_at.push(file.file_name().unwrap().to_owned());
        }
    }
    assert!(looked_at.iter().any(|name| name == "archive.db") && looked_at.iter().any(|name| name == "log"));
}
