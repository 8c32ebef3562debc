//! Thinking on the opponent's time.

use std::sync::Arc;

use futures::{FutureExt as _, future::BoxFuture};
use sparring::{
    bot::{
        Status,
        moves::{
            engine_slot::EngineSlot,
            selector::{Decision, MoveRequest, MoveSelector},
        },
    },
    store::{Archive, ArchiveWriter, Filter},
};
use sparring_chess::{parse_uci, units::Elo};
use tokio::sync::watch;

use crate::stage::{Stage, WHITE, replies, silent};

/// Plays these moves, and always expects White's knight to come to f3 with the second one.
struct Script {
    moves: [&'static str; 3],
    /// The games that it thinks about: begun and ended.
    log: Arc<watch::Sender<Vec<String>>>,
}

impl MoveSelector for Script {
    fn select(&self, _: &EngineSlot, request: MoveRequest) -> BoxFuture<'static, Option<Decision>> {
        let mv = parse_uci(request.line.position(), self.moves[request.line.ply() / 2]).unwrap();
        let mut after = request.line.clone();
        after.play(mv);
        let decision = Decision {
            reply: parse_uci(after.position(), "g1f3").ok(),
            ..Decision::play(mv, "script")
        };
        async move { Some(decision) }.boxed()
    }

    fn ponder(&self, _: &EngineSlot, request: MoveRequest) -> BoxFuture<'static, ()> {
        /// Notes the end when it is dropped.
        struct Thinking(Arc<watch::Sender<Vec<String>>>);
        impl Drop for Thinking {
            fn drop(&mut self) {
                self.0.send_modify(|log| log.push("end".to_owned()));
            }
        }
        let thinking = Thinking(Arc::clone(&self.log));
        async move {
            thinking.0.send_modify(|log| log.push(request.line.uci_moves()));
            std::future::pending().await
        }
        .boxed()
    }
}

/// A stage whose bot ponders or not, the log of its pondering, and the folder of its archive.
async fn stage(ponder: bool, level: Option<Elo>) -> (Stage, watch::Receiver<Vec<String>>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (log, seen) = watch::channel(Vec::new());
    let script = Script {
        moves: ["e7e5", "b8c6", "g8f6"],
        log: Arc::new(log),
    };
    let stage = replies(&[])
        .selector(Arc::new(script))
        .personality(silent("strong"))
        .options(|options| {
            options.config_mut().engine.ponder = ponder;
            options.config_mut().play.level = level;
        })
        .archive(&folder.path().join("games.sqlite"))
        .open()
        .await;
    (stage, seen, folder)
}

#[tokio::test]
async fn a_game_ponders_about_the_expected_reply_and_counts_the_hits() {
    let (mut stage, mut seen, folder) = stage(true, None).await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    seen.wait_for(|log| *log == ["e2e4 e7e5 g1f3"]).await.unwrap();
    game.human_plays("g1f3").await.bot_answers("b8c6").await;
    // After 2. Nf3 no knight can come to f3 from g1: there is nothing to ponder about.
    game.human_plays("d2d4").await.bot_answers("g8f6").await;
    seen.wait_for(|log| *log == ["e2e4 e7e5 g1f3", "end"])
        .await
        .unwrap();
    game.human_does("resign").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    let metrics = stage
        .crew
        .meters
        .page(&Status::default(), &ArchiveWriter::default(), None);
    assert!(
        metrics.contains("sparring_replies_pondered_total{result=\"hit\"} 1"),
        "{metrics}"
    );
    assert!(!metrics.contains("result=\"miss\""), "{metrics}");
    stage.crew.store.flush().await;
    let archive = Archive::read(&folder.path().join("games.sqlite")).unwrap();
    let pondered: Vec<_> = archive
        .moves(&archive.games(&Filter::default()).unwrap()[0].id)
        .unwrap()
        .into_iter()
        .filter_map(|record| record.thought)
        .map(|thought| thought.pondered)
        .collect();
    assert_eq!(pondered, [None, Some(true), None]);
}

#[tokio::test]
async fn another_reply_is_a_miss() {
    let (stage, mut seen, _folder) = stage(true, None).await;
    let mut game = stage.game(&WHITE).await;
    game.human_plays("e2e4").await.bot_answers("e7e5").await;
    seen.wait_for(|log| log.len() == 1).await.unwrap();
    game.human_plays("b1c3").await.bot_answers("b8c6").await;
    seen.wait_for(|log| *log == ["e2e4 e7e5 g1f3", "end", "e2e4 e7e5 b1c3 b8c6 g1f3"])
        .await
        .unwrap();
    let metrics = stage
        .crew
        .meters
        .page(&Status::default(), &ArchiveWriter::default(), None);
    assert!(
        metrics.contains("sparring_replies_pondered_total{result=\"miss\"} 1"),
        "{metrics}"
    );
}

#[tokio::test]
async fn a_level_and_a_bot_that_is_not_told_to_do_not_ponder() {
    for (ponder, level) in [(false, None), (true, Some(Elo(1500)))] {
        let (stage, seen, _folder) = stage(ponder, level).await;
        let mut game = stage.game(&WHITE).await;
        game.human_plays("e2e4").await.bot_answers("e7e5").await;
        game.human_plays("d2d4").await.bot_answers("b8c6").await;
        assert!(seen.borrow().is_empty(), "{:?}", seen.borrow());
    }
}
