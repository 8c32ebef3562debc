//! Recognises files that are not `bot.toml`: settings of another bot, a personality, a book.

use std::path::Path;

use sparring_book as book;
use sparring_config_schema::{Foreign, Key, Name};
use sparring_diagnostics::{Diagnostic, Diagnostics};
use sparring_personality as personality;

/// Top-level keys of the settings of other bots.
const LICHESS_BOT: [&str; 12] = [
    "url",
    "engine",
    "abort_time",
    "correspondence",
    "fake_think_time",
    "rate_limiting_delay",
    "move_overhead",
    "max_takebacks_accepted",
    "quit_after_all_games_finish",
    "greeting",
    "pgn_directory",
    "pgn_file_grouping",
];
const BOTLI: [&str; 13] = [
    "engines",
    "syzygy",
    "gaviota",
    "opening_books",
    "opening_explorer",
    "lichess_cloud",
    "chessdb",
    "online_egtb",
    "offer_draw",
    "resign",
    "messages",
    "whitelist",
    "blacklist",
];
const BOTH: [&str; 3] = ["token", "challenge", "matchmaking"];

/// A finding that says what a text is instead of settings; none where it looks like settings. `keys` are its keys.
pub(super) fn recognised(name: &str, text: &str, keys: &[Key]) -> Option<Diagnostic> {
    let path = Path::new(name);
    if keys.is_empty() {
        if path.extension().is_some_and(|ending| ending == "book") || book::is_book(text) {
            return Some(Diagnostic::error(0..0, "this is a book, not the settings of a bot").with_help(
                "--config names bot.toml; a book lies in the folder of books, and a personality names it by books",
            ));
        }
        return match Foreign::of(text)? {
            Foreign::Yaml(at) => Some(of_another_bot(text, at)),
            _ => None,
        };
    }
    let says_something = |keys: &[Key]| keys.iter().any(|key| key.span.is_some());
    if says_something(keys) || !says_something(&personality::keys(text)) {
        return None;
    }
    let name = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .filter(|name| Name::is_name(name));
    let help = format!(
        "--config names bot.toml, and that names it: personality = \"{}\" in [play]",
        name.unwrap_or("club")
    );
    Some(Diagnostic::error(0..0, "this is a personality, not the settings of a bot").with_help(help))
}

fn of_another_bot(text: &str, at: usize) -> Diagnostic {
    let keys = || {
        text[at..]
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(key, _)| key)
    };
    let count = |known: &[&str]| keys().filter(|key| known.contains(key)).count();
    let (lichess_bot, botli) = (count(&LICHESS_BOT), count(&BOTLI));
    let whose = match lichess_bot.cmp(&botli) {
        std::cmp::Ordering::Greater => " of lichess-bot",
        std::cmp::Ordering::Less => " of BotLi",
        std::cmp::Ordering::Equal if lichess_bot + count(&BOTH) > 0 => " of lichess-bot or BotLi",
        std::cmp::Ordering::Equal => "",
    };
    let message = format!("this is a YAML file{whose}; Sparring reads TOML");
    Diagnostic::error(at..at, message).with_help(
        "`sparring init --from FILE --output FOLDER` moves over from it, and says what becomes of each key",
    )
}

/// Whether a text is the settings of a bot, by its first section.
#[must_use]
pub fn is_settings(text: &str) -> bool {
    let first = text.lines().find_map(|line| {
        let name = line.trim_start().strip_prefix('[')?.trim_start_matches('[');
        name.split([']', '.']).next()
    });
    let has = |keys: &[Key], section: &str| {
        let sections = keys.iter().filter_map(|key| key.path.split_once('.'));
        sections.map(|(section, _)| section).any(|own| own == section)
    };
    first.is_some_and(|first| has(&super::keys(""), first) && !has(&personality::keys(""), first))
}

/// A finding for settings of a bot in the folder of personalities.
#[must_use]
pub fn misplaced(name: &str, text: &str) -> Option<Diagnostics> {
    is_settings(text).then(|| {
        let finding = Diagnostic::error(0..0, "these are the settings of a bot, not a personality")
            .with_help("put them elsewhere, and name them by --config");
        Diagnostics::new(name, text, vec![finding])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str, text: &str) -> String {
        let (config, findings) = super::super::read(name, text);
        assert!(config.is_none());
        assert_eq!(findings.list.len(), 1, "{findings}");
        findings.to_string()
    }

    #[test]
    fn files_of_other_bots_are_recognised_and_their_tokens_not_shown() {
        let lichess_bot = "token: \"oldform\"   # Lichess OAuth2 Token.\nurl: \"https://lichess.org/\"\n\nengine:\n  dir: \"./engines/\"\n";
        assert_eq!(
            said("bot.toml", lichess_bot),
            "bot.toml:1:1: error: this is a YAML file of lichess-bot; Sparring reads TOML; `sparring init --from FILE \
             --output FOLDER` moves over from it, and says what becomes of each key"
        );
        assert!(
            !super::super::read("bot.toml", lichess_bot)
                .1
                .text
                .contains("oldform")
        );
        let botli = "# BotLi\r\ntoken: \"xxx\"\r\n\r\nengines:\r\n  standard:\r\n    dir: \"./engines\"\r\n";
        assert!(said("a", botli).starts_with("a:2:1: error: this is a YAML file of BotLi;"));
        let part = "challenge:\n  concurrency: 1\n  sort_by: \"best\"\n";
        assert!(said("a", part).contains("YAML file of lichess-bot or BotLi;"));
        assert!(said("a", "max: 3\n").contains("this is a YAML file; Sparring reads TOML"));
    }

    #[test]
    fn books_and_personalities_are_no_settings() {
        for (name, text) in [
            ("books/mine.book", "name: Mine\n"),
            ("bot.toml", "name: Mine\n1. e4 e5 2. Nf3\n"),
        ] {
            let said = said(name, text);
            assert!(
                said.starts_with(&format!("{name}:1:1: error: this is a book")),
                "{said}"
            );
        }
        let said = said(
            "personalities/tim.toml",
            "level = 1200\nnoise = 3\n[chat]\ngreeting = \"Hi\"\n",
        );
        assert!(said.contains("this is a personality"), "{said}");
        assert!(said.contains("personality = \"tim\" in [play]"), "{said}");
        let (_, findings) = super::super::read("bot.toml", "[games]\nmax = 3\nnoise = 3\n");
        assert!(
            findings
                .to_string()
                .contains("there is no setting \"games.noise\""),
            "{findings}"
        );
    }

    #[test]
    fn settings_among_personalities_are_told() {
        assert!(misplaced("a.toml", "[games]\nmax = 3\n").is_some());
        assert!(misplaced("a.toml", "noise = 3\n[chat]\n").is_none());
    }
}
