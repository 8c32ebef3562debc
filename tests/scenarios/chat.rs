//! What can be asked for by chat, and what comes of it.

use sparring::{config::Adapt, store::Archive};
use sparring_chess::units::{Elo, Millis};
use sparring_personality::Personality;
use sparring_sandbox::FaultKind;

use crate::{
    human::Game,
    stage::{Act, BLACK, Stage, WHITE, acts, replies},
};

#[tokio::test]
async fn a_level_counts_from_the_next_move() {
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_says("!level 1400")
        .await
        .bot_says("From my next move on I play at level 1400")
        .await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    assert_eq!(stage.crew.levels(), [None, Some(Elo(1400))]);
}

#[tokio::test]
async fn another_personality_takes_over() {
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_says("!play attacker").await.bot_says("attacker").await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    let who: Vec<_> = stage
        .crew
        .asked()
        .into_iter()
        .map(|asked| asked.personality)
        .collect();
    assert_eq!(who, ["club", "attacker"]);
}

#[tokio::test]
async fn strength_stays_as_it_is_in_rated_games() {
    let stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = stage.rated_game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_says("!level 600")
        .await
        .bot_says("Rated games keep my strength as it is. From our next casual game on")
        .await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    assert_eq!(stage.crew.levels(), [None, None]);
}

#[tokio::test]
async fn who_is_not_to_ask_is_neither_heard_nor_answered() {
    let mut stage = replies(&["e7e5", "b8c6"])
        .options(|options| options.config_mut().chat.commands = false)
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_says("!level 1400").await.human_says("!help").await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    assert_eq!(stage.crew.levels(), [None, None]);
    game.human_resigns_to("black").await;
    assert!(said_by_the_bot(&mut stage, &game).await.is_empty());
}

#[tokio::test]
async fn what_was_asked_for_survives_the_daemon_and_nothing_is_said_twice() {
    let mut stage = replies(&["e7e5", "b8c6", "g8f6"])
        .personality(Personality::new("friendly"))
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.bot_says("Hello Anna").await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_says("!level 1400").await.bot_says("level 1400").await;
    stage.kill();
    game.human_plays("g1f3").await;
    stage.start().await;
    game.bot_answers("b8c6").await;
    game.human_plays("f1c4").await.bot_answers("g8f6").await;
    assert_eq!(stage.crew.levels(), [None, Some(Elo(1400)), Some(Elo(1400))]);
    assert_eq!(game.lines_of_the_bot(), 2, "one greeting, one answer");
}

#[tokio::test]
async fn f32_strangers_text_never_comes_back_and_never_disturbs() {
    let stage = replies(&["e2e4", "g1f3"]).open().await;
    let mut game = stage.game(&BLACK).await;
    game.bot_answers("e2e4").await;
    for text in [
        "!play http://evil.example",
        "\u{202e}!level 1400\u{1b}[2J",
        "'; DROP TABLE games; --",
        "!",
    ] {
        game.human_says(text).await;
    }
    game.bot_says("I know attacker, club").await;
    game.human_plays("e7e5").await.bot_answers("g1f3").await;
    assert_eq!(stage.crew.asked()[1].level, None);
    assert_eq!(game.lines_of_the_bot(), 1);
}

#[tokio::test]
async fn speed_can_be_asked_for() {
    let stage = replies(&["e2e4", "g1f3"]).open().await;
    let mut game = stage.game(&BLACK).await;
    game.bot_answers("e2e4").await;
    game.human_says("!fast").await.bot_says("do not pause").await;
    game.human_plays("e7e5").await.bot_answers("g1f3").await;
    let fast: Vec<_> = stage.crew.asked().iter().map(|asked| asked.fast).collect();
    assert_eq!(fast, [false, true]);
}

#[tokio::test]
async fn what_is_asked_before_the_bots_stream_is_open_counts() {
    let stage = replies(&["e7e5"]).open().await;
    stage.arm("/api/bot/game/stream", 1, FaultKind::Delay { by: Millis(300) });
    let mut game = stage.game(&WHITE).await;
    // The bot's stream is still on its way, and streams do not repeat what was said.
    game.human_says("!level 1400").await;
    game.bot_says("level 1400").await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    assert_eq!(stage.crew.asked()[0].level, Some(Elo(1400)));
}

/// A game in which the bot has promised a level for those to come.
async fn promised(stage: &Stage) -> Game {
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    game.human_says("!level 1400")
        .await
        .bot_says("From our next casual game on I play at level 1400")
        .await;
    game
}

#[tokio::test]
async fn from_the_third_move_on_strength_is_for_the_next_casual_game() {
    let stage = replies(&["e7e5", "b8c6", "g8f6"]).open().await;
    let mut game = promised(&stage).await;
    game.human_plays("f1c4").await.bot_answers("g8f6").await;
    game.human_resigns_to("black").await;
    let mut rated = stage.rated_game(&WHITE).await;
    rated.human_plays("e2e4").await.bot_answers("e7e5").await;
    rated.human_does("resign").await;
    let mut casual = stage.game(&WHITE).await;
    casual.human_plays("e2e4").await.bot_answers("e7e5").await;
    assert_eq!(stage.crew.levels(), [None, None, None, None, Some(Elo(1400))]);
}

#[tokio::test]
async fn what_was_promised_is_given_as_long_as_it_is_on_offer_and_in_every_casual_game() {
    let mut stage = replies(&["e7e5", "b8c6"]).open().await;
    let mut game = promised(&stage).await;
    game.human_resigns_to("black").await;
    for (commands, most) in [(false, 2800), (true, 1200), (true, 2800), (true, 2800)] {
        stage.bot().options.send_modify(|options| {
            options.config_mut().chat.commands = commands;
            options.config_mut().chat.levels = Elo(600)..=Elo(most);
        });
        let mut next = stage.game(&WHITE).await;
        next.human_plays("e2e4").await.bot_answers("e7e5").await;
        next.human_does("resign").await;
    }
    let late = [None, None, Some(Elo(1400)), Some(Elo(1400))];
    assert_eq!(stage.crew.levels()[2..], late);
}

#[tokio::test]
async fn what_the_bot_has_promised_for_the_next_game_is_kept_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = replies(&["e7e5", "b8c6"]).archive(&path).open().await;
    let mut game = promised(&stage).await;
    game.human_resigns_to("black").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    stage.crew.store.flush().await;
    stage.kill();
    stage.crew.past.requested_personas = Archive::read(&path)
        .unwrap()
        .requested_personas(sparring::store::ALWAYS)
        .unwrap();
    stage.start().await;
    let mut next = stage.game(&WHITE).await;
    next.human_plays("e2e4").await.bot_answers("e7e5").await;
    assert_eq!(stage.crew.levels(), [None, None, Some(Elo(1400))]);
}

#[tokio::test]
async fn what_was_granted_in_time_is_kept_over_a_restart_and_what_came_late_is_not_taken_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = replies(&["e7e5", "b8c6", "g8f6"]).archive(&path).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_says("!level 1400").await.bot_says("level 1400").await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    game.human_says("!level 900")
        .await
        .bot_says("next casual game")
        .await;
    stage.crew.store.flush().await;
    stage.kill();
    stage.crew.past.game_flags = Archive::read(&path)
        .unwrap()
        .game_flags(sparring::store::ALWAYS)
        .unwrap();
    stage.start().await;
    game.human_plays("f1c4").await.bot_answers("g8f6").await;
    assert_eq!(stage.crew.levels(), [Some(Elo(1400)); 3]);
}

/// Everything that the bot has said in its only game and after it, once it is free again.
pub async fn said_by_the_bot(stage: &mut Stage, game: &Game) -> Vec<String> {
    stage.bot().until("free again", |status| status.games == 0).await;
    let path = format!("/api/bot/game/{}/chat", game.id);
    let (_, chat) = stage.table.bot.get(&path).await;
    let lines = chat.as_array().unwrap().iter();
    lines
        .filter(|line| line["user"] == "SandBot")
        .filter_map(|line| line["text"].as_str().map(str::to_owned))
        .collect()
}

#[tokio::test]
async fn why_is_told_when_the_game_is_over_and_not_before() {
    let mut stage = acts(|request, _| match request.line.ply() {
        1 => Act::Play("e7e5", 30),
        3 => Act::Play("b8c6", 20),
        _ => Act::Play("g8f6", 400),
    })
    .open()
    .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_says("!why")
        .await
        .bot_says("When the game is over")
        .await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    game.human_plays("f1c4").await.bot_answers("g8f6").await;
    game.human_resigns_to("black").await;
    let said = said_by_the_bot(&mut stage, &game).await;
    assert!(said[1].contains("the game turned before my move 3"), "{said:?}");
}

#[tokio::test]
async fn the_last_book_move_is_told_and_who_wants_quiet_gets_it() {
    let mut stage = replies(&["e7e5"])
        .personality(Personality::new("friendly"))
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.bot_says("Hello Anna").await;
    game.human_says("!book")
        .await
        .bot_says("not played from a book")
        .await;
    game.human_says("!quiet")
        .await
        .bot_says("quiet from now on")
        .await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_resigns_to("black").await;
    let said = said_by_the_bot(&mut stage, &game).await;
    assert_eq!(said.len(), 3, "no farewell in the quiet game: {said:?}");
}

#[tokio::test]
async fn who_asks_for_another_opponent_at_once_is_greeted_by_that_one() {
    let stage = replies(&["e7e5"])
        .personality(Personality::new("anton"))
        .personality(Personality::new("berta"))
        .open()
        .await;
    stage.arm("/api/bot/game/stream", 1, FaultKind::Delay { by: Millis(2000) });
    let mut game = stage.game(&WHITE).await;
    game.human_says("!play anton")
        .await
        .human_says("!level 900")
        .await;
    game.bot_says("I am anton (level 900)").await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    assert_eq!(game.lines_of_the_bot(), 1, "no answers beside the greeting");
}

#[tokio::test]
async fn a_rematch_is_played_a_step_higher_and_told_so() {
    let stage = replies(&["e7e5"])
        .personality(Personality::new("friendly"))
        .options(|options| {
            options.config_mut().play.adapt = Adapt::Rematches;
            options.config_mut().play.level = Some(Elo(1400));
        })
        .open()
        .await;
    for (level, told) in [(1400, "Hello Anna"), (1370, "level 1370"), (1340, "level 1340")] {
        let mut game = stage.game(&WHITE).await;
        game.bot_says(told).await;
        game.human_plays("e2e4").await.bot_answers("e7e5").await;
        assert_eq!(stage.crew.asked().last().unwrap().level, Some(Elo(level)));
        game.human_resigns_to("black").await;
    }
    let mut rated = stage.rated_game(&WHITE).await;
    rated.human_plays("e2e4").await.bot_answers("e7e5").await;
    assert_eq!(
        stage.crew.levels().last(),
        Some(&Some(Elo(1400))),
        "rated games keep one level"
    );
}

#[tokio::test]
async fn rematches_step_from_the_level_that_follows_the_opponent() {
    let follower = sparring_personality::read("follower.toml", "level = \"opponent-100\"\n")
        .0
        .unwrap();
    let stage = replies(&["e7e5"])
        .personality(follower)
        .options(|options| options.config_mut().play.adapt = Adapt::Rematches)
        .open()
        .await;
    for _ in 0..2 {
        let mut game = stage.game(&WHITE).await;
        game.human_plays("e2e4").await.bot_answers("e7e5").await;
        game.human_resigns_to("black").await;
    }
    assert_eq!(stage.crew.levels(), [1400, 1370].map(|level| Some(Elo(level))));
}

#[tokio::test]
async fn a_game_goes_on_at_its_level_whatever_the_settings_say_after_a_restart() {
    for rated in ["true", "false"] {
        goes_on_at_its_level(rated).await;
    }
}

async fn goes_on_at_its_level(rated: &str) {
    let form = [&WHITE[..], &[("rated", rated)]].concat();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let level = |level| {
        move |options: &mut sparring::bot::Options| options.config_mut().play.level = Some(Elo(level))
    };
    let mut stage = replies(&["e7e5", "b8c6"])
        .options(level(1400))
        .archive(&path)
        .open()
        .await;
    let mut game = stage.game(&form).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.crew.store.flush().await;
    stage.kill();
    stage.crew.past.game_flags = Archive::read(&path)
        .unwrap()
        .game_flags(sparring::store::ALWAYS)
        .unwrap();
    stage.crew.change(level(2400));
    stage.start().await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    game.human_resigns_to("black").await;
    let mut next = stage.game(&form).await;
    next.human_plays("e2e4").await.bot_answers("e7e5").await;
    let levels = [1400, 1400, 2400].map(|level| Some(Elo(level)));
    assert_eq!(stage.crew.levels(), levels, "rated: {rated}");
}

#[tokio::test]
async fn a_level_that_was_asked_for_goes_on_in_the_next_casual_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = replies(&["e7e5"])
        .personality(Personality::new("friendly"))
        .rules("[[rule]]\nlevel = \"last\"\n[[rule]]\nlevel = 1400\n")
        .archive(&path)
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.human_says("!level 1250").await.bot_says("level 1250").await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_resigns_to("black").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    let mut rated = stage.rated_game(&WHITE).await;
    rated.human_plays("e2e4").await.bot_answers("e7e5").await;
    rated.human_resigns_to("black").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    // What one run has learnt the next one knows by the archive.
    stage.crew.store.flush().await;
    stage.kill();
    stage.crew.past.scores = Archive::read(&path)
        .unwrap()
        .scores(sparring::store::ALWAYS)
        .unwrap();
    stage.start().await;
    let mut next = stage.game(&WHITE).await;
    next.human_plays("e2e4").await.bot_answers("e7e5").await;
    assert_eq!(
        stage.crew.levels(),
        [1250, 1400, 1250].map(|level| Some(Elo(level)))
    );
}

#[tokio::test]
async fn a_level_that_follows_the_game_is_announced_and_falls_as_the_score_rises() {
    let stage = acts(|request, _| match request.line.ply() {
        1 => Act::Play("e7e5", 200),
        3 => Act::Play("b8c6", -100),
        _ => Act::Play("g8f6", 0),
    })
    .personality(Personality::new("friendly"))
    .options(|options| {
        options.config_mut().play.adapt = Adapt::WithinGame;
        options.config_mut().play.level = Some(Elo(1400));
    })
    .open()
    .await;
    let mut game = stage.game(&WHITE).await;
    game.bot_says("My level follows this game").await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    game.human_plays("f1c4").await.bot_answers("g8f6").await;
    assert_eq!(
        stage.crew.levels(),
        [Some(Elo(1400)), Some(Elo(1280)), Some(Elo(1460))]
    );
}

#[tokio::test]
async fn a_personality_may_follow_its_opponents_rating_in_casual_games() {
    let follower = sparring_personality::read("follower.toml", "level = \"800 to 1400\"\n")
        .0
        .unwrap();
    let stage = replies(&["e7e5"]).personality(follower).open().await;
    for (rated, level) in [("false", Some(Elo(1400))), ("true", None)] {
        let mut game = stage.game(&[&WHITE[..], &[("rated", rated)]].concat()).await;
        game.human_plays("e2e4").await.bot_answers("e7e5").await;
        assert_eq!(
            stage.crew.asked().last().unwrap().level,
            level,
            "Anna has 1500; rated: {rated}"
        );
        game.human_does("resign").await;
    }
}
