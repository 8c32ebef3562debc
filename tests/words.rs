//! Words of the private vocabulary that the code has dropped stay out of sources, messages and pages.

mod sources;

use std::{
    fs,
    path::{Path, PathBuf},
};

use sources::{product_sources, sources};

/// Words that nobody outside would search for, each with what to write instead. Their plurals count too.
const DROPPED: &[(&str, &str)] = &[
    ("burglar", "attacker, or the name of the measure"),
    ("courtship", "matchmaking"),
    ("desk", "event loop"),
    ("doorman", "listener"),
    ("helm", "control"),
    ("herald", "notifier"),
    ("hindsight", "post mortem, or blend"),
    ("manners", "style, think time or chat"),
    ("roof", "application"),
    ("shelf", "last good version"),
    ("shelves", "last good versions"),
    ("spool", "writer"),
    ("suitor", "opponent picker"),
    ("thinker", "engine pool"),
    ("tiding", "reload event"),
];

/// This list itself, and the table that explains words of older commits.
const EXPLAINED: [&str; 2] = ["tests/words.rs", "CONTRIBUTING.md"];

/// Files of a folder with one of these endings, without what is built or fetched.
fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        if path.is_dir() {
            let below = path.strip_prefix(root()).unwrap();
            found.extend(files(below.to_str().unwrap(), endings));
        } else if endings.contains(&ending) {
            found.push(path);
        }
    }
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The words of a line in lower case: identifiers fall into their parts, `SearchRequest` and `search_request` alike.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in line.chars() {
        if !c.is_alphabetic() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if c.is_alphabetic() {
            words.last_mut().unwrap().extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn is_form_of(word: &str, dropped: &str) -> bool {
    word == dropped || word.strip_suffix('s').is_some_and(|singular| singular == dropped)
}

#[test]
fn dropped_words_stay_out() {
    let mut paths = product_sources();
    for folder in ["tests", "lab", "testkit", "examples"] {
        paths.extend(sources(&root().join(folder)));
    }
    paths.extend(files("docs", &["md"]));
    paths.extend(files("web/src", &["ts", "html", "css"]));
    paths.extend(files("personalities", &["toml"]));
    paths.extend(["README.md", "CONTRIBUTING.md", "bot.toml", "Makefile"].map(|name| root().join(name)));
    let mut found = Vec::new();
    for path in paths {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        if EXPLAINED.contains(&name.as_str()) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in (1..).zip(text.lines()) {
            for word in words(line) {
                if let Some((dropped, instead)) =
                    DROPPED.iter().find(|(dropped, _)| is_form_of(&word, dropped))
                {
                    found.push(format!("{name}:{number}: \"{dropped}\": write {instead}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn identifiers_fall_into_words() {
    assert_eq!(
        words("let MoveOverhead = a_b2c(\"It's\");"),
        ["let", "move", "overhead", "a", "b", "c", "it", "s"]
    );
    assert!(is_form_of("desks", "desk") && !is_form_of("desktop", "desk"));
}
