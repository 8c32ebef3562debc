//! The engine alone, for test rigs.

fn main() {}
