//! PGN reader: games one after the other, in constant memory however long the file is.
//!
//! The main line of a game ends at the first word that does not fit it: no game goes on from a position that did not
//! occur in it.

mod languages;
mod reading;
mod source;
mod spelling;
mod start;
mod tokens;
mod word;

#[cfg(test)]
mod tests;

use std::{
    fmt,
    io::{self, Read},
};

use self::{
    reading::{ReadWord, Reading},
    source::Place,
    tokens::{MoveWord, Tag, Token, Tokens},
    word::{Kind, ResultWord, classify, outcome},
};
use super::{Color, GameHistory, Variant, in_plain_signs};

/// No game of chess has as many half moves: by the rule of 75 moves it ends long before.
const LONGEST: usize = 20_000;

/// The most tags kept of a game.
const TAGS: usize = 256;

/// A game as it was recorded: its tags, and the moves up to where the reading stopped.
#[derive(Debug, Clone)]
pub struct RecordedGame {
    /// Its place among the games of the stream, from 1.
    pub number: u64,
    /// Names and values of the tags, in their order. Of several with one name the first is kept.
    pub tags: Vec<(String, String)>,
    /// The moves that were read.
    pub line: GameHistory,
    /// What stopped the reading before its time: a word that is no legal move, a number that does not fit, a start
    /// that is no position, or the end of a text that was cut.
    pub broken: Option<Break>,
    /// The result at the end of the moves.
    marker: Option<ResultWord>,
}

/// What stopped the reading of a game, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    /// The line of the text, from 1.
    pub line: u64,
    /// The character of the line, from 1.
    pub column: u64,
    /// What is wrong: lower case, no full stop.
    pub message: String,
}

impl Break {
    fn new(place: Place, message: impl Into<String>) -> Self {
        Self {
            line: place.line,
            column: place.column,
            message: message.into(),
        }
    }
}

impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl RecordedGame {
    /// The value of a tag, whose name may be in any case. Unknown values, written as `?` or `-`, are none.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.tags.iter();
        let value = tags
            .find(|(tag, _)| tag.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())?;
        (!matches!(value, "" | "?" | "-")).then_some(value)
    }

    /// White's score in half points; none while the game is open.
    ///
    /// The tag `Result` takes precedence over the result at the end of the moves.
    #[must_use]
    pub fn score_of_white(&self) -> Option<u32> {
        match self.outcome_of_tag().or(self.marker)? {
            ResultWord::Won(Color::White) => Some(2),
            ResultWord::Won(Color::Black) => Some(0),
            ResultWord::Drawn => Some(1),
            ResultWord::Open => None,
        }
    }

    fn outcome_of_tag(&self) -> Option<ResultWord> {
        let value = self.tag("Result")?;
        let plain = in_plain_signs(value).unwrap_or_else(|| value.to_owned());
        outcome(&plain.replace(' ', "")).filter(|outcome| *outcome != ResultWord::Open)
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
/// use sparring_chess::Games;
///
/// let pgn = "[White \"Ann\"]\n[Result \"1-0\"]\n\n1. e4 e5 (1... c5) 2. Nf3 1-0\n";
/// let mut games = Games::new(pgn.as_bytes(), 2);
/// let game = games.next_game().unwrap().unwrap();
/// assert_eq!(game.tag("White"), Some("Ann"));
/// assert_eq!(game.line.uci_moves(), "e2e4 e7e5");
/// assert!(games.next_game().unwrap().is_none());
/// ```
pub struct Games<R> {
    tokens: Tokens<R>,
    plies: usize,
    /// How many games were begun.
    number: u64,
    /// What was read of the next game.
    kept: Option<Token>,
    /// The line of the last result.
    result_line: Option<u64>,
}

impl<R: Read> Games<R> {
    /// Reads at most `plies` half moves of each game.
    pub fn new(stream: R, plies: usize) -> Self {
        Self {
            tokens: Tokens::new(stream),
            plies: plies.min(LONGEST),
            number: 0,
            kept: None,
            result_line: None,
        }
    }

    /// Reads at most `plies` half moves of each game from the next one on. Below two, where a game without tags ends may be seen
    /// otherwise.
    pub fn set_plies(&mut self, plies: usize) {
        self.plies = plies.min(LONGEST);
    }

    /// The next game; none at the end of the stream.
    ///
    /// # Errors Read errors only. A game whose text makes no sense is broken, not an error.
    pub fn next_game(&mut self) -> io::Result<Option<RecordedGame>> {
        loop {
            let header = self.header()?;
            let token = self.take()?;
            let is_over = matches!(token, Token::End(_)) && header.tags.is_empty();
            self.kept = Some(token);
            if is_over {
                return Ok(None);
            }
            let game = self.movetext(header)?;
            if game.is_some() {
                return Ok(game);
            }
        }
    }

    fn take(&mut self) -> io::Result<Token> {
        match self.kept.take() {
            Some(token) => Ok(token),
            None => self.tokens.next(),
        }
    }

    fn header(&mut self) -> io::Result<Header> {
        let mut header = Header::default();
        loop {
            match self.take()? {
                Token::Tag(tag) if !header.is_of_another_game(&tag) => header.add(tag),
                token => {
                    self.kept = Some(token);
                    return Ok(header);
                }
            }
        }
    }

    /// The game with these tags; none where there is neither tag nor move, as after a result that is written twice.
    fn movetext(&mut self, header: Header) -> io::Result<Option<RecordedGame>> {
        let (mut game, mut reading) = header.begin(self.plies);
        let mut variation = Nesting::default();
        loop {
            match self.take()? {
                Token::Open(place) => variation.open(place),
                Token::Close(place) if !variation.close() => {
                    reading.stop(place, "\")\" ends no variation");
                }
                Token::UnclosedComment(place) => reading.cut(place, "the comment is not closed"),
                // `1-0 White resigned`
                Token::Word(word)
                    if self.result_line == Some(word.place.line)
                        && !reading.has_begun()
                        && is_remark(&word) => {}
                Token::Word(word) if variation.depth == 0 => match reading.read_word(&word) {
                    ReadWord::Goes => {}
                    ReadWord::Ends(outcome) => {
                        self.result_line = Some(word.place.line);
                        game.marker = Some(outcome);
                        break;
                    }
                    ReadWord::Another => {
                        self.kept = Some(Token::Word(word));
                        break;
                    }
                },
                Token::Close(_) | Token::Word(_) => {}
                token @ (Token::Tag(_) | Token::End(_)) => {
                    if let Some(place) = variation.opened.filter(|_| variation.depth > 0) {
                        reading.cut(place, "the variation is not closed");
                    }
                    if let Token::End(place) = token
                        && game.outcome_of_tag().is_some()
                    {
                        reading.cut(place, "the text ends before the result");
                    }
                    self.kept = Some(token);
                    break;
                }
            }
        }
        if game.tags.is_empty() && !reading.has_begun() {
            return Ok(None);
        }
        self.number += 1;
        game.number = self.number;
        (game.line, game.broken) = reading.finish();
        Ok(Some(game))
    }
}

/// Whether a word behind a result, on its line, begins no game.
fn is_remark(word: &MoveWord) -> bool {
    match classify(&word.text) {
        Kind::Number(number) => number.number != Some(1),
        Kind::Result(_) => false,
        _ => true,
    }
}

/// The nesting depth of variations.
#[derive(Default)]
struct Nesting {
    depth: u64,
    opened: Option<Place>,
}

impl Nesting {
    fn open(&mut self, place: Place) {
        if self.depth == 0 {
            self.opened = Some(place);
        }
        self.depth += 1;
    }

    /// False if no variation is open.
    fn close(&mut self) -> bool {
        let is_open = self.depth > 0;
        self.depth = self.depth.saturating_sub(1);
        is_open
    }
}

/// The tags of a game.
#[derive(Default)]
struct Header {
    tags: Vec<(String, String)>,
    /// The places of the tags that set up the game.
    places: Vec<(String, Place)>,
    cut: Option<Place>,
}

impl Header {
    fn has(&self, name: &str) -> bool {
        self.tags
            .iter()
            .any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    /// Whether a tag begins another game, the one before having no moves.
    fn is_of_another_game(&self, tag: &Tag) -> bool {
        (tag.after_blank_line || tag.name.eq_ignore_ascii_case("Event")) && self.has(&tag.name)
    }

    fn add(&mut self, tag: Tag) {
        if tag.is_cut {
            self.cut.get_or_insert(tag.place);
        }
        if self.tags.len() < TAGS && !self.has(&tag.name) {
            if ["FEN", "Variant"]
                .iter()
                .any(|name| tag.name.eq_ignore_ascii_case(name))
            {
                self.places.push((tag.name.clone(), tag.place));
            }
            self.tags.push((tag.name, tag.value));
        }
    }

    /// The game before its first move.
    fn begin(self, plies: usize) -> (RecordedGame, Reading) {
        let game = RecordedGame {
            number: 0,
            tags: self.tags,
            line: GameHistory::new(Variant::Standard),
            broken: None,
            marker: None,
        };
        let (line, misfit) = match start::start(&game) {
            Ok(line) => (line, None),
            Err(misfit) => (game.line.clone(), Some(misfit)),
        };
        let mut reading = Reading::new(line, plies);
        let mut places = self.places.into_iter();
        if let Some(misfit) = misfit
            && let Some((_, place)) = places.find(|(name, _)| name.eq_ignore_ascii_case(misfit.tag))
        {
            reading.stop(place, misfit.message);
        }
        if let Some(place) = self.cut {
            reading.stop(place, "the tag is not closed");
        }
        (game, reading)
    }
}
