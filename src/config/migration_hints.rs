//! Migration hints for keys of lichess-bot and BotLi.

use sparring_config_schema::Advice;

const fn called(key: &'static str, help: &'static str) -> Advice {
    Advice { key, help }
}

/// Keys of lichess-bot and BotLi, with their names here.
pub(super) const OTHER_BOTS: &[Advice] = &[
    called("concurrency", "here this is called \"max\", in [games]"),
    called(
        "max_simultaneous_games_per_user",
        "here this is called \"per-opponent\", in [games]",
    ),
    called(
        "abort_time",
        "here this is called \"abort-time\", in [games], as in abort-time = \"30s\"",
    ),
    called(
        "move_overhead",
        "here this is called \"move-overhead\", in [play], as in move-overhead = \"300ms\"",
    ),
    called(
        "move_overhead_multiplier",
        "here the overhead is a span of time: \"move-overhead\", in [play]",
    ),
    called(
        "fake_think_time",
        "here a personality decides: delay = \"human\" in its file",
    ),
    called(
        "rate_limiting_delay",
        "here a personality decides: \"delay\" in its file",
    ),
    called(
        "challenge",
        "challenges are judged by [[rule]] now, each of which may decline: docs/rules.md shows how each old key is \
         written",
    ),
    called(
        "accept_bot",
        "here a rule decides: [[rule]] with from = \"bots\" and then = \"decline\"",
    ),
    called(
        "only_bot",
        "here a rule decides: [[rule]] with from = \"humans\" and then = \"decline\"",
    ),
    called(
        "time_controls",
        "here rules decide: [[rule]] with speeds and a then",
    ),
    called(
        "min_base",
        "here this is called \"min-initial\", in a [[rule]], as in min-initial = \"3m\"",
    ),
    called(
        "max_base",
        "here this is called \"max-initial\", in a [[rule]], as in max-initial = \"30m\"",
    ),
    called(
        "min_initial",
        "here this is called \"min-initial\", in a [[rule]], as in min-initial = \"3m\"",
    ),
    called(
        "max_initial",
        "here this is called \"max-initial\", in a [[rule]], as in max-initial = \"30m\"",
    ),
    called(
        "min_increment",
        "here this is called \"min-increment\", in a [[rule]], as in min-increment = \"2s\"",
    ),
    called(
        "max_increment",
        "here this is called \"max-increment\", in a [[rule]], as in max-increment = \"30s\"",
    ),
    called(
        "polyglot",
        "here books are text files, named by \"books\" in a personality's file",
    ),
    called(
        "opening_books",
        "here books are text files, named by \"books\" in a personality's file",
    ),
    called("greeting", "here a personality greets: [chat] in its file"),
    called("messages", "here a personality greets: [chat] in its file"),
    called(
        "draw_or_resign",
        "here a personality decides: \"resign-behind\" and \"draw-within\" in its file",
    ),
    called(
        "offer_draw",
        "here a personality decides: \"draw-within\" in its file",
    ),
    called(
        "resign",
        "here a personality decides: \"resign-behind\" in its file",
    ),
    called(
        "max_takebacks",
        "here a personality decides: \"takebacks\" in its file",
    ),
    called(
        "max_takebacks_accepted",
        "here a personality decides: \"takebacks\" in its file",
    ),
    called(
        "engines",
        "here the engine is built in; its memory is \"hash\", in [engine]",
    ),
    called(
        "uci_options",
        "here the engine is built in; its memory is \"hash\", in [engine]",
    ),
    called(
        "quit_after_all_games_finish",
        "here this is called \"shutdown-timeout\", in [games]: how long games may go on",
    ),
    called(
        "block_list",
        "here this is a [[list]] of users, and a [[rule]] with lists and then = \"decline\"",
    ),
    called(
        "online_block_list",
        "here this is a [[list]] with a url, and a [[rule]] with lists and then = \"decline\"",
    ),
    called(
        "allow_matchmaking",
        "here this is called \"enabled\", in [matchmaking]",
    ),
    called(
        "challenge_timeout",
        "here this is called \"after\", in [matchmaking], as in after = \"30m\"",
    ),
    called(
        "swiss",
        "lichess lets no bot play in Swiss tournaments; \"arenas\", in [tournaments], names arenas that allow bots",
    ),
    called(
        "upgrade",
        "an account becomes a bot once and for all: the README says how",
    ),
];
