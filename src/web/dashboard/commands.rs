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

/// The requested level; none for that of the settings.
#[derive(Debug, Deserialize)]
pub(super) struct LevelRequest {
    level: Option<u32>,
}

/// Sets the level of casual games.
pub(super) async fn set_level(
    State(panel): State<DashboardState>,
    Json(request): Json<LevelRequest>,
) -> Result<Json<Value>, ApiError> {
    if request.level.is_some_and(|level| !Level::RANGE.contains(&level)) {
        return Err(ApiError::NoLevel);
    }
    panel.command(OwnerCommand::Level(request.level.map(Elo)))
}

/// Pauses, resumes or drains the daemon, or reloads the settings.
pub(super) async fn control(
    State(panel): State<DashboardState>,
    Path(name): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let command = match name.as_str() {
        "pause" => OwnerCommand::Pause,
        "resume" => OwnerCommand::Resume,
        "drain" => OwnerCommand::Drain,
        "reload" => OwnerCommand::Reload,
        _ => return Err(ApiError::NotFound),
    };
    panel.command(command)
}

impl DashboardState {
    fn command(&self, command: OwnerCommand) -> Result<Json<Value>, ApiError> {
        if !self.controls {
            return Err(ApiError::OnlyLook);
        }
        self.commands.try_send(command).map_err(|_| ApiError::Busy)?;
        Ok(Json(json!({ "ok": true })))
    }
}
