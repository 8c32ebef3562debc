//! The engine from outside: it finds mates, keeps its limits, repeats itself exactly, and always has a move.

mod draws;
mod endings;
mod limits;
mod mates;
mod moves;
#[path = "../shared/mod.rs"]
mod shared;
mod tables;
mod threads;
mod variants;
mod weakness;
mod zugzwang;

use sparring_chess::{
    GameHistory, Move, Rules as _, Variant, parse_uci,
    units::{Centipawns, Depth, Millis, Nodes, Stopwatch, TimeSource},
    write_uci,
};
use sparring_engine::{Engine, Handicap, Limits, Score, SearchControl, SearchRequest, SearchResult, Stop};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn line(variant: Variant, fen: &str, moves: &str) -> GameHistory {
    GameHistory::replay(variant, fen, moves).unwrap()
}

fn depth(depth: u32) -> Limits {
    Limits {
        depth: Some(Depth(depth)),
        ..Limits::default()
    }
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(Nodes(nodes)),
        ..Limits::default()
    }
}

fn search_with(engine: &mut Engine, search: &SearchRequest) -> SearchResult {
    let (stop, clock) = (Stop::new(), Stopwatch::start());
    let around = SearchControl {
        stop: &stop,
        clock: &clock,
    };
    engine.search(search, &around, &mut |_| ())
}

fn search(search: &SearchRequest) -> SearchResult {
    search_with(&mut Engine::new(4), search)
}

fn standard(fen: &str, limits: Limits) -> SearchResult {
    search(&SearchRequest::new(line(Variant::Standard, fen, ""), limits))
}

fn uci(mv: Option<Move>) -> String {
    mv.map_or_else(String::new, |mv| write_uci(mv, Variant::Standard))
}
