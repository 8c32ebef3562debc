//! Streams that say odd things: what they cost, and how often a move is posted.

use std::time::{Duration, Instant};

use serde_json::json;
use sparring::store::{Archive, Filter};
use sparring_chess::units::Millis;

use crate::{
    puppet::{ID, full, over, state},
    stage::{Act, acts, replies},
};

/// The path of a command of the game.
fn path(command: &str) -> String {
    format!("bot/game/{ID}/{command}")
}

#[tokio::test]
async fn f22_f23_f25_states_that_come_twice_or_not_at_all_get_one_move_each() {
    let mut server = replies(&["e2e4", "g1f3", "f1c4"]).on_strings().await;
    let game = server.begun_game().await;
    for moves in ["e2e4", "e2e4", "e2e4 e7e5", "e2e4 e7e5"] {
        game.line(&state(moves));
    }
    server.posted(2).await;
    // Two plies at once: the state that showed our own move was lost.
    game.line(&state("e2e4 e7e5 g1f3 b8c6"));
    game.line(&state("e2e4 e7e5 g1f3 b8c6"));
    game.line(&over("e2e4 e7e5 g1f3 b8c6 f1c4", "resign"));
    game.line(&over("e2e4 e7e5 g1f3 b8c6 f1c4", "resign"));
    server.bot.until("free again", |status| status.games == 0).await;
    let expected = ["move/e2e4", "move/g1f3", "move/f1c4"].map(path);
    let posted = server.posted(2).await;
    assert!(posted.len() >= 2 && expected.starts_with(&posted), "{posted:?}");
}

#[tokio::test]
async fn f1_f2_lines_in_any_pieces_are_read_and_a_fragment_is_dropped() {
    let mut server = replies(&["e2e4", "g1f3"]).on_strings().await;
    let game = server.game(ID).await;
    let mut first = full(ID, "");
    first["black"]["name"] = "Ænne ♞".into();
    for byte in format!("\r\n{first}\r\n").into_bytes() {
        game.bytes([byte]);
    }
    server.posted(1).await;
    game.bytes(r#"{"type":"gameState","moves":"e2e4 e7"#);
    drop(game);
    let game = server.opens_again(ID).await;
    game.line(&full(ID, "e2e4 e7e5"));
    assert_eq!(server.posted(2).await, ["move/e2e4", "move/g1f3"].map(path));
}

#[tokio::test]
async fn f30_f31_strangers_among_the_lines_are_passed_over() {
    let mut server = replies(&["e2e4"]).on_strings().await;
    server
        .events
        .bytes("<html>502</html>\n{\"type\":\"gameStart\"}\n{\"type\":\"news\",\"x\":1}\n[]\n\n");
    let game = server.game(ID).await;
    game.line(&state("e2e4"));
    game.line(&json!({"type": "applause", "by": "all"}));
    game.bytes("\n\n");
    game.line(&json!({"type": "chatLine", "room": "player", "username": "ana", "text": "!help"}));
    game.line(&full(ID, ""));
    assert_eq!(server.posted(1).await, [path("move/e2e4")]);
}

#[tokio::test]
async fn f31_a_server_that_talks_nonsense_is_not_asked_for_games_at_every_line() {
    let mut server = replies(&["e2e4"]).on_strings().await;
    let before = server.listed();
    server.events.bytes("<html>502</html>\n".repeat(200));
    let _game = server.begun_game().await;
    let asked = server.listed() - before;
    assert!((1..20).contains(&asked), "{asked} times");
}

#[tokio::test]
async fn f31_a_state_that_cannot_be_read_is_asked_for_again() {
    let mut server = replies(&["e2e4", "g1f3"]).on_strings().await;
    let game = server.begun_game().await;
    game.line(&json!({"type": "gameState", "moves": 7}));
    let game = server.opens_again(ID).await;
    game.line(&full(ID, "e2e4 e7e5"));
    server.posted(2).await;
    // The same with a history that cannot be.
    game.line(&state("e2e4 e7e5 g1f3 b8b8"));
    let game = server.opens_again(ID).await;
    game.line(&full(ID, "e2e4 e7e5 g1f3"));
    assert_eq!(server.crew.plies(), [0, 2]);
}

#[tokio::test]
async fn f1_f31_a_line_that_nobody_can_read_is_asked_for_again_while_its_stream_lives() {
    let cut = state("e2e4 e7e5").to_string();
    let mut long = vec![b'x'; sparring_lichess::ndjson::LONGEST_LINE + 10];
    long.push(b'\n');
    for spoiled in [
        format!("{}\n", &cut[..40]).into_bytes(),
        b"{\"\xff\xfe\n".to_vec(),
        long,
    ] {
        let mut server = replies(&["e2e4", "g1f3"]).on_strings().await;
        let game = server.begun_game().await;
        game.line(&state("e2e4"));
        game.bytes(spoiled);
        game.keep_alive(Duration::from_secs(1));
        // The first line of a stream may be spoiled as well.
        let again = server.opens_again(ID).await;
        again.bytes("{\"type\":\"gameFull\",\n");
        again.keep_alive(Duration::from_secs(1));
        let begin = Instant::now();
        let again = server.opens_again(ID).await;
        assert!(begin.elapsed() < Duration::from_secs(8), "{:?}", begin.elapsed());
        again.line(&full(ID, "e2e4 e7e5"));
        assert_eq!(server.posted(2).await, ["move/e2e4", "move/g1f3"].map(path));
    }
}

#[tokio::test]
async fn f31_a_game_that_is_told_nonsense_again_and_again_is_played_on_from_what_can_be_read() {
    let mut server = replies(&["e2e4", "g1f3"]).on_strings().await;
    let mut game = server.game(ID).await;
    for _ in 0..10 {
        game.line(&full(ID, "e2e4"));
        game.bytes("<html>502</html>\n".repeat(50));
        game = server.opens_again(ID).await;
    }
    game.line(&full(ID, "e2e4"));
    game.bytes("<html>502</html>\n".repeat(50));
    game.line(&state("e2e4 e7e5"));
    assert_eq!(server.posted(1).await, [path("move/g1f3")]);
    assert_eq!(server.others_opened(), [] as [&str; 0]);
}

#[tokio::test]
async fn f12_a_move_that_never_shows_is_sent_again_and_never_another() {
    let mut server = acts(|_, before| Act::Play(["e2e4", "d2d4"][before], 0))
        .on_strings()
        .await;
    let game = server.game(ID).await;
    game.line(&full(ID, ""));
    // The server said yes, but its streams go on to show the start.
    server.posted(1).await;
    let game = server.opens_again(ID).await;
    drop(game);
    let game = server.opens_again(ID).await;
    game.line(&full(ID, ""));
    assert_eq!(server.posted(2).await, [path("move/e2e4"), path("move/e2e4")]);
    assert_eq!(server.crew.plies(), [0]);
}

#[tokio::test]
async fn f49_a_game_from_an_impossible_position_is_given_up_and_nothing_else() {
    let mut server = replies(&["e2e4"]).on_strings().await;
    let game = server.game("impossib").await;
    let mut first = full("impossib", "");
    first["variant"]["key"] = "fromPosition".into();
    first["initialFen"] = "8/8/8/8/8/8/8/8 w - - 0 1".into();
    server.answers("/abort", 400, r#"{"error":"This game can no longer be aborted"}"#);
    game.line(&first);
    let posted = server.posted(2).await;
    assert_eq!(posted, ["bot/game/impossib/abort", "bot/game/impossib/resign"]);
    server.bot.until("free again", |status| status.games == 0).await;
    let game = server.game(ID).await;
    game.line(&full(ID, ""));
    assert_eq!(server.posted(3).await[2], path("move/e2e4"));
}

#[tokio::test]
async fn f18_f20_news_of_a_game_that_come_again_change_nothing() {
    let mut server = replies(&["e2e4"]).on_strings().await;
    let game = server.game(ID).await;
    for _ in 0..3 {
        server
            .events
            .line(&json!({"type": "gameStart", "game": {"gameId": ID}}));
    }
    server.events.line(&json!({
        "type": "gameStart", "game": {"gameId": "notforus", "compat": {"bot": false, "board": true}}
    }));
    game.line(&full(ID, ""));
    server.posted(1).await;
    server.bot.until("one game", |status| status.games == 1).await;
    assert_eq!(server.others_opened(), [] as [&str; 0]);
}

#[tokio::test]
async fn f21_a_game_ends_by_the_event_stream_when_its_own_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut server = replies(&["e2e4"]).archive(&path).on_strings().await;
    let game = server.game(ID).await;
    game.line(&full(ID, "e2e4"));
    server.bot.until("one game", |status| status.games == 1).await;
    server
        .events
        .line(&json!({"type": "gameFinish", "game": {"gameId": ID}}));
    // How it ended is looked for once more, so that it is kept.
    let again = server.opens_again(ID).await;
    let mut last = full(ID, "e2e4");
    last["state"] = over("e2e4", "resign");
    again.line(&last);
    server
        .bot
        .until("free again", |status| status.games + status.parked == 0)
        .await;
    server.crew.store.flush().await;
    let games = Archive::read(&path).unwrap().games(&Filter::default()).unwrap();
    assert_eq!(games[0].end.as_ref().unwrap().status, "resign");
}

#[tokio::test]
async fn f19_a_game_that_was_over_before_is_neither_played_nor_greeted() {
    let mut server = replies(&[])
        .personality(sparring_personality::Personality::new("friendly"))
        .on_strings()
        .await;
    let game = server.game(ID).await;
    let mut first = full(ID, "");
    first["state"] = over("", "aborted");
    game.line(&first);
    drop(game);
    server
        .bot
        .until("a game and its end", |status| status.games == 0)
        .await;
    let game = server.game("efgh5678").await;
    game.line(&full("efgh5678", "e2e4"));
    assert_eq!(
        server.posted(1).await,
        ["bot/game/efgh5678/chat"],
        "the greeting of the second game"
    );
}

#[tokio::test]
async fn f19_the_end_of_a_game_that_is_heard_of_again_counts_once() {
    let mut server = replies(&[]).on_strings().await;
    let mut first = full(ID, "e2e4 e7e5");
    first["state"] = over("e2e4 e7e5", "draw");
    for _ in 0..2 {
        let game = server.game(ID).await;
        game.line(&first);
        drop(game);
        server
            .bot
            .until("a game and its end", |status| status.games == 0)
            .await;
    }
    let page = server
        .crew
        .meters
        .page(&server.bot.status.borrow(), &server.crew.store, None);
    let counted = "sparring_games_ended_total{result=\"drawn\"} 1";
    assert!(page.lines().any(|line| line == counted), "{page}");
}

#[tokio::test]
async fn f41_the_win_is_claimed_when_the_count_reaches_zero_and_it_is_not_our_turn() {
    let mut server = acts(|_, _| Act::Hang).on_strings().await;
    let game = server.game(ID).await;
    let gone = |secs| json!({"type": "opponentGone", "gone": true, "claimWinInSeconds": secs});
    game.line(&full(ID, "e2e4 e7e5"));
    game.line(&gone(0));
    game.line(&state("e2e4 e7e5 g1f3"));
    game.line(&json!({"type": "opponentGone", "gone": true}));
    game.line(&gone(5));
    game.line(&gone(0));
    assert_eq!(server.posted(1).await, [path("claim-victory")]);
}

#[tokio::test]
async fn f29_a_clock_that_falls_while_the_bot_thinks_has_it_think_anew_with_what_is_left() {
    let mut server = acts(|request, _| {
        if request
            .clocks
            .is_some_and(|clocks| clocks.mine < Millis::from_secs(10))
        {
            Act::Play("e2e4", 0)
        } else {
            Act::Hang
        }
    })
    .on_strings()
    .await;
    let game = server.game(ID).await;
    game.line(&full(ID, ""));
    server.crew.thinks(1).await;
    for clock in [590_000, 2000] {
        let mut state = state("");
        state["wtime"] = json!(clock);
        game.line(&state);
    }
    assert_eq!(server.posted(1).await, [path("move/e2e4")]);
    assert_eq!(server.crew.plies(), [0, 0], "a little less is no reason");
}

#[tokio::test]
async fn f29_clocks_that_make_no_sense_do_not_stop_play() {
    let mut server = replies(&["e2e4", "g1f3", "f1c4", "d2d3"]).on_strings().await;
    let game = server.begun_game().await;
    let line = [
        "e2e4 e7e5",
        "e2e4 e7e5 g1f3 b8c6",
        "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6",
    ];
    for (index, (moves, clock)) in line
        .into_iter()
        .zip([json!(null), json!(-7), json!(2_147_483_647_u64)])
        .enumerate()
    {
        let mut state = state(moves);
        state["wtime"] = clock;
        game.line(&state);
        server.posted(index + 2).await;
    }
}
