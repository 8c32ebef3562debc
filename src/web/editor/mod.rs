//! Editor for books and personalities: read, validate, preview, save. `docs/operate.md` shows the calls.
//!
//! The page names files by kind and name, so that no path comes from outside.

mod files;
mod preview;
mod validate;

use std::{io, path::PathBuf, sync::Arc};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Path, Request, State},
    http::StatusCode,
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};

use self::files::{FileError, FileKind, MAX_BYTES, Version};
use crate::config::Paths;
use crate::web::{
    auth::{self, Access},
    worker::{Undone, Worker, retry_soon},
};
use sparring_book::Library;
use sparring_chess::units::Elo;
use sparring_diagnostics::Diagnostics;

/// Largest request: JSON escapes some characters.
const MOST_BODY: usize = 2 * MAX_BYTES as usize;
/// Most texts received at a time.
const PLACES: usize = 4;

/// The editor of the two folders. Clones share it, with one save at a time.
#[derive(Debug, Clone)]
pub struct Editor {
    paths: Arc<Paths>,
    library: watch::Receiver<Arc<Library>>,
    /// Checks and saves one text at a time: typing must not take the daemon's cores, and saves must not overlap.
    worker: Worker,
    /// Permits to send a text.
    places: Arc<Semaphore>,
}

impl Editor {
    /// An editor of these folders. Included books come from `library`.
    #[must_use]
    pub fn new(paths: Paths, library: watch::Receiver<Arc<Library>>) -> Self {
        Self {
            paths: Arc::new(paths),
            library,
            worker: Worker::default(),
            places: Arc::new(Semaphore::new(PLACES)),
        }
    }

    /// Runs work on the files on the worker thread.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Paths, &Library) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        let (paths, library) = (Arc::clone(&self.paths), Arc::clone(&self.library.borrow()));
        self.worker.run(move || work(&paths, &library)).await?
    }
}

/// The API calls of the editor page, behind `access`, on this machine only.
pub fn router(editor: Editor, access: Access) -> Router {
    Router::new()
        .route("/edit/files", get(list))
        .route("/edit/file/{kind}/{name}", get(open))
        .route("/edit/check", post(check))
        .route("/edit/save", post(save))
        .layer(DefaultBodyLimit::max(MOST_BODY))
        .layer(from_fn_with_state(editor.clone(), admit))
        .layer(from_fn_with_state(access.on_this_machine(), auth::check))
        .with_state(editor)
}

/// Middleware: limits concurrent texts, which may be long.
async fn admit(State(editor): State<Editor>, request: Request, next: Next) -> Response {
    match editor.places.try_acquire() {
        Ok(_place) => next.run(request).await,
        Err(_) => Trouble::Busy.into_response(),
    }
}

/// The list of editable files.
async fn list(State(editor): State<Editor>) -> Result<Json<Value>, Trouble> {
    let files = editor.work(|paths, _| Ok(files::list(paths)?)).await?;
    let rows: Vec<Value> = files
        .iter()
        .map(|file| json!({"kind": file.kind.word(), "name": file.name, "path": file.path.display().to_string(), "bytes": file.bytes}))
        .collect();
    Ok(Json(json!({"files": rows, "most": MAX_BYTES})))
}

async fn open(
    State(editor): State<Editor>,
    Path((kind, name)): Path<(String, String)>,
) -> Result<Json<Value>, Trouble> {
    let kind = FileKind::parse(&kind).ok_or(Trouble::NotFound)?;
    editor
        .work(move |paths, _| {
            let file = files::find(paths, kind, &name)?.ok_or(Trouble::NotFound)?;
            let (text, version) = files::read(&file)?;
            let path = file.path.display().to_string();
            Ok(Json(json!({
                "kind": kind.word(), "name": file.name, "path": path, "text": text, "version": version,
            })))
        })
        .await
}

#[derive(Debug, Deserialize)]
struct Draft {
    kind: String,
    name: String,
    text: String,
    /// The root of a book's tree: a FEN, or moves from the start; by default the start.
    #[serde(default)]
    from: String,
    /// Depth of the tree in half moves.
    depth: Option<usize>,
    /// The level of the shown parameters, instead of the personality's own.
    level: Option<u32>,
}

/// The findings of a text, and its preview.
async fn check(State(editor): State<Editor>, Json(draft): Json<Draft>) -> Result<Json<Value>, Trouble> {
    let kind = FileKind::parse(&draft.kind).ok_or(Trouble::NotFound)?;
    editor
        .work(move |paths, library| {
            let file = files::find(paths, kind, &draft.name)?.ok_or(Trouble::NotFound)?;
            let path = file.path.display().to_string();
            let (findings, preview) = match kind {
                FileKind::Book => {
                    let (book, findings) = validate::of_book(&path, &draft.text);
                    let tree = book.map(|book| preview::of_book(book, library, &draft.from, draft.depth));
                    (findings, tree)
                }
                FileKind::Personality => {
                    let books = files::names(paths, FileKind::Book)?;
                    let (profile, findings) = validate::of_personality(&path, &draft.text, &books);
                    let level = draft.level.map(Elo);
                    let shown = profile.map(|profile| preview::of_personality(&profile, &draft.text, level));
                    (findings, shown)
                }
            };
            let on_disk = files::version(&file)?;
            let mut said = validate::findings_json(&findings);
            said["onDisk"] = json!(on_disk);
            said["preview"] = preview.unwrap_or_default();
            Ok(Json(said))
        })
        .await
}

#[derive(Debug, Deserialize)]
struct Save {
    kind: String,
    name: String,
    text: String,
    /// The version of the file that was edited.
    version: Version,
}

/// Saves a text without errors if the file still has the edited version. Keeps a backup.
async fn save(State(editor): State<Editor>, Json(wanted): Json<Save>) -> Result<Json<Value>, Trouble> {
    let kind = FileKind::parse(&wanted.kind).ok_or(Trouble::NotFound)?;
    editor
        .work(move |paths, _| {
            let file = files::find(paths, kind, &wanted.name)?.ok_or(Trouble::NotFound)?;
            let path = file.path.display().to_string();
            let findings = match kind {
                FileKind::Book => validate::of_book(&path, &wanted.text).1,
                FileKind::Personality => {
                    validate::of_personality(&path, &wanted.text, &files::names(paths, FileKind::Book)?).1
                }
            };
            if !findings.is_usable() {
                return Err(Trouble::Broken(Box::new(findings)));
            }
            let (version, backup) = files::save(&file, &wanted.text, &wanted.version)?;
            let backup = backup.map(|backup| backup.display().to_string());
            if let Some(backup) = &backup {
                tracing::info!("{path} was saved by the editor; the previous version is in {backup}");
            }
            Ok(Json(json!({"ok": true, "version": version, "backup": backup})))
        })
        .await
}

/// Why a request fails.
#[derive(Debug)]
enum Trouble {
    NotFound,
    /// The text has errors.
    Broken(Box<Diagnostics>),
    File(FileError),
    Busy,
    Panicked,
}

impl From<Undone> for Trouble {
    fn from(undone: Undone) -> Self {
        match undone {
            Undone::Busy => Self::Busy,
            Undone::Panicked => Self::Panicked,
        }
    }
}

impl From<FileError> for Trouble {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<(PathBuf, io::Error)> for Trouble {
    fn from((path, error): (PathBuf, io::Error)) -> Self {
        Self::File(FileError::Io(path, error))
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let refuse = |status: StatusCode, said: Value| (status, Json(said)).into_response();
        match self {
            Self::NotFound => refuse(StatusCode::NOT_FOUND, json!({"error": "Not found"})),
            Self::Broken(findings) => {
                let mut said = validate::findings_json(&findings);
                said["error"] = json!("A text with mistakes is not saved");
                refuse(StatusCode::UNPROCESSABLE_ENTITY, said)
            }
            Self::File(error) => {
                let status = match &error {
                    FileError::Changed(_) => StatusCode::CONFLICT,
                    FileError::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
                    FileError::NotText(_) => StatusCode::UNPROCESSABLE_ENTITY,
                    FileError::Io(..) => StatusCode::INTERNAL_SERVER_ERROR,
                };
                let version = match &error {
                    FileError::Changed(now) => json!(now),
                    _ => Value::Null,
                };
                refuse(status, json!({"error": error.to_string(), "version": version}))
            }
            Self::Busy => retry_soon(refuse(
                StatusCode::SERVICE_UNAVAILABLE,
                json!({"error": "Too many requests at once"}),
            )),
            Self::Panicked => refuse(
                StatusCode::INTERNAL_SERVER_ERROR,
                json!({"error": "Checking the text failed; the log says why"}),
            ),
        }
    }
}
