//! Move explanations as the archive stores them.

use serde::{Deserialize, Serialize};

use sparring_chess::units::{Centipawns, Elo};
use sparring_engine::Score;

/// What a move of mine rests on, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "from")]
pub enum MoveExplanation {
    /// A line of a book.
    Book(BookChoice),
    /// What a search saw.
    Search(SearchExplanation),
}

/// The line of a book, and what it chose from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookChoice {
    /// File and line, as in `books/starter.book:41`.
    pub at: String,
    /// What the book says beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The moves that could have been drawn, the likeliest first.
    pub moves: Vec<BookChance>,
}

/// A move that a book offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookChance {
    /// The move in SAN.
    pub san: String,
    /// How likely it was, in thousandths.
    pub permille: u16,
}

/// What a search saw, and what a level made of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchExplanation {
    /// Its lines; the first one was played.
    pub lines: Vec<PvLine>,
    /// How the move was chosen among them, where it was chosen as people do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<HumanChoice>,
}

/// A line that a search saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PvLine {
    /// What it is worth to me.
    pub score: ScoreJson,
    /// Its moves in SAN.
    pub san: Vec<String>,
}

/// A choice as people make it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HumanChoice {
    /// The rating of the people.
    pub rating: Elo,
    /// The chance that the drawn move had, in thousandths.
    pub permille: u16,
    /// The drawn move lost too much, and the best one was played instead.
    pub corrected: bool,
    /// What the personality's style had to do with it; none without one, and in games from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<StyleBias>,
}

/// What a style had to do with a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StyleBias {
    /// The chance that the drawn move would have had without it, in thousandths.
    pub plainly: u16,
    /// The axes that drew to the move, the strongest first.
    pub axes: Vec<String>,
}

/// A score as JSON has it: `{"cp": 31}` or `{"mate": -3}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreJson {
    /// Centipawns.
    Cp(i32),
    /// Moves to mate, negative when I am mated.
    Mate(i32),
}

impl From<Score> for ScoreJson {
    fn from(score: Score) -> Self {
        match score {
            Score::Cp(Centipawns(cp)) => Self::Cp(cp),
            Score::Mate(moves) => Self::Mate(moves),
        }
    }
}

/// A chance from 0 to 1 in thousandths.
#[must_use]
pub fn permille(chance: f64) -> u16 {
    (chance.clamp(0.0, 1.0) * 1000.0).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grounds_are_written_as_the_documents_show_and_read_again() {
        let search = MoveExplanation::Search(SearchExplanation {
            lines: vec![PvLine {
                score: ScoreJson::Mate(-3),
                san: vec!["Kh1".to_owned()],
            }],
            people: None,
        });
        let text = serde_json::to_string(&search).unwrap();
        assert_eq!(
            text,
            r#"{"from":"search","lines":[{"score":{"mate":-3},"san":["Kh1"]}]}"#
        );
        assert_eq!(serde_json::from_str::<MoveExplanation>(&text).unwrap(), search);
    }

    #[test]
    fn a_chance_stays_within_its_thousandths() {
        assert_eq!(
            [-1.0, 0.0, 0.2305, 1.0, 7.0].map(permille),
            [0, 0, 231, 1000, 1000]
        );
    }
}
