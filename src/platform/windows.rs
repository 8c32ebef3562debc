//! Windows. Its files have no modes: who may read one is inherited from its folder, and in the folder of a user that is the user,
//! administrators and the system.
#![expect(
    unsafe_code,
    reason = "no safe crate at hand asks for the identity of a file, free space, memory and priority"
)]

use std::{
    ffi::OsStr,
    fs::{File, Metadata, OpenOptions},
    future::pending,
    io,
    net::SocketAddr,
    os::windows::{
        ffi::OsStrExt as _,
        fs::{MetadataExt as _, OpenOptionsExt as _},
        io::AsRawHandle as _,
    },
    path::Path,
    ptr::null_mut,
    time::Duration,
};

use console::Term;
use tokio::{
    net::TcpStream,
    signal::windows::{
        CtrlBreak, CtrlC, CtrlClose, CtrlLogoff, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close, ctrl_logoff,
        ctrl_shutdown,
    },
};
use windows_sys::Win32::{
    Storage::FileSystem::{BY_HANDLE_FILE_INFORMATION, GetDiskFreeSpaceExW, GetFileInformationByHandle},
    System::{
        ProcessStatus::{GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS},
        Threading::{GetCurrentProcess, GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_BELOW_NORMAL},
    },
};

use super::{ServiceState, StopSignal};
use sparring_http_server::Accepts;

/// What is true of a file of a secret that was made or read.
pub(crate) const PRIVATE: &str = "readable by whoever may read its folder";

/// Ctrl-C, Ctrl-Break, a closed window, the end of the session and of the system. From now on the first two do not end the process;
/// the others do after some seconds.
#[derive(Debug)]
pub(crate) struct StopSignals {
    ctrl_c: CtrlC,
    ctrl_break: CtrlBreak,
    close: CtrlClose,
    logoff: CtrlLogoff,
    shutdown: CtrlShutdown,
}

impl StopSignals {
    /// # Errors
    /// When the system refuses the handler.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            ctrl_c: ctrl_c()?,
            ctrl_break: ctrl_break()?,
            close: ctrl_close()?,
            logoff: ctrl_logoff()?,
            shutdown: ctrl_shutdown()?,
        })
    }

    /// Waits for the next one. Cancel-safe.
    pub(crate) async fn recv(&mut self) -> StopSignal {
        tokio::select! {
            Some(()) = self.ctrl_c.recv() => StopSignal::Polite,
            Some(()) = self.ctrl_break.recv() => StopSignal::Polite,
            Some(()) = self.close.recv() => StopSignal::Urgent,
            Some(()) = self.logoff.recv() => StopSignal::Urgent,
            Some(()) = self.shutdown.recv() => StopSignal::Urgent,
            else => pending().await,
        }
    }
}

/// None comes: Windows has no such signal.
#[derive(Debug)]
pub(crate) struct ReloadSignal;

impl ReloadSignal {
    /// # Errors
    /// None.
    #[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits without end.
    pub(crate) async fn recv(&mut self) {
        pending().await
    }
}

/// Tells nobody: there is no systemd.
pub(crate) fn notify_service(_: ServiceState<'_>) {}

/// None: nobody watches.
pub(crate) fn watchdog_interval() -> Option<Duration> {
    None
}

/// Asks the terminal to take colors, which older ones do not.
pub(crate) fn enable_colors() -> bool {
    let takes_colors = |term: Term| term.features().colors_supported();
    takes_colors(Term::stderr()) || takes_colors(Term::stdout())
}

/// None: there is no journal.
pub(crate) fn stderr_stream() -> Option<String> {
    None
}

/// Changes nothing: files have no modes.
pub(crate) fn set_mode(_: &mut OpenOptions, _: u32) {}

/// None: files have no modes.
///
/// # Errors
/// IO errors.
pub(crate) fn mode_if_shared(path: &Path) -> io::Result<Option<u32>> {
    path.metadata().map(|_| None)
}

/// What to do so that a file that somebody writes is private.
pub(crate) fn advice_on_privacy(_: &Path) -> String {
    "see that nobody else may read its folder".to_owned()
}

/// Volume and index.
pub(crate) type FileId = (u64, u64);

/// Which file it is. None where the system does not say.
pub(crate) fn file_id(file: &File) -> Option<FileId> {
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open as long as the file, and `found` is of the type that the call fills in.
    let is_found = unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut found) } != 0;
    let index = u64::from(found.nFileIndexHigh) << 32 | u64::from(found.nFileIndexLow);
    is_found.then_some((u64::from(found.dwVolumeSerialNumber), index))
}

/// Which file is at a path. None where there is none, or the system does not say.
pub(crate) fn file_id_at(path: &Path) -> Option<FileId> {
    // Without any right to its text, so that it opens whoever else has it open.
    file_id(&OpenOptions::new().access_mode(0).open(path).ok()?)
}

/// Times of birth and of the last change, in steps of 100 ns. A copy that takes a file's place was born later.
pub(crate) fn file_version(file: &Metadata) -> (u64, u64) {
    (file.creation_time(), file.last_write_time())
}

/// Bytes that this user may still write to the disk of an existing path.
pub(crate) fn free_space(path: &Path) -> Option<u64> {
    // The call takes folders alone.
    let folder = if path.is_dir() { path } else { path.parent()? };
    let name = if folder.as_os_str().is_empty() {
        OsStr::new(".")
    } else {
        folder.as_os_str()
    };
    let name: Vec<u16> = name.encode_wide().chain([0]).collect();
    let mut free = 0;
    // SAFETY: the name ends with a zero, `free` is of the type that the call fills in, and the others may be null.
    let is_found = unsafe { GetDiskFreeSpaceExW(name.as_ptr(), &raw mut free, null_mut(), null_mut()) } != 0;
    is_found.then_some(free)
}

/// None: Windows has no such limit.
pub(crate) fn thread_limit_of_user() -> Option<u64> {
    None
}

/// The working set of this process in bytes.
pub(crate) fn resident_bytes() -> Option<u64> {
    let mut found = PROCESS_MEMORY_COUNTERS::default();
    let size = size_of_val(&found) as u32;
    // SAFETY: the handle names this process, and `found` is of the type and size that the call fills in.
    let is_found = unsafe { GetProcessMemoryInfo(GetCurrentProcess(), &raw mut found, size) } != 0;
    is_found.then_some(found.WorkingSetSize as u64)
}

/// Changes nothing: Windows writes no core dumps unless its owner asks for them.
pub(crate) fn forbid_core_dumps() {}

/// Lowers the priority of this thread below that of the threads beside it. A refusal is tolerated.
pub(crate) fn give_way() {
    // SAFETY: the handle names this thread.
    if unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL) } == 0 {
        let why = io::Error::last_os_error();
        tracing::debug!("cannot lower the priority of a thread: {why}");
    }
}

/// There is none: tokio has no Unix sockets on Windows.
#[derive(Debug)]
pub(crate) enum SocketListener {}

impl Accepts for SocketListener {
    type AcceptedStream = TcpStream;

    async fn next(&mut self) -> io::Result<(TcpStream, Option<SocketAddr>)> {
        match *self {}
    }
}

/// Binds nothing.
///
/// # Errors
/// Always.
pub(crate) fn bind_socket(_: &Path) -> io::Result<SocketListener> {
    Err(no_sockets())
}

/// # Errors
/// Always.
pub(crate) fn connect_socket(_: &Path, _: Duration) -> io::Result<std::net::TcpStream> {
    Err(no_sockets())
}

fn no_sockets() -> io::Error {
    let why = "sparring has no Unix sockets on Windows";
    io::Error::new(io::ErrorKind::Unsupported, why)
}

/// Shows a prompt at the terminal and reads a line without echo, without its newline. Ctrl-C ends the process.
///
/// # Errors
/// When there is no terminal.
pub(crate) fn read_secret(term: &Term, prompt: &str) -> io::Result<String> {
    term.write_str(prompt)?;
    term.read_secure_line()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_system_tells_memory_and_free_space() {
        assert!(resident_bytes().unwrap() > 1 << 20);
        let folder = tempfile::tempdir().unwrap();
        assert!(free_space(folder.path()).unwrap() > 0);
        let file = folder.path().join("file");
        fs::write(&file, "text").unwrap();
        assert!(free_space(&file).unwrap() > 0);
    }
}
