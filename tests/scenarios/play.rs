//! Games from the challenge to the last move.

use std::sync::Arc;

use futures::future::BoxFuture;
use sparring::{
    bot::moves::{
        engine_pool::EnginePool,
        online_sources::OnlineSources,
        selector::{Decision, MoveRequest, Pipeline},
    },
    store::Archive,
};
use sparring_book::{self as book, Library};
use sparring_chess::units::{Centipawns, Nodes};
use sparring_engine::Score;
use sparring_personality::{DrawPolicy, Personality};
use sparring_sandbox::Castling;
use tokio::sync::watch;

use crate::{
    puppet::{full, state},
    stage::{Act, BLACK, WHITE, acts, replies, silent},
};

#[tokio::test]
async fn a_challenge_becomes_a_game_that_is_played_to_mate() {
    let mut stage = replies(&["e7e5", "d8h4"])
        .personality(Personality::new("friendly"))
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.bot_says("Hello Anna").await;
    game.human_plays("f2f3").await.bot_answers("e7e5").await;
    game.human_plays("g2g4").await.bot_answers("d8h4").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    assert_eq!(stage.crew.plies(), [1, 3]);
    let (_, chat) = stage
        .table
        .bot
        .get(&format!("/api/bot/game/{}/chat", game.id))
        .await;
    let said: Vec<&str> = chat
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|line| line["text"].as_str())
        .collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[1].contains("Thanks for the game"), "{said:?}");
}

#[tokio::test]
async fn the_bot_begins_when_it_has_white() {
    let stage = replies(&["e2e4", "d1h5", "h5f7"]).open().await;
    let mut game = stage.game(&BLACK).await;
    game.bot_answers("e2e4").await.human_plays("g7g5").await;
    game.bot_answers("d1h5").await.human_plays("g8f6").await;
    game.bot_answers("h5f7").await;
    game.human_resigns_to("white").await;
}

#[tokio::test]
async fn f48_castling_is_understood_in_both_spellings() {
    let script = &["e7e5", "g8f6", "f8c5", "e8g8", "d7d6"];
    for castling in [Castling::TwoSquare, Castling::Always960] {
        let stage = replies(script)
            .sandbox(|sandbox| sandbox.rules.castling = castling)
            .open()
            .await;
        let (white, black) = match castling {
            Castling::TwoSquare => ("e1g1", "e8g8"),
            Castling::Always960 => ("e1h1", "e8h8"),
        };
        let mut game = stage.game(&WHITE).await;
        for (human, bot) in [
            ("e2e4", "e7e5"),
            ("g1f3", "g8f6"),
            ("f1c4", "f8c5"),
            (white, black),
            ("d2d3", "d7d6"),
        ] {
            game.human_plays(human).await.bot_answers(bot).await;
        }
    }
}

#[tokio::test]
async fn f49_a_position_with_black_to_move_is_played_from_black() {
    let stage = replies(&["e8e7"]).open().await;
    let form = [
        &BLACK[..2],
        &[("color", "white"), ("fen", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1")],
    ]
    .concat();
    let mut game = stage.game(&form).await;
    game.bot_answers("e8e7").await;
}

#[tokio::test]
async fn a_draw_is_taken_when_the_scores_allow_it() {
    let mut calm = silent("calm");
    calm.draw = Some(DrawPolicy {
        within: Centipawns(10),
        moves: 1,
        offers_to_humans: false,
    });
    let stage = replies(&["e7e5", "b8c6"]).personality(calm).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_does("draw/yes").await.ends("draw", None).await;
}

#[tokio::test]
async fn f26_a_draw_is_refused_by_who_wants_to_win() {
    let stage = acts(|request, _| Act::Play(["e7e5", "b8c6"][request.line.ply() / 2], 300))
        .personality(silent("keen"))
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_does("draw/yes").await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
}

#[tokio::test]
async fn a_takeback_is_granted_to_people_and_the_move_decided_anew() {
    let mut kind = Personality::new("kind");
    kind.takebacks = 1;
    let stage = replies(&["e7e5", "b8c6"]).personality(kind).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    game.human_does("takeback/yes").await.takes_back(2).await;
    game.human_plays("f1c4").await.bot_answers("b8c6").await;
    game.human_does("takeback/yes")
        .await
        .bot_says("no more takebacks")
        .await;
    assert_eq!(stage.crew.plies(), [1, 3, 3]);
}

#[tokio::test]
async fn takebacks_are_counted_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut kind = Personality::new("kind");
    kind.takebacks = 1;
    let mut stage = replies(&["e7e5", "b8c6"])
        .personality(kind)
        .archive(&path)
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_does("takeback/yes").await.takes_back(2).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.crew.store.flush().await;
    stage.kill();
    stage.crew.past.game_flags = Archive::read(&path)
        .unwrap()
        .game_flags(sparring::store::ALWAYS)
        .unwrap();
    assert_eq!(stage.crew.past.game_flags.len(), 1);
    stage.start().await;
    stage.bot().until("playing", |status| status.games == 1).await;
    game.human_does("takeback/yes")
        .await
        .bot_says("no more takebacks")
        .await;
}

#[tokio::test]
async fn a_draw_is_offered_to_a_bot_once_and_not_again_within_twenty_plies() {
    let mut calm = silent("calm");
    calm.draw = Some(DrawPolicy {
        within: Centipawns(10),
        moves: 1,
        offers_to_humans: false,
    });
    let round = ["g1f3", "g8f6", "f3g1", "f6g8"];
    // The mind asks as the whole one does: once the policy allows it.
    let asked = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let note = std::sync::Arc::clone(&asked);
    let mut server = acts(|_, _| Act::Hang)
        .selector(std::sync::Arc::new(
            move |request: MoveRequest| -> BoxFuture<'static, Option<Decision>> {
                let note = std::sync::Arc::clone(&note);
                Box::pin(async move {
                    let ply = request.line.ply();
                    let outlook = sparring::bot::moves::offer_policy::Situation {
                        scores: &request.scores,
                        ply,
                        rated: request.rated,
                        against_bot: request.against_bot,
                        offered_at: request.offered_at,
                    };
                    let draw =
                        sparring::bot::moves::offer_policy::offers_draw(&request.persona.profile, outlook);
                    if draw {
                        note.lock().unwrap().push(ply);
                    }
                    let mv =
                        sparring_chess::parse_uci(request.line.position(), ["g1f3", "f3g1"][ply / 2 % 2]);
                    Some(Decision {
                        draw,
                        score: Some(Score::Cp(Centipawns(0))),
                        ..Decision::play(mv.unwrap(), "script")
                    })
                })
            },
        ))
        .personality(calm)
        .on_strings()
        .await;
    let game = server.game("abcd1234").await;
    let mut first = full("abcd1234", "");
    first["black"] = serde_json::json!({"id": "rival", "name": "Rival", "title": "BOT"});
    game.line(&first);
    let moves: Vec<&str> = round.iter().copied().cycle().take(120).collect();
    for own in 0..60 {
        server.posted(own + 1).await;
        game.line(&state(&moves[..2 * own + 2].join(" ")));
    }
    server.posted(61).await;
    assert_eq!(*asked.lock().unwrap(), [60, 80, 100, 120]);
}

#[tokio::test]
async fn f24_a_takeback_while_thinking_voids_the_thought() {
    let mut kind = silent("kind");
    kind.takebacks = 1;
    let stage = acts(|request, before| match (request.line.ply(), before) {
        (1, 0) => Act::Hang,
        _ => Act::Play("d7d5", 0),
    })
    .personality(kind)
    .open()
    .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await;
    stage.crew.thinks(1).await;
    game.human_does("takeback/yes").await.takes_back(1).await;
    game.human_plays("d2d4").await.bot_answers("d7d5").await;
}

#[tokio::test]
async fn f28_a_resignation_while_thinking_frees_the_seat() {
    let mut stage = acts(|_, _| Act::Hang).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await;
    stage.crew.thinks(1).await;
    game.human_does("resign").await;
    stage.bot().until("free again", |status| status.games == 0).await;
}

#[tokio::test]
async fn f40_f41_an_opponent_who_never_moves_is_left() {
    let mut stage = replies(&["e7e5"])
        .options(|options| options.config_mut().games.abort_after = sparring_chess::units::Millis(200))
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.ends("aborted", None).await;
    stage.bot().until("free again", |status| status.games == 0).await;
}

#[tokio::test]
async fn book_and_engine_play_together() {
    let (book, _) = book::parse("books/test.book", "1. e4 e5 2. Nf3 Nc6\n");
    let library = Arc::new(Library::new(book.into_iter().collect()));
    let pipeline = std::sync::Arc::new(Pipeline {
        online: OnlineSources::default(),
        pool: EnginePool::new(1, 1).unwrap(),
        library: watch::channel(library).1,
        tablebase: None,
        metrics: sparring::bot::observe::metrics::Metrics::default(),
        pondering: Arc::new(tokio::sync::Semaphore::new(1)),
    });
    let mut reader = silent("reader");
    reader.books = vec!["test".to_owned()];
    reader.nodes = Some(Nodes(500));
    let stage = replies(&[]).selector(pipeline).personality(reader).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    game.human_plays("f1b5").await;
    game.until("the engine moves", |state| {
        state["moves"]
            .as_str()
            .is_some_and(|moves| moves.split(' ').count() == 6)
    })
    .await;
}
