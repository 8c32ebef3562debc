//! A weight: an index into the table of pairs that `weights.rs` declares.
//!
//! Terms name weights, never numbers. In play a weight is a constant of the table; the tuner counts instead how often a
//! position uses each (see [`super::accumulator`]). So both read the same terms, at no cost in play.

/// A weight, or the first of a row of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weight {
    first: u16,
    length: u16,
}

impl Weight {
    /// The row that begins at a place of the table. For the table itself only.
    pub const fn row(first: usize, length: usize) -> Self {
        Self {
            first: first as u16,
            length: length as u16,
        }
    }

    /// A weight of the row; beyond its end, the last.
    pub const fn at(self, index: usize) -> Self {
        let last = self.length as usize - 1;
        let index = if index < last { index } else { last };
        Self {
            first: self.first + index as u16,
            length: 1,
        }
    }

    /// Its place in the table.
    pub const fn index(self) -> usize {
        self.first as usize
    }
}

/// A weight or a row of weights as declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeightRow {
    /// Its name in the source.
    pub name: &'static str,
    /// Its name in settings: the same in small letters.
    pub key: &'static str,
    /// What it counts.
    pub doc: &'static str,
    /// The place of its first pair in the table.
    pub first: usize,
    /// How many pairs it has.
    pub length: usize,
}

/// Declares the table: each weight as `NAME = (middle game, endgame);`, each row as `NAME[length] = [pairs];`.
macro_rules! weights {
    ($($(#[doc = $doc:literal])+ $name:ident $([$length:literal])? = $values:tt;)+) => {
        /// One byte a pair, in the order of declaration: where a row lies in the table is its offset here.
        #[expect(non_snake_case, reason = "fields named as the constants whose offsets they give")]
        #[repr(C)]
        struct Layout {
            $($name: [u8; super::weight::length!($($length)?)],)+
        }

        $(
            $(#[doc = $doc])+
            pub(super) const $name: super::weight::Weight = super::weight::Weight::row(
                std::mem::offset_of!(Layout, $name),
                super::weight::length!($($length)?),
            );
        )+

        /// How many pairs there are.
        pub(super) const COUNT: usize = size_of::<Layout>();

        /// Every row, in the order of declaration.
        pub(super) const ROWS: &[super::weight::WeightRow] = &[
            $(super::weight::WeightRow {
                name: stringify!($name),
                key: {
                    const SMALL: [u8; stringify!($name).len()] = super::weight::small(stringify!($name));
                    match str::from_utf8(&SMALL) {
                        Ok(key) => key,
                        Err(_) => panic!("small letters of a name are letters"),
                    }
                },
                doc: concat!($($doc),+),
                first: std::mem::offset_of!(Layout, $name),
                length: super::weight::length!($($length)?),
            },)+
        ];

        /// The pairs in use.
        pub(super) static TABLE: [super::score_pair::ScorePair; COUNT] = TABLE_VALUES;

        /// The same for reckoning at compile time.
        pub(super) const TABLE_VALUES: [super::score_pair::ScorePair; COUNT] = {
            let mut table = [super::score_pair::ScorePair::ZERO; COUNT];
            let mut next = 0;
            $(
                let row = super::weight::pairs!($values);
                let row: &[(i32, i32)] = &row;
                let mut index = 0;
                while index < row.len() {
                    table[next] = super::score_pair::t(row[index].0, row[index].1);
                    next += 1;
                    index += 1;
                }
                // A row of another length than declared must not shift those after it.
                assert!(next == $name.index() + super::weight::length!($($length)?));
            )+
            table
        };
    };
}

/// A name in small letters; `LENGTH` is its length in bytes.
pub(super) const fn small<const LENGTH: usize>(name: &str) -> [u8; LENGTH] {
    let mut small = [0; LENGTH];
    let mut index = 0;
    while index < LENGTH {
        small[index] = name.as_bytes()[index].to_ascii_lowercase();
        index += 1;
    }
    small
}

/// The length of a row; a single weight's is one.
macro_rules! length {
    () => {
        1
    };
    ($length:literal) => {
        $length
    };
}

/// The pairs of a row; a single weight is a row of one.
macro_rules! pairs {
    (($mg:literal, $eg:literal)) => {
        [($mg, $eg)]
    };
    ($row:tt) => {
        $row
    };
}

pub(super) use {length, pairs, weights};

#[cfg(test)]
mod tests {
    use super::{
        super::weights::{COUNT, KNIGHT_MOBILITY, MATERIAL, ROWS, TABLE},
        *,
    };

    #[test]
    fn rows_lie_one_behind_the_other() {
        let mut next = 0;
        for row in ROWS {
            assert_eq!(row.first, next, "{}", row.name);
            assert!(row.length > 0 && !row.doc.trim().is_empty());
            assert_eq!(row.key, row.name.to_lowercase());
            next += row.length;
        }
        assert_eq!(next, COUNT);
    }

    #[test]
    fn beyond_the_end_of_a_row_is_its_last_weight() {
        assert_eq!(KNIGHT_MOBILITY.at(8), KNIGHT_MOBILITY.at(27));
        assert_ne!(KNIGHT_MOBILITY.at(7), KNIGHT_MOBILITY.at(8));
        let pawn = TABLE[MATERIAL.at(0).index()];
        assert!(pawn.mg() > 50 && pawn.eg() > 50);
    }

    #[test]
    fn a_weight_has_the_index_of_its_row() {
        assert_eq!(Weight::row(3, 2).at(1).index(), 4);
    }
}
