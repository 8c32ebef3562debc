//! The settings of lichess-bot, and what becomes of each.

use super::{
    books::Scale,
    challenge_sets,
    challenges::{ListUse, Who},
    chat,
    draft::{Draft, but, millis_of, toml, with_reason},
    engines, online,
    shared::{
        self, ENGINE_OUTPUT, NO_GAVIOTA, ORDER_IS_FIXED, TABLES_ARE_WHOLE, add_list, add_urls, bound, by,
        clock_texts, differs, nothing, speeds, taken, variants,
    },
    table::{Becomes, Fate, Found, Refusal, Row, at},
    yaml::Value,
};

/// The version whose settings are in the table.
pub(super) const VERSION: &str = "lichess-bot 2026.8.2.1";

const fn row(under: &'static str, keys: &'static [&'static str], becomes: Becomes) -> Row {
    Row {
        under,
        keys,
        default: None,
        becomes,
    }
}

const fn or(
    under: &'static str,
    keys: &'static [&'static str],
    default: &'static str,
    becomes: Becomes,
) -> Row {
    Row {
        under,
        keys,
        default: Some(default),
        becomes,
    }
}

/// Every setting. Rows that others depend on come first.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("", &["token"], by(shared::token)),
    row("", &["url"], by(shared::url)),
    // Challenges.
    or("challenge", &["concurrency"], "1", by(shared::concurrency)),
    or("challenge", &["games_reserved_for_humans"], "0", by(reserved)),
    or("challenge", &["accept_bot"], "false", by(accept_bot)),
    row("challenge", &["only_bot"], by(only_bot)),
    row("challenge", &["variants"], by(|draft, found| variants(draft, found, Who::All))),
    row("challenge", &["time_controls"], by(|draft, found| speeds(draft, found, &[Who::All]))),
    row("challenge", &["modes"], by(|draft, found| shared::modes(draft, found, &[Who::All]))),
    row("challenge", &["min_increment", "max_increment", "min_base", "max_base", "min_days", "max_days"], by(time_bound)),
    row("challenge", &["min_rating", "max_rating", "rating_difference"], by(rating_bound)),
    row("challenge", &["bullet_requires_increment"], by(bullet)),
    row("challenge", &["block_list"], by(|draft, found| add_list(draft, found, ListUse::Blocked))),
    row("challenge", &["online_block_list"], by(|draft, found| add_urls(draft, found, ListUse::Blocked))),
    row("challenge", &["allow_list"], by(|draft, found| add_list(draft, found, ListUse::Only))),
    or("challenge", &["max_simultaneous_games_per_user"], "5", by(|draft, found| {
        draft.set_int(found, ("games", "per-opponent"), 1..=64)
    })),
    row("challenge", &["recent_bot_challenge_age", "max_recent_bot_challenges"], nothing(
        "games are counted by the day: a [[rule]] with from = \"bots\", min-played-today and then = \"decline\"",
    )),
    row("challenge", &["sort_by", "preference"], nothing(ORDER_IS_FIXED)),
    // Games.
    or("", &["abort_time"], "20", by(abort_time)),
    or("", &["move_overhead"], "1000", by(move_overhead)),
    row("", &["fake_think_time"], by(fake_think_time)),
    row("", &["rate_limiting_delay"], nothing(
        "the bot keeps to lichess' limits by itself, and never holds a move back for them",
    )),
    or("", &["max_takebacks_accepted"], "0", by(shared::takebacks)),
    row("", &["quit_after_all_games_finish"], by(quit)),
    row("", &["pgn_directory", "pgn_file_grouping"], nothing(
        "games are kept in archive.db; `sparring games export` writes PGN",
    )),
    row("correspondence", &["checkin_period", "disconnect_time"], nothing(
        "a game of days gives up its stream after a minute, and is found again when it is the bot's turn",
    )),
    row("correspondence", &["move_time", "ponder", "uci_ponder"], nothing(
        "moves of days are searched like others, and pondered about for a minute at most",
    )),
    // Chat.
    row("greeting", &["hello"], by(|draft, found| chat::line(draft, found, &["greeting"]))),
    row("greeting", &["goodbye"], by(|draft, found| chat::line(draft, found, &["won", "lost", "drawn"]))),
    row("greeting", &["hello_spectators"], by(|draft, found| chat::to_spectators(draft, found, "greeting-spectators"))),
    row("greeting", &["goodbye_spectators"], by(|draft, found| chat::to_spectators(draft, found, "farewell-spectators"))),
    // Moves of servers, which books name beside books.
    row("engine.online_moves.chessdb_book|engine.online_moves.lichess_cloud_analysis|engine.online_moves.lichess_opening_explorer|engine.online_moves.online_egtb",
        &["enabled"], by(online::enabled)),
    row("engine.online_moves.chessdb_book", &["min_time", "move_quality", "min_depth"], by(online::setting)),
    row("engine.online_moves.lichess_cloud_analysis", &[
        "min_time", "move_quality", "max_score_difference", "min_depth",
    ], by(online::setting)),
    row("engine.online_moves.lichess_cloud_analysis", &["min_knodes"], nothing("evaluations are judged by their depth")),
    row("engine.online_moves.lichess_opening_explorer", &["source"], differs("source in [online.explorer], if it is on")),
    row("engine.online_moves.lichess_opening_explorer", &["min_time", "player_name", "sort", "min_games"], by(online::setting)),
    row("engine.online_moves.online_egtb", &["min_time"], by(online::setting)),
    row("engine.online_moves.online_egtb", &["max_pieces", "source", "move_quality"], by(online::tables)),
    row("engine.online_moves.chessdb_book|engine.online_moves.lichess_cloud_analysis|engine.online_moves.lichess_opening_explorer|engine.online_moves.online_egtb",
        &["max_time"], nothing("a server is asked with any time beyond min-clock")),
    row("engine.online_moves", &["max_depth"], by(online::length)),
    row("engine.online_moves", &["max_out_of_book_moves"], differs(shared::FIVE_UNKNOWN)),
    row("engine.online_moves", &["max_retries"], nothing(shared::ASKED_ONCE)),
    // Books.
    row("engine.polyglot", &["enabled"], by(|draft, found| {
        draft.books.enabled = found.truth()?;
        shared::switch(found, "moved.toml names books", "moved.toml names no books")
    })),
    row("engine.polyglot", &["selection"], by(shared::selection)),
    row("engine.polyglot", &["normalization"], by(normalization)),
    row("engine.polyglot", &["min_weight"], by(min_weight)),
    or("engine.polyglot", &["max_depth"], "8", by(max_depth)),
    row("engine.polyglot.book", &["standard"], by(book)),
    row("engine.polyglot.book", &["*"], nothing(shared::STANDARD_BOOKS)),
    // The engine.
    row("engine", &["dir", "name", "interpreter", "interpreter_options", "working_dir", "protocol"], by(engine)),
    row("engine", &["ponder", "uci_ponder"], by(shared::ponder)),
    row("engine", &["debug", "silence_stderr"], nothing(ENGINE_OUTPUT)),
    row("engine.engine_options", &["*"], by(engine_option)),
    row("engine.uci_options.go_commands", &["nodes", "depth", "movetime"], by(|draft, found| shared::limit(draft, found, ENGINE))),
    row("engine.uci_options.go_commands", &["*"], nothing("an engine is limited by nodes, depth and move-time")),
    row("engine.uci_options", &["*"], by(|draft, found| shared::uci_option(draft, found, ENGINE, true))),
    row("engine.xboard_options.egtpath", &["*"], nothing(shared::UCI_ALONE)),
    row("engine.xboard_options.go_commands", &["*"], nothing(shared::UCI_ALONE)),
    row("engine.xboard_options", &["*"], nothing(shared::UCI_ALONE)),
    row("engine.homemade_options", &["*"], nothing(shared::UCI_ALONE)),
    // Draws and resigning.
    row("engine.draw_or_resign", &["resign_enabled"], by(|_, found| {
        shared::switch(found, "moved.toml resigns", "moved.toml never resigns")
    })),
    or("engine.draw_or_resign", &["resign_score"], "-1000", by(|draft, found| shared::resign_score(draft, found, RESIGNS))),
    or("engine.draw_or_resign", &["resign_moves"], "3", by(|draft, found| {
        shared::moves(draft, found, "resign-moves", RESIGNS)
    })),
    row("engine.draw_or_resign", &["offer_draw_enabled"], by(offer_draw)),
    or("engine.draw_or_resign", &["offer_draw_score"], "0", by(|draft, found| shared::draw_score(draft, found, DRAWS))),
    or("engine.draw_or_resign", &["offer_draw_moves"], "5", by(|draft, found| {
        shared::moves(draft, found, "draw-moves", DRAWS)
    })),
    row("engine.draw_or_resign", &["offer_draw_pieces"], nothing(
        "draws do not wait for few pieces; in rated games they wait for move 31",
    )),
    row("engine.draw_or_resign", &["resign_for_egtb_minus_two", "offer_draw_for_egtb_zero"], nothing(
        "scores of tables count like any score",
    )),
    // Tables.
    row("engine.lichess_bot_tbs.syzygy", &["enabled"], by(|_, found| {
        shared::switch(found, "syzygy in [paths]", "no syzygy in [paths]")
    })),
    row("engine.lichess_bot_tbs.syzygy", &["paths"], by(|draft, found| {
        shared::syzygy(draft, found, "engine.lichess_bot_tbs.syzygy.enabled")
    })),
    row("engine.lichess_bot_tbs.syzygy", &["max_pieces", "move_quality"], nothing(TABLES_ARE_WHOLE)),
    row("engine.lichess_bot_tbs.gaviota", &[
        "enabled", "paths", "max_pieces", "min_dtm_to_consider_as_wdl_1", "move_quality",
    ], nothing(NO_GAVIOTA)),
    // Challenges to others.
    row("matchmaking", &["allow_matchmaking"], by(|draft, found| {
        let truth = found.truth()?;
        Ok(draft.set(found, "matchmaking", "enabled", truth.to_string()))
    })),
    row("matchmaking", &["challenge_timeout"], by(challenge_timeout)),
    row("matchmaking", &["challenge_increment"], by(|draft, found| {
        draft.increments = found.ints()?;
        if challenge_sets::are_wanted(found.root) {
            return Ok(taken("in games of [matchmaking]"));
        }
        Ok(taken("clocks in [matchmaking], with challenge_initial_time"))
    })),
    row("matchmaking", &["challenge_initial_time"], by(clocks)),
    row("matchmaking", &["challenge_variant"], by(challenge_variant)),
    or("matchmaking", &["challenge_mode"], "random", by(challenge_mode)),
    row("matchmaking", &["opponent_rating_difference"], by(|draft, found| {
        draft.set_int(found, ("matchmaking", "max-difference"), 0..=4000)
    })),
    row("matchmaking", &["opponent_min_rating", "opponent_max_rating", "rating_preference"], nothing(
        "opponents are drawn at random among the bots within max-difference",
    )),
    row("matchmaking", &["allow_during_games"], nothing("the bot challenges only while it does not play")),
    row("matchmaking", &["challenge_days"], nothing("the bot challenges to games with a clock alone")),
    row("matchmaking", &["block_list"], by(|draft, found| add_list(draft, found, ListUse::BlockedBots))),
    row("matchmaking", &["online_block_list"], by(|draft, found| add_urls(draft, found, ListUse::BlockedBots))),
    row("matchmaking", &["include_challenge_block_list"], differs(
        "always so: the bot challenges nobody whom its rules decline",
    )),
    row("matchmaking", &["challenge_filter", "delay_after_decline", "challenge_decliner_file_name"], differs(
        "always so: a bot that declines is left alone for an hour, then four times as long each time, up to a week",
    )),
    row("matchmaking.overrides", &["*"], by(challenge_sets::set_of_overrides)),
];

/// The name of the engine in bot.toml.
const ENGINE: &str = "external";
const RESIGNS: &str = "engine.draw_or_resign.resign_enabled";
const DRAWS: &str = "engine.draw_or_resign.offer_draw_enabled";

fn time_bound(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let number = found.number()?;
    let filter = draft.challenges.filter(Who::All);
    let speeds = filter.speeds.as_ref();
    let has_days = speeds.is_some_and(|speeds| speeds.iter().any(|speed| speed == "correspondence"));
    Ok(match found.key {
        "min_days" | "max_days" if !has_days => taken("no games of days are let in anyway"),
        "min_increment" => {
            filter.min_increment = number;
            bound(number > 0.0, "less increment is declined")
        }
        "max_increment" => {
            filter.max_increment = Some(number);
            bound(number < 180.0, "more increment is declined")
        }
        "min_base" => {
            filter.min_initial = number;
            bound(number > 0.0, "less time is declined")
        }
        "max_base" => {
            filter.max_initial = Some(number);
            bound(number < 10_800.0, "more time is declined")
        }
        "min_days" => {
            filter.min_days = number;
            bound(number > 1.0, "fewer days are declined")
        }
        _ => {
            filter.max_days = number.is_finite().then_some(number);
            bound(
                number.is_finite(),
                "games without a clock are declined, and so are more days",
            )
        }
    })
}

fn rating_bound(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let number = found.int()?;
    let filter = draft.challenges.filter(Who::All);
    Ok(match found.key {
        "min_rating" => {
            filter.min_rating = number;
            bound(number > 0, "lower ratings are declined")
        }
        "max_rating" => {
            filter.max_rating = Some(number);
            bound(number < 4000, "higher ratings are declined")
        }
        _ => {
            filter.difference = Some(number);
            bound(number < 4000, "larger differences are declined")
        }
    })
}

fn bullet(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let is_bound = found.truth()?;
    draft.challenges.filter(Who::Bots).bullet_increment = is_bound;
    Ok(bound(is_bound, "bots' bullet without increment is declined"))
}

fn abort_time(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let millis = millis_of(found.number()?);
    Ok(draft.set_span(found, ("games", "abort-time"), millis, 15_000..=600_000))
}

fn move_overhead(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let millis = u64::try_from(found.int()?).unwrap_or(0);
    Ok(draft.set_span(found, ("play", "move-overhead"), millis, 0..=10_000))
}

fn max_depth(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    if found.is_default && !draft.books.enabled {
        return Err(Refusal::Empty);
    }
    let moves = found.int()?.clamp(0, 1000);
    Ok(draft.set_personality_int(found, "book-plies", moves * 2, 0..=200))
}

fn challenge_timeout(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let millis = millis_of(found.number()?.max(1.0) * 60.0);
    Ok(draft.set_span(found, ("matchmaking", "after"), millis, 10_000..=86_400_000))
}

fn reserved(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let slots = at(found.root, "challenge.concurrency").map_or(1, |node| match node.value {
        Value::Int(slots) => slots.clamp(1, 64),
        _ => 1,
    });
    if found.int()? >= slots && found.int()? > 0 {
        draft.challenges.filter(Who::Bots).refused = true;
        let fate = draft.set(found, "games", "reserved-for-humans", "0".to_owned());
        return Ok(but(fate, "all slots were for people, so a rule declines bots"));
    }
    draft.set_int(found, ("games", "reserved-for-humans"), 0..=63)
}

fn accept_bot(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let accepts = found.truth()?;
    draft.challenges.filter(Who::Bots).refused |= !accepts;
    Ok(bound(!accepts, "bots are declined"))
}

fn only_bot(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let refuses = found.truth()?;
    draft.challenges.filter(Who::Humans).refused |= refuses;
    Ok(bound(refuses, "people are declined"))
}

fn fake_think_time(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    if !found.truth()? {
        return Ok(draft.set_personality(found, "", "delay", toml("off")));
    }
    let fate = draft.set_personality(found, "", "delay", toml("human"));
    Ok(but(fate, "think times come from a model of people"))
}

fn quit(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    if found.truth()? {
        let fate = draft.set(found, "games", "shutdown-timeout", toml("24h"));
        return Ok(but(
            fate,
            "a unit of systemd waits no longer than its TimeoutStopSec",
        ));
    }
    Ok(Fate::Differs(
        "shutdown-timeout = \"5m\" in [games]: running games are finished; a second Ctrl-C leaves at once"
            .to_owned(),
    ))
}

fn normalization(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    draft.books.scale = match found.text()?.as_str() {
        "sum" => Scale::Sum,
        "max" => Scale::Max,
        _ => Scale::None,
    };
    Ok(taken("says how min_weight counts"))
}

fn min_weight(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let least = found.number()?;
    let selection = at(found.root, "engine.polyglot.selection").map(|node| &node.value);
    let is_drawn = |value: &Value| matches!(value, Value::Text(text) if text == "weighted_random");
    if selection.is_none_or(is_drawn) {
        return Ok(taken(
            "no effect, as there: with weighted_random lichess-bot draws among all moves",
        ));
    }
    draft.books.min_weight = least;
    Ok(taken("lighter moves are left out of the converted books"))
}

fn book(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    if !draft.books.enabled {
        return Ok(taken(shared::BOOKS_ARE_OFF));
    }
    let (names, failed) = shared::convert(draft, found.texts()?.iter());
    let names = online::in_order(draft, names);
    let fate = draft.set_personality(found, "", "books", toml(names));
    Ok(with_reason(fate, failed))
}

fn engine(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    found.one_line()?;
    let mut texts = found.texts()?;
    texts.retain(|text| !text.is_empty());
    let protocol = at(found.root, "engine.protocol").map(|node| &node.value);
    if matches!(protocol, Some(Value::Text(protocol)) if protocol != "uci") {
        return Ok(Fate::Nothing(shared::UCI_ALONE.to_owned()));
    }
    let text = texts.first().cloned().unwrap_or_default();
    let engine = shared::engine(draft, ENGINE);
    match found.key {
        "name" => engine.program = text,
        "interpreter" => engine.interpreter = (!text.is_empty()).then_some(text),
        "interpreter_options" => engine.interpreter_arguments = texts,
        "protocol" => return Ok(taken("engines speak UCI")),
        key => {
            let path = draft.path(&text);
            let engine = shared::engine(draft, ENGINE);
            match key {
                "dir" => engine.folder = path,
                _ => engine.directory = (!text.is_empty()).then_some(path),
            }
        }
    }
    let key = match found.key {
        "dir" | "name" | "interpreter" => "command",
        "working_dir" => "directory",
        _ => "arguments",
    };
    Ok(engines::fate(key, ENGINE))
}

fn engine_option(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    found.one_line()?;
    let name = found.names.first().copied().unwrap_or_default();
    let argument = match found.text() {
        Ok(value) => format!("--{name}={value}"),
        Err(Refusal::Empty) => format!("--{name}"),
        Err(refusal) => return Err(refusal),
    };
    shared::engine(draft, ENGINE).arguments.push(argument);
    Ok(engines::fate("arguments", ENGINE))
}

fn offer_draw(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    if !found.truth()? {
        return Ok(taken("moved.toml takes no draws and offers none"));
    }
    let fate = draft.set_personality(found, "", "draw-offers-people", "true".to_owned());
    Ok(but(fate, "in rated games draws wait for move 31"))
}

/// Every initial time with every increment.
fn clocks(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let initial = found.ints()?;
    if challenge_sets::are_wanted(found.root) {
        return challenge_sets::set(draft, found);
    }
    let increments = draft.increments.clone();
    let pairs = initial
        .iter()
        .flat_map(|initial| increments.iter().map(move |increment| (*initial, *increment)));
    clock_texts(draft, found, pairs.collect())
}

fn challenge_variant(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let wanted = found.text()?;
    if challenge_sets::are_wanted(found.root) {
        return challenge_sets::set(draft, found);
    }
    let pool = match wanted.as_str() {
        "random" => draft
            .challenges
            .filter(Who::All)
            .variants
            .clone()
            .unwrap_or_else(|| vec!["standard".into()]),
        _ => vec![wanted],
    };
    Ok(shared::challenge_variants(draft, found, pool))
}

fn challenge_mode(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let mode = found.text()?;
    if challenge_sets::are_wanted(found.root) {
        return challenge_sets::set(draft, found);
    }
    Ok(draft.set(found, "matchmaking", "mode", toml(mode)))
}
