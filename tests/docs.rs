//! The tables of `docs/` say what the code declares. `make docs` writes them anew.

mod generated;

use generated::{check_block, table};
use sparring::{bot::observe::metrics::Metrics, cli::explain, config};
use sparring_lichess::model::DeclineReason;
use sparring_personality as personality;

/// Whether a key of bot.toml belongs to the page on rules.
fn is_of_rules(path: &str) -> bool {
    path.starts_with("rule.") || path.starts_with("list.")
}

#[test]
fn the_keys_of_bot_toml() {
    let (rules, others): (Vec<_>, Vec<_>) = config::keys("")
        .into_iter()
        .partition(|key| is_of_rules(&key.path));
    check_block("docs/config.md", "keys", &explain::table(&others));
    check_block("docs/rules.md", "keys", &explain::table(&rules));
}

#[test]
fn the_keys_of_personalities() {
    check_block(
        "docs/personalities.md",
        "keys",
        &explain::table(&personality::keys("")),
    );
    let mut power = personality::keys("mode = \"power\"");
    power.retain(|key| key.path.starts_with("search.") || key.path.starts_with("eval."));
    check_block("docs/personalities.md", "power keys", &explain::table(&power));
}

#[test]
fn the_reasons_of_refusals() {
    let rows =
        DeclineReason::ALL.map(|reason| vec![format!("`{}`", reason.key()), reason.meaning().to_owned()]);
    check_block(
        "docs/rules.md",
        "reasons",
        &table(&["reason", "tells the challenger"], rows),
    );
}

#[test]
fn the_options_over_uci() {
    let rows = sparring_uci::option_reference().into_iter().map(Vec::from);
    let heads = ["option", "default", "range", "meaning"];
    check_block("docs/uci.md", "options", &table(&heads, rows));
}

#[test]
fn the_metrics() {
    let page = Metrics::reference();
    let declared = |word: &str| {
        let prefix = format!("# {word} ");
        let lines = page
            .lines()
            .filter_map(move |line| line.strip_prefix(&prefix).and_then(|rest| rest.split_once(' ')));
        lines
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect::<Vec<_>>()
    };
    let (helps, types) = (declared("HELP"), declared("TYPE"));
    assert_eq!(helps.len(), types.len());
    let rows = types.into_iter().zip(helps).map(|((name, kind), (_, help))| {
        let ending = match kind.as_str() {
            "counter" => "_total",
            "info" => "_info",
            _ => "",
        };
        vec![format!("`{name}{ending}`"), kind, help]
    });
    check_block(
        "docs/operate.md",
        "metrics",
        &table(&["metric", "type", "meaning"], rows),
    );
}
