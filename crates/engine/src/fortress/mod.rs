//! Fortress recognizers: drawn endgames with material ahead, proven against tablebases.
//!
//! A rule claims only what is certain: `sparring-lab verify-endgames` counts claims and false claims over all positions.
//! Each ending has a file of its own and sees the board from behind the stronger side.

mod bishop_pawn;
mod minors;
mod rook_pawn;

use shakmaty::{Bitboard, Board};

use super::{
    bounds::Bounds, handicap::PreparedHandicap, node::Node, node_context::NodeContext, thread_data::Searcher,
};
use sparring_chess::{Color, Rules as _, Square};

const SALT: u64 = 0x3c79_ac49_2ba7_b653;

/// The side that cannot win a position of orthodox chess without castling rights, if there is one. The other side may
/// still win if the first errs.
#[must_use]
pub fn cannot_win(board: &Board, turn: Color) -> Option<Color> {
    let is_held: fn(&EndgameView<'_>, bool) -> bool = match board.occupied().count() {
        4 => bishop_pawn::is_held,
        5 => |view, to_move| rook_pawn::is_held(view, to_move) || minors::is_held(view, to_move),
        _ => return None,
    };
    Color::ALL.into_iter().find(|strong| {
        is_held(
            &EndgameView {
                board,
                strong: *strong,
            },
            turn == *strong,
        )
    })
}

/// Mixed into the table keys of a search that plays on in a known draw: zero for all others.
pub(super) fn salt(root: &Node) -> u64 {
    if is_attacker_to_move(root) { SALT } else { 0 }
}

/// Whether a search uses these rules. A handicapped search does not.
pub(super) fn are_detected(root: &Node, handicap: &PreparedHandicap) -> bool {
    root.traits.orthodox_rules && !handicap.is_active() && !is_attacker_to_move(root)
}

/// Whether the side to move is the one that cannot win. Its search ignores the rules: otherwise all its moves would score
/// alike, and it would take the first that leaves the known draw, which seldom sets problems.
fn is_attacker_to_move(root: &Node) -> bool {
    root.traits.orthodox_rules && cannot_win(root.board(), root.turn) == Some(root.turn)
}

impl Searcher<'_> {
    /// Bounds of a node in a known draw: at most a draw for one side, at least a draw for the other.
    pub fn fortress_bounds(&self, node: &Node) -> Bounds {
        if !self.detects_fortresses || node.pos.castles().any() {
            return Bounds::NONE;
        }
        let draw = self.style.draw(node.turn);
        match cannot_win(node.board(), node.turn) {
            Some(side) if side == node.turn => Bounds::to(draw),
            Some(_) => Bounds::from(draw),
            None => Bounds::NONE,
        }
    }

    /// A known draw cuts a node off, or bounds its score. Where tablebases have bounded it, no rule is tried.
    pub fn fortress_cutoff(&self, here: &mut NodeContext<'_>) -> Option<i32> {
        if here.excluded.is_some() || here.bounds.are_any() {
            return None;
        }
        here.bounds = self.fortress_bounds(here.node);
        let settled = here.bounds.settle(here.alpha, here.beta);
        here.alpha = here.alpha.max(here.bounds.floor);
        here.beta = here.beta.min(here.bounds.ceiling);
        settled
    }
}

/// The board from behind the stronger side, whose pawns go up.
struct EndgameView<'b> {
    board: &'b Board,
    strong: Color,
}

impl EndgameView<'_> {
    /// Where one piece of a kind stands, from behind the stronger side.
    fn one(&self, of: Color, kind: Bitboard) -> Option<Square> {
        let square = (kind & self.board.by_color(of)).single_square()?;
        Some(self.strong.fold_wb(square, square.flip_vertical()))
    }

    /// Both kings, the stronger side's first.
    fn kings(&self) -> Option<[Square; 2]> {
        let kings = self.board.kings();
        Some([self.one(self.strong, kings)?, self.one(!self.strong, kings)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handicap::mix;
    use sparring_chess::{Position, Rank, Variant, parse_fen};

    fn position(fen: &str) -> Position {
        parse_fen(Variant::Standard, fen).unwrap()
    }

    fn known(fen: &str) -> Option<Color> {
        let pos = position(fen);
        cannot_win(pos.board(), pos.turn())
    }

    #[test]
    fn textbook_draws_are_recognised_and_wins_are_not() {
        for (fen, side) in [
            // Philidor: the rook on the sixth rank until the pawn is there, with either side to move.
            ("4k3/7R/r7/3KP3/8/8/8/8 w - - 0 1", Some(Color::White)),
            ("4k3/7R/r7/3KP3/8/8/8/8 b - - 0 1", Some(Color::White)),
            ("8/8/8/8/3kp3/R7/7r/4K3 w - - 0 1", Some(Color::Black)),
            // The pawn on the sixth, and Lucena.
            ("4k3/7R/r2KP3/8/8/8/8/8 w - - 0 1", None),
            ("1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1", None),
            // The bishop sees a square before the pawn; shut in beside it, it does not save the game.
            ("8/8/8/1K6/P7/8/6b1/7k w - - 0 1", Some(Color::White)),
            ("8/8/8/1K1P4/8/8/6k1/b7 b - - 0 1", Some(Color::White)),
            ("1b6/8/P1K5/8/8/8/8/7k w - - 0 1", None),
            // The pawn takes the bishop.
            ("8/2b5/1P6/1K6/8/8/8/7k w - - 0 1", None),
            // A knight beside its king in the middle, and one in the corner.
            ("8/8/8/3nk3/8/B7/8/KN6 w - - 0 1", Some(Color::White)),
            ("n7/8/1K6/8/3B4/8/N5k1/8 w - - 0 1", None),
        ] {
            assert_eq!(known(fen), side, "{fen}");
        }
    }

    #[test]
    fn other_endings_are_not_recognised() {
        for fen in [
            "startpos",
            "4k3/7R/r7/3KP3/8/8/8/8 w - - 0 1".replace('r', "q").as_str(),
            "4k3/7R/r7/3KPP2/8/8/8/8 w - - 0 1",
            "4k3/8/8/3KP3/8/8/8/8 w - - 0 1",
            "8/8/8/1K6/P7/8/6n1/7k w - - 0 1",
        ] {
            assert_eq!(known(fen), None, "{fen}");
        }
    }

    /// The pieces of the known endings, the stronger side's first.
    const MEN: [(&str, &str); 3] = [("KP", "kb"), ("KBN", "kn"), ("KRP", "kr")];

    /// All boards that are the same one for the rules: turned and mirrored where there are no pawns, left and right changed
    /// where there are.
    fn alike(board: &Board) -> Vec<Board> {
        let turns: &[fn(&mut Board)] = match board.pawns().any() {
            true => &[Board::flip_horizontal],
            false => &[
                Board::flip_horizontal,
                Board::flip_vertical,
                Board::flip_diagonal,
                Board::flip_anti_diagonal,
                Board::rotate_90,
                Board::rotate_180,
                Board::rotate_270,
            ],
        };
        let turned = |turn: &fn(&mut Board)| {
            let mut other = board.clone();
            turn(&mut other);
            other
        };
        turns.iter().map(turned).collect()
    }

    /// The same board with colors changed.
    fn with_colors_changed(board: &Board) -> Board {
        let mut other = Board::empty();
        for square in board.occupied() {
            let Some(piece) = board.piece_at(square) else {
                continue;
            };
            let color = !piece.color;
            other.set_piece_at(square.flip_vertical(), shakmaty::Piece { color, ..piece });
        }
        other
    }

    /// Endings are proven for one board of each set of mirrored boards, so the rules must not distinguish these.
    #[test]
    fn mirrored_boards_are_recognised_alike() {
        let mut chance = Chance(1);
        for (strong, weak) in MEN {
            let mut claimed = 0;
            for _ in 0..15_000 {
                let mut board = Board::empty();
                for man in strong.chars().chain(weak.chars()) {
                    let edges = Bitboard::from_rank(Rank::First) | Rank::Eighth;
                    let barred = if man == 'P' { edges } else { Bitboard::EMPTY };
                    let free = !board.occupied() & !barred;
                    let square = free.into_iter().nth(chance.below(free.count())).unwrap();
                    board.set_piece_at(square, shakmaty::Piece::from_char(man).unwrap());
                }
                for turn in Color::ALL {
                    let known = cannot_win(&board, turn);
                    claimed += usize::from(known.is_some());
                    for other in alike(&board) {
                        assert_eq!(cannot_win(&other, turn), known, "{board} {other}");
                    }
                    let other = with_colors_changed(&board);
                    assert_eq!(cannot_win(&other, !turn), known.map(|side| !side), "{board}");
                }
            }
            assert!(claimed > 500, "{strong} against {weak}: {claimed}");
        }
    }

    /// Numbers by chance, always the same ones.
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = mix(self.0);
            (self.0 % bound as u64) as usize
        }
    }
}
