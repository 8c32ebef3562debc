//! Login: checks token, scopes and account, and upgrades the account to a bot.

use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use thiserror::Error;
use tokio::time::{Instant, sleep};
use tracing::{info, warn};

use crate::bot::{server::rate_limits::PersistedRateLimits, wall_clock::epoch};
use sparring_chess::units::Millis;
use sparring_lichess::{
    CallError, Client, Escaped,
    model::Account,
    retry::{Backoff, EndpointClass},
};

/// The scope that every bot needs.
const SCOPE: &str = "bot:play";
/// Scopes that a bot may need. A token with more does more harm if stolen.
const NEEDED: [&str; 3] = [SCOPE, "challenge:read", "challenge:write"];

/// Why the daemon ended or did not start. Each message says what to do.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DaemonError {
    /// The server does not know the token.
    #[error(
        "lichess does not know this token; make one at https://lichess.org/account/oauth/token with the scope {SCOPE}"
    )]
    UnknownToken,
    /// The token lacks the scope to play.
    #[error(
        "the token lacks the scope {SCOPE} (it has: {0}); make another at https://lichess.org/account/oauth/token"
    )]
    MissingScope(String),
    /// The account belongs to a person.
    #[error(
        "{0} is not a bot account; an account without games can become one for ever, see \
         https://lichess.org/api#tag/Bot/operation/botAccountUpgrade"
    )]
    NotABot(String),
    /// The account was closed.
    #[error("the account {0} is closed")]
    Closed(String),
    /// Another process has claimed the account.
    #[error("another bot on this machine plays as {0}: stop it, or give this one an account of its own")]
    Taken(String),
    /// No usable answer came in time.
    #[error("the server cannot be reached: {0}")]
    Unreachable(CallError),
    /// The server refuses a call that every bot needs.
    #[error("the server refuses to be used: {0}")]
    Refused(CallError),
}

/// Checks token and account, and retries for `patience` while the network is down. Waits out a rate limit, however long. The returned
/// client names its account in the user agent.
///
/// # Errors
/// [`DaemonError`] says what is wrong.
pub(in crate::bot) async fn login(
    client: Client,
    patience: Millis,
    limits: &mut PersistedRateLimits,
    wanted: &[&str],
    seed: u64,
) -> Result<(Client, Account), DaemonError> {
    let mut until = Instant::now() + patience.into();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut backoff = Backoff::new(Millis(250), Millis::from_secs(5));
    loop {
        let error = match attempt(&client, wanted).await {
            Ok(account) => return Ok((client.with_user_agent(&account.id), account)),
            Err(LoginFailure::Final(exit)) => return Err(exit),
            Err(LoginFailure::Call(error)) => error,
        };
        let pause = match error {
            CallError::Transient { .. } => backoff.next(&mut rng),
            CallError::RateLimited { after, .. } => {
                limits.record(EndpointClass::Account, &error, epoch());
                warn!("waiting before the login: {error}");
                sleep(after.into()).await;
                until = Instant::now() + patience.into();
                continue;
            }
            CallError::Unauthorized { .. } => return Err(DaemonError::UnknownToken),
            CallError::Rejected { .. } => return Err(DaemonError::Refused(error)),
        };
        if Instant::now() + pause.into() >= until {
            return Err(DaemonError::Unreachable(error));
        }
        if backoff.failures() == 1 {
            warn!("the server cannot be reached yet: {error}");
        }
        sleep(pause.into()).await;
    }
}

/// Fetches the account only, for a dry run.
///
/// # Errors
/// [`DaemonError`] says what is wrong.
pub(in crate::bot) async fn look(client: Client) -> Result<(Client, Account), DaemonError> {
    let account = client.account().await.map_err(|error| match error {
        CallError::Transient { .. } | CallError::RateLimited { .. } => DaemonError::Unreachable(error),
        CallError::Unauthorized { .. } => DaemonError::UnknownToken,
        CallError::Rejected { .. } => DaemonError::Refused(error),
    })?;
    info!(
        "this is {}, in a dry run: nothing will be changed",
        Escaped(&account.username)
    );
    Ok((client.with_user_agent(&account.id), account))
}

enum LoginFailure {
    Final(DaemonError),
    Call(CallError),
}

impl From<CallError> for LoginFailure {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

async fn attempt(client: &Client, wanted: &[&str]) -> Result<Account, LoginFailure> {
    may_play(client, wanted).await?.map_err(LoginFailure::Final)?;
    let account = client.account().await?;
    if account.disabled {
        return Err(LoginFailure::Final(DaemonError::Closed(account.username)));
    }
    if !account.is_bot() {
        return Err(LoginFailure::Final(DaemonError::NotABot(account.username)));
    }
    info!("this is the bot {}", Escaped(&account.username));
    Ok(account)
}

/// Checks that the token is known and may play. Only warns about other missing scopes.
pub(in crate::bot) async fn may_play(
    client: &Client,
    wanted: &[&str],
) -> Result<Result<(), DaemonError>, CallError> {
    let Some(token) = client.test_token().await? else {
        return Ok(Err(DaemonError::UnknownToken));
    };
    if !token.allows(SCOPE) {
        return Ok(Err(DaemonError::MissingScope(token.scopes)));
    }
    let needless: Vec<&str> = token
        .scopes
        .split(',')
        .map(str::trim)
        .filter(|scope| !scope.is_empty() && !NEEDED.contains(scope) && !wanted.contains(scope))
        .collect();
    if !needless.is_empty() {
        warn!(
            "the token has scopes that the bot does not need: {}",
            needless.join(", ")
        );
    }
    let missing = NEEDED.iter().chain(wanted).filter(|scope| !token.allows(scope));
    let missing: Vec<&str> = missing.copied().collect();
    if !missing.is_empty() {
        warn!(
            "the token lacks {}, which the settings need; make another at https://lichess.org/account/oauth/token",
            missing.join(", ")
        );
    }
    Ok(Ok(()))
}
