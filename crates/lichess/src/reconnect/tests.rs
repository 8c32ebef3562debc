use std::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering},
};

use futures::{StreamExt as _, future, stream};
use tokio_util::bytes::Bytes;

use super::*;

fn refused() -> CallError {
    CallError::Transient {
        call: "event stream",
        why: "connection refused".to_owned(),
    }
}

#[tokio::test(start_paused = true)]
async fn f5_an_outage_is_met_with_few_tries_and_ended_soon_after_it_is_over() {
    for outage in [60, 600, 8 * 3600] {
        let begin = Instant::now();
        let tries = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&tries);
        let mut stream = ReconnectingStream::<Event>::mock(
            move || {
                count.fetch_add(1, Ordering::Relaxed);
                async move {
                    if begin.elapsed().as_secs() < outage {
                        return Err(refused());
                    }
                    Ok(NdjsonStream::new(
                        stream::pending().boxed(),
                        Millis::from_secs(15),
                    ))
                }
                .boxed()
            },
            1,
        );
        let mut said = 0;
        while !matches!(stream.next().await, Some(StreamEvent::Opened)) {
            said += 1;
        }
        let late = begin.elapsed().as_secs() - outage;
        assert!(late <= 10, "{late} s after an outage of {outage} s");
        let tries = tries.load(Ordering::Relaxed);
        assert!(u64::from(tries) <= 8 + outage / 5, "{tries} tries in {outage} s");
        assert_eq!(tries, said + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn f3_a_stream_of_a_game_that_opens_to_silence_is_opened_again_before_it_costs_much_of_a_clock() {
    let tries = AtomicU32::new(0);
    let begin = Instant::now();
    let mut stream = ReconnectingStream::<GameEvent>::mock_urgent(
        move || {
            let tries = tries.fetch_add(1, Ordering::Relaxed);
            async move {
                let line = r#"{"type":"opponentGone","gone":false}"#;
                let lines = match tries {
                    // No answer at all; one without a line; and how the game stands.
                    0 => future::pending().await,
                    1 => stream::pending().boxed(),
                    _ => stream::iter([Ok(Bytes::from(format!("{line}\n")))])
                        .chain(stream::pending())
                        .boxed(),
                };
                Ok(NdjsonStream::new(lines, Millis::from_secs(10)))
            }
            .boxed()
        },
        1,
    );
    while !matches!(stream.next().await, Some(StreamEvent::Event { .. })) {}
    let took = begin.elapsed().as_secs_f64();
    assert!((6.0..7.0).contains(&took), "2 s, then 4 s: {took}");
    // After the first line the usual idle time-out holds.
    assert!(matches!(
        stream.next().await,
        Some(StreamEvent::Disconnected { .. })
    ));
    let silence = begin.elapsed().as_secs_f64() - took;
    assert!((9.9..10.1).contains(&silence), "{silence}");
}

/// What a mock server does when a game stream is requested.
#[derive(Clone, Copy)]
enum ServerStep {
    /// Fails.
    Fails,
    /// Answers 429 with so many seconds.
    Limits(u64),
    /// Opens the stream after so long and sends the state.
    Begins(Millis),
    /// Opens the stream and sends nothing.
    Mute,
}

/// A game stream on a server that plays these steps in order and repeats the last. Also the times at which the stream was
/// requested.
fn followed(steps: &'static [ServerStep]) -> (ReconnectingStream<GameEvent>, Arc<Mutex<Vec<Millis>>>) {
    let asked: Arc<Mutex<Vec<Millis>>> = Arc::default();
    let (note, begin) = (Arc::clone(&asked), Instant::now());
    let open = move || {
        let mut asked = note.lock().unwrap();
        let step = steps[asked.len().min(steps.len() - 1)];
        asked.push(begin.elapsed().into());
        async move {
            let line = r#"{"type":"gameState","moves":"","status":"started"}"#;
            let lines = match step {
                ServerStep::Fails => return Err(refused()),
                ServerStep::Limits(secs) => {
                    return Err(CallError::RateLimited {
                        call: "game stream",
                        after: Millis::from_secs(secs),
                        key: None,
                    });
                }
                ServerStep::Begins(after) => {
                    sleep(after.into()).await;
                    stream::iter([Ok(Bytes::from(format!("{line}\n")))])
                        .chain(stream::pending())
                        .boxed()
                }
                ServerStep::Mute => stream::pending().boxed(),
            };
            Ok(NdjsonStream::new(lines, Millis::from_secs(10)))
        }
        .boxed()
    };
    (ReconnectingStream::mock_urgent(open, 1), asked)
}

async fn next_event(stream: &mut ReconnectingStream<GameEvent>) {
    while !matches!(stream.next().await, Some(StreamEvent::Event { .. })) {}
}

#[tokio::test(start_paused = true)]
async fn f3_f5_after_an_outage_a_game_stream_has_no_more_time_than_before() {
    const SOON: Millis = Millis(10);
    let steps: &[ServerStep] = &[
        ServerStep::Fails,
        ServerStep::Fails,
        ServerStep::Fails,
        ServerStep::Fails,
        ServerStep::Fails,
        ServerStep::Fails,
        ServerStep::Begins(SOON),
        ServerStep::Limits(0),
        ServerStep::Mute,
    ];
    let (mut stream, asked) = followed(steps);
    next_event(&mut stream).await;
    sleep(std::time::Duration::from_secs(2)).await;
    let begin = Instant::now();
    stream.reopen();
    assert!(matches!(
        stream.next().await,
        Some(StreamEvent::OpenFailed { tries: 1, .. })
    ));
    assert!(matches!(stream.next().await, Some(StreamEvent::Opened)));
    assert!(matches!(
        stream.next().await,
        Some(StreamEvent::Disconnected { .. })
    ));
    let took = begin.elapsed().as_secs_f64();
    assert!(
        (2.9..3.2).contains(&took),
        "1 s for the limit, 2 s for silence: {took}"
    );
    assert_eq!(asked.lock().unwrap().len(), 9);
}

#[tokio::test(start_paused = true)]
async fn f8_a_game_stream_that_is_to_wait_leaves_most_of_the_clock() {
    const SOON: Millis = Millis(10);
    let steps: &[ServerStep] = &[
        ServerStep::Begins(SOON),
        ServerStep::Limits(60),
        ServerStep::Begins(SOON),
    ];
    for (left, expected) in [(40, 10.0), (2, 1.0), (3600, 60.0)] {
        let (mut stream, _) = followed(steps);
        next_event(&mut stream).await;
        let begin = Instant::now();
        stream.set_flag_deadline(FlagDeadline::FallsAt(
            begin + std::time::Duration::from_secs(left),
        ));
        stream.reopen();
        next_event(&mut stream).await;
        let took = begin.elapsed().as_secs_f64();
        assert!(
            (expected - 0.1..expected + 0.2).contains(&took),
            "{left} s left: {took}"
        );
    }
    // Before the first line the clock is unknown.
    let (mut stream, _) = followed(&[ServerStep::Limits(60), ServerStep::Begins(SOON)]);
    let begin = Instant::now();
    next_event(&mut stream).await;
    assert!(begin.elapsed().as_secs_f64() < 5.2, "{:?}", begin.elapsed());
}

#[tokio::test(start_paused = true)]
async fn f46_a_slow_server_is_given_twice_the_time_that_it_took_last() {
    let (mut stream, asked) = followed(&[ServerStep::Begins(Millis(2500))]);
    next_event(&mut stream).await;
    for _ in 0..3 {
        stream.reopen();
        next_event(&mut stream).await;
    }
    // Only the first attempt timed out.
    assert_eq!(asked.lock().unwrap().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_was_lost_counts_its_tries_from_one() {
    let lives = AtomicU32::new(0);
    let mut stream = ReconnectingStream::<Event>::mock(
        move || {
            let is_first = lives.fetch_add(1, Ordering::Relaxed) == 0;
            async move {
                if is_first {
                    return Ok(NdjsonStream::new(stream::empty().boxed(), Millis::from_secs(15)));
                }
                Err(refused())
            }
            .boxed()
        },
        1,
    );
    assert!(matches!(stream.next().await, Some(StreamEvent::Opened)));
    assert!(matches!(
        stream.next().await,
        Some(StreamEvent::Disconnected { .. })
    ));
    for expected in 1..4 {
        let event = stream.next().await;
        assert!(
            matches!(event, Some(StreamEvent::OpenFailed { tries, .. }) if tries == expected),
            "{event:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn f12_events_that_are_refused_are_asked_for_again_within_a_second_and_then_less_often() {
    let begin = Instant::now();
    let mut stream = ReconnectingStream::<Event>::mock(
        || {
            let shut = CallError::Rejected {
                call: "event stream",
                status: 404,
                message: "Not found".to_owned(),
                ratelimit: None,
            };
            async { Err(shut) }.boxed()
        },
        1,
    );
    let mut asked = Vec::new();
    while begin.elapsed().as_secs() < 1200 {
        assert!(matches!(stream.next().await, Some(StreamEvent::Refused(_))));
        asked.push(begin.elapsed().as_secs_f64());
    }
    assert!(asked[1] <= 1.0, "{asked:?}");
    let gaps: Vec<f64> = asked.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap| *gap <= 60.1), "{gaps:?}");
    assert!(
        (20..60).contains(&asked.len()),
        "{} times in twenty minutes",
        asked.len()
    );
}

#[tokio::test(start_paused = true)]
async fn f6_a_rest_buys_no_more_openings() {
    let silent = || {
        Ok(NdjsonStream::new(
            stream::pending().boxed(),
            Millis::from_secs(7200),
        ))
    };
    let mut stream = ReconnectingStream::<Event>::mock(move || async move { silent() }.boxed(), 1);
    let (begin, mut opened, mut told) = (Instant::now(), Vec::new(), Vec::new());
    while begin.elapsed().as_secs() < 600 {
        match stream.next().await {
            Some(StreamEvent::Opened) => {
                opened.push(begin.elapsed().as_secs());
                stream.pause(Millis::from_secs(5));
            }
            Some(StreamEvent::Throttled(span)) => told.push(span.0 / 1000),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(told, [485], "once, and for how long");
    assert_eq!(opened[..4], [0, 5, 10, 15]);
    assert_eq!(opened[22..], [110, 115, 600], "24 in ten minutes");
}

#[tokio::test(start_paused = true)]
async fn f6_a_server_that_closes_at_once_is_not_opened_more_often_than_it_allows() {
    let opened = Arc::new(Mutex::new(Vec::new()));
    let begin = Instant::now();
    let note = Arc::clone(&opened);
    let mut stream = ReconnectingStream::<Event>::mock(
        move || {
            note.lock().unwrap().push(begin.elapsed().as_secs());
            async { Ok(NdjsonStream::new(stream::empty().boxed(), Millis::from_secs(15))) }.boxed()
        },
        1,
    );
    while begin.elapsed().as_secs() < 3600 {
        stream.next().await.unwrap();
    }
    let opened = opened.lock().unwrap();
    let busiest = opened.iter().map(|at| {
        opened
            .iter()
            .filter(|other| (*at..at + 600).contains(*other))
            .count()
    });
    let busiest = busiest.max().unwrap();
    assert!(
        (10..=25).contains(&busiest),
        "{busiest} openings within ten minutes"
    );
}
