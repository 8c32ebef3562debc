//! When BotLi uses an engine or a book, by its key, as conditions of a rule.

use super::{challenges::SPEEDS, draft::toml};
use crate::config::TimeControlLimit;
use sparring_chess::Variant;

/// Why there is no rule for a tournament's games.
pub(super) const NO_TOURNAMENT_RULE: &str = "rules do not tell games of tournaments from others";

/// When an engine or a book is used, by its key: `bullet`, `3+2`, `standard_white_rated`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Situation {
    /// The variant; standard where the key names none.
    pub(super) variant: Variant,
    /// The closest to a game comes first.
    pub(super) order: usize,
    /// Conditions of a rule, as TOML.
    pub(super) conditions: String,
    /// For one color alone.
    pub(super) color: Option<&'static str>,
}

impl Situation {
    /// None for what rules cannot tell: tournaments.
    pub(super) fn of(key: &str) -> Option<Self> {
        let mut parts = key.split('_');
        let base = parts.next()?;
        let variant = base.parse().ok().filter(|variant| *variant != Variant::Standard);
        let (rank, mut conditions) = if variant.is_some() {
            (0, format!("variants = {}\n", toml(vec![base])))
        } else if let Some(clock) = TimeControlLimit::parse(base) {
            (1, format!("clocks = {}\n", toml(vec![clock.to_string()])))
        } else if SPEEDS.contains(&base) {
            (2, format!("speeds = {}\n", toml(vec![base])))
        } else if base == "standard" {
            (3, String::new())
        } else {
            return None;
        };
        let (mut color, mut count) = (None, 0);
        for part in parts {
            count += 1;
            match part {
                "white" => color = Some("white"),
                "black" => color = Some("black"),
                "human" => conditions += "from = \"humans\"\n",
                "bot" => conditions += "from = \"bots\"\n",
                "rated" | "casual" => conditions += &format!("mode = \"{part}\"\n"),
                _ => return None,
            }
        }
        Some(Self {
            variant: variant.unwrap_or_default(),
            order: rank * 10 + 9_usize.saturating_sub(count),
            conditions,
            color,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_a_book_says_when_it_is_used() {
        let of = |key| Situation::of(key).map(|it| (it.order, it.conditions, it.color));
        assert_eq!(of("standard"), Some((39, String::new(), None)));
        assert_eq!(of("standard_black"), Some((38, String::new(), Some("black"))));
        assert_eq!(
            of("bullet_white_rated"),
            Some((
                27,
                "speeds = [\"bullet\"]\nmode = \"rated\"\n".into(),
                Some("white")
            ))
        );
        assert_eq!(
            of("3+2_bot"),
            Some((18, "clocks = [\"3+2\"]\nfrom = \"bots\"\n".into(), None))
        );
        assert_eq!(
            of("chess960_rated"),
            Some((8, "variants = [\"chess960\"]\nmode = \"rated\"\n".into(), None))
        );
        assert_eq!(of("atomic"), Some((9, "variants = [\"atomic\"]\n".into(), None)));
        assert_eq!(of("bughouse"), None);
        assert_eq!(of("blitz_tournament"), None);
    }
}
