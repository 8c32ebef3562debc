//! Endings that are known: whoever holds one does not think it loses, unless it is to err, and nobody stops trying to win.

use sparring_engine::StyleBonus;

use super::*;

/// Draws that look lost to whoever counts men, the weaker side to move: Philidor's position, and a knight in the middle.
const HELD: [&str; 2] = [
    "4k3/7R/r7/3KP3/8/8/8/8 b - - 0 1",
    "8/8/8/3nk3/8/B7/8/KN6 b - - 0 1",
];

fn told(search: &SearchRequest) -> Score {
    super::search(search).lines[0].score
}

fn worth(search: &SearchRequest) -> i32 {
    match told(search) {
        Score::Cp(Centipawns(cp)) => cp,
        mate @ Score::Mate(_) => panic!("{mate}"),
    }
}

fn from_fen(fen: &str, plies: u32) -> SearchRequest {
    SearchRequest::new(line(Variant::Standard, fen, ""), depth(plies))
}

#[test]
fn a_known_draw_is_told_as_one() {
    for fen in HELD {
        for plies in 1..=6 {
            assert_eq!(worth(&from_fen(fen, plies)), 0, "{fen} {plies}");
            let peaceful = SearchRequest {
                style_bonus: StyleBonus {
                    draws: 30,
                    ..StyleBonus::default()
                },
                ..from_fen(fen, plies)
            };
            assert_eq!(worth(&peaceful), 30, "{fen} {plies}");
        }
    }
}

#[test]
fn what_wins_for_the_weaker_side_is_still_seen() {
    // The rook mates, though the ending is one that the pawn's side cannot win.
    let mates = from_fen("7R/8/8/8/8/k7/P2r4/K7 b - - 0 1", 1);
    assert_eq!(told(&mates), Score::Mate(1));
    // A rook that is left to be taken.
    let blunder = from_fen("4k3/8/8/3KP3/8/8/r7/7R w - - 0 1", 1);
    let search = SearchRequest {
        search_moves: parse_uci(blunder.line.position(), "h1h2").into_iter().collect(),
        ..blunder
    };
    assert!(worth(&search) < -300, "{}", worth(&search));
}

#[test]
fn whoever_cannot_win_tries_all_the_same() {
    for fen in [
        "4k3/7R/r7/3KP3/8/8/8/8 w - - 0 1",
        "8/8/4k3/8/4PK2/1R6/7r/8 w - - 0 1",
        "8/8/8/3nk3/8/B7/8/KN6 w - - 0 1",
    ] {
        for plies in [1, 4, 8] {
            assert!(worth(&from_fen(fen, plies)) > 10, "{fen} {plies}");
        }
    }
}

#[test]
fn whoever_errs_does_not_know_them() {
    for fen in HELD {
        let errs = SearchRequest {
            handicap: Handicap {
                // Overlooks next to nothing.
                blindness: 1e-8,
                ..Handicap::default()
            },
            ..from_fen(fen, 1)
        };
        assert!(worth(&errs) < 0, "{fen}: {}", worth(&errs));
    }
}

#[test]
fn the_knowledge_is_for_orthodox_chess() {
    // In king of the hill the king is about to walk to the middle.
    let hill = line(Variant::KingOfTheHill, "4k3/8/r7/4P3/2R5/3K4/8/8 b - - 0 1", "");
    let told = told(&SearchRequest::new(hill, depth(4)));
    assert!(matches!(told, Score::Mate(..0)), "{told}");
}
