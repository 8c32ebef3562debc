//! Lines of a stream in every order, and what the fold makes of them.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use sparring_chess::{Rules as _, write_fen, write_uci};

fn frame(changes: serde_json::Value) -> GameFull {
    let mut frame = json!({
        "type": "gameFull", "id": "abcd1234", "variant": {"key": "standard"}, "speed": "blitz",
        "white": {"id": "bot", "name": "Bot", "title": "BOT"}, "black": {"id": "ana", "name": "Ana"},
        "initialFen": "startpos", "clock": {"initial": 180_000, "increment": 2000},
        "state": {"type": "gameState", "moves": "", "wtime": 180_000, "btime": 180_000, "winc": 2000,
                  "binc": 2000, "status": "started"}
    });
    for (key, value) in changes.as_object().unwrap() {
        frame[key] = value.clone();
    }
    serde_json::from_value(frame).unwrap()
}

fn game(changes: serde_json::Value) -> GameState {
    GameState::new(frame(changes), &"bot".parse().unwrap()).unwrap()
}

fn state(moves: &str) -> WireState {
    WireState {
        moves: moves.to_owned(),
        wtime: Some(Millis(170_000)),
        btime: Some(Millis(160_000)),
        ..WireState::default()
    }
}

fn apply(game: &mut GameState, state: WireState) -> Change {
    game.apply(&GameEvent::State(state)).unwrap()
}

#[test]
fn f25_a_turn_is_said_once_however_often_the_state_comes() {
    let mut game = game(json!({}));
    assert!(game.first_step().my_turn);
    assert!(!apply(&mut game, state("e2e4")).my_turn);
    let turn = apply(&mut game, state("e2e4 e7e5"));
    assert!(turn.my_turn && turn.moved);
    assert_eq!(apply(&mut game, state("e2e4 e7e5")), Change::default());
    let again = GameEvent::Full(Box::new(frame(
        json!({"state": {"moves": "e2e4 e7e5", "status": "started"}}),
    )));
    assert_eq!(game.apply(&again).unwrap(), Change::default());
}

#[test]
fn f23_lost_states_are_caught_up_with() {
    let mut game = game(json!({}));
    let step = apply(&mut game, state("e2e4 e7e5 g1f3 b8c6"));
    assert!(step.my_turn);
    assert_eq!(game.line().ply(), 4);
}

#[test]
fn f24_a_takeback_of_one_or_two_plies_makes_a_new_turn() {
    let mut game = game(json!({"state": {"moves": "e2e4 e7e5 g1f3 b8c6", "status": "started"}}));
    let one = apply(&mut game, state("e2e4 e7e5 g1f3"));
    assert!(one.moved && !one.my_turn);
    let two = apply(&mut game, state("e2e4 e7e5"));
    assert!(two.moved && two.my_turn);
    let other = apply(&mut game, state("d2d4 d7d5"));
    assert!(other.moved && other.my_turn);
    assert_eq!(game.line().uci_moves(), "d2d4 d7d5");
}

#[test]
fn f48_castling_spelled_the_other_way_is_the_same_game() {
    let mut game =
        game(json!({"state": {"moves": "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8", "status": "started"}}));
    let step = apply(&mut game, state("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1 e8h8"));
    assert!(!step.moved);
    assert!(apply(&mut game, state("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1 e8h8 d2d3")).moved);
}

#[test]
fn f26_a_stale_flag_is_no_new_offer() {
    let mut game = game(json!({"state": {"moves": "e2e4", "status": "started"}}));
    let offer = |moves| WireState {
        bdraw: true,
        ..state(moves)
    };
    assert!(apply(&mut game, offer("e2e4 e7e5")).draw_offered);
    assert!(!apply(&mut game, offer("e2e4 e7e5 g1f3")).draw_offered);
    assert!(!apply(&mut game, state("e2e4 e7e5 g1f3 b8c6")).draw_offered);
    assert!(apply(&mut game, offer("e2e4 e7e5 g1f3 b8c6")).draw_offered);
    // My own flag is none of my business.
    let own = WireState {
        wdraw: true,
        ..state("e2e4 e7e5 g1f3 b8c6")
    };
    assert!(!apply(&mut game, own).draw_offered);
}

#[test]
fn f22_an_end_is_said_once_and_is_final() {
    let mut game = game(json!({}));
    let over = WireState {
        status: Status::Resign,
        winner: Some(Side::White),
        ..state("e2e4")
    };
    assert!(apply(&mut game, over.clone()).ended);
    assert_eq!(apply(&mut game, over), Change::default());
    assert_eq!(apply(&mut game, state("e2e4 e7e5")), Change::default());
    assert_eq!(game.line().ply(), 1);
}

#[test]
fn f19_a_game_that_is_over_at_the_first_line_has_no_turn() {
    let game = game(json!({"state": {"moves": "", "status": "aborted"}}));
    assert!(game.first_step().ended);
    assert!(!game.first_step().my_turn);
}

#[test]
fn an_impossible_history_changes_nothing() {
    let mut game = game(json!({"state": {"moves": "e2e4 e7e5", "status": "started"}}));
    let error = game
        .apply(&GameEvent::State(state("e2e4 e7e5 e4e5")))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "move 3 of the game: \"e4e5\" is not legal here"
    );
    assert_eq!(game.line().uci_moves(), "e2e4 e7e5");
    let endless = vec!["g1f3"; 2001].join(" ");
    let error = game.apply(&GameEvent::State(state(&endless))).unwrap_err();
    assert_eq!(error, GameError::TooLong(2001));
}

#[test]
fn games_of_others_and_of_strange_variants_are_refused() {
    let user = "carl".parse().unwrap();
    assert!(matches!(
        GameState::new(frame(json!({})), &user),
        Err(GameError::NotMine { .. })
    ));
    let bot = "bot".parse().unwrap();
    let strange = frame(json!({"variant": {"key": "fogOfWar"}}));
    assert!(matches!(
        GameState::new(strange, &bot),
        Err(GameError::Variant(_))
    ));
    let broken =
        frame(json!({"variant": {"key": "fromPosition"}, "initialFen": "8/8/8/8/8/8/8/8 w - - 0 1"}));
    assert!(matches!(GameState::new(broken, &bot), Err(GameError::History(_))));
}

#[test]
fn a_later_frame_without_players_changes_nobody_and_another_start_is_no_panic() {
    let mut game = game(json!({}));
    let opponent = game.opponent().clone();
    let nameless = json!({"white": {}, "black": {}, "state": {"moves": "e2e4", "status": "started"}});
    let step = game.apply(&GameEvent::Full(Box::new(frame(nameless)))).unwrap();
    assert!(step.moved);
    assert_eq!(game.opponent(), &opponent);
    let other = json!({
        "white": {}, "black": {}, "variant": {"key": "fromPosition"},
        "initialFen": "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"
    });
    let error = game.apply(&GameEvent::Full(Box::new(frame(other)))).unwrap_err();
    assert!(matches!(error, GameError::NotMine { .. }), "{error}");
}

#[test]
fn black_may_begin_from_a_position() {
    let game = game(json!({
        "variant": {"key": "fromPosition"},
        "initialFen": "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1",
        "white": {"id": "ana"}, "black": {"id": "bot"}
    }));
    assert!(game.first_step().my_turn);
}

#[test]
fn f29_clocks_survive_nonsense() {
    let mut game = game(json!({}));
    let odd = |wire: &str| -> WireState { serde_json::from_str(wire).unwrap() };
    apply(
        &mut game,
        odd(r#"{"moves":"e2e4 e7e5","status":"started","wtime":null,"btime":-5}"#),
    );
    assert_eq!(game.clocks().unwrap().mine, Millis(180_000));
    assert_eq!(game.clocks().unwrap().theirs, Millis::ZERO);
    apply(
        &mut game,
        odd(r#"{"moves":"e2e4 e7e5","status":"started","wtime":1e30,"btime":1}"#),
    );
    assert_eq!(game.clocks().unwrap().mine, FULLEST_CLOCK);
    assert_eq!(self::game(json!({"clock": null})).clocks(), None);
}

#[test]
fn f41_an_absent_opponent_can_be_claimed_at_zero_until_he_moves() {
    let mut game = game(json!({"state": {"moves": "e2e4", "status": "started"}}));
    let mut gone = |gone, secs| {
        let event = GameEvent::OpponentGone(OpponentGone {
            gone,
            claim_win_in_seconds: secs,
        });
        game.apply(&event).unwrap().claimable
    };
    assert!(!gone(true, Some(8)));
    assert!(!gone(true, None));
    assert!(gone(true, Some(0)));
    assert!(!gone(false, None));
}

/// A game of random legal moves, each chosen by a number.
fn random_game(choices: &[u16]) -> Vec<String> {
    let mut line = GameHistory::new(Variant::Standard);
    let mut moves = Vec::new();
    for choice in choices {
        let legal = line.position().legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[usize::from(*choice) % legal.len()];
        moves.push(write_uci(mv, Variant::Standard));
        line.play(mv);
    }
    moves
}

proptest! {
    /// However states are repeated, lost, taken back or replaced by frames: the fold stands where a fresh fold
    /// of the newest state stands, and a turn is said exactly when the moves changed and it is mine.
    #[test]
    fn the_fold_never_depends_on_what_was_missed(
        choices in prop::collection::vec(any::<u16>(), 1..40),
        visits in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), any::<bool>()), 1..40),
        black: bool,
    ) {
        let moves = random_game(&choices);
        let sides = if black { json!({"white": {"id": "ana"}, "black": {"id": "bot"}}) } else { json!({}) };
        let mut game = game(sides.clone());
        let mut before = String::new();
        for (place, draw, reopen) in visits {
            let known = moves[..place.index(moves.len() + 1)].join(" ");
            let mut now = state(&known);
            now.bdraw = draw;
            let mut fresh = sides.clone();
            fresh["state"] = serde_json::to_value(&now).unwrap();
            let fresh = frame(fresh);
            let event = if reopen { GameEvent::Full(Box::new(fresh.clone())) } else { GameEvent::State(now) };
            let step = game.apply(&event).unwrap();

            let expected = GameState::new(fresh, &"bot".parse().unwrap()).unwrap();
            prop_assert_eq!(game.line().uci_moves(), expected.line().uci_moves());
            prop_assert_eq!(write_fen(game.line().position()), write_fen(expected.line().position()));
            prop_assert_eq!(game.line().keys(), expected.line().keys());
            prop_assert_eq!(step.moved, known != before);
            prop_assert_eq!(step.my_turn, step.moved && expected.is_my_turn());
            before = known;
        }
    }
}
