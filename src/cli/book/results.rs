//! Results of games by book line: from files or the archive, with the score where each game left the book.

use std::{collections::HashMap, path::PathBuf};

use super::{
    players::Player,
    position_search::{bounded, search},
    recorded::{self, Account, Reading},
};
use crate::store::{Archive, Filter, MoveRecord, MoveSource, book_outcome, move_origins};
use sparring_book::{self as book, LearnReport, Outcome};
use sparring_chess::{
    Color, GameHistory, RecordedGame,
    units::{Centipawns, Nodes},
};
use sparring_engine::{Engine, Limits, SearchRequest};

/// How far into a game a book is looked for.
const PLIES: usize = 80;

/// Searches positions, each once, for so many nodes.
pub struct Judge {
    engine: Engine,
    nodes: Nodes,
    known: HashMap<u64, Option<Centipawns>>,
}

impl Judge {
    pub(crate) fn new(nodes: Nodes) -> Self {
        Self {
            engine: Engine::new(16),
            nodes,
            known: HashMap::new(),
        }
    }

    /// The score of a position for the side to move; none where the game is over.
    fn judge(&mut self, line: &GameHistory) -> Option<Centipawns> {
        let key = line.keys().last().copied()?;
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let limits = Limits {
            nodes: Some(self.nodes),
            ..Limits::default()
        };
        // Without what earlier searches left, so that a verdict does not depend on the order of the games.
        self.engine.clear();
        let best = search(&mut self.engine, &SearchRequest::new(line.clone(), limits));
        let verdict = best.map(|(_, score)| bounded(score));
        self.known.insert(key, verdict);
        verdict
    }
}

/// Learns from files of games in which a player followed the book.
///
/// # Errors
/// When a file cannot be opened.
pub(crate) fn from_pgn(
    paths: &[PathBuf],
    player: &mut Player,
    lessons: &mut LearnReport<'_>,
    judge: &mut Option<Judge>,
    is_quiet: bool,
) -> anyhow::Result<Account> {
    let mut account = Account::default();
    let reading = Reading {
        plies: PLIES,
        is_quiet,
        shard: None,
    };
    recorded::must_open(paths)?;
    for path in paths {
        let stream = recorded::open(path)?;
        recorded::each_game(path, stream, reading, &mut account, &mut |_, game| {
            player.meet(game);
            teach(lessons, judge, game, player);
        });
    }
    Ok(account)
}

pub(crate) fn teach(
    lessons: &mut LearnReport<'_>,
    judge: &mut Option<Judge>,
    game: &RecordedGame,
    player: &Player,
) {
    for side in [Color::White, Color::Black] {
        let is_player = game.name_of(side).is_some_and(|name| player.is(name));
        let (true, Some(half_points)) = (is_player, game.score_of(side)) else {
            continue;
        };
        let ratings = game.rating_of(side).zip(game.rating_of(side.other()));
        let left = lessons.left(&game.line, side, &[]);
        lessons.add(&Outcome {
            line: &game.line,
            side,
            half_points,
            expected: ratings.map_or(0.5, |(own, other)| book::expected_score(own, other)),
            drawn: &[],
            verdict: judge
                .as_mut()
                .zip(left)
                .and_then(|(judge, left)| judge.judge(&left)),
        });
    }
}

/// Learns from all games of the archive that have ended. Gives their number.
///
/// # Errors
/// When the archive cannot be read.
pub fn from_archive(
    archive: &Archive,
    filter: &Filter,
    lessons: &mut LearnReport<'_>,
    judge: &mut Option<Judge>,
) -> anyhow::Result<u64> {
    let mut read = 0;
    for game in archive.games(filter)? {
        let Some(line) = game.history() else { continue };
        let Some(outcome) = book_outcome(&game, &line) else {
            continue;
        };
        read += 1;
        let moves = archive.moves(&game.id)?;
        let drawn = move_origins(lessons.book(), &moves);
        // It may have ended in the book.
        let verdict = lessons
            .left(&line, game.color(), &drawn)
            .and_then(|left| match judge {
                Some(judge) => judge.judge(&left),
                None => archived(&moves, left.ply()),
            });
        lessons.add(&Outcome {
            verdict,
            drawn: &drawn,
            ..outcome
        });
    }
    Ok(read)
}

/// What the engine thought of my move at this place of the game, if it was the one to think.
fn archived(moves: &[MoveRecord], plies_before: usize) -> Option<Centipawns> {
    let record = moves
        .iter()
        .find(|record| record.ply as usize == plies_before + 1)?;
    let thought = record.thought.as_ref()?;
    let is_engine = matches!(thought.source, MoveSource::Engine { .. });
    thought.score.filter(|_| is_engine).map(bounded)
}
