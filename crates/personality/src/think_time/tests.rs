//! Tests of think times: close to humans, and never a loss on time.

use proptest::prelude::*;

use super::*;
use sparring_chess::{GameHistory, Variant, parse_uci, units::Elo};

fn profile(delay: Delay) -> Personality {
    Personality {
        delay,
        level: Some(Elo(1600)),
        ..Personality::new("x")
    }
}

fn context(moves: &str, next: &str) -> ThinkTimeContext {
    let line = GameHistory::replay(Variant::Standard, "startpos", moves).unwrap();
    ThinkTimeContext::of(&line, parse_uci(line.position(), next).unwrap())
}

fn clock(initial: u64, increment: u64) -> Clock {
    Clock {
        initial: Millis::from_secs(initial),
        increment: Millis::from_secs(increment),
        remaining: Millis::from_secs(initial),
    }
}

/// The think times of many games in one context, sorted.
fn sample(profile: &Personality, context: &ThinkTimeContext) -> Vec<u64> {
    let mut times: Vec<u64> = (0..2000).map(|seed| pause(profile, context, seed).0).collect();
    times.sort_unstable();
    times
}

#[test]
fn the_position_is_read_from_the_line() {
    let taken = context("e2e4 d7d5 e4d5", "d8d5");
    assert!(taken.is_recapture && taken.is_capture && !taken.in_check && !taken.is_endgame);
    assert_eq!(taken.ply, 3);
    let quiet = context("e2e4 d7d5 e4d5", "g8f6");
    assert!(!quiet.is_recapture && !quiet.is_capture);
    assert!(context("e2e4 f7f6 d1h5", "g7g6").in_check);
}

#[test]
fn off_and_fixed_are_exact() {
    let mut context = context("e2e4", "e7e5");
    context.clock = Some(clock(300, 0));
    assert_eq!(pause(&profile(Delay::Off), &context, 1), Millis::ZERO);
    let fixed = profile(Delay::Fixed(Millis(800)));
    assert_eq!(pause(&fixed, &context, 1), Millis(800));
    context.elapsed = Millis(300);
    assert_eq!(
        pause(&fixed, &context, 1),
        Millis(500),
        "what the search took counts"
    );
    context.elapsed = Millis(900);
    assert_eq!(pause(&fixed, &context, 1), Millis::ZERO);
}

#[test]
fn a_range_is_used_from_end_to_end() {
    let context = context("e2e4", "e7e5");
    let times = sample(&profile(Delay::Between(Millis(1000), Millis(2000))), &context);
    assert!(times[0] >= 1000 && times[0] < 1020 && times[1999] <= 2000 && times[1999] > 1980);
}

#[test]
fn the_same_game_repeats_and_another_differs() {
    let mut context = context("e2e4", "e7e5");
    context.clock = Some(clock(300, 0));
    let human = profile(Delay::Human);
    assert_eq!(pause(&human, &context, 7), pause(&human, &context, 7));
    let times = sample(&human, &context);
    assert!(times[100] < times[1900]);
}

#[test]
fn humans_think_longer_in_the_middlegame_and_recapture_quickly() {
    let human = profile(Delay::Human);
    let mut middle = context("e2e4", "e7e5");
    middle.clock = Some(clock(300, 0));
    let opening = sample(&human, &middle)[1000];
    middle.ply = 30;
    middle.legal_moves = 35;
    middle.obviousness = Obviousness {
        chance: 0.2,
        choices: 8.0,
    };
    let quiet = sample(&human, &middle)[1000];
    middle.is_capture = true;
    middle.is_recapture = true;
    middle.obviousness = Obviousness {
        chance: 0.8,
        choices: 2.0,
    };
    let recapture = sample(&human, &middle)[1000];
    // Medians of blitz games: 2 s in the first moves, about 5 s in the middlegame, 2 s for recaptures.
    assert!((500..3500).contains(&opening), "{opening}");
    assert!((3000..9000).contains(&quiet), "{quiet}");
    assert!(recapture * 2 < quiet, "{recapture} against {quiet}");
}

#[test]
fn the_first_move_takes_five_seconds_at_most() {
    let mut first = context("e2e4", "e7e5");
    first.clock = Some(clock(900, 10));
    let slow = profile(Delay::Fixed(Millis::from_secs(20)));
    assert_eq!(pause(&slow, &first, 1), Millis::from_secs(5));
    first.ply = 2;
    assert_eq!(pause(&slow, &first, 1), Millis::from_secs(20));
}

#[test]
fn tempo_scales_human_think_times() {
    let mut context = context("e2e4", "e7e5");
    context.clock = Some(clock(600, 0));
    let normal = profile(Delay::Human);
    let quick = Personality {
        tempo: 0.5,
        ..normal.clone()
    };
    assert!(sample(&quick, &context)[1000] * 3 < sample(&normal, &context)[1000] * 2);
}

/// Plays the clock alone: games of 80 moves with 300 ms lost on the way for each.
fn flagged(initial: u64, increment: u64, delay: Delay) -> usize {
    let lag = Millis(300);
    let who = profile(delay);
    let after_e4 = context("e2e4", "e7e5");
    (0..100_u64)
        .filter(|game| {
            let mut clock = clock(initial, increment);
            let mut own_last = None;
            (0..160).step_by(2).any(|ply| {
                let mut context = after_e4.clone();
                context.ply = ply;
                context.legal_moves = 30;
                context.elapsed = Millis(5);
                context.lag = lag;
                context.clock = Some(clock);
                context.own_last = own_last;
                let spent = context.elapsed + pause(&who, &context, *game) + lag;
                own_last = Some(spent);
                // lichess refunds some lag; these games get nothing back.
                let flag = spent >= clock.remaining;
                clock.remaining = clock.remaining - spent + clock.increment;
                flag
            })
        })
        .count()
}

#[test]
fn pauses_never_lose_on_time() {
    for (initial, increment) in [(60, 0), (180, 0), (600, 5), (5, 1)] {
        for delay in [Delay::Human, Delay::Fixed(Millis::from_secs(20))] {
            assert_eq!(flagged(initial, increment, delay), 0, "{initial}+{increment}");
        }
    }
}

proptest! {
    #[test]
    fn a_pause_never_takes_more_than_the_clock_can_spare(
        remaining in 0..4_000_000_u64,
        initial in 0..10_800_u64,
        increment in 0..180_u64,
        elapsed in 0..100_000_u64,
        lag in 0..2_000_u64,
        ply in 0..400_usize,
        legal_moves in 0..218_usize,
        tempo in 0.2..5.0_f64,
        seed: u64,
    ) {
        let mut context = context("e2e4", "e7e5");
        context.clock = Some(Clock { remaining: Millis(remaining), ..clock(initial, increment) });
        context.elapsed = Millis(elapsed);
        context.lag = Millis(lag);
        context.ply = ply;
        context.legal_moves = legal_moves;
        for delay in [Delay::Off, Delay::Fixed(Millis(20_000)), Delay::Between(Millis(0), Millis(20_000)), Delay::Human] {
            let who = Personality { tempo, ..profile(delay) };
            let pause = pause(&who, &context, seed);
            if pause > Millis::ZERO {
                prop_assert!(remaining >= 3000);
                prop_assert!((context.elapsed + pause).0 <= remaining / 4 + 1);
                prop_assert!((context.elapsed + pause + Millis(8 * lag + 1000)).0 <= remaining);
            }
        }
    }
}
