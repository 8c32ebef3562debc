//! `[play]`: personality, level and books where no rule says otherwise.

use super::{
    Known,
    adapt::{self, Adapt},
    external_engine,
    game_settings::{Own, books, personalities},
};
use sparring_chess::units::{Elo, Millis};
use sparring_config_schema::{Bool, DurationType, Section};
use sparring_personality::{Delay, Level};

/// `[play]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Play {
    /// The personality that plays unless a game asks for another.
    pub personality: String,
    /// The level that replaces the personality's own strength.
    pub level: Option<Elo>,
    /// Books instead of the personality's when playing White.
    pub books_white: Option<Vec<String>>,
    /// Books instead of the personality's when playing Black.
    pub books_black: Option<Vec<String>>,
    /// The engine instead of the personality's.
    pub engine: Option<String>,
    /// Whether to move without think-time delays.
    pub fast: bool,
    /// The think-time model; none for the personality's own.
    pub delay: Option<Delay>,
    /// Factor on human think times; none for the personality's own.
    pub tempo: Option<f64>,
    /// How the level follows the opponent in casual games.
    pub adapt: Adapt,
    /// Move overhead: time for network latency, kept out of the engine's budget.
    pub move_overhead: Millis,
}

/// Declares the section's keys.
pub(super) fn declare(play: &mut Section<'_>, own: Own<'_>, known: Option<Known<'_>>) -> Play {
    play.renamed("fast", "no-delay");
    adapt::rename_coach(play);
    let books = || books(own, known);
    const OWN_BOOKS: &str = "the personality's own books";
    let who = play.key(
        "personality",
        personalities(known),
        "club".to_owned(),
        "Who plays: a file of the folder of personalities.",
    );
    let is_there = known.is_none_or(|known| known.personalities.contains(&who));
    if !is_there && play.span("personality").is_none() {
        play.error(
            "personality",
            format!("\"{who}\" plays where nobody is named, and there is no such personality"),
            "name one that is there",
        );
    }
    Play {
        personality: who,
        level: play.optional(
            "level",
            Level,
            "the personality's own strength",
            "A level instead of the personality's own strength.",
        ),
        books_white: play.optional("books-white", books(), OWN_BOOKS, "Books to play White from."),
        books_black: play.optional("books-black", books(), OWN_BOOKS, "Books to play Black from."),
        engine: play.optional(
            "engine",
            external_engine::named(own.engines),
            "the personality's own engine",
            "Who searches: an engine of [engine.NAME], or \"embedded\" for the one inside this program.",
        ),
        fast: play.key(
            "no-delay",
            Bool,
            false,
            "Without the pauses that a personality makes.",
        ),
        delay: None,
        tempo: None,
        adapt: play.key("adapt", Adapt::FORM, Adapt::Off, Adapt::DOC),
        move_overhead: play.key(
            "move-overhead",
            DurationType(Millis::ZERO..=Millis::from_secs(10)),
            Millis(300),
            "What a move loses on its way to the server; never spent on thinking.",
        ),
    }
}
