use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll},
};

use axum::{
    Router,
    body::{Body, Bytes},
    routing::{get, post},
};
use futures::stream::{StreamExt as _, repeat};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadBuf, duplex},
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{ConnectionLimits, serve};

const LIMITS: ConnectionLimits = ConnectionLimits {
    most: 4,
    request: Duration::from_secs(10),
    idle: Duration::from_secs(60),
    write: Duration::from_secs(30),
};
const QUESTION: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// The server's end of a connection within this process: with the clock at rest, nothing but these tests moves time.
struct Wire(DuplexStream);

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

impl Stream for Wire {
    /// It takes none.
    fn descriptor(&self) -> u64 {
        0
    }
}

impl Accepts for UnboundedReceiver<Wire> {
    type AcceptedStream = Wire;

    async fn next(&mut self) -> io::Result<(Wire, Option<SocketAddr>)> {
        match self.recv().await {
            Some(wire) => Ok((wire, None)),
            None => std::future::pending().await,
        }
    }
}

/// A way to a server.
struct Address(UnboundedSender<Wire>);

impl Address {
    fn connect(&self) -> DuplexStream {
        let (ours, theirs) = duplex(4096);
        assert!(self.0.send(Wire(theirs)).is_ok(), "the server has ended");
        ours
    }
}

/// A server, its connections and the way to it; it is gone with the runtime.
fn served() -> (Address, Arc<Connections>) {
    let (send, listener) = unbounded_channel();
    let connections = Arc::new(Connections::new(LIMITS));
    let endless =
        || async { Body::from_stream(repeat(Bytes::from(vec![b'x'; 1 << 20])).map(Ok::<_, io::Error>)) };
    let router = Router::new()
        .route("/", get(|| async { "answer" }))
        .route("/endless", get(endless))
        .route("/take", post(|text: String| async move { text }));
    let acceptor = Acceptor::new(listener, Arc::clone(&connections));
    tokio::spawn(serve(acceptor, router, CancellationToken::new()));
    (Address(send), connections)
}

/// Reads to the end of a connection: everything, and how long it took.
async fn lasts(client: &mut DuplexStream) -> (String, Duration) {
    let begun = Instant::now();
    let mut said = Vec::new();
    // A reset is an end as well.
    let _ = client.read_to_end(&mut said).await;
    (String::from_utf8(said).unwrap(), begun.elapsed())
}

/// Sends a byte a second for as long as the server listens; says how long that was.
async fn trickles(client: &mut DuplexStream, bytes: &[u8]) -> Duration {
    let begun = Instant::now();
    for byte in bytes {
        if client.write_all(&[*byte]).await.is_err() {
            break;
        }
        let mut heard = [0];
        let heard = tokio::time::timeout(Duration::from_secs(1), client.read(&mut heard)).await;
        if heard.is_ok() {
            break;
        }
    }
    begun.elapsed()
}

#[tokio::test(start_paused = true)]
async fn who_sends_no_whole_request_is_turned_out_however_the_bytes_come() {
    let (address, _) = served();
    let mut silent = address.connect();
    let (said, after) = lasts(&mut silent).await;
    assert_eq!(said, "");
    assert!((LIMITS.request..LIMITS.request * 2).contains(&after), "{after:?}");

    let mut slow = address.connect();
    let head = [b"GET / HTTP/1.1\r\nx: ".as_slice(), &[b'x'; 100]].concat();
    let after = trickles(&mut slow, &head).await;
    assert!((LIMITS.request..LIMITS.request * 2).contains(&after), "{after:?}");

    let mut body = address.connect();
    let head = b"POST /take HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n";
    body.write_all(head).await.unwrap();
    let after = trickles(&mut body, &[b'x'; 99]).await;
    assert!((LIMITS.request..LIMITS.request * 2).contains(&after), "{after:?}");

    let mut second = address.connect();
    second.write_all(QUESTION).await.unwrap();
    let mut said = [0; 1024];
    let read = second.read(&mut said).await.unwrap();
    assert!(said[..read].ends_with(b"answer"));
    let after = trickles(&mut second, &[b'x'; 100]).await;
    assert!(
        (LIMITS.request..LIMITS.request * 2).contains(&after),
        "of a later request: {after:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn who_has_asked_may_ask_again_for_a_while() {
    let (address, _) = served();
    let mut client = address.connect();
    client.write_all(QUESTION).await.unwrap();
    let (said, after) = lasts(&mut client).await;
    assert!(said.ends_with("answer"), "{said}");
    assert!((LIMITS.idle..LIMITS.idle * 2).contains(&after), "{after:?}");
}

#[tokio::test(start_paused = true)]
async fn who_does_not_read_makes_room_for_others_and_is_turned_out() {
    let (address, connections) = served();
    let mut deaf = Vec::new();
    for _ in 0..LIMITS.most {
        let mut client = address.connect();
        client
            .write_all(b"GET /endless HTTP/1.1\r\nhost: localhost\r\n\r\n")
            .await
            .unwrap();
        deaf.push(client);
    }
    // Others come in as soon as the first has not read for a second.
    let said = loop {
        let mut client = address.connect();
        let _ = client.write_all(QUESTION).await;
        let (said, _) = lasts(&mut client).await;
        if !said.is_empty() {
            break said;
        }
    };
    assert!(said.contains("connection: close"), "room is scarce: {said}");
    assert!(connections.list().len() < LIMITS.most);
}

#[tokio::test(start_paused = true)]
async fn who_takes_a_byte_now_and_then_has_not_read() {
    let (address, connections) = served();
    let mut client = address.connect();
    client
        .write_all(b"GET /endless HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .await
        .unwrap();
    let begun = Instant::now();
    let mut byte = [0];
    while client.read_exact(&mut byte).await.is_ok() && !connections.list().is_empty() {
        sleep(Duration::from_secs(1)).await;
    }
    assert!(begun.elapsed() < LIMITS.write * 2, "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_crowd_that_asks_nothing_keeps_nobody_out() {
    let (address, connections) = served();
    let begun = Instant::now();
    let mut crowd = Vec::new();
    for _ in 0..LIMITS.most * 20 {
        crowd.push(address.connect());
    }
    let mut client = address.connect();
    client.write_all(QUESTION).await.unwrap();
    let (said, _) = lasts(&mut client).await;
    assert!(said.contains("answer"), "{said}");
    assert!(
        begun.elapsed() < LIMITS.request,
        "before anybody was turned out for his silence"
    );
    assert!(connections.list().len() <= LIMITS.most);
}

/// Fails with these errors, then accepts.
struct Failing(VecDeque<io::Error>);

impl Accepts for Failing {
    type AcceptedStream = Wire;

    async fn next(&mut self) -> io::Result<(Wire, Option<SocketAddr>)> {
        match self.0.pop_front() {
            Some(error) => Err(error),
            None => Ok((Wire(duplex(1).0), None)),
        }
    }
}

/// How long a listener that fails so keeps others waiting, and whether one of the open connections is ended for it.
async fn fails(errors: impl IntoIterator<Item = io::Error>) -> (Duration, bool) {
    use serve::Listener as _;
    let connections = Arc::new(Connections::new(LIMITS));
    let idle = connections.open(None);
    sleep(LIMITS.request).await;
    let mut acceptor = Acceptor::new(Failing(errors.into_iter().collect()), connections);
    let begun = Instant::now();
    let _kept = acceptor.accept().await;
    (begun.elapsed(), idle.is_cut())
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_fails_is_asked_again_ever_less_often() {
    let pauses = FIRST_PAUSE * (1 + 2 + 4 + 8 + 16);
    let asked = async |error: fn(i32) -> io::Error, number, makes_room| {
        let (after, is_cut) = fails((0..5).map(|_| error(number))).await;
        assert!((pauses..pauses * 2).contains(&after), "{number}: {after:?}");
        assert_eq!(is_cut, makes_room, "{number}");
    };
    for number in WANT_OF_ROOM {
        asked(io::Error::from_raw_os_error, number, true).await;
    }
    asked(|_| io::ErrorKind::PermissionDenied.into(), 0, false).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_gone_before_it_is_accepted_costs_nobody_anything() {
    let gone = [
        io::ErrorKind::ConnectionAborted,
        io::ErrorKind::ConnectionReset,
        io::ErrorKind::ConnectionRefused,
    ];
    let (after, is_cut) = fails(gone.map(io::Error::from)).await;
    assert!(after < FIRST_PAUSE, "{after:?}");
    assert!(!is_cut);
}
