//! `[challenge]`: which challenges the bot accepts.

use crate::{
    chess::Variant,
    lichess::model::Speed,
    settings::{Choice, Flag, List, Section, Span, Whole},
    units::{Elo, Millis},
};

/// Who may challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// People.
    Human,
    /// Accounts with the title BOT.
    Bot,
}

/// Whether ratings change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// They do.
    Rated,
    /// They do not.
    Casual,
}

/// What a challenge must be like to be accepted. An empty list accepts nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accept {
    /// Who may challenge.
    pub from: Vec<Kind>,
    /// Rated, casual or both.
    pub modes: Vec<Mode>,
    /// What is played.
    pub variants: Vec<Variant>,
    /// Classes of clocks.
    pub speeds: Vec<Speed>,
    /// Least and most time on the clock at the start.
    pub initial: (Millis, Millis),
    /// Least and most time added by a move.
    pub increment: (Millis, Millis),
    /// Least and most days for a move of correspondence.
    pub days: (u32, u32),
    /// Whether games without any clock are played.
    pub unlimited: bool,
    /// The challenger's least rating in the speed that counts; none for any.
    pub min_rating: Option<Elo>,
    /// The challenger's highest rating; none for any.
    pub max_rating: Option<Elo>,
}

impl Accept {
    /// How many moves a minute a game of the fastest accepted speed may ask of us.
    #[must_use]
    pub(super) fn moves_a_minute(&self) -> usize {
        let of = |speed: &Speed| match speed {
            Speed::UltraBullet | Speed::Bullet => 20,
            Speed::Blitz => 8,
            Speed::Rapid => 3,
            Speed::Classical | Speed::Correspondence => 1,
        };
        self.speeds.iter().map(of).max().unwrap_or(0)
    }
}

const KINDS: Choice<Kind> = Choice(&[("humans", Kind::Human), ("bots", Kind::Bot)]);

const MODES: Choice<Mode> = Choice(&[("rated", Mode::Rated), ("casual", Mode::Casual)]);

/// The variants that the engine knows how to evaluate.
const VARIANTS: Choice<Variant> = Choice(&[
    ("standard", Variant::Standard),
    ("chess960", Variant::Chess960),
    ("fromPosition", Variant::FromPosition),
]);

/// lichess lets no bot play ultraBullet.
const SPEEDS: Choice<Speed> = Choice(&[
    ("bullet", Speed::Bullet),
    ("blitz", Speed::Blitz),
    ("rapid", Speed::Rapid),
    ("classical", Speed::Classical),
    ("correspondence", Speed::Correspondence),
]);

/// Declares the section's keys.
pub(super) fn declare(challenge: &mut Section<'_>) -> Accept {
    let accept = Accept {
        from: challenge.key(
            "from",
            List(KINDS),
            vec![Kind::Human, Kind::Bot],
            "Who may challenge.",
        ),
        modes: challenge.key(
            "modes",
            List(MODES),
            vec![Mode::Rated, Mode::Casual],
            "Whether ratings may change.",
        ),
        variants: challenge.key(
            "variants",
            List(VARIANTS),
            vec![Variant::Standard, Variant::Chess960, Variant::FromPosition],
            "What may be played, as lichess spells it.",
        ),
        speeds: challenge.key(
            "speeds",
            List(SPEEDS),
            vec![Speed::Bullet, Speed::Blitz, Speed::Rapid, Speed::Classical],
            "Classes of clocks, as lichess has them.",
        ),
        ..clocks(challenge)
    };
    for (least, most, is_crossed) in [
        ("min-initial", "max-initial", accept.initial.0 > accept.initial.1),
        (
            "min-increment",
            "max-increment",
            accept.increment.0 > accept.increment.1,
        ),
        ("min-days", "max-days", accept.days.0 > accept.days.1),
        (
            "min-rating",
            "max-rating",
            accept
                .min_rating
                .zip(accept.max_rating)
                .is_some_and(|(least, most)| least > most),
        ),
    ] {
        if is_crossed {
            let blamed = if challenge.span(least).is_some() {
                least
            } else {
                most
            };
            challenge.error(
                blamed,
                format!("{least} is more than {most}, so no challenge would do"),
                "swap them",
            );
        }
    }
    for (key, is_empty) in [
        ("from", accept.from.is_empty()),
        ("modes", accept.modes.is_empty()),
        ("variants", accept.variants.is_empty()),
        ("speeds", accept.speeds.is_empty() && !accept.unlimited),
    ] {
        if is_empty {
            challenge.warning(key, "the list is empty", "every challenge will be declined");
        }
    }
    accept
}

/// The keys about clocks and ratings; the lists are left empty.
fn clocks(challenge: &mut Section<'_>) -> Accept {
    let initial = || Span(Millis::ZERO..=Millis::from_secs(10_800));
    let increment = || Span(Millis::ZERO..=Millis::from_secs(180));
    let days = || Whole(1..=14_u32, "days a move");
    let rating = || Whole(0..=4000_u32, "rating");
    const ANY: &str = "any rating will do";
    Accept {
        from: Vec::new(),
        modes: Vec::new(),
        variants: Vec::new(),
        speeds: Vec::new(),
        initial: (
            challenge.key(
                "min-initial",
                initial(),
                Millis::ZERO,
                "Least time on the clock at the start.",
            ),
            challenge.key(
                "max-initial",
                initial(),
                Millis::from_secs(10_800),
                "Most time on the clock at the start.",
            ),
        ),
        increment: (
            challenge.key(
                "min-increment",
                increment(),
                Millis::ZERO,
                "Least time a move adds.",
            ),
            challenge.key(
                "max-increment",
                increment(),
                Millis::from_secs(180),
                "Most time a move adds.",
            ),
        ),
        days: (
            challenge.key("min-days", days(), 1, "Least days for a move of correspondence."),
            challenge.key("max-days", days(), 14, "Most days for a move of correspondence."),
        ),
        unlimited: challenge.key("unlimited", Flag, false, "Plays games without any clock."),
        min_rating: challenge
            .optional(
                "min-rating",
                rating(),
                ANY,
                "The challenger's least rating in that speed.",
            )
            .map(Elo),
        max_rating: challenge
            .optional(
                "max-rating",
                rating(),
                ANY,
                "The challenger's highest rating in that speed.",
            )
            .map(Elo),
    }
}
