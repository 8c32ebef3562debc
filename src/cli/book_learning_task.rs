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

/// Results of fewer games say nothing yet.
const LEAST_GAMES: u32 = 4;

/// Between two looks at the results.
const INTERVAL: Duration = Duration::from_secs(3600);

/// Lets the books of the stock lean until `stop`.
pub fn keep(archive: PathBuf, stock: Assets, stop: CancellationToken) {
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(INTERVAL);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let (path, library) = (archive.clone(), Arc::clone(&stock.library.borrow()));
            // All games are gone through, while the runtime has moves to send.
            match tokio::task::spawn_blocking(move || renew(&path, &library)).await {
                Ok(Ok(leans)) => {
                    stock.learned_weights.send_replace(leans);
                }
                Ok(Err(why)) => warn!("weights of books lean as before: {why:#}"),
                Err(why) => warn!("weights of books lean as before: {why}"),
            }
        }
    });
}

/// Learns from all games and keeps how books lean now; says which do.
fn renew(archive: &Path, library: &Library) -> anyhow::Result<BTreeMap<String, Arc<LearnedWeights>>> {
    let archive = Archive::read(archive)?;
    let mut all = BTreeMap::new();
    for name in library.names() {
        let Some(book) = library.book(name) else { continue };
        let leans = of_book(&archive, book)?;
        archive.put_learned_weights(name, &leans)?;
        if leans.is_empty() {
            continue;
        }
        info!(
            "{} moves of book {name} lean by their results; sparring book show {} tells how",
            leans.len(),
            book.path()
        );
        all.insert(name.to_owned(), Arc::new(leans.into_iter().collect()));
    }
    Ok(all)
}

/// How the games of the archive let a book lean.
///
/// # Errors
/// When the archive cannot be read.
pub fn of_book(archive: &Archive, book: &Book) -> anyhow::Result<Vec<WeightFactor>> {
    let mut lessons = LearnReport::new(book);
    from_archive(archive, &Filter::default(), &mut lessons, &mut None)?;
    Ok(lessons.weight_factors(LEAST_GAMES))
}
