//! Connection pool of short calls, replaced as a whole when one of them times out.
//!
//! A router that has forgotten its connections says nothing. Whoever tries the next one of the pool then waits once more for
//! nothing, with a clock running; a new pool has only connections that work.

use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

/// The pool of this moment.
pub(super) struct ConnectionPool {
    make: fn(bool) -> Result<reqwest::Client, reqwest::Error>,
    local: bool,
    current: Mutex<(reqwest::Client, Option<Instant>)>,
}

impl ConnectionPool {
    /// A pool made like this, for a server on this machine or elsewhere.
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

    /// What to call with.
    pub(super) fn client(&self) -> reqwest::Client {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.0.clone()
    }

    /// A call that began then had no answer in time: the next ones get new connections, unless they have since.
    pub(super) fn renew(&self, began: Instant) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.1.is_none_or(|renewed| renewed < began)
            && let Ok(client) = (self.make)(self.local)
        {
            *current = (client, Some(Instant::now()));
        }
    }
}
