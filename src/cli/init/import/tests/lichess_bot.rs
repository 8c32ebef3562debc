//! lichess-bot's whole file, and shorter ones.

use super::*;

#[test]
fn limits_of_lichess_bot_have_their_values_here() {
    let (_folder, import) = translated(LICHESS_BOT);
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
    assert!(config.chat.spectators);
}

#[test]
fn challenges_of_lichess_bot_to_others_are_games_to_choose_from() {
    let config = config(&translated(LICHESS_BOT).1);
    let matchmaking = &config.matchmaking;
    assert!(matchmaking.enabled);
    assert_eq!(matchmaking.after.0, 20 * 60_000);
    assert_eq!(matchmaking.max_difference, 250);
    // lichess takes no clock of two and a half minutes. Of two sets, each evenly drawn, one has Chess960 alone.
    assert_eq!(
        games(&config),
        [
            "1+0 rated",
            "1+0 chess960 rated 3",
            "1+2 rated",
            "1+2 chess960 rated 3"
        ]
    );
}

fn games(config: &config::Config) -> Vec<String> {
    let games = config.matchmaking.games.iter();
    games.map(ToString::to_string).collect()
}

/// What becomes of these keys of `matchmaking`.
fn matchmaking(keys: &str) -> Import {
    translated(&format!("engine: {{dir: e, name: n}}\nmatchmaking: {{{keys}}}\n")).1
}

#[test]
fn a_mode_at_random_is_every_game_in_both() {
    let keys = "challenge_initial_time: [60], challenge_increment: [1, 2], challenge_variant: standard";
    let both = ["1+1 casual", "1+1 rated", "1+2 casual", "1+2 rated"];
    for mode in [", challenge_mode: random", ""] {
        let import = matchmaking(&format!("{keys}{mode}"));
        assert_eq!(games(&config(&import)), both, "{mode}");
        assert!(matches!(
            fate(&import, "matchmaking.challenge_mode"),
            Fate::Taken(_)
        ));
        let (_, findings) = config::read("bot.toml", &import.settings(SHIPPED).unwrap());
        assert!(!findings.to_string().contains("games says"), "{findings}");
    }
    let alone = config(&matchmaking(&format!("{keys}, challenge_mode: casual")));
    assert_eq!(games(&alone), [""; 0]);
    assert_eq!(alone.matchmaking.clocks.len(), 2);
    let none = config(&matchmaking("challenge_mode: random"));
    assert_eq!(games(&none), [""; 0]);
}

#[test]
fn what_a_set_of_challenges_cannot_say_is_told() {
    let import = matchmaking(
        "challenge_initial_time: [180], challenge_increment: [2], challenge_variant: standard, challenge_mode: rated, \
         overrides: {fast: {challenge_initial_time: 60, opponent_min_rating: 2000}, odd: {challenge_variant: horde}, same: {}}",
    );
    assert_eq!(games(&config(&import)), ["3+2 rated 2", "1+2 rated"]);
    assert!(
        matches!(fate(&import, "matchmaking.challenge_initial_time"), Fate::Differs(said) if said.contains("horde"))
    );
    assert!(
        matches!(fate(&import, "matchmaking.overrides.fast"), Fate::Differs(said) if said.contains("opponent_min_rating"))
    );
    assert!(matches!(
        fate(&import, "matchmaking.overrides.same"),
        Fate::Taken(_)
    ));
}

#[test]
fn a_set_of_challenges_of_a_wrong_kind_has_its_place() {
    let text = "engine: {dir: e}\nmatchmaking:\n  overrides: {odd: {challenge_increment: [x]}}\n";
    let Err(findings) = translate("config.yml", text, Path::new(".")) else {
        panic!("it was translated");
    };
    let said = findings.to_string();
    assert!(
        said.contains("config.yml:3:42: error: matchmaking.challenge_increment: a list of whole numbers"),
        "{said}"
    );
}

#[test]
fn block_lists_of_lichess_bot_are_lists() {
    let config = config(&translated(LICHESS_BOT).1);
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
}

#[test]
fn servers_of_lichess_bot_stand_among_the_books() {
    let (_folder, import) = translated(LICHESS_BOT);
    let config = config(&import);
    let servers = [
        "online:tables",
        "own",
        "online:chessdb",
        "online:cloud",
        "online:explorer",
    ];
    assert_eq!(moved(&import).books, servers);
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
}

#[test]
fn the_personality_behaves_as_lichess_bot_did() {
    let (_folder, import) = translated(LICHESS_BOT);
    let moved = moved(&import);
    assert_eq!(moved.title, "MyBot");
    assert_eq!(moved.book_plies, Some(24));
    assert_eq!(moved.takebacks, 2);
    let resign = moved.resign.unwrap();
    assert_eq!((resign.behind.0, resign.moves), (800, 4));
    let draw = moved.draw.unwrap();
    assert_eq!((draw.within.0, draw.moves, draw.offers_to_humans), (15, 6, true));
    assert_eq!((moved.nodes, moved.depth), (None, None));
    let moved_text = file(&import, "personalities/moved.toml");
    assert!(
        moved_text.contains("greeting-spectators = \"Hello all.\"")
            && moved_text.contains("farewell-spectators = \"Goodbye all.\""),
        "{moved_text}"
    );
}

#[test]
fn books_of_lichess_bot_are_converted_or_named() {
    let (_folder, import) = translated(LICHESS_BOT);
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
}

#[test]
fn the_engine_of_lichess_bot_plays_on() {
    let (folder, import) = translated(LICHESS_BOT);
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
}

#[test]
fn secrets_of_lichess_bot_are_not_shown() {
    let (_folder, import) = translated(LICHESS_BOT);
    let text = import.settings(SHIPPED).unwrap();
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
