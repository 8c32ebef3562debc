//! Finds a player by name, and suggests similar names.

use std::{cmp::Reverse, collections::HashMap, ops::RangeInclusive};

use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};

use super::common;
use sparring_chess::{Color, RecordedGame};
use sparring_lichess::Escaped;

/// So many different names are remembered; a file may have millions of players.
const MOST: usize = 1000;

/// So many are named.
const SHOWN: usize = 5;

/// Below this likeness two names are hardly the same person's; found by trying misspelt names of masters.
const CLOSE: f64 = 0.9;

/// A name to be found among the players of games.
#[derive(Debug)]
pub struct Player {
    name: String,
    lower: String,
    words: Vec<String>,
    games: u64,
    /// How many games those have who are called nearly so.
    similar: HashMap<String, u64>,
}

impl Player {
    /// Nobody met yet.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            lower: plain(name),
            words: words(name),
            games: 0,
            similar: HashMap::new(),
        }
    }

    /// Whether this is the name; upper and lower case are the same.
    pub fn is(&self, name: &str) -> bool {
        plain(name) == self.lower
    }

    /// Games of this player so far, whatever else is asked of them.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Looks at who played a game.
    pub fn meet(&mut self, game: &RecordedGame) {
        let names = [Color::White, Color::Black].map(|side| game.name_of(side));
        self.meet_among(names.into_iter().flatten());
    }

    /// Looks at who played a game, by name.
    pub fn meet_among<'n>(&mut self, names: impl Iterator<Item = &'n str> + Clone) {
        if names.clone().any(|name| self.is(name)) {
            self.games += 1;
            return;
        }
        // Once the player is found, nobody asks who else there is.
        for name in names.filter(|_| self.games == 0) {
            if let Some(games) = self.similar.get_mut(name) {
                *games += 1;
            } else if self.similar.len() < MOST && likeness(&self.words, &words(name)) >= CLOSE {
                self.similar.insert(name.to_owned(), 1);
            }
        }
    }

    /// What is said where nothing of the player was used: that there are no games, and who is called nearly so, or how many
    /// games there are.
    pub fn absence(&self, read: u64) -> String {
        let (name, read) = (&self.name, common::several(read as usize, "game"));
        if self.games > 0 {
            let games = common::several(self.games as usize, "game");
            return format!("\"{name}\" has {games} of {read}");
        }
        let mut similar: Vec<(&String, &u64)> = self.similar.iter().collect();
        let rank = |name: &str| (likeness(&self.words, &words(name)) * 100.0) as u64;
        similar.sort_by_cached_key(|(name, games)| (Reverse((rank(name), **games)), name.to_string()));
        let named = similar.iter().take(SHOWN).map(|(name, games)| {
            let games = common::several(**games as usize, "game");
            format!("\"{}\" ({games})", Escaped(name))
        });
        let named: Vec<String> = named.collect();
        match named.is_empty() {
            true => format!("no game of \"{name}\" in {read}"),
            false => format!("no game of \"{name}\" in {read}; similar: {}", named.join(", ")),
        }
    }
}

/// A name as it is compared: accents on their letters, small letters, and one blank between words.
fn plain(name: &str) -> String {
    let composed = ComposingNormalizer::new_nfc().normalize(name);
    let words: Vec<String> = composed.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

/// The words of a name without the looks of their letters, in an order of their own: `Müller, Karl` and `Karl Muller` have
/// the same.
fn words(name: &str) -> Vec<String> {
    let decomposed = DecomposingNormalizer::new_nfd().normalize(name).to_lowercase();
    let mut bare: String = decomposed.chars().filter(|c| !ACCENTS.contains(c)).collect();
    for (letter, spelt) in SPELLINGS {
        bare = bare.replace(letter, spelt);
    }
    let words = bare.split(|c: char| !c.is_alphanumeric());
    let mut words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
    words.sort();
    words
}

/// What letters with accents are decomposed into, besides the letter.
const ACCENTS: RangeInclusive<char> = '\u{300}'..='\u{36f}';

/// Letters that are no others with accents, as people write them who do not have them.
const SPELLINGS: [(char, &str); 8] = [
    ('ß', "ss"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('ø', "o"),
    ('ł', "l"),
    ('đ', "d"),
    ('ð', "d"),
    ('ı', "i"),
];

/// How alike two names are, from 0 to 1.
fn likeness(wanted: &[String], found: &[String]) -> f64 {
    if wanted.is_empty() || found.is_empty() {
        return 0.0;
    }
    if wanted == found {
        return 1.0;
    }
    // "Carlsen" and "Carlsen, M" may both be "Carlsen, Magnus"; a single letter says too little.
    let (few, many) = if wanted.len() <= found.len() {
        (wanted, found)
    } else {
        (found, wanted)
    };
    let is_initial = |one: &str, word: &str| one.chars().count() == 1 && word.starts_with(one);
    let fits = |word: &String| {
        let mut others = many.iter();
        others.any(|other| word == other || is_initial(word, other) || is_initial(other, word))
    };
    let is_name = |word: &String| word.chars().count() > 2 && many.contains(word);
    if few.iter().all(fits) && few.iter().any(is_name) {
        return 0.95;
    }
    strsim::jaro_winkler(&wanted.join(" "), &found.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::Games;

    fn absence(wanted: &str, players: &[&str]) -> String {
        let mut player = Player::new(wanted);
        let mut read = 0;
        for name in players {
            let pgn = format!("[White \"{name}\"]\n[Black \"Zoe Quist\"]\n\n1. e4 *\n");
            player.meet(&Games::new(pgn.as_bytes(), 9).next_game().unwrap().unwrap());
            read += 1;
        }
        player.absence(read)
    }

    #[test]
    fn a_name_is_found_however_its_accents_are_stored() {
        assert_eq!(
            absence("M\u{fc}ller", &["Mu\u{308}ller"]),
            "\"Müller\" has 1 game of 1 game"
        );
    }

    #[test]
    fn who_is_not_found_is_told_who_is_called_nearly_so() {
        assert_eq!(
            absence("Muller", &["Müller", "Müller", "Cid"]),
            "no game of \"Muller\" in 3 games; similar: \"Müller\" (2 games)"
        );
        let similar = [
            ("Magnus Carlsen", "Carlsen, Magnus"),
            ("Carlsen", "Carlsen, Magnus"),
            ("Carlsen,M", "Carlsen, Magnus"),
            ("Carlsen, Magnus", "Carlsen,M"),
            ("Carlson, Magnus", "Carlsen, Magnus"),
            ("Lukasz Soren", "Łukasz Søren"),
            ("Mueller", "Müller"),
            ("Gross", "Groß"),
            ("MyBot", "MyBot1"),
        ];
        for (wanted, name) in similar {
            let expected = format!("no game of \"{wanted}\" in 1 game; similar: \"{name}\" (1 game)");
            assert_eq!(absence(wanted, &[name]), expected);
        }
        for (wanted, name) in [
            ("Ann", "Bob"),
            ("M", "Magnus"),
            ("Carlsen", "Caruana"),
            ("", "Ann"),
        ] {
            let expected = format!("no game of \"{wanted}\" in 1 game");
            assert_eq!(absence(wanted, &[name]), expected, "{name}");
        }
    }

    #[test]
    fn case_and_blanks_make_no_other_player() {
        assert!(Player::new("Müller,  karl").is("MÜLLER, Karl "));
        assert!(!Player::new("Muller").is("Müller"));
        assert_eq!(absence("ann", &["Ann", "Anne"]), "\"ann\" has 1 game of 2 games");
    }

    #[test]
    fn a_million_names_are_not_kept() {
        let mut player = Player::new("Ann Lee");
        for number in 0..MOST + 100 {
            let pgn = format!("[White \"Ann Lee {number}\"]\n\n1. e4 *\n");
            player.meet(&Games::new(pgn.as_bytes(), 9).next_game().unwrap().unwrap());
        }
        assert_eq!(player.similar.len(), MOST);
    }
}
