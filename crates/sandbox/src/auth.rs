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

/// The user on whose behalf a request comes; handlers find it among the request's extensions.
#[derive(Debug, Clone)]
pub struct Authenticated {
    /// Who.
    pub user: UserId,
    /// With which token.
    pub token: String,
    /// What the program calls itself; empty if it does not say.
    pub agent: String,
}

/// What a gate asks for: any one of the scopes, or only a token if there are none.
#[derive(Clone)]
pub struct Gate {
    hub: Arc<Hub>,
    accepted: &'static [&'static str],
}

impl Gate {
    /// A gate in front of some routes.
    #[must_use]
    pub fn new(hub: &Arc<Hub>, accepted: &'static [&'static str]) -> Self {
        Self {
            hub: hub.clone(),
            accepted,
        }
    }
}

/// Lets a request through if its token allows it, and says on the answer what the token allows.
pub async fn check(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    let headers = request.headers();
    let agent = text(headers, &header::USER_AGENT).to_owned();
    let Some(token) = bearer(headers) else {
        return error(StatusCode::UNAUTHORIZED, "Missing authorization header");
    };
    let token = token.to_owned();
    let grant = match gate.hub.with(|world, _| identify(world, &token, &agent)) {
        Ok(grant) => grant,
        Err(why) => return error(StatusCode::UNAUTHORIZED, why),
    };
    let mut response = if grant.allows_any(gate.accepted) {
        // Streams run beside everything else; their opening is what counts as a request, and it is short.
        let Some(_turn) = gate.hub.turns.take(&token) else {
            return ApiError::OneAtATime.into_response();
        };
        let user = grant.user;
        request
            .extensions_mut()
            .insert(Authenticated { user, token, agent });
        next.run(request).await
    } else {
        let missing = gate.accepted.join(", ");
        error(StatusCode::FORBIDDEN, format!("Missing scope: {missing}"))
    };
    for (name, scopes) in [
        ("x-oauth-scopes", grant.scopes.join(", ")),
        ("x-accepted-oauth-scopes", gate.accepted.join(", ")),
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
    if named_in(agent).is_some_and(|name| !name.eq_ignore_ascii_case(grant.user.as_str())) {
        return Err("The user in the user-agent doesn't match the token bearer");
    }
    Ok(grant.clone())
}

/// The user that a program says it works for, as in `berserk user:Anna`.
fn named_in(agent: &str) -> Option<&str> {
    let after = |mark: &str| agent.find(mark).map(|at| &agent[at + mark.len()..]);
    let name = after("user:").or_else(|| after("as:"))?;
    let end = name
        .find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'))
        .unwrap_or(name.len());
    Some(&name[..end]).filter(|name| !name.is_empty())
}

/// The token that a request carries.
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
        assert_eq!(named_in("sparring/0.1 user:Anna (home)"), Some("Anna"));
        assert_eq!(named_in("x as:bot-1"), Some("bot-1"));
        assert_eq!(named_in("curl/8"), None);
        assert_eq!(named_in("odd user: nobody"), None);
    }
}
