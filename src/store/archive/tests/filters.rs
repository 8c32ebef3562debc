//! Each filter lets through what it names and nothing else.

use super::*;

/// The first letters of the games that a filter lets through.
fn found(archive: &Archive, filter: &Filter) -> String {
    let games = archive.games(filter).unwrap();
    games.iter().map(|game| &game.id.as_str()[..1]).collect()
}

fn put(archive: &Archive, games: &[GameRecord]) {
    for game in games {
        archive.put_game(game).unwrap();
    }
}

#[test]
fn filters_choose_and_the_newest_comes_first() {
    let (_folder, archive) = fresh();
    let other = GameRecord {
        opponent: "boris".parse().ok(),
        rated: false,
        speed: "rapid".to_owned(),
        ..game("dddddddd", 4)
    };
    let usual = [("aaaaaaaa", 1), ("bbbbbbbb", 3), ("cccccccc", 2)];
    put(&archive, &usual.map(|(name, began)| game(name, began)));
    put(&archive, &[other]);
    let all = Filter::default;
    for (filter, letters) in [
        (all(), "dbca"),
        (
            Filter {
                opponent: "ANA".parse().ok(),
                ..all()
            },
            "bca",
        ),
        (
            Filter {
                rated: Some(false),
                ..all()
            },
            "d",
        ),
        (
            Filter {
                speed: Some("blitz".into()),
                since: Some(Millis(2)),
                ..all()
            },
            "bc",
        ),
        (
            Filter {
                most: Some(1),
                ..all()
            },
            "d",
        ),
        (
            Filter {
                until: Some(Millis(3)),
                ..all()
            },
            "ca",
        ),
    ] {
        assert_eq!(found(&archive, &filter), letters, "{filter:?}");
    }
    assert_eq!(archive.game(&id("zzzzzzzz")).unwrap(), None);
}

#[test]
fn every_mark_of_a_game_can_be_asked_for() {
    let (_folder, archive) = fresh();
    let unlike = GameRecord {
        is_bot: true,
        variant: "chess960".to_owned(),
        personality: "attacker".to_owned(),
        side: Side::White,
        ..ended(&game("eeeeeeee", 5), "e2e4")
    };
    put(&archive, &[game("aaaaaaaa", 1), unlike]);
    let all = Filter::default;
    for filter in [
        Filter {
            bots: Some(true),
            ..all()
        },
        Filter {
            side: Some(Side::White),
            ..all()
        },
        Filter {
            result: Some(GameResult::Lost),
            ..all()
        },
        Filter {
            variant: Some("chess960".into()),
            ..all()
        },
        Filter {
            personality: Some("attacker".into()),
            ..all()
        },
    ] {
        assert_eq!(found(&archive, &filter), "e", "{filter:?}");
    }
}

#[test]
fn games_are_told_apart_by_how_they_ended() {
    let (_folder, archive) = fresh();
    // All as Black.
    let so = |name, end| GameRecord { end, ..game(name, 1) };
    put(
        &archive,
        &[
            so("rrrrrrrr", None),
            so("wwwwwwww", test_fixtures::end("mate", Some(Side::Black), "e2e4")),
            so(
                "llllllll",
                test_fixtures::end("resign", Some(Side::White), "e2e4"),
            ),
            so("vvvvvvvv", test_fixtures::end("aborted", None, "")),
            so("dddddddd", test_fixtures::end("stalemate", None, "")),
        ],
    );
    for (result, letter) in [
        (GameResult::Runs, "r"),
        (GameResult::Won, "w"),
        (GameResult::Lost, "l"),
        (GameResult::Void, "v"),
        (GameResult::Drawn, "d"),
    ] {
        let filter = Filter {
            result: Some(result),
            ..Filter::default()
        };
        assert_eq!(found(&archive, &filter), letter, "{result:?}");
    }
}

#[test]
fn opponents_count_from_the_moment_that_is_asked_for() {
    let (_folder, archive) = fresh();
    put(
        &archive,
        &[game("eeeeeeee", 5), game("ffffffff", 6), game("gggggggg", 7)],
    );
    let ana = ("ana".parse().unwrap(), false);
    assert_eq!(
        archive.opponents_between(Millis(6), ALWAYS).unwrap(),
        [ana.clone(), ana.clone()]
    );
    assert_eq!(archive.opponents_between(Millis(6), Millis(6)).unwrap(), [ana]);
}

#[test]
fn a_page_goes_on_after_the_last_game_of_the_one_before() {
    let (_folder, archive) = fresh();
    let same = ["dddddddd", "bbbbbbbb", "cccccccc"].map(|name| game(name, 5));
    put(&archive, &same);
    put(&archive, &[game("aaaaaaaa", 9), game("eeeeeeee", 1)]);
    let after = |name: &str, began| Filter {
        after: Some((Millis(began), id(name))),
        ..Filter::default()
    };
    assert_eq!(found(&archive, &Filter::default()), "abcde");
    assert_eq!(found(&archive, &after("aaaaaaaa", 9)), "bcde");
    assert_eq!(found(&archive, &after("cccccccc", 5)), "de");
    assert_eq!(found(&archive, &after("eeeeeeee", 1)), "");
}

#[test]
fn results_come_without_the_moves() {
    let (_folder, archive) = fresh();
    put(&archive, &[ended(&game("aaaaaaaa", 1), "e2e4 e7e5")]);
    let moves = |games: Vec<GameRecord>| games[0].end.clone().unwrap().moves;
    assert_eq!(moves(archive.games(&Filter::default()).unwrap()), "e2e4 e7e5");
    assert_eq!(moves(archive.results(&Filter::default()).unwrap()), "");
}
