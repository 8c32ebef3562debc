//! Acceptor with limits: so many connections at once, none idle for long.

use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{extract::connect_info::Connected, serve};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    time::sleep,
};

use super::{
    connections::{Connections, Handle},
    open_files::{OpenFiles, open_files},
    rate_limit::RateLimit,
    socket::Socket,
    system::{WANT_OF_ROOM, number},
};

/// Rate limit of accepted connections: per second, after a burst. Further ones wait in the kernel's backlog. A client that
/// reconnects in a loop takes no CPU from games.
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
    /// Whether the shortage of descriptors was logged.
    warned_about_files: bool,
}

/// A listener of connections.
pub trait Accepts: Send + 'static {
    /// A connection.
    type AcceptedStream: Stream;

    /// Waits for the next one.
    fn next(&mut self)
    -> impl Future<Output = io::Result<(Self::AcceptedStream, Option<SocketAddr>)>> + Send;
}

/// A connection's bytes.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// The number of its descriptor, where the system counts them.
    fn descriptor(&self) -> u64;

    /// Closing it will send a reset, as a crash would, where there is such a thing.
    fn reset(&self) {}
}

impl Stream for TcpStream {
    fn descriptor(&self) -> u64 {
        number(self)
    }

    fn reset(&self) {
        let _ = self.set_zero_linger(); // the peer may be gone already
    }
}

impl Accepts for TcpListener {
    type AcceptedStream = TcpStream;

    async fn next(&mut self) -> io::Result<(TcpStream, Option<SocketAddr>)> {
        let (stream, peer) = self.accept().await?;
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection closed while it was accepted");
        }
        Ok((stream, Some(peer)))
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
            warned_about_files: false,
        }
    }

    /// Handles a failed accept. A client that hung up is skipped. Otherwise this backs off; without a free descriptor or memory it
    /// evicts a connection.
    async fn after(&mut self, error: &io::Error) {
        if is_of_the_client(error) {
            tracing::debug!(%error, "a connection was gone before it was accepted");
            return;
        }
        if self.pause.is_none() {
            tracing::warn!(%error, "a connection could not be accepted");
        }
        if error
            .raw_os_error()
            .is_some_and(|number| WANT_OF_ROOM.contains(&number))
        {
            self.connections.end_one();
        }
        let pause = self.pause.unwrap_or(FIRST_PAUSE);
        sleep(pause).await;
        self.pause = Some((pause * 2).min(LONGEST_PAUSE));
    }

    /// Whether too few descriptors are left with this one open.
    fn lacks_files(&mut self, stream: &L::AcceptedStream) -> bool {
        if self.files.has_room_for(stream.descriptor()) {
            return false;
        }
        if !self.warned_about_files {
            tracing::warn!(
                "{}, and the last {} are for games alone: each new connection ends another one",
                self.files,
                self.files.reserve()
            );
            self.warned_about_files = true;
        }
        true
    }
}

/// Whether it was one connection that failed, not the listener.
fn is_of_the_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

impl<L: Accepts> serve::Listener for Acceptor<L> {
    type Io = Socket<L::AcceptedStream>;
    type Addr = Handle;

    async fn accept(&mut self) -> (Self::Io, Handle) {
        loop {
            self.rate.acquire().await;
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

    /// Unsupported: axum does not call it.
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
mod tests;
