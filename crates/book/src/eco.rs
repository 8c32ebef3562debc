//! ECO codes and opening names by position.

use std::{collections::HashMap, fmt, sync::LazyLock};

use sparring_chess::{Rules as _, Variant, key, parse_san};

/// An opening by its code and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// A letter from A to E and two digits, as in `B90`.
    pub eco: &'static str,
    /// The name from the family to the line, as in `Sicilian Defense, Najdorf`.
    pub name: &'static str,
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.eco, self.name)
    }
}

/// Our own list, written down from what is common knowledge among players: `CODE Name: moves`.
const LIST: &str = include_str!("openings.txt");

static BY_KEY: LazyLock<HashMap<u64, Opening>> = LazyLock::new(|| {
    let mut found = HashMap::new();
    for line in LIST.lines() {
        if let Some((opening, key)) = read(line) {
            found.insert(key, opening);
        }
    }
    found
});

/// The opening that a position, by [`chess::key`](sparring_chess::key), is known as.
#[must_use]
pub fn name(key: u64) -> Option<Opening> {
    BY_KEY.get(&key).copied()
}

/// The opening of a game by the keys of its positions: the last one with a name.
#[must_use]
pub fn name_of(keys: &[u64]) -> Option<Opening> {
    keys.iter().rev().find_map(|key| name(*key))
}

/// An entry of the list; none for blank lines and comments, and a test sees to it that all others can be read.
fn read(line: &'static str) -> Option<(Opening, u64)> {
    let (title, moves) = line.split_once(": ")?;
    let (eco, name) = title.split_once(' ')?;
    let mut pos = Variant::Standard.start();
    for word in moves.split_ascii_whitespace() {
        let mv = parse_san(&pos, word).ok()?;
        pos.play_unchecked(mv);
    }
    Some((Opening { eco, name }, key(&pos)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use sparring_chess::GameHistory;

    #[test]
    fn every_line_of_the_list_can_be_read_and_none_names_a_position_twice() {
        let mut seen: HashMap<u64, &str> = HashMap::new();
        let mut codes = BTreeSet::new();
        for line in LIST
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (opening, key) = read(line).unwrap_or_else(|| panic!("cannot be read: {line}"));
            let code = opening.eco.as_bytes();
            assert!((b'A'..=b'E').contains(&code[0]) && code.len() == 3, "{line}");
            assert!(code[1..].iter().all(u8::is_ascii_digit), "{line}");
            codes.insert(opening.eco);
            if let Some(other) = seen.insert(key, line) {
                panic!("the same position twice:\n{other}\n{line}");
            }
        }
        assert_eq!(
            codes.len(),
            500,
            "each code from A00 to E99 is the code of some position"
        );
    }

    #[test]
    fn a_position_has_its_name_by_any_order_of_moves() {
        let game = |moves| GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
        let slav = game("c2c4 c7c6 d2d4 d7d5");
        assert_eq!(name_of(slav.keys()).unwrap().to_string(), "D10 Slav Defense");
        let beyond = game("e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 h2h3 h7h5");
        assert_eq!(name_of(beyond.keys()).unwrap().eco, "B90");
    }
}
