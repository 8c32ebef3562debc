//! The testkit: runs the real bot against the sandbox, under injected faults or load.
//! No part of the product.

#[cfg(unix)]
pub mod common_archive;
mod harness;
pub mod load_test;
#[cfg(unix)]
pub mod push_kills;
pub mod rogue_engine;
#[cfg(unix)]
pub mod scale_demo;
pub mod soak;

/// What words say to a command's arguments, the first of them being its name.
#[cfg(test)]
fn parsed<A: clap::Args>(
    words: impl IntoIterator<Item = impl Into<std::ffi::OsString> + Clone>,
) -> Result<A, clap::Error> {
    let command = A::augment_args(clap::Command::new("sparring-testkit"));
    A::from_arg_matches(&command.try_get_matches_from(words)?)
}
