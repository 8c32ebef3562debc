//! All loaded personalities by name.

use std::collections::BTreeMap;

use super::Personality;
use sparring_chess::units::Elo;
use sparring_diagnostics::nearest;

/// Level of the default personality, which plays when the requested one never existed.
const FALLBACK_LEVEL: Elo = Elo(1400);

/// Loaded personalities, and retired ones whose files were removed.
#[derive(Debug, Clone, PartialEq)]
pub struct Personalities {
    profiles: BTreeMap<String, Personality>,
    retired: BTreeMap<String, Personality>,
    default: Personality,
}

impl Personalities {
    /// Collects personalities; of two with the same name the later counts.
    #[must_use]
    pub fn new(profiles: Vec<Personality>) -> Self {
        Self {
            profiles: by_name(profiles),
            retired: BTreeMap::new(),
            default: Personality {
                level: Some(FALLBACK_LEVEL),
                ..Personality::new("stand-in")
            },
        }
    }

    /// Adds personalities whose files were removed. They cannot be requested, but settings that name them still work.
    #[must_use]
    pub fn with_retired(mut self, retired: Vec<Personality>) -> Self {
        self.retired = by_name(retired);
        self
    }

    /// The personality of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Personality> {
        self.profiles.get(name)
    }

    /// The personality of that name; if its file was removed, the last loaded version; if it never existed, a default of
    /// medium level.
    #[must_use]
    pub fn get_or_default(&self, name: &str) -> &Personality {
        self.get(name)
            .or_else(|| self.retired.get(name))
            .unwrap_or(&self.default)
    }

    /// Whether there is a personality of that name, loaded or retired.
    #[must_use]
    pub fn contains_or_retired(&self, name: &str) -> bool {
        self.profiles.contains_key(name) || self.retired.contains_key(name)
    }

    /// All personalities, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Personality> {
        self.profiles.values()
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.profiles.keys().map(String::as_str)
    }

    /// The nearest name to a misspelled one.
    #[must_use]
    pub fn suggest(&self, name: &str) -> Option<&str> {
        nearest(name, self.names())
    }
}

fn by_name(profiles: Vec<Personality>) -> BTreeMap<String, Personality> {
    let named = profiles
        .into_iter()
        .map(|profile| (profile.name.clone(), profile));
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_personality_is_found_by_name_or_nearly_so() {
        let personalities = Personalities::new(vec![Personality::new("club"), Personality::new("attacker")]);
        assert_eq!(personalities.names().collect::<Vec<_>>(), ["attacker", "club"]);
        assert_eq!(personalities.get("club").unwrap().name, "club");
        assert_eq!(personalities.suggest("atacker"), Some("attacker"));
        assert_eq!(personalities.suggest("zzz"), None);
    }

    #[test]
    fn nobody_unknown_ever_plays_at_full_strength() {
        let mut retired = Personality::new("retired");
        retired.level = Some(Elo(900));
        let personalities = Personalities::new(vec![Personality::new("club")]).with_retired(vec![retired]);
        assert_eq!(personalities.get_or_default("club").name, "club");
        assert_eq!(
            personalities.get_or_default("retired").level,
            Some(Elo(900)),
            "as it was"
        );
        assert_eq!(personalities.get("retired"), None, "but it cannot be requested");
        assert!(
            personalities.contains_or_retired("retired") && !personalities.contains_or_retired("atacker")
        );
        assert_eq!(
            personalities.get_or_default("atacker").level,
            Some(FALLBACK_LEVEL)
        );
    }
}
