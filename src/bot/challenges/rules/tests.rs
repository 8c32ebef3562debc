//! What rules decide, each with a list as its author would write it.

use serde_json::{Value, json};

use super::*;
use crate::{bot::challenges::rule_context::LocalContext, config, user_lists::UserLists};
use sparring_chess::units::Elo;
use sparring_personality::Delay;

fn rules(text: &str) -> Vec<Rule> {
    let (config, findings) = config::read("bot.toml", text);
    config.unwrap_or_else(|| panic!("{findings}")).rules
}

fn challenge(changes: Value) -> Challenge {
    let mut challenge = json!({
        "id": "abcd1234", "status": "created",
        "challenger": {"id": "ana", "name": "Ana", "rating": 1500},
        "variant": {"key": "standard"}, "rated": false, "speed": "blitz",
        "timeControl": {"type": "clock", "limit": 300, "increment": 3}
    });
    for (key, value) in changes.as_object().unwrap() {
        challenge[key] = value.clone();
    }
    serde_json::from_value(challenge).unwrap()
}

fn ruling_at(text: &str, changes: Value, moment: &LocalContext) -> RuleDecision {
    let challenge = challenge(changes);
    judge(
        &rules(text),
        &challenge,
        None,
        &RuleContext::of_challenge(&challenge, moment),
    )
}

fn ruling(text: &str, changes: Value) -> RuleDecision {
    ruling_at(text, changes, &LocalContext::default())
}

fn clock(limit: u32, increment: u32) -> Value {
    json!({"timeControl": {"type": "clock", "limit": limit, "increment": increment}})
}

fn days(days: u32) -> Value {
    json!({"timeControl": {"type": "correspondence", "daysPerTurn": days}})
}

fn bot() -> Value {
    json!({"challenger": {"id": "x", "name": "x", "title": "BOT", "rating": 2000}})
}

fn declined(ruling: RuleDecision) -> Option<DeclineReason> {
    match ruling.then {
        Action::Decline(reason) => Some(reason),
        _ => None,
    }
}

/// The start of Horde.
const HORDE: &str = "rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq - 0 1";

#[test]
fn without_rules_everybody_with_a_clock_is_welcome() {
    for changes in [
        json!({}),
        json!({"rated": true}),
        json!({"challenger": null}),
        bot(),
        json!({"variant": {"key": "chess960"}}),
        json!({"variant": {"key": "crazyhouse"}}),
        json!({"variant": {"key": "horde"}, "initialFen": HORDE}),
        clock(0, 1),
        clock(10_800, 180),
    ] {
        let welcome = RuleDecision {
            then: Action::Queue,
            by: DecidedBy::Nobody,
        };
        assert_eq!(ruling("", changes.clone()), welcome, "{changes}");
    }
    for changes in [days(2), json!({"timeControl": {"type": "unlimited"}})] {
        assert_eq!(declined(ruling("", changes)), Some(DeclineReason::TooSlow));
    }
}

#[test]
fn what_nobody_could_play_is_refused_before_any_rule() {
    let welcoming = "[[rule]]\nthen = \"accept\"\n";
    let broken = json!({"variant": {"key": "fromPosition"}, "initialFen": "8/8/8/8/8/8/8/8 w - - 0 1"});
    for (changes, reason) in [
        (
            json!({"variant": {"key": "atomic"}, "initialFen": "8/8/8/8/8/8/8/4K3 w - - 0 1"}),
            DeclineReason::Variant,
        ),
        (json!({"variant": {"key": "fogOfWar"}}), DeclineReason::Variant),
        (broken, DeclineReason::Variant),
        (clock(15, 0), DeclineReason::TooFast),
        (
            json!({"timeControl": {"type": "hourglass"}}),
            DeclineReason::TimeControl,
        ),
    ] {
        let ruling = ruling(welcoming, changes.clone());
        assert_eq!(declined(ruling), Some(reason), "{changes}");
        assert!(matches!(ruling.by, DecidedBy::Nature(_)), "{changes}");
    }
    let challenge = challenge(json!({}));
    let facts = RuleContext::of_challenge(&challenge, &LocalContext::default());
    let compat = Compat {
        bot: false,
        board: true,
    };
    assert_eq!(
        declined(judge(&[], &challenge, Some(compat), &facts)),
        Some(DeclineReason::Generic)
    );
}

#[test]
fn the_first_rule_that_fits_decides() {
    let text = "[[rule]]\nname = \"friends\"\nusers = [\"ANA\"]\nthen = \"accept\"\n\
                [[rule]]\nfrom = \"humans\"\nthen = \"decline\"\n[[rule]]\nthen = \"queue\"\n";
    assert_eq!(
        ruling(text, json!({})),
        RuleDecision {
            then: Action::Accept,
            by: DecidedBy::Rule(0)
        }
    );
    let boris = json!({"challenger": {"id": "boris", "name": "Boris"}});
    assert_eq!(declined(ruling(text, boris)), Some(DeclineReason::OnlyBot));
    assert_eq!(ruling(text, bot()).by, DecidedBy::Rule(2));
    assert_eq!(
        title(&rules(text), DecidedBy::Rule(0)),
        "rule 1 \"friends\", line 1"
    );
    let own = Rule {
        name: Some("of the program itself".to_owned()),
        ..Rule::default()
    };
    assert_eq!(
        title(&[own], DecidedBy::Rule(0)),
        "rule 1 \"of the program itself\""
    );
}

/// Each condition with a challenge that it holds for and one that it does not.
#[test]
fn every_condition_can_hold_and_fail() {
    let moment = LocalContext {
        ratings: std::sync::Arc::new([("blitz".to_owned(), Elo(1400))].into()),
        lists: std::sync::Arc::new(UserLists::written(&rules_lists())),
        played_today: 2,
        score: crate::store::OpponentScore {
            games: 10,
            half_points: 7,
            level: Some(Elo(1250)),
        },
        running: 1,
        minute: 600,
        rematch: false,
    };
    let rematch = json!({"rematchOf": "efgh5678"});
    let titled =
        json!({"challenger": {"id": "m", "name": "M", "title": "GM", "rating": 2500, "provisional": true}});
    let anonymous = json!({"challenger": null});
    let unlimited = json!({"timeControl": {"type": "unlimited"}});
    for (condition, holds, fails) in [
        ("from = \"bots\"", bot(), json!({})),
        ("mode = \"rated\"", json!({"rated": true}), json!({})),
        (
            "variants = [\"chess960\"]",
            json!({"variant": {"key": "chess960"}}),
            json!({}),
        ),
        ("speeds = [\"rapid\"]", clock(600, 0), json!({})),
        ("clocks = [\"5+3\"]", json!({}), clock(300, 2)),
        ("clocks = [\"5+3\"]", json!({}), days(1)),
        ("unlimited = true", unlimited.clone(), json!({})),
        ("unlimited = false", json!({}), unlimited),
        ("min-initial = \"6m\"", clock(360, 0), json!({})),
        ("max-initial = \"5m\"", json!({}), clock(360, 0)),
        ("min-increment = \"4s\"", clock(300, 4), json!({})),
        ("max-increment = \"3s\"", json!({}), clock(300, 4)),
        ("min-days = 3", days(3), days(2)),
        ("max-days = 3", days(3), json!({})),
        ("min-rating = 1600", bot(), json!({})),
        ("max-rating = 1600", json!({}), bot()),
        ("max-rating = 1600", json!({}), anonymous.clone()),
        ("min-difference = 101", bot(), json!({})),
        ("max-difference = 100", json!({}), bot()),
        ("max-difference = 100", json!({}), clock(600, 0)),
        ("provisional = true", titled.clone(), json!({})),
        ("titles = [\"GM\", \"IM\"]", titled, bot()),
        ("users = [\"Ana\"]", json!({}), anonymous),
        ("lists = [\"friends\"]", json!({}), bot()),
        ("rematch = true", rematch.clone(), json!({})),
        ("rematch = false", json!({}), rematch),
    ] {
        let text = format!("{LISTS}[[rule]]\n{condition}\nthen = \"accept\"\n");
        assert_eq!(
            ruling_at(&text, holds, &moment).by,
            DecidedBy::Rule(0),
            "{condition}"
        );
        assert_eq!(
            ruling_at(&text, fails, &moment).by,
            DecidedBy::Nobody,
            "{condition}"
        );
    }
    for (condition, holds) in [
        ("min-played-today = 2", true),
        ("min-played-today = 3", false),
        ("min-games-ever = 10", true),
        ("min-games-ever = 11", false),
        ("max-games-ever = 9", false),
        ("min-score = 35", true),
        ("min-score = 36", false),
        ("max-score = 34", false),
        ("min-last-level = 1250", true),
        ("min-last-level = 1251", false),
        ("max-last-level = 1249", false),
        ("min-running = 1", true),
        ("min-running = 2", false),
        ("hours = \"09:00-10:30\"", true),
        ("hours = \"22:00-10:00\"", false),
    ] {
        let text = format!("[[rule]]\n{condition}\nthen = \"accept\"\n");
        assert_eq!(
            ruling_at(&text, json!({}), &moment).by == DecidedBy::Rule(0),
            holds,
            "{condition}"
        );
    }
}

const LISTS: &str = "[[list]]\nname = \"friends\"\nusers = [\"Ana\"]\n";

fn rules_lists() -> Vec<crate::config::UserList> {
    config::read("bot.toml", LISTS).0.unwrap().lists
}

#[test]
fn each_thing_about_a_game_is_said_by_the_first_rule_that_speaks_of_it() {
    let rules = rules(
        "[[rule]]\nfrom = \"bots\"\npersonality = \"attacker\"\n[[rule]]\nspeeds = [\"blitz\"]\nlevel = 900\nno-delay = true\n\
         tempo = 0.5\n[[rule]]\ntempo = 2.0\ndelay = \"human\"\nlevel = 2000\nbooks-white = [\"gambits\"]\n",
    );
    let mut play = config::Config::default().play;
    play.level = Some(Elo(1200));
    let cast = |changes: Value| {
        let facts = RuleContext::of_challenge(&challenge(changes), &LocalContext::default());
        casting(&rules, &facts, &play)
    };
    let blitz = cast(json!({}));
    assert_eq!(
        (blitz.personality.as_str(), blitz.level),
        ("club", Some(Elo(900)))
    );
    assert!(blitz.fast);
    assert_eq!((blitz.delay, blitz.tempo), (Some(Delay::Human), Some(0.5)));
    assert_eq!(blitz.books_white, Some(vec!["gambits".to_owned()]));
    let other = cast(bot());
    assert_eq!(
        (other.personality.as_str(), other.level),
        ("attacker", Some(Elo(900)))
    );
    assert_eq!(cast(clock(600, 0)).level, Some(Elo(2000)));
    let only_named = casting(
        &rules[..1],
        &RuleContext::of_challenge(&challenge(bot()), &LocalContext::default()),
        &play,
    );
    assert_eq!(
        only_named.level, None,
        "the level in [play] was meant for another"
    );
}

#[test]
fn the_opponents_own_level_is_for_casual_games_and_a_later_rule_serves_the_rated_ones() {
    let rules = rules("[[rule]]\nlevel = \"opponent+100\"\n[[rule]]\nlevel = 900\n");
    let play = config::Config::default().play;
    let level = |changes: Value| {
        let facts = RuleContext::of_challenge(&challenge(changes), &LocalContext::default());
        casting(&rules, &facts, &play).level
    };
    assert_eq!(level(json!({"rated": false})), Some(Elo(1600)));
    assert_eq!(level(json!({"rated": true})), Some(Elo(900)));
    let over = |changes: Value| {
        let facts = RuleContext::of_challenge(&challenge(changes), &LocalContext::default());
        passed_over(&rules, &facts)
    };
    assert_eq!(over(json!({"rated": true})), Some(DecidedBy::Rule(0)));
    assert_eq!(over(json!({"rated": false})), None);
}

#[test]
fn the_level_of_the_last_game_goes_on_and_results_are_not_counted_twice() {
    let rules = rules("[[rule]]\nlevel = \"last\"\nadapt = \"rematches\"\n[[rule]]\nlevel = 900\n");
    let play = config::Config::default().play;
    let cast = |rated: bool, last: Option<u32>| {
        let moment = LocalContext {
            score: crate::store::OpponentScore {
                level: last.map(Elo),
                ..crate::store::OpponentScore::default()
            },
            ..LocalContext::default()
        };
        let facts = RuleContext::of_challenge(&challenge(json!({"rated": rated})), &moment);
        let cast = casting(&rules, &facts, &play);
        (cast.level.unwrap().0, cast.adapt)
    };
    assert_eq!(cast(false, Some(1230)), (1230, Adapt::Off));
    assert_eq!(
        cast(false, None),
        (900, Adapt::Rematches),
        "there was no game yet"
    );
    assert_eq!(cast(true, Some(1230)), (900, Adapt::Off));
}

#[test]
fn the_rating_that_lichess_shows_with_a_challenge_comes_before_an_older_one() {
    let moment = LocalContext {
        ratings: std::sync::Arc::new([("blitz".to_owned(), Elo(1400))].into()),
        ..LocalContext::default()
    };
    let own = |changes: Value| RuleContext::of_challenge(&challenge(changes), &moment).own_rating;
    assert_eq!(own(json!({})), Some(Elo(1400)));
    let shown = json!({"destUser": {"id": "me", "name": "Me", "rating": 1460}});
    assert_eq!(own(shown), Some(Elo(1460)));
    let unrated = json!({"destUser": {"id": "me", "name": "Me"}});
    assert_eq!(own(unrated), Some(Elo(1400)));
}
