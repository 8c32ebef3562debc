//! Why nothing can be pushed: a sentence each, and never the password.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    process::Command,
};

use crate::{
    common_archive::server::{PASSWORD, PostgresServer, USER},
    stage::{Stage, Test},
};

pub const TRIALS: &[Test] = &[
    ("who_cannot_log_in_is_told_why", logins),
    ("a_server_that_does_not_answer_is_named", unreachable),
    (
        "a_certificate_must_be_trusted_wherever_there_is_tls",
        certificates,
    ),
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
    let server = format!("PostgreSQL at {}/.s.PGSQL.5432", stage.server.socket().display());
    let wrong = &format!("{server} refuses the password of user sparring");
    refused(stage, &url, Some("hunter2"), 1, wrong);
    let wrong_url = url.replace(&format!("{USER}@"), &format!("{USER}:hunter2@"));
    refused(stage, &wrong_url, Some(PASSWORD), 1, wrong);
    let none = &format!("{server} wants a password for user sparring: set PGPASSWORD");
    refused(stage, &url, None, 1, none);
    let elsewhere = stage.server.url("nowhere");
    refused(
        stage,
        &elsewhere,
        Some(PASSWORD),
        1,
        &format!("{server} has no database nowhere: "),
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

/// Makes a certificate that only its file vouches for.
const CERTIFICATE: &str = "openssl req -x509 -newkey rsa:2048 -nodes -keyout server.key -out server.crt -subj /CN=own \
     -addext basicConstraints=critical,CA:FALSE -addext";

fn certificates(stage: &Stage<'_>) {
    // A server that refuses to talk TLS.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let without = listener.local_addr().unwrap();
    let answers = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 8]).unwrap();
        stream.write_all(b"N").unwrap();
    });
    let url = format!("postgres://{USER}@{without}/db?sslmode=require");
    let no_tls = format!("PostgreSQL at {without} has no TLS, on which sslmode=require insists");
    refused(stage, &url, Some(PASSWORD), 1, &no_tls);
    answers.join().unwrap();

    // An address of our own, as each process has its own number.
    let [_, _, high, low] = std::process::id().to_be_bytes();
    let host = format!("127.77.{high}.{low}");
    let server = PostgresServer::start(&["fsync=off", &format!("listen_addresses={host}")]).unwrap();
    let mut openssl = Command::new("sh");
    openssl
        .arg("-c")
        .arg(format!("{CERTIFICATE} subjectAltName=IP:{host}"));
    assert!(
        openssl
            .current_dir(server.socket())
            .output()
            .unwrap()
            .status
            .success()
    );
    for (file, setting) in [("server.key", "ssl_key_file"), ("server.crt", "ssl_cert_file")] {
        server.give(file).unwrap();
        let path = server.socket().join(file);
        let set = format!("ALTER SYSTEM SET {setting} = '{}'", path.display());
        server.query("postgres", &set).unwrap();
    }
    server.query("postgres", "ALTER SYSTEM SET ssl = on").unwrap();
    server.query("postgres", "SELECT pg_reload_conf()").unwrap();
    let is_on = |_| server.query("postgres", "SHOW ssl").unwrap() == "on";
    assert!((0..1000).any(is_on));
    server.create_database("games").unwrap();

    let plain = format!("postgres://{USER}@{host}/games");
    for url in [plain.clone(), format!("{plain}?sslmode=require")] {
        let sentence = format!("the certificate of PostgreSQL at {host}:5432 is not trusted (");
        refused(stage, &url, Some(PASSWORD), 1, &sentence);
        let trusted = server.socket().join("server.crt");
        let variables = [("SSL_CERT_FILE", trusted.to_str())];
        let ended = stage.push_to(&stage.path("Ana-1.db"), &url, &variables);
        assert_eq!(ended.code, Some(0), "{}", ended.said);
    }
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
