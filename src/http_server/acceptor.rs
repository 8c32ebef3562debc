//! Accepting connections, not too many at once, and none that nobody uses.

use std::{future::Future, io, net::SocketAddr, os::fd::AsRawFd, sync::Arc, time::Duration};

use axum::{extract::connect_info::Connected, serve};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream, UnixListener, UnixStream},
    time::sleep,
};

use super::{
    connections::{Connections, Handle},
    open_files::{OpenFiles, open_files},
    rate_limit::RateLimit,
    socket::Socket,
};

/// So many connections a second are accepted, after so many at once; the others wait where they cost nothing. Whoever opens a
/// connection again as soon as it is closed takes no processor from games.
const RATE: u32 = 500;
const BURST: u32 = 500;

/// When nothing can be accepted, as without a free descriptor, it is tried again after this time, and then after twice
/// as long each time.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A listener that counts, numbers and limits what it accepts.
pub struct Acceptor<L> {
    listener: L,
    connections: Arc<Connections>,
    files: OpenFiles,
    rate: RateLimit,
    /// After the last failure, until something is accepted.
    pause: Option<Duration>,
    /// Whether it was said that descriptors are scarce.
    is_told: bool,
}

/// What connections are accepted from.
pub trait Accepts: Send + 'static {
    /// A connection.
    type Stream: Stream;

    /// Waits for the next one.
    fn next(&mut self) -> impl Future<Output = io::Result<(Self::Stream, Option<SocketAddr>)>> + Send;
}

/// A connection's bytes.
pub trait Stream: AsyncRead + AsyncWrite + AsRawFd + Unpin + Send + 'static {
    /// Closing it will send a reset, as a crash would, where there is such a thing.
    fn reset(&self) {}
}

impl Stream for UnixStream {}

impl Stream for TcpStream {
    fn reset(&self) {
        let _ = self.set_zero_linger(); // the peer may be gone already
    }
}

impl Accepts for TcpListener {
    type Stream = TcpStream;

    async fn next(&mut self) -> io::Result<(TcpStream, Option<SocketAddr>)> {
        let (stream, peer) = self.accept().await?;
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection closed while it was accepted");
        }
        Ok((stream, Some(peer)))
    }
}

impl Accepts for UnixListener {
    type Stream = UnixStream;

    async fn next(&mut self) -> io::Result<(UnixStream, Option<SocketAddr>)> {
        let (stream, _) = self.accept().await?;
        Ok((stream, None))
    }
}

impl<L: Accepts> Acceptor<L> {
    /// Accepts from a listener that is bound already.
    #[must_use]
    pub fn new(listener: L, connections: Arc<Connections>) -> Self {
        Self {
            listener,
            connections,
            files: open_files(),
            rate: RateLimit::new(RATE, BURST),
            pause: None,
            is_told: false,
        }
    }

    /// Most likely no descriptor is free: one of ours makes room, and this waits ever longer for others to do so.
    async fn after(&mut self, error: &io::Error) {
        if self.pause.is_none() {
            tracing::warn!(%error, "a connection could not be accepted");
        }
        self.connections.end_one();
        let pause = self.pause.unwrap_or(FIRST_PAUSE);
        sleep(pause).await;
        self.pause = Some((pause * 2).min(LONGEST_PAUSE));
    }

    /// Whether too few descriptors are left with this one open.
    fn lacks_files(&mut self, stream: &L::Stream) -> bool {
        let descriptor = u64::try_from(stream.as_raw_fd()).unwrap_or_default();
        if self.files.has_room_for(descriptor) {
            return false;
        }
        if !self.is_told {
            tracing::warn!(
                "{}: the last ones are kept for games, and no more connections kept",
                self.files
            );
            self.is_told = true;
        }
        true
    }
}

impl<L: Accepts> serve::Listener for Acceptor<L> {
    type Io = Socket<L::Stream>;
    type Addr = Handle;

    async fn accept(&mut self) -> (Self::Io, Handle) {
        loop {
            self.rate.turn().await;
            let (stream, peer) = match self.listener.next().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    self.after(&error).await;
                    continue;
                }
            };
            self.pause = None;
            // One too many is closed at once: left alone, it would wait for an answer that does not come.
            let exchange = self.lacks_files(&stream);
            if self.connections.make_room(exchange).await {
                let connection = self.connections.open(peer);
                return (Socket::new(stream, Arc::clone(&connection)), Handle(connection));
            }
            tracing::debug!(?peer, "too many connections");
        }
    }

    /// What listens has no address of this kind, and nobody asks for it.
    fn local_addr(&self) -> io::Result<Handle> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl<L: Accepts> Connected<serve::IncomingStream<'_, Acceptor<L>>> for Handle {
    fn connect_info(stream: serve::IncomingStream<'_, Acceptor<L>>) -> Self {
        stream.remote_addr().clone()
    }
}

#[cfg(test)]
mod tests {
    use axum::{
        Router,
        body::{Body, Bytes},
        routing::{get, post},
    };
    use futures::stream::{StreamExt as _, repeat};
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        time::Instant,
    };
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::http_server::{ConnectionLimits, serve};

    const LIMITS: ConnectionLimits = ConnectionLimits {
        most: 4,
        request: Duration::from_secs(10),
        idle: Duration::from_secs(60),
        write: Duration::from_secs(30),
    };
    const QUESTION: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

    /// A server, its connections and its address; it is gone with the runtime.
    async fn served() -> (SocketAddr, Arc<Connections>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(Connections::new(LIMITS));
        let endless =
            || async { Body::from_stream(repeat(Bytes::from(vec![b'x'; 1 << 20])).map(Ok::<_, io::Error>)) };
        let router = Router::new()
            .route("/", get(|| async { "answer" }))
            .route("/endless", get(endless))
            .route("/take", post(|text: String| async move { text }));
        let acceptor = Acceptor::new(listener, Arc::clone(&connections));
        tokio::spawn(serve(acceptor, router, CancellationToken::new()));
        (address, connections)
    }

    /// Reads to the end of a connection: everything, and how long it took.
    async fn lasts(client: &mut TcpStream) -> (String, Duration) {
        let begun = Instant::now();
        let mut said = Vec::new();
        // A reset is an end as well.
        let _ = client.read_to_end(&mut said).await;
        (String::from_utf8(said).unwrap(), begun.elapsed())
    }

    /// Sends a byte a second for as long as the server listens; says how long that was.
    async fn trickles(client: &mut TcpStream, bytes: &[u8]) -> Duration {
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
        let (address, _) = served().await;
        let mut silent = TcpStream::connect(address).await.unwrap();
        let (said, after) = lasts(&mut silent).await;
        assert_eq!(said, "");
        assert!((LIMITS.request..LIMITS.request * 2).contains(&after), "{after:?}");

        let mut slow = TcpStream::connect(address).await.unwrap();
        let head = [b"GET / HTTP/1.1\r\nx: ".as_slice(), &[b'x'; 100]].concat();
        let after = trickles(&mut slow, &head).await;
        assert!((LIMITS.request..LIMITS.request * 2).contains(&after), "{after:?}");

        let mut body = TcpStream::connect(address).await.unwrap();
        let head = b"POST /take HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n";
        body.write_all(head).await.unwrap();
        let after = trickles(&mut body, &[b'x'; 99]).await;
        assert!((LIMITS.request..LIMITS.request * 2).contains(&after), "{after:?}");

        let mut second = TcpStream::connect(address).await.unwrap();
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
        let (address, _) = served().await;
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(QUESTION).await.unwrap();
        let (said, after) = lasts(&mut client).await;
        assert!(said.ends_with("answer"), "{said}");
        assert!((LIMITS.idle..LIMITS.idle * 2).contains(&after), "{after:?}");
    }

    #[tokio::test]
    async fn who_does_not_read_makes_room_for_others_and_is_turned_out() {
        let (address, connections) = served().await;
        let mut deaf = Vec::new();
        for _ in 0..LIMITS.most {
            let mut client = TcpStream::connect(address).await.unwrap();
            client
                .write_all(b"GET /endless HTTP/1.1\r\nhost: localhost\r\n\r\n")
                .await
                .unwrap();
            deaf.push(client);
        }
        // Others come in as soon as the first has not read for a second.
        let said = loop {
            let mut client = TcpStream::connect(address).await.unwrap();
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
        let (address, connections) = served().await;
        let mut client = TcpStream::connect(address).await.unwrap();
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

    #[tokio::test]
    async fn a_crowd_that_asks_nothing_keeps_nobody_out() {
        let (address, connections) = served().await;
        let mut crowd = Vec::new();
        for _ in 0..LIMITS.most * 20 {
            crowd.push(TcpStream::connect(address).await.unwrap());
        }
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(QUESTION).await.unwrap();
        let (said, _) = lasts(&mut client).await;
        assert!(said.contains("answer"), "{said}");
        assert!(connections.list().len() <= LIMITS.most);
    }

    #[tokio::test]
    async fn a_listener_that_fails_is_asked_again_ever_less_often() {
        struct Failing(u32);
        impl Accepts for Failing {
            type Stream = UnixStream;
            async fn next(&mut self) -> io::Result<(UnixStream, Option<SocketAddr>)> {
                self.0 += 1;
                match self.0 {
                    ..6 => Err(io::Error::from_raw_os_error(24)), // EMFILE
                    _ => UnixStream::pair().map(|(one, _)| (one, None)),
                }
            }
        }
        use serve::Listener as _;
        tokio::time::pause();
        let mut acceptor = Acceptor::new(Failing(0), Arc::new(Connections::new(LIMITS)));
        let begun = Instant::now();
        let _kept = acceptor.accept().await;
        let pauses = FIRST_PAUSE * (1 + 2 + 4 + 8 + 16);
        assert!(
            (pauses..pauses * 2).contains(&begun.elapsed()),
            "{:?}",
            begun.elapsed()
        );
    }
}
