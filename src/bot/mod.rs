//! The daemon: which games run, and who plays them how.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod acquaintances;
mod actor;
mod adapt;
mod arenas;
pub mod boards;
pub mod chat;
mod contest;
mod courtship;
mod daemon;
pub mod decide;
mod desk;
mod doorstep;
mod duel;
mod ears;
mod endings;
mod errands;
pub mod facts;
mod favours;
pub mod game;
mod insist;
mod intake;
mod lag;
mod limits;
mod listing;
mod login;
pub mod meters;
pub mod mind;
pub mod pulse;
mod reception;
mod registry;
mod rematches;
mod rivals;
pub mod rules;
mod seats;
mod setbacks;
mod suitor;
pub mod thinker;
mod today;
mod undecided;

pub use daemon::{Claim, Daemon, Held, Options, Past, Signals, Status};
pub use limits::VS_BOTS;
pub use login::Exit;
pub use today::BOT_GAMES;
