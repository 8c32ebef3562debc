//! The positions that games start from: EPD or FEN, one a line, or the ends of games in PGN, drawn in a seeded order.

use std::{collections::HashSet, io, path::Path};

use rand::{SeedableRng as _, rngs::ChaCha8Rng, seq::SliceRandom as _};
use thiserror::Error;

use super::{epd, reason::Reason};
use sparring_chess::{
    GameHistory, Games, Position, RecordedGame, Variant, key, parse_fen, split_epd, units::Elo, write_fen,
};
use sparring_engine::{Engine, is_balanced};
use sparring_files as files;
use sparring_personality::human_model::{Context, Model};

/// A start position for two games, one with each engine as White.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The position.
    pub position: Position,
    /// Its name, or its FEN if it has none.
    pub name: String,
}

impl Opening {
    /// The end of a line, named by its moves.
    #[must_use]
    pub fn after(line: &GameHistory) -> Self {
        Self {
            position: line.position().clone(),
            name: line.uci_moves(),
        }
    }
}

/// A file of openings that cannot be used.
#[derive(Debug, Error)]
pub enum OpeningsError {
    /// A line holds no position.
    #[error("line {line}: {why}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// There are only comments and empty lines.
    #[error("there is no opening in it")]
    Empty,
    /// No PGN game gives an opening.
    #[error("there is no opening in it{0}")]
    NoGame(String),
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] io::Error),
}

/// The openings of a file.
#[derive(Debug, Clone)]
pub struct OpeningSet {
    /// In the order that the seed gives them.
    pub openings: Vec<Opening>,
    /// The identity of this set: the lines of an EPD file, or the positions after the games of a PGN file.
    pub text: String,
    /// Remarks on the file: games that are left out and why, repeated positions.
    pub remarks: Vec<String>,
}

/// What is read of a file of openings.
#[derive(Debug, Clone, Copy)]
pub struct OpeningOptions {
    /// The rules by which positions are read, and games are kept.
    pub variant: Variant,
    /// An opening is the position of a game after so many half moves, or at its end; [`usize::MAX`] for always its end.
    pub plies: usize,
    /// Orders the openings.
    pub seed: u64,
}

impl OpeningOptions {
    /// Whole games of standard chess.
    #[must_use]
    pub fn standard(seed: u64) -> Self {
        Self {
            variant: Variant::Standard,
            plies: usize::MAX,
            seed,
        }
    }

    /// Whether a game of this variant leads to an opening: standard chess from other starts is still standard chess.
    fn takes(&self, variant: Variant) -> bool {
        let standard = |variant| matches!(variant, Variant::Standard | Variant::FromPosition);
        variant == self.variant || standard(variant) && standard(self.variant)
    }
}

/// Reads a file of openings: games in PGN, recognised by the name (`.pgn`) or by how they begin, or lines as [`read`]
/// takes them.
///
/// # Errors [`OpeningsError`] when the file cannot be read, has no opening, or has an invalid line.
pub fn read_file(path: &Path, options: OpeningOptions) -> Result<OpeningSet, OpeningsError> {
    let bytes = files::read_unpacked(path, epd::MOST)?;
    let named = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"));
    let text = epd::text_of(&bytes);
    if named || is_pgn(&text) {
        return read_games(&bytes, options);
    }
    let openings = read(&text, options.variant, options.seed)?;
    let positions: HashSet<u64> = openings.iter().map(|opening| key(&opening.position)).collect();
    let repeated = openings.len() - positions.len();
    let mut remarks = Vec::new();
    if repeated > 0 {
        let all = openings.len();
        remarks.push(format!(
            "{repeated} of {all} openings are positions that come up before"
        ));
    }
    if options.plies != usize::MAX {
        remarks.push("a number of half moves is for games in PGN: these are positions".to_owned());
    }
    Ok(OpeningSet {
        openings,
        text,
        remarks,
    })
}

/// Whether a text is PGN: no line of EPD or FEN begins like that.
fn is_pgn(text: &str) -> bool {
    let first = text.trim_start();
    first.starts_with(['[', '{', '%']) || first.starts_with("1.")
}

/// Counts of the games of a file.
#[derive(Debug, Default)]
struct Tally {
    games: usize,
    broken: usize,
    over: usize,
    strange: usize,
    repeated: usize,
    remarks: Vec<String>,
}

impl Tally {
    /// How many games were left out, and why; empty where none were.
    fn left_out(&self) -> String {
        let reasons = [
            (self.broken, "broken"),
            (self.over, "over by then"),
            (self.strange, "of other rules"),
            (self.repeated, "ending in the position of another"),
        ];
        let reasons: Vec<String> = reasons
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, why)| format!("{count} {why}"))
            .collect();
        if reasons.is_empty() {
            return String::new();
        }
        format!("; left out: {}", reasons.join(", "))
    }

    /// Counts a broken game, with a remark for each of the first ones.
    fn record_broken(&mut self, why: &str) {
        const MOST: usize = 20;
        self.broken += 1;
        match self.broken {
            ..=MOST => self.remarks.push(format!("game {}: {why}", self.games)),
            1.. if self.broken == MOST + 1 => {
                self.remarks.push("more broken games are counted only".to_owned())
            }
            _ => {}
        }
    }
}

/// Reads games and keeps their final positions, each once. Games that are broken, over, or of other rules are left out.
fn read_games(bytes: &[u8], options: OpeningOptions) -> Result<OpeningSet, OpeningsError> {
    let mut games = Games::new(bytes, options.plies);
    let (mut openings, mut seen, mut tally) = (Vec::new(), HashSet::new(), Tally::default());
    loop {
        let game = match games.next_game() {
            Ok(Some(game)) => game,
            Ok(None) => break,
            Err(error) => {
                tally.games += 1;
                tally.record_broken(&error.to_string());
                break;
            }
        };
        tally.games += 1;
        let line = &game.line;
        if let Some(why) = &game.broken {
            tally.record_broken(&why.to_string());
        } else if !options.takes(line.variant()) {
            tally.strange += 1;
        } else if line.outcome().is_some() {
            tally.over += 1;
        } else if !seen.insert(key(line.position())) {
            tally.repeated += 1;
        } else {
            openings.push(Opening {
                name: name_of(&game),
                position: line.position().clone(),
            });
        }
    }
    if openings.is_empty() {
        return Err(OpeningsError::NoGame(tally.left_out()));
    }
    if tally.games > openings.len() {
        let sentence = format!(
            "{} openings of {} games{}",
            openings.len(),
            tally.games,
            tally.left_out()
        );
        tally.remarks.push(sentence);
    }
    let fens: Vec<String> = openings
        .iter()
        .map(|opening| write_fen(&opening.position))
        .collect();
    openings.shuffle(&mut ChaCha8Rng::seed_from_u64(options.seed));
    Ok(OpeningSet {
        openings,
        text: fens.join("\n"),
        remarks: tally.remarks,
    })
}

/// The name of the opening that a game begins with, else its moves, else its position.
fn name_of(game: &RecordedGame) -> String {
    let tags = ["ECO", "Opening", "Variation"]
        .iter()
        .filter_map(|tag| game.tag(tag));
    let name = tags.collect::<Vec<_>>().join(" ");
    if name.is_empty() && game.line.ply() > 0 {
        return game.line.uci_moves();
    }
    if name.is_empty() {
        return write_fen(game.line.position());
    }
    name
}

/// Reads openings of a variant, one a line as EPD or FEN; empty lines and those that begin with `#` do not count.
///
/// The order is shuffled by the seed, so that a short match and a long one begin alike.
///
/// # Errors
/// [`OpeningsError`] names the first line that is no position, or one without a game to play.
pub fn read(text: &str, variant: Variant, seed: u64) -> Result<Vec<Opening>, OpeningsError> {
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // A line of too few fields is quoted as a whole.
        let (fen, rest) = split_epd(line).unwrap_or_else(|| (line.to_owned(), ""));
        let wrong = |why| OpeningsError::Line { line: index + 1, why };
        let position = parse_fen(variant, &fen).map_err(|error| wrong(error.to_string()))?;
        let game = GameHistory::from_position(variant, position.clone());
        if let Some(outcome) = game.outcome() {
            // Such a pair would count as two draws.
            return Err(wrong(format!(
                "the game is over there ({})",
                Reason::Rules(outcome).word()
            )));
        }
        let name = rest.split("id \"").nth(1).and_then(|id| id.split('"').next());
        openings.push(Opening {
            name: name.map_or_else(|| write_fen(&position), str::to_owned),
            position,
        });
    }
    if openings.is_empty() {
        return Err(OpeningsError::Empty);
    }
    openings.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    Ok(openings)
}

/// An opening as people play it, a different one for each number: eight half moves by the human model, after which
/// neither side is more than a pawn ahead.
#[must_use]
pub fn human(seed: u64, number: u64) -> Opening {
    const PLIES: usize = 8;
    const PLAYERS: Elo = Elo(1800);
    const LEVEL: i32 = 100;
    let mut attempt = 0;
    loop {
        // Numbers and attempts do not collide below 2^20 attempts.
        let luck = seed ^ (number << 20 | attempt);
        attempt += 1;
        let mut line = GameHistory::new(Variant::Standard);
        for _ in 0..PLIES {
            if let Some(chosen) = Model::shipped().choose(&line, &Context::rated(PLAYERS), &[], luck) {
                line.play(chosen.mv);
            }
        }
        if is_balanced(&mut Engine::new(1), &line, LEVEL) {
            return Opening::after(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# two\nrnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id \"B00 King's Pawn\"; ce 20;\n\
                        8/8/8/8/8/4k3/8/4K2R w K - 3 40\n";

    #[test]
    fn epd_and_fen_are_read_and_the_seed_orders_them() {
        let openings = read(TEXT, Variant::Standard, 1).unwrap();
        let mut names: Vec<&str> = openings.iter().map(|opening| opening.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["8/8/8/8/8/4k3/8/4K2R w K - 3 40", "B00 King's Pawn"]);
        let order = |seed| {
            read(&TEXT.repeat(20), Variant::Standard, seed)
                .unwrap()
                .into_iter()
                .map(|o| o.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
    }

    /// The names of the openings of a file with this name and text, and the remarks.
    fn file(name: &str, text: &str, plies: usize) -> Result<(Vec<String>, Vec<String>), OpeningsError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let options = OpeningOptions {
            plies,
            ..OpeningOptions::standard(1)
        };
        let set = read_file(&path, options)?;
        let mut names: Vec<String> = set.openings.into_iter().map(|opening| opening.name).collect();
        names.sort_unstable();
        Ok((names, set.remarks))
    }

    const GAMES: &str = "[ECO \"B20\"]\n[Opening \"Sicilian\"]\n\n1. e4 c5 2. Nc3 *\n\n\
        [Event \"broken\"]\n\n1. e4 e5 2. Ke3 *\n\n\
        [Event \"the same position\"]\n\n1. Nc3 c5 2. e4 *\n\n\
        [Event \"mate\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n\
        [Event \"other rules\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n\
        [Event \"elsewhere\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. e4 *\n";

    #[test]
    fn games_are_openings_up_to_where_they_lead() {
        let (names, remarks) = file("a.pgn", GAMES, usize::MAX).unwrap();
        assert_eq!(names, ["B20 Sicilian", "e2e4"]);
        assert_eq!(remarks.len(), 2, "{remarks:?}");
        assert!(remarks[0].starts_with("game 2: "), "{remarks:?}");
        assert_eq!(
            remarks[1],
            "2 openings of 6 games; left out: 1 broken, 1 over by then, 1 of other rules, 1 ending in the position of another"
        );
        // Known by how they begin, and cut where they go apart or where the mistake comes later.
        let (names, remarks) = file("a.txt", GAMES, 1).unwrap();
        assert_eq!(names, ["B20 Sicilian", "b1c3", "e2e4", "f2f3"]);
        assert_eq!(remarks.len(), 1, "{remarks:?}");
        let (names, _) = file("a.txt", "1. e4 e5 *\n\n1. d4 d5 *\n", 2).unwrap();
        assert_eq!(names.len(), 2);
        let error = file("a.pgn", "[Event \"x\"]\n\n1. e5 *\n", 9).unwrap_err();
        assert_eq!(error.to_string(), "there is no opening in it; left out: 1 broken");
    }

    #[test]
    fn lines_are_read_and_repeated_positions_reported() {
        let (names, remarks) = file("a.epd", TEXT, usize::MAX).unwrap();
        assert_eq!((names.len(), remarks.len()), (2, 0));
        let (_, remarks) = file("a.epd", TEXT, 1).unwrap();
        assert_eq!(
            remarks,
            ["a number of half moves is for games in PGN: these are positions"]
        );
        let (names, remarks) = file("a.epd", &TEXT.repeat(2), usize::MAX).unwrap();
        assert_eq!(names.len(), 4);
        assert_eq!(remarks, ["2 of 4 openings are positions that come up before"]);
    }

    #[test]
    fn openings_are_those_of_the_variant() {
        let lines = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 2+3 0 1 id \"one check\";\n\
            rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 +0+1\n";
        let mut openings = read(lines, Variant::ThreeCheck, 1).unwrap();
        openings.sort_by(|one, other| one.name.cmp(&other.name));
        let names: Vec<&str> = openings.iter().map(|opening| opening.name.as_str()).collect();
        let second = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 3+2 0 2";
        assert_eq!(names, ["one check", second]);
        let hill = "8/8/8/4k3/8/8/8/K7 w - - 0 1";
        assert!(read(hill, Variant::Horde, 1).is_err());
        let error = read(hill, Variant::KingOfTheHill, 1).unwrap_err();
        assert!(
            error.to_string().ends_with("the game is over there (variant)"),
            "{error}"
        );
        let atomic = OpeningOptions {
            variant: Variant::Atomic,
            ..OpeningOptions::standard(1)
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pgn");
        std::fs::write(&path, GAMES).unwrap();
        let set = read_file(&path, atomic).unwrap();
        assert_eq!(set.openings.len(), 1);
        assert_eq!(set.openings[0].name, "e2e4");
    }

    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_refused() {
        let error = read_file(Path::new("/dev/zero"), OpeningOptions::standard(1)).unwrap_err();
        assert_eq!(error.to_string(), "this is a device, not a file");
    }

    #[test]
    fn a_bad_line_is_named() {
        let read = |text| read(text, Variant::Standard, 0);
        let error = read("\nnot a position\n").unwrap_err();
        assert!(error.to_string().starts_with("line 2: "), "{error}");
        let over = read("7k/5Q2/8/8/8/8/8/K7 b - - 0 1").unwrap_err();
        assert_eq!(over.to_string(), "line 1: the game is over there (stalemate)");
        assert!(matches!(read("# nothing\n").unwrap_err(), OpeningsError::Empty));
    }
}
