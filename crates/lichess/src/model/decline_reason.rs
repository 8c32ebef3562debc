//! Decline reasons of challenges, as in the lichess API.

use serde::{Deserialize, Serialize};

/// A decline reason of the lichess API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeclineReason {
    /// No reason.
    Generic,
    /// Not now.
    Later,
    /// The clock is too fast.
    TooFast,
    /// The clock is too slow.
    TooSlow,
    /// Not this clock.
    TimeControl,
    /// Only rated games: for a casual challenge.
    Rated,
    /// Only casual games: for a rated challenge.
    Casual,
    /// Only standard chess.
    Standard,
    /// Not this variant.
    Variant,
    /// No bots.
    NoBot,
    /// Only bots.
    OnlyBot,
}

impl DeclineReason {
    /// Every reason.
    pub const ALL: [Self; 11] = [
        Self::Generic,
        Self::Later,
        Self::TooFast,
        Self::TooSlow,
        Self::TimeControl,
        Self::Rated,
        Self::Casual,
        Self::Standard,
        Self::Variant,
        Self::NoBot,
        Self::OnlyBot,
    ];

    /// Every reason with its key, as tables of choices need them.
    pub const KEYS: [(&'static str, Self); Self::ALL.len()] = {
        let mut keys = [("", Self::Generic); Self::ALL.len()];
        let mut index = 0;
        while index < keys.len() {
            keys[index] = (Self::ALL[index].key(), Self::ALL[index]);
            index += 1;
        }
        keys
    };

    /// What it tells the challenger, for the table in docs/rules.md.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Generic => "No reason is given.",
            Self::Later => "Not now: ask again later.",
            Self::TooFast => "The clock is too fast: send a slower challenge.",
            Self::TooSlow => "The clock is too slow: send a faster challenge.",
            Self::TimeControl => "Not with this clock.",
            Self::Rated => "Only rated games. This declines a casual challenge.",
            Self::Casual => "Only casual games. This declines a rated challenge.",
            Self::Standard => "Only standard chess.",
            Self::Variant => "Not this variant.",
            Self::NoBot => "No games against bots.",
            Self::OnlyBot => "Only games against bots.",
        }
    }

    /// The key of the decline form, as in `tooFast`. Declined challenges carry it in lower case.
    #[must_use]
    pub const fn key(self) -> &'static str {
        self.wording().0
    }

    /// The text that lichess shows the challenger.
    #[must_use]
    pub const fn text(self) -> &'static str {
        self.wording().1
    }

    /// The reason for a key, case-insensitive; an unknown key counts as generic.
    #[must_use]
    pub fn from_key(key: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|reason| reason.key().eq_ignore_ascii_case(key))
            .unwrap_or(Self::Generic)
    }

    const fn wording(self) -> (&'static str, &'static str) {
        match self {
            Self::Generic => ("generic", "I'm not accepting challenges at the moment."),
            Self::Later => (
                "later",
                "This is not the right time for me, please ask again later.",
            ),
            Self::TooFast => (
                "tooFast",
                "This time control is too fast for me, please challenge again with a slower game.",
            ),
            Self::TooSlow => (
                "tooSlow",
                "This time control is too slow for me, please challenge again with a faster game.",
            ),
            Self::TimeControl => (
                "timeControl",
                "I'm not accepting challenges with this time control.",
            ),
            Self::Rated => ("rated", "Please send me a rated challenge instead."),
            Self::Casual => ("casual", "Please send me a casual challenge instead."),
            Self::Standard => ("standard", "I'm not accepting variant challenges right now."),
            Self::Variant => ("variant", "I'm not willing to play this variant right now."),
            Self::NoBot => ("noBot", "I'm not accepting challenges from bots."),
            Self::OnlyBot => ("onlyBot", "I'm only accepting challenges from bots."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decline_keys_are_read_in_any_case() {
        for reason in DeclineReason::ALL {
            assert_eq!(DeclineReason::from_key(&reason.key().to_lowercase()), reason);
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.key());
        }
        assert_eq!(DeclineReason::from_key("because"), DeclineReason::Generic);
    }
}
