//! Seats go by rank and patience, and nobody is answered twice.

use super::*;

fn id(number: usize) -> GameId {
    format!("{number:08}").parse().unwrap()
}

fn secs(secs: u64) -> Millis {
    Millis::from_secs(secs)
}

fn applicant(number: usize) -> QueuedChallenge {
    QueuedChallenge {
        id: id(number),
        opponent: None,
        is_human: true,
        is_rematch: false,
        patience: PATIENCE,
    }
}

/// Room for so many games of which none runs.
fn room(games: usize) -> Capacity<'static> {
    Capacity {
        games,
        for_humans: 0,
        bots_closed: false,
        per_opponent: 2,
        opponents: &[],
        sleeping: &[],
        reserved: 0,
        lease: secs(15),
    }
}

#[test]
fn people_and_rematches_go_first_and_nobody_beyond_the_seats() {
    let mut intake = ChallengeQueue::default();
    for (number, is_human, is_rematch) in [
        (1, false, false),
        (2, true, false),
        (3, false, true),
        (4, true, true),
    ] {
        let who = QueuedChallenge {
            is_human,
            is_rematch,
            ..applicant(number)
        };
        intake.enqueue(who, secs(number as u64));
    }
    let mut order = Vec::new();
    while let Some(ChallengeReply::Accept(id)) = intake.next(room(4), secs(5)) {
        order.push(id);
    }
    assert_eq!(order, [id(4), id(2), id(3), id(1)]);
    intake.enqueue(applicant(5), secs(5));
    assert_eq!(intake.next(room(4), secs(5)), None);
    intake.started(&id(4));
    assert_eq!(intake.next(room(4), secs(5)), Some(ChallengeReply::Accept(id(5))));
}

#[test]
fn who_wants_a_seat_at_once_is_not_refused_for_our_own_slowness() {
    let hasty = |number| QueuedChallenge {
        patience: Millis::ZERO,
        ..applicant(number)
    };
    let mut intake = ChallengeQueue::default();
    intake.enqueue(hasty(1), secs(5));
    intake.enqueue(hasty(2), secs(5));
    let later = secs(5) + Millis(300);
    assert_eq!(intake.next(room(1), later), Some(ChallengeReply::Accept(id(1))));
    assert_eq!(intake.next(room(1), later), None, "looked at, and no seat");
    let refusal = Some(ChallengeReply::Decline(id(2), DeclineReason::Later));
    assert_eq!(intake.next(room(2), later + Millis(1)), refusal);
    intake.enqueue(hasty(3), secs(6));
    let refusal = Some(ChallengeReply::Decline(id(3), DeclineReason::Later));
    assert_eq!(intake.next(room(2), secs(40)), refusal, "gone by now");
}

#[test]
fn the_last_seats_are_for_people_and_one_is_left_to_bots() {
    let bot = |number| QueuedChallenge {
        is_human: false,
        ..applicant(number)
    };
    let mut intake = ChallengeQueue::default();
    for number in 0..3 {
        intake.enqueue(bot(number), secs(0));
    }
    let reserved = Capacity {
        for_humans: 2,
        ..room(3)
    };
    let accepted =
        |intake: &mut ChallengeQueue, room| std::iter::from_fn(|| intake.next(room, secs(1))).count();
    assert_eq!(accepted(&mut intake, reserved), 1);
    intake.enqueue(applicant(7), secs(0));
    assert_eq!(accepted(&mut intake, reserved), 1, "a person finds a seat");
    let mut alone = ChallengeQueue::default();
    alone.enqueue(bot(1), secs(0));
    let one = Capacity {
        for_humans: 1,
        ..room(1)
    };
    assert_eq!(
        alone.next(
            Capacity {
                bots_closed: true,
                ..one
            },
            secs(0)
        ),
        None
    );
    assert_eq!(alone.next(one, secs(0)), Some(ChallengeReply::Accept(id(1))));
}

#[test]
fn nobody_takes_all_the_seats() {
    let mut intake = ChallengeQueue::default();
    let ana: Option<UserId> = "ana".parse().ok();
    for number in 0..4 {
        let opponent = if number < 3 { ana.clone() } else { None };
        intake.enqueue(
            QueuedChallenge {
                opponent,
                ..applicant(number)
            },
            secs(0),
        );
    }
    let one_runs = Capacity {
        opponents: &[ana],
        ..room(9)
    };
    let accepted: Vec<_> = std::iter::from_fn(|| intake.next(one_runs, secs(0))).collect();
    assert_eq!(
        accepted,
        [ChallengeReply::Accept(id(0)), ChallengeReply::Accept(id(3))]
    );
}

#[test]
fn f38_a_challenge_that_comes_twice_is_answered_once() {
    let mut intake = ChallengeQueue::default();
    for _ in 0..3 {
        intake.enqueue(applicant(1), secs(0));
        intake.decline_later(id(2), DeclineReason::Later);
    }
    assert_eq!(intake.next(room(9), secs(0)), Some(ChallengeReply::Accept(id(1))));
    assert_eq!(
        intake.next(room(9), secs(0)),
        Some(ChallengeReply::Decline(id(2), DeclineReason::Later))
    );
    assert_eq!(intake.next(room(9), secs(9)), None);
}

#[test]
fn f38_one_that_was_taken_back_is_not_accepted_but_may_come_again() {
    let mut intake = ChallengeQueue::default();
    intake.enqueue(applicant(1), secs(0));
    intake.cancel(&id(1));
    assert_eq!(intake.next(room(1), secs(0)), None);
    intake.enqueue(applicant(1), secs(1));
    assert_eq!(intake.next(room(1), secs(1)), Some(ChallengeReply::Accept(id(1))));
}

#[test]
fn f39_a_burst_is_refused_at_a_limited_rate() {
    let mut intake = ChallengeQueue::default();
    for number in 0..50 {
        intake.decline_later(id(number), DeclineReason::NoBot);
    }
    let mut now = Millis::ZERO;
    let mut sent = 0;
    while let Some(due) = intake.next_deadline() {
        now = now.max(due);
        while intake.next(room(0), now).is_some() {
            sent += 1;
        }
    }
    assert_eq!(sent, 50);
    assert!(now >= Millis(49 * 500));
}

#[test]
fn f40_who_waited_too_long_is_told_to_come_later() {
    let mut intake = ChallengeQueue::default();
    intake.enqueue(applicant(1), secs(0));
    assert_eq!(intake.next(room(0), secs(20)), None);
    let due = intake.next_deadline().unwrap();
    assert_eq!(
        intake.next(room(1), due),
        Some(ChallengeReply::Decline(id(1), DeclineReason::Later))
    );
}

#[test]
fn who_may_not_wait_is_accepted_at_once_or_never() {
    let hasty = |number| QueuedChallenge {
        patience: Millis::ZERO,
        ..applicant(number)
    };
    let mut intake = ChallengeQueue::default();
    intake.enqueue(hasty(1), secs(3));
    assert_eq!(intake.next(room(1), secs(3)), Some(ChallengeReply::Accept(id(1))));
    intake.enqueue(hasty(2), secs(3));
    assert_eq!(intake.next(room(1), secs(3)), None);
    let due = intake.next_deadline().unwrap();
    assert_eq!(
        intake.next(room(2), due),
        Some(ChallengeReply::Decline(id(2), DeclineReason::Later))
    );
}

#[test]
fn f35_a_promise_without_a_game_frees_its_seat() {
    let mut intake = ChallengeQueue::default();
    intake.enqueue(applicant(1), secs(0));
    intake.next(room(1), secs(0));
    assert_eq!(intake.reserved_for(), 1);
    assert!(intake.expired(secs(14)).is_empty());
    assert_eq!(intake.expired(secs(15)), [id(1)]);
    assert_eq!(intake.reserved_for(), 0);
}

#[test]
fn f8_a_challenge_that_must_not_be_answered_yet_waits_on() {
    let mut intake = ChallengeQueue::default();
    intake.enqueue(applicant(1), secs(0));
    assert_eq!(intake.next(room(1), secs(1)), Some(ChallengeReply::Accept(id(1))));
    assert_eq!(intake.waited(&id(1), secs(3)), secs(3));
    assert!(intake.postpone(&id(1)));
    assert!(!intake.postpone(&id(1)), "it waits already");
    assert_eq!(intake.reserved_for(), 0);
    assert_eq!(
        intake.next(room(1), secs(19)),
        Some(ChallengeReply::Accept(id(1)))
    );
    intake.postpone(&id(1));
    let later = ChallengeReply::Decline(id(1), DeclineReason::Later);
    assert_eq!(intake.next(room(1), secs(21)), Some(later), "it is too late now");
}

#[test]
fn f39_a_flood_is_bounded() {
    let mut intake = ChallengeQueue::default();
    for number in 0..10_000 {
        intake.enqueue(applicant(number), secs(0));
    }
    assert_eq!((intake.waiting.len(), intake.declines.len()), (QUEUE, QUEUE));
    assert!(intake.answered.len() <= REMEMBERED);
}

#[test]
fn closing_tells_everybody_to_come_later() {
    let mut intake = ChallengeQueue::default();
    intake.enqueue(applicant(1), secs(0));
    intake.close();
    assert_eq!(
        intake.next(room(9), secs(0)),
        Some(ChallengeReply::Decline(id(1), DeclineReason::Later))
    );
}

#[test]
fn a_seat_that_an_arena_may_need_at_any_moment_is_not_given_away() {
    let mut intake = ChallengeQueue::default();
    for number in 1..=3 {
        intake.enqueue(applicant(number), secs(0));
    }
    let room = Capacity {
        reserved: 1,
        ..room(3)
    };
    let accepted = std::iter::from_fn(|| intake.next(room, secs(1))).count();
    assert_eq!(accepted, 2);
}

#[test]
fn bots_and_arenas_take_the_seats_that_people_leave_them() {
    let ana: Option<UserId> = "ana".parse().ok();
    let opponents = [ana.clone()];
    let mut intake = ChallengeQueue::default();
    let of = |games, for_humans, reserved| Capacity {
        for_humans,
        reserved,
        opponents: &opponents,
        ..room(games)
    };
    assert_eq!(intake.free_slots_for_bots(of(4, 1, 0), None), 2);
    assert_eq!(
        intake.free_slots_for_bots(of(4, 1, 2), None),
        0,
        "arenas hold them"
    );
    assert_eq!(intake.free_slots_for_bots(of(2, 2, 0), None), 0, "somebody plays");
    assert_eq!(intake.free_slots_for_bots(room(2), None), 2);
    assert_eq!(intake.free_slots_for_bots(room(0), None), 0, "no seats at all");
    let closed = Capacity {
        bots_closed: true,
        ..of(4, 1, 0)
    };
    assert_eq!(intake.free_slots_for_bots(closed, None), 0);
    intake.reserve(applicant(1), secs(0));
    assert_eq!(intake.free_slots_for_bots(of(4, 1, 0), None), 1);
    assert_eq!(
        intake.free_slots_for_bots(of(4, 1, 0), Some(&id(1))),
        2,
        "its own seat"
    );
}

#[test]
fn a_game_that_sleeps_takes_no_seat_but_counts_among_those_with_its_opponent() {
    let ana: Option<UserId> = "ana".parse().ok();
    let sleeping = [ana.clone(), ana.clone()];
    let mut intake = ChallengeQueue::default();
    let from = |number, opponent: &Option<UserId>| QueuedChallenge {
        opponent: opponent.clone(),
        ..applicant(number)
    };
    intake.enqueue(from(1, &ana), secs(0));
    intake.enqueue(from(2, &"boris".parse().ok()), secs(1));
    let room = Capacity {
        sleeping: &sleeping,
        ..room(1)
    };
    assert_eq!(
        intake.next(room, secs(2)),
        Some(ChallengeReply::Accept(id(2))),
        "she has two already"
    );
}
