//! The weights of each variant, in centipawns: middle game and endgame. `sparring-lab tune --variant` writes the tables.

mod antichess;
mod atomic;
mod crazyhouse;
mod horde;
mod king_of_the_hill;
mod racing_kings;
mod three_check;

use super::super::score_pair::{ScorePair, t};
use sparring_chess::Variant;

/// The table of a variant, in the order of the rows; none for orthodox chess.
pub(super) fn table(variant: Variant) -> Option<&'static [ScorePair]> {
    Some(match variant {
        Variant::Standard | Variant::Chess960 | Variant::FromPosition => return None,
        Variant::KingOfTheHill => &king_of_the_hill::TABLE,
        Variant::ThreeCheck => &three_check::TABLE,
        Variant::Antichess => &antichess::TABLE,
        Variant::Atomic => &atomic::TABLE,
        Variant::Horde => &horde::TABLE,
        Variant::RacingKings => &racing_kings::TABLE,
        Variant::Crazyhouse => &crazyhouse::TABLE,
    })
}

/// A table from its numbers.
const fn pairs<const COUNT: usize>(numbers: [(i16, i16); COUNT]) -> [ScorePair; COUNT] {
    let mut table = [ScorePair::ZERO; COUNT];
    let mut place = 0;
    while place < COUNT {
        table[place] = t(numbers[place].0 as i32, numbers[place].1 as i32);
        place += 1;
    }
    table
}
