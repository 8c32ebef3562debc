//! Games of the archive as tests begin with them: each test says only what it is about.
//!
//! Tests beside the code and those of the whole program share this file, so it names nothing but what stands above it.

use super::{Elo, End, GameRecord, Millis, Side};

/// A rated blitz game of 21 November 2026 against Ana, who has 1500. It runs.
pub fn game(id: &str, side: Side) -> GameRecord {
    GameRecord {
        id: id.parse().unwrap(),
        began: Millis(1_795_242_037_000),
        side,
        opponent: "ana".parse().ok(),
        name: "Ana".to_owned(),
        is_bot: false,
        rating: Some(Elo(1500)),
        own_rating: None,
        rated: true,
        variant: "standard".to_owned(),
        speed: "blitz".to_owned(),
        clock: Some((Millis::from_secs(300), Millis::from_secs(3))),
        days: None,
        start: "startpos".to_owned(),
        personality: "club".to_owned(),
        level: None,
        played: None,
        account: Some("Sparring".to_owned()),
        end: None,
    }
}

/// The end of a game after these moves, a minute after it began.
pub fn end(status: &str, winner: Option<Side>, moves: &str) -> Option<End> {
    Some(End {
        at: Millis(1_795_242_097_000),
        status: status.to_owned(),
        winner,
        moves: moves.to_owned(),
    })
}
