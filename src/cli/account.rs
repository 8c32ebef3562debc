//! Checks of the token and its account, for `init` and `doctor`.

use crate::cli::exit::{Exit, Failure};
use sparring_lichess::{CallError, Client, Escaped, model::Account};

/// The OAuth scope that no bot can do without.
pub const SCOPE: &str = "bot:play";
/// The OAuth scopes that every bot needs.
pub const NEEDED: [&str; 3] = [SCOPE, "challenge:read", "challenge:write"];
/// The page that creates tokens.
pub const TOKENS: &str = "https://lichess.org/account/oauth/token";

/// A token that may play, with its account.
#[derive(Debug, Clone)]
pub struct VerifiedToken {
    /// The account.
    pub account: Account,
    /// Scopes that the bot does not need.
    pub needless: Vec<String>,
    /// Scopes that the bot needs besides `bot:play`, and that the token lacks.
    pub missing: Vec<&'static str>,
}

/// Asks the server about the client's token. `wanted` are scopes that the settings need beyond [`NEEDED`].
///
/// # Errors
/// With a fix and an exit code, when the token may not play, the account is closed, or the server cannot be reached.
pub async fn verify_token(client: &Client, wanted: &[&'static str]) -> anyhow::Result<VerifiedToken> {
    let token = client.test_token().await.map_err(|error| failed(&error))?;
    let Some(token) = token else {
        return Err(refused(format!(
            "the server does not know this token; create one at {TOKENS} with the scope {SCOPE}"
        )));
    };
    if !token.allows(SCOPE) {
        return Err(refused(format!(
            "the token lacks the scope {SCOPE} (it has: {}); create another at {TOKENS}",
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

/// A failed call as an error with an exit code.
pub fn failed(error: &CallError) -> anyhow::Error {
    let exit = match error {
        CallError::Unauthorized { .. } => Exit::NoPermission,
        CallError::Transient { .. } | CallError::RateLimited { .. } | CallError::Rejected { .. } => {
            Exit::Unavailable
        }
    };
    Failure::error(exit, format!("a call to the server failed: {error}"))
}
