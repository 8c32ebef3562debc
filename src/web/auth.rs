//! Authentication and security headers of the owner's pages.
//!
//! On this machine nobody is asked for anything, but pages of other sites in the same browser are kept out. Beyond it
//! there is a password, or a server in front of a socket that knows its visitors.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use subtle::ConstantTimeEq as _;
use tokio::time::{Instant, sleep};

use sparring_http_server::{is_cross_site, is_own_origin, is_this_machine};

/// The page talks to nobody but the program it came from. Its style sheet carries the pieces as `data:` images.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; style-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";
/// What a browser shows when it asks for the password.
const REALM: &str = "Basic realm=\"Sparring\", charset=\"UTF-8\"";
/// A wrong password is answered no sooner.
const AFTER_WRONG: Duration = Duration::from_secs(1);
/// So many wrong passwords in a row are listened to; after that one in each [`AFTER_WRONG`].
const WRONG_AT_ONCE: f64 = 10.0;

/// Who may see the pages. Without a password: programs and browsers of this machine that mean this machine.
#[derive(Debug, Clone, Default)]
pub struct Access {
    door: Option<Arc<Door>>,
    /// The name of the machine in a request does not matter: somebody in front has looked at it, or the password has
    /// to be right.
    any_host: bool,
}

impl Access {
    /// Whoever comes through a Unix socket: no browser does, and the server in front knows its visitors.
    #[must_use]
    pub fn through_socket() -> Self {
        Self {
            door: None,
            any_host: true,
        }
    }

    /// Whoever knows the password, from wherever.
    #[must_use]
    pub fn by_password(password: SecretString) -> Self {
        let tries = Tries {
            left: WRONG_AT_ONCE,
            at: Instant::now(),
        };
        Self {
            door: Some(Arc::new(Door {
                password,
                tries: Mutex::new(tries),
            })),
            any_host: true,
        }
    }
}

impl Access {
    /// The same for programs and browsers that mean this machine.
    pub(crate) fn at_home(self) -> Self {
        Self {
            any_host: false,
            ..self
        }
    }
}

/// Asks for the password.
#[derive(Debug)]
struct Door {
    password: SecretString,
    tries: Mutex<Tries>,
}

/// Wrong passwords that are still listened to.
#[derive(Debug)]
struct Tries {
    left: f64,
    at: Instant,
}

impl Tries {
    /// Whether another password is listened to now.
    fn allow_any_host(&mut self, now: Instant) -> bool {
        let gone = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + gone / AFTER_WRONG.as_secs_f64()).min(WRONG_AT_ONCE);
        self.at = now;
        self.left >= 1.0
    }
}

/// What the door makes of a request.
#[derive(Debug, PartialEq, Eq)]
enum AccessDecision {
    Welcome,
    /// There is no password in it.
    Asked,
    Wrong,
    /// Too many were wrong: even the right one is not listened to for a moment.
    Later,
}

impl Door {
    fn check_request(&self, headers: &HeaderMap, now: Instant) -> AccessDecision {
        let Some(given) = password_in(headers) else {
            return AccessDecision::Asked;
        };
        let mut tries = self.tries.lock().unwrap_or_else(PoisonError::into_inner);
        if !tries.allow_any_host(now) {
            return AccessDecision::Later;
        }
        // How long this takes tells nothing of the password but its length.
        if given
            .as_bytes()
            .ct_eq(self.password.expose_secret().as_bytes())
            .into()
        {
            return AccessDecision::Welcome;
        }
        tries.left -= 1.0;
        AccessDecision::Wrong
    }
}

/// The password of HTTP's basic scheme; the name before it does not matter.
fn password_in(headers: &HeaderMap) -> Option<String> {
    let said = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, encoded) = said.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = String::from_utf8(BASE64_STANDARD.decode(encoded.trim()).ok()?).ok()?;
    pair.split_once(':').map(|(_, password)| password.to_owned())
}

/// Refuses whom the access does not let in and what a foreign page could have caused, and marks every answer.
///
/// A false name may lead a browser here: then `Host` is not this machine. A page elsewhere may have the browser ask here,
/// and though it cannot read the answer, that costs: `Sec-Fetch-Site` or `Origin` tell of it. Who changes something must
/// say by `Origin` that it is this page: unlike a program a browser always sends it with a POST.
pub(crate) async fn check(State(access): State<Access>, request: Request, next: Next) -> Response {
    let mut response = match refusal(&access, request.method(), request.uri().path(), request.headers()).await
    {
        Some(refused) => refused,
        None => next.run(request).await,
    };
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
    ] {
        let name = HeaderName::from_static(name);
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn refusal(access: &Access, method: &Method, path: &str, headers: &HeaderMap) -> Option<Response> {
    let refuse = |status, why| Some((status, Json(json!({ "error": why }))).into_response());
    if !access.any_host && !is_at_home(headers) {
        return refuse(StatusCode::FORBIDDEN, "This is only for its own machine");
    }
    if is_cross_site(method, headers, is_page(path)) {
        return refuse(StatusCode::FORBIDDEN, "Other sites may not ask for that");
    }
    let answer = match &access.door {
        Some(door) => door.check_request(headers, Instant::now()),
        None => AccessDecision::Welcome,
    };
    match answer {
        AccessDecision::Welcome => {}
        AccessDecision::Later => return refuse(StatusCode::TOO_MANY_REQUESTS, "Too many wrong passwords"),
        AccessDecision::Asked | AccessDecision::Wrong => {
            if answer == AccessDecision::Wrong {
                sleep(AFTER_WRONG).await;
            }
            let why = Json(json!({ "error": "There is a password" }));
            let ask = [(header::WWW_AUTHENTICATE, REALM)];
            return Some((StatusCode::UNAUTHORIZED, ask, why).into_response());
        }
    }
    if !method.is_safe() && is_own_origin(headers) != Some(true) {
        return refuse(StatusCode::FORBIDDEN, "Only the own page may do that");
    }
    None
}

/// Whether the caller means this machine: a page in a browser that was led here by a false name does not.
fn is_at_home(headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    host.is_some_and(is_this_machine)
}

/// Whether a browser shows what is there as a page, to which a link of another site may lead.
fn is_page(path: &str) -> bool {
    path == "/" || path.ends_with(".html")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let pair = |(name, value): &(HeaderName, &str)| (name.clone(), HeaderValue::from_str(value).unwrap());
        pairs.iter().map(pair).collect()
    }

    #[tokio::test]
    async fn other_sites_may_lead_here_and_ask_nothing() {
        let refused = |method: Method, path: &'static str, more: &[(&'static str, &str)]| {
            let mut pairs = vec![(header::HOST, "127.0.0.1:9464")];
            pairs.extend(
                more.iter()
                    .map(|(name, value)| (HeaderName::from_static(name), *value)),
            );
            let headers = headers(&pairs);
            async move {
                refusal(&Access::default(), &method, path, &headers)
                    .await
                    .is_some()
            }
        };
        let link = [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ];
        let image = [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "no-cors"),
            ("sec-fetch-dest", "image"),
        ];
        for page in ["/", "/edit.html"] {
            assert!(!refused(Method::GET, page, &link).await, "{page}");
            assert!(refused(Method::GET, page, &image).await, "{page}");
        }
        for call in [
            "/api/games",
            "/api/live",
            "/metrics",
            "/healthz",
            "/edit/files",
            "/dashboard.js",
        ] {
            assert!(refused(Method::GET, call, &link).await, "{call}");
            assert!(refused(Method::GET, call, &image).await, "{call}");
            assert!(
                refused(Method::GET, call, &[("origin", "http://evil.example")]).await,
                "{call}"
            );
            assert!(
                !refused(Method::GET, call, &[]).await,
                "a program asks for {call}"
            );
            assert!(
                !refused(Method::GET, call, &[("sec-fetch-site", "same-origin")]).await,
                "{call}"
            );
        }
        let own = ("origin", "http://127.0.0.1:9464");
        assert!(
            !refused(
                Method::POST,
                "/edit/save",
                &[own, ("sec-fetch-site", "same-origin")]
            )
            .await
        );
        assert!(
            refused(Method::POST, "/edit/save", &[]).await,
            "a form without an origin"
        );
    }

    fn basic(pair: &str) -> HeaderMap {
        let encoded = format!("Basic {}", BASE64_STANDARD.encode(pair));
        headers(&[(header::AUTHORIZATION, &encoded)])
    }

    fn door(now: Instant) -> Door {
        Door {
            password: "correct horse".to_owned().into(),
            tries: Mutex::new(Tries {
                left: WRONG_AT_ONCE,
                at: now,
            }),
        }
    }

    #[tokio::test]
    async fn the_right_password_opens_whatever_the_name() {
        let now = Instant::now();
        let door = door(now);
        assert_eq!(
            door.check_request(&basic("me:correct horse"), now),
            AccessDecision::Welcome
        );
        assert_eq!(
            door.check_request(&basic(":correct horse"), now),
            AccessDecision::Welcome
        );
        for wrong in [
            "me:correct hors",
            "me:correct horse ",
            "me:correct horsf",
            "me:correct horse\0",
            "me:",
            "me:correct horsecorrect horse",
        ] {
            assert_eq!(
                door.check_request(&basic(wrong), now),
                AccessDecision::Wrong,
                "{wrong}"
            );
        }
        assert_eq!(door.check_request(&HeaderMap::new(), now), AccessDecision::Asked);
        for odd in ["Basic", "Basic ???", "Bearer abc", "Basic bm9jb2xvbg=="] {
            let said = headers(&[(header::AUTHORIZATION, odd)]);
            assert_eq!(door.check_request(&said, now), AccessDecision::Asked, "{odd}");
        }
    }

    #[tokio::test]
    async fn who_guesses_is_listened_to_once_a_second() {
        let now = Instant::now();
        let door = door(now);
        for _ in 0..WRONG_AT_ONCE as usize {
            assert_eq!(door.check_request(&basic("me:guess"), now), AccessDecision::Wrong);
        }
        assert_eq!(door.check_request(&basic("me:guess"), now), AccessDecision::Later);
        assert_eq!(
            door.check_request(&basic("me:correct horse"), now),
            AccessDecision::Later
        );
        let later = now + AFTER_WRONG;
        assert_eq!(
            door.check_request(&basic("me:guess"), later),
            AccessDecision::Wrong
        );
        assert_eq!(
            door.check_request(&basic("me:guess"), later),
            AccessDecision::Later
        );
        let much_later = later + AFTER_WRONG;
        assert_eq!(
            door.check_request(&basic("me:correct horse"), much_later),
            AccessDecision::Welcome
        );
    }
}
