//! King and pawn against king, solved: a bit for each position says whether the pawn's side wins.
//!
//! The table is made once, when it is [prepared](prepare) or first used, by working backwards from promotions and captures
//! (24 KiB, some 25 ms). The strong side is white and its pawn on the files a to d; other positions are mirrored.

use std::sync::OnceLock;

use shakmaty::{Bitboard, Board, attacks};

use sparring_chess::{Color, Square};

/// Positions: side to move, both kings, the pawn's four files and six ranks.
const POSITIONS: usize = 2 * 64 * 64 * 24;

/// The result of a position while the table is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KpkResult {
    Unknown,
    Illegal,
    Draw,
    Win,
}

/// A position with the pawn white and on the files a to d.
#[derive(Debug, Clone, Copy)]
struct KpkPosition {
    /// Whether the pawn's side is to move.
    strong_to_move: bool,
    strong: Square,
    weak: Square,
    pawn: Square,
}

/// Whether the side with the pawn wins. `None` unless the board holds two kings and a pawn.
pub(super) fn is_won(board: &Board, turn: Color) -> Option<bool> {
    let pawn = board.pawns().single_square()?;
    if board.occupied().count() != 3 {
        return None;
    }
    let us = Color::from_white(board.white().contains(pawn));
    let (strong, weak) = (board.king_of(us)?, board.king_of(!us)?);
    let flip = |square: Square| {
        let square = us.fold_wb(square, square.flip_vertical());
        if pawn.file() > shakmaty::File::D {
            square.flip_horizontal()
        } else {
            square
        }
    };
    let ending = KpkPosition {
        strong_to_move: turn == us,
        strong: flip(strong),
        weak: flip(weak),
        pawn: flip(pawn),
    };
    let index = ending.index();
    Some(table()[index / 64] & 1 << (index % 64) != 0)
}

/// Makes the table of king and pawn against king now, which takes some 25 ms, so that no search with hardly any time on its
/// clock has to; UCI does at its start. Once made it is there for the whole program.
pub fn prepare() {
    table();
}

/// The wins, a bit a position.
fn table() -> &'static [u64] {
    static TABLE: OnceLock<Vec<u64>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut bits = vec![0_u64; POSITIONS / 64];
        for (index, verdict) in solve().into_iter().enumerate() {
            bits[index / 64] |= u64::from(verdict == KpkResult::Win) << (index % 64);
        }
        bits
    })
}

/// Works backwards until nothing new is learned; what is left unknown is drawn.
fn solve() -> Vec<KpkResult> {
    let mut known: Vec<KpkResult> = (0..POSITIONS)
        .map(|index| KpkPosition::at(index).at_once())
        .collect();
    loop {
        let mut learned = false;
        for index in 0..POSITIONS {
            if known[index] == KpkResult::Unknown {
                known[index] = KpkPosition::at(index).by_moves(&known);
                learned |= known[index] != KpkResult::Unknown;
            }
        }
        if !learned {
            return known;
        }
    }
}

impl KpkPosition {
    fn index(self) -> usize {
        let pawn = self.pawn as usize;
        let place = (pawn / 8 - 1) * 4 + pawn % 8;
        ((usize::from(self.strong_to_move) * 64 + self.strong as usize) * 64 + self.weak as usize) * 24
            + place
    }

    fn at(index: usize) -> Self {
        let (kings, place) = (index / 24, index % 24);
        let square = |number: usize| Square::new((number % 64) as u32);
        Self {
            strong_to_move: kings >= 64 * 64,
            strong: square(kings / 64),
            weak: square(kings),
            pawn: square((place / 4 + 1) * 8 + place % 4),
        }
    }

    /// The result by the position itself.
    fn at_once(self) -> KpkResult {
        let Self {
            strong, weak, pawn, ..
        } = self;
        let pawn_attacks = attacks::pawn_attacks(Color::White, pawn);
        let touching = strong.distance(weak) <= 1 || strong == pawn || weak == pawn;
        if touching || self.strong_to_move && pawn_attacks.contains(weak) {
            return KpkResult::Illegal;
        }
        if self.strong_to_move {
            let safe = |goal: Square| goal != weak && (weak.distance(goal) > 1 || strong.distance(goal) == 1);
            let promotes = self
                .ahead(1)
                .filter(|goal| *goal as usize >= 56 && *goal != strong && safe(*goal));
            return promotes.map_or(KpkResult::Unknown, |_| KpkResult::Win);
        }
        let guarded = attacks::king_attacks(strong);
        let flights = attacks::king_attacks(weak) & !(guarded | pawn_attacks);
        let takes = attacks::king_attacks(weak).contains(pawn) && !guarded.contains(pawn);
        if flights.is_empty() || takes {
            return KpkResult::Draw;
        }
        KpkResult::Unknown
    }

    /// The result by the positions after its moves.
    fn by_moves(self, known: &[KpkResult]) -> KpkResult {
        let (wanted, otherwise) = if self.strong_to_move {
            (KpkResult::Win, KpkResult::Draw)
        } else {
            (KpkResult::Draw, KpkResult::Win)
        };
        let mut open = false;
        for after in self.moves() {
            match known[after.index()] {
                verdict if verdict == wanted => return wanted,
                KpkResult::Unknown => open = true,
                _ => {}
            }
        }
        if open { KpkResult::Unknown } else { otherwise }
    }

    /// The positions after its moves, illegal ones among them.
    fn moves(self) -> impl Iterator<Item = Self> {
        let turned = Self {
            strong_to_move: !self.strong_to_move,
            ..self
        };
        let king = if self.strong_to_move {
            self.strong
        } else {
            self.weak
        };
        let kings = attacks::king_attacks(king).into_iter().map(move |to| {
            if self.strong_to_move {
                Self { strong: to, ..turned }
            } else {
                Self { weak: to, ..turned }
            }
        });
        let free = |square: &Square| {
            *square != self.strong && *square != self.weak && (*square as usize) < 56 && self.strong_to_move
        };
        let once = self.ahead(1).filter(free);
        let twice = once
            .filter(|square| *square as usize / 8 == 2)
            .and(self.ahead(2))
            .filter(free);
        let pawns = [once, twice].into_iter().flatten();
        kings.chain(pawns.map(move |pawn| Self { pawn, ..turned }))
    }

    /// The square `steps` steps before the pawn.
    fn ahead(self, steps: usize) -> Option<Square> {
        let Bitboard(bits) = Bitboard::from(self.pawn).shift(8 * steps as i32);
        Bitboard(bits).first()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Rules as _, Variant, parse_fen};

    #[test]
    fn the_table_has_as_many_wins_as_there_are() {
        let verdicts = solve();
        let count = |wanted: KpkResult| verdicts.iter().filter(|verdict| **verdict == wanted).count();
        assert_eq!(count(KpkResult::Win), 111_282);
        assert_eq!(POSITIONS - count(KpkResult::Illegal), 165_676);
    }

    #[test]
    fn textbook_endings_are_known() {
        for (fen, won) in [
            // Opposition decides.
            ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", true),
            ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", true),
            ("8/4k3/8/4K3/4P3/8/8/8 w - - 0 1", false),
            ("8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", true),
            // A rook pawn with the king in the corner.
            ("k7/8/K7/P7/8/8/8/8 w - - 0 1", false),
            // The square of the pawn, and the same for black.
            ("8/8/8/7P/k7/8/8/K7 b - - 0 1", true),
            ("k7/8/8/K7/7p/8/8/8 w - - 0 1", true),
            ("k7/8/8/4K3/7p/8/8/8 w - - 0 1", false),
        ] {
            let pos = parse_fen(Variant::Standard, fen).unwrap();
            assert_eq!(is_won(pos.board(), pos.turn()), Some(won), "{fen}");
        }
        let start = Variant::Standard.start();
        assert_eq!(is_won(start.board(), Color::White), None);
    }
}
