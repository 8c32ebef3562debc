//! The style axes: how players of equal strength differ.

/// Number of axes.
pub(super) const COUNT: usize = 10;

/// An axis of style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Attacking the enemy king.
    Attack,
    /// Protecting the own king.
    Shelter,
    /// Castling early, or not at all.
    Castling,
    /// Winning material.
    Greed,
    /// Exchanging pieces.
    Trades,
    /// Moving pawns.
    Pawns,
    /// Opening the position.
    Openness,
    /// Moving the queen out.
    Queen,
    /// Exchanging queens.
    Endgames,
    /// Sacrificing material.
    Risk,
}

/// An axis with its key and description.
#[derive(Debug, Clone, Copy)]
pub struct AxisRow {
    /// The axis.
    pub axis: Axis,
    /// Its key in a personality file.
    pub key: &'static str,
    /// What -2 and 2 mean.
    pub doc: &'static str,
}

impl Axis {
    /// Its key in a personality file.
    #[must_use]
    pub fn key(self) -> &'static str {
        Self::ALL[self as usize].key
    }

    /// All axes in display order.
    pub const ALL: [AxisRow; COUNT] = [
        row(
            Self::Attack,
            "attack",
            "-2 leaves the other king alone, 2 brings everything against it: pieces, checks, pawns.",
        ),
        row(
            Self::Shelter,
            "shelter",
            "-2 does not mind a bare king, 2 keeps pieces and pawns before its own.",
        ),
        row(
            Self::Castling,
            "castling",
            "-2 leaves its king in the middle, 2 castles as soon as it can.",
        ),
        row(
            Self::Greed,
            "greed",
            "-2 lets material lie, 2 takes whatever can be taken.",
        ),
        row(
            Self::Trades,
            "trades",
            "-2 keeps pieces on the board, 2 exchanges them wherever it can.",
        ),
        row(
            Self::Pawns,
            "pawns",
            "-2 moves pieces rather than pawns, 2 pushes pawns.",
        ),
        row(
            Self::Openness,
            "openness",
            "-2 keeps files and diagonals shut, 2 opens them.",
        ),
        row(
            Self::Queen,
            "queen",
            "-2 leaves the queen at home, 2 brings it out early and often.",
        ),
        row(
            Self::Endgames,
            "endgames",
            "-2 keeps the queens on, 2 exchanges them early.",
        ),
        row(
            Self::Risk,
            "risk",
            "-2 gives nothing away and likes a draw, 2 offers material where it costs little and shuns draws.",
        ),
    ];
}

const fn row(axis: Axis, key: &'static str, doc: &'static str) -> AxisRow {
    AxisRow { axis, key, doc }
}
