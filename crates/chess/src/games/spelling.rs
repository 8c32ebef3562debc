//! Resolves a word to the one legal move that it spells.

use shakmaty::{CastlingSide, File, Rank};

use super::{
    super::{Move, Position, Role, Rules as _, SanError, Square, parse_san, write_san},
    languages::{Letters, figurine},
};

/// A word that is no move here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unread {
    /// No legal move is spelled so.
    NoMove,
    /// Several legal moves are.
    Several(Vec<String>),
}

/// Reads a move. Standard SAN comes first; other spellings count where they name one legal move.
pub(super) fn read_move(pos: &Position, word: &str, letters: &Letters) -> Result<Move, Unread> {
    let is_standard = *letters == super::languages::ENGLISH;
    if is_standard {
        match parse_san(pos, word) {
            Ok(mv) => return Ok(mv),
            Err(SanError::Ambiguous { candidates, .. }) => return Err(Unread::Several(candidates)),
            Err(_) => {}
        }
    }
    let (text, says_en_passant) = bare(word);
    let text = with_latin_letters(text);
    let mut wanted = Vec::new();
    if let Some(side) = castling(&text) {
        wanted.push(Spelled::Castling(side));
    } else {
        wanted.extend(spelled(&text, letters));
    }
    if letters.has_lower_case
        && let Some((role, rest)) = letters.lower_piece(&text)
    {
        wanted.extend(squares(Some(role), rest, letters));
    }
    let mut found: Vec<Move> = pos.legal_moves().into_iter().collect();
    found.retain(|mv| {
        (!says_en_passant || mv.is_en_passant()) && wanted.iter().any(|wanted| wanted.fits(*mv))
    });
    // In chess960 a step of the king can look like castling.
    if found.iter().any(|mv| !mv.is_castle()) && !matches!(*wanted, [Spelled::Castling(_)]) {
        found.retain(|mv| !mv.is_castle());
    }
    match *found {
        [] => Err(Unread::NoMove),
        [mv] => Ok(mv),
        _ => Err(Unread::Several(
            found.iter().map(|mv| write_san(pos, *mv)).collect(),
        )),
    }
}

/// A move as far as a word determines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelled {
    Castling(CastlingSide),
    Drop {
        role: Role,
        to: Square,
    },
    Step {
        /// None where both squares determine it.
        role: Option<Role>,
        from_file: Option<File>,
        from_rank: Option<Rank>,
        captures: bool,
        to_file: File,
        /// None for pawns that capture, as in `exd`.
        to_rank: Option<Rank>,
        promotion: Option<Role>,
    },
}

impl Spelled {
    fn fits(self, mv: Move) -> bool {
        match (self, mv) {
            (Self::Castling(side), mv) => mv.castling_side() == Some(side),
            (
                Self::Drop { role, to },
                Move::Put {
                    role: put,
                    to: square,
                },
            ) => role == put && to == square,
            (
                Self::Step {
                    role,
                    from_file,
                    from_rank,
                    captures,
                    to_file,
                    to_rank,
                    promotion,
                },
                mv,
            ) => {
                let (Some(from), to) = (mv.from(), mv.to()) else {
                    return false;
                };
                if from_file.is_some_and(|file| file != from.file())
                    || from_rank.is_some_and(|rank| rank != from.rank())
                    || role.is_some_and(|role| role != mv.role())
                    // Without a rank this may be a promotion of which the piece is missing.
                    || promotion != mv.promotion() && (promotion.is_some() || to_rank.is_some())
                {
                    return false;
                }
                match mv.castling_side() {
                    Some(side) => {
                        // The king's two squares, or king takes rook.
                        let target = Square::from_coords(side.king_to_file(), from.rank());
                        let is_far = from.file().distance(target.file()) > 1;
                        let is_named =
                            |square: Square| square.file() == to_file && to_rank == Some(square.rank());
                        !captures && (is_far && is_named(target))
                            || from_file.is_some() && from_rank.is_some() && is_named(to)
                    }
                    None => {
                        to.file() == to_file
                            && to_rank.is_none_or(|rank| rank == to.rank())
                            && (mv.is_capture() || !captures)
                    }
                }
            }
            _ => false,
        }
    }
}

/// What is put directly behind moves, the longer first.
const SUFFIXES: [&str; 34] = [
    "checkmate",
    "check",
    "mate",
    "dbl.ch",
    "dblch",
    "dis.ch",
    "dis",
    "disc",
    "dbl",
    "ch",
    "e.p",
    "E.P",
    "ep",
    "i.p",
    "a.p",
    "/",
    "TN",
    "+/-",
    "-/+",
    "+/=",
    "=/+",
    "+--",
    "--+",
    "+-",
    "-+",
    "+=",
    "=+",
    "=",
    "+",
    "#",
    "!",
    "?",
    ".",
    ",",
];

/// The suffixes for en passant, in English, German and Spanish.
const EN_PASSANT: [&str; 5] = ["e.p", "E.P", "ep", "i.p", "a.p"];

/// A word without suffixes, and whether one of them marked en passant.
pub(super) fn bare(word: &str) -> (&str, bool) {
    let mut rest = word;
    let mut says_en_passant = false;
    // Most words end in the number of a rank.
    while rest.bytes().last().is_some_and(|byte| !byte.is_ascii_digit()) || rest.contains('$') {
        if let Some((before, glyph)) = rest.rsplit_once('$') {
            if glyph.is_empty() || !glyph.bytes().all(|byte| byte.is_ascii_digit()) || before.is_empty() {
                break;
            }
            rest = before;
            continue;
        }
        let symbols = rest.trim_end_matches(is_symbol);
        if symbols.len() < rest.len() {
            rest = symbols;
            continue;
        }
        let Some((before, suffix)) = SUFFIXES
            .iter()
            .find_map(|suffix| Some((rest.strip_suffix(suffix)?, *suffix)))
        else {
            break;
        };
        // `,` and `.` end a word, and are none.
        if before.is_empty() && matches!(suffix, "." | ",") && rest.len() == word.len() {
            break;
        }
        says_en_passant |= EN_PASSANT.contains(&suffix);
        rest = before;
    }
    (rest, says_en_passant)
}

/// Signs of annotators: whatever is neither a letter nor ASCII.
fn is_symbol(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric() && figurine(c).is_none() && c != '…'
}

/// With Latin letters for the Cyrillic ones of the same look that name files.
fn with_latin_letters(text: &str) -> String {
    let latin = |c| match c {
        'а' => 'a',
        'с' => 'c',
        'е' => 'e',
        'Х' | 'х' => 'x',
        c => c,
    };
    text.chars().map(latin).collect()
}

fn castling(text: &str) -> Option<CastlingSide> {
    if !text.starts_with(['O', 'o', '0', 'О', 'о']) {
        return None;
    }
    match text.replace(['o', '0', 'О', 'о'], "O").as_str() {
        "O-O" | "OO" => Some(CastlingSide::KingSide),
        "O-O-O" | "OOO" => Some(CastlingSide::QueenSide),
        _ => None,
    }
}

fn spelled(text: &str, letters: &Letters) -> Option<Spelled> {
    let (role, rest) = letters
        .piece(text)
        .map_or((None, text), |(role, rest)| (Some(role), rest));
    if let Some(square) = rest.strip_prefix('@') {
        return Some(Spelled::Drop {
            role: role.unwrap_or(Role::Pawn),
            to: square.parse().ok()?,
        });
    }
    squares(role, rest, letters)
}

/// Reads what follows the letter of a piece: `f3`, `g1-f3`, `1xf3`, `exd`, `e8=Q`.
fn squares(role: Option<Role>, text: &str, letters: &Letters) -> Option<Spelled> {
    let mut signs = Signs(text);
    let (file, rank) = (signs.file(), signs.rank());
    let sign = signs.take(['-', 'x', 'X', ':']);
    let (other_file, other_rank) = (signs.file(), signs.rank());
    let captures = sign.is_some_and(|sign| sign != '-') || signs.take([':']).is_some();
    let promotion = match signs.0 {
        "" => None,
        rest => Some(promotion(rest, letters)?),
    };
    let (from_file, from_rank, to_file, to_rank) = match (file, rank, other_file, other_rank) {
        (Some(file), Some(rank), None, None) if matches!(sign, None | Some(':')) => {
            (None, None, file, Some(rank))
        }
        (Some(from), None, Some(to), None) => (Some(from), None, to, None),
        (file, rank, Some(to), Some(to_rank)) => (file, rank, to, Some(to_rank)),
        _ => return None,
    };
    let is_pawn = role.is_none() && from_rank.is_none();
    let role = if is_pawn { Some(Role::Pawn) } else { role };
    if to_rank.is_none() && (role != Some(Role::Pawn) || sign == Some('-'))
        || role.is_none() && from_file.is_none()
    {
        return None;
    }
    Some(Spelled::Step {
        role,
        from_file,
        from_rank,
        captures: captures || to_rank.is_none(),
        to_file,
        to_rank,
        promotion,
    })
}

/// Reads `=Q`, `Q`, `/Q`, `(Q)`, `=q`.
fn promotion(text: &str, letters: &Letters) -> Option<Role> {
    let text = text.trim_start_matches(['=', '/']);
    let text = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'))
        .unwrap_or(text);
    let (role, rest) = letters.piece(text).or_else(|| letters.lower_piece(text))?;
    (rest.is_empty() && role != Role::Pawn).then_some(role)
}

struct Signs<'t>(&'t str);

impl Signs<'_> {
    fn first<T>(&mut self, read: impl Fn(char) -> Option<T>) -> Option<T> {
        let sign = self.0.chars().next()?;
        let value = read(sign)?;
        self.0 = self.0.get(sign.len_utf8()..).unwrap_or_default();
        Some(value)
    }

    fn file(&mut self) -> Option<File> {
        self.first(File::from_char)
    }

    fn rank(&mut self) -> Option<Rank> {
        self.first(Rank::from_char)
    }

    fn take<const N: usize>(&mut self, signs: [char; N]) -> Option<char> {
        self.first(|c| signs.contains(&c).then_some(c))
    }
}
