//! The signature of the engine: a change that means to keep play as it is keeps these numbers, in every build.

use sparring::{
    engine::{Engine, bench},
    units::{Depth, Nodes, Stopwatch},
};

/// Nodes over all positions of the bench by depth. A change to the search or the evaluation replaces them.
const SIGNATURES: [(u32, u64); 2] = [(1, 2_329), (6, 86_315)];

#[test]
fn the_signature_is_that_of_this_version_in_every_build() {
    let mut engine = Engine::new(16);
    let found = SIGNATURES.map(|(depth, _)| {
        let Nodes(nodes) = bench::run(&mut engine, Depth(depth), &Stopwatch::start()).nodes;
        (depth, nodes)
    });
    assert_eq!(found, SIGNATURES);
}
