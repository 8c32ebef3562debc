//! Policy networks that predict people's moves: ours, and those of lc0's format, such as Maia.
//!
//! | module | purpose |
//! |---|---|
//! | `convolution` | 3 x 3 convolution of 64 squares, the same sums on every processor |
//! | `encoding` | a game as input planes, notes on its moves and context |
//! | `net` | our network: reading its file, one look |
//! | `policy` | one interface to both kinds of network |
//! | `lc0` | networks in lc0's format: reading the file, planes, one look |

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![deny(
    clippy::disallowed_methods,
    reason = "libm gives the same bits on every machine, the standard library does not"
)]

mod convolution;
mod encoding;
pub mod lc0;
pub mod net;
mod policy;

pub use encoding::{Clock, Context, Encoded, LegalMove, Speed};
pub use policy::{OpenError, PolicyNetwork, Prediction, TIME_BINS};

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
