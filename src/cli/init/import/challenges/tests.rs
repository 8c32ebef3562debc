//! Filters as rules.

use super::*;
use crate::config;

/// Reads what is written: it has no findings.
fn rules(challenges: &Challenges) -> Vec<config::Rule> {
    let text = challenges.text();
    let (config, findings) = config::read("bot.toml", &text);
    assert_eq!(findings.to_string(), "", "{text}");
    config.unwrap().rules
}

#[test]
fn bounds_become_rules_that_decline_the_next_value() {
    let mut challenges = Challenges::default();
    *challenges.filter(Who::All) = Filter {
        modes: Some(vec!["casual".into()]),
        min_rating: 1000,
        max_rating: Some(2000),
        difference: Some(300),
        min_increment: 2.0,
        max_increment: Some(20.0),
        min_initial: 60.0,
        max_initial: Some(1800.0),
        ..Filter::default()
    };
    let text = challenges.text();
    for line in [
        "mode = \"rated\"",
        "max-rating = 999",
        "min-rating = 2001",
        "min-difference = 301",
        "max-difference = -301",
        "max-increment = \"1s\"",
        "min-increment = \"21s\"",
        "max-initial = \"59s\"",
        "min-initial = \"1801s\"",
    ] {
        assert!(
            text.contains(&format!("\n{line}\nthen = \"decline\"\n")),
            "{line}: {text}"
        );
    }
    assert_eq!(rules(&challenges).len(), 9);
}

#[test]
fn what_lets_everything_in_needs_no_rule() {
    let mut challenges = Challenges::default();
    *challenges.filter(Who::All) = Filter {
        variants: Some(Variant::ALL.map(|variant| variant.key().to_owned()).into()),
        modes: Some(vec!["rated".into(), "casual".into()]),
        max_rating: Some(4000),
        max_increment: Some(180.0),
        max_initial: Some(f64::INFINITY),
        ..Filter::default()
    };
    assert_eq!(challenges.text(), "");
}

#[test]
fn exact_clocks_come_before_the_speeds_that_are_declined() {
    let mut challenges = Challenges::default();
    *challenges.filter(Who::Bots) = Filter {
        speeds: Some(vec!["blitz".into()]),
        clocks: vec!["25+0".into()],
        ..Filter::default()
    };
    let text = challenges.text();
    let (clocks, speeds) = (
        text.find("clocks = [\"25+0\"]").unwrap(),
        text.find("speeds = ").unwrap(),
    );
    assert!(clocks < speeds, "{text}");
    assert!(text.contains("speeds = [\"bullet\", \"rapid\", \"classical\", \"correspondence\"]"));
    assert_eq!(text.matches("from = \"bots\"").count(), 2);
}

#[test]
fn an_empty_list_of_modes_speeds_or_variants_refuses_everybody_of_that_kind() {
    for filter in [
        Filter {
            modes: Some(Vec::new()),
            ..Filter::default()
        },
        Filter {
            speeds: Some(Vec::new()),
            ..Filter::default()
        },
        Filter {
            variants: Some(Vec::new()),
            ..Filter::default()
        },
    ] {
        let mut challenges = Challenges::default();
        *challenges.filter(Who::Humans) = filter;
        let text = challenges.text();
        assert!(text.contains("from = \"humans\"\nthen = \"decline\""), "{text}");
        assert_eq!(rules(&challenges).len(), 1);
    }
}

#[test]
fn with_an_allow_list_the_last_rule_declines_everybody_else() {
    let mut challenges = Challenges::default();
    challenges.lists.push(List {
        purpose: ListUse::Only,
        users: vec!["Ana".into()],
        url: None,
        from: "challenge.allow_list".into(),
    });
    challenges.filter(Who::All).speeds = Some(vec!["blitz".into(), "correspondence".into()]);
    challenges.filter(Who::All).max_days = Some(7.0);
    let text = challenges.text();
    assert!(
        text.ends_with("name = \"nobody else\"\nthen = \"decline\"\n"),
        "{text}"
    );
    assert!(
        text.contains("lists = [\"only\"]\nspeeds = [\"correspondence\"]\nthen = \"queue\""),
        "{text}"
    );
    assert!(text.contains("min-days = 8\n"), "{text}");
    rules(&challenges);
}
