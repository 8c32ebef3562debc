//! Whole files, translated.

mod any_values;
mod botli;
mod lichess_bot;

use std::{collections::BTreeSet, fs};

use super::{table::Fate, *};

const LICHESS_BOT: &str = include_str!("../../../../tests/fixtures/moving-over/lichess-bot.yml");
const BOTLI: &str = include_str!("../../../../tests/fixtures/moving-over/botli.yml");

/// The shipped bot.toml.
const SHIPPED: &str = include_str!("../../../../bot.toml");

/// A translation in a folder that has the Polyglot book `books/own.bin`.
fn translated(text: &str) -> (tempfile::TempDir, Import) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("books")).unwrap();
    let book = books::tests::polyglot("e4 60 | d4 30 | c4 10\ne4 e5\nd4 d5\n");
    fs::write(folder.path().join("books/own.bin"), book).unwrap();
    let (import, _) =
        translate("config.yml", text, folder.path()).unwrap_or_else(|findings| panic!("{findings}"));
    (folder, import)
}

fn config(import: &Import) -> config::Config {
    let text = import.settings(SHIPPED).unwrap();
    let (config, findings) = config::read("bot.toml", &text);
    config.unwrap_or_else(|| panic!("{findings}"))
}

fn file(import: &Import, path: &str) -> String {
    let files = import.files(Some("MyBot"));
    files
        .into_iter()
        .find(|file| file.path == Path::new(path))
        .unwrap()
        .text
}

fn moved(import: &Import) -> sparring_personality::Personality {
    let text = file(import, "personalities/moved.toml");
    let (moved, findings) = sparring_personality::read("moved.toml", &text);
    moved.unwrap_or_else(|| panic!("{findings}"))
}

fn fate<'i>(import: &'i Import, path: &str) -> &'i Fate {
    let outcome = import.outcomes.iter().find(|outcome| outcome.path == path);
    &outcome.unwrap_or_else(|| panic!("{path} has no fate")).fate
}

/// The settings at the leaves that a pattern may speak of, with `*` for names.
fn fixture_has_every_row(peer: &Peer, text: &str) {
    let (root, _) = yaml::parse(text).unwrap();
    for pattern in table::patterns(peer.rows) {
        let mut open = vec![&root];
        for part in pattern.split('.') {
            let entries = open.iter().flat_map(|node| node.entries());
            open = entries
                .filter(|entry| part == "*" || entry.key == part)
                .map(|entry| &entry.node)
                .collect();
        }
        assert!(!open.is_empty(), "the fixture lacks {pattern}");
    }
}

/// Every leaf of a file has exactly one fate, and none is unknown.
fn all_are_accounted_for(import: &Import) {
    let (root, _) = yaml::parse(&import.text).unwrap();
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for outcome in &import.outcomes {
        assert!(told.insert(&outcome.path), "{} has two fates", outcome.path);
        assert!(!matches!(outcome.fate, Fate::Unknown(_)), "{outcome:?}");
    }
    fn leaves(node: &Node, path: &str, check: &mut dyn FnMut(&str)) {
        for entry in node.entries() {
            let path = format!("{path}{}", entry.key);
            if entry.node.entries().is_empty() {
                check(&path);
            } else {
                leaves(&entry.node, &format!("{path}."), check);
            }
        }
    }
    leaves(&root, "", &mut |leaf| {
        let is_told = told
            .iter()
            .any(|path| leaf == *path || leaf.starts_with(&format!("{path}.")));
        assert!(is_told, "{leaf} has no fate");
    });
}

#[test]
fn the_fixtures_have_every_setting_and_none_is_without_a_fate() {
    fixture_has_every_row(&PEERS[0], LICHESS_BOT);
    fixture_has_every_row(&PEERS[1], BOTLI);
    for text in [LICHESS_BOT, BOTLI] {
        all_are_accounted_for(&translated(text).1);
    }
}

#[test]
fn keys_that_nobody_knows_get_a_place_and_a_suggestion() {
    let text =
        "engine:\n  dir: e\n  uci_opshuns: {}\nchalenge:\n  a: 1\nzzz: lip_canaryCanaryCanary1\nname: x\n";
    let (_folder, import) = translated(text);
    let report = import.report();
    let unknown = &report[report.find("Not known (").unwrap()..];
    // Long lines are broken.
    let unknown = unknown.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "config.yml:3:3: engine.uci_opshuns",
        "did you mean \"uci_options\"?",
        "config.yml:4:1: chalenge",
        "did you mean \"challenge\"?",
        "config.yml:6:1: zzz",
        "not known to lichess-bot 2026.8.2.1",
        "it knows engine.name",
    ] {
        assert!(unknown.contains(said), "{said}: {unknown}");
    }
    assert!(!report.contains("Canary"));
    assert!(import.settings(SHIPPED).unwrap().contains("Not known:"));
}

#[test]
fn values_of_a_wrong_kind_are_told_all_at_once() {
    let text = "engine: 5\nabort_time: soon\nchallenge:\n  concurrency: [1]\n  accept_bot: maybe\n";
    let Err(findings) = translate("config.yml", text, Path::new(".")) else {
        panic!("it was translated");
    };
    let said = findings.to_string();
    for line in [
        "config.yml:1:9: error: engine: keys are wanted here",
        "config.yml:2:13: error: abort_time: a number is wanted here",
        "config.yml:4:16: error: challenge.concurrency: a whole number is wanted here",
        "config.yml:5:15: error: challenge.accept_bot: true or false is wanted here",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
}

#[test]
fn other_files_are_not_taken_for_settings_of_a_bot() {
    for text in ["", "a: 1\n", "- x\n", "token: x\nchallenge: {}\n"] {
        let Err(findings) = translate("config.yml", text, Path::new(".")) else {
            panic!("it was translated: {text}");
        };
        assert!(
            findings.to_string().starts_with("config.yml:1:1: error: "),
            "{findings}"
        );
    }
}

#[test]
fn a_malformed_token_is_not_written_and_not_shown() {
    for token in ["\"two words\"", "lip_abc-def", "XXXXXXXX", "\"\"", ""] {
        let (_folder, import) = translated(&format!("engine: {{dir: e}}\ntoken: {token}\n"));
        assert_eq!(import.token(), None, "{token}");
        assert!(!import.report().contains("two words") && !import.report().contains("abc-def"));
    }
}
