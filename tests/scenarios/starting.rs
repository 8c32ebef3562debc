//! The real program at its start: what it refuses to play with, and what does not end it.

use std::{fs, io::Write as _, path::Path, process::Stdio};

use rustix::io::ioctl_fionread;
use tokio::time::timeout;

use crate::{
    program::{begin, ends, furnish, hang_up, misspell, plies, program, start},
    stage::PATIENCE,
    table::Table,
};

/// How the program ends in a folder that it refuses to play in, and what it says.
async fn refused(folder: &Path) -> (Option<i32>, String) {
    let table = Table::set(sparring_sandbox::Options::default()).await;
    ends(start(folder, &table, Stdio::piped())).await
}

#[tokio::test]
async fn who_is_misspelt_in_the_settings_does_not_play_at_all() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    misspell(folder.path());
    let (code, said) = refused(folder.path()).await;
    assert_eq!(code, Some(78), "{said}");
    assert!(said.contains("did you mean \"quick\"?"), "{said}");
}

#[tokio::test]
async fn who_asks_for_new_settings_while_the_program_starts_does_not_end_it() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    // A token that comes through a pipe holds the program back until its end is there.
    let (pipe, mut writer) = std::io::pipe().unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let program = program(folder.path(), &table)
        .args(["--token-file", "/dev/stdin"])
        .stdin(pipe)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (first, rest) = table.bot.token.split_at(4);
    writer.write_all(first.as_bytes()).unwrap();
    let reads = async {
        while ioctl_fionread(&writer).unwrap() > 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, reads).await.expect("the token is not read");
    hang_up(&program);
    writer.write_all(rest.as_bytes()).unwrap();
    drop(writer);
    let (_, mut lines) = begin(&table).await;
    assert_eq!(plies(&mut lines, 1).await, ["e2e4"]);
}

#[tokio::test]
async fn a_supervisor_that_starts_again_whatever_failed_can_be_told_that_it_is_hopeless() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    misspell(folder.path());
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let program = program(folder.path(), &table)
        .arg("--quit-if-hopeless")
        .stderr(Stdio::piped())
        .spawn();
    let (code, said) = ends(program.unwrap()).await;
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("did you mean"), "{said}");
}

#[tokio::test]
async fn who_cannot_be_read_at_the_start_does_not_play_at_all() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let personality = folder.path().join("personalities/quick.toml");
    fs::write(personality, "nodes = \"many\"\n").unwrap();
    let (code, said) = refused(folder.path()).await;
    assert_eq!(code, Some(78), "{said}");
    assert!(
        said.contains("quick.toml:1") && said.contains("nodes = \"many\""),
        "{said}"
    );
}
