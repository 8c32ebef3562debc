//! Accepting connections, not too many at once, on sockets that can be cut or silenced from outside.

use std::{
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
};

use super::{
    connections::{ConnectionNumber, Line},
    hub::Hub,
};

/// More than any client needs, few enough that nobody exhausts the machine.
const MOST: usize = 256;

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
        Self {
            listener,
            hub,
            room: Arc::new(Semaphore::new(MOST)),
        }
    }
}

impl serve::Listener for Doorman {
    type Io = Wire;
    type Addr = ConnectionNumber;

    async fn accept(&mut self) -> (Wire, ConnectionNumber) {
        let room = loop {
            // The semaphore is never closed; were it, waiting would be all that is left.
            if let Ok(room) = self.room.clone().acquire_owned().await {
                break room;
            }
        };
        let (stream, peer) = loop {
            match self.listener.accept().await {
                Ok(accepted) => break accepted,
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
    hub: Arc<Hub>,
    _room: OwnedSemaphorePermit,
}

impl Wire {
    /// Whether to go on: pending while silenced, an error once cut.
    fn permitted(&self, context: &Context<'_>) -> Poll<io::Result<()>> {
        self.line.remember(context);
        if self.line.is_cut() {
            // Closing without lingering sends a reset, as a crash would.
            let _ = self.stream.set_zero_linger(); // the peer may be gone already
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        if self.hub.connections.is_silent() {
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
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
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        std::task::ready!(self.permitted(context))?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        std::task::ready!(self.permitted(context))?;
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
