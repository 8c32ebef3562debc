//! Headers of a book: author, and the games it applies to (variant, color, speed, level).

use std::ops::{Range, RangeInclusive};

use sparring_chess::Variant;

/// The words of `speeds:`, as lichess writes them.
pub(super) const SPEEDS: [&str; 6] = [
    "ultraBullet",
    "bullet",
    "blitz",
    "rapid",
    "classical",
    "correspondence",
];

/// A book as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BookHeader {
    /// What its author calls it.
    pub title: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// The rules its moves follow.
    pub variant: Variant,
    /// The speeds it is for, as lichess writes them; all if there are none.
    pub speeds: Vec<&'static str>,
    /// The levels it is for, on the scale of lichess ratings; all if there are none.
    pub levels: Option<RangeInclusive<u32>>,
    /// The books whose lines it takes over.
    pub includes: Vec<Include>,
}

/// A book that is taken over by another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// The name of the book, as personalities call it.
    pub name: String,
    /// Where it is written.
    pub span: Range<usize>,
}

impl BookHeader {
    /// Whether the book is for a game of these rules, at this speed and level. What is not known fits.
    #[must_use]
    pub fn fits(&self, variant: Variant, speed: Option<&str>, level: Option<u32>) -> bool {
        // From position and chess960 are orthodox chess from another start, and so share books with it.
        let rules = self.variant == variant
            || self.variant.traits().standard_books && variant.traits().standard_books;
        let fast = speed.is_none_or(|speed| self.speeds.is_empty() || self.speeds.contains(&speed));
        let strong =
            level.is_none_or(|level| self.levels.as_ref().is_none_or(|levels| levels.contains(&level)));
        rules && fast && strong
    }
}

/// Reads `blitz rapid` or `blitz, rapid`.
pub(super) fn read_speeds(value: &str) -> Result<Vec<&'static str>, String> {
    let words = value.split([' ', ',', '\t']).filter(|word| !word.is_empty());
    words
        .map(|word| {
            let mut all = SPEEDS.into_iter();
            all.find(|speed| speed.eq_ignore_ascii_case(word))
                .ok_or_else(|| format!("\"{word}\" is not a speed"))
        })
        .collect()
}

/// Reads `1200-1800`, `1800-` (and above) or `-1200` (and below).
pub(super) fn read_levels(value: &str) -> Result<RangeInclusive<u32>, String> {
    let wrong = || format!("\"{value}\" is not a range of levels");
    let (from, to) = value.split_once('-').ok_or_else(wrong)?;
    let bound = |text: &str, open: u32| match text.trim() {
        "" => Ok(open),
        number => number.parse().map_err(|_| wrong()),
    };
    let levels = bound(from, 0)?..=bound(to, u32::MAX)?;
    if levels.is_empty() || value.trim() == "-" {
        return Err(wrong());
    }
    Ok(levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_levels_may_be_open() {
        assert_eq!(read_levels("1200-1800"), Ok(1200..=1800));
        assert_eq!(read_levels("1200 - 1800"), Ok(1200..=1800));
        assert_eq!(read_levels("1800-"), Ok(1800..=u32::MAX));
        assert_eq!(read_levels("-1200"), Ok(0..=1200));
        for wrong in ["", "-", "1200", "1800-1200", "a-b"] {
            assert!(read_levels(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_book_fits_the_games_it_names() {
        let head = BookHeader {
            speeds: read_speeds("Blitz, rapid").unwrap(),
            levels: Some(1000..=1500),
            ..BookHeader::default()
        };
        assert!(head.fits(Variant::Standard, Some("blitz"), Some(1000)));
        assert!(head.fits(Variant::FromPosition, None, None));
        assert!(!head.fits(Variant::Standard, Some("bullet"), None));
        assert!(!head.fits(Variant::Standard, None, Some(1600)));
        assert!(!head.fits(Variant::Atomic, None, None));
        assert!(read_speeds("blitz hyper").is_err());
    }
}
