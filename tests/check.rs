//! `sparring check` on broken files: every mistake at once, by line and column, with what to write instead.
//!
//! Each file of `tests/fixtures/broken` has its findings beside it in a file with the ending `.txt`. After a change
//! that is meant, run with `BLESS=1` and read the difference.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use sparring::cli::{
    check::{check, summary},
    render_diagnostics::{Style, draw},
};

fn broken() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/broken")
}

/// What the check says of one file, with names as seen from its folder.
fn said_of(file: &str) -> String {
    let outcome = check(&[broken().join(file)]).unwrap();
    let folder = format!("{}/", broken().display());
    let mut findings = outcome.findings.clone();
    // Settings are checked with the folders they name, which are the shipped ones here.
    findings.retain(|text| text.name.starts_with(&folder));
    draw(&findings, Style::Lines).replace(&folder, "")
}

#[test]
fn every_broken_file_is_told_of_as_written_beside_it() {
    let files = [
        "moves.book",
        "not-toml.toml",
        "settings/bot.toml",
        "too-long.toml",
        "unknown-keys.toml",
        "wrong-delays.toml",
        "wrong-values.toml",
    ];
    for file in files {
        let expected = broken().join(file).with_extension("txt");
        let said = said_of(file);
        if env::var_os("BLESS").is_some() {
            fs::write(&expected, &said).unwrap();
        }
        assert_eq!(said, fs::read_to_string(&expected).unwrap_or_default(), "{file}");
    }
}

fn sparring(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sparring"));
    command.arg("check").args(arguments).current_dir(broken());
    command.output().unwrap()
}

#[test]
fn the_settings_may_be_named_by_config_as_elsewhere() {
    let said = |arguments: &[&str]| {
        let output = sparring(&[&["--lines"], arguments].concat());
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, told) = said(&["--config", "settings/bot.toml"]);
    assert!(code == Some(1) && told.contains("settings/bot.toml:"), "{told}");
    assert_eq!((code, told), said(&["settings/bot.toml"]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("club");
    fs::write(&path, "max = 3\n").unwrap();
    let (code, told) = said(&["--config", path.to_str().unwrap()]);
    assert!(
        code == Some(1) && told.contains("max"),
        "whatever it is called: {told}"
    );
}

#[test]
fn exit_codes_tell_order_from_mistakes_and_missing_files() {
    let root = env!("CARGO_MANIFEST_DIR");
    let shipped = sparring(&[&format!("{root}/bot.toml")]);
    assert_eq!(shipped.status.code(), Some(0));
    assert!(
        String::from_utf8(shipped.stdout)
            .unwrap()
            .ends_with("files checked, no problems\n")
    );
    assert_eq!(sparring(&["not-toml.toml"]).status.code(), Some(1));
    let missing = sparring(&["nowhere.book"]);
    assert_eq!(missing.status.code(), Some(2));
    let sentence = String::from_utf8(missing.stderr).unwrap();
    assert!(
        sentence.starts_with("sparring: cannot read nowhere.book"),
        "{sentence}"
    );
}

#[test]
fn settings_are_known_by_their_first_section_under_whatever_name() {
    let folder = tempfile::tempdir().unwrap();
    let said = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        let outcome = check(&[file]).unwrap();
        draw(&outcome.findings, Style::Lines).replace(&format!("{}/", folder.path().display()), "")
    };
    assert_eq!(
        said(
            "mine.toml",
            "# mine\n[[rule]]\nthen = \"accept\"\n[games]\nmax = 3\n"
        ),
        ""
    );
    let misspelt = said("other.toml", "[games]\nmaxx = 3\n");
    assert!(
        misspelt.starts_with("other.toml:2:1: error: ") && misspelt.contains("did you mean \"max\"?"),
        "{misspelt}"
    );
    assert_eq!(
        said(
            "tim.toml",
            "title = \"Tim\"\nabout = \"x\"\n[style]\nattack = 1\n"
        ),
        ""
    );
}

/// Writes settings into a folder, with the books and personalities that any need.
fn settings_in(folder: &Path, settings: &str) {
    fs::write(folder.join("bot.toml"), settings).unwrap();
    fs::create_dir(folder.join("books")).unwrap();
    fs::create_dir(folder.join("personalities")).unwrap();
    fs::write(folder.join("personalities/club.toml"), "").unwrap();
}

/// What a check of a folder's settings prints, a line a finding, with the code it ends with.
fn lines_of(folder: &Path) -> (Option<i32>, String) {
    let output = sparring(&["--lines", folder.join("bot.toml").to_str().unwrap()]);
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn lists_that_settings_name_are_read_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let settings = "[[list]]\nname = \"friends\"\nusers = [\"ana\"]\n\n[[list]]\nname = \"blocked\"\nfile = \"blocked.txt\"\n";
    settings_in(folder.path(), settings);
    let check = || lines_of(folder.path());
    let (code, said) = check();
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("bot.toml:7:8: error: list[2].file: cannot read") && said.contains("blocked.txt"),
        "{said}"
    );
    fs::write(path("blocked.txt"), "boris\nnot a name\n").unwrap();
    let (code, said) = check();
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("blocked.txt:2:1: error: \"not a name\" is not a user name"),
        "{said}"
    );
    fs::write(path("blocked.txt"), "boris # cheats\n").unwrap();
    let (code, said) = check();
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn endgame_tables_that_settings_name_are_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    settings_in(folder.path(), "[paths]\nsyzygy = \"tables\"\n");
    let check = || lines_of(folder.path());
    let (code, said) = check();
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("bot.toml:2:10: error: paths.syzygy: cannot read")
            && said.contains("tables: No such file"),
        "{said}"
    );
    fs::create_dir(path("tables")).unwrap();
    assert!(
        check()
            .1
            .contains("paths.syzygy: there are no tables of results (*.rtbw) in")
    );
    // A name and a length as tables have them; what is in it shows when it is asked.
    fs::write(path("tables/KQvK.rtbw"), [0; 80]).unwrap();
    let (code, said) = check();
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn a_personality_on_its_own_is_not_blamed_for_books_that_lie_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tim.toml"), "books = [\"my-own\"]\n").unwrap();
    let check = |file: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sparring"));
        command.args(["check", file]).current_dir(folder.path());
        command.output().unwrap()
    };
    assert_eq!(check("tim.toml").status.code(), Some(0));
    fs::write(folder.path().join("bot.toml"), "").unwrap();
    let said = String::from_utf8(check("tim.toml").stdout).unwrap();
    assert!(said.contains("there is no book \"my-own\""), "{said}");
}

#[test]
fn programs_get_json() {
    let output = sparring(&["--json", "wrong-values.toml"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["files"], 1);
    assert_eq!(json["findings"][0]["line"], 1);
    assert_eq!(json["errors"], json["findings"].as_array().unwrap().len());
}

#[test]
fn a_pipe_gets_no_color_and_the_token_is_struck_out() {
    let output = sparring(&["settings/bot.toml"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!said.contains('\u{1b}'));
    assert!(!said.contains("lip_"), "{said}");
    assert!(said.contains("token = \"*********************\""), "{said}");
}

#[test]
fn no_secret_is_shown_wherever_it_was_pasted() {
    let folder = tempfile::tempdir().unwrap();
    let token = "lip_aB3dE6gH9jK2mN5pQ8rS";
    for (name, text, is_token) in [
        ("tim.toml", format!("token = \"{token}\"\n"), true),
        ("tim.toml", format!("{token}\n"), true),
        ("tim.toml", format!("about = \"{token}\n"), true),
        ("tim.toml", format!("about = \"{token}\"\n"), true),
        (
            "main.book",
            format!("1. e4 e5\n{token}\n1. d4 d5\n1. c4 c5\n"),
            true,
        ),
        ("bot.toml", format!("LICHESS_TOKEN={token}\n"), true),
        ("bot.toml", format!("export LICHESS_TOKEN={token}\n"), true),
        ("bot.toml", format!("LICHESS_TOKEN = \"{token}\"\n"), true),
        (
            "bot.toml",
            "[lichess]\nurl = \"https://me:aB3d secret phrase@lichess.org\"\n".to_owned(),
            false,
        ),
        (
            "bot.toml",
            "[lichess]\nurl = \"https://me:aB3d2pw @lichess.org\"\n".to_owned(),
            false,
        ),
        (
            "bot.toml",
            "[lichess]\nurl = \"https://lichess.org#aB3d\"\n".to_owned(),
            false,
        ),
        (
            "bot.toml",
            "[lichess]\nurl = \"https://lichess.org?y=aB3d\"\n".to_owned(),
            false,
        ),
        (
            "bot.toml",
            "[[list]]\nname = \"a\"\nurl = \"ftp://me:aB3d phrase@example.org\"\n".to_owned(),
            false,
        ),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, &text).unwrap();
        let outcome = check(std::slice::from_ref(&path)).unwrap();
        assert!(!outcome.is_usable(), "{text}");
        for style in [Style::Plain, Style::Lines] {
            let said = draw(&outcome.findings, style);
            for secret in ["aB3d", "phrase", "2pw"] {
                assert!(!said.contains(secret), "{text}{said}");
            }
            let is_told = said.contains("a token does not belong in settings, books or personalities");
            assert_eq!(is_told, is_token, "{text}{said}");
        }
    }
}

#[test]
fn a_large_book_is_checked_in_a_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.book");
    fs::write(&path, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6\n1. d4 d9\n".repeat(5000)).unwrap();
    let outcome = check(std::slice::from_ref(&path)).unwrap();
    let drawn = draw(&outcome.findings, Style::Plain);
    assert!(drawn.contains("\n... and "), "{drawn}");
    assert!(summary(&outcome).starts_with("1 file checked: "));
}

/// What `check` says of these settings and this personality beside a book "a". It finds no errors.
fn warnings_for(settings: &str, (name, personality): (&str, &str)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    file("books/a.book", "1. e4 e5\n");
    file("bot.toml", settings);
    file(&format!("personalities/{name}.toml"), personality);
    let output = sparring(&["--lines", folder.path().join("bot.toml").to_str().unwrap()]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    said
}

#[test]
fn external_engines_that_are_not_there_are_named() {
    let said = warnings_for(
        "[engine.here]\ncommand = \"/bin/sh\"\n[engine.lost]\ncommand = \"bin/engine\"\n[play]\npersonality = \"fish\"\n",
        (
            "fish",
            "about = \"x\"\nengine = \"herr\"\nnoise = 50\n[style]\nattack = 1\nmisses = [\"far\"]\n",
        ),
    );
    for part in [
        "bot.toml:4:11: warning: engine.lost.command: there is no program ",
        "fish.toml:2:10: warning: engine: an external engine takes no notice of noise, misses",
        "fish.toml:2:10: warning: engine: [style] needs the engine's MultiPV",
        "fish.toml:2:10: warning: engine: the settings have no engine \"herr\", so that the embedded one moves; did you mean \"here\"?",
        "0 errors, 4 warnings",
    ] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
}

#[test]
fn online_sources_that_are_not_there_are_named() {
    let said = warnings_for(
        "[online.masters]\nsource = \"explorer-masters\"\ntoken-file = \"lost\"\n[play]\npersonality = \"reader\"\n",
        (
            "reader",
            "about = \"x\"\nbooks = [\"a\", \"online:master\"]\nbooks-white = [\"online:masters\"]\n",
        ),
    );
    for part in [
        "bot.toml:3:14: warning: online.masters.token-file: there is no file ",
        "reader.toml:2:9: warning: books: the settings have no online source \"master\", so that it is passed over; did you mean \"online:masters\"?",
        "0 errors, 2 warnings",
    ] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
}
