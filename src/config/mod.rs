//! `bot.toml`: the settings of the daemon, parsed and checked.
//!
//! Every key is declared once, in the function that reads its section; `bot.toml` at the top of the repository
//! shows them all with their defaults. Paths are relative to its folder.

mod adapt;
mod chat;
mod conditions;
mod dashboard;
mod external_engine;
mod game_settings;
mod list;
mod load;
mod matchmaking;
mod migration_hints;
mod online_source;
mod pasted;
mod play;
mod proposed_game;
mod rule;
mod server;
mod tournaments;
mod value_types;

use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
};

pub use adapt::Adapt;
pub use chat::Chat;
pub use conditions::{Conditions, Mode, OpponentKind, Range};
pub use dashboard::{Dashboard, Listen};
pub use external_engine::{EMBEDDED, ExternalEngine};
pub use game_settings::GameSettings;
pub use list::UserList;
pub use load::{LoadError, Loaded, load, load_among};
pub use matchmaking::Matchmaking;
pub use pasted::{is_settings, misplaced};
pub use play::Play;
pub use proposed_game::ProposedGame;
pub use rule::{Action, Rule};
pub use server::Server;
pub use tournaments::Tournaments;
pub use value_types::{Hours, TimeControlLimit};

use game_settings::Own;
use sparring_chess::units::Millis;
use sparring_config_schema::{self as schema, Bool, DurationType, Int, Key, Section, Text};
use sparring_diagnostics::{Diagnostics, without_secrets};
use sparring_online::Source;

/// The settings of the daemon, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The server.
    pub lichess: Lichess,
    /// Slots, and how games end early.
    pub games: Games,
    /// Rules for challenges and games.
    pub rules: Vec<Rule>,
    /// User lists for rules.
    pub lists: Vec<UserList>,
    /// Defaults of games.
    pub play: Play,
    /// Chat commands.
    pub chat: Chat,
    /// Challenges that the bot sends.
    pub matchmaking: Matchmaking,
    /// Tournaments to join.
    pub tournaments: Tournaments,
    /// The engine's resources.
    pub engine: Engine,
    /// External engines.
    pub engines: Vec<Arc<ExternalEngine>>,
    /// Online sources of moves.
    pub online: Vec<Arc<Source>>,
    /// Folders of books and personalities.
    pub paths: Paths,
    /// State that outlasts a restart.
    pub state: StateSection,
    /// The dashboard.
    pub status: Dashboard,
}

/// `[lichess]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lichess {
    /// The server: lichess, or a sandbox on this machine.
    pub url: Server,
    /// The file with the token, readable by its owner alone.
    pub token_file: Option<PathBuf>,
}

/// `[games]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Games {
    /// Most concurrent games.
    pub max: usize,
    /// Slots reserved for humans.
    pub for_humans: usize,
    /// Most concurrent games with the same opponent.
    pub per_opponent: usize,
    /// Time for the opponent's first move, after which a game is aborted.
    pub abort_after: Millis,
    /// How long running games may go on after a request to stop.
    pub drain: Millis,
}

/// `[engine]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Engine {
    /// Size of a game's transposition table in MiB.
    pub hash: usize,
    /// Concurrent searches; none for one per core.
    pub threads: Option<usize>,
    /// Whether engines think on the opponent's time.
    pub ponder: bool,
}

/// `[paths]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The folder of `*.book` files.
    pub books: PathBuf,
    /// The folder of personalities, `*.toml`.
    pub personalities: PathBuf,
    /// The folders of Syzygy tablebases.
    pub syzygy: Vec<PathBuf>,
}

/// `[state]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateSection {
    /// The state folder; none for systemd's, or `state` beside the settings.
    pub folder: Option<PathBuf>,
    /// Whether games are archived there.
    pub archive: bool,
    /// Whether book weights are learned from the archive.
    pub book_learning: bool,
}

impl Paths {
    /// The same folders, with relative ones resolved against `folder`.
    #[must_use]
    pub fn within(&self, folder: &Path) -> Self {
        Self {
            books: folder.join(&self.books),
            personalities: folder.join(&self.personalities),
            syzygy: self.syzygy.iter().map(|path| folder.join(path)).collect(),
        }
    }
}

impl Default for Paths {
    fn default() -> Self {
        Config::default().paths
    }
}

/// Known names, to check settings against.
#[derive(Debug, Clone, Copy)]
pub struct Known<'k> {
    /// Books.
    pub books: &'k [String],
    /// Personalities.
    pub personalities: &'k [String],
}

impl Default for Config {
    /// The defaults. Paths are relative to the working directory.
    fn default() -> Self {
        schema::read("", migration_hints::OTHER_BOTS, |file| declare(file, None))
            .value
            .unwrap_or_else(|| unreachable!("every default has the form of its key"))
    }
}

impl Config {
    /// The external engine of this name; none for the embedded one and for a name that is not known.
    #[must_use]
    pub fn external_engine(&self, name: &str) -> Option<&Arc<ExternalEngine>> {
        self.engines.iter().find(|engine| engine.name == name)
    }

    /// The same settings, with relative paths resolved against a folder.
    #[must_use]
    pub fn within(mut self, folder: &Path) -> Self {
        self.paths = self.paths.within(folder);
        self.lichess.token_file = self.lichess.token_file.map(|path| folder.join(path));
        self.state.folder = self.state.folder.map(|path| folder.join(path));
        self.status = self.status.within(folder);
        for engine in &mut self.engines {
            *engine = Arc::new(ExternalEngine::clone(engine).within(folder));
        }
        for source in &mut self.online {
            let mut here = Source::clone(source);
            here.token_file = here.token_file.map(|path| folder.join(path));
            *source = Arc::new(here);
        }
        for list in &mut self.lists {
            list.file = list.file.take().map(|path| folder.join(path));
        }
        self
    }
}

/// Parses settings. Paths stay as written; names of books and personalities are not checked.
///
/// Returns settings unless there are errors. Tokens and passwords are redacted in the text of the findings.
#[must_use]
pub fn read(name: &str, text: &str) -> (Option<Config>, Diagnostics) {
    read_with(name, text, None)
}

/// Parses settings, and checks their books and personalities against the known ones.
#[must_use]
pub fn read_among(name: &str, text: &str, known: Known<'_>) -> (Option<Config>, Diagnostics) {
    read_with(name, text, Some(known))
}

/// Every key with its value in a text; empty where the text is not TOML.
#[must_use]
pub fn keys(text: &str) -> Vec<Key> {
    schema::read(text, migration_hints::OTHER_BOTS, |file| declare(file, None)).keys
}

/// The folders in a text, even if it has errors; as written, not resolved.
#[must_use]
pub fn paths(text: &str) -> Paths {
    schema::read_section_lenient(text, "paths", declare_paths)
}

/// The state folder in a text, even if it has errors; as written, not resolved.
#[must_use]
pub fn state_folder(text: &str) -> Option<PathBuf> {
    schema::read_section_lenient(text, "state", declare_state).folder
}

fn read_with(name: &str, text: &str, known: Option<Known<'_>>) -> (Option<Config>, Diagnostics) {
    let mut reading = schema::read(text, migration_hints::OTHER_BOTS, |file| declare(file, known));
    if reading.value.is_none()
        && let Some(finding) = pasted::recognised(name, text, &reading.keys)
    {
        reading.list = vec![finding];
    }
    let mut findings = Diagnostics::new(name, text, reading.list);
    // The text is shown even without findings.
    findings.text = without_secrets(text).into();
    (reading.value, findings)
}

fn declare(file: &mut Section<'_>, known: Option<Known<'_>>) -> Config {
    let lichess = file.section("lichess", declare_lichess);
    let games = file.section("games", declare_games);
    let lists = list::declare(file);
    let names: Vec<String> = lists.iter().map(|list| list.name.clone()).collect();
    let (engine, engines) = file.section("engine", |engine| {
        (declare_engine(engine), external_engine::declare(engine))
    });
    let engine_names: Vec<String> = engines
        .iter()
        .map(|engine| engine.name.clone())
        .chain([EMBEDDED.to_owned()])
        .collect();
    let online = file.section("online", |online| {
        online_source::declare(online, lichess.token_file.as_deref())
    });
    let source_names: Vec<String> = online.iter().map(|source| source.name.clone()).collect();
    let own = Own {
        engines: &engine_names,
        sources: &source_names,
    };
    let rules = rule::declare(file, &names, own, known);
    let play = file.section("play", |play| play::declare(play, own, known));
    let chat = file.section("chat", |chat| chat::declare(chat, known));
    let matchmaking = file.section("matchmaking", matchmaking::declare);
    let tournaments = file.section("tournaments", tournaments::declare);
    let paths = file.section("paths", declare_paths);
    let state = file.section("state", declare_state);
    file.renamed("status", "dashboard");
    let status = file.section("dashboard", dashboard::declare);
    warn_of_too_many_moves(file, games, &rules);
    Config {
        lichess,
        games,
        rules,
        lists,
        play,
        chat,
        matchmaking,
        tournaments,
        engine,
        engines: engines
            .into_iter()
            .filter(|engine| engine.name != "NAME")
            .map(Arc::new)
            .collect(),
        online: online.into_iter().map(Arc::new).collect(),
        paths,
        state,
        status,
    }
}

/// A path in settings.
const PATH: Text = Text(1000);

fn declare_lichess(lichess: &mut Section<'_>) -> Lichess {
    Lichess {
        url: lichess.key(
            "url",
            Server::default(),
            Server::default(),
            "The server. The variable LICHESS_URL comes first. Plain http only to this machine.",
        ),
        token_file: lichess
            .optional(
                "token-file",
                PATH,
                "the variable LICHESS_TOKEN or a systemd credential",
                "A file with the token and nothing else, readable by you alone (chmod 600).",
            )
            .map(PathBuf::from),
    }
}

fn declare_games(games: &mut Section<'_>) -> Games {
    games.renamed("for-humans", "reserved-for-humans");
    games.renamed("abort-after", "abort-time");
    games.renamed("drain", "shutdown-timeout");
    let count = || Int(1..=64_u32, "games");
    let span = |from, to| DurationType(Millis::from_secs(from)..=Millis::from_secs(to));
    let max = games.key(
        "max",
        count(),
        8,
        "Games at once; further challenges wait or are declined.",
    );
    let for_humans = games.key(
        "reserved-for-humans",
        Int(0..=63_u32, "games"),
        1,
        "Of these, slots reserved for humans; one is left to bots all the same.",
    );
    if for_humans >= max && games.span("reserved-for-humans").is_some() {
        games.warning(
            "reserved-for-humans",
            format!("of {max} slots {for_humans} cannot be reserved for humans: one is left to bots"),
            "bots are refused by a rule: from = \"bots\", then = \"decline\"",
        );
    }
    let per_opponent = games.key(
        "per-opponent",
        count(),
        2,
        "Games at once with the same opponent.",
    );
    Games {
        max: max as usize,
        for_humans: for_humans as usize,
        per_opponent: per_opponent as usize,
        abort_after: games.key(
            "abort-time",
            span(15, 600),
            Millis::from_secs(60),
            "Aborts a game when the opponent has not made their first move by then.",
        ),
        drain: games.key(
            "shutdown-timeout",
            span(0, 86_400),
            Millis::from_secs(300),
            "How long running games may go on once the bot was asked to stop.",
        ),
    }
}

/// About 180 requests a minute per IP address, moves included, by a statement of lichess in 2020.
fn warn_of_too_many_moves(file: &mut Section<'_>, games: Games, rules: &[Rule]) {
    const REQUESTS_A_MINUTE: usize = 180;
    let moves_a_minute = rule::moves_a_minute(rules);
    let safe = REQUESTS_A_MINUTE / moves_a_minute.max(1);
    if games.max > safe {
        file.warning(
            "games.max",
            format!(
                "{} games may need {} moves a minute, and lichess takes about {REQUESTS_A_MINUTE} requests",
                games.max,
                games.max * moves_a_minute
            ),
            format!("{safe} is safe with the speeds that the rules let in"),
        );
    }
}

fn declare_engine(engine: &mut Section<'_>) -> Engine {
    Engine {
        hash: engine.key(
            "hash",
            Int(1..=65_536_u32, "MiB a game"),
            16,
            "Memory of the transposition table, in MiB for each game.",
        ) as usize,
        threads: engine
            .optional(
                "threads",
                Int(1..=1024_u32, "searches"),
                "one for each core",
                "Searches that run at the same time; each game needs one while it thinks.",
            )
            .map(|threads| threads as usize),
        ponder: engine.key(
            "ponder",
            Bool,
            false,
            "Engines at full strength think on the opponent's time too: in at most as many games at once as searches run.",
        ),
    }
}

fn declare_paths(paths: &mut Section<'_>) -> Paths {
    let mut folder = |name, default: &str, doc| PathBuf::from(paths.key(name, PATH, default.to_owned(), doc));
    Paths {
        books: folder(
            "books",
            "books",
            "The folder of opening books, *.book, counted from this file.",
        ),
        personalities: folder(
            "personalities",
            "personalities",
            "The folder of personalities, *.toml, counted from this file.",
        ),
        syzygy: paths
            .optional(
                "syzygy",
                PATH,
                "none",
                "The folder of Syzygy endgame tables, *.rtbw and *.rtbz, or several with colons between them.",
            )
            .map_or_else(Vec::new, |folders| env::split_paths(&folders).collect()),
    }
}

fn declare_state(state: &mut Section<'_>) -> StateSection {
    state.renamed("soft-weights", "book-learning");
    StateSection {
        folder: state
            .optional(
                "folder",
                PATH,
                "systemd's state folder, else \"state\" beside this file",
                "What outlasts a restart lies here: the archive, and a lock so that one account has one bot.",
            )
            .map(PathBuf::from),
        archive: state.key(
            "archive",
            Bool,
            true,
            "Keeps games, moves and verdicts in archive.db there; `sparring games` shows them.",
        ),
        book_learning: state.key(
            "book-learning",
            Bool,
            false,
            "Book moves that score come up more often, those that lose less often; the books stay as they are.",
        ),
    }
}

#[cfg(test)]
mod tests;
