//! Crowds at the dashboard of the real program: games go on, and its owner still gets in.

use std::{fs, net::SocketAddr, process::Stdio};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    process::{Child, Command},
};

use crate::{
    program::{begin, furnish, plies, program},
    stage::PATIENCE,
    table::Table,
};

/// The program has so few descriptors, and the crowd has more sockets.
const FILES: usize = 128;
const CROWD: usize = 250;
/// So many clients ask without end: more than there is room for beside the game.
const CLIENTS: usize = 48;

/// The program on this table with few descriptors, and the address of its dashboard.
async fn besieged(folder: &std::path::Path, table: &Table) -> (Child, SocketAddr) {
    furnish(folder);
    let [settings, log] = ["bot.toml", "log"].map(|name| folder.join(name));
    let text = fs::read_to_string(&settings).unwrap() + "[dashboard]\nlisten = \"127.0.0.1:0\"\n";
    fs::write(&settings, text).unwrap();
    let plain = program(folder, table);
    let plain = plain.as_std();
    let limited = format!("ulimit -n {FILES}; exec \"$0\" \"$@\"");
    let child = Command::new("sh")
        .args(["-c", &limited])
        .arg(plain.get_program())
        .args(plain.get_args())
        .env("LICHESS_TOKEN", &table.bot.token)
        .env_remove("NOTIFY_SOCKET")
        .env_remove("STATE_DIRECTORY")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(&log).unwrap())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let address = async {
        loop {
            let said = fs::read_to_string(&log).unwrap();
            let address = said.split_once("dashboard is at http://").map(|(_, rest)| rest);
            if let Some((address, _)) = address.and_then(|rest| rest.split_once('/')) {
                return address.parse().unwrap();
            }
            tokio::task::yield_now().await;
        }
    };
    let address = tokio::time::timeout(PATIENCE, address).await;
    (child, address.expect("no dashboard"))
}

/// A page as its owner's browser asks for it, again whenever the server cuts the connection.
async fn page(address: SocketAddr, path: &str) -> (u16, String) {
    let client = reqwest::Client::builder()
        .no_proxy()
        .timeout(PATIENCE)
        .build()
        .unwrap();
    let answer = async {
        loop {
            match client.get(format!("http://{address}{path}")).send().await {
                Ok(answer) => {
                    let status = answer.status().as_u16();
                    if let Ok(text) = answer.text().await {
                        return (status, text);
                    }
                }
                Err(error) => assert!(!error.is_connect(), "nobody listens: {error:?}"),
            }
        }
    };
    tokio::time::timeout(PATIENCE, answer)
        .await
        .expect("the owner is kept out")
}

#[tokio::test]
async fn f54_sockets_that_ask_nothing_cost_no_game_and_keep_no_owner_out() {
    let folder = tempfile::tempdir().unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let (mut program, address) = besieged(folder.path(), &table).await;
    let (id, mut lines) = begin(&table).await;
    assert_eq!(plies(&mut lines, 1).await, ["e2e4"]);
    let mut crowd = Vec::new();
    for number in 0..CROWD {
        let mut socket = TcpStream::connect(address).await.unwrap();
        if number % 2 == 0 {
            let _ = socket.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n").await;
        }
        crowd.push(socket);
    }
    table.anna.plays(&id, "move/e7e5").await;
    assert_eq!(plies(&mut lines, 3).await[2], "g1f3");
    assert_eq!(page(address, "/healthz").await.0, 200);
    let (status, overview) = page(address, "/api/overview").await;
    assert_eq!(status, 200, "{overview}");
    assert!(overview.contains("\"games\":1"), "{overview}");
    let said = fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(
        said.contains(&format!("at most {FILES} files may be open")),
        "{said}"
    );
    assert_eq!(program.try_wait().unwrap(), None);
}

#[tokio::test]
async fn f54_clients_that_ask_without_end_and_read_nothing_cost_no_game() {
    let folder = tempfile::tempdir().unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let (mut program, address) = besieged(folder.path(), &table).await;
    let (id, mut lines) = begin(&table).await;
    assert_eq!(plies(&mut lines, 1).await, ["e2e4"]);
    let mut crowd = tokio::task::JoinSet::new();
    for number in 0..CLIENTS {
        crowd.spawn(async move {
            let path = ["api/books", "api/live", "api/games?most=20000", "healthz"][number % 4];
            let asked = format!("GET /{path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
            // Each comes again when the server has cut it, and no sooner. Every other one never reads: its questions pile up.
            while let Ok(mut socket) = TcpStream::connect(address).await {
                while socket.write_all(asked.as_bytes()).await.is_ok() {
                    if number % 2 == 0 && socket.read(&mut [0; 4096]).await.unwrap_or_default() == 0 {
                        break;
                    }
                }
            }
        });
    }
    table.anna.plays(&id, "move/e7e5").await;
    assert_eq!(plies(&mut lines, 3).await[2], "g1f3");
    // Whoever watches over the program hears the truth.
    let (status, health) = page(address, "/healthz").await;
    assert!(
        status == 200 || health.contains("games come first"),
        "{status} {health}"
    );
    crowd.shutdown().await;
    assert_eq!(page(address, "/healthz").await.0, 200);
    assert_eq!(program.try_wait().unwrap(), None);
}
