//! `[matchmaking]`: challenges that the bot sends when no game runs.

use super::{
    conditions::{MODES, Mode},
    value_types::{ControlForm, TimeControlLimit},
};
use sparring_chess::{Variant, units::Millis};
use sparring_config_schema::{Bool, Choice, DurationType, Int, List, Section};
use sparring_lichess::model::Speed;

/// The variants of challenges: all but From Position, which would need a position.
const VARIANTS: Choice<Variant> = Choice(&[("standard", Variant::Standard), ("chess960", Variant::Chess960)]);

/// When and whom to challenge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matchmaking {
    /// Whether to send challenges.
    pub enabled: bool,
    /// Idle time before a challenge.
    pub after: Millis,
    /// Interval between challenges.
    pub every: Millis,
    /// Clocks to draw from.
    pub clocks: Vec<TimeControlLimit>,
    /// Rated or casual.
    pub mode: Mode,
    /// Variants to draw from.
    pub variants: Vec<Variant>,
    /// Largest rating difference.
    pub max_difference: u32,
}

/// Declares the section's keys.
pub(super) fn declare(section: &mut Section<'_>) -> Matchmaking {
    let span = |from, to| DurationType(Millis::from_secs(from)..=Millis::from_secs(to));
    let clock = |initial, increment| TimeControlLimit {
        initial: Millis::from_secs(initial),
        increment: Millis::from_secs(increment),
    };
    let read = Matchmaking {
        enabled: section.key(
            "enabled",
            Bool,
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
            "Least time between two challenges; lichess allows 200 a day, of which the bot sends 150.",
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
            "What to play.",
        ),
        max_difference: section.key(
            "max-difference",
            Int(0..=4000_u32, "points"),
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
    if let Some(clock) = read.clocks.iter().find(|clock| !is_on_offer(**clock)) {
        section.error(
            "clocks",
            format!("lichess lets no bot challenge with the clock \"{clock}\""),
            "it takes whole minutes, ¼, ½, ¾ and 1.5, at most 60 s a move, and 30 s or more for 40 moves together",
        );
    }
    read
}

/// Whether lichess accepts a bot's challenge with this clock.
fn is_on_offer(clock: TimeControlLimit) -> bool {
    let whole_minutes = clock.initial.0.is_multiple_of(60_000);
    let is_limit = whole_minutes || matches!(clock.initial.0, 15_000 | 30_000 | 45_000 | 90_000);
    is_limit
        && clock.increment <= Millis::from_secs(60)
        && Speed::of_clock(clock.initial, clock.increment) >= Speed::Bullet
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    #[test]
    fn clocks_that_lichess_would_refuse_each_time_are_refused_here_once() {
        let offered = |text: &str| is_on_offer(TimeControlLimit::parse(text).unwrap());
        for good in ["3+2", "½+0", "0+1", "1.5+0", "¼+1", "180+60"] {
            assert!(offered(good), "{good}");
        }
        for bad in ["2.5+0", "¼+0", "0+0", "3+61"] {
            assert!(!offered(bad), "{bad}");
        }
        let (config, findings) = config::read("bot.toml", "[matchmaking]\nclocks = [\"3+2\", \"2.5+0\"]\n");
        assert_eq!(config, None);
        assert!(findings.to_string().contains("the clock \"2.5+0\""), "{findings}");
    }

    #[test]
    fn nobody_is_asked_for_a_game_from_no_position() {
        let text = "[matchmaking]\nvariants = [\"chess960\", \"fromPosition\"]\n";
        let (config, findings) = config::read("bot.toml", text);
        assert_eq!(config, None);
        assert!(
            findings
                .to_string()
                .contains("\"fromPosition\" is not known here"),
            "{findings}"
        );
    }
}
