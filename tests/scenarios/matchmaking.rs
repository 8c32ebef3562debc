//! The bot challenges others when nobody comes, and makes room when somebody does.

use sparring_chess::units::Millis;
use tokio::time::timeout;

use crate::{
    stage::{PATIENCE, Stage, Staging, WHITE, replies},
    table::{Lines, Player},
};

fn eager() -> Staging {
    replies(&["e2e4", "e7e5"]).courting(Millis(50))
}

/// Another bot, its event stream open.
async fn rival(stage: &Stage) -> (Player, Lines) {
    let player = stage.table.another_bot("Rival");
    let events = player.events().await;
    (player, events)
}

async fn next(events: &mut Lines, kind: &str) -> serde_json::Value {
    timeout(PATIENCE, events.next_of(kind)).await.expect(kind)
}

#[tokio::test]
async fn an_idle_bot_challenges_another_and_plays() {
    let mut stage = eager().open().await;
    let (rival, mut events) = rival(&stage).await;
    let challenge = next(&mut events, "challenge").await["challenge"].clone();
    assert_eq!(
        (&challenge["rated"], &challenge["challenger"]["id"]),
        (&false.into(), &"sandbot".into())
    );
    let id = challenge["id"].as_str().unwrap();
    rival.does(&format!("/api/challenge/{id}/accept")).await;
    stage.bot().until("a game", |status| status.games == 1).await;
}

#[tokio::test]
async fn a_challenge_is_kept_alive_until_it_is_decided() {
    let mut stage = eager().open().await;
    let (rival, mut events) = rival(&stage).await;
    let challenge = next(&mut events, "challenge").await["challenge"].clone();
    let id = challenge["id"].as_str().unwrap();
    // lichess forgets a challenge after 20 s unless its sender holds a stream.
    stage.table.sandbox.advance(Millis::from_secs(30));
    let (status, shown) = rival.get(&format!("/api/challenge/{id}/show")).await;
    assert_eq!((status, &shown["status"]), (200, &"created".into()), "{shown}");
    rival.does(&format!("/api/challenge/{id}/accept")).await;
    stage.bot().until("a game", |status| status.games == 1).await;
}

#[tokio::test]
async fn a_person_who_waits_for_the_seat_of_a_challenge_gets_it() {
    let stage = eager()
        .options(|options| {
            options.config_mut().games.max = 1;
        })
        .open()
        .await;
    let (_rival, mut events) = rival(&stage).await;
    let challenge = next(&mut events, "challenge").await["challenge"].clone();
    stage.game(&WHITE).await;
    let cancelled = next(&mut events, "challengeCanceled").await["challenge"].clone();
    assert_eq!(cancelled["id"], challenge["id"]);
}

#[tokio::test]
async fn a_challenge_is_taken_back_when_a_person_comes_though_there_are_seats() {
    let stage = eager().open().await;
    let (_rival, mut events) = rival(&stage).await;
    let challenge = next(&mut events, "challenge").await["challenge"].clone();
    stage.game(&WHITE).await;
    let cancelled = next(&mut events, "challengeCanceled").await["challenge"].clone();
    assert_eq!(cancelled["id"], challenge["id"]);
}

#[tokio::test]
async fn f12_a_challenge_whose_taking_back_gets_lost_is_taken_back_again_for_a_person_and_before_the_end() {
    for comes in [true, false] {
        let mut stage = eager().open().await;
        let (_rival, mut events) = rival(&stage).await;
        let challenge = next(&mut events, "challenge").await["challenge"].clone();
        stage.answers("/cancel", 3, 502, "<html>502 Bad Gateway</html>");
        if comes {
            stage.game(&WHITE).await;
        } else {
            stage.bot.take().unwrap().drained().await;
        }
        // Whoever drains has ended by now: the news of it is there, or never comes.
        let cancelled = next(&mut events, "challengeCanceled").await["challenge"].clone();
        assert_eq!(cancelled["id"], challenge["id"]);
    }
}

#[tokio::test]
async fn nobody_is_challenged_unless_the_settings_say_so() {
    let stage = replies(&["e7e5"])
        .options(|options| options.config_mut().matchmaking.after = Millis(0))
        .open()
        .await;
    let (rival, _events) = rival(&stage).await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_resigns_to("black").await;
    let (status, challenges) = rival.get("/api/challenge").await;
    assert_eq!((status, &challenges["in"]), (200, &serde_json::json!([])));
}

/// A bot that hears of nothing, and a challenge of it that its rival is about to accept.
async fn deaf(answer: Millis) -> (Stage, Player, String) {
    let mut stage = eager()
        .options(|options| {
            options.timing.challenge_timeout = answer;
        })
        .open()
        .await;
    stage.kill();
    let (rival, mut events) = rival(&stage).await;
    stage.answers("GET /api/stream/event", 100_000, 502, "<html>Bad Gateway</html>");
    stage.bot = Some(stage.daemon(&stage.table.bot.token));
    let challenge = next(&mut events, "challenge").await;
    let id = challenge["challenge"]["id"].as_str().unwrap().to_owned();
    (stage, rival, id)
}

#[tokio::test]
async fn a_challenge_that_was_accepted_is_played_though_nobody_says_that_it_began() {
    let (mut stage, rival, id) = deaf(Millis::from_secs(60)).await;
    rival.does(&format!("/api/challenge/{id}/accept")).await;
    stage.bot().until("a game", |status| status.games == 1).await;
}

#[tokio::test]
async fn what_nobody_seems_to_have_answered_is_looked_for_before_it_is_taken_back() {
    let (mut stage, rival, id) = deaf(Millis::from_secs(1)).await;
    // The stream that would tell what became of it is lost as well.
    stage.table.sandbox.end_streams();
    rival.does(&format!("/api/challenge/{id}/accept")).await;
    stage.bot().until("a game", |status| status.games == 1).await;
    let (_, playing) = rival.get("/api/account/playing").await;
    assert_eq!(
        playing["nowPlaying"].as_array().map(Vec::len),
        Some(1),
        "{playing}"
    );
}

#[tokio::test]
async fn whom_the_rules_decline_is_not_challenged_either() {
    let blocked: Vec<String> = (0..6).map(|number| format!("Blocked{number}")).collect();
    let names = blocked
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect::<Vec<_>>()
        .join(", ");
    let mut stage = eager()
        .rules(&format!(
            "[[list]]\nname = \"blocked\"\nusers = [{names}]\n[[rule]]\nlists = [\"blocked\"]\nthen = \"decline\"\n"
        ))
        .open()
        .await;
    stage.kill();
    // All are online before the bot looks.
    let mut others = Vec::new();
    for name in &blocked {
        others.push(stage.table.another_bot(name).events().await);
    }
    let mut welcome = stage.table.another_bot("Welcome").events().await;
    stage.start().await;
    // A challenge to anybody else would be out for longer than this waits.
    next(&mut welcome, "challenge").await;
}

/// A bot that offers rematches, and a game that Anna loses by resigning; her events.
async fn after_a_game(stage: &mut Stage) -> Lines {
    let mut game = stage.game(&WHITE).await;
    let events = stage.table.anna.events().await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_does("resign").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    events
}

fn polite() -> Staging {
    replies(&["e7e5"]).options(|options| options.config_mut().matchmaking.rematches = true)
}

#[tokio::test]
async fn a_rematch_is_offered_with_colours_swapped_and_played() {
    let mut stage = polite().open().await;
    let mut events = after_a_game(&mut stage).await;
    let offer = next(&mut events, "challenge").await["challenge"].clone();
    assert_eq!(
        (
            &offer["challenger"]["id"],
            &offer["finalColor"],
            &offer["timeControl"]["limit"]
        ),
        (&"sandbot".into(), &"white".into(), &600.into()),
        "{offer}"
    );
    let id = offer["id"].as_str().unwrap();
    stage
        .table
        .anna
        .does(&format!("/api/challenge/{id}/accept"))
        .await;
    stage.bot().until("a game", |status| status.games == 1).await;
}

#[tokio::test]
async fn who_refuses_a_rematch_is_not_asked_again_after_the_next_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = polite().archive(&path).open().await;
    let mut events = after_a_game(&mut stage).await;
    let offer = next(&mut events, "challenge").await["challenge"].clone();
    let id = offer["id"].as_str().unwrap();
    stage
        .table
        .anna
        .does(&format!("/api/challenge/{id}/decline"))
        .await;
    after_a_game(&mut stage).await;
    // A third game begins after whatever the second one led to.
    after_a_game(&mut stage).await;
    stage.crew.store.flush().await;
    let filter = sparring::store::ChallengeFilter::default();
    let kept = sparring::store::Archive::read(&path)
        .unwrap()
        .challenges(&filter)
        .unwrap();
    let sent: Vec<_> = kept.iter().filter(|record| record.sent).collect();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(
        (sent[0].rule.as_str(), sent[0].verdict.as_str()),
        ("rematch", "declined")
    );
    assert!(sent[0].repeats.is_some());
}
