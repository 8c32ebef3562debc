//! Move selector: a request in, a decision with its reason out.

mod explanation;
mod opening_moves;
mod pipeline;

use std::sync::Arc;

use futures::{FutureExt as _, future::BoxFuture};
use tokio::time::Instant;

use crate::bot::{
    game_task::{chat_commands::Persona, state::Clocks},
    moves::{engine_slot::EngineSlot, offer_policy::Situation},
};
use crate::{
    config::ExternalEngine,
    store::{MoveExplanation, MoveSource},
};
use sparring_chess::{GameHistory, Move, units::Millis};
use sparring_engine::Score;
use sparring_lichess::model::GameId;
use sparring_online::Source;

pub use pipeline::Pipeline;

/// What a decision may depend on.
#[derive(Debug, Clone)]
pub struct MoveRequest {
    /// Which game.
    pub game: GameId,
    /// The game so far; it is my turn.
    pub line: GameHistory,
    /// The persona.
    pub persona: Persona,
    /// The external engine that searches; none for the embedded one.
    pub engine: Option<Arc<ExternalEngine>>,
    /// The opening books and online sources, in order of priority.
    pub books: Vec<String>,
    /// The online sources of the settings.
    pub online: Vec<Arc<Source>>,
    /// The clocks as the server showed them at `arrived`; none without a chess clock.
    pub clocks: Option<Clocks>,
    /// The initial clock time of each side.
    pub initial: Millis,
    /// When the bytes arrived that made it my turn.
    pub arrived: Instant,
    /// The move overhead.
    pub overhead: Millis,
    /// How long the opponent took for the last move, if known.
    pub opponent_last: Option<Millis>,
    /// How long my last move took.
    pub own_last: Option<Millis>,
    /// The scores of my own moves so far.
    pub scores: Vec<Score>,
    /// Whether the opponent is a bot.
    pub against_bot: bool,
    /// Whether ratings change.
    pub rated: bool,
    /// Whether the opponent offers a draw.
    pub offered_draw: bool,
    /// The ply of my last draw offer.
    pub offered_at: Option<usize>,
    /// The seed of everything random in this game.
    pub seed: u64,
}

impl MoveRequest {
    fn situation<'a>(&self, scores: &'a [Score]) -> Situation<'a> {
        Situation {
            scores,
            ply: self.line.ply(),
            rated: self.rated,
            against_bot: self.against_bot,
            offered_at: self.offered_at,
        }
    }
}

/// The decision at a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The move.
    pub mv: Move,
    /// Offer a draw with it, or accept the opponent's.
    pub draw: bool,
    /// Resign instead.
    pub resign: bool,
    /// The score of the move for us; none for moves without a search.
    pub score: Option<Score>,
    /// The opponent's reply that the engine expects.
    pub reply: Option<Move>,
    /// Where the move comes from.
    pub source: MoveSource,
    /// The same in words, as in `book books/starter.book:41 30%`.
    pub why: String,
    /// The explanation, for the archive and the pages.
    pub grounds: Option<MoveExplanation>,
}

impl Decision {
    /// A move without offer or resignation.
    #[must_use]
    pub fn play(mv: Move, why: impl Into<String>) -> Self {
        Self {
            mv,
            draw: false,
            resign: false,
            score: None,
            reply: None,
            source: MoveSource::Other,
            why: why.into(),
            grounds: None,
        }
    }
}

/// Chooses the moves of all games.
pub trait MoveSelector: Send + Sync {
    /// Decides on a move of a game, and waits as long as the personality seems to think. `None` only where there is no legal
    /// move. Dropping the future stops the search. `slot` is the game's engine.
    fn select(&self, slot: &EngineSlot, request: MoveRequest) -> BoxFuture<'static, Option<Decision>>;

    /// Thinks ahead, while the opponent thinks, about a position that may come: the request is what `select` gets if it does.
    /// Dropping the future ends it.
    fn ponder(&self, _slot: &EngineSlot, _request: MoveRequest) -> BoxFuture<'static, ()> {
        futures::future::ready(()).boxed()
    }
}

/// A function selects moves without an engine, as tests do.
impl<F> MoveSelector for F
where
    F: Fn(MoveRequest) -> BoxFuture<'static, Option<Decision>> + Send + Sync,
{
    fn select(&self, _: &EngineSlot, request: MoveRequest) -> BoxFuture<'static, Option<Decision>> {
        self(request)
    }
}
