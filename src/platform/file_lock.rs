//! Lock of a token or account among the processes of one user: a file in the user's folder of temporary files. The system ends the
//! lock with the process; the empty file stays.

use std::{
    env,
    fs::{File, TryLockError},
};

use tracing::debug;

use super::lock_file;
use sparring_lichess::Token;

/// The lock, held until dropped.
#[derive(Debug)]
pub struct NameLock(#[expect(dead_code, reason = "dropping it ends the lock")] Option<File>);

/// Locks a fingerprint. None where another process holds it. As on Linux it is to be awaited, though nothing waits.
pub(crate) async fn take(number: u64, _: &Token) -> Option<NameLock> {
    let path = env::temp_dir().join(format!("sparring-{number:016x}.lock"));
    match lock_file(&path) {
        Ok(file) => Some(NameLock(Some(file))),
        Err(TryLockError::WouldBlock) => None,
        Err(TryLockError::Error(why)) => {
            debug!(
                "{} cannot be locked, so another bot with this account cannot be detected: {why}",
                path.display()
            );
            Some(NameLock(None))
        }
    }
}
