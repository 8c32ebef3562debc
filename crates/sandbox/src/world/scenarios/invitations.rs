//! Stories of challenges and of those who make them.

use super::{Story, user};
use crate::{
    options::Rules,
    world::{ApiError, Outgoing},
};
use sparring_chess::Color;
use sparring_lichess::model::{ChallengeDone, ChallengeStatus, Event, GameId, Side};

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
        Outgoing::Event { to, event: Event::ChallengeCanceled { challenge, .. } }
            if *to == user("Robo") && challenge.id == first)));
    assert!(story.sent.contains(&Outgoing::ChallengeOver {
        challenge: first.clone(),
        done: ChallengeDone::Canceled
    }));
    assert_eq!(
        story.world.accept(&user("Robo"), &first, story.now),
        Err(ApiError::Canceled)
    );
    story.world.accept(&user("Robo"), &second, story.now).unwrap();
}

#[test]
fn a_rematch_swaps_colours_and_is_not_offered_again_within_a_minute() {
    let mut story = Story::new();
    let id = story.game("Robo", "300", "0");
    assert_eq!(
        story.world.rematch(&user("Anna"), &id, story.now).map(|_| ()),
        Err(ApiError::NoRematch)
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
        Err(ApiError::NoRematch)
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

/// A game between Anna and Robo that is over.
fn over(story: &mut Story) -> GameId {
    let id = story.game("Robo", "300", "0");
    story
        .act(&user("Robo"), &id, |game, color, now| game.resign(color, now))
        .unwrap();
    story.sent.clear();
    id
}

#[test]
fn who_wants_the_rematch_that_was_offered_accepts_it() {
    let mut story = Story::new();
    let id = over(&mut story);
    let offer = story.world.rematch(&user("Anna"), &id, story.now).unwrap();
    let counter = story.world.rematch(&user("Robo"), &id, story.now).unwrap();
    assert_eq!(
        (&counter.id, counter.status),
        (&offer.id, ChallengeStatus::Accepted)
    );
    assert_eq!(story.world.running_games(&user("Anna"), story.now).len(), 1);
    assert_eq!(
        story.world.rematch(&user("Anna"), &id, story.now).map(|_| ()),
        Err(ApiError::NoRematch),
        "there is one already"
    );
}

#[test]
fn a_rematch_that_is_offered_again_is_the_same_offer() {
    let mut story = Story::new();
    let id = over(&mut story);
    let first = story.world.rematch(&user("Anna"), &id, story.now).unwrap();
    story.wait(30_000);
    story.sent.clear();
    let second = story.world.rematch(&user("Anna"), &id, story.now).unwrap();
    assert_eq!((&second.id, second.status), (&first.id, ChallengeStatus::Created));
    story.collect();
    let heard = |outgoing: &&Outgoing| {
        matches!(outgoing, Outgoing::Event { to, event: Event::Challenge { challenge, .. } }
            if *to == user("Robo") && challenge.id == first.id)
    };
    assert_eq!(story.sent.iter().filter(heard).count(), 1);
}

#[test]
fn a_rematch_that_is_taken_back_looks_as_on_lichess() {
    let mut story = Story::new();
    let id = over(&mut story);
    let offer = story.world.rematch(&user("Anna"), &id, story.now).unwrap();
    story.world.cancel(&user("Anna"), &offer.id, story.now).unwrap();
    story.collect();
    let told = story.sent.iter().find_map(|outgoing| match outgoing {
        Outgoing::Event {
            to,
            event: Event::ChallengeCanceled { challenge, compat },
        } if *to == user("Robo") => Some((challenge.status, *compat)),
        _ => None,
    });
    let (status, compat) = told.unwrap();
    assert_eq!(status, ChallengeStatus::Created);
    assert!(compat.is_some_and(|compat| compat.bot && compat.board));
    let shown = story.world.show_challenge(&user("Anna"), &offer.id).unwrap();
    assert_eq!(shown.status, ChallengeStatus::Canceled);
}

#[test]
fn a_challenge_that_has_expired_is_forgotten_after_three_hours() {
    let mut story = Story::new();
    let id = story.challenge("Anna", "Robo", &[("clock.limit", "300")]);
    let without_clock = story.challenge("Ben", "Robo", &[]);
    let three_hours = 3 * 60 * 60 * 1000;
    story.wait(20_000 + three_hours - 1);
    assert!(story.world.show_challenge(&user("Anna"), &id).is_ok());
    story.wait(1);
    assert_eq!(
        story.world.accept(&user("Robo"), &id, story.now),
        Err(ApiError::NotFound)
    );
    assert!(story.world.show_challenge(&user("Ben"), &without_clock).is_ok());
    story.wait(14 * 24 * 60 * 60 * 1000);
    assert!(story.world.show_challenge(&user("Ben"), &without_clock).is_err());
    assert_eq!(story.world.next_due(), None);
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
    assert_eq!(enter(Some("no way")), Err(ApiError::BadName("no way".into())));
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
        Err(ApiError::NotFound)
    );
    assert_eq!(
        story.world.accept(&user("Robo"), &id, story.now),
        Err(ApiError::Declined)
    );
    let shown = story.world.show_challenge(&user("Anna"), &id).unwrap();
    assert_eq!(shown.status, ChallengeStatus::Declined);
    assert_eq!(shown.decline_reason_key.as_deref(), Some("toofast"));
}
