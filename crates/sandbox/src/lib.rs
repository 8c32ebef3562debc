//! Sandbox: a server on this machine with lichess' bot and board API.
//!
//! [`world`] is the whole of the server as plain values, without network or clock. The rest is a thin shell:
//! `hub` joins the world with time and streams, the `*_api` files are the routes, `gate` and `guard` stand before
//! them, and [`Sandbox`] is what callers hold. `docs/sandbox.md` shows what is beyond lichess.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod account_routes;
mod answer;
mod auth;
mod bounded_queue;
mod challenge_routes;
mod control;
mod explanation_source;
mod export_routes;
mod fields;
mod game_routes;
mod guard;
mod hub;
mod key;
mod lobby_options;
mod lobby_routes;
mod move_audit;
mod ndjson;
mod options;
mod pages;
mod random_faults;
mod scripted_faults;
mod server;
mod time;
mod token_lock;
mod tournament_routes;
pub mod world;

pub use explanation_source::ExplanationSource;
pub use hub::Topic;
pub use key::Key;
pub use lobby_options::LobbyOptions;
pub use move_audit::{MoveOutcome, PostedMove};
pub use options::{Castling, Limits, Options, Rules, Visitors};
pub use pages::{Asset, asset, has_page};
pub use random_faults::InjectedFault;
pub use scripted_faults::{Fault, FaultKind};
pub use server::Sandbox;
pub use time::SPEEDS;
pub use world::{ApiError, ArenaPlan};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
