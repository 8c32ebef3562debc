//! lichess' names for how fast a game is.

use std::fmt;

use serde::{Deserialize, Serialize};

use sparring_chess::units::Millis;

/// A class of time controls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Speed {
    /// Under 30 estimated seconds; closed to bots.
    UltraBullet,
    /// Under 3 minutes.
    Bullet,
    /// Under 8 minutes.
    Blitz,
    /// Under 25 minutes.
    Rapid,
    /// Under 6 hours.
    Classical,
    /// Days, or no clock at all.
    Correspondence,
}

impl Speed {
    /// Every speed, fastest first.
    pub const ALL: [Self; 6] = [
        Self::UltraBullet,
        Self::Bullet,
        Self::Blitz,
        Self::Rapid,
        Self::Classical,
        Self::Correspondence,
    ];

    /// The speed of a clock: lichess estimates a game at 40 moves, so `limit + 40 * increment`.
    #[must_use]
    pub fn of_clock(limit: Millis, increment: Millis) -> Self {
        match limit.0.saturating_add(increment.0.saturating_mul(40)) / 1000 {
            0..30 => Self::UltraBullet,
            30..180 => Self::Bullet,
            180..480 => Self::Blitz,
            480..1500 => Self::Rapid,
            1500..21_600 => Self::Classical,
            21_600.. => Self::Correspondence,
        }
    }

    /// The key on the wire, as in `ultraBullet`; also the key of the rating that counts.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::UltraBullet => "ultraBullet",
            Self::Bullet => "bullet",
            Self::Blitz => "blitz",
            Self::Rapid => "rapid",
            Self::Classical => "classical",
            Self::Correspondence => "correspondence",
        }
    }

    /// The name for people, as in `UltraBullet`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::UltraBullet => "UltraBullet",
            Self::Bullet => "Bullet",
            Self::Blitz => "Blitz",
            Self::Rapid => "Rapid",
            Self::Classical => "Classical",
            Self::Correspondence => "Correspondence",
        }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_follow_lichess_estimate() {
        let speed =
            |limit, increment| Speed::of_clock(Millis::from_secs(limit), Millis::from_secs(increment));
        assert_eq!(speed(15, 0), Speed::UltraBullet);
        assert_eq!(speed(0, 1), Speed::Bullet);
        assert_eq!(speed(60, 1), Speed::Bullet);
        assert_eq!(speed(180, 0), Speed::Blitz);
        assert_eq!(speed(180, 2), Speed::Blitz);
        assert_eq!(speed(480, 0), Speed::Rapid);
        assert_eq!(speed(1500, 0), Speed::Classical);
        assert_eq!(speed(21_600, 0), Speed::Correspondence);
    }
}
