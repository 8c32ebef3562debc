//! Checks a token and its account, in words for `init` and `doctor`.

use crate::cli::exit::{Exit, Failure};
use sparring_lichess::{CallError, Client, Escaped, model::Account};

/// What a bot must be allowed.
pub const SCOPE: &str = "bot:play";
/// All that every bot needs.
pub const NEEDED: [&str; 3] = [SCOPE, "challenge:read", "challenge:write"];
/// Where tokens are made.
pub const TOKENS: &str = "https://lichess.org/account/oauth/token";

/// A token that may play, and whose it is.
#[derive(Debug, Clone)]
pub struct VerifiedToken {
    /// The account.
    pub account: Account,
    /// What the token may do beyond what a bot needs.
    pub needless: Vec<String>,
    /// What it may not do of what this bot needs besides playing.
    pub missing: Vec<&'static str>,
}

/// Asks the server about a token that the settings want so much of beyond what every bot needs.
///
/// # Errors
/// With the remedy and an exit code, when the token may not play, the account is closed or the server is not there.
pub async fn verify_token(client: &Client, wanted: &[&'static str]) -> anyhow::Result<VerifiedToken> {
    let token = client.test_token().await.map_err(|error| failed(&error))?;
    let Some(token) = token else {
        return Err(refused(format!(
            "the server does not know this token; make one at {TOKENS} with the scope {SCOPE}"
        )));
    };
    if !token.allows(SCOPE) {
        return Err(refused(format!(
            "the token lacks the scope {SCOPE} (it has: {}); make another at {TOKENS}",
            Escaped(&token.scopes)
        )));
    }
    let account = client.account().await.map_err(|error| failed(&error))?;
    if account.disabled {
        return Err(refused(format!(
            "the account {} is closed",
            Escaped(&account.username)
        )));
    }
    let scopes = token.scopes.split(',').map(str::trim);
    Ok(VerifiedToken {
        account,
        needless: scopes
            .filter(|scope| !scope.is_empty() && !NEEDED.contains(scope) && !wanted.contains(scope))
            .map(|scope| Escaped(scope).to_string())
            .collect(),
        missing: NEEDED
            .iter()
            .chain(wanted)
            .copied()
            .filter(|scope| !token.allows(scope))
            .collect(),
    })
}

fn refused(sentence: String) -> anyhow::Error {
    Failure::error(Exit::NoPermission, sentence)
}

/// A call that failed, with the exit code that fits.
pub fn failed(error: &CallError) -> anyhow::Error {
    let exit = match error {
        CallError::Unauthorized { .. } => Exit::NoPermission,
        CallError::Transient { .. } | CallError::RateLimited { .. } | CallError::Rejected { .. } => {
            Exit::Unavailable
        }
    };
    Failure::error(exit, format!("the server did not answer as it should: {error}"))
}
