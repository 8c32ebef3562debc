//! Games read from PGN, one after the other, however long the file is.

use std::{
    io::{self, Read},
    ops::ControlFlow,
};

use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};

use super::{Color, GameLine, Rules as _, Variant, parse_fen};

/// A game as it was recorded: its tags, and the moves up to where the reading stopped.
#[derive(Debug, Clone)]
pub struct RecordedGame {
    /// Names and values of the tags, in their order.
    pub tags: Vec<(String, String)>,
    /// The moves that were read.
    pub line: GameLine,
    /// What stopped the reading before its time: a move that is not legal, or a start that is no position.
    pub broken: Option<String>,
}

impl RecordedGame {
    /// The value of a tag. Unknown values, written as `?` or `-`, are none.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.tags.iter();
        let value = tags
            .find(|(tag, _)| tag == name)
            .map(|(_, value)| value.as_str())?;
        (!matches!(value, "" | "?" | "-")).then_some(value)
    }

    /// What White scored, in half points; none while the game is open.
    #[must_use]
    pub fn score_of_white(&self) -> Option<u32> {
        match self.tag("Result")? {
            "1-0" => Some(2),
            "0-1" => Some(0),
            "1/2-1/2" => Some(1),
            _ => None,
        }
    }

    /// What a side scored, in half points; none while the game is open.
    #[must_use]
    pub fn score_of(&self, side: Color) -> Option<u32> {
        let white = self.score_of_white()?;
        Some(if side == Color::White { white } else { 2 - white })
    }

    /// The rating of a side.
    #[must_use]
    pub fn rating_of(&self, side: Color) -> Option<u32> {
        self.tag(if side == Color::White {
            "WhiteElo"
        } else {
            "BlackElo"
        })?
        .trim_end_matches('?')
        .parse()
        .ok()
    }

    /// The name of a side.
    #[must_use]
    pub fn name_of(&self, side: Color) -> Option<&str> {
        self.tag(if side == Color::White { "White" } else { "Black" })
    }
}

/// Reads games from a stream that need not fit into memory. Comments and variations are passed over.
///
/// ```
/// use sparring::chess::Games;
///
/// let pgn = "[White \"Ann\"]\n[Result \"1-0\"]\n\n1. e4 e5 (1... c5) 2. Nf3 1-0\n";
/// let mut games = Games::new(pgn.as_bytes(), 2);
/// let game = games.next_game().unwrap().unwrap();
/// assert_eq!(game.tag("White"), Some("Ann"));
/// assert_eq!(game.line.uci_moves(), "e2e4 e7e5");
/// assert!(games.next_game().unwrap().is_none());
/// ```
pub struct Games<R> {
    reader: Reader<R>,
    recorder: Recorder,
}

impl<R: Read> Games<R> {
    /// Reads at most so many half moves of each game.
    pub fn new(stream: R, plies: usize) -> Self {
        Self {
            reader: Reader::new(stream),
            recorder: Recorder { plies },
        }
    }

    /// The next game; none at the end of the stream.
    ///
    /// # Errors
    /// Whatever reading fails with, or text that is no PGN.
    pub fn next_game(&mut self) -> io::Result<Option<RecordedGame>> {
        self.reader.read_game(&mut self.recorder)
    }
}

struct Recorder {
    plies: usize,
}

impl Visitor for Recorder {
    type Tags = Vec<(String, String)>;
    type Movetext = RecordedGame;
    type Output = RecordedGame;

    fn begin_tags(&mut self) -> ControlFlow<RecordedGame, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<RecordedGame> {
        let name = String::from_utf8_lossy(name).into_owned();
        tags.push((name, value.decode_utf8_lossy().into_owned()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<RecordedGame, RecordedGame> {
        let mut game = RecordedGame {
            tags,
            line: GameLine::new(Variant::Standard),
            broken: None,
        };
        let variant = match game.tag("Variant") {
            None => Ok(Variant::Standard),
            Some(name) => {
                variant_named(name).ok_or_else(|| format!("\"{name}\" is not a variant that lichess plays"))
            }
        };
        let start = variant.and_then(|variant| match game.tag("FEN") {
            None => Ok((variant, variant.start())),
            Some(fen) => parse_fen(variant, fen)
                .map(|start| (variant, start))
                .map_err(|error| error.to_string()),
        });
        match start {
            Ok((variant, start)) => {
                game.line = GameLine::from_position(variant, start);
                ControlFlow::Continue(game)
            }
            Err(error) => {
                game.broken = Some(error);
                ControlFlow::Break(game)
            }
        }
    }

    fn san(&mut self, game: &mut RecordedGame, san: SanPlus) -> ControlFlow<RecordedGame> {
        if game.line.ply() >= self.plies {
            return ControlFlow::Break(game.clone());
        }
        match san.san.to_move(game.line.position()) {
            Ok(mv) => {
                game.line.play(mv);
                ControlFlow::Continue(())
            }
            Err(_) => {
                let number = game.line.position().fullmoves();
                game.broken = Some(format!("\"{san}\" is not legal at move {number}"));
                ControlFlow::Break(game.clone())
            }
        }
    }

    fn begin_variation(&mut self, _: &mut RecordedGame) -> ControlFlow<RecordedGame, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, game: RecordedGame) -> RecordedGame {
        game
    }
}

/// A variant by what PGN files call it: lichess' names in any case, with or without blanks.
fn variant_named(name: &str) -> Option<Variant> {
    let bare = |name: &str| name.to_ascii_lowercase().replace([' ', '-'], "");
    let wanted = bare(name);
    let mut all = Variant::ALL.into_iter();
    all.find(|variant| [variant.key(), variant.name()].map(bare).contains(&wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(pgn: &str) -> Vec<RecordedGame> {
        let mut reader = Games::new(pgn.as_bytes(), 60);
        std::iter::from_fn(|| reader.next_game().unwrap()).collect()
    }

    #[test]
    fn tags_moves_and_results_are_read() {
        let read = games(
            "[White \"Ann\"]\n[Black \"?\"]\n[WhiteElo \"1512\"]\n[BlackElo \"-\"]\n[Result \"1/2-1/2\"]\n\n\
             1. e4! {best} e5 $1 (1... c5 2. Nf3) 2. Nf3 1/2-1/2\n\n[White \"Bob\"]\n\n1. d4 *\n",
        );
        assert_eq!(read.len(), 2);
        assert_eq!(read[0].line.uci_moves(), "e2e4 e7e5 g1f3");
        assert_eq!(read[0].name_of(Color::White), Some("Ann"));
        assert_eq!(read[0].name_of(Color::Black), None);
        assert_eq!(read[0].rating_of(Color::White), Some(1512));
        assert_eq!(read[0].rating_of(Color::Black), None);
        assert_eq!(read[0].score_of(Color::Black), Some(1));
        assert_eq!(read[1].score_of_white(), None);
    }

    #[test]
    fn a_broken_game_says_why_and_the_next_one_is_read() {
        let read = games(
            "1. e4 e5 2. Nf9 Nc6 *\n\n[Event \"x\"]\n\n1. e4 Ke7 *\n\n[FEN \"no\"]\n\n1. e4 *\n\n1. c4 *\n",
        );
        let broken: Vec<Option<&str>> = read.iter().map(|game| game.broken.as_deref()).collect();
        assert_eq!(broken[1], Some("\"Ke7\" is not legal at move 1"));
        assert!(broken[2].unwrap().contains("not a FEN"), "{broken:?}");
        assert_eq!(read.last().unwrap().line.uci_moves(), "c2c4");
    }

    #[test]
    fn starts_and_variants_are_those_of_the_tags() {
        let read = games(
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. e4 *\n\n\
             [Variant \"King of the Hill\"]\n\n1. e4 *\n\n[Variant \"Chessopoly\"]\n\n1. e4 *\n",
        );
        assert_eq!(read[0].line.uci_moves(), "e2e4");
        assert_eq!(read[1].line.variant(), Variant::KingOfTheHill);
        assert!(read[2].broken.is_some());
    }
}
