//! Captures and queen promotions of orthodox chess, read from attack tables.
//!
//! shakmaty's own `capture_moves` builds every legal move and filters the list, three to four times the cost; in
//! quiescence, where most nodes are, only captures matter.

use shakmaty::{Bitboard, Board, attacks};

use super::node::Node;
use sparring_chess::{Color, Move, Role, Rules as _, Square};

/// Hands every legal capture and every promotion to a queen to `push`, when the side to move is not in check.
pub(super) fn captures(node: &Node, push: &mut impl FnMut(Move)) {
    let board = node.board();
    let us = node.turn;
    let king = board.king_of(us);
    let pinned = king.map_or(Bitboard::EMPTY, |king| pinned(board, us, king));
    let mut push = |mv: Move, from: Square, to: Square| {
        if !pinned.contains(from) || king.is_some_and(|king| attacks::aligned(from, to, king)) {
            push(mv);
        }
    };
    pawn_captures(board, us, &mut push);
    piece_captures(board, us, &mut push);
    if let Some(king) = king {
        for to in attacks::king_attacks(king) & board.by_color(!us) {
            if is_safe(board, us, king, to) {
                push(normal(board, Role::King, king, to, None), king, to);
            }
        }
    }
    if node.keys.en_passant.is_some() {
        for mv in node.pos.en_passant_moves() {
            // Already known to be legal, pins included: from a square that none can be pinned to.
            push(mv, mv.to(), mv.to());
        }
    }
}

fn piece_captures(board: &Board, us: Color, push: &mut impl FnMut(Move, Square, Square)) {
    let occupied = board.occupied();
    let (ours, theirs) = (board.by_color(us), board.by_color(!us));
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        for from in board.by_role(role) & ours {
            for to in attacks::attacks(from, role.of(us), occupied) & theirs {
                push(normal(board, role, from, to, None), from, to);
            }
        }
    }
}

fn pawn_captures(board: &Board, us: Color, push: &mut impl FnMut(Move, Square, Square)) {
    let pawns = board.pawns() & board.by_color(us);
    let seventh = us.fold_wb(
        Bitboard::from_rank(shakmaty::Rank::Seventh),
        Bitboard::from_rank(shakmaty::Rank::Second),
    );
    for from in pawns {
        for to in attacks::pawn_attacks(us, from) & board.by_color(!us) {
            let promotion = seventh.contains(from).then_some(Role::Queen);
            push(normal(board, Role::Pawn, from, to, promotion), from, to);
        }
    }
    for from in pawns & seventh {
        if let Some(to) = from.offset(us.fold_wb(8, -8))
            && !board.occupied().contains(to)
        {
            push(normal(board, Role::Pawn, from, to, Some(Role::Queen)), from, to);
        }
    }
}

fn normal(board: &Board, role: Role, from: Square, to: Square, promotion: Option<Role>) -> Move {
    Move::Normal {
        role,
        from,
        capture: board.role_at(to),
        to,
        promotion,
    }
}

/// Our pieces that alone block an enemy slider from our king.
pub(super) fn pinned(board: &Board, us: Color, king: Square) -> Bitboard {
    let snipers = board.by_color(!us)
        & ((attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens())
            | (attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens()));
    let mut pinned = Bitboard::EMPTY;
    for sniper in snipers {
        let between = attacks::between(king, sniper) & board.occupied();
        if !between.more_than_one() {
            pinned |= between & board.by_color(us);
        }
    }
    pinned
}

fn is_safe(board: &Board, us: Color, king: Square, to: Square) -> bool {
    board
        .attacks_to(to, !us, board.occupied().without(king))
        .is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use sparring_chess::Variant;

    proptest! {
        #[test]
        fn our_captures_are_the_legal_captures(choices in prop::collection::vec(any::<usize>(), 1..150)) {
            let mut node = Node::new(&Variant::Standard.start(), Variant::Standard.traits());
            for choice in choices {
                let legal = node.pos.legal_moves();
                if legal.is_empty() {
                    break;
                }
                if !node.in_check() {
                    let mut expected: Vec<Move> = legal
                        .iter()
                        .copied()
                        .filter(|mv| {
                            mv.promotion() == Some(Role::Queen) || mv.is_capture() && mv.promotion().is_none()
                        })
                        .collect();
                    let mut found = Vec::new();
                    captures(&node, &mut |mv| found.push(mv));
                    let text = |mv: &Move| mv.to_string();
                    expected.sort_by_key(text);
                    found.sort_by_key(text);
                    prop_assert_eq!(found, expected);
                }
                // Captures are preferred, so that open positions come up.
                let preferred: Vec<Move> = legal.iter().copied().filter(|mv| mv.is_capture()).collect();
                let pool: &[Move] = if preferred.is_empty() || choice % 3 == 0 { &legal } else { &preferred };
                node = node.after(pool[choice % pool.len()]);
            }
        }
    }
}
