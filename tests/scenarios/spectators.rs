//! Words with spectators: in their room, about the bot's last move, and nothing of it to the players.

use std::sync::Arc;

use futures::{FutureExt as _, future::BoxFuture};
use serde_json::Value;
use sparring::{
    bot::moves::selector::{Decision, MoveRequest},
    store::{MoveExplanation, MoveSource, PvLine, ScoreJson, SearchExplanation},
};
use sparring_chess::{
    parse_uci,
    units::{Centipawns, Depth, Nodes},
};
use sparring_engine::Score;
use sparring_personality::Personality;
use tokio::time::timeout;

use crate::{
    human::Game,
    stage::{PATIENCE, Stage, Staging, WHITE, replies, silent},
};

/// A move with the line that led to it.
fn thought(request: MoveRequest) -> BoxFuture<'static, Option<Decision>> {
    let (uci, cp, san) = match request.line.ply() {
        1 => ("e7e5", 30, ["e5", "Nf3", "Nc6"]),
        _ => ("b8c6", -120, ["Nc6", "Bb5", "a6"]),
    };
    let decision = Decision {
        score: Some(Score::Cp(Centipawns(cp))),
        source: MoveSource::Engine {
            depth: Depth(9),
            nodes: Nodes(4000),
        },
        grounds: Some(MoveExplanation::Search(SearchExplanation {
            lines: vec![PvLine {
                score: ScoreJson::Cp(cp),
                san: san.map(str::to_owned).to_vec(),
            }],
            people: None,
        })),
        ..Decision::play(parse_uci(request.line.position(), uci).unwrap(), "script")
    };
    async move { Some(decision) }.boxed()
}

/// A bot that speaks to spectators.
fn open_to_spectators(personality: Personality) -> Staging {
    replies(&[])
        .selector(Arc::new(thought))
        .personality(personality)
        .options(|options| options.config_mut().chat.spectators = true)
}

/// What the bot has said in a room, by the path of its chat.
async fn said_in(stage: &Stage, path: &str) -> Vec<String> {
    let (status, chat) = stage.table.bot.get(path).await;
    assert_eq!(status, 200, "{chat}");
    let of_bot = |line: &&Value| line["user"] == "SandBot";
    let lines = chat.as_array().unwrap().iter().filter(of_bot);
    lines
        .map(|line| line["text"].as_str().unwrap().to_owned())
        .collect()
}

async fn said_to_spectators(stage: &Stage, game: &Game) -> Vec<String> {
    said_in(stage, &format!("/api/game/{}/chat", game.id)).await
}

async fn said_to_players(stage: &Stage, game: &Game) -> Vec<String> {
    said_in(stage, &format!("/api/bot/game/{}/chat", game.id)).await
}

/// Waits until the bot has said so many lines to the spectators, and gives the last.
async fn told(stage: &Stage, game: &Game, count: usize) -> String {
    let told = async {
        loop {
            let mut lines = said_to_spectators(stage, game).await;
            if lines.len() >= count {
                assert_eq!(lines.len(), count, "{lines:?}");
                return lines.pop().unwrap();
            }
        }
    };
    timeout(PATIENCE, told)
        .await
        .expect("the spectators were not told")
}

fn asks(stage: &Stage, game: &Game, name: &str, text: &str) {
    let id = game.id.parse().unwrap();
    stage.table.sandbox.spectator_says(name, &id, text).unwrap();
}

#[tokio::test]
async fn spectators_are_greeted_and_told_of_the_last_move_and_players_hear_nothing_of_it() {
    let mut stage = open_to_spectators(Personality::new("friendly")).open().await;
    let mut game = stage.game(&WHITE).await;
    assert_eq!(
        told(&stage, &game, 1).await,
        "Hello all, I am friendly (full strength). !help tells what I answer here."
    );
    game.bot_says("Hello Anna").await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    asks(&stage, &game, "Eve", "!eval");
    assert_eq!(
        told(&stage, &game, 2).await,
        "With my last move, 1... e5, I saw myself at +0.3, at depth 9."
    );
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    asks(&stage, &game, "Eve", "!pv");
    assert_eq!(
        told(&stage, &game, 3).await,
        "With my last move I expected 2... Nc6 3. Bb5 a6."
    );
    asks(&stage, &game, "Paul", "!book");
    assert_eq!(
        told(&stage, &game, 4).await,
        "I have not played from a book in this game."
    );
    let players = said_to_players(&stage, &game).await;
    assert_eq!(players.len(), 1, "the greeting and nothing else: {players:?}");
    game.human_resigns_to("black").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    assert_eq!(told(&stage, &game, 5).await, "Thanks for watching.");
}

#[tokio::test]
async fn the_player_is_not_answered_among_the_spectators_and_a_flood_gets_three_answers() {
    let mut stage = open_to_spectators(silent("mute")).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    for name in ["Anna", "ANNA", "SANDBOT", "lichess"] {
        asks(&stage, &game, name, "!pv");
    }
    for number in 0..20 {
        asks(&stage, &game, &format!("Eve{number}"), "!help");
    }
    assert!(told(&stage, &game, 3).await.starts_with("About my last move"));
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    game.human_resigns_to("black").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    let lines = said_to_spectators(&stage, &game).await;
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|line| line.starts_with("About my last move")));
    assert!(said_to_players(&stage, &game).await.is_empty());
}

#[tokio::test]
async fn spectators_are_told_nothing_unless_the_settings_say_so() {
    let mut stage = open_to_spectators(Personality::new("friendly"))
        .options(|options| options.config_mut().chat.spectators = false)
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.bot_says("Hello Anna").await;
    asks(&stage, &game, "Eve", "!help");
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_resigns_to("black").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    assert!(said_to_spectators(&stage, &game).await.is_empty());
}
