//! The signature of the engine: a change that means to keep play as it is keeps these numbers, in every build.

use sparring_chess::units::{Depth, Nodes, Stopwatch};
use sparring_engine::{Engine, bench};

/// The one place where the numbers stand, for other builds too.
const PINNED: &str = include_str!("signature.txt");

/// Deeper ones would take minutes without optimisation; `make signature` counts them.
const SHALLOW: Depth = Depth(6);

/// Depths and nodes as pinned.
fn pinned() -> Vec<(Depth, Nodes)> {
    let rows = PINNED.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let (depth, nodes) = row.split_once(' ').unwrap();
        (Depth(depth.parse().unwrap()), Nodes(nodes.parse().unwrap()))
    })
    .collect()
}

#[test]
fn the_signature_is_that_of_this_version_in_every_build() {
    let mut engine = Engine::new(16);
    let shallow = pinned().into_iter().filter(|(depth, _)| *depth <= SHALLOW);
    let shallow: Vec<_> = shallow.collect();
    assert!(!shallow.is_empty());
    for (depth, nodes) in shallow {
        let found = bench::run(&mut engine, depth, &Stopwatch::start()).nodes;
        assert_eq!(found, nodes, "depth {}", depth.0);
    }
}

#[test]
fn the_whole_signature_is_pinned_for_builds_that_are_quick_enough_to_count_it() {
    assert_eq!(pinned().last().map(|(depth, _)| *depth), Some(bench::DEPTH));
}
