//! Whole games of every variant, by the move selector that plays on lichess.

use std::sync::Arc;

use rand::{RngExt as _, SeedableRng as _, rngs::ChaCha8Rng};
use serde_json::Value;
use sparring::bot::{
    moves::{engine_pool::EnginePool, online_sources::OnlineSources, selector::Pipeline},
    observe::metrics::Metrics,
};
use sparring_book::Library;
use sparring_chess::{GameHistory, Outcome, Rules as _, Variant, units::Elo, write_uci};
use tokio::sync::watch;

use crate::stage::{Stage, acts, silent};

/// Anna resigns then.
const MOST_PLIES: usize = 400;
/// Where games from a position begin.
const POSITION: &str = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";

/// A bot of a low level, so that its handicaps are part of the games.
async fn bot() -> Stage {
    let pipeline = Arc::new(Pipeline {
        pondering: Arc::new(tokio::sync::Semaphore::new(1)),
        pool: EnginePool::new(1, 1).unwrap(),
        library: watch::channel(Arc::new(Library::empty())).1,
        tablebase: None,
        online: OnlineSources::default(),
        metrics: Metrics::default(),
    });
    let mut profile = silent("all-rounder");
    profile.level = Some(Elo(900));
    profile.books = Vec::new();
    acts(|_, _| unreachable!("the pipeline selects"))
        .selector(pipeline)
        .personality(profile)
        .open()
        .await
}

/// The status that lichess gives to a game that ended by the rules.
fn status(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Mate(_) => "mate",
        Outcome::Variant(Some(_)) => "variantEnd",
        Outcome::Stalemate => "stalemate",
        _ => "draw",
    }
}

/// Plays a game in which Anna, with White, makes legal moves at random: its moves, the last state, and whether she resigned.
async fn play(stage: &mut Stage, variant: Variant) -> (GameHistory, Value, bool) {
    let mut form = vec![
        ("clock.limit", "600"),
        ("clock.increment", "0"),
        ("color", "white"),
        ("variant", variant.key()),
    ];
    let start = match variant {
        Variant::FromPosition => POSITION,
        Variant::Chess960 => "nrbbqnkr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQNKR w KQkq - 0 1",
        _ => "startpos",
    };
    if start != "startpos" {
        form.push(("fen", start));
    }
    let mut game = stage.game(&form).await;
    let mut line = GameHistory::replay(variant, start, "").unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    loop {
        let moves = line.position().legal_moves();
        if line.ply() >= MOST_PLIES {
            let state = game
                .human_does("resign")
                .await
                .until("the game ends", is_over)
                .await;
            return (line, state, true);
        }
        let mv = moves[rng.random_range(0..moves.len())];
        game.human_plays(&write_uci(mv, variant)).await;
        line.play(mv);
        let count = line.ply() + 1;
        let answered = |state: &Value| is_over(state) || plies(state) >= count;
        let state = game.until("the bot answers", answered).await;
        let shown = state["moves"].as_str().unwrap();
        if plies(&state) == count {
            let own = shown.rsplit(' ').next().unwrap().to_owned();
            line.play_uci(&own).unwrap();
            game.saw(&own);
        }
        assert_eq!(shown, line.uci_moves(), "{variant}");
        if is_over(&state) {
            return (line, state, false);
        }
    }
}

fn is_over(state: &Value) -> bool {
    state["status"].as_str().is_some_and(|status| status != "started")
}

fn plies(state: &Value) -> usize {
    state["moves"]
        .as_str()
        .unwrap_or_default()
        .split_whitespace()
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_game_of_each_variant_is_played_to_the_end_that_its_rules_give() {
    let mut stage = bot().await;
    for variant in Variant::ALL {
        let (line, state, has_resigned) = play(&mut stage, variant).await;
        let winner = state["winner"].as_str().unwrap_or("none");
        match line.outcome() {
            Some(outcome) => {
                assert_eq!(
                    state["status"],
                    status(outcome),
                    "{variant}: {}",
                    line.uci_moves()
                );
                let expected = outcome
                    .winner()
                    .map_or("none", |side| side.fold_wb("white", "black"));
                assert_eq!(winner, expected, "{variant}");
            }
            // Nobody ran out of time or gave up otherwise.
            None => assert!(has_resigned, "{variant}: {state}"),
        }
        stage.bot().until("free again", |status| status.games == 0).await;
    }
}
