//! The move that SAN names in orthodox chess, found from the square it goes to.
//!
//! shakmaty hands a list of candidates about by value, which costs more than all the rest of reading a move. Books and
//! collections of games have millions of moves, nearly all of them of the plain kinds that are settled here.

use shakmaty::{Bitboard, Board, Chess, attacks, san::San};

use super::{Color, Move, Rank, Role, Rules as _, Square};

/// The one legal move that fits, if it is neither castling, nor a promotion, nor en passant; shakmaty handles the rest.
pub(super) fn named(pos: &Chess, san: &San) -> Option<Move> {
    let San::Normal {
        role,
        file,
        rank,
        capture,
        to,
        promotion: None,
    } = *san
    else {
        return None;
    };
    let (board, us) = (pos.board(), pos.turn());
    let taken = board.piece_at(to);
    if taken.is_some() != capture || taken.is_some_and(|piece| piece.color == us) {
        return None;
    }
    let mut from = origins(board, us, role, to, capture) & board.by_color(us) & board.by_role(role);
    if let Some(file) = file {
        from &= Bitboard::from_file(file);
    }
    if let Some(rank) = rank {
        from &= Bitboard::from_rank(rank);
    }
    let mut legal = from
        .into_iter()
        .filter(|from| leaves_king_safe(board, us, role, *from, to));
    let (Some(from), None) = (legal.next(), legal.next()) else {
        return None;
    };
    Some(Move::Normal {
        role,
        from,
        capture: taken.map(|piece| piece.role),
        to,
        promotion: None,
    })
}

/// The squares from which such a piece could go to a square.
fn origins(board: &Board, us: Color, role: Role, to: Square, capture: bool) -> Bitboard {
    if role != Role::Pawn {
        return attacks::attacks(to, role.of(us), board.occupied());
    }
    if matches!(to.rank(), Rank::First | Rank::Eighth) {
        return Bitboard::EMPTY;
    }
    if capture {
        return attacks::pawn_attacks(!us, to);
    }
    let back = us.fold_wb(-8, 8);
    let Some(one) = to.offset(back) else {
        return Bitboard::EMPTY;
    };
    let may_come_two = to.rank() == us.fold_wb(Rank::Fourth, Rank::Fifth) && !board.occupied().contains(one);
    match one.offset(back) {
        Some(two) if may_come_two => Bitboard::from_square(two),
        _ => Bitboard::from_square(one),
    }
}

/// Whether the king of the side that moves is not attacked afterwards.
fn leaves_king_safe(board: &Board, us: Color, role: Role, from: Square, to: Square) -> bool {
    let occupied = board.occupied().without(from).with(to);
    let king = match role {
        Role::King => Some(to),
        _ => board.king_of(us),
    };
    king.is_some_and(|king| board.attacks_to(king, !us, occupied).without(to).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Position, Variant, parse_fen};
    use rand::{Rng as _, SeedableRng as _, rngs::ChaCha8Rng};
    use shakmaty::File;

    /// All plain SANs.
    fn words() -> Vec<San> {
        let mut words = Vec::new();
        let files: Vec<Option<File>> = File::ALL.into_iter().map(Some).chain([None]).collect();
        let ranks: Vec<Option<Rank>> = Rank::ALL.into_iter().map(Some).chain([None]).collect();
        for role in Role::ALL {
            for to in Square::ALL {
                for file in &files {
                    for rank in &ranks {
                        words.extend([true, false].map(|capture| San::Normal {
                            role,
                            file: *file,
                            rank: *rank,
                            capture,
                            to,
                            promotion: None,
                        }));
                    }
                }
            }
        }
        words
    }

    #[test]
    fn every_word_names_the_move_that_shakmaty_finds_or_is_left_to_it() {
        let words = words();
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let starts = [
            "startpos",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "4k3/8/4r3/8/1b2N3/8/3N4/4K2R w K - 0 1",
        ];
        let (mut found, mut legal) = (0, 0);
        for start in starts {
            let mut pos = parse_fen(Variant::Standard, start).unwrap();
            for _ in 0..12 {
                let Position::Chess(chess) = &pos else { panic!() };
                for word in &words {
                    let expected = word.to_move(chess).ok();
                    let own = named(chess, word);
                    // What is found is right, and what is not found is of the kinds that are left.
                    let is_left = expected.is_some_and(|mv| mv.is_en_passant());
                    assert!(own == expected || own.is_none() && is_left, "{start} {word:?}");
                    found += usize::from(own.is_some());
                    legal += usize::from(expected.is_some());
                }
                let moves = pos.legal_moves();
                if moves.is_empty() {
                    break;
                }
                pos.play_unchecked(moves[(rng.next_u64() % moves.len() as u64) as usize]);
            }
        }
        assert!(found > 1000 && found * 100 > legal * 99, "{found} of {legal}");
    }

    #[test]
    fn a_move_out_of_a_pin_is_not_found() {
        let pos = parse_fen(Variant::Standard, "4k3/8/8/8/1b6/8/3N4/4K1N1 w - - 0 1").unwrap();
        let Position::Chess(chess) = &pos else { panic!() };
        let word: San = "Nf3".parse().unwrap();
        // The knight on d2 may not move, so the other needs no more letters.
        assert_eq!(named(chess, &word), word.to_move(chess).ok());
        assert!(named(chess, &"Nb3".parse().unwrap()).is_none());
    }
}
