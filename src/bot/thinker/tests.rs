//! Seats, deadlines, stops and hung searches.

use super::*;
use crate::chess::{GameLine, Variant};

fn search(limits: Limits) -> Search {
    Search::new(GameLine::new(Variant::Standard), limits)
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(5)
}

#[tokio::test]
async fn searches_come_back_with_a_move() {
    let thinker = Thinker::new(1).unwrap();
    let table = Table::new(1);
    let limits = Limits {
        nodes: Some(Nodes(500)),
        ..Limits::default()
    };
    for _ in 0..3 {
        let report = thinker.search(&table, search(limits), soon()).await.unwrap();
        assert!(report.best().is_some());
    }
}

#[tokio::test]
async fn a_dropped_future_frees_its_seat() {
    let thinker = Thinker::new(1).unwrap();
    let table = Table::new(1);
    let endless = thinker.search(&table, search(Limits::default()), soon());
    let _ = tokio::time::timeout(Duration::from_millis(20), endless).await;
    let limits = Limits {
        nodes: Some(Nodes(500)),
        ..Limits::default()
    };
    let next = thinker.search(&table, search(limits), soon());
    let report = tokio::time::timeout(Duration::from_secs(10), next).await;
    assert!(report.expect("the seat was never freed").is_some());
}

#[tokio::test]
async fn a_search_with_time_gives_way_to_an_urgent_one_and_goes_on() {
    let thinker = Thinker::new(1).unwrap();
    let (long, short) = (Table::new(1), Table::new(1));
    let an_hour = Limits {
        hard: Some(Millis::from_secs(3600)),
        ..Limits::default()
    };
    let patient = thinker.search(&long, search(an_hour), Instant::now() + Duration::from_secs(3600));
    tokio::pin!(patient);
    let few = Limits {
        nodes: Some(Nodes(500)),
        ..Limits::default()
    };
    for _ in 0..3 {
        let urgent = async {
            // The patient one has the seat by now, or gets it first.
            tokio::task::yield_now().await;
            thinker.search(&short, search(few), soon()).await
        };
        tokio::select! {
            _ = &mut patient => panic!("it has an hour"),
            report = tokio::time::timeout(Duration::from_secs(10), urgent) => {
                assert!(report.expect("the urgent search got no seat").is_some());
            }
        }
    }
}

#[tokio::test]
async fn a_move_that_must_be_out_is_looked_at_even_without_a_seat() {
    let thinker = Thinker::new(1).unwrap();
    let (long, short) = (Table::new(1), Table::new(1));
    // It cannot pause, and nothing ends it.
    let whole = Limits {
        nodes: Some(Nodes(u64::MAX)),
        ..Limits::default()
    };
    let now = Limits {
        hard: Some(Millis(1)),
        ..Limits::default()
    };
    let blocking = thinker.search(&long, search(whole), soon());
    let late = async {
        tokio::task::yield_now().await;
        thinker.search(&short, search(now), soon()).await
    };
    tokio::select! {
        _ = blocking => panic!("it has no end"),
        report = late => assert!(report.unwrap().best().is_some()),
    }
}

#[tokio::test]
async fn a_search_that_hangs_loses_its_seat_and_costs_no_other_game() {
    let thinker = Thinker::new(1).unwrap();
    let (stuck, other) = (Table::new(1), Table::new(1));
    // Whoever searches with this engine waits for ever.
    let (tell, told) = std::sync::mpsc::channel();
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let engine = stuck.engine();
    let holder = thread::spawn(move || {
        let _held = engine.lock().unwrap();
        tell.send(()).unwrap();
        let _ = ended.recv(); // the test is over
    });
    told.recv().unwrap();
    let now = Limits {
        hard: Some(Millis(10)),
        ..Limits::default()
    };
    let report = thinker.search(&stuck, search(now), soon()).await;
    assert!(report.unwrap().best().is_some(), "a look outside the seats");
    // This one has all the time, but the only seat is taken.
    let few = Limits {
        nodes: Some(Nodes(500)),
        ..Limits::default()
    };
    for table in [&other, &stuck] {
        let next = thinker.search(table, search(few), soon());
        let report = tokio::time::timeout(Duration::from_secs(20), next).await;
        assert!(report.expect("the seat was never free").is_some());
    }
    drop(end);
    holder.join().unwrap();
}

#[test]
fn the_threads_end_with_the_last_handle() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let _guard = runtime.enter();
    let thinker = Thinker::new(2).unwrap();
    let room = Arc::downgrade(&thinker.0.0);
    drop(thinker);
    let begin = std::time::Instant::now();
    while room.strong_count() > 0 {
        assert!(
            begin.elapsed() < Duration::from_secs(10),
            "engine threads live on"
        );
        thread::yield_now();
    }
}
