//! Bishop and knight against a knight: held where the weaker knight is free to move, near its king, and nothing pins or forks it.

use shakmaty::{Bitboard, attacks};

use super::EndgameView;
use sparring_chess::Square;

/// How many safe squares the weaker king and its knight need.
const FREE: usize = 3;

/// Bishop and knight are the stronger side's.
#[derive(Debug, Clone, Copy)]
struct BishopKnight {
    strong_king: Square,
    weak_king: Square,
    bishop: Square,
    knight: Square,
    weak_knight: Square,
}

/// Whether these men are those of the ending, and the stronger side does not win.
pub(super) fn is_held(view: &EndgameView<'_>, strong_to_move: bool) -> bool {
    BishopKnight::of(view).is_some_and(|it| it.is_held(strong_to_move))
}

impl BishopKnight {
    /// `None` for other material; with this many pieces one of each kind leaves room for no more.
    fn of(view: &EndgameView<'_>) -> Option<Self> {
        let [strong_king, weak_king] = view.kings()?;
        let knights = view.board.knights();
        Some(Self {
            strong_king,
            weak_king,
            bishop: view.one(view.strong, view.board.bishops())?,
            knight: view.one(view.strong, knights)?,
            weak_knight: view.one(!view.strong, knights)?,
        })
    }

    /// Whether bishop and knight do not win.
    fn is_held(self, strong_to_move: bool) -> bool {
        if strong_to_move {
            self.is_held_waiting()
        } else {
            self.takes() || self.replies().any(Self::is_held_waiting)
        }
    }

    /// The same with the stronger side to move.
    fn is_held_waiting(self) -> bool {
        let attacked = self.attacked(self.occupied());
        let protects = attacks::king_attacks(self.weak_king);
        if attacked.contains(self.weak_knight) && !protects.contains(self.weak_knight) {
            return false;
        }
        is_inside(self.weak_king)
            && self.is_near()
            && self.strong_king.distance(self.weak_knight) >= 3
            && self.king_moves() >= FREE
            && self.knight_moves() >= FREE
            && !self.is_aimed_at()
            && !self.can_fork()
    }

    /// Whether the weaker king is near its knight, or not far while the other king is.
    fn is_near(self) -> bool {
        match self.weak_king.distance(self.weak_knight) {
            ..=2 => true,
            3 => self.strong_king.distance(self.weak_king) >= 4,
            _ => false,
        }
    }

    fn occupied(self) -> Bitboard {
        Bitboard::from(self.strong_king) | self.weak_king | self.bishop | self.knight | self.weak_knight
    }

    /// What the stronger side attacks.
    fn attacked(self, occupied: Bitboard) -> Bitboard {
        attacks::king_attacks(self.strong_king)
            | attacks::knight_attacks(self.knight)
            | attacks::bishop_attacks(self.bishop, occupied)
    }

    /// Where the weaker king may go, but for taking.
    fn flights(self) -> Bitboard {
        let attacked = self.attacked(self.occupied() ^ self.weak_king);
        attacks::king_attacks(self.weak_king) & !attacked & !self.occupied()
    }

    fn king_moves(self) -> usize {
        self.flights().count()
    }

    /// How many squares the weaker knight has where it is not taken.
    fn knight_moves(self) -> usize {
        let attacked = self.attacked(self.occupied() ^ self.weak_knight);
        (attacks::knight_attacks(self.weak_knight) & !attacked & !self.occupied()).count()
    }

    /// Whether the bishop attacks king or knight through a piece of its own side, which may move away with a threat.
    fn is_aimed_at(self) -> bool {
        let through = self.occupied() ^ self.strong_king ^ self.knight;
        let reach = attacks::bishop_attacks(self.bishop, through);
        reach.contains(self.weak_king) || reach.contains(self.weak_knight)
    }

    /// Whether the bishop can go to where it attacks both, in line or not.
    fn can_fork(self) -> bool {
        let empty = self.occupied() ^ self.bishop;
        let both = attacks::bishop_attacks(self.weak_king, empty ^ self.weak_knight)
            & attacks::bishop_attacks(self.weak_knight, empty ^ self.weak_king);
        let goals = attacks::bishop_attacks(self.bishop, self.occupied()) & !self.occupied();
        (goals & both & !self.takeable()).any()
    }

    /// Where the weaker side takes what is not protected.
    fn takeable(self) -> Bitboard {
        let guarded = attacks::king_attacks(self.strong_king) | attacks::knight_attacks(self.knight);
        (attacks::king_attacks(self.weak_king) | attacks::knight_attacks(self.weak_knight)) & !guarded
    }

    /// Whether the weaker side is in check.
    fn is_in_check(self) -> bool {
        self.attacked(self.occupied()).contains(self.weak_king)
    }

    /// Whether the weaker side can take bishop or knight, which leaves too little to win.
    fn takes(self) -> bool {
        let Self {
            weak_king,
            weak_knight,
            ..
        } = self;
        let kings = attacks::king_attacks(self.strong_king);
        let by_knight = attacks::knight_attacks(self.knight);
        let by_bishop = |empty: Square| attacks::bishop_attacks(self.bishop, self.occupied() ^ empty);
        let takes = |prey: Square, as_king: Bitboard, as_knight: Bitboard| {
            attacks::king_attacks(weak_king).contains(prey) && !(kings | as_king).contains(prey)
                || attacks::knight_attacks(weak_knight).contains(prey) && !as_knight.contains(weak_king)
        };
        takes(self.bishop, by_knight, by_knight)
            || takes(self.knight, by_bishop(weak_king), by_bishop(weak_knight))
    }

    /// What the weaker side may play, but for taking.
    fn replies(self) -> impl Iterator<Item = Self> {
        let kings = self
            .flights()
            .into_iter()
            .map(move |weak_king| Self { weak_king, ..self });
        let goals = attacks::knight_attacks(self.weak_knight) & !self.occupied();
        let knights = goals
            .into_iter()
            .map(move |weak_knight| Self { weak_knight, ..self })
            .filter(|it| !it.is_in_check());
        kings.chain(knights)
    }
}

/// Whether a square is not on the edge.
fn is_inside(square: Square) -> bool {
    const EDGE: Bitboard = Bitboard(0xff81_8181_8181_81ff);
    !EDGE.contains(square)
}
