//! Rows of the archive as values.

use super::explanation::MoveExplanation;
use sparring_chess::units::{Depth, Elo, Millis, Nodes};
use sparring_engine::Score;
use sparring_lichess::model::{GameId, Side, UserId};

/// A game, from its first line on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameRecord {
    /// Which.
    pub id: GameId,
    /// When it began, in milliseconds since 1970.
    pub began: Millis,
    /// My side.
    pub side: Side,
    /// The opponent; none for anonymous people and lichess' computer.
    pub opponent: Option<UserId>,
    /// The opponent's name for people.
    pub name: String,
    /// Whether lichess marks the opponent as a bot.
    pub is_bot: bool,
    /// The opponent's rating.
    pub rating: Option<Elo>,
    /// My rating.
    pub own_rating: Option<Elo>,
    /// Whether ratings change.
    pub rated: bool,
    /// lichess' key of what is played.
    pub variant: String,
    /// lichess' key of the class of the clock.
    pub speed: String,
    /// What each side starts with and what each move adds; none without a clock.
    pub clock: Option<(Millis, Millis)>,
    /// Days for each move, in correspondence.
    pub days: Option<u32>,
    /// `startpos` or a FEN.
    pub start: String,
    /// Who sat down.
    pub personality: String,
    /// The level asked for instead of the personality's own.
    pub level: Option<Elo>,
    /// The level played at: the one asked for, else the personality's own. None for full strength, and for games of
    /// earlier versions in which none was asked for.
    pub played: Option<Elo>,
    /// What the server calls the bot; none for games of earlier versions.
    pub account: Option<String>,
    /// How it ended; none while it runs.
    pub end: Option<End>,
}

impl GameRecord {
    /// The result for the bot.
    #[must_use]
    pub fn result(&self) -> GameResult {
        match &self.end {
            None => GameResult::Runs,
            Some(end) => match (end.winner, end.status.as_str()) {
                (Some(winner), _) if winner == self.side => GameResult::Won,
                (Some(_), _) => GameResult::Lost,
                (None, "aborted" | "noStart") => GameResult::Void,
                (None, _) => GameResult::Drawn,
            },
        }
    }
}

/// The result of a game for the bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameResult {
    /// The bot won.
    Won,
    /// The opponent won.
    Lost,
    /// A draw.
    Drawn,
    /// Aborted, or never begun: the game does not count.
    Void,
    /// The game still runs.
    Runs,
}

impl GameResult {
    /// The word that commands and JSON show.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Lost => "lost",
            Self::Drawn => "drawn",
            Self::Void => "void",
            Self::Runs => "runs",
        }
    }
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// When, in milliseconds since 1970.
    pub at: Millis,
    /// lichess' name of the status.
    pub status: String,
    /// Who won.
    pub winner: Option<Side>,
    /// All moves in UCI notation, separated by spaces.
    pub moves: String,
}

/// A half move as the stream showed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveRecord {
    /// From 1.
    pub ply: u32,
    /// In UCI notation.
    pub uci: String,
    /// What was left to who moved; none without a clock, or where states were lost.
    pub clock: Option<Millis>,
    /// How it came about; none for the opponent's.
    pub thought: Option<Thought>,
}

/// How a move of mine came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thought {
    /// Where it is from.
    pub source: MoveSource,
    /// Why, in words.
    pub note: String,
    /// What it is worth to me; none for moves that nobody calculated.
    pub score: Option<Score>,
    /// From the turn to the decision.
    pub think: Millis,
    /// What it rests on, for the card that explains it after the game.
    pub grounds: Option<MoveExplanation>,
}

/// Where a move of mine is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveSource {
    /// An opening book.
    Book,
    /// A search.
    Engine {
        /// How deep it looked.
        depth: Depth,
        /// How many positions it visited.
        nodes: Nodes,
    },
    /// Neither, as a script in a test.
    Other,
}

/// What became of a challenge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChallengeRecord {
    /// Which.
    pub id: GameId,
    /// When, in milliseconds since 1970.
    pub at: Millis,
    /// Who sent it, or whom the bot challenged.
    pub opponent: Option<UserId>,
    /// What was decided.
    pub verdict: String,
    /// By whom.
    pub rule: String,
    /// Whether the bot sent it.
    pub sent: bool,
    /// What was to be played, in words; none for challenges of earlier versions.
    pub game: Option<String>,
    /// Which game was to be repeated.
    pub repeats: Option<GameId>,
}

/// What was granted or asked for in a game, and must not be again after a restart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GameFlags {
    /// Takebacks granted.
    pub takebacks: u32,
    /// Half moves played when a draw was offered last.
    pub offered_at: Option<u32>,
    /// Who plays, and how strong.
    pub asked: RequestedPersona,
}

/// Whom an opponent asked for instead of whoever would sit down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestedPersona {
    /// A personality.
    pub personality: Option<String>,
    /// A level instead of its own strength.
    pub level: Option<Elo>,
}

/// Somebody who is not challenged for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChallengeCooldown {
    /// Who.
    pub user: UserId,
    /// How often they have refused in a row.
    pub refusals: u32,
    /// Until when they are left alone, on the clock of whoever tells.
    pub until: Millis,
}

/// What was played with an opponent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpponentScore {
    /// Games that have ended and count.
    pub games: u32,
    /// My points in them, twice.
    pub half_points: u32,
    /// The level of the last of them that was casual; none for full strength, and where there was none.
    pub level: Option<Elo>,
}

impl OpponentScore {
    /// My share of the points in percent; none without a game.
    #[must_use]
    pub fn percent(&self) -> Option<u32> {
        self.half_points.saturating_mul(50).checked_div(self.games)
    }
}
