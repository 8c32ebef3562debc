//! A bishop against a pawn: held where the bishop or its king commands a square that the pawn has yet to pass.

use shakmaty::{Bitboard, attacks};

use super::EndgameView;
use sparring_chess::{Color, Square};

/// The pawn's side is the stronger one, its pawn going up.
#[derive(Debug, Clone, Copy)]
struct BishopPawn {
    strong_king: Square,
    weak_king: Square,
    bishop: Square,
    pawn: Square,
}

/// Whether these men are those of the ending, and the stronger side does not win.
pub(super) fn is_held(view: &EndgameView<'_>, strong_to_move: bool) -> bool {
    BishopPawn::of(view).is_some_and(|it| it.is_held(strong_to_move))
}

impl BishopPawn {
    /// `None` for other material; with this many pieces one of each kind leaves room for no more.
    fn of(view: &EndgameView<'_>) -> Option<Self> {
        let [strong_king, weak_king] = view.kings()?;
        Some(Self {
            strong_king,
            weak_king,
            bishop: view.one(!view.strong, view.board.bishops())?,
            pawn: view.one(view.strong, view.board.pawns())?,
        })
    }

    /// Whether the pawn does not win.
    fn is_held(self, strong_to_move: bool) -> bool {
        if strong_to_move {
            self.is_held_waiting()
        } else {
            self.replies().any(Self::is_held_waiting) || self.takes_pawn()
        }
    }

    /// The same with the pawn's side to move.
    fn is_held_waiting(self) -> bool {
        if self.dangerous().contains(self.bishop) {
            return false;
        }
        if self.is_guarded() {
            return true;
        }
        let has_time = self.pawn.rank() <= shakmaty::Rank::Third;
        has_time && self.can_guard()
    }

    /// The squares before the pawn.
    fn path(self) -> Bitboard {
        let ahead = u64::MAX << (self.pawn as u32) << 1;
        Bitboard::from_file(self.pawn.file()) & Bitboard(ahead)
    }

    fn occupied(self) -> Bitboard {
        Bitboard::from(self.strong_king) | self.weak_king | self.bishop | self.pawn
    }

    /// Where the bishop would be taken for nothing.
    fn dangerous(self) -> Bitboard {
        attacks::king_attacks(self.strong_king) & !attacks::king_attacks(self.weak_king) | self.pawn_attacks()
    }

    fn pawn_attacks(self) -> Bitboard {
        attacks::pawn_attacks(Color::White, self.pawn)
    }

    /// Whether the weaker side commands a square of the path.
    fn is_guarded(self) -> bool {
        self.path().contains(self.weak_king) || self.guards(self.bishop)
    }

    /// Whether a bishop there commands a square of the path and cannot be shut in while it does.
    fn guards(self, bishop: Square) -> bool {
        let occupied = self.occupied() ^ self.bishop | bishop;
        let reach = attacks::bishop_attacks(bishop, occupied) | bishop;
        reach.intersect(self.path()).any() && !self.corner().contains(bishop)
    }

    /// Where the bishop may be shut in: on the last three ranks of the two files at an edge, if the pawn is there too.
    fn corner(self) -> Bitboard {
        const QUEENSIDE: Bitboard = Bitboard(0x0303_0300_0000_0000);
        const KINGSIDE: Bitboard = Bitboard(0xc0c0_c000_0000_0000);
        [QUEENSIDE, KINGSIDE]
            .into_iter()
            .find(|corner| corner.contains(self.pawn))
            .unwrap_or(Bitboard::EMPTY)
    }

    /// Whether a safe move of the bishop commands the path.
    fn can_guard(self) -> bool {
        let goals =
            attacks::bishop_attacks(self.bishop, self.occupied()) & !self.occupied() & !self.dangerous();
        goals.into_iter().any(|goal| self.guards(goal))
    }

    /// What the weaker side may play, but for taking the pawn.
    fn replies(self) -> impl Iterator<Item = Self> {
        let flights = attacks::king_attacks(self.weak_king) & !self.forbidden() & !self.occupied();
        let kings = flights
            .into_iter()
            .map(move |weak_king| Self { weak_king, ..self });
        let is_in_check = self.pawn_attacks().contains(self.weak_king);
        let goals = if is_in_check {
            Bitboard::EMPTY
        } else {
            attacks::bishop_attacks(self.bishop, self.occupied()) & !self.occupied()
        };
        kings.chain(goals.into_iter().map(move |bishop| Self { bishop, ..self }))
    }

    /// Where the weaker king must not go.
    fn forbidden(self) -> Bitboard {
        attacks::king_attacks(self.strong_king) | self.pawn_attacks()
    }

    fn takes_pawn(self) -> bool {
        let by_king = attacks::king_attacks(self.weak_king).contains(self.pawn)
            && !attacks::king_attacks(self.strong_king).contains(self.pawn);
        by_king || attacks::bishop_attacks(self.bishop, self.occupied()).contains(self.pawn)
    }
}
