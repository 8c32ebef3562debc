//! Style measured in a played game: one number per axis and per kind of blind spot.

use shakmaty::{Bitboard, Board};

use super::{
    axis::{Axis, COUNT},
    blind_spots::{BlindSpot, BlindSpots},
    moves::{EVEN, StyleExtractor, before_king},
};
use sparring_chess::{Color, GameHistory, Move, Role, Rules as _, men_near_king, pawnless_files};

/// Moves in which attack and shelter are measured: after the opening, before the endgame.
const MIDDLE: std::ops::RangeInclusive<usize> = 11..=30;

/// Moves in which queen moves are early.
const EARLY: usize = 15;

/// Moves in which the absence of queens counts.
const LATER: usize = 40;

/// A player who has not castled by this move never does.
const NEVER: usize = 30;

/// Measured values; `None` where the game was too short.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredStyle {
    /// In the order of [`Axis::ALL`].
    axes: [Option<f64>; COUNT],
    /// In the order of [`BlindSpot::NAMES`].
    kinds: [Option<f64>; BlindSpot::COUNT],
}

impl MeasuredStyle {
    /// The style of one side of a game of orthodox chess.
    #[must_use]
    pub fn of(game: &GameHistory, side: Color) -> Self {
        let mut counts = Counts::default();
        // From a start of its own, so that every position can be looked at in turn.
        let mut line = GameHistory::from_position(game.variant(), game.start().clone());
        for mv in game.moves() {
            if line.turn() == side {
                counts.before(&line, *mv);
            }
            line.play(*mv);
            if line.turn() != side {
                counts.after(&line, side);
            }
        }
        counts.measured()
    }

    /// The value of an axis; larger is more of it.
    #[must_use]
    pub fn on(&self, axis: Axis) -> Option<f64> {
        self.axes[axis as usize]
    }

    /// Percentage of moves of a kind where there was one. Not of all moves: overlooked threats leave more pieces to rescue.
    #[must_use]
    pub fn of_kind(&self, kind: BlindSpot) -> Option<f64> {
        self.kinds[kind as usize]
    }

    /// What the value of an axis counts.
    #[must_use]
    pub const fn meaning(axis: Axis) -> &'static str {
        match axis {
            Axis::Attack => "own men within two squares of the other king, moves 11 to 30",
            Axis::Shelter => "own men one or two ranks before the own king, moves 11 to 30",
            Axis::Castling => "moves left to move 30 when it castles",
            Axis::Greed => "captures that win material, of 100 moves at which there was one",
            Axis::Trades => "exchanges of pieces begun, of 30 moves, up to move 30",
            Axis::Pawns => "pawn moves of 100, up to move 30",
            Axis::Openness => "files without pawns less pawns that block each other, moves 11 to 30",
            Axis::Queen => "queen moves up to move 15",
            Axis::Endgames => "moves without queens on the board, of the first 40",
            Axis::Risk => "moves that offer material, of 40",
        }
    }
}

/// Counts so far.
#[derive(Debug, Default)]
struct Counts {
    moves: usize,
    castled: Option<usize>,
    greedy: Frequency,
    trades: usize,
    pawns: usize,
    queen: usize,
    offers: usize,
    siege: i32,
    shelter: i32,
    middle: usize,
    open: i32,
    without_queens: usize,
    kinds: [Frequency; BlindSpot::COUNT],
}

/// How often a kind of move was played when there was one.
#[derive(Debug, Clone, Copy, Default)]
struct Frequency {
    chances: usize,
    played: usize,
}

impl Frequency {
    /// Counts a move.
    fn add(&mut self, could: bool, did: bool) {
        self.chances += usize::from(could);
        self.played += usize::from(did);
    }

    /// Percentage; `None` below three chances.
    fn of_100(self) -> Option<f64> {
        (self.chances >= 3).then(|| 100.0 * self.played as f64 / self.chances as f64)
    }
}

impl Counts {
    /// Counts a move of the player in the position before it.
    fn before(&mut self, line: &GameHistory, mv: Move) {
        self.moves += 1;
        let extractor = StyleExtractor::new(line);
        let wins = |mv: Move| mv.is_capture() && extractor.gain(mv) > EVEN && !line.is_recapture(mv);
        let legal = line.position().legal_moves();
        self.greedy.add(legal.iter().any(|mv| wins(*mv)), wins(mv));
        for (share, (_, kind)) in self.kinds.iter_mut().zip(BlindSpot::NAMES.0) {
            let is_one = |mv: Move| BlindSpots::of(&[*kind]).covers(&extractor, mv);
            share.add(legal.iter().any(|mv| is_one(*mv)), is_one(mv));
        }
        self.offers += usize::from(extractor.gain(mv) < -EVEN);
        self.trades += usize::from(extractor.trade(mv) && self.moves <= NEVER);
        self.pawns += usize::from(mv.role() == Role::Pawn && self.moves <= NEVER);
        self.queen += usize::from(mv.role() == Role::Queen && self.moves <= EARLY);
        if mv.is_castle() {
            self.castled.get_or_insert(self.moves);
        }
    }

    /// Counts the position after a move of the player.
    fn after(&mut self, line: &GameHistory, side: Color) {
        let board = line.position().board();
        if MIDDLE.contains(&self.moves) {
            self.middle += 1;
            self.siege += men_near_king(board, side, !side);
            self.shelter += men_before_king(board, side);
            self.open += pawnless_files(board) - blocked_pairs(board);
        }
        self.without_queens += usize::from(self.moves <= LATER && board.queens().is_empty());
    }

    fn measured(&self) -> MeasuredStyle {
        let each = |count: usize, of: usize| (of > 0).then(|| count as f64 / of as f64);
        let average = |sum: i32| (self.middle > 0).then(|| f64::from(sum) / self.middle as f64);
        let of_40 = |count: usize| each(40 * count, self.moves).filter(|_| self.moves >= 10);
        let mut axes = [None; COUNT];
        for row in Axis::ALL {
            axes[row.axis as usize] = match row.axis {
                Axis::Attack => average(self.siege),
                Axis::Shelter => average(self.shelter),
                Axis::Castling => (self.castled.is_some() || self.moves >= NEVER)
                    .then(|| NEVER.saturating_sub(self.castled.unwrap_or(NEVER)) as f64),
                Axis::Greed => self.greedy.of_100(),
                Axis::Trades => each(30 * self.trades, self.moves.min(NEVER)).filter(|_| self.moves >= 10),
                Axis::Pawns => each(100 * self.pawns, self.moves.min(NEVER)),
                Axis::Openness => average(self.open),
                Axis::Queen => (self.moves >= EARLY).then_some(self.queen as f64),
                Axis::Endgames => (self.moves >= NEVER).then_some(self.without_queens as f64),
                Axis::Risk => of_40(self.offers),
            };
        }
        MeasuredStyle {
            axes,
            kinds: self.kinds.map(Frequency::of_100),
        }
    }
}

/// Men of a color one or two ranks in front of its king, on its file and those beside it.
fn men_before_king(board: &Board, color: Color) -> i32 {
    let before = board
        .king_of(color)
        .map_or(Bitboard::EMPTY, |king| before_king(king, color));
    (before & board.by_color(color)).count() as i32
}

/// Pairs of pawns that block each other.
fn blocked_pairs(board: &Board) -> i32 {
    let white = board.pawns() & board.by_color(Color::White);
    let black = board.pawns() & board.by_color(Color::Black);
    (white.shift(8) & black).count() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::Variant;

    #[test]
    fn a_game_shows_what_was_played() {
        // A short Spanish: White castles on move 5, Black's queen goes out once, one exchange of pieces.
        let moves = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 d8f6 d2d4 e5d4 f3d4 f8c5 c1e3 c5d4 \
                     e3d4 f6g6 b1c3 g8f6 f1e1";
        let game = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
        let white = MeasuredStyle::of(&game, Color::White);
        assert_eq!(white.on(Axis::Castling), Some(25.0));
        assert_eq!(
            white.on(Axis::Trades),
            Some(30.0 * 1.0 / 11.0),
            "on c6; d4 was taken back"
        );
        assert_eq!(white.on(Axis::Pawns), Some(200.0 / 11.0));
        assert_eq!(white.on(Axis::Queen), None, "too short");
        assert_eq!(
            white.of_kind(BlindSpot::Knights),
            Some(100.0 * 2.0 / 11.0),
            "f3 and c3, of all its moves; d4 took back"
        );
        let black = MeasuredStyle::of(&game, Color::Black);
        assert_eq!(black.on(Axis::Castling), None, "not yet known");
        assert!(black.on(Axis::Trades) > Some(0.0));
    }

    #[test]
    fn greed_and_rescues_are_counted_where_there_was_something_to_take_or_to_rescue() {
        // A pawn hangs, or a knight does, and only the third move sees it; then nothing is left to take or to rescue.
        for (start, moves, hoped) in [
            (
                "4k3/8/8/8/p7/8/8/R3K3 w - - 0 1",
                "e1e2 e8e7 e2e3 e7e6 a1a4 e6e5 e3f3",
                [Some(100.0 / 3.0), None],
            ),
            (
                "2r1k3/8/8/8/8/2N5/8/4K3 w - - 0 1",
                "e1f1 e8f8 f1g1 f8g8 c3b5 g8f8 g1g2",
                [None, Some(100.0 / 3.0)],
            ),
            // Two chances say nothing yet.
            ("4k3/8/8/8/p7/8/8/R3K3 w - - 0 1", "e1e2 e8e7 a1a4", [None, None]),
        ] {
            let game = GameHistory::replay(Variant::Standard, start, moves).unwrap();
            let measured = MeasuredStyle::of(&game, Color::White);
            let found = [measured.on(Axis::Greed), measured.of_kind(BlindSpot::Defence)];
            assert_eq!(found, hoped, "{moves}");
        }
    }

    #[test]
    fn every_axis_says_what_its_number_counts() {
        for row in Axis::ALL {
            assert!(!MeasuredStyle::meaning(row.axis).is_empty());
        }
    }
}
