//! Lobby options: opponents, levels and clocks on offer.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};

/// Describes whom to play, how strong and how fast, anew each time it is asked. Clones ask the same one.
#[derive(Clone)]
pub struct LobbyOptions(Arc<dyn Fn() -> Value + Send + Sync>);

impl LobbyOptions {
    /// Whoever answers with an object for the page, as in `{"personalities":[..]}`.
    pub fn new(describe: impl Fn() -> Value + Send + Sync + 'static) -> Self {
        Self(Arc::new(describe))
    }

    /// What there is to play now.
    #[must_use]
    pub fn describe(&self) -> Value {
        (self.0)()
    }
}

/// Nothing in particular.
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
