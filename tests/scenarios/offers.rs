//! Offers, absences and ends that come while something else is going on.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sparring_chess::units::{Centipawns, Elo};
use sparring_personality::{DrawPolicy, Personality};
use tokio::sync::watch;

use crate::{
    puppet::{ID, Puppet, Tap, full, over, state},
    stage::{Act, acts, replies, silent},
};

/// The path of a command of the game.
fn path(command: &str) -> String {
    format!("bot/game/{ID}/{command}")
}

/// A state with more in it.
fn with(moves: &str, more: &[(&str, Value)]) -> Value {
    let mut state = state(moves);
    for (key, value) in more {
        state[*key] = value.clone();
    }
    state
}

fn gone(secs: impl Into<Value>) -> Value {
    json!({"type": "opponentGone", "gone": true, "claimWinInSeconds": secs.into()})
}

#[tokio::test]
async fn f26_a_flag_that_stands_on_the_declining_move_is_no_new_offer() {
    let mut calm = silent("calm");
    calm.draw = Some(DrawPolicy {
        within: Centipawns(10),
        moves: 1,
        offers_to_humans: false,
    });
    // The first move promises much, so that the offer is refused; the second would let it be taken.
    let mut server = acts(|request, _| match request.line.ply() {
        0 => Act::Play("e2e4", 300),
        2 => Act::Play("g1f3", 0),
        _ => Act::Play("f1c4", 0),
    })
    .personality(calm)
    .on_strings()
    .await;
    let game = server.begun_game().await;
    let offered = ("bdraw", json!(true));
    game.line(&with("e2e4 e7e5", std::slice::from_ref(&offered)));
    server.posted(2).await;
    game.line(&with("e2e4 e7e5 g1f3", &[offered]));
    game.line(&state("e2e4 e7e5 g1f3 b8c6"));
    let expected = ["move/e2e4", "move/g1f3", "move/f1c4"].map(path);
    assert_eq!(server.posted(3).await, expected);
}

#[tokio::test]
async fn f27_offers_that_are_refused_leave_the_thought_alone() {
    let (open, gate) = watch::channel(false);
    let mut stern = silent("stern");
    stern.takebacks = 0;
    let mut server = acts(move |_, _| Act::When(gate.clone(), "e2e4"))
        .personality(stern)
        .on_strings()
        .await;
    let game = server.game(ID).await;
    game.line(&full(ID, ""));
    server.crew.thinks(1).await;
    game.line(&with("", &[("btakeback", json!(true)), ("bdraw", json!(true))]));
    assert_eq!(server.posted(1).await, [path("takeback/no")]);
    open.send(true).unwrap();
    assert_eq!(server.posted(2).await[1], path("move/e2e4"));
    assert_eq!(server.crew.plies(), [0], "asked once");
}

#[tokio::test]
async fn f17_a_command_that_the_token_is_refused_for_is_looked_into_and_the_game_goes_on() {
    let mut stern = silent("stern");
    stern.takebacks = 0;
    let mut server = replies(&["e2e4", "g1f3"]).personality(stern).on_strings().await;
    let game = server.begun_game().await;
    server.answers("/takeback/no", 401, r#"{"error":"No such token"}"#);
    game.line(&with("e2e4", &[("btakeback", json!(true))]));
    assert_eq!(server.posted(2).await[1], path("takeback/no"));
    let game = server.opens_again(ID).await;
    game.line(&full(ID, "e2e4 e7e5"));
    assert_eq!(server.posted(3).await[2], path("move/g1f3"));
}

/// A bot that grants one takeback, and thinks about its second move until it is disturbed.
async fn kind_and_thinking() -> (Puppet, Tap) {
    let mut kind = silent("kind");
    kind.takebacks = 1;
    let mut server = acts(|_, before| match before {
        0 => Act::Hang,
        _ => Act::Play("g1f3", 0),
    })
    .personality(kind)
    .on_strings()
    .await;
    let game = server.game(ID).await;
    game.line(&full(ID, "e2e4 e7e5"));
    server.crew.thinks(1).await;
    (server, game)
}

#[tokio::test]
async fn f27_an_answer_that_gets_lost_is_sent_again_while_the_offer_stands() {
    let (mut server, game) = kind_and_thinking().await;
    server.answers("/takeback/yes", 502, "<html>Bad Gateway</html>");
    let asked = with("e2e4 e7e5", &[("btakeback", json!(true))]);
    game.line(&asked);
    assert_eq!(
        server.posted(2).await,
        ["takeback/yes", "takeback/yes"].map(path),
        "one favour, told twice"
    );
    // Here the answer was heard and only its receipt lost: told again it would be a wish of our own.
    server.answers("/takeback/no", 502, "<html>Bad Gateway</html>");
    game.line(&state("e2e4 e7e5"));
    game.line(&asked);
    assert_eq!(server.posted(3).await[2], path("takeback/no"), "one was the most");
    game.line(&state("e2e4 e7e5"));
    assert_eq!(server.posted(4).await[3], path("move/g1f3"));
}

#[tokio::test]
async fn f27_a_takeback_that_never_comes_after_it_was_granted_lets_play_go_on() {
    let (mut server, game) = kind_and_thinking().await;
    game.line(&with("e2e4 e7e5", &[("btakeback", json!(true))]));
    assert_eq!(server.posted(1).await, [path("takeback/yes")]);
    assert_eq!(server.posted(2).await[1], path("move/g1f3"));
}

#[tokio::test]
async fn f28_a_game_that_ends_while_we_think_gets_no_move() {
    for status in ["aborted", "resign", "draw", "mate", "outoftime"] {
        let (open, gate) = watch::channel(false);
        let mut server = acts(move |_, _| Act::When(gate.clone(), "e2e4"))
            .on_strings()
            .await;
        let game = server.game(ID).await;
        game.line(&full(ID, ""));
        server.crew.thinks(1).await;
        game.line(&over("", status));
        server.bot.until("free again", |status| status.games == 0).await;
        // Whoever thinks may have been let go of by now.
        let _ = open.send(true);
        let next = server.game("efgh5678").await;
        next.line(&full("efgh5678", ""));
        assert_eq!(
            server.posted(1).await,
            ["bot/game/efgh5678/move/e2e4"],
            "{status}"
        );
    }
}

#[tokio::test]
async fn f28_a_move_that_crosses_the_end_is_refused_without_harm() {
    let mut server = replies(&["e2e4"]).on_strings().await;
    let game = server.game(ID).await;
    server.answers(
        "/move/e2e4",
        400,
        r#"{"error":"Not your turn, or game already over"}"#,
    );
    game.line(&full(ID, ""));
    server.posted(1).await;
    game.line(&over("", "resign"));
    // A look may be under way: the stream that it opens says the same.
    server
        .events
        .line(&json!({"type": "gameFinish", "game": {"gameId": ID}}));
    server.bot.until("free again", |status| status.games == 0).await;
    assert_eq!(server.posts(), [path("move/e2e4")]);
}

#[tokio::test]
async fn f21_a_final_state_alone_ends_the_game_too() {
    let mut server = replies(&["e2e4"]).on_strings().await;
    let game = server.game(ID).await;
    game.line(&full(ID, "e2e4"));
    game.line(&over("e2e4", "resign"));
    server
        .bot
        .until("a game and its end", |status| status.games == 0)
        .await;
    // The news that comes late, and twice, changes nothing.
    for _ in 0..2 {
        server
            .events
            .line(&json!({"type": "gameFinish", "game": {"gameId": ID}}));
    }
    let next = server.game("efgh5678").await;
    next.line(&full("efgh5678", ""));
    assert_eq!(server.posted(1).await, ["bot/game/efgh5678/move/e2e4"]);
}

#[tokio::test]
async fn f41_whoever_comes_back_is_not_claimed_against() {
    let mut server = replies(&["e2e4", "g1f3"]).on_strings().await;
    let game = server.game(ID).await;
    game.line(&full(ID, "e2e4"));
    game.line(&gone(8));
    game.line(&json!({"type": "opponentGone", "gone": true}));
    game.line(&gone(3));
    game.line(&json!({"type": "opponentGone", "gone": false}));
    game.line(&state("e2e4 e7e5"));
    assert_eq!(server.posted(1).await, [path("move/g1f3")]);
}

#[tokio::test]
async fn f41_a_bare_king_claims_the_draw() {
    let mut server = replies(&[]).on_strings().await;
    let game = server.game(ID).await;
    let mut first = full(ID, "");
    first["variant"]["key"] = "fromPosition".into();
    first["initialFen"] = "4k2r/8/8/8/8/8/8/4K3 b - - 0 1".into();
    game.line(&first);
    game.line(&gone(0));
    assert_eq!(server.posted(1).await, [path("claim-draw")]);
}

#[tokio::test]
async fn f42_claims_keep_their_distance_however_often_the_count_comes() {
    let mut server = replies(&["e2e4", "g1f3"]).on_strings().await;
    let game = server.game(ID).await;
    server.answers("/claim-victory", 400, r#"{"error":"Cannot claim victory"}"#);
    game.line(&full(ID, "e2e4"));
    let begin = Instant::now();
    game.repeats(format!("{}\n", gone(0)), Duration::from_millis(20));
    // Neither the refusal of the first nor the success of the second that changes nothing is the last word: the claim
    // is made again after a while.
    for claims in 2..=3 {
        server.posted(claims).await;
        let (took, least) = (begin.elapsed(), Duration::from_millis(4500) * (claims as u32 - 1));
        assert!(took >= least, "{claims} claims: {took:?}");
    }
    // When he moves nothing more is claimed.
    game.line(&state("e2e4 e7e5"));
    let expected = ["claim-victory", "claim-victory", "claim-victory", "move/g1f3"].map(path);
    assert_eq!(server.posted(4).await, expected);
}

#[tokio::test]
async fn f33_our_own_lines_and_those_of_lichess_are_never_answered() {
    let mut server = replies(&["e2e4", "g1f3"])
        .personality(Personality::new("talker"))
        .on_strings()
        .await;
    let game = server.game(ID).await;
    game.line(&full(ID, "e2e4"));
    assert_eq!(server.posted(1).await, [path("chat")], "the greeting");
    for name in ["Bot", "bot", "lichess"] {
        game.line(&json!({"type": "chatLine", "room": "player", "username": name, "text": "!help"}));
    }
    game.line(&json!({"type": "chatLine", "room": "spectator", "username": "ana", "text": "!help"}));
    game.line(&state("e2e4 e7e5"));
    assert_eq!(
        server.posted(2).await[1],
        path("move/g1f3"),
        "and no answer before it"
    );
}

#[tokio::test]
async fn f46_chat_of_before_that_comes_late_takes_nothing_back_that_was_granted_in_time() {
    let mut server = replies(&["e2e4", "g1f3", "f1c4", "d2d3"]).on_strings().await;
    server.holds_chat();
    let game = server.game(ID).await;
    game.line(&full(ID, ""));
    let before = server.opens(&format!("/api/{}", path("chat"))).await;
    game.line(&json!({"type": "chatLine", "room": "player", "username": "ana", "text": "!level 800"}));
    server.posted(2).await;
    game.line(&state("e2e4 e7e5"));
    server.posted(3).await;
    game.line(&state("e2e4 e7e5 g1f3 b8c6"));
    server.posted(4).await;
    game.line(&state("e2e4 e7e5 g1f3 b8c6 f1c4"));
    // It was asked for before the last line was said, and has a line more, which nobody has answered.
    before.bytes(json!([{"user": "ana", "text": "!help"}]).to_string());
    drop(before);
    assert_eq!(server.posted(5).await[4], path("chat"));
    game.line(&state("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6"));
    server.posted(6).await;
    assert_eq!(server.crew.levels(), [Some(Elo(800)); 4]);
}

#[tokio::test]
async fn f32_a_flood_of_chat_keeps_no_move_back() {
    let mut server = replies(&["e2e4", "g1f3"]).on_strings().await;
    let game = server.begun_game().await;
    let texts = [
        "!help".to_owned(),
        "x".repeat(2000),
        String::new(),
        "\u{202e}\u{0}\u{1b}[2J♞".into(),
    ];
    for number in 0..400 {
        let text = &texts[number % texts.len()];
        game.line(&json!({"type": "chatLine", "room": "player", "username": "ana", "text": text}));
    }
    game.line(&state("e2e4 e7e5"));
    let begun = std::time::Instant::now();
    loop {
        let posts = server.posts();
        if posts.contains(&path("move/g1f3")) {
            let answers = posts.iter().filter(|post| post.ends_with("/chat")).count();
            assert!(answers <= 1 + begun.elapsed().as_secs() as usize / 3, "{posts:?}");
            break;
        }
        server.posted(posts.len() + 1).await;
    }
}
