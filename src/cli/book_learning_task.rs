//! Task that recomputes the learned weights of books from the archive's games every hour. Book files stay unchanged.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::cli::book::from_archive;
use crate::{
    reload::Assets,
    store::{Archive, Filter},
};
use sparring_book::{Book, LearnReport, LearnedWeights, Library, WeightFactor};

/// A move needs so many games before its weight is adjusted.
const MIN_GAMES: u32 = 4;

/// Interval between recomputations.
const INTERVAL: Duration = Duration::from_secs(3600);

/// Recomputes the learned weights of all books every hour until `stop`.
pub fn keep(archive: PathBuf, stock: Assets, stop: CancellationToken) {
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(INTERVAL);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let (path, library) = (archive.clone(), Arc::clone(&stock.library.borrow()));
            // Reading all games takes a while, and must not block the runtime.
            match tokio::task::spawn_blocking(move || renew(&path, &library)).await {
                Ok(Ok(weights)) => {
                    stock.learned_weights.send_replace(weights);
                }
                Ok(Err(why)) => warn!("the learned weights of books stay as they were: {why:#}"),
                Err(why) => warn!("the learned weights of books stay as they were: {why}"),
            }
        }
    });
}

/// Computes the learned weights of all books and stores them in the archive.
fn renew(archive: &Path, library: &Library) -> anyhow::Result<BTreeMap<String, Arc<LearnedWeights>>> {
    let archive = Archive::read(archive)?;
    let mut all = BTreeMap::new();
    for name in library.names() {
        let Some(book) = library.book(name) else { continue };
        let weights = of_book(&archive, book)?;
        archive.put_learned_weights(name, &weights)?;
        if weights.is_empty() {
            continue;
        }
        info!(
            "{} moves of book {name} have learned weights; `sparring book show {}` lists them",
            weights.len(),
            book.path()
        );
        all.insert(name.to_owned(), Arc::new(weights.into_iter().collect()));
    }
    Ok(all)
}

/// The learned weights of a book from the archive's games.
///
/// # Errors
/// When the archive cannot be read.
pub fn of_book(archive: &Archive, book: &Book) -> anyhow::Result<Vec<WeightFactor>> {
    let mut lessons = LearnReport::new(book);
    from_archive(archive, &Filter::default(), &mut lessons, &mut None)?;
    Ok(lessons.weight_factors(MIN_GAMES))
}
