//! What `sparring-lab tune` and `sparring-lab train-net` have in common: numbers of the command line, games read, a file written at the end.

use std::{
    fs::{self, File, OpenOptions},
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};

use crate::datagen::progress_bar;
use crate::tuning::{Dataset, Errors, TargetBlend};
use sparring_chess::{Position, Variant};
use sparring_files::{
    self as files,
    atomic_file::{self, Readers},
};

/// A share of one.
pub(super) fn share(text: &str) -> Result<f32, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a share is a number from 0 to 1".to_owned())
}

/// A number above nothing.
pub(super) fn positive(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|k: &f32| k.is_finite() && *k > 0.0);
    number.ok_or_else(|| "it is a number above 0".to_owned())
}

/// A number that is not below nothing.
pub(super) fn not_negative(text: &str) -> Result<f32, String> {
    let number = text
        .parse()
        .ok()
        .filter(|pull: &f32| pull.is_finite() && *pull >= 0.0);
    number.ok_or_else(|| "it is a number from 0".to_owned())
}

/// A count of something.
pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "it is a whole number from 1".to_owned())
}

/// Reads files of games of a variant, `take_apart` making of each quiet position what is learned from.
///
/// # Errors
/// When a file cannot be read or is none of games, and when they are too few to hold some out.
pub(super) fn read<S>(
    files: &[PathBuf],
    variant: Variant,
    blend: TargetBlend,
    take_apart: &mut dyn FnMut(&Position) -> Option<S>,
) -> anyhow::Result<Dataset<S>> {
    let mut set = Dataset {
        variant,
        blend,
        ..Dataset::default()
    };
    for path in files {
        let text =
            files::read_text(path, files::DATA).with_context(|| format!("cannot read {}", path.display()))?;
        let bar = progress_bar(text.len() as u64, "bytes");
        set.add(&text, take_apart, &mut |read| bar.set_position(read as u64))
            .with_context(|| path.display().to_string())?;
        bar.finish_and_clear();
    }
    if set.training.is_empty() || set.held_out.is_empty() {
        bail!(
            "{} games are too few, or begin alike: those of a tenth of their starts are held out",
            set.games
        );
    }
    Ok(set)
}

/// Shows passes over the positions, with the errors after each, while `work` does them.
pub(super) fn showing_passes<T>(passes: usize, work: impl FnOnce(&mut dyn FnMut(usize, Errors)) -> T) -> T {
    let bar = progress_bar(passes as u64, "passes");
    let done = work(&mut |pass, errors| {
        bar.set_position(pass as u64);
        bar.set_message(format!(
            "error {:.6}, held out {:.6}",
            errors.training, errors.held_out
        ));
    });
    bar.finish();
    done
}

/// Prints the result.
#[expect(clippy::print_stdout, reason = "the result is what the commands are for")]
pub(super) fn say(text: &str) {
    println!("{text}");
}

/// A file that hours of work are to end in. Until then it keeps what it holds, and one that was not there before is not there.
#[derive(Debug)]
pub(super) struct Target(PathBuf);

impl Target {
    /// Tries whether a file can be written.
    ///
    /// # Errors
    /// When it cannot.
    pub fn try_out(path: &Path) -> anyhow::Result<Self> {
        let tried = match OpenOptions::new().write(true).open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                File::create_new(path).and_then(|_| fs::remove_file(path))
            }
            opened => opened.map(drop),
        };
        tried.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self(path.to_owned()))
    }

    /// Writes the file and prints its size.
    ///
    /// # Errors
    /// IO errors.
    pub fn write(self, bytes: &[u8]) -> anyhow::Result<String> {
        let path = self.0.display();
        atomic_file::replace(&self.0, bytes, Readers::All).with_context(|| format!("cannot write {path}"))?;
        Ok(format!("written to {path}: build anew to play with it"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_what_it_holds_until_something_is_written_and_a_new_one_goes_if_nothing_is() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
        fs::write(&old, "a longer text").unwrap();
        Target::try_out(&old).unwrap();
        Target::try_out(&new).unwrap();
        assert_eq!(fs::read_to_string(&old).unwrap(), "a longer text");
        assert!(!new.exists());
        for path in [old, new] {
            Target::try_out(&path).unwrap().write(b"text").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "text");
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_told_at_once() {
        let error = Target::try_out(Path::new("/nowhere/weights.rs")).unwrap_err();
        assert_eq!(error.to_string(), "cannot write /nowhere/weights.rs");
    }
}
