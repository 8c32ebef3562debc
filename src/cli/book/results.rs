//! Results of games by book line: from files or the archive, with the score where each game left the book.

use std::{collections::HashMap, path::PathBuf};

use super::{
    players::Player,
    position_search::{bounded, search},
    recorded::{self, Account, Reading},
};
use crate::store::{Archive, Filter, GameRecord, MoveExplanation, MoveRecord, MoveSource, Thought};
use sparring_book::{self as book, Book, LearnReport, MoveOrigin, Outcome};
use sparring_chess::{
    Color, GameHistory, RecordedGame, Variant,
    units::{Centipawns, Elo, Nodes},
};
use sparring_engine::{Engine, Limits, SearchRequest};
use sparring_lichess::model::Side;

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
    };
    recorded::must_open(paths)?;
    for path in paths {
        let stream = recorded::open(path)?;
        recorded::each_game(path, stream, reading, &mut account, &mut |game| {
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
        let Some(half_points) = half_points(&game) else {
            continue;
        };
        let Some(line) = line(&game) else { continue };
        read += 1;
        let moves = archive.moves(&game.id)?;
        let drawn = drawn(lessons.book(), &moves);
        // It may have ended in the book.
        let verdict = lessons
            .left(&line, color(game.side), &drawn)
            .and_then(|left| match judge {
                Some(judge) => judge.judge(&left),
                None => archived(&moves, left.ply()),
            });
        lessons.add(&Outcome {
            verdict,
            drawn: &drawn,
            ..outcome(&game, &line, half_points)
        });
    }
    Ok(read)
}

/// Learns from games that have ended, without a look at any position. Gives their number.
pub(crate) fn from_games(games: &[(GameRecord, Vec<MoveRecord>)], lessons: &mut [LearnReport<'_>]) -> usize {
    let mut read = 0;
    for (game, moves) in games {
        let (Some(half_points), Some(line)) = (half_points(game), line(game)) else {
            continue;
        };
        read += 1;
        for lessons in &mut *lessons {
            lessons.add(&Outcome {
                drawn: &drawn(lessons.book(), moves),
                ..outcome(game, &line, half_points)
            });
        }
    }
    read
}

/// Where the moves of a game came from, for a book, by how many half moves stand before them.
fn drawn(book: &Book, moves: &[MoveRecord]) -> Vec<MoveOrigin> {
    let mut drawn = Vec::new();
    for record in moves {
        let Some(thought) = &record.thought else { continue };
        let source = match (thought.source, place(thought)) {
            (MoveSource::Book, None) => MoveOrigin::Unknown,
            (MoveSource::Book, Some(at)) if book.holds(at) => MoveOrigin::Here,
            _ => MoveOrigin::Elsewhere,
        };
        let before = (record.ply as usize).saturating_sub(1);
        if before >= drawn.len() {
            drawn.resize(before + 1, MoveOrigin::Unknown);
        }
        if let Some(slot) = drawn.get_mut(before) {
            *slot = source;
        }
    }
    drawn
}

/// The line of the book that a move came from; older archives have it in the words alone.
fn place(thought: &Thought) -> Option<&str> {
    match &thought.grounds {
        Some(MoveExplanation::Book(grounds)) => Some(&grounds.at),
        _ => thought.note.strip_prefix("book ")?.split(' ').next(),
    }
}

/// A game without a look at any position. A level that was asked for is what played, whatever the account is rated.
fn outcome<'g>(game: &GameRecord, line: &'g GameHistory, half_points: u32) -> Outcome<'g> {
    let ratings = game.level.or(game.own_rating).zip(game.rating);
    Outcome {
        line,
        side: color(game.side),
        half_points,
        expected: ratings.map_or(0.5, |(Elo(own), Elo(other))| book::expected_score(own, other)),
        drawn: &[],
        verdict: None,
    }
}

/// What my side scored; none for games that run or were never played.
fn half_points(game: &GameRecord) -> Option<u32> {
    let end = game.end.as_ref()?;
    match end.winner {
        Some(winner) if winner == game.side => Some(2),
        Some(_) => Some(0),
        None => (!matches!(end.status.as_str(), "aborted" | "noStart" | "unknownFinish")).then_some(1),
    }
}

/// The moves of a game; none where its row makes no sense.
pub(crate) fn line(game: &GameRecord) -> Option<GameHistory> {
    let variant: Variant = game.variant.parse().ok()?;
    let moves = &game.end.as_ref()?.moves;
    GameHistory::replay(variant, &game.start, moves).ok()
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

fn color(side: Side) -> Color {
    match side {
        Side::White => Color::White,
        Side::Black => Color::Black,
    }
}
