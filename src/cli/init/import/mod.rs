//! `sparring init --from config.yml`: moves over from lichess-bot or BotLi. Translates all settings, and says of each what
//! became of it.
//!
//! | module | purpose |
//! |---|---|
//! | `yaml` | YAML with places |
//! | `table` | what a row of settings is, and the walk over a file |
//! | `lichess_bot`, `botli`, `shared` | the rows |
//! | `situation` | when BotLi uses an engine or a book |
//! | `draft` | what the rows gather |
//! | `challenges`, `engines`, `books`, `chat` | lists and rules, `[engine.NAME]`, Polyglot books, lines of the chat |
//! | `challenge_sets` | challenges of lichess-bot to others, as `games` |
//! | `settings_text`, `report` | what is written and said |

mod books;
mod botli;
mod challenge_sets;
mod challenges;
mod chat;
mod draft;
mod engines;
mod lichess_bot;
mod online;
mod report;
mod settings_text;
mod shared;
mod situation;
mod table;
mod yaml;

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use draft::{Draft, PERSONALITY, Setting, toml};
use table::{Outcome, Row};
use yaml::Node;

use crate::{
    cli::{
        assets::{BOOKS, PERSONALITIES},
        exit::{Exit, Failure},
        render_diagnostics::{self, Style},
    },
    config,
};
use sparring_config_schema::Foreign;
use sparring_diagnostics::{Diagnostic, Diagnostics, utf8};
use sparring_files as files;

/// Settings of another bot, translated.
pub(super) struct Import {
    /// The name of the file, as its owner wrote it.
    file: String,
    text: String,
    peer: &'static Peer,
    draft: Draft,
    outcomes: Vec<Outcome>,
}

/// Another bot.
struct Peer {
    name: &'static str,
    /// With the version of its settings.
    version: &'static str,
    rows: &'static [Row],
}

const PEERS: [Peer; 2] = [
    Peer {
        name: "lichess-bot",
        version: lichess_bot::VERSION,
        rows: lichess_bot::ROWS,
    },
    Peer {
        name: "BotLi",
        version: botli::VERSION,
        rows: botli::ROWS,
    },
];

/// A file to write: its path from the folder of bot.toml, and its text.
pub(super) struct NewText {
    /// Its path from the folder of bot.toml.
    pub(super) path: PathBuf,
    /// Its text.
    pub(super) text: String,
    /// Whether it comes with the program, so that one that is there may stand for it.
    pub(super) is_shipped: bool,
}

/// Whether a file holds settings of another bot rather than a token: by its name, as `config.yml.default`, or else by its text.
pub(super) fn is_yaml(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase();
    if [".yml", ".yaml"].iter().any(|ending| name.contains(ending)) {
        return true;
    }
    let text = files::read_text(path, files::MIB).unwrap_or_default();
    text.lines().count() > 3 && matches!(Foreign::of(&text), Some(Foreign::Yaml(_)))
}

/// Reads and translates settings of another bot. Prints warnings.
///
/// # Errors
/// [`Exit::BadConfiguration`] when the file cannot be read, is not YAML, is no other bot's, or has values of a wrong kind: with
/// file, line and column.
pub(super) fn read(path: &Path) -> anyhow::Result<Import> {
    let file = path.display().to_string();
    let bad = |message: String| Failure::error(Exit::BadConfiguration, message);
    let bytes = files::read(path, files::MIB).map_err(|error| bad(format!("cannot read {file}: {error}")))?;
    let text = utf8(&file, &bytes).map_err(|findings| refused(&findings))?;
    let text = text.trim_start_matches('\u{feff}');
    let base = path.parent().filter(|base| !base.as_os_str().is_empty());
    let base = base.unwrap_or(Path::new("."));
    let (import, warnings) = translate(&file, text, base).map_err(|findings| refused(&findings))?;
    super::warn(render_diagnostics::draw(&[warnings], Style::Lines).trim_end());
    Ok(import)
}

fn refused(findings: &Diagnostics) -> anyhow::Error {
    Failure::error(Exit::BadConfiguration, format!("nothing was written\n{findings}"))
}

/// Translates a text. Relative paths in it count from `base`.
fn translate(file: &str, text: &str, base: &Path) -> Result<(Import, Diagnostics), Diagnostics> {
    let all = |list: Vec<Diagnostic>| Diagnostics::new(file, text, list);
    let (root, warnings) = yaml::parse(text).map_err(|error| all(vec![error]))?;
    let peer = recognised(&root).ok_or_else(|| {
        let message = "these are the settings of neither lichess-bot nor BotLi";
        all(vec![
            Diagnostic::error(0..0, message).with_help("name the config.yml of one of them"),
        ])
    })?;
    let mut draft = Draft {
        base: base.to_owned(),
        ..Draft::default()
    };
    let outcomes = table::translate(peer.rows, &root, &mut draft, peer.version).map_err(all)?;
    online::name_all(&mut draft);
    let engine = engines::main(&draft.engines).map(|engine| ("engine", toml(engine)));
    for (key, value) in [("personality", toml(PERSONALITY))].into_iter().chain(engine) {
        let from = "moved over".to_owned();
        draft.settings.push(Setting {
            section: "play",
            key,
            value,
            from,
        });
    }
    let import = Import {
        file: file.to_owned(),
        text: text.to_owned(),
        peer,
        draft,
        outcomes,
    };
    Ok((import, all(warnings)))
}

/// The bot whose settings these are, by the sections that the other does not have.
fn recognised(root: &Node) -> Option<&'static Peer> {
    let sections = |peer: &Peer| -> BTreeSet<String> {
        let patterns = table::patterns(peer.rows);
        patterns
            .filter_map(|pattern| pattern.split('.').next().map(str::to_owned))
            .collect()
    };
    let (own, other) = (sections(&PEERS[0]), sections(&PEERS[1]));
    let count = |mine: &BTreeSet<String>, theirs: &BTreeSet<String>| {
        let alone = |key: &String| mine.contains(key) && !theirs.contains(key);
        root.entries().iter().filter(|entry| alone(&entry.key)).count()
    };
    match count(&own, &other).cmp(&count(&other, &own)) {
        std::cmp::Ordering::Greater => Some(&PEERS[0]),
        std::cmp::Ordering::Less => Some(&PEERS[1]),
        std::cmp::Ordering::Equal => None,
    }
}

impl Import {
    /// The token; none where a placeholder stood.
    pub(super) fn token(&self) -> Option<&str> {
        self.draft.token.as_deref()
    }

    /// The server that the settings name.
    pub(super) fn url(&self) -> Option<String> {
        let is_url = |setting: &&Setting| (setting.section, setting.key) == ("lichess", "url");
        let setting = self.draft.settings.iter().find(is_url)?;
        let value: toml::Value = setting.value.parse().ok()?;
        value.as_str().map(str::to_owned)
    }

    /// bot.toml, made of the shipped settings with server and token file.
    ///
    /// # Errors
    /// When it could not be used, which is a mistake of this program.
    pub(super) fn settings(&self, shipped: &str) -> anyhow::Result<String> {
        let text = settings_text::settings(shipped, &self.draft, &self.outcomes, self.peer.version);
        match config::read("bot.toml", &text) {
            (Some(_), _) => Ok(text),
            (None, findings) => anyhow::bail!("the settings that were made cannot be used: {findings}"),
        }
    }

    /// Books and personalities: those made of the settings, and those that come with the program. `name` is the bot's, if it is
    /// known.
    pub(super) fn files(&self, name: Option<&str>) -> Vec<NewText> {
        let personality = settings_text::personality(&self.draft, name, self.peer.version);
        let own = [(format!("personalities/{PERSONALITY}.toml"), personality)];
        let books = self.draft.books.converted.iter();
        let books = books.map(|book| (format!("books/{}.book", book.name), book.text.clone()));
        let own = own
            .into_iter()
            .chain(books)
            .map(|(path, text)| (path, text, false));
        let shipped = BOOKS.iter().chain(PERSONALITIES);
        let shipped = shipped.map(|(path, text)| ((*path).to_owned(), (*text).to_owned(), true));
        own.chain(shipped)
            .map(|(path, text, is_shipped)| NewText {
                path: path.into(),
                text,
                is_shipped,
            })
            .collect()
    }

    /// What became of every setting.
    pub(super) fn report(&self) -> String {
        let mut said = format!(
            "{} has the settings of {}, read as those of {}.\n\n{}",
            self.file,
            self.peer.name,
            self.peer.version,
            report::table(&self.file, &self.text, &self.outcomes)
        );
        for book in &self.draft.books.converted {
            said += &format!(
                "{} is books/{}.book: {}.\n",
                book.source.display(),
                book.name,
                book.said
            );
        }
        said
    }
}
