//! Reads a game's main line word by word, until a word does not fit.

use super::{
    super::{Color, GameHistory, Move, Position, Rules as _},
    Break,
    languages::{ENGLISH, Letters, OTHERS, is_foreign},
    source::Place,
    spelling::{Unread, read_move},
    tokens::MoveWord,
    word::{Kind, Number, ResultWord, classify},
};

/// The effect of a word on the game.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReadWord {
    /// The game continues, or is broken and waits for its end.
    Goes,
    /// The game has this result.
    Ends(ResultWord),
    /// Another game, without tags, begins with this word.
    Another,
}

/// A game that is being read.
pub(super) struct Reading {
    /// By the letters of the standard.
    line: GameHistory,
    /// What stopped the reading by the letters of the standard.
    broken: Option<Break>,
    /// What stopped the reading of a game that other letters make sense of.
    other_broken: Option<Break>,
    /// Whether no more words are read.
    is_over: bool,
    /// The same moves by other letters, once those of the standard did not fit.
    others: Vec<(Letters, GameHistory)>,
    /// Moves as they are written.
    words: Vec<(String, Place)>,
    /// The difference between numbers in the text and half moves, once a number is read.
    first_number: Option<u64>,
    /// How many half moves had been read when a move number last fitted.
    confirmed: usize,
    /// Whether a number was read.
    has_number: bool,
    /// The glyph before this word that could be the letter of a piece.
    letter: Option<MoveWord>,
    plies: usize,
    has_begun: bool,
}

impl Reading {
    pub(super) fn new(line: GameHistory, plies: usize) -> Self {
        Self {
            line,
            broken: None,
            other_broken: None,
            is_over: false,
            others: Vec::new(),
            words: Vec::new(),
            first_number: None,
            confirmed: 0,
            has_number: false,
            letter: None,
            plies,
            has_begun: false,
        }
    }

    /// Stops the reading. The first reason counts. Of a game that is hardly in another language only the English part holds.
    pub(super) fn stop(&mut self, place: Place, message: impl Into<String>) {
        self.others
            .retain(|(letters, line)| is_evident(&self.words, letters, line, FOREIGN_IF_BROKEN));
        self.cut(place, message);
    }

    /// Ends the reading where the text is cut: what was read holds.
    pub(super) fn cut(&mut self, place: Place, message: impl Into<String>) {
        self.is_over = true;
        let broken = if self.others.is_empty() {
            &mut self.broken
        } else {
            &mut self.other_broken
        };
        broken.get_or_insert_with(|| Break::new(place, message));
    }

    /// Whether a word of a game was read, other than a result.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun || self.is_over
    }

    /// Reads a word of the main line.
    pub(super) fn read_word(&mut self, word: &MoveWord) -> ReadWord {
        let kind = classify(&word.text);
        let has_begun = self.has_begun;
        match kind {
            Kind::Result(outcome) => return ReadWord::Ends(outcome),
            Kind::Glyph => {}
            _ => self.has_begun = true,
        }
        if let Kind::Number(number) = kind
            && has_begun
            && (word.after_blank_line || word.place.column == 1)
            && number.number == Some(1)
            && number.dots <= 1
            && (self.is_done() || !self.is_due(number))
        {
            return ReadWord::Another;
        }
        if self.is_done() {
            return ReadWord::Goes;
        }
        if let Kind::Number(Number { rest, .. }) = kind
            && let Kind::Result(outcome) = classify(rest)
        {
            return ReadWord::Ends(outcome);
        }
        self.step(kind, word, 0);
        ReadWord::Goes
    }

    fn is_done(&self) -> bool {
        self.is_over || self.ply() >= self.plies
    }

    fn ply(&self) -> usize {
        self.words.len()
    }

    fn step(&mut self, kind: Kind<'_>, word: &MoveWord, glued: u64) {
        let letter = self.letter.take();
        match kind {
            Kind::Number(number) => self.count(number, word),
            Kind::Null => self.stop(
                word.place,
                format!("\"{}\" is a null move, which no game can have", word.text),
            ),
            Kind::Letter if self.ply() > self.confirmed && !word.is_last => self.letter = Some(word.clone()),
            Kind::EnPassant if self.ends_en_passant() => {}
            Kind::Glyph | Kind::Result(_) => {}
            Kind::Letter | Kind::EnPassant => self.stop(word.place, self.no_move(&word.text)),
            Kind::Move(text) => {
                let joined = letter.filter(|letter| self.reads(&format!("{}{text}", letter.text)));
                match joined {
                    Some(letter) => self.stop(
                        letter.place,
                        format!("\"{}\" and \"{text}\" could be one move", letter.text),
                    ),
                    None => {
                        let column = word.place.column + glued;
                        let place = Place { column, ..word.place };
                        self.play(text.to_owned(), place, word.is_last);
                    }
                }
            }
        }
    }

    /// Reads the number of a move, and the move directly behind it.
    fn count(&mut self, number: Number<'_>, word: &MoveWord) {
        if number.rest.is_empty() && word.is_last {
            // The file may end in the middle of the number.
            let message = format!("the text ends with \"{}\"", word.text);
            return self.cut(word.place, message);
        }
        if !self.is_due(number) {
            let (due, color) = self.due();
            let head = word.text.strip_suffix(number.rest).unwrap_or(&word.text);
            let message = format!("\"{head}\" stands where move {due} of {color} is due");
            self.undo_doubtful(number);
            return self.stop(word.place, message);
        }
        if let Some(count) = number.number {
            let half = self.half_moves();
            self.first_number.get_or_insert(count.saturating_sub(half / 2));
            self.confirmed = self.ply();
            self.has_number = true;
        }
        if !number.rest.is_empty() {
            let glued = word.text.chars().count() - number.rest.chars().count();
            self.step(classify(number.rest), word, glued as u64);
        }
    }

    /// Half moves since the start, one more where Black moves first.
    fn half_moves(&self) -> u64 {
        self.ply() as u64 + u64::from(self.line.start().turn() == Color::Black)
    }

    /// The number and the side of the next move.
    fn due(&self) -> (u64, &'static str) {
        let first = self
            .first_number
            .unwrap_or_else(|| u64::from(self.line.start().fullmoves().get()));
        let half = self.half_moves();
        let side = if half.is_multiple_of(2) { "White" } else { "Black" };
        // Positions count no further, and so do the numbers of games that are written.
        let number = first.saturating_add(half / 2).min(u32::MAX.into());
        (number, side)
    }

    /// Whether a number fits the moves before it. A game from a position counts on, or from 1.
    fn is_due(&self, number: Number<'_>) -> bool {
        let half = self.half_moves();
        if number.dots >= 2 && half.is_multiple_of(2) {
            return false;
        }
        let Some(count) = number.number else {
            return true;
        };
        // `1. e4 1. e5` is fine, but a number that comes late means that there is a move too many.
        let is_of_white = number.dots < 2 && !half.is_multiple_of(2) && self.ply() > 0;
        if is_of_white && !(self.has_number && self.confirmed + 1 == self.ply()) {
            return false;
        }
        count == self.due().0 || self.first_number.is_none() && count == 1 + half / 2
    }

    /// Where a number does not fit, a move before it may be missing or one too many, and the moves after it were never
    /// played: removes them.
    fn undo_doubtful(&mut self, number: Number<'_>) {
        if self.broken.is_some() {
            for (_, line) in &mut self.others {
                line.truncate(self.confirmed);
            }
            self.words.truncate(self.confirmed.max(self.line.ply()));
            return;
        }
        let since = self.ply().saturating_sub(self.confirmed);
        let white_was_due = self.half_moves().saturating_sub(since as u64).is_multiple_of(2);
        let certain = match since {
            _ if self.is_one_too_many(number) => self.certain_without_one(),
            0 => 0,
            1 if white_was_due && self.could_be_the_reply() => 0,
            1 => 1,
            // A whole move.
            2 if white_was_due => 2,
            _ => 0,
        };
        self.line.truncate(self.confirmed + certain);
        self.words.truncate(self.confirmed + certain);
    }

    /// Whether a number would fit with a half move less before it.
    fn is_one_too_many(&self, number: Number<'_>) -> bool {
        let Some(count) = number.number else {
            return false;
        };
        let first = self.first_number.unwrap_or(1);
        let due = count.saturating_sub(first).saturating_mul(2);
        let due = due.saturating_add(u64::from(number.dots >= 2));
        self.ply() > self.confirmed && self.half_moves().checked_sub(1) == Some(due)
    }

    /// How many moves since the last number are common to all games that result from leaving out one of them.
    fn certain_without_one(&self) -> usize {
        let since = self.words.get(self.confirmed..).unwrap_or_default();
        let without = |left_out: usize| {
            let mut line = self.line.clone();
            line.truncate(self.confirmed);
            for (index, (word, _)) in since.iter().enumerate() {
                if index != left_out {
                    line.play(read_move(line.position(), word, &ENGLISH).ok()?);
                }
            }
            Some(moves_in_common(&self.line, &line))
        };
        let in_common = (0..since.len()).filter_map(without).min();
        in_common.unwrap_or(self.confirmed).saturating_sub(self.confirmed)
    }

    /// Whether the last move could also be the other side's, after a missing move.
    fn could_be_the_reply(&self) -> bool {
        let Some((word, _)) = self.words.last() else {
            return false;
        };
        let mut before = self.line.clone();
        before.truncate(self.confirmed);
        let before = before.position();
        before.legal_moves().into_iter().any(|missing| {
            let mut after = before.clone();
            after.play_unchecked(missing);
            read_move(&after, word, &ENGLISH).is_ok()
        })
    }

    /// Whether a pawn was captured en passant just now.
    fn ends_en_passant(&self) -> bool {
        let ends = |line: &GameHistory| line.moves().last().is_some_and(|mv| mv.is_en_passant());
        match self.broken {
            None => ends(&self.line),
            Some(_) => self.others.iter().any(|(_, line)| ends(line)),
        }
    }

    fn no_move(&self, text: &str) -> String {
        format!("\"{text}\" is no legal move at move {}", self.due().0)
    }

    /// Whether a word is a legal move by the letters in use.
    fn reads(&self, text: &str) -> bool {
        let reads = |line: &GameHistory, letters: &Letters| read_move(line.position(), text, letters).is_ok();
        match self.broken {
            None => reads(&self.line, &ENGLISH),
            Some(_) => self.others.iter().any(|(letters, line)| reads(line, letters)),
        }
    }

    fn play(&mut self, text: String, place: Place, is_last: bool) {
        let is_foreign_game = self.broken.is_some();
        if self.broken.is_none() {
            let read = read_move(self.line.position(), &text, &ENGLISH);
            if is_last
                && read
                    .as_ref()
                    .is_ok_and(|mv| is_cut_castling(self.line.position(), *mv))
            {
                return self.stop(place, format!("the text ends with \"{text}\""));
            }
            match read {
                Ok(mv) => self.line.play(mv),
                Err(unread) => {
                    let message = match unread {
                        Unread::NoMove => self.no_move(&text),
                        Unread::Several(moves) => format!(
                            "\"{text}\" could be {} at move {}",
                            moves.join(" or "),
                            self.due().0
                        ),
                    };
                    self.broken = Some(Break::new(place, message));
                    self.others = self.in_other_languages();
                }
            }
        }
        if self.broken.is_some() {
            let before = is_foreign_game.then(|| self.others.clone());
            self.others.retain_mut(|(letters, line)| {
                let Ok(mv) = read_move(line.position(), &text, letters) else {
                    return false;
                };
                let is_whole = !(is_last && is_cut_castling(line.position(), mv));
                line.play(mv);
                is_whole
            });
            if self.others.is_empty()
                && let Some(before) = before
            {
                self.others = before;
                if is_last {
                    return self.cut(place, format!("the text ends with \"{text}\""));
                }
                return self.stop(place, self.no_move(&text));
            }
            self.is_over = self.others.is_empty();
        }
        if !self.is_over {
            self.words.push((text, place));
        }
    }

    /// The moves so far in all other languages whose letters make a game of them.
    fn in_other_languages(&self) -> Vec<(Letters, GameHistory)> {
        let replay = |letters: Letters| {
            let start = self.line.start().clone();
            let mut line = GameHistory::from_position(self.line.variant(), start);
            for (word, _) in &self.words {
                line.play(read_move(line.position(), word, &letters).ok()?);
            }
            Some((letters, line))
        };
        OTHERS.into_iter().filter_map(replay).collect()
    }

    /// What was read. Other letters than those of the standard count where they make more of the game.
    pub(super) fn finish(self) -> (GameHistory, Option<Break>) {
        let evident = |(letters, line): &(Letters, GameHistory)| {
            is_evident(&self.words, letters, line, FOREIGN_IF_WHOLE)
        };
        let mut others = self
            .others
            .iter()
            .filter(|other| evident(other))
            .map(|(_, line)| line.clone());
        let (Some(_), Some(mut line)) = (&self.broken, others.next()) else {
            return (self.line, self.broken);
        };
        let mut broken = self.other_broken.clone();
        for other in others {
            let same = moves_in_common(&line, &other);
            if same == line.ply() {
                continue;
            }
            let differs = self.words.get(same);
            broken = differs.map(|(word, place)| {
                let message = format!("\"{word}\" is another move in another language");
                Break::new(*place, message)
            });
            line.truncate(same);
        }
        (line, broken)
    }
}

/// Foreign words from which a whole game counts as one of that language.
const FOREIGN_IF_WHOLE: usize = 1;
/// The same of a game that is broken: one word may be a slip.
const FOREIGN_IF_BROKEN: usize = 2;

/// Whether a game is in another language: its letters are foreign often enough, or English ones name other pieces once more
/// than that.
fn is_evident(words: &[(String, Place)], letters: &Letters, line: &GameHistory, least: usize) -> bool {
    if !letters.are_foreign() {
        return true;
    }
    let foreign = words.iter().filter(|(word, _)| is_foreign(word)).count();
    if foreign >= least {
        return true;
    }
    let mut english = GameHistory::from_position(line.variant(), line.start().clone());
    let mut differing = 0;
    for ((word, _), mv) in words.iter().zip(line.moves()) {
        differing += usize::from(read_move(english.position(), word, &ENGLISH) != Ok(*mv));
        english.play(*mv);
    }
    differing > least
}

fn moves_in_common(line: &GameHistory, other: &GameHistory) -> usize {
    let pairs = line.moves().iter().zip(other.moves());
    pairs.take_while(|(one, other)| one == other).count()
}

/// Whether a move at the end of a text may be `O-O-O` of which only `O-O` is left.
fn is_cut_castling(pos: &Position, mv: Move) -> bool {
    use shakmaty::CastlingSide::{KingSide, QueenSide};
    mv.castling_side() == Some(KingSide)
        && pos
            .legal_moves()
            .iter()
            .any(|mv| mv.castling_side() == Some(QueenSide))
}
