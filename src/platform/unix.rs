//! Linux, macOS and other kinds of Unix.

use std::{
    fs::{self, File, Metadata, OpenOptions, Permissions},
    future::pending,
    io::{self, Read as _},
    os::unix::{
        fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
        net::UnixStream,
    },
    path::Path,
    time::Duration,
};

use console::Term;
use rustix::{
    process::{Resource, geteuid, getrlimit},
    termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr},
};
use sd_notify::NotifyState;
use tokio::{
    net::UnixListener,
    signal::unix::{Signal, SignalKind, signal},
};

use super::{ServiceState, StopSignal};

/// What is true of a file of a secret that was made or read.
pub(crate) const PRIVATE: &str = "readable by its owner alone";
/// Read and write for owner and group: a reverse proxy joins the group.
const SOCKET_MODE: u32 = 0o660;
/// The byte that Ctrl-C sends.
const CTRL_C: u8 = 3;
/// Niceness of threads that give way: on a busy machine they get a tenth of the time of others.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// SIGTERM and SIGINT, which Ctrl-C sends. From now on they do not end the process.
#[derive(Debug)]
pub(crate) struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// # Errors
    /// When the system has no room for the handlers.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next one. Cancel-safe.
    pub(crate) async fn recv(&mut self) -> StopSignal {
        tokio::select! {
            Some(()) = self.terminate.recv() => {}
            Some(()) = self.interrupt.recv() => {}
            else => pending().await,
        }
        StopSignal::Polite
    }
}

/// SIGHUP. From now on it does not end the process.
#[derive(Debug)]
pub(crate) struct ReloadSignal(Signal);

impl ReloadSignal {
    /// # Errors
    /// When the system has no room for the handler.
    pub(crate) fn new() -> io::Result<Self> {
        signal(SignalKind::hangup()).map(Self)
    }

    /// Waits for the next one. Cancel-safe.
    pub(crate) async fn recv(&mut self) {
        if self.0.recv().await.is_none() {
            pending().await
        }
    }
}

/// Tells systemd. Without it, and where the message is lost, nothing happens.
pub(crate) fn notify_service(state: ServiceState<'_>) {
    let state = match state {
        ServiceState::Ready => NotifyState::Ready,
        ServiceState::Stopping => NotifyState::Stopping,
        ServiceState::Watchdog => NotifyState::Watchdog,
        ServiceState::Status(line) => NotifyState::Status(line),
    };
    let _ = sd_notify::notify(&[state]); // a lost message does no harm
}

/// The time after which systemd takes a silent service for dead, if it watches this one.
pub(crate) fn watchdog_interval() -> Option<Duration> {
    sd_notify::watchdog_enabled()
}

/// Whether terminals take colors: all do.
pub(crate) fn enable_colors() -> bool {
    true
}

/// Device and inode of stderr, as systemd writes them into `JOURNAL_STREAM`.
pub(crate) fn stderr_stream() -> Option<String> {
    let stderr = rustix::fs::fstat(io::stderr()).ok()?;
    Some(format!("{}:{}", stderr.st_dev, stderr.st_ino))
}

/// Gives a file that is made these permissions, less those that the umask takes away.
pub(crate) fn set_mode(options: &mut OpenOptions, mode: u32) {
    options.mode(mode);
}

/// The permission bits of a file that group or others may read, write or run; none for a private one.
///
/// # Errors
/// IO errors.
pub(crate) fn mode_if_shared(path: &Path) -> io::Result<Option<u32>> {
    let mode = fs::metadata(path)?.mode() & 0o777;
    Ok((mode & 0o077 != 0).then_some(mode))
}

/// What to do so that a file that somebody writes is private.
pub(crate) fn advice_on_privacy(path: &Path) -> String {
    format!("run chmod 600 {}", path.display())
}

/// Device and inode.
pub(crate) type FileId = (u64, u64);

/// Which file it is. None where the system does not say.
pub(crate) fn file_id(file: &File) -> Option<FileId> {
    file.metadata().ok().map(|file| (file.dev(), file.ino()))
}

/// Which file is at a path. None where there is none, or the system does not say.
pub(crate) fn file_id_at(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// Inode and ctime in nanoseconds, which tell versions of a file apart. Unlike mtime, programs cannot set ctime.
pub(crate) fn file_version(file: &Metadata) -> (u64, u64) {
    let changed = file
        .ctime()
        .wrapping_mul(1_000_000_000)
        .wrapping_add(file.ctime_nsec());
    (file.ino(), changed.cast_unsigned())
}

/// Bytes that this user may still write to the disk of an existing path.
pub(crate) fn free_space(path: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// The most threads that all programs of this user may have, if that binds this one: it does not bind root.
pub(crate) fn thread_limit_of_user() -> Option<u64> {
    getrlimit(Resource::Nproc)
        .current
        .filter(|_| !geteuid().is_root())
}

/// Resident memory of this process in bytes (Linux).
pub(crate) fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Forbids core dumps of this process, and reading its memory or environment by other processes of the same user (Linux). Logs at
/// debug level where the system refuses.
pub(crate) fn forbid_core_dumps() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, Rlimit, set_dumpable_behavior, setrlimit};
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        let done = set_dumpable_behavior(DumpableBehavior::NotDumpable).and(setrlimit(Resource::Core, none));
        if let Err(why) = done {
            tracing::debug!("core dumps cannot be switched off: {why}");
        }
    }
}

/// Lowers the priority of this thread below that of the threads beside it (Linux, where a thread has a niceness of its own). A system
/// that refuses, as some containers do, is tolerated.
pub(crate) fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(why) = rustix::process::nice(NICENESS) {
        tracing::debug!("cannot lower the priority of a thread: {why}");
    }
}

/// A bound Unix socket.
pub(crate) type SocketListener = UnixListener;

/// Binds a Unix socket for owner and group. Replaces a stale one, to which nothing listens any more.
///
/// # Errors
/// IO errors, also when another program listens there, or a file is in the way.
pub(crate) fn bind_socket(path: &Path) -> io::Result<SocketListener> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    if is_socket && UnixStream::connect(path).is_err() {
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, Permissions::from_mode(SOCKET_MODE))?;
    Ok(listener)
}

/// Connects to a Unix socket; reading and writing give up after `patience`.
///
/// # Errors
/// IO errors.
pub(crate) fn connect_socket(path: &Path, patience: Duration) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    Ok(stream)
}

/// Shows a prompt at the terminal and reads a line without echo, without its newline.
///
/// Echo is off before the prompt shows, and typed-ahead input is kept: a secret that is pasted at once is neither shown nor
/// lost. Ctrl-C returns an error instead of ending the process, so that the echo is restored.
///
/// # Errors
/// When there is no terminal, or at its end of file; [`io::ErrorKind::Interrupted`] after Ctrl-C.
pub(crate) fn read_secret(term: &Term, prompt: &str) -> io::Result<String> {
    let _echo_off = EchoOff::new()?;
    term.write_str(prompt)?;
    let mut line = Vec::new();
    for byte in io::stdin().lock().bytes() {
        match byte? {
            b'\n' => {
                term.write_line("")?;
                let text = String::from_utf8_lossy(&line);
                return Ok(text.trim_end_matches('\r').to_owned());
            }
            CTRL_C => {
                term.write_line("")?;
                return Err(io::Error::new(
                    io::ErrorKind::Interrupted,
                    "interrupted by Ctrl-C",
                ));
            }
            byte => line.push(byte),
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

/// Switches the terminal's echo off until dropped. Keys send no signals meanwhile: a signal would end the program and leave the
/// echo off.
struct EchoOff(Termios);

impl EchoOff {
    fn new() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut no_echo = before.clone();
        no_echo.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
        // A read returns at the end of a line; with this, Ctrl-C ends one too.
        no_echo.special_codes[SpecialCodeIndex::VEOL] = CTRL_C;
        tcsetattr(io::stdin(), OptionalActions::Now, &no_echo)?;
        Ok(Self(before))
    }
}

impl Drop for EchoOff {
    fn drop(&mut self) {
        // It fails where the terminal is gone, which needs no echo.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stale_socket_is_replaced_and_one_in_use_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("status.sock");
        let first = bind_socket(&path).unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            SOCKET_MODE
        );
        assert!(bind_socket(&path).is_err(), "somebody listens there");
        drop(first);
        assert!(path.exists(), "as after a kill");
        bind_socket(&path).unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "mine").unwrap();
        assert!(bind_socket(&file).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine", "no file makes room");
    }
}
