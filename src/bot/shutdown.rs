//! How the daemon is asked to end.

use tokio_util::sync::CancellationToken;

/// How the daemon is asked to end.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// Accept nothing more, and end when no game runs.
    pub drain: CancellationToken,
    /// End within two seconds; games stay on lichess.
    pub leave: CancellationToken,
}
