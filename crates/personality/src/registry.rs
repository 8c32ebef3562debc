//! All loaded personalities by name.

use std::collections::BTreeMap;

use super::Personality;
use sparring_chess::units::Elo;
use sparring_diagnostics::nearest;

/// Who sits down when nobody of the wanted name was ever there plays at this level: never at full strength, which
/// nobody has asked for.
const STAND_IN: Elo = Elo(1400);

/// The personalities there are, and those whose files have gone since.
#[derive(Debug, Clone, PartialEq)]
pub struct Personalities {
    profiles: BTreeMap<String, Personality>,
    retired: BTreeMap<String, Personality>,
    stand_in: Personality,
}

impl Personalities {
    /// Gathers personalities; of two with the same name the later counts.
    #[must_use]
    pub fn new(profiles: Vec<Personality>) -> Self {
        Self {
            profiles: by_name(profiles),
            retired: BTreeMap::new(),
            stand_in: Personality {
                level: Some(STAND_IN),
                ..Personality::new("stand-in")
            },
        }
    }

    /// The same with personalities whose files have gone: nobody can ask for them, but whom the settings still name is
    /// played as it was.
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
            .unwrap_or(&self.stand_in)
    }

    /// Whether there is a personality of that name, or was until its file went.
    #[must_use]
    pub fn remembers(&self, name: &str) -> bool {
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

    /// The name that somebody probably meant.
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
        let cast = Personalities::new(vec![Personality::new("club"), Personality::new("attacker")]);
        assert_eq!(cast.names().collect::<Vec<_>>(), ["attacker", "club"]);
        assert_eq!(cast.get("club").unwrap().name, "club");
        assert_eq!(cast.suggest("atacker"), Some("attacker"));
        assert_eq!(cast.suggest("zzz"), None);
    }

    #[test]
    fn nobody_unknown_ever_plays_at_full_strength() {
        let mut gone = Personality::new("gone");
        gone.level = Some(Elo(900));
        let cast = Personalities::new(vec![Personality::new("club")]).with_retired(vec![gone]);
        assert_eq!(cast.get_or_default("club").name, "club");
        assert_eq!(cast.get_or_default("gone").level, Some(Elo(900)), "as it was");
        assert_eq!(cast.get("gone"), None, "but nobody can ask for it");
        assert!(cast.remembers("gone") && !cast.remembers("atacker"));
        assert_eq!(cast.get_or_default("atacker").level, Some(STAND_IN));
    }
}
