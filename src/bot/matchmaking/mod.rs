//! Matchmaking: whom to challenge, and when.

pub(super) mod opponent_picker;
