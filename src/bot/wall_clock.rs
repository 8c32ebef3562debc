//! The time of day, for dates and days only; durations come from tokio's clock.

use std::time::SystemTime;

use sparring_chess::units::Millis;

/// The time of the world since 1970: for dates alone, since it may be set at any moment.
pub(in crate::bot) fn epoch() -> Millis {
    Millis::since_1970(SystemTime::now())
}
