//! Time controls, as typed on the command line.

use std::{fmt, num::NonZeroU32, str::FromStr};

use thiserror::Error;

use sparring_chess::units::{Depth, Millis, Nodes};
use sparring_uci_client::{Clocks, GoLimits};

/// A limit for each move or for the whole game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeControl {
    /// A clock with an increment: `10+0.1`, `10`, or `40/10+0.1` where each forty moves get the ten seconds anew.
    Clock {
        /// After how many moves each side gets its base time again; none for never.
        moves: Option<NonZeroU32>,
        /// The base time.
        base: Millis,
        /// The increment.
        increment: Millis,
    },
    /// `movetime=100`, in milliseconds.
    MoveTime(Millis),
    /// `nodes=5000`.
    Nodes(Nodes),
    /// `depth=8`.
    Depth(Depth),
}

/// Text that is no time control.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "\"{0}\" is no time control: write 10+0.1 (seconds), 40/10+0.1 (so for each 40 moves), movetime=100 (milliseconds), \
     nodes=5000 or depth=8"
)]
pub struct BadTimeControl(String);

impl TimeControl {
    /// The limits of a move at these clocks.
    pub(crate) fn limits(self, clocks: Clocks) -> GoLimits {
        let none = GoLimits::default();
        match self {
            Self::Clock { .. } => GoLimits {
                clocks: Some(clocks),
                ..none
            },
            Self::MoveTime(time) => GoLimits {
                move_time: Some(time),
                ..none
            },
            Self::Nodes(nodes) => GoLimits {
                nodes: Some(nodes),
                ..none
            },
            Self::Depth(depth) => GoLimits {
                depth: Some(depth),
                ..none
            },
        }
    }
}

impl FromStr for TimeControl {
    type Err = BadTimeControl;

    fn from_str(text: &str) -> Result<Self, BadTimeControl> {
        let bad = || BadTimeControl(text.to_owned());
        if let Some((key, value)) = text.split_once('=') {
            let value: u64 = value.parse().map_err(|_| bad())?;
            return match key {
                _ if value == 0 => Err(bad()),
                "movetime" => Ok(Self::MoveTime(Millis(value))),
                "nodes" => Ok(Self::Nodes(Nodes(value))),
                "depth" => u32::try_from(value)
                    .map(|depth| Self::Depth(Depth(depth)))
                    .map_err(|_| bad()),
                _ => Err(bad()),
            };
        }
        let seconds = |text: &str| -> Result<Millis, BadTimeControl> {
            let value: f64 = text.parse().map_err(|_| bad())?;
            // A day is more than any match needs, and keeps the arithmetic far from its limits.
            if (0.0..=86_400.0).contains(&value) {
                Ok(Millis((value * 1000.0).round() as u64))
            } else {
                Err(bad())
            }
        };
        let (moves, time) = match text.split_once('/') {
            Some((moves, time)) => (Some(moves.parse().map_err(|_| bad())?), time),
            None => (None, text),
        };
        let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
        let (base, increment) = (seconds(base)?, seconds(increment)?);
        if base == Millis::ZERO {
            Err(bad())
        } else {
            Ok(Self::Clock {
                moves,
                base,
                increment,
            })
        }
    }
}

impl TimeControl {
    /// Whether it limits time, so that an engine that does not answer oversteps it.
    #[must_use]
    pub fn is_timed(self) -> bool {
        matches!(self, Self::Clock { .. } | Self::MoveTime(_))
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clock {
                moves,
                base,
                increment,
            } => {
                if let Some(moves) = moves {
                    write!(f, "{moves}/")?;
                }
                write!(f, "{}+{}", base.as_secs_f64(), increment.as_secs_f64())
            }
            Self::MoveTime(time) => write!(f, "movetime={}", time.0),
            Self::Nodes(nodes) => write!(f, "nodes={}", nodes.0),
            Self::Depth(depth) => write!(f, "depth={}", depth.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_reads_back() {
        for text in [
            "10+0.1",
            "1+0.01",
            "60+0",
            "40/10+0.1",
            "movetime=100",
            "nodes=5000",
            "depth=8",
        ] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        assert_eq!("5".parse::<TimeControl>().unwrap().to_string(), "5+0");
        for text in [
            "", "0+1", "-1+0", "nodes=0", "speed=5", "10+x", "nan", "0/10", "/10", "x/10+1", "40/",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }
}
