//! A whole match: pairs of games over the openings, several at once, until enough is known.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use thiserror::Error;

use super::{
    game::{Finished, Referee},
    openings::Opening,
    player::{EngineSpec, Player, PlayerError},
    record::{Record, RecordError, Row},
    statistics::{Pentanomial, Sprt, Verdict},
};
use crate::chess::Color;

/// What is to be played.
#[derive(Debug)]
pub struct Match {
    /// The engines: points are counted for the first.
    pub engines: [EngineSpec; 2],
    /// The rules of the games in which the first engine has White.
    pub referee: Referee,
    /// The starts, in order; taken again from the front when there are more pairs.
    pub openings: Vec<Opening>,
    /// Pairs of games to play.
    pub pairs: usize,
    /// Games at once.
    pub concurrency: usize,
    /// Stop early when this test is decided.
    pub sprt: Option<Sprt>,
}

/// What has been played, told after each game.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Finished games, those of earlier runs counted in.
    pub games: usize,
    /// Wins, draws and losses of the first engine.
    pub wins_draws_losses: [usize; 3],
    /// Points by pairs.
    pub pairs: Pentanomial,
    /// Games lost by plumbing: by the first engine, by the second.
    pub forfeits: [usize; 2],
    /// The game just finished, with its number among the pair and its players.
    pub latest: Option<Latest<'a>>,
}

/// The game just finished.
#[derive(Debug)]
pub struct Latest<'a> {
    /// Its line in the record.
    pub row: &'a Row,
    /// The game.
    pub game: &'a Finished,
}

/// A match that cannot go on.
#[derive(Debug, Error)]
pub enum MatchError {
    /// An engine cannot be started.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The record cannot be kept.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// No openings were given.
    #[error("a match needs at least one opening")]
    NoOpenings,
}

/// What the workers share: the games still to play, and the record.
struct Board<'a> {
    waiting: Mutex<VecDeque<(usize, usize)>>,
    record: Mutex<&'a mut Record>,
    enough: AtomicBool,
}

impl Match {
    /// Plays every game that the record lacks and tells of each.
    ///
    /// # Errors
    /// [`MatchError`] when an engine cannot be started or the record cannot be written. Engines that crash
    /// during a game forfeit it and are started anew.
    pub fn run(&self, record: &mut Record, tell: &(dyn Fn(&Progress<'_>) + Sync)) -> Result<(), MatchError> {
        if self.openings.is_empty() {
            return Err(MatchError::NoOpenings);
        }
        let games = (0..self.pairs).flat_map(|pair| [(pair, 0), (pair, 1)]);
        let waiting = games.filter(|(pair, game)| !record.has(*pair, *game)).collect();
        let board = Board {
            waiting: Mutex::new(waiting),
            record: Mutex::new(record),
            enough: AtomicBool::new(false),
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..self.concurrency.max(1))
                .map(|_| scope.spawn(|| self.work(&board, tell)))
                .collect();
            workers.into_iter().try_for_each(|worker| match worker.join() {
                Ok(outcome) => outcome,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    }

    fn work(&self, board: &Board<'_>, tell: &(dyn Fn(&Progress<'_>) + Sync)) -> Result<(), MatchError> {
        let outcome = self.play_all(board, tell);
        if outcome.is_err() {
            // What stops one worker would stop the others too.
            board.enough.store(true, Ordering::Relaxed);
        }
        outcome
    }

    fn play_all(&self, board: &Board<'_>, tell: &(dyn Fn(&Progress<'_>) + Sync)) -> Result<(), MatchError> {
        let mut players = [Player::start(&self.engines[0])?, Player::start(&self.engines[1])?];
        while !board.enough.load(Ordering::Relaxed) {
            let next = board
                .waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front();
            let Some((pair, game)) = next else { break };
            let finished = self.play_one(&mut players, pair, game)?;
            if finished.reason.is_forfeit() {
                players = [Player::start(&self.engines[0])?, Player::start(&self.engines[1])?];
            }
            let row = row(&finished, pair, game);
            let mut record = board.record.lock().unwrap_or_else(PoisonError::into_inner);
            record.add(row.clone())?;
            let pairs = record.pairs();
            if self
                .sprt
                .is_some_and(|test| test.verdict(&pairs) != Verdict::Open)
            {
                board.enough.store(true, Ordering::Relaxed);
            }
            tell(&progress(
                &record,
                Some(Latest {
                    row: &row,
                    game: &finished,
                }),
            ));
        }
        Ok(())
    }

    fn play_one(&self, players: &mut [Player; 2], pair: usize, game: usize) -> Result<Finished, MatchError> {
        for player in players.iter_mut() {
            player.new_game()?;
        }
        let opening = &self.openings[pair % self.openings.len()];
        let [first, second] = players;
        Ok(if game == 0 {
            self.referee.play(opening, first, second)
        } else {
            self.referee.with_sides_changed().play(opening, second, first)
        })
    }
}

/// Where a record stands.
#[must_use]
pub fn progress<'a>(record: &Record, latest: Option<Latest<'a>>) -> Progress<'a> {
    let mut so_far = Progress {
        games: 0,
        wins_draws_losses: [0; 3],
        pairs: record.pairs(),
        forfeits: [0; 2],
        latest,
    };
    for row in record.rows() {
        so_far.games += 1;
        so_far.wins_draws_losses[2 - row.half_points.min(2)] += 1;
        if row.forfeit {
            so_far.forfeits[usize::from(row.half_points > 0)] += 1;
        }
    }
    so_far
}

fn row(finished: &Finished, pair: usize, game: usize) -> Row {
    let first = if game == 0 { Color::White } else { Color::Black };
    let half_points = match finished.winner {
        None => 1,
        Some(winner) if winner == first => 2,
        Some(_) => 0,
    };
    Row {
        pair,
        game,
        half_points,
        reason: finished.reason.word().to_owned(),
        forfeit: finished.reason.is_forfeit(),
        plies: finished.line.ply(),
    }
}
