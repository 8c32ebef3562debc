//! What `bot.toml` may say, and what is said of what it may not.

use super::*;

fn findings(text: &str) -> String {
    let (_, findings) = read("bot.toml", text);
    findings.to_string()
}

#[test]
fn an_empty_file_is_the_default() {
    let (config, findings) = read("bot.toml", "");
    assert_eq!(config, Some(Config::default()));
    assert!(findings.list.is_empty(), "{findings}");
    assert_eq!(Config::default().lichess.url.as_str(), "https://lichess.org");
}

#[test]
fn what_is_written_counts() {
    let (config, _) = read(
        "bot.toml",
        "[games]\nmax = 3\ndrain = \"2h\"\n[play]\nlevel = 1400\nbooks-white = [\"gambits\"]\n[challenge]\nspeeds = [\"blitz\"]\nmin-rating = 1000\n",
    );
    let config = config.unwrap();
    assert_eq!(config.games.max, 3);
    assert_eq!(config.games.drain, Millis::from_secs(7200));
    assert_eq!(config.play.level, Some(Elo(1400)));
    assert_eq!(config.play.books_white, Some(vec!["gambits".to_owned()]));
    assert_eq!(config.play.books_black, None);
    assert_eq!(config.challenge.min_rating, Some(Elo(1000)));
}

#[test]
fn paths_count_from_the_folder_of_the_file() {
    let text = "[paths]\nbooks = \"b\"\n[lichess]\ntoken-file = \"/run/token\"\n";
    let (config, _) = read("bot.toml", text);
    let config = config.unwrap().within(Path::new("/etc/sparring"));
    assert_eq!(config.paths.books, Path::new("/etc/sparring/b"));
    assert_eq!(
        config.paths.personalities,
        Path::new("/etc/sparring/personalities")
    );
    assert_eq!(
        config.lichess.token_file.as_deref(),
        Some(Path::new("/run/token"))
    );
}

#[test]
fn keys_of_other_bots_are_translated() {
    insta::assert_snapshot!(findings("concurrency = 4\n[challenge]\naccept_bot = true\nmax-rating = 900\nmin_rating = 5\n[play]\nmove_overhead = 2000\n"), @r#"
    bot.toml:1:1: error: there is no setting "concurrency"; here this is called "max", in [games]
    bot.toml:3:1: error: there is no setting "challenge.accept_bot"; here this is called "from", in [challenge], as in from = ["humans", "bots"]
    bot.toml:5:1: error: there is no setting "challenge.min_rating"; did you mean "min-rating"?
    bot.toml:7:1: error: there is no setting "play.move_overhead"; here this is called "move-overhead", in [play], as in move-overhead = "300ms"
    "#);
}

#[test]
fn units_ranges_and_words_are_explained() {
    insta::assert_snapshot!(findings("[lichess]\nurl = \"http://lichess.org\"\n[games]\nmax = 0\nabort-after = \"2h\"\ndrain = 300\n[challenge]\nspeeds = [\"blitz\", \"ultraBullet\"]\nvariants = [\"Standard\"]\nmin-initial = \"10m\"\nmax-initial = \"5m\"\n[play]\nlevel = 3000\n"), @r#"
    bot.toml:2:7: error: lichess.url: "http://lichess.org" would send the token in the clear; write https:// unless the server is on this machine
    bot.toml:4:7: error: games.max: 0 is less than 1; write a whole number from 1 to 64 (games)
    bot.toml:5:15: error: games.abort-after: "2h" is more than "10m"; write a span of time from "15s" to "10m"
    bot.toml:6:9: error: games.drain: 300 has no unit; write "300ms" or "300s"
    bot.toml:8:20: error: challenge.speeds: "ultraBullet" is not known here; write "bullet", "blitz", "rapid", "classical" or "correspondence"
    bot.toml:9:13: error: challenge.variants: "Standard" is not known here; did you mean "standard"? there is "standard", "chess960" or "fromPosition"
    bot.toml:10:15: error: challenge.min-initial: min-initial is more than max-initial, so no challenge would do; swap them
    bot.toml:13:9: error: play.level: 3000 is more than 2800; write a whole number from 600 to 2800 (on the scale of lichess ratings)
    "#);
}

#[test]
fn a_token_is_refused_and_never_quoted() {
    let text = "[lichess]\ntoken = \"lip_secret\"\n[play]\npersonality = \"lip_other\"\n";
    let (config, findings) = read("bot.toml", text);
    assert!(config.is_none());
    let said = findings.to_string();
    assert!(
        said.starts_with("bot.toml:2:1: error: a token does not belong in settings"),
        "{said}"
    );
    assert!(said.contains("token-file"), "{said}");
    assert!(!format!("{findings:?}").contains("lip_"), "{findings:?}");
}

#[test]
fn too_many_games_for_lichess_give_a_warning() {
    let (config, findings) = read("bot.toml", "[games]\nmax = 32\n");
    assert_eq!(config.unwrap().games.max, 32);
    assert_eq!(
        findings.to_string(),
        "bot.toml:2:7: warning: games.max: 32 games may need 640 moves a minute, and lichess takes about 180 \
         requests; 9 is safe with the speeds in challenge.speeds"
    );
    let slow = "[games]\nmax = 32\n[challenge]\nspeeds = [\"rapid\"]\n";
    assert!(read("bot.toml", slow).1.list.is_empty());
}

#[test]
fn names_are_looked_for_where_the_folders_are_known() {
    let books = ["starter".to_owned(), "gambits".to_owned()];
    let known = Known {
        books: &books,
        personalities: &["club".to_owned(), "beginner".to_owned()],
    };
    let text = "[play]\npersonality = \"begginer\"\nbooks-white = [\"starter\", \"gambit\"]\n";
    let (_, findings) = read_among("bot.toml", text, known);
    assert_eq!(
        findings.to_string(),
        "bot.toml:2:15: error: play.personality: there is no personality \"begginer\"; did you mean \"beginner\"?\n\
         bot.toml:3:27: error: play.books-white: there is no book \"gambit\"; did you mean \"gambits\"?"
    );
}

#[test]
fn a_missing_file_is_named() {
    let error = load(Path::new("/nowhere/bot.toml")).unwrap_err();
    assert_eq!(error.to_string(), "cannot read /nowhere/bot.toml");
}
