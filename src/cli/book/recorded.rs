//! Reads games from files one by one, and reports what was read, used and broken.

use std::{
    cell::{Cell, RefCell},
    io::{self, ErrorKind, Read},
    path::Path,
    rc::Rc,
};

use super::{common, progress};
use crate::cli::exit::{Exit, Failure};
use sparring_chess::{Games, RecordedGame};
use sparring_files::{self as files, Unpacked};
use sparring_journal::Shard;
use sparring_lichess::Escaped;

/// So many bytes without a game are no PGN, and may never end.
const BARREN: u64 = 64 * files::MIB;

/// So many broken games are told of one by one.
const SHOWN: u64 = 5;

/// What became of the games of some files.
#[derive(Debug, Default)]
pub struct Account {
    /// Games that were read.
    pub read: u64,
    /// Those of them that were read up to a mistake only.
    pub broken: u64,
    /// The first mistakes, each with its place.
    mistakes: Vec<String>,
    /// Files that could not be read to their end, with the reason.
    faults: Vec<String>,
}

impl Account {
    /// Says which games are broken, and which files could not be read to their end.
    pub fn tell(&self) {
        self.mistakes.iter().for_each(|mistake| common::say(mistake));
        let more = self.broken - self.mistakes.len() as u64;
        if more > 0 {
            common::say(&format!(
                "... and {} more",
                common::several(more as usize, "broken game")
            ));
        }
        self.faults.iter().for_each(|fault| common::say(fault));
    }

    /// What is added to a sentence where games are broken.
    pub fn broken(&self) -> String {
        match self.broken {
            0 => String::new(),
            broken => format!("; {broken} broken, which count up to the mistake"),
        }
    }

    /// How the command ends when all else went well.
    pub fn exit(&self) -> Exit {
        if self.faults.is_empty() {
            Exit::Success
        } else {
            Exit::Failed
        }
    }
}

/// Refuses files that cannot be opened, before hours go into those before them.
pub fn must_open(paths: &[impl AsRef<Path>]) -> anyhow::Result<()> {
    let paths = paths.iter().map(AsRef::as_ref);
    paths
        .filter(|path| path.as_os_str() != common::STANDARD)
        .try_for_each(|path| match files::open(path) {
            Ok(_) => Ok(()),
            Err(error) => Err(unreadable(path, &error)),
        })
}

/// Opens a file that may be compressed, or standard input for `-`.
pub fn open(path: &Path) -> anyhow::Result<Unpacked> {
    let opened = if path.as_os_str() == common::STANDARD {
        files::unpack(io::stdin())
    } else {
        files::open_packed(path)
    };
    opened.map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> anyhow::Error {
    Failure::error(Exit::Usage, format!("cannot read {}: {error}", path.display()))
}

/// So much of a file tells games from lines.
pub const BEGIN: usize = 1024;

/// Whether a file has games, whatever it is called: lines of moves begin with no tag.
pub fn is_games(path: &Path, begin: &[u8]) -> bool {
    let is_called = |path: &Path, endings: &[&str]| {
        let found = path.extension().and_then(|ending| ending.to_str());
        found.is_some_and(|found| endings.iter().any(|ending| found.eq_ignore_ascii_case(ending)))
    };
    let bare = match path.file_stem() {
        Some(stem) if is_called(path, &["gz", "zst", "bz2"]) => Path::new(stem),
        _ => path,
    };
    // Zeros are every other byte of UTF-16.
    let text: Vec<u8> = begin.iter().copied().filter(|byte| *byte != 0).collect();
    let text = [&b"\xef\xbb\xbf"[..], b"\xff\xfe", b"\xfe\xff"]
        .iter()
        .find_map(|mark| text.strip_prefix(*mark))
        .unwrap_or(&text);
    path.as_os_str() == common::STANDARD
        || is_called(bare, &["pgn"])
        || text.trim_ascii_start().starts_with(b"[")
}

/// How games are read.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// So many half moves of each.
    pub plies: usize,
    /// Only the games of this shard, by their number in all files together; none for all.
    pub shard: Option<Shard>,
    /// Without a bar.
    pub is_quiet: bool,
}

/// Reads the games of a file and hands each over with its number in all files together, from 0. One that cannot be read to its end, or is no PGN, counts as far as it goes.
pub fn each_game(
    path: &Path,
    stream: Unpacked,
    reading: Reading,
    account: &mut Account,
    take: &mut dyn FnMut(u64, &RecordedGame),
) {
    let bar = progress::bytes(stream.size(), reading.is_quiet);
    let consumed = stream.consumed();
    let watched = ReadToError {
        stream,
        barren: Rc::default(),
        fault: Rc::default(),
    };
    let (barren, fault) = (Rc::clone(&watched.barren), Rc::clone(&watched.fault));
    let mut games = Games::new(watched, reading.plies);
    let (name, mut number) = (path.display(), 0_u64);
    let ended = loop {
        let is_wanted = reading.shard.is_none_or(|shard| shard.owns(account.read));
        // Others are passed over, which takes little time.
        games.set_plies(if is_wanted {
            reading.plies
        } else {
            reading.plies.min(2)
        });
        let game = match games.next_game() {
            Ok(Some(game)) => game,
            ended => break ended,
        };
        barren.set(0);
        number += 1;
        account.read += 1;
        if number.is_multiple_of(100) {
            bar.set_position(consumed.bytes());
            bar.set_message(format!("{} games", account.read));
        }
        if !is_wanted {
            continue;
        }
        if let Some(mistake) = &game.broken {
            account.broken += 1;
            if account.broken <= SHOWN {
                let (line, column, why) = (mistake.line, mistake.column, Escaped(&mistake.message));
                let mistake = format!("{name}:{line}:{column}: game {number}: {why}");
                account.mistakes.push(mistake);
            }
        }
        take(account.read - 1, &game);
    };
    bar.finish_and_clear();
    let fault = fault.take().or(ended.err());
    if let Some(fault) = fault {
        let count = common::several(number as usize, "game");
        account
            .faults
            .push(format!("{name}: {fault}; {count} before that count"));
    } else if number == 0 {
        account.faults.push(format!("{name}: there is no game in it"));
    }
}

/// A stream that ends where it can be read no further, so that what was read counts, and that keeps the reason.
struct ReadToError {
    stream: Unpacked,
    /// Bytes since the last game.
    barren: Rc<Cell<u64>>,
    fault: Rc<RefCell<Option<io::Error>>>,
}

impl ReadToError {
    fn end(&self, fault: io::Error) -> usize {
        self.fault.borrow_mut().get_or_insert(fault);
        0
    }
}

impl Read for ReadToError {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.fault.borrow().is_some() {
            return Ok(0);
        }
        match self.stream.read(buffer) {
            Ok(count) => {
                self.barren.set(self.barren.get() + count as u64);
                if self.barren.get() > BARREN {
                    let sentence = format!("{} without a game are no PGN", files::size(BARREN));
                    return Ok(self.end(io::Error::new(ErrorKind::InvalidData, sentence)));
                }
                Ok(count)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
            Err(error) => Ok(self.end(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stream: impl Read + Send + 'static) -> (u64, Account) {
        let (mut account, mut given) = (Account::default(), 0);
        let reading = Reading {
            plies: 60,
            shard: None,
            is_quiet: true,
        };
        let stream = files::unpack(stream).unwrap();
        each_game(Path::new("a.pgn"), stream, reading, &mut account, &mut |_, _| {
            given += 1
        });
        (given, account)
    }

    #[test]
    fn what_is_no_pgn_ends_also_if_it_has_no_end() {
        let (given, account) = read(io::repeat(0));
        assert!(given <= 1, "{given}");
        assert!(account.faults[0].starts_with("a.pgn: "), "{account:?}");
        assert_eq!(account.exit(), Exit::Failed);
        assert_eq!(read(io::empty()).1.faults, ["a.pgn: there is no game in it"]);
    }

    #[test]
    fn broken_games_are_told_with_their_places_and_many_of_them_by_their_number() {
        let (given, account) = read(io::Cursor::new("[White \"Ann\"]\n\n1. e4 Ke7 *\n\n".repeat(7)));
        assert_eq!((given, account.read, account.broken), (7, 7, 7));
        assert_eq!(account.mistakes.len() as u64, SHOWN);
        assert!(account.mistakes[1].contains("game 2: "), "{account:?}");
        assert_eq!(account.exit(), Exit::Success);
    }
}
