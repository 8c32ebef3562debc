use super::*;
use crate::{Client, StreamEnd, model::Event};

fn token() -> Token {
    Token::parse("lip_CANARY").unwrap()
}

/// Answers the first request of each of so many connections and nothing more on them, then answers everything.
async fn forgetful(mute: usize) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    // Its first answers wait for each other, so that each needs a connection.
    let all_there = Arc::new(tokio::sync::Barrier::new(mute));
    tokio::spawn(async move {
        for number in 0.. {
            let (mut stream, _) = listener.accept().await.unwrap();
            let all_there = Arc::clone(&all_there);
            tokio::spawn(async move {
                let mut bytes = [0; 4096];
                for answers in 0.. {
                    if !matches!(stream.read(&mut bytes).await, Ok(1..)) {
                        return;
                    }
                    if number < mute && answers == 0 {
                        all_there.wait().await;
                    }
                    if number >= mute || answers == 0 {
                        let ok = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
                        stream.write_all(ok).await.unwrap();
                    }
                }
            });
        }
    });
    address
}

/// Answers the first request of each connection with this head, and says nothing more.
async fn beginning(head: String) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut kept = Vec::new();
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
            stream.write_all(head.as_bytes()).await.unwrap();
            kept.push(stream);
        }
    });
    address
}

/// The head of a stream of this kind.
fn head(kind: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n")
}

#[tokio::test]
async fn f3_the_stream_of_a_game_is_given_up_sooner_than_the_event_stream() {
    let server = beginning(head("application/x-ndjson")).await;
    let client = Client::new(&server, token(), 1).unwrap();
    let mut events = client.events().await.unwrap();
    let mut game = client.game(&"abcd1234".parse().unwrap()).await.unwrap();
    // Both are open, and nothing but time passes from here on.
    tokio::time::pause();
    tokio::select! {
        lost = game.next() => assert_eq!(lost.unwrap_err(), StreamEnd::Silent(Millis::from_secs(10))),
        lost = events.next() => panic!("the event stream was given up first: {lost:?}"),
    }
    assert_eq!(
        events.next().await.unwrap_err(),
        StreamEnd::Silent(Millis::from_secs(15))
    );
}

#[tokio::test]
async fn f13_a_stream_of_another_kind_than_lines_of_json_is_none() {
    for (kind, is_good) in [
        ("application/x-ndjson", true),
        ("application/json; charset=utf-8", true),
        ("text/html", false),
        ("text/plain; charset=utf-8", false),
    ] {
        let transport = Transport::new(&beginning(head(kind)).await, &token(), 1).unwrap();
        let opened = transport.open::<Event>("x", EndpointClass::EventStream, &["x"], Millis::from_secs(20));
        match opened.await {
            Ok(_) => assert!(is_good, "{kind}"),
            Err(CallError::Transient { why, .. }) => {
                assert!(!is_good && why.contains(kind), "{kind}: {why}");
            }
            Err(other) => panic!("{kind}: {other}"),
        }
    }
}

#[tokio::test]
async fn f3_after_one_call_without_an_answer_the_next_takes_no_other_forgotten_connection() {
    const MUTE: usize = 4;
    let transport = Transport::new(&forgetful(MUTE).await, &token(), 1).unwrap();
    let order = |patience: u64| {
        let request = transport.request(Method::POST, &["x"]);
        transport.post_ok(
            "x",
            EndpointClass::Move,
            request.timeout(Duration::from_millis(patience)),
        )
    };
    let first = futures::future::join_all((0..MUTE).map(|_| order(20_000))).await;
    assert!(first.iter().all(Result::is_ok), "{first:?}");
    assert!(order(100).await.is_err(), "nobody answers there any more");
    order(20_000).await.unwrap();
}

#[tokio::test]
async fn f3_a_stream_takes_no_connection_that_an_earlier_one_has_left() {
    let transport = Transport::new(&forgetful(1).await, &token(), 1).unwrap();
    let open = || transport.open::<Event>("x", EndpointClass::EventStream, &["x"], Millis::from_secs(20));
    let mut first = open().await.unwrap();
    while first.next().await.is_ok() {}
    // The connection of the first is open and idle now, and nobody answers there any more.
    let again = tokio::time::timeout(PATIENCE / 2, open()).await;
    again.expect("waited on a forgotten connection").unwrap();
}

#[test]
fn f53_a_token_crosses_a_network_only_encrypted() {
    for good in [
        "https://lichess.org",
        "http://127.0.0.1:9",
        "http://localhost:9/",
        "http://[::1]:9",
    ] {
        assert!(Transport::new(good, &token(), 1).is_ok(), "{good}");
    }
    for open in [
        "http://lichess.org",
        "http://localhost.evil.example",
        "http://10.0.0.1",
    ] {
        let error = Transport::new(open, &token(), 1).err().unwrap();
        assert!(matches!(error, SetupError::NotEncrypted(_)), "{open}");
    }
    for strange in ["lichess.org", "mailto:a@b.example", "ftp://lichess.org", ""] {
        let error = Transport::new(strange, &token(), 1).err().unwrap();
        assert!(matches!(error, SetupError::Address(_)), "{strange}");
    }
}

#[test]
fn paths_hold_whatever_they_are_given() {
    let transport = Transport::new("http://127.0.0.1:9/prefix/", &token(), 1).unwrap();
    assert_eq!(
        transport.url(&["api", "a/../b", "e2e4?x"]).as_str(),
        "http://127.0.0.1:9/prefix/api/a%2F..%2Fb/e2e4%3Fx"
    );
}

#[test]
fn a_request_shows_nothing_of_the_token() {
    let mut transport = Transport::new("http://127.0.0.1:9", &token(), 1).unwrap();
    transport.set_user_agent(&"Ana".parse().unwrap());
    let request = transport.request(Method::GET, &["api", "account"]);
    let shown = format!("{request:?}");
    assert!(!shown.contains("CANARY"), "{shown}");
    assert!(shown.contains("user:ana"), "{shown}");
}
