//! `sparring games`: lists, shows, exports and analyses games of the archive.

mod analyse;
mod filter;
mod push;

use std::{
    io::{self, BufWriter, ErrorKind, Write, stdout},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::Subcommand;
use jiff::Timestamp;
use serde_json::Value;

use filter::{ChallengeArgs, GameArgs};

use crate::cli::{
    book::{Player, say},
    exit::{Exit, Failure},
    state_dir::{ARCHIVE, folder},
};
use crate::{
    config::{Config, load},
    store::{
        ALWAYS, Archive, ChallengeRecord, GameRecord, MoveRecord, StoreError, challenge_json, game_json,
        game_with_moves_json, pgn,
    },
};
use sparring_chess::units::Millis;
use sparring_lichess::{
    Escaped,
    model::{GameId, Side, UserId},
};

/// Lists the games of the archive, exports them as PGN, and lets the engine judge them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring games list --opponent Ana --most 20
  sparring games show abcd1234
  sparring games list --humans --result lost --personality club
  sparring games export --since 2026-11-01 --until 2026-11-30 > november.pgn
  sparring games export --json > games.ndjson
  sparring games analyse --humans --threads 2
  sparring games challenges --received --opponent Ana
  PGPASSWORD=... sparring games push --to postgres://sparring@db.example/sparring")]
pub struct Args {
    #[command(subcommand)]
    what: What,
    /// The settings file, which names the folder of the archive.
    #[arg(long, default_value = "bot.toml", global = true)]
    config: PathBuf,
    /// The archive file, instead of the one in the state folder.
    #[arg(long, global = true)]
    archive: Option<PathBuf>,
    /// Print JSON, an object per line.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Lists games, one per line, newest first.
    List(GameArgs),
    /// Shows a game with each move's source, score and clock.
    Show {
        /// The game's id.
        id: GameId,
    },
    /// Exports games as PGN with clocks and scores; with --json one game per line with all moves.
    Export(GameArgs),
    /// Judges how the games were played: accuracy, blunders, and performance beside the level that was meant.
    Analyse(Box<analyse::Args>),
    /// Lists challenges and how they were decided, newest first.
    Challenges(ChallengeArgs),
    /// Pushes games that have ended, and challenges, to the common archive of many bots in PostgreSQL.
    Push(push::Args),
}

/// Opens an archive for reading: the named file, or the one in the settings' state folder.
///
/// # Errors
/// When it does not exist or cannot be read.
pub fn open_archive(named: Option<&Path>, settings: &Path) -> anyhow::Result<Archive> {
    let path = match named {
        Some(path) => path.to_owned(),
        None => archive_of(settings)?,
    };
    let is_there = path.try_exists();
    if !is_there.with_context(|| {
        format!(
            "cannot read {}: run this command as its owner, or with sudo for a service",
            path.display()
        )
    })? {
        let sentence = format!(
            "there is no archive {}: `sparring run` creates it; --archive names another",
            path.display()
        );
        return Err(Failure::error(Exit::Failed, sentence));
    }
    match Archive::read(&path) {
        Err(why) if why.is_damage() => Err(damaged(&format!(
            "{} is damaged ({})",
            path.display(),
            why.with_cause()
        ))),
        archive => archive.with_context(|| format!("cannot read {}", path.display())),
    }
}

/// The error for a damaged archive. Reading commands leave the file as it is.
fn damaged(what: &str) -> anyhow::Error {
    let remedy = "nothing was changed: `sparring run` moves it aside, starts a new one and copies over what can be read; `sparring doctor` \
                  says more";
    Failure::error(Exit::Failed, format!("{what}; {remedy}"))
}

/// Runs the command.
///
/// # Errors
/// When there is no archive, or no such game.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    push::check_build(&args.what)?;
    let archive = open_archive(args.archive.as_deref(), &args.config)?;
    let mut out = BufWriter::new(stdout().lock());
    let told = tell(args, &archive, &mut out).and_then(|()| Ok(out.flush()?));
    match told {
        Err(error) if is_read_no_further(&error) => Ok(Exit::Success),
        Err(error)
            if error
                .downcast_ref::<StoreError>()
                .is_some_and(StoreError::is_damage) =>
        {
            archive.close_without_checkpoint();
            Err(damaged("the archive is damaged, and not all of it can be read"))
        }
        told => told.map(|()| Exit::Success),
    }
}

/// Whether the reader of the output has closed the pipe, as `head` does.
fn is_read_no_further(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

/// Writes the output game by game, since the archive may be larger than memory. Leaves out games deleted meanwhile.
fn tell(args: &Args, archive: &Archive, out: &mut impl Write) -> anyhow::Result<()> {
    match &args.what {
        What::Analyse(wanted) => analyse::run(wanted, archive, args.json, out)?,
        What::Push(wanted) => push::run(wanted, archive, args.json, out)?,
        What::List(wanted) => {
            let ids = archive.ids(&wanted.filter()?)?;
            tell_absence(archive, wanted, ids.is_empty())?;
            for id in ids {
                let Some(game) = archive.game(&id)? else {
                    continue;
                };
                let said = if args.json {
                    json_line(&game_json(&game))
                } else {
                    line(&game)
                };
                out.write_all(said.as_bytes())?;
            }
        }
        What::Show { id } => {
            let game = archive.game(id)?;
            let game =
                game.ok_or_else(|| Failure::error(Exit::Failed, format!("the archive has no game {id}")))?;
            let moves = archive.moves(id)?;
            let said = if args.json {
                json_line(&game_with_moves_json(&game, &moves))
            } else {
                line(&game) + &moves.iter().map(move_line).collect::<String>()
            };
            out.write_all(said.as_bytes())?;
        }
        What::Export(wanted) => {
            let ids = archive.ids(&wanted.filter()?)?;
            tell_absence(archive, wanted, ids.is_empty())?;
            // PGN files begin with the oldest game.
            for id in ids.iter().rev() {
                let Some(game) = archive.game(id)? else {
                    continue;
                };
                let moves = archive.moves(&game.id)?;
                let said = if args.json {
                    json_line(&game_with_moves_json(&game, &moves))
                } else {
                    pgn(&game, &moves, date)
                        .unwrap_or_else(|| format!("% {} cannot be written as PGN\n\n", game.id))
                };
                out.write_all(said.as_bytes())?;
            }
        }
        What::Challenges(asked) => {
            for challenge in archive.challenges(&asked.filter()?)? {
                let said = if args.json {
                    json_line(&challenge_json(&challenge))
                } else {
                    challenge_line(&challenge)
                };
                out.write_all(said.as_bytes())?;
            }
        }
    }
    Ok(())
}

/// Where a filter by opponent finds no game: says whether the archive has any game of that opponent, and which names are similar.
fn tell_absence(archive: &Archive, wanted: &GameArgs, is_absent: bool) -> anyhow::Result<()> {
    let Some(opponent) = wanted.opponent.as_ref().filter(|_| is_absent) else {
        return Ok(());
    };
    let mut player = Player::new(opponent.as_str());
    let all = archive.opponents_between(Millis(0), ALWAYS)?;
    for (name, _) in &all {
        player.meet_among(std::iter::once(name.as_str()));
    }
    say(&player.absence(all.len() as u64));
    Ok(())
}

fn archive_of(path: &Path) -> anyhow::Result<PathBuf> {
    let config = if path.exists() {
        load(path)
            .map_err(|error| Failure::error(Exit::BadConfiguration, error.to_string()))?
            .0
    } else {
        Config::default()
    };
    Ok(folder(&config, path).join(ARCHIVE))
}

/// Date and time in UTC as in PGN: `2026.11.21`, `06:20:00`.
fn date(epoch: Millis) -> (String, String) {
    let moment = i64::try_from(epoch.0)
        .ok()
        .and_then(|epoch| Timestamp::from_millisecond(epoch).ok())
        .unwrap_or_default();
    (
        moment.strftime("%Y.%m.%d").to_string(),
        moment.strftime("%H:%M:%S").to_string(),
    )
}

/// `2026-11-21 06:20 abcd1234 won  as White against Ana (1500), rated blitz, club level 1400, mate after 42 moves`.
fn line(game: &GameRecord) -> String {
    let (day, time) = date(game.began);
    let rating = game
        .rating
        .map(|rating| format!(" ({rating})"))
        .unwrap_or_default();
    let level = game
        .played
        .map(|level| format!(" level {level}"))
        .unwrap_or_default();
    let end = game.end.as_ref().map_or_else(String::new, |end| {
        let moves = end.moves.split_ascii_whitespace().count().div_ceil(2);
        format!(", {} after {moves} moves", end.status)
    });
    format!(
        "{} {} {} {:<5} as {} against {}{rating}, {} {}, {}{level}{end}\n",
        day.replace('.', "-"),
        &time[..5],
        game.id,
        game.result().word(),
        if game.side == Side::White {
            "White"
        } else {
            "Black"
        },
        Escaped(&game.name),
        if game.rated { "rated" } else { "casual" },
        game.speed,
        game.personality,
    )
}

/// `2026-11-21 06:20 abcd1234 from Ana: declined, noBot (rule 2 "no bots", line 9), rated blitz 3+2`.
fn challenge_line(challenge: &ChallengeRecord) -> String {
    let (day, time) = date(challenge.at);
    let whose = if challenge.sent { "to" } else { "from" };
    let name = challenge.opponent.as_ref().map_or("somebody", UserId::as_str);
    let game = challenge
        .game
        .as_ref()
        .map_or_else(String::new, |game| format!(", {game}"));
    format!(
        "{} {} {} {whose} {}: {} ({}){game}\n",
        day.replace('.', "-"),
        &time[..5],
        challenge.id,
        Escaped(name),
        challenge.verdict,
        challenge.rule,
    )
}

fn move_line(record: &MoveRecord) -> String {
    let clock = record
        .clock
        .map_or_else(String::new, |clock| format!("{:.1} s left", clock.as_secs_f64()));
    let thought = record.thought.as_ref().map_or_else(String::new, |thought| {
        format!("  {}, {} thought", thought.note, thought.think)
    });
    format!("  {:>3} {:<6} {clock:>12}{thought}\n", record.ply, record.uci)
}

fn json_line(value: &Value) -> String {
    format!("{value}\n")
}
