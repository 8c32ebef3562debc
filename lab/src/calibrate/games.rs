//! Playing the games that a ladder lacks, several at once.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

use anyhow::{Context as _, bail};

use super::{
    entrants::Entrant,
    record::{GameRow, Record, task_id},
};
use sparring_chess::{
    Color, Variant,
    units::{Millis, Nodes},
};
use sparring_journal::fnv64;
use sparring_match_runner::{
    Adjudication, Finished, Opening, Participant, Referee, TimeControl, human_opening,
};
use sparring_personality::strength::Levels;

/// Pairings and number of games.
#[derive(Debug)]
pub struct RoundRobin<'a> {
    /// The numbers behind the levels.
    pub levels: &'a Levels,
    /// Everybody, weakest first by their names' promise.
    pub entrants: Vec<Entrant>,
    /// How many of the next stronger ones each plays.
    pub reach: usize,
    /// Games of each pairing, half of them with each color.
    pub games: usize,
    /// Names openings and games to chance.
    pub seed: u64,
    /// Starts to take in turn; none for openings as people play them.
    pub openings: Option<Vec<Opening>>,
    /// Games at once.
    pub concurrency: usize,
}

/// One game to be played.
#[derive(Debug, Clone, Copy)]
struct Task {
    white: usize,
    black: usize,
    round: usize,
}

impl RoundRobin<'_> {
    /// The pairings, each with the weaker one first. Guests meet levels only: what they make of each other says
    /// nothing of ours.
    fn pairings(&self) -> Vec<(usize, usize)> {
        let mut pairings = Vec::new();
        let is_external = |index: usize| matches!(self.entrants[index], Entrant::External(_));
        for low in 0..self.entrants.len() {
            let above =
                (low + 1..self.entrants.len()).filter(|high| !(is_external(low) && is_external(*high)));
            let ours = above.clone().filter(|high| !is_external(*high)).take(self.reach);
            let external = above
                .filter(|high| is_external(*high))
                // An external engine's opponents from below: the nearest levels.
                .filter(|high| {
                    let between = (low + 1..*high).filter(|index| !is_external(*index)).count();
                    between < self.reach
                });
            pairings.extend(ours.chain(external).map(|high| (low, high)));
        }
        pairings
    }

    /// How many games the record lacks.
    pub fn missing(&self, record: &Record) -> usize {
        self.tasks(record).len()
    }

    /// Plays every game that the record lacks; calls `on_game` with each.
    ///
    /// # Errors
    /// When an external engine cannot be started or keeps forfeiting, or the record cannot be written.
    pub fn run(&self, record: &mut Record, on_game: &(dyn Fn(&GameRow) + Sync)) -> anyhow::Result<()> {
        let tasks = Mutex::new(self.tasks(record));
        let record = Mutex::new(record);
        let forfeits = AtomicUsize::new(0);
        thread::scope(|scope| {
            let workers: Vec<_> = (0..self.concurrency.max(1))
                .map(|_| scope.spawn(|| self.work(&tasks, &record, &forfeits, on_game)))
                .collect();
            workers.into_iter().try_for_each(|worker| match worker.join() {
                Ok(outcome) => outcome,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    }

    /// Round by round over all pairings, so that a ladder that is broken off is still even.
    fn tasks(&self, record: &Record) -> VecDeque<Task> {
        let names: Vec<String> = self.entrants.iter().map(Entrant::to_string).collect();
        let pairings = self.pairings();
        (0..self.games.div_ceil(2))
            .flat_map(|round| {
                pairings.iter().flat_map(move |(low, high)| {
                    [(*low, *high), (*high, *low)].map(|(white, black)| Task { white, black, round })
                })
            })
            .filter(|task| record.lacks(task_id(&names[task.white], &names[task.black], task.round)))
            .collect()
    }

    fn work(
        &self,
        tasks: &Mutex<VecDeque<Task>>,
        record: &Mutex<&mut Record>,
        forfeits: &AtomicUsize,
        on_game: &(dyn Fn(&GameRow) + Sync),
    ) -> anyhow::Result<()> {
        let mut participants: HashMap<usize, Box<dyn Participant>> = HashMap::new();
        loop {
            let next = tasks.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(task) = next else { return Ok(()) };
            let finished = self.play(task, &mut participants)?;
            if finished.reason.is_forfeit() {
                // A crash is no loss: the engine is restarted and the game replayed.
                participants.clear();
                let complaint = finished.complaint.unwrap_or_default();
                if forfeits.fetch_add(1, Relaxed) + 1 >= FORFEITS {
                    bail!("{complaint}; that was the third forfeit, and none of them is counted as a result");
                }
                tracing::warn!("{complaint}; the game is played again");
                let mut tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
                tasks.push_front(task);
                continue;
            }
            let half_points = match finished.winner {
                Some(Color::White) => 2,
                None => 1,
                Some(Color::Black) => 0,
            };
            let row = GameRow::new(
                &self.entrants[task.white].to_string(),
                &self.entrants[task.black].to_string(),
                task.round,
                half_points,
                finished.reason.word(),
                finished.line.ply(),
            );
            on_game(&row);
            record.lock().unwrap_or_else(PoisonError::into_inner).add(row)?;
        }
    }

    fn play(
        &self,
        task: Task,
        participants: &mut HashMap<usize, Box<dyn Participant>>,
    ) -> anyhow::Result<Finished> {
        let mut take = |index: usize| match participants.remove(&index) {
            Some(mover) => Ok(mover),
            None => self.entrants[index]
                .sit_down(self.levels)
                .with_context(|| self.entrants[index].to_string()),
        };
        let (mut white, mut black) = (take(task.white)?, take(task.black)?);
        // Both games of a round have the same opening.
        let opening = match &self.openings {
            Some(openings) => openings[task.round % openings.len()].clone(),
            None => human_opening(self.seed, task.round as u64),
        };
        let names = format!("{} {} {} {}", self.seed, white.name(), black.name(), task.round);
        for (mover, color) in [(&mut white, "white"), (&mut black, "black")] {
            mover.new_game(hash(&format!("{names} {color}")))?;
        }
        let finished = REFEREE.play(&opening, white.as_mut(), black.as_mut());
        participants.insert(task.white, white);
        participants.insert(task.black, black);
        Ok(finished)
    }
}

/// After so many forfeits the ladder ends: something is broken.
const FORFEITS: usize = 3;

/// Games go on until they are hopeless by both sides' reckoning: weak levels must prove that they can win.
pub const REFEREE: Referee = Referee {
    variant: Variant::Standard,
    // Without clocks: our levels search by their parameters, external engines by their own time control.
    controls: [TimeControl::Nodes(Nodes(1)); 2],
    margin: Millis::ZERO,
    adjudication: Some(Adjudication {
        resign_moves: 5,
        resign_score: 1500,
        draw_from: 60,
        draw_moves: 10,
        draw_score: 10,
        longest: 200,
    }),
};

/// A seed from words.
pub fn hash(text: &str) -> u64 {
    fnv64(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_chess::units::Elo;
    use sparring_match_runner::read_openings;

    fn ladder(names: &[&str]) -> RoundRobin<'static> {
        RoundRobin {
            levels: Levels::shipped(),
            entrants: names
                .iter()
                .map(|name| match name.parse() {
                    Ok(level) => Entrant::Level(Elo(level)),
                    Err(_) => Entrant::External(name.parse().unwrap()),
                })
                .collect(),
            reach: 2,
            games: 2,
            seed: 3,
            openings: None,
            concurrency: 2,
        }
    }

    #[test]
    fn everybody_plays_the_next_two_and_guests_play_levels_only() {
        assert_eq!(
            ladder(&["600", "800", "1000", "1200"]).pairings(),
            [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
        );
        let with_guests = ladder(&["600", "800", "s:1:depth=1:900", "t:1:depth=1:900", "1000", "1200"]);
        let pairings = with_guests.pairings();
        assert!(!pairings.contains(&(2, 3)), "external engines among themselves");
        for met in [(0, 2), (1, 2), (2, 4), (2, 5), (1, 4)] {
            assert!(pairings.contains(&met), "{met:?} of {pairings:?}");
        }
    }

    #[test]
    fn a_ladder_is_played_once_and_the_same_again() {
        // From a won ending, so that it is over soon.
        let ladder = RoundRobin {
            openings: Some(read_openings("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", Variant::Standard, 1).unwrap()),
            ..ladder(&["600", "800"])
        };
        let play = || {
            let mut record = Record::new();
            ladder.run(&mut record, &|_| {}).unwrap();
            let rows: Vec<GameRow> = record.rows().cloned().collect();
            assert!(ladder.tasks(&record).is_empty());
            rows
        };
        let first = play();
        assert_eq!(first.len(), 2);
        assert_eq!(first, play());
    }
}
