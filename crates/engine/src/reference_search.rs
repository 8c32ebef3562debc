//! Plain minimax for tests: the score of a search that prunes nothing.
//!
//! Its leaves are the engine's own quiescence search, each with an open window below and an empty table.

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};

use super::{
    Engine, Limits, Score, SearchControl, SearchRequest, SearchResult, Stop,
    handicap::mix,
    node::Node,
    params::Params,
    score::{INFINITE, mated_in},
    thread_data::{Searcher, tests::with_searcher},
};
use sparring_chess::{
    GameHistory, Move, Rules as _, Variant,
    units::{Depth, Stopwatch},
    write_fen,
};

/// Parameters that prune no move and search none more or less deeply than another.
///
/// Quiescence search keeps what no parameter switches off: it makes no move that loses its exchange, in check none behind
/// one that is not mated. Histories decide which one comes first, so they learn nothing here.
fn whole() -> Params {
    Params {
        nmp_depth: 128,
        lmr_depth: 128,
        root_lmr_depth: 128,
        razor_depth: 0,
        rfp_depth: 0,
        probcut_depth: 128,
        iir_depth: 128,
        singular_depth: 128,
        check_extension: 0,
        pv_cutoff: 128,
        lmp_base: 256,
        lmp_not_improving: 100,
        futility_depth: 0,
        history_pruning_depth: 0,
        see_quiet_depth: 0,
        see_noisy_depth: 0,
        see_check_depth: 0,
        correction: 0,
        soft_beta: 0,
        delta_margin: 30_000,
        quiescence_moves: 64,
        quiescence_evasions: 64,
        // The table does not distinguish the first plies of quiescence search, which try checks, from later ones.
        quiescence_checks: 0,
        history_bonus: 0,
        history_max: 0,
        // A window that is missed above is tried again a ply less deep.
        aspiration_reduction: 0,
        ..Params::default()
    }
}

/// Minimax below a node, with the engine's state along the path.
struct Plain<'a>(Searcher<'a>);

impl Plain<'_> {
    /// The score of the best of these moves.
    fn best(&mut self, node: &Node, moves: &[Move], depth: i32, ply: usize) -> i32 {
        moves.iter().fold(-INFINITE, |best, mv| {
            let child = self.0.play(node, ply, *mv);
            let score = -self.score(&child, depth - 1, ply + 1, -best);
            self.0.leave();
            best.max(score)
        })
    }

    /// The score of a node. Of a leaf at least `enough` no more is searched: that alone makes minimax bearable.
    fn score(&mut self, node: &Node, depth: i32, ply: usize, enough: i32) -> i32 {
        if depth == 0 {
            self.0.salt = mix(self.0.salt);
            return self.0.quiescence(node, -INFINITE, enough, ply, 0);
        }
        if let Some(drawn) = self.0.terminal_score(node, ply) {
            return drawn;
        }
        let moves = node.pos.legal_moves();
        if moves.is_empty() {
            return if node.pos.is_check() { mated_in(ply) } else { 0 };
        }
        self.best(node, &moves, depth, ply)
    }
}

/// The minimax score of the best of these moves at the end of a game.
fn minimax(line: &GameHistory, moves: &[Move], depth: u32) -> Score {
    let depth = i32::try_from(depth).unwrap();
    let best = |searcher: Searcher<'_>, node: &Node| Plain(searcher).best(node, moves, depth, 0);
    Score::from_value(with_searcher(line, &whole(), best))
}

fn search(line: &GameHistory, params: Params, depth: u32) -> SearchResult {
    let mut engine = Engine::new(1);
    engine.set_params(params);
    let limits = Limits {
        depth: Some(Depth(depth)),
        ..Limits::default()
    };
    let (stop, clock) = (Stop::new(), Stopwatch::start());
    let control = SearchControl {
        stop: &stop,
        clock: &clock,
    };
    engine.search(&SearchRequest::new(line.clone(), limits), &control, &mut |_| ())
}

/// Games by chance that are not over, and how deeply to search their ends: openings, middlegames and what random play makes of
/// them, endings, pawns about to promote, and what is blocked or has no pawns.
///
/// Only of those do moves lead to the same position in another order within three plies without another count of half moves,
/// which the evaluation looks at and the table does not. Any deeper, pieces get to a square in one move or in two, and the
/// table knows leaves from nodes two plies before them.
fn games(count: u64) -> impl Iterator<Item = (GameHistory, u32)> {
    const STARTS: [(&str, usize, u32); 9] = [
        ("startpos", 12, 2),
        ("startpos", 40, 2),
        ("startpos", 120, 2),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 12, 2),
        ("8/5pk1/6p1/3n4/8/1B4P1/5PK1/8 w - - 0 1", 12, 2),
        ("8/P5k1/8/8/8/2q5/6p1/1R4K1 w - - 0 1", 6, 2),
        ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", 12, 3),
        ("8/1k2b3/1p1p1p1p/1P1P1P1P/8/3B4/4K3/8 w - - 0 1", 6, 3),
        ("7k/8/5K2/8/8/8/8/R7 w - - 0 1", 6, 3),
    ];
    let game = |seed: u64| {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        let (fen, plies, depth) = STARTS[usize::try_from(seed).unwrap() % STARTS.len()];
        let mut line = GameHistory::replay(Variant::Standard, fen, "").unwrap();
        for _ in 0..chance.random_range(0..plies) {
            let moves = line.position().legal_moves();
            if moves.is_empty() {
                break;
            }
            line.play(moves[chance.random_range(0..moves.len())]);
        }
        (line, depth)
    };
    (0..count)
        .map(game)
        .filter(|(line, _)| !line.position().legal_moves().is_empty())
}

#[test]
fn a_search_without_pruning_scores_as_minimax_does() {
    for (line, depth) in games(90) {
        let found = search(&line, whole(), depth);
        let moves = line.position().legal_moves();
        let expected: Vec<Score> = (1..=depth).map(|depth| minimax(&line, &moves, depth)).collect();
        let fen = write_fen(line.position());
        assert_eq!(found.scores_by_depth, expected, "{fen}");
        let best = found.best().unwrap();
        assert_eq!(
            minimax(&line, &[best], depth),
            expected[expected.len() - 1],
            "{best} in {fen}"
        );
    }
}

#[test]
fn windows_that_are_missed_end_in_the_score_of_an_open_one() {
    let open = Params {
        aspiration: 30_000,
        ..whole()
    };
    // Half a centipawn wide to either side, and hardly wider with each miss.
    let narrow = Params {
        aspiration: 1,
        aspiration_depth: 1,
        aspiration_growth: 10,
        ..whole()
    };
    for (line, depth) in games(63) {
        let [open, narrow] = [&open, &narrow].map(|params| search(&line, params.clone(), depth));
        assert_eq!(
            narrow.scores_by_depth,
            open.scores_by_depth,
            "{}",
            write_fen(line.position())
        );
    }
}
