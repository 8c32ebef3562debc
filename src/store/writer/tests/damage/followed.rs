//! Archives that are taken away or replaced while they are open.

use super::*;

#[test]
fn f52_a_file_that_was_taken_away_is_begun_anew_with_all_rows_from_then_on() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    fs::create_dir(&state).unwrap();
    let path = state.join("archive.db");
    let mut writer = full(&path);
    for (round, names) in [
        &["archive.db"][..],
        &["archive.db", "archive.db-wal", "archive.db-shm"],
    ]
    .iter()
    .enumerate()
    {
        names
            .iter()
            .for_each(|name| fs::remove_file(state.join(name)).unwrap());
        play(&mut writer, 500 + round);
        all_is_brought(&path);
    }
    assert_eq!((writer.state.lost(), writer.state.set_aside()), (0, 0));
    drop(writer);
    let archive = Archive::read(&path).unwrap();
    assert_eq!(kept(&archive, 500..502), 2);
}

#[test]
fn a_file_that_was_put_in_its_place_is_used_and_takes_nothing_of_the_old_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let backup = folder.path().join("backup.db");
    let mut writer = full(&path);
    play(&mut writer, 499);
    Archive::open(&backup).unwrap().put_game(&ended(900)).unwrap();
    fs::rename(&backup, &path).unwrap();
    play(&mut writer, 500);
    all_is_brought(&path);
    drop(writer);
    let archive = Archive::read(&path).unwrap();
    assert_eq!(kept(&archive, 499..501), 2);
    assert!(archive.game(&game_id(900)).unwrap().is_some());
    assert!(archive.game(&game_id(0)).unwrap().is_none());
    assert_eq!(archive.integrity_errors().unwrap(), Vec::<String>::new());
    // Garbage in its place costs nothing either.
    let mut writer = Writer::new(Some(home(&path).open().unwrap()), Some(home(&path)));
    let garbage = folder.path().join("garbage");
    fs::write(&garbage, "garbage ".repeat(1000)).unwrap();
    fs::rename(&garbage, &path).unwrap();
    play(&mut writer, 501);
    all_is_brought(&path);
    assert_eq!(kept(writer.archive.as_ref().unwrap(), 501..502), 1);
}

#[test]
fn a_file_that_looks_like_another_one_each_time_fills_no_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut writer = full(&path);
    let files = |folder: &Path| fs::read_dir(folder).unwrap().count();
    let before = files(folder.path());
    for number in 500..520 {
        // As on a file system without steady numbers: the files are the same, their numbers new.
        for suffix in ["", "-wal", "-shm"] {
            let name = crate::store::damage::beside(&path, suffix);
            let copy = folder.path().join("copy");
            fs::copy(&name, &copy).unwrap();
            fs::rename(&copy, &name).unwrap();
        }
        play(&mut writer, number);
    }
    assert_eq!((files(folder.path()), writer.waiting.len()), (before, 0));
}

#[test]
fn a_row_that_was_not_taken_is_not_written_once_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut writer = full(&path);
    let refuse = "CREATE TRIGGER t BEFORE INSERT ON limits BEGIN SELECT raise(ABORT, 'no'); END";
    let sql = &writer.archive.as_ref().unwrap().sql;
    sql.execute_batch(refuse).unwrap();
    writer.on_request(WriteRequest::Limit("x".to_owned(), UNTIL));
    play(&mut writer, 500);
    for suffix in ["", "-wal", "-shm"] {
        fs::remove_file(crate::store::damage::beside(&path, suffix)).unwrap();
    }
    play(&mut writer, 501);
    let archive = writer.archive.as_ref().unwrap();
    assert_eq!(kept(archive, 500..502), 2, "the last rows are in the new one");
    assert_eq!(
        (archive.limits(Millis(1), ALWAYS).unwrap(), writer.state.lost()),
        (vec![], 1)
    );
}
