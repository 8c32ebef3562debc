//! Source of move explanations, supplied by the embedding program.

use std::{fmt, future::Future, sync::Arc};

use futures::{FutureExt as _, future::BoxFuture};
use serde_json::Value;

use sparring_lichess::model::GameId;

/// Explains a finished game; `None` for an unknown one.
type ExplainFn = dyn Fn(GameId) -> BoxFuture<'static, Option<Value>> + Send + Sync;

/// Callback that explains a finished game: why its bot moved as it did. Clones share it.
#[derive(Clone)]
pub struct ExplanationSource(Arc<ExplainFn>);

impl ExplanationSource {
    /// A source from a function that returns JSON for the page.
    pub fn new<F>(explain: impl Fn(GameId) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Option<Value>> + Send + 'static,
    {
        Self(Arc::new(move |id| explain(id).boxed()))
    }

    /// The explanation of a game. Only for finished games.
    pub(super) async fn explain(&self, id: GameId) -> Option<Value> {
        (self.0)(id).await
    }
}

impl fmt::Debug for ExplanationSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExplanationSource")
    }
}
