//! Whole files, translated.

use std::{collections::BTreeSet, fs, ops::Range};

use proptest::prelude::*;

use super::{table::Fate, *};
use sparring_chess::Variant;

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
fn settings_of_lichess_bot_have_their_values_here() {
    let (folder, import) = translated(LICHESS_BOT);
    assert_eq!(import.token(), Some("lip_canaryCanaryCanary1"));
    let config = config(&import);
    assert_eq!(config.lichess.url.as_str(), "https://lichess.org");
    assert_eq!(
        (
            config.games.max,
            config.games.for_humans,
            config.games.per_opponent
        ),
        (4, 2, 3)
    );
    assert_eq!(config.games.abort_after.0, 45_000);
    assert_eq!(config.games.drain.0, 24 * 3_600_000);
    assert_eq!(config.play.personality, "moved");
    assert_eq!(config.play.move_overhead.0, 1500);
    assert_eq!(config.engine.hash, 256);
    let matchmaking = &config.matchmaking;
    assert!(matchmaking.enabled);
    assert_eq!(matchmaking.after.0, 20 * 60_000);
    assert_eq!(matchmaking.max_difference, 250);
    // lichess takes no clock of two and a half minutes.
    let clocks: Vec<String> = matchmaking.clocks.iter().map(ToString::to_string).collect();
    assert_eq!(clocks, ["1+0", "1+2"]);
    assert_eq!(matchmaking.mode, config::Mode::Rated);
    let lists: Vec<&str> = config.lists.iter().map(|list| list.name.as_str()).collect();
    assert_eq!(
        lists,
        [
            "blocked",
            "blocked-2",
            "blocked-3",
            "blocked-bots",
            "blocked-bots-2"
        ]
    );
    assert_eq!(config.lists[0].users.len(), 1);
    assert_eq!(config.lists[2].url.as_deref(), Some("https://example.org/more"));

    let (moved, findings) =
        sparring_personality::read("moved.toml", &file(&import, "personalities/moved.toml"));
    let moved = moved.unwrap_or_else(|| panic!("{findings}"));
    assert_eq!(moved.title, "MyBot");
    let servers = [
        "online:tables",
        "own",
        "online:chessdb",
        "online:cloud",
        "online:explorer",
    ];
    assert_eq!(moved.books, servers);
    let [chessdb, cloud, explorer, tables] = &config.online[..] else {
        panic!("{:?}", config.online)
    };
    assert_eq!(
        (chessdb.kind.key(), chessdb.max_loss.0, chessdb.min_depth),
        ("chessdb", 30, 3)
    );
    assert_eq!(
        (cloud.kind.key(), cloud.max_loss.0, cloud.min_depth),
        ("cloud-eval", 3, 4)
    );
    assert_eq!(
        (explorer.kind.key(), explorer.player.as_str(), explorer.min_games),
        ("explorer-player", "ana", 3)
    );
    assert_eq!((tables.kind.key(), tables.max_ply), ("tablebase", None));
    // Nothing is asked with less than five seconds on the clock.
    assert!(config.online.iter().all(|source| source.min_clock.0 == 5_000));
    assert!(
        [chessdb, cloud, explorer]
            .iter()
            .all(|source| source.max_ply == Some(18))
    );
    assert!(explorer.token_file.is_none(), "the bot's token goes nowhere else");
    assert_eq!(moved.book_plies, Some(24));
    assert_eq!(moved.takebacks, 2);
    assert!(config.chat.spectators);
    let moved_text = file(&import, "personalities/moved.toml");
    assert!(
        moved_text.contains("greeting-spectators = \"Hello all.\"")
            && moved_text.contains("farewell-spectators = \"Goodbye all.\""),
        "{moved_text}"
    );
    let resign = moved.resign.unwrap();
    assert_eq!((resign.behind.0, resign.moves), (800, 4));
    let draw = moved.draw.unwrap();
    assert_eq!((draw.within.0, draw.moves, draw.offers_to_humans), (15, 6, true));
    assert_eq!((moved.nodes, moved.depth), (None, None));
    // The least weight is a fifth of the heaviest.
    assert_eq!(
        file(&import, "books/own.book"),
        "1. e4 60 | d4 30\n1. e4 e5 100\n1. d4 d5 100\n"
    );
    let Fate::Differs(said) = fate(&import, "engine.polyglot.book.standard") else {
        panic!("a book is missing");
    };
    assert!(
        said.contains("not converted") && said.contains("gone.bin"),
        "{said}"
    );

    let text = import.settings(SHIPPED).unwrap();
    let engine = folder.path().join("engines/first-engine");
    assert!(
        text.contains(&format!(
            "arguments = [\"-jar\", \"{}\", \"--cpuct=2.5\", \"--quiet\"]",
            engine.display()
        )),
        "{text}"
    );
    assert!(
        text.contains(&format!(
            "directory = \"{}\"",
            folder.path().join("work").display()
        )),
        "{text}"
    );
    assert!(
        text.contains("options = { Hash = 256, Threads = 2, \"Skill Level\" = 5 }"),
        "{text}"
    );
    assert!(
        text.contains("nodes = 5000\n") && text.contains("depth = 8\n"),
        "{text}"
    );
    assert!(!text.contains("lip_") && !import.report().contains("lip_canary"));
    assert!(
        !import.report().contains("secretOfTheList"),
        "{}",
        import.report()
    );
}

#[test]
fn rules_of_lichess_bot_decide_as_it_did() {
    let config = config(&translated(LICHESS_BOT).1);
    let names: Vec<&str> = config
        .rules
        .iter()
        .filter_map(|rule| rule.name.as_deref())
        .collect();
    assert_eq!(
        names,
        [
            "no other variants",
            "nobody from the block list",
            "no bots that are not challenged",
            "no rated games",
            "rated too low",
            "rated too high",
            "much stronger",
            "much weaker",
            "too little increment",
            "too much increment",
            "too little time",
            "too much time",
            "bots: no bullet without increment",
            "no other clocks",
            "too few days",
            "too many days",
            "no games without a clock",
            "games of days",
        ]
    );
}

#[test]
fn settings_of_botli_have_their_values_here() {
    let (_folder, import) = translated(BOTLI);
    let config = config(&import);
    assert_eq!((config.games.max, config.games.for_humans), (3, 0));
    let matchmaking = &config.matchmaking;
    assert!(!matchmaking.enabled);
    assert_eq!(matchmaking.after.0, 300_000);
    let games: Vec<String> = matchmaking.games.iter().map(ToString::to_string).collect();
    assert_eq!(games, ["3+1 rated", "8+1 chess960 casual 100"]);
    assert_eq!(matchmaking.max_difference, 350);
    let engines: Vec<_> = config
        .rules
        .iter()
        .filter_map(|rule| Some((rule.name.as_deref()?, rule.settings.engine.as_deref()?)))
        .collect();
    assert_eq!(
        engines,
        [
            ("engine: chess960_human", "chess960_human"),
            ("engine: 0.5+0_white", "0-5-0_white")
        ]
    );
    assert_eq!(config.play.engine.as_deref(), Some("standard"));
    let chess960 = &config.rules[0].when;
    assert_eq!(chess960.variants.as_deref(), Some(&[Variant::Chess960][..]));
    assert_eq!(chess960.from, Some(config::OpponentKind::Human));
    assert!(
        matches!(fate(&import, "engines.0.5+0_white.name"), Fate::Differs(said) if said.contains("more than white"))
    );
    assert!(
        matches!(fate(&import, "engines.rapid_tournament.name"), Fate::Differs(said) if said.contains("tournaments"))
    );
    let first = &config.rules[2];
    assert_eq!(first.name.as_deref(), Some("books: blitz_white_bot"));
    assert_eq!(
        first.settings.books_white.as_deref(),
        Some(&["online:explorer", "online:tables", "own", "online:chessdb"].map(str::to_owned)[..])
    );
    assert_eq!((first.settings.books_black.as_ref(), first.then), (None, None));
    assert_eq!(first.when.from, Some(config::OpponentKind::Bot));

    let (moved, findings) =
        sparring_personality::read("moved.toml", &file(&import, "personalities/moved.toml"));
    let moved = moved.unwrap_or_else(|| panic!("{findings}"));
    let books = ["online:explorer", "online:tables", "own", "online:chessdb"].map(str::to_owned);
    assert_eq!(
        (moved.books.as_slice(), moved.books_black.as_deref()),
        (&books[..], Some(&books[..]))
    );
    assert_eq!(config.online.len(), 3);
    assert_eq!(moved.book_plies, Some(16));
    assert!(config.chat.spectators);
    assert!(file(&import, "personalities/moved.toml").contains("greeting-spectators = \"Hello all.\""),);
    assert!(
        file(&import, "personalities/moved.toml").contains("greeting = \"I run Sparring on , {opponent}.\"")
    );
    assert!(
        matches!(fate(&import, "challenge.human.variants"), Fate::Differs(said) if said.contains("horde"))
    );
    assert!(
        matches!(fate(&import, "opening_books.books.standard.names"), Fate::Differs(said) if said.contains("Unnamed"))
    );
    // An engine of its own for each situation, from a merged section and with a dot in its name.
    let text = import.settings(SHIPPED).unwrap();
    assert!(
        text.contains("[engine.standard]") && text.contains("[engine.0-5-0_white]"),
        "{text}"
    );
    assert!(text.contains("engines/second-engine\""), "{text}");
}

#[test]
fn defaults_of_lichess_bot_count_where_a_key_is_missing() {
    let text = "token: xxx\nurl: https://lichess.org\nengine:\n  dir: e\n  name: n\nchallenge:\n  modes: [casual, rated]\n";
    let (_folder, import) = translated(text);
    let config = config(&import);
    assert_eq!(
        (
            config.games.max,
            config.games.for_humans,
            config.games.per_opponent
        ),
        (1, 0, 5)
    );
    assert_eq!(config.games.abort_after.0, 20_000);
    assert_eq!(config.play.move_overhead.0, 1000);
    // Without accept_bot it declines bots.
    assert_eq!(config.rules[0].when.from, Some(config::OpponentKind::Bot));
    assert_eq!(import.token(), None);
    assert!(
        import.report().contains("challenge.accept_bot: false (default)"),
        "{}",
        import.report()
    );
}

#[test]
fn servers_are_named_where_no_book_is_and_none_where_they_are_off() {
    let text = |enabled| {
        format!(
            "engine:\n  dir: e\n  name: n\n  online_moves:\n    max_depth: .inf\n    chessdb_book: {{enabled: {enabled}, move_quality: best}}\n"
        )
    };
    let (_folder, import) = translated(&text(true));
    assert!(file(&import, "personalities/moved.toml").contains("books = [\"online:chessdb\"]"));
    let sources = config(&import).online;
    assert_eq!(
        (sources.len(), sources[0].max_loss.0, sources[0].max_ply),
        (1, 0, Some(40))
    );
    let (_folder, import) = translated(&text(false));
    assert!(!file(&import, "personalities/moved.toml").contains("books ="));
    assert_eq!(config(&import).online, []);
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

#[test]
fn engines_of_other_protocols_are_not_written() {
    let text = "engine: {dir: e, name: RandomMove, protocol: homemade, uci_options: {Hash: 64}}\n";
    let (_folder, import) = translated(text);
    assert!(matches!(fate(&import, "engine.name"), Fate::Nothing(why) if why.contains("UCI")));
    assert!(!import.settings(SHIPPED).unwrap().contains("[engine.external]\n"));
}

#[test]
fn settings_that_decline_everybody_do() {
    let text = "engine: {dir: e}\nchallenge: {concurrency: 2, games_reserved_for_humans: 2, accept_bot: true, allow_list: [Ana]}\n";
    let config_of = |text: &str| config(&translated(text).1);
    let config = config_of(text);
    let names = |config: &config::Config| -> Vec<String> {
        config.rules.iter().filter_map(|rule| rule.name.clone()).collect()
    };
    assert_eq!(
        names(&config),
        ["bots: none", "those who are on the list", "nobody else"]
    );
    let nobody = config_of("engine: {dir: e}\nchallenge: {concurrency: 0, accept_bot: true}\n");
    assert_eq!(names(&nobody)[0], "no challenges at all");
}

/// The places of all values without parts.
fn scalars(node: &Node) -> Vec<Range<usize>> {
    match &node.value {
        yaml::Value::List(list) => list.iter().flat_map(scalars).collect(),
        yaml::Value::Map(entries) => entries.iter().flat_map(|entry| scalars(&entry.node)).collect(),
        _ => vec![node.span.clone()],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn whatever_the_values_are_the_new_files_can_be_used(
        which in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..VALUES.len()), 1..4),
    ) {
        let mut text = if which { LICHESS_BOT } else { BOTLI }.to_owned();
        for (at, value) in changes {
            let Ok((root, _)) = yaml::parse(&text) else { break };
            let places = scalars(&root);
            let place = places[at.index(places.len())].clone();
            text.replace_range(place, VALUES[value]);
        }
        if let Ok((import, _)) = translate("config.yml", &text, Path::new("/nowhere")) {
            let settings = import.settings(SHIPPED);
            prop_assert!(settings.is_ok(), "{:?}\n{text}", settings.err());
            let (moved, findings) = sparring_personality::read("moved.toml", &file(&import, "personalities/moved.toml"));
            prop_assert!(moved.is_some(), "{findings}\n{text}");
            prop_assert!(!import.report().contains("anary"));
        }
    }

    #[test]
    fn no_text_stops_the_reader(text in "\\PC*", at in any::<prop::sample::Index>()) {
        let mut mixed = LICHESS_BOT.to_owned();
        let at = mixed.floor_char_boundary(at.index(mixed.len()));
        mixed.insert_str(at, &text);
        for text in [&text, &mixed] {
            let _ = yaml::parse(text);
        }
    }
}

/// Values that somebody may write anywhere.
const VALUES: [&str; 20] = [
    "-5",
    "0",
    "1",
    "9223372036854775807",
    "-9223372036854775807",
    "0.5",
    "1.0e+300",
    ".inf",
    "-.inf",
    ".nan",
    "yes",
    "no",
    "\"\"",
    "\"a\\nb\\0 \\\" # x\"",
    "null",
    "[]",
    "[a, 1, \"\\n\"]",
    "{a: 1}",
    "{\"a\\nb\": {tc: 5+3, dir: x, names: [Own]}}",
    "\"{opponent}{me}{level}{x}{ http://example.org\"",
];
