//! Lints a valid book: duplicate lines, contradictory annotations, moves that never count or cannot occur, missed transpositions.

use std::collections::{HashMap, HashSet, hash_map};

use sparring_chess::{Color, Move, Position, Rules as _, key, write_san};
use sparring_diagnostics::{Diagnostic, Diagnostics};

use super::{
    book::Book,
    book_line::ReplayedMove,
    lint_candidates,
    parse::{read, read_bytes},
    parsed_book::ParsedBook,
    walk::{Row, walk, walk_some},
};

/// Reads a book as [`parse`](super::parse) does, and looks for slips besides mistakes. Slips are warnings; the book plays
/// all the same.
///
/// ```
/// use sparring_book as book;
///
/// let (book, findings) = book::check("my.book", "1. e4 60 | d4 40\n1. e4 50\n");
/// assert!(book.is_some());
/// assert_eq!(
///     findings.to_string(),
///     "my.book:2:4: warning: \"e4\" weighs 50 here and 60 in line 1; the last one holds"
/// );
/// ```
#[must_use]
pub fn check(name: &str, text: &str) -> (Option<Book>, Diagnostics) {
    lint(read(name, text))
}

/// Reads and checks a book from bytes, which must be UTF-8. See [`check`].
#[must_use]
pub fn check_bytes(name: &str, bytes: &[u8]) -> (Option<Book>, Diagnostics) {
    lint(read_bytes(name, bytes))
}

fn lint(draft: Result<ParsedBook, Diagnostics>) -> (Option<Book>, Diagnostics) {
    let draft = match draft {
        Ok(draft) => draft,
        Err(findings) => return (None, findings),
    };
    let (book, mistakes, candidates) = lint_candidates::find(draft);
    if candidates.is_empty() {
        return (Some(book), mistakes);
    }
    let findings = lint_lines(&book, mistakes, |line| candidates.contains(&line));
    (Some(book), findings)
}

/// What is wrong with some of the rows, after what is known already.
fn lint_lines(book: &Book, mistakes: Diagnostics, is_wanted: impl Fn(usize) -> bool) -> Diagnostics {
    let mut checker = Checker {
        book,
        rows: HashMap::new(),
        earlier: HashMap::new(),
        findings: mistakes.list,
    };
    walk_some(book.text(), is_wanted, &mut |row| checker.row(row));
    Diagnostics::new(mistakes.name, mistakes.text, checker.findings)
}

/// Looks for moves that lead into known positions and that the book does not have: the bot would leave its book
/// although it could stay. Positions with a choice (`|`) are taken at their word, and lines for the other color alone
/// are no place to stay in.
#[must_use]
pub fn missing_transpositions(book: &Book) -> Diagnostics {
    let known_positions = known_positions(book);
    let (mut seen, mut findings) = (HashSet::new(), Vec::new());
    walk(book.text(), &mut |row| {
        for played in row.counting() {
            if seen.insert(played.key) {
                find_transpositions(
                    book,
                    &known_positions,
                    row.prefix.position(played.depth),
                    played,
                    &mut findings,
                );
            }
        }
    });
    Diagnostics::new(book.path(), book.text().source(), findings)
}

/// By color and key the positions that a side can move into and find the other side's answer in a line that counts for
/// it, each with the first such line.
fn known_positions(book: &Book) -> HashMap<(Color, u64), String> {
    let mut known_positions = HashMap::new();
    for (file, text) in book.texts().enumerate() {
        walk(text, &mut |row| {
            for played in row.played {
                let mover = played.turn.other();
                if row.color.is_none_or(|color| color == mover) {
                    known_positions
                        .entry((mover, played.key))
                        .or_insert_with(|| match file {
                            0 => format!("line {}", row.line.number),
                            _ => book.place_in(file, row.line.number),
                        });
                }
            }
        });
    }
    known_positions
}

fn find_transpositions(
    book: &Book,
    known_positions: &HashMap<(Color, u64), String>,
    pos: &Position,
    played: &ReplayedMove,
    findings: &mut Vec<Diagnostic>,
) {
    let known = book.entries(played.key);
    if known.iter().any(|entry| entry.chosen) {
        return;
    }
    for mv in pos.legal_moves() {
        if known.iter().any(|entry| entry.mv == mv) {
            continue;
        }
        let mut after = pos.clone();
        after.play_unchecked(mv);
        if let Some(place) = known_positions.get(&(played.turn, key(&after))) {
            let san = write_san(pos, mv);
            let message = format!("instead of this move {san} leads into {place}");
            let help = format!("give {san} a line of its own, or forbid it with {san}xx");
            findings.push(Diagnostic::warning(played.span.clone(), message).with_help(help));
        }
    }
}

/// Looks for moves that are less likely than `below`, from 0 to 1, though nobody has said so: no number, no mark, only
/// few lines beside many. Rodent's book doctor stops at such moves for a decision.
#[must_use]
pub fn rare_moves(book: &Book, below: f64) -> Diagnostics {
    let (mut seen, mut findings) = (HashSet::new(), Vec::new());
    walk(book.text(), &mut |row| {
        for played in row.counting() {
            let entries = book.entries(played.key);
            let total: u64 = entries.iter().map(|entry| entry.share()).sum();
            let Some(entry) = entries.iter().find(|entry| entry.mv == played.mv) else {
                continue;
            };
            let is_decided = entry.number.is_some() || entry.marks != 0 || entry.share() == 0;
            let is_rare = (entry.share() as f64) < below * total as f64;
            if !is_decided && is_rare && seen.insert((played.key, played.mv)) {
                let chance = 100.0 * entry.share() as f64 / total as f64;
                let message =
                    format!("this move comes up in {chance:.1}% only, and no mark or number says so");
                let help = "decide on it: ! or a number for more, xx or ? for never";
                findings.push(Diagnostic::warning(played.span.clone(), message).with_help(help));
            }
        }
    });
    Diagnostics::new(book.path(), book.text().source(), findings)
}

/// What earlier lines said of a move in a position.
#[derive(Debug, Clone, Copy, Default)]
struct EarlierAnnotations {
    number: Option<(u32, usize)>,
    praised: Option<usize>,
    forbidden: Option<usize>,
    /// A mark that adds to the weight, and one that takes away.
    liked: Option<usize>,
    disliked: Option<usize>,
}

/// A row without its looks: the side it counts for, and each move with the position it is played in.
type RowKey = (Option<Color>, Vec<(u64, Move)>);

/// A row that may come again.
#[derive(Debug, Clone, Copy)]
struct Repeated {
    /// Where it came first.
    line: usize,
    /// How often it came again.
    times: usize,
    /// Which finding says so, if it did.
    told: usize,
}

struct Checker<'a> {
    book: &'a Book,
    /// The first line of each row, and where its repetition is told of.
    rows: HashMap<RowKey, Repeated>,
    earlier: HashMap<(u64, Move), EarlierAnnotations>,
    findings: Vec<Diagnostic>,
}

impl Checker<'_> {
    fn warn(&mut self, played: &ReplayedMove, message: String) {
        self.findings
            .push(Diagnostic::warning(played.span.clone(), message));
    }

    fn row(&mut self, row: &Row<'_, '_>) {
        self.repetition(row);
        if let (Some(color), None, Some(first)) = (row.color, row.counting().next(), row.played.first()) {
            let message = format!("no move of {color} in this line, and only {color}'s count here");
            self.warn(first, message);
        }
        for played in row.counting() {
            self.contradiction(row, played);
        }
        self.dead_end(row);
    }

    /// Told once however often the row comes again, or a line of many games would hide all other slips.
    fn repetition(&mut self, row: &Row<'_, '_>) {
        let moves = row.played.iter().map(|played| (played.key, played.mv)).collect();
        let known = match self.rows.entry((row.color, moves)) {
            hash_map::Entry::Vacant(free) => {
                free.insert(Repeated {
                    line: row.line.number,
                    times: 0,
                    told: self.findings.len(),
                });
                return;
            }
            hash_map::Entry::Occupied(known) => known.into_mut(),
        };
        let (Some(first), Some(last)) = (row.played.first(), row.played.last()) else {
            return;
        };
        known.times += 1;
        if known.times > 1 {
            if let Some(told) = self.findings.get_mut(known.told) {
                let (line, more) = (known.line, known.times - 1);
                told.message = format!("the same moves as in line {line}, and {more} more below");
            }
            return;
        }
        known.told = self.findings.len();
        self.findings.push(
            Diagnostic::warning(
                first.span.start..last.span.end,
                format!("the same moves as in line {}", known.line),
            )
            .with_help("a second line doubles their weight; marks and numbers say so more plainly"),
        );
    }

    fn contradiction(&mut self, row: &Row<'_, '_>, played: &ReplayedMove) {
        // What is pinned speaks of one order of moves only, and may well say the contrary.
        if played.annotation.pinned {
            return;
        }
        let (line, annotation) = (row.line.number, played.annotation);
        let known = self.earlier.entry((played.key, played.mv)).or_default();
        let before = *known;
        if let Some(number) = annotation.number {
            known.number = Some((number, line));
        }
        if annotation.never {
            known.forbidden.get_or_insert(line);
        } else if annotation.marks > 0 || annotation.number.is_some_and(|number| number > 0) {
            known.praised.get_or_insert(line);
        }
        match annotation.marks.signum() {
            1 => _ = known.liked.get_or_insert(line),
            -1 => _ = known.disliked.get_or_insert(line),
            _ => {}
        }
        let now = *known;
        let word = self
            .book
            .text()
            .as_str()
            .get(played.span.clone())
            .unwrap_or_default();
        if let (Some(number), Some((other, earlier))) = (annotation.number, before.number)
            && number != other
        {
            let message =
                format!("\"{word}\" weighs {number} here and {other} in line {earlier}; the last one holds");
            self.warn(played, message);
        }
        if let (Some(praised), Some(forbidden)) = (now.praised, now.forbidden)
            && (before.praised.is_none() || before.forbidden.is_none())
        {
            let message =
                format!("\"{word}\" is forbidden in line {forbidden} and recommended in line {praised}");
            self.warn(played, message);
        }
        if let (Some(liked), Some(disliked)) = (now.liked, now.disliked)
            && (before.liked.is_none() || before.disliked.is_none())
        {
            let message = format!(
                "\"{word}\" is praised in line {liked} and criticized in line {disliked}; the marks add up"
            );
            self.warn(played, message);
        }
    }

    /// Where only one side counts, what follows a move that it never plays cannot come up.
    fn dead_end(&mut self, row: &Row<'_, '_>) {
        let Some(color) = row.color else { return };
        let follow = row.played.iter().zip(row.played.iter().skip(1));
        // The moves of a choice stand side by side, none follows another.
        let dead = follow
            .filter(|(played, next)| {
                played.turn == color && next.depth > played.depth && !played.annotation.pinned
            })
            .map(|(played, _)| played)
            .find(|played| {
                let entries = self.book.entries(played.key);
                entries
                    .iter()
                    .any(|entry| entry.mv == played.mv && entry.share() == 0)
            });
        if let Some(played) = dead {
            let message = format!("the rest of the line is never reached: {color} does not play this move");
            self.warn(played, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::parse;

    fn book(text: &str) -> Book {
        let (book, findings) = parse("a.book", text);
        assert_eq!(findings.to_string(), "");
        book.unwrap()
    }

    fn check(text: &str) -> Diagnostics {
        super::check("a.book", text).1
    }

    #[test]
    fn the_books_on_the_page_of_the_format_have_no_slips() {
        let page = include_str!("../../../docs/books.md");
        let books: Vec<&str> = page
            .split("```book\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next())
            .collect();
        assert!(books.len() >= 6);
        for text in books {
            assert_eq!(check(text).to_string(), "", "in\n{text}");
        }
    }

    #[test]
    fn the_same_line_twice_is_told() {
        let said = check("1. e4 e5 2. Nf3\nd4\ne2e4 e7e5 Nf3 # again\ncolor: black\ne4 e5 Nf3").to_string();
        assert_eq!(
            said,
            "a.book:3:1: warning: the same moves as in line 1; \
             a second line doubles their weight; marks and numbers say so more plainly"
        );
    }

    #[test]
    fn a_line_that_comes_often_is_told_once() {
        assert_eq!(
            check(&"1. e4 e5 2. Nf3\n".repeat(4)).to_string(),
            "a.book:2:4: warning: the same moves as in line 1, and 2 more below; \
             a second line doubles their weight; marks and numbers say so more plainly"
        );
    }

    #[test]
    fn words_against_each_other_are_told() {
        assert_eq!(
            check("e4 e5 40\ne4 e5 40\ne4 e5 50 Nc3")
                .to_string()
                .lines()
                .last(),
            Some("a.book:3:4: warning: \"e5\" weighs 50 here and 40 in line 2; the last one holds")
        );
        assert_eq!(
            check("e4 c5! Nf3\ne4 c5xx\ne4 c5 Nc3").to_string(),
            "a.book:2:4: warning: \"c5\" is forbidden in line 2 and recommended in line 1"
        );
        assert_eq!(
            check("e4 c5!! Nf3\ne4 c5?? Nc3\ne4 c5! d4").to_string(),
            "a.book:2:4: warning: \"c5\" is praised in line 1 and criticized in line 2; the marks add up"
        );
        assert_eq!(check("e4 c5! Nf3\ne4 c5!? Nc3").to_string(), "");
        // White has to know what it forbids to Black.
        assert_eq!(check("e4 c5xx\ne4 c5 Nf3").to_string(), "");
    }

    /// Rows of a small book whose moves are said all kinds of things of.
    fn disputed_rows() -> impl Strategy<Value = String> {
        const LINES: [&str; 4] = ["e4 c5 Nf3", "e4 e5 Nf3", "d4 Nf6 c4", "e4 c5 Nc3"];
        const MARKS: [&str; 9] = ["", "", "!", "!!", "?", "??", "xx", " 40", " 50"];
        let row = (0..LINES.len(), prop::collection::vec(0..MARKS.len(), 3), 0..8_u8);
        prop::collection::vec(row, 0..12).prop_map(|rows| {
            let mut text = String::new();
            for (line, marks, side) in rows {
                match side {
                    0 => text += "color: black\n",
                    1 => text += "color: both\n",
                    _ => {}
                }
                let words = LINES[line].split(' ').zip(marks);
                let words: Vec<String> = words.map(|(san, mark)| format!("{san}{}", MARKS[mark])).collect();
                text += &format!("{}\n", words.join(" "));
            }
            text
        })
    }

    proptest! {
        #[test]
        fn linting_the_candidates_finds_what_linting_all_rows_does(text in disputed_rows()) {
            let Ok(draft) = read("a.book", &text) else { unreachable!("every row is legal") };
            let (book, mistakes, _) = lint_candidates::find(draft);
            let all = lint_lines(&book, mistakes, |_| true);
            prop_assert_eq!(check(&text).to_string(), all.to_string());
        }
    }

    #[test]
    fn a_side_that_never_moves_is_told() {
        assert_eq!(
            check("color: black\ne4\ne4 e5").to_string(),
            "a.book:2:1: warning: no move of black in this line, and only black's count here"
        );
    }

    #[test]
    fn what_cannot_come_up_is_told() {
        let said = check("color: black\ne4 e5xx Nf3 Nc6\nd4 d5 60 | f5 40\nd4 Nf6 c4 e6").to_string();
        assert_eq!(
            said,
            "a.book:2:4: warning: the rest of the line is never reached: black does not play this move\n\
             a.book:4:4: warning: the rest of the line is never reached: black does not play this move"
        );
        assert_eq!(check("e4 e5xx Nf3 Nc6").to_string(), "");
    }

    #[test]
    fn a_rare_move_that_nobody_decided_on_is_told_once() {
        let mut text = "e4 e5 Nf3\n".repeat(30) + "e4 c5 Nf3\ne4 d5! exd5\ne4 a6?\n";
        let said = rare_moves(&book(&text), 0.05).to_string();
        assert_eq!(
            said,
            "a.book:31:4: warning: this move comes up in 3.0% only, and no mark or number says so; \
             decide on it: ! or a number for more, xx or ? for never"
        );
        text += "e4 c5 3\n";
        assert_eq!(rare_moves(&book(&text), 0.05).to_string(), "");
    }

    #[test]
    fn a_missed_transposition_is_told_once() {
        let text = "1. d4 Nf6 2. c4 e6 3. Nc3 Bb4\n1. c4 Nf6 2. Nc3 c5\n1. c4 Nf6 2. Nc3 g6";
        assert_eq!(
            missing_transpositions(&book(text)).to_string(),
            "a.book:2:14: warning: instead of this move d4 leads into line 1; \
             give d4 a line of its own, or forbid it with d4xx"
        );
    }

    #[test]
    fn a_line_for_one_color_is_a_place_to_stay_in_for_that_color_alone() {
        let text = "1. c4 Nf6 2. Nc3 c5\ncolor: black\n1. d4 Nf6 2. c4 e6";
        assert_eq!(missing_transpositions(&book(text)).to_string(), "");
        let text = "color: white\n1. c4 Nf6 2. Nc3 c5\n1. d4 Nf6 2. c4 e6 3. Nc3";
        assert_eq!(
            missing_transpositions(&book(text)).to_string(),
            "a.book:2:14: warning: instead of this move d4 leads into line 3; \
             give d4 a line of its own, or forbid it with d4xx"
        );
    }
}
