//! Scores: centipawns, or mate in a number of moves.

use std::fmt;

use sparring_chess::units::Centipawns;

/// The deepest ply a search reaches, quiescence included.
pub(super) const MAX_PLY: usize = 128;

/// Half moves without progress after which the game is drawn; the last of them may still mate.
const FIFTY_MOVES: usize = 100;

/// The depth of the last possible iteration.
pub(super) const DEEPEST: i32 = MAX_PLY as i32 - 1;

/// A mate on the board, for the winner; each ply of distance takes one off.
pub(super) const MATE: i32 = 32_000;

/// Beyond every score that can be.
pub(super) const INFINITE: i32 = MATE + 1;

/// From here on upwards, and below its negative, a value means a mate within the horizon.
pub(super) const MATE_BOUND: i32 = MATE - MAX_PLY as i32;

/// An ending that is won by the tables, for the winner; each ply to it takes one off. Beyond every evaluation that occurs.
pub(super) const TABLE_WIN: i32 = 20_000;

/// From here on upwards, and below its negative, a value means that the game is decided: by mate or by endgame tables.
pub(super) const DECIDED: i32 = TABLE_WIN - MAX_PLY as i32;

/// The score of being mated `ply` plies from the root.
pub(super) const fn mated_in(ply: usize) -> i32 {
    -MATE + ply as i32
}

/// The score of mating `ply` plies from the root.
pub(super) const fn mate_in(ply: usize) -> i32 {
    MATE - ply as i32
}

/// Whether a value is a mate score, of either side.
pub(super) const fn is_mate(value: i32) -> bool {
    value.abs() >= MATE_BOUND
}

/// Whether a value means that the game is decided.
pub(super) const fn is_decided(value: i32) -> bool {
    value.abs() >= DECIDED
}

/// Counts a mate or an ending from the node instead of from the root, as the table must store it.
pub(super) const fn to_table(value: i32, ply: usize) -> i32 {
    if value >= DECIDED {
        value + ply as i32
    } else if value <= -DECIDED {
        value - ply as i32
    } else {
        value
    }
}

/// Counts from the root again: the inverse of [`to_table`].
pub(super) const fn from_table(value: i32, ply: usize) -> i32 {
    if value >= DECIDED {
        value - ply as i32
    } else if value <= -DECIDED {
        value + ply as i32
    } else {
        value
    }
}

/// Whether a stored score is still valid at a node this many plies from the root, with this halfmove clock: a mate, or a
/// tablebase win, may come too late for the fifty-move rule, or lie beyond the horizon.
pub(super) const fn holds(stored: i32, ply: usize, halfmoves: u32) -> bool {
    if !is_mate(stored) {
        return !is_decided(stored) || (TABLE_WIN - stored.abs()) + ply as i32 <= MAX_PLY as i32;
    }
    let distance = (MATE - stored.abs()) as usize;
    distance + halfmoves as usize <= FIFTY_MOVES && distance + ply <= MAX_PLY
}

/// A verdict for the side to move at the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// An estimate.
    Cp(Centipawns),
    /// Mate in this many moves of the winner: positive when the side to move wins, negative when it loses.
    Mate(i32),
}

impl Score {
    /// Centipawns on one scale, where every mate is beyond all estimates, and the sooner the further.
    #[must_use]
    pub const fn scaled(self) -> i32 {
        const MATE: i32 = 100_000;
        match self {
            Self::Cp(cp) => cp.0,
            Self::Mate(moves) if moves < 0 => -MATE - moves,
            Self::Mate(moves) => MATE - moves,
        }
    }

    /// Reads a value of the search.
    pub(super) const fn from_value(value: i32) -> Self {
        if value >= MATE_BOUND {
            Self::Mate((MATE - value + 1) / 2)
        } else if value <= -MATE_BOUND {
            Self::Mate(-(MATE + value + 1) / 2)
        } else {
            Self::Cp(Centipawns(value))
        }
    }
}

impl fmt::Display for Score {
    /// As UCI writes it: `cp 31` or `mate -2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cp(cp) => write!(f, "cp {}", cp.0),
            Self::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_moves_of_the_winner() {
        assert_eq!(Score::from_value(mate_in(1)), Score::Mate(1));
        assert_eq!(Score::from_value(mate_in(3)), Score::Mate(2));
        assert_eq!(Score::from_value(mated_in(2)), Score::Mate(-1));
        assert_eq!(Score::from_value(mated_in(4)), Score::Mate(-2));
        assert_eq!(Score::from_value(-35), Score::Cp(Centipawns(-35)));
    }

    #[test]
    fn a_stored_mate_holds_only_where_it_comes_in_time() {
        for (stored, ply, halfmoves, expected) in [
            (mate_in(20), 3, 80, true),
            (mate_in(20), 3, 81, false),
            (mated_in(20), 3, 80, true),
            (mated_in(20), 3, 81, false),
            (mate_in(60), 68, 0, true),
            (mate_in(60), 69, 0, false),
            (900, 127, 150, true),
            (TABLE_WIN - 60, 68, 0, true),
            (60 - TABLE_WIN, 69, 0, false),
        ] {
            assert_eq!(
                holds(stored, ply, halfmoves),
                expected,
                "{stored} {ply} {halfmoves}"
            );
        }
        let late = from_table(mate_in(60), 69);
        assert!(!is_mate(late), "beyond the horizon it would pass for an estimate");
    }

    #[test]
    fn the_table_gives_back_what_it_was_given() {
        for value in [
            mate_in(9),
            mated_in(9),
            TABLE_WIN - 9,
            9 - TABLE_WIN,
            0,
            311,
            -4000,
        ] {
            assert_eq!(from_table(to_table(value, 7), 7), value);
        }
    }
}
