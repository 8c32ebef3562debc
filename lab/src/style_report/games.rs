//! Playing the games of a report: each style, and at first none, against the plain player.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::calibrate::{REFEREE, hash};
use sparring_chess::{Color, Position, units::Elo};
use sparring_match_runner::{BuiltinEngine, Finished, Opening, Participant as _};
use sparring_personality::{
    strength::Levels,
    style::{MeasuredStyle, Style},
};
use sparring_uci_client::UciError;

/// Players, level and number of games.
#[derive(Debug)]
pub struct Contest {
    /// The styles, the plain one first.
    pub styles: Vec<Style>,
    /// Everybody's level.
    pub level: Elo,
    /// Games of each style, an even number.
    pub games: usize,
    /// Names the games to chance.
    pub seed: u64,
    /// Where games begin.
    pub start: Position,
}

/// The games of one style, in the order of their numbers: two that follow each other have opposite colors.
#[derive(Debug, Clone, Default)]
pub struct Played {
    /// Measured style of each game.
    pub signs: Vec<MeasuredStyle>,
    /// Half points of each.
    pub half_points: Vec<usize>,
}

impl Contest {
    /// All games together.
    pub fn total(&self) -> usize {
        self.styles.len() * self.games
    }

    /// Plays, telling of each game, and returns the games of each style.
    ///
    /// # Errors
    /// When a game cannot be played: a report of fewer games than it says would be another one.
    pub fn run(&self, concurrency: usize, tell: &(dyn Fn() + Sync)) -> Result<Vec<Played>, UciError> {
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<Option<Result<_, UciError>>>> =
            Mutex::new(std::iter::repeat_with(|| None).take(self.total()).collect());
        thread::scope(|scope| {
            for _ in 0..concurrency.max(1) {
                scope.spawn(|| {
                    loop {
                        // Game by game over all styles, so that a report broken off would still be even.
                        let task = next.fetch_add(1, Ordering::Relaxed);
                        if task >= self.total() {
                            return;
                        }
                        let (game, style) = (task / self.styles.len(), task % self.styles.len());
                        let result = self.play(style, game);
                        let has_failed = result.is_err();
                        results.lock().unwrap_or_else(PoisonError::into_inner)[task] = Some(result);
                        if has_failed {
                            // Start no further game.
                            return next.store(self.total(), Ordering::Relaxed);
                        }
                        tell();
                    }
                });
            }
        });
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut played = vec![Played::default(); self.styles.len()];
        for (task, result) in results.into_iter().enumerate() {
            if let Some((signs, half_points)) = result.transpose()? {
                let played = &mut played[task % self.styles.len()];
                played.signs.push(signs);
                played.half_points.push(half_points);
            }
        }
        Ok(played)
    }

    /// One game: measured style and half points.
    fn play(&self, style: usize, game: usize) -> Result<(MeasuredStyle, usize), UciError> {
        let knobs = || Levels::shipped().params(self.level);
        let mut own = BuiltinEngine::new("style", knobs()).with_style(self.styles[style]);
        let mut plain = BuiltinEngine::new("plain", knobs());
        let name = format!("{} {style} {game}", self.seed);
        own.new_game(hash(&format!("{name} own")))?;
        plain.new_game(hash(&format!("{name} plain")))?;
        let opening = Opening {
            position: self.start.clone(),
            name: String::new(),
        };
        let side = Color::from_white(game.is_multiple_of(2));
        let finished: Finished = match side {
            Color::White => REFEREE.play(&opening, &mut own, &mut plain),
            Color::Black => REFEREE.play(&opening, &mut plain, &mut own),
        };
        let half_points = match finished.winner {
            Some(winner) if winner == side => 2,
            Some(_) => 0,
            None => 1,
        };
        Ok((MeasuredStyle::of(&finished.line, side), half_points))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::{Variant, parse_fen};
    use sparring_personality::style::Axis;

    #[test]
    fn a_contest_repeats_exactly_however_many_play_at_once() {
        let contest = Contest {
            styles: vec![Style::default(), Style::default().with(Axis::Queen, 2)],
            level: Elo(600),
            games: 2,
            seed: 5,
            // Hopeless, so that it is over soon, and with enough men to show something.
            start: parse_fen(Variant::Standard, "4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1").unwrap(),
        };
        let one = contest.run(1, &|| {}).unwrap();
        let two = contest.run(2, &|| {}).unwrap();
        for (one, two) in one.iter().zip(&two) {
            assert_eq!(one.half_points, two.half_points);
            assert_eq!(one.signs, two.signs);
            assert_eq!(one.signs.len(), 2);
            assert!(one.signs.iter().any(|signs| signs.on(Axis::Pawns) > Some(0.0)));
        }
    }
}
