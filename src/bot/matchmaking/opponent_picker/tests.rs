use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use serde_json::json;

use super::*;
use crate::config::Config;

fn matchmaking() -> Matchmaking {
    Matchmaking {
        enabled: true,
        ..Config::default().matchmaking
    }
}

fn account(name: &str, title: Option<&str>, blitz: Option<u32>) -> Account {
    let perfs = blitz.map_or(json!({}), |rating| json!({"blitz": {"rating": rating}}));
    serde_json::from_value(json!({"id": name, "username": name, "title": title, "perfs": perfs})).unwrap()
}

fn secs(secs: u64) -> Millis {
    Millis::from_secs(secs)
}

fn chosen(picker: &OpponentPicker, online: &[Account], now: Millis) -> Option<String> {
    let ratings = [("blitz".to_owned(), Elo(1500))].into();
    let mut rng = ChaCha8Rng::seed_from_u64(now.0);
    let plan = ChallengeProposal::draw(&matchmaking(), &mut rng)?;
    let welcome: Vec<&Account> = online.iter().collect();
    let choice = picker.choose(&matchmaking(), plan, &welcome, &ratings, now, &mut rng);
    choice.map(|(user, _)| user.to_string())
}

#[test]
fn games_are_drawn_by_their_weight_and_each_may_say_whether_it_is_rated() {
    let game = |text| crate::config::ProposedGame::parse(text).unwrap();
    let settings = Matchmaking {
        games: vec![game("3+2 3"), game("5+3 chess960 rated")],
        ..matchmaking()
    };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let drawn: Vec<ChallengeProposal> = (0..4000)
        .filter_map(|_| ChallengeProposal::draw(&settings, &mut rng))
        .collect();
    let (often, seldom): (Vec<ChallengeProposal>, Vec<ChallengeProposal>) =
        drawn.iter().partition(|plan| plan.variant == Variant::Standard);
    // Three of four, within five standard deviations.
    assert!((2863..=3137).contains(&often.len()), "{}", often.len());
    assert!(
        often
            .iter()
            .all(|plan| !plan.rated && plan.clock.to_string() == "3+2")
    );
    assert!(
        seldom
            .iter()
            .all(|plan| plan.rated && plan.clock.to_string() == "5+3")
    );
}

#[test]
fn only_those_of_a_near_rating_are_challenged() {
    let strangers = [
        account("far", Some("BOT"), Some(1801)),
        account("unrated", Some("BOT"), None),
    ];
    let picker = OpponentPicker::default();
    for now in 0..50 {
        assert_eq!(chosen(&picker, &strangers, Millis(now)), None);
    }
    let near = [&strangers[..], &[account("near", Some("BOT"), Some(1800))]].concat();
    assert_eq!(chosen(&picker, &near, Millis(1)).as_deref(), Some("near"));
}

#[test]
fn who_refuses_is_left_alone_longer_each_time() {
    let online = [account("x", Some("BOT"), Some(1500))];
    let (x, id): (UserId, GameId) = ("x".parse().unwrap(), "abcd1234".parse().unwrap());
    let mut picker = OpponentPicker::default();
    let mut now = secs(0);
    for hours in [1, 4, 16, 64, 168, 168] {
        assert!(chosen(&picker, &online, now).is_some());
        picker.sent(id.clone(), x.clone());
        picker.refused(&id, now);
        let free = now + secs(hours * 3600);
        assert_eq!(chosen(&picker, &online, free - Millis(1)), None, "{hours}");
        now = free;
    }
    picker.sent(id.clone(), x.clone());
    picker.accepted(&id, now);
    assert!(
        chosen(&picker, &online, now + secs(1800)).is_some(),
        "a game makes good for all"
    );
    picker.avoid(x, now, Some(secs(90)));
    assert!(
        chosen(&picker, &online, now + secs(90)).is_some(),
        "lichess said when"
    );
}

#[test]
fn challenges_keep_their_distance_and_a_day_has_only_so_many() {
    let settings = matchmaking();
    let mut picker = OpponentPicker::default();
    assert!(!picker.is_due(
        &Matchmaking {
            enabled: false,
            ..settings.clone()
        },
        secs(9000)
    ));
    assert!(!picker.is_due(&settings, secs(119)));
    assert!(picker.is_due(&settings, secs(120)));
    picker.begin_request(secs(120), secs(120));
    assert!(!picker.is_due(&settings, secs(9000)), "the list is not there yet");
    picker.abandon_request();
    assert!(!picker.is_due(&settings, secs(719)));
    assert!(picker.is_due(&settings, secs(720)));
    picker.reset_idle(secs(700));
    assert!(!picker.is_due(&settings, secs(819)));
    for _ in 0..MAX_PER_DAY {
        picker.begin_request(secs(1000), secs(1000));
        picker.abandon_request();
    }
    assert!(
        picker.is_due(&settings, secs(1600)),
        "nobody was there to challenge"
    );
    let (x, id): (UserId, GameId) = ("x".parse().unwrap(), "abcd1234".parse().unwrap());
    for _ in 0..MAX_PER_DAY {
        assert!(!picker.is_done_for_today());
        picker.begin_request(secs(1000), secs(1000));
        picker.sent(id.clone(), x.clone());
        picker.refused(&id, secs(1000));
    }
    assert!(picker.is_done_for_today());
    assert!(!picker.is_due(&settings, secs(86_399)));
    assert!(picker.is_due(&settings, secs(86_400)));
    picker.begin_request(secs(86_400), secs(86_400));
    picker.abandon_request();
    assert!(picker.is_due(&settings, secs(87_000)), "a new day has its own");
}

#[test]
fn a_moment_that_passes_just_after_a_look_is_not_slept_through() {
    let (settings, mut picker) = (matchmaking(), OpponentPicker::default());
    picker.record_poll(Some(Millis(119_999)));
    assert!(!picker.is_due(&settings, Millis(119_999)));
    // However late it is by now.
    assert_eq!(picker.next_deadline(&settings, Millis::ZERO), Some(secs(120)));
    picker.record_poll(Some(secs(120)));
    assert_eq!(
        picker.next_deadline(&settings, Millis::ZERO),
        None,
        "it was seen in time"
    );
    // A silence that ends meanwhile is such a moment too.
    picker.record_poll(None);
    assert_eq!(picker.next_deadline(&settings, Millis::ZERO), Some(secs(120)));
    assert_eq!(picker.next_deadline(&settings, secs(300)), Some(secs(300)));
}

#[test]
fn what_was_learned_outlasts_a_restart() {
    let online = [account("x", Some("BOT"), Some(1500))];
    let x: UserId = "x".parse().unwrap();
    let mut picker = OpponentPicker::default();
    for _ in 0..2 {
        picker.avoid(x.clone(), secs(100), None);
    }
    let learned = picker.take_changes();
    assert_eq!((learned.len(), learned[1].refusals), (2, 2));
    assert_eq!(picker.take_changes(), []);
    // The next run begins an hour before noon; the cooldown that is left counts from there.
    let eleven = secs(50 * 24 * 3600 + 11 * 3600);
    let cooldown = ChallengeCooldown {
        until: eleven + secs(600),
        ..learned[1].clone()
    };
    let mut next = OpponentPicker::restore(&[cooldown], MAX_PER_DAY, eleven);
    assert_eq!(chosen(&next, &online, secs(599)), None);
    assert!(chosen(&next, &online, secs(600)).is_some());
    assert!(
        !next.is_due(&matchmaking(), secs(13 * 3600 - 1)),
        "the day's challenges are sent"
    );
    assert!(next.is_due(&matchmaking(), secs(13 * 3600)));
    next.avoid(x, secs(600), None);
    assert_eq!(next.take_changes()[0].refusals, 3);
}

#[test]
fn a_crowd_is_not_remembered_for_ever() {
    let mut picker = OpponentPicker::default();
    for number in 0..(REMEMBERED as u64 + 10) {
        picker.avoid(format!("bot{number}").parse().unwrap(), secs(number), None);
    }
    assert_eq!(picker.memory.len(), REMEMBERED);
}
