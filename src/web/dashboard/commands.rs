//! What the owner may ask of the daemon by buttons.

use axum::{
    Json,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{DashboardState, error::ApiError};
use sparring_chess::units::Elo;
use sparring_personality::Level;

/// What the owner asks for by a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerCommand {
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
    State(panel): State<DashboardState>,
    Json(asked): Json<LevelAsked>,
) -> Result<Json<Value>, ApiError> {
    if asked.level.is_some_and(|level| !Level::RANGE.contains(&level)) {
        return Err(ApiError::NoLevel);
    }
    panel.wish(OwnerCommand::Level(asked.level.map(Elo)))
}

/// Pausing, ending, reading the settings.
pub(super) async fn control(
    State(panel): State<DashboardState>,
    Path(wish): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let wish = match wish.as_str() {
        "pause" => OwnerCommand::Pause,
        "resume" => OwnerCommand::Resume,
        "drain" => OwnerCommand::Drain,
        "reload" => OwnerCommand::Reload,
        _ => return Err(ApiError::NotFound),
    };
    panel.wish(wish)
}

impl DashboardState {
    fn wish(&self, wish: OwnerCommand) -> Result<Json<Value>, ApiError> {
        if !self.controls {
            return Err(ApiError::OnlyLook);
        }
        self.wishes.try_send(wish).map_err(|_| ApiError::Busy)?;
        Ok(Json(json!({ "ok": true })))
    }
}
