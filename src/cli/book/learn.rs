//! `sparring book learn`: what the lines of a book scored, and a patch for its weights.

use std::{fmt::Write as _, fs::File, io::BufReader, path::PathBuf};

use anyhow::Context as _;

use super::{desk, progress};
use crate::{
    book::{self, Lesson, Lessons, Outcome},
    chess::{Color, Games, RecordedGame},
    cli::exit::{Exit, Failure},
};

/// Shows what the moves of a book scored in games, and writes a patch for its weights. The book is not touched.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring book learn books/mine.book games.pgn --player MyBot               a table: what earns points, what costs them
  sparring book learn books/mine.book games.pgn --player MyBot --patch p.diff
  patch -p0 < p.diff                                                          takes the advice, after you have read it

Expected points come from the ratings of both players; a half where they are not known. With few games the advice is
timid: it takes 8 games to count half.")]
pub struct Args {
    /// The book.
    book: PathBuf,
    /// The games, as PGN.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Who followed the book; upper and lower case are the same.
    #[arg(long, value_name = "NAME")]
    player: String,
    /// Says nothing of moves with fewer games.
    #[arg(long, default_value_t = 4, value_name = "GAMES")]
    min: u32,
    /// Shows so many moves at most; 0 for all.
    #[arg(long, default_value_t = 40, value_name = "MOVES")]
    most: usize,
    /// Writes the advice for moves with numbers to this file, as a patch.
    #[arg(long, value_name = "FILE")]
    patch: Option<PathBuf>,
    /// No progress on stderr.
    #[arg(short, long)]
    quiet: bool,
}

/// How far into a game a book is looked for.
const PLIES: usize = 80;

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let book = desk::read(&args.book)?;
    let mut lessons = Lessons::new(&book);
    let mut read = 0_u64;
    for path in &args.games {
        let sentence =
            |error| Failure::error(Exit::Usage, format!("cannot read {}: {error}", path.display()));
        let file = File::open(path).map_err(sentence)?;
        let length = file.metadata().ok().map(|metadata| metadata.len());
        let bar = progress::bytes(length, args.quiet);
        let mut games = Games::new(BufReader::new(bar.wrap_read(file)), PLIES);
        while let Some(game) = games
            .next_game()
            .with_context(|| format!("{} after {read} games", path.display()))?
        {
            read += 1;
            teach(&mut lessons, &game, &args.player);
        }
        bar.finish_and_clear();
    }
    if lessons.games() == 0 {
        let sentence = format!(
            "in none of {read} games \"{}\" played a move of {}",
            args.player,
            book.path()
        );
        return Err(Failure::error(Exit::Failed, sentence));
    }
    let list = lessons.list(args.min);
    let most = if args.most == 0 { list.len() } else { args.most };
    desk::print(draw(&list, most).as_bytes())?;
    desk::say(&format!(
        "{} of {read} games followed {}",
        lessons.games(),
        book.path()
    ));
    if let Some(path) = &args.patch {
        let patch = unified(book.path(), book.text().as_str(), &lessons.revise(args.min));
        desk::save(path, patch.as_bytes())?;
        desk::say(&format!(
            "{} written; patch -p0 < {0} takes the advice",
            path.display()
        ));
    }
    Ok(Exit::Success)
}

fn teach(lessons: &mut Lessons<'_>, game: &RecordedGame, player: &str) {
    for side in [Color::White, Color::Black] {
        let is_player = game
            .name_of(side)
            .is_some_and(|name| name.to_lowercase() == player.to_lowercase());
        let (true, Some(half_points)) = (is_player, game.score_of(side)) else {
            continue;
        };
        let ratings = game.rating_of(side).zip(game.rating_of(side.other()));
        lessons.add(&Outcome {
            line: &game.line,
            side,
            half_points,
            expected: ratings.map_or(0.5, |(own, other)| book::expected_score(own, other)),
        });
    }
}

fn draw(lessons: &[Lesson], most: usize) -> String {
    let mut drawn = format!(
        "{:>5} {:>7} {:>9} {:>7} {:>14}  move\n",
        "games", "points", "expected", "surplus", "weight"
    );
    for one in lessons.iter().take(most) {
        let weight = if one.advised == one.weight {
            one.weight.to_string()
        } else {
            format!("{} > {}", one.weight, one.advised)
        };
        let after = if one.after.is_empty() {
            "the start"
        } else {
            &one.after
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            drawn,
            "{:>5} {:>7.1} {:>9.1} {:>+7.1} {weight:>14}  {} after {after}  [{}]",
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
    drawn
}

/// A patch between two texts of which only single lines differ. Empty where none does.
fn unified(name: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (
        old.split_inclusive('\n').collect(),
        new.split_inclusive('\n').collect(),
    );
    let mut patch = String::new();
    for (index, (before, after)) in old.iter().zip(&new).enumerate() {
        if before == after {
            continue;
        }
        if patch.is_empty() {
            patch = format!("--- {name}\n+++ {name}\n");
        }
        let number = index + 1;
        let _ = write!(
            patch,
            "@@ -{number} +{number} @@\n-{}+{}",
            ended(before),
            ended(after)
        );
    }
    patch
}

/// A line of a patch; one at the end of a text without an ending says so.
fn ended(line: &str) -> String {
    if line.ends_with('\n') {
        line.to_owned()
    } else {
        format!("{line}\n\\ No newline at end of file\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patch_holds_the_lines_that_change() {
        assert_eq!(
            unified(
                "a.book",
                "# x\ne4 60 | d4 40\ne4 e5\nc4 5",
                "# x\ne4 50 | d4 50\ne4 e5\nc4 6"
            ),
            "--- a.book\n+++ a.book\n@@ -2 +2 @@\n-e4 60 | d4 40\n+e4 50 | d4 50\n\
             @@ -4 +4 @@\n-c4 5\n\\ No newline at end of file\n+c4 6\n\\ No newline at end of file\n"
        );
        assert_eq!(unified("a.book", "same\n", "same\n"), "");
    }

    #[test]
    fn the_player_learns_from_both_sides_by_rating() {
        let pgn = "[White \"Bot\"]\n[Black \"Ann\"]\n[WhiteElo \"1500\"]\n[BlackElo \"1900\"]\n[Result \"1-0\"]\n\n1. e4 c5 1-0\n\n\
                   [White \"Ann\"]\n[Black \"bot\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n\
                   [White \"Ann\"]\n[Black \"Cid\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n";
        let book = book::parse("a.book", "1. e4 60 | d4\n1. e4 e5 50 | c5\n")
            .0
            .unwrap();
        let mut lessons = Lessons::new(&book);
        let mut games = Games::new(pgn.as_bytes(), PLIES);
        while let Some(game) = games.next_game().unwrap() {
            teach(&mut lessons, &game, "Bot");
        }
        insta::assert_snapshot!(draw(&lessons.list(1), 9), @r"
        games  points  expected surplus         weight  move
            1     0.0       0.5    -0.5        50 > 46  e5 after 1. e4  [a.book:2]
            1     1.0       0.1    +0.9        60 > 69  e4 after the start  [a.book:1]
        ");
    }
}
