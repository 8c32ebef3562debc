//! `[matchmaking]`: when nobody comes, whom the bot challenges itself.

use super::{
    form::{Control, ControlForm},
    when::{MODES, Mode, VARIANTS},
};
use crate::{
    chess::Variant,
    settings::{Flag, List, Section, Span, Whole},
    units::Millis,
};

/// Whom to challenge, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matchmaking {
    /// Whether to challenge anybody.
    pub enabled: bool,
    /// How long nobody must have played before.
    pub after: Millis,
    /// Between two challenges.
    pub every: Millis,
    /// Clocks to choose from.
    pub clocks: Vec<Control>,
    /// Whether ratings may change.
    pub mode: Mode,
    /// What to play.
    pub variants: Vec<Variant>,
    /// How far the other rating may be from mine.
    pub max_difference: u32,
}

/// Declares the section's keys.
pub(super) fn declare(section: &mut Section<'_>) -> Matchmaking {
    let span = |from, to| Span(Millis::from_secs(from)..=Millis::from_secs(to));
    let clock = |initial, increment| Control {
        initial: Millis::from_secs(initial),
        increment: Millis::from_secs(increment),
    };
    let read = Matchmaking {
        enabled: section.key(
            "enabled",
            Flag,
            false,
            "Challenges other bots when nobody plays. People are never challenged.",
        ),
        after: section.key(
            "after",
            span(10, 86_400),
            Millis::from_secs(120),
            "Challenges once no game has run for so long.",
        ),
        every: section.key(
            "every",
            span(60, 86_400),
            Millis::from_secs(600),
            "Least time between two challenges; lichess allows 200 a day.",
        ),
        clocks: section.key(
            "clocks",
            List(ControlForm),
            vec![clock(180, 2), clock(300, 3)],
            "Clocks to choose from: minutes and seconds a move adds.",
        ),
        mode: section.key("mode", MODES, Mode::Casual, "Whether ratings may change."),
        variants: section.key(
            "variants",
            List(VARIANTS),
            vec![Variant::Standard],
            "What to play. Games from positions are not asked for.",
        ),
        max_difference: section.key(
            "max-difference",
            Whole(0..=4000_u32, "points"),
            300,
            "How far the other's rating may be from the bot's own.",
        ),
    };
    for (key, is_empty) in [
        ("clocks", read.clocks.is_empty()),
        ("variants", read.variants.is_empty()),
    ] {
        if read.enabled && is_empty {
            section.warning(key, "the list is empty", "nobody will be challenged");
        }
    }
    read
}
