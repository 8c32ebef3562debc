//! Generator of ids, tokens and colors, from one seed.

use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

use sparring_chess::Color;
use sparring_lichess::model::GameId;

const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The world's only source of chance.
#[derive(Debug)]
pub struct IdGenerator(ChaCha8Rng);

impl IdGenerator {
    /// Chance that repeats with the seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn letters(&mut self, count: usize) -> String {
        (0..count)
            .map(|_| char::from(LETTERS[self.0.random_range(0..LETTERS.len())]))
            .collect()
    }

    /// A game id that is not taken.
    pub fn game_id(&mut self, taken: impl Fn(&GameId) -> bool) -> GameId {
        loop {
            match self.letters(8).parse() {
                Ok(id) if !taken(&id) => return id,
                _ => {}
            }
        }
    }

    /// The four letters that make a game's id a player's own.
    pub fn private_part(&mut self) -> String {
        self.letters(4)
    }

    /// A personal token in lichess' form.
    pub fn token(&mut self) -> String {
        format!("lip_{}", self.letters(20))
    }

    /// Heads or tails.
    pub fn color(&mut self) -> Color {
        Color::from_white(self.coin())
    }

    /// Heads or tails.
    pub fn coin(&mut self) -> bool {
        self.0.random_bool(0.5)
    }

    /// One of the starts of Chess960.
    pub fn start_number(&mut self) -> u32 {
        self.0.random_range(0..960)
    }
}
