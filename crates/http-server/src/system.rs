//! What differs between operating systems: Unix limits open files, numbers them, and has sockets in folders.

#[cfg(unix)]
pub(super) use unix::{WANT_OF_ROOM, number, open_files, raise_open_files};
#[cfg(windows)]
pub(super) use windows::{WANT_OF_ROOM, number, open_files, raise_open_files};

#[cfg(unix)]
mod unix {
    use std::{io, net::SocketAddr, os::fd::AsRawFd};

    use rustix::{
        io::Errno,
        process::{Resource, Rlimit, getrlimit, setrlimit},
    };
    use tokio::net::{UnixListener, UnixStream};

    use crate::acceptor::{Accepts, Stream};

    /// Errors where the process or the system has no descriptor or memory for one more.
    pub(crate) const WANT_OF_ROOM: [i32; 4] = [
        Errno::MFILE.raw_os_error(),
        Errno::NFILE.raw_os_error(),
        Errno::NOMEM.raw_os_error(),
        Errno::NOBUFS.raw_os_error(),
    ];

    /// How many files may be open at once (RLIMIT_NOFILE); none for any number.
    pub(crate) fn open_files() -> Option<u64> {
        getrlimit(Resource::Nofile).current
    }

    /// Raises the soft limit to the hard limit.
    pub(crate) fn raise_open_files() -> io::Result<()> {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let is_lower = match (current, maximum) {
            (Some(current), Some(maximum)) => current < maximum,
            (current, _) => current.is_some(),
        };
        if is_lower {
            let raised = Rlimit {
                current: maximum,
                maximum,
            };
            setrlimit(Resource::Nofile, raised)?;
        }
        Ok(())
    }

    /// The number of the descriptor.
    pub(crate) fn number(stream: &impl AsRawFd) -> u64 {
        u64::try_from(stream.as_raw_fd()).unwrap_or_default()
    }

    impl Stream for UnixStream {
        fn descriptor(&self) -> u64 {
            number(self)
        }
    }

    impl Accepts for UnixListener {
        type AcceptedStream = UnixStream;

        async fn next(&mut self) -> io::Result<(UnixStream, Option<SocketAddr>)> {
            let (stream, _) = self.accept().await?;
            Ok((stream, None))
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_limit_is_raised_as_far_as_the_system_lets_it() {
            raise_open_files().unwrap();
            let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
            assert_eq!(current, maximum);
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::io;

    /// ERROR_NOT_ENOUGH_MEMORY and ERROR_OUTOFMEMORY, and WSAEMFILE and WSAENOBUFS of Winsock.
    pub(crate) const WANT_OF_ROOM: [i32; 4] = [8, 14, 10_024, 10_055];

    /// None: any number.
    pub(crate) fn open_files() -> Option<u64> {
        None
    }

    /// Raises nothing: there is no limit.
    #[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
    pub(crate) fn raise_open_files() -> io::Result<()> {
        Ok(())
    }

    /// Zero: the numbers of sockets do not tell how many are open.
    pub(crate) fn number<S>(_: &S) -> u64 {
        0
    }
}
