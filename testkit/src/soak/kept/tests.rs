#[path = "../../../../src/store/test_fixtures.rs"]
mod test_fixtures;

use sparring::store::{End, GameRecord};
use sparring_chess::units::{Elo, Millis};
use sparring_lichess::model::{Side, Status};

use super::*;

fn played(status: Status, plies: usize) -> Played {
    Played {
        id: "abcd1234".parse().unwrap(),
        status,
        bot: Side::White,
        winner: Some(Side::White),
        gave_up: None,
        plies,
        waits: Vec::new(),
        last_turn: None,
        ended: Millis(0),
        unanswered: Vec::new(),
    }
}

fn row(id: &str, end: Option<End>) -> GameRecord {
    GameRecord {
        end,
        ..test_fixtures::game(id, Side::White)
    }
}

#[test]
fn an_archive_that_tells_another_end_than_was_seen_is_found_out() {
    let end = test_fixtures::end("mate", Some(Side::White), "f2f3 e7e5 g2g4");
    let differing = |game: Played| {
        let rows = [row("abcd1234", end.clone())];
        Kept::compare(&rows, &[game]).differing.len()
    };
    assert_eq!(differing(played(Status::Mate, 3)), 0);
    assert_eq!(differing(played(Status::Mate, 4)), 1);
    assert_eq!(differing(played(Status::Resign, 3)), 1);
    let other = Played {
        winner: Some(Side::Black),
        ..played(Status::Mate, 3)
    };
    assert_eq!(differing(other), 1);
}

#[test]
fn games_without_an_end_and_games_that_are_not_there_are_told_apart() {
    let rows = [row("efgh5678", None)];
    let kept = Kept::compare(&rows, &[played(Status::Mate, 3)]);
    assert_eq!((kept.open.len(), kept.missing.len()), (1, 1));
    assert!(kept.differing.is_empty());
}
