//! `[engine.NAME]`: external UCI engines, which personalities, rules or `[play]` name.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use toml::{Spanned, de::DeValue};

use super::PATH;
use sparring_chess::units::{Depth, Millis, Nodes};
use sparring_config_schema::{DurationType, Int, List, Name, Section, Text, TypeError, ValueType};
use sparring_uci_client::EngineSpec;

pub use sparring_personality::EMBEDDED;

/// An external UCI engine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExternalEngine {
    /// Its name in the settings.
    pub name: String,
    /// The program: a path, or a name to be found in `PATH`.
    pub command: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its working directory; none for that of the bot.
    pub directory: Option<PathBuf>,
    /// UCI options by name.
    pub options: Vec<(String, String)>,
    /// Time of each move instead of the clocks.
    pub move_time: Option<Millis>,
    /// Most nodes of a move.
    pub nodes: Option<Nodes>,
    /// Most plies of a move.
    pub depth: Option<Depth>,
}

impl ExternalEngine {
    /// The same, with relative paths resolved against a folder. A command without a slash is looked for in `PATH`.
    #[must_use]
    pub fn within(mut self, folder: &Path) -> Self {
        if self.command.components().count() > 1 {
            self.command = folder.join(&self.command);
        }
        self.directory = self.directory.map(|directory| folder.join(directory));
        self
    }

    /// How it is started.
    #[must_use]
    pub fn spec(&self) -> EngineSpec {
        let program = self.command.to_string_lossy().into_owned();
        EngineSpec {
            name: self.name.clone(),
            command: std::iter::once(program)
                .chain(self.arguments.iter().cloned())
                .collect(),
            directory: self.directory.clone(),
            options: self.options.clone(),
            if_offered: Vec::new(),
        }
    }

    /// Whether its program is there: at its path, or in a folder of `path`, the variable `PATH`.
    #[must_use]
    pub fn is_there(&self, path: &OsStr) -> bool {
        // The ending of programs may be left out where there is one.
        let is_program =
            |path: &Path| path.is_file() || path.with_added_extension(env::consts::EXE_EXTENSION).is_file();
        if self.command.components().count() > 1 {
            return is_program(&self.command);
        }
        env::split_paths(path).any(|folder| is_program(&folder.join(&self.command)))
    }

    /// Whether the settings choose its strength, so that no level does.
    #[must_use]
    pub fn sets_strength(&self) -> bool {
        ["UCI_LimitStrength", "UCI_Elo"]
            .iter()
            .any(|option| self.sets(option))
    }

    /// Whether the settings have a value for an option, in any spelling of case.
    #[must_use]
    pub fn sets(&self, option: &str) -> bool {
        self.options
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case(option))
    }
}

/// The form of the key `engine`, which names one of these.
pub(super) fn named(known: &[String]) -> Name<'_> {
    Name {
        what: "engine",
        known: Some(known),
    }
}

/// Declares all engines, after the keys of `[engine]`.
pub(super) fn declare(section: &mut Section<'_>) -> Vec<ExternalEngine> {
    section.named_tables(|name, engine| {
        if name != "NAME" && (!Name::is_name(name) || name == EMBEDDED) {
            engine.fault(
                format!("\"{name}\" cannot name an engine"),
                "call it by small letters, digits and dashes, as in [engine.stockfish]",
            );
        }
        let command = engine.optional(
            "command",
            PATH,
            "an error",
            "The program: a path, counted from this file, or a name to be found in PATH.",
        );
        if command.is_none() && engine.span("command").is_none() {
            engine.fault(
                format!("the engine \"{name}\" has no command"),
                "write command = \"/usr/games/stockfish\", the path of the program",
            );
        }
        ExternalEngine {
            name: name.to_owned(),
            command: PathBuf::from(command.unwrap_or_default()),
            arguments: engine
                .optional("arguments", List(Text(1000)), "none", "Arguments of the program.")
                .unwrap_or_default(),
            directory: engine
                .optional("directory", PATH, "that of the bot", "Its working directory.")
                .map(PathBuf::from),
            options: engine
                .optional(
                    "options",
                    UciOptions,
                    "the engine's own values",
                    "UCI options by name, as in { Hash = 128, \"Skill Level\" = 5 }.",
                )
                .unwrap_or_default(),
            move_time: engine.optional(
                "move-time",
                DurationType(Millis(10)..=Millis::from_secs(600)),
                "by the clocks",
                "Time of each move, instead of the engine's own choice by the clocks.",
            ),
            nodes: engine
                .optional(
                    "nodes",
                    Int(1..=u32::MAX, "nodes"),
                    "no limit",
                    "Most nodes of a move.",
                )
                .map(|nodes| Nodes(nodes.into())),
            depth: engine
                .optional(
                    "depth",
                    Int(1..=250_u32, "plies"),
                    "no limit",
                    "Most plies of a move.",
                )
                .map(Depth),
        }
    })
}

/// UCI options as a table of names and values.
#[derive(Debug, Clone, Copy)]
struct UciOptions;

impl ValueType for UciOptions {
    type Value = Vec<(String, String)>;

    fn describe(&self) -> String {
        "a table of options, as in { Hash = 128 }".to_owned()
    }

    fn read(&self, value: &Spanned<DeValue<'_>>) -> Result<Self::Value, Vec<TypeError>> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(vec![TypeError::new(value, "this is no table of options")]);
        };
        let read = table.iter().map(|(name, value)| {
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Integer(number) => number.to_string(),
                DeValue::Float(number) => number.to_string(),
                DeValue::Boolean(is_set) => is_set.to_string(),
                _ => {
                    return Err(TypeError::new(
                        value,
                        "an option is text, a number, true or false",
                    ));
                }
            };
            // Either would end the command that sets the option.
            if [name.get_ref().as_ref(), &text]
                .iter()
                .any(|part| part.chars().any(char::is_control))
            {
                return Err(TypeError::new(value, "an option is one line of text"));
            }
            Ok((name.get_ref().to_string(), text))
        });
        let (read, errors): (Vec<_>, Vec<_>) = read.partition(Result::is_ok);
        match errors.is_empty() {
            true => Ok(read.into_iter().flatten().collect()),
            false => Err(errors.into_iter().filter_map(Result::err).collect()),
        }
    }

    fn write(&self, value: &Self::Value) -> String {
        let pairs = value.iter().map(|(name, value)| {
            format!(
                "{} = {}",
                toml::Value::from(name.as_str()),
                toml::Value::from(value.as_str())
            )
        });
        format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use crate::config::read;

    #[test]
    fn an_engine_is_read_with_its_options() {
        let text = "[engine.stockfish]\ncommand = \"sf/stockfish\"\noptions = { Hash = 64, \"Skill Level\" = 5, Ponder = false }\n\
                    nodes = 1000\n[play]\nengine = \"stockfish\"\n";
        let (config, findings) = read("bot.toml", text);
        assert_eq!(findings.to_string(), "");
        let config = config.unwrap().within("/etc/sparring".as_ref());
        assert_eq!(config.play.engine.as_deref(), Some("stockfish"));
        let engine = &config.engines[0];
        assert_eq!(engine.command.to_str(), Some("/etc/sparring/sf/stockfish"));
        let options = [("Hash", "64"), ("Ponder", "false"), ("Skill Level", "5")];
        assert_eq!(
            engine.options,
            options.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        assert!(!engine.sets_strength());
    }

    #[test]
    fn what_is_wrong_with_an_engine_is_said() {
        let text = "[engine.Stock]\ncommand = \"x\"\n[engine.other]\n[engine.third]\ncommand = \"x\"\noptions = { Hash = [1], Name = \"a\\nb\" }\n\
                    [play]\nengine = \"othr\"\n";
        let (config, findings) = read("bot.toml", text);
        assert!(config.is_none());
        insta::assert_snapshot!(findings.to_string(), @r#"
        bot.toml:1:9: error: "Stock" cannot name an engine; call it by small letters, digits and dashes, as in [engine.stockfish]
        bot.toml:3:9: error: the engine "other" has no command; write command = "/usr/games/stockfish", the path of the program
        bot.toml:6:20: error: engine.third.options: an option is text, a number, true or false; write a table of options, as in { Hash = 128 }
        bot.toml:6:32: error: engine.third.options: an option is one line of text; write a table of options, as in { Hash = 128 }
        bot.toml:8:10: error: play.engine: there is no engine "othr"; did you mean "other"?
        "#);
    }
}
