//! Archives that are damaged, full or read-only, at the start and while they are written.

use std::{
    fs,
    io::{Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use rusqlite::Connection;

use super::*;
use crate::store::{ALWAYS, Archive, GameRecord, read_damaged, test_fixtures};
use sparring_lichess::model::Side;

/// So many games are in an archive before anything happens to it.
const GAMES: usize = 120;
const PAGE: u64 = 4096;
const UNTIL: Millis = Millis(1_900_000_000_000);

fn game_id(number: usize) -> GameId {
    format!("game{number:04}").parse().unwrap()
}

/// A game that has ended.
fn ended(number: usize) -> GameRecord {
    GameRecord {
        end: test_fixtures::end("mate", Some(Side::Black), &"e2e4 e7e5 ".repeat(10)),
        ..test_fixtures::game(game_id(number).as_str(), Side::Black)
    }
}

fn home(path: &Path) -> ArchivePath {
    ArchivePath::new(path.to_owned(), Box::new(|| Ok(true)))
}

/// What the bot writes of a game.
fn play(writer: &mut Writer, number: usize) {
    for ply in 1..=20 {
        writer.on_request(WriteRequest::Move(game_id(number), Box::new(record(ply))));
    }
    writer.on_request(WriteRequest::Game(Box::new(ended(number))));
}

/// A folder with an archive of many games and some of everything else.
fn full(path: &Path) -> Writer {
    let mut home = home(path);
    let archive = home.open().unwrap();
    archive.sql.execute_batch("BEGIN").unwrap();
    let mut writer = Writer::new(Some(archive), None);
    for number in 0..GAMES {
        for ply in 1..=20 {
            writer.on_request(WriteRequest::Move(game_id(number), Box::new(record(ply))));
        }
    }
    writer.on_request(WriteRequest::Limit("class.read".to_owned(), UNTIL));
    let archive = writer.archive.take().unwrap();
    archive.sql.execute_batch("COMMIT").unwrap();
    for number in 0..GAMES {
        archive.put_game(&ended(number)).unwrap();
    }
    checkpoint(&archive);
    Writer::new(Some(archive), Some(home))
}

fn checkpoint(archive: &Archive) {
    archive
        .sql
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
}

/// A page of a table: its root, or one of its leaves.
fn page(path: &Path, table: &str, is_root: bool) -> u64 {
    let question = if is_root {
        "SELECT rootpage FROM sqlite_schema WHERE name = ?"
    } else {
        "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno LIMIT 1 OFFSET 2"
    };
    let sql = Connection::open(path).unwrap();
    sql.query_row(question, [table], |row| row.get::<_, u32>(0))
        .unwrap()
        .into()
}

fn overwrite(path: &Path, at: u64, length: usize) {
    let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(&vec![0xa5; length]).unwrap();
}

fn cut(path: &Path, length: u64) {
    fs::OpenOptions::new()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(length)
        .unwrap();
}

/// What may happen to a file, and how many of its games can be read for certain then.
type Harm = (&'static str, fn(&Path), usize);
const HARMS: [Harm; 8] = [
    ("the header", |path| overwrite(path, 0, 100), GAMES),
    ("the first page", |path| overwrite(path, 0, 4096), GAMES),
    (
        "a root page of games",
        |path| overwrite(path, (page(path, "games", true) - 1) * PAGE, 4096),
        GAMES - 30,
    ),
    (
        "a root page of an index",
        |path| overwrite(path, (page(path, "games_by_time", true) - 1) * PAGE, 4096),
        GAMES,
    ),
    (
        "a leaf",
        |path| overwrite(path, (page(path, "games", false) - 1) * PAGE, 4096),
        GAMES - 40,
    ),
    (
        "half of it",
        |path| cut(path, fs::metadata(path).unwrap().len() / 2),
        1,
    ),
    ("an odd piece", |path| cut(path, 3 * PAGE + 7), 0),
    (
        "everything",
        |path| fs::write(path, "garbage ".repeat(2000)).unwrap(),
        0,
    ),
];

/// Files that were set aside.
fn aside(path: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|file| file.unwrap().path());
    let is_aside = |file: &PathBuf| {
        let name = file.file_name().unwrap().to_str().unwrap();
        name.contains(".damaged-") && !["-wal", "-shm", ".unread"].iter().any(|end| name.ends_with(end))
    };
    files.filter(is_aside).collect()
}

/// Waits until everything that can be read was brought over.
fn all_is_brought(path: &Path) {
    let begun = Instant::now();
    while !crate::store::damage::unread(path).is_empty() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "rows are still to be brought over after a minute: {:?}",
            crate::store::damage::unread(path)
        );
        std::thread::yield_now();
    }
}

/// The games with whole lists of moves.
fn kept(archive: &Archive, numbers: std::ops::Range<usize>) -> usize {
    let is_whole = |number: &usize| {
        archive
            .game(&game_id(*number))
            .unwrap()
            .is_some_and(|game| game.end.is_some())
            && archive.moves(&game_id(*number)).unwrap().len() == 20
    };
    numbers.filter(is_whole).count()
}

#[test]
fn f52_a_damaged_archive_makes_way_at_the_start_and_what_can_be_read_is_kept() {
    for (what, harm, least) in HARMS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        drop(full(&path));
        harm(&path);
        let harmed = fs::read(&path).unwrap();
        let mut home = home(&path);
        // Damage of a page may be found only when it is read.
        let archive = home.open().unwrap();
        let scores = archive.scores(ALWAYS);
        let archive = match scores {
            Err(why) if why.is_damage() => {
                archive.close_without_checkpoint();
                home.replace(&why).unwrap()
            }
            _ => archive,
        };
        let mut writer = Writer::new(Some(archive), Some(home));
        for number in 500..510 {
            play(&mut writer, number);
        }
        all_is_brought(&path);
        let archive = writer.archive.take().unwrap();
        assert_eq!(kept(&archive, 500..510), 10, "{what}");
        let known = (0..GAMES).filter(|number| archive.game(&game_id(*number)).ok().flatten().is_some());
        let known = known.count();
        if let [aside] = &aside(&path)[..] {
            assert_eq!(
                fs::read(aside).unwrap(),
                harmed,
                "{what}: the old file is as it was"
            );
            assert!(known >= least, "{what}: {known}");
            assert_eq!(
                archive.integrity_errors().unwrap(),
                Vec::<String>::new(),
                "{what}"
            );
        } else {
            assert_eq!(what, "a leaf", "only what was not read can be unnoticed");
        }
    }
}

#[test]
fn f52_a_file_that_is_damaged_while_it_is_open_loses_no_row_from_then_on() {
    for (what, harm, least) in HARMS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        let mut writer = full(&path);
        harm(&path);
        for number in 500..510 {
            play(&mut writer, number);
        }
        assert!(writer.waiting.is_empty() && writer.state.lost() == 0, "{what}");
        let was_noticed = writer.state.set_aside();
        // The end of the program, and the next start.
        drop(writer);
        all_is_brought(&path);
        let (mut home, mut archive) = (home(&path), None);
        for _ in 0..3 {
            let opened = match archive.take() {
                None => home.open().unwrap(),
                Some(archive) => archive,
            };
            let read = opened
                .scores(ALWAYS)
                .map(drop)
                .and_then(|()| opened.games(&Filter::default()).map(drop));
            archive = Some(match read {
                Err(why) if why.is_damage() => {
                    opened.close_without_checkpoint();
                    home.replace(&why).unwrap()
                }
                _ => opened,
            });
        }
        all_is_brought(&path);
        let archive = archive.unwrap();
        assert_eq!(
            kept(&archive, 500..510),
            10,
            "{what}, noticed at once: {was_noticed}"
        );
        assert!(
            archive.games(&Filter::default()).unwrap().len() >= least,
            "{what}"
        );
    }
}

#[test]
fn what_lies_in_the_log_alone_is_brought_over_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut writer = full(&path);
    play(&mut writer, 500);
    writer.archive.take().unwrap().close_without_checkpoint();
    assert!(fs::metadata(folder.path().join("archive.db-wal")).unwrap().len() > 0);
    cut(&path, 0);
    let archive = home(&path).open().unwrap();
    all_is_brought(&path);
    assert_eq!(kept(&archive, 500..501), 1);
    assert_eq!(aside(&path).len(), 1);
}

#[test]
fn of_two_versions_of_a_row_the_newer_one_is_brought_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let archive = home(&path).open().unwrap();
    // Pages that are free have old rows: of limits here, which are taken away.
    for number in 0..500 {
        archive.put_limit(&format!("limit {number}"), UNTIL).unwrap();
    }
    archive.sql.execute_batch("DELETE FROM limits").unwrap();
    archive.put_limit("kept", UNTIL).unwrap();
    // A move beyond the end of a game was taken back.
    archive.put_game(&ended(1)).unwrap();
    for ply in 1..=21 {
        archive.put_move(&game_id(1), &record(ply)).unwrap();
    }
    checkpoint(&archive);
    let free: u32 = archive
        .sql
        .pragma_query_value(None, "freelist_count", |row| row.get(0))
        .unwrap();
    assert!(free > 0);
    archive.close_without_checkpoint();
    let page = page(&path, "games_by_time", true);
    overwrite(&path, (page - 1) * PAGE, 4096);
    let read = read_damaged(&path).unwrap();
    let limits = read.limits(Millis(1), ALWAYS).unwrap();
    assert_eq!(limits, [("kept".to_owned(), UNTIL)]);
    let archive = home(&path).replace(&StoreError::Damaged("a test")).unwrap();
    all_is_brought(&path);
    assert_eq!(archive.moves(&game_id(1)).unwrap().len(), 20);
}

#[test]
fn a_number_of_a_page_in_the_log_that_is_wrong_is_no_number_of_pages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut writer = full(&path);
    play(&mut writer, 500);
    writer.archive.take().unwrap().close_without_checkpoint();
    let log = folder.path().join("archive.db-wal");
    // The first frame says that it has page 4 billion.
    let mut file = fs::OpenOptions::new().write(true).open(&log).unwrap();
    file.seek(SeekFrom::Start(32)).unwrap();
    file.write_all(&[0xff; 4]).unwrap();
    assert!(
        read_damaged(&path)
            .unwrap()
            .games(&Filter::default())
            .unwrap()
            .len()
            >= GAMES
    );
}

#[test]
fn f52_a_full_disk_makes_rows_wait_and_sets_nothing_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut writer = full(&path);
    let pages = |writer: &Writer, most: u32| {
        let sql = &writer.archive.as_ref().unwrap().sql;
        sql.query_row(&format!("PRAGMA max_page_count = {most}"), [], |_| Ok(()))
            .unwrap();
    };
    pages(&writer, 1);
    for number in 500..540 {
        play(&mut writer, number);
    }
    assert!(writer.state.is_failing() && !writer.waiting.is_empty());
    let told = writer.state.unwritten().unwrap();
    assert!(told.contains("the ends of") && told.contains("moves"), "{told}");
    pages(&writer, 1_000_000);
    writer.catch_up();
    assert!(!writer.state.is_failing() && writer.waiting.is_empty());
    assert_eq!(kept(writer.archive.as_ref().unwrap(), 500..540), 40);
    assert!(aside(&path).is_empty());
}

#[test]
fn an_archive_that_could_not_be_written_is_opened_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut writer = full(&path);
    // As of a file that was read-only when it was opened.
    writer
        .archive
        .as_ref()
        .unwrap()
        .sql
        .execute_batch("PRAGMA query_only = 1")
        .unwrap();
    play(&mut writer, 500);
    assert!(writer.state.is_failing() && aside(&path).is_empty());
    writer.catch_up();
    assert_eq!(kept(writer.archive.as_ref().unwrap(), 500..501), 1);
}

#[test]
fn a_row_that_does_not_fit_keeps_no_other_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut writer = full(&path);
    let refuse = "CREATE TRIGGER t BEFORE INSERT ON limits BEGIN SELECT raise(ABORT, 'no'); END";
    writer
        .archive
        .as_ref()
        .unwrap()
        .sql
        .execute_batch(refuse)
        .unwrap();
    writer.on_request(WriteRequest::Limit("x".to_owned(), UNTIL));
    play(&mut writer, 500);
    assert_eq!((writer.state.lost(), writer.waiting.len()), (1, 0));
    assert_eq!(kept(writer.archive.as_ref().unwrap(), 500..501), 1);
}

#[test]
fn what_is_no_archive_makes_way_and_one_of_a_later_program_does_not() {
    // A folder for each, as what comes over from the one before takes its time.
    let set_aside = |spoil: &dyn Fn(&Path)| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        spoil(&path);
        let opened = home(&path).open();
        (aside(&path).len(), opened)
    };
    let run = |path: &Path, sql: &str| Connection::open(path).unwrap().execute_batch(sql).unwrap();
    for sql in [
        "CREATE TABLE bookmarks (x)",
        "PRAGMA user_version = -3",
        "CREATE TABLE games (x); PRAGMA user_version = 4",
        "CREATE TABLE games (x); PRAGMA user_version = 9999",
    ] {
        let (count, opened) = set_aside(&|path| run(path, sql));
        assert_eq!((count, opened.is_ok()), (1, true), "{sql}");
    }
    let (count, opened) = set_aside(&|path| fs::create_dir(path).unwrap());
    assert_eq!((count, opened.is_ok()), (1, true), "a folder in its place");
    let (count, opened) = set_aside(&|path| {
        drop(Archive::open(path).unwrap());
        run(path, "PRAGMA user_version = 99");
    });
    assert!(matches!(opened, Err(StoreError::TooNew { .. })));
    assert_eq!(count, 0);
}

#[test]
fn tables_that_vanish_while_it_is_written_are_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut writer = full(&path);
    Connection::open(&path)
        .unwrap()
        .execute_batch("DROP TABLE moves")
        .unwrap();
    play(&mut writer, 500);
    assert_eq!((writer.state.set_aside(), writer.state.lost()), (1, 0));
    assert_eq!(kept(writer.archive.as_ref().unwrap(), 500..501), 1);
}

#[test]
fn whoever_does_not_hold_the_folder_moves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    fs::write(&path, "garbage ".repeat(1000)).unwrap();
    for hold in [|| Err(StoreError::Held), || Ok(false)] {
        assert!(ArchivePath::new(path.clone(), Box::new(hold)).open().is_err());
    }
    assert!(Archive::read(&path).unwrap_err().is_damage());
    assert!(aside(&path).is_empty());
}

#[test]
fn a_disk_that_spoils_every_file_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut writer = full(&path);
    for number in 500..520 {
        if let Some(archive) = &writer.archive {
            all_is_brought(&path);
            checkpoint(archive);
            fs::write(&path, "garbage ".repeat(1000)).unwrap();
        }
        play(&mut writer, number);
    }
    assert!(
        writer.state.is_failing() && writer.state.set_aside() == 5,
        "{}",
        writer.state.set_aside()
    );
    all_is_brought(&path);
}

#[test]
fn bytes_that_are_overwritten_anywhere_stop_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    drop(full(&path));
    let mut whole = Vec::new();
    fs::File::open(&path).unwrap().read_to_end(&mut whole).unwrap();
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut spoiled = whole.clone();
        for _ in 0..rng.random_range(1..200) {
            let at = rng.random_range(0..spoiled.len());
            spoiled[at] = rng.random();
        }
        let other = folder.path().join(format!("{seed}.db"));
        fs::write(&other, spoiled).unwrap();
        read_damaged(&other).unwrap();
    }
}

mod followed;
