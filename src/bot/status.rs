//! What the daemon is doing, for metrics and the dashboard.

use sparring_lichess::model::UserId;

/// What the daemon is doing, for whoever shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// Who it is, once known.
    pub user: Option<UserId>,
    /// Whether it hears the event stream.
    pub is_listening: bool,
    /// How many games run.
    pub games: usize,
    /// How many games without a clock wait for the opponent with no stream open.
    pub parked: usize,
    /// How many challenges wait for a seat.
    pub waiting: usize,
    /// How many challenges were judged so far.
    pub challenges: u64,
    /// Whether it accepts nothing more.
    pub is_draining: bool,
}
