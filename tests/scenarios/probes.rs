//! `sparring probe` beside the real program.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Stdio};

use sparring_sandbox::Fault;
use tokio::process::Command;

use crate::{
    program::{begin, furnish, start},
    stage::{PATIENCE, answer},
    table::Table,
};

/// What `sparring probe` says of the program in this folder, and its exit code.
async fn probe(folder: &Path, question: &str, more: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sparring"));
    command
        .args(["probe", question])
        .arg(format!("unix:{}", folder.join("status.sock").display()))
        .args(more)
        .current_dir(folder)
        .env_remove("CREDENTIALS_DIRECTORY");
    let output = tokio::time::timeout(PATIENCE, command.output());
    let output = output.await.expect("it goes on").unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

#[tokio::test]
async fn a_probe_tells_a_bot_without_its_server_from_one_at_work_and_one_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    furnish(folder);
    let password = folder.join("password");
    fs::write(&password, "correct horse battery\n").unwrap();
    fs::set_permissions(&password, fs::Permissions::from_mode(0o600)).unwrap();
    let settings = fs::read_to_string(folder.join("bot.toml")).unwrap();
    let dashboard = "[dashboard]\nlisten = \"unix:status.sock\"\npassword-file = \"password\"\n";
    fs::write(folder.join("bot.toml"), settings + dashboard).unwrap();
    let known = ["--password-file", "password"];
    let (code, said) = probe(folder, "live", &known).await;
    assert_eq!(code, Some(1));
    assert!(said.contains("no answer from unix:"), "{said}");

    let table = Table::set(sparring_sandbox::Options::default()).await;
    table.sandbox.arm(Fault {
        on: "GET /api/account".to_owned(),
        skip: 0,
        times: 100_000,
        what: answer(503, ""),
    });
    let mut program = start(folder, &table, Stdio::null());
    let lives = async {
        while probe(folder, "live", &known).await.0 != Some(0) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, lives)
        .await
        .expect("it does not answer");
    let (code, said) = probe(folder, "ready", &known).await;
    assert_eq!(code, Some(1));
    assert!(said.contains("not ready: the event stream is not open"), "{said}");
    let disarm = table.anna.request(reqwest::Method::DELETE, "/sandbox/faults");
    assert!(disarm.send().await.unwrap().status().is_success());
    begin(&table).await;
    for question in ["live", "ready"] {
        assert_eq!(
            probe(folder, question, &known).await,
            (Some(0), format!("{question}\n"))
        );
    }
    // Who is refused for a password still hears that the bot is there, but not that it takes challenges.
    let refused = "live, as far as can be seen: the password was refused\n".to_owned();
    assert_eq!(probe(folder, "live", &[]).await, (Some(0), refused));
    let (code, said) = probe(folder, "ready", &[]).await;
    assert_eq!(code, Some(1));
    assert!(said.contains("password"), "{said}");
    program.kill().await.unwrap();
    assert_eq!(probe(folder, "live", &known).await.0, Some(1));
}
