//! `sparring explain`: a personality, a level or `bot.toml`, key by key, with the source of each value; and which rule decides on a
//! challenge.

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
    config::{self, Config, EMBEDDED, Paths},
    describe::{ParamRow, key_rows, param_rows, strength_of},
    reload::list,
};
use sparring_chess::{
    Variant,
    units::{Elo, Millis},
};
use sparring_config_schema::{DefaultValue, Key};
use sparring_diagnostics::{Diagnostics, nearest, place, utf8};
use sparring_engine::StyleBonus;
use sparring_files as files;
use sparring_personality::{
    self as personality, Level, Personality,
    strength::{self, CALIBRATION, LevelParams, Levels},
};

/// The default settings file.
const CONFIG: &str = "bot.toml";

/// Explains a personality, a level, bot.toml or a challenge, key by key.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring explain                  lists the personalities
  sparring explain club             each key of this personality
  sparring explain level 1400       the parameters of a level
  sparring explain settings         bot.toml: each value and its source
  sparring explain challenge --user Ana --rating 1500 --clock 3+2
                                    which rule decides on such a challenge, and why
  sparring explain challenge CHALLENGE.json
                                    the same for a challenge as lichess sends it")]
pub struct Args {
    /// A personality, `level N`, `settings` or `challenge [FILE]`. Without it, lists the personalities.
    what: Vec<String>,
    /// The settings file, which names the folder of personalities.
    #[arg(long, default_value = CONFIG)]
    config: PathBuf,
    #[command(flatten)]
    made: challenge::HypotheticalChallenge,
}

/// Runs the command.
///
/// # Errors
/// When there is no personality of that name, or a file cannot be used.
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

/// The text of the settings file; empty where the default one does not exist.
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

/// Explains a challenge by the rules of the settings, or by the default rules where there is no file.
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

/// A personality file.
pub(super) struct PersonalityFile {
    pub path: String,
    pub text: io::Result<String>,
}

impl PersonalityFile {
    /// The text.
    ///
    /// # Errors
    /// Which file cannot be read, and why.
    pub fn read(&self) -> anyhow::Result<&str> {
        self.text.as_deref().map_err(|error| {
            let sentence = format!("cannot read {}: {error}", self.path);
            Failure::error(Exit::Failed, sentence)
        })
    }

    /// The personality; none where the file is unreadable or has errors.
    fn profile(&self) -> Option<Personality> {
        personality::read_beside(Path::new(&self.path), self.text.as_deref().ok()?, None).0
    }

    /// The file name without extension: the personality's name.
    pub fn stem(&self) -> Option<&str> {
        Path::new(&self.path).file_stem()?.to_str()
    }
}

/// All personality files, or the shipped ones where the folders are missing.
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

/// The personality of that name; none where its file is missing or has errors.
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

/// A personality file in words: its strength parameters, then every key.
///
/// # Errors
/// What is wrong with the text, when it cannot be used.
pub fn explain_profile(file: &str, text: &str) -> Result<String, Diagnostics> {
    let (profile, findings) = personality::read_beside(Path::new(file), text, None);
    let Some(profile) = profile else {
        return Err(findings);
    };
    let external = profile.engine.as_deref().filter(|engine| *engine != EMBEDDED);
    let source = match profile.level {
        _ if external.is_some() => {
            let has_style = profile.style.search_bonus() != StyleBonus::default();
            format!(
                "those of the embedded engine, while {} cannot move; `level` sets UCI_Elo where that engine has it{}",
                external.unwrap_or_default(),
                if has_style {
                    ", and [style] needs its MultiPV"
                } else {
                    ""
                }
            )
        }
        _ if profile.network.is_some() => "those of its network".to_owned(),
        Some(level) => format!("level {level}, {CALIBRATION}; keys set by hand override it"),
        None => "no level: full strength but for keys set by hand".to_owned(),
    };
    let mut said = format!("{}: {}\n{}\n", profile.name, profile.title, profile.about);
    said += &format!("\nStrength ({source})\n");
    said += &explain_params(&strength::level_params(&profile, None, Variant::Standard));
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

/// The strength parameters of a level.
#[must_use]
pub fn explain_level(level: Elo) -> String {
    let levels = Levels::shipped();
    let (chess, others) = (levels.params(level), levels.variant_params(level));
    format!(
        "Level {level}, on the scale of lichess ratings: {CALIBRATION}\nIn chess\n{}In other variants (not calibrated)\n{}",
        explain_params(&chess),
        explain_params(&others)
    )
}

fn explain_params(params: &LevelParams) -> String {
    let rows = param_rows(params).into_iter();
    rows.map(|ParamRow { name, value, doc }| format!("  {name:<13} {value:>9}  {doc}\n"))
        .collect()
}

fn settings(file: &str, text: &str) -> anyhow::Result<String> {
    explain_settings(file, text).map_err(refused)
}

/// Every key of `bot.toml` with its value and source.
///
/// # Errors
/// What is wrong with the text, when it cannot be used.
pub fn explain_settings(file: &str, text: &str) -> Result<String, Diagnostics> {
    let (config, findings) = config::read(file, text);
    if config.is_none() {
        return Err(findings);
    }
    // In the text of the findings, tokens are redacted.
    Ok(explain_keys(file, &findings.text, &config::keys(&findings.text)))
}

/// Two lines for each key: its value and source, then its meaning.
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
