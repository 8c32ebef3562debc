//! Why nothing can be pushed: a sentence each, and never the password.

use std::net::TcpListener;

use crate::{
    common_archive::server::{PASSWORD, USER},
    stage::{Stage, Test},
};

pub const TRIALS: &[Test] = &[
    ("who_cannot_log_in_is_told_why", logins),
    ("a_server_that_does_not_answer_is_named", unreachable),
    ("tables_of_others_and_of_later_programs_are_left_alone", tables),
];

/// Pushes an archive of one game and expects this code and this sentence.
fn refused(stage: &Stage<'_>, url: &str, password: Option<&str>, code: i32, sentence: &str) {
    let archive = stage.path("Ana-1.db");
    if !archive.exists() {
        stage.archive("Ana", 1, 1);
    }
    let ended = stage.push_to(&archive, url, &[("PGPASSWORD", password)]);
    assert!(
        ended.said.starts_with(&format!("sparring: {sentence}")),
        "{}",
        ended.said
    );
    assert_eq!(ended.code, Some(code), "{}", ended.said);
    assert!(
        !ended.said.contains(PASSWORD) && !ended.said.contains("hunter2"),
        "{}",
        ended.said
    );
}

fn logins(stage: &Stage<'_>) {
    let url = stage.server.url(stage.database);
    let wrong = "PostgreSQL at the socket refuses the password of user sparring";
    refused(stage, &url, Some("hunter2"), 1, wrong);
    let wrong_url = url.replace(&format!("{USER}@"), &format!("{USER}:hunter2@"));
    refused(stage, &wrong_url, Some(PASSWORD), 1, wrong);
    let none = "PostgreSQL at the socket wants a password for user sparring: set PGPASSWORD";
    refused(stage, &url, None, 1, none);
    let elsewhere = stage.server.url("nowhere");
    refused(
        stage,
        &elsewhere,
        Some(PASSWORD),
        1,
        "PostgreSQL at the socket has no database nowhere: ",
    );
    // Only the owner of a database may make tables in it.
    let postgres = stage.server.url("postgres");
    let no_owner = "user sparring may not write to database postgres (permission denied for schema public)";
    refused(stage, &postgres, Some(PASSWORD), 1, no_owner);
    refused(
        stage,
        "postgres://ana:hunter2@host:x/db",
        None,
        2,
        "--to: expected postgres://",
    );
}

fn unreachable(stage: &Stage<'_>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = listener.local_addr().unwrap();
    drop(listener);
    let url = format!("postgres://ana:hunter2@{server}/db");
    refused(
        stage,
        &url,
        None,
        69,
        &format!("cannot reach PostgreSQL at {server}: "),
    );
}

fn tables(stage: &Stage<'_>) {
    let url = stage.server.url(stage.database);
    stage.query("SET ROLE sparring; CREATE TABLE games (x int)");
    let others = format!("database {} has a table games of another program", stage.database);
    refused(stage, &url, Some(PASSWORD), 1, &others);
    stage.query("DROP TABLE games");
    assert_eq!(stage.push(&stage.path("Ana-1.db")).code, Some(0));
    stage.query("UPDATE schema_version SET archive = 99");
    refused(
        stage,
        &url,
        Some(PASSWORD),
        1,
        "the common archive has schema 99.1, this program knows up to ",
    );
    // One of an earlier program gets what it lacks.
    stage.query(
        "UPDATE schema_version SET archive = 10; ALTER TABLE moves DROP COLUMN pondered;
         ALTER TABLE games DROP COLUMN played; ALTER TABLE games ADD COLUMN played BIGINT",
    );
    let archive = stage.archive("Ana", 5, 2);
    let renewed = stage.push(&archive);
    assert_eq!(renewed.code, Some(0), "{}", renewed.said);
    assert_eq!(stage.query("SELECT count(pondered) > 0 FROM moves"), "t");
}
