//! Limit of open files.

use super::system;

/// Fewer descriptors than these may not suffice for a bot's games and its dashboard.
pub const MANY: u64 = 1024;
/// No server takes the last descriptors: they are for games, books and the archive.
const RESERVE: u64 = 256;

/// How many files may be open at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenFiles(u64);

/// The limit in force.
#[must_use]
pub fn open_files() -> OpenFiles {
    OpenFiles(system::open_files().unwrap_or(u64::MAX))
}

/// Raises the soft limit to the hard limit and returns it. Systems start programs with a
/// low one for the sake of old calls that are not used here.
pub fn raise_open_files() -> OpenFiles {
    if let Err(why) = system::raise_open_files() {
        tracing::debug!("the limit of open files cannot be raised: {why}");
    }
    open_files()
}

impl OpenFiles {
    /// Advice if the limit is too low.
    #[must_use]
    pub fn remedy(self) -> Option<String> {
        (self.0 < MANY).then(|| {
            format!(
                "raise it to {MANY} or more, by LimitNOFILE= in the unit or by ulimit -Hn; until then the last {} are \
                 for games alone, and connections to the pages share the others with all else",
                self.reserve()
            )
        })
    }

    /// Logs the advice.
    pub fn warn_if_few(self) {
        if let Some(remedy) = self.remedy() {
            tracing::warn!("{self}: {remedy}");
        }
    }

    /// Whether a server may keep a connection of this descriptor. The system gives the lowest that is free, so its number
    /// tells how many are in use.
    pub(super) fn has_room_for(self, descriptor: u64) -> bool {
        descriptor < self.0.saturating_sub(self.reserve())
    }

    /// So many are kept for games.
    pub(super) fn reserve(self) -> u64 {
        RESERVE.min(self.0 / 2)
    }
}

impl std::fmt::Display for OpenFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            u64::MAX => write!(f, "as many files as there are may be open at once"),
            most => write!(f, "at most {most} files may be open at once"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_descriptors_are_kept_for_the_games() {
        assert!(OpenFiles(1024).has_room_for(767) && !OpenFiles(1024).has_room_for(768));
        assert!(OpenFiles(64).has_room_for(31) && !OpenFiles(64).has_room_for(32));
        assert!(OpenFiles(u64::MAX).has_room_for(1 << 20));
    }

    #[test]
    fn a_low_limit_warned_about_files_with_its_remedy() {
        let remedy = OpenFiles(64).remedy().unwrap();
        assert!(
            remedy.contains("LimitNOFILE=") && remedy.contains("the last 32 are"),
            "{remedy}"
        );
        assert!(OpenFiles(MANY - 1).remedy().is_some());
        assert_eq!(OpenFiles(MANY).remedy(), None);
        assert_eq!(OpenFiles(64).to_string(), "at most 64 files may be open at once");
    }
}
