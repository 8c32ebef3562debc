//! Challenges that are accepted, refused, or kept waiting.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};
use sparring::{
    bot::Status,
    config,
    store::{Archive, ArchiveWriter, ChallengeFilter},
    user_lists::UserLists,
};
use sparring_chess::units::{Elo, Millis};
use tokio::{sync::watch, time::timeout};

use crate::{
    stage::{PATIENCE, WHITE, replies, rules},
    table::Lines,
};

/// How Anna's challenge was refused.
async fn refusal(mut events: Lines) -> Value {
    let line = timeout(PATIENCE, events.next_of("challengeDeclined"))
        .await
        .expect("not declined");
    line["challenge"]["declineReasonKey"].clone()
}

#[tokio::test]
async fn what_the_settings_exclude_is_declined_with_its_reason() {
    let stage = replies(&[])
        .rules("[[rule]]\nmode = \"casual\"\nthen = \"decline\"\n")
        .open()
        .await;
    let (_, events) = stage.challenge(&WHITE).await;
    assert_eq!(refusal(events).await, "rated");
}

#[tokio::test]
async fn who_comes_before_it_is_known_who_is_blocked_waits_and_games_go_on_at_once() {
    let settings = |users| {
        format!(
            "[[list]]\nname = \"blocked\"\nusers = {users}\n\
             [[rule]]\nlists = [\"blocked\"]\nthen = \"decline\"\nreason = \"casual\"\n"
        )
    };
    let lists = |users| UserLists::written(&config::read("bot.toml", &settings(users)).0.unwrap().lists);
    let (publish, published) = watch::channel(lists("[]").pending(true).into());
    let mut stage = replies(&["e7e5"]).rules(&settings("[]")).open().await;
    let mut game = stage.game(&WHITE).await;
    stage.kill();
    stage.crew.lists = published;
    stage.start().await;
    let (_, events) = stage.challenge(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    assert_eq!(stage.bot().status.borrow().challenges, 0, "nobody was judged");
    publish.send_replace(lists("[\"Anna\"]").into());
    assert_eq!(refusal(events).await, "casual");
}

#[tokio::test]
async fn f8_a_refusal_that_must_wait_is_sent_when_the_wait_is_over() {
    let stage = replies(&[])
        .rules("[[rule]]\nmode = \"casual\"\nthen = \"decline\"\n")
        .open()
        .await;
    let limit = r#"{"error":"Too many","ratelimit":{"key":"challenge.decline","seconds":1}}"#;
    stage.answers("/decline", 1, 429, limit);
    let (_, events) = stage.challenge(&WHITE).await;
    assert_eq!(refusal(events).await, "rated");
}

#[tokio::test]
async fn new_settings_count_from_the_next_challenge() {
    let mut stage = replies(&[])
        .rules("[[rule]]\nmode = \"casual\"\nthen = \"decline\"\n")
        .open()
        .await;
    let (_, events) = stage.challenge(&WHITE).await;
    refusal(events).await;
    stage.bot().options.send_modify(|options| {
        options.config_mut().rules = rules("[[rule]]\nmode = \"rated\"\nthen = \"decline\"\n")
    });
    stage.game(&WHITE).await;
}

#[tokio::test]
async fn who_finds_no_seat_waits_for_one() {
    let mut stage = replies(&[])
        .options(|options| options.config_mut().games.max = 1)
        .open()
        .await;
    let mut first = stage.game(&WHITE).await;
    let (id, mut events) = stage.challenge(&WHITE).await;
    stage.bot().until("one game", |status| status.games == 1).await;
    first.human_does("resign").await;
    let accepted = async { while events.next_of("gameStart").await["game"]["gameId"] != id.as_str() {} };
    timeout(PATIENCE, accepted)
        .await
        .expect("the second challenge was never accepted");
}

#[tokio::test]
async fn one_opponent_does_not_take_all_the_seats() {
    let mut stage = replies(&[])
        .options(|options| options.config_mut().games.per_opponent = 1)
        .open()
        .await;
    stage.game(&WHITE).await;
    let (id, _events) = stage.challenge(&WHITE).await;
    let boris = stage.table.another_human("Boris");
    let mut boris_events = boris.events().await;
    assert_eq!(boris.post("/api/challenge/SandBot", &WHITE).await.0, 200);
    timeout(PATIENCE, boris_events.next_of("gameStart"))
        .await
        .expect("Boris has no game");
    stage.bot().until("two games", |status| status.games == 2).await;
    let (status, challenge) = stage.table.anna.get(&format!("/api/challenge/{id}/show")).await;
    assert_eq!((status, &challenge["status"]), (200, &Value::from("created")));
}

#[tokio::test]
async fn f38_a_challenge_that_was_taken_back_while_waiting_is_forgotten() {
    let mut stage = replies(&[])
        .options(|options| options.config_mut().games.max = 1)
        .open()
        .await;
    let mut first = stage.game(&WHITE).await;
    let (id, mut events) = stage.challenge(&WHITE).await;
    stage
        .table
        .anna
        .does(&format!("/api/challenge/{id}/cancel"))
        .await;
    timeout(PATIENCE, events.next_of("challengeCanceled"))
        .await
        .unwrap();
    // Whoever accepted it all the same would meet this one.
    stage.answers(&format!("{id}/accept"), 1, 404, r#"{"error":"Not found"}"#);
    first.human_does("resign").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    stage.game(&WHITE).await;
    assert_eq!(stage.bot().status.borrow().games, 1);
    assert_eq!(stage.waiting_faults().await, [1], "nobody accepted it");
}

#[tokio::test]
async fn f36_an_acceptance_whose_answer_is_lost_still_becomes_a_game() {
    let stage = replies(&["e7e5"]).open().await;
    let lost = sparring_sandbox::FaultKind::LoseAnswer {
        after: Duration::ZERO.into(),
    };
    stage.arm("/accept", 1, lost);
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
}

#[tokio::test]
async fn f12_a_challenge_whose_acceptance_gets_lost_is_accepted_again() {
    let stage = replies(&["e7e5"]).open().await;
    stage.answers("/accept", 2, 502, "<html>502 Bad Gateway</html>");
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
}

#[tokio::test]
async fn f12_a_refusal_that_gets_lost_is_sent_again() {
    let stage = replies(&[])
        .rules("[[rule]]\nmode = \"casual\"\nthen = \"decline\"\n")
        .open()
        .await;
    stage.answers("/decline", 2, 502, "<html>502 Bad Gateway</html>");
    let (_, events) = stage.challenge(&WHITE).await;
    assert_eq!(refusal(events).await, "rated");
}

#[tokio::test]
async fn f35_a_failed_acceptance_frees_the_seat_at_once() {
    for (status, body) in [
        (404, r#"{"error":"Not found"}"#),
        (400, r#"{"error":"This challenge has been declined"}"#),
    ] {
        let stage = replies(&[])
            .options(|options| {
                options.config_mut().games.max = 1;
                // The promise of the seat does not end by itself.
                options.timing.reservation = Millis::from_secs(3600);
            })
            .open()
            .await;
        stage.answers("/accept", 1, status, body);
        let _anna = stage.challenge(&WHITE).await;
        // Somebody else: a second challenge of hers would take the first back, and its seat would be free for that.
        let ben = stage.table.another_human("Ben");
        let mut events = ben.events().await;
        assert_eq!(ben.post("/api/challenge/SandBot", &WHITE).await.0, 200);
        // Nor is this long enough for hers to lapse, after twenty seconds.
        timeout(PATIENCE / 3, events.next_of("gameStart"))
            .await
            .expect("no seat was free");
    }
}

#[tokio::test]
async fn who_is_on_a_list_is_declined_whatever_the_spelling() {
    let stage = replies(&[])
        .rules(
            "[[list]]\nname = \"blocked\"\nusers = [\"aNNa\"]\n[[rule]]\nlists = [\"blocked\"]\nthen = \"decline\"\n",
        )
        .open()
        .await;
    let (_, events) = stage.challenge(&WHITE).await;
    assert_eq!(refusal(events).await, "generic");
}

#[tokio::test]
async fn a_rule_says_who_sits_down_and_how() {
    let stage = replies(&["e7e5"])
        .rules("[[rule]]\nspeeds = [\"rapid\"]\npersonality = \"attacker\"\nlevel = 900\nno-delay = true\n")
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    let asked = &stage.crew.asked()[0];
    assert_eq!(
        (asked.personality.as_str(), asked.level, asked.fast),
        ("attacker", Some(Elo(900)), true)
    );
}

#[tokio::test]
async fn who_may_not_queue_is_told_to_come_later_when_all_seats_are_taken() {
    let stage = replies(&[])
        .rules("[[rule]]\nthen = \"accept\"\n")
        .options(|options| options.config_mut().games.max = 1)
        .open()
        .await;
    stage.game(&WHITE).await;
    let (_, events) = stage.challenge(&WHITE).await;
    assert_eq!(refusal(events).await, "later");
}

#[tokio::test]
async fn the_archive_has_what_became_of_challenges_and_not_what_the_rules_wished() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = replies(&[])
        .archive(&path)
        .rules("[[rule]]\nthen = \"accept\"\n")
        .options(|options| options.config_mut().games.max = 1)
        .open()
        .await;
    let game = stage.game(&WHITE).await;
    stage.bot().until("one game", |status| status.games == 1).await;
    let (refused, events) = stage.challenge(&WHITE).await;
    assert_eq!(refusal(events).await, "later");
    stage.crew.store.flush().await;
    let kept = Archive::read(&path)
        .unwrap()
        .challenges(&ChallengeFilter::default());
    let kept: BTreeMap<String, String> = kept
        .unwrap()
        .into_iter()
        .map(|record| (record.id.to_string(), record.verdict))
        .collect();
    let expected = [(game.id, "accepted"), (refused, "declined, later")];
    assert_eq!(
        kept,
        expected.map(|(id, verdict)| (id, verdict.to_owned())).into()
    );
    let page = stage
        .crew
        .meters
        .page(&Status::default(), &ArchiveWriter::default(), None);
    assert!(
        page.contains("sparring_challenges_total{verdict=\"accepted\"} 1"),
        "{page}"
    );
}

#[tokio::test]
async fn rules_know_how_often_somebody_played_today() {
    let stage = replies(&[])
        .rules("[[rule]]\nmin-played-today = 1\nthen = \"decline\"\n")
        .open()
        .await;
    let mut first = stage.game(&WHITE).await;
    first.human_does("resign").await;
    let (_, events) = stage.challenge(&WHITE).await;
    assert_eq!(refusal(events).await, "later");
}

#[tokio::test]
async fn rules_know_of_games_too_whose_seat_was_not_kept() {
    let stage = replies(&[])
        .rules("[[rule]]\nmin-played-today = 1\nthen = \"decline\"\n")
        .options(|options| options.timing.reservation = Millis::ZERO)
        .open()
        .await;
    let mut first = stage.game(&WHITE).await;
    first.human_does("resign").await;
    let (_, events) = stage.challenge(&WHITE).await;
    assert_eq!(refusal(events).await, "later");
}

/// A line of the event stream about a challenge of Ana's.
fn told(id: &str, status: &str, direction: &str) -> Value {
    json!({"type": "challenge", "challenge": {
        "id": id, "status": status, "direction": direction, "challenger": {"id": "ana", "name": "Ana"},
        "variant": {"key": "standard"}, "speed": "blitz",
        "timeControl": {"type": "clock", "limit": 300, "increment": 0}
    }})
}

#[tokio::test]
async fn a_challenge_that_nobody_waits_for_any_more_is_not_accepted() {
    let mut server = replies(&[]).on_strings().await;
    for (id, status) in [
        ("abcd0001", "canceled"),
        ("abcd0002", "declined"),
        ("abcd0003", "accepted"),
    ] {
        server.events.line(&told(id, status, "in"));
    }
    server.events.line(&told("abcd0004", "created", "out"));
    server.events.line(&told("abcd0005", "created", "in"));
    assert_eq!(server.posted(1).await, ["challenge/abcd0005/accept"]);
}

#[tokio::test]
async fn a_challenge_is_judged_whose_challenger_seems_gone_or_whose_status_is_unknown() {
    let mut server = replies(&[]).on_strings().await;
    let mut accepted = Vec::new();
    for (id, status) in [("abcd0001", "offline"), ("abcd0002", "newer than this program")] {
        server.events.line(&told(id, status, "in"));
        accepted.push(format!("challenge/{id}/accept"));
        assert_eq!(server.posted(accepted.len()).await, accepted, "{status}");
    }
}

#[tokio::test]
async fn a_dry_run_judges_and_sends_nothing() {
    let mut server = replies(&["e2e4"]).dry().on_strings().await;
    for id in ["abcd0001", "abcd0002"] {
        server.events.line(&json!({"type": "challenge", "challenge": {
            "id": id, "challenger": {"id": "ana", "name": "Ana"}, "variant": {"key": "standard"},
            "speed": "blitz", "timeControl": {"type": "clock", "limit": 300, "increment": 0}
        }}));
        server
            .events
            .line(&json!({"type": "gameStart", "game": {"gameId": id, "id": id}}));
    }
    server
        .bot
        .until("two judged", |status| status.challenges == 2)
        .await;
    server.bot.signals.drain.cancel();
    server.bot.until("ending", |status| status.is_draining).await;
    assert_eq!(server.posted(0).await, Vec::<String>::new());
    assert_eq!(server.others_opened(), Vec::<String>::new());
}

#[tokio::test]
async fn f11_a_limit_on_games_between_bots_leaves_people_alone_and_outlasts_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = replies(&[]).archive(&path).open().await;
    let rival = stage.table.another_bot("Rival");
    let limit = r#"{"error":"You played 100 games against other bots today","ratelimit":{"key":"bot.vsBot.day","seconds":3600}}"#;
    stage.answers("/accept", 1, 429, limit);
    assert_eq!(rival.post("/api/challenge/SandBot", &WHITE).await.0, 200);
    stage
        .bot()
        .until("one judged", |status| status.challenges == 1)
        .await;
    // The seat of the challenge that came to nothing is free again, and people are still accepted.
    stage.game(&WHITE).await;
    stage.crew.store.flush().await;
    let kept = Archive::read(&path)
        .unwrap()
        .limits(Millis(0), sparring::store::ALWAYS)
        .unwrap();
    assert_eq!(
        kept.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(),
        ["bot.vsBot.day"]
    );
    stage.kill();
    stage.crew.past.limits = kept;
    stage.start().await;
    let events = rival.events().await;
    assert_eq!(rival.post("/api/challenge/SandBot", &WHITE).await.0, 200);
    assert_eq!(refusal(events).await, "later");
}
