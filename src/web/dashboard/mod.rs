//! The dashboard's routes: live games, archive, statistics, controls. `docs/operate.md` shows the calls.

mod books;
mod commands;
mod error;
mod levels;
mod live;
mod load;
mod pages;
mod state;

use std::{collections::BTreeMap, sync::Arc, time::SystemTime};

use axum::{
    Json, Router,
    extract::{Path, Query, State, rejection::QueryRejection},
    middleware::from_fn_with_state,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};

use self::{error::ApiError, load::ArchiveReading};
pub use self::{
    load::{LIMITS, Load},
    state::{DashboardState, Overrides, OwnerCommand, Viewers},
};
use crate::{
    bot::latest_limit,
    platform::resident_bytes,
    store::{Filter, GameRecord, GameResult, StoreError, game_json},
    web::{
        auth, editor, game_explanation,
        health::{self, note, problem},
        reloads,
    },
};
use sparring_chess::units::Millis;
use sparring_lichess::model::{GameId, UserId};
use sparring_personality::Level;

/// Default page size of the list of games.
const PAGE: u32 = 50;
/// Largest page size.
const MAX_PAGE: u32 = 200;
/// Most opponents in the list, those with the most games first.
const MAX_OPPONENTS: usize = 1000;
/// How many of the newest games statistics use.
const STATS_GAMES: u32 = 20_000;
/// How many of the newest games book scores use; each is replayed.
const BOOK_SCORE_GAMES: u32 = 2_000;

/// How many games are read with their moves at a time.
const CHUNK: usize = 50;

/// The router of the pages, their API calls, health and metrics.
pub fn router(panel: DashboardState) -> Router {
    let health = health::router(panel.health.clone(), panel.access.clone());
    let (access, load) = (panel.access.clone(), panel.load.clone());
    let reloads = reloads::router(panel.reload_log.clone(), access.clone());
    let editing = match panel.editor.clone() {
        Some(editor) => editor::router(editor, access.clone()),
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
        .route("/api/control/level", post(commands::set_level))
        .route("/api/control/{command}", post(commands::control))
        .fallback(pages::page)
        .layer(from_fn_with_state(access, auth::check))
        .with_state(panel);
    let all = health.merge(editing).merge(reloads).merge(own);
    all.layer(from_fn_with_state(load, load::pace))
}

async fn overview(State(panel): State<DashboardState>) -> Json<Value> {
    let watched = &panel.health;
    let why = problem(watched).await;
    let status = watched.status.borrow().clone();
    let now = Millis::since_1970(SystemTime::now());
    let limits = panel
        .ask(move |archive| archive.limits(now, latest_limit(now)))
        .await;
    let has_archive = !matches!(limits, Err(ApiError::NoArchive));
    let gates: Vec<Value> = limits
        .unwrap_or_default()
        .into_iter()
        .map(|(key, until)| json!({"key": key, "until": until}))
        .collect();
    let slots = panel.options.borrow().config.games.max;
    let overrides = *panel.overrides.borrow();
    Json(json!({
        "ok": why.is_none(), "why": why, "note": note(watched), "user": status.user,
        "listening": status.is_listening, "draining": status.is_draining, "paused": overrides.paused, "games": status.games,
        "slots": (!overrides.paused).then_some(slots), "asleep": status.parked, "waiting": status.waiting,
        "challenges": status.challenges, "casualLevel": overrides.casual_level,
        "levels": {"min": Level::RANGE.start(), "max": Level::RANGE.end()}, "edit": panel.editor.is_some(), "controls": panel.controls,
        "version": env!("CARGO_PKG_VERSION"), "upMillis": Millis::from(panel.begun.elapsed()),
        "memoryBytes": resident_bytes(), "archive": has_archive, "lostRows": watched.store.lost(), "gates": gates,
    }))
}

#[derive(Debug, Deserialize)]
struct HistoryQuery {
    opponent: Option<String>,
    speed: Option<String>,
    rated: Option<bool>,
    most: Option<String>,
    /// The last game of the previous page.
    after: Option<String>,
}

/// A page of games, newest first.
async fn games(
    State(panel): State<DashboardState>,
    wanted: Result<Query<HistoryQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(wanted) = wanted.map_err(|_| ApiError::NoQuestion)?;
    let opponent = match wanted.opponent.as_deref().filter(|name| !name.is_empty()) {
        Some(name) => Some(name.parse::<UserId>().map_err(|_| ApiError::NotFound)?),
        None => None,
    };
    let after = match wanted.after.as_deref().filter(|id| !id.is_empty()) {
        Some(id) => Some(id.parse::<GameId>().map_err(|_| ApiError::NotFound)?),
        None => None,
    };
    let most = match wanted.most.as_deref().map(str::parse::<u32>) {
        Some(most) => most.map_err(|_| ApiError::NoNumber)?.clamp(1, MAX_PAGE),
        None => PAGE,
    };
    let filter = Filter {
        opponent,
        speed: wanted.speed.filter(|speed| !speed.is_empty()),
        rated: wanted.rated,
        // One more shows whether there is a next page.
        most: Some(most + 1),
        ..Filter::default()
    };
    let page = move |reading: &ArchiveReading| {
        let after = match after {
            Some(id) => {
                let last = reading.archive()?.game(&id)?.ok_or(ApiError::NotFound)?;
                Some((last.began, id))
            }
            None => None,
        };
        let mut games = reading.archive()?.games(&Filter { after, ..filter })?;
        let has_more = games.len() > most as usize;
        games.truncate(most as usize);
        let next = games.last().filter(|_| has_more).map(|game| &game.id);
        Ok(json!({"games": games.iter().map(game_json).collect::<Vec<_>>(), "next": next}))
    };
    panel.read(page).await
}

/// A game with its moves, and the explanations of a finished one.
async fn game(State(panel): State<DashboardState>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let id: GameId = id.parse().map_err(|_| ApiError::NotFound)?;
    let library = Arc::clone(&panel.library.borrow());
    let personalities = Arc::clone(&panel.personalities.borrow());
    let can_edit = panel.editor.is_some();
    let shown = move |reading: &ArchiveReading| {
        let game = reading.archive()?.game(&id)?.ok_or(ApiError::NotFound)?;
        let moves = reading.archive()?.moves(&id)?;
        let mut shown = game_json(&game);
        let replayed = game_explanation::replayed(&game, &moves).into_iter();
        shown["line"] = replayed
            .map(|mv| json!({"uci": mv.uci, "san": mv.san, "fen": mv.fen}))
            .collect();
        shown["decisions"] = match game_explanation::decisions(&game, &moves, &library, &personalities) {
            Some(decisions) => game_explanation::editable(decisions, can_edit),
            None => Value::Null,
        };
        Ok(shown)
    };
    panel.read(shown).await
}

/// Games and results per opponent; most games first.
async fn opponents(State(panel): State<DashboardState>) -> Result<Response, ApiError> {
    panel
        .read(|reading| Ok(json!({"opponents": met(&newest_results(reading)?)})))
        .await
}

fn met(games: &[GameRecord]) -> Vec<Value> {
    let mut by_name: BTreeMap<&str, Vec<&GameRecord>> = BTreeMap::new();
    for game in games {
        by_name.entry(&game.name).or_default().push(game);
    }
    let mut list: Vec<(usize, Value)> = by_name
        .into_iter()
        .map(|(name, games)| {
            let count = |result| games.iter().filter(|game| game.result() == result).count();
            // Games come newest first.
            let newest = games.first();
            let shown = json!({
                "name": name, "id": newest.and_then(|game| game.opponent.as_ref()), "games": games.len(),
                "bot": newest.is_some_and(|game| game.is_bot), "rating": newest.and_then(|game| game.rating),
                "last": newest.map(|game| game.began), "won": count(GameResult::Won),
                "drawn": count(GameResult::Drawn), "lost": count(GameResult::Lost),
            });
            (games.len(), shown)
        })
        .collect();
    list.sort_by_key(|(games, _)| std::cmp::Reverse(*games));
    list.into_iter()
        .take(MAX_OPPONENTS)
        .map(|(_, shown)| shown)
        .collect()
}

/// Performance rating by speed and by personality, and the rating history.
async fn performance(State(panel): State<DashboardState>) -> Result<Response, ApiError> {
    let strength = |reading: &ArchiveReading| {
        let games = newest_results(reading)?;
        Ok(json!({
            "bySpeed": crate::statistics::groups(&games, |game| game.speed.clone()),
            "byPersonality": crate::statistics::groups(&games, |game| game.personality.clone()),
            "ratings": crate::statistics::ratings(&games),
        }))
    };
    panel.read(strength).await
}

/// Scores by book line.
async fn scores_of_books(State(panel): State<DashboardState>) -> Result<Response, ApiError> {
    let library = Arc::clone(&panel.library.borrow());
    let scores = move |reading: &ArchiveReading| {
        let newest = Filter {
            most: Some(BOOK_SCORE_GAMES),
            ..Filter::default()
        };
        let ids = reading.archive()?.ids(&newest)?;
        // In chunks, since games with all moves are large.
        let parts = ids.chunks(CHUNK).map(|part| {
            let archive = reading.archive()?;
            let with_moves = |id: &GameId| Ok(archive.game(id)?.zip(Some(archive.moves(id)?)));
            let games: Result<Vec<_>, StoreError> =
                part.iter().filter_map(|id| with_moves(id).transpose()).collect();
            Ok::<_, ApiError>(games?)
        });
        books::figures(&library, parts)
    };
    panel.read(scores).await
}

/// The levels' parameters and measured strength.
async fn strength_of_levels(State(panel): State<DashboardState>) -> Result<Response, ApiError> {
    let personalities = Arc::clone(&panel.personalities.borrow());
    let table = panel.read({
        let personalities = Arc::clone(&personalities);
        move |reading| Ok(levels::table(&personalities, newest_results(reading)?))
    });
    match table.await {
        // Without an archive there is still the table.
        Err(ApiError::NoArchive) => Ok(Json(levels::table(&personalities, Vec::new())).into_response()),
        table => table,
    }
}

/// The newest games without their moves, for statistics.
fn newest_results(reading: &ArchiveReading) -> Result<Vec<GameRecord>, ApiError> {
    let newest = Filter {
        most: Some(STATS_GAMES),
        ..Filter::default()
    };
    Ok(reading.archive()?.results(&newest)?)
}

/// The last warnings and errors, the newest first.
async fn warnings(State(panel): State<DashboardState>) -> Json<Value> {
    Json(json!({"warnings": panel.warnings.recent()}))
}
