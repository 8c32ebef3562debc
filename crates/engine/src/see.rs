//! Static exchange evaluation: what a capture wins when both sides go on capturing on its square.

use shakmaty::{Bitboard, Board, attacks};

use super::node::Node;
use sparring_chess::{Color, Exchanges, Move, Role, Square};

/// The value of a piece in exchanges, in centipawns.
pub(super) const fn piece_value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 320,
        Role::Bishop => 330,
        Role::Rook => 500,
        Role::Queen => 950,
        Role::King => 0,
    }
}

/// What a king is worth that is blown up.
const KING_BLOWN_UP: i32 = 10_000;

/// Whether a move gains at least `threshold` centipawns, in variants where that can be counted; all do elsewhere.
pub(super) fn holds(node: &Node, mv: Move, threshold: i32) -> bool {
    match node.traits.exchanges {
        Exchanges::Recaptures => gains_at_least(node.board(), node.turn, mv, threshold),
        Exchanges::Blast => blast(node.board(), node.turn, mv) >= threshold,
        Exchanges::Uncounted => true,
    }
}

/// The most that a capture or promotion gains, in centipawns, when nothing is taken back. A captured piece that can be
/// dropped counts twice.
pub(super) fn most(node: &Node, mv: Move) -> i32 {
    let taken = mv.capture().map_or(0, piece_value) * if node.traits.drops { 2 } else { 1 };
    match node.traits.exchanges {
        Exchanges::Blast if mv.is_capture() => blast(node.board(), node.turn, mv),
        _ => taken + mv.promotion().map_or(0, piece_value),
    }
}

/// What a move of the side `us` gains by the explosion of its capture, in centipawns: itself, what it takes, and all but
/// pawns on the squares around.
fn blast(board: &Board, us: Color, mv: Move) -> i32 {
    if !mv.is_capture() {
        return 0;
    }
    let value = |role| match role {
        Role::King => KING_BLOWN_UP,
        role => piece_value(role),
    };
    let taken = mv.capture().map_or(0, value) - value(mv.role());
    let from = mv.from().map_or(Bitboard::EMPTY, Bitboard::from);
    let around = attacks::king_attacks(mv.to()) & board.occupied() & !board.pawns() & !from;
    around.into_iter().fold(taken, |sum, square| {
        let worth = board.role_at(square).map_or(0, value);
        let is_ours = board.by_color(us).contains(square);
        if is_ours { sum - worth } else { sum + worth }
    })
}

/// Whether a move of the side `us` gains at least `threshold` centipawns by exchanges on its square.
///
/// Ignores pins. Castling and drops gain nothing.
pub(super) fn gains_at_least(board: &Board, us: Color, mv: Move, threshold: i32) -> bool {
    let (from, to, role) = match mv {
        Move::Normal { from, to, role, .. } => (from, to, role),
        Move::EnPassant { from, to } => (from, to, Role::Pawn),
        Move::Castle { .. } | Move::Put { .. } => return threshold <= 0,
    };
    let (mut balance, standing) = first_step(mv, role);
    balance -= threshold;
    if balance < 0 {
        return false;
    }
    balance -= piece_value(standing);
    if balance >= 0 {
        return true;
    }
    let mut occupied = board.occupied().without(from).with(to);
    if mv.is_en_passant() {
        occupied.discard(Square::from_coords(to.file(), from.rank()));
    }
    exchange(board, to, occupied, !us, balance)
}

/// What the move itself gains, and the piece that then stands on the square.
fn first_step(mv: Move, role: Role) -> (i32, Role) {
    let gain = mv.capture().map_or(0, piece_value);
    match mv.promotion() {
        Some(promoted) => (gain + piece_value(promoted) - piece_value(Role::Pawn), promoted),
        None => (gain, role),
    }
}

/// Lets both sides capture with their least valuable piece in turn. `balance` is the first mover's, below zero, after the
/// loss of the piece on the square; `side` captures next. True when the first mover comes out at zero or better.
fn exchange(board: &Board, to: Square, mut occupied: Bitboard, mut side: Color, mut balance: i32) -> bool {
    let diagonal = board.bishops_and_queens();
    let straight = board.rooks_and_queens();
    let first = !side;
    let mut attackers = attackers(board, to, occupied);
    loop {
        attackers &= occupied;
        let ours = attackers & board.by_color(side);
        if ours.is_empty() {
            break;
        }
        let Some((role, from)) = least(board, ours) else {
            break;
        };
        side = !side;
        balance = -balance - 1 - piece_value(role);
        if balance >= 0 {
            // A king may not capture where the other side can take it.
            if role == Role::King && (attackers & board.by_color(side)).any() {
                side = !side;
            }
            break;
        }
        occupied.discard(from);
        // X-rays: sliders behind the capturing piece join in.
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook_attacks(to, occupied) & straight;
        }
    }
    side != first
}

fn attackers(board: &Board, to: Square, occupied: Bitboard) -> Bitboard {
    board.attacks_to(to, Color::White, occupied) | board.attacks_to(to, Color::Black, occupied)
}

fn least(board: &Board, among: Bitboard) -> Option<(Role, Square)> {
    Role::ALL
        .into_iter()
        .find_map(|role| (among & board.by_role(role)).first().map(|square| (role, square)))
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};

    use super::*;
    use sparring_chess::{Rules as _, Variant, parse_fen, parse_uci};

    /// The exact gain, found by trying every threshold.
    fn gain(fen: &str, text: &str) -> i32 {
        let pos = parse_fen(Variant::Standard, fen).unwrap();
        let mv = parse_uci(&pos, text).unwrap();
        (-1000..=2000)
            .rev()
            .find(|threshold| gains_at_least(pos.board(), pos.turn(), mv, *threshold))
            .unwrap()
    }

    #[test]
    fn exchanges_are_counted_to_the_end() {
        for (fen, text, expected) in [
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
            (
                "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
                "d3e5",
                100 - 320,
            ),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),
            ("4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0),
            ("4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1", "d2d5", 100 - 950),
            // The rook behind the rook takes part.
            ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100 - 500),
            ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100),
            // En passant, and a promotion that is taken back.
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100),
            ("3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q", 500 + 850 - 950),
            ("4k3/8/8/8/8/8/p7/3RK3 w - - 0 1", "d1b1", -500),
            // The king may take what is not defended, and not what is.
            ("8/8/4k3/3p4/3R4/8/8/4K3 w - - 0 1", "d4d5", 100 - 500),
            ("8/8/4k3/3p4/3R4/8/8/3RK3 w - - 0 1", "d4d5", 100),
        ] {
            assert_eq!(gain(fen, text), expected, "{fen} {text}");
        }
    }

    #[test]
    fn an_explosion_counts_all_but_pawns_around_it() {
        for (fen, text, expected) in [
            // Rook for queen and king; the pawns stay.
            (
                "3qk3/3pp3/8/8/8/8/8/3RK3 w - - 0 1",
                "d1d7",
                100 + 950 + 10_000 - 500,
            ),
            // A knight that takes a pawn beside two of its own pieces.
            (
                "4k3/8/8/3p4/2RB4/4N3/8/4K3 w - - 0 1",
                "e3d5",
                100 - 320 - 500 - 330,
            ),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0),
            ("4k3/8/8/3p4/2RB4/4N3/8/4K3 w - - 0 1", "e3f5", 0),
        ] {
            let pos = parse_fen(Variant::Atomic, fen).unwrap();
            let node = Node::new(&pos, Variant::Atomic.traits());
            let mv = parse_uci(&pos, text).unwrap();
            assert!(holds(&node, mv, expected), "{fen} {text}");
            assert!(!holds(&node, mv, expected + 1), "{fen} {text}");
            if mv.is_capture() {
                assert_eq!(most(&node, mv), expected);
            }
        }
    }

    /// The gain of capturing a piece of value `standing` on a square, or of leaving it: with the least valuable piece
    /// first, as long as that pays, found by going through all pieces again before each capture.
    fn swap_off(board: &Board, to: Square, occupied: Bitboard, side: Color, standing: i32) -> i32 {
        let attackers = |side: Color, occupied: Bitboard| {
            let reaches = move |from: &Square| {
                let piece = board.piece_at(*from).unwrap();
                attacks::attacks(*from, piece, occupied).contains(to)
            };
            (board.by_color(side) & occupied).into_iter().filter(reaches)
        };
        let least = attackers(side, occupied).min_by_key(|from| (board.role_at(*from), *from));
        let Some(from) = least else { return 0 };
        let (role, left) = (board.role_at(from).unwrap(), occupied.without(from));
        if role == Role::King && attackers(!side, left).next().is_some() {
            return 0;
        }
        (standing - swap_off(board, to, left, !side, piece_value(role))).max(0)
    }

    /// The gain of a move when both sides exchange on its square.
    fn swapped(board: &Board, us: Color, mv: Move) -> i32 {
        let mut occupied = board.occupied().without(mv.from().unwrap()).with(mv.to());
        if let Move::EnPassant { from, to } = mv {
            occupied.discard(Square::from_coords(to.file(), from.rank()));
        }
        let standing = mv.promotion().unwrap_or(mv.role());
        let won = mv.capture().map_or(0, piece_value) + piece_value(standing) - piece_value(mv.role());
        won - swap_off(board, mv.to(), occupied, !us, piece_value(standing))
    }

    /// Openings, rooks and queens behind each other, pawns about to promote and to capture in passing.
    const STARTS: [&str; 5] = [
        "startpos",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "3qr1k1/1b2rppp/2n2n2/2ppp3/2PPP3/2N2N2/1B2RPPP/3QR1K1 w - - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "4k3/1p1p1p1p/r6r/P1P1P1P1/p1p1p1p1/R6R/1P1P1P1P/4K3 w - - 0 1",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(20_261_124), ..ProptestConfig::with_cases(300) })]

        #[test]
        fn an_exchange_comes_to_what_swapping_off_piece_by_piece_does(
            which in 0..STARTS.len(),
            choices in prop::collection::vec(any::<usize>(), 1..60),
        ) {
            let mut pos = parse_fen(Variant::Standard, STARTS[which]).unwrap();
            for choice in choices {
                let moves = pos.legal_moves();
                if moves.is_empty() {
                    break;
                }
                for mv in moves.iter().filter(|mv| mv.is_capture() || mv.is_promotion()) {
                    let expected = swapped(pos.board(), pos.turn(), *mv);
                    for (threshold, gained) in [(expected, true), (expected + 1, false), (0, expected >= 0)] {
                        prop_assert_eq!(
                            gains_at_least(pos.board(), pos.turn(), *mv, threshold), gained,
                            "{:?} on {} comes to {}", mv, pos.board(), expected
                        );
                    }
                }
                pos.play_unchecked(moves[choice % moves.len()]);
            }
        }
    }
}
