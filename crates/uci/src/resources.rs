//! Books and personalities available to UCI.

use std::path::Path;

use sparring_book::{self as book, BookMove, BookQuery, Library};
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

/// What is done about a move: as a personality does it, where there are any.
#[cfg(feature = "personality")]
pub(super) type Task = strength::StrengthRequest;
/// What is done about a move: without personalities, a search.
#[cfg(not(feature = "personality"))]
pub(super) type Task = SearchRequest;

/// The personality that changes nothing.
#[cfg(feature = "personality")]
pub(super) const NOBODY: &str = "none";

/// The book that is asked where nothing names another: sound theory for both colors.
const MAIN: &str = "main";

/// Books and personalities that the options choose from.
#[derive(Debug, Default)]
pub struct UciResources {
    /// The books there are.
    pub library: Library,
    /// The personalities there are.
    #[cfg(feature = "personality")]
    pub cast: Option<Personalities>,
}

/// How weak the engine shall play.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StrengthSetting {
    /// The level asked for; none for full strength or the personality's own.
    #[cfg(feature = "personality")]
    pub level: Option<Elo>,
    /// A personality's name; none for the engine as it is.
    #[cfg(feature = "personality")]
    pub personality: Option<String>,
}

impl UciResources {
    /// The book moves for the last position of the wished line, in the order in which they are drawn: from the opened
    /// file, else from the personality's books, else from the book [`MAIN`]. Names and manner of the wish are filled in
    /// here.
    pub(super) fn book_moves(
        &self,
        file: Option<&Library>,
        strength: &StrengthSetting,
        wish: BookQuery<'_>,
    ) -> Vec<BookMove> {
        let library = file.unwrap_or(&self.library);
        let names = match file {
            Some(file) => file.names().map(str::to_owned).collect(),
            None => self.books(strength, wish.line.turn()),
        };
        let wish = self.in_manner(
            strength,
            BookQuery {
                books: &names,
                ..wish
            },
        );
        let (mut moves, mut drawn) = (Vec::new(), Vec::new());
        while let Some(found) = library.choose(&BookQuery {
            without: &drawn,
            ..wish
        }) {
            drawn.push(found.mv);
            moves.push(found);
        }
        moves
    }

    /// The books to ask where no file was opened. A personality that names none plays from what one without any would.
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
    fn in_manner<'a>(&self, strength: &StrengthSetting, wish: BookQuery<'a>) -> BookQuery<'a> {
        let plain = Personality::new(NOBODY);
        book_query::book_query(self.profile(strength).unwrap_or(&plain), strength.level, wish)
    }

    /// Without personalities there is only the engine as it is.
    #[cfg(not(feature = "personality"))]
    #[expect(clippy::unused_self, reason = "with personalities it looks for one")]
    fn in_manner<'a>(&self, _: &StrengthSetting, wish: BookQuery<'a>) -> BookQuery<'a> {
        wish
    }

    /// How much worse than the best a book move may look, if the personality asks the engine about its books.
    pub(super) fn book_margin(&self, strength: &StrengthSetting) -> Option<Centipawns> {
        #[cfg(feature = "personality")]
        return self.profile(strength)?.book_verify;
        #[cfg(not(feature = "personality"))]
        {
            let _ = strength;
            None
        }
    }

    /// A search as it is done under a strength. `seed` names the game.
    #[cfg(feature = "personality")]
    pub(super) fn disguise(&self, search: SearchRequest, strength: &StrengthSetting, seed: u64) -> Task {
        if *strength == StrengthSetting::default() {
            return search.into();
        }
        let plain = Personality::new(NOBODY);
        let profile = self.profile(strength).unwrap_or(&plain);
        let task = strength::request(profile, strength.level, search.line.clone(), None, seed);
        let own = task.search;
        let tablebase = search.tablebase.clone();
        Task {
            search: SearchRequest {
                limits: tighter(search.limits, own.limits),
                handicap: by_hand_first(search.handicap, own.handicap),
                likings: own.likings,
                setup: own.setup,
                by_terms: own.by_terms,
                multi_pv: search.multi_pv.max(own.multi_pv),
                ..search
            },
            check_limits: task.check_limits.map(|limits| tighter(search.limits, limits)),
            node_limit: search.limits.nodes,
            ..task
        }
        .with_tablebase(tablebase)
    }

    /// The numbers of the search under a strength: those set by hand, unless the personality has its own.
    pub(super) fn params<'a>(&'a self, strength: &StrengthSetting, by_hand: &'a Params) -> &'a Params {
        self.setup(strength).map_or(by_hand, EngineOverrides::params)
    }

    /// Numbers and weights of the personality's own, where the strength has any.
    pub(super) fn setup(&self, strength: &StrengthSetting) -> Option<&EngineOverrides> {
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
    pub(super) fn disguise(&self, search: SearchRequest, _: &StrengthSetting, _: u64) -> Task {
        search
    }

    /// The names of all personalities.
    #[cfg(feature = "personality")]
    pub(super) fn personalities(&self) -> impl Iterator<Item = &str> {
        self.cast.iter().flat_map(Personalities::names)
    }

    #[cfg(feature = "personality")]
    fn profile(&self, strength: &StrengthSetting) -> Option<&Personality> {
        let name = strength.personality.as_deref()?;
        self.cast.as_ref()?.get(name)
    }
}

/// A handicap whose knobs are those set by hand, and elsewhere those of level and personality.
#[cfg(feature = "personality")]
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
pub(super) fn search_of(task: &Task) -> &SearchRequest {
    #[cfg(feature = "personality")]
    return &task.search;
    #[cfg(not(feature = "personality"))]
    return task;
}

/// Takes time that has passed already off the limits of a task.
pub(super) fn shorten(task: &mut Task, passed: Millis) {
    #[cfg(feature = "personality")]
    let search = {
        task.check_limits = task.check_limits.map(|limits| limits.after(passed));
        &mut task.search
    };
    #[cfg(not(feature = "personality"))]
    let search = task;
    search.limits = search.limits.after(passed);
}

/// Does a task, and leaves what came of it in a report, the move to play first.
pub(super) fn carry_out(
    engine: &mut Engine,
    task: &Task,
    around: &SearchControl<'_>,
    tell: &mut dyn FnMut(SearchEvent<'_>),
    report: &mut SearchResult,
) {
    #[cfg(feature = "personality")]
    {
        *report = choose_move(engine, task, around, tell).report;
    }
    #[cfg(not(feature = "personality"))]
    engine.search_into(task, around, tell, report);
}

/// What an interface asks for, with a personality's own limits where they are lower.
#[cfg(feature = "personality")]
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

/// The speed of a game by its clock, as headers of books write it.
#[cfg(feature = "personality")]
pub(super) fn speed(initial: Millis, increment: Millis) -> Option<&'static str> {
    Some(Speed::of_clock(initial, increment).key())
}

/// The engine alone does not know lichess' speeds; a book opened by hand is played from at any.
#[cfg(not(feature = "personality"))]
pub(super) fn speed(_: Millis, _: Millis) -> Option<&'static str> {
    None
}

/// The most that is read of a book: more than any text of ours, and Polyglot books are larger than their texts.
const MOST: u64 = 256 * files::MIB;

/// Reads a book of our own format, or of Polyglot's where the name ends in `.bin`, with a sentence about what was left out of
/// it.
///
/// # Errors
/// What is wrong, in words: the system's error, or the first line that is no book.
pub(super) fn open_book(path: &Path) -> Result<(Library, Option<String>), String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let mut bytes = files::read(path, MOST).map_err(|error| named(&error))?;
    let mut said = None;
    if path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("bin"))
    {
        let imported = book::import_polyglot(&bytes).map_err(|error| named(&error))?;
        said = (!imported.is_whole()).then(|| named(&imported));
        bytes = imported.text.into_bytes();
    }
    let (book, findings) = book::parse_bytes(&path.display().to_string(), &bytes);
    let Some(book) = book else {
        let findings = findings.to_string();
        return Err(findings.lines().next().unwrap_or("no book").to_owned());
    };
    if book.positions() == 0 {
        return Err(said.unwrap_or_else(|| format!("{} holds no moves", path.display())));
    }
    Ok((Library::new(vec![book]), said))
}
