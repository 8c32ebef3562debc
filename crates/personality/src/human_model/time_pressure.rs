//! Time pressure of a game, an input of the model.

/// Time pressure, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimePressure {
    /// Blitz and slower.
    Calm,
    /// Bullet.
    Hurried,
    /// The speed is not recorded.
    Unknown,
}
