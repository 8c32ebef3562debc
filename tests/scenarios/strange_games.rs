//! Games that are unusual from their first line on: odd positions, unknown kinds, nameless opponents, great length.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sparring_chess::units::Elo;
use sparring_personality::{LevelSetting, Personality};

use crate::{
    puppet::{ID, full, state},
    stage::{Act, acts, replies},
};

/// The path of a command of the game.
fn path(command: &str) -> String {
    format!("bot/game/{ID}/{command}")
}

#[tokio::test]
async fn f20_a_game_of_an_unknown_variant_is_left_and_no_other() {
    let mut server = replies(&["e2e4"]).on_strings().await;
    let game = server.game("strange1").await;
    let mut first = full("strange1", "");
    first["variant"] = json!({"key": "bughouse", "name": "Bughouse"});
    game.line(&first);
    assert_eq!(server.posted(1).await, ["bot/game/strange1/abort"]);
    server.bot.until("free again", |status| status.games == 0).await;
    // A speed that nobody knows is no reason not to play.
    let game = server.game(ID).await;
    let mut first = full(ID, "");
    first["speed"] = "glacial".into();
    game.line(&first);
    assert_eq!(server.posted(2).await[1], path("move/e2e4"));
}

#[tokio::test]
async fn f24_a_history_that_differs_in_the_middle_is_decided_anew() {
    let mut server = replies(&["e2e4", "g1f3", "f1b5"]).on_strings().await;
    let game = server.begun_game().await;
    game.line(&state("e2e4 e7e5"));
    server.posted(2).await;
    game.line(&state("e2e4 c7c5"));
    server.posted(3).await;
    game.line(&state("e2e4 c7c5 g1f3 b8c6"));
    let expected = ["move/e2e4", "move/g1f3", "move/g1f3", "move/f1b5"].map(path);
    assert_eq!(server.posted(4).await, expected);
    assert_eq!(server.crew.plies(), [0, 2, 2, 4]);
}

#[tokio::test]
async fn f31_a_running_game_is_given_up_only_for_a_second_frame_without_sense() {
    let mut server = replies(&["e2e4", "g1f3"]).on_strings().await;
    let game = server.begun_game().await;
    game.line(&state("e2e4 e7e5 d1d8"));
    let game = server.opens_again(ID).await;
    game.line(&full(ID, "e2e4 e7e4"));
    let game = server.opens_again(ID).await;
    game.line(&full(ID, "e2e4 e7e5"));
    assert_eq!(server.posted(2).await, ["move/e2e4", "move/g1f3"].map(path));
    // Sense between them starts the count anew.
    game.line(&state("e2e4 e7e5 d1d8"));
    let game = server.opens_again(ID).await;
    game.line(&full(ID, "e2e4 e7e4"));
    let game = server.opens_again(ID).await;
    game.line(&full(ID, "e2e4 e7e4"));
    let given_up = server.posted(3).await[2].clone();
    assert!(
        given_up == path("abort") || given_up == path("resign"),
        "{given_up}"
    );
}

#[tokio::test]
async fn f31_fields_that_are_strange_missing_or_of_another_type_cost_a_line_at_most() {
    let mut server = replies(&["e2e4", "g1f3", "f1c4"]).on_strings().await;
    let game = server.game(ID).await;
    let mut first = full(ID, "");
    first["future"] = json!({"anything": [1, 2]});
    for field in ["rated", "clock", "black"] {
        assert!(first.as_object_mut().unwrap().remove(field).is_some());
    }
    game.line(&first);
    server.posted(1).await;
    let mut odd = state("e2e4 e7e5");
    odd["surprise"] = json!(null);
    odd["wtime"] = json!("soon");
    game.line(&odd);
    game.line(&json!({"type": "gameState", "moves": ["e2e4"], "status": "started"}));
    let game = server.opens_again(ID).await;
    game.line(&full(ID, "e2e4 e7e5"));
    server.posted(2).await;
    let page = server
        .crew
        .meters
        .page(&server.bot.status.borrow(), &server.crew.store, None);
    assert!(
        page.contains("sparring_lines_skipped_total{stream=\"game\"}"),
        "{page}"
    );
}

#[tokio::test]
async fn f31_a_game_is_played_whatever_of_its_first_line_does_not_fit() {
    let mut server = acts(|request, _| match request.clocks {
        Some(_) => Act::Play("e2e4", 0),
        None => Act::Hang,
    })
    .on_strings()
    .await;
    let odd = json!({
        "perf": "blitz", "createdAt": null, "rated": null, "tournamentId": 5, "daysPerTurn": "x", "initialFen": null,
        "variant": {"key": "standard", "name": null}, "clock": {"initial": 600_000.0, "increment": 0},
        "black": {"id": "ana", "rating": 1500.5, "title": 7, "provisional": null}
    });
    let spoiled = [
        odd,
        json!({"black": null, "speed": "glacial"}),
        json!({"clock": "10+0"}),
        // Who plays White is known by who plays Black, or by the event stream.
        json!({"white": null}),
        json!({"white": {"id": 7}, "black": null}),
    ];
    for (before, fields) in spoiled.into_iter().enumerate() {
        let id = format!("odd0000{before}");
        server.events.line(&json!({"type": "gameStart", "game": {
            "gameId": id, "color": "white", "opponent": "ana", "perf": null, "rated": "no"
        }}));
        let game = server.opens_again(&id).await;
        let mut first = full(&id, "");
        for (field, value) in fields.as_object().unwrap() {
            first[field] = value.clone();
        }
        for (field, value) in [
            ("wdraw", json!(null)),
            ("wtime", json!("600000")),
            ("rematch", json!("zz")),
        ] {
            first["state"][field] = value;
        }
        game.line(&first);
        let posted = server.posted(before + 1).await;
        assert_eq!(posted[before], format!("bot/game/{id}/move/e2e4"));
        server.keep(game);
    }
}

#[tokio::test]
async fn f31_a_challenge_is_answered_whatever_of_it_does_not_fit() {
    let mut server = replies(&[])
        .rules("[[rule]]\nthen = \"accept\"\n")
        .on_strings()
        .await;
    let clock = json!({"type": "clock", "limit": 180.0, "increment": "2", "show": 5});
    let spoiled = json!({
        "type": "challenge", "compat": {"bot": true}, "challenge": {
            "id": "odd00001", "url": null, "perf": "blitz", "rules": null, "color": null, "speed": "glacial",
            "challenger": {"id": "ana", "name": null, "rating": 1620.5}, "destUser": "auda",
            "variant": {"key": "standard", "name": null}, "timeControl": clock
        }
    });
    server.events.line(&spoiled);
    assert_eq!(server.posted(1).await, ["challenge/odd00001/accept"]);
    // What decides and cannot be understood is refused, so that nobody waits for nothing.
    for (before, (field, value)) in [("timeControl", json!("3+2")), ("variant", json!(null))]
        .into_iter()
        .enumerate()
    {
        let mut spoiled = spoiled.clone();
        let id = format!("odd1000{before}");
        spoiled["challenge"]["id"] = json!(id);
        spoiled["challenge"][field] = value;
        server.events.line(&spoiled);
        let posted = server.posted(before + 2).await;
        assert_eq!(posted[before + 1], format!("challenge/{id}/decline"));
    }
}

#[tokio::test]
async fn f30_a_stream_that_lives_but_does_not_begin_is_opened_anew() {
    let mut server = replies(&["e2e4"])
        .options(|options| options.timing.game_full_timeout = sparring_chess::units::Millis(100))
        .on_strings()
        .await;
    let game = server.game(ID).await;
    game.keep_alive(std::time::Duration::from_millis(20));
    let game = server.opens_again(ID).await;
    game.line(&full(ID, ""));
    assert_eq!(server.posted(1).await, [path("move/e2e4")]);
}

#[tokio::test]
async fn f34_nameless_opponents_and_the_computer_are_played() {
    for (black, level) in [
        (json!({}), None),
        (json!({"aiLevel": 3}), None),
        (
            json!({"id": null, "name": null, "rating": null, "title": null}),
            None,
        ),
        (
            json!({"id": "ana", "name": "Ana", "rating": 1800}),
            Some(Elo(1800)),
        ),
    ] {
        let mut profile = Personality::new("friendly");
        profile.level_setting = Some(LevelSetting::Opponent(0));
        let mut server = replies(&["e2e4"]).personality(profile).on_strings().await;
        let game = server.game(ID).await;
        let mut first = full(ID, "");
        first["black"] = black.clone();
        game.line(&first);
        loop {
            let posts = server.posts();
            if posts.contains(&path("move/e2e4")) {
                break;
            }
            server.posted(posts.len() + 1).await;
        }
        let asked = server.crew.asked();
        assert_eq!(asked.len(), 1, "{black}");
        // Whoever has no rating meets the personality at the level that is its own.
        assert_eq!(
            (asked[0].personality.as_str(), asked[0].level),
            ("friendly", level),
            "{black}"
        );
    }
}

#[tokio::test]
async fn f29_an_empty_or_negative_clock_is_no_reason_not_to_move() {
    let mut server = replies(&["e2e4", "g1f3", "f1c4"]).on_strings().await;
    let game = server.begun_game().await;
    for (index, (moves, clock)) in [("e2e4 e7e5", 0), ("e2e4 e7e5 g1f3 b8c6", -20_000)]
        .iter()
        .enumerate()
    {
        let mut state = state(moves);
        state["wtime"] = json!(clock);
        game.line(&state);
        server.posted(index + 2).await;
    }
}

/// Positions with White to move, and a move that must be understood there.
const POSITIONS: [(&str, &str, &str); 5] = [
    ("in check at once", "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "e1e2"),
    ("no castling rights", "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1", "e1e2"),
    (
        "Shredder's castling",
        "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
        "e1e2",
    ),
    (
        "castling with inner rooks",
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
        "e1e2",
    ),
    ("en passant at once", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6"),
];

#[tokio::test]
async fn f49_games_from_odd_positions_are_played() {
    for (what, fen, uci) in POSITIONS {
        let mut server = acts(move |_, _| Act::Play(uci, 0)).on_strings().await;
        let game = server.game(ID).await;
        let mut first = full(ID, "");
        first["variant"]["key"] = "fromPosition".into();
        first["initialFen"] = fen.into();
        game.line(&first);
        assert_eq!(server.posted(1).await, [path(&format!("move/{uci}"))], "{what}");
    }
}

#[tokio::test]
async fn f50_a_game_of_six_hundred_plies_and_a_line_of_64_kib_are_played_on_no_slower() {
    let mut server = acts(|request, _| Act::Play(["g1f3", "f3g1"][request.line.ply() / 2 % 2], 0))
        .on_strings()
        .await;
    let game = server.game(ID).await;
    let round = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let mut moves = String::new();
    let mut took = Vec::new();
    for ply in (0..=600).step_by(2) {
        let begin = Instant::now();
        game.line(&if ply == 0 {
            full(ID, "")
        } else {
            state(moves.trim_end())
        });
        assert_eq!(
            server.posted(ply / 2 + 1).await[ply / 2],
            path(&format!("move/{}", round[ply % 4]))
        );
        took.push(begin.elapsed());
        moves += &format!("{} {} ", round[ply % 4], round[ply % 4 + 1]);
    }
    let median = |part: &[Duration]| {
        let mut part = part.to_vec();
        part.sort_unstable();
        part[part.len() / 2]
    };
    let (early, late) = (median(&took[..50]), median(&took[took.len() - 50..]));
    // What grew with the game would be many times slower by now; the rest is for a machine with other things to do.
    assert!(
        late < early * 4 + Duration::from_millis(5),
        "{early:?} at first, {late:?} at last"
    );
    let text: Value = "y".repeat(64 * 1024).into();
    game.line(&json!({"type": "chatLine", "room": "player", "username": "ana", "text": text}));
    game.line(&state(moves.trim_end()));
    assert_eq!(server.posted(302).await[301], path("move/f3g1"));
    assert_eq!(
        *server.crew.plies().last_chunk::<2>().expect("two moves"),
        [600, 602]
    );
}
