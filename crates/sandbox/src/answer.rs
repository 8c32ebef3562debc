//! Answers as lichess writes them: `{"ok":true}`, and errors with their status.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::world::ApiError;
use sparring_chess::units::Millis;
use sparring_lichess::model::{ErrorBody, RateLimit};

/// The answer to a command that was carried out.
#[derive(Debug, Clone, Copy)]
pub struct Done;

impl IntoResponse for Done {
    fn into_response(self) -> Response {
        Json(json!({ "ok": true })).into_response()
    }
}

/// An error with a plain text.
#[must_use]
pub fn error(status: StatusCode, text: impl Into<String>) -> Response {
    (status, Json(ErrorBody::text(text))).into_response()
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = match self {
            Self::NotFound | Self::NoSuchGame | Self::NotYourGame => StatusCode::NOT_FOUND,
            Self::NotForBots => StatusCode::FORBIDDEN,
            Self::TooMany(_) | Self::TooOften | Self::StreamPolled | Self::OneAtATime => {
                StatusCode::TOO_MANY_REQUESTS
            }
            Self::MyBotGames { wait } => {
                return limit(StatusCode::TOO_MANY_REQUESTS, &self, wait);
            }
            Self::TheirBotGames { wait, .. } => return limit(StatusCode::BAD_REQUEST, &self, wait),
            Self::Form { field, text } => return form_error(field, text),
            _ => StatusCode::BAD_REQUEST,
        };
        error(status, self.to_string())
    }
}

/// A daily limit has its name and duration in the body.
fn limit(status: StatusCode, refusal: &ApiError, wait: Millis) -> Response {
    let body = ErrorBody {
        ratelimit: Some(RateLimit {
            key: "bot.vsBot.day".to_owned(),
            seconds: wait.0.div_ceil(1000),
        }),
        ..ErrorBody::text(refusal.to_string())
    };
    (status, Json(body)).into_response()
}

/// lichess names the wrong fields twice: under `error` and at the top level.
fn form_error(field: &str, text: &str) -> Response {
    let mut body = json!({ "error": { field: [text] } });
    if let Value::Object(body) = &mut body {
        body.insert(field.to_owned(), json!([text]));
    }
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}
