//! Accepting connections, not too many at once and none that nobody uses, on sockets that can be cut or silenced from
//! outside.

use std::{
    future::Future as _,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::{extract::connect_info::Connected, serve};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, Sleep, sleep},
};

use super::{
    connections::{ConnectionNumber, Line},
    hub::Hub,
};

/// Sixty-four games at once with both sides' streams and calls need some 330; few enough that nobody exhausts the machine, nor
/// the thousand files that a program may have open.
const MOST: usize = 512;

/// Who has sent no request by then has come for nothing.
const FIRST_REQUEST: Duration = Duration::from_secs(10);

/// Later on a connection is kept for the next request so long after the last byte either way. Streams say something every
/// few seconds.
const IDLE: Duration = Duration::from_secs(120);

/// A listener that counts, numbers and limits what it accepts.
pub struct Doorman {
    listener: TcpListener,
    hub: Arc<Hub>,
    room: Arc<Semaphore>,
}

impl Doorman {
    /// Accepts from a listener that is bound already.
    #[must_use]
    pub fn new(listener: TcpListener, hub: Arc<Hub>) -> Self {
        Self::with_room(MOST, listener, hub)
    }

    fn with_room(most: usize, listener: TcpListener, hub: Arc<Hub>) -> Self {
        Self {
            listener,
            hub,
            room: Arc::new(Semaphore::new(most)),
        }
    }
}

impl serve::Listener for Doorman {
    type Io = Wire;
    type Addr = ConnectionNumber;

    async fn accept(&mut self) -> (Wire, ConnectionNumber) {
        let (stream, peer, room) = loop {
            match self.listener.accept().await {
                // One too many is closed at once: left alone, it would wait for an answer that does not come.
                Ok((stream, peer)) => match self.room.clone().try_acquire_owned() {
                    Ok(room) => break (stream, peer, room),
                    Err(_) => tracing::debug!(%peer, "too many connections"),
                },
                Err(error) => {
                    // Out of file descriptors, most likely: somebody else must close one first.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection closed while it was accepted");
        }
        let (number, line) = self.hub.connections.open(peer);
        let wire = Wire {
            stream,
            number,
            line,
            patience: Box::pin(sleep(FIRST_REQUEST)),
            is_new: true,
            hub: self.hub.clone(),
            _room: room,
        };
        (wire, number)
    }

    /// The listener itself has no number; 0 is given to no connection.
    fn local_addr(&self) -> io::Result<ConnectionNumber> {
        Ok(ConnectionNumber(0))
    }
}

impl Connected<serve::IncomingStream<'_, Doorman>> for ConnectionNumber {
    fn connect_info(stream: serve::IncomingStream<'_, Doorman>) -> Self {
        *stream.remote_addr()
    }
}

/// A socket that can be cut or silenced from outside.
pub struct Wire {
    stream: TcpStream,
    number: ConnectionNumber,
    line: Arc<Line>,
    /// Until when to wait for the client.
    patience: Pin<Box<Sleep>>,
    /// Whether that is still the patience with somebody new.
    is_new: bool,
    hub: Arc<Hub>,
    _room: OwnedSemaphorePermit,
}

impl Wire {
    /// Whether to go on: pending while silenced, an error once cut.
    fn permitted(&mut self, context: &Context<'_>) -> Poll<io::Result<()>> {
        self.line.remember(context);
        if self.line.is_cut() {
            // Closing without lingering sends a reset, as a crash would.
            let _ = self.stream.set_zero_linger(); // the peer may be gone already
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        if self.hub.connections.is_silent() {
            // Nobody can be blamed for a silence that we keep.
            self.is_used();
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    /// Something happens on it. Bytes alone do not help a client that has never finished a request.
    fn is_used(&mut self) {
        if self.line.has_asked() {
            self.is_new = false;
            self.patience.as_mut().reset(Instant::now() + IDLE);
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.hub.connections.closed(self.number);
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        std::task::ready!(self.permitted(context))?;
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(context, buffer) {
            self.is_used();
            return Poll::Ready(read);
        }
        std::task::ready!(self.patience.as_mut().poll(context));
        if self.is_new && self.line.has_asked() {
            // It has asked in time, and the answer takes longer.
            self.is_used();
            std::task::ready!(self.patience.as_mut().poll(context));
        }
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        std::task::ready!(self.permitted(context))?;
        self.is_used();
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        std::task::ready!(self.permitted(context))?;
        self.is_used();
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use axum::serve::Listener as _;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::sandbox::{Options, Sandbox};

    /// Reads to the end of a connection: everything, and how long it took.
    async fn lasts(mut client: TcpStream) -> (String, Duration) {
        let begun = Instant::now();
        let mut said = Vec::new();
        // A reset is an end as well.
        let _ = client.read_to_end(&mut said).await;
        (String::from_utf8(said).unwrap(), begun.elapsed())
    }

    /// A server, and somebody who has connected to it.
    async fn connected() -> (TcpStream, CancellationToken) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        tokio::spawn(Sandbox::new(Options::default()).serve(listener, stop.clone()));
        (TcpStream::connect(address).await.unwrap(), stop)
    }

    #[tokio::test(start_paused = true)]
    async fn who_sends_no_request_is_turned_out() {
        let (mut client, _stop) = connected().await;
        client.write_all(b"GET / HT").await.unwrap();
        let (said, after) = lasts(client).await;
        assert_eq!(said, "");
        assert!((FIRST_REQUEST..FIRST_REQUEST * 2).contains(&after), "{after:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_asked_may_ask_again_for_a_while() {
        let (mut client, _stop) = connected().await;
        let request = b"GET /__ping HTTP/1.1\r\nhost: localhost\r\n\r\n";
        client.write_all(request).await.unwrap();
        let (said, after) = lasts(client).await;
        assert!(said.ends_with("pong"), "{said}");
        assert!((IDLE..IDLE * 2).contains(&after), "{after:?}");
    }

    #[tokio::test]
    async fn one_too_many_is_closed_and_keeps_nobody_out_later() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let hub = Arc::new(Hub::new(Options::default()));
        let mut doorman = Doorman::with_room(1, listener, hub);
        let _first = TcpStream::connect(address).await.unwrap();
        let (wire, _) = doorman.accept().await;
        let second = TcpStream::connect(address).await.unwrap();
        let waiting = doorman.accept();
        tokio::pin!(waiting);
        tokio::select! {
            _ = &mut waiting => panic!("there is no room"),
            (said, _) = lasts(second) => assert_eq!(said, ""),
        }
        drop(wire);
        let _third = TcpStream::connect(address).await.unwrap();
        waiting.await;
    }
}
