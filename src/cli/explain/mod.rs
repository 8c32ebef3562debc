//! `sparring explain`: what a personality, a level or `bot.toml` means, key by key, and where each value is from; and
//! what the rules make of a challenge.

mod challenge;
mod context;

use std::{
    fmt::Write as _,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    time::SystemTime,
};

use anyhow::Context as _;

pub use challenge::explain_challenge;

use crate::cli::{
    assets::{PERSONALITIES, shipped_stand_in},
    exit::{Exit, Failure},
    render_diagnostics::{self, Style},
};
use crate::{
    config::{self, Config, Paths},
    describe::{ParamRow, key_rows, param_rows, strength_of},
    reload::list,
};
use sparring_chess::units::{Elo, Millis};
use sparring_config_schema::{DefaultValue, Key};
use sparring_diagnostics::{Diagnostics, nearest, place, utf8};
use sparring_files as files;
use sparring_personality::{
    self as personality, Level, Personality,
    strength::{self, CALIBRATION, LevelParams, Levels},
};

/// Where the settings are unless another file is named.
const CONFIG: &str = "bot.toml";

/// Says what a personality, a level or bot.toml means, key by key.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring explain                  who can play
  sparring explain club             what each key of this personality does
  sparring explain level 1400       every knob of a level
  sparring explain settings         bot.toml: each value and where it comes from
  sparring explain challenge --user Ana --rating 1500 --clock 3+2
  sparring explain challenge CHALLENGE.json
                                    which rule decides on a challenge, and why")]
pub struct Args {
    /// A personality, `level N`, `settings` or `challenge [FILE]`; nothing lists the personalities.
    what: Vec<String>,
    /// The settings, which name the folder of personalities.
    #[arg(long, default_value = CONFIG)]
    config: PathBuf,
    #[command(flatten)]
    made: challenge::HypotheticalChallenge,
}

/// Runs the command.
///
/// # Errors
/// When there is nothing of that name, or its file cannot be used.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let words: Vec<&str> = args.what.iter().map(String::as_str).collect();
    let text = settings_text(&args.config)?;
    let folder = args.config.parent().unwrap_or(Path::new(""));
    let paths = config::paths(&text).within(folder);
    let said = match words[..] {
        [] => cast(&paths)?,
        ["level", number] => level(number)?,
        ["settings"] => settings(&args.config.display().to_string(), &text)?,
        ["challenge"] => challenge_with(&args.made, None, &args.config)?,
        ["challenge", file] => challenge_with(&args.made, Some(file), &args.config)?,
        [name] => profile(&paths, name)?,
        _ => {
            let sentence =
                "explain one thing at a time: a personality, \"level 1400\", \"settings\" or \"challenge\"";
            return Err(Failure::error(Exit::Usage, sentence));
        }
    };
    super::print(said.strip_suffix('\n').unwrap_or(&said))
}

/// The settings as they are written; nothing where nobody has written any.
fn settings_text(path: &Path) -> anyhow::Result<String> {
    match files::read(path, files::TEXT) {
        Err(error) if error.kind() == ErrorKind::NotFound && path == Path::new(CONFIG) => Ok(String::new()),
        Err(error) => {
            let sentence = format!("cannot read {}: {error}", path.display());
            Err(Failure::error(Exit::Usage, sentence))
        }
        Ok(bytes) => {
            let text = utf8(&path.display().to_string(), &bytes).map_err(refused)?;
            Ok(text.to_owned())
        }
    }
}

/// The rules of the settings, or those of no settings where there is no file.
fn challenge_with(
    made: &challenge::HypotheticalChallenge,
    file: Option<&str>,
    path: &Path,
) -> anyhow::Result<String> {
    let config = if path.exists() {
        config::load(path)
            .map_err(|error| Failure::error(Exit::BadConfiguration, error.to_string()))?
            .0
    } else {
        Config::default()
    };
    challenge::explain(file, made, &config, path, Millis::since_1970(SystemTime::now()))
}

/// A file of a personality.
pub(super) struct PersonalityFile {
    pub path: String,
    pub text: io::Result<String>,
}

impl PersonalityFile {
    /// The text, or which file cannot be read and why.
    pub fn read(&self) -> anyhow::Result<&str> {
        self.text.as_deref().map_err(|error| {
            let sentence = format!("cannot read {}: {error}", self.path);
            Failure::error(Exit::Failed, sentence)
        })
    }

    /// The personality; none where the file cannot be read or used.
    fn profile(&self) -> Option<Personality> {
        personality::read(&self.path, self.text.as_deref().ok()?).0
    }

    /// The name of the file, which is that of the personality.
    pub fn stem(&self) -> Option<&str> {
        Path::new(&self.path).file_stem()?.to_str()
    }
}

/// The files of personalities there are, or the shipped ones where the folders are missing.
pub(super) fn files(paths: &Paths) -> anyhow::Result<Vec<PersonalityFile>> {
    if shipped_stand_in(paths) {
        let shipped = PERSONALITIES.iter();
        let file = |(name, text): &(&str, &str)| PersonalityFile {
            path: (*name).to_owned(),
            text: Ok((*text).to_owned()),
        };
        return Ok(shipped.map(file).collect());
    }
    let folder = &paths.personalities;
    let mut files = Vec::new();
    for path in list(folder, "toml").with_context(|| format!("cannot read {}", folder.display()))? {
        files.push(PersonalityFile {
            path: path.display().to_string(),
            text: files::read_text(&path, files::TEXT),
        });
    }
    if files.is_empty() {
        let sentence = format!("there are no personalities in {}", folder.display());
        return Err(Failure::error(Exit::Failed, sentence));
    }
    Ok(files)
}

/// The personality of that name; none where its file is not there or cannot be used.
fn profile_named(paths: &Paths, name: &str) -> Option<Personality> {
    let all = files(paths).unwrap_or_default();
    let mut usable = all.iter().filter_map(PersonalityFile::profile);
    usable.find(|profile| profile.name == name)
}

/// All personalities, one a line.
fn cast(paths: &Paths) -> anyhow::Result<String> {
    let mut said = String::new();
    for file in files(paths)? {
        if let Some(profile) = file.profile() {
            writeln!(
                said,
                "{:<15} {} ({})\n{:15} {}",
                profile.name,
                profile.title,
                strength_of(&profile),
                "",
                profile.about
            )?;
        } else {
            let path = file.path;
            writeln!(said, "{path} cannot be used: `sparring check {path}` says why")?;
        }
    }
    Ok(said)
}

fn profile(paths: &Paths, name: &str) -> anyhow::Result<String> {
    let files = files(paths)?;
    if let Some(file) = files.iter().find(|file| file.stem() == Some(name)) {
        return explain_profile(&file.path, file.read()?).map_err(refused);
    }
    let words = || files.iter().filter_map(PersonalityFile::stem);
    let help = match nearest(name, words()) {
        Some(word) => format!("did you mean \"{word}\"?"),
        None => format!("there is {}", words().collect::<Vec<_>>().join(", ")),
    };
    let sentence = format!("there is no personality \"{name}\"; {help}");
    Err(Failure::error(Exit::Usage, sentence))
}

fn refused(findings: Diagnostics) -> anyhow::Error {
    let drawn = render_diagnostics::draw(&[findings], Style::Lines);
    Failure::error(Exit::Failed, drawn.trim_end())
}

/// What a personality's file makes of it: its strength as knobs, then every key.
///
/// # Errors
/// What is wrong with the text, when it cannot be used.
pub fn explain_profile(file: &str, text: &str) -> Result<String, Diagnostics> {
    let (profile, findings) = personality::read(file, text);
    let Some(profile) = profile else {
        return Err(findings);
    };
    let source = match profile.level {
        Some(level) => format!("level {level}, {CALIBRATION}; keys set by hand count first"),
        None => "no level: full strength but for keys set by hand".to_owned(),
    };
    let mut said = format!("{}: {}\n{}\n", profile.name, profile.title, profile.about);
    said += &format!("\nStrength ({source})\n");
    said += &explain_knobs(&strength::level_params(&profile, None, true));
    said += &format!("\nKeys of {file}\n");
    said += &explain_keys(file, text, &personality::keys(text));
    Ok(said)
}

fn level(number: &str) -> anyhow::Result<String> {
    let range = Level::RANGE;
    let level = number.parse().ok().filter(|level| range.contains(level));
    let Some(level) = level.map(Elo) else {
        let sentence = format!(
            "\"{number}\" is not a level; write a whole number from {} to {}",
            range.start(),
            range.end()
        );
        return Err(Failure::error(Exit::Usage, sentence));
    };
    Ok(explain_level(level))
}

/// Every knob of a level.
#[must_use]
pub fn explain_level(level: Elo) -> String {
    let levels = Levels::shipped();
    let (chess, others) = (levels.params(level), levels.variant_params(level));
    format!(
        "Level {level}, on the scale of lichess ratings: {CALIBRATION}\nIn chess\n{}In other variants, where nothing was measured\n{}",
        explain_knobs(&chess),
        explain_knobs(&others)
    )
}

fn explain_knobs(knobs: &LevelParams) -> String {
    let rows = param_rows(knobs).into_iter();
    rows.map(|ParamRow { name, value, doc }| format!("  {name:<13} {value:>9}  {doc}\n"))
        .collect()
}

fn settings(file: &str, text: &str) -> anyhow::Result<String> {
    explain_settings(file, text).map_err(refused)
}

/// Every key of `bot.toml` with its value and where it comes from.
///
/// # Errors
/// What is wrong with the text, when it cannot be used.
pub fn explain_settings(file: &str, text: &str) -> Result<String, Diagnostics> {
    let (config, findings) = config::read(file, text);
    if config.is_none() {
        return Err(findings);
    }
    // The findings' text has tokens struck out.
    Ok(explain_keys(file, &findings.text, &config::keys(&findings.text)))
}

/// A line for each key with its value and source, and below it what it means.
fn explain_keys(file: &str, text: &str, keys: &[Key]) -> String {
    let mut said = String::new();
    for row in key_rows(keys) {
        let source = match row.written_at {
            Some(byte) => format!("{file}:{}", place(text, byte).0),
            None => row.source.to_owned(),
        };
        said += &format!("  {} = {}  ({source})\n      {}\n", row.path, row.value, row.doc);
    }
    said
}

/// The keys as a table for the pages in `docs/`.
#[must_use]
pub fn table(keys: &[Key]) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let mut table = "| key | default | form | meaning |\n|---|---|---|---|\n".to_owned();
    for key in keys {
        let fallback = match &key.fallback {
            DefaultValue::Value(value) => format!("`{value}`"),
            DefaultValue::Nothing(meaning) => (*meaning).to_owned(),
        };
        let row = [&format!("`{}`", key.path), &fallback, &key.form, key.doc].map(cell);
        table += &format!("| {} |\n", row.join(" | "));
    }
    table
}
