//! Static evaluation.
//!
//! The evaluator is chosen once a search by the variant. Orthodox chess gets the classical evaluation, a sum of named
//! terms, one file each, with the NNUE correction of [`crate::nnue`] where the search uses it; other variants score what
//! their goal rewards.

mod accumulator;
mod attacks;
mod balance;
mod classical;
mod codegen;
mod coefficients;
mod endgame;
mod evaluator;
mod king;
mod king_danger;
mod kpk;
mod material;
mod passed;
mod pawns;
mod pieces;
mod score_pair;
mod squares;
#[cfg(test)]
mod term_tests;
mod threats;
mod trace;
mod variants;
mod weight;
mod weight_overrides;
mod weights;

pub use balance::{Balance, BalanceResult, TermShare, evaluation_balance, term_names};
pub use codegen::weights_source;
pub use coefficients::{EvalSample, WeightPair, weight_rows, weights_in_use};
pub(super) use evaluator::{Evaluator, classical_with_share, fifty_move_scaled};
pub use kpk::prepare;
pub(super) use pawns::PawnTable;
pub use trace::{Trace, trace};
pub use variants::{VariantSample, variant_weight_rows, variant_weights_in_use, variant_weights_source};
pub use weight::WeightRow;
pub use weight_overrides::{WeightChange, WeightChangeError, WeightOverrides};
