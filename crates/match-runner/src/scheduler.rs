//! Match scheduler: pairs of games over the openings, several at once, until SPRT or the count ends it.

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
    journal::{JournalRow, MatchJournal, pairs, task},
    openings::Opening,
    reason::Reason,
    statistics::{Pentanomial, Sprt, Verdict},
};
use sparring_chess::{Color, GameHistory, Variant};
use sparring_journal::JournalError;
use sparring_uci_client::{EngineSpec, UciError, UciProcess};

/// A match between two engines.
#[derive(Debug)]
pub struct Match {
    /// The engines: points are counted for the first.
    pub engines: [EngineSpec; 2],
    /// The rules of the games in which the first engine has White.
    pub referee: Referee,
    /// The openings, in order; reused from the front when there are more pairs.
    pub openings: Vec<Opening>,
    /// Pairs of games to play.
    pub pairs: usize,
    /// Games at once.
    pub concurrency: usize,
    /// Stop early when this test is decided.
    pub sprt: Option<Sprt>,
}

/// The standings of a match, reported after each game.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Finished games, those of earlier runs counted in.
    pub games: usize,
    /// Wins, draws and losses of the first engine.
    pub wins_draws_losses: [usize; 3],
    /// Points by pairs.
    pub pairs: Pentanomial,
    /// Forfeits: of the first engine, of the second.
    pub forfeits: [usize; 2],
    /// The game just finished, with its number among the pair and its players.
    pub latest: Option<Latest<'a>>,
}

/// The game just finished.
#[derive(Debug)]
pub struct Latest<'a> {
    /// Its row of the journal.
    pub row: &'a JournalRow,
    /// The game.
    pub game: &'a Finished,
}

/// A match that cannot go on.
#[derive(Debug, Error)]
pub enum MatchError {
    /// An engine cannot be started.
    #[error(transparent)]
    Player(#[from] UciError),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// An engine does not offer the variant.
    #[error(
        "{engine} does not play {variant}: it has no option UCI_Variant with the value \"{}\"{}",
        variant.uci_name(),
        if variant.castles_onto_rook() { ", or no UCI_Chess960" } else { "" }
    )]
    Variant {
        /// What messages call it.
        engine: String,
        /// What is to be played.
        variant: Variant,
    },
    /// No openings were given.
    #[error("a match needs at least one opening")]
    NoOpenings,
}

/// What the workers share: the games still to play, and the journal.
struct SharedState<'a> {
    waiting: Mutex<VecDeque<(usize, usize)>>,
    journal: Mutex<&'a mut MatchJournal>,
    enough: AtomicBool,
}

impl Match {
    /// Plays every game that the journal lacks and calls `on_progress` after each. Games that are running when the SPRT
    /// is decided are left out, so that its result is final.
    ///
    /// # Errors [`MatchError`] when an engine cannot be started or the journal cannot be written; the games finished
    /// until then are in the journal. Engines that crash during a game, or before it, forfeit it and are restarted.
    pub fn run(
        &self,
        journal: &mut MatchJournal,
        on_progress: &(dyn Fn(&Progress<'_>) + Sync),
    ) -> Result<(), MatchError> {
        if self.openings.is_empty() {
            return Err(MatchError::NoOpenings);
        }
        let waiting = self.missing(journal).collect();
        let shared = SharedState {
            waiting: Mutex::new(waiting),
            enough: AtomicBool::new(self.is_decided(&pairs(journal))),
            journal: Mutex::new(journal),
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..self.concurrency.max(1))
                .map(|_| scope.spawn(|| self.work(&shared, on_progress)))
                .collect();
            workers.into_iter().try_for_each(|worker| match worker.join() {
                Ok(outcome) => outcome,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    }

    /// How many games the journal holds in the end: of a shard, those that it owns.
    #[must_use]
    pub fn games(&self, journal: &MatchJournal) -> usize {
        journal.len() + self.missing(journal).count()
    }

    /// The games that the journal lacks.
    fn missing(&self, journal: &MatchJournal) -> impl Iterator<Item = (usize, usize)> {
        (0..self.pairs)
            .flat_map(|pair| [(pair, 0), (pair, 1)])
            .filter(|(pair, game)| journal.lacks(task(*pair, *game)))
    }

    fn work(
        &self,
        shared: &SharedState<'_>,
        on_progress: &(dyn Fn(&Progress<'_>) + Sync),
    ) -> Result<(), MatchError> {
        let outcome = self.play_all(shared, on_progress);
        if outcome.is_err() {
            // An error of one worker would stop the others too.
            shared.enough.store(true, Ordering::Relaxed);
        }
        outcome
    }

    fn play_all(
        &self,
        shared: &SharedState<'_>,
        on_progress: &(dyn Fn(&Progress<'_>) + Sync),
    ) -> Result<(), MatchError> {
        let mut players = self.start_players()?;
        while !shared.enough.load(Ordering::Relaxed) {
            let next = shared
                .waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front();
            let Some((pair, game)) = next else { break };
            let finished = self.play_one(&mut players, pair, game);
            self.record_game(shared, &finished, &row(&finished, pair, game), on_progress)?;
            if finished.reason.is_forfeit() {
                players = self.start_players()?;
            }
        }
        Ok(())
    }

    /// Starts both engines, ready for the variant.
    fn start_players(&self) -> Result<[UciProcess; 2], MatchError> {
        let variant = self.referee.variant;
        let start = |spec: &EngineSpec| {
            let mut player = UciProcess::start(spec)?;
            // Whatever options were given stand where standard chess is played.
            if variant != Variant::Standard && !player.set_variant(variant)? {
                return Err(MatchError::Variant {
                    engine: player.name().to_owned(),
                    variant,
                });
            }
            Ok(player)
        };
        Ok([start(&self.engines[0])?, start(&self.engines[1])?])
    }

    /// Adds a game to the journal and reports it, unless the SPRT was decided while it was played: each further look at
    /// the test would add to its error.
    fn record_game(
        &self,
        shared: &SharedState<'_>,
        game: &Finished,
        row: &JournalRow,
        on_progress: &(dyn Fn(&Progress<'_>) + Sync),
    ) -> Result<(), MatchError> {
        let mut journal = shared.journal.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_decided(&pairs(&journal)) {
            return Ok(());
        }
        journal.add(row.clone())?;
        if self.is_decided(&pairs(&journal)) {
            shared.enough.store(true, Ordering::Relaxed);
        }
        on_progress(&progress(&journal, Some(Latest { row, game })));
        Ok(())
    }

    fn is_decided(&self, pairs: &Pentanomial) -> bool {
        self.sprt.is_some_and(|test| test.verdict(pairs) != Verdict::Open)
    }

    /// Plays one game. An engine that is not ready for it forfeits it like one that crashes during it.
    fn play_one(&self, players: &mut [UciProcess; 2], pair: usize, game: usize) -> Finished {
        let opening = &self.openings[pair % self.openings.len()];
        for (index, player) in players.iter_mut().enumerate() {
            if let Err(error) = player.new_game() {
                // The first engine has White in the first game of a pair.
                let is_white = index == game;
                return Finished {
                    winner: Some(if is_white { Color::Black } else { Color::White }),
                    reason: Reason::Crash,
                    line: GameHistory::from_position(self.referee.variant, opening.position.clone()),
                    comments: Vec::new(),
                    complaint: Some(error.to_string()),
                };
            }
        }
        let [first, second] = players;
        if game == 0 {
            self.referee.play(opening, first, second)
        } else {
            self.referee.with_sides_changed().play(opening, second, first)
        }
    }
}

/// The standings of a journal.
#[must_use]
pub fn progress<'a>(journal: &MatchJournal, latest: Option<Latest<'a>>) -> Progress<'a> {
    let mut so_far = Progress {
        games: 0,
        wins_draws_losses: [0; 3],
        pairs: pairs(journal),
        forfeits: [0; 2],
        latest,
    };
    for row in journal.rows() {
        so_far.games += 1;
        so_far.wins_draws_losses[2 - row.half_points.min(2)] += 1;
        if row.forfeit {
            so_far.forfeits[usize::from(row.half_points > 0)] += 1;
        }
    }
    so_far
}

fn row(finished: &Finished, pair: usize, game: usize) -> JournalRow {
    let first = if game == 0 { Color::White } else { Color::Black };
    let half_points = match finished.winner {
        None => 1,
        Some(winner) if winner == first => 2,
        Some(_) => 0,
    };
    JournalRow {
        pair,
        game,
        half_points,
        reason: finished.reason.word().to_owned(),
        forfeit: finished.reason.is_forfeit(),
        plies: finished.line.ply(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TimeControl, read_openings};
    use sparring_chess::units::{Millis, Nodes};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn toy(name: &str, on_new_game: &str) -> EngineSpec {
        let program = format!(
            r#"while read -r line; do case "$line" in
            uci) echo uciok;; isready) echo readyok;; ucinewgame) {on_new_game};;
            go*) echo "bestmove 0000";; quit) exit;;
            esac; done"#
        );
        EngineSpec {
            name: name.into(),
            command: ["sh".to_owned(), "-c".to_owned(), program].into(),
            ..EngineSpec::default()
        }
    }

    fn contest(engines: [EngineSpec; 2], sprt: Option<Sprt>) -> Match {
        Match {
            engines,
            referee: Referee {
                variant: Variant::Standard,
                controls: [TimeControl::Nodes(Nodes(1)); 2],
                margin: Millis(100),
                adjudication: None,
            },
            openings: read_openings(START, Variant::Standard, 1).unwrap(),
            pairs: 2,
            concurrency: 1,
            sprt,
        }
    }

    #[test]
    fn an_engine_that_ends_between_two_games_forfeits_the_next_and_the_match_goes_on() {
        let contest = contest([toy("sound", ":"), toy("frail", "exit")], None);
        let mut journal = MatchJournal::new();
        contest.run(&mut journal, &|_| {}).unwrap();
        let so_far = progress(&journal, None);
        assert_eq!(so_far.games, 4);
        assert_eq!((so_far.wins_draws_losses, so_far.forfeits), ([4, 0, 0], [0, 4]));
        assert!(journal.rows().all(|row| row.reason == "crash"));
    }

    #[test]
    fn an_engine_that_prints_without_line_ends_forfeits_and_is_named() {
        let mut endless = toy("endless", ":");
        endless.command[2] = endless.command[2].replace(r#"echo "bestmove 0000""#, "exec cat /dev/zero");
        let contest = contest([endless, toy("sound", ":")], None);
        let complaints = Mutex::new(Vec::new());
        let mut journal = MatchJournal::new();
        contest
            .run(&mut journal, &|so_far| {
                let complaint = so_far
                    .latest
                    .as_ref()
                    .and_then(|latest| latest.game.complaint.clone());
                complaints.lock().unwrap().extend(complaint);
            })
            .unwrap();
        // The other engine plays no legal move, but does not forfeit where the endless one has White.
        let named = "endless printed a line of more than 1 MiB";
        assert_eq!(
            complaints
                .lock()
                .unwrap()
                .iter()
                .filter(|text| *text == named)
                .count(),
            2
        );
        assert_eq!(
            journal
                .rows()
                .filter(|row| row.reason == "crash" && row.half_points == 0)
                .count(),
            2
        );
    }

    #[test]
    fn a_game_that_was_lost_by_a_crash_counts_even_if_the_engine_cannot_be_started_again() {
        let folder = tempfile::tempdir().unwrap();
        let once = folder.path().join("once").display().to_string();
        let mut frail = toy("frail", "exit");
        frail.command[2] = format!("test -e {once} && exit; touch {once}; {}", frail.command[2]);
        let contest = contest([toy("sound", ":"), frail], None);
        let mut journal = MatchJournal::new();
        let error = contest.run(&mut journal, &|_| {}).unwrap_err();
        assert!(
            matches!(error, MatchError::Player(UciError::Ended { .. })),
            "{error}"
        );
        assert_eq!(progress(&journal, None).wins_draws_losses, [1, 0, 0]);
    }

    #[test]
    fn an_engine_that_does_not_offer_the_variant_is_named_before_any_game() {
        let mut contest = contest([toy("sound", ":"), toy("other", ":")], None);
        contest.referee.variant = Variant::ThreeCheck;
        let mut journal = MatchJournal::new();
        let error = contest.run(&mut journal, &|_| {}).unwrap_err();
        assert_eq!(
            error.to_string(),
            "sound does not play Three-check: it has no option UCI_Variant with the value \"3check\""
        );
        assert_eq!(journal.rows().count(), 0);
    }

    /// A match with an SPRT, and a journal in which it is decided for the first engine.
    fn decided() -> (Match, MatchJournal) {
        let test = Sprt {
            elo0: 0.0,
            elo1: 5.0,
            error: 0.05,
        };
        let mut journal = MatchJournal::new();
        for pair in 10..3000 {
            for game in 0..2 {
                let half_points = 1 + usize::from(pair % 3 > 0);
                journal.add(JournalRow::mate(pair, game, half_points)).unwrap();
            }
        }
        (contest([toy("one", ":"), toy("other", ":")], Some(test)), journal)
    }

    #[test]
    fn a_test_that_was_decided_is_not_played_on() {
        let (contest, mut journal) = decided();
        let before = journal.rows().count();
        contest.run(&mut journal, &|_| {}).unwrap();
        assert_eq!(journal.rows().count(), before);
    }

    #[test]
    fn a_game_under_way_when_the_test_is_decided_is_left_out() {
        let (contest, mut journal) = decided();
        let before = journal.rows().count();
        let finished = Finished {
            winner: None,
            reason: Reason::Adjudicated,
            line: GameHistory::new(Variant::Standard),
            comments: Vec::new(),
            complaint: None,
        };
        let shared = SharedState {
            waiting: Mutex::default(),
            journal: Mutex::new(&mut journal),
            enough: AtomicBool::new(false),
        };
        let reported = AtomicBool::new(false);
        let on_progress = |_: &Progress<'_>| reported.store(true, Ordering::Relaxed);
        contest
            .record_game(&shared, &finished, &JournalRow::mate(0, 0, 0), &on_progress)
            .unwrap();
        assert!(!reported.into_inner());
        assert_eq!(journal.rows().count(), before);
    }
}
