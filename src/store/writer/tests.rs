use super::*;
use crate::store::{Filter, MoveRecord};

fn record(ply: u32) -> MoveRecord {
    MoveRecord {
        ply,
        uci: "e2e4".to_owned(),
        clock: None,
        thought: None,
    }
}

#[tokio::test]
async fn what_was_ordered_is_there_after_a_flush() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let store = ArchiveWriter::start(Archive::open(&path).unwrap()).unwrap();
    let id: GameId = "abcd1234".parse().unwrap();
    for ply in 1..=50 {
        store.record_move(id.clone(), record(ply));
    }
    store.flush().await;
    let archive = Archive::read(&path).unwrap();
    assert_eq!(archive.moves(&id).unwrap().len(), 50);
    let asked = store.ask(move |archive| archive.moves(&id)).await;
    assert_eq!(asked.unwrap().unwrap().len(), 50);
    assert!(archive.games(&Filter::default()).unwrap().is_empty());
    assert_eq!(store.lost(), 0);
}

#[test]
fn rows_wait_while_the_disk_refuses_and_are_written_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let archive = Archive::open(&path).unwrap();
    let lock = rusqlite::Connection::open(&path).unwrap();
    // Stands for a full disk: every write fails until the table is back.
    lock.execute_batch("ALTER TABLE moves RENAME TO gone").unwrap();
    let mut writer = Writer::new(Some(archive), None);
    let id: GameId = "abcd1234".parse().unwrap();
    for ply in 1..=(QUEUE as u32 + 5) {
        writer.on_request(WriteRequest::Move(id.clone(), Box::new(record(ply))));
    }
    assert_eq!(writer.waiting.len(), QUEUE);
    assert_eq!(writer.state.lost(), 5, "the oldest are let go and counted");
    lock.execute_batch("ALTER TABLE gone RENAME TO moves").unwrap();
    writer.catch_up();
    let written = Archive::read(&path).unwrap().moves(&id).unwrap();
    assert_eq!(written.len(), QUEUE);
}

#[tokio::test]
async fn rows_wait_for_an_archive_that_cannot_be_opened_yet_and_the_bound_is_the_same() {
    let at = tempfile::tempdir().unwrap();
    let folder = at.path().join("state");
    let path = folder.join("archive.db");
    let home = ArchivePath::new(path.clone(), Box::new(|| Ok(true)));
    let store = ArchiveWriter::keep(None, home).unwrap();
    assert!(store.is_failing());
    let id: GameId = "abcd1234".parse().unwrap();
    for ply in 1..=(QUEUE as u32 + 5) {
        store.record_move(id.clone(), record(ply));
        // One at a time, so that none is lost on the way to the thread.
        store.flush().await;
    }
    assert_eq!((store.lost(), store.is_failing()), (5, true));
    let asked = store.ask(|archive| archive.games(&Filter::default())).await;
    assert!(asked.is_none(), "there is no archive yet");
    std::fs::create_dir(&folder).unwrap();
    store.flush().await;
    assert!(!store.is_failing());
    let written = store.ask(move |archive| archive.moves(&id)).await.unwrap();
    assert_eq!(written.unwrap().len(), QUEUE);
}

#[tokio::test]
async fn without_an_archive_nothing_is_kept_and_nobody_waits() {
    let store = ArchiveWriter::default();
    store.limit("x", Millis(1));
    store.flush().await;
    assert_eq!(store.lost(), 0);
}

mod damage;
