//! Socket with idle and write time-outs that can be closed from outside.

use std::{
    future::Future as _,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

use super::{acceptor::Stream, connections::Connection};

/// A socket with limits.
pub struct Socket<S> {
    stream: S,
    connection: Arc<Connection>,
    alarm: Pin<Box<Sleep>>,
}

impl<S: Stream> Socket<S> {
    pub(super) fn new(stream: S, connection: Arc<Connection>) -> Self {
        Self {
            stream,
            connection,
            alarm: Box::pin(sleep_until(Instant::now())),
        }
    }

    /// Whether to go on: pending while silenced, an error once cut.
    fn permitted(&mut self, context: &Context<'_>) -> Poll<io::Result<()>> {
        self.connection.remember(context);
        if self.connection.is_cut() {
            if self.connection.is_reset() {
                self.stream.reset();
            }
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        if self.connection.server().is_silent() {
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    /// Fails once the connection's time limit has passed.
    fn poll_deadline<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        let Some(deadline) = self.connection.deadline() else {
            return Poll::Pending;
        };
        if self.alarm.deadline() != deadline {
            self.alarm.as_mut().reset(deadline);
        }
        ready!(self.alarm.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Result of a write; a pending one starts the write time-out.
    fn wrote(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            return written;
        }
        self.connection.is_stuck(true);
        self.poll_deadline(context)
    }
}

impl<S> Drop for Socket<S> {
    fn drop(&mut self) {
        self.connection.ended();
    }
}

impl<S: Stream> AsyncRead for Socket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.permitted(context))?;
        let before = buffer.filled().len();
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(context, buffer) {
            if buffer.filled().len() > before {
                self.connection.on_bytes_received();
            }
            return Poll::Ready(read);
        }
        self.poll_deadline(context)
    }
}

impl<S: Stream> AsyncWrite for Socket<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.permitted(context))?;
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.permitted(context))?;
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.wrote(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Called when everything is written, which ends the write time-out. A client that reads a byte now and then does not get
    /// there.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.connection.is_stuck(false);
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
