//! Editor for books and personalities: read, validate, preview, save. `docs/operate.md` shows the calls.
//!
//! The page names files by kind and name; only what lies in the two folders has one, so no path comes from outside.

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

/// JSON writes some characters with more bytes than a file.
const MOST_BODY: usize = 2 * MAX_BYTES as usize;
/// So many texts at once are taken in.
const PLACES: usize = 4;

/// What there is to edit. Clones edit the same files, one save at a time.
#[derive(Debug, Clone)]
pub struct Editor {
    paths: Arc<Paths>,
    library: watch::Receiver<Arc<Library>>,
    /// Judges and saves one text at a time: typing must not take a daemon's processors, and saves must not cross.
    worker: Worker,
    /// Who may send a text now.
    places: Arc<Semaphore>,
}

impl Editor {
    /// Edits the files of these folders; books that others include are taken from the library.
    #[must_use]
    pub fn new(paths: Paths, library: watch::Receiver<Arc<Library>>) -> Self {
        Self {
            paths: Arc::new(paths),
            library,
            worker: Worker::default(),
            places: Arc::new(Semaphore::new(PLACES)),
        }
    }

    /// Does something with the files off the loop that games run on, when nobody else does.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Paths, &Library) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        let (paths, library) = (Arc::clone(&self.paths), Arc::clone(&self.library.borrow()));
        self.worker.run(move || work(&paths, &library)).await?
    }
}

/// The calls of the page, for those who have access and mean this machine.
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

/// Lets few send a text at once: texts may be long.
async fn admit(State(editor): State<Editor>, request: Request, next: Next) -> Response {
    match editor.places.try_acquire() {
        Ok(_place) => next.run(request).await,
        Err(_) => Trouble::Busy.into_response(),
    }
}

/// What can be edited.
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
    /// Where the tree of a book begins: a FEN, or moves from the start; the start if it is left out.
    #[serde(default)]
    from: String,
    /// How deep the tree is, in half moves.
    depth: Option<usize>,
    /// A level to show the knobs of, instead of the personality's own.
    level: Option<u32>,
}

/// What the parser says of a text, and what would be played by it.
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
    /// What the text was made of.
    version: Version,
}

/// Writes a text that can be used, if the file is still what it was made of. What was there stays beside it.
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
                tracing::info!("{path} was saved by the page; {backup} is what it was before");
            }
            Ok(Json(json!({"ok": true, "version": version, "backup": backup})))
        })
        .await
}

/// Why something cannot be done.
#[derive(Debug)]
enum Trouble {
    NotFound,
    /// The text has mistakes.
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
                json!({"error": "Too many ask at once"}),
            )),
            Self::Panicked => refuse(
                StatusCode::INTERNAL_SERVER_ERROR,
                json!({"error": "Looking at the text fell over; the log says why"}),
            ),
        }
    }
}
