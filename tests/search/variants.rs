//! Other goals than mate: each is seen one move away.

use super::*;

/// Positions with a move that wins at once.
const WON: [(Variant, &str, &[&str]); 8] = [
    (
        Variant::KingOfTheHill,
        "4k3/8/8/8/8/3K4/8/7r w - - 0 1",
        &["d3d4", "d3e4"],
    ),
    (
        Variant::ThreeCheck,
        "4k3/8/8/8/8/8/8/R3K3 w - - 1+3 0 1",
        &["a1a8"],
    ),
    // Black has to take the last pawn.
    (Variant::Antichess, "8/8/3p4/8/4P3/8/8/8 w - - 0 1", &["e4e5"]),
    // What is next to the pawn goes with it.
    (Variant::Atomic, "4k3/3p4/8/8/8/8/8/3RK3 w - - 0 1", &["d1d7"]),
    (Variant::Horde, "8/8/8/8/8/2k5/3P4/8 b - - 0 1", &["c3d2"]),
    (
        Variant::RacingKings,
        "8/4K3/8/8/8/8/k7/8 w - - 0 1",
        &["e7d8", "e7e8", "e7f8"],
    ),
    (
        Variant::Crazyhouse,
        "7k/6pp/8/8/8/8/8/K7[R] w - - 0 1",
        &["R@a8", "R@b8", "R@c8", "R@d8", "R@e8"],
    ),
    (Variant::Crazyhouse, "7k/6pp/8/8/8/8/8/KR6[] w - - 0 1", &["b1b8"]),
];

#[test]
fn a_win_by_the_variant_s_rule_is_seen_a_move_ahead() {
    for (variant, fen, moves) in WON {
        for plies in [1, 5] {
            let search = SearchRequest::new(line(variant, fen, ""), depth(plies));
            let found = super::search(&search);
            let best = write_uci(found.best().unwrap(), variant);
            assert!(moves.contains(&best.as_str()), "{variant}: {best}");
            assert_eq!(found.lines[0].score, Score::Mate(1), "{variant}");
        }
    }
}
