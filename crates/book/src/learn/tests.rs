//! What is learned from a few games by hand, and what becomes of the text.

use super::*;
use crate::{LearnedWeights, Library, parse};
use sparring_chess::{Variant, write_uci};
use std::sync::Arc;

fn taught<'b>(book: &'b Book, games: &[(&str, Color, u32, usize)]) -> LearnReport<'b> {
    let mut lessons = LearnReport::new(book);
    for (moves, side, half_points, times) in games {
        let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
        for _ in 0..*times {
            lessons.add(&Outcome {
                line: &line,
                side: *side,
                half_points: *half_points,
                expected: 0.5,
                drawn: &[],
                verdict: None,
            });
        }
    }
    lessons
}

#[test]
fn moves_that_lose_come_first_and_should_weigh_less() {
    let book = parse("a.book", "1. e4 60 | d4 40  # mine\n1. e4 e5 2. Nf3\n")
        .0
        .unwrap();
    let games = [
        ("e2e4 e7e5 g1f3 b8c6 a2a3", Color::White, 0, 8),
        ("d2d4 d7d5", Color::White, 2, 8),
        ("c2c4", Color::White, 2, 8),
    ];
    let lessons = taught(&book, &games);
    assert_eq!(lessons.games(), 16);
    let shown: Vec<String> = lessons
        .list(1)
        .iter()
        .map(|one| {
            format!(
                "{} [{}] {} {}/{} {} {}>{}",
                one.after, one.mv, one.at, one.points, one.games, one.expected, one.weight, one.advised
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            " [e4] a.book:1 0/8 4 60>42",
            "1. e4 e5 [Nf3] a.book:2 0/8 4 100>100",
            " [d4] a.book:1 8/8 4 40>57",
        ]
    );
    assert_eq!(lessons.revise(1), "1. e4 42 | d4 57  # mine\n1. e4 e5 2. Nf3\n");
    assert_eq!(lessons.revise(9), book.text().as_str());
}

#[test]
fn moves_without_a_number_are_advised_on_and_numbered_on_request() {
    let book = parse("a.book", "1. e4! e5\n1. e4 c5\n1. d4 7 Nf6\n").0.unwrap();
    let games = [
        ("e2e4 e7e5", Color::White, 0, 8),
        ("d2d4 g8f6", Color::White, 2, 8),
    ];
    let lessons = taught(&book, &games);
    let shown: Vec<(String, i64, i64, bool)> = lessons
        .list(1)
        .into_iter()
        .map(|one| (one.mv, one.weight, one.advised, one.is_revised))
        .collect();
    assert_eq!(
        shown,
        [("e4".to_owned(), 300, 212, false), ("d4".to_owned(), 7, 10, true)]
    );
    assert_eq!(lessons.revise(1), "1. e4! e5\n1. e4 c5\n1. d4 10 Nf6\n");
    let numbered = lessons.number(1);
    assert_eq!(numbered, "1. e4! 112 e5\n1. e4 c5\n1. d4 10 Nf6\n");
    let again = parse("a.book", &numbered).0.unwrap();
    let start = GameHistory::new(Variant::Standard);
    assert_eq!(again.entries(start.keys()[0])[0].weight(), 212);
}

#[test]
fn what_is_advised_is_what_the_patch_comes_to() {
    let book = parse(
        "a.book",
        "1. e4! 60 | d4 5 | c4?! 90 | Nf3 0 | f4xx\n1. d4 d5\n1. e4 e5 | c5!\n",
    )
    .0
    .unwrap();
    let games = [
        ("e2e4", Color::White, 0, 8),
        ("c2c4", Color::White, 0, 8),
        ("g1f3", Color::White, 0, 8),
        ("f2f4", Color::White, 2, 8),
        ("e2e4 c7c5", Color::Black, 0, 8),
    ];
    let lessons = taught(&book, &games);
    let revised = parse("a.book", &lessons.revise(1)).0.unwrap();
    let again = taught(&revised, &games);
    let all: Vec<(String, i64, i64)> = lessons
        .list(1)
        .into_iter()
        .map(|one| {
            assert!(one.is_revised, "{}", one.mv);
            let now = again
                .list(1)
                .into_iter()
                .find(|now| now.at == one.at && now.mv == one.mv);
            (one.mv, one.advised, now.unwrap().weight)
        })
        .collect();
    assert_eq!(all.len(), 5);
    for (mv, advised, weight) in all {
        assert_eq!(advised, weight, "{mv}");
    }
}

#[test]
fn only_the_side_that_followed_the_book_learns() {
    let book = parse("a.book", "1. e4 e5 50 | c5 50\n").0.unwrap();
    let lessons = taught(&book, &[("e2e4 c7c5", Color::Black, 2, 4)]);
    let list = lessons.list(1);
    assert_eq!(list.len(), 1);
    assert_eq!((list[0].mv.as_str(), list[0].after.as_str()), ("c5", "1. e4"));
    assert!(list[0].advised > 50);
}

#[test]
fn learned_weights_change_the_chances_and_not_the_text() {
    let text = "1. e4 60 | d4 40\n1. e4 e5xx\n1. c4 e5\n";
    let book = parse("a.book", text).0.unwrap();
    let games = [
        ("e2e4 c7c5", Color::White, 0, 8),
        ("d2d4 d7d5", Color::White, 2, 8),
    ];
    let weights: LearnedWeights = taught(&book, &games).weight_factors(4).into_iter().collect();
    assert_eq!(weights.len(), 2);
    assert!(taught(&book, &games).weight_factors(9).is_empty());
    let chances = |book: &Book| -> Vec<String> {
        let library = Library::new(vec![book.clone()]);
        let choices = library.choices(&["a".to_owned()], &GameHistory::new(Variant::Standard));
        let show = |choice: &crate::BookMove| {
            let learned = choice
                .learned
                .as_ref()
                .map_or_else(String::new, WeightFactor::words);
            format!(
                "{} {:.3} {learned}",
                write_uci(choice.mv, Variant::Standard),
                choice.chance
            )
        };
        choices.iter().map(show).collect()
    };
    let as_written = ["e2e4 0.600 ", "d2d4 0.400 ", "c2c4 0.000 "];
    assert_eq!(chances(&book), as_written);
    let learned = book.clone().with_learned_weights(weights.into());
    assert_eq!(
        chances(&learned),
        [
            "d2d4 0.571 learned ×1.41 from 8 games: 8.0 points of 4.0",
            "e2e4 0.429 learned ×0.71 from 8 games: 0.0 points of 4.0",
            "c2c4 0.000 ",
        ]
    );
    assert_eq!(learned.text().as_str(), text);
    assert_eq!(chances(&learned.with_learned_weights(Arc::default())), as_written);
}

#[test]
fn verdicts_are_of_the_first_position_without_a_book() {
    let book = parse("a.book", "1. e4 e5 2. Nf3\n1. d4\n").0.unwrap();
    let mut lessons = LearnReport::new(&book);
    let game = |moves| GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
    let long = game("e2e4 e7e5 g1f3 b8c6 a2a3 a7a6");
    let left = lessons.left(&long, Color::White, &[]).unwrap();
    assert_eq!(left.uci_moves(), "e2e4 e7e5 g1f3 b8c6");
    let black = lessons.left(&long, Color::Black, &[]).unwrap();
    assert_eq!(black.uci_moves(), "e2e4 e7e5 g1f3");
    assert!(
        lessons.left(&game("e2e4 e7e5 g1f3"), Color::White, &[]).is_none(),
        "still in the book"
    );
    assert!(
        lessons.left(&game("c2c4 e7e5"), Color::White, &[]).is_none(),
        "never in the book"
    );
    for (moves, verdict) in [
        ("d2d4 d7d5 a2a3", Some(-30)),
        ("d2d4 d7d6 a2a3", Some(-50)),
        ("d2d4", None),
    ] {
        lessons.add(&Outcome {
            line: &game(moves),
            side: Color::White,
            half_points: 1,
            expected: 0.5,
            drawn: &[],
            verdict: verdict.map(Centipawns),
        });
    }
    let list = lessons.list(1);
    assert_eq!((list[0].games, list[0].verdict), (3, Some(Centipawns(-40))));
}

#[test]
fn only_moves_that_were_drawn_from_the_book_count_where_that_is_known() {
    use MoveOrigin::{Elsewhere, Here, Unknown};
    let book = parse("a.book", "1. e4 e5 2. Nf3 Nc6 3. Bb5\n").0.unwrap();
    let game = GameHistory::replay(
        Variant::Standard,
        "startpos",
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4",
    );
    let game = game.unwrap();
    let learned = |drawn: &[MoveOrigin]| {
        let mut lessons = LearnReport::new(&book);
        lessons.add(&Outcome {
            line: &game,
            side: Color::White,
            half_points: 2,
            expected: 0.5,
            drawn,
            verdict: None,
        });
        let mut moves: Vec<String> = lessons.list(1).into_iter().map(|one| one.mv).collect();
        moves.sort_unstable();
        let left = lessons.left(&game, Color::White, drawn);
        (moves.join(" "), left.map(|left| left.ply()))
    };
    assert_eq!(learned(&[]), ("Bb5 Nf3 e4".to_owned(), Some(6)));
    let engine = [Elsewhere; 7];
    assert_eq!(learned(&engine), (String::new(), None));
    // Another book answered first, and at last the engine.
    let mixed = [Elsewhere, Unknown, Here, Unknown, Here, Unknown, Elsewhere];
    assert_eq!(learned(&mixed), ("Bb5 Nf3".to_owned(), Some(6)));
}
