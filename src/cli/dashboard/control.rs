//! What the owner may ask of the daemon by buttons.

use axum::{
    Json,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Panel, trouble::Trouble};
use crate::{personality::Level, units::Elo};

/// What the owner asks for by a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Begin nothing more until told otherwise; running games go on.
    Pause,
    /// Begin games again.
    Resume,
    /// Begin nothing more, and end when no game runs.
    Drain,
    /// Read the settings again.
    Reload,
    /// Play casual games at this level, or again as the settings say.
    Level(Option<Elo>),
}

/// What the owner asked for by buttons; it outlasts a reload and ends with the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Course {
    /// Nothing new is begun.
    pub paused: bool,
    /// Casual games are played at this level.
    pub casual_level: Option<Elo>,
}

/// What is asked for a level; none for what the settings say.
#[derive(Debug, Deserialize)]
pub(super) struct LevelAsked {
    level: Option<u32>,
}

/// The level of casual games from now on.
pub(super) async fn set_level(
    State(panel): State<Panel>,
    Json(asked): Json<LevelAsked>,
) -> Result<Json<Value>, Trouble> {
    if asked.level.is_some_and(|level| !Level::RANGE.contains(&level)) {
        return Err(Trouble::NoLevel);
    }
    panel.wish(Wish::Level(asked.level.map(Elo)))
}

/// Pausing, ending, reading the settings.
pub(super) async fn control(
    State(panel): State<Panel>,
    Path(wish): Path<String>,
) -> Result<Json<Value>, Trouble> {
    let wish = match wish.as_str() {
        "pause" => Wish::Pause,
        "resume" => Wish::Resume,
        "drain" => Wish::Drain,
        "reload" => Wish::Reload,
        _ => return Err(Trouble::NotFound),
    };
    panel.wish(wish)
}

impl Panel {
    fn wish(&self, wish: Wish) -> Result<Json<Value>, Trouble> {
        if !self.controls {
            return Err(Trouble::OnlyLook);
        }
        self.wishes.try_send(wish).map_err(|_| Trouble::Busy)?;
        Ok(Json(json!({ "ok": true })))
    }
}
