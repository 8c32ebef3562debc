//! Threads, deadlines, stops and hung searches.

use futures::{FutureExt as _, future::select_all};

use super::*;
use sparring_chess::{GameHistory, Variant, units::Depth};

fn search(limits: Limits) -> SearchRequest {
    SearchRequest::new(GameHistory::new(Variant::Standard), limits)
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(5)
}

#[tokio::test]
async fn searches_come_back_with_a_move() {
    let pool = EnginePool::new(1, 1).unwrap();
    let slot = EngineSlot::default();
    let limits = Limits {
        nodes: Some(Nodes(500)),
        ..Limits::default()
    };
    for _ in 0..3 {
        let report = pool.search(&slot, search(limits), soon()).await.unwrap();
        assert!(report.best().is_some());
    }
}

#[tokio::test]
async fn a_dropped_future_frees_its_thread() {
    let pool = EnginePool::new(1, 1).unwrap();
    let slot = EngineSlot::default();
    let endless = pool.search(&slot, search(Limits::default()), soon());
    let _ = tokio::time::timeout(Duration::from_millis(20), endless).await;
    let limits = Limits {
        nodes: Some(Nodes(500)),
        ..Limits::default()
    };
    let next = pool.search(&slot, search(limits), soon());
    let report = tokio::time::timeout(Duration::from_secs(10), next).await;
    assert!(report.expect("the thread was never freed").is_some());
}

#[tokio::test]
async fn a_search_with_time_gives_way_to_an_urgent_one_and_goes_on() {
    let pool = EnginePool::new(1, 1).unwrap();
    let (long, short) = (EngineSlot::default(), EngineSlot::default());
    let an_hour = Limits {
        hard: Some(Millis::from_secs(3600)),
        ..Limits::default()
    };
    let patient = pool.search(&long, search(an_hour), Instant::now() + Duration::from_secs(3600));
    tokio::pin!(patient);
    let few = Limits {
        nodes: Some(Nodes(500)),
        ..Limits::default()
    };
    for _ in 0..3 {
        let urgent = async {
            // The patient one has the thread by now, or gets it first.
            tokio::task::yield_now().await;
            pool.search(&short, search(few), soon()).await
        };
        tokio::select! {
            _ = &mut patient => panic!("it has an hour"),
            report = tokio::time::timeout(Duration::from_secs(10), urgent) => {
                assert!(report.expect("the urgent search got no thread").is_some());
            }
        }
    }
}

#[tokio::test]
async fn a_move_that_must_be_sent_is_searched_even_without_a_thread() {
    let pool = EnginePool::new(1, 1).unwrap();
    let (long, short) = (EngineSlot::default(), EngineSlot::default());
    // It cannot pause, and nothing ends it.
    let whole = Limits {
        nodes: Some(Nodes(u64::MAX)),
        ..Limits::default()
    };
    let now = Limits {
        hard: Some(Millis(1)),
        ..Limits::default()
    };
    let blocking = pool.search(&long, search(whole), soon());
    let late = async {
        tokio::task::yield_now().await;
        pool.search(&short, search(now), soon()).await
    };
    tokio::select! {
        _ = blocking => panic!("it has no end"),
        report = late => assert!(report.unwrap().best().is_some()),
    }
}

#[tokio::test]
async fn a_search_that_hangs_loses_its_thread_and_costs_no_other_game() {
    let pool = EnginePool::new(1, 1).unwrap();
    let (stuck, other) = (EngineSlot::default(), EngineSlot::default());
    // Whoever searches with this engine waits for ever.
    let (tell, told) = std::sync::mpsc::channel();
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let lender = stuck.clone();
    let holder = thread::spawn(move || {
        let _loan = lender.lend(1);
        tell.send(()).unwrap();
        let _ = ended.recv(); // the test is over
    });
    told.recv().unwrap();
    let now = Limits {
        hard: Some(Millis(10)),
        ..Limits::default()
    };
    let report = pool.search(&stuck, search(now), soon()).await;
    assert!(report.unwrap().best().is_some(), "a search outside the pool");
    // This one has all the time, but the only thread is taken.
    let few = Limits {
        nodes: Some(Nodes(500)),
        ..Limits::default()
    };
    for slot in [&other, &stuck] {
        let next = pool.search(slot, search(few), soon());
        let report = tokio::time::timeout(Duration::from_secs(20), next).await;
        assert!(report.expect("the thread was never free").is_some());
    }
    drop(end);
    holder.join().unwrap();
}

#[tokio::test]
async fn f37_one_of_a_crowd_of_searches_takes_only_its_share() {
    const CROWD: usize = 300;
    let pool = EnginePool::new(1, 1).unwrap();
    let slot = EngineSlot::default();
    // It keeps the thread until the whole crowd is there.
    let whole = Limits {
        nodes: Some(Nodes(u64::MAX)),
        ..Limits::default()
    };
    let mut blocking = Box::pin(pool.search(&slot, search(whole), Instant::now()));
    assert!((&mut blocking).now_or_never().is_none());
    // Alone it would take most of a minute, and one of three hundred has a fifth of a second.
    let a_minute = Limits {
        soft: Some(Millis::from_secs(60)),
        ..Limits::default()
    };
    let crowd = (0..CROWD).map(|_| pool.search(&slot, search(a_minute), soon()).boxed());
    let mut first = select_all(crowd);
    assert!((&mut first).now_or_never().is_none());
    drop(blocking);
    let first = tokio::time::timeout(Duration::from_secs(20), first).await;
    let (report, ..) = first.expect("it took the time of one alone");
    assert!(report.unwrap().best().is_some());
}

/// How nice the thread of this process that is called so is to others, if there is one.
#[cfg(target_os = "linux")]
fn niceness(name: &str) -> Option<i32> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    tasks.flatten().find_map(|task| {
        // Threads of other tests end meanwhile.
        let stat = std::fs::read_to_string(task.path().join("stat")).ok()?;
        let (head, fields) = stat.rsplit_once(") ")?;
        let (_, command) = head.split_once('(')?;
        // proc(5): the state is field 3 and the nice value field 19.
        let nice = fields.split(' ').nth(16).unwrap().parse().unwrap();
        (command == name).then_some(nice)
    })
}

#[cfg(target_os = "linux")]
#[test]
fn the_engine_gives_way_to_everything_else_in_the_program() {
    const THREADS: usize = 23;
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    let own: i32 = fields.split(' ').nth(16).unwrap().parse().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let _guard = runtime.enter();
    let _pool = EnginePool::new(THREADS, 1).unwrap();
    // No other test has so many threads, so this thread is ours. It steps back as soon as it runs.
    let last = format!("engine-{}", THREADS - 1);
    let begin = std::time::Instant::now();
    // Nobody can be nicer than 19.
    while niceness(&last).is_none_or(|nice| nice <= own.min(18)) {
        assert!(
            begin.elapsed() < Duration::from_secs(10),
            "{last} is as urgent as the network: {:?}, {own}",
            niceness(&last)
        );
        thread::yield_now();
    }
}

#[test]
fn the_threads_end_with_the_last_handle() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let _guard = runtime.enter();
    let pool = EnginePool::new(2, 1).unwrap();
    let inner = Arc::downgrade(&pool.0.0);
    drop(pool);
    let begin = std::time::Instant::now();
    while inner.strong_count() > 0 {
        assert!(
            begin.elapsed() < Duration::from_secs(10),
            "engine threads live on"
        );
        thread::yield_now();
    }
}

#[tokio::test]
async fn pondering_fills_the_table_and_gives_way() {
    let pool = EnginePool::new(1, 1).unwrap();
    let to_depth = |depth| Limits {
        depth: Some(Depth(depth)),
        ..Limits::default()
    };
    let (warm, cold) = (EngineSlot::default(), EngineSlot::default());
    // By depth it ends by itself.
    let minute = Millis::from_secs(60);
    pool.ponder(&warm, search(to_depth(9)), minute).await;
    let warm = pool.search(&warm, search(to_depth(9)), soon()).await.unwrap();
    let other = EngineSlot::default();
    let endless = pool.ponder(&other, search(Limits::default()), minute);
    tokio::pin!(endless);
    let fresh = pool.search(&cold, search(to_depth(9)), soon());
    let fresh = tokio::select! {
        () = &mut endless => panic!("it ponders for a minute"),
        fresh = fresh => fresh.unwrap(),
    };
    assert!(warm.nodes.0 < fresh.nodes.0, "{} {}", warm.nodes.0, fresh.nodes.0);
}
