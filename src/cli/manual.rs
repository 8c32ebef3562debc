//! Shell completions and the man page, both made from the command line itself.

use anyhow::Context as _;

/// A script that completes commands in a shell.
#[must_use]
pub fn completions(command: &mut clap::Command, shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, command, "sparring", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The man page: the program, and a section for each command.
///
/// # Errors
/// Never in practice: it is written to memory.
pub fn page(command: &clap::Command) -> anyhow::Result<String> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone())
        .render(&mut page)
        .context("the man page")?;
    for part in command.get_subcommands().filter(|part| !part.is_hide_set()) {
        let named = part.clone().display_name(format!("sparring-{}", part.get_name()));
        clap_mangen::Man::new(named)
            .render(&mut page)
            .context("the man page")?;
    }
    Ok(String::from_utf8_lossy(&page).into_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_is_completed_and_described() {
        let page = page(&Cli::command()).unwrap();
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
        for name in shown {
            let written = name.replace('-', "\\-");
            assert!(page.contains(&format!("sparring\\-{written}")), "{name}");
        }
    }
}
