//! Whole games with online sources of moves, on the sandbox's imitations of the servers, with each of them failing in each way.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use sparring::{
    bot::{
        Status,
        moves::{engine_pool::EnginePool, online_sources::OnlineSources, selector::Pipeline},
        observe::metrics::Metrics,
    },
    config,
    store::ArchiveWriter,
};
use sparring_book::Library;
use sparring_chess::{
    GameHistory, Rules as _, Variant,
    units::{Millis, Nodes},
    write_uci,
};
use sparring_online::SourceKind;
use sparring_sandbox::FaultKind;
use tokio::sync::watch;

use crate::{
    stage::{Stage, acts, answer, silent},
    table::Table,
};

/// How many moves Anna makes before she resigns.
const MOVES: usize = 10;
/// An endgame that the tables know, without pawns, so that it stays one.
const ENDGAME: &str = "4k2r/8/8/8/8/8/8/R3K3 w - - 0 1";

/// A game to play: its form, and where it begins.
struct Plan {
    form: Vec<(&'static str, &'static str)>,
    variant: Variant,
    start: &'static str,
}

fn plan(kind: SourceKind) -> Plan {
    let mut form = vec![
        ("clock.limit", "600"),
        ("clock.increment", "0"),
        ("color", "white"),
    ];
    if kind == SourceKind::Tablebase {
        form.push(("fen", ENDGAME));
        return Plan {
            form,
            variant: Variant::FromPosition,
            start: ENDGAME,
        };
    }
    Plan {
        form,
        variant: Variant::Standard,
        start: "startpos",
    }
}

/// A bot that asks these kinds of sources at its server, one after the other, and then searches.
async fn bot(kinds: &[SourceKind], online: OnlineSources, metrics: &Metrics) -> Stage {
    let pipeline = Arc::new(Pipeline {
        pondering: Arc::new(tokio::sync::Semaphore::new(1)),
        pool: EnginePool::new(1, 1).unwrap(),
        library: watch::channel(Arc::new(Library::empty())).1,
        tablebase: None,
        online,
        metrics: metrics.clone(),
    });
    let mut profile = silent("online");
    profile.nodes = Some(Nodes(100));
    profile.books = kinds
        .iter()
        .map(|kind| format!("online:{}", kind.key()))
        .collect();
    let staging = acts(|_, _| unreachable!("the pipeline selects"))
        .selector(pipeline)
        .personality(profile);
    let mut stage = Stage {
        table: Table::set(sparring_sandbox::Options::default()).await,
        crew: staging.crew(),
        bot: None,
    };
    let sections = kinds.iter().map(|kind| {
        let (key, url) = (kind.key(), &stage.table.url);
        let player = if *kind == SourceKind::Player {
            "player = \"Ana\"\n"
        } else {
            ""
        };
        format!("[online.{key}]\nsource = \"{key}\"\nurl = \"{url}\"\n{player}")
    });
    let (config, findings) = config::read("bot.toml", &sections.collect::<String>());
    assert_eq!(findings.to_string(), "");
    stage
        .crew
        .change(|options| options.config_mut().online = config.unwrap().online);
    stage.start().await;
    stage
}

/// Plays a game in which Anna makes legal moves and then resigns; the bot's moves.
async fn play(stage: &mut Stage, plan: &Plan) -> Vec<String> {
    let mut game = stage.game(&plan.form).await;
    let mut line = GameHistory::replay(plan.variant, plan.start, "").unwrap();
    let mut answers = Vec::new();
    for index in 0..MOVES {
        let moves = line.position().legal_moves();
        let Some(mv) = moves.get((7 * index + 3) % moves.len().max(1)).copied() else {
            return answers;
        };
        game.human_plays(&write_uci(mv, plan.variant)).await;
        line.play(mv);
        if line.position().is_game_over() {
            return answers;
        }
        let count = line.ply() + 1;
        let has_answered = |state: &Value| {
            let moves = state["moves"].as_str().unwrap_or_default();
            moves.split_whitespace().count() >= count || state["status"] != "started"
        };
        let state = game.until("the bot answers", has_answered).await;
        let shown = state["moves"].as_str().unwrap().to_owned();
        let own = shown.split_whitespace().last().unwrap().to_owned();
        assert_eq!(
            shown.split_whitespace().count(),
            count,
            "the bot did not move: {state}"
        );
        line.play_uci(&own).unwrap();
        game.saw(&own);
        answers.push(own);
        if state["status"] != "started" {
            // Drawn or won by the rules.
            assert_ne!(state["winner"], "white", "the bot lost: {state}");
            return answers;
        }
    }
    game.human_resigns_to("black").await;
    stage.bot().until("free again", |status| status.games == 0).await;
    answers
}

/// How often a source was asked with this result.
fn count(metrics: &Metrics, kind: SourceKind, result: &str) -> u64 {
    let page = metrics.page(&Status::default(), &ArchiveWriter::default(), None);
    let label = format!("source=\"{}\",result=\"{result}\"", kind.key());
    page.lines()
        .find(|line| line.starts_with("sparring_online_source_requests_total") && line.contains(&label))
        .and_then(|line| line.rsplit(' ').next()?.parse().ok())
        .unwrap_or(0)
}

fn path(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Masters => "/masters",
        SourceKind::Lichess => "/lichess",
        SourceKind::Player => "/player",
        SourceKind::CloudEval => "/api/cloud-eval",
        SourceKind::Tablebase => "/standard",
        SourceKind::Chessdb => "/cdb.php",
    }
}

/// An answer of such a source with a move that no rule allows.
fn illegal(kind: SourceKind) -> String {
    match kind {
        SourceKind::Masters | SourceKind::Lichess | SourceKind::Player => {
            r#"{"white":90,"draws":0,"black":10,"moves":[{"uci":"a1a1","san":"x","white":90,"draws":0,"black":10}]}"#
        }
        SourceKind::CloudEval => r#"{"fen":"","knodes":1,"depth":50,"pvs":[{"moves":"a1a1","cp":1}]}"#,
        SourceKind::Tablebase => r#"{"category":"win","moves":[{"uci":"a1a1","category":"loss"}]}"#,
        SourceKind::Chessdb => r#"{"status":"ok","score":1,"depth":50,"pv":["a1a1"]}"#,
    }
    .to_owned()
}

#[tokio::test]
async fn each_source_moves_where_it_knows_the_position() {
    for kind in SourceKind::ALL {
        let metrics = Metrics::default();
        let mut stage = bot(&[kind], OnlineSources::default(), &metrics).await;
        let moves = play(&mut stage, &plan(kind)).await;
        assert_eq!(
            count(&metrics, kind, "answered"),
            moves.len() as u64,
            "{kind:?}: {moves:?}"
        );
    }
}

#[tokio::test]
async fn f56_no_source_that_fails_costs_a_game() {
    for kind in SourceKind::ALL {
        let limited = FaultKind::Answer {
            status: 429,
            body: "{}".to_owned(),
            content_type: "application/json".to_owned(),
            retry_after: Some("120".to_owned()),
        };
        let cases = [
            ("status", answer(500, "<html>oh</html>")),
            ("unauthorized", answer(401, "{}")),
            ("rate-limited", limited),
            ("garbage", answer(200, "{\"white\": \"no")),
            ("garbage", answer(200, "<html>a page</html>")),
            ("illegal", answer(200, &illegal(kind))),
            ("network", FaultKind::CutAnswer { after: 12 }),
        ];
        let metrics = Metrics::default();
        for (result, fault) in cases {
            // Each bot is new, and leaves no source alone yet.
            let mut stage = bot(&[kind], OnlineSources::default(), &metrics).await;
            stage.arm(path(kind), 1000, fault);
            let before = count(&metrics, kind, result);
            let moves = play(&mut stage, &plan(kind)).await;
            assert!(!moves.is_empty());
            let asked = count(&metrics, kind, result) - before;
            // After one refusal or pause, or three failures, it is not asked again.
            let least = if matches!(result, "unauthorized" | "rate-limited") {
                1
            } else {
                3
            };
            assert_eq!(asked, least.min(moves.len() as u64), "{kind:?} {result}");
        }
        assert_eq!(count(&metrics, kind, "answered"), 0);
    }
}

#[tokio::test]
async fn f56_a_source_that_hangs_costs_two_seconds_a_move_and_no_game() {
    let metrics = Metrics::default();
    let kinds = [SourceKind::Masters, SourceKind::CloudEval];
    let mut stage = bot(&kinds, OnlineSources::default(), &metrics).await;
    for kind in kinds {
        stage.arm(
            path(kind),
            1000,
            FaultKind::Delay {
                by: Millis::from_secs(60),
            },
        );
    }
    let begun = std::time::Instant::now();
    let moves = play(&mut stage, &plan(SourceKind::Masters)).await;
    assert!(moves.len() >= 6, "{moves:?}");
    // The first takes all the time that a move has for both.
    assert_eq!(count(&metrics, SourceKind::Masters, "timeout"), 3);
    assert_eq!(count(&metrics, SourceKind::CloudEval, "timeout"), 3);
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn the_next_source_moves_where_the_first_fails() {
    let metrics = Metrics::default();
    let kinds = [SourceKind::Masters, SourceKind::Lichess];
    let mut stage = bot(&kinds, OnlineSources::default(), &metrics).await;
    stage.arm("/masters", 1000, answer(500, ""));
    let moves = play(&mut stage, &plan(SourceKind::Lichess)).await;
    assert_eq!(
        count(&metrics, SourceKind::Lichess, "answered"),
        moves.len() as u64
    );
    assert_eq!(count(&metrics, SourceKind::Masters, "status"), 3);
}

#[tokio::test]
async fn a_kept_answer_is_not_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let metrics = Metrics::default();
    let kind = SourceKind::Chessdb;
    let online = OnlineSources::default();
    online.keep_answers(&folder.path().join("online.db"));
    let mut stage = bot(&[kind], online, &metrics).await;
    let first = play(&mut stage, &plan(kind)).await;
    let again = play(&mut stage, &plan(kind)).await;
    assert_eq!(first, again);
    let counts = ["answered", "cached"].map(|result| count(&metrics, kind, result));
    assert_eq!(counts, [first.len() as u64; 2]);
}
