//! Retries of calls that must arrive, since nothing else repeats them.

use rand::rngs::ChaCha8Rng;
use tokio::time::sleep;

use sparring_chess::units::Millis;
use sparring_lichess::{CallError, retry::Backoff};

/// First backoff; doubles each time.
pub(in crate::bot) const SOON: Millis = Millis(500);
/// Longest backoff.
pub(in crate::bot) const SELDOM: Millis = Millis::from_secs(5);
/// Most attempts: together about the lifetime of a challenge.
pub(in crate::bot) const MOST: u32 = 6;

/// The backoff between attempts.
pub(in crate::bot) fn patience() -> Backoff {
    Backoff::new(SOON, SELDOM)
}

/// Repeats a call until it is answered, at most [`MOST`] times.
pub(in crate::bot) async fn retry_until_answered<F>(
    mut rng: ChaCha8Rng,
    call: impl Fn() -> F,
) -> Result<(), CallError>
where
    F: Future<Output = Result<(), CallError>>,
{
    let mut patience = patience();
    loop {
        match call().await {
            Err(CallError::Transient { .. }) if patience.failures() < MOST => {
                sleep(patience.next(&mut rng).into()).await;
            }
            answer => return answer,
        }
    }
}
