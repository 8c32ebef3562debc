//! Two programs with one token: lichess keeps one event stream, so each ends the other's. Pure.

use crate::{lichess::Lost, units::Millis};

/// A stream that its server closes at once is the server's own trouble: a rival needs time to notice and come back.
const SHORTEST: Millis = Millis(100);
/// A stream that lived longer was no victim.
const LONGEST: Millis = Millis::from_secs(15);
/// So many in a row are no accident.
const ENOUGH: u32 = 12;

/// Counts streams that ended as if somebody else had taken them over.
#[derive(Debug, Default)]
pub(super) struct Duel {
    in_a_row: u32,
}

impl Duel {
    /// Notes the end of a stream, and says whether it must be a duel.
    pub(super) fn is_on(&mut self, why: &Lost, lived: Millis) -> bool {
        let suspicious = *why == Lost::Closed && (SHORTEST..LONGEST).contains(&lived);
        self.in_a_row = if suspicious { self.in_a_row + 1 } else { 0 };
        self.in_a_row >= ENOUGH
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use futures::{FutureExt as _, StreamExt as _, future::BoxFuture, stream};
    use tokio::{sync::mpsc, time::Instant};
    use tokio_util::bytes::Bytes;

    use super::*;
    use crate::lichess::{CallError, Follower, Lines, News, model::Event};

    #[test]
    fn f7_streams_taken_over_again_and_again_are_a_duel() {
        let mut duel = Duel::default();
        for _ in 1..ENOUGH {
            assert!(!duel.is_on(&Lost::Closed, Millis(900)));
        }
        assert!(duel.is_on(&Lost::Closed, Millis(900)));
    }

    /// The feeding end of a stream; it ends when this is dropped.
    type Feed = mpsc::UnboundedSender<Result<Bytes, String>>;

    /// A server that keeps one stream: the newest.
    fn jealous() -> impl Fn() -> BoxFuture<'static, Result<Lines<Event>, CallError>> + Clone {
        let newest: Arc<Mutex<Option<Feed>>> = Arc::default();
        move || {
            let (keep, chunks) = mpsc::unbounded_channel();
            *newest.lock().unwrap() = Some(keep);
            let chunks = stream::unfold(chunks, |mut chunks| async {
                chunks.recv().await.map(|chunk| (chunk, chunks))
            });
            async { Ok(Lines::new(chunks.boxed(), Millis::from_secs(15))) }.boxed()
        }
    }

    /// Follows until it must be a duel.
    async fn fights(mut follower: Follower<Event>) {
        let mut duel = Duel::default();
        while let Some(news) = follower.next().await {
            if let News::Lost { why, lived } = news
                && duel.is_on(&why, lived)
            {
                return;
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn f7_f45_two_programs_with_one_token_find_out_and_one_of_them_stays() {
        let server = jealous();
        let begin = Instant::now();
        let fight = |seed| fights(Follower::pretended(server.clone(), seed));
        tokio::select! {
            () = fight(1) => {}
            () = fight(2) => {}
        }
        // One has left; nobody ends the other's stream any more.
        let spent = begin.elapsed().as_secs();
        assert!((5..300).contains(&spent), "{spent} s");
    }

    #[test]
    fn f6_f7_a_server_in_trouble_is_no_rival() {
        let mut duel = Duel::default();
        for _ in 0..100 {
            assert!(!duel.is_on(&Lost::Closed, Millis(3)), "closed at once");
            assert!(!duel.is_on(&Lost::Broken("reset".into()), Millis(900)));
            assert!(!duel.is_on(&Lost::Closed, Millis::from_secs(60)));
        }
    }
}
