//! The bot plays in arenas that allow bots: joins, plays, asks for the next game, and leaves before it ends.

use sparring_chess::{Variant, units::Millis};
use sparring_lichess::model::ArenaId;
use sparring_sandbox::TournamentPlan;
use tokio::time::timeout;

use crate::{
    stage::{Act, PATIENCE, Stage, acts},
    table::{Lines, Player},
};

/// What a token has to allow for arenas and teams.
const SCOPES: [&str; 5] = [
    "bot:play",
    "challenge:read",
    "challenge:write",
    "tournament:write",
    "team:write",
];

fn plan() -> TournamentPlan {
    TournamentPlan {
        bots_allowed: true,
        team: None,
        variant: Variant::Standard,
        clock: (Millis::from_secs(180), Millis::from_secs(2)),
        begins_in: Millis::ZERO,
        minutes: 60,
    }
}

/// A daemon that may play in these arenas, and in those of a team.
async fn stage(plans: &[TournamentPlan], teams: &[&str], max: usize) -> (Stage, Vec<ArenaId>) {
    let mut stage = acts(|request, _| {
        Act::Play(
            if request.line.ply() % 2 == 0 {
                "e2e4"
            } else {
                "e7e5"
            },
            0,
        )
    })
    .options(|options| {
        options.config_mut().games.max = max;
        options.config_mut().games.for_humans = 0;
        options.config_mut().tournaments.enabled = true;
    })
    .open()
    .await;
    stage.kill();
    let sandbox = stage.table.sandbox.clone();
    let ids: Vec<ArenaId> = plans
        .iter()
        .map(|plan| sandbox.add_tournament(plan.clone()).unwrap())
        .collect();
    let wished = ids.clone();
    let teams: Vec<_> = teams.iter().map(|team| team.parse().unwrap()).collect();
    stage.table.bot.token = sandbox.grant("SandBot", &SCOPES).unwrap();
    stage.crew.change(|options| {
        if teams.is_empty() {
            options.config_mut().tournaments.arenas = wished;
        }
        options.config_mut().tournaments.teams = teams;
    });
    stage.start().await;
    (stage, ids)
}

/// Another bot that waits in an arena, its event stream open.
async fn rival(stage: &Stage, arena: &ArenaId) -> (Player, Lines) {
    let sandbox = &stage.table.sandbox;
    sandbox.add_bot("Rival").unwrap();
    let player = Player {
        token: sandbox.grant("Rival", &SCOPES).unwrap(),
        interface: "bot",
        ..stage.table.anna.clone()
    };
    let events = player.events().await;
    waits(&player, arena).await;
    (player, events)
}

async fn waits(player: &Player, arena: &ArenaId) {
    let path = format!("/api/tournament/{arena}/join");
    let (status, answer) = player.post(&path, &[("pairMeAsap", "true")]).await;
    assert_eq!(status, 200, "{answer}");
}

/// Waits until so many have joined an arena.
async fn joined(stage: &Stage, arena: &ArenaId, count: usize) {
    let there = async {
        while stage.table.sandbox.tournament_players(arena).len() != count {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, there)
        .await
        .unwrap_or_else(|_| panic!("never {count} in the arena"));
}

async fn next_game(events: &mut Lines) -> serde_json::Value {
    let started = timeout(PATIENCE, events.next_of("gameStart")).await;
    started.expect("no game came")["game"].clone()
}

#[tokio::test]
async fn an_arena_is_joined_played_and_left_before_the_bot_ends() {
    let (mut stage, ids) = stage(&[plan()], &[], 4).await;
    let arena = &ids[0];
    let (rival, mut events) = rival(&stage, arena).await;
    let first = next_game(&mut events).await;
    assert_eq!(
        (first["tournamentId"].as_str(), first["source"].as_str()),
        (Some(arena.as_str()), Some("arena"))
    );
    let id = first["gameId"].as_str().unwrap();
    let mut lines = rival.watches(id).await;
    let mine = if first["color"] == "white" { "e2e4" } else { "e7e5" };
    let shown = |moves: &str| moves.split(' ').filter(|mv| !mv.is_empty()).count();
    let mut has_moved = false;
    let both_moved = async {
        loop {
            let mut line = lines.next().await;
            let state = if line["type"] == "gameFull" {
                line["state"].take()
            } else {
                line
            };
            let plies = state["moves"].as_str().map_or(0, shown);
            if plies == 2 {
                return;
            }
            let is_mine = plies == usize::from(mine == "e7e5");
            if is_mine && !has_moved {
                has_moved = true;
                rival.does(&format!("/api/bot/game/{id}/move/{mine}")).await;
            }
        }
    };
    timeout(PATIENCE, both_moved)
        .await
        .expect("the bot does not play");
    rival.does(&format!("/api/bot/game/{id}/resign")).await;
    stage.bot().until("no game", |status| status.games == 0).await;
    waits(&rival, arena).await;
    let second = next_game(&mut events).await;
    assert_ne!(second["gameId"], first["gameId"], "it has asked for another one");
    let bot = stage.bot.take().unwrap();
    bot.signals.drain.cancel();
    joined(&stage, arena, 1).await;
    let (_, shown) = rival.get(&format!("/api/tournament/{arena}")).await;
    assert_eq!(shown["nbPlayers"], 1, "who has left does not count");
    let (_, exported) = rival.get(&format!("/game/export/{id}")).await;
    assert_eq!(exported["source"], "arena");
    rival
        .does(&format!(
            "/api/bot/game/{}/resign",
            second["gameId"].as_str().unwrap()
        ))
        .await;
    bot.end().await.unwrap();
}

#[tokio::test]
async fn f12_an_arena_whose_leaving_gets_lost_is_left_all_the_same() {
    let (mut stage, ids) = stage(&[plan()], &[], 4).await;
    joined(&stage, &ids[0], 1).await;
    stage.answers("/withdraw", 2, 502, "<html>502 Bad Gateway</html>");
    stage.bot.take().unwrap().drained().await;
    assert!(stage.table.sandbox.tournament_players(&ids[0]).is_empty());
}

#[tokio::test]
async fn arenas_of_teams_are_found_and_those_without_bots_are_left_alone() {
    let of_team = |bots_allowed| TournamentPlan {
        bots_allowed,
        team: Some("coders".to_owned()),
        ..plan()
    };
    let (stage, ids) = stage(&[of_team(false), of_team(true)], &["coders"], 4).await;
    joined(&stage, &ids[1], 1).await;
    assert!(stage.table.sandbox.tournament_players(&ids[0]).is_empty());
}

#[tokio::test]
async fn an_arena_keeps_its_seat_free_from_challengers() {
    let (stage, ids) = stage(&[plan()], &[], 1).await;
    joined(&stage, &ids[0], 1).await;
    let (challenge, _events) = stage.challenge(&crate::stage::WHITE).await;
    let (_rival, mut events) = rival(&stage, &ids[0]).await;
    next_game(&mut events).await;
    let (_, shown) = stage
        .table
        .anna
        .get(&format!("/api/challenge/{challenge}/show"))
        .await;
    assert_ne!(shown["status"], "accepted", "{shown}");
}

#[tokio::test]
async fn a_team_that_could_not_be_asked_to_take_the_bot_is_asked_again_with_the_next_look() {
    let (mut stage, _) = stage(&[], &["others"], 4).await;
    stage.answers("POST /team/coders/join", 2, 502, "<html>502 Bad Gateway</html>");
    // New settings are a reason to look at once.
    for (teams, left) in [(&["coders"][..], vec![1]), (&["coders", "others"], vec![])] {
        stage.bot().options.send_modify(|options| {
            options.config_mut().tournaments.teams = teams.iter().map(|team| team.parse().unwrap()).collect();
        });
        let asked = async { while stage.waiting_faults().await != left {} };
        timeout(PATIENCE, asked).await.expect("the team was not asked");
    }
}
