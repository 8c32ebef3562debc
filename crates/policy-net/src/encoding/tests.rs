//! Properties of the encoding on random games: it never panics, and mirrored colors look alike.

use proptest::prelude::*;
use shakmaty::{EnPassantMode, FromSetup as _, Position as _, Setup, Square};
use sparring_chess::{GameHistory, Move, Position, Variant};

use super::*;

/// Plays on with moves drawn by `draws`, and shows each position.
fn play_on(mut game: GameHistory, draws: &[u16], mut show: impl FnMut(&GameHistory)) {
    show(&game);
    for draw in draws {
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            break;
        }
        game.play(moves[usize::from(*draw) % moves.len()]);
        show(&game);
    }
}

fn check(game: &GameHistory) {
    let encoded = Encoded::new(
        game,
        &Context {
            rating: 1500,
            ..Context::default()
        },
    )
    .unwrap();
    assert_eq!(encoded.moves.len(), game.position().legal_moves().len());
    assert!(encoded.context.iter().all(|number| number.is_finite()));
    assert!(encoded.moves.iter().all(|candidate| candidate.notes >> 40 == 0));
}

fn mirrored_setup(position: &Position) -> Setup {
    let mut setup = position.to_setup(EnPassantMode::Legal);
    setup.board.mirror();
    setup.castling_rights = setup.castling_rights.flip_vertical();
    setup.ep_square = setup.ep_square.map(Square::flip_vertical);
    setup.turn = !setup.turn;
    setup
}

fn mirrored_move(mv: Move) -> Move {
    match mv {
        Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        } => Move::Normal {
            role,
            from: from.flip_vertical(),
            capture,
            to: to.flip_vertical(),
            promotion,
        },
        Move::EnPassant { from, to } => Move::EnPassant {
            from: from.flip_vertical(),
            to: to.flip_vertical(),
        },
        Move::Castle { king, rook } => Move::Castle {
            king: king.flip_vertical(),
            rook: rook.flip_vertical(),
        },
        Move::Put { role, to } => Move::Put {
            role,
            to: to.flip_vertical(),
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_games_are_encoded(draws in prop::collection::vec(any::<u16>(), 0..160)) {
        play_on(GameHistory::new(Variant::Standard), &draws, check);
    }

    #[test]
    fn random_games_of_chess960_are_encoded(seed in 0..960_u16, draws in prop::collection::vec(any::<u16>(), 0..120)) {
        let start = shakmaty::Chess::from_setup(
            Setup { board: shakmaty::Board::chess960(u32::from(seed)), castling_rights: shakmaty::Board::chess960(u32::from(seed)).rooks(), ..Setup::initial() },
            shakmaty::CastlingMode::Chess960,
        ).unwrap();
        play_on(GameHistory::from_position(Variant::Chess960, Position::Chess(start)), &draws, check);
    }

    #[test]
    fn mirrored_colors_give_the_same_planes_and_notes(draws in prop::collection::vec(any::<u16>(), 0..100)) {
        let game = GameHistory::new(Variant::Standard);
        let setup = mirrored_setup(game.position());
        let start = shakmaty::Chess::from_setup(setup, shakmaty::CastlingMode::Standard).unwrap();
        let mut mirror = GameHistory::from_position(Variant::Standard, Position::Chess(start));
        play_on(game, &draws, |game| {
            if let Some(mv) = game.moves().last() {
                mirror.play(mirrored_move(*mv));
            }
            let (one, other) = (Encoded::new(game, &Context::default()), Encoded::new(&mirror, &Context::default()));
            let (one, other) = (one.unwrap(), other.unwrap());
            assert_eq!(one.planes, other.planes);
            let seen = |encoded: &Encoded| -> Vec<_> {
                encoded.moves.iter().map(|it| (it.from, it.to, it.promotion, it.notes)).collect()
            };
            assert_eq!(seen(&one), seen(&other));
        });
    }
}

#[test]
fn every_one_of_218_moves_gets_notes() {
    let fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    let game = GameHistory::replay(Variant::FromPosition, fen, "").unwrap();
    check(&game);
    let encoded = Encoded::new(&game, &Context::default()).unwrap();
    assert_eq!(encoded.moves.len(), 218);
    assert!(encoded.moves.iter().all(|candidate| candidate.notes != 0));
}

#[test]
fn other_rules_are_not_encoded() {
    for variant in Variant::ALL {
        let encoded = Encoded::new(&GameHistory::new(variant), &Context::default());
        assert_eq!(encoded.is_some(), variant.traits().orthodox_rules, "{variant}");
    }
}

#[test]
fn a_king_that_castles_in_chess960_goes_to_the_g_file() {
    let fen = "4k3/8/8/8/8/8/8/5KR1 w G - 0 1";
    let game = GameHistory::replay(Variant::Chess960, fen, "").unwrap();
    let encoded = Encoded::new(&game, &Context::default()).unwrap();
    let castling = encoded
        .moves
        .iter()
        .find(|candidate| candidate.mv.is_castle())
        .unwrap();
    assert_eq!((castling.from, castling.to), (Square::F1, Square::G1));
    assert_eq!(encoded.planes[52], 1 << 7);
}
