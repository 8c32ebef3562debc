//! `POST /api/control/...`: pause, resume, drain, reload, and the level of casual games.

use axum::{
    Json,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    error::ApiError,
    state::{DashboardState, OwnerCommand},
};
use sparring_chess::units::Elo;
use sparring_personality::Level;

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
        self.commands.try_send(wish).map_err(|_| ApiError::Busy)?;
        Ok(Json(json!({ "ok": true })))
    }
}
