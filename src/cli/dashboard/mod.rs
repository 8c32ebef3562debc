//! The dashboard: the daemon at work, its archive, and a few controls, as pages on this machine. `docs/dashboard.md` shows
//! the calls.

mod books;
mod control;
mod figures;
mod levels;
mod live;
mod pages;
mod trouble;

use std::{collections::BTreeMap, sync::Arc, time::SystemTime};

use axum::{
    Json, Router,
    extract::{Path, Query, State},
    middleware::from_fn_with_state,
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};

pub use self::control::{Course, Wish};
use self::trouble::Trouble;
use super::{
    edit::{self, Editor},
    games::{as_json, result},
    guard::{self, Access},
    health::{self, Watched, ailment, note, resident},
    reloads,
    warnings::Warnings,
    why,
};
use crate::{
    book::Library,
    bot::{Options, boards::Boards},
    lichess::model::{GameId, UserId},
    personality::{Cast, Level},
    store::{Archive, Filter, GameRecord, MoveRecord, StoreError},
    units::Millis,
    watch::Tidings,
};

/// A page of the list of games.
const PAGE: u32 = 50;
/// Figures are made of no more games than these, the newest.
const JUDGED: u32 = 20_000;
/// What books scored is made of no more than these: each game is played through for it.
const PLAYED_THROUGH: u32 = 2_000;

/// The moves of so many games are read at a time.
const PART: usize = 50;

/// Everything there is to show, and whom to tell what is wished.
#[derive(Debug, Clone)]
pub struct Panel {
    /// Health and figures.
    pub watched: Watched,
    /// The running games.
    pub boards: Boards,
    /// The settings of this moment.
    pub options: watch::Receiver<Options>,
    /// What the owner asked for beside the settings.
    pub course: watch::Receiver<Course>,
    /// The books in use.
    pub library: watch::Receiver<Arc<Library>>,
    /// The personalities in use.
    pub cast: watch::Receiver<Arc<Cast>>,
    /// The last warnings of the log.
    pub warnings: Warnings,
    /// The last books and personalities that were read again.
    pub tidings: watch::Receiver<Tidings>,
    /// Whether the buttons work.
    pub controls: bool,
    /// Edits books and personalities; none where that is switched off.
    pub editor: Option<Editor>,
    /// Who may see and ask all this.
    pub access: Access,
    /// Takes the owner's wishes.
    pub wishes: mpsc::Sender<Wish>,
    /// Since when it runs.
    pub begun: Instant,
}

/// The pages, the calls behind them, and `/healthz` and `/metrics` beside them.
pub fn router(panel: Panel) -> Router {
    let health = health::router(panel.watched.clone(), panel.access.clone());
    let access = panel.access.clone();
    let reloads = reloads::router(panel.tidings.clone(), access.clone());
    let editing = match panel.editor.clone() {
        Some(editor) => edit::router(editor, access.clone()),
        None => Router::new(),
    };
    let own = Router::new()
        .route("/api/overview", get(overview))
        .route("/api/live", get(live::stream))
        .route("/api/games", get(games))
        .route("/api/game/{id}", get(game))
        .route("/api/opponents", get(opponents))
        .route("/api/figures", get(performance))
        .route("/api/books", get(scores_of_books))
        .route("/api/levels", get(strength_of_levels))
        .route("/api/warnings", get(warnings))
        .route("/api/control/level", post(control::set_level))
        .route("/api/control/{wish}", post(control::control))
        .fallback(pages::page)
        .layer(from_fn_with_state(access, guard::check))
        .with_state(panel);
    health.merge(editing).merge(reloads).merge(own)
}

async fn overview(State(panel): State<Panel>) -> Json<Value> {
    let watched = &panel.watched;
    let why = ailment(watched).await;
    let status = watched.status.borrow().clone();
    let now = Millis::since_1970(SystemTime::now());
    let limits = watched.store.ask(move |archive| archive.limits(now)).await;
    let has_archive = limits.is_some();
    let gates: Vec<Value> = limits
        .and_then(Result::ok)
        .unwrap_or_default()
        .into_iter()
        .map(|(key, until)| json!({"key": key, "until": until}))
        .collect();
    let slots = panel.options.borrow().games.max;
    let course = *panel.course.borrow();
    Json(json!({
        "ok": why.is_none(), "why": why, "note": note(watched), "user": status.user,
        "listening": status.is_listening, "draining": status.is_draining, "paused": course.paused, "games": status.games,
        "slots": (!course.paused).then_some(slots), "asleep": status.asleep, "waiting": status.waiting,
        "challenges": status.challenges, "casualLevel": course.casual_level,
        "levels": {"min": Level::RANGE.start(), "max": Level::RANGE.end()}, "edit": panel.editor.is_some(), "controls": panel.controls,
        "version": env!("CARGO_PKG_VERSION"), "upMillis": Millis::from(panel.begun.elapsed()),
        "memoryBytes": resident(), "archive": has_archive, "lostRows": watched.store.lost(), "gates": gates,
    }))
}

#[derive(Debug, Deserialize)]
struct Wanted {
    opponent: Option<String>,
    speed: Option<String>,
    rated: Option<bool>,
    most: Option<u32>,
}

/// The newest games that fit.
async fn games(State(panel): State<Panel>, Query(wanted): Query<Wanted>) -> Result<Json<Value>, Trouble> {
    let opponent = match wanted.opponent.as_deref().filter(|name| !name.is_empty()) {
        Some(name) => Some(name.parse::<UserId>().map_err(|_| Trouble::NotFound)?),
        None => None,
    };
    let filter = Filter {
        opponent,
        speed: wanted.speed.filter(|speed| !speed.is_empty()),
        rated: wanted.rated,
        most: Some(wanted.most.unwrap_or(PAGE).min(JUDGED)),
        ..Filter::default()
    };
    let found = panel.read(move |archive| archive.games(&filter)).await?;
    let list: Vec<Value> = found.iter().map(as_json).collect();
    Ok(Json(json!({ "games": list })))
}

/// A game with its moves, and, once it is over, with what they rest on.
async fn game(State(panel): State<Panel>, Path(id): Path<String>) -> Result<Json<Value>, Trouble> {
    let id: GameId = id.parse().map_err(|_| Trouble::NotFound)?;
    let (game, moves) = panel
        .read(move |archive| Ok((archive.game(&id)?, archive.moves(&id)?)))
        .await?;
    let game = game.ok_or(Trouble::NotFound)?;
    let mut shown = as_json(&game);
    let library = Arc::clone(&panel.library.borrow());
    let cast = Arc::clone(&panel.cast.borrow());
    let told = why::retold(&game, &moves).into_iter();
    shown["line"] = told
        .map(|mv| json!({"uci": mv.uci, "san": mv.san, "fen": mv.fen}))
        .collect();
    shown["decisions"] = match why::decisions(&game, &moves, &library, &cast) {
        Some(decisions) => why::editable(decisions, panel.editor.is_some()),
        None => Value::Null,
    };
    Ok(Json(shown))
}

/// With whom how many games were played, and how they ended; the most played first.
async fn opponents(State(panel): State<Panel>) -> Result<Json<Value>, Trouble> {
    let games = panel.judged().await?;
    let mut by_name: BTreeMap<&str, Vec<&GameRecord>> = BTreeMap::new();
    for game in &games {
        by_name.entry(&game.name).or_default().push(game);
    }
    let mut list: Vec<Value> = by_name
        .into_iter()
        .map(|(name, games)| {
            let count = |word| games.iter().filter(|game| result(game) == word).count();
            // They come with the newest first.
            let newest = games.first();
            json!({
                "name": name, "id": newest.and_then(|game| game.opponent.as_ref()), "games": games.len(),
                "bot": newest.is_some_and(|game| game.is_bot), "rating": newest.and_then(|game| game.rating),
                "last": newest.map(|game| game.began), "won": count("won"), "drawn": count("drawn"),
                "lost": count("lost"),
            })
        })
        .collect();
    list.sort_by_key(|entry| std::cmp::Reverse(entry["games"].as_u64()));
    Ok(Json(json!({ "opponents": list })))
}

/// How strong it was against whom it played, by speed and by personality, and how the ratings moved.
async fn performance(State(panel): State<Panel>) -> Result<Json<Value>, Trouble> {
    let games = panel.judged().await?;
    Ok(Json(json!({
        "bySpeed": figures::groups(&games, |game| game.speed.clone()),
        "byPersonality": figures::groups(&games, |game| game.personality.clone()),
        "ratings": figures::ratings(&games),
    })))
}

/// What the lines of the books scored.
async fn scores_of_books(State(panel): State<Panel>) -> Result<Json<Value>, Trouble> {
    let games = panel.newest_with_moves(PLAYED_THROUGH).await?;
    let library = Arc::clone(&panel.library.borrow());
    let figures = tokio::task::spawn_blocking(move || books::figures(&library, &games)).await;
    figures.map(Json).map_err(|_| Trouble::Unreadable)
}

/// The levels, and how strong they were.
async fn strength_of_levels(State(panel): State<Panel>) -> Json<Value> {
    // Without an archive there is still the table.
    let games = panel.judged().await.unwrap_or_default();
    let cast = Arc::clone(&panel.cast.borrow());
    Json(levels::table(&cast, &games))
}

/// The last warnings and errors, the newest first.
async fn warnings(State(panel): State<Panel>) -> Json<Value> {
    Json(json!({"warnings": panel.warnings.recent()}))
}

impl Panel {
    async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Archive) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Trouble> {
        let asked = self.watched.store.ask(question).await;
        asked.ok_or(Trouble::NoArchive)?.map_err(|why| {
            tracing::warn!(
                "the dashboard cannot read the archive: {:#}",
                anyhow::Error::new(why)
            );
            Trouble::Unreadable
        })
    }

    /// The newest games, for figures.
    async fn judged(&self) -> Result<Vec<GameRecord>, Trouble> {
        self.newest(JUDGED).await
    }

    /// The same with all moves, read in parts so that nobody waits long for the archive.
    async fn newest_with_moves(&self, most: u32) -> Result<Vec<(GameRecord, Vec<MoveRecord>)>, Trouble> {
        let (games, mut all) = (self.newest(most).await?, Vec::new());
        for part in games.chunks(PART) {
            let part = part.to_vec();
            let read = self
                .read(move |archive| {
                    let with_moves = |game: GameRecord| archive.moves(&game.id).map(|moves| (game, moves));
                    part.into_iter().map(with_moves).collect::<Result<Vec<_>, _>>()
                })
                .await?;
            all.extend(read);
        }
        Ok(all)
    }

    async fn newest(&self, most: u32) -> Result<Vec<GameRecord>, Trouble> {
        let filter = Filter {
            most: Some(most),
            ..Filter::default()
        };
        self.read(move |archive| archive.games(&filter)).await
    }
}
