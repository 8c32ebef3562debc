//! Engines that play, fail and come back, as a few lines of shell.

use std::time::Duration;

use tokio::sync::Semaphore;

use super::*;
use sparring_chess::{units::Centipawns, write_uci};

/// An engine of these lines of shell, beside the usual answers.
fn toy(cases: &str) -> Arc<config::ExternalEngine> {
    let program = format!(
        r#"while read -r line; do case "$line" in
        {cases}
        uci) echo "option name UCI_LimitStrength type check default false";
            echo "option name UCI_Elo type spin default 2000 min 1320 max 3190"; echo uciok;;
        isready) echo readyok;; quit) exit;;
        esac; done"#
    );
    Arc::new(config::ExternalEngine {
        name: "toy".to_owned(),
        command: "sh".into(),
        arguments: vec!["-c".to_owned(), program],
        ..config::ExternalEngine::default()
    })
}

fn search(variant: Variant, moves: &str) -> ExternalSearch {
    ExternalSearch {
        line: GameHistory::replay(variant, "startpos", moves).unwrap(),
        level: None,
        style: StyleBonus::default(),
        limits: GoLimits::default(),
        stop_after: Millis::from_secs(20),
        limit: Millis::from_secs(20),
    }
}

async fn ask(
    slot: &ExternalSlot,
    engine: &Arc<config::ExternalEngine>,
    search: ExternalSearch,
) -> Result<String, String> {
    let found = slot.search(engine, &Metrics::default(), search).await;
    found
        .map(|found| write_uci(found.mv, Variant::Standard))
        .map_err(|error| error.to_string())
}

#[tokio::test]
async fn an_engine_moves_with_its_score() {
    let engine =
        toy(r#"go*) echo "info depth 9 score cp 31 nodes 77 pv e2e4"; echo "bestmove e2e4 ponder e7e5";;"#);
    let slot = ExternalSlot::default();
    let found = slot
        .search(&engine, &Metrics::default(), search(Variant::Standard, ""))
        .await
        .unwrap();
    assert_eq!(write_uci(found.mv, Variant::Standard), "e2e4");
    assert_eq!(found.score, Some(Score::Cp(Centipawns(31))));
    assert_eq!((found.depth, found.nodes), (Depth(9), Nodes(77)));
}

#[tokio::test]
async fn a_level_limits_an_engine_within_its_range() {
    // It plays a move that says what it was set to.
    let engine = toy(
        r#""setoption name UCI_Elo value 1320") mv=a2a3;; "setoption name UCI_Elo value 1500") mv=b2b3;;
        "setoption name UCI_LimitStrength value false") mv=h2h3;; go*) echo "bestmove $mv";;"#,
    );
    let slot = ExternalSlot::default();
    for (level, mv) in [
        (Some(Elo(800)), "a2a3"),
        (Some(Elo(1500)), "b2b3"),
        (None, "h2h3"),
    ] {
        let search = ExternalSearch {
            level,
            ..search(Variant::Standard, "")
        };
        assert_eq!(ask(&slot, &engine, search).await.as_deref(), Ok(mv));
    }
}

#[tokio::test]
async fn f55_an_engine_that_fails_gives_an_error_and_rests() {
    for (cases, kind, said) in [
        ("go*) exit;;", "ended", "toy has ended"),
        (
            r#"go*) echo "bestmove e2e5";;"#,
            "illegal",
            "toy answered \"e2e5\", which is no legal move here",
        ),
        (
            r#"go*) echo "bestmove (none)";;"#,
            "illegal",
            "toy answered \"(none)\", which is no legal move here",
        ),
        (
            "go*) tr '\\0' x < /dev/zero;;",
            "garbage",
            "toy printed a line of more than 1 MiB",
        ),
    ] {
        let (engine, slot, metrics) = (toy(cases), ExternalSlot::default(), Metrics::default());
        let first = slot
            .search(&engine, &metrics, search(Variant::Standard, ""))
            .await
            .unwrap_err();
        assert_eq!(first.to_string(), said);
        let second = slot
            .search(&engine, &metrics, search(Variant::Standard, ""))
            .await
            .unwrap_err();
        assert!(matches!(second, ExternalError::Waiting { .. }), "{second}");
        let page = metrics.page(&Default::default(), &Default::default(), None);
        let line = format!("sparring_external_engine_failures_total{{kind=\"{kind}\"}} 1");
        assert!(page.contains(&line), "{page}");
    }
}

#[tokio::test]
async fn f55_an_engine_that_hangs_is_given_up_in_time() {
    let engine = toy("stop) ;; go*) ;;");
    let slot = ExternalSlot::default();
    let short = ExternalSearch {
        stop_after: Millis(300),
        limit: Millis(400),
        ..search(Variant::Standard, "")
    };
    // The engine has started by then, or has not: either way the answer comes in time.
    let begin = Instant::now();
    let error = ask(&slot, &engine, short).await.unwrap_err();
    assert!(
        error.contains("did not answer \"go\"") || error.contains("not ready"),
        "{error}"
    );
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_game_that_needs_no_move_any_more_stops_the_engine() {
    let engine = toy(r#"stop) echo "bestmove a2a3";; "go depth 1") echo "bestmove e2e4";; go*) ;;"#);
    let (slot, metrics) = (ExternalSlot::default(), Metrics::default());
    let mut quick = search(Variant::Standard, "");
    quick.limits.depth = Some(Depth(1));
    // The engine runs by then.
    assert_eq!(ask(&slot, &engine, quick.clone()).await.as_deref(), Ok("e2e4"));
    let endless = slot.search(&engine, &metrics, search(Variant::Standard, ""));
    assert!(
        tokio::time::timeout(Duration::from_millis(200), endless)
            .await
            .is_err()
    );
    // It is free again, long before the endless search would have been stopped.
    assert_eq!(ask(&slot, &engine, quick).await.as_deref(), Ok("e2e4"));
}

#[tokio::test]
async fn a_variant_that_an_engine_does_not_know_is_no_failure() {
    let engine = toy(r#"go*) echo "bestmove e2e4";;"#);
    let slot = ExternalSlot::default();
    let error = ask(&slot, &engine, search(Variant::Atomic, ""))
        .await
        .unwrap_err();
    assert_eq!(error, "toy does not play Atomic");
    assert_eq!(
        ask(&slot, &engine, search(Variant::Standard, ""))
            .await
            .as_deref(),
        Ok("e2e4")
    );
}

#[tokio::test]
async fn f55_a_program_that_is_not_there_is_named() {
    let engine = Arc::new(config::ExternalEngine {
        name: "lost".to_owned(),
        command: "/nowhere/engine".into(),
        ..config::ExternalEngine::default()
    });
    let error = ask(&ExternalSlot::default(), &engine, search(Variant::Standard, ""))
        .await
        .unwrap_err();
    assert_eq!(error, "cannot start \"/nowhere/engine\"");
}

#[test]
fn f55_an_engine_that_is_started_again_gets_its_level_again() {
    let engine = toy(r#""setoption name UCI_Elo value 1500") mv=b2b3;; go*) echo "bestmove ${mv:-h2h3}";;"#);
    let mut supervisor = Supervisor::new(engine, Metrics::default());
    for _ in 0..2 {
        let (reply, _answer) = oneshot::channel();
        let mut job = SearchJob {
            search: ExternalSearch {
                level: Some(Elo(1500)),
                ..search(Variant::Standard, "")
            },
            asked_at: Instant::now(),
            ready: None,
            reply,
        };
        let found = supervisor.search(&mut job).unwrap();
        assert_eq!(write_uci(found.mv, Variant::Standard), "b2b3");
        supervisor.failed(Some("ended"), "toy has ended");
        supervisor.retry_at = None;
    }
}

/// An engine that ponders, and whose answers tell a hit from a new search.
const PONDERS: &str = r#"position*) last=${line##* };; "go ponder"*) ;; ponderhit) echo "bestmove g1f3 ponder b8c6";;
    stop) echo "bestmove a2a3";; go*) echo "bestmove b1c3";;
    uci) echo "option name Ponder type check default false"; echo uciok;;"#;

/// Ponders about the position after these moves, and answers a search after those.
async fn ponder(cases: &str, moves: &str, then: &str) -> (Result<String, String>, usize) {
    let (engine, slot) = (toy(cases), ExternalSlot::default());
    let permits = Arc::new(Semaphore::new(1));
    let permit = Arc::clone(&permits).try_acquire_owned().unwrap();
    slot.ponder(
        &engine,
        &Metrics::default(),
        search(Variant::Standard, moves),
        permit,
    );
    let answer = ask(&slot, &engine, search(Variant::Standard, then)).await;
    (answer, permits.available_permits())
}

#[tokio::test]
async fn a_ponder_hit_goes_on_and_a_miss_begins_anew() {
    let hit = ponder(PONDERS, "e2e4 e7e5", "e2e4 e7e5").await;
    assert_eq!(hit, (Ok("g1f3".to_owned()), 1), "the permit is free again");
    let miss = ponder(PONDERS, "e2e4 e7e5", "e2e4 c7c5").await;
    assert_eq!(miss, (Ok("b1c3".to_owned()), 1));
}

#[tokio::test]
async fn an_engine_that_does_not_offer_to_ponder_is_left_alone() {
    let cases = r#""go ponder"*) exit;; go*) echo "bestmove b1c3";;"#;
    let answer = ponder(cases, "e2e4 e7e5", "e2e4 e7e5").await;
    assert_eq!(answer, (Ok("b1c3".to_owned()), 1));
}

#[tokio::test]
async fn f55_an_engine_that_fails_while_it_ponders_gives_an_error() {
    let cases = PONDERS.replace("\"go ponder\"*) ;;", "\"go ponder\"*) exit;;");
    let (answer, permits) = ponder(&cases, "e2e4 e7e5", "e2e4 e7e5").await;
    let error = answer.unwrap_err();
    assert!(
        ["toy has ended", "toy failed and is started again later"].contains(&error.as_str()),
        "{error}"
    );
    assert_eq!(permits, 1);
}

/// An engine that prints several lines. Its nodes say how many it was told to, and its second line has the queen out.
const PRINTS_LINES: &str = r#""setoption name MultiPV"*) lines=${line##* };;
    ponderhit) echo "bestmove e2e4 ponder e7e5";; stop) echo "bestmove e2e4";;
    go*) echo "info depth 9 multipv 1 score cp 31 nodes ${lines:-0} pv e2e4 e7e5";
        [ "${lines:-1}" = 1 ] || echo "info depth 9 multipv 2 score cp 25 nodes 0 pv e2e3 c7c5 d1h5";
        case "$line" in *ponder*) ;; *) echo "bestmove e2e4 ponder e7e5";; esac;;
    uci) echo "option name MultiPV type spin default 1 min 1 max 500";
        echo "option name Ponder type check default false"; echo uciok;;"#;

/// A search in a style that brings the queen out.
fn styled() -> ExternalSearch {
    ExternalSearch {
        style: StyleBonus {
            queen_out: 16,
            ..StyleBonus::default()
        },
        ..search(Variant::Standard, "")
    }
}

/// The move, the expected reply, and the nodes.
fn told(found: &ExternalMove) -> (String, String, u64) {
    let text = |mv| write_uci(mv, Variant::Standard);
    (text(found.mv), found.reply.map(text).unwrap(), found.nodes.0)
}

#[tokio::test]
async fn a_style_asks_for_lines_and_chooses_among_them() {
    let (engine, slot, metrics) = (toy(PRINTS_LINES), ExternalSlot::default(), Metrics::default());
    let plain = ("e2e4".to_owned(), "e7e5".to_owned());
    let ask = async |search| slot.search(&engine, &metrics, search).await.unwrap();
    let first = ask(search(Variant::Standard, "")).await;
    assert_eq!(told(&first), (plain.0.clone(), plain.1.clone(), 0), "left alone");
    let styled = ask(styled()).await;
    assert_eq!(told(&styled), ("e2e3".to_owned(), "c7c5".to_owned(), 4));
    assert_eq!(styled.score, Some(Score::Cp(Centipawns(25))));
    assert!(styled.style.unwrap().passed_over().is_some());
    // The personality may change within a game.
    let last = ask(search(Variant::Standard, "")).await;
    assert_eq!(told(&last), (plain.0, plain.1, 1));
    assert_eq!(last.style, None);
}

#[tokio::test]
async fn a_style_chooses_after_a_ponder_hit_too() {
    let (engine, slot, metrics) = (toy(PRINTS_LINES), ExternalSlot::default(), Metrics::default());
    let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
    slot.ponder(&engine, &metrics, styled(), permit);
    let found = slot.search(&engine, &metrics, styled()).await.unwrap();
    assert_eq!(told(&found), ("e2e3".to_owned(), "c7c5".to_owned(), 4));
}

#[tokio::test]
async fn an_owner_s_number_of_lines_comes_first() {
    for (own, mv) in [("1", "e2e4"), ("2", "e2e3")] {
        let engine = Arc::new(config::ExternalEngine {
            options: vec![("multipv".to_owned(), own.to_owned())],
            ..config::ExternalEngine::clone(&toy(PRINTS_LINES))
        });
        assert_eq!(
            ask(&ExternalSlot::default(), &engine, styled()).await.as_deref(),
            Ok(mv)
        );
    }
}

#[tokio::test]
async fn an_engine_of_one_line_plays_its_move_in_every_style() {
    let engine = toy(
        r#""setoption name MultiPV"*) exit;; go*) echo "info depth 9 score cp 1 pv e2e4"; echo "bestmove e2e4";;"#,
    );
    assert_eq!(
        ask(&ExternalSlot::default(), &engine, styled()).await.as_deref(),
        Ok("e2e4")
    );
}
