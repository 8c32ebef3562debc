//! What is written is read again, twice written is once there, and old files are understood.

mod filters;
mod revisions;
mod start;

use std::{path::PathBuf, sync::Barrier};

use super::*;
use crate::store::{
    ChallengeRecord, GameResult, MoveExplanation, PvLine, RequestedPersona, ScoreJson, SearchExplanation,
    Thought, test_fixtures,
};
use sparring_chess::units::{Depth, Elo, Nodes};
use sparring_lichess::model::Side;

fn id(text: &str) -> GameId {
    text.parse().unwrap()
}

fn game(name: &str, began: u64) -> GameRecord {
    GameRecord {
        began: Millis(began),
        level: Some(Elo(1400)),
        played: Some(Elo(1400)),
        ..test_fixtures::game(name, Side::Black)
    }
}

fn ended(game: &GameRecord, moves: &str) -> GameRecord {
    GameRecord {
        end: test_fixtures::end("mate", Some(Side::Black), moves),
        ..game.clone()
    }
}

fn reply(ply: u32, score: Score) -> MoveRecord {
    MoveRecord {
        ply,
        uci: "e7e5".to_owned(),
        clock: Some(Millis(299_000)),
        thought: Some(Thought {
            pondered: None,
            source: MoveSource::Engine {
                depth: Depth(9),
                nodes: Nodes(5000),
            },
            note: "engine +0.10".to_owned(),
            score: Some(score),
            think: Millis(1000),
            grounds: Some(MoveExplanation::Search(SearchExplanation {
                lines: vec![PvLine {
                    score: ScoreJson::from(score),
                    san: vec!["e5".to_owned(), "Nf3".to_owned()],
                }],
                people: None,
            })),
        }),
    }
}

fn shown(ply: u32) -> MoveRecord {
    MoveRecord {
        ply,
        uci: "e2e4".to_owned(),
        clock: None,
        thought: None,
    }
}

fn challenge(name: &str, at: u64, sent: bool) -> ChallengeRecord {
    ChallengeRecord {
        id: id(name),
        at: Millis(at),
        opponent: "ana".parse().ok(),
        verdict: "sent".to_owned(),
        rule: "matchmaking".to_owned(),
        sent,
        game: Some("casual blitz 3+2, standard".to_owned()),
        repeats: Some(id("zzzzzzzz")),
    }
}

fn rest(until: u64, refusals: u32) -> crate::store::ChallengeCooldown {
    crate::store::ChallengeCooldown {
        user: "ana".parse().unwrap(),
        refusals,
        until: Millis(until),
    }
}

fn fresh() -> (tempfile::TempDir, Archive) {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::open(&folder.path().join("archive.db")).unwrap();
    (folder, archive)
}

#[test]
fn a_game_written_twice_is_there_once_and_as_it_ended() {
    let (_folder, archive) = fresh();
    let begun = game("abcd1234", 1000);
    let done = ended(&begun, "e2e4 e7e5");
    for _ in 0..2 {
        archive.put_game(&begun).unwrap();
        for record in [shown(1), reply(2, Score::Cp(Centipawns(10))), shown(3)] {
            archive.put_move(&begun.id, &record).unwrap();
        }
        archive.put_game(&done).unwrap();
    }
    // News of the start that come late do not undo the end.
    archive.put_game(&begun).unwrap();
    assert_eq!(archive.games(&Filter::default()).unwrap(), [done]);
    let moves = archive.moves(&begun.id).unwrap();
    assert_eq!(
        moves,
        [shown(1), reply(2, Score::Cp(Centipawns(10)))],
        "what was taken back is gone"
    );
}

#[test]
fn a_move_after_a_takeback_replaces_the_old_one() {
    let (_folder, archive) = fresh();
    let id = id("abcd1234");
    archive.put_move(&id, &reply(2, Score::Mate(-3))).unwrap();
    archive.put_move(&id, &shown(2)).unwrap();
    assert_eq!(archive.moves(&id).unwrap(), [shown(2)]);
}

#[test]
fn a_move_seen_again_after_a_restart_keeps_its_reason() {
    let (_folder, archive) = fresh();
    let (id, thought) = (id("abcd1234"), reply(2, Score::Cp(Centipawns(-5))));
    archive.put_move(&id, &thought).unwrap();
    let bare = MoveRecord {
        clock: None,
        thought: None,
        ..thought.clone()
    };
    archive.put_move(&id, &bare).unwrap();
    assert_eq!(archive.moves(&id).unwrap(), [thought]);
}

/// An archive as the first version left it.
fn old() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(include_str!("../../../tests/fixtures/archive-1.sql"))
        .unwrap();
    (folder, path)
}

#[test]
fn programs_that_open_an_old_archive_at_once_renew_it_once() {
    for _ in 0..12 {
        let (_folder, path) = old();
        let together = Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    together.wait();
                    let archive = Archive::open(&path).unwrap();
                    assert_eq!(archive.games(&Filter::default()).unwrap().len(), 2);
                });
            }
        });
    }
}

#[test]
fn whoever_only_reads_an_old_archive_changes_nothing_in_it() {
    let (_folder, path) = old();
    let before = std::fs::read(&path).unwrap();
    let error = Archive::read(&path).unwrap_err();
    assert!(matches!(error, StoreError::TooOld { found: 1, .. }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    Archive::open(&path).unwrap();
    assert_eq!(
        Archive::read(&path)
            .unwrap()
            .ids(&Filter::default())
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn columns_that_a_later_program_adds_are_in_nobodys_way() {
    let (_folder, archive) = fresh();
    for table in [
        "games",
        "moves",
        "challenges",
        "limits",
        "favours",
        "rests",
        "leans",
    ] {
        let sql = format!("ALTER TABLE {table} ADD COLUMN later TEXT");
        archive.sql.execute_batch(&sql).unwrap();
    }
    let game = game("abcd1234", 1000);
    archive.put_game(&game).unwrap();
    archive.put_move(&game.id, &shown(1)).unwrap();
    archive.put_challenge(&challenge("aaaaaaaa", 1, true)).unwrap();
    archive.put_limit("bot.vsBot.day", Millis(500)).unwrap();
    archive
        .put_game_flags(&game.id, &crate::store::GameFlags::default())
        .unwrap();
    archive.put_cooldown(&rest(10, 1)).unwrap();
    let lean = sparring_book::WeightFactor {
        key: 1,
        uci: "e2e4".to_owned(),
        games: 6,
        points: 1.5,
        expected: 3.0,
        permille: 860,
    };
    archive.put_learned_weights("main", &[lean]).unwrap();
    assert_eq!(archive.games(&Filter::default()).unwrap(), [game]);
}

#[test]
fn an_archive_of_the_first_version_is_renewed_and_keeps_its_games() {
    let (_folder, path) = old();
    let archive = Archive::open(&path).unwrap();
    let games = archive.games(&Filter::default()).unwrap();
    assert_eq!(games.len(), 2);
    assert_eq!(games[0].name, "Boris");
    assert_eq!(games[0].account, None, "it was not asked yet");
    assert_eq!(
        (games[0].played, games[1].played),
        (Some(Elo(900)), None),
        "only what was asked for is known"
    );
    let challenges = archive.challenges(&ChallengeFilter::default()).unwrap();
    assert!(
        challenges
            .iter()
            .all(|challenge| !challenge.sent && challenge.game.is_none())
    );
    assert_eq!(games[1].end.as_ref().unwrap().moves, "f2f3 e7e5 g2g4 d8h4");
    let moves = archive.moves(&games[1].id).unwrap();
    assert_eq!(moves.len(), 4);
    let thoughts: Vec<_> = moves
        .iter()
        .filter_map(|record| record.thought.as_ref())
        .collect();
    assert!(!thoughts.is_empty() && thoughts.iter().all(|thought| thought.grounds.is_none()));
    archive.put_limit("bot.vsBot.day", Millis(500)).unwrap();
    assert_eq!(
        archive.limits(Millis(499), ALWAYS).unwrap(),
        [("bot.vsBot.day".to_owned(), Millis(500))]
    );
    assert!(archive.limits(Millis(500), ALWAYS).unwrap().is_empty());
}

#[test]
fn what_the_next_game_is_to_be_is_kept_until_it_is_settled_in_old_archives_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(include_str!("../../../tests/fixtures/archive-1.sql"))
        .unwrap();
    drop(old);
    let archive = Archive::open(&path).unwrap();
    let wish = |personality: Option<&str>, level: Option<u32>| RequestedPersona {
        personality: personality.map(str::to_owned),
        level: level.map(Elo),
    };
    let (ana, boris) = ("ana".parse().unwrap(), "boris".parse().unwrap());
    assert_eq!(archive.requested_personas(ALWAYS).unwrap(), []);
    archive
        .put_requested_persona(&ana, &wish(None, Some(1400)), Millis(1))
        .unwrap();
    archive
        .put_requested_persona(&boris, &wish(Some("club"), None), Millis(2))
        .unwrap();
    archive
        .put_requested_persona(&ana, &wish(None, Some(900)), Millis(3))
        .unwrap();
    let kept = [(ana, wish(None, Some(900))), (boris, wish(Some("club"), None))];
    assert_eq!(archive.requested_personas(ALWAYS).unwrap(), kept);
    archive
        .put_requested_persona(&kept[0].0, &RequestedPersona::default(), Millis(4))
        .unwrap();
    assert_eq!(archive.requested_personas(ALWAYS).unwrap(), kept[1..]);
}

#[test]
fn an_archive_of_a_later_program_is_left_alone() {
    let (folder, archive) = fresh();
    archive.sql.pragma_update(None, "user_version", 99).unwrap();
    drop(archive);
    let error = Archive::open(&folder.path().join("archive.db")).unwrap_err();
    assert!(matches!(error, StoreError::TooNew { found: 99, .. }));
}

#[test]
fn an_archive_that_keeps_the_newest_lets_go_of_whole_games() {
    let archive = Archive::in_memory().unwrap().keeping(2);
    for (number, name) in ["aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"]
        .iter()
        .enumerate()
    {
        let begun = game(name, number as u64);
        archive.put_game(&begun).unwrap();
        archive.put_move(&begun.id, &shown(1)).unwrap();
        // The second one never ends.
        if number != 1 {
            archive.put_game(&ended(&begun, "e2e4")).unwrap();
        }
    }
    let kept: Vec<String> = archive
        .games(&Filter::default())
        .unwrap()
        .iter()
        .map(|game| game.id.to_string())
        .collect();
    assert_eq!(kept, ["dddddddd", "cccccccc", "bbbbbbbb"]);
    assert_eq!(archive.moves(&id("aaaaaaaa")).unwrap(), []);
    assert_eq!(archive.moves(&id("dddddddd")).unwrap().len(), 1);
}

#[test]
fn challenges_are_kept_with_what_became_of_them() {
    let (_folder, archive) = fresh();
    let (older, newer) = (challenge("aaaaaaaa", 1, true), challenge("bbbbbbbb", 2, false));
    archive.put_challenge(&older).unwrap();
    archive.put_challenge(&newer).unwrap();
    let decided = ChallengeRecord {
        verdict: "declined".to_owned(),
        ..older
    };
    archive.put_challenge(&decided).unwrap();
    let found = |filter| archive.challenges(&filter).unwrap();
    assert_eq!(
        found(ChallengeFilter::default()),
        [newer.clone(), decided.clone()]
    );
    let sent = ChallengeFilter {
        sent: Some(true),
        ..ChallengeFilter::default()
    };
    assert_eq!(found(sent), [decided]);
    let late = ChallengeFilter {
        since: Some(Millis(2)),
        until: Some(Millis(3)),
        opponent: "ANA".parse().ok(),
        ..ChallengeFilter::default()
    };
    assert_eq!(found(late), [newer]);
    let nobody = ChallengeFilter {
        opponent: "boris".parse().ok(),
        ..ChallengeFilter::default()
    };
    assert_eq!(found(nobody), []);
}

#[test]
fn what_was_played_with_each_opponent_adds_up() {
    let (_folder, archive) = fresh();
    let put = |name: &str, opponent: &str, end| {
        let record = GameRecord {
            opponent: opponent.parse().ok(),
            end,
            ..game(name, 1)
        };
        archive.put_game(&record).unwrap();
    };
    // All as Black.
    put(
        "aaaaaaaa",
        "ana",
        test_fixtures::end("mate", Some(Side::Black), ""),
    );
    put("bbbbbbbb", "ana", test_fixtures::end("draw", None, ""));
    put("cccccccc", "ana", test_fixtures::end("aborted", None, ""));
    put("dddddddd", "ana", None);
    put(
        "eeeeeeee",
        "boris",
        test_fixtures::end("resign", Some(Side::White), ""),
    );
    let score = |games, half_points| crate::store::OpponentScore {
        games,
        half_points,
        level: None,
    };
    let expected = [("ana", score(2, 3)), ("boris", score(1, 0))];
    assert_eq!(
        archive.scores(ALWAYS).unwrap(),
        expected.map(|(name, score)| (name.parse().unwrap(), score))
    );
}

#[test]
fn the_level_of_the_last_casual_game_that_counts_is_known() {
    let (_folder, archive) = fresh();
    let last = |name, played: u32, rated, end: Option<End>| {
        let record = GameRecord {
            played: Some(Elo(played)),
            rated,
            end: end.map(|end| End {
                at: Millis(u64::from(played)),
                ..end
            }),
            ..game(name, 1)
        };
        archive.put_game(&record).unwrap();
        archive
            .scores(ALWAYS)
            .unwrap()
            .first()
            .and_then(|(_, tally)| tally.level)
    };
    let drawn = || test_fixtures::end("draw", None, "");
    assert_eq!(
        last("aaaaaaaa", 1000, true, drawn()),
        None,
        "a rated one says nothing"
    );
    assert_eq!(last("bbbbbbbb", 1010, false, drawn()), Some(Elo(1010)));
    assert_eq!(
        last("cccccccc", 1005, false, drawn()),
        Some(Elo(1010)),
        "it ended before"
    );
    assert_eq!(last("dddddddd", 1020, false, None), Some(Elo(1010)), "it runs");
    let aborted = test_fixtures::end("aborted", None, "");
    assert_eq!(last("eeeeeeee", 1030, false, aborted), Some(Elo(1010)));
    assert_eq!(last("ffffffff", 1040, false, drawn()), Some(Elo(1040)));
}

#[test]
fn who_is_left_alone_is_kept_until_it_is_over() {
    let (_folder, archive) = fresh();
    archive.put_cooldown(&rest(10, 1)).unwrap();
    archive.put_cooldown(&rest(20, 2)).unwrap();
    assert_eq!(archive.cooldowns(Millis(19), ALWAYS).unwrap(), [rest(20, 2)]);
    assert_eq!(archive.cooldowns(Millis(20), ALWAYS).unwrap(), []);
}

#[test]
fn a_question_that_runs_can_be_ended_from_another_thread() {
    let (_folder, archive) = fresh();
    let interrupt = archive.interrupt();
    let (begin, begun) = std::sync::mpsc::channel();
    let ending = std::thread::spawn(move || {
        begun.recv().unwrap();
        // It may not have begun yet when it is to end.
        while begun.try_recv() != Err(std::sync::mpsc::TryRecvError::Disconnected) {
            interrupt.interrupt();
            std::thread::yield_now();
        }
    });
    begin.send(()).unwrap();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
    let ended = archive.sql.query_row(endless, [], |row| row.get::<_, i64>(0));
    drop(begin);
    assert!(StoreError::from(ended.unwrap_err()).was_interrupted());
    ending.join().unwrap();
    assert!(
        archive.games(&Filter::default()).unwrap().is_empty(),
        "the next one is answered"
    );
}
