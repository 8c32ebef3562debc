//! Rook and pawn against a rook, solved: which of its positions the pawn's side wins, from tables of four men alone.
//!
//! White has the pawn, on the files a to d. Positions that differ only in where the black rook stands make one set of
//! squares, so that a move is looked at for all of them at once. Wins are learned backwards until nothing new is; the rest is
//! not won. A promotion counts as won unless the new piece is taken at once and the tables have no win then: so a few
//! positions may be counted as won that are not, but never the other way about, and what is claimed not to be won is proven.

mod captures;

use shakmaty::{Bitboard, Board, Piece, attacks};

use captures::Captures;

use sparring_chess::{Color, File, Rank, Role, Square};
use sparring_engine::Tablebase;

const PAWNS: usize = 24;

/// The positions that white wins, a set of squares of the black rook for each place of the others.
pub(super) struct Solved {
    white_to_move: Sets,
    black_to_move: Sets,
}

/// Sets by the places of pawn, king, rook and black king.
struct Sets(Vec<Bitboard>);

/// Where everybody but the black rook stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    pawn: Square,
    king: Square,
    rook: Square,
    black: Square,
    occupied: Bitboard,
}

impl Solved {
    /// Solves the ending by the tables of its captures.
    ///
    /// # Errors
    /// When the tables lack one of the endings of four men.
    pub(super) fn by(tables: &Tablebase) -> anyhow::Result<Self> {
        let captures = Captures::read(tables)?;
        let mut it = Self {
            white_to_move: Sets::empty(),
            black_to_move: Sets::empty(),
        };
        let places: Vec<Place> = Place::all().collect();
        loop {
            let mut has_learned = false;
            for place in &places {
                let index = place.index();
                let black = place.lost_by_black(&captures, &it.white_to_move, it.black_to_move.0[index]);
                has_learned |= black != it.black_to_move.0[index];
                it.black_to_move.0[index] = black;
                let white = it.white_to_move.0[index] | place.won_by_white(&captures, &it.black_to_move);
                has_learned |= white != it.white_to_move.0[index];
                it.white_to_move.0[index] = white;
            }
            if !has_learned {
                return Ok(it);
            }
        }
    }

    /// Whether white wins a position of the ending. None of another.
    pub(super) fn is_won(&self, board: &Board, turn: Color) -> Option<bool> {
        let one = |color: Color, role: Role| board.by_piece(Piece { color, role }).single_square();
        let place = Place::new(
            one(Color::White, Role::Pawn)?,
            one(Color::White, Role::King)?,
            one(Color::White, Role::Rook)?,
            one(Color::Black, Role::King)?,
        )?;
        let sets = turn.fold_wb(&self.white_to_move, &self.black_to_move);
        Some(sets.of(place).contains(one(Color::Black, Role::Rook)?))
    }
}

impl Sets {
    fn empty() -> Self {
        Self(vec![Bitboard::EMPTY; PAWNS << 18])
    }

    fn of(&self, place: Place) -> Bitboard {
        self.0[place.index()]
    }
}

/// The place of a pawn among those on the files a to d.
fn pawn_index(pawn: Square) -> usize {
    let number = pawn as usize;
    (number / 8 - 1) * 4 + number % 8
}

fn pawns() -> impl Iterator<Item = Square> {
    Square::ALL
        .into_iter()
        .filter(|square| square.file() <= File::D && !matches!(square.rank(), Rank::First | Rank::Eighth))
}

fn index(squares: [Square; 3]) -> usize {
    squares
        .into_iter()
        .fold(0, |sum, square| sum * 64 + square as usize)
}

impl Place {
    fn all() -> impl Iterator<Item = Self> {
        let square = |number: usize| Square::new((number % 64) as u32);
        pawns().flat_map(move |pawn| {
            (0..64 * 64 * 64)
                .filter_map(move |rest| Self::new(pawn, square(rest / 4096), square(rest / 64), square(rest)))
        })
    }

    /// None where two would share a square or the kings touch.
    fn new(pawn: Square, king: Square, rook: Square, black: Square) -> Option<Self> {
        let occupied = Bitboard::from(pawn) | king | rook | black;
        let is_possible = occupied.count() == 4 && king.distance(black) > 1;
        is_possible.then_some(Self {
            pawn,
            king,
            rook,
            black,
            occupied,
        })
    }

    fn index(self) -> usize {
        (pawn_index(self.pawn) << 18) + index([self.king, self.rook, self.black])
    }

    fn pawn_attacks(self) -> Bitboard {
        attacks::pawn_attacks(Color::White, self.pawn)
    }

    /// The black rooks with which the black king is in check.
    fn checked(self) -> Bitboard {
        if self.pawn_attacks().contains(self.black) {
            Bitboard::FULL
        } else {
            rook_reaches(self.rook, self.black, self.occupied)
        }
    }

    /// The black rooks with which white may be to move.
    fn before_white(self) -> Bitboard {
        !self.occupied & !self.checked()
    }

    /// The black rooks with which black may be to move.
    fn before_black(self) -> Bitboard {
        !self.occupied & !attacks::rook_attacks(self.king, self.occupied)
    }

    /// The black rooks with which a move of white wins, `lost` being what black to move loses.
    fn won_by_white(self, captures: &Captures, lost: &Sets) -> Bitboard {
        let open = self.before_white();
        if open.is_empty() {
            return open;
        }
        let won = self.by_king(captures, lost) | self.by_rook(captures, lost) | self.by_pawn(captures, lost);
        won & open
    }

    fn by_king(self, captures: &Captures, lost: &Sets) -> Bitboard {
        let mut won = Bitboard::EMPTY;
        for goal in attacks::king_attacks(self.king) {
            let Some(after) = Self::new(self.pawn, goal, self.rook, self.black) else {
                continue;
            };
            won |= lost.of(after);
            if captures.wins_without_black_rook(self.pawn, after) {
                won |= goal;
            }
        }
        won
    }

    fn by_rook(self, captures: &Captures, lost: &Sets) -> Bitboard {
        let mut won = Bitboard::EMPTY;
        for goal in attacks::rook_attacks(self.rook, self.occupied) {
            let Some(after) = Self::new(self.pawn, self.king, goal, self.black) else {
                continue;
            };
            let clear = !attacks::between(self.rook, goal);
            won |= lost.of(after) & clear;
            if captures.wins_without_black_rook(self.pawn, after) {
                won |= goal;
            }
        }
        won
    }

    fn by_pawn(self, captures: &Captures, lost: &Sets) -> Bitboard {
        let mut won = Bitboard::EMPTY;
        for goal in self.pawn_attacks() & !self.occupied {
            // A new queen beside an own rook wins against a bare king.
            if goal.rank() == Rank::Eighth || captures.wins_without_black_rook(goal, self) {
                won |= goal;
            }
        }
        let Some(goal) = self.pawn.offset(8).filter(|goal| !self.occupied.contains(*goal)) else {
            return won;
        };
        if goal.rank() == Rank::Eighth {
            return won | self.by_promotion(captures, goal);
        }
        let clear = !Bitboard::from(goal);
        let moved = |goal: Square| Self::new(goal, self.king, self.rook, self.black);
        won |= moved(goal).map_or(Bitboard::EMPTY, |after| lost.of(after)) & clear;
        let far = goal.offset(8).filter(|_| self.pawn.rank() == Rank::Second);
        if let Some(after) = far.and_then(moved) {
            won |= lost.of(after) & clear & !Bitboard::from(after.pawn);
        }
        won
    }

    /// The black rooks with which a promotion wins, as far as can be said without tables of five men.
    fn by_promotion(self, captures: &Captures, goal: Square) -> Bitboard {
        let after = self.occupied ^ self.pawn | goal;
        let mut held = Bitboard::EMPTY;
        let by_king = attacks::king_attacks(self.black) & !attacks::king_attacks(self.king);
        if by_king.contains(goal) {
            let guarded = rook_reaches(self.rook, goal, after ^ self.black);
            held |= !guarded & !captures.without_pawn(self, goal);
        }
        let is_shielded = !attacks::rook_attacks(self.rook, after).contains(self.black);
        if is_shielded && !captures.without_pawn(self, self.black).contains(goal) {
            held |= attacks::rook_attacks(goal, after);
        }
        !attacks::rook_attacks(self.king, after) & !Bitboard::from(goal) & !held
    }

    /// The black rooks with which black to move loses: those known to lose already, and those with which each of its moves is
    /// `won` by white.
    fn lost_by_black(self, captures: &Captures, won: &Sets, known: Bitboard) -> Bitboard {
        let open = self.before_black() & !known;
        if open.is_empty() {
            return known;
        }
        let (moves, escapes) = self.king_moves(captures, won);
        let (legal, won_here) = (self.before_white(), won.of(self));
        let may_take_rook = !self.pawn_attacks().contains(self.black);
        let may_take_pawn = !attacks::rook_attacks(self.rook, self.occupied).contains(self.black);
        let prey = [
            (
                self.rook,
                may_take_rook,
                captures.without_white_rook(self, self.black),
            ),
            (self.pawn, may_take_pawn, captures.without_pawn(self, self.black)),
        ];
        let loses = |from: &Square| {
            let reach = attacks::rook_attacks(*from, self.occupied);
            let takes = |man: Square, may: bool| may && reach.contains(man);
            let escapes = (reach & legal & !won_here).any()
                || prey
                    .iter()
                    .any(|(man, may, won)| takes(*man, *may) && !won.contains(*man));
            let can_move = moves.contains(*from)
                || (reach & legal).any()
                || prey.iter().any(|(man, may, _)| takes(*man, *may));
            !escapes && (can_move || self.checked().contains(*from))
        };
        (open & !escapes)
            .into_iter()
            .filter(loses)
            .fold(known, |lost, from| lost | from)
    }

    /// The black rooks with which the black king can move, and with which it does not lose then.
    fn king_moves(self, captures: &Captures, won: &Sets) -> (Bitboard, Bitboard) {
        let (mut moves, mut escapes) = (Bitboard::EMPTY, Bitboard::EMPTY);
        let forbidden = attacks::king_attacks(self.king) | self.pawn_attacks();
        for goal in attacks::king_attacks(self.black) & !forbidden {
            if goal == self.rook {
                moves = Bitboard::FULL;
                escapes |= !captures.without_white_rook(self, goal);
                continue;
            }
            let safe = !rook_reaches(self.rook, goal, self.occupied ^ self.black) & !Bitboard::from(goal);
            moves |= safe;
            let won = match Self::new(self.pawn, self.king, self.rook, goal) {
                Some(after) => won.of(after),
                None => captures.without_pawn(self, goal),
            };
            escapes |= safe & !won;
        }
        (moves, escapes)
    }
}

/// The black rooks with which a white rook attacks a square: those not between.
fn rook_reaches(rook: Square, goal: Square, occupied: Bitboard) -> Bitboard {
    if attacks::rook_attacks(rook, occupied).contains(goal) {
        !attacks::between(rook, goal)
    } else {
        Bitboard::EMPTY
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{DefaultHasher, Hash, Hasher as _};

    use super::*;
    use sparring_chess::{Move, Rules as _, position_of, write_fen};

    /// Sets of no meaning, the same for the same number.
    fn any_set(number: u64) -> Bitboard {
        let mut hasher = DefaultHasher::new();
        number.hash(&mut hasher);
        Bitboard(hasher.finish())
    }

    fn any_sets(count: usize, seed: u64) -> Vec<Bitboard> {
        (0..count as u64)
            .map(|index| any_set(index ^ seed << 32))
            .collect()
    }

    fn board(place: Place, rook: Square) -> Board {
        let mut board = Board::empty();
        for (role, color, square) in [
            (Role::Pawn, Color::White, place.pawn),
            (Role::King, Color::White, place.king),
            (Role::Rook, Color::White, place.rook),
            (Role::King, Color::Black, place.black),
            (Role::Rook, Color::Black, rook),
        ] {
            board.set_piece_at(square, role.of(color));
        }
        board
    }

    /// What the sets say of the position after a move, found by the rules library.
    struct SetJudge {
        captures: Captures,
        sets: [Sets; 2],
    }

    /// Sets of no meaning, but of legal positions only.
    fn legal_sets(seed: u64, legal: impl Fn(Place) -> Bitboard) -> Sets {
        let mut sets = Sets(any_sets(PAWNS << 18, seed));
        for place in Place::all() {
            sets.0[place.index()] &= legal(place);
        }
        sets
    }

    impl SetJudge {
        fn white_wins_after(&self, place: Place, rook: Square, mv: Move) -> bool {
            let (from, to) = (mv.from().unwrap(), mv.to());
            let moved = |square: Square| if square == from { to } else { square };
            let after = Place::new(
                moved(place.pawn),
                moved(place.king),
                moved(place.rook),
                moved(place.black),
            );
            if !mv.is_capture() {
                let sets =
                    &self.sets[usize::from(from == place.king || from == place.rook || from == place.pawn)];
                return sets.of(after.unwrap()).contains(moved(rook));
            }
            match to {
                _ if to == rook => self
                    .captures
                    .wins_without_black_rook(moved(place.pawn), after.unwrap()),
                _ if to == place.rook => self
                    .captures
                    .without_white_rook(place, moved(place.black))
                    .contains(moved(rook)),
                _ => self
                    .captures
                    .without_pawn(place, moved(place.black))
                    .contains(moved(rook)),
            }
        }

        /// A promotion wins unless the new piece is taken and that does not.
        fn promotion_wins(&self, place: Place, rook: Square, mv: Move) -> bool {
            let mut pos = position_of(&board(place, rook), Color::White).unwrap();
            pos.play_unchecked(mv);
            !pos.legal_moves().iter().any(|reply| {
                let black = if reply.role() == Role::King {
                    reply.to()
                } else {
                    place.black
                };
                let rook = if reply.role() == Role::King {
                    rook
                } else {
                    reply.to()
                };
                reply.to() == mv.to() && !self.captures.without_pawn(place, black).contains(rook)
            })
        }
    }

    #[test]
    fn each_step_looks_at_every_legal_move() {
        let judge = SetJudge {
            captures: Captures {
                without_black_rook: any_sets(PAWNS << 12, 1),
                without_white_rook: any_sets(PAWNS << 12, 2),
                without_pawn: any_sets(1 << 18, 3),
            },
            sets: [
                legal_sets(4, Place::before_white),
                legal_sets(5, Place::before_black),
            ],
        };
        let (mut white, mut black, mut promotions) = (0, 0, 0);
        for place in Place::all().step_by(4099) {
            let won = place.won_by_white(&judge.captures, &judge.sets[1]);
            let lost = place.lost_by_black(&judge.captures, &judge.sets[0], Bitboard::EMPTY);
            for rook in !place.occupied {
                if let Some(pos) = position_of(&board(place, rook), Color::White) {
                    let wins = |mv: &Move| match mv.is_promotion() {
                        true if mv.is_capture() => true,
                        true => judge.promotion_wins(place, rook, *mv),
                        false => judge.white_wins_after(place, rook, *mv),
                    };
                    let moves = pos.legal_moves();
                    promotions += usize::from(moves.iter().any(|mv| mv.is_promotion()));
                    assert_eq!(won.contains(rook), moves.iter().any(wins), "{}", write_fen(&pos));
                    white += 1;
                } else {
                    assert!(!won.contains(rook), "{place:?} {rook}");
                }
                if let Some(pos) = position_of(&board(place, rook), Color::Black) {
                    let moves = pos.legal_moves();
                    let loses = moves.iter().all(|mv| judge.white_wins_after(place, rook, *mv));
                    let expected = loses && !pos.is_stalemate();
                    assert_eq!(lost.contains(rook), expected, "{}", write_fen(&pos));
                    black += 1;
                } else {
                    assert!(!lost.contains(rook), "{place:?} {rook}");
                }
            }
        }
        assert!(
            white > 10_000 && black > 10_000 && promotions > 500,
            "{white} {black} {promotions}"
        );
    }
}
