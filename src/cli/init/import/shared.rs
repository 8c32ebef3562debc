//! What the settings of lichess-bot and BotLi have in common.

use std::borrow::Borrow;

use super::{
    books::Books,
    challenges::{List, ListUse, SPEEDS, Who},
    draft::{Draft, but, free_name, nearest_of, toml, with_reason},
    engines::{self, ExternalEngine},
    table::{Becomes, Fate, Found, Refusal, Translate, is_on},
    yaml::Value,
};
use crate::config::{Server, TimeControlLimit};
use sparring_chess::{Variant, units::Millis};
use sparring_diagnostics::address_without_secrets;
use sparring_engine::Tablebase;
use sparring_lichess::{Token, model::UserId};

// Why there is nothing like a setting.
pub(super) const ASKED_ONCE: &str = "a server is asked once a move";
pub(super) const ENGINE_OUTPUT: &str = "what an engine writes to stderr is shown only when it ends";
pub(super) const FIVE_UNKNOWN: &str =
    "a game asks a server no more that did not know five positions in a row";
pub(super) const NO_GAVIOTA: &str = "Sparring reads Syzygy tables, no others";
pub(super) const ORDER_IS_FIXED: &str =
    "challengers are asked in this order: rematches, people, bots; slots for people are kept free";
pub(super) const STANDARD_BOOKS: &str = "Polyglot books are read for standard chess alone";
pub(super) const TABLES_ARE_WHOLE: &str = "all tables are used, by the engine in its search";
pub(super) const TWO_SECONDS: &str = "a move waits for all servers together two seconds at most";
pub(super) const UCI_ALONE: &str = "Sparring speaks UCI to engines, nothing else";
/// What becomes of books that are not used.
pub(super) const BOOKS_ARE_OFF: &str =
    "off there, so nothing was converted; `sparring book import FILE` converts a book";

pub(super) const fn by(translate: Translate) -> Becomes {
    Becomes::By(translate)
}

pub(super) const fn differs(what: &'static str) -> Becomes {
    Becomes::Differs(what)
}

pub(super) const fn nothing(why: &'static str) -> Becomes {
    Becomes::Nothing(why)
}

pub(super) fn taken(what: &str) -> Fate {
    Fate::Taken(what.to_owned())
}

/// The fate of a setting that a rule holds.
pub(super) fn rule(what: &str) -> Fate {
    Fate::Taken(format!("[[rule]]: {what}"))
}

/// The fate of a setting that is off: not worth a word where the file lacks it.
fn off(found: &Found<'_>, what: &str) -> Result<Fate, Refusal> {
    if found.is_default {
        return Err(Refusal::Empty);
    }
    Ok(taken(what))
}

/// The fate of a bound, which needs a rule if it keeps anybody out.
pub(super) fn bound(is_bound: bool, what: &str) -> Fate {
    if is_bound {
        rule(what)
    } else {
        taken("no bound, so no rule")
    }
}

/// The fate of a switch that other settings look at.
pub(super) fn switch(found: &Found<'_>, on: &str, off: &str) -> Result<Fate, Refusal> {
    Ok(taken(if found.truth()? { on } else { off }))
}

/// Keeps the token for its own file, unless it is a placeholder.
pub(super) fn token(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let text = found.text()?;
    let text = text.trim();
    let first = text.chars().next().unwrap_or('x');
    let is_placeholder = text.chars().all(|c| c == first);
    if is_placeholder {
        return Ok(taken(
            "a placeholder: put your own into the file `token`, readable by you alone",
        ));
    }
    if let Err(error) = Token::parse(text) {
        return Ok(Fate::Differs(format!("not written: {error}")));
    }
    draft.token = Some(text.to_owned());
    Ok(taken("moved into a file of its own"))
}

pub(super) fn url(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    Ok(match Server::parse(&found.text()?) {
        Ok(server) => draft.set(found, "lichess", "url", toml(server.as_str())),
        Err(error) => Fate::Differs(format!("not written: {error}")),
    })
}

pub(super) fn concurrency(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    if found.int()? == 0 {
        draft.challenges.nobody = true;
        return Ok(Fate::Differs("[[rule]]: all challenges are declined".to_owned()));
    }
    draft.set_int(found, ("games", "max"), 1..=64)
}

pub(super) fn takebacks(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let count = found.int()?;
    let fate = draft.set_personality_int(found, "takebacks", count, 0..=100);
    Ok(match count {
        0 => fate,
        _ => but(fate, "in casual games alone"),
    })
}

/// Variants to let in.
pub(super) fn variants(draft: &mut Draft, found: &Found<'_>, who: Who) -> Result<Fate, Refusal> {
    let wanted = found.texts()?;
    let (known, others): (Vec<_>, Vec<_>) = wanted
        .iter()
        .cloned()
        .partition(|name| name.parse::<Variant>().is_ok());
    let is_bound = known.len() < Variant::ALL.len();
    draft.challenges.filter(who).variants = Some(known);
    if others.is_empty() {
        return Ok(bound(is_bound, "other variants are declined"));
    }
    Ok(Fate::Differs(format!(
        "[[rule]]: lichess knows no variant {}",
        others.join(", ")
    )))
}

/// Classes of clocks to let in, and exact clocks such as `5+3`.
pub(super) fn speeds(draft: &mut Draft, found: &Found<'_>, whose: &[Who]) -> Result<Fate, Refusal> {
    let (mut speeds, mut clocks, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for text in found.texts()? {
        match TimeControlLimit::parse(&text) {
            _ if SPEEDS.contains(&text.as_str()) => speeds.push(text),
            Some(clock) => clocks.push(clock.to_string()),
            None => others.push(text),
        }
    }
    for who in whose {
        let filter = draft.challenges.filter(*who);
        filter.speeds = Some(speeds.clone());
        filter.clocks.clone_from(&clocks);
    }
    if others.is_empty() {
        return Ok(bound(speeds.len() < SPEEDS.len(), "other clocks are declined"));
    }
    Ok(Fate::Differs(format!(
        "[[rule]]: {} is no speed that bots may play",
        others.join(", ")
    )))
}

/// Rated games, casual ones, or both.
pub(super) fn modes(draft: &mut Draft, found: &Found<'_>, whose: &[Who]) -> Result<Fate, Refusal> {
    let modes = found.texts()?;
    for who in whose {
        draft.challenges.filter(*who).modes = Some(modes.clone());
    }
    Ok(bound(modes.len() < 2, "other modes are declined"))
}

/// Puts users on a list.
pub(super) fn add_list(draft: &mut Draft, found: &Found<'_>, purpose: ListUse) -> Result<Fate, Refusal> {
    let written = found.texts()?;
    if written.is_empty() {
        return Err(Refusal::Empty);
    }
    let (users, strange): (Vec<_>, Vec<_>) = written
        .into_iter()
        .partition(|name| name.parse::<UserId>().is_ok());
    let count = users.len();
    draft.challenges.lists.push(List {
        purpose,
        users,
        url: None,
        from: found.path.clone(),
    });
    let told = match purpose {
        ListUse::BlockedBots => "challenges of these bots are declined too, and capitals do not count",
        _ => "capitals do not count",
    };
    let told = match strange.as_slice() {
        [] => told.to_owned(),
        names => format!(
            "{told}; not written, for they are no names of users: {}",
            names.join(", ")
        ),
    };
    let fate = Fate::Taken(format!("[[list]] of {count} and a [[rule]]"));
    Ok(with_reason(fate, Some(told)))
}

/// Puts addresses of lists into lists.
pub(super) fn add_urls(draft: &mut Draft, found: &Found<'_>, purpose: ListUse) -> Result<Fate, Refusal> {
    let written = found.texts()?;
    if written.is_empty() {
        return Err(Refusal::Empty);
    }
    let mut told = Vec::new();
    for text in &written {
        let url = if text.contains("://") {
            text.clone()
        } else {
            told.push(format!(
                "https:// was put before {}",
                address_without_secrets(text)
            ));
            format!("https://{text}")
        };
        let list = format!("[[list]]\nname = \"a\"\nurl = {}\n", toml(url.clone()));
        if crate::config::read("bot.toml", &list).0.is_none() {
            told.push(format!(
                "{} is neither https nor on this machine, and was left out",
                address_without_secrets(&url)
            ));
            continue;
        }
        draft.challenges.lists.push(List {
            purpose,
            users: Vec::new(),
            url: Some(url),
            from: found.path.clone(),
        });
    }
    if purpose == ListUse::BlockedBots {
        told.push("challenges of these bots are declined too".to_owned());
    }
    let fate = Fate::Taken("[[list]] with a url and a [[rule]]".to_owned());
    Ok(with_reason(fate, (!told.is_empty()).then(|| told.join("; "))))
}

/// How moves are drawn from books.
pub(super) fn selection(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    let choice = match found.text()?.as_str() {
        "uniform_random" => "flat",
        "best_move" => "best",
        _ => "weight",
    };
    Ok(draft.set_personality(found, "", "book-choice", toml(choice)))
}

/// Converts books; says which could not be.
pub(super) fn convert(
    draft: &mut Draft,
    paths: impl Iterator<Item = impl Borrow<String>>,
) -> (Vec<String>, Option<String>) {
    let (mut names, mut failed) = (Vec::new(), Vec::new());
    for path in paths {
        let path = draft.path(path.borrow());
        match Books::convert(&mut draft.books, &path) {
            Ok(name) if names.contains(&name) => {}
            Ok(name) => names.push(name),
            Err(why) => failed.push(why),
        }
    }
    (
        names,
        (!failed.is_empty()).then(|| format!("not converted: {}", failed.join("; "))),
    )
}

pub(super) fn resign_score(draft: &mut Draft, found: &Found<'_>, switch: &str) -> Result<Fate, Refusal> {
    let score = found.int()?;
    if !is_on(found.root, switch) {
        return off(found, "off there; moved.toml never resigns");
    }
    Ok(draft.set_personality_int(found, "resign-behind", score.saturating_neg(), 200..=5000))
}

pub(super) fn draw_score(draft: &mut Draft, found: &Found<'_>, switch: &str) -> Result<Fate, Refusal> {
    let score = found.int()?;
    if !is_on(found.root, switch) {
        return off(found, "off there; moved.toml takes no draws");
    }
    Ok(draft.set_personality_int(found, "draw-within", score, 0..=300))
}

/// Own moves in a row before a draw or resignation.
pub(super) fn moves(
    draft: &mut Draft,
    found: &Found<'_>,
    key: &'static str,
    switch: &str,
) -> Result<Fate, Refusal> {
    let count = found.int()?;
    if !is_on(found.root, switch) {
        return off(found, "off there");
    }
    Ok(draft.set_personality_int(found, key, count, 1..=50))
}

/// Sets the folders of Syzygy tables, if they can be read.
pub(super) fn syzygy(draft: &mut Draft, found: &Found<'_>, switch: &str) -> Result<Fate, Refusal> {
    let folders: Vec<_> = found.texts()?.iter().map(|written| draft.path(written)).collect();
    if !is_on(found.root, switch) {
        return Ok(taken("off there; syzygy in [paths] names tables"));
    }
    if let Err(error) = Tablebase::open(&folders) {
        return Ok(Fate::Differs(format!("not written: {error}")));
    }
    match std::env::join_paths(&folders).map(std::ffi::OsString::into_string) {
        Ok(Ok(joined)) => Ok(draft.set(found, "paths", "syzygy", toml(joined))),
        _ => Ok(Fate::Differs(
            "not written: a folder's name has a colon, or is not UTF-8".to_owned(),
        )),
    }
}

/// The engine of this name.
pub(super) fn engine<'d>(draft: &'d mut Draft, name: &str) -> &'d mut ExternalEngine {
    let at = draft
        .engines
        .iter()
        .position(|engine| engine.name == name)
        .unwrap_or_else(|| {
            // Other bots run engines in their own folder.
            let directory = Some(draft.path(""));
            draft.engines.push(ExternalEngine {
                name: name.to_owned(),
                directory,
                ..ExternalEngine::default()
            });
            draft.engines.len() - 1
        });
    &mut draft.engines[at]
}

/// A name for an engine in bot.toml.
pub(super) fn engine_name(written: &str) -> String {
    free_name(&written.replace('.', "-"), "external", |_| false)
}

/// Whether engines think on the opponent's time.
pub(super) fn ponder(draft: &mut Draft, found: &Found<'_>) -> Result<Fate, Refusal> {
    Ok(match found.truth()? {
        true => draft.set(found, "engine", "ponder", "true".to_owned()),
        // Another engine of the same bot may ponder.
        false => taken("engines ponder only with ponder = true in [engine]"),
    })
}

/// Puts an option of an engine into its section. `is_main` is whether it plays where nothing else is said.
pub(super) fn uci_option(
    draft: &mut Draft,
    found: &Found<'_>,
    name: &str,
    is_main: bool,
) -> Result<Fate, Refusal> {
    /// What the program that runs an engine sets by itself.
    const MANAGED: [&str; 4] = ["uci_chess960", "uci_variant", "multipv", "ponder"];
    found.one_line()?;
    let option = found.key.to_owned();
    if MANAGED.contains(&option.to_ascii_lowercase().as_str()) {
        return Ok(Fate::Nothing("set by whoever runs the engine".to_owned()));
    }
    let value = match &found.node.value {
        Value::Int(number) => number.to_string(),
        Value::Float(number) => toml(*number),
        Value::Bool(truth) => truth.to_string(),
        _ => toml(found.text()?),
    };
    engine(draft, name).options.push((option.clone(), value));
    let fate = engines::fate("options", name);
    if !is_main || option != "Hash" {
        return Ok(fate);
    }
    let told = "MiB for each game, for the engine inside; the same in the options of the other";
    let (hash, range) = nearest_of(found.int()?, 1..=65_536);
    let hash = draft.set(found, "engine", "hash", hash.to_string());
    Ok(but(
        hash,
        &range.map_or_else(|| told.to_owned(), |range| format!("{told}; {range}")),
    ))
}

/// A limit of an engine's moves.
pub(super) fn limit(draft: &mut Draft, found: &Found<'_>, name: &str) -> Result<Fate, Refusal> {
    let (key, written, range) = match found.key {
        "nodes" => ("nodes", found.int()?, 1..=u32::MAX.into()),
        "depth" => ("depth", found.int()?, 1..=250),
        // lichess-bot counts milliseconds, BotLi seconds.
        "movetime" => ("move-time", found.int()?, 10..=600_000),
        _ => (
            "move-time",
            (found.number()? * 1000.0).round() as i64,
            10..=600_000,
        ),
    };
    let (number, range) = nearest_of(written, range);
    let value = match key {
        "move-time" => toml(format!("{number}ms")),
        _ => number.to_string(),
    };
    let limits = &mut engine(draft, name).limits;
    limits.retain(|(other, _)| *other != key);
    limits.push((key, value));
    let fate = engines::fate(key, name);
    Ok(range.map_or(fate.clone(), |range| but(fate, &range)))
}

/// Adds clocks of challenges to send, of those that lichess takes.
pub(super) fn clock_texts(
    draft: &mut Draft,
    found: &Found<'_>,
    seconds: Vec<(i64, i64)>,
) -> Result<Fate, Refusal> {
    /// More are not worth a choice.
    const MOST: usize = 100;
    let mut refused = Vec::new();
    for (initial, increment) in seconds.into_iter().take(MOST) {
        match offered_clock(initial, increment) {
            Ok(clock) if !draft.clocks.contains(&clock) => draft.clocks.push(clock),
            Ok(_) => {}
            Err(clock) => refused.push(clock),
        }
    }
    let told =
        (!refused.is_empty()).then(|| format!("lichess lets no bot challenge with {}", refused.join(", ")));
    if draft.clocks.is_empty() {
        return Ok(Fate::Differs(
            told.unwrap_or_else(|| "no clock is left; the usual ones count".to_owned()),
        ));
    }
    let clocks = toml(draft.clocks.clone());
    Ok(with_reason(
        draft.set(found, "matchmaking", "clocks", clocks),
        told,
    ))
}

/// A clock of so many seconds as `5+3`, as an error if lichess lets no bot challenge with it.
pub(super) fn offered_clock(initial: i64, increment: i64) -> Result<String, String> {
    let millis = |seconds: i64| Millis::from_secs(u64::try_from(seconds.clamp(0, 1_000_000)).unwrap_or(0));
    let clock = TimeControlLimit {
        initial: millis(initial),
        increment: millis(increment),
    }
    .to_string();
    let text = format!("[matchmaking]\nclocks = {}\n", toml(vec![clock.clone()]));
    match crate::config::read("bot.toml", &text).0 {
        Some(_) => Ok(clock),
        None => Err(clock),
    }
}

/// Adds a game to propose, unless lichess refuses its clock.
pub(super) fn add_game(draft: &mut Draft, found: &Found<'_>, game: String) -> Fate {
    let mut games = draft.games.clone();
    if !games.contains(&game) {
        games.push(game);
    }
    let fate = draft.set(found, "matchmaking", "games", toml(games.clone()));
    if matches!(fate, Fate::Taken(_)) {
        draft.games = games;
    }
    fate
}

/// Whether the bot challenges to a variant: to all but From Position, which would need a position.
pub(super) fn is_sent(name: &str) -> bool {
    name.parse()
        .is_ok_and(|variant: Variant| variant != Variant::FromPosition)
}

/// Adds variants of challenges to send, of those that the bot sends.
pub(super) fn challenge_variants(draft: &mut Draft, found: &Found<'_>, wanted: Vec<String>) -> Fate {
    let (sent, others): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|name| is_sent(name));
    let others: Vec<String> = others.into_iter().filter(|name| name != "fromPosition").collect();
    let told = (!others.is_empty()).then(|| format!("lichess knows no variant {}", others.join(", ")));
    for variant in sent {
        if !draft.variants.contains(&variant) {
            draft.variants.push(variant);
        }
    }
    if draft.variants.is_empty() {
        let none = "the bot sends no challenges from positions".to_owned();
        return Fate::Differs(format!("not written: {}", told.unwrap_or(none)));
    }
    let variants = toml(draft.variants.clone());
    with_reason(draft.set(found, "matchmaking", "variants", variants), told)
}
