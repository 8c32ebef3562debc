//! `sparring games push`: the archive to the common archive of many bots, in PostgreSQL.

use std::{convert::Infallible, io::Write};

use secrecy::SecretString;

use super::What;
use crate::{
    cli::exit::{Exit, Failure},
    store::Archive,
};

/// Which common archive.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The database. Its password belongs into the environment variable PGPASSWORD, since others can read command lines.
    #[arg(long, value_name = "postgres://USER@HOST/DATABASE", value_parser = hidden)]
    to: SecretString,
    /// No progress on stderr, and no figures at the end.
    #[arg(short, long)]
    quiet: bool,
    /// Games in a transaction: tests take few.
    #[arg(long, hide = true, value_parser = clap::value_parser!(u32).range(1..))]
    batch: Option<u32>,
}

/// A URL may hold a password, so no error of the command line shows it.
fn hidden(url: &str) -> Result<SecretString, Infallible> {
    Ok(url.into())
}

/// Refuses to push in a build that cannot.
///
/// # Errors
/// [`Exit::Usage`] in such a build.
pub(super) fn check_build(what: &What) -> anyhow::Result<()> {
    if cfg!(feature = "postgres") || !matches!(what, What::Push(_)) {
        return Ok(());
    }
    let sentence = "this program was built without PostgreSQL: build it with `cargo install --locked --path . --features postgres`";
    Err(Failure::error(Exit::Usage, sentence))
}

/// Nothing, since [`check_build`] has refused.
#[cfg(not(feature = "postgres"))]
pub(super) fn run(
    _args: &Args,
    _archive: &Archive,
    _json: bool,
    _out: &mut impl Write,
) -> anyhow::Result<()> {
    Ok(())
}

/// Pushes what is new, and writes how much that was.
///
/// # Errors
/// When the archive cannot be read, or the server cannot be reached or refuses.
#[cfg(feature = "postgres")]
pub(super) fn run(args: &Args, archive: &Archive, json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    use anyhow::Context as _;
    use secrecy::ExposeSecret as _;
    use serde_json::json;

    use crate::{
        cli::{
            book::{progress, several},
            threads,
        },
        store::{Address, BATCH, CommonArchive, PushError, Pushed},
    };
    use sparring_chess::units::{Stopwatch, TimeSource as _};

    let begun = Stopwatch::start();
    let password = std::env::var("PGPASSWORD").ok();
    let address = Address::parse(args.to.expose_secret(), password.filter(|word| !word.is_empty()))
        .map_err(|error| Failure::error(Exit::Usage, error.to_string()))?;
    let (mut pushed, bar) = (Pushed::default(), progress::count(0, args.quiet));
    let ended = threads::runtime()?.block_on(async {
        let mut common = CommonArchive::open(address).await?;
        let told = |pushed: &Pushed| {
            bar.set_length(pushed.total - pushed.known);
            bar.set_position(pushed.games);
        };
        common
            .push(archive, args.batch.unwrap_or(BATCH), &mut pushed, told)
            .await
    });
    bar.finish_and_clear();
    if let Err(error) = ended {
        let there = match pushed.known + pushed.games {
            0 => String::new(),
            games => format!(
                "; {games} of {} games are there, and the next push goes on with the rest",
                pushed.total
            ),
        };
        return Err(match error {
            PushError::Archive(error) => {
                anyhow::Error::new(error).context(format!("cannot read the archive{there}"))
            }
            error if error.may_pass() => Failure::error(Exit::Unavailable, format!("{error}{there}")),
            error => Failure::error(Exit::Failed, format!("{error}{there}")),
        });
    }
    let Pushed {
        known,
        games,
        moves,
        challenges,
        ..
    } = pushed;
    let seconds = begun.elapsed().as_secs_f64();
    if json {
        let figures = json!({"games": games, "moves": moves, "challenges": challenges, "known": known, "seconds": seconds});
        writeln!(out, "{figures}").context("standard output")?;
    } else if !args.quiet {
        let rate = games as f64 / seconds.max(0.001);
        let line = format!(
            "{} and {} in {seconds:.1} s ({rate:.0} games a second), {known} were there already",
            several(games as usize, "game"),
            several(moves as usize, "move")
        );
        writeln!(out, "{line}").context("standard output")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_the_address_is_not_shown() {
        let words = ["push", "--to", "postgres://ana:hunter2@host/db"];
        let args: Args = crate::cli::parsed(words).unwrap();
        assert!(!format!("{args:?}").contains("hunter2"));
    }
}
