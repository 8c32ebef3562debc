//! UCI client: starts an engine as a child process, sets its options and asks it for moves, with a timeout for every answer.

mod go_limits;
mod go_result;
mod process;
mod uci_option;

pub use go_limits::{Clocks, GoLimits};
pub use go_result::{GoResult, PrintedLine};
pub use process::{EngineSpec, Patience, STOP_TIMEOUT, UciError, UciProcess};
pub use uci_option::UciOption;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
