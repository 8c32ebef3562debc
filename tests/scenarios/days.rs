//! Games without a clock: no stream is held for days, and no move is missed.

use serde_json::json;
use sparring::{
    bot::Status,
    store::{Archive, Filter, GameRecord},
};
use sparring_chess::units::{Centipawns, Elo, Millis};
use sparring_lichess::model::Side;
use sparring_personality::DrawPolicy;

use tokio::time::timeout;

use crate::{
    chat::said_by_the_bot,
    human::Game,
    puppet::full,
    stage::{Act, PATIENCE, Stage, Staging, acts, replies, silent},
};

const DAYS: [(&str, &str); 2] = [("days", "2"), ("color", "white")];

const WELCOME: &str = "[[rule]]\nspeeds = [\"correspondence\"]\nthen = \"queue\"\n";

fn patient(moves: &'static [&'static str]) -> Staging {
    replies(moves).rules(WELCOME).options(sleepy)
}

/// Games sleep soon, and are looked at often.
fn sleepy(options: &mut sparring::bot::Options) {
    options.timing.park_after = Millis(50);
    options.timing.poll_every = Millis(50);
}

#[tokio::test]
async fn a_game_of_days_sleeps_and_wakes_for_the_opponents_move() {
    let mut stage = patient(&["e7e5", "b8c6"]).open().await;
    let mut game: Game = stage.game(&DAYS).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage
        .bot()
        .until("asleep", |status| (status.games, status.parked) == (0, 1))
        .await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    stage
        .bot()
        .until("asleep again", |status| (status.games, status.parked) == (0, 1))
        .await;
    assert_eq!(stage.crew.plies(), [1, 3]);
}

#[tokio::test]
async fn who_has_begun_a_game_of_days_goes_on_whatever_the_rules_say_when_it_wakes() {
    // The game itself is one of today: when it wakes, the first rule fits.
    let other = "[[rule]]\nmin-played-today = 1\npersonality = \"attacker\"\nlevel = 1500\n";
    let mut stage = patient(&["e7e5", "b8c6"])
        .rules(&format!("{other}{WELCOME}"))
        .options(|options| options.config_mut().play.level = Some(Elo(800)))
        .open()
        .await;
    let mut game = stage.game(&DAYS).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.bot().until("asleep", |status| status.parked == 1).await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    let played: Vec<_> = stage
        .crew
        .asked()
        .into_iter()
        .map(|asked| (asked.personality, asked.level))
        .collect();
    assert_eq!(played, vec![("club".to_owned(), Some(Elo(800))); 2]);
}

#[tokio::test]
async fn what_the_moves_were_worth_is_known_when_a_game_wakes_and_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = acts(|request, _| match request.line.ply() {
        1 => Act::Play("e7e5", 30),
        3 => Act::Play("b8c6", -70),
        _ => Act::Play("g8f6", 0),
    })
    .rules(WELCOME)
    .options(sleepy)
    .archive(&path)
    .open()
    .await;
    let mut game = stage.game(&DAYS).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.bot().until("asleep", |status| status.parked == 1).await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    stage.bot().until("asleep", |status| status.parked == 1).await;
    stage.kill();
    stage.start().await;
    game.human_plays("f1c4").await.bot_answers("g8f6").await;
    let known: Vec<_> = stage.crew.asked().into_iter().map(|asked| asked.scores).collect();
    assert_eq!(known, [vec![], vec![30], vec![30, -70]]);
}

#[tokio::test]
async fn a_draw_offered_while_a_game_sleeps_is_taken_by_what_the_moves_before_were_worth() {
    let folder = tempfile::tempdir().unwrap();
    let mut calm = silent("calm");
    calm.draw = Some(DrawPolicy {
        within: Centipawns(10),
        moves: 1,
        offers_to_humans: false,
    });
    let mut stage = acts(|request, _| match request.line.ply() {
        1 => Act::Play("e7e5", 0),
        _ => Act::Hang,
    })
    .rules(WELCOME)
    .options(sleepy)
    .personality(calm)
    .archive(&folder.path().join("archive.db"))
    .open()
    .await;
    let mut game = stage.game(&DAYS).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.bot().until("asleep", |status| status.parked == 1).await;
    game.human_does("draw/yes").await.human_plays("g1f3").await;
    game.ends("draw", None).await;
}

#[tokio::test]
async fn what_is_asked_while_a_game_sleeps_is_answered_once_when_it_wakes() {
    let mut stage = patient(&["e7e5", "b8c6", "g8f6"]).open().await;
    let mut game = stage.game(&DAYS).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.bot().until("asleep", |status| status.parked == 1).await;
    game.human_says("!level 1400").await.human_plays("g1f3").await;
    game.bot_answers("b8c6").await;
    stage
        .bot()
        .until("asleep again", |status| status.parked == 1)
        .await;
    // By now it is too late for this game.
    game.human_says("!strength beginner")
        .await
        .human_plays("f1c4")
        .await;
    game.bot_answers("g8f6").await;
    let said = said_by_the_bot(&mut stage, &game).await;
    assert_eq!(
        said,
        [
            "From my next move on I play at level 1400.",
            "This game goes on as it began. From our next casual game on I play at level 800."
        ]
    );
    let mut next = stage.game(&DAYS).await;
    next.human_plays("e2e4").await.bot_answers("e7e5").await;
    let levels = [None, Some(1400), Some(1400), Some(800)];
    assert_eq!(stage.crew.levels(), levels.map(|level| level.map(Elo)));
}

#[tokio::test]
async fn a_sleeping_game_takes_no_seat_and_survives_a_restart() {
    let mut stage = patient(&["e7e5", "b8c6"])
        .options(|options| options.config_mut().games.max = 1)
        .open()
        .await;
    let mut game = stage.game(&DAYS).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.bot().until("asleep", |status| status.parked == 1).await;
    stage.game(&DAYS).await;
    stage.kill();
    stage.start().await;
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
}

#[tokio::test]
async fn an_opponent_who_takes_days_for_the_first_move_is_not_visited_each_minute() {
    let mut server = patient(&["e7e5"]).on_strings().await;
    let of_days = |id: &str| {
        let mut frame = full(id, "");
        frame["speed"] = "correspondence".into();
        frame["daysPerTurn"] = 2.into();
        frame["clock"] = json!(null);
        (frame["white"], frame["black"]) = (frame["black"].clone(), frame["white"].clone());
        frame
    };
    let listed = |id: &str| {
        json!({"gameId": id, "fullId": format!("{id}xyzw"), "speed": "correspondence", "hasMoved": false,
            "isMyTurn": false})
    };
    let game = server.game("sleeping").await;
    game.line(&of_days("sleeping"));
    server.bot.until("asleep", |status| status.parked == 1).await;
    // Each of the others is found by another look at the list.
    let mut list = vec![listed("sleeping")];
    for other in ["game0001", "game0002", "game0003"] {
        list.push(listed(other));
        server.plays(list.clone().into());
        let other = server.opens_again(other).await;
        server.keep(other);
    }
    assert_eq!(server.others_opened(), Vec::<String>::new());
}

#[tokio::test]
async fn the_end_of_a_sleeping_game_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = patient(&["e7e5"]).archive(&path).open().await;
    let mut game = stage.game(&DAYS).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.bot().until("asleep", |status| status.parked == 1).await;
    game.human_plays("g1f3").await.human_does("resign").await;
    emptied(&mut stage).await;
    stage.crew.store.flush().await;
    let games = Archive::read(&path).unwrap().games(&Filter::default()).unwrap();
    assert_eq!(games[0].end.as_ref().unwrap().status, "resign");
}

/// A casual game of days against Anna that runs, as the archive has it.
pub(crate) fn sample(id: &str) -> GameRecord {
    GameRecord {
        id: id.parse().unwrap(),
        began: Millis(1_795_242_037_000),
        side: Side::Black,
        opponent: "anna".parse().ok(),
        name: "Anna".to_owned(),
        is_bot: false,
        rating: None,
        own_rating: None,
        rated: false,
        variant: "standard".to_owned(),
        speed: "correspondence".to_owned(),
        clock: None,
        days: Some(2),
        start: "startpos".to_owned(),
        personality: "club".to_owned(),
        level: None,
        played: None,
        account: None,
        end: None,
    }
}

/// How many games ended for the bot so, as whoever watches it reads.
fn ended(stage: &Stage, result: &str) -> Option<String> {
    let page = stage
        .crew
        .meters
        .page(&Status::default(), &stage.crew.store, None);
    let name = format!("sparring_games_ended_total{{result=\"{result}\"}} ");
    let count = page.lines().find_map(|line| line.strip_prefix(&name));
    count.map(str::to_owned)
}

#[tokio::test]
async fn a_game_that_ended_asleep_counts_for_the_next_challenge_and_for_whoever_watches_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let met = "[[rule]]\nmin-games-ever = 1\nthen = \"decline\"\nreason = \"later\"\n";
    let mut stage = patient(&["e7e5"])
        .rules(&format!("{met}{WELCOME}"))
        .archive(&path)
        .open()
        .await;
    let mut game = stage.game(&DAYS).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.bot().until("asleep", |status| status.parked == 1).await;
    game.human_does("resign").await;
    emptied(&mut stage).await;
    assert_eq!(ended(&stage, "won").as_deref(), Some("1"));
    let (_, mut events) = stage.challenge(&DAYS).await;
    let declined = timeout(PATIENCE, events.next_of("challengeDeclined"))
        .await
        .expect("it was not counted");
    assert_eq!(declined["challenge"]["declineReasonKey"], "later");
    // A run that is told that the game runs, as by old news, finds its end in the archive.
    stage.crew.store.flush().await;
    stage.kill();
    stage.crew.past.unfinished = vec![game.id.parse().unwrap()];
    stage.start().await;
    emptied(&mut stage).await;
    assert_eq!(ended(&stage, "won").as_deref(), Some("1"));
}

/// Waits until the bot knows of no game that runs.
async fn emptied(stage: &mut Stage) {
    let nothing = |status: &Status| status.parked + status.games == 0;
    stage.bot().until("nothing left", nothing).await;
}

#[tokio::test]
async fn a_game_that_ended_while_nobody_was_there_is_counted_by_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = patient(&["e7e5"]).archive(&path).open().await;
    let mut game = stage.game(&DAYS).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.crew.store.flush().await;
    stage.kill();
    game.human_does("resign").await;
    stage.crew.past.unfinished = Archive::read(&path)
        .unwrap()
        .unfinished(sparring::store::ALWAYS)
        .unwrap();
    stage.start().await;
    emptied(&mut stage).await;
    assert_eq!(ended(&stage, "won").as_deref(), Some("1"));
}

#[tokio::test]
async fn a_game_that_the_server_knows_no_more_ends_and_is_not_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = patient(&[]).archive(&path).open().await;
    // A game of an earlier run that nobody has played: lichess has deleted it since.
    let forgotten = sample("gone1234");
    stage.crew.store.game(forgotten.clone());
    stage.crew.store.flush().await;
    stage.kill();
    let archive = Archive::read(&path).unwrap();
    stage.crew.past.unfinished = archive.unfinished(sparring::store::ALWAYS).unwrap();
    assert_eq!(stage.crew.past.unfinished, std::slice::from_ref(&forgotten.id));
    stage.start().await;
    emptied(&mut stage).await;
    stage.crew.store.flush().await;
    let end = archive.game(&forgotten.id).unwrap().unwrap().end;
    assert_eq!(end.map(|end| end.status).as_deref(), Some("aborted"));
    assert_eq!(archive.unfinished(sparring::store::ALWAYS).unwrap(), []);
    assert_eq!(ended(&stage, "void").as_deref(), Some("1"));
}

#[tokio::test]
async fn games_that_sleep_are_counted_by_rules_and_limits() {
    let mut stage = replies(&["e7e5"])
        .rules(
            "[[rule]]\nmin-running = 1\nthen = \"decline\"\nreason = \"later\"\n[[rule]]\nthen = \"queue\"\n",
        )
        .options(sleepy)
        .open()
        .await;
    let mut game = stage.game(&DAYS).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.bot().until("asleep", |status| status.parked == 1).await;
    let (_, mut events) = stage.challenge(&DAYS).await;
    let declined = timeout(PATIENCE, events.next_of("challengeDeclined"))
        .await
        .expect("it was not counted");
    assert_eq!(declined["challenge"]["declineReasonKey"], "later");
}
