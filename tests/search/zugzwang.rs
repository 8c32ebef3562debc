//! Zugzwang: whoever has to move would rather pass, and a search that lets him pass does not see it.

use super::*;

#[test]
fn zugzwang_among_kings_pawns_and_a_minor_piece_is_seen() {
    // What theory says, and what searches without null moves find within these nodes as well.
    for (fen, within, best, least) in [
        // Lasker and Reichhelm: each square of one king has one that the other must reach.
        ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", 78_000, "a1b1", 150),
        // Stamma: Black's own pawn has to take the last square from its king.
        ("8/8/8/8/4N3/p7/2K5/k7 w - - 0 1", 4000, "e4c5", 90_000),
        ("8/8/8/6N1/8/7p/5K2/7k w - - 0 1", 4000, "g5e4", 90_000),
        // Morphy: the bishop and both pawns stand well as long as they stand.
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 20_000, "a1a6", 90_000),
        // The only move lets White's king in behind its pawn.
        ("6k1/8/6PK/7p/7P/8/8/8 w - - 0 1", 12_000, "g6g7", 1000),
        // Black must be given a move first, and then has too few of them.
        ("k7/p1K5/P7/8/5p2/5P2/8/4N3 w - - 0 1", 20_000, "c7d7", 90_000),
        // Fahrni and Alapin: White's king goes round three squares, for which Black's has only two.
        ("8/2k5/p1P5/P1K5/8/8/8/8 w - - 0 1", 6000, "c5d5", 300),
        // The trébuchet: whoever attacks the pawn last wins it.
        ("8/8/6K1/4p3/2k1P3/8/8/8 w - - 0 1", 4000, "g6f6", 350),
        // Rooks go off, and Black's pawns run out of moves.
        ("8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1", 60_000, "e1f1", 0),
    ] {
        let report = standard(fen, nodes(within));
        let found = report.lines[0].score.scaled();
        assert_eq!(uci(report.best()), best, "{fen}");
        assert!(found >= least, "{found} in {fen}");
    }
}
