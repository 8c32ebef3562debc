//! Networks in lc0's format (`.pb.gz`): reading the file, input planes, policy and outcome of one look, without search.
//!
//! What is read: classical input of 112 planes, a residual tower with or without squeeze-and-excitation, ReLU, a convolutional policy,
//! and a value head of win, draw and loss or of one value. Maia-1 is such a network. The format is that of lc0's `net.proto`.
//!
//! | module | purpose |
//! |---|---|
//! | `protobuf` | fields of a protobuf message |
//! | `file` | a network file: what it must hold, layers with batch norm folded in |
//! | `planes` | a game as 112 planes |
//! | `moves` | where a move stands in the policy |
//! | `layers` | dense and 1 x 1 layers |
//! | `network` | the layers together, one look |

mod file;
mod layers;
mod moves;
mod network;
mod planes;
mod protobuf;
#[cfg(test)]
mod tests;

pub use file::FormatError;
pub use network::Network;
