//! Why there is no answer, in a status and a sentence.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

/// Why there is no answer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Trouble {
    NotFound,
    NoArchive,
    Unreadable,
    Busy,
    NoLevel,
    OnlyLook,
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let (status, sentence) = match self {
            Self::NotFound => (StatusCode::NOT_FOUND, "Not found"),
            Self::NoArchive => (
                StatusCode::SERVICE_UNAVAILABLE,
                "There is no archive, or it is too busy",
            ),
            Self::Unreadable => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "The archive cannot be read; the log says why",
            ),
            Self::Busy => (StatusCode::SERVICE_UNAVAILABLE, "The daemon takes no wishes now"),
            Self::OnlyLook => (
                StatusCode::FORBIDDEN,
                "The buttons are off: see controls in [status]",
            ),
            Self::NoLevel => (StatusCode::UNPROCESSABLE_ENTITY, "There is no such level"),
        };
        (status, Json(json!({ "error": sentence }))).into_response()
    }
}
