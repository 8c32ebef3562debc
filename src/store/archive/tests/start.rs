//! What every start asks is answered without reading all games: the more there are, the longer somebody's clock would run.

use super::*;
use crate::store::{ALWAYS, GameFlags, RequestedPersona, archive::restore};

/// How the database goes about a question, a step each.
fn plan(archive: &Archive, question: &str) -> Vec<String> {
    let sql = format!("EXPLAIN QUERY PLAN {question}");
    let mut explained = archive.sql.prepare(&sql).unwrap();
    let steps = explained.raw_query().mapped(|row| row.get("detail"));
    steps.collect::<Result<_, _>>().unwrap()
}

#[test]
fn no_question_of_the_start_reads_all_games() {
    let (_folder, archive) = fresh();
    let expected: [(String, &[&str]); 8] = [
        (
            restore::scores_query(restore::NAMED),
            &["SEARCH games USING COVERING INDEX games_by_score (opponent>?)"],
        ),
        (
            restore::scores_query(restore::ONE),
            &["SEARCH games USING COVERING INDEX games_by_score (opponent=?)"],
        ),
        (
            restore::UNFINISHED.to_owned(),
            &["SEARCH games USING INDEX games_without_end (began<?)"],
        ),
        (
            restore::GAME_FLAGS.to_owned(),
            &[
                "SEARCH games USING INDEX games_without_end (began<?)",
                "SEARCH favours USING PRIMARY KEY (game=?)",
            ],
        ),
        (
            restore::OPPONENTS.to_owned(),
            &["SEARCH games USING INDEX games_by_time (began>? AND began<?)"],
        ),
        (
            restore::DECIDED.to_owned(),
            &["SEARCH games USING INDEX games_by_time (began>? AND began<?)"],
        ),
        (
            restore::REQUESTED_PERSONAS.to_owned(),
            &["SEARCH wishes USING INDEX wishes_by_time (at<?)"],
        ),
        (
            restore::COOLDOWNS.to_owned(),
            &["SEARCH rests USING INDEX rests_by_time (until>? AND until<?)"],
        ),
    ];
    for (question, steps) in expected {
        assert_eq!(plan(&archive, &question), steps, "{question}");
    }
}

#[test]
fn games_that_run_are_found_by_whoever_shows_them_without_reading_the_others() {
    let (_folder, archive) = fresh();
    let filter = Filter {
        result: Some(GameResult::Runs),
        most: Some(100),
        ..Filter::default()
    };
    let (question, _) = filter.select("*");
    let steps = plan(&archive, &question);
    assert_eq!(steps[0], "SCAN games USING INDEX games_without_end", "{steps:?}");
}

#[test]
fn an_old_archive_answers_them_too() {
    let (_folder, path) = old();
    let archive = Archive::open(&path).unwrap();
    let score = crate::store::OpponentScore {
        games: 1,
        half_points: 2,
        level: None,
    };
    let known = archive.scores(ALWAYS).unwrap();
    assert_eq!(known.len(), 1, "the other game runs: {known:?}");
    assert_eq!(known[0].1, score);
    assert_eq!(archive.score(&known[0].0, ALWAYS).unwrap(), score);
    let running = archive.unfinished(ALWAYS).unwrap();
    assert_eq!(running.len(), 1);
    let favour = GameFlags {
        takebacks: 1,
        offered_at: None,
        asked: RequestedPersona::default(),
    };
    archive.put_game_flags(&running[0], &favour).unwrap();
    assert_eq!(
        archive.game_flags(ALWAYS).unwrap(),
        [(running[0].clone(), favour)]
    );
}

#[test]
fn a_game_that_is_forgotten_by_all_ends_with_what_was_shown_of_it_and_counts_for_nobody() {
    let (_folder, archive) = fresh();
    let (forgotten, told) = (game("abcd1234", 1000), ended(&game("bbbbbbbb", 2000), "e2e4"));
    archive.put_game(&forgotten).unwrap();
    archive.put_move(&forgotten.id, &shown(1)).unwrap();
    archive
        .put_move(&forgotten.id, &reply(2, Score::Cp(Centipawns(10))))
        .unwrap();
    archive.put_game(&told).unwrap();
    for game in [&forgotten.id, &told.id, &id("nowhere0")] {
        archive.put_forgotten(game, Millis(5000)).unwrap();
    }
    let end = Some(End {
        at: Millis(5000),
        status: "aborted".to_owned(),
        winner: None,
        moves: "e2e4 e7e5".to_owned(),
    });
    let kept = GameRecord { end, ..forgotten };
    assert_eq!(archive.games(&Filter::default()).unwrap(), [told.clone(), kept]);
    assert_eq!(archive.score(&"ana".parse().unwrap(), ALWAYS).unwrap().games, 1);
    assert!(archive.has_ended(&told.id).unwrap() && !archive.has_ended(&id("nowhere0")).unwrap());
}
