//! `sparring check`: validates `bot.toml`, books and personalities, and reports all mistakes of all files in one run.

mod personality_names;

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::Serialize;

use crate::cli::{
    assets::{BOOKS, PERSONALITIES, shipped_stand_in},
    exit::{Exit, Failure},
    logging,
    render_diagnostics::{self, Style},
};
use crate::{
    config::{self, ExternalEngine, Known, Paths},
    reload::{COMPILED, compiled_book, compiled_books, list, missing_includes, read_limited},
    user_lists,
};
use sparring_book as book;
use sparring_config_schema::quote;
use sparring_diagnostics::{Diagnostic, Diagnostics, Severity, utf8};
use sparring_engine::Tablebase;
use sparring_files as files;

/// Validates bot.toml, books and personalities, and reports all mistakes at once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring check                              ./bot.toml and the folders that it names
  sparring check /etc/sparring/bot.toml       other settings and their folders
  sparring check --config club.toml           the same, with the option of the other commands
  sparring check books/mine.book              one file
  sparring check --lines books                one line per finding, for editors

Exit codes: 0 no errors (there may be warnings), 1 errors, 2 a file does not exist.")]
pub struct Args {
    /// Files and folders to check; by default bot.toml and the folders that it names.
    files: Vec<PathBuf>,
    /// The settings file, to check with the folders that it names.
    #[arg(long)]
    config: Option<PathBuf>,
    /// Print one line per finding: `file:line:column: error: ...`.
    #[arg(long, conflicts_with = "json")]
    lines: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckOutcome {
    /// How many files were read.
    pub files: usize,
    /// The files with findings, by name.
    pub findings: Vec<Diagnostics>,
}

impl CheckOutcome {
    /// The number of findings of a severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        let all = self.findings.iter().flat_map(|text| &text.list);
        all.filter(|finding| finding.severity == severity).count()
    }

    /// Whether all files can be used.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.findings.iter().all(Diagnostics::is_usable)
    }
}

/// Runs the command.
///
/// # Errors
/// When a named file does not exist.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let outcome = check_with(args.config.as_deref(), &args.files).map_err(|(path, error)| {
        let sentence = format!("cannot read {}: {error}", path.display());
        Failure::error(Exit::Usage, sentence)
    })?;
    let style = match (args.lines, logging::wants_color_on(&io::stdout())) {
        (true, _) => Style::Lines,
        (false, true) => Style::Color,
        (false, false) => Style::Plain,
    };
    if args.json {
        super::print(serde_json::to_string_pretty(&json(&outcome))?)?;
    } else {
        let drawn = render_diagnostics::draw(&outcome.findings, style);
        super::print(format_args!("{drawn}{}", summary(&outcome)))?;
    }
    Ok(if outcome.is_usable() {
        Exit::Success
    } else {
        Exit::Failed
    })
}

/// The last line: the number of files, errors and warnings.
#[must_use]
pub fn summary(outcome: &CheckOutcome) -> String {
    let several = |count: usize, word: &str| match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    };
    let errors = outcome.count(Severity::Error);
    let warnings = outcome.count(Severity::Warning);
    let files = several(outcome.files, "file");
    if errors + warnings == 0 {
        return format!("{files} checked, no problems");
    }
    format!(
        "{files} checked: {}, {}",
        several(errors, "error"),
        several(warnings, "warning")
    )
}

/// Checks files and folders; without any, `bot.toml` of the working directory and the folders it names.
///
/// # Errors
/// The path that cannot be read, and why.
pub fn check(files: &[PathBuf]) -> Result<CheckOutcome, (PathBuf, io::Error)> {
    check_with(None, files)
}

/// [`check`], with `config` as the settings file.
fn check_with(config: Option<&Path>, files: &[PathBuf]) -> Result<CheckOutcome, (PathBuf, io::Error)> {
    let default = PathBuf::from(CONFIG);
    let named = || files.iter().map(PathBuf::as_path).find(|path| is_config(path));
    let mut checker = Checker::new(config.or_else(named).unwrap_or(&default));
    if let Some(path) = config {
        checker.config(path)?;
        checker.folders()?;
    } else if files.is_empty() {
        if default.exists() {
            checker.config(&default)?;
        }
        checker.folders()?;
    }
    for path in files {
        if is_config(path) {
            checker.config(path)?;
            checker.folders()?;
        } else if path.is_dir() {
            checker.folder(path)?;
        } else {
            checker.file(path)?;
        }
    }
    let mut outcome = checker.outcome;
    outcome.findings.sort_by(|one, other| one.name.cmp(&other.name));
    outcome.findings.dedup();
    Ok(outcome)
}

const CONFIG: &str = "bot.toml";

/// Whether a file holds the bot's settings: by its name, or else by its first section.
fn is_config(path: &Path) -> bool {
    if path.file_name().is_some_and(|name| name == CONFIG) {
        return true;
    }
    if path.extension().is_none_or(|ending| ending != PROFILE) {
        return false;
    }
    let text = read(path).unwrap_or_default();
    config::is_settings(&String::from_utf8_lossy(&text))
}

/// Reads files and collects their findings.
struct Checker {
    paths: Paths,
    /// The books that personalities may name; none where the folder of books is unknown.
    books: Option<Vec<String>>,
    personalities: Vec<String>,
    /// The engines that personalities may name; none where no settings were read.
    engines: Option<Vec<String>>,
    /// The online sources that personalities may name; none where no settings were read.
    sources: Option<Vec<String>>,
    outcome: CheckOutcome,
}

impl Checker {
    /// A checker for the folders that `config` names, or the default folders if it does not exist.
    fn new(config: &Path) -> Self {
        let text = files::read_text(config, files::TEXT).unwrap_or_default();
        let paths = config::paths(&text).within(config.parent().unwrap_or(Path::new("")));
        let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let shipped = shipped_stand_in(&paths);
        let stems = |folder: &Path, ending, carried: &[(&str, &str)]| -> Vec<String> {
            if shipped {
                return carried
                    .iter()
                    .filter_map(|(name, _)| stem(Path::new(name)))
                    .collect();
            }
            let files = list(folder, ending).unwrap_or_default();
            files.iter().filter_map(|path| stem(path)).collect()
        };
        // A personality file on its own may name books of an unknown folder.
        let knows_books = config.exists() || paths.books.exists();
        Self {
            books: knows_books.then(|| stems(&paths.books, BOOK, BOOKS)),
            personalities: stems(&paths.personalities, PROFILE, PERSONALITIES),
            engines: None,
            sources: None,
            paths,
            outcome: CheckOutcome::default(),
        }
    }

    fn config(&mut self, path: &Path) -> Result<(), (PathBuf, io::Error)> {
        let text = read(path)?;
        let (mut lists, mut engines, mut sources) = (Vec::new(), None, None);
        let mut findings = self.text(&text, path, |name, text| {
            let (config, findings) = match &self.books {
                Some(books) => {
                    let known = Known {
                        books,
                        personalities: &self.personalities,
                    };
                    config::read_among(name, text, known)
                }
                None => config::read(name, text),
            };
            if let Some(config) = config {
                (lists, engines, sources) = (config.lists, Some(config.engines), Some(config.online));
            }
            findings
        });
        let folder = path.parent().unwrap_or(Path::new(""));
        let keys = config::keys(&findings.text);
        let span_of = |key: &str| {
            let known = keys.iter().find(|known| known.path == key);
            known.and_then(|known| known.span.clone()).unwrap_or(0..0)
        };
        let tables = config::paths(&findings.text).within(folder).syzygy;
        if !tables.is_empty()
            && let Err(error) = Tablebase::open(&tables)
        {
            let broken = Diagnostic::error(span_of("paths.syzygy"), format!("paths.syzygy: {error}"))
                .with_help("with these settings the bot plays without endgame tablebases");
            findings.list.push(broken);
        }
        let programs = std::env::var_os("PATH").unwrap_or_default();
        for engine in engines.iter().flatten() {
            let here = ExternalEngine::clone(engine).within(folder);
            if !here.is_there(&programs) {
                let key = format!("engine.{}.command", engine.name);
                let missing = format!("{key}: there is no program {}", here.command.display());
                let missing = Diagnostic::warning(span_of(&key), missing)
                    .with_help("the embedded engine moves instead; write the whole path of the program");
                findings.list.push(missing);
            }
        }
        self.engines = engines.map(|engines| engines.iter().map(|engine| engine.name.clone()).collect());
        for source in sources.iter().flatten() {
            let Some(token) = source.token_file.as_ref().map(|file| folder.join(file)) else {
                continue;
            };
            if !token.is_file() {
                let key = format!("online.{}.token-file", source.name);
                let missing = format!("{key}: there is no file {}", token.display());
                let missing = Diagnostic::warning(span_of(&key), missing)
                    .with_help("until it is there, the source is not asked");
                findings.list.push(missing);
            }
        }
        self.sources = sources.map(|sources| sources.iter().map(|source| source.name.clone()).collect());
        for (number, list) in lists.iter().enumerate() {
            let Some(file) = list.file.as_ref().map(|file| folder.join(file)) else {
                continue;
            };
            match read(&file) {
                Ok(names) => self.keep(self.text(&names, &file, list_findings)),
                Err((_, why)) => {
                    let key = format!("list[{}].file", number + 1);
                    let span = span_of(&key);
                    let missing = format!("{key}: cannot read {}: {why}", file.display());
                    let missing = Diagnostic::error(span, missing)
                        .with_help("until it can be read, it adds nobody to the list");
                    findings.list.push(missing);
                }
            }
        }
        self.keep(Diagnostics::new(findings.name, findings.text, findings.list));
        Ok(())
    }

    fn folders(&mut self) -> Result<(), (PathBuf, io::Error)> {
        let (books, personalities) = (self.paths.books.clone(), self.paths.personalities.clone());
        self.folder(&books)?;
        if personalities != books {
            self.folder(&personalities)?;
        }
        Ok(())
    }

    fn folder(&mut self, folder: &Path) -> Result<(), (PathBuf, io::Error)> {
        for ending in [BOOK, PROFILE] {
            let files = list(folder, ending).map_err(|error| (folder.to_owned(), error))?;
            for file in files {
                match self.misplaced(folder, &file) {
                    Some(findings) => self.keep(findings),
                    None => self.file(&file)?,
                }
            }
        }
        for findings in compiled_books(folder) {
            self.keep(findings);
        }
        Ok(())
    }

    /// A finding for settings in the folder of personalities under another name than bot.toml.
    fn misplaced(&self, folder: &Path, file: &Path) -> Option<Diagnostics> {
        let is_meant =
            file.file_name().is_some_and(|name| name == CONFIG) || folder != self.paths.personalities;
        let text = String::from_utf8(read(file).ok().filter(|_| !is_meant)?).ok()?;
        config::misplaced(&file.display().to_string(), &text)
    }

    fn file(&mut self, path: &Path) -> Result<(), (PathBuf, io::Error)> {
        if is_config(path) {
            return self.config(path);
        }
        let bytes = read(path)?;
        let name = path.display().to_string();
        let findings = match path.extension().and_then(|ending| ending.to_str()) {
            Some(BOOK) => book_findings(&name, &bytes),
            Some(COMPILED) => compiled_book(path),
            Some(PROFILE) => self.text(&bytes, path, |_, text| self.personality(path, text)),
            _ => {
                let finding = Diagnostic::error(0..0, "this is neither a book nor a settings file")
                    .with_help("its name must end in .book or .toml");
                Diagnostics::new(name, "", vec![finding])
            }
        };
        self.keep(findings);
        Ok(())
    }

    fn text(&self, bytes: &[u8], path: &Path, read: impl FnOnce(&str, &str) -> Diagnostics) -> Diagnostics {
        let name = path.display().to_string();
        match utf8(&name, bytes) {
            Ok(text) => read(&name, text),
            Err(findings) => findings,
        }
    }

    fn keep(&mut self, findings: Diagnostics) {
        self.outcome.files += 1;
        if !findings.list.is_empty() {
            self.outcome.findings.push(findings);
        }
    }
}

const BOOK: &str = "book";
const PROFILE: &str = "toml";

/// The findings of a user list: lines that are no user name.
fn list_findings(name: &str, text: &str) -> Diagnostics {
    let misfits = user_lists::parse(text).1.into_iter().map(|number| {
        let before: usize = text.split_inclusive('\n').take(number - 1).map(str::len).sum();
        let line = text[before..].lines().next().unwrap_or_default();
        let message = format!("{} is not a user name", quote(line));
        Diagnostic::error(before..before + line.len(), message)
            .with_help("write one name per line; # begins a comment")
    });
    Diagnostics::new(name, text, misfits.collect())
}

/// The errors of a book, and the lints of the part that can be read.
fn book_findings(name: &str, bytes: &[u8]) -> Diagnostics {
    let (book, findings) = book::check_bytes(name, bytes);
    let lost = book.as_ref().map_or_else(Vec::new, missing_includes);
    let list = findings.list.into_iter().chain(lost).collect();
    Diagnostics::new(findings.name, findings.text, list)
}

fn read(path: &Path) -> Result<Vec<u8>, (PathBuf, io::Error)> {
    read_limited(path).map_err(|error| (path.to_owned(), error))
}

#[derive(Serialize)]
struct Json<'f> {
    files: usize,
    errors: usize,
    warnings: usize,
    findings: Vec<JsonFinding<'f>>,
}

#[derive(Serialize)]
struct JsonFinding<'f> {
    file: &'f str,
    line: usize,
    column: usize,
    severity: &'static str,
    message: &'f str,
    help: Option<&'f str>,
}

fn json(outcome: &CheckOutcome) -> Json<'_> {
    let all = outcome
        .findings
        .iter()
        .flat_map(|text| text.list.iter().map(move |finding| (text, finding)));
    let findings = all.map(|(text, finding)| {
        let (line, column) = text.place(finding);
        JsonFinding {
            file: &text.name,
            line,
            column,
            severity: match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: &finding.message,
            help: finding.help.as_deref(),
        }
    });
    Json {
        files: outcome.files,
        errors: outcome.count(Severity::Error),
        warnings: outcome.count(Severity::Warning),
        findings: findings.collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_summary_counts_in_words() {
        let mut outcome = CheckOutcome {
            files: 1,
            findings: Vec::new(),
        };
        assert_eq!(summary(&outcome), "1 file checked, no problems");
        outcome.findings = vec![Diagnostics::new("a", "x", vec![Diagnostic::warning(0..1, "odd")])];
        assert_eq!(summary(&outcome), "1 file checked: 0 errors, 1 warning");
        assert!(outcome.is_usable());
    }

    #[test]
    fn an_include_that_is_not_there_is_told_and_one_that_is_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.book");
        fs::write(folder.path().join("base.book"), "1. d4\n").unwrap();
        fs::write(&path, "include: base\ninclude: gone\n1. e4\n").unwrap();
        let outcome = check(&[path]).unwrap();
        let messages: Vec<&str> = outcome.findings[0]
            .list
            .iter()
            .map(|found| found.message.as_str())
            .collect();
        assert_eq!(messages, ["there is no book \"gone\" in this folder"]);
    }

    #[test]
    fn programs_get_every_finding_with_its_place() {
        let finding = Diagnostic::error(2..3, "odd").with_help("even");
        let outcome = CheckOutcome {
            files: 2,
            findings: vec![Diagnostics::new("a", "x\ny", vec![finding])],
        };
        insta::assert_snapshot!(serde_json::to_string(&json(&outcome)).unwrap(), @r#"{"files":2,"errors":1,"warnings":0,"findings":[{"file":"a","line":2,"column":1,"severity":"error","message":"odd","help":"even"}]}"#);
    }
}
