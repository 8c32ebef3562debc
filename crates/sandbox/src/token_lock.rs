//! Serialises requests by token, where the limits are strict.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::options::Limits;

/// The tokens whose requests are being served.
#[derive(Debug)]
pub struct TokenLocks {
    limits: Limits,
    busy: Mutex<BTreeSet<String>>,
}

impl TokenLocks {
    /// Nobody is being served.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            busy: Mutex::default(),
        }
    }

    /// A turn for a request of this token, or `None` while another one is served.
    #[must_use]
    pub fn take(&self, token: &str) -> Option<TokenLock<'_>> {
        let strict = self.limits == Limits::Strict;
        if strict && !self.busy().insert(token.to_owned()) {
            return None;
        }
        Some(TokenLock {
            turns: self,
            token: strict.then(|| token.to_owned()),
        })
    }

    fn busy(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to be served, given back when dropped.
#[derive(Debug)]
pub struct TokenLock<'a> {
    turns: &'a TokenLocks,
    token: Option<String>,
}

impl Drop for TokenLock<'_> {
    fn drop(&mut self) {
        if let Some(token) = &self.token {
            self.turns.busy().remove(token);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_limits_serve_a_token_once_at_a_time() {
        let strict = TokenLocks::new(Limits::Strict);
        let first = strict.take("a");
        assert!(first.is_some() && strict.take("b").is_some());
        assert!(strict.take("a").is_none());
        drop(first);
        assert!(strict.take("a").is_some());
        let lax = TokenLocks::new(Limits::Real);
        let both = (lax.take("a"), lax.take("a"));
        assert!(both.0.is_some() && both.1.is_some());
    }
}
