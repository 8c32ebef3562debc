//! `[online.NAME]`: servers that are asked for moves, where a list of books names them.

use std::path::{Component, Path, PathBuf};

use super::{PATH, Server, conditions::SPEEDS, value_types::UserForm};
use sparring_chess::units::{Centipawns, Millis};
use sparring_config_schema::{Choice, DurationType, Int, List, Name, Section};
use sparring_online::{RankBy, Source, SourceKind};

/// The kinds of sources.
const KINDS: Choice<SourceKind> = Choice(&[
    (SourceKind::Masters.key(), SourceKind::Masters),
    (SourceKind::Lichess.key(), SourceKind::Lichess),
    (SourceKind::Player.key(), SourceKind::Player),
    (SourceKind::CloudEval.key(), SourceKind::CloudEval),
    (SourceKind::Tablebase.key(), SourceKind::Tablebase),
    (SourceKind::Chessdb.key(), SourceKind::Chessdb),
]);
const RANKS: Choice<RankBy> = Choice(&[("games", RankBy::Games), ("score", RankBy::Score)]);
/// The groups of ratings that lichess' explorer has.
const RATINGS: Choice<&str> = Choice(&[
    ("0", "0"),
    ("1000", "1000"),
    ("1200", "1200"),
    ("1400", "1400"),
    ("1600", "1600"),
    ("1800", "1800"),
    ("2000", "2000"),
    ("2200", "2200"),
    ("2500", "2500"),
]);

/// Keys that only some kinds take notice of.
const PARTICULAR: [(&str, &[SourceKind]); 8] = {
    use SourceKind::{Chessdb, CloudEval, Lichess, Masters, Player};
    [
        ("token-file", &[Masters, Lichess, Player]),
        ("player", &[Player]),
        ("ratings", &[Lichess]),
        ("speeds", &[Lichess, Player]),
        ("min-games", &[Masters, Lichess, Player]),
        ("rank-by", &[Masters, Lichess, Player]),
        ("min-depth", &[CloudEval, Chessdb]),
        ("max-loss", &[CloudEval, Chessdb]),
    ]
};

/// Declares all sources. `bot_token` is the file with the bot's own token, which no source may get.
pub(super) fn declare(section: &mut Section<'_>, bot_token: Option<&Path>) -> Vec<Source> {
    let sources = section.named_tables(|name, source| {
        if name != "NAME" && !Name::is_name(name) {
            source.fault(
                format!("\"{name}\" cannot name an online source"),
                "call it by small letters, digits and dashes, as in [online.masters]",
            );
        }
        let (read, is_known) = keys(name, source);
        if is_known {
            check(&read, source, bot_token);
        }
        read
    });
    sources
        .into_iter()
        .filter(|source| source.name != "NAME")
        .collect()
}

/// The source, and whether it says what it is.
fn keys(name: &str, source: &mut Section<'_>) -> (Source, bool) {
    let kind = source.optional(
        "source",
        KINDS,
        "an error",
        "What is asked: lichess' explorer of masters' games, of all its games or of one player's; its cloud evaluations; its endgame \
         tables, with seven pieces or fewer; or the database of chessdb.cn.",
    );
    if kind.is_none() && source.span("source").is_none() && name != "NAME" {
        source.fault(
            format!("the online source \"{name}\" does not say what it is"),
            "write source = \"explorer-masters\", or another of them",
        );
    }
    let default = Source::new(name, kind.unwrap_or(SourceKind::Masters));
    let url: Option<Server> = source.optional(
        "url",
        Server::default(),
        "the public server",
        "Another server that answers alike: a mirror, or a sandbox.",
    );
    let is_table = kind == Some(SourceKind::Tablebase);
    let max_ply = source.optional(
        "max-ply",
        Int(1..=600_u32, "half moves"),
        "40, and no limit for the tablebase",
        "Asked no later in the game than this.",
    );
    let read = Source {
        server: url.map_or_else(|| default.server.clone(), |url| url.as_str().to_owned()),
        token_file: source
            .optional(
                "token-file",
                PATH,
                "no token",
                "A file with a token for lichess' explorer and nothing else, readable by you alone: one without any scope. Never the bot's.",
            )
            .map(PathBuf::from),
        player: source
            .optional("player", UserForm, "the bot itself", "Whose games explorer-player counts.")
            .map_or_else(String::new, |player| player.to_string()),
        ratings: source
            .optional("ratings", List(RATINGS), "all", "Groups of ratings whose games count, by their lower ends.")
            .unwrap_or_default()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        speeds: source
            .optional("speeds", List(SPEEDS), "all", "Speeds whose games count.")
            .unwrap_or_default()
            .into_iter()
            .map(|speed| speed.key().to_owned())
            .collect(),
        min_games: source
            .optional(
                "min-games",
                Int(1..=1_000_000_u32, "games"),
                "10",
                "Plays no move of an explorer that fewer games have.",
            )
            .map_or(default.min_games, u64::from),
        rank_by: source
            .optional(
                "rank-by",
                RANKS,
                "\"games\"",
                "What moves of an explorer weigh: how often they were played, or what they scored.",
            )
            .unwrap_or(default.rank_by),
        min_depth: source
            .optional(
                "min-depth",
                Int(1..=200_u32, "plies"),
                "20",
                "Plays no evaluation that is less deep. chessdb tells the depth of its best move alone.",
            )
            .unwrap_or(default.min_depth),
        max_loss: source
            .optional(
                "max-loss",
                Int(0..=300_u32, "centipawns"),
                "0, the best move alone",
                "Draws among the moves that are evaluated this little worse than the best.",
            )
            .map_or(default.max_loss, |loss| Centipawns(loss.cast_signed())),
        max_ply: max_ply.or((!is_table).then_some(Source::MAX_PLY)),
        min_clock: source
            .optional(
                "min-clock",
                DurationType(Millis::from_secs(5)..=Millis::from_secs(10_800)),
                "20s",
                "Not asked with less time on the clock.",
            )
            .unwrap_or(default.min_clock),
        ..Source::new(name, default.kind)
    };
    (read, kind.is_some())
}

fn check(read: &Source, source: &mut Section<'_>, bot_token: Option<&Path>) {
    let idle = PARTICULAR
        .iter()
        .filter(|(key, kinds)| source.span(key).is_some() && !kinds.contains(&read.kind));
    let idle: Vec<&str> = idle.map(|(key, _)| *key).collect();
    for key in idle {
        source.warning(
            key,
            format!("{} takes no notice of it", read.kind.key()),
            "leave it out",
        );
    }
    let bare = |path: &Path| {
        path.components()
            .filter(|part| *part != Component::CurDir)
            .collect::<PathBuf>()
    };
    let is_shared = read.token_file.as_deref().map(bare) == bot_token.map(bare) && bot_token.is_some();
    if is_shared {
        source.error(
            "token-file",
            "this is the bot's own token, which can play games in its name",
            "create one without any scope at https://lichess.org/account/oauth/token, in a file of its own",
        );
    }
    let is_public = read.server == read.kind.server();
    if read.kind.is_explorer() && is_public && read.token_file.is_none() {
        source.remark(
            format!("lichess' explorer answers nobody without a token, and \"{}\" has none", read.name),
            "create one without any scope at https://lichess.org/account/oauth/token, and name its file by token-file",
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::config::read;
    use sparring_chess::units::Millis;
    use sparring_online::{RankBy, Source, SourceKind};

    #[test]
    fn a_source_with_nothing_but_its_kind_has_the_documented_defaults() {
        let (config, _) = read("bot.toml", "[online.cloud]\nsource = \"cloud-eval\"\n");
        let cloud = Source::new("cloud", SourceKind::CloudEval);
        assert_eq!(*config.unwrap().online[0], cloud);
        let clock = (cloud.min_games, cloud.min_depth, cloud.max_ply, cloud.min_clock);
        assert_eq!(
            clock,
            (10, 20, Some(40), Millis::from_secs(20)),
            "as the keys say"
        );
    }

    #[test]
    fn a_source_is_read_with_its_keys_and_named_by_books() {
        let text = "[online.club]\nsource = \"explorer-lichess\"\ntoken-file = \"explorer-token\"\nratings = [\"1600\", \"1800\"]\nspeeds = [\"blitz\"]\n\
                    min-games = 50\nrank-by = \"score\"\nmax-ply = 20\nmin-clock = \"30s\"\nurl = \"http://127.0.0.1:8888\"\n\
                    [online.tables]\nsource = \"tablebase\"\n[play]\nbooks-white = [\"main\", \"online:club\"]\n";
        let (config, findings) = read("bot.toml", text);
        assert_eq!(findings.to_string(), "");
        let config = config.unwrap().within("/etc/sparring".as_ref());
        let [club, tables] = &config.online[..] else {
            panic!("{:?}", config.online)
        };
        assert_eq!((club.name.as_str(), club.kind), ("club", SourceKind::Lichess));
        assert_eq!(
            club.token_file.as_deref(),
            Some("/etc/sparring/explorer-token".as_ref())
        );
        assert_eq!(
            (club.ratings.len(), club.speeds.len(), club.min_games),
            (2, 1, 50)
        );
        assert_eq!((club.rank_by, club.max_ply), (RankBy::Score, Some(20)));
        assert_eq!(
            (club.min_clock, club.server.as_str()),
            (Millis::from_secs(30), "http://127.0.0.1:8888")
        );
        assert_eq!(
            (tables.max_ply, tables.server.as_str()),
            (None, "https://tablebase.lichess.org")
        );
        assert_eq!(config.play.books_white.unwrap(), ["main", "online:club"]);
    }

    #[test]
    fn what_is_wrong_with_a_source_is_said() {
        let text = "[lichess]\ntoken-file = \"token\"\n[online.Club]\nsource = \"cloud-evl\"\n[online.empty]\n[online.ana]\nsource = \"explorer-player\"\n\
                    min-dept = 3\n[online.masters]\nsource = \"explorer-masters\"\nmin-depth = 10\ntoken-file = \"./token\"\n\
                    [play]\nbooks-black = [\"online:mastrs\"]\n";
        let (config, findings) = read("bot.toml", text);
        assert!(config.is_none());
        insta::assert_snapshot!(findings.to_string(), @r#"
        bot.toml:3:9: error: "Club" cannot name an online source; call it by small letters, digits and dashes, as in [online.masters]
        bot.toml:4:10: error: online.Club.source: "cloud-evl" is not known here; did you mean "cloud-eval"? there is "explorer-masters", "explorer-lichess", "explorer-player", "cloud-eval", "tablebase" or "chessdb"
        bot.toml:5:9: error: the online source "empty" does not say what it is; write source = "explorer-masters", or another of them
        bot.toml:6:9: warning: lichess' explorer answers nobody without a token, and "ana" has none; create one without any scope at https://lichess.org/account/oauth/token, and name its file by token-file
        bot.toml:8:1: error: there is no setting "online.ana.min-dept"; did you mean "min-depth"?
        bot.toml:11:13: warning: online.masters.min-depth: explorer-masters takes no notice of it; leave it out
        bot.toml:12:14: error: online.masters.token-file: this is the bot's own token, which can play games in its name; create one without any scope at https://lichess.org/account/oauth/token, in a file of its own
        bot.toml:14:16: error: play.books-black: there is no online source "mastrs"; did you mean "masters"?
        "#);
    }
}
