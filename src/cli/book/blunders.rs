//! `sparring book blunders`: positions of the bot's own games in which it blundered, and a book of better
//! moves.

use std::{fmt::Write as _, path::PathBuf};

use super::{
    common,
    position_search::{bounded, search},
    progress,
};
use crate::{
    cli::{
        exit::{Exit, Failure},
        games::open_archive,
    },
    store::{Archive, Filter, MoveSource},
};
use sparring_book::{self as book, BlunderPosition, BlunderPositions};
use sparring_chess::{
    Move, Rules as _, Variant,
    units::{Centipawns, Nodes},
    write_san,
};
use sparring_engine::{Engine, Limits, SearchRequest};

/// Shows where the bot's own games turned: it thought well of a move, and one move later no longer. Nothing is changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book blunders                                              what cost most, in all games of the archive
  sparring book blunders --nodes 200000                               and what the engine would play there now
  sparring book blunders --nodes 200000 -o books/turns.book           as a book, one position a line

The book holds nothing but the moves to play in these very positions, each with its reason. Read it, delete what you do not
believe, and name it in the books of a personality, before the others; it counts from the next move on, also where the
level of the personality has left theory behind. Delete the file, and all is forgotten.

Another move is named where it is worth more than what the bot found out about its own. Games of orthodox chess only.")]
pub struct Args {
    /// The settings, which name the folder of the archive.
    #[arg(long, default_value = "bot.toml")]
    config: PathBuf,
    /// The archive itself.
    #[arg(long)]
    archive: Option<PathBuf>,
    /// A game has turned when the score falls by so much from one own move to the next.
    #[arg(long, default_value_t = 150, value_name = "CENTIPAWNS", value_parser = clap::value_parser!(i32).range(30..=2000))]
    margin: i32,
    /// Says nothing of positions where fewer games turned.
    #[arg(long, default_value_t = 1, value_name = "GAMES")]
    min: u32,
    /// Takes so many positions at most; 0 for all.
    #[arg(long, default_value_t = 40, value_name = "POSITIONS")]
    most: usize,
    /// Lets the engine look for a better move, for so many nodes each.
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Writes the better moves as a book to this file.
    #[arg(short, long, value_name = "FILE", requires = "nodes")]
    output: Option<PathBuf>,
    /// Writes over a file that is there.
    #[arg(long, requires = "output")]
    force: bool,
    /// No progress on stderr.
    #[arg(short, long)]
    quiet: bool,
}

/// Runs the command.
///
/// # Errors
/// When the archive cannot be read, or the book not be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if let Some(path) = args.output.as_ref().filter(|path| path.exists() && !args.force) {
        let sentence = format!("{} is there already; --force writes over it", path.display());
        return Err(Failure::error(Exit::Usage, sentence));
    }
    let archive = open_archive(args.archive.as_deref(), &args.config)?;
    let (turns, games) = from_archive(&archive, Centipawns(args.margin))?;
    let mut list = turns.list();
    list.retain(|turn| turn.games >= args.min);
    let more = match args.most {
        0 => 0,
        most => list.len().saturating_sub(most),
    };
    list.truncate(list.len() - more);
    let found = match args.nodes {
        Some(nodes) => look(&list, Nodes(nodes), args.quiet),
        None => vec![None; list.len()],
    };
    common::print(draw(&list, &found, more).as_bytes())?;
    common::say(&format!("in {games}, {} turned", places(list.len() + more)));
    if let Some(path) = &args.output {
        let text = write(&list, &found);
        common::save(path, text.as_bytes())?;
        let better = found.iter().flatten().count();
        common::say(&format!(
            "{} written: {}",
            path.display(),
            common::several(better, "move")
        ));
    }
    Ok(Exit::Success)
}

fn places(count: usize) -> String {
    match count {
        0 => "none".to_owned(),
        _ => common::several(count, "position"),
    }
}

/// The turns of all games that have ended, and how many games those are.
fn from_archive(archive: &Archive, margin: Centipawns) -> anyhow::Result<(BlunderPositions, String)> {
    let (mut turns, mut games) = (BlunderPositions::new(margin), 0);
    for game in archive.games(&Filter::default())? {
        let Some(line) = game.history().filter(|line| line.variant() == Variant::Standard) else {
            continue;
        };
        games += 1;
        let scores: Vec<(usize, Centipawns)> = archive
            .moves(&game.id)?
            .iter()
            .filter_map(|record| {
                let thought = record.thought.as_ref()?;
                let is_engine = matches!(thought.source, MoveSource::Engine { .. });
                let score = thought.score.filter(|_| is_engine)?;
                Some(((record.ply as usize).checked_sub(1)?, bounded(score)))
            })
            .collect();
        turns.add(&line, &scores);
    }
    Ok((turns, common::several(games, "game")))
}

/// A move that was found instead of another, and its score.
type Better = (Move, Centipawns);

/// What the engine would rather play in each position.
fn look(list: &[BlunderPosition], nodes: Nodes, quiet: bool) -> Vec<Option<Better>> {
    let bar = progress::count(list.len() as u64, quiet);
    let mut engine = Engine::new(16);
    let found = list.iter().map(|turn| {
        bar.inc(1);
        better(&mut engine, turn, nodes)
    });
    let found = found.collect();
    bar.finish_and_clear();
    found
}

/// The best of the other moves, if it is better than what a game has shown of this one: that counts more than a look at it
/// which may fail in the same way again.
fn better(engine: &mut Engine, turn: &BlunderPosition, nodes: Nodes) -> Option<Better> {
    let mut others: Vec<Move> = turn.line.position().legal_moves().to_vec();
    others.retain(|mv| *mv != turn.mv);
    if others.is_empty() {
        return None;
    }
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    // Without what earlier searches left, so that a verdict does not depend on the order of the positions.
    engine.clear();
    let request = SearchRequest {
        search_moves: others,
        ..SearchRequest::new(turn.line.clone(), limits)
    };
    let (mv, score) = search(engine, &request)?;
    let score = bounded(score);
    (score > turn.found).then_some((mv, score))
}

fn draw(list: &[BlunderPosition], found: &[Option<Better>], more: usize) -> String {
    if list.is_empty() {
        return String::new();
    }
    let mut drawn = format!(
        "{:>5} {:>7} {:>7} {:>14}  move\n",
        "games", "thought", "then", "instead"
    );
    for (turn, better) in list.iter().zip(found) {
        let instead = better.map_or_else(
            || "-".to_owned(),
            |(mv, score)| format!("{} {score}", write_san(turn.line.position(), mv)),
        );
        let after = match book::moves_of(&turn.line) {
            moves if moves.is_empty() => "the start".to_owned(),
            moves => moves,
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            drawn,
            "{:>5} {:>7} {:>7} {instead:>14}  {} after {after}",
            turn.games,
            turn.thought.to_string(),
            turn.found.to_string(),
            turn.san()
        );
    }
    if more > 0 {
        let _ = writeln!(drawn, "... and {more} more; --most 0 takes all");
    }
    drawn
}

/// The book of the better moves.
fn write(list: &[BlunderPosition], found: &[Option<Better>]) -> String {
    let mut text = "# What to play where games turned, by sparring book blunders. Delete what you do not believe.\nname: Turns\n".to_owned();
    for (turn, better) in list.iter().zip(found) {
        if let Some((mv, score)) = better {
            text.push('\n');
            text += &turn.remedy(*mv, *score);
        }
    }
    text
}
