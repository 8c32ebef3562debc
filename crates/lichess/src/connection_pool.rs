//! Connection pool of short calls, replaced as a whole when one of them times out.
//!
//! A router that has forgotten its connections says nothing. Whoever tries the next one of the pool then waits once more for
//! nothing, with a clock running; a new pool has only connections that work.

use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

/// A replaceable pool of connections.
pub(super) struct ConnectionPool {
    make: fn(bool) -> Result<reqwest::Client, reqwest::Error>,
    local: bool,
    current: Mutex<(reqwest::Client, Option<Instant>)>,
}

impl ConnectionPool {
    /// A pool made by `make`, whose argument is whether the server is on this machine.
    ///
    /// # Errors
    /// When TLS or the resolver cannot be set up.
    pub(super) fn new(
        make: fn(bool) -> Result<reqwest::Client, reqwest::Error>,
        local: bool,
    ) -> Result<Self, reqwest::Error> {
        Ok(Self {
            make,
            local,
            current: Mutex::new((make(local)?, None)),
        })
    }

    /// The current pool.
    pub(super) fn client(&self) -> reqwest::Client {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.0.clone()
    }

    /// Replaces the pool after a call that began at `began` timed out, unless it was replaced since.
    pub(super) fn renew(&self, began: Instant) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.1.is_none_or(|renewed| renewed < began)
            && let Ok(client) = (self.make)(self.local)
        {
            *current = (client, Some(Instant::now()));
        }
    }
}
