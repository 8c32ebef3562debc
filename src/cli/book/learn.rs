//! `sparring book learn`: what the lines of a book scored, and a patch for its weights.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use super::{
    common,
    players::Player,
    recorded::Account,
    results::{Judge, from_archive, from_pgn},
    unified_diff::unified,
};
use crate::{
    cli::{
        exit::{Exit, Failure},
        games::open_archive,
    },
    config,
    store::Filter,
};
use sparring_book::{Book, LearnReport, MoveStats};
use sparring_chess::units::Nodes;

/// Shows what the moves of a book scored in games, and writes a patch for its weights. The book is not touched.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book learn books/mine.book                             from the bot's own games, as the archive has them
  sparring book learn books/mine.book --nodes 50000               and what the engine thinks where they left the book
  sparring book learn books/mine.book games.pgn --player MyBot    from games in PGN
  sparring book learn books/mine.book --patch p.diff
  patch books/mine.book < p.diff                                  takes the advice, after you have read it
  sparring book learn books/mine.book --patch p.diff --number     and gives numbers to moves that have none
  sparring book learn books/mine.book --forget                    after book-learning = false: nothing is kept of how it leaned

A game of the archive counts for the moves that it says were drawn from this book, not for what the engine or another book
played there; games in PGN, and old ones of the archive, for all moves that the book has. Expected points come from the ratings of
both players, or from the level that was asked for; a half where they are not known. With few games the advice is
timid: it takes 8 games to count half. The verdict is what the bot thought of the first position that it had to think
about, on average; with --nodes it is looked at anew, and for PGN there is none without. The book is not touched.")]
pub struct Args {
    /// The book.
    book: PathBuf,
    /// Games in PGN instead of those of the archive, also compressed (gzip, Zstandard, bzip2); `-` is standard input.
    #[arg(requires = "player")]
    games: Vec<PathBuf>,
    /// Who followed the book in the games of the files; upper and lower case are the same.
    #[arg(long, value_name = "NAME", requires = "games")]
    player: Option<String>,
    /// The settings, which name the folder of the archive.
    #[arg(long, default_value = "bot.toml")]
    config: PathBuf,
    /// The archive itself.
    #[arg(long, conflicts_with = "games")]
    archive: Option<PathBuf>,
    /// Lets the engine look where games left the book, for so many nodes each.
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Says nothing of moves with fewer games.
    #[arg(long, default_value_t = 4, value_name = "GAMES")]
    min: u32,
    /// Shows so many moves at most; 0 for all.
    #[arg(long, default_value_t = 40, value_name = "MOVES")]
    most: usize,
    /// Writes the advice for moves with numbers to this file, as a patch.
    #[arg(long, value_name = "FILE")]
    patch: Option<PathBuf>,
    /// Writes over a patch that is there.
    #[arg(long, requires = "patch")]
    force: bool,
    /// The patch gives numbers also to moves that have none: they weigh those instead of what their lines sum up to.
    #[arg(long, requires = "patch")]
    number: bool,
    /// Keeps in the archive how weights lean by these results, as book show and book explain tell it; a bot with book-learning
    /// in [state] makes that anew when it starts and each hour.
    #[arg(long, conflicts_with_all = ["games", "forget"])]
    keep: bool,
    /// Forgets how the weights of this book lean; nothing else is done. A bot with book-learning learns it again: switch them off
    /// to be rid of it.
    #[arg(long, conflicts_with_all = ["games", "patch"])]
    forget: bool,
    /// No progress on stderr.
    #[arg(short, long)]
    quiet: bool,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if let Some(patch) = &args.patch {
        must_be_free(patch, &args.book, args.force)?;
    }
    let book = common::read_whole(&args.book)?;
    if args.forget {
        open_archive(args.archive.as_deref(), &args.config)?.put_learned_weights(book.name(), &[])?;
        let again = renewed_by_bot(&args.config);
        common::say(&format!("{} plays by its text alone again{again}", book.path()));
        return Ok(Exit::Success);
    }
    let mut lessons = LearnReport::new(&book);
    let mut judge = args.nodes.map(|nodes| Judge::new(Nodes(nodes)));
    let mut player = args.player.as_deref().map(Player::new);
    let mut account = Account::default();
    if let Some(player) = &mut player {
        account = from_pgn(&args.games, player, &mut lessons, &mut judge, args.quiet)?;
    } else {
        let archive = open_archive(args.archive.as_deref(), &args.config)?;
        account.read = from_archive(&archive, &Filter::default(), &mut lessons, &mut judge)?;
        if args.keep {
            let leans = lessons.weight_factors(args.min);
            archive.put_learned_weights(book.name(), &leans)?;
            let again = renewed_by_bot(&args.config);
            common::say(&format!(
                "{} moves weigh more or less by their results{again}",
                leans.len()
            ));
        }
    }
    account.tell();
    if lessons.games() == 0 {
        return Err(Failure::error(
            Exit::Failed,
            nothing(&account, player.as_ref(), &book),
        ));
    }
    let list = lessons.list(args.min);
    let most = if args.most == 0 { list.len() } else { args.most };
    common::print(draw(&list, most, args.number).as_bytes())?;
    common::say(&format!(
        "{} of {} games followed {}{}",
        lessons.games(),
        account.read,
        book.path(),
        account.broken()
    ));
    if let Some(path) = &args.patch {
        let revised = match args.number {
            true => lessons.number(args.min),
            false => lessons.revise(args.min),
        };
        let patch = unified(book.path(), book.text().as_str(), &revised);
        common::save(path, patch.as_bytes())?;
        // With the book named, patch asks neither for a folder nor whether its name is safe.
        common::say(&format!(
            "{} written; patch {} < {0} takes the advice",
            path.display(),
            book.path()
        ));
    }
    Ok(account.exit())
}

/// Why there is nothing to show.
fn nothing(account: &Account, player: Option<&Player>, book: &Book) -> String {
    let (read, book) = (account.read, book.path());
    let Some(player) = player else {
        return format!("in none of {read} games the bot played a move of {book}");
    };
    let absence = player.absence(read);
    if player.games() == 0 {
        return absence;
    }
    format!("{absence}; a move of {book} was played in none that has a result")
}

/// Refuses to write a patch over another file unless that is asked for, and over the book in any case.
fn must_be_free(patch: &Path, book: &Path, force: bool) -> anyhow::Result<()> {
    let same = match (fs::canonicalize(patch), fs::canonicalize(book)) {
        (Ok(patch), Ok(book)) => patch == book,
        _ => patch == book,
    };
    let sentence = match patch.try_exists() {
        _ if same => format!("{} is the book itself; a patch is another file", patch.display()),
        Ok(true) if !force => format!("{} is there already; --force writes over it", patch.display()),
        _ => return Ok(()),
    };
    Err(Failure::error(Exit::Usage, sentence))
}

/// What becomes of the learned weights where the bot computes them itself.
fn renewed_by_bot(settings: &Path) -> String {
    let makes_them = config::load(settings).is_ok_and(|(config, _)| config.state.book_learning);
    if makes_them {
        let settings = settings.display();
        format!(
            ", until the bot looks at its games: with book-learning in {settings} it does when it starts and each hour"
        )
    } else {
        String::new()
    }
}

fn draw(lessons: &[MoveStats], most: usize, numbered: bool) -> String {
    let is_patched = |one: &MoveStats| one.is_revised || numbered;
    let mut drawn = format!(
        "{:>5} {:>7} {:>9} {:>7} {:>7} {:>14}  move\n",
        "games", "points", "expected", "surplus", "verdict", "weight"
    );
    for one in lessons.iter().take(most) {
        let weight = if one.advised == one.weight {
            one.weight.to_string()
        } else if is_patched(one) {
            format!("{} > {}", one.weight, one.advised)
        } else {
            format!("{} ({})", one.weight, one.advised)
        };
        let verdict = one.verdict.map_or_else(
            || "-".to_owned(),
            |verdict| format!("{:+.2}", f64::from(verdict.0) / 100.0),
        );
        let after = if one.after.is_empty() {
            "the start"
        } else {
            &one.after
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            drawn,
            "{:>5} {:>7.1} {:>9.1} {:>+7.1} {verdict:>7} {weight:>14}  {} after {after}  [{}]",
            one.games,
            one.points,
            one.expected,
            one.surplus(),
            one.mv,
            one.at
        );
    }
    let more = lessons.len().saturating_sub(most);
    if more > 0 {
        let _ = writeln!(drawn, "... and {more} more; --most 0 shows all");
    }
    let is_left_out = |one: &MoveStats| one.advised != one.weight && !is_patched(one);
    if lessons.iter().any(is_left_out) {
        drawn += "(in brackets: of moves without a number outside choices, which a patch leaves alone unless it is made with --number)\n";
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::book::results::teach;
    use sparring_book as book;
    use sparring_chess::Games;

    #[test]
    fn a_patch_is_not_written_over_another_file_and_never_over_the_book() {
        let folder = tempfile::tempdir().unwrap();
        let (book, patch) = (folder.path().join("a.book"), folder.path().join("p.diff"));
        fs::write(&book, "1. e4\n").unwrap();
        assert!(must_be_free(&patch, &book, false).is_ok());
        fs::write(&patch, "").unwrap();
        let said = must_be_free(&patch, &book, false).unwrap_err().to_string();
        assert!(
            said.ends_with("p.diff is there already; --force writes over it"),
            "{said}"
        );
        assert!(must_be_free(&patch, &book, true).is_ok());
        let detour = folder.path().join(".").join("a.book");
        let said = must_be_free(&detour, &book, true).unwrap_err().to_string();
        assert!(
            said.ends_with("is the book itself; a patch is another file"),
            "{said}"
        );
    }

    #[test]
    fn it_is_told_where_a_bot_makes_leans_anew() {
        let folder = tempfile::tempdir().unwrap();
        let settings = folder.path().join("bot.toml");
        assert_eq!(renewed_by_bot(&settings), "");
        fs::write(&settings, "[state]\nbook-learning = true\n").unwrap();
        let said = renewed_by_bot(&settings);
        assert!(
            said.starts_with(", until the bot looks at its games: with book-learning in"),
            "{said}"
        );
        fs::write(&settings, "[state]\nbook-learning = false\n").unwrap();
        assert_eq!(renewed_by_bot(&settings), "");
    }

    #[test]
    fn the_player_learns_from_both_sides_by_rating() {
        let pgn = "[White \"Bot\"]\n[Black \"Ann\"]\n[WhiteElo \"1500\"]\n[BlackElo \"1900\"]\n[Result \"1-0\"]\n\n1. e4 c5 1-0\n\n\
                   [White \"Ann\"]\n[Black \"bot\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n\
                   [White \"Ann\"]\n[Black \"Cid\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n";
        let book = book::parse("a.book", "1. e4 60 | d4\n1. e4 e5 50 | c5\n")
            .0
            .unwrap();
        let mut lessons = LearnReport::new(&book);
        let mut games = Games::new(pgn.as_bytes(), 80);
        while let Some(game) = games.next_game().unwrap() {
            teach(&mut lessons, &mut None, &game, &Player::new("Bot"));
        }
        insta::assert_snapshot!(draw(&lessons.list(1), 9, false), @r"
        games  points  expected surplus verdict         weight  move
            1     0.0       0.5    -0.5       -        50 > 46  e5 after 1. e4  [a.book:2]
            1     1.0       0.1    +0.9       -        60 > 69  e4 after the start  [a.book:1]
        ");
    }
}
