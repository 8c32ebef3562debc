//! `[matchmaking]`: challenges that the bot sends when no game runs.

use super::{
    conditions::{MODES, Mode},
    proposed_game::{ProposedGame, ProposedGameForm, VARIANTS},
    value_types::{ControlForm, TimeControlLimit},
};
use sparring_chess::{Variant, units::Millis};
use sparring_config_schema::{Bool, DurationType, Int, List, Section};
use sparring_lichess::model::Speed;

/// When and whom to challenge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matchmaking {
    /// Whether to send challenges.
    pub enabled: bool,
    /// Idle time before a challenge.
    pub after: Millis,
    /// Interval between challenges.
    pub every: Millis,
    /// Games to draw from by weight; empty where clock and variant are drawn each for itself.
    pub games: Vec<ProposedGame>,
    /// Clocks to draw from.
    pub clocks: Vec<TimeControlLimit>,
    /// Rated or casual, where a game does not say.
    pub mode: Mode,
    /// Variants to draw from.
    pub variants: Vec<Variant>,
    /// Largest rating difference.
    pub max_difference: u32,
    /// Whether to offer rematches.
    pub rematches: bool,
}

/// 3+2 and 5+3.
const USUAL_CLOCKS: [TimeControlLimit; 2] = [
    TimeControlLimit {
        initial: Millis::from_secs(180),
        increment: Millis::from_secs(2),
    },
    TimeControlLimit {
        initial: Millis::from_secs(300),
        increment: Millis::from_secs(3),
    },
];

/// Declares the section's keys.
pub(super) fn declare(section: &mut Section<'_>) -> Matchmaking {
    let read = keys(section);
    warn_of_idle_lists(&read, section);
    refuse_clocks(&read, section);
    read
}

fn keys(section: &mut Section<'_>) -> Matchmaking {
    let span = |from, to| DurationType(Millis::from_secs(from)..=Millis::from_secs(to));
    Matchmaking {
        enabled: section.key(
            "enabled",
            Bool,
            false,
            "Challenges other bots when nobody plays. People get rematch offers only.",
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
        games: section
            .optional(
                "games",
                List(ProposedGameForm),
                "each of clocks with each of variants",
                "Games to choose from: a clock, and where it matters a variant, \"rated\" or \"casual\", and how often it comes up beside the others.",
            )
            .unwrap_or_default(),
        clocks: section.key(
            "clocks",
            List(ControlForm),
            USUAL_CLOCKS.to_vec(),
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
        rematches: section.key(
            "rematches",
            Bool,
            false,
            "After a game that was played out, offers the opponent, person or bot, another one with colours swapped. Who refuses is not \
             asked for an hour, and longer each time; who accepts, not for half an hour.",
        ),
    }
}

/// Warns of lists that say nothing, and of those that `games` stands for.
fn warn_of_idle_lists(read: &Matchmaking, section: &mut Section<'_>) {
    let has_games = section.span("games").is_some();
    for (key, is_empty) in [
        ("games", has_games && read.games.is_empty()),
        ("clocks", !has_games && read.clocks.is_empty()),
        ("variants", !has_games && read.variants.is_empty()),
    ] {
        if read.enabled && is_empty {
            section.warning(key, "the list is empty", "nobody will be challenged");
        }
    }
    for (key, is_changed) in [
        ("clocks", read.clocks != USUAL_CLOCKS),
        ("variants", read.variants != [Variant::Standard]),
    ] {
        if has_games && is_changed {
            section.warning(
                key,
                "games says what to play, so this does nothing",
                "delete it, or write its games into games",
            );
        }
    }
}

/// Refuses clocks that lichess would refuse each time.
fn refuse_clocks(read: &Matchmaking, section: &mut Section<'_>) {
    for (key, mut clocks) in [
        (
            "games",
            read.games.iter().map(|game| game.clock).collect::<Vec<_>>(),
        ),
        ("clocks", read.clocks.clone()),
    ] {
        clocks.retain(|clock| !is_on_offer(*clock));
        if let Some(clock) = clocks.first() {
            section.error(
                key,
                format!("lichess lets no bot challenge with the clock \"{clock}\""),
                "it takes whole minutes, ¼, ½, ¾ and 1.5, at most 60 s a move, and 30 s or more for 40 moves together",
            );
        }
    }
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

    #[test]
    fn pairs_of_clock_and_variant_stand_for_the_lists_of_each() {
        let read = |text: &str| config::read("bot.toml", &format!("[matchmaking]\n{text}\n"));
        let (config, findings) = read("games = [\"3+2 3\", \"5+3 chess960 rated\"]");
        assert_eq!(findings.to_string(), "");
        let games = config.unwrap().matchmaking.games;
        let rows: Vec<_> = games.iter().map(ToString::to_string).collect();
        assert_eq!(rows, ["3+2 3", "5+3 chess960 rated"]);
        let (config, findings) = read("games = [\"3+2\"]\nclocks = [\"5+3\"]");
        assert!(config.is_some());
        assert_eq!(
            findings.to_string(),
            "bot.toml:3:10: warning: matchmaking.clocks: games says what to play, so this does nothing; delete it, or write its \
             games into games"
        );
        let (config, findings) = read("games = [\"2.5+0\"]");
        assert!(
            config.is_none()
                && findings
                    .to_string()
                    .contains("matchmaking.games: lichess lets no bot"),
            "{findings}"
        );
        let (_, findings) = read("enabled = true\ngames = []");
        assert!(
            findings.to_string().contains("nobody will be challenged"),
            "{findings}"
        );
    }
}
