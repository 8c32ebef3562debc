//! Style bonuses at the leaves, on top of any evaluation.

use shakmaty::Board;

use super::{handicap::mix, node::Node};
use sparring_chess::{
    Color, is_tucked_away, material, men_near_king, pawnless_files, queens_out, ranks_advanced,
};

/// Bonuses of the searching side for features of a position, in centipawns; negative for a malus. All zero: the
/// evaluation alone counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StyleBonus {
    /// For each own man within two squares of the other king.
    pub siege: i32,
    /// For each own man within two squares of the own king.
    pub shelter: i32,
    /// For each piece of either side on the board, without pawns and kings.
    pub officers: i32,
    /// While both sides have a queen.
    pub queens: i32,
    /// For each rank that an own pawn has advanced.
    pub pawns: i32,
    /// For each file without pawns.
    pub open_files: i32,
    /// For each pawn of material ahead.
    pub material: i32,
    /// While the own king stands on a wing of its first rank, and the other side has a queen.
    pub castled: i32,
    /// For each own queen that has left its first rank.
    pub queen_out: i32,
    /// For a draw; below zero to avoid draws.
    pub draws: i32,
}

/// Style bonuses prepared for one search.
#[derive(Debug, Clone, Copy)]
pub(super) struct PreparedStyleBonus {
    bonus: StyleBonus,
    side: Color,
    any: bool,
}

impl PreparedStyleBonus {
    /// Prepares the bonuses of the side to move at the root.
    pub fn new(bonus: &StyleBonus, side: Color) -> Self {
        Self {
            bonus: *bonus,
            side,
            any: *bonus != StyleBonus::default(),
        }
    }

    /// Mixed into the keys of the transposition table, which holds evaluations: zero without bonuses.
    pub fn salt(&self) -> u64 {
        if !self.any {
            return 0;
        }
        self.bonus
            .amounts()
            .into_iter()
            .fold(u64::from(self.side.is_white()) + 1, |salt, each| {
                mix(salt ^ u64::from(each.cast_unsigned()))
            })
    }

    /// The score of a draw for a side.
    pub fn draw(&self, side: Color) -> i32 {
        let score = capped(self.bonus.draws);
        if side == self.side { score } else { -score }
    }

    /// What to add to the evaluation of a position, for the side to move in it.
    pub fn bonus(&self, node: &Node) -> i32 {
        if !self.any {
            return 0;
        }
        let score = capped(self.bonus.of(node.board(), self.side));
        if node.turn == self.side { score } else { -score }
    }
}

impl StyleBonus {
    /// The most that all bonuses of a position add up to in a search, in centipawns.
    pub const MOST: i32 = 60;

    /// All of them, in the order of declaration.
    #[must_use]
    pub fn amounts(&self) -> [i32; 10] {
        let Self {
            siege,
            shelter,
            officers,
            queens,
            pawns,
            open_files,
            material,
            castled,
            queen_out,
            draws,
        } = *self;
        [
            siege, shelter, officers, queens, pawns, open_files, material, castled, queen_out, draws,
        ]
    }

    /// The sum of the bonuses of a board for this color, in centipawns, without that for a draw. It may exceed [`Self::MOST`].
    #[must_use]
    pub fn of(&self, board: &Board, us: Color) -> i32 {
        let officers = board.occupied() & !board.pawns() & !board.kings();
        let theirs_have_a_queen = (board.queens() & board.by_color(!us)).any();
        let both_queens = board.queens().count() >= 2 && (board.queens() & board.by_color(us)).count() == 1;
        self.siege * men_near_king(board, us, !us)
            + self.shelter * men_near_king(board, us, us)
            + self.officers * officers.count() as i32
            + self.queens * i32::from(both_queens)
            + self.pawns * ranks_advanced(board, us)
            + self.open_files * pawnless_files(board)
            + self.material * (material(board, us) - material(board, !us))
            + self.castled * i32::from(is_tucked_away(board, us) && theirs_have_a_queen)
            + self.queen_out * queens_out(board, us)
    }
}

fn capped(bonus: i32) -> i32 {
    bonus.clamp(-StyleBonus::MOST, StyleBonus::MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{GameHistory, Variant};

    fn score(bonus: StyleBonus, fen: &str, side: Color) -> i32 {
        let line = GameHistory::replay(Variant::Standard, fen, "").unwrap();
        PreparedStyleBonus::new(&bonus, side).bonus(&Node::root(&line))
    }

    #[test]
    fn each_style_bonus_counts_its_feature() {
        let none = StyleBonus::default();
        let fen = "4k1r1/5pP1/4N3/8/8/8/PP3Q2/KN6 w - - 0 1";
        let of = |bonus| score(bonus, fen, Color::White);
        assert_eq!(of(none), 0);
        assert_eq!(of(StyleBonus { siege: 5, ..none }), 10, "knight and pawn at e8");
        assert_eq!(
            of(StyleBonus { shelter: 5, ..none }),
            15,
            "two pawns and a knight at a1"
        );
        assert_eq!(of(StyleBonus { officers: 5, ..none }), 20);
        assert_eq!(of(StyleBonus { queens: 5, ..none }), 0, "only one queen");
        assert_eq!(of(StyleBonus { pawns: 5, ..none }), 25, "one pawn on the seventh");
        assert_eq!(
            of(StyleBonus {
                open_files: 5,
                ..none
            }),
            20,
            "c, d, e and h"
        );
        assert_eq!(of(StyleBonus { material: 5, ..none }), 60, "18 against 6");
        assert_eq!(of(StyleBonus { queen_out: 5, ..none }), 5, "the queen at f2");
        assert_eq!(of(StyleBonus { castled: 5, ..none }), 0, "no queen to fear");
        let feared = score(
            StyleBonus { castled: 5, ..none },
            "3qk3/8/8/8/8/8/8/1K6 w - - 0 1",
            Color::White,
        );
        assert_eq!(feared, 5);
    }

    #[test]
    fn a_style_bonus_is_for_the_searching_side_and_is_capped() {
        let bonus = StyleBonus {
            siege: 8,
            ..StyleBonus::default()
        };
        let fen = "4k1r1/5pP1/4N3/8/8/8/PP3Q2/KN6 b - - 0 1";
        assert_eq!(score(bonus, fen, Color::White), -16, "black to move");
        let greedy = StyleBonus {
            material: 1000,
            ..bonus
        };
        assert_eq!(score(greedy, fen, Color::White), -StyleBonus::MOST);
        assert_eq!(score(greedy, fen, Color::Black), -StyleBonus::MOST);
    }

    #[test]
    fn the_draw_bonus_is_the_score_of_a_draw() {
        use crate::{Engine, Limits, Score, SearchControl, SearchRequest, Stop};
        use sparring_chess::units::{Centipawns, Depth, Stopwatch};
        // White is lost, but for checks without end.
        let line = GameHistory::replay(Variant::Standard, "6k1/6p1/8/7Q/8/8/rq4PP/7K w - - 0 1", "").unwrap();
        let score = |draws: i32| {
            let limits = Limits {
                depth: Some(Depth(7)),
                ..Limits::default()
            };
            let search = SearchRequest {
                style_bonus: StyleBonus {
                    draws,
                    ..StyleBonus::default()
                },
                ..SearchRequest::new(line.clone(), limits)
            };
            let control = SearchControl {
                stop: &Stop::new(),
                clock: &Stopwatch::start(),
            };
            let report = Engine::new(1).search(&search, &control, &mut |_| {});
            report.lines[0].score
        };
        assert_eq!(
            [-50, 0, 50].map(score),
            [-50, 0, 50].map(|cp| Score::Cp(Centipawns(cp)))
        );
    }

    #[test]
    fn other_bonuses_and_sides_share_no_table_entries() {
        let none = StyleBonus::default();
        let salts: Vec<u64> = [
            StyleBonus { siege: 5, ..none },
            StyleBonus { siege: -5, ..none },
            StyleBonus { queens: 5, ..none },
        ]
        .iter()
        .flat_map(|bonus| Color::ALL.map(|side| PreparedStyleBonus::new(bonus, side).salt()))
        .collect();
        assert_eq!(PreparedStyleBonus::new(&none, Color::White).salt(), 0);
        for (index, salt) in salts.iter().enumerate() {
            assert!(*salt != 0 && !salts[..index].contains(salt));
        }
    }
}
