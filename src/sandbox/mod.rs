//! lichess in a box: a server on the own machine that speaks lichess' interfaces for bots and boards.
//!
//! [`world`] is the whole of the server as plain values, without network or clock. The rest is a thin shell:
//! `hub` joins the world with time and streams, the `*_api` files are the routes, `gate` and `guard` stand before
//! them, and [`Sandbox`] is what callers hold. `docs/sandbox.md` shows what is beyond lichess.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod account_api;
mod answer;
mod arena_api;
mod challenge_api;
mod chaos;
mod control;
mod export_api;
mod faults;
mod fields;
mod game_api;
mod gate;
mod guard;
mod hub;
mod key;
mod ledger;
mod lobby_api;
mod mailbox;
mod ndjson;
mod offer;
mod options;
mod pages;
mod server;
mod time;
mod turns;
mod witness;
pub mod world;

pub use chaos::Struck;
pub use faults::{Fault, Mishap};
pub use hub::Topic;
pub use key::Key;
pub use ledger::{Fate, Posted};
pub use offer::Offer;
pub use options::{Castling, Limits, Options, Rules, Visitors};
pub use pages::{Asset, asset, has_page};
pub use server::Sandbox;
pub use time::SPEEDS;
pub use witness::Witness;
pub use world::{ArenaPlan, Refusal};
