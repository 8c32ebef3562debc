//! Games of people, one JSON object a line, and which of them a fit may see.

use std::{
    io::BufReader,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use serde::Deserialize;

use sparring_chess::{GameHistory, Variant, units::Millis};
use sparring_files::{self as files, lines::Lines};
use sparring_journal::fnv64;
use sparring_personality::human_model::Context;
use sparring_policy_net::{Clock, Speed};

/// One rated game of the files. Unused fields are left out.
#[derive(Debug, Clone, Deserialize)]
pub struct HumanGame {
    /// Names the game, and decides which part it belongs to.
    pub id: String,
    /// Where it was found.
    pub src: String,
    /// lichess' class of speed, where known.
    pub speed: Option<String>,
    /// Seconds at the start and added with each move.
    pub tc: Option<[u32; 2]>,
    /// Ratings of White and Black.
    pub elo: [u16; 2],
    /// In UCI notation, separated by spaces.
    pub moves: String,
    /// Seconds left after each move.
    pub clk: Option<Vec<u32>>,
}

/// Use of a game, which follows from its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Weights are fitted on it: 81 of 100 games.
    Fit,
    /// Early stopping: 4 of 100.
    Tune,
    /// Only ever reported on: 15 of 100.
    Report,
}

impl Part {
    /// By the 64-bit FNV-1a hash of the id.
    #[must_use]
    pub fn of(id: &str) -> Self {
        let hash = fnv64(id.as_bytes());
        // FNV's low bits are its weak ones.
        match (hash >> 32) % 100 {
            0..15 => Self::Report,
            15..19 => Self::Tune,
            _ => Self::Fit,
        }
    }
}

impl HumanGame {
    /// Use of the game.
    #[must_use]
    pub fn part(&self) -> Part {
        Part::of(&self.id)
    }

    /// Whether it is known to be no bullet.
    #[must_use]
    pub fn is_unhurried(&self) -> bool {
        !matches!(self.speed.as_deref(), None | Some("bullet" | "ultrabullet"))
    }

    /// What is known of the mover at a ply, the opponent and their clocks.
    #[must_use]
    pub fn player(&self, ply: usize) -> Context {
        let after = |ply: usize| self.clk.as_ref()?.get(ply).copied();
        // Of the side that moved so many plies before; at first it is the initial time.
        let left = |back: usize, initial: u32| match ply.checked_sub(back) {
            Some(ply) => after(ply),
            None => self.clk.as_ref().map(|_| initial),
        };
        let thought = |back: usize| {
            let last = ply.checked_sub(back)?;
            let spent = (after(last.checked_sub(2)?)? + self.tc?[1]).saturating_sub(after(last)?);
            Some(Millis::from_secs(spent.into()))
        };
        let clock = self.tc.map(|[initial, increment]| {
            let seconds = |seconds: u32| Millis::from_secs(seconds.into());
            Clock {
                initial: seconds(initial),
                increment: seconds(increment),
                left: left(2, initial).map(seconds),
                opponent_left: left(1, initial).map(seconds),
            }
        });
        Context {
            rating: self.elo[ply % 2],
            opponent_rating: Some(self.elo[1 - ply % 2]),
            speed: match self.speed.as_deref() {
                Some("bullet") => Some(Speed::Bullet),
                Some("blitz") => Some(Speed::Blitz),
                Some("rapid") => Some(Speed::Rapid),
                Some("classical") => Some(Speed::Classical),
                _ => None,
            },
            clock,
            last_think: thought(2),
            opponent_last_think: thought(1),
        }
    }

    /// Rating of the mover at a ply.
    #[must_use]
    pub fn mover(&self, ply: usize) -> f32 {
        f32::from(self.elo[ply % 2])
    }

    /// All positions of the game, ending with the last.
    ///
    /// # Errors
    /// When a move of the file is not legal; the message names it and the game.
    pub fn line(&self) -> anyhow::Result<GameHistory> {
        GameHistory::replay(Variant::Standard, "startpos", &self.moves)
            .with_context(|| format!("game \"{}\"", self.id))
    }

    /// Whether the game says something about how people play: no single player's collection, no ultrabullet or
    /// correspondence.
    fn is_usual(&self) -> bool {
        self.src != "bodmer" && !matches!(self.speed.as_deref(), Some("ultrabullet" | "correspondence"))
    }
}

/// The files of games in a folder.
const FILES: [&str; 2] = ["games-moves.jsonl", "games-clock.jsonl"];

/// Reads the usual games of a folder's two files, each plain or compressed as `.zst`.
///
/// # Errors
/// When the folder or a file is missing or a line is not a game; the message says where to put them.
pub fn read(folder: &Path) -> anyhow::Result<Vec<HumanGame>> {
    let mut games = Vec::new();
    for name in FILES {
        let path = find(folder, name)?;
        each_line(&path, |game: HumanGame| {
            if game.is_usual() {
                games.push(game);
            }
        })?;
    }
    Ok(games)
}

/// The file of this name, or its compressed twin.
///
/// # Errors
/// When neither is there.
pub fn find(folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let candidates = [folder.join(name), folder.join(format!("{name}.zst"))];
    match candidates.into_iter().find(|path| path.is_file()) {
        Some(path) => Ok(path),
        None => bail!(
            "no {name} or {name}.zst in \"{}\": the games of people are not part of this repository, \
             lab/human-model/README.md says what they are",
            folder.display()
        ),
    }
}

/// Reads a file of JSON lines, value by value.
///
/// # Errors
/// When the file cannot be read or a line does not fit.
pub fn each_line<T: for<'a> Deserialize<'a>>(path: &Path, mut take: impl FnMut(T)) -> anyhow::Result<()> {
    let file = files::open_packed(path).with_context(|| format!("\"{}\"", path.display()))?;
    let mut lines = Lines::new(BufReader::new(file));
    let mut number = 0;
    while let Some(line) = lines
        .next_text()
        .with_context(|| format!("\"{}\"", path.display()))?
    {
        number += 1;
        take(
            serde_json::from_str(&line)
                .with_context(|| format!("{}:{number}: not what is expected", path.display()))?,
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(id: &str, speed: Option<&str>) -> HumanGame {
        HumanGame {
            id: id.to_owned(),
            src: "ours".to_owned(),
            speed: speed.map(str::to_owned),
            tc: None,
            elo: [1200, 1300],
            moves: "e2e4 e7e5".to_owned(),
            clk: None,
        }
    }

    #[test]
    fn a_game_always_belongs_to_the_same_part() {
        let parts: Vec<Part> = (0..10_000).map(|id| Part::of(&format!("ours:{id}"))).collect();
        let share = |part| parts.iter().filter(|other| **other == part).count();
        assert!(
            (1350..1650).contains(&share(Part::Report)),
            "{}",
            share(Part::Report)
        );
        assert!((300..500).contains(&share(Part::Tune)), "{}", share(Part::Tune));
        assert_eq!(Part::of("ours:1"), Part::of("ours:1"));
    }

    #[test]
    fn clocks_and_think_times_are_those_of_mover_and_opponent() {
        let timed = HumanGame {
            tc: Some([180, 2]),
            clk: Some(vec![180, 179, 175, 170]),
            ..game("a", Some("blitz"))
        };
        let seconds = |seconds| Some(Millis::from_secs(seconds));
        let first = timed.player(0).clock.unwrap();
        assert_eq!([first.left, first.opponent_left], [seconds(180); 2]);
        let fifth = timed.player(4);
        let clock = fifth.clock.unwrap();
        assert_eq!([clock.left, clock.opponent_left], [seconds(175), seconds(170)]);
        assert_eq!(
            [fifth.last_think, fifth.opponent_last_think],
            [seconds(7), seconds(11)]
        );
        assert_eq!((fifth.rating, fifth.opponent_rating), (1200, Some(1300)));
    }

    #[test]
    fn a_false_move_is_named_with_its_game() {
        let broken = HumanGame {
            moves: "e2e4 e7e5 e4e5".to_owned(),
            ..game("ours:7", None)
        };
        let error = format!("{:#}", broken.line().unwrap_err());
        assert!(error.contains("ours:7") && error.contains("move 3"), "{error}");
    }

    #[test]
    fn a_folder_without_games_says_what_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("games-moves.jsonl") && error.contains("lab/human-model/README.md"),
            "{error}"
        );
    }

    #[test]
    fn unusual_games_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let row = |id: &str, src: &str, speed: &str| {
            format!(
                "{{\"id\":\"{id}\",\"src\":\"{src}\",\"speed\":\"{speed}\",\"elo\":[1500,1600],\"moves\":\"e2e4\"}}\n"
            )
        };
        let rows = row("a", "x", "blitz") + &row("b", "bodmer", "blitz") + &row("c", "x", "correspondence");
        std::fs::write(folder.path().join("games-moves.jsonl"), rows).unwrap();
        std::fs::write(folder.path().join("games-clock.jsonl"), row("d", "x", "bullet")).unwrap();
        let ids: Vec<String> = read(folder.path())
            .unwrap()
            .into_iter()
            .map(|game| game.id)
            .collect();
        assert_eq!(ids, ["a", "d"]);
        let is_unhurried = |speed| game("a", speed).is_unhurried();
        assert!(is_unhurried(Some("blitz")) && !is_unhurried(Some("bullet")) && !is_unhurried(None));
    }
}
