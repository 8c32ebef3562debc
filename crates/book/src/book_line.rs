//! Parses one line of moves: tokens in; annotated moves out, or the first error of the line.

use std::ops::Range;

use sparring_chess::{Color, Move, Rules as _};
use sparring_diagnostics::Diagnostic;

use super::{
    annotation::{Annotation, MAX_WEIGHT, split_marks},
    moves::{Unread, read_move},
    prefix_cache::PrefixCache,
    syntax::Line,
    token::{BookToken, classify},
};

/// A move as a row plays it.
#[derive(Debug, Clone)]
pub(super) struct ReplayedMove {
    /// How many moves of the line are played before it.
    pub depth: usize,
    /// The hash of the position before it.
    pub key: u64,
    /// Who plays it.
    pub turn: Color,
    /// The move.
    pub mv: Move,
    /// What the row says of it.
    pub annotation: Annotation,
    /// Its word in the text, without marks.
    pub span: Range<usize>,
    /// Where its number is written, if it is.
    pub written: Option<Range<usize>>,
    /// The byte behind the move and the marks at it: where a number may be added.
    pub end: usize,
}

/// Where in a row the reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineStage {
    /// Moves, one after the other.
    Moves,
    /// After `|`: another move instead of the last one.
    Other,
    /// After such a move: another `|`, or the end.
    Closed,
    /// After a result.
    Over,
}

/// A row under way.
struct LineReader<'t, 'r> {
    prefix: &'r mut PrefixCache<'t>,
    stage: LineStage,
    /// How many moves of the row are in the prefix.
    depth: usize,
    played: &'r mut Vec<ReplayedMove>,
    /// How many moves stand before the first of the alternatives, if there are any.
    choice: Option<usize>,
    warnings: &'r mut Vec<Diagnostic>,
}

/// Reads a line of moves from the start of the prefix into `played`, whose room is used again and again.
///
/// # Errors
/// The first thing that is wrong; nothing of the row counts then.
pub(super) fn read_row<'t>(
    line: Line<'t>,
    prefix: &mut PrefixCache<'t>,
    played: &mut Vec<ReplayedMove>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(), Diagnostic> {
    played.clear();
    let mut reader = LineReader {
        prefix,
        stage: LineStage::Moves,
        depth: 0,
        played,
        choice: None,
        warnings,
    };
    for (span, word) in line.words() {
        reader.word(word, span)?;
    }
    reader.finish(line)
}

impl<'t> LineReader<'t, '_> {
    fn word(&mut self, text: &'t str, span: Range<usize>) -> Result<(), Diagnostic> {
        if self.stage == LineStage::Over {
            return Err(Diagnostic::error(
                span,
                format!("\"{text}\" stands behind the result of the game"),
            ));
        }
        match classify(text) {
            BookToken::Count(number, rest) => {
                self.check_count(number, span.start..span.end - rest.len());
                if !rest.is_empty() {
                    self.play(rest, span.end - rest.len()..span.end)?;
                }
                Ok(())
            }
            BookToken::Weight(number) => self.weigh(number, span),
            BookToken::Marks(marks) => self.mark(marks, span),
            BookToken::Bar => self.bar(span),
            BookToken::Result => {
                self.stage = LineStage::Over;
                Ok(())
            }
            BookToken::Move(word) => self.play(word, span),
        }
    }

    fn play(&mut self, word: &'t str, span: Range<usize>) -> Result<(), Diagnostic> {
        let (bare, marks) = split_marks(word);
        let span = span.start..span.end - marks.len();
        let refuse = |unread: Unread| Diagnostic {
            help: unread.help,
            ..Diagnostic::error(span.clone(), unread.message)
        };
        let (depth, mv) = match self.stage {
            LineStage::Moves => {
                let mv = self.prefix.play(self.depth, bare).map_err(refuse)?;
                self.depth += 1;
                (self.depth - 1, mv)
            }
            LineStage::Other => {
                self.stage = LineStage::Closed;
                let depth = self.depth.saturating_sub(1);
                (
                    depth,
                    read_move(self.prefix.position(depth), bare).map_err(refuse)?,
                )
            }
            LineStage::Closed | LineStage::Over => {
                return Err(
                    Diagnostic::error(span, format!("\"{bare}\" goes on after a choice of moves")).with_help(
                        "a choice with \"|\" ends its line; give each way to go on a line of its own",
                    ),
                );
            }
        };
        let marks_at = span.end..span.end + marks.len();
        self.played.push(ReplayedMove {
            depth,
            key: self.prefix.key(depth),
            turn: self.prefix.position(depth).turn(),
            mv,
            annotation: Annotation::default(),
            span,
            written: None,
            end: marks_at.end,
        });
        if marks.is_empty() {
            return Ok(());
        }
        self.mark(marks, marks_at)
    }

    fn mark(&mut self, marks: &str, span: Range<usize>) -> Result<(), Diagnostic> {
        let Some(last) = self.last() else {
            return Err(Diagnostic::error(
                span,
                format!("\"{marks}\" stands before any move"),
            ));
        };
        if last.annotation.read(marks) {
            last.end = span.end;
            return Ok(());
        }
        Err(Diagnostic::error(span, format!("\"{marks}\" is not a mark"))
            .with_help("marks are ! !! !? ? ?? ?! xx @"))
    }

    fn weigh(&mut self, number: &str, span: Range<usize>) -> Result<(), Diagnostic> {
        let Ok(weight) = number.parse::<u32>() else {
            let digits = number.trim_end_matches(|c: char| !c.is_ascii_digit());
            let help = match number.split_at(digits.len()) {
                (_, "%") => format!("write {digits} without the sign"),
                (_, marks) if marks.starts_with(['!', '?']) => {
                    format!("marks stand at the move or before the number: {marks} {digits}")
                }
                _ => format!("a weight is a whole number up to {MAX_WEIGHT}"),
            };
            let error = Diagnostic::error(span, format!("\"{number}\" is not a weight"));
            return Err(error.with_help(help));
        };
        if weight > MAX_WEIGHT {
            return Err(
                Diagnostic::error(span, format!("the weight {number} is too large"))
                    .with_help(format!("weights go up to {MAX_WEIGHT}; only their ratio counts")),
            );
        }
        let looks_like_a_count = self.stage == LineStage::Moves && self.expected_count() == Some(weight);
        let Some(last) = self.last() else {
            return Err(
                Diagnostic::error(span, format!("\"{number}\" stands before any move")).with_help(format!(
                    "write \"{number}.\" for the number of a move; a weight goes behind its move"
                )),
            );
        };
        let first = last.written.replace(span.clone());
        if last.annotation.number.replace(weight).is_some() || first.is_some() {
            return Err(Diagnostic::error(
                span,
                format!("\"{number}\" is a second weight for the same move"),
            ));
        }
        if looks_like_a_count {
            self.warnings.push(
                Diagnostic::warning(
                    span,
                    format!("\"{number}\" is read as the weight of the move before it"),
                )
                .with_help(format!(
                    "write \"{number}.\" if it is the number of the next move"
                )),
            );
        }
        Ok(())
    }

    fn bar(&mut self, span: Range<usize>) -> Result<(), Diagnostic> {
        if self.played.is_empty() || self.stage == LineStage::Other {
            return Err(Diagnostic::error(span, "\"|\" needs a move before it"));
        }
        // In a choice a number that happens to be the one of the next move is a weight beyond doubt.
        let weight = self.played.last().and_then(|last| last.written.as_ref());
        if weight.is_some() && self.warnings.last().map(|warning| &warning.span) == weight {
            self.warnings.pop();
        }
        self.stage = LineStage::Other;
        self.choice.get_or_insert(self.played.len() - 1);
        Ok(())
    }

    /// The last move; none where a move is still to come.
    fn last(&mut self) -> Option<&mut ReplayedMove> {
        if self.stage == LineStage::Other {
            return None;
        }
        self.played.last_mut()
    }

    /// The number that the next move would carry in a game, if it is White's and not the first.
    fn expected_count(&self) -> Option<u32> {
        let next = self.prefix.position(self.depth);
        (self.prefix.counts() && next.turn() == Color::White).then_some(next.fullmoves().get())
    }

    /// A number that does not fit the move hints at a move left out, but the moves alone decide.
    fn check_count(&mut self, number: &str, span: Range<usize>) {
        // After a choice, and for the moves in it, numbers are repeated as their author likes.
        if !self.prefix.counts() || self.stage != LineStage::Moves {
            return;
        }
        let expected = self.prefix.position(self.depth).fullmoves();
        if number.parse() != Ok(expected.get()) {
            self.warnings.push(
                Diagnostic::warning(span, format!("move {number} stands where move {expected} is due"))
                    .with_help("is a move missing before it?"),
            );
        }
    }

    fn finish(self, line: Line<'_>) -> Result<(), Diagnostic> {
        let end = line.start + line.text.trim_end().len();
        if self.stage == LineStage::Other {
            return Err(Diagnostic::error(end..end, "a move is missing after \"|\""));
        }
        if self.played.is_empty() {
            return Err(Diagnostic::error(line.start..end, "no move in this line"));
        }
        if let Some(first) = self.choice {
            settle_choice(self.played.get_mut(first..).unwrap_or_default())?;
        }
        Ok(())
    }
}

/// Marks the moves of a choice; where some have numbers, those without share what is missing to 100.
fn settle_choice(choice: &mut [ReplayedMove]) -> Result<(), Diagnostic> {
    for played in choice.iter_mut() {
        played.annotation.chosen = true;
    }
    let given = choice
        .iter()
        .filter_map(|played| played.annotation.number)
        .fold(0, u32::saturating_add);
    if choice.iter().all(|played| played.annotation.number.is_none()) {
        return Ok(());
    }
    let mut open: Vec<&mut ReplayedMove> = choice
        .iter_mut()
        .filter(|played| played.annotation.number.is_none() && !played.annotation.never)
        .collect();
    let share = 100_u32.saturating_sub(given) / (open.len() as u32).max(1);
    for played in &mut open {
        if share == 0 {
            return Err(
                Diagnostic::error(played.span.clone(), "nothing of 100 is left for this move")
                    .with_help("give each move of the choice a number of its own"),
            );
        }
        played.annotation.number = Some(share);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::BookText;
    use sparring_chess::{Variant, write_uci};

    /// The moves of a row with weight and marks, or what is wrong with it; then the warnings.
    fn read(row: &str) -> String {
        let text = BookText::new(row);
        let mut warnings = Vec::new();
        let mut prefix = PrefixCache::new(Variant::Standard.start(), true);
        let mut played = Vec::new();
        let line = text.lines().next().unwrap();
        let said = match read_row(line, &mut prefix, &mut played, &mut warnings) {
            Ok(()) => played.iter().map(show).collect::<Vec<_>>().join(" "),
            Err(error) => format!("{}: {}", &row[error.span.clone()], error.message),
        };
        warnings
            .iter()
            .fold(said, |said, warning| said + "; " + &warning.message)
    }

    fn show(played: &ReplayedMove) -> String {
        let mut said = write_uci(played.mv, Variant::Standard);
        if let Some(number) = played.annotation.number {
            said += &format!("={number}");
        }
        if played.annotation.marks != 0 {
            said += &format!("{:+}", played.annotation.marks);
        }
        if played.annotation.never {
            said += "xx";
        }
        said
    }

    #[test]
    fn san_coordinates_and_move_numbers_mix() {
        assert_eq!(
            read("1. e4 e5 2.Nf3 2...b8c6 3. Bb5 1-0"),
            "e2e4 e7e5 g1f3 b8c6 f1b5"
        );
        assert_eq!(
            read("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6?"),
            "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6-100"
        );
        assert_eq!(
            read("e4 e5 Nf3 Nf6 Bc4 Nxe4 0-0 # even zeros"),
            "e2e4 e7e5 g1f3 g8f6 f1c4 f6e4 e1g1"
        );
    }

    #[test]
    fn marks_and_weights_stand_at_their_move_or_behind_it() {
        assert_eq!(
            read("e4! e5?? 2. Nf3 !? 70 Nc6xx"),
            "e2e4+100 e7e5-5000 g1f3=70+50 b8c6xx"
        );
        assert_eq!(read("e4 60! e5"), "60!: \"60!\" is not a weight");
        assert_eq!(read("e4!!!"), "!!!: \"!!!\" is not a mark");
        assert_eq!(read("e4 7 8"), "8: \"8\" is a second weight for the same move");
        assert_eq!(read("e4 1000001"), "1000001: the weight 1000001 is too large");
        assert_eq!(read("? e4"), "?: \"?\" stands before any move");
    }

    /// What is advised of a row that is refused.
    fn help(row: &str) -> String {
        let text = BookText::new(row);
        let mut prefix = PrefixCache::new(Variant::Standard.start(), true);
        let line = text.lines().next().unwrap();
        let error = read_row(line, &mut prefix, &mut Vec::new(), &mut Vec::new()).unwrap_err();
        format!("{}; {}", error.message, error.help.unwrap_or_default())
    }

    #[test]
    fn numbers_that_are_no_weights_get_their_remedy() {
        assert_eq!(
            help("e4 60%"),
            "\"60%\" is not a weight; write 60 without the sign"
        );
        assert_eq!(
            help("e4 60!"),
            "\"60!\" is not a weight; marks stand at the move or before the number: ! 60"
        );
        assert_eq!(
            help("e4 0.5"),
            "\"0.5\" is not a weight; a weight is a whole number up to 1000000"
        );
        assert_eq!(
            help("e4 0000"),
            "\"0000\" is not a move; nobody passes in a book: the line ends here, or goes on with a move"
        );
    }

    #[test]
    fn signs_of_a_typesetter_are_read_as_what_they_stand_for() {
        let castles = "e2e4 e7e5 g1f3 g8f6 f1c4 f6e4 e1g1";
        assert_eq!(read("e4 e5 Nf3 Nf6 Bc4 Nxe4 O–O ½–½"), castles);
        assert_eq!(read("e4 e5 Nf3 Nf6 Bc4 Nxe4 4.0−0 1—0"), castles);
        assert_eq!(read("e4 e5 Nf3 Nf6 Bc4 N×e4 0‑0! ½-½"), format!("{castles}+100"));
        assert_eq!(read("e4\u{200b} e5\u{2060}"), "e2e4 e7e5");
    }

    #[test]
    fn a_choice_ends_a_row_and_shares_what_is_missing_to_100() {
        assert_eq!(read("e4 60 | d4 30 | c4"), "e2e4=60 d2d4=30 c2c4=10");
        assert_eq!(read("1. e4 c5|1... e5!|e6xx"), "e2e4 c7c5 e7e5+100 e7e6xx");
        assert_eq!(read("1. e4 c5 90 | e5 | e6"), "e2e4 c7c5=90 e7e5=5 e7e6=5");
        assert_eq!(read("e4 100 | d4"), "d4: nothing of 100 is left for this move");
        assert_eq!(read("e4 | d4 d5"), "d5: \"d5\" goes on after a choice of moves");
        assert_eq!(read("e4 |  # ?"), ": a move is missing after \"|\"");
        assert_eq!(read("| e4"), "|: \"|\" needs a move before it");
    }

    #[test]
    fn the_first_mistake_refuses_the_row_and_is_pointed_at() {
        assert_eq!(read("1. e4 e5 2. Nf9 Nc6"), "Nf9: \"Nf9\" is not a move");
        assert_eq!(
            read("e4 e5 Nf3 d6 d4 exd4 Nxd4 Nf6 Nc3 Be7 Nd7!"),
            "Nd7: \"Nd7\" is not legal here: no knight of White can go to d7"
        );
        assert_eq!(
            read("e4 e5 1/2-1/2 Nf3"),
            "Nf3: \"Nf3\" stands behind the result of the game"
        );
        assert_eq!(read("1."), "1.: no move in this line");
        assert_eq!(read("1 e4 e5"), "1: \"1\" stands before any move");
    }

    #[test]
    fn numbers_that_do_not_fit_are_warned_of() {
        assert_eq!(
            read("1. e4 e5 3. Nf3"),
            "e2e4 e7e5 g1f3; move 3 stands where move 2 is due"
        );
        assert_eq!(
            read("e4 e5 2 Nf3"),
            "e2e4 e7e5=2 g1f3; \"2\" is read as the weight of the move before it"
        );
        assert_eq!(read("e4 e5 2 | c5 1"), "e2e4 e7e5=2 c7c5=1");
    }

    /// The positions of a row that has no mistake, with what is played in them.
    fn keys<'t>(line: Line<'t>, prefix: &mut PrefixCache<'t>) -> Vec<(u64, Move)> {
        let mut played = Vec::new();
        read_row(line, prefix, &mut played, &mut Vec::new()).unwrap();
        played.iter().map(|played| (played.key, played.mv)).collect()
    }

    #[test]
    fn rows_that_share_a_beginning_are_read_as_if_alone() {
        let rows = [
            "e4 e5 Nf3 Nc6",
            "e4 e5 Nc3 Nf6",
            "e4 e5 Nc3",
            "e4 c5 Nf3 d6 | e6",
            "d4 d5",
            "e4 c5 Nf3 Nc6",
        ];
        let text = BookText::new(rows.join("\n"));
        let mut prefix = PrefixCache::new(Variant::Standard.start(), true);
        for line in text.lines() {
            let mut alone = PrefixCache::new(Variant::Standard.start(), true);
            assert_eq!(keys(line, &mut prefix), keys(line, &mut alone));
        }
    }
}
