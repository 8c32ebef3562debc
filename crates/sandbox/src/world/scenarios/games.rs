//! Stories of games: offers, flags, absence, and play that never breaks the rules.

use proptest::prelude::*;

use super::{Story, user};
use crate::{
    options::Rules,
    world::{ApiError, Game},
};
use sparring_chess::{GameHistory, Rules as _, units::Millis};
use sparring_lichess::model::{Side, Status};

#[test]
fn the_state_of_the_declining_move_still_shows_the_offer() {
    let mut story = Story::new();
    let id = story.game("Robo", "300", "0");
    story.play(&id, "d2d4 d7d5 c2c4");
    story.states("Anna");
    story
        .act(&user("Robo"), &id, |game, color, now| {
            game.offer_draw(color, now);
            Ok(())
        })
        .unwrap();
    story.play(&id, "e7e6 b1c3 g8f6");
    let flags: Vec<bool> = story.states("Anna").iter().map(|state| state.bdraw).collect();
    // The offer itself, Black's move, White's declining move, and Black's next.
    assert_eq!(flags, [true, true, true, false]);
}

#[test]
fn a_move_with_an_offer_sends_the_offer_first() {
    let mut story = Story::new();
    let id = story.game("Robo", "300", "0");
    story.play(&id, "d2d4 d7d5");
    story.states("Robo");
    story
        .act(&user("Anna"), &id, |game, color, now| {
            game.play(color, "c2c4", true, now)
        })
        .unwrap();
    let states = story.states("Robo");
    let seen: Vec<_> = states
        .iter()
        .map(|state| (state.moves.as_str(), state.wdraw))
        .collect();
    assert_eq!(seen, [("d2d4 d7d5", true), ("d2d4 d7d5 c2c4", true)]);
}

#[test]
fn an_offer_that_meets_an_offer_ends_the_game_without_the_move() {
    let mut story = Story::new();
    let id = story.game("Robo", "300", "0");
    story.play(&id, "d2d4 d7d5");
    let offer = |game: &mut Game, color, now| {
        game.offer_draw(color, now);
        Ok(())
    };
    story.act(&user("Robo"), &id, offer).unwrap();
    story
        .act(&user("Anna"), &id, |game, color, now| {
            game.play(color, "c2c4", true, now)
        })
        .unwrap();
    assert_eq!(story.ending(&id), (Status::Draw, None));
    assert_eq!(story.world.game(&id).unwrap().history.ply(), 2);
}

#[test]
fn a_takeback_undoes_back_to_the_asking_sides_move() {
    let mut story = Story::new();
    let id = story.game("Robo", "180", "2");
    story.play(&id, "e2e4 c7c5 g1f3 d7d6 f1b5 c8d7");
    let yes = |game: &mut Game, color, now| {
        game.offer_takeback(color, now);
        Ok(())
    };
    story.states("Robo");
    story.act(&user("Anna"), &id, yes).unwrap();
    story.act(&user("Robo"), &id, yes).unwrap();
    let states = story.states("Robo");
    assert!(states[0].wtakeback && !states[1].wtakeback);
    assert_eq!(
        states[1].moves, "e2e4 c7c5 g1f3 d7d6",
        "the bot's answer went too"
    );
    story.play(&id, "d2d4");
    story.act(&user("Anna"), &id, yes).unwrap();
    story.act(&user("Robo"), &id, yes).unwrap();
    assert_eq!(
        story.world.game(&id).unwrap().history.uci_moves(),
        "e2e4 c7c5 g1f3 d7d6"
    );
}

#[test]
fn takebacks_can_be_switched_off_and_are_not_for_rated_games() {
    let form = [("clock.limit", "300"), ("color", "white"), ("rated", "true")];
    for (takebacks, form) in [(true, &form[..]), (false, &form[..2])] {
        let mut story = Story::with_rules(Rules {
            takebacks,
            ..Rules::default()
        });
        let id = story.challenge("Anna", "Robo", form);
        story.world.accept(&user("Robo"), &id, story.now).unwrap();
        story.play(&id, "e2e4");
        story
            .act(&user("Anna"), &id, |game, color, now| {
                game.offer_takeback(color, now);
                Ok(())
            })
            .unwrap();
        assert!(!story.world.game(&id).unwrap().state(story.now).wtakeback);
    }
}

#[test]
fn a_late_move_is_granted_but_loses() {
    let mut story = Story::new();
    let id = story.game("Robo", "60", "0");
    story.play(&id, "e2e4 e7e5");
    story.wait(60_000);
    story
        .act(&user("Anna"), &id, |game, color, now| {
            game.play(color, "g1f3", false, now)
        })
        .unwrap();
    let last = story.states("Robo").pop().unwrap();
    assert_eq!(
        (last.moves.as_str(), last.wtime),
        ("e2e4 e7e5", Some(Millis::ZERO))
    );
    assert_eq!(story.ending(&id), (Status::OutOfTime, Some(Side::Black)));
}

#[test]
fn a_fallen_flag_is_noticed_at_the_next_look_or_at_once_if_strict() {
    for (strict_flags, noticed_after) in [(true, 60_000), (false, 68_000)] {
        let mut story = Story::with_rules(Rules {
            strict_flags,
            ..Rules::default()
        });
        let id = story.game("Robo", "60", "0");
        // The clock starts 2 s after the game: the flag falls at 62 s, the looks are at 63 and 70 s.
        story.play(&id, "e2e4 e7e5");
        story.wait(noticed_after - 1);
        assert!(
            story.world.game(&id).unwrap().is_running(),
            "strict: {strict_flags}"
        );
        story.wait(1);
        assert_eq!(story.ending(&id), (Status::OutOfTime, Some(Side::Black)));
    }
}

#[test]
fn a_flag_that_falls_while_the_other_side_offers_a_draw_is_a_draw() {
    let mut story = Story::new();
    let id = story.game("Robo", "60", "0");
    story.play(&id, "e2e4 e7e5");
    story
        .act(&user("Robo"), &id, |game, color, now| {
            game.offer_draw(color, now);
            Ok(())
        })
        .unwrap();
    story.wait(70_000);
    assert_eq!(story.ending(&id), (Status::Draw, None));
}

#[test]
fn a_flag_that_has_fallen_is_judged_before_anything_else_is_done() {
    type Deed = fn(&mut Game, sparring_chess::Color, Millis) -> Result<(), ApiError>;
    let deeds: [(&str, Deed); 4] = [
        ("resign", |game, color, now| game.resign(!color, now)),
        ("offer a draw", |game, color, now| {
            game.offer_draw(color, now);
            Ok(())
        }),
        ("take back", |game, color, now| {
            game.offer_takeback(color, now);
            Ok(())
        }),
        ("decline a takeback", |game, color, now| {
            game.decline_takeback(color, now);
            Ok(())
        }),
    ];
    for (what, deed) in deeds {
        let mut story = Story::new();
        let id = story.game("Robo", "60", "0");
        story.play(&id, "e2e4 e7e5");
        story.wait(60_000);
        assert!(
            story.world.game(&id).unwrap().is_running(),
            "nobody has looked yet"
        );
        story.act(&user("Anna"), &id, deed).unwrap();
        assert_eq!(
            story.ending(&id),
            (Status::OutOfTime, Some(Side::Black)),
            "{what}"
        );
    }
}

#[test]
fn an_offer_cannot_be_taken_back_once_the_flag_has_fallen() {
    let mut story = Story::new();
    let id = story.game("Robo", "60", "0");
    story.play(&id, "e2e4 e7e5");
    let robo = user("Robo");
    let offer = |game: &mut Game, color, now| {
        game.offer_draw(color, now);
        Ok(())
    };
    story.act(&robo, &id, offer).unwrap();
    story.wait(60_000);
    let withdraw = |game: &mut Game, color, now| {
        game.decline_draw(color, now);
        Ok(())
    };
    story.act(&robo, &id, withdraw).unwrap();
    assert_eq!(story.ending(&id), (Status::Draw, None));
}

#[test]
fn who_moves_without_a_stream_is_not_lost_for_an_earlier_absence() {
    let mut story = Story::new();
    let id = story.game("Robo", "300", "0");
    story.play(&id, "e2e4 e7e5");
    story.world.game_stream_closed(&user("Anna"), &id, story.now);
    story.wait(40_000);
    assert_eq!(story.absences("Robo").last(), Some(&Some(0)));
    story.play(&id, "g1f3 b8c6");
    let claim = |game: &mut Game, color, now| game.claim_victory(color, now);
    story.act(&user("Robo"), &id, claim).unwrap();
    assert!(story.world.game(&id).unwrap().is_running());
    story.wait(40_000);
    story.act(&user("Robo"), &id, claim).unwrap();
    assert_eq!(story.ending(&id), (Status::Timeout, Some(Side::Black)));
}

#[test]
fn games_that_nobody_goes_on_with_come_to_an_end() {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    let days = [("days", "3"), ("color", "white")];
    for (form, moves, ends_after) in [
        (&[("clock.limit", "300"), ("color", "white")][..], "e2e4", DAY),
        (&[("color", "white")], "e2e4", DAY),
        (&[("color", "white")], "e2e4 e7e5", 21 * DAY),
        (&days, "e2e4", 3 * DAY),
    ] {
        let mut story = Story::new();
        let id = story.challenge("Anna", "Robo", form);
        story.world.accept(&user("Robo"), &id, story.now).unwrap();
        story.play(&id, moves);
        let begun = if moves == "e2e4" && form != days { 1_000 } else { 0 };
        story.wait(ends_after - begun - 1_000);
        assert!(story.world.game(&id).unwrap().is_running(), "{form:?} {moves}");
        story.wait(20_000);
        let expected = if form == days {
            Status::OutOfTime
        } else {
            Status::Aborted
        };
        assert_eq!(story.ending(&id).0, expected, "{form:?} {moves}");
        assert!(story.world.running_games(&user("Robo"), story.now).is_empty());
    }
}

#[test]
fn resigning_before_both_have_moved_calls_the_game_off() {
    let mut story = Story::new();
    let id = story.game("Robo", "300", "0");
    story.play(&id, "e2e4");
    let resign = |game: &mut Game, color, now| game.resign(color, now);
    story.act(&user("Robo"), &id, resign).unwrap();
    assert_eq!(story.ending(&id), (Status::Aborted, None));
    assert_eq!(
        story.act(&user("Robo"), &id, resign),
        Err(ApiError::NotResignable)
    );
    let id = story.game("Ben", "300", "0");
    story.play(&id, "e2e4 e7e5");
    let abort = |game: &mut Game, _, now| game.abort(now);
    assert_eq!(story.act(&user("Ben"), &id, abort), Err(ApiError::NotAbortable));
    story.act(&user("Ben"), &id, resign).unwrap();
    assert_eq!(story.ending(&id), (Status::Resign, Some(Side::White)));
}

#[test]
fn who_stays_away_loses_to_a_claim() {
    let mut story = Story::new();
    let id = story.game("Robo", "300", "0");
    story.play(&id, "e2e4 e7e5 g1f3 b8c6");
    story.world.game_stream_closed(&user("Anna"), &id, story.now);
    story.wait(39_999);
    let claim = |game: &mut Game, color, now| game.claim_victory(color, now);
    story.act(&user("Robo"), &id, claim).unwrap();
    assert!(
        story.world.game(&id).unwrap().is_running(),
        "a claim too early is without effect"
    );
    story.wait(1);
    let waits: Vec<Option<u32>> = (0..8).rev().map(|step| Some(step * 5)).collect();
    assert_eq!(story.absences("Robo"), waits);
    story.act(&user("Robo"), &id, claim).unwrap();
    assert_eq!(story.ending(&id), (Status::Timeout, Some(Side::Black)));
    assert_eq!(
        story.act(&user("Robo"), &id, claim),
        Err(ApiError::NoVictoryClaim)
    );
}

#[test]
fn nothing_can_be_claimed_on_the_own_turn() {
    let mut story = Story::new();
    let id = story.game("Robo", "300", "0");
    story.play(&id, "e2e4 e7e5 g1f3");
    story.world.game_stream_closed(&user("Anna"), &id, story.now);
    story.wait(60_000);
    story
        .act(&user("Robo"), &id, |game, color, now| {
            game.claim_victory(color, now)
        })
        .unwrap();
    assert!(story.world.game(&id).unwrap().is_running());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_legal_game_ends_within_the_rules_and_no_clock_runs_below_zero(
        seed in any::<u64>(),
        start in prop::sample::select(vec![
            "", "4k2r/6P1/8/8/8/8/8/R3K2R w KQk - 0 1", "8/8/8/4k3/8/8/3QK3/8 b - - 98 90",
        ]),
        choices in prop::collection::vec((any::<u16>(), 0u64..9_000, 0u8..20), 0..700),
    ) {
        let mut story = Story::with_rules(Rules { seed, ..Rules::default() });
        let form = [("clock.limit", "180"), ("clock.increment", "4"), ("color", "white"), ("fen", start)];
        let id = story.challenge("Anna", "Robo", &form);
        story.world.accept(&user("Robo"), &id, story.now).unwrap();
        for (choice, span, act) in choices {
            story.wait(span);
            let game = story.world.game(&id).unwrap();
            if !game.is_running() {
                break;
            }
            let mover = game.players.get(game.history.turn()).user.clone();
            let legal = game.history.position().legal_moves();
            let uci = game.uci(legal[usize::from(choice) % legal.len()]);
            story.act(&mover, &id, |game, color, now| {
                match act {
                    0 => game.offer_draw(!color, now),
                    1 => game.decline_draw(color, now),
                    2 => game.offer_takeback(!color, now),
                    3 => game.offer_takeback(color, now),
                    4 => game.decline_takeback(color, now),
                    _ => return game.play(color, &uci, act == 5, now),
                }
                Ok(())
            }).unwrap();
        }
        let game = story.world.game(&id).unwrap();
        prop_assert_eq!(game.clocks.len(), game.history.ply());
        let variant = game.terms.variant;
        let most = Millis(180_000 + 4_000 * game.history.ply() as u64 + 4_000 * 700);
        for state in story.states("Anna") {
            prop_assert!(state.wtime.unwrap() <= most && state.btime.unwrap() <= most);
            let start = if start.is_empty() { "startpos" } else { start };
            prop_assert!(GameHistory::replay(variant, start, &state.moves).is_ok());
        }
    }
}
