//! API errors in lichess' words.

use thiserror::Error;

use sparring_chess::units::Millis;
use sparring_lichess::model::UserId;

/// An error response. Its text is lichess' own.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ApiError {
    /// There is no such thing, or not for this user.
    #[error("Not found")]
    NotFound,
    /// No game has this id.
    #[error("No such game")]
    NoSuchGame,
    /// The user is no player of the game.
    #[error("Not your game")]
    NotYourGame,
    /// Not a user's name.
    #[error("No such user: {0}")]
    NoSuchUser(String),
    /// An account without the title on the bots' interface.
    #[error(
        "This endpoint can only be used with a Bot account. See https://lichess.org/api#operation/botAccountUpgrade"
    )]
    NotABot,
    /// A bot on the boards' interface.
    #[error("This API endpoint is not for Bot accounts.")]
    NotForBots,
    /// Too fast for this interface.
    #[error("This game cannot be played with the {0} API.")]
    WrongInterface(&'static str),
    /// A tournament that is over, or not for this user.
    #[error("{0}")]
    ArenaClosed(&'static str),
    /// No move at all.
    #[error("Invalid UCI: {0}")]
    InvalidUci(String),
    /// A move that is not legal: the piece's square and where it was sent.
    #[error("Piece on {from} cannot move to {to}")]
    IllegalMove {
        /// Where the piece would stand.
        from: String,
        /// Where it cannot go.
        to: String,
    },
    /// The other side is to move, or the game is over.
    #[error("Not your turn, or game already over")]
    NotYourTurn,
    /// Both have moved, or the game is over.
    #[error("This game can no longer be aborted")]
    NotAbortable,
    /// The game is over.
    #[error("This game cannot be resigned")]
    NotResignable,
    /// This kind of game is never won by absence, or it is over.
    #[error("You cannot claim the win on this game")]
    NoVictoryClaim,
    /// This kind of game is never drawn by absence, or it is over.
    #[error("You cannot claim draw on this game")]
    NoDrawClaim,
    /// Rated, without a clock, or over.
    #[error("This game gives no more time")]
    NoMoreTime,
    /// Special rules in a challenge to a bot.
    #[error("Rules not applicable for bots")]
    RulesForBot,
    /// An ultrabullet challenge to a bot.
    #[error("Bots cannot play UltraBullet. Choose a slower time control.")]
    TooFastForBot,
    /// The sandbox has no computer of its own.
    #[error("This sandbox has no computer opponent. Challenge a bot instead.")]
    NoComputer,
    /// The challenger took it back.
    #[error("The challenge has been canceled.")]
    Canceled,
    /// It was refused before.
    #[error("The challenge has been declined.")]
    Declined,
    /// It is a game already.
    #[error("The challenge has already been accepted")]
    AlreadyAccepted,
    /// Games were played with the account.
    #[error("You already have games played. Create a new account.")]
    NotFresh,
    /// Only finished games can be repeated, and a refusal holds for a minute.
    #[error("A rematch cannot be offered now")]
    NoRematch,
    /// Too many accounts.
    #[error("Too many {0} in this sandbox")]
    TooMany(&'static str),
    /// Done too often lately.
    #[error("Too many requests. Try again later.")]
    TooOften,
    /// The event stream was opened again and again.
    #[error("Please don't poll this endpoint, it is intended to be streamed.")]
    StreamPolled,
    /// Another request of the same token is being served.
    #[error("Please only run 1 request(s) at a time")]
    OneAtATime,
    /// I have played as many games against bots today as a bot may.
    #[error("You played 100 games against other bots today, please wait before challenging another bot.")]
    MyBotGames {
        /// Until the next is allowed.
        wait: Millis,
    },
    /// The other bot has.
    #[error("{name} played 100 games against other bots today, please wait before challenging them.")]
    TheirBotGames {
        /// Who.
        name: String,
        /// Until the next is allowed.
        wait: Millis,
    },
    /// A name that cannot be one.
    #[error("\"{0}\" cannot be a user name: use 1 to 20 letters, digits, - and _")]
    BadName(String),
    /// The name is taken.
    #[error("{0} is already here")]
    NameTaken(UserId),
    /// A field of a form is wrong; `global` stands for the form as a whole.
    #[error("{field}: {text}")]
    Form {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        text: &'static str,
    },
}

impl ApiError {
    /// A complaint about one field.
    #[must_use]
    pub fn form(field: &'static str, text: &'static str) -> Self {
        Self::Form { field, text }
    }
}
