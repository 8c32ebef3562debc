//! lichess in a box, for playing without lichess.

pub mod pages;
