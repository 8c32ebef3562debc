//! All personalities of a program by name.

use std::collections::BTreeMap;

use super::Profile;
use crate::settings::nearest;

/// The personalities there are. Never empty of sense: the one without a file plays at full strength.
#[derive(Debug, Clone, PartialEq)]
pub struct Cast {
    profiles: BTreeMap<String, Profile>,
    plain: Profile,
}

impl Cast {
    /// Gathers personalities; of two with the same name the later counts.
    #[must_use]
    pub fn new(profiles: Vec<Profile>) -> Self {
        Self {
            profiles: profiles
                .into_iter()
                .map(|profile| (profile.name.clone(), profile))
                .collect(),
            plain: Profile::new("plain"),
        }
    }

    /// The personality of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Profile> {
        self.profiles.get(name)
    }

    /// The personality of that name, or, where its file has gone, the plain engine at full strength.
    #[must_use]
    pub fn get_or_plain(&self, name: &str) -> &Profile {
        self.get(name).unwrap_or(&self.plain)
    }

    /// All personalities, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Profile> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_personality_is_found_by_name_or_nearly_so() {
        let cast = Cast::new(vec![Profile::new("club"), Profile::new("attacker")]);
        assert_eq!(cast.names().collect::<Vec<_>>(), ["attacker", "club"]);
        assert_eq!(cast.get("club").unwrap().name, "club");
        assert_eq!(cast.suggest("atacker"), Some("attacker"));
        assert_eq!(cast.suggest("zzz"), None);
        assert_eq!(cast.get_or_plain("gone").name, "plain");
    }
}
