//! Validates `bot.toml` for the daemon at start and reload: every name in it must exist.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use tracing::warn;

use crate::cli::{
    exit::{Exit, Failure},
    logging,
    render_diagnostics::{self, Style},
};
use crate::{
    config::{Config, Known, LoadError, Loaded, Paths, load, load_among},
    reload::{Assets, list},
};
use sparring_diagnostics::Diagnostics;
use sparring_files as files;
use sparring_personality as personality;

/// Reads the settings without checking names. Logs no warnings: [`read_with`] does.
///
/// # Errors
/// [`Exit::BadConfiguration`], with all findings rendered.
pub(super) fn read(path: &Path) -> anyhow::Result<Config> {
    let loaded = load(path).map_err(|error| refused(error, &[]))?;
    Ok(loaded.0)
}

/// Valid settings and their text, without a token. It may hold passwords in URLs, so it must not be shown.
#[derive(Debug)]
pub(super) struct Accepted {
    pub(super) config: Config,
    pub(super) text: Arc<str>,
}

/// Reads the settings, and checks their books and personalities against `stock` and its folders. `broken` are findings of files there,
/// shown beside refused settings, since a personality with errors counts as missing. Logs warnings.
///
/// # Errors
/// [`Exit::BadConfiguration`], with all findings rendered.
pub(super) fn read_with(
    path: &Path,
    folders: &Paths,
    stock: &Assets,
    broken: &[Diagnostics],
) -> anyhow::Result<Accepted> {
    let books: Vec<String> = stock.library.borrow().names().map(str::to_owned).collect();
    let mut personalities: Vec<String> = stock.personalities.borrow().names().map(str::to_owned).collect();
    // A file saved just now is not in the stock yet.
    personalities.extend(saved(folders, &books));
    let known = Known {
        books: &books,
        personalities: &personalities,
    };
    let loaded = load_among(path, known).map_err(|error| refused(error, broken))?;
    let Loaded {
        config,
        findings,
        text,
    } = loaded;
    if !findings.list.is_empty() {
        warn!("{findings}");
    }
    Ok(Accepted { config, text })
}

/// The names of usable personality files.
fn saved(folders: &Paths, books: &[String]) -> Vec<String> {
    let files = list(&folders.personalities, "toml").unwrap_or_default();
    let read = |path: &PathBuf| {
        let text = files::read_text(path, files::TEXT).ok()?;
        let (profile, _) = personality::read_beside(path, &text, Some(books));
        profile.map(|profile| profile.name)
    };
    files.iter().filter_map(read).collect()
}

fn refused(error: LoadError, broken: &[Diagnostics]) -> anyhow::Error {
    Failure::error(Exit::BadConfiguration, explained(error, broken))
}

fn explained(error: LoadError, broken: &[Diagnostics]) -> String {
    match error {
        LoadError::Unreadable { path, source } => {
            format!(
                "cannot read {}: {source}; name another file with --config",
                path.display()
            )
        }
        LoadError::Refused(findings) => {
            let style = if logging::wants_color_on(&io::stderr()) {
                Style::Color
            } else {
                Style::Plain
            };
            let name = Arc::clone(&findings.name);
            let broken = broken.iter().filter(|text| !text.is_usable());
            let all: Vec<Diagnostics> = std::iter::once(findings).chain(broken.cloned()).collect();
            format!(
                "{name} cannot be used:\n{}",
                render_diagnostics::draw(&all, style).trim_end()
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::reload::open;

    fn refusal(settings: &str, personality: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bot.toml");
        fs::create_dir(folder.path().join("personalities")).unwrap();
        fs::write(folder.path().join("personalities/patient.toml"), personality).unwrap();
        fs::write(&path, settings).unwrap();
        let folders = read(&path).unwrap().paths;
        let (stock, _, broken) = open(&folders);
        match read_with(&path, &folders, &stock, &broken) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn whoever_is_named_must_be_there_wherever_they_are_named() {
        assert_eq!(refusal("[play]\npersonality = \"patient\"\n", ""), "");
        for settings in [
            "[play]\npersonality = \"pateint\"\n",
            "[play]\npersonality = \"patient\"\n[[rule]]\npersonality = \"pateint\"\n",
        ] {
            let said = refusal(settings, "");
            assert!(said.contains("did you mean \"patient\"?"), "{said}");
        }
        let said = refusal("[games]\nmax = 1\n", "");
        assert!(said.contains("\"club\" plays where nobody is named"), "{said}");
        let said = refusal(
            "[play]\npersonality = \"patient\"\nbooks-white = [\"gone\"]\n",
            "",
        );
        assert!(said.contains("gone"), "{said}");
    }

    #[test]
    fn a_personality_with_mistakes_is_shown_with_them() {
        let said = refusal("[play]\npersonality = \"patient\"\n", "noise = \"loud\"\n");
        assert!(
            said.contains("there is no personality") && said.contains("noise = \"loud\""),
            "{said}"
        );
    }

    #[test]
    fn a_personality_that_nobody_names_costs_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bot.toml");
        fs::create_dir(folder.path().join("personalities")).unwrap();
        fs::write(folder.path().join("personalities/patient.toml"), "").unwrap();
        fs::write(
            folder.path().join("personalities/other.toml"),
            "noise = \"loud\"\n",
        )
        .unwrap();
        fs::write(&path, "[play]\npersonality = \"patient\"\n").unwrap();
        let folders = read(&path).unwrap().paths;
        let (stock, _, broken) = open(&folders);
        assert_eq!(broken.len(), 1);
        read_with(&path, &folders, &stock, &broken).unwrap();
    }
}
