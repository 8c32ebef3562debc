//! Authentication: bearer token and scopes.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use super::{
    answer::error,
    hub::Hub,
    world::{ApiError, Grant, World},
};
use sparring_lichess::model::UserId;

/// The authenticated user of a request, in its extensions.
#[derive(Debug, Clone)]
pub struct Authenticated {
    /// The user.
    pub user: UserId,
    /// The token of the request.
    pub token: String,
    /// The user agent; empty if there is none.
    pub agent: String,
}

/// Scopes of which a route needs one, or only a token if there are none.
#[derive(Clone)]
pub struct RequiredScopes {
    hub: Arc<Hub>,
    accepted: &'static [&'static str],
}

impl RequiredScopes {
    /// The state of [`check`] for some routes.
    #[must_use]
    pub fn new(hub: &Arc<Hub>, accepted: &'static [&'static str]) -> Self {
        Self {
            hub: hub.clone(),
            accepted,
        }
    }
}

/// Middleware: checks token and scopes, and names them in the response headers.
pub async fn check(State(required): State<RequiredScopes>, mut request: Request, next: Next) -> Response {
    let headers = request.headers();
    let agent = text(headers, &header::USER_AGENT).to_owned();
    let Some(token) = bearer(headers) else {
        return error(StatusCode::UNAUTHORIZED, "Missing authorization header");
    };
    let token = token.to_owned();
    let grant = match required.hub.with(|world, _| identify(world, &token, &agent)) {
        Ok(grant) => grant,
        Err(why) => return error(StatusCode::UNAUTHORIZED, why),
    };
    let mut response = if grant.allows_any(required.accepted) {
        // A stream counts as a request only while it is opened.
        let Some(_lock) = required.hub.token_locks.try_lock(&token) else {
            return ApiError::OneAtATime.into_response();
        };
        let user = grant.user;
        request
            .extensions_mut()
            .insert(Authenticated { user, token, agent });
        next.run(request).await
    } else {
        let missing = required.accepted.join(", ");
        error(StatusCode::FORBIDDEN, format!("Missing scope: {missing}"))
    };
    for (name, scopes) in [
        ("x-oauth-scopes", grant.scopes.join(", ")),
        ("x-accepted-oauth-scopes", required.accepted.join(", ")),
    ] {
        if let Ok(scopes) = HeaderValue::from_str(&scopes) {
            response
                .headers_mut()
                .insert(HeaderName::from_static(name), scopes);
        }
    }
    response
}

fn identify(world: &World, token: &str, agent: &str) -> Result<Grant, &'static str> {
    let grant = world.users().granted(token).ok_or("No such token")?;
    if user_in_agent(agent).is_some_and(|name| !name.eq_ignore_ascii_case(grant.user.as_str())) {
        return Err("The user in the user-agent doesn't match the token bearer");
    }
    Ok(grant.clone())
}

/// The user named in a user agent, as in `berserk user:Anna`.
fn user_in_agent(agent: &str) -> Option<&str> {
    let after = |mark: &str| agent.find(mark).map(|at| &agent[at + mark.len()..]);
    let name = after("user:").or_else(|| after("as:"))?;
    let end = name
        .find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'))
        .unwrap_or(name.len());
    Some(&name[..end]).filter(|name| !name.is_empty())
}

/// The bearer token of a request.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let said = text(headers, &header::AUTHORIZATION);
    said.strip_prefix("Bearer ").map(str::trim)
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_may_name_their_user() {
        assert_eq!(user_in_agent("sparring/0.1 user:Anna (home)"), Some("Anna"));
        assert_eq!(user_in_agent("x as:bot-1"), Some("bot-1"));
        assert_eq!(user_in_agent("curl/8"), None);
        assert_eq!(user_in_agent("odd user: nobody"), None);
    }
}
