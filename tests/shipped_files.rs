//! The files that come with Sparring are in order, show every key, and say what is true.

use std::{collections::BTreeSet, fs, io::ErrorKind, path::PathBuf, process::Command};

use sparring::{
    cli::{
        check::check,
        explain::table,
        report::{Style, draw},
    },
    config::{self, Config},
    personality::{self, Profile, strength},
    settings::{Fallback, Key},
};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn shipped() -> Vec<Profile> {
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
            Fallback::Value(_) => assert!(key.span.is_some(), "{} is not shown", key.path),
            Fallback::Nothing(_) => assert!(
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
                if (example.contains(" = ") && !example.contains(". ")) || example.starts_with("[[") =>
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

#[test]
fn pages_show_every_key() {
    for (page, keys) in [
        ("bot-toml", config::keys("")),
        ("personality", personality::keys("")),
        ("power", power_keys()),
    ] {
        let path = root().join(format!("docs/{page}.md"));
        let text = fs::read_to_string(&path).unwrap();
        let table = table(&keys);
        if std::env::var_os("BLESS").is_some() {
            let begin = text.find("| key |").or_else(|| text.find("KEYS")).unwrap();
            fs::write(&path, format!("{}{table}", &text[..begin])).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(&table), "{page}.md should end with\n{table}");
    }
}

/// The keys that only power mode has.
fn power_keys() -> Vec<Key> {
    let mut keys = personality::keys("mode = \"power\"");
    keys.retain(|key| key.path.starts_with("search.") || key.path.starts_with("eval."));
    keys
}

#[test]
fn links_of_the_pages_lead_to_files_that_there_are() {
    let folders = ["", "docs", "lab", "training/human"];
    let pages = folders.iter().flat_map(|folder| {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        entries.map(|entry| entry.unwrap().path())
    });
    for page in pages.filter(|path| path.extension().is_some_and(|ending| ending == "md")) {
        let text = fs::read_to_string(&page).unwrap();
        for rest in text.split("](").skip(1) {
            let link = rest.split([')', '#', ' ']).next().unwrap();
            let is_found = link.contains("://") || page.parent().unwrap().join(link).exists();
            assert!(is_found, "{} links to {link}", page.display());
        }
    }
}

#[test]
fn examples_of_the_pages_on_personalities_are_personalities() {
    for page in ["personality", "power"] {
        let text = fs::read_to_string(root().join(format!("docs/{page}.md"))).unwrap();
        let example = text
            .split("```toml\n")
            .nth(1)
            .unwrap()
            .split("```")
            .next()
            .unwrap();
        let (profile, findings) = personality::read("tim.toml", example);
        assert!(
            profile.is_some() && findings.list.is_empty(),
            "{page}: {findings}"
        );
    }
}

#[test]
fn the_entry_for_test_rigs_sets_options_that_there_are() {
    let text = fs::read_to_string(root().join("docs/openbench.json")).unwrap();
    let entry: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(entry["nps"].as_u64().is_some_and(|nps| nps > 0));
    let mut said = Vec::new();
    sparring::uci::run("uci\n".as_bytes(), &mut said).unwrap();
    let listing = String::from_utf8(said).unwrap();
    let presets = ["test_presets", "tune_presets"].map(|kind| entry[kind].as_object().unwrap());
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
    let play = |profile: &Profile| {
        let knobs = strength::knobs_of(profile, None, true);
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

#[test]
fn the_units_leave_a_burglar_little() {
    for name in ["sparring.service", "sparring@.service"] {
        let unit = root().join("systemd").join(name);
        let asked = Command::new("systemd-analyze")
            // The exposure is told in tenths: 1.5.
            .args(["security", "--offline=true", "--no-pager", "--threshold=15"])
            .arg(&unit)
            .output();
        match asked {
            Ok(output) => assert!(
                output.status.success(),
                "{name}: {}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            ),
            Err(why) if why.kind() == ErrorKind::NotFound => {
                eprintln!("not run, there is no systemd-analyze here")
            }
            Err(why) => panic!("{why}"),
        }
    }
}

#[test]
fn the_units_show_what_is_wrong_before_they_start() {
    for name in ["sparring.service", "sparring@.service"] {
        let unit = fs::read_to_string(root().join("systemd").join(name)).unwrap();
        assert!(
            unit.contains("\nExecStartPre=-/usr/bin/sparring check /etc/sparring/"),
            "{name}"
        );
    }
}

#[test]
fn the_units_hand_over_secrets_start_without_them_and_keep_accounts_apart() {
    let units = [
        ("sparring.service", "", "sparring"),
        ("sparring@.service", "/%i", "sparring-%i"),
    ];
    for (name, folder, place) in units {
        let unit = fs::read_to_string(root().join("systemd").join(name)).unwrap();
        let has = |line: &str| unit.lines().any(|found| found == line);
        for secret in ["lichess-token", "dashboard-password"] {
            let file = format!("/etc/sparring{folder}/{secret}");
            assert!(has(&format!("LoadCredential={secret}:{file}")), "{name}");
            // An empty value would be no default at all: systemd calls it a mistake and passes over it.
            assert!(has(&format!(r"SetCredential={secret}:\n")), "{name}");
        }
        // A folder in another unit's: systemd starts neither once the other has run.
        assert!(has(&format!("StateDirectory={place}")), "{name}");
        assert!(has(&format!("RuntimeDirectory={place}")), "{name}");
    }
}
