//! Stop, ponderhit and release in every order in which commands and searches may meet.

use super::*;

fn ponder(soft: Option<Millis>) -> Option<Hold> {
    let unlimited = false;
    Some(Hold::Ponder { soft, unlimited })
}

fn begun(sync: &SearchSync, held: Option<Hold>) -> SearchId {
    let search_id = sync.submit(held, false);
    sync.begin(search_id);
    search_id
}

#[test]
fn a_stop_reaches_all_submitted_searches_and_no_later_one() {
    let sync = SearchSync::new();
    let first = begun(&sync, None);
    let second = sync.submit(ponder(None), false);
    assert!(sync.is_held());
    // The first is not held: only the last may be.
    sync.wait_for_release(first);
    sync.stop();
    assert!(!sync.is_held());
    let third = sync.submit(None, false);
    sync.finish();
    sync.begin(second);
    assert!(sync.stop.is_set());
    sync.wait_for_release(second);
    sync.finish();
    sync.begin(third);
    assert!(!sync.stop.is_set() && sync.is_searching());
    sync.finish();
    assert!(!sync.is_searching());
}

#[test]
fn a_held_search_is_stopped_for_the_next() {
    let sync = SearchSync::new();
    let first = begun(&sync, Some(Hold::Infinite));
    let second = sync.submit(None, false);
    assert!(sync.stop.is_set() && !sync.is_held());
    sync.wait_for_release(first);
    sync.finish();
    sync.begin(second);
    assert!(!sync.stop.is_set(), "it has limits of its own");
    // One that waits for its turn takes nothing from the one under way.
    let third = sync.submit(ponder(None), false);
    let fourth = sync.submit(Some(Hold::Infinite), false);
    let fifth = sync.submit(None, false);
    assert!(!sync.stop.is_set());
    for (search_id, is_cut) in [(third, true), (fourth, true), (fifth, false)] {
        sync.finish();
        sync.begin(search_id);
        sync.wait_for_release(search_id);
        assert_eq!(sync.stop.is_set(), is_cut, "{search_id:?}");
    }
    sync.finish();
    assert!(!sync.is_searching() && sync.lock().superseded.is_empty());
}

#[test]
fn a_search_released_by_ponderhit_is_not_stopped_by_the_next() {
    let sync = SearchSync::new();
    begun(&sync, None);
    let pondered = sync.submit(ponder(Some(Millis::from_secs(7200))), false);
    sync.ponder_hit();
    sync.submit(None, false);
    sync.finish();
    sync.begin(pondered);
    assert!(!sync.stop.is_set());
}

#[test]
fn a_ponder_hit_in_the_queue_leaves_the_running_clock_alone() {
    let sync = SearchSync::new();
    begun(&sync, None);
    let clock = sync.started.load(Relaxed);
    let search_id = sync.submit(ponder(None), false);
    sync.ponder_hit();
    assert_eq!(sync.started.load(Relaxed), clock);
    sync.finish();
    sync.begin(search_id);
    assert_ne!(sync.started.load(Relaxed), NOT_STARTED);
    sync.wait_for_release(search_id);
}

#[test]
fn no_time_passes_until_the_ponder_hit() {
    let sync = SearchSync::new();
    let search_id = begun(&sync, ponder(None));
    assert_eq!(sync.started.load(Relaxed), NOT_STARTED);
    assert_eq!(sync.elapsed(), Millis::ZERO);
    sync.ponder_hit();
    assert_ne!(sync.started.load(Relaxed), NOT_STARTED);
    sync.wait_for_release(search_id);
    assert!(!sync.stop.is_set());
}

#[test]
fn pondering_is_half_of_thinking_up_to_half_a_move() {
    assert_eq!(credit(Millis(600), Millis(1000)), Millis(300));
    assert_eq!(credit(Millis(60_000), Millis(1000)), Millis(500));
    assert_eq!(credit(Millis(60_000), Millis::ZERO), Millis::ZERO);
    let sync = SearchSync::new();
    begun(&sync, ponder(Some(Millis::from_secs(7200))));
    while sync.watch.elapsed() < Millis(20) {
        std::thread::yield_now();
    }
    sync.ponder_hit();
    let elapsed = sync.elapsed();
    assert!(
        elapsed >= Millis(9) && elapsed < Millis::from_secs(3600),
        "{elapsed}"
    );
}

#[test]
fn after_long_pondering_the_soft_limit_is_hard() {
    let sync = SearchSync::new();
    let soft = Millis(20);
    begun(&sync, ponder(Some(soft)));
    while sync.watch.elapsed() < Millis(50) {
        std::thread::yield_now();
    }
    assert!(!sync.stop.is_set(), "no time passes yet");
    sync.ponder_hit();
    while sync.elapsed() < soft {
        std::thread::yield_now();
    }
    assert!(sync.stop.is_set());
    sync.finish();
    begun(&sync, None);
    while sync.elapsed() < soft {
        std::thread::yield_now();
    }
    assert!(!sync.stop.is_set(), "the next has its own limits");
}

#[test]
fn a_ponder_hit_without_limits_begins_a_search_until_it_is_stopped() {
    let sync = SearchSync::new();
    let held = Hold::Ponder {
        soft: None,
        unlimited: true,
    };
    let search_id = begun(&sync, Some(held));
    sync.ponder_hit();
    assert!(sync.is_held() && !sync.stop.is_set());
    sync.input_closed();
    sync.wait_for_release(search_id);
    assert!(sync.stop.is_set());
}

#[test]
fn the_end_of_input_stops_only_endless_searches() {
    let sync = SearchSync::new();
    begun(&sync, None);
    sync.input_closed();
    assert!(!sync.stop.is_set());
    sync.finish();
    sync.begin(sync.submit(None, true));
    // One with an end of its own waits for its turn, but the other is still under way.
    let next = sync.submit(None, false);
    sync.input_closed();
    assert!(sync.stop.is_set());
    sync.finish();
    sync.begin(next);
    sync.finish();
    begun(&sync, None);
    sync.input_closed();
    assert!(!sync.stop.is_set());
}

#[test]
fn a_ponder_hit_does_not_release_an_infinite_search() {
    let sync = SearchSync::new();
    let search_id = begun(&sync, Some(Hold::Infinite));
    sync.ponder_hit();
    assert_eq!(sync.lock().held, Some(Hold::Infinite));
    sync.stop();
    sync.wait_for_release(search_id);
    assert!(sync.stop.is_set());
}

#[test]
fn long_stalls_fade_and_short_ones_do_not_count() {
    let sync = SearchSync::new();
    sync.record_stall(Millis(8));
    assert_eq!(sync.stall_reserve(), Millis::ZERO);
    sync.record_stall(Millis(160));
    assert_eq!(sync.stall_reserve(), Millis(160));
    sync.record_stall(Millis(3));
    assert_eq!(sync.stall_reserve(), Millis(150));
    for _ in 0..100 {
        sync.record_stall(Millis::ZERO);
    }
    assert_eq!(sync.stall_reserve(), Millis::ZERO);
}

#[test]
fn a_clock_that_jumps_at_a_ponder_hit_is_no_stall() {
    let sync = SearchSync::new();
    begun(&sync, ponder(Some(Millis::from_secs(7200))));
    while sync.watch.elapsed() < Millis(100) {
        std::thread::yield_now();
    }
    sync.ponder_hit();
    // Half of what was pondered on was given at once.
    let jump = Millis(sync.jump.load(Relaxed));
    assert!(jump >= Millis(49));
    sync.record_stall(jump + Millis(3));
    assert_eq!(sync.stall_reserve(), Millis::ZERO);
    sync.record_stall(jump + Millis(160));
    assert_eq!(sync.stall_reserve(), Millis(160));
    sync.finish();
    begun(&sync, None);
    sync.record_stall(Millis(200));
    assert_eq!(sync.stall_reserve(), Millis(200));
}

#[test]
fn waiting_takes_its_time_and_ends_with_a_stop() {
    let sync = SearchSync::new();
    begun(&sync, None);
    sync.wait_until(Millis(3));
    assert!(sync.elapsed() >= Millis(3));
    begun(&sync, None);
    std::thread::scope(|scope| {
        scope.spawn(|| sync.stop());
        sync.wait_until(Millis::from_secs(3600));
    });
    assert!(sync.elapsed() < Millis::from_secs(600));
}

#[test]
fn a_finished_search_on_its_own_clock_has_a_duration() {
    let sync = SearchSync::new();
    assert_eq!(sync.last_duration(), None);
    begun(&sync, None);
    assert_eq!(sync.last_duration(), None);
    sync.wait_until(Millis(3));
    sync.finish();
    assert!(sync.last_duration().is_some_and(|took| took >= Millis(3)));
    begun(&sync, ponder(None));
    sync.ponder_hit();
    sync.finish();
    assert_eq!(sync.last_duration(), None);
}

#[test]
fn a_stop_without_a_search_does_not_stop_the_next() {
    let sync = SearchSync::new();
    sync.stop();
    begun(&sync, None);
    assert!(!sync.stop.is_set());
}
