//! What is left of a game when it is over, and what the next run makes of it.

use std::fs;

use sparring::store::{ALWAYS, Archive, Filter, MoveSource};
use sparring_chess::units::Centipawns;
use sparring_engine::Score;
use sparring_lichess::model::{GameId, Side};
use tokio::time::timeout;

use crate::{
    days::sample,
    program::{begin, furnish, plies, start},
    stage::{Act, PATIENCE, WHITE, acts, replies},
    table::Table,
};

#[tokio::test]
async fn a_game_is_kept_with_its_moves_clocks_and_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = acts(|request, _| Act::Play(["e7e5", "d8h4"][request.line.ply() / 2], 35))
        .archive(&path)
        .open()
        .await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("f2f3").await.bot_answers("e7e5").await;
    game.human_plays("g2g4").await.bot_answers("d8h4").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    stage.crew.store.flush().await;
    let archive = Archive::read(&path).unwrap();
    let games = archive.games(&Filter::default()).unwrap();
    let end = games[0].end.as_ref().unwrap();
    assert_eq!((end.status.as_str(), end.winner), ("mate", Some(Side::Black)));
    assert_eq!(end.moves, "f2f3 e7e5 g2g4 d8h4");
    assert_eq!(
        (games[0].id.as_str(), games[0].personality.as_str()),
        (game.id.as_str(), "club")
    );
    let moves = archive.moves(&games[0].id).unwrap();
    assert_eq!(moves.len(), 4);
    assert!(moves.iter().all(|record| record.clock.is_some()));
    let thought = moves[3].thought.as_ref().unwrap();
    assert_eq!(
        (thought.source, thought.score),
        (MoveSource::Other, Some(Score::Cp(Centipawns(35))))
    );
    assert_eq!(moves[0].thought, None);
}

#[tokio::test]
async fn a_game_over_a_crash_is_one_row_that_keeps_its_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = replies(&["e7e5", "b8c6"]).archive(&path).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.kill();
    game.human_plays("g1f3").await;
    stage.start().await;
    game.bot_answers("b8c6").await;
    game.human_does("resign").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    stage.crew.store.flush().await;
    let archive = Archive::read(&path).unwrap();
    let games = archive.games(&Filter::default()).unwrap();
    assert_eq!(games.len(), 1);
    assert_eq!(games[0].end.as_ref().unwrap().status, "resign");
    let moves = archive.moves(&games[0].id).unwrap();
    let mine = moves.iter().filter(|record| record.thought.is_some()).count();
    assert_eq!((moves.len(), mine), (4, 2));
}

#[tokio::test]
async fn a_game_that_ended_while_nobody_was_there_gets_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = replies(&["e7e5"]).archive(&path).open().await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    stage.crew.store.flush().await;
    stage.kill();
    game.human_does("resign").await;
    stage.crew.past.unfinished = Archive::read(&path).unwrap().unfinished(ALWAYS).unwrap();
    assert_eq!(stage.crew.past.unfinished.len(), 1);
    stage.start().await;
    stage
        .bot()
        .until("nothing left", |status| status.parked + status.games == 0)
        .await;
    stage.crew.store.flush().await;
    let archive = Archive::read(&path).unwrap();
    let games = archive.games(&Filter::default()).unwrap();
    assert_eq!(games[0].end.as_ref().unwrap().status, "resign");
    assert!(archive.unfinished(ALWAYS).unwrap().is_empty());
}

#[tokio::test]
async fn f52_an_archive_that_cannot_be_written_costs_no_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut stage = replies(&["e7e5"]).archive(&path).open().await;
    // Stands for a full disk: no row fits any more.
    let sql = rusqlite::Connection::open(&path).unwrap();
    sql.execute_batch("DROP TABLE moves; DROP TABLE games").unwrap();
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    game.human_does("resign").await;
    stage.bot().until("free again", |status| status.games == 0).await;
}

#[tokio::test]
async fn f52_an_archive_that_is_damaged_before_and_during_a_game_costs_no_row_and_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let (state, log) = (folder.path().join("state"), folder.path().join("log"));
    let path = state.join("archive.db");
    fs::create_dir(&state).unwrap();
    let archive = Archive::open(&path).unwrap();
    for number in 0..120 {
        archive.put_game(&sample(&format!("game{number:04}"))).unwrap();
    }
    drop(archive);
    let mut bytes = fs::read(&path).unwrap();
    bytes[..100].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let table = Table::set(sparring_sandbox::Options::default()).await;
    let mut program = start(folder.path(), &table, fs::File::create(&log).unwrap().into());
    let (id, mut lines) = begin(&table).await;
    assert_eq!(plies(&mut lines, 1).await, ["e2e4"]);
    let game: GameId = id.parse().unwrap();
    let kept = async |plies: usize| {
        let moves = || Archive::read(&path)?.moves(&game);
        while moves().map_or(0, |moves| moves.len()) < plies {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, kept(1))
        .await
        .expect("the first row is not kept");
    let games = Archive::read(&path).unwrap().games(&Filter::default()).unwrap();
    assert_eq!(games.len(), 121, "those of the old archive are there too");
    // Now under the program.
    fs::write(&path, "garbage").unwrap();
    table.anna.plays(&id, "move/e7e5").await;
    assert_eq!(plies(&mut lines, 3).await[2], "g1f3");
    timeout(PATIENCE, kept(3))
        .await
        .expect("rows of the game are not kept");
    assert_eq!(program.try_wait().unwrap(), None, "it goes on");
    let said = fs::read_to_string(&log).unwrap();
    assert_eq!(
        said.matches("a new one was created").count(),
        2,
        "once for each damage:\n{said}"
    );
    let names = fs::read_dir(&state)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap());
    let aside =
        names.filter(|name| name.contains(".damaged-") && !name.ends_with("-wal") && !name.ends_with("-shm"));
    assert!(aside.filter(|name| !name.ends_with(".unread")).count() == 2);
}
