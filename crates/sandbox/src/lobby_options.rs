//! Lobby options: opponents, levels and clocks on offer.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};

/// Callback that lists opponents, levels and clocks on offer, called for each request. Clones share it.
#[derive(Clone)]
pub struct LobbyOptions(Arc<dyn Fn() -> Value + Send + Sync>);

impl LobbyOptions {
    /// Options from a function that returns an object for the page, as in `{"personalities":[..]}`.
    pub fn new(describe: impl Fn() -> Value + Send + Sync + 'static) -> Self {
        Self(Arc::new(describe))
    }

    /// The current options.
    #[must_use]
    pub fn describe(&self) -> Value {
        (self.0)()
    }
}

/// An empty object.
impl Default for LobbyOptions {
    fn default() -> Self {
        Self::new(|| Value::Object(Map::new()))
    }
}

impl fmt::Debug for LobbyOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Offer")
    }
}
