//! Parses a personality file (TOML) into a validated [`Personality`].

use std::{path::Path, sync::Arc};

use super::{
    book_name::BookName,
    chat_lines::{self, ChatLines},
    delay::Delay,
    engine_key,
    level::{LevelForm, LevelSetting},
    network_file::NetworkFile,
    power,
    style::{Axis, BlindSpot, Style},
};
use sparring_book::{self as book, SelectionPolicy};
use sparring_chess::{
    Color,
    units::{Centipawns, Depth, Elo, Nodes},
};
use sparring_config_schema::{self as schema, Bool, Choice, Float, Int, Key, List, Name, Section, Text};
use sparring_diagnostics::{Diagnostic, Diagnostics};
use sparring_engine::EngineOverrides;

/// A personality. All values are validated; missing ones have the documented default.
#[derive(Debug, Clone, PartialEq)]
pub struct Personality {
    /// Name in settings and commands: the file name without extension.
    pub name: String,
    /// Displayed name; the name by default.
    pub title: String,
    /// One honest sentence about how it plays.
    pub about: String,
    /// Level; `None` for full strength. See [`LevelParams`](super::strength::LevelParams).
    pub level: Option<Elo>,
    /// A level that follows the opponent in casual games.
    pub level_setting: Option<LevelSetting>,
    /// A network whose likeliest moves it plays.
    pub network: Option<NetworkFile>,
    /// The engine that searches for it, by its name in the settings; `None` for the embedded one.
    pub engine: Option<String>,
    /// Override: nodes a move.
    pub nodes: Option<Nodes>,
    /// Override: search depth in plies.
    pub depth: Option<Depth>,
    /// Override: standard deviation of the evaluation error.
    pub noise: Option<Centipawns>,
    /// Override: chance (0 to 1) that the search overlooks a kind of move.
    pub blunder_rate: Option<f64>,
    /// Override: search parameters and evaluation weights.
    pub engine_overrides: Option<Arc<EngineOverrides>>,
    /// Delay of its moves.
    pub delay: Delay,
    /// Factor on human think times: below 1 quick, above 1 slow.
    pub tempo: f64,
    /// Books and online sources in order of preference; may be empty.
    pub books: Vec<String>,
    /// Books as White instead.
    pub books_white: Option<Vec<String>>,
    /// Books as Black instead.
    pub books_black: Option<Vec<String>>,
    /// How it selects among book moves.
    pub book_selection: SelectionPolicy,
    /// Largest loss of a book move in a short search; `None` for no check.
    pub book_verify: Option<Centipawns>,
    /// Override: book length in plies from the start of the game.
    pub book_plies: Option<u32>,
    /// Style.
    pub style: Style,
    /// When it resigns; `None` for never.
    pub resign: Option<ResignPolicy>,
    /// When it accepts a draw; `None` for never.
    pub draw: Option<DrawPolicy>,
    /// Takebacks it grants in a casual game.
    pub takebacks: u32,
    /// Rematches in a row; `None` for no limit.
    pub rematches: Option<u32>,
    /// Chat lines.
    pub chat: ChatLines,
}

impl Personality {
    /// The personality of an empty file: full strength, no delay, default chat.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let plain = schema::read("", &[], |file| declare(file, "plain", None)).value;
        let plain = plain.unwrap_or_else(|| unreachable!("every default has the form of its key"));
        Self {
            name: name.to_owned(),
            title: name.to_owned(),
            ..plain
        }
    }

    /// The books for a color, in order of preference.
    #[must_use]
    pub fn books_of(&self, color: Color) -> &[String] {
        let own = match color {
            Color::White => &self.books_white,
            Color::Black => &self.books_black,
        };
        own.as_ref().unwrap_or(&self.books)
    }
}

/// When a personality resigns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResignPolicy {
    /// Smallest deficit; positive.
    pub behind: Centipawns,
    /// Own moves in a row.
    pub moves: u32,
}

/// When a personality accepts or offers a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawPolicy {
    /// Largest distance of the score from 0; positive.
    pub within: Centipawns,
    /// Own moves in a row.
    pub moves: u32,
    /// Whether humans get draw offers too.
    pub offers_to_humans: bool,
}

/// Reads a personality. Its name is the file's, without folder and extension. Book names are not checked.
///
/// There is a value if the list holds no error.
#[must_use]
pub fn read(file: &str, text: &str) -> (Option<Personality>, Diagnostics) {
    read_with(file, text, None)
}

/// As [`read`]; its books must be among these.
#[must_use]
pub fn read_among(file: &str, text: &str, books: &[String]) -> (Option<Personality>, Diagnostics) {
    read_with(file, text, Some(books))
}

/// As [`read`] and, with books, [`read_among`], for a file of the disk: the network that it names is opened, and must be beside it.
#[must_use]
pub fn read_beside(path: &Path, text: &str, books: Option<&[String]>) -> (Option<Personality>, Diagnostics) {
    let (profile, mut findings) = read_with(&path.display().to_string(), text, books);
    let Some(mut profile) = profile else {
        return (None, findings);
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    if let Some(network) = &mut profile.network
        && let Err(error) = network.open(folder)
    {
        let named = keys(text).into_iter().find(|key| key.path == "network");
        let span = named.and_then(|key| key.span).unwrap_or(0..0);
        let why = Diagnostic::error(span, format!("network: {error}"))
            .with_help("write the name of a network's file that lies in the folder of this personality");
        findings.list.push(why);
        return (
            None,
            Diagnostics::new(findings.name, findings.text, findings.list),
        );
    }
    (Some(profile), findings)
}

/// All keys of a personality with their values in a text; empty if the text is not TOML.
#[must_use]
pub fn keys(text: &str) -> Vec<Key> {
    schema::read(text, &[], |file| declare(file, "name", None)).keys
}

fn read_with(file: &str, text: &str, books: Option<&[String]>) -> (Option<Personality>, Diagnostics) {
    let name = Path::new(file)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let mut reading = schema::read(text, &[], |section| declare(section, name, books));
    if reading.keys.is_empty() && book::is_book(text) {
        let finding = Diagnostic::error(0..0, "this is a book, not a personality")
            .with_help("its file ends in .book and lies in the folder of books");
        reading.list = vec![finding];
    }
    if !Name::is_name(name) {
        reading.value = None;
        reading.list.push(
            Diagnostic::error(0..0, format!("\"{name}\" cannot name a personality"))
                .with_help("call the file by small letters, digits and dashes, as in \"quiet-player.toml\""),
        );
    }
    (reading.value, Diagnostics::new(file, text, reading.list))
}

fn declare(file: &mut Section<'_>, name: &str, books: Option<&[String]>) -> Personality {
    let title = file
        .optional("title", Text(30), "the file's name", "What people see.")
        .unwrap_or_else(|| name.to_owned());
    if file.span("title").is_some()
        && let Some(link) = chat_lines::link_in(&title)
    {
        file.error(
            "title",
            format!("\"{link}\" is a link, and lichess drops what a bot says with one"),
            "write a name without a full stop in it",
        );
    }
    let about = file.key(
        "about",
        Text(200),
        "Nobody has described this personality yet.".to_owned(),
        "One honest sentence about how it plays.",
    );
    let mut profile = Personality {
        name: name.to_owned(),
        title,
        about,
        level: None,
        level_setting: None,
        network: None,
        engine: None,
        nodes: None,
        depth: None,
        noise: None,
        blunder_rate: None,
        engine_overrides: None,
        delay: Delay::Off,
        tempo: 1.0,
        books: Vec::new(),
        books_white: None,
        books_black: None,
        book_selection: SelectionPolicy::ByWeight,
        book_verify: None,
        book_plies: None,
        style: Style::default(),
        resign: None,
        draw: None,
        takebacks: 0,
        rematches: None,
        chat: ChatLines::default(),
    };
    let is_power = file.key(
        "mode",
        Choice(&[("normal", false), ("power", true)]),
        false,
        "\"power\" opens the sections [search] and [eval]: every number of the engine by its name.",
    );
    declare_strength(file, &mut profile);
    declare_conduct(file, &mut profile, books);
    profile.style = file.section("style", declare_style);
    if is_power {
        profile.engine_overrides = power::declare(file);
    } else {
        power::forbid(file);
    }
    profile.chat = file.section("chat", |chat| chat_lines::declare(chat, &profile.title));
    engine_key::warn_of_idle_keys(file, &profile);
    profile
}

/// Level and its overrides.
fn declare_strength(file: &mut Section<'_>, profile: &mut Personality) {
    const BY_LEVEL: &str = "as the level says";
    let level = file.optional(
        "level",
        LevelForm,
        "full strength",
        "Plays about as well as a lichess player of this rating. Measured against engines, not against people. By the opponent's \
         rating or the last game only in casual games where it is known; else 1500, or the middle of the range.",
    );
    profile.level = level.map(LevelSetting::fallback);
    profile.level_setting = level.filter(|level| !matches!(level, LevelSetting::Fixed(_)));
    profile.engine = engine_key::declare(file);
    profile.network = file
        .optional(
            "network",
            Text(200),
            "Sparring's own, at its level",
            "A network's file in this folder, in lc0's format (as Maia's, .pb.gz) or Sparring's own. The likeliest move is played; `level` then says \
             how long it thinks and stays in its books. A level that an opponent asks for is played without it.",
        )
        .map(NetworkFile::new);
    if profile.network.is_some() && profile.level_setting.is_some() {
        file.error(
            "level",
            "a network does not follow the opponent",
            "write a number, or leave `network` out",
        );
    }
    profile.nodes = file
        .optional(
            "nodes",
            Int(1..=1_000_000_000_u32, "positions a move"),
            BY_LEVEL,
            "Looks at so many positions for a move, whatever the machine. Fewer is weaker.",
        )
        .map(|nodes| Nodes(nodes.into()));
    profile.depth = file
        .optional(
            "depth",
            Int(1..=100_u32, "half moves"),
            BY_LEVEL,
            "Looks no further ahead than this, exchanges excepted.",
        )
        .map(Depth);
    profile.noise = file
        .optional(
            "noise",
            Int(0..=1000_u32, "centipawns"),
            BY_LEVEL,
            "Misjudges positions by about this much, the same position in the same game always alike.",
        )
        .map(|noise| Centipawns(noise.cast_signed()));
    profile.blunder_rate = file.optional(
        "blunder-rate",
        Float(0.0..=1.0, "chance"),
        BY_LEVEL,
        "Chance to overlook a kind of move while thinking. Recaptures, pawn captures, what hangs and ways out of check are always seen.",
    );
}

/// Style.
fn declare_style(style: &mut Section<'_>) -> Style {
    let likes = Axis::ALL.iter().fold(Style::default(), |all, row| {
        let value = style.key(row.key, Int(Style::RANGE, ""), 0, row.doc);
        all.with(row.axis, value)
    });
    let misses = style.key(
        "misses",
        List(BlindSpot::NAMES),
        Vec::new(),
        "What it tends to overlook where a level chooses as people do: moves by knights, backward moves, moves of four squares or more, or \
         the rescue of a piece. It errs no more than others of its level, but there.",
    );
    likes.with_blind_spots(&misses)
}

/// Delay, books, resignation and draws.
fn declare_conduct(file: &mut Section<'_>, profile: &mut Personality, books: Option<&[String]>) {
    profile.delay = file.key(
        "delay",
        Delay::Off,
        Delay::Off,
        "How long it seems to think. A clock that runs low always cuts it short.",
    );
    profile.tempo = file.key(
        "tempo",
        Float(0.2..=5.0, "times"),
        1.0,
        "Factor on the think times of delay = \"human\": 0.5 is quick, 2.0 is slow.",
    );
    declare_books(file, profile, books);
    profile.book_plies = file.optional(
        "book-plies",
        Int(0..=200_u32, "half moves"),
        BOOK_BY_LEVEL,
        "Leaves its books after this many half moves of the game.",
    );
    let hundredths = |range| Int(range, "centipawns");
    let in_a_row = || Int(1..=50_u32, "own moves");
    let resign_behind = file.optional(
        "resign-behind",
        hundredths(200..=5000_u32),
        "never resigns",
        "Resigns when it stands this much worse.",
    );
    let resign_moves = file.key(
        "resign-moves",
        in_a_row(),
        5,
        "How many own moves in a row it must stand that badly.",
    );
    profile.resign = resign_behind.map(|behind| ResignPolicy {
        behind: Centipawns(behind.cast_signed()),
        moves: resign_moves,
    });
    let draw_within = file.optional(
        "draw-within",
        hundredths(0..=300_u32),
        "takes no draws",
        "Takes an offered draw when the score was no better for it than this; in rated games from move 31 on.",
    );
    let draw_moves = file.key(
        "draw-moves",
        in_a_row(),
        5,
        "How many own moves in a row the score must have been that level.",
    );
    let asks_people = file.key(
        "draw-offers-people",
        Bool,
        false,
        "Offers draws to people too, where draw-within says when; bots are offered them anyway.",
    );
    profile.draw = draw_within.map(|within| DrawPolicy {
        within: Centipawns(within.cast_signed()),
        moves: draw_moves,
        offers_to_humans: asks_people,
    });
    profile.takebacks = file.key(
        "takebacks",
        Int(0..=100_u32, "a game"),
        3,
        "Takebacks it grants in a casual game. In rated games it grants none.",
    );
    profile.rematches = file.optional(
        "rematches",
        Int(0..=100_u32, "in a row"),
        "as many as anybody likes",
        "Rematches it plays in a row with the same opponent; who wants more is asked to come later.",
    );
}

/// Books and the selection among their moves.
fn declare_books(file: &mut Section<'_>, profile: &mut Personality, known: Option<&[String]>) {
    let names = || {
        List(BookName {
            books: known,
            // bot.toml names them; `sparring check` compares.
            sources: None,
        })
    };
    const AS_BOOKS: &str = "as `books`";
    profile.books = file.key(
        "books",
        names(),
        Vec::new(),
        "Books it opens from, and online sources of bot.toml; the first that is for such a game and knows the position decides.",
    );
    profile.books_white = file.optional("books-white", names(), AS_BOOKS, "Books it opens from as White.");
    profile.books_black = file.optional("books-black", names(), AS_BOOKS, "Books it opens from as Black.");
    let choice = file.key(
        "book-choice",
        Choice(&[
            ("weight", SelectionPolicy::ByWeight),
            ("best", SelectionPolicy::Best),
            ("flat", SelectionPolicy::Flat),
        ]),
        SelectionPolicy::ByWeight,
        "How it draws among the moves of a book: by their weights, always the heaviest, or all alike.",
    );
    let temperature = file.key(
        "book-temperature",
        Float(0.1..=10.0, "with book-choice = \"weight\""),
        1.0,
        "Below 1.0 heavy moves come up more often than they weigh, above 1.0 light ones do.",
    );
    profile.book_selection = match choice {
        SelectionPolicy::ByWeight if (temperature - 1.0).abs() > f64::EPSILON => {
            SelectionPolicy::Temperature(temperature)
        }
        policy => policy,
    };
    profile.book_verify = file
        .optional(
            "book-verify",
            Int(20..=1000_u32, "centipawns"),
            "trusts its books",
            "Plays no move of a book that a short search finds this much worse than the best move.",
        )
        .map(|margin| Centipawns(margin.cast_signed()));
}

const BOOK_BY_LEVEL: &str = "as the level says, or to the book's end at full strength";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_the_chat_could_take_for_links_are_refused() {
        let (profile, findings) = read("personalities/my.club.toml", "");
        assert!(profile.is_none());
        assert!(
            findings
                .to_string()
                .contains("\"my.club\" cannot name a personality"),
            "{findings}"
        );
        let books = ["my.openings".to_owned()];
        let (profile, findings) = read_among("club.toml", "books = [\"my.openings\"]", &books);
        assert!(profile.is_none());
        assert!(
            findings
                .to_string()
                .contains("\"my.openings\" cannot name a book"),
            "{findings}"
        );
    }
}
