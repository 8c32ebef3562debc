//! `sparring play`: sandbox, daemon and a person, in one process.

pub mod console;
pub mod drawing;
