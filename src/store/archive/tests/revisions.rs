//! The order of changes, by which the archive is pushed.

use super::*;
use crate::store::read_damaged;

/// The revisions of games and challenges, in the order of their ids; none for games that run.
fn revisions(archive: &Archive) -> (Vec<Option<u32>>, Vec<Option<u32>>) {
    let of = |table: &str| {
        let mut select = archive
            .sql
            .prepare(&format!("SELECT revision FROM {table} ORDER BY id"))
            .unwrap();
        let rows = select.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    (of("games"), of("challenges"))
}

fn identity(archive: &Archive) -> String {
    let select = "SELECT id FROM identity";
    archive.sql.query_row(select, [], |row| row.get(0)).unwrap()
}

#[test]
fn every_change_of_a_game_that_has_ended_gets_the_next_number() {
    let (_folder, archive) = fresh();
    // The clock went back between them.
    let (one, other) = (game("aaaaaaaa", 2000), game("bbbbbbbb", 1000));
    archive.put_game(&one).unwrap();
    archive.put_move(&one.id, &shown(1)).unwrap();
    assert_eq!(revisions(&archive).0, [None], "it runs");
    archive.put_game(&ended(&one, "e2e4")).unwrap();
    archive.put_game(&ended(&other, "e2e4")).unwrap();
    assert_eq!(revisions(&archive).0, [Some(1), Some(2)]);
    archive.put_game(&ended(&one, "e2e4")).unwrap();
    assert_eq!(revisions(&archive).0, [Some(3), Some(2)]);
    archive.put_move(&other.id, &shown(1)).unwrap();
    assert_eq!(revisions(&archive).0, [Some(3), Some(4)]);
    archive.put_move(&other.id, &shown(1)).unwrap();
    assert_eq!(revisions(&archive).0, [Some(3), Some(5)], "the newest one, too");
    let lost = game("cccccccc", 3000);
    archive.put_game(&lost).unwrap();
    archive.put_forgotten(&lost.id, Millis(4000)).unwrap();
    assert_eq!(revisions(&archive).0, [Some(3), Some(5), Some(6)]);
}

#[test]
fn every_change_of_a_challenge_gets_the_next_number() {
    let (_folder, archive) = fresh();
    for (name, at) in [("aaaaaaaa", 2), ("bbbbbbbb", 1), ("bbbbbbbb", 3)] {
        archive.put_challenge(&challenge(name, at, true)).unwrap();
    }
    assert_eq!(revisions(&archive).1, [Some(1), Some(3)]);
}

#[test]
fn an_archive_of_the_first_version_is_numbered_by_time() {
    let (_folder, path) = old();
    let archive = Archive::open(&path).unwrap();
    let running = archive.unfinished(ALWAYS).unwrap().len();
    let (mut games, challenges) = revisions(&archive);
    games.sort_unstable();
    assert_eq!((running, games), (1, vec![None, Some(1)]));
    assert_eq!(challenges.iter().flatten().count(), challenges.len());
}

#[test]
fn an_archive_begun_anew_is_another_with_numbers_of_its_own() {
    let (folder, archive) = fresh();
    for name in ["aaaaaaaa", "bbbbbbbb"] {
        let game = ended(&game(name, 1000), "e2e4");
        for _ in 0..5 {
            archive.put_game(&game).unwrap();
        }
    }
    assert_eq!(revisions(&archive).0, [Some(5), Some(10)]);
    assert_eq!(identity(&archive).len(), 32);
    let anew = read_damaged(&folder.path().join("archive.db")).unwrap();
    let (mut games, _) = revisions(&anew);
    games.sort_unstable();
    assert_eq!(games, [Some(1), Some(2)]);
    assert_ne!(identity(&anew), identity(&archive));
}

#[test]
fn the_next_number_is_found_without_a_look_at_all_games() {
    let (_folder, archive) = fresh();
    for table in ["games", "challenges"] {
        let next = format!("EXPLAIN QUERY PLAN SELECT max(revision) FROM {table} WHERE revision IS NOT NULL");
        let plan: String = archive.sql.query_row(&next, [], |row| row.get(3)).unwrap();
        assert!(
            plan.starts_with("SEARCH") && plan.contains(&format!("{table}_by_revision")),
            "{plan}"
        );
    }
}
