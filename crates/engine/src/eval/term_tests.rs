//! What every row of weights counts: small positions in which the result can be read off the board.
//!
//! The other tests of the evaluation hold for any terms; these fix the meaning of each line of `weights.rs`.

use super::{
    accumulator::{Coefficients, EvalAccumulator as _},
    classical::Terms,
    pawns,
    weights::ROWS,
};
use crate::node::Node;
use sparring_chess::{Color, Variant, parse_fen};

/// Positions, and for rows of weights how often they count there: `row white black`, or `row[place] white black`.
#[rustfmt::skip]
const COUNTED: &[(&str, &str)] = &[
    // Material and squares.
    ("rnbqk3/pp6/8/8/8/8/PPP5/4K2R w - - 0 1", "material[0] 3 2, material[1] 0 1, material[2] 0 1, material[3] 1 1, material[4] 0 1, \
        bishop_pair 0 0, knight_by_pawns[2] 0 1, knight_by_pawns[3] 0 0, rook_by_pawns[3] 1 0, rook_by_pawns[2] 0 1, the_move 1 0"),
    ("2b1kb2/p7/8/8/8/8/P7/2B1K3 b - - 0 1", "bishop_pair 0 1, the_move 0 1"),
    ("4k3/p7/8/8/3PP3/8/8/4K3 w - - 0 1", "pawn_squares[15] 2 0, pawn_squares[4] 0 1, pawn_beside_kings[79] 1 0, king_squares[3] 1 1, \
        king_beside_king[3] 1 1"),
    ("6k1/5p1p/8/8/6N1/8/8/K2Q4 w - - 0 1", "knight_squares[13] 1 0, knight_beside_kings[13] 1 0, queen_squares[3] 1 0, \
        queen_beside_kings[35] 1 0, king_squares[0] 1 0, king_squares[1] 0 1, king_beside_king[0] 0 0"),
    ("6k1/5ppp/8/7Q/8/3B4/8/K7 w - - 0 1", "bishop_squares[11] 1 0, bishop_beside_kings[43] 1 0"),
    ("4k3/7p/8/8/8/8/P7/4K2R w - - 0 1", "rook_squares[0] 1 0, rook_beside_kings[64] 1 0"),
    // Pawns.
    ("4k3/p7/8/8/8/P7/P7/4K3 w - - 0 1", "doubled 1 0, isolated 2 1, isolated_open 0 0"),
    ("4k3/7p/8/8/8/8/P7/4K3 w - - 0 1", "doubled 0 0, isolated 1 1, isolated_open 1 1, passed[1] 1 1"),
    ("4k3/8/8/4p3/2P1P3/3P4/8/4K3 w - - 0 1", "backward 1 0, backward_open 1 0, protected[3] 2 0, phalanx[3] 0 0, isolated 0 1"),
    ("4k3/8/3p4/4p3/2P1P3/3P4/8/4K3 w - - 0 1", "backward 1 1, backward_open 0 0, protected[3] 2 1, isolated 0 0"),
    ("4k3/p7/8/8/3PP3/8/8/4K3 w - - 0 1", "phalanx[3] 2 0, protected[3] 0 0, backward 0 0"),
    ("4k3/8/2p5/8/3PP3/8/8/4K3 w - - 0 1", "candidate[3] 1 0, candidate[2] 0 0, passed[3] 1 0"),
    ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "lever[3] 1 1, lever[4] 0 0"),
    ("4k3/8/8/3p1p2/4P3/8/8/4K3 w - - 0 1", "lever[3] 1 2"),
    ("4k3/8/4p3/4P3/8/8/8/4K3 w - - 0 1", "lever[4] 0 0, lever[2] 0 0"),
    // Mobility: squares guarded by pawns, the own king and pawns that cannot move do not count.
    ("4k3/7p/8/8/8/8/P7/1N2K3 w - - 0 1", "knight_mobility[3] 1 0, far_from_king 3 0"),
    ("4k3/7p/8/8/8/8/P7/B3K3 w - - 0 1", "bishop_mobility[7] 1 0, long_diagonal 1 0, bad_bishop 0 0, bishop_squares[0] 1 0"),
    ("4k3/7p/8/8/8/8/P7/4K2R w - - 0 1", "rook_mobility[8] 1 0, rook_half_open 1 0, rook_open 0 0"),
    ("4k3/7p/8/8/8/8/P7/3QK3 w - - 0 1", "queen_mobility[17] 1 0"),
    ("4k3/7p/8/8/8/8/R6P/R3K3 w - - 0 1", "rook_mobility[10] 1 0, rook_mobility[13] 1 0, rook_open 2 0, rook_half_open 0 0"),
    ("4k3/8/2p5/8/8/2N5/8/4K3 w - - 0 1", "knight_mobility[6] 1 0"),
    // Pieces.
    ("4k3/p7/8/3N4/4P3/8/8/4K3 w - - 0 1", "outpost_knight 1 0, outpost_reach 0 0, outpost_bishop 0 0"),
    ("4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1", "outpost_knight 0 0, outpost_reach 0 0"),
    ("4k3/p7/8/3B4/4P3/8/8/4K3 w - - 0 1", "outpost_bishop 1 0, outpost_knight 0 0"),
    ("4k3/p7/8/8/1N2P3/8/8/4K3 w - - 0 1", "outpost_reach 1 0, outpost_knight 0 0"),
    ("4k3/p7/8/8/3P4/3N4/8/4K3 w - - 0 1", "shielded 1 0"),
    ("4k3/8/8/3p4/3P4/4P3/8/2B1K3 w - - 0 1", "bad_bishop 2 0, bishop_tied 0 0"),
    ("4k3/6p1/8/4p3/8/8/PB6/4K3 w - - 0 1", "long_diagonal 1 0, bishop_tied 2 0"),
    ("4k3/B7/1p6/8/8/8/8/4K3 w - - 0 1", "trapped_bishop 1 0"),
    ("4k3/8/8/8/8/6P1/7b/4K3 w - - 0 1", "trapped_bishop 0 1"),
    ("4k3/B7/2p5/8/8/8/8/4K3 w - - 0 1", "trapped_bishop 0 0"),
    ("1B2k3/2p5/1p6/8/8/8/8/4K3 w - - 0 1", "trapped_bishop 1 0"),
    ("4k1B1/5p1p/8/8/8/8/8/4K3 w - - 0 1", "trapped_bishop 1 0"),
    ("1B2k3/2p5/8/8/8/8/8/4K3 w - - 0 1", "trapped_bishop 0 0"),
    ("1B2k3/p7/1p6/8/8/8/8/4K3 w - - 0 1", "trapped_bishop 0 0"),
    ("4k3/8/8/8/8/1P6/2P5/1b2K3 w - - 0 1", "trapped_bishop 0 1"),
    ("4k3/R5p1/8/8/8/8/6P1/4K3 w - - 0 1", "rook_seventh 1 0, rook_open 1 0"),
    ("8/R7/4k1p1/8/8/8/6P1/4K3 w - - 0 1", "rook_seventh 0 0"),
    ("4k3/7p/8/8/8/8/5PPP/5K1R w - - 0 1", "trapped_rook 1 0"),
    ("4k3/7p/8/8/8/8/5PPP/5RK1 w - - 0 1", "trapped_rook 0 0"),
    ("3qk3/p7/8/8/8/8/P7/3RK3 w - - 0 1", "rook_on_queen 1 0"),
    ("4k3/Q6p/8/8/8/8/7P/4K3 w - - 0 1", "queen_seventh 1 0"),
    ("4k3/4r2p/8/8/8/8/4N3/4K3 w - - 0 1", "pinned[0] 1 0, pinned[2] 0 0, knight_mobility[0] 1 0"),
    // The king: pawns before it, and what gathers around it.
    ("4k3/8/8/8/8/6pP/5PP1/6K1 w - - 0 1", "shelter[1] 2 0, shelter[2] 1 0, shelter[0] 0 3, storm[0] 2 2, storm[6] 0 1, \
        storm_blocked[2] 1 0, king_open 0 2, king_half_open 0 1, pawnless_wing 0 0"),
    ("4k3/p7/8/8/8/8/P7/4K3 w - - 0 1", "pawnless_wing 1 1"),
    ("6k1/5ppp/8/7Q/8/8/8/K7 w - - 0 1", "attacker[3] 0 1, ring_attack 0 2, weak_square 0 2, calm 0 1, unsafe_check 0 1, \
        safe_check[3] 0 0, wing_attack 0 9, wing_defence 0 9, knight_guard 0 0, no_queen 0 0, shelter[1] 0 3, \
        danger_shelter[1] 0 3, danger_storm[0] 0 3"),
    ("6k1/5ppp/8/7Q/8/3B4/8/K7 w - - 0 1", "attacker[3] 0 2, attacker[1] 0 2, ring_attack 0 3, weak_square 0 2, safe_check[3] 0 1, \
        safe_check[1] 0 1, safe_checks[3] 0 0, unsafe_check 0 0, wing_attack 0 13"),
    ("6k1/5p1p/8/8/6N1/8/8/K2Q4 w - - 0 1", "attacker[0] 0 1, safe_check[0] 0 1, safe_checks[0] 0 1, safe_check[3] 0 1, \
        safe_checks[3] 0 0, danger_open 0 1, danger_half_open 0 0"),
    ("6k1/5ppp/5n2/7Q/8/8/8/K7 w - - 0 1", "knight_guard 0 1"),
    ("Q4rk1/5ppp/8/8/8/8/8/K7 w - - 0 1", "pinned_defender 0 1, pinned[2] 0 1"),
    ("6k1/5ppp/8/6N1/8/3B4/8/K7 w - - 0 1", "no_queen 0 1, attacker[0] 0 2, attacker[1] 0 2"),
    ("6k1/5ppp/8/6N1/8/8/8/K7 w - - 0 1", "no_queen 0 0, attacker[0] 0 0, calm 0 0, danger_shelter[1] 0 0"),
    ("6k1/5p1p/8/7Q/8/8/6P1/K7 w - - 0 1", "danger_half_open 0 1, king_half_open 0 1, king_open 3 0, danger_storm[6] 0 1"),
    ("6k1/5ppp/6P1/7Q/8/8/8/K7 w - - 0 1", "danger_storm_blocked[2] 0 1, storm_blocked[2] 0 1"),
    // Passed pawns.
    ("k7/7p/8/4P3/8/8/8/4K3 w - - 0 1", "passed[4] 1 0, passed[1] 0 1, passed_file[3] 1 0, passed_file[0] 0 1, passed_free[4] 1 0, \
        passed_safe[4] 1 0, passed_safe_step[4] 0 0, passed_our_king[4] 5 0, passed_their_king[4] 4 0, passed_our_king[1] 0 5, \
        unstoppable[4] 1 0, passed_supported[4] 0 0"),
    ("k7/7p/8/4P3/8/8/8/4K3 b - - 0 1", "unstoppable[4] 0 0"),
    ("3k4/7p/8/4P3/8/8/8/4K3 w - - 0 1", "passed_free[4] 1 0, passed_safe[4] 0 0, passed_safe_step[4] 1 0"),
    ("8/3k3p/4n3/4P3/8/8/8/4K3 w - - 0 1", "passed_blocked[4] 1 0, passed_free[4] 0 0, passed_safe_step[4] 0 0"),
    ("k7/7p/8/4PK2/8/8/8/8 w - - 0 1", "passed_supported[4] 1 0, passed_our_king[4] 1 0"),
    ("k7/7p/8/4P3/8/8/8/K3R3 w - - 0 1", "rook_behind_passed 1 0, rook_hunts_passed 0 0"),
    ("k7/7p/8/4P3/8/8/K7/4r3 w - - 0 1", "rook_behind_passed 0 0, rook_hunts_passed 1 0"),
    ("k7/7p/8/4P3/8/4n3/K7/4r3 w - - 0 1", "rook_hunts_passed 0 0"),
    // Threats and space.
    ("4k3/7p/8/4n3/3P4/8/8/4K3 w - - 0 1", "threat_by_pawn 1 0, threat_by_push 0 0"),
    ("4k3/7p/8/4n3/8/3P4/8/4K3 w - - 0 1", "threat_by_pawn 0 0, threat_by_push 1 0"),
    ("4k3/8/8/3p4/8/2N5/8/4K3 w - - 0 1", "threat_by_minor[0] 1 0, hanging 1 0"),
    ("4k3/2p5/3r4/8/4N3/8/8/4K3 w - - 0 1", "threat_by_minor[3] 1 0, hanging 0 0"),
    ("4k3/7p/8/3n4/8/8/8/3RK3 w - - 0 1", "threat_by_rook[1] 1 0, hanging 1 0"),
    ("4k3/3n3p/8/1B6/8/8/8/3RK3 w - - 0 1", "threat_by_minor[1] 1 0, threat_by_rook[1] 1 0, hanging 1 0"),
    ("4k3/3n3p/8/8/8/8/8/3RK3 w - - 0 1", "threat_by_rook[1] 1 0, hanging 0 0"),
    ("4k3/7p/8/8/8/8/3n4/4K3 w - - 0 1", "threat_by_king 1 0, hanging 1 0"),
    ("4k3/7p/8/8/8/8/r7/4K3 w - - 0 1", "restricted 3 3"),
    ("3qk3/7p/8/8/3N4/8/8/4K3 w - - 0 1", "knight_nears_queen 2 0, slider_nears_queen 0 0"),
    ("3qk3/7p/8/8/8/2K5/8/3R4 w - - 0 1", "slider_nears_queen 3 0"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "space 7 7"),
    ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "space 9 5, the_move 0 1"),
];

/// How often the weight at a place of a row counts for a side, in centipawns or as danger to its king.
fn count(terms: &Terms<Coefficients>, us: Color, place: usize) -> i16 {
    let mut all = Coefficients::empty(());
    for sums in &terms.by_term {
        let sum = sums.get(us);
        all.add_all(sum, 1);
        sum.dangers.iter().for_each(|(danger, _)| all.add_all(danger, 1));
    }
    let found = all.counts.iter().find(|(at, _)| usize::from(*at) == place);
    found.map_or(0, |(_, count)| *count)
}

/// `row[place] white black`, the place left out where it is the first.
fn expectation(text: &str) -> (&str, usize, [i16; 2]) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (row, index) = match words[0].split_once('[') {
        Some((row, index)) => (row, index.trim_end_matches(']').parse().unwrap()),
        None => (words[0], 0),
    };
    (row, index, [1, 2].map(|word| words[word].parse().unwrap()))
}

#[test]
fn every_row_of_weights_counts_what_its_doc_describes() {
    let mut unseen: Vec<&str> = ROWS.iter().map(|row| row.key).collect();
    for (fen, expected) in COUNTED {
        let node = Node::new(
            &parse_fen(Variant::Standard, fen).unwrap(),
            Variant::Standard.traits(),
        );
        let structure = pawns::evaluate_pawns::<Coefficients>(node.board(), ());
        let terms = Terms::of(&node, &structure, ());
        for text in expected.split(',') {
            let (key, index, expected) = expectation(text);
            let row = ROWS.iter().find(|row| row.key == key);
            let row = row.unwrap_or_else(|| panic!("there is no row {key}"));
            assert!(index < row.length, "{text}");
            let counted = Color::ALL.map(|us| count(&terms, us, row.first + index));
            assert_eq!(counted, expected, "white and black: {text} in {fen}");
            if counted != [0, 0] {
                unseen.retain(|unseen| *unseen != key);
            }
        }
    }
    assert!(unseen.is_empty(), "never counted: {unseen:?}");
}
