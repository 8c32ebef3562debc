//! Records of the archive: games, moves, challenges, and state that outlasts a restart.

use super::explanation::MoveExplanation;
use sparring_chess::units::{Depth, Elo, Millis, Nodes};
use sparring_engine::Score;
use sparring_lichess::model::{GameId, Side, UserId};

/// A game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameRecord {
    /// The id.
    pub id: GameId,
    /// The start, in milliseconds since 1970.
    pub began: Millis,
    /// The bot's side.
    pub side: Side,
    /// The opponent's id; none for anonymous players and lichess' AI.
    pub opponent: Option<UserId>,
    /// The opponent's display name.
    pub name: String,
    /// Whether lichess marks the opponent as a bot.
    pub is_bot: bool,
    /// The opponent's rating.
    pub rating: Option<Elo>,
    /// The bot's rating.
    pub own_rating: Option<Elo>,
    /// Whether the game is rated.
    pub rated: bool,
    /// lichess' key of the variant.
    pub variant: String,
    /// lichess' key of the speed.
    pub speed: String,
    /// Initial time and increment; none without a clock.
    pub clock: Option<(Millis, Millis)>,
    /// Days per move in correspondence.
    pub days: Option<u32>,
    /// `startpos` or a FEN.
    pub start: String,
    /// The personality that played.
    pub personality: String,
    /// The requested level; none for the personality's own.
    pub level: Option<Elo>,
    /// The level played at, requested or the personality's own. None for full strength, and for games of early versions without a
    /// requested level.
    pub played: Option<Elo>,
    /// The bot's account name; none for games of early versions.
    pub account: Option<String>,
    /// The end; none while the game runs.
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

/// The end of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The time, in milliseconds since 1970.
    pub at: Millis,
    /// lichess' key of the status.
    pub status: String,
    /// The winner; none for draws and aborted games.
    pub winner: Option<Side>,
    /// All moves in UCI notation, separated by spaces.
    pub moves: String,
}

/// A half move as the stream showed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveRecord {
    /// The ply, from 1.
    pub ply: u32,
    /// The move in UCI notation.
    pub uci: String,
    /// The mover's clock after the move; none without a clock, or where the stream lost a state.
    pub clock: Option<Millis>,
    /// How the bot chose the move; none for the opponent's moves.
    pub thought: Option<Thought>,
}

/// How the bot chose a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thought {
    /// The source of the move.
    pub source: MoveSource,
    /// The reason in words.
    pub note: String,
    /// The score from the bot's view; none for moves that were not searched.
    pub score: Option<Score>,
    /// Time from the start of the turn to the decision.
    pub think: Millis,
    /// The explanation that the pages show after the game.
    pub grounds: Option<MoveExplanation>,
    /// Whether the engine pondered and expected the reply before this move; none where it did not ponder.
    pub pondered: Option<bool>,
}

/// The source of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveSource {
    /// An opening book.
    Book,
    /// An online source.
    Online,
    /// A search.
    Engine {
        /// The search depth.
        depth: Depth,
        /// The number of nodes.
        nodes: Nodes,
    },
    /// Another source, as a test's script.
    Other,
}

/// A challenge and how it was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChallengeRecord {
    /// The id.
    pub id: GameId,
    /// The time of the decision, in milliseconds since 1970.
    pub at: Millis,
    /// The other player.
    pub opponent: Option<UserId>,
    /// The decision.
    pub verdict: String,
    /// The rule or reason behind it.
    pub rule: String,
    /// Whether the bot sent the challenge.
    pub sent: bool,
    /// The proposed game in words; none for challenges of early versions.
    pub game: Option<String>,
    /// The game of which this is a rematch.
    pub repeats: Option<GameId>,
}

/// Flags of a game that must outlast a restart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GameFlags {
    /// Number of takebacks granted.
    pub takebacks: u32,
    /// Half moves played when the bot last offered a draw.
    pub offered_at: Option<u32>,
    /// The persona that the opponent asked for.
    pub asked: RequestedPersona,
}

/// The personality and level that an opponent asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestedPersona {
    /// A personality.
    pub personality: Option<String>,
    /// A level instead of its own strength.
    pub level: Option<Elo>,
}

/// An opponent whom the bot does not challenge for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChallengeCooldown {
    /// The opponent.
    pub user: UserId,
    /// Consecutive refusals.
    pub refusals: u32,
    /// The end of the cooldown: since 1970 in the archive, since the program's start in the opponent picker.
    pub until: Millis,
}

/// The score against an opponent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpponentScore {
    /// Finished games that count.
    pub games: u32,
    /// The bot's score in half points.
    pub half_points: u32,
    /// The level of the last casual game; none for full strength, and without such a game.
    pub level: Option<Elo>,
}

impl OpponentScore {
    /// The bot's score in percent; none without a game.
    #[must_use]
    pub fn percent(&self) -> Option<u32> {
        self.half_points.saturating_mul(50).checked_div(self.games)
    }
}
