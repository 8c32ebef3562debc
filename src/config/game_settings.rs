//! Settings of a game that a rule may set.

use super::{
    Known,
    adapt::{self, Adapt},
    external_engine,
};
use sparring_config_schema::{Bool, Float, List, Name, Section};
use sparring_personality::{BookName, Delay, LevelForm, LevelSetting};

/// Settings of a game. What is not set is left to later rules, and finally to `[play]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GameSettings {
    /// The personality.
    pub personality: Option<String>,
    /// The level.
    pub level: Option<LevelSetting>,
    /// Books for White.
    pub books_white: Option<Vec<String>>,
    /// Books for Black.
    pub books_black: Option<Vec<String>>,
    /// The engine.
    pub engine: Option<String>,
    /// Whether to move without think-time delays.
    pub fast: Option<bool>,
    /// The think-time model.
    pub delay: Option<Delay>,
    /// Factor on human think times.
    pub tempo: Option<f64>,
    /// How the level follows the opponent.
    pub adapt: Option<Adapt>,
}

/// Reads the name of a personality, and checks it against the known ones, if given.
pub(super) fn personalities(known: Option<Known<'_>>) -> Name<'_> {
    Name {
        what: "personality",
        known: known.map(|known| known.personalities),
    }
}

/// Reads names of books, and checks them against the known ones, if given; and of the online sources of the settings.
pub(super) fn books<'k>(own: Own<'k>, known: Option<Known<'k>>) -> List<BookName<'k>> {
    List(BookName {
        books: known.map(|known| known.books),
        sources: Some(own.sources),
    })
}

/// What the settings themselves give names to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Own<'k> {
    /// External engines, and the embedded one.
    pub(super) engines: &'k [String],
    /// Online sources.
    pub(super) sources: &'k [String],
}

/// Declares the settings of a game.
pub(super) fn declare(rule: &mut Section<'_>, own: Own<'_>, known: Option<Known<'_>>) -> GameSettings {
    rule.renamed("fast", "no-delay");
    adapt::rename_coach(rule);
    const LATER: &str = "a later rule or [play] decides";
    let (personality, books) = (personalities(known), || books(own, known));
    GameSettings {
        personality: rule.optional("personality", personality, LATER, "Who plays such games."),
        level: rule.optional(
            "level",
            LevelForm,
            LATER,
            "The level at which they are played: a number, by the opponent's rating, or that of the last casual game with them. The latter two count in casual games only, and where they are known; else a later rule decides.",
        ),
        books_white: rule.optional("books-white", books(), LATER, "Books to play White from."),
        books_black: rule.optional("books-black", books(), LATER, "Books to play Black from."),
        engine: rule.optional(
            "engine",
            external_engine::named(own.engines),
            LATER,
            "Who searches in such games: an engine of [engine.NAME], or \"embedded\".",
        ),
        fast: rule.optional(
            "no-delay",
            Bool,
            LATER,
            "Without the pauses that a personality makes.",
        ),
        delay: rule.optional(
            "delay",
            Delay::Off,
            "as the personality does",
            "How long it seems to think in such games: \"off\", \"human\", a span or a range. A clock that runs low cuts it short.",
        ),
        tempo: rule.optional(
            "tempo",
            Float(0.2..=5.0, "times"),
            "as the personality's",
            "Factor on the think times of delay = \"human\": 0.5 is quick, 2.0 is slow.",
        ),
        adapt: rule.optional("adapt", Adapt::FORM, LATER, Adapt::DOC),
    }
}
