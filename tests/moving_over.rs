//! `sparring init --from config.yml --offline`: moving over from lichess-bot and BotLi with the real program.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// A folder with another bot's settings as `config.yml`, and its book.
struct Old {
    folder: tempfile::TempDir,
    text: String,
}

impl Old {
    fn fixture(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures/moving-over")
            .join(name);
        Self::with(&fs::read_to_string(path).unwrap())
    }

    fn with(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config.yml"), text).unwrap();
        let (book, _) = sparring_book::parse("own.book", "e4 60 | d4 40\n");
        fs::create_dir(folder.path().join("books")).unwrap();
        fs::write(
            folder.path().join("books/own.bin"),
            sparring_book::export_polyglot(&book.unwrap()),
        )
        .unwrap();
        Self {
            folder,
            text: text.to_owned(),
        }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn sparring(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_sparring"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("LICHESS_URL")
            .env_remove("LICHESS_TOKEN")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The settings may be called by any name.
    fn renamed(self, name: &str) -> Output {
        fs::rename(self.at("config.yml"), self.at(name)).unwrap();
        self.sparring(&["init", "--from", name, "--output", "new", "--offline"])
    }

    fn move_over(&self) -> Output {
        self.sparring(&["init", "--from", "config.yml", "--output", "new", "--offline"])
    }
}

fn said(output: &Output) -> String {
    String::from_utf8([&output.stdout[..], &output.stderr[..]].concat()).unwrap()
}

/// The keys of a text, by the colons behind them.
fn keys(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let words = lines.flat_map(|line| line.split([' ', '{', ',']));
    words
        .filter_map(|word| word.strip_suffix(':'))
        .filter(|key| *key != "<<" && !key.is_empty())
        .collect()
}

#[test]
fn every_setting_is_told_the_token_moves_and_the_check_passes() {
    for (fixture, token) in [
        ("lichess-bot.yml", "lip_canaryCanaryCanary1"),
        ("botli.yml", "lip_canaryCanaryCanary2"),
    ] {
        let old = Old::fixture(fixture);
        let output = old.move_over();
        let report = said(&output);
        assert!(output.status.success(), "{report}");
        for key in keys(&old.text) {
            assert!(report.contains(key), "{fixture}: {key}: {report}");
        }
        assert!(!report.contains("Not known"), "{report}");

        assert_eq!(
            fs::read_to_string(old.at("new/token")).unwrap(),
            format!("{token}\n")
        );
        assert_eq!(
            fs::metadata(old.at("new/token")).unwrap().permissions().mode() & 0o777,
            0o600
        );
        let settings = fs::read_to_string(old.at("new/bot.toml")).unwrap();
        let personality = fs::read_to_string(old.at("new/personalities/moved.toml")).unwrap();
        for text in [&report, &settings, &personality] {
            assert!(!text.contains("anary"), "{text}");
        }
        assert!(settings.contains("\ntoken-file = \"token\"\n"));
        assert_eq!(
            fs::read_to_string(old.at("new/books/own.book")).unwrap(),
            "1. e4 60 | d4 40\n"
        );
        assert!(old.at("new/personalities/club.toml").exists());

        let check = old.sparring(&["check", "--config", "new/bot.toml"]);
        assert!(check.status.success(), "{}", said(&check));
        assert_eq!(fs::read_to_string(old.at("config.yml")).unwrap(), old.text);
    }
}

#[test]
fn files_that_are_there_stay_as_they_are() {
    for taken in ["bot.toml", "token", "personalities/moved.toml", "books/own.book"] {
        let old = Old::fixture("botli.yml");
        let path = old.at("new").join(taken);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "mine").unwrap();
        let output = old.move_over();
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(
            said(&output).contains(&format!("new/{taken} exists already")),
            "{}",
            said(&output)
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        let others = ["bot.toml", "token"].iter().filter(|other| **other != taken);
        assert_eq!(
            others.filter(|other| old.at("new").join(other).exists()).count(),
            0
        );
    }
    let output = Old::fixture("botli.yml").renamed("old-settings");
    assert!(output.status.success(), "{}", said(&output));
    // One that comes with the program may be there already, and have been changed.
    let old = Old::fixture("botli.yml");
    fs::create_dir_all(old.at("new/books")).unwrap();
    fs::write(old.at("new/books/main.book"), "1. e4\n").unwrap();
    assert!(old.move_over().status.success());
    assert_eq!(
        fs::read_to_string(old.at("new/books/main.book")).unwrap(),
        "1. e4\n"
    );
}

#[test]
fn mistakes_are_told_by_file_line_and_column_and_nothing_is_written() {
    for (text, place) in [
        ("token: \"lip_canaryCanaryCanary3\nengine:\n", "config.yml:"),
        ("engine:\n  dir: x\n name: y\n", "config.yml:3:"),
        (
            "engine:\n  dir: x\nabort_time: soon\n",
            "config.yml:3:13: error: abort_time: a number",
        ),
        (
            "token: lip_canaryCanaryCanary3\n",
            "config.yml:1:1: error: these are the settings of neither",
        ),
    ] {
        let old = Old::with(text);
        let output = old.move_over();
        assert_eq!(output.status.code(), Some(78), "{}", said(&output));
        assert!(
            said(&output).lines().any(|line| line.starts_with(place)),
            "{place}: {}",
            said(&output)
        );
        assert!(!said(&output).contains("anary"), "{}", said(&output));
        assert!(!old.at("new").exists());
    }
}

#[test]
fn a_key_that_stands_twice_is_warned_of() {
    let old = Old::with("engine: {dir: x}\nabort_time: 20\nabort_time: 40\n");
    let output = old.move_over();
    assert!(output.status.success());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("config.yml:3:1: warning: \"abort_time\" stands here twice"),
        "{stderr}"
    );
    assert!(
        fs::read_to_string(old.at("new/bot.toml"))
            .unwrap()
            .contains("\nabort-time = \"40s\"")
    );
}

#[test]
fn a_placeholder_is_no_token_and_offline_goes_with_settings_alone() {
    let old = Old::with("token: \"xxxxxxxxxxxxxxxxxxxxxx\"\nengine: {dir: x}\n");
    let output = old.move_over();
    assert!(output.status.success(), "{}", said(&output));
    assert!(!old.at("new/token").exists());
    // Without a token there is nothing to ask the server about.
    let online = old.sparring(&["init", "--from", "config.yml", "--output", "other"]);
    assert_eq!(online.status.code(), Some(77), "{}", said(&online));
    assert!(said(&online).contains("only a placeholder"), "{}", said(&online));
    assert!(!old.at("other").exists());
    fs::write(old.at("given"), "lip_canaryCanaryCanary4\n").unwrap();
    let plain = old.sparring(&["init", "--from", "given", "--output", "other", "--offline"]);
    assert_eq!(plain.status.code(), Some(2), "{}", said(&plain));
    assert!(!old.at("other").exists());
}
