//! Measures each style axis for one move: 0 to about 1, negative for a move against it. Rare kinds, such as exchanges, may exceed 1.

use shakmaty::{Bitboard, Board, attacks};

use super::axis::Axis;
use crate::see_value::{winnings, worth};
use sparring_chess::{Color, GameHistory, Move, Rank, Role, Rules as _, Square};

/// Largest gain or loss of an even exchange, in tenths of a pawn.
pub(super) const EVEN: i32 = 5;

/// Plies of a game within which a queen move is early.
const EARLY: usize = 24;

/// Measures the axes for the moves of one position.
pub(super) struct StyleExtractor<'a> {
    line: &'a GameHistory,
    board: &'a Board,
    us: Color,
    enemy_king: Option<Square>,
    own_king: Option<Square>,
}

impl<'a> StyleExtractor<'a> {
    pub fn new(line: &'a GameHistory) -> Self {
        let board = line.position().board();
        let us = line.turn();
        Self {
            line,
            board,
            us,
            enemy_king: board.king_of(!us),
            own_king: board.king_of(us),
        }
    }

    /// Whether the side to move is in check.
    pub fn is_in_check(&self) -> bool {
        self.line.position().is_check()
    }

    /// Whether a move recaptures.
    pub fn is_recapture(&self, mv: Move) -> bool {
        self.line.is_recapture(mv)
    }

    /// Whether a piece other than the king moves back towards its own side.
    pub fn is_backward(&self, mv: Move) -> bool {
        mv.role() != Role::King && mv.from().is_some_and(|from| self.rank(mv.to()) < self.rank(from))
    }

    /// Whether a piece leaves a square where it would be lost.
    pub fn escapes_loss(&self, mv: Move) -> bool {
        let loss = |from: Square| winnings(self.board, from, self.board.occupied(), !self.us, mv.role());
        mv.role() != Role::King && mv.from().is_some_and(|from| loss(from) > EVEN)
    }

    /// How much of an axis a legal move shows.
    pub fn measure(&self, axis: Axis, mv: Move) -> f32 {
        match axis {
            Axis::Attack => self.attack(mv),
            Axis::Shelter => self.shelter(mv),
            Axis::Castling => self.castling(mv),
            Axis::Greed => self.greed(mv),
            Axis::Trades => self.trades(mv),
            Axis::Pawns => match (mv.role(), mv.is_capture()) {
                (Role::Pawn, false) => 0.85,
                (Role::Pawn, true) => 0.5,
                _ => -0.1,
            },
            Axis::Openness => self.openness(mv),
            Axis::Queen => self.queen(mv),
            Axis::Endgames => self.queens_off(mv),
            Axis::Risk => fraction(-self.gain(mv).clamp(-20, 0), 15),
        }
    }

    /// Attack: a piece moves nearer to the enemy king, attacks squares around it or gives check, or a pawn advances on its wing.
    fn attack(&self, mv: Move) -> f32 {
        let (Some(king), Some(from)) = (self.enemy_king, mv.from()) else {
            return 0.0;
        };
        let to = mv.to();
        if mv.role() == Role::Pawn {
            let on_its_wing = king.file().distance(to.file()) <= 1;
            return if on_its_wing && self.rank(to) >= 3 {
                0.8
            } else {
                0.0
            };
        }
        if mv.role() == Role::King {
            return 0.0;
        }
        let nearer = king.distance(from) as f32 - king.distance(to) as f32;
        let occupied = self.board.occupied().without(from);
        let reach = attacks::attacks(to, mv.role().of(self.us), occupied);
        let aims = (reach & attacks::king_attacks(king)).count().min(3) as f32;
        let checks = if reach.contains(king) { 0.5 } else { 0.0 };
        let near = |square: Square| king.distance(square) <= 2;
        let joins = f32::from(i8::from(near(to)) - i8::from(near(from)));
        0.12 * nearer + 0.25 * aims + 0.3 * joins + checks
    }

    /// Shelter: men in front of the own king that a move adds or removes, and castling.
    fn shelter(&self, mv: Move) -> f32 {
        let (Some(king), Some(from)) = (self.own_king, mv.from()) else {
            return 0.0;
        };
        if mv.is_castle() {
            return 0.5;
        }
        if self.is_late() {
            return 0.0;
        }
        let own = self.board.by_color(self.us);
        let after = own.without(from).with(mv.to());
        let kept = if mv.role() == Role::King { mv.to() } else { king };
        let men = |own: Bitboard, king: Square| (own & before_king(king, self.us)).count() as f32;
        0.6 * (men(after, kept) - men(own, king)) - if mv.role() == Role::King { 0.4 } else { 0.0 }
    }

    fn castling(&self, mv: Move) -> f32 {
        let may_castle = self.line.position().castles().has_color(self.us);
        match mv.role() {
            _ if mv.is_castle() => 1.2,
            Role::King if may_castle => -1.0,
            _ => 0.0,
        }
    }

    /// Greed: captures that win material count fully, even a pawn; threats to win some count less.
    fn greed(&self, mv: Move) -> f32 {
        let gain = self.gain(mv);
        if gain > EVEN {
            return 2.0;
        }
        let Some(from) = mv.from().filter(|_| gain >= -EVEN) else {
            return 0.0;
        };
        let occupied = self.board.occupied().without(from).with(mv.to());
        let preys = attacks::attacks(mv.to(), mv.role().of(self.us), occupied)
            & self.board.by_color(!self.us)
            & !self.board.kings();
        let wins = |prey: Square| {
            let standing = self.board.role_at(prey).unwrap_or(Role::Pawn);
            let reply = winnings(self.board, prey, occupied.without(mv.to()), !self.us, mv.role());
            worth(standing) - reply > EVEN
        };
        // Of two that are threatened one is won.
        match preys.into_iter().filter(|prey| wins(*prey)).count() {
            0 => 0.0,
            1 => 1.6,
            _ => 2.6,
        }
    }

    /// Trades: an even exchange of pieces, not pawns, or the offer of one.
    fn trades(&self, mv: Move) -> f32 {
        if self.trade(mv) {
            return 1.8;
        }
        let Some(from) = mv
            .from()
            .filter(|_| !matches!(mv.role(), Role::Pawn | Role::King))
        else {
            return 0.0;
        };
        let takers = attacks::attacks(
            mv.to(),
            mv.role().of(self.us),
            self.board.occupied().without(from),
        ) & self.board.by_color(!self.us)
            & self.board.by_role(mv.role());
        let is_even = !mv.is_capture() && self.gain(mv) >= -EVEN;
        if is_even && takers.any() { 1.0 } else { 0.0 }
    }

    /// An even exchange of pieces, not pawns.
    pub fn trade(&self, mv: Move) -> bool {
        let is_piece = mv.capture().is_some_and(|role| role != Role::Pawn) && mv.role() != Role::Pawn;
        is_piece && self.gain(mv).abs() <= EVEN
    }

    /// Openness: pawn captures and pawn levers open lines, captures of pawns by pieces do a little; blocked pawns close them.
    fn openness(&self, mv: Move) -> f32 {
        if mv.role() != Role::Pawn {
            return if mv.capture() == Some(Role::Pawn) {
                0.4
            } else {
                0.0
            };
        }
        if mv.is_capture() {
            return 1.2;
        }
        let theirs = self.board.pawns() & self.board.by_color(!self.us);
        let meets = (attacks::pawn_attacks(self.us, mv.to()) & theirs).any();
        let ahead = mv.to().offset(if self.us.is_white() { 8 } else { -8 });
        let stopped = ahead.is_some_and(|square| theirs.contains(square));
        match (meets, stopped) {
            (true, _) => 1.0,
            (_, true) => -1.0,
            _ => 0.0,
        }
    }

    fn queen(&self, mv: Move) -> f32 {
        match mv.role() {
            Role::Queen if self.line.ply() < EARLY => 1.1,
            Role::Queen => 0.4,
            _ => 0.0,
        }
    }

    /// Queen exchanges, and moves that face the queens on a line with at most one man between. Winning a queen does not count.
    fn queens_off(&self, mv: Move) -> f32 {
        if mv.capture() == Some(Role::Queen) {
            return if self.gain(mv) <= EVEN { 2.0 } else { 0.0 };
        }
        let Some(from) = mv.from().filter(|_| self.gain(mv) >= -EVEN) else {
            return 0.0;
        };
        let queens = |of: Color| (self.board.queens() & self.board.by_color(of)).first();
        let own = match mv.role() {
            Role::Queen => Some(mv.to()),
            _ => queens(self.us),
        };
        let (Some(own), Some(theirs)) = (own, queens(!self.us)) else {
            return 0.0;
        };
        let occupied = self.board.occupied().without(from).with(mv.to());
        let is_aligned = attacks::queen_attacks(own, Bitboard::EMPTY).contains(theirs);
        match (attacks::between(own, theirs) & occupied).count() {
            0 if is_aligned => 1.9,
            1 if is_aligned => 1.3,
            _ => 0.0,
        }
    }

    /// SEE of a move in tenths of a pawn.
    pub fn gain(&self, mv: Move) -> i32 {
        let taken = mv.capture().map_or(0, worth);
        let Some(from) = mv.from().filter(|_| mv.role() != Role::King) else {
            return taken;
        };
        // The board is that before the move, so the moving piece is added on its target and removed from its origin.
        let occupied = self.board.occupied().without(from).with(mv.to());
        taken - winnings(self.board, mv.to(), occupied, !self.us, mv.role())
    }

    /// Ranks from one's own side of the board, 0 to 7.
    fn rank(&self, square: Square) -> i32 {
        let rank = square.rank() as i32;
        if self.us.is_white() {
            rank
        } else {
            Rank::Eighth as i32 - rank
        }
    }

    /// Whether at most six pieces are left: kings need no shelter then.
    fn is_late(&self) -> bool {
        let pieces = self.board.occupied() & !self.board.pawns() & !self.board.kings();
        pieces.count() <= 6
    }
}

/// The squares one and two ranks in front of a king of this color, on its file and those beside it.
pub(super) fn before_king(king: Square, color: Color) -> Bitboard {
    let ahead = |squares: Bitboard| color.fold_wb(squares.shift(8), squares.shift(-8));
    let beside = attacks::king_attacks(king).with(king) & Bitboard::from_rank(king.rank());
    let next = ahead(beside);
    next | ahead(next)
}

fn fraction(part: i32, whole: i32) -> f32 {
    part as f32 / whole as f32
}
