//! What a short search costs beside its nodes: weak levels search a few hundred nodes a move, in many games at once.
#![expect(unsafe_code, reason = "an allocator that counts has no safe form")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    sync::Arc,
};

use sparring_chess::{
    GameHistory, Variant,
    units::{Centipawns, Nodes, Stopwatch},
};
use sparring_engine::{
    Engine, EngineOverrides, Handicap, Limits, Params, SearchControl, SearchRequest, SearchResult, Stop,
    WeightOverrides,
};

/// The system's allocator, counting what each thread asks for.
struct Counting;

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes on to the system's allocator unchanged; the counter is a plain number of this thread.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.with(|asked| asked.set(asked.get() + 1));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Searches of a few positions by nodes, as `plain` makes them of theirs.
fn searches(made: impl Fn(SearchRequest) -> SearchRequest) -> Vec<SearchRequest> {
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let search = |fen, nodes| {
        let limits = Limits {
            nodes: Some(Nodes(nodes)),
            ..Limits::default()
        };
        made(SearchRequest::new(
            GameHistory::replay(Variant::Standard, fen, "").unwrap(),
            limits,
        ))
    };
    ["startpos", kiwipete, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"]
        .into_iter()
        .flat_map(|fen| [100, 1000, 10_000].map(|nodes| search(fen, nodes)))
        .collect()
}

/// That none of these searches allocates anything, nor does forgetting what they found.
fn assert_no_allocations(searches: &[SearchRequest]) {
    let mut engine = Engine::new(1);
    let mut report = SearchResult::default();
    let (stop, clock) = (Stop::new(), Stopwatch::start());
    let around = SearchControl {
        stop: &stop,
        clock: &clock,
    };
    // Once in the life of the program: the report makes room for its line, endings that are known by heart are worked out,
    // and the numbers of a player are reckoned with.
    let ending = GameHistory::replay(Variant::Standard, "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "").unwrap();
    let first = SearchRequest {
        line: ending,
        ..searches[0].clone()
    };
    let before = ASKED.with(Cell::get);
    engine.search_into(&first, &around, &mut |_| {}, &mut report);
    assert!(ASKED.with(Cell::get) > before, "nothing is counted");
    for clears in [false, true] {
        for search in searches {
            let before = ASKED.with(Cell::get);
            if clears {
                engine.clear();
            }
            engine.search_into(search, &around, &mut |_| {}, &mut report);
            let asked = ASKED.with(Cell::get) - before;
            assert_eq!(asked, 0, "allocations with {:?}", search.limits.nodes);
            assert!(report.best().is_some());
        }
    }
}

#[test]
fn a_search_by_nodes_allocates_nothing() {
    assert_no_allocations(&searches(|plain| plain));
}

#[test]
fn neither_does_one_by_a_player_with_numbers_of_its_own_who_errs() {
    let setup = Arc::new(EngineOverrides::new(
        Params::default(),
        WeightOverrides::default(),
    ));
    assert_no_allocations(&searches(|plain| SearchRequest {
        handicap: Handicap {
            noise: Centipawns(50),
            blindness: 0.2,
            seed: 7,
        },
        overrides: Some(setup.clone()),
        ..plain
    }));
}
