//! What `bot.toml` may say, and what is said of what it may not.

use super::*;
use sparring_chess::units::Elo;
use sparring_lichess::model::DeclineReason;

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
        "[games]\nmax = 3\nshutdown-timeout = \"2h\"\n[play]\nlevel = 1400\nbooks-white = [\"gambits\"]\n[[rule]]\nspeeds = [\"blitz\"]\nmin-rating = 1000\nthen = \"accept\"\n",
    );
    let config = config.unwrap();
    assert_eq!(config.games.max, 3);
    assert_eq!(config.games.drain, Millis::from_secs(7200));
    assert_eq!(config.play.level, Some(Elo(1400)));
    assert_eq!(config.play.books_white, Some(vec!["gambits".to_owned()]));
    assert_eq!(config.play.books_black, None);
    let rule = &config.rules[0];
    assert_eq!((rule.line, rule.when.rating.least), (7, Some(1000)));
    assert_eq!(rule.then, Some(Action::Accept));
}

#[test]
fn old_names_of_keys_count_and_are_told() {
    let old = "[games]\nfor-humans = 2\nabort-after = \"30s\"\ndrain = \"2h\"\n[play]\nfast = true\nadapt = \"coach\"\n[state]\nsoft-weights = true\n[status]\nedit = true\n[[rule]]\nfast = true\nadapt = \"coach\"\n";
    let new = "[games]\nreserved-for-humans = 2\nabort-time = \"30s\"\nshutdown-timeout = \"2h\"\n[play]\nno-delay = true\nadapt = \"within-game\"\n[state]\nbook-learning = true\n[dashboard]\nedit = true\n[[rule]]\nno-delay = true\nadapt = \"within-game\"\n";
    let ((by_old, findings), (by_new, none)) = (read("bot.toml", old), read("bot.toml", new));
    assert!(
        none.list
            .iter()
            .all(|finding| !finding.message.contains("is called")),
        "{none}"
    );
    assert_eq!(by_old, by_new);
    let told = |what: &str| findings.list.iter().any(|finding| finding.message == what);
    assert!(
        told("games.drain is called games.shutdown-timeout now"),
        "{findings}"
    );
    assert!(told("status is called dashboard now"), "{findings}");
    assert!(told("rule[1].fast is called rule[1].no-delay now"), "{findings}");
    assert!(
        told("play.adapt = \"coach\" is called \"within-game\" now"),
        "{findings}"
    );
    assert!(
        told("rule[1].adapt = \"coach\" is called \"within-game\" now"),
        "{findings}"
    );
    // With both, the old one is a slip.
    let (both, findings) = read("bot.toml", "[play]\nfast = true\nno-delay = false\n");
    assert!(both.is_none(), "{findings}");
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
fn folders_are_found_whatever_else_is_wrong() {
    let named = "[state]\nfolder = \"kept\"\n[paths]\nbooks = \"mine\"\n";
    for spoiled in [
        "[games]\nmax = \"many\"\n",
        "[games\n",
        "what = \"\n",
        "<<<<<<< mine\n",
    ] {
        for text in [format!("{spoiled}{named}"), format!("{named}{spoiled}")] {
            assert_eq!(state_folder(&text).as_deref(), Some(Path::new("kept")), "{text}");
            assert_eq!(paths(&text).books, Path::new("mine"), "{text}");
        }
    }
    assert_eq!(state_folder("[state]\nfolder = 3\n"), None);
    assert_eq!(state_folder("no settings at all"), None);
}

#[test]
fn keys_of_other_bots_are_translated() {
    insta::assert_snapshot!(findings("concurrency = 4\naccept_bot = true\n[challenge]\nmax-rating = 900\n[[rule]]\nmin_rating = 5\nthen = \"accept\"\n[play]\nmove_overhead = 2000\n"), @r#"
    bot.toml:1:1: error: there is no setting "concurrency"; here this is called "max", in [games]
    bot.toml:2:1: error: there is no setting "accept_bot"; here a rule decides: [[rule]] with from = "bots" and then = "decline"
    bot.toml:3:2: error: there is no setting "challenge"; challenges are judged by [[rule]] now, each of which may decline: docs/rules.md shows how each old key is written
    bot.toml:6:1: error: there is no setting "rule[1].min_rating"; did you mean "min-rating"?
    bot.toml:9:1: error: there is no setting "play.move_overhead"; here this is called "move-overhead", in [play], as in move-overhead = "300ms"
    "#);
}

#[test]
fn units_ranges_and_words_are_explained() {
    insta::assert_snapshot!(findings("[lichess]\nurl = \"http://lichess.org\"\n[games]\nmax = 0\nabort-time = \"2h\"\nshutdown-timeout = 300\n[[rule]]\nspeeds = [\"blitz\", \"ultraBullet\"]\nvariants = [\"Standard\"]\nmin-initial = \"10m\"\nmax-initial = \"5m\"\nclocks = [\"5 min\"]\nhours = \"8-9\"\nthen = \"decline\"\n[play]\nlevel = 3000\n"), @r#"
    bot.toml:2:7: error: lichess.url: "http://lichess.org" would send the token in the clear; write https:// unless the server is on this machine
    bot.toml:4:7: error: games.max: 0 is less than 1; write a whole number from 1 to 64 (games)
    bot.toml:5:14: error: games.abort-time: "2h" is more than "10m"; write a span of time from "15s" to "10m"
    bot.toml:6:20: error: games.shutdown-timeout: 300 has no unit; write "300ms" or "300s"
    bot.toml:8:20: error: rule[1].speeds: "ultraBullet" is not known here; write "bullet", "blitz", "rapid", "classical" or "correspondence"
    bot.toml:9:13: error: rule[1].variants: "Standard" is not known here; did you mean "standard"? there is "standard", "chess960", "fromPosition", "kingOfTheHill", "threeCheck", "antichess", "atomic", "horde", "racingKings" or "crazyhouse"
    bot.toml:10:15: error: rule[1].min-initial: min-initial is more than max-initial, so no challenge would fit; swap them
    bot.toml:12:11: error: rule[1].clocks: "5 min" is not a clock; write minutes and seconds, as in "5+3"
    bot.toml:13:9: error: rule[1].hours: "8-9" is not a part of the day; write a part of the day, as in "22:00-06:00"
    bot.toml:16:9: error: play.level: 3000 is more than 2800; write a whole number from 600 to 2800 (on the scale of lichess ratings)
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
fn passwords_in_addresses_are_used_and_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.toml");
    let text =
        "[[list]]\nname = \"a\"\nurl = \"https://me:CANARY@example.org/l?token=CANARY\"\n[games]\nmax = 32\n";
    std::fs::write(&path, text).unwrap();
    let known = Known {
        books: &[],
        personalities: &["club".to_owned()],
    };
    let loaded = load_among(&path, known).unwrap();
    let url = loaded.config.lists[0].url.as_deref();
    assert_eq!(url, Some("https://me:CANARY@example.org/l?token=CANARY"));
    assert_eq!(
        &*loaded.text, text,
        "what is kept for a later start says the same"
    );
    assert!(!format!("{:?}", loaded.findings).contains("CANARY"));
    for wrong in [
        text.replace("https", "http"),
        text.replace("max = 32", "max = 0"),
        text.replace("\"a\"", "a"),
        text.replace("CANARY@", &format!("CANARY{}@", "x".repeat(1000))),
        "[lichess]\nurl = \"https://me:CANARY@lichess.org\"\n".to_owned(),
        "[lichess]\nurl = \"https://CANARY@lichess.org/api?key=CANARY\n".to_owned(),
    ] {
        let (config, findings) = read("bot.toml", &wrong);
        assert!(config.is_none() && !findings.list.is_empty());
        assert!(!format!("{findings:?}").contains("CANARY"), "{findings:?}");
    }
}

#[test]
fn users_are_read_as_people_write_them_and_the_owner_is_told() {
    let text = "[[list]]\nname = \"a\"\nusers = [\"@Ann\", \"https://lichess.org/@/Bob\", \"Cid\"]\n";
    let (config, findings) = read("bot.toml", text);
    let users: Vec<String> = config.unwrap().lists[0]
        .users
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(users, ["ann", "bob", "cid"]);
    assert_eq!(
        findings.to_string(),
        "bot.toml:3:10: warning: list[1].users: \"@Ann\" is read as \"ann\"; write the name alone, without the @: \"ann\"\n\
         bot.toml:3:18: warning: list[1].users: \"https://lichess.org/@/Bob\" is read as \"bob\"; write the name alone, \
         without the @: \"bob\""
    );
    let rule = read("bot.toml", "[[rule]]\nusers = [\"@Ann\"]\nthen = \"decline\"\n");
    assert!(
        rule.0.is_some() && rule.1.to_string().contains("without the @"),
        "{}",
        rule.1
    );
}

#[test]
fn a_file_in_another_encoding_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.toml");
    let wide: Vec<u8> = "[games]\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, expected) in [
        (
            &b"[games]\n# f\xfcr\nmax = 3\n"[..],
            "bot.toml:2:4: error: this is not UTF-8; save the file as UTF-8",
        ),
        (&wide, "bot.toml:1:1: error: this is UTF-16, not UTF-8; save"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let said = load(&path).unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
    }
    assert!(load(std::path::Path::new("/dev/zero")).is_err(), "it never ends");
}

#[test]
fn too_many_games_for_lichess_give_a_warning() {
    let (config, findings) = read("bot.toml", "[games]\nmax = 32\n");
    assert_eq!(config.unwrap().games.max, 32);
    assert_eq!(
        findings.to_string(),
        "bot.toml:2:7: warning: games.max: 32 games may need 640 moves a minute, and lichess takes about 180 \
         requests; 9 is safe with the speeds that the rules let in"
    );
    let slow = "[games]\nmax = 32\n[[rule]]\nspeeds = [\"bullet\", \"blitz\"]\nthen = \"decline\"\n";
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

#[test]
fn rules_keep_their_order_and_suggest_a_reason() {
    let text = "[[rule]]\nfrom = \"bots\"\nthen = \"decline\"\n[[rule]]\nmode = \"rated\"\nthen = \"decline\"\n\
                [[rule]]\nspeeds = [\"bullet\"]\nthen = \"decline\"\nreason = \"tooFast\"\n[[rule]]\nmin-running = 1\nthen = \"decline\"\n";
    let (config, findings) = read("bot.toml", text);
    assert!(findings.list.is_empty(), "{findings}");
    let then: Vec<_> = config.unwrap().rules.iter().map(|rule| rule.then).collect();
    let reasons = [
        DeclineReason::NoBot,
        DeclineReason::Casual,
        DeclineReason::TooFast,
        DeclineReason::Later,
    ];
    assert_eq!(then, reasons.map(|reason| Some(Action::Decline(reason))));
}

#[test]
fn a_refusal_for_a_rating_does_not_say_that_all_bots_are_refused() {
    for condition in ["min-difference = 300", "provisional = true", "rematch = true"] {
        let text = format!("[[rule]]\nfrom = \"bots\"\n{condition}\nthen = \"decline\"\n");
        let (config, _) = read("bot.toml", &text);
        assert_eq!(
            config.unwrap().rules[0].then,
            Some(Action::Decline(DeclineReason::Generic)),
            "{condition}"
        );
    }
}

#[test]
fn rules_that_do_nothing_are_pointed_out() {
    insta::assert_snapshot!(findings("[[rule]]\nfrom = \"bots\"\n[[rule]]\nthen = \"accept\"\nreason = \"later\"\n[[rule]]\nmode = \"rated\"\nthen = \"decline\"\n[[rule]]\nusers = []\nlists = [\"freinds\"]\nlevel = 900\n[[list]]\nname = \"friends\"\n[[list]]\nurl = \"http://a.example\"\n"), @r#"
    bot.toml:1:1: warning: this rule changes nothing; give it a then, or say how to play
    bot.toml:5:10: warning: rule[2].reason: nobody is declined here; write then = "decline" as well
    bot.toml:6:1: warning: this rule is never reached: one above decides every challenge; move it up
    bot.toml:10:9: warning: rule[4].users: the list is empty; no challenge fits this rule
    bot.toml:11:10: error: rule[4].lists: there is no list "freinds"; did you mean "friends"?
    bot.toml:13:1: warning: nobody is on this list; give it users, a file or a url
    bot.toml:15:1: error: a list without a name; write name = "blocked", and lists = ["blocked"] in a rule
    bot.toml:16:7: error: list[2].url: the address is neither https nor on this machine; write https://, as in "https://example.org/blocked.txt"
    "#);
}

#[test]
fn arenas_want_more_of_a_token_than_other_games() {
    let wanted = |text: &str| read("bot.toml", text).0.unwrap().tournaments.scopes();
    assert_eq!(wanted(""), [""; 0]);
    assert_eq!(wanted("[tournaments]\nteams = [\"coders\"]\n"), [""; 0]);
    let on = "[tournaments]\nenabled = true\narenas = [\"abcd1234\"]\n";
    assert_eq!(wanted(on), ["tournament:write"]);
    let teams = "[tournaments]\nenabled = true\nteams = [\"coders\"]\n";
    assert_eq!(wanted(teams), ["tournament:write", "team:write"]);
}

#[test]
fn a_level_that_can_never_count_is_told() {
    let text = "[[rule]]\nmode = \"rated\"\nlevel = \"opponent\"\n";
    insta::assert_snapshot!(findings(text), @r#"bot.toml:3:9: warning: rule[1].level: a level that follows the opponent or the last game never counts in rated games; write a number, or mode = "casual""#);
    assert_eq!(findings(&text.replace("rated", "casual")), "");
}

#[test]
fn conditions_that_nothing_can_meet_together_are_told() {
    for (conditions, told) in [
        ("from = \"bots\"\ntitles = [\"GM\", \"IM\"]", "titles: bots have"),
        ("from = \"humans\"\ntitles = [\"BOT\"]", "titles: no human has"),
        (
            "clocks = [\"1+0\"]\nspeeds = [\"rapid\"]",
            "clocks: none of these",
        ),
        (
            "clocks = [\"3+0\", \"5+0\"]\nmin-increment = \"1s\"",
            "clocks: none of these",
        ),
        (
            "unlimited = true\nclocks = [\"3+2\"]",
            "unlimited: a game without",
        ),
        (
            "unlimited = true\nspeeds = [\"blitz\"]",
            "unlimited: a game without",
        ),
        ("unlimited = true\nmax-days = 3", "unlimited: a game without"),
        (
            "min-days = 2\nspeeds = [\"blitz\", \"rapid\"]",
            "min-days: a game of days",
        ),
        ("max-days = 2\nmax-initial = \"10m\"", "max-days: a game of days"),
        (
            "mode = \"rated\"\nvariants = [\"fromPosition\"]",
            "mode: lichess rates",
        ),
        (
            "max-games-ever = 0\nmin-score = 50",
            "max-games-ever: without a game",
        ),
        // What looks alike and can be met.
        ("from = \"bots\"\ntitles = [\"GM\", \"BOT\"]", ""),
        ("from = \"humans\"\ntitles = [\"GM\", \"BOT\"]", ""),
        ("clocks = [\"1+0\", \"10+0\"]\nspeeds = [\"rapid\"]", ""),
        ("unlimited = true\nspeeds = [\"correspondence\"]", ""),
        ("unlimited = false\nclocks = [\"3+2\"]", ""),
        ("min-days = 2\nspeeds = [\"blitz\", \"correspondence\"]", ""),
        (
            "mode = \"rated\"\nvariants = [\"standard\", \"fromPosition\"]",
            "",
        ),
        ("max-games-ever = 1\nmin-score = 50", ""),
    ] {
        let found = findings(&format!("[[rule]]\n{conditions}\nthen = \"decline\"\n"));
        if told.is_empty() {
            assert_eq!(found, "", "{conditions}");
        } else {
            assert!(
                found.contains(&format!("warning: rule[1].{told}")),
                "{conditions}: {found}"
            );
            assert_eq!(found.lines().count(), 1, "{conditions}: {found}");
        }
    }
}
