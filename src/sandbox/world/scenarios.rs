//! The rules of the server as short stories, told to the pure world.

use proptest::prelude::*;

use super::{BOT_SCOPES, Fields, HUMAN_SCOPES, Outgoing, Refusal, World};
use crate::{
    chess::{Color, GameLine, Rules as _},
    lichess::model::{
        ChallengeDone, ChallengeStatus, Event, GameEvent, GameId, GameState, Side, Status, UserId,
    },
    sandbox::options::Rules,
    units::Millis,
};

/// A world with the humans Anna and Ben and a bot, and what it has sent.
struct Story {
    world: World,
    now: Millis,
    sent: Vec<Outgoing>,
}

fn user(name: &str) -> UserId {
    name.parse().unwrap()
}

impl Story {
    fn with_rules(rules: Rules) -> Self {
        let mut world = World::new(rules, Millis(1_000_000));
        for (name, is_bot) in [("Anna", false), ("Ben", false), ("Robo", true)] {
            let scopes = if is_bot { &BOT_SCOPES } else { &HUMAN_SCOPES };
            world.add_user(name, is_bot, scopes, Millis(1_000_000)).unwrap();
        }
        Self {
            world,
            now: Millis(1_000_000),
            sent: Vec::new(),
        }
    }

    fn new() -> Self {
        Self::with_rules(Rules::default())
    }

    fn wait(&mut self, millis: u64) {
        self.now += Millis(millis);
        self.world.advance_to(self.now);
        self.collect();
    }

    fn collect(&mut self) {
        self.sent.extend(self.world.take_outgoing());
    }

    fn challenge(&mut self, from: &str, to: &str, form: &[(&str, &str)]) -> GameId {
        let fields: Fields = form.iter().copied().collect();
        let made = self.world.challenge(&user(from), to, &fields, self.now).unwrap();
        self.collect();
        made.id
    }

    /// Anna has White against `opponent`; both sit at their boards.
    fn game(&mut self, opponent: &str, limit: &str, increment: &str) -> GameId {
        let form = [
            ("clock.limit", limit),
            ("clock.increment", increment),
            ("color", "white"),
        ];
        let id = self.challenge("Anna", opponent, &form);
        self.world.accept(&user(opponent), &id, self.now).unwrap();
        for player in ["Anna", opponent] {
            self.world
                .game_stream_opened(&user(player), &id, self.now)
                .unwrap();
        }
        self.collect();
        self.sent.clear();
        id
    }

    /// Plays moves for whoever's turn it is, a second apart.
    fn play(&mut self, id: &GameId, moves: &str) {
        for uci in moves.split(' ') {
            self.wait(1_000);
            let game = self.world.game(id).unwrap();
            let mover = game.seats.get(game.line.turn()).user.clone();
            self.act(&mover, id, |game, color, now| game.play(color, uci, false, now))
                .unwrap();
        }
    }

    fn act(
        &mut self,
        player: &UserId,
        id: &GameId,
        act: impl FnOnce(&mut super::Game, Color, Millis) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let now = self.now;
        let done = self
            .world
            .command(player, id, now, |game, color| act(game, color, now));
        self.collect();
        done
    }

    /// The states a player was sent, oldest first; forgets everything sent.
    fn states(&mut self, player: &str) -> Vec<GameState> {
        let to_player = user(player);
        self.sent
            .drain(..)
            .filter_map(|outgoing| match outgoing {
                Outgoing::Game {
                    to,
                    event: GameEvent::State(state),
                    ..
                } if to == to_player => Some(state),
                _ => None,
            })
            .collect()
    }

    /// The waits of which a player was told because the opponent is away.
    fn absences(&mut self, player: &str) -> Vec<Option<u32>> {
        let to_player = user(player);
        self.sent
            .drain(..)
            .filter_map(|outgoing| match outgoing {
                Outgoing::Game {
                    to,
                    event: GameEvent::OpponentGone(gone),
                    ..
                } if to == to_player => Some(gone.claim_win_in_seconds),
                _ => None,
            })
            .collect()
    }

    fn ending(&self, id: &GameId) -> (Status, Option<Side>) {
        let state = self.world.game(id).unwrap().state(self.now);
        (state.status, state.winner)
    }
}

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
    let offer = |game: &mut super::Game, color, now| {
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
    assert_eq!(story.world.game(&id).unwrap().line.ply(), 2);
}

#[test]
fn a_takeback_undoes_back_to_the_asking_sides_move() {
    let mut story = Story::new();
    let id = story.game("Robo", "180", "2");
    story.play(&id, "e2e4 c7c5 g1f3 d7d6 f1b5 c8d7");
    let yes = |game: &mut super::Game, color, now| {
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
        story.world.game(&id).unwrap().line.uci_moves(),
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
fn resigning_before_both_have_moved_calls_the_game_off() {
    let mut story = Story::new();
    let id = story.game("Robo", "300", "0");
    story.play(&id, "e2e4");
    let resign = |game: &mut super::Game, color, now| game.resign(color, now);
    story.act(&user("Robo"), &id, resign).unwrap();
    assert_eq!(story.ending(&id), (Status::Aborted, None));
    assert_eq!(story.act(&user("Robo"), &id, resign), Err(Refusal::NotResignable));
    let id = story.game("Ben", "300", "0");
    story.play(&id, "e2e4 e7e5");
    let abort = |game: &mut super::Game, _, now| game.abort(now);
    assert_eq!(story.act(&user("Ben"), &id, abort), Err(Refusal::NotAbortable));
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
    let claim = |game: &mut super::Game, color, now| game.claim_victory(color, now);
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
    assert_eq!(story.act(&user("Robo"), &id, claim), Err(Refusal::NoVictoryClaim));
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

#[test]
fn an_unanswered_challenge_expires_in_silence_and_can_still_be_accepted() {
    for accept_expired in [true, false] {
        let mut story = Story::with_rules(Rules {
            accept_expired,
            ..Rules::default()
        });
        let id = story.challenge("Anna", "Robo", &[("clock.limit", "300")]);
        story.wait(19_999);
        assert_eq!(story.world.challenges_of(&user("Robo")).0.len(), 1);
        story.sent.clear();
        story.wait(1);
        assert!(story.sent.is_empty());
        assert!(story.world.challenges_of(&user("Robo")).0.is_empty());
        assert!(
            story
                .world
                .event_stream_opened(&user("Robo"), story.now)
                .is_empty()
        );
        assert_eq!(
            story.world.accept(&user("Robo"), &id, story.now).is_ok(),
            accept_expired
        );
    }
}

#[test]
fn a_challenge_whose_challenger_waits_on_a_stream_does_not_expire() {
    let mut story = Story::new();
    let id = story.challenge("Anna", "Robo", &[("clock.limit", "300")]);
    story.world.waits_for(&id);
    story.wait(100_000);
    assert_eq!(story.world.challenges_of(&user("Anna")).1.len(), 1);
    story.world.waits_no_longer(&id, story.now);
    story.wait(20_000);
    assert!(story.world.challenges_of(&user("Anna")).1.is_empty());
}

#[test]
fn a_second_challenge_takes_back_the_first() {
    let mut story = Story::new();
    let first = story.challenge("Anna", "Robo", &[("clock.limit", "300")]);
    story.sent.clear();
    let second = story.challenge("Anna", "Robo", &[("clock.limit", "180")]);
    assert!(story.sent.iter().any(|outgoing| matches!(outgoing,
        Outgoing::Event { to, event: Event::ChallengeCanceled { challenge } }
            if *to == user("Robo") && challenge.id == first)));
    assert!(story.sent.contains(&Outgoing::ChallengeOver {
        challenge: first.clone(),
        done: ChallengeDone::Canceled
    }));
    assert_eq!(
        story.world.accept(&user("Robo"), &first, story.now),
        Err(Refusal::Canceled)
    );
    story.world.accept(&user("Robo"), &second, story.now).unwrap();
}

#[test]
fn a_rematch_swaps_colours_and_is_not_offered_again_within_a_minute() {
    let mut story = Story::new();
    let id = story.game("Robo", "300", "0");
    assert_eq!(
        story.world.rematch(&user("Anna"), &id, story.now).map(|_| ()),
        Err(Refusal::NoRematch)
    );
    story
        .act(&user("Robo"), &id, |game, color, now| game.resign(color, now))
        .unwrap();
    let offer = story.world.rematch(&user("Anna"), &id, story.now).unwrap();
    assert_eq!(
        (offer.rematch_of.as_ref(), offer.final_color),
        (Some(&id), Some(Side::Black))
    );
    assert!(
        story.world.challenges_of(&user("Robo")).0.is_empty(),
        "rematches are not listed"
    );
    story
        .world
        .decline(&user("Robo"), &offer.id, None, story.now)
        .unwrap();
    story.wait(59_999);
    assert_eq!(
        story.world.rematch(&user("Anna"), &id, story.now).map(|_| ()),
        Err(Refusal::NoRematch)
    );
    story.wait(1);
    let offer = story.world.rematch(&user("Anna"), &id, story.now).unwrap();
    story.world.accept(&user("Robo"), &offer.id, story.now).unwrap();
    assert_eq!(
        story.world.game(&offer.id).unwrap().color_of(&user("Anna")),
        Some(Color::Black)
    );
    assert_eq!(story.world.game(&id).unwrap().rematch, Some(offer.id));
}

#[test]
fn guests_get_a_free_name_like_the_one_they_want() {
    let mut story = Story::new();
    let mut enter = |wanted| story.world.add_guest(wanted, story.now).map(|(name, _)| name);
    assert_eq!(enter(None).as_deref(), Ok("Guest1"));
    assert_eq!(enter(None).as_deref(), Ok("Guest2"));
    assert_eq!(enter(Some("anna")).as_deref(), Ok("anna2"));
    let long = "x".repeat(20);
    assert_eq!(enter(Some(&long)), Ok(long.clone()));
    assert_eq!(enter(Some(&long)), Ok(format!("{}2", "x".repeat(19))));
    assert_eq!(enter(Some("no way")), Err(Refusal::BadName("no way".into())));
}

#[test]
fn the_same_seed_makes_the_same_world() {
    let ids = |seed| {
        let mut story = Story::with_rules(Rules {
            seed,
            ..Rules::default()
        });
        (0..4)
            .map(|_| story.challenge("Anna", "Robo", &[("variant", "chess960")]))
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(3), ids(3));
    assert_ne!(ids(3), ids(4));
}

#[test]
fn challenges_tell_their_fate_only_once() {
    let mut story = Story::new();
    let id = story.challenge("Anna", "Robo", &[("clock.limit", "300")]);
    story
        .world
        .decline(&user("Robo"), &id, Some("tooFast"), story.now)
        .unwrap();
    assert_eq!(
        story.world.decline(&user("Robo"), &id, None, story.now),
        Err(Refusal::NotFound)
    );
    assert_eq!(
        story.world.accept(&user("Robo"), &id, story.now),
        Err(Refusal::Declined)
    );
    let shown = story.world.show_challenge(&user("Anna"), &id).unwrap();
    assert_eq!(shown.status, ChallengeStatus::Declined);
    assert_eq!(shown.decline_reason_key.as_deref(), Some("toofast"));
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
            let mover = game.seats.get(game.line.turn()).user.clone();
            let legal = game.line.position().legal_moves();
            let uci = game.uci(legal[usize::from(choice) % legal.len()]);
            story.act(&mover, &id, |game, color, now| {
                match act {
                    0 => game.offer_draw(!color, now),
                    1 => game.decline_draw(color),
                    2 => game.offer_takeback(!color, now),
                    3 => game.offer_takeback(color, now),
                    4 => game.decline_takeback(color, now),
                    _ => return game.play(color, &uci, act == 5, now),
                }
                Ok(())
            }).unwrap();
        }
        let game = story.world.game(&id).unwrap();
        prop_assert_eq!(game.clocks.len(), game.line.ply());
        let variant = game.terms.variant;
        let most = Millis(180_000 + 4_000 * game.line.ply() as u64 + 4_000 * 700);
        for state in story.states("Anna") {
            prop_assert!(state.wtime.unwrap() <= most && state.btime.unwrap() <= most);
            let start = if start.is_empty() { "startpos" } else { start };
            prop_assert!(GameLine::replay(variant, start, &state.moves).is_ok());
        }
    }
}
