//! What differs between operating systems, behind the same names on all of them. No other file of `src` asks which system it runs on.
//!
//! | file | purpose |
//! |---|---|
//! | `unix`, `windows` | signals, systemd, modes and identity of files, limits, memory, priority, sockets, secrets typed at a terminal |
//! | `socket_lock` | Linux: the lock of a token or account, on the whole machine |
//! | `file_lock` | the same elsewhere, among the processes of one user |

#[cfg(not(target_os = "linux"))]
mod file_lock;
#[cfg(target_os = "linux")]
mod socket_lock;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
};

#[cfg(not(target_os = "linux"))]
pub use file_lock::NameLock;
#[cfg(not(target_os = "linux"))]
pub(crate) use file_lock::take as lock_name;
#[cfg(target_os = "linux")]
pub use socket_lock::NameLock;
#[cfg(target_os = "linux")]
pub(crate) use socket_lock::take as lock_name;
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub(crate) use system::{
    FileId, PRIVATE, ReloadSignal, SocketListener, StopSignals, advice_on_privacy, bind_socket,
    connect_socket, enable_colors, file_id, file_id_at, file_version, forbid_core_dumps, free_space,
    give_way, mode_if_shared, notify_service, read_secret, resident_bytes, set_mode, stderr_stream,
    thread_limit_of_user, watchdog_interval,
};

/// A wish of the owner or the system that the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopSignal {
    /// The program may take its time.
    Polite,
    /// The system ends the program within seconds.
    Urgent,
}

/// What a service tells the system about itself.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ServiceState<'s> {
    /// It has started.
    Ready,
    /// It is ending.
    Stopping,
    /// It is alive.
    Watchdog,
    /// A line for people.
    #[cfg_attr(windows, expect(dead_code, reason = "nobody shows it"))]
    Status(&'s str),
}

/// Opens or makes a file, readable by its owner alone where files have modes, and locks it until it is closed.
///
/// # Errors
/// [`TryLockError::WouldBlock`] where another process holds the lock.
pub(crate) fn lock_file(path: &Path) -> Result<File, TryLockError> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    set_mode(&mut options, 0o600);
    let file = options.open(path).map_err(TryLockError::Error)?;
    file.try_lock()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_the_same_by_any_name_and_another_after_it_was_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        assert_eq!(file_id_at(&one), None);
        fs::write(&one, "text").unwrap();
        let id = file_id_at(&one);
        assert!(id.is_some());
        fs::hard_link(&one, &other).unwrap();
        assert_eq!(file_id_at(&other), id);
        fs::write(&other, "text").unwrap();
        assert_eq!(file_id_at(&one), id, "however often it is written");
        fs::write(folder.path().join("new"), "text").unwrap();
        fs::rename(folder.path().join("new"), &one).unwrap();
        assert_ne!(file_id_at(&one), id);
    }
}
