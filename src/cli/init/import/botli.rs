//! The settings of BotLi, and what becomes of each.

use super::{
    challenges::{ListUse, Who},
    chat,
    draft::{Draft, but, millis_of, toml, with_reason},
    engines, online,
    shared::{self, ENGINE_OUTPUT, NO_GAVIOTA, TABLES_ARE_WHOLE, add_list, by, differs, nothing, taken},
    situation::{NO_TOURNAMENT_RULE, Situation},
    table::{Becomes, Fate, Found, Refusal, Row, at},
    yaml::{Node, Value},
};
use crate::config::TimeControlLimit;
use sparring_chess::Variant;

/// The version whose settings are in the table. BotLi has no numbers.
pub(super) const VERSION: &str = "BotLi of July 2026";

const fn row(under: &'static str, keys: &'static [&'static str], becomes: Becomes) -> Row {
    Row {
        under,
        keys,
        default: None,
        becomes,
    }
}

/// Where the types of challenges stand.
const GAMES: &str = "games in [matchmaking]";
/// Servers that are asked in openings, and all.
const OPENINGS: &str = "online_moves.opening_explorer|online_moves.lichess_cloud|online_moves.chessdb";
const SERVERS: &str =
    "online_moves.opening_explorer|online_moves.lichess_cloud|online_moves.chessdb|online_moves.online_egtb";
/// Both kinds of challengers; the section itself is how BotLi had it before May 2026.
const CHALLENGERS: &str = "challenge|challenge.human|challenge.bot";
/// Every setting. Rows that others depend on come first.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("", &["token"], by(shared::token)),
    row("", &["url"], by(shared::url)),
    // Challenges.
    row("challenge", &["concurrency"], by(concurrency)),
    row("challenge", &["max_takebacks"], by(shared::takebacks)),
    row(CHALLENGERS, &["variants"], by(|draft, found| shared::variants(draft, found, who(found)))),
    row(CHALLENGERS, &["time_controls"], by(|draft, found| shared::speeds(draft, found, &[who(found)]))),
    row(CHALLENGERS, &["modes"], by(|draft, found| shared::modes(draft, found, &[who(found)]))),
    row("challenge", &["human_time_controls", "bot_time_controls"], by(|draft, found| {
        shared::speeds(draft, found, &[who(found)])
    })),
    row("challenge", &["human_modes", "bot_modes"], by(|draft, found| shared::modes(draft, found, &[who(found)]))),
    row(CHALLENGERS, &["min_increment", "max_increment", "min_initial", "max_initial"], by(time_bound)),
    row(CHALLENGERS, &["bullet_with_increment_only"], by(bullet)),
    row(CHALLENGERS, &["max_estimated_game_duration"], nothing(
        "games are bounded by clock and increment: min-initial and min-increment of a [[rule]] that declines",
    )),
    row("", &["whitelist"], by(|draft, found| add_list(draft, found, ListUse::Welcome))),
    row("", &["blacklist"], by(|draft, found| add_list(draft, found, ListUse::Blocked))),
    row("", &["online_blacklists"], by(|draft, found| shared::add_urls(draft, found, ListUse::Blocked))),
    // Engines.
    row("engines.*", &["dir", "name"], by(engine)),
    row("engines.*", &["ponder"], by(shared::ponder)),
    row("engines.*", &["silence_stderr"], nothing(ENGINE_OUTPUT)),
    row("engines.*", &["move_overhead_multiplier"], differs(
        "move-overhead = \"300ms\" in [play]: what a move loses on its way, whatever the clock",
    )),
    row("engines.*.uci_options", &["*"], by(uci_option)),
    row("engines.*.limits", &["time", "depth", "nodes"], by(limit)),
    // Tables.
    row("syzygy.standard", &["enabled"], by(|_, found| {
        shared::switch(found, "syzygy in [paths]", "no syzygy in [paths]")
    })),
    row("syzygy.standard", &["paths"], by(|draft, found| shared::syzygy(draft, found, "syzygy.standard.enabled"))),
    row("syzygy.standard", &["max_pieces", "instant_play"], nothing(TABLES_ARE_WHOLE)),
    row("syzygy.antichess|syzygy.atomic", &["enabled", "paths", "max_pieces", "instant_play"], nothing(
        "the bot reads the tables of standard chess alone; online sources have those of these variants",
    )),
    row("gaviota", &["enabled", "paths", "max_pieces"], nothing(NO_GAVIOTA)),
    // Books.
    row("books", &["*"], by(|draft, found| {
        draft.books.paths.insert(found.key.to_owned(), found.text()?);
        Ok(taken("converted where opening_books names it and is on"))
    })),
    row("opening_books", &["enabled"], by(|draft, found| {
        draft.books.enabled = found.truth()?;
        shared::switch(found, "moved.toml and rules name books", "moved.toml names no books")
    })),
    row("opening_books", &["read_learn"], nothing(
        "learning lies in the archive, not in the book: book-learning in [state]",
    )),
    row("opening_books", &["priority"], by(|draft, found| {
        draft.books.priority = Some(found.int()?);
        Ok(taken("the order of books in moved.toml"))
    })),
    // Moves of servers, which books name beside books.
    row(SERVERS, &["enabled"], by(online::enabled)),
    row(SERVERS, &["min_time"], by(online::setting)),
    row(SERVERS, &["timeout"], differs(shared::TWO_SECONDS)),
    row(OPENINGS, &["priority"], by(online::priority)),
    row(OPENINGS, &["allow_repetitions"], by(online::repetitions)),
    row(OPENINGS, &["max_depth"], by(online::setting)),
    row(OPENINGS, &["max_moves"], nothing("a server is asked until max-ply")),
    row(OPENINGS, &["only_without_book"], differs("the order of books in moved.toml: a server behind them is asked where none has a move")),
    row("online_moves.opening_explorer|online_moves.lichess_cloud", &["use_for_variants"], nothing(
        "servers are asked in the variants that they know",
    )),
    row("online_moves.opening_explorer", &["player", "min_games", "selection"], by(online::setting)),
    row("online_moves.opening_explorer", &["only_with_wins"], nothing("moves are weighed by points, and draws count half")),
    row("online_moves.opening_explorer", &["anti"], by(|_, found| Ok(match found.truth()? {
        false => taken("the bot's own games count"),
        true => Fate::Nothing("the bot does not ask for the games of its opponents".to_owned()),
    }))),
    row("online_moves.lichess_cloud", &["min_eval_depth"], by(online::setting)),
    row("online_moves.chessdb", &["best_move"], by(online::setting)),
    row("online_moves.lichess_cloud|online_moves.chessdb", &["trust_eval"], nothing(
        "evaluations of servers count like scores of the engine",
    )),
    row("opening_books.books.*", &["names"], by(book)),
    row("opening_books.books.*", &["selection"], by(selection)),
    row("opening_books.books.*", &["max_depth"], by(max_depth)),
    row("opening_books.books.*", &["max_moves", "allow_repetitions"], nothing(
        "a book is played from until it ends or book-plies is reached",
    )),
    // Draws and resigning.
    row("offer_draw", &["enabled"], by(|_, found| {
        shared::switch(found, "moved.toml takes and offers draws", "moved.toml takes no draws")
    })),
    row("offer_draw", &["score"], by(|draft, found| shared::draw_score(draft, found, "offer_draw.enabled"))),
    row("offer_draw", &["consecutive_moves"], by(|draft, found| {
        shared::moves(draft, found, "draw-moves", "offer_draw.enabled")
    })),
    row("offer_draw", &["min_game_length"], differs("in rated games draws wait for move 31, in casual games for nothing")),
    row("offer_draw", &["against_humans"], by(draws_of_people)),
    row("resign", &["enabled"], by(|_, found| {
        shared::switch(found, "moved.toml resigns", "moved.toml never resigns")
    })),
    row("resign", &["score"], by(|draft, found| shared::resign_score(draft, found, "resign.enabled"))),
    row("resign", &["consecutive_moves"], by(|draft, found| {
        shared::moves(draft, found, "resign-moves", "resign.enabled")
    })),
    row("resign", &["against_humans"], by(|_, found| Ok(match found.truth()? {
        true => taken("it resigns to people and bots alike"),
        false => Fate::Differs("a personality resigns to people and bots alike".to_owned()),
    }))),
    row("offer_draw|resign", &["min_rating"], nothing("draws and resignations do not look at ratings")),
    // Chat.
    row("messages", &["greeting"], by(|draft, found| chat::line(draft, found, &["greeting"]))),
    row("messages", &["goodbye"], by(|draft, found| chat::line(draft, found, &["won", "lost", "drawn"]))),
    row("messages", &["greeting_spectators"], by(|draft, found| chat::to_spectators(draft, found, "greeting-spectators"))),
    row("messages", &["goodbye_spectators"], by(|draft, found| chat::to_spectators(draft, found, "farewell-spectators"))),
    // Challenges to others.
    row("matchmaking", &["delay"], by(|draft, found| {
        let millis = millis_of(found.number()?);
        Ok(draft.set_span(found, ("matchmaking", "after"), millis, 10_000..=86_400_000))
    })),
    row("matchmaking", &["timeout"], nothing("a challenge without an answer is canceled after 45 s")),
    row("matchmaking", &["selection"], by(|_, found| Ok(match found.text()?.as_str() {
        "weighted_random" => taken("games in [matchmaking] are drawn by weight"),
        _ => Fate::Differs("games in [matchmaking] are drawn by weight, not in turn".to_owned()),
    }))),
    row("matchmaking.types.*", &["tc"], by(challenge_type)),
    row("matchmaking.types.*", &["variant"], by(|_, found| Ok(match found.text()?.as_str() {
        name if shared::is_sent(name) => taken(GAMES),
        _ => Fate::Nothing("the bot sends no challenges to it".to_owned()),
    }))),
    row("matchmaking.types.*", &["rated"], by(|_, found| {
        found.truth()?;
        Ok(taken(GAMES))
    })),
    row("matchmaking.types.*", &["weight"], by(|_, found| {
        let written = found.number()?;
        Ok(match weight(written) {
            Some(weight) if weight == written => taken(GAMES),
            Some(weight) => Fate::Differs(format!("{GAMES}, as {weight}: weights are whole numbers from 1 to 10000")),
            None => Fate::Differs("a game that never comes up is not written".to_owned()),
        })
    })),
    row("matchmaking.types.*", &["max_rating_diff"], by(max_rating_diff)),
    row("matchmaking.types.*", &["multiplier", "min_rating_diff", "target_rating_diff"], nothing(
        "opponents are drawn at random among the bots within max-difference",
    )),
];

fn concurrency(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    // BotLi keeps no slots for people.
    draft.set(found, "games", "reserved-for-humans", "0".to_owned());
    shared::concurrency(draft, found)
}

fn selection(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    if is_standard(found) {
        return shared::selection(draft, found);
    }
    found.text()?;
    Ok(Fate::Differs(
        "as for standard: there is one way of drawing from books".to_owned(),
    ))
}

fn max_depth(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let plies = found.int()?;
    if is_standard(found) {
        return Ok(draft.set_personality_int(found, "book-plies", plies, 0..=200));
    }
    Ok(Fate::Differs(
        "as for standard: there is one length for books".to_owned(),
    ))
}

fn draws_of_people(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let truth = found.truth()?;
    let fate = draft.set_personality(found, "", "draw-offers-people", truth.to_string());
    Ok(match truth {
        true => fate,
        false => but(
            fate,
            "people are offered no draws, and theirs are taken all the same",
        ),
    })
}

/// There is one largest difference for all types: the widest.
fn max_rating_diff(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let own = found.int()?;
    let points = |kind: &Node| match kind.get("max_rating_diff")?.value {
        Value::Int(points) => Some(points),
        _ => None,
    };
    let widest = types(found).filter_map(points).max().unwrap_or(own);
    let told = (widest != own).then(|| "the widest of all types".to_owned());
    let fate = draft.set(
        found,
        "matchmaking",
        "max-difference",
        widest.clamp(0, 4000).to_string(),
    );
    Ok(with_reason(fate, told))
}

/// Whose challenges a setting is about.
fn who(found: &Found<'_>) -> Who {
    let rest = found.path.strip_prefix("challenge.").unwrap_or_default();
    match rest {
        _ if rest.starts_with("human") => Who::Humans,
        _ if rest.starts_with("bot") => Who::Bots,
        _ => Who::All,
    }
}

fn time_bound(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let seconds = found.number()?;
    // BotLi takes 0 for no bound.
    let most = (seconds > 0.0).then_some(seconds);
    let filter = draft.challenges.filter(who(found));
    let (is_bound, what) = match found.key {
        "min_increment" => {
            filter.min_increment = seconds;
            (seconds > 0.0, "less increment is declined")
        }
        "max_increment" => {
            filter.max_increment = most;
            (
                most.is_some_and(|most| most < 180.0),
                "more increment is declined",
            )
        }
        "min_initial" => {
            filter.min_initial = seconds;
            (seconds > 0.0, "less time is declined")
        }
        _ => {
            filter.max_initial = most;
            (most.is_some_and(|most| most < 10_800.0), "more time is declined")
        }
    };
    Ok(shared::bound(is_bound, what))
}

fn bullet(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    // Before it had a section of each kind, this was about bots.
    let who = match who(found) {
        Who::All => Who::Bots,
        who => who,
    };
    let is_bound = found.truth()?;
    draft.challenges.filter(who).bullet_increment = is_bound;
    Ok(shared::bound(is_bound, "bullet without increment is declined"))
}

fn is_standard(found: &Found<'_>) -> bool {
    found.names.first() == Some(&"standard")
}

/// Books of a situation: in the personality for all games, else in a rule.
fn book(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let key = found.names.first().copied().unwrap_or_default();
    let wanted = found.texts()?;
    if !draft.books.enabled {
        return Ok(taken(shared::BOOKS_ARE_OFF));
    }
    let situation = Situation::of(key).filter(|it| it.variant == Variant::Standard);
    let Some(situation) = situation else {
        return Ok(Fate::Nothing(match key.contains("tournament") {
            true => NO_TOURNAMENT_RULE.to_owned(),
            false => shared::STANDARD_BOOKS.to_owned(),
        }));
    };
    let (paths, unnamed): (Vec<_>, Vec<_>) = wanted
        .iter()
        .map(|name| (name, draft.books.paths.get(name).cloned()))
        .partition(|(_, path)| path.is_some());
    let paths: Vec<String> = paths.into_iter().filter_map(|(_, path)| path).collect();
    let (names, failed) = shared::convert(draft, paths.iter());
    let unnamed: Vec<String> = unnamed
        .into_iter()
        .map(|(name, _)| format!("books does not name {name}"))
        .collect();
    let told: Vec<String> = failed.into_iter().chain(unnamed).collect();
    let told = (!told.is_empty()).then(|| told.join("; "));
    let names = toml(online::in_order(draft, names));
    if situation.conditions.is_empty() {
        let personality_key = match situation.color {
            None => "books",
            Some("white") => "books-white",
            Some(_) => "books-black",
        };
        let fate = draft.set_personality(found, "", personality_key, names);
        return Ok(with_reason(fate, told));
    }
    let colors = situation
        .color
        .map_or(vec!["white", "black"], |color| vec![color]);
    let books: String = colors
        .iter()
        .map(|color| format!("books-{color} = {names}\n"))
        .collect();
    let name: String = format!("books: {key}").chars().take(60).collect();
    let rule = format!("name = {}\n{}{books}", toml(name), situation.conditions);
    draft.challenges.games.push((situation.order, rule));
    Ok(with_reason(
        Fate::Taken(format!("[[rule]] with books for {key}")),
        told,
    ))
}

/// The engine of a situation: in `[play]` for all games, else in a rule.
fn engine(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    found.one_line()?;
    let key = found.names.first().copied().unwrap_or_default();
    let name = shared::engine_name(key);
    let text = found.text()?;
    let path = draft.path(&text);
    let engine = shared::engine(draft, &name);
    if found.key == "dir" {
        engine.folder = path;
        return Ok(engines::fate("command", &name));
    }
    engine.program = text;
    let fate = engines::fate("command", &name);
    if is_standard(found) || engine.program.is_empty() {
        return Ok(fate);
    }
    let Some(situation) = Situation::of(key) else {
        return Ok(but(
            fate,
            match key.contains("tournament") {
                true => NO_TOURNAMENT_RULE,
                false => "no rule names it: lichess knows no such games",
            },
        ));
    };
    let title: String = format!("engine: {key}").chars().take(60).collect();
    let rule = format!(
        "name = {}\n{}engine = {}\n",
        toml(title),
        situation.conditions,
        toml(name)
    );
    draft.challenges.games.push((situation.order, rule));
    let fate = with_rule(fate, key);
    Ok(match situation.color {
        None => fate,
        Some(color) => but(
            fate,
            &format!("rules do not tell colors, so it plays more than {color}"),
        ),
    })
}

fn with_rule(fate: Fate, key: &str) -> Fate {
    match fate {
        Fate::Taken(what) => Fate::Taken(format!("{what}, and [[rule]] for {key}")),
        fate => fate,
    }
}

fn uci_option(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let name = shared::engine_name(found.names.first().copied().unwrap_or_default());
    shared::uci_option(draft, found, &name, is_standard(found))
}

fn limit(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let name = shared::engine_name(found.names.first().copied().unwrap_or_default());
    shared::limit(draft, found, &name)
}

fn types<'f>(found: &Found<'f>) -> impl Iterator<Item = &'f Node> {
    let entries = at(found.root, "matchmaking.types").map_or(&[][..], |types| types.entries());
    entries.iter().map(|entry| &entry.node)
}

/// A weight as `games` has it; none for games that never come up.
fn weight(written: f64) -> Option<f64> {
    (written > 0.0).then(|| written.round().clamp(1.0, 10_000.0))
}

/// A type of challenges: its clock, its variant, whether it is rated, and its weight.
fn challenge_type(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let written = found.text()?;
    let Some(clock) = TimeControlLimit::parse(&written) else {
        return Ok(Fate::Differs(
            "not written: it is no clock in minutes and seconds, as 5+3".to_owned(),
        ));
    };
    let kinds = at(found.root, "matchmaking.types");
    let kind = kinds
        .zip(found.names.first())
        .and_then(|(kinds, name)| kinds.get(name));
    let value = |key| kind.and_then(|kind| kind.get(key)).map(|node| &node.value);
    let mut game = clock.to_string();
    match value("variant") {
        Some(Value::Text(variant)) if !shared::is_sent(variant) => {
            return Ok(Fate::Differs(format!(
                "not written: the bot sends no challenges to {variant}"
            )));
        }
        Some(Value::Text(variant)) if variant != "standard" => game = format!("{game} {variant}"),
        _ => {}
    }
    game += if value("rated") == Some(&Value::Bool(false)) {
        " casual"
    } else {
        " rated"
    };
    // Weights are far below 2^53.
    #[allow(clippy::cast_precision_loss)]
    let written = match value("weight") {
        Some(Value::Int(number)) => *number as f64,
        Some(Value::Float(number)) => *number,
        _ => 1.0,
    };
    match weight(written) {
        None => return Ok(Fate::Differs("not written: its weight is 0".to_owned())),
        Some(weight) if weight > 1.0 => game = format!("{game} {weight}"),
        Some(_) => {}
    }
    Ok(but(
        shared::add_game(draft, found, game),
        "enabled = true in [matchmaking] begins to challenge, there is no command for it",
    ))
}
