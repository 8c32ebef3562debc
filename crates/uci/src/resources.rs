//! Books and personalities available to UCI.

use std::path::Path;

use sparring_book::{self as book, BookFormat, BookMove, BookQuery, Library, ZeroWeights};
#[cfg(feature = "personality")]
use sparring_chess::units::Elo;
use sparring_chess::{
    Color,
    units::{Centipawns, Millis},
};
use sparring_engine::{
    Engine, EngineOverrides, Params, SearchControl, SearchEvent, SearchRequest, SearchResult,
};
#[cfg(feature = "personality")]
use sparring_engine::{Handicap, Limits};
use sparring_files as files;
#[cfg(feature = "personality")]
use sparring_lichess::model::Speed;
#[cfg(feature = "personality")]
use sparring_personality::{
    Personalities, Personality, book_query,
    strength::{self, choose_move},
};

/// A search as a personality runs it.
#[cfg(feature = "personality")]
pub(super) type Task = strength::StrengthRequest;
/// A search; there are no personalities.
#[cfg(not(feature = "personality"))]
pub(super) type Task = SearchRequest;

/// The option value for no personality.
#[cfg(feature = "personality")]
pub(super) const NO_PERSONALITY: &str = "none";

/// The default book: sound theory for both colors.
const MAIN: &str = "main";

/// Books and personalities that the options choose from.
#[derive(Debug, Default)]
pub struct UciResources {
    /// The books there are.
    pub library: Library,
    /// The personalities there are.
    #[cfg(feature = "personality")]
    pub personalities: Option<Personalities>,
}

/// The strength to play at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StrengthSetting {
    /// The level of `UCI_Elo`; none for full strength or the personality's own.
    #[cfg(feature = "personality")]
    pub level: Option<Elo>,
    /// A personality's name; none for the plain engine.
    #[cfg(feature = "personality")]
    pub personality: Option<String>,
}

impl UciResources {
    /// The book moves for the query's position, in the order in which they are drawn: from the opened file, else from the
    /// personality's books, else from the book [`MAIN`]. Fills in the query's book names and the personality's manner of
    /// choice.
    pub(super) fn book_moves(
        &self,
        file: Option<&Library>,
        strength: &StrengthSetting,
        query: BookQuery<'_>,
    ) -> Vec<BookMove> {
        let library = file.unwrap_or(&self.library);
        let listed = match file {
            Some(file) => file.names().map(str::to_owned).collect(),
            None => self.books(strength, query.line.turn()),
        };
        let names = library.books_for(&listed, query.line.variant());
        let query = self.with_personality(
            strength,
            BookQuery {
                books: &names,
                ..query
            },
        );
        let (mut moves, mut drawn) = (Vec::new(), Vec::new());
        while let Some(found) = library.choose(&BookQuery {
            without: &drawn,
            ..query
        }) {
            drawn.push(found.mv);
            moves.push(found);
        }
        moves
    }

    /// The books to query where no file was opened. A personality that names none uses the default ones.
    fn books(&self, strength: &StrengthSetting, color: Color) -> Vec<String> {
        #[cfg(feature = "personality")]
        if let Some(profile) = self.profile(strength)
            && [Color::White, Color::Black]
                .iter()
                .any(|color| !profile.books_of(*color).is_empty())
        {
            return profile.books_of(color).to_vec();
        }
        #[cfg(not(feature = "personality"))]
        let _ = (strength, color); // there is only the engine as it is
        match self.library.book(MAIN) {
            Some(main) => vec![main.name().to_owned()],
            None => self.library.names().map(str::to_owned).collect(),
        }
    }

    #[cfg(feature = "personality")]
    fn with_personality<'a>(&self, strength: &StrengthSetting, query: BookQuery<'a>) -> BookQuery<'a> {
        let plain = Personality::new(NO_PERSONALITY);
        book_query::book_query(self.profile(strength).unwrap_or(&plain), strength.level, query)
    }

    /// Without personalities there is only the plain engine.
    #[cfg(not(feature = "personality"))]
    #[expect(clippy::unused_self, reason = "with personalities it looks for one")]
    fn with_personality<'a>(&self, _: &StrengthSetting, query: BookQuery<'a>) -> BookQuery<'a> {
        query
    }

    /// How much worse than the best a book move may score, if the personality verifies book moves (`book-verify`).
    pub(super) fn book_margin(&self, strength: &StrengthSetting) -> Option<Centipawns> {
        #[cfg(feature = "personality")]
        return self.profile(strength)?.book_verify;
        #[cfg(not(feature = "personality"))]
        {
            let _ = strength;
            None
        }
    }

    /// A search at a strength. `seed` names the game.
    #[cfg(feature = "personality")]
    pub(super) fn apply_strength(
        &self,
        search: SearchRequest,
        strength: &StrengthSetting,
        seed: u64,
    ) -> Task {
        if *strength == StrengthSetting::default() {
            return search.into();
        }
        let plain = Personality::new(NO_PERSONALITY);
        let profile = self.profile(strength).unwrap_or(&plain);
        let task = strength::request(profile, strength.level, search.line.clone(), None, seed);
        let own = task.search;
        let tablebase = search.tablebase.clone();
        Task {
            search: SearchRequest {
                limits: lower_limits(search.limits, own.limits),
                handicap: merge_handicaps(search.handicap, own.handicap),
                style_bonus: own.style_bonus,
                overrides: own.overrides,
                classical_only: own.classical_only,
                multi_pv: search.multi_pv.max(own.multi_pv),
                ..search
            },
            check_limits: task
                .check_limits
                .map(|limits| lower_limits(search.limits, limits)),
            node_limit: search.limits.nodes,
            ..task
        }
        .with_tablebase(tablebase)
    }

    /// The search parameters at a strength: those set by UCI options, unless the personality has its own.
    pub(super) fn params<'a>(&'a self, strength: &StrengthSetting, by_hand: &'a Params) -> &'a Params {
        self.overrides(strength).map_or(by_hand, EngineOverrides::params)
    }

    /// The personality's own parameters and weights, where the strength has any.
    pub(super) fn overrides(&self, strength: &StrengthSetting) -> Option<&EngineOverrides> {
        #[cfg(feature = "personality")]
        return strength::engine_overrides(self.profile(strength)?, strength.level).map(AsRef::as_ref);
        #[cfg(not(feature = "personality"))]
        {
            let _ = strength; // there is only the engine as it is
            None
        }
    }

    /// Without personalities there is only the engine as it is.
    #[cfg(not(feature = "personality"))]
    pub(super) fn apply_strength(&self, search: SearchRequest, _: &StrengthSetting, _: u64) -> Task {
        search
    }

    /// The names of all personalities.
    #[cfg(feature = "personality")]
    pub(super) fn personalities(&self) -> impl Iterator<Item = &str> {
        self.personalities.iter().flat_map(Personalities::names)
    }

    #[cfg(feature = "personality")]
    fn profile(&self, strength: &StrengthSetting) -> Option<&Personality> {
        let name = strength.personality.as_deref()?;
        self.personalities.as_ref()?.get(name)
    }
}

/// The handicap of the UCI options, and where they are zero that of level and personality.
#[cfg(feature = "personality")]
fn merge_handicaps(hand: Handicap, own: Handicap) -> Handicap {
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

/// The search of a task.
pub(super) fn search_of(task: &Task) -> &SearchRequest {
    #[cfg(feature = "personality")]
    return &task.search;
    #[cfg(not(feature = "personality"))]
    return task;
}

/// Subtracts elapsed time from the limits of a task.
pub(super) fn subtract_elapsed(task: &mut Task, passed: Millis) {
    #[cfg(feature = "personality")]
    let search = {
        task.check_limits = task.check_limits.map(|limits| limits.after(passed));
        &mut task.search
    };
    #[cfg(not(feature = "personality"))]
    let search = task;
    search.limits = search.limits.after(passed);
}

/// Runs a task and leaves the result in `report`, the move to play first.
pub(super) fn run_task(
    engine: &mut Engine,
    task: &Task,
    control: &SearchControl<'_>,
    on_event: &mut dyn FnMut(SearchEvent<'_>),
    report: &mut SearchResult,
) {
    #[cfg(feature = "personality")]
    {
        *report = choose_move(engine, task, control, on_event).report;
    }
    #[cfg(not(feature = "personality"))]
    engine.search_into(task, control, on_event, report);
}

/// The GUI's limits, or a personality's own where they are lower.
#[cfg(feature = "personality")]
fn lower_limits(requested: Limits, own: Limits) -> Limits {
    fn lower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
        match (one, other) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }
    Limits {
        nodes: lower(requested.nodes, own.nodes),
        depth: lower(requested.depth, own.depth),
        ..requested
    }
}

/// The speed of a game by its clock, as book headers write it.
#[cfg(feature = "personality")]
pub(super) fn speed(initial: Millis, increment: Millis) -> Option<&'static str> {
    Some(Speed::of_clock(initial, increment).key())
}

/// The plain engine does not know lichess' speeds; a book opened by hand is used at any.
#[cfg(not(feature = "personality"))]
pub(super) fn speed(_: Millis, _: Millis) -> Option<&'static str> {
    None
}

/// The largest book file that is read: Polyglot books are larger than their texts.
const MOST: u64 = 256 * files::MIB;

/// Opens a book in our own format, or in that of another program by the ending of its name, with a remark about entries
/// that were left out.
///
/// # Errors The system's error, or the first line that is invalid, as a sentence.
pub(super) fn open_book(path: &Path) -> Result<(Library, Option<String>), String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let mut bytes = files::read(path, MOST).map_err(|error| named(&error))?;
    let mut remark = None;
    if let Some(format) = BookFormat::of(path) {
        let imported = (format.import)(&bytes, ZeroWeights::Drop).map_err(|error| named(&error))?;
        remark = (!imported.is_whole()).then(|| named(&imported));
        bytes = imported.text.into_bytes();
    }
    let (book, findings) = book::parse_bytes(&path.display().to_string(), &bytes);
    let Some(book) = book else {
        let findings = findings.to_string();
        return Err(findings.lines().next().unwrap_or("no book").to_owned());
    };
    if book.positions() == 0 {
        return Err(remark.unwrap_or_else(|| format!("{} holds no moves", path.display())));
    }
    Ok((Library::new(vec![book]), remark))
}
