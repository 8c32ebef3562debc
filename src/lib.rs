//! The daemon and its commands: what the program `sparring` is made of. The libraries lie in `crates`.
//!
//! | module | purpose |
//! |---|---|
//! | [`cli`] | the commands; exit codes, standard input and output |
//! | [`bot`] | the daemon: event loop, challenges, matchmaking, one task a game, engine pool |
//! | [`config`] | bot.toml: typed settings and rules for challenges |
//! | [`user_lists`] | blocklists and allowlists from files and addresses |
//! | [`store`] | the archive: games, moves and what is known of opponents, in SQLite |
//! | [`web`] | dashboard, editor, health and metrics over HTTP |
//! | `platform` | what differs between operating systems |
//! | [`reload`] | hot reload of bot.toml, books and personalities |
//! | `secret_file` | token and password files, and systemd credentials |
//! | `statistics` | scores, their errors and performance ratings of games |
//! | `describe` | settings and personalities as rows of name, value and meaning |

pub mod bot;
pub mod cli;
pub mod config;
pub(crate) mod describe;
pub(crate) mod platform;
pub mod reload;
pub(crate) mod secret_file;
pub(crate) mod statistics;
pub mod store;
pub mod user_lists;
pub mod web;
