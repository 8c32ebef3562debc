//! Search and evaluation of a chess engine: synchronous, without IO or a clock of its own.
//!
//! [`Engine::search`] is the entry point. The engine knows neither personalities nor lichess: the caller turns a level
//! such as "1400" into [`Limits`] and a [`Handicap`].

mod best_thread;
mod bounds;
mod check_info;
mod delay_window;
mod dirty_piece;
mod draw;
mod engine;
mod eval;
mod extensions;
mod fortress;
mod handicap;
mod history;
mod huge_pages;
mod iterative_deepening;
mod lazy_smp;
mod move16;
mod movegen;
mod movepick;
mod node;
mod node_context;
mod overrides;
mod params;
mod prefetch;
mod pruning;
mod qsearch;
mod random_openings;
mod reductions;
#[cfg(test)]
mod reference_search;
mod root_moves;
mod root_search;
mod score;
mod search;
mod search_control;
mod search_limits;
mod search_request;
mod search_result;
mod see;
mod soft_limit;
mod style_bonus;
mod syzygy;
mod syzygy_probe;
mod thread_data;
mod threads;
mod tt;
mod zobrist;

pub mod bench;
pub mod nnue;
pub mod perft;
pub mod timeman;

pub use delay_window::DelayWindow;
pub use engine::Engine;
pub use eval::{
    Balance, BalanceResult, EvalSample, TermShare, Trace, VariantSample, WeightChange, WeightChangeError,
    WeightOverrides, WeightPair, WeightRow, evaluation_balance, prepare, term_names, trace,
    variant_weight_rows, variant_weights_in_use, variant_weights_source, weight_rows, weights_in_use,
    weights_source,
};
pub use fortress::cannot_win;
pub use handicap::Handicap;
pub use overrides::EngineOverrides;
pub use params::{Param, ParamError, Params};
pub use random_openings::{RandomOpenings, is_balanced};
pub use score::Score;
pub use search_control::{SearchControl, Stop};
pub use search_request::{Limits, SearchRequest};
pub use search_result::{BoundKind, Line, SearchEvent, SearchResult};
pub use style_bonus::StyleBonus;
#[cfg(any(test, feature = "test-fixtures"))]
pub use syzygy::shared_tables;
pub use syzygy::{Tablebase, TablebaseError};
pub use threads::MAX_THREADS;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
