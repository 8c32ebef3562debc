//! Bounds of a node before any move is searched: tablebases and endgame rules.

use super::score::INFINITE;

/// The least and the most that a score can be, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    pub floor: i32,
    pub ceiling: i32,
}

impl Bounds {
    /// No bound.
    pub const NONE: Self = Self {
        floor: -INFINITE,
        ceiling: INFINITE,
    };

    /// No less than this.
    pub const fn from(floor: i32) -> Self {
        Self { floor, ..Self::NONE }
    }

    /// No more than this.
    pub const fn to(ceiling: i32) -> Self {
        Self {
            ceiling,
            ..Self::NONE
        }
    }

    /// Whether there is a bound.
    pub const fn are_any(self) -> bool {
        self.floor > -INFINITE || self.ceiling < INFINITE
    }

    /// The score, where the bounds lie outside of a window.
    pub const fn settle(self, alpha: i32, beta: i32) -> Option<i32> {
        if self.floor >= beta {
            Some(self.floor)
        } else if self.ceiling <= alpha {
            Some(self.ceiling)
        } else {
            None
        }
    }

    /// A score clamped to the bounds.
    pub fn within(self, score: i32) -> i32 {
        score.clamp(self.floor, self.ceiling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_cut_off_windows_that_they_lie_outside_of() {
        let draw_at_least = Bounds::from(0);
        assert_eq!(draw_at_least.settle(-50, 0), Some(0));
        assert_eq!(draw_at_least.settle(-50, 1), None);
        assert_eq!(draw_at_least.within(-30), 0);
        assert_eq!(draw_at_least.within(700), 700);
        let draw_at_most = Bounds::to(0);
        assert_eq!(draw_at_most.settle(0, 50), Some(0));
        assert_eq!(draw_at_most.settle(-1, 50), None);
        assert_eq!(draw_at_most.within(700), 0);
        assert!(draw_at_least.are_any() && draw_at_most.are_any() && !Bounds::NONE.are_any());
        assert_eq!(Bounds::NONE.settle(-INFINITE, INFINITE), None);
    }
}
