//! What the program has at hand beside the engine: books, and personalities where they are built in.

use std::{fs, path::Path};

use crate::{
    book::{self, Library},
    chess::{GameLine, Move},
    engine::{Engine, News, Report, Search, Surroundings},
};
#[cfg(feature = "daemon")]
use crate::{
    engine::{Handicap, Limits},
    personality::{
        Cast, Profile,
        strength::{self, think},
    },
    units::{Centipawns, Elo},
};

/// What is done about a move: as a personality does it, where there are any.
#[cfg(feature = "daemon")]
pub(super) type Task = strength::Order;
/// What is done about a move: without personalities, a search.
#[cfg(not(feature = "daemon"))]
pub(super) type Task = Search;

/// The personality that changes nothing.
#[cfg(feature = "daemon")]
pub(super) const NOBODY: &str = "none";

/// Books and personalities that the options choose from.
#[derive(Debug, Default)]
pub struct House {
    /// The books there are.
    pub library: Library,
    /// The personalities there are.
    #[cfg(feature = "daemon")]
    pub cast: Option<Cast>,
}

/// How weak the engine shall play.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Guise {
    /// The level asked for; none for full strength or the personality's own.
    #[cfg(feature = "daemon")]
    pub level: Option<Elo>,
    /// A personality's name; none for the engine as it is.
    #[cfg(feature = "daemon")]
    pub personality: Option<String>,
}

impl House {
    /// A book move for the line's last position: from the opened file, else from the personality's books, else from
    /// all.
    pub(super) fn book_move(
        &self,
        file: Option<&Library>,
        guise: &Guise,
        line: &GameLine,
        seed: u64,
    ) -> Option<Move> {
        let library = file.unwrap_or(&self.library);
        let mut names: Vec<String> = Vec::new();
        #[cfg(feature = "daemon")]
        if let Some(profile) = self.profile(guise) {
            if !strength::allows_book(profile, guise.level, line.ply()) {
                return None;
            }
            if file.is_none() {
                names.clone_from(&profile.books);
            }
        }
        #[cfg(not(feature = "daemon"))]
        let _ = guise; // there is only the engine as it is
        if names.is_empty() {
            names = library.names().map(str::to_owned).collect();
        }
        library.pick(&names, line, seed).map(|found| found.mv)
    }

    /// A search as it is done under a guise. `seed` names the game.
    #[cfg(feature = "daemon")]
    pub(super) fn disguise(&self, search: Search, guise: &Guise, seed: u64) -> Task {
        if *guise == Guise::default() {
            return search.into();
        }
        let plain = Profile::new(NOBODY);
        let profile = self.profile(guise).unwrap_or(&plain);
        let task = strength::order(profile, guise.level, search.line.clone(), None, seed);
        let own = task.search;
        Task {
            search: Search {
                limits: tighter(search.limits, own.limits),
                handicap: by_hand_first(search.handicap, own.handicap),
                likings: own.likings,
                setup: own.setup,
                multi_pv: search.multi_pv.max(own.multi_pv),
                ..search
            },
            check: task.check.map(|limits| tighter(search.limits, limits)),
            most: search.limits.nodes,
            ..task
        }
    }

    /// Without personalities there is only the engine as it is.
    #[cfg(not(feature = "daemon"))]
    pub(super) fn disguise(&self, search: Search, _: &Guise, _: u64) -> Task {
        search
    }

    /// The names of all personalities.
    #[cfg(feature = "daemon")]
    pub(super) fn personalities(&self) -> impl Iterator<Item = &str> {
        self.cast.iter().flat_map(Cast::names)
    }

    #[cfg(feature = "daemon")]
    fn profile(&self, guise: &Guise) -> Option<&Profile> {
        let name = guise.personality.as_deref()?;
        self.cast.as_ref()?.get(name)
    }
}

/// A handicap whose knobs are those set by hand, and elsewhere those of level and personality.
#[cfg(feature = "daemon")]
fn by_hand_first(hand: Handicap, own: Handicap) -> Handicap {
    Handicap {
        noise: if hand.noise == Centipawns(0) {
            own.noise
        } else {
            hand.noise
        },
        blindness: if hand.blindness > 0.0 {
            hand.blindness
        } else {
            own.blindness
        },
        seed: own.seed,
    }
}

/// What a task searches.
pub(super) fn search_of(task: &Task) -> &Search {
    #[cfg(feature = "daemon")]
    return &task.search;
    #[cfg(not(feature = "daemon"))]
    return task;
}

/// Does a task, and leaves what came of it in a report, the move to play first.
pub(super) fn carry_out(
    engine: &mut Engine,
    task: &Task,
    around: &Surroundings<'_>,
    tell: &mut dyn FnMut(News<'_>),
    report: &mut Report,
) {
    #[cfg(feature = "daemon")]
    {
        *report = think(engine, task, around, tell).report;
    }
    #[cfg(not(feature = "daemon"))]
    engine.search_into(task, around, tell, report);
}

/// What an interface asks for, with a personality's own limits where they are lower.
#[cfg(feature = "daemon")]
fn tighter(asked: Limits, own: Limits) -> Limits {
    fn lower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
        match (one, other) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }
    Limits {
        nodes: lower(asked.nodes, own.nodes),
        depth: lower(asked.depth, own.depth),
        ..asked
    }
}

/// Reads a book of our own format.
///
/// # Errors
/// What is wrong, in words: the system's error, or the first line that is no book.
pub(super) fn open_book(path: &Path) -> Result<Library, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (book, findings) = book::parse_bytes(&path.display().to_string(), &bytes);
    let Some(book) = book else {
        let findings = findings.to_string();
        return Err(findings.lines().next().unwrap_or("no book").to_owned());
    };
    if book.positions() == 0 {
        return Err(format!("{} holds no moves", path.display()));
    }
    Ok(Library::new(vec![book]))
}
