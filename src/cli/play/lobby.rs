//! What the page offers: whom to play, how strong, how fast.

use serde_json::{Value, json};

use crate::{
    cli::exit::{Exit, Failure},
    config::Config,
    personality::{Cast, Level, strength::CALIBRATION},
};

/// The lobby's part of `GET /sandbox/lobby`; `docs/sandbox.md` shows the whole.
pub(super) fn describe(cast: &Cast, config: &Config) -> Value {
    let personalities: Vec<Value> = cast
        .iter()
        .map(|profile| {
            json!({
                "name": profile.name,
                "title": profile.title,
                "about": profile.about,
                "level": profile.level.map(|level| level.0),
            })
        })
        .collect();
    json!({
        "personalities": personalities,
        "default": config.play.personality,
        "levels": {
            "min": Level::RANGE.start(),
            "max": Level::RANGE.end(),
            "step": 50,
            "note": CALIBRATION,
        },
    })
}

/// Refuses a personality that nobody knows, and says who was probably meant.
///
/// # Errors
/// [`Exit::Usage`] with a suggestion and the names there are.
pub(super) fn must_know(cast: &Cast, name: &str) -> anyhow::Result<()> {
    if cast.get(name).is_some() {
        return Ok(());
    }
    let meant = cast
        .suggest(name)
        .map(|name| format!(", did you mean {name}?"))
        .unwrap_or_default();
    let names: Vec<&str> = cast.names().collect();
    let message = format!(
        "there is no personality \"{name}\"{meant} There are {}",
        names.join(", ")
    );
    Err(Failure::error(Exit::Usage, message))
}
