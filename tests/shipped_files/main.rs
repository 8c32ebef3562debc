//! The files that come with Sparring are in order, show every key, and say what is true.

mod packaging;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use sparring::{
    cli::{
        check::check,
        render_diagnostics::{Style, draw},
    },
    config::{self, Config},
};
use sparring_chess::Variant;
use sparring_config_schema::DefaultValue;
use sparring_personality::{self as personality, Personality, strength};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn shipped() -> Vec<Personality> {
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        let (profile, findings) =
            personality::read(path.to_str().unwrap(), &fs::read_to_string(&path).unwrap());
        profile.unwrap_or_else(|| panic!("{findings}"))
    };
    fs::read_dir(root().join("personalities"))
        .unwrap()
        .map(read)
        .collect()
}

#[test]
fn settings_books_and_personalities_pass_the_check() {
    let outcome = check(&[root().join("bot.toml")]).unwrap();
    assert_eq!(draw(&outcome.findings, Style::Lines), "");
    assert!(outcome.files >= 1 + 6 + 4, "{} files", outcome.files);
}

#[test]
fn bot_toml_shows_every_key_with_its_default() {
    let text = fs::read_to_string(root().join("bot.toml")).unwrap();
    let (config, findings) = config::read("bot.toml", &text);
    assert_eq!(config, Some(Config::default()), "{findings}");
    for key in config::keys(&text) {
        let name = key.path.rsplit('.').next().unwrap();
        match key.fallback {
            DefaultValue::Value(_) => assert!(key.span.is_some(), "{} is not shown", key.path),
            DefaultValue::Nothing(_) => assert!(
                text.contains(&format!("\n# {name} = ")),
                "{} is not shown as a comment",
                key.path
            ),
        }
    }
}

#[test]
fn examples_in_comments_of_bot_toml_can_be_used() {
    let text = fs::read_to_string(root().join("bot.toml")).unwrap();
    let used: String = text
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(example)
                if (example.contains(" = ") && !example.contains(". ")) || example.starts_with('[') =>
            {
                format!("{example}\n")
            }
            _ => format!("{line}\n"),
        })
        .collect();
    let (config, findings) = config::read("bot.toml", &used);
    assert!(config.is_some(), "{findings}");
    assert!(config::keys(&used).iter().all(|key| key.span.is_some()));
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(page: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(page).unwrap();
    let heads = text.lines().filter_map(|line| line.strip_prefix('#'));
    let anchor = |head: &str| {
        let kept = head.trim_start_matches('#').trim().to_lowercase();
        let kept = kept
            .chars()
            .filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    heads.map(anchor).collect()
}

#[test]
fn links_of_the_pages_lead_to_files_that_there_are() {
    let folders = ["", "docs", "lab", "lab/human-model"];
    let pages = folders.iter().flat_map(|folder| {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().path())
    });
    for page in pages.filter(|path| path.extension().is_some_and(|ending| ending == "md")) {
        let text = fs::read_to_string(&page).unwrap();
        for rest in text.split("](").skip(1) {
            let link = rest.split([')', ' ']).next().unwrap();
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                page.clone()
            } else {
                page.parent().unwrap().join(file)
            };
            assert!(target.exists(), "{} links to {link}", page.display());
            let is_found = anchor.is_empty() || anchors(&target).contains(anchor);
            assert!(is_found, "{} links to {link}: no such heading", page.display());
        }
    }
}

#[test]
fn examples_of_the_page_on_personalities_are_personalities() {
    let text = fs::read_to_string(root().join("docs/personalities.md")).unwrap();
    let blocks = text.split("```toml\n").skip(1);
    let examples: Vec<&str> = blocks.map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(examples.len() >= 3, "{} examples", examples.len());
    for example in examples {
        if example.contains("\n[play]\n") {
            let (config, findings) = config::read("bot.toml", example);
            assert!(
                config.is_some() && findings.list.is_empty(),
                "{findings}\nin\n{example}"
            );
            continue;
        }
        let (profile, findings) = personality::read("tim.toml", example);
        assert!(
            profile.is_some() && findings.list.is_empty(),
            "{findings}\nin\n{example}"
        );
    }
}

#[test]
fn examples_of_the_page_on_rules_are_rules() {
    let text = fs::read_to_string(root().join("docs/rules.md")).unwrap();
    let example = text.split("```toml\n").nth(1).unwrap();
    let (config, findings) = config::read("bot.toml", example.split("```").next().unwrap());
    assert!(config.is_some(), "{findings}");
    assert_eq!(findings.to_string(), "");
}

#[test]
fn the_entry_for_test_rigs_sets_options_that_there_are() {
    let text = fs::read_to_string(root().join("docs/openbench.json")).unwrap();
    let entry: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(entry["nps"].as_u64().is_some_and(|nps| nps > 0));
    let mut said = Vec::new();
    sparring_uci::run("uci\n".as_bytes(), &mut said).unwrap();
    let listing = String::from_utf8(said).unwrap();
    let presets =
        ["test_presets", "tune_presets", "datagen_presets"].map(|kind| entry[kind].as_object().unwrap());
    let wishes: Vec<&str> = presets
        .into_iter()
        .flat_map(|presets| presets.values())
        .flat_map(|preset| preset.as_object().unwrap())
        .filter(|(key, _)| key.ends_with("_options"))
        .flat_map(|(_, options)| options.as_str().unwrap().split(' '))
        .collect();
    assert!(wishes.len() >= 4, "{wishes:?}");
    for wish in wishes {
        let (name, value) = wish.split_once('=').unwrap();
        assert!(
            listing.contains(&format!("option name {name} type spin ")),
            "{wish}"
        );
        assert!(value.parse::<u32>().is_ok(), "{wish}");
    }
}

#[test]
fn personalities_differ_in_more_than_their_names() {
    let cast = shipped();
    assert!(cast.len() >= 12);
    let play = |profile: &Personality| {
        let knobs = strength::level_params(profile, None, Variant::Standard);
        format!(
            "{knobs:?} {:?} {} {:?} {:?}",
            profile.delay, profile.tempo, profile.books, profile.style
        )
    };
    let ways: BTreeSet<String> = cast.iter().map(play).collect();
    assert_eq!(ways.len(), cast.len());
}

#[test]
fn every_personality_describes_itself_in_one_sentence() {
    for profile in shipped() {
        assert!(
            profile.about.ends_with('.') && profile.about.matches(". ").count() == 0,
            "{}: {}",
            profile.name,
            profile.about
        );
        assert!(!profile.about.starts_with("Nobody has"), "{}", profile.name);
    }
}
