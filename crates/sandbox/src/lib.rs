//! Sandbox: a server on this machine with lichess' bot and board API.
//!
//! In reading order: [`world`] models the server without network or clock, `hub` joins it with time and streams, the `*_routes` files
//! are the API, `online_routes` imitates servers that know positions, `access`, `auth` and `guard` check requests, `intercept` injects `scripted_faults` and `random_faults`, and [`Sandbox`] is the handle.
//! `docs/sandbox.md` lists what goes beyond lichess.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod access;
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
mod intercept;
mod key;
mod lobby_options;
mod lobby_routes;
mod move_audit;
mod ndjson;
mod online_routes;
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
pub use options::{AnonymousAccess, Castling, Limits, Options, Rules};
pub use pages::{Asset, asset, has_page};
pub use random_faults::InjectedFault;
pub use scripted_faults::{Fault, FaultKind};
pub use server::Sandbox;
pub use time::SPEEDS;
pub use world::{ApiError, TournamentPlan};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
