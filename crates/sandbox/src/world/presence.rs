//! Absence of players, and when the opponent may claim the game.

use sparring_chess::{Color, Position, Rules as _, material, units::Millis};
use sparring_lichess::model::Speed;

/// Announcements of an absence come this far apart, and the first this late.
const STEP: Millis = Millis(5_000);

/// A bot counts as gone when its stream is closed for this long.
const BOT_GRACE: Millis = Millis(1_000);

/// An absence is announced only if the absent side's clock outlasts the wait by this much: otherwise the flag is
/// the quicker way.
const CLOCK_MARGIN: Millis = Millis(3_000);

/// One player's presence in one game.
#[derive(Debug, Clone)]
pub struct AbsenceTimer {
    is_bot: bool,
    streams: u32,
    /// Since when he is away; the start of the game, if he was never there.
    away_since: Millis,
    /// From when the wait is counted. lichess knows bots only by their streams and counts from the game's start.
    counted_from: Millis,
    announced_at: Option<Millis>,
    /// Whether `claimWinInSeconds: 0` was announced to the opponent.
    claimable: bool,
}

/// Announcement of an absence to the opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absence {
    /// Whole seconds until the game can be claimed; 0 is now.
    pub claim_in_seconds: u32,
}

impl AbsenceTimer {
    /// A player who has not come to the board yet.
    #[must_use]
    pub fn new(is_bot: bool, now: Millis) -> Self {
        Self {
            is_bot,
            streams: 0,
            away_since: now,
            counted_from: now,
            announced_at: None,
            claimable: false,
        }
    }

    /// Opened a stream of the game. Returns whether the return must be announced, because the absence was.
    pub fn came(&mut self) -> bool {
        self.streams += 1;
        self.announced_at = None;
        std::mem::take(&mut self.claimable)
    }

    /// Closed a stream of the game.
    pub fn left(&mut self, now: Millis) {
        self.streams = self.streams.saturating_sub(1);
        if self.streams == 0 {
            self.away_since = now;
            if !self.is_bot {
                self.counted_from = now;
            }
        }
    }

    /// Made a move. Without a stream he is away again from then on, but nothing can be claimed for what was before.
    pub fn moved(&mut self, now: Millis) {
        if self.streams > 0 {
            return;
        }
        self.away_since = now;
        if !self.is_bot {
            self.counted_from = now;
        }
        self.announced_at = None;
        self.claimable = false;
    }

    /// Whether the opponent may claim now.
    #[must_use]
    pub fn is_claimable(&self) -> bool {
        self.claimable
    }

    /// When the next announcement is due, if he stays away.
    #[must_use]
    pub fn due_at(&self) -> Option<Millis> {
        if self.streams > 0 {
            return None;
        }
        let first = self.away_since + if self.is_bot { BOT_GRACE } else { STEP };
        Some(self.announced_at.map_or(first, |last| last + STEP))
    }

    /// The announcement due at `now`, if the clock outlasts the wait.
    pub fn announce(&mut self, wait: Millis, clock: Millis, now: Millis) -> Option<Absence> {
        self.announced_at = Some(now);
        let rest = wait - (now - self.counted_from);
        if clock < rest + CLOCK_MARGIN {
            return None;
        }
        self.claimable = rest == Millis::ZERO;
        Some(Absence {
            claim_in_seconds: u32::try_from(rest.0.div_ceil(1000)).unwrap_or(u32::MAX),
        })
    }
}

/// How long an absent side may stay away: longer in slow games, shorter when it is losing. `balance` is the
/// material in pawns, positive when `absent` is ahead.
#[must_use]
pub fn leave_time(speed: Speed, balance: i32) -> Millis {
    let base = match speed {
        Speed::UltraBullet | Speed::Bullet | Speed::Blitz => 40_000,
        Speed::Rapid => 80_000,
        Speed::Classical | Speed::Correspondence => 120_000,
    };
    let wait = if balance <= -4 { base / 3 } else { base };
    Millis(wait.max(10_000))
}

/// Material of a side less that of the other, in pawns.
#[must_use]
pub fn material_balance(pos: &Position, color: Color) -> i32 {
    material(pos.board(), color) - material(pos.board(), !color)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLENTY: Millis = Millis(300_000);

    #[test]
    fn an_absence_is_counted_down_in_steps_of_five_seconds() {
        let mut presence = AbsenceTimer::new(false, Millis::ZERO);
        presence.came();
        assert_eq!(presence.due_at(), None);
        presence.left(Millis(100_000));
        let wait = leave_time(Speed::Blitz, 0);
        let mut said = Vec::new();
        while !presence.is_claimable() {
            let due = presence.due_at().unwrap();
            said.push(presence.announce(wait, PLENTY, due).unwrap().claim_in_seconds);
        }
        assert_eq!(said, [35, 30, 25, 20, 15, 10, 5, 0]);
        assert!(presence.came(), "the return is announced to the opponent");
        assert!(!presence.is_claimable());
    }

    #[test]
    fn a_return_before_the_countdown_ends_is_not_announced() {
        let mut presence = AbsenceTimer::new(false, Millis::ZERO);
        presence.announce(Millis(40_000), PLENTY, Millis(5_000));
        assert!(!presence.came());
    }

    #[test]
    fn a_bot_that_drops_its_stream_late_in_a_game_is_claimable_at_once() {
        let mut presence = AbsenceTimer::new(true, Millis::ZERO);
        presence.came();
        presence.left(Millis(60_000));
        assert_eq!(presence.due_at(), Some(Millis(61_000)));
        let absence = presence.announce(Millis(40_000), PLENTY, Millis(61_000));
        assert_eq!(absence, Some(Absence { claim_in_seconds: 0 }));
    }

    #[test]
    fn nothing_is_said_when_the_flag_falls_sooner() {
        let mut presence = AbsenceTimer::new(false, Millis::ZERO);
        assert_eq!(
            presence.announce(Millis(40_000), Millis(37_000), Millis(5_000)),
            None
        );
        assert!(!presence.is_claimable());
    }

    #[test]
    fn who_is_losing_is_waited_for_less() {
        assert_eq!(leave_time(Speed::Rapid, 0), Millis(80_000));
        assert_eq!(leave_time(Speed::Blitz, -4), Millis(13_333));
        let pos = sparring_chess::parse_fen(
            sparring_chess::Variant::Standard,
            "k7/pp6/8/8/8/8/8/KQ6 w - - 0 1",
        )
        .unwrap();
        assert_eq!(material_balance(&pos, Color::Black), -7);
    }
}
