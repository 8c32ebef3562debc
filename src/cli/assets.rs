//! Books and personalities: from the folders of `bot.toml`, or the shipped ones inside the program.

use std::{collections::BTreeMap, sync::Arc};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::cli::exit::{Exit, Failure};
use crate::{
    config::{self, Paths},
    reload::{Assets, ReloadLog, open},
};
use sparring_book::{self as book, Library};
use sparring_diagnostics::Diagnostics;
use sparring_files as files;
use sparring_personality::{self as personality, Personalities, Personality};
use sparring_uci::UciResources;

/// The shipped books, by path and text.
pub const BOOKS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/books.rs"));
/// The shipped personalities, by path and text.
pub const PERSONALITIES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/personalities.rs"));

/// Loads the folders and reloads them until `stop`. Where neither folder exists, uses the shipped files, so that a copied program
/// plays anywhere.
///
/// Logs files with errors and loads the others.
#[must_use]
pub fn stock(paths: &Paths, stop: &CancellationToken) -> Assets {
    inspected(paths, stop).0
}

/// [`stock`], with the findings of files that cannot be used.
pub(super) fn inspected(paths: &Paths, stop: &CancellationToken) -> (Assets, Vec<Diagnostics>) {
    if shipped_stand_in(paths) {
        info!(
            "neither {} nor {} exists: playing with the shipped books and personalities",
            paths.books.display(),
            paths.personalities.display()
        );
        return (shipped(), Vec::new());
    }
    let (stock, poller, findings) = open(paths);
    for finding in &findings {
        warn!("{finding}");
    }
    tokio::spawn(poller.run(stop.clone()));
    (stock, findings)
}

/// Books and personalities for `sparring uci`, read once: from the folders of `./bot.toml`, or the shipped ones. Files with errors are
/// left out.
#[must_use]
pub fn uci_resources() -> UciResources {
    let text = files::read_text("bot.toml".as_ref(), files::TEXT).unwrap_or_default();
    let paths = config::paths(&text);
    let stock = if shipped_stand_in(&paths) {
        shipped()
    } else {
        open(&paths).0
    };
    UciResources {
        library: Library::clone(&stock.library.borrow()),
        personalities: Some(Personalities::clone(&stock.personalities.borrow())),
    }
}

/// Whether the shipped files are used: neither folder exists.
#[must_use]
pub fn shipped_stand_in(paths: &Paths) -> bool {
    !paths.books.exists() && !paths.personalities.exists()
}

/// The shipped books and personalities. Tests check that every shipped file can be used.
pub(super) fn shipped() -> Assets {
    let books = BOOKS
        .iter()
        .filter_map(|(name, text)| book::parse(name, text).0)
        .collect();
    let profiles = PERSONALITIES
        .iter()
        .filter_map(|(name, text)| personality::read(name, text).0)
        .collect();
    Assets {
        library: watch::channel(Arc::new(Library::new(books))).1,
        // Without a watcher, learned weights have no effect.
        learned_weights: watch::channel(BTreeMap::new()).0,
        reload_log: watch::channel(ReloadLog::default()).1,
        personalities: watch::channel(Arc::new(Personalities::new(profiles))).1,
    }
}

/// A personality by its name.
///
/// # Errors
/// [`Exit::Usage`] with a suggestion and all names.
pub fn must_know<'c>(personalities: &'c Personalities, name: &str) -> anyhow::Result<&'c Personality> {
    if let Some(profile) = personalities.get(name) {
        return Ok(profile);
    }
    let names = personalities.names().collect::<Vec<&str>>().join(", ");
    let message = match personalities.suggest(name) {
        _ if names.is_empty() => format!("there is no personality \"{name}\", nor any other"),
        Some(meant) => format!("there is no personality \"{name}\", did you mean {meant}? Known: {names}"),
        None => format!("there is no personality \"{name}\"; known: {names}"),
    };
    Err(Failure::error(Exit::Usage, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_personality_gets_a_suggestion() {
        let said = |personalities: &Personalities, name: &str| {
            must_know(personalities, name).unwrap_err().to_string()
        };
        assert_eq!(
            said(&Personalities::new(Vec::new()), "club"),
            "there is no personality \"club\", nor any other"
        );
        let personalities = Personalities::new(vec![Personality::new("club")]);
        assert_eq!(
            said(&personalities, "clbu"),
            "there is no personality \"clbu\", did you mean club? Known: club"
        );
        assert_eq!(
            said(&personalities, "nobody"),
            "there is no personality \"nobody\"; known: club"
        );
    }

    #[test]
    fn the_program_carries_what_is_shipped() {
        let stock = shipped();
        assert_eq!(stock.library.borrow().names().count(), BOOKS.len());
        assert_eq!(stock.personalities.borrow().names().count(), PERSONALITIES.len());
        assert!(!BOOKS.is_empty() && !PERSONALITIES.is_empty());
    }
}
