//! Sparring: a lichess bot that people enjoy playing.
//!
//! The house has floors, and each imports only from the floors below (`tests/architecture.rs` checks it):
//!
//! | floor | rooms | may touch |
//! |---|---|---|
//! | roof | `main`, [`cli`] | everything; exit codes, stdin and stdout |
//! | 4 | [`bot`], [`sandbox`] | tokio, network; they meet only at [`lichess::model`] and over HTTP |
//! | 3 | [`config`], [`lists`], [`store`], [`watch`], [`uci`], [`lichess`] client | one kind of input and output each |
//! | 3 | [`http_server`] | what every server here stands on: limits of connections, and who may ask |
//! | 3 | [`arena`], [`tuning`] | engines against engines; games in, better weights out |
//! | 2 | [`personality`] | nothing outside |
//! | 1 | [`engine`], [`book`], [`lichess::model`] | nothing outside: values in, values out |
//! | ground | [`units`], [`diagnostic`], [`settings`], [`chess`], [`atomic_file`], [`files`], [`lines`] | shakmaty, toml; files |

#[cfg(feature = "daemon")]
pub mod atomic_file;
pub mod book;
#[cfg(feature = "daemon")]
pub mod bot;
pub mod chess;
#[cfg(feature = "daemon")]
pub mod cli;
#[cfg(feature = "daemon")]
pub mod config;
pub mod diagnostics;
pub mod engine;
pub mod files;
#[cfg(feature = "daemon")]
pub mod http_server;
#[cfg(feature = "daemon")]
pub mod lichess;
pub mod lines;
#[cfg(feature = "daemon")]
pub mod match_runner;
#[cfg(feature = "daemon")]
pub mod personality;
#[cfg(feature = "daemon")]
pub mod reload;
#[cfg(feature = "daemon")]
pub mod sandbox;
#[cfg(feature = "daemon")]
pub mod schema;
#[cfg(feature = "daemon")]
pub mod store;
pub mod tuning;
pub mod uci;
pub mod units;
#[cfg(feature = "daemon")]
pub mod user_lists;
