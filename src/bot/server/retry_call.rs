//! Retries of calls that must arrive, since nothing else repeats them.

use rand::rngs::ChaCha8Rng;
use tokio::time::sleep;

use sparring_chess::units::Millis;
use sparring_lichess::{CallError, retry::Backoff};

/// What got lost is sent again after about this time at first, and after twice as long each time.
pub(in crate::bot) const SOON: Millis = Millis(500);
/// And no less often than this.
pub(in crate::bot) const SELDOM: Millis = Millis::from_secs(5);
/// So often at most: for about as long as a challenge lives that nobody keeps alive.
pub(in crate::bot) const MOST: u32 = 6;

/// The pauses between the tries.
pub(in crate::bot) fn patience() -> Backoff {
    Backoff::new(SOON, SELDOM)
}

/// Makes a call until it is answered, or has got lost too often.
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
