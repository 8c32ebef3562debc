//! Source of move explanations, supplied by whoever runs the sandbox.

use std::{fmt, future::Future, sync::Arc};

use futures::{FutureExt as _, future::BoxFuture};
use serde_json::Value;

use sparring_lichess::model::GameId;

/// Tells of a finished game; nothing for a game it does not know.
type Testimony = dyn Fn(GameId) -> BoxFuture<'static, Option<Value>> + Send + Sync;

/// Tells, for a finished game, why its bot moved as it did. Clones ask the same one.
#[derive(Clone)]
pub struct ExplanationSource(Arc<Testimony>);

impl ExplanationSource {
    /// Whoever answers with JSON for the page, or with nothing.
    pub fn new<F>(tell: impl Fn(GameId) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Option<Value>> + Send + 'static,
    {
        Self(Arc::new(move |id| tell(id).boxed()))
    }

    /// What there is to tell of a game. Ask only once it is over.
    pub(super) async fn tell(&self, id: GameId) -> Option<Value> {
        (self.0)(id).await
    }
}

impl fmt::Debug for ExplanationSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Witness")
    }
}
