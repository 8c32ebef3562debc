//! Detects a second program with the same token: lichess keeps one event stream, so each ends the other's.
//! No IO.

use sparring_chess::units::Millis;
use sparring_lichess::StreamEnd;

/// A shorter stream is the server's own problem: another program needs time to reconnect, at least 50 ms on the same machine.
const SHORTEST: Millis = Millis(20);
/// A longer stream was not taken over.
const LONGEST: Millis = Millis::from_secs(15);
/// How many takeovers in a row prove a conflict.
const ENOUGH: u32 = 12;

/// How many prove it again after a pause.
const ENOUGH_AGAIN: u32 = 2;
/// The first pause; each further one doubles.
const FIRST_TRUCE: Millis = Millis::from_secs(30);
/// Longest pause: the cause may also be a server that closes its streams.
const LONGEST_TRUCE: Millis = Millis::from_secs(600);

/// Counts streams that ended as if another program had taken them over. A server that closes its streams looks the same, so the daemon
/// only pauses and does not exit.
#[derive(Debug, Default)]
pub(in crate::bot) struct ConflictDetector {
    in_a_row: u32,
    truces: u32,
}

impl ConflictDetector {
    /// Records the end of a stream. In a conflict, returns how long to leave the stream to the other program.
    pub(in crate::bot) fn backoff(&mut self, why: &StreamEnd, lived: Millis) -> Option<Millis> {
        if *why == StreamEnd::Closed && lived < SHORTEST {
            // No evidence either way: another program that reconnects at once also causes such short streams.
            return None;
        }
        let suspicious = *why == StreamEnd::Closed && lived < LONGEST;
        if !suspicious {
            self.in_a_row = 0;
            if lived >= LONGEST {
                self.truces = 0;
            }
            return None;
        }
        self.in_a_row += 1;
        let enough = if self.truces == 0 { ENOUGH } else { ENOUGH_AGAIN };
        if self.in_a_row < enough {
            return None;
        }
        let truce = Millis(FIRST_TRUCE.0 << self.truces.min(10)).min(LONGEST_TRUCE);
        self.in_a_row = 0;
        self.truces = self.truces.saturating_add(1);
        Some(truce)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use futures::{FutureExt as _, StreamExt as _, future::BoxFuture, stream};
    use tokio::{sync::mpsc, time::sleep};
    use tokio_util::bytes::Bytes;

    use super::*;
    use sparring_lichess::{CallError, NdjsonStream, ReconnectingStream, StreamEvent, model::Event};

    #[test]
    fn f7_streams_taken_over_again_and_again_are_a_duel() {
        let mut duel = ConflictDetector::default();
        let mut truces = Vec::new();
        for taken in 1..=30 {
            let truce = duel.backoff(&StreamEnd::Closed, Millis(900));
            truces.extend(truce.map(|truce| (taken, truce.0 / 1000)));
        }
        assert_eq!(truces[..4], [(12, 30), (14, 60), (16, 120), (18, 240)]);
        assert!(truces.iter().all(|(_, secs)| *secs <= 600), "{truces:?}");
        assert_eq!(duel.backoff(&StreamEnd::Closed, Millis::from_secs(60)), None);
        for _ in 1..ENOUGH {
            let truce = duel.backoff(&StreamEnd::Closed, Millis(900));
            assert_eq!(truce, None, "a long life makes good for all");
        }
    }

    #[test]
    fn f7_a_rival_that_comes_back_at_once_is_one_too() {
        let mut duel = ConflictDetector::default();
        let lives = [60, 84, 15, 66].into_iter().cycle().map(Millis);
        let taken = lives
            .take(24)
            .position(|lived| duel.backoff(&StreamEnd::Closed, lived).is_some());
        assert_eq!(
            taken,
            Some(15),
            "what says nothing does not count, and forgives nothing"
        );
    }

    /// The feeding end of a stream; it ends when this is dropped.
    type Feed = mpsc::UnboundedSender<Result<Bytes, String>>;

    /// A server that keeps one stream: the newest.
    fn jealous() -> impl Fn() -> BoxFuture<'static, Result<NdjsonStream<Event>, CallError>> + Clone {
        let newest: Arc<Mutex<Option<Feed>>> = Arc::default();
        move || {
            let (keep, chunks) = mpsc::unbounded_channel();
            *newest.lock().unwrap() = Some(keep);
            let chunks = stream::unfold(chunks, |mut chunks| async {
                chunks.recv().await.map(|chunk| (chunk, chunks))
            });
            // Instead of keep-alives, silence does not matter here.
            async { Ok(NdjsonStream::new(chunks.boxed(), Millis::from_secs(7200))) }.boxed()
        }
    }

    /// Follows the stream and gives way as the daemon does. Notes the lives of its streams.
    async fn fights<S>(server: S, seed: u64, lives: &Mutex<Vec<Millis>>)
    where
        S: Fn() -> BoxFuture<'static, Result<NdjsonStream<Event>, CallError>> + Clone + Send + Sync + 'static,
    {
        let mut duel = ConflictDetector::default();
        loop {
            let mut follower = ReconnectingStream::mock(server.clone(), seed);
            let truce = loop {
                let Some(StreamEvent::Disconnected { why, open_for: lived }) = follower.next().await else {
                    continue;
                };
                lives.lock().unwrap().push(lived);
                if let Some(truce) = duel.backoff(&why, lived) {
                    break truce;
                }
            };
            drop(follower);
            sleep(truce.scaled(1.0 + 0.1 * seed as f64).into()).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn f7_f45_two_programs_with_one_token_give_way_to_each_other_and_neither_ends() {
        let server = jealous();
        let lives = Mutex::default();
        let hour = tokio::time::timeout(std::time::Duration::from_secs(3600), async {
            tokio::join!(fights(server.clone(), 1, &lives), fights(server, 2, &lives))
        });
        assert!(hour.await.is_err(), "neither ends");
        let lives = lives.into_inner().unwrap();
        // Left to themselves they would open the stream 24 times in ten minutes each.
        assert!(
            (20..100).contains(&lives.len()),
            "{} streams were taken over",
            lives.len()
        );
        let held: u64 = lives.iter().map(|life| life.0 / 1000).sum();
        assert!(
            held > 3600 / 2,
            "somebody held the stream for {held} s of an hour"
        );
    }

    #[test]
    fn f6_f7_a_server_in_trouble_is_no_rival() {
        let mut duel = ConflictDetector::default();
        for _ in 0..100 {
            let truces = [
                duel.backoff(&StreamEnd::Closed, Millis(3)),
                duel.backoff(&StreamEnd::Broken("reset".into()), Millis(900)),
                duel.backoff(&StreamEnd::Closed, Millis::from_secs(60)),
            ];
            assert_eq!(truces, [None; 3]);
        }
    }
}
