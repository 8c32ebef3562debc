//! The axum state of the dashboard: `DashboardState`, the owner's commands and the viewers of running games.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use axum::response::Response;
use serde::Serialize;
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    error::ApiError,
    load::{ArchiveReading, LONGEST, Load, PATIENCE},
};
use crate::{
    bot::{Options, games::live::LiveGames},
    reload::ReloadLog,
    store::{Archive, StoreError},
    web::{auth::Access, editor::Editor, health::HealthSources, log_buffer::Warnings},
};
use sparring_book::Library;
use sparring_chess::units::Elo;
use sparring_personality::Personalities;

/// A command of the owner, sent by a button of the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerCommand {
    /// Start no games until `Resume`; running games go on.
    Pause,
    /// Start games again.
    Resume,
    /// Start no games, and exit when none runs.
    Drain,
    /// Read the settings again.
    Reload,
    /// Play casual games at this level, or again as the settings say.
    Level(Option<Elo>),
}

/// Overrides set by buttons: kept over a reload of bot.toml, lost on restart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Nothing new is begun.
    pub paused: bool,
    /// Casual games are played at this level.
    pub casual_level: Option<Elo>,
}

/// Most open streams of running games. One more ends the oldest; the other connections are for pages.
const STREAMS: usize = 16;

/// Open streams of running games. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Viewers(Arc<Mutex<VecDeque<CancellationToken>>>);

impl Viewers {
    /// Adds a viewer. Its stream ends when the token is cancelled.
    pub(super) fn join(&self) -> CancellationToken {
        let mut viewers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        viewers.retain(|viewer| !viewer.is_cancelled());
        if viewers.len() >= STREAMS
            && let Some(oldest) = viewers.pop_front()
        {
            oldest.cancel();
        }
        let token = CancellationToken::new();
        viewers.push_back(token.clone());
        token
    }
}

/// What the handlers of the dashboard share: sources of data, access and the channel for commands.
#[derive(Debug, Clone)]
pub struct DashboardState {
    /// Health and figures.
    pub health: HealthSources,
    /// The running games.
    pub live_games: LiveGames,
    /// The settings of this moment.
    pub options: watch::Receiver<Options>,
    /// Overrides set by buttons.
    pub overrides: watch::Receiver<Overrides>,
    /// The books in use.
    pub library: watch::Receiver<Arc<Library>>,
    /// The personalities in use.
    pub personalities: watch::Receiver<Arc<Personalities>>,
    /// The last warnings of the log.
    pub warnings: Warnings,
    /// The last books and personalities that were read again.
    pub reload_log: watch::Receiver<ReloadLog>,
    /// Whether the buttons work.
    pub controls: bool,
    /// Edits books and personalities; none where that is switched off.
    pub editor: Option<Editor>,
    /// Access control.
    pub access: Access,
    /// Receives the owner's commands.
    pub commands: mpsc::Sender<OwnerCommand>,
    /// Start of the daemon.
    pub begun: Instant,
    /// Rate limit and worker of the pages.
    pub load: Load,
    /// Open streams of running games.
    pub viewers: Viewers,
}

impl DashboardState {
    /// Runs a query on a separate connection to the archive, on the pages' worker thread.
    pub(super) async fn read<T: Serialize>(
        &self,
        question: impl FnOnce(&ArchiveReading) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<Response, ApiError> {
        let path = self.ask(|archive| Ok(archive.path())).await?;
        self.load.read(path.ok_or(ApiError::NoArchive)?, question).await
    }

    /// Runs a short query on the thread that writes the archive, whose writes wait meanwhile.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Archive) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ApiError> {
        // Held until the query has run, even if the request is gone.
        let asking = self.load.asking.clone();
        let place = timeout(PATIENCE, asking.acquire_owned())
            .await
            .map_err(|_| ApiError::TooMany)?;
        let answer = self.health.store.ask(move |archive| {
            let _place = place;
            question(archive)
        });
        let answer = timeout(LONGEST, answer).await.map_err(|_| ApiError::TooLong)?;
        Ok(answer.ok_or(ApiError::NoArchive)??)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_viewer_too_many_ends_the_stream_of_the_oldest() {
        let viewers = Viewers::default();
        let tokens: Vec<CancellationToken> = (0..STREAMS).map(|_| viewers.join()).collect();
        tokens[3].cancel(); // It has left by itself.
        viewers.join();
        assert!(!tokens[0].is_cancelled(), "there was room");
        viewers.join();
        assert!(tokens[0].is_cancelled() && !tokens[1].is_cancelled());
    }
}
