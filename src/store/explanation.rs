//! Move explanations as the archive stores them.

use serde::{Deserialize, Serialize};

use sparring_chess::units::{Centipawns, Elo};
use sparring_engine::Score;

/// The explanation of a move of the bot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "from")]
pub enum MoveExplanation {
    /// A book move.
    Book(BookChoice),
    /// A move of an online source.
    Online(OnlineChoice),
    /// A searched move.
    Search(SearchExplanation),
}

/// A book move and its alternatives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookChoice {
    /// File and line, as in `books/starter.book:41`.
    pub at: String,
    /// The note of the book line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The book moves with their probabilities, likeliest first.
    pub moves: Vec<BookChance>,
}

/// A move of an online source and its alternatives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnlineChoice {
    /// The name of the source in the settings.
    pub source: String,
    /// Why the source offers the move, as in `53% of 1.2 M games`.
    pub note: String,
    /// The moves that could be drawn with their probabilities, likeliest first.
    pub moves: Vec<BookChance>,
}

/// A book move with its probability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookChance {
    /// The move in SAN.
    pub san: String,
    /// Its probability in permille.
    pub permille: u16,
}

/// The lines of a search, and the choice among them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchExplanation {
    /// The principal variations; the first was played.
    pub lines: Vec<PvLine>,
    /// The choice by the human model, if it made one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<HumanChoice>,
}

/// A principal variation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PvLine {
    /// Its score from the bot's view.
    pub score: ScoreJson,
    /// Its moves in SAN.
    pub san: Vec<String>,
}

/// A choice by the human model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HumanChoice {
    /// The rating of the modelled players.
    pub rating: Elo,
    /// Probability of the drawn move in permille.
    pub permille: u16,
    /// Whether the drawn move lost too much, and the best move was played instead.
    pub corrected: bool,
    /// The moves that such players most likely play, at a glance; empty in games of early versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub likeliest: Vec<LikelyMove>,
    /// The effect of the personality's style; none without one, and in games of early versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<StyleBias>,
}

/// A move that people are likely to play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LikelyMove {
    /// The move in SAN.
    pub san: String,
    /// Its probability by the network alone, in permille.
    pub prior: u16,
    /// Its probability in the draw, after search, level and style, in permille.
    pub permille: u16,
}

/// The effect of a style on a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StyleBias {
    /// Probability of the drawn move without the style, in permille.
    pub plainly: u16,
    /// The style axes that favoured the move, strongest first.
    pub axes: Vec<String>,
}

/// A score in JSON: `{"cp": 31}` or `{"mate": -3}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreJson {
    /// Centipawns.
    Cp(i32),
    /// Moves to mate, negative when the bot is mated.
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

/// A probability from 0 to 1 in permille.
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
