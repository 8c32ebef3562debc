//! The key `engine` of a personality, which names an external engine.

use super::{profile::Personality, style::BlindSpot};
use sparring_config_schema::{Name, Section};
use sparring_engine::StyleBonus;

/// The name of the engine inside this program, where a personality, a rule or settings name an engine.
pub const EMBEDDED: &str = "embedded";

/// Declares the key.
pub(crate) fn declare(file: &mut Section<'_>) -> Option<String> {
    file.optional(
        "engine",
        Name {
            what: "engine",
            known: None,
        },
        "the one inside the program",
        "An external engine of bot.toml, [engine.NAME], that searches for it. Books, delay, chat, draws and resigning stay its own; \
         `level` sets UCI_Elo where the engine has it, and `[style]` chooses among its lines where it has MultiPV.",
    )
}

/// Warns of keys that an external engine takes no notice of.
pub(crate) fn warn_of_idle_keys(file: &mut Section<'_>, profile: &Personality) {
    if profile.engine.as_deref().is_none_or(|engine| engine == EMBEDDED) {
        return;
    }
    let mut idle: Vec<&str> = ["network", "nodes", "depth", "noise", "blunder-rate"]
        .into_iter()
        .filter(|key| file.span(key).is_some())
        .collect();
    let overlooks = |(_, kind): &(&str, BlindSpot)| profile.style.overlooks(*kind);
    idle.extend(BlindSpot::NAMES.0.iter().any(overlooks).then_some("misses"));
    idle.extend(
        profile
            .engine_overrides
            .is_some()
            .then_some("[search] and [eval]"),
    );
    if !idle.is_empty() {
        file.warning(
            "engine",
            format!("an external engine takes no notice of {}", idle.join(", ")),
            "they count while the embedded engine moves instead of it",
        );
    }
    if profile.style.search_bonus() != StyleBonus::default() {
        file.warning(
            "engine",
            "[style] needs the engine's MultiPV",
            "`sparring doctor` starts the engine and says whether it has that",
        );
    }
}
