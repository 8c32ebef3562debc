//! The network that a personality names.

use std::{fmt, path::Path, sync::Arc};

use sparring_policy_net::{OpenError, PolicyNetwork};

use crate::human_model::Model;

/// A network's file, beside that of the personality.
#[derive(Clone)]
pub struct NetworkFile {
    name: String,
    model: Option<Arc<Model>>,
}

impl NetworkFile {
    /// A file of this name, not opened yet.
    #[must_use]
    pub fn new(name: String) -> Self {
        Self { name, model: None }
    }

    /// Its name, as the personality has it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The network; `None` until it is [opened](Self::open).
    #[must_use]
    pub fn model(&self) -> Option<&Arc<Model>> {
        self.model.as_ref()
    }

    /// Reads the file.
    ///
    /// # Errors
    /// [`OpenError`] if it is not in the folder or holds no network.
    pub fn open(&mut self, folder: &Path) -> Result<(), OpenError> {
        let network = PolicyNetwork::open(&folder.join(&self.name))?;
        self.model = Some(Arc::new(Model::of_network(network)));
        Ok(())
    }
}

impl fmt::Debug for NetworkFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NetworkFile({})", self.name)
    }
}

/// Equal if they are the same file's same version.
impl PartialEq for NetworkFile {
    fn eq(&self, other: &Self) -> bool {
        let version = |file: &Self| file.model.as_ref().map(Arc::as_ptr);
        self.name == other.name && version(self) == version(other)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{
        Personality,
        human_model::Context,
        read_beside,
        strength::{Strength, choose_move, request},
    };
    use sparring_chess::{
        GameHistory, Variant,
        units::{Elo, Stopwatch},
    };
    use sparring_diagnostics::Diagnostics;
    use sparring_engine::{Engine, SearchControl, Stop};

    const NETWORK: &[u8] = include_bytes!("human_model/human.net");

    fn read(text: &str, network: &[u8]) -> (Option<Personality>, Diagnostics) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("other.net"), network).unwrap();
        read_beside(&folder.path().join("tim.toml"), text, None)
    }

    #[test]
    fn a_personality_plays_the_likeliest_moves_of_the_network_that_it_names() {
        let (profile, findings) = read("level = 1300\nnetwork = \"other.net\"\n", NETWORK);
        let profile = profile.unwrap_or_else(|| panic!("{findings}"));
        assert_eq!(Strength::of(&profile, None), Strength::Network);
        let control = SearchControl {
            stop: &Stop::new(),
            clock: &Stopwatch::start(),
        };
        let line = GameHistory::replay(Variant::Standard, "startpos", "e2e4 e7e5 d1h5").unwrap();
        let likeliest = Model::shipped().prior(&line, &Context::rated(Elo(1300)))[0].mv;
        for seed in 0..3 {
            let request = request(&profile, None, line.clone(), None, seed);
            let result = choose_move(&mut Engine::new(1), &request, &control, &mut |_| {});
            assert_eq!(result.report.best(), Some(likeliest));
        }
    }

    #[test]
    fn a_level_that_is_asked_for_is_played_without_the_network() {
        let profile = read("network = \"other.net\"\n", NETWORK).0.unwrap();
        let asked = |level: Option<u32>| {
            let line = GameHistory::new(Variant::Standard);
            request(&profile, level.map(Elo), line, None, 1).model.is_some()
        };
        assert_eq!([asked(None), asked(Some(1200))], [true, false]);
    }

    #[test]
    fn a_network_that_cannot_be_used_is_named_with_what_is_wrong() {
        let said = |text: &str, network: &[u8]| {
            let (profile, findings) = read(text, network);
            assert!(profile.is_none());
            findings.to_string()
        };
        let cut = said("network = \"other.net\"\n", &NETWORK[..9000]);
        assert!(
            cut.contains("tim.toml:1:") && cut.contains("ends at byte"),
            "{cut}"
        );
        let other = said("network = \"other.net\"\n", b"PNG");
        assert!(other.contains("expected a whole gzip file"), "{other}");
        let missing = said("network = \"gone.net\"\n", NETWORK);
        assert!(
            missing.contains("gone.net") && missing.contains("No such file"),
            "{missing}"
        );
        let followed = said("level = \"opponent\"\nnetwork = \"other.net\"\n", NETWORK);
        assert!(followed.contains("does not follow the opponent"), "{followed}");
    }
}
