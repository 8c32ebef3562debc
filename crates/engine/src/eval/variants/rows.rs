//! The features of variants: a row of weights each, the same for every variant.

use super::super::weight::{Weight, WeightRow, length, small};

/// Declares the rows in their order, each as `NAME[length]`.
macro_rules! rows {
    ($($(#[doc = $doc:literal])+ $name:ident $([$length:literal])?;)+) => {
        /// One byte a pair: where a row lies in the table is its offset here.
        #[expect(non_snake_case, reason = "fields named as the constants whose offsets they give")]
        #[repr(C)]
        struct Layout {
            $($name: [u8; length!($($length)?)],)+
        }

        $(
            $(#[doc = $doc])+
            pub(super) const $name: Weight =
                Weight::row(std::mem::offset_of!(Layout, $name), length!($($length)?));
        )+

        /// How many pairs a side has.
        pub(super) const COUNT: usize = size_of::<Layout>();

        const ROWS: &[WeightRow] = &[
            $(WeightRow {
                name: stringify!($name),
                key: {
                    const SMALL: [u8; stringify!($name).len()] = small(stringify!($name));
                    match str::from_utf8(&SMALL) {
                        Ok(key) => key,
                        Err(_) => panic!("small letters of a name are letters"),
                    }
                },
                doc: concat!($($doc),+),
                first: std::mem::offset_of!(Layout, $name),
                length: length!($($length)?),
            },)+
        ];
    };
}

/// The rows of weights, in the order of a variant's table.
#[must_use]
pub fn variant_weight_rows() -> &'static [WeightRow] {
    ROWS
}

rows! {
    /// A man anywhere on the board: pawn to king.
    MATERIAL[6];
    /// A pawn on a square: ranks from its own side's first, files from the edge to the middle.
    PAWN_SQUARES[32];
    /// A knight on a square.
    KNIGHT_SQUARES[32];
    /// A bishop on a square.
    BISHOP_SQUARES[32];
    /// A rook on a square.
    ROOK_SQUARES[32];
    /// A queen on a square.
    QUEEN_SQUARES[32];
    /// A king on a square.
    KING_SQUARES[32];
    /// Two bishops or more.
    BISHOP_PAIR;
    /// Pawns in hand: one, two, three, four, more.
    PAWNS_IN_HAND[5];
    /// Knights in hand: one, two, three, four.
    KNIGHTS_IN_HAND[4];
    /// Bishops in hand.
    BISHOPS_IN_HAND[4];
    /// Rooks in hand.
    ROOKS_IN_HAND[4];
    /// Queens in hand.
    QUEENS_IN_HAND[2];
    /// A knight, by the squares it can go to that no enemy pawn attacks.
    KNIGHT_MOBILITY[9];
    /// A bishop, by the same.
    BISHOP_MOBILITY[14];
    /// A rook, by the same.
    ROOK_MOBILITY[15];
    /// A queen, by the same, two squares a step.
    QUEEN_MOBILITY[14];
    /// A king, by the squares next to it that are neither attacked nor taken by its own side.
    KING_MOBILITY[9];
    /// A pawn that no enemy pawn can stop or take, by rank.
    PASSED[8];
    /// A pawn that another one guards.
    GUARDED_PAWN;
    /// A pawn beside another.
    PHALANX;
    /// A pawn behind another.
    DOUBLED;
    /// A pawn with none on the files beside it.
    ISOLATED;
    /// A rook on a file without own pawns.
    ROOK_FILE;
    /// A man that is attacked and not guarded: pawn to king.
    HANGING[6];
    /// A man that is attacked by a lesser one: pawn to king.
    HARASSED[6];
    /// Pieces that attack squares next to the enemy king.
    ATTACKERS[6];
    /// Attacks on squares next to the enemy king.
    RING_ATTACKS[16];
    /// Pawns next to or before the own king.
    SHELTER[7];
    /// Checks that a piece could give from a square that is not guarded.
    SAFE_CHECKS[5];
    /// The same by a piece in hand.
    DROP_CHECKS[8];
    /// Free squares next to the enemy king that no man but it guards, while anything is in hand.
    DROP_SQUARES[9];
    /// Checks left to give.
    CHECKS_LEFT[4];
    /// The king's steps to the hill, by how many squares of the hill the enemy neither attacks nor blocks: none to four.
    HILL_ONE_STEP[5];
    /// The same two steps from it.
    HILL_TWO_STEPS[5];
    /// The same farther off.
    HILL_FARTHER[5];
    /// A king with a free step up the board, by rank.
    RACE_FREE[8];
    /// Attacks on men next to the enemy king, whose capture blows it up.
    BLAST_THREATS[5];
    /// Enemy men next to the own king, which it cannot take.
    BESIDE_KING[4];
    /// Captures that the side to move could make.
    CAPTURES_NOW[8];
    /// Captures that the other side could make if it were to move.
    CAPTURES_NEXT[8];
    /// Whose turn it is.
    THE_MOVE;
}
