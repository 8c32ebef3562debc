//! lichess' wire: the types both ends share, and the client that speaks them.

pub mod model;
