//! Static files of the dashboard.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse as _, Response},
};

use super::{error::ApiError, state::DashboardState};
use sparring_sandbox::{Asset, asset};

/// The embedded files of the page.
pub(super) async fn page(State(panel): State<DashboardState>, headers: HeaderMap, uri: Uri) -> Response {
    let path = match uri.path() {
        "/" => "/dashboard.html",
        path if path.starts_with("/edit.") && panel.editor.is_some() => path,
        path if path.starts_with("/dashboard.") || path == "/icon.svg" => path,
        _ => return ApiError::NotFound.into_response(),
    };
    match asset(path) {
        Some(file) => file_of(file, &headers),
        None if path == "/dashboard.html" => {
            "This program was built without its pages: run `make web`, then build it again. /healthz and /metrics work.\n"
                .into_response()
        }
        None => ApiError::NotFound.into_response(),
    }
}

/// Serves a file, or 304 if the browser's copy is current.
fn file_of(file: &'static Asset, headers: &HeaderMap) -> Response {
    let about = [(header::ETAG, file.etag), (header::CACHE_CONTROL, "no-cache")];
    let known = headers.get(header::IF_NONE_MATCH);
    if known.is_some_and(|etag| etag.as_bytes() == file.etag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    (about, [(header::CONTENT_TYPE, file.content_type)], file.bytes).into_response()
}
