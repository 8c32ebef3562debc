//! Rook and pawn against a rook: Philidor's defence and what is like it, the king before the pawn and the rook out of reach.

use shakmaty::{Bitboard, Rank, attacks};

use super::EndgameView;
use sparring_chess::{Color, Square};

/// The pawn's side is the stronger one, its pawn going up.
#[derive(Debug, Clone, Copy)]
struct RookPawn {
    strong_king: Square,
    weak_king: Square,
    pawn: Square,
    rook: Square,
    weak_rook: Square,
}

/// Whether these men are those of the ending, and the stronger side does not win.
pub(super) fn is_held(view: &EndgameView<'_>, strong_to_move: bool) -> bool {
    RookPawn::of(view).is_some_and(|it| it.is_held(strong_to_move))
}

impl RookPawn {
    /// `None` for other material; with this many pieces one of each kind leaves room for no more.
    fn of(view: &EndgameView<'_>) -> Option<Self> {
        let [strong_king, weak_king] = view.kings()?;
        let rooks = view.board.rooks();
        Some(Self {
            strong_king,
            weak_king,
            pawn: view.one(view.strong, view.board.pawns())?,
            rook: view.one(view.strong, rooks)?,
            weak_rook: view.one(!view.strong, rooks)?,
        })
    }

    /// Whether rook and pawn do not win.
    fn is_held(self, strong_to_move: bool) -> bool {
        if strong_to_move {
            self.is_held_waiting()
        } else {
            self.replies().any(Self::is_held_waiting)
        }
    }

    /// The same with the stronger side to move.
    fn is_held_waiting(self) -> bool {
        self.is_philidor()
            || self.is_king_before_pawn() && self.is_king_behind_pawn() && self.is_weak_rook_safe()
    }

    /// Philidor's position: the rook keeps the other king from the sixth rank until the pawn is there.
    fn is_philidor(self) -> bool {
        let least = match self.weak_king.file().distance(self.pawn.file()) {
            0 => Rank::Seventh,
            1 => Rank::Eighth,
            _ => return false,
        };
        self.weak_rook.rank() == Rank::Sixth
            && self.pawn.rank() <= Rank::Fifth
            && self.weak_rook.file().distance(self.weak_king.file()) > 1
            && self.strong_king.rank() <= Rank::Fifth
            && self.weak_king.rank() >= least
            && !self.attacked().contains(self.weak_rook)
            && !self.is_aimed_at()
    }

    /// The weaker king stands before the pawn, on its file, or beside it while the pawn has far to go.
    fn is_king_before_pawn(self) -> bool {
        let ahead = self.weak_king.rank() as i32 - self.pawn.rank() as i32;
        match self.weak_king.file().distance(self.pawn.file()) {
            0 => ahead > 0,
            1 => ahead > 1 && self.pawn.rank() < Rank::Fifth && self.weak_rook.rank() != self.pawn.rank(),
            _ => false,
        }
    }

    /// The stronger king is not beyond its pawn, and behind one that is far, or past which the other king may be shouldered.
    fn is_king_behind_pawn(self) -> bool {
        let (king, pawn) = (self.strong_king.rank(), self.pawn.rank());
        let is_blocked = self.weak_king.file() == self.pawn.file();
        match pawn {
            Rank::Second | Rank::Third => king <= pawn,
            Rank::Fourth => king < pawn || king == pawn && is_blocked,
            Rank::Fifth => king < pawn,
            Rank::Sixth => king < Rank::Sixth && self.weak_king.rank() == Rank::Seventh,
            _ => false,
        }
    }

    /// Nothing attacks the weaker rook, and it is too far from its king's lines for a check to win it.
    fn is_weak_rook_safe(self) -> bool {
        let ranks = self.weak_rook.rank().distance(self.weak_king.rank());
        let files = self.weak_rook.file().distance(self.weak_king.file());
        ranks > 1 && files > 1 && !self.attacked().contains(self.weak_rook) && !self.is_aimed_at()
    }

    /// What the stronger side attacks.
    fn attacked(self) -> Bitboard {
        attacks::king_attacks(self.strong_king)
            | attacks::rook_attacks(self.rook, self.occupied())
            | attacks::pawn_attacks(Color::White, self.pawn)
    }

    /// Whether the rook attacks the weaker king through its own, which may step aside with a threat.
    fn is_aimed_at(self) -> bool {
        attacks::rook_attacks(self.rook, self.occupied() ^ self.strong_king).contains(self.weak_king)
    }

    fn occupied(self) -> Bitboard {
        Bitboard::from(self.strong_king) | self.weak_king | self.pawn | self.rook | self.weak_rook
    }

    /// Whether the weaker king is attacked.
    fn is_in_check(self) -> bool {
        attacks::rook_attacks(self.rook, self.occupied()).contains(self.weak_king)
            || attacks::pawn_attacks(Color::White, self.pawn).contains(self.weak_king)
    }

    /// What the weaker side may play, but for taking.
    fn replies(self) -> impl Iterator<Item = Self> {
        let near = attacks::king_attacks(self.weak_king)
            & !attacks::king_attacks(self.strong_king)
            & !self.occupied();
        let kings = near.into_iter().map(move |weak_king| Self { weak_king, ..self });
        let goals = attacks::rook_attacks(self.weak_rook, self.occupied()) & !self.occupied();
        let rooks = goals.into_iter().map(move |weak_rook| Self { weak_rook, ..self });
        kings.chain(rooks).filter(|it| !it.is_in_check())
    }
}
