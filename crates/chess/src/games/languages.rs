//! Piece letters of PGN in other languages.

use super::super::Role;

/// How a language writes its pieces. Pawns have no letter, or `P` where no piece has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Letters {
    king: &'static str,
    queen: &'static str,
    rook: &'static str,
    bishop: &'static str,
    knight: &'static str,
    /// Whether pieces may be written in lower case.
    pub has_lower_case: bool,
}

/// The letters of the standard.
pub(super) const ENGLISH: Letters = letters(["K", "Q", "R", "B", "N"]);

/// What is tried where the letters of the standard do not make a game.
pub(super) const OTHERS: [Letters; 22] = [
    Letters {
        has_lower_case: true,
        ..ENGLISH
    },
    // German, Danish, Norwegian, Swedish, Croatian, Slovenian.
    letters(["K", "D", "T", "L", "S"]),
    // French.
    letters(["R", "D", "T", "F", "C"]),
    // Spanish, Italian, Catalan.
    letters(["R", "D", "T", "A", "C"]),
    // Portuguese.
    letters(["R", "D", "T", "B", "C"]),
    // Romanian.
    letters(["R", "D", "T", "N", "C"]),
    // Dutch.
    letters(["K", "D", "T", "L", "P"]),
    // Finnish.
    letters(["K", "D", "T", "L", "R"]),
    // Polish.
    letters(["K", "H", "W", "G", "S"]),
    // Czech, Slovak.
    letters(["K", "D", "V", "S", "J"]),
    // Hungarian.
    letters(["K", "V", "B", "F", "H"]),
    // Estonian.
    letters(["K", "L", "V", "O", "R"]),
    // Latvian.
    letters(["K", "D", "T", "L", "Z"]),
    // Lithuanian.
    letters(["K", "V", "B", "R", "Ž"]),
    // Icelandic.
    letters(["K", "D", "H", "B", "R"]),
    // Turkish.
    letters(["Ş", "V", "K", "F", "A"]),
    // Esperanto.
    letters(["R", "D", "T", "K", "Ĉ"]),
    // Russian.
    letters(["Кр", "Ф", "Л", "С", "К"]),
    // Ukrainian.
    letters(["Кр", "Ф", "Т", "С", "К"]),
    // Bulgarian.
    letters(["Ц", "Д", "Т", "О", "К"]),
    // Serbian, Macedonian.
    letters(["К", "Д", "Т", "Л", "С"]),
    // Greek.
    letters(["Ρ", "Β", "Π", "Α", "Ι"]),
];

const fn letters([king, queen, rook, bishop, knight]: [&'static str; 5]) -> Letters {
    Letters {
        king,
        queen,
        rook,
        bishop,
        knight,
        has_lower_case: false,
    }
}

impl Letters {
    fn all(&self) -> [(&'static str, Role); 5] {
        // The Russian king begins like the knight.
        [
            (self.king, Role::King),
            (self.queen, Role::Queen),
            (self.rook, Role::Rook),
            (self.bishop, Role::Bishop),
            (self.knight, Role::Knight),
        ]
    }

    /// The piece that a text begins with, and what follows it. Figurines are read in every language.
    pub(super) fn piece<'t>(&self, text: &'t str) -> Option<(Role, &'t str)> {
        let first = text.chars().next()?;
        if let Some(role) = figurine(first) {
            return Some((role, text.get(first.len_utf8()..)?));
        }
        self.all()
            .into_iter()
            .find_map(|(letter, role)| Some((role, text.strip_prefix(letter)?)))
            .or_else(|| Some((Role::Pawn, text.strip_prefix('P')?)))
    }

    /// Whether these are other letters than English ones, in upper case or lower.
    pub(super) fn are_foreign(&self) -> bool {
        Self {
            has_lower_case: false,
            ..*self
        } != ENGLISH
    }

    /// The piece that a text begins with in lower case.
    pub(super) fn lower_piece<'t>(&self, text: &'t str) -> Option<(Role, &'t str)> {
        let first = text.chars().next().filter(|c| c.is_lowercase())?;
        let upper = first.to_uppercase().to_string();
        let (_, role) = self.all().into_iter().find(|(letter, _)| *letter == upper)?;
        Some((role, text.get(first.len_utf8()..)?))
    }
}

/// Whether a word begins with the letter of a piece that no English game has.
pub(super) fn is_foreign(word: &str) -> bool {
    let first = word.chars().next();
    first.is_some_and(|c| c.is_uppercase() && figurine(c).is_none() && !"KQRBNPO".contains(c))
}

/// The figurines of both colors are used for either.
pub(super) fn figurine(c: char) -> Option<Role> {
    Some(match c {
        '♔' | '♚' => Role::King,
        '♕' | '♛' => Role::Queen,
        '♖' | '♜' => Role::Rook,
        '♗' | '♝' => Role::Bishop,
        '♘' | '♞' => Role::Knight,
        '♙' | '♟' => Role::Pawn,
        _ => return None,
    })
}
