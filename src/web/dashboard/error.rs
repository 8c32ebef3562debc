//! API errors: status and sentence.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::{
    store::StoreError,
    web::worker::{Undone, retry_soon},
};

/// Why a request has no result.
#[derive(Debug, Clone, Copy)]
pub(super) enum ApiError {
    NotFound,
    NoNumber,
    NoQuestion,
    NoArchive,
    Unreadable,
    Busy,
    NoLevel,
    OnlyLook,
    TooMany,
    TooLong,
}

impl From<StoreError> for ApiError {
    fn from(why: StoreError) -> Self {
        if why.was_interrupted() {
            return Self::TooLong;
        }
        tracing::warn!(
            "the dashboard cannot read the archive: {:#}",
            anyhow::Error::new(why)
        );
        Self::Unreadable
    }
}

impl From<Undone> for ApiError {
    fn from(undone: Undone) -> Self {
        match undone {
            Undone::Busy => Self::TooMany,
            Undone::Panicked => Self::Unreadable,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, sentence) = match self {
            Self::NotFound => (StatusCode::NOT_FOUND, "Not found"),
            Self::NoNumber => (StatusCode::BAD_REQUEST, "most must be a whole number up to 200"),
            Self::NoQuestion => (
                StatusCode::BAD_REQUEST,
                "The query cannot be parsed: rated must be true or false",
            ),
            Self::NoArchive => (
                StatusCode::SERVICE_UNAVAILABLE,
                "There is no archive, or it is too busy",
            ),
            Self::Unreadable => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "The archive cannot be read; the log says why",
            ),
            Self::Busy => (
                StatusCode::SERVICE_UNAVAILABLE,
                "The daemon is too busy for commands; try again",
            ),
            Self::OnlyLook => (
                StatusCode::FORBIDDEN,
                "The controls are switched off: see `controls` in [dashboard]",
            ),
            Self::TooMany => (
                StatusCode::SERVICE_UNAVAILABLE,
                "Too many requests at once: games come first",
            ),
            Self::TooLong => (
                StatusCode::SERVICE_UNAVAILABLE,
                "The query took too long: games come first",
            ),
            Self::NoLevel => (StatusCode::UNPROCESSABLE_ENTITY, "There is no such level"),
        };
        let answer = (status, Json(json!({ "error": sentence })));
        match self {
            Self::TooMany => retry_soon(answer),
            _ => answer.into_response(),
        }
    }
}
