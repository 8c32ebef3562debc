//! External engines: the sections of other bots in the form of `[engine.NAME]`.

use std::path::{Path, PathBuf};

use super::{draft::toml, table::Fate};

/// An engine as other bots describe it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ExternalEngine {
    /// Its name in bot.toml.
    pub(super) name: String,
    /// The folder of the program.
    pub(super) folder: PathBuf,
    /// The program's file.
    pub(super) program: String,
    /// A program that runs the file, as `java`.
    pub(super) interpreter: Option<String>,
    /// What the interpreter is told before the file.
    pub(super) interpreter_arguments: Vec<String>,
    /// What the engine is told on its command line.
    pub(super) arguments: Vec<String>,
    /// The folder in which it runs.
    pub(super) directory: Option<PathBuf>,
    /// Options over UCI, with their values as TOML.
    pub(super) options: Vec<(String, String)>,
    /// Keys that limit a move, with their values as TOML.
    pub(super) limits: Vec<(&'static str, String)>,
}

/// What becomes of a setting that `[engine.NAME]` holds.
pub(super) fn fate(key: &str, name: &str) -> Fate {
    Fate::Taken(format!("{key} in [engine.{name}]"))
}

/// The engine that plays unless something else is said; none if no program is named.
pub(super) fn main(engines: &[ExternalEngine]) -> Option<&str> {
    let mut playable = engines.iter().filter(|engine| !engine.program.is_empty());
    let main = playable
        .clone()
        .find(|engine| engine.name == "standard")
        .or_else(|| playable.next());
    main.map(|engine| engine.name.as_str())
}

/// The sections of engines. Empty without an engine.
pub(super) fn sections(engines: &[ExternalEngine]) -> String {
    let mut text = String::new();
    for engine in engines.iter().filter(|engine| !engine.program.is_empty()) {
        text += &section(engine);
        text.push('\n');
    }
    text
}

/// One engine in the form that bot.toml has for it.
fn section(engine: &ExternalEngine) -> String {
    let file = engine.folder.join(&engine.program);
    let path = |path: &Path| toml(path.display().to_string());
    let (command, first) = match &engine.interpreter {
        Some(interpreter) => {
            let mut first = engine.interpreter_arguments.clone();
            first.push(file.display().to_string());
            (toml(interpreter.clone()), first)
        }
        None => (path(&file), Vec::new()),
    };
    let arguments: Vec<String> = first
        .into_iter()
        .chain(engine.arguments.iter().cloned())
        .collect();
    let mut text = format!("[engine.{}]\ncommand = {command}\n", engine.name);
    if !arguments.is_empty() {
        text += &format!("arguments = {}\n", toml(arguments));
    }
    if let Some(directory) = &engine.directory {
        text += &format!("directory = {}\n", path(directory));
    }
    if !engine.options.is_empty() {
        let options = engine
            .options
            .iter()
            .map(|(name, value)| format!("{} = {value}", key(name)));
        text += &format!("options = {{ {} }}\n", options.collect::<Vec<_>>().join(", "));
    }
    for (key, value) in &engine.limits {
        text += &format!("{key} = {value}\n");
    }
    text
}

/// A key of TOML, in quotes if it needs them.
fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.is_empty() && name.chars().all(is_bare) {
        return name.to_owned();
    }
    toml(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_written_as_a_section() {
        let engine = ExternalEngine {
            name: "stockfish".into(),
            folder: "/opt/engines".into(),
            program: "stockfish".into(),
            directory: Some("/var/tmp".into()),
            options: vec![("Hash".into(), "512".into()), ("Skill Level".into(), "5".into())],
            limits: vec![("nodes", "1000".into())],
            ..ExternalEngine::default()
        };
        let expected = "[engine.stockfish]\ncommand = \"/opt/engines/stockfish\"\ndirectory = \"/var/tmp\"\n\
                        options = { Hash = 512, \"Skill Level\" = 5 }\nnodes = 1000\n";
        assert_eq!(section(&engine), expected);
        let table: toml::Table = section(&engine).parse().unwrap();
        assert_eq!(
            table["engine"]["stockfish"]["options"]["Skill Level"].as_integer(),
            Some(5)
        );
    }

    #[test]
    fn an_interpreter_runs_the_engines_file() {
        let engine = ExternalEngine {
            name: "leela".into(),
            folder: "/opt".into(),
            program: "engine.jar".into(),
            interpreter: Some("java".into()),
            interpreter_arguments: vec!["-jar".into()],
            arguments: vec!["--cpuct=3.1".into()],
            ..ExternalEngine::default()
        };
        let table: toml::Table = section(&engine).parse().unwrap();
        let leela = &table["engine"]["leela"];
        assert_eq!(leela["command"].as_str(), Some("java"));
        let arguments: Vec<_> = leela["arguments"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|v| v.as_str())
            .collect();
        assert_eq!(arguments, ["-jar", "/opt/engine.jar", "--cpuct=3.1"]);
    }
}
