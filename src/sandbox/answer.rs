//! Answers as lichess writes them: `{"ok":true}`, and errors with their status.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::world::Refusal;
use crate::lichess::model::ErrorBody;

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

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match self {
            Self::NotFound | Self::NoSuchGame | Self::NotYourGame => StatusCode::NOT_FOUND,
            Self::NotForBots => StatusCode::FORBIDDEN,
            Self::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Form { field, text } => return form_error(field, text),
            _ => StatusCode::BAD_REQUEST,
        };
        error(status, self.to_string())
    }
}

/// lichess names the wrong fields twice: under `error` and beside it.
fn form_error(field: &str, text: &str) -> Response {
    let mut body = json!({ "error": { field: [text] } });
    if let Value::Object(body) = &mut body {
        body.insert(field.to_owned(), json!([text]));
    }
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}
