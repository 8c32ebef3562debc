//! Shell completions and man pages, generated from the clap command.

use std::{fs, path::Path};

use anyhow::Context as _;

/// A shell completion script.
#[must_use]
pub fn completions(command: &mut clap::Command, shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, command, "sparring", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Writes the man pages of the program and of all its subcommands into a folder.
///
/// # Errors
/// When the folder cannot be written.
pub fn pages(command: clap::Command, folder: &Path) -> anyhow::Result<()> {
    let written = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written.with_context(|| format!("cannot write man pages to {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_is_completed() {
        let command = Cli::command();
        let shown: Vec<&str> = command
            .get_subcommands()
            .filter(|part| !part.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        assert!(shown.len() > 8, "{shown:?}");
        for shell in [
            clap_complete::Shell::Bash,
            clap_complete::Shell::Zsh,
            clap_complete::Shell::Fish,
        ] {
            let script = completions(&mut Cli::command(), shell);
            for name in &shown {
                assert!(script.contains(name), "{name} in {shell}");
            }
        }
    }

    #[test]
    fn the_readme_names_the_commands_that_the_help_does_not() {
        let readme = include_str!("../../README.md");
        for name in ["sparring completions", "sparring man"] {
            assert!(readme.contains(&format!("`{name} ")), "{name}");
        }
    }

    #[test]
    fn every_command_has_a_page_with_its_options_and_pages_name_none_that_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        pages(Cli::command(), folder.path()).unwrap();
        // Hyphens are written so that they stay hyphens.
        let page = |name: &str| {
            let path = folder.path().join(format!("{name}.1"));
            let text = fs::read_to_string(&path).unwrap_or_else(|why| panic!("{name}: {why}"));
            text.replace("\\-", "-")
        };
        for (name, option) in [
            ("sparring-run", "--dry-run"),
            ("sparring-games-list", "--opponent"),
            ("sparring-book-build", "--min-rating"),
        ] {
            assert!(page(name).contains(option), "{name}");
        }
        for entry in fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            let text = page(path.file_stem().unwrap().to_str().unwrap());
            for word in text.split_whitespace() {
                if let Some(named) = word
                    .strip_suffix("(1)")
                    .filter(|named| named.starts_with("sparring"))
                {
                    page(named);
                }
            }
        }
    }
}
