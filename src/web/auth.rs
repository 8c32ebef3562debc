//! Authentication and security headers of the owner's pages.
//!
//! A loopback address needs no password, but cross-site requests of a browser are refused. Elsewhere a password is needed, or a Unix
//! socket behind a reverse proxy that authenticates.

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

/// Content security policy: only own resources. The style sheet holds the pieces as `data:` images.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; style-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";
/// The challenge with which a browser asks for the password.
const REALM: &str = "Basic realm=\"Sparring\", charset=\"UTF-8\"";
/// Delay of the answer to a wrong password.
const WRONG_DELAY: Duration = Duration::from_secs(1);
/// Burst of wrong passwords that are checked; after that one per [`WRONG_DELAY`].
const WRONG_BURST: f64 = 10.0;

/// Who may see the pages. By default requests whose `Host` is this machine, without a password.
#[derive(Debug, Clone, Default)]
pub struct Access {
    password: Option<Arc<PasswordCheck>>,
    /// Whether to accept any `Host` header: a reverse proxy has checked it, or the password protects the pages.
    any_host: bool,
}

impl Access {
    /// Everybody who can connect to the Unix socket: the reverse proxy authenticates.
    #[must_use]
    pub fn through_socket() -> Self {
        Self {
            password: None,
            any_host: true,
        }
    }

    /// Everybody who knows the password.
    #[must_use]
    pub fn by_password(password: SecretString) -> Self {
        let tries = Tries {
            left: WRONG_BURST,
            at: Instant::now(),
        };
        Self {
            password: Some(Arc::new(PasswordCheck {
                password,
                tries: Mutex::new(tries),
            })),
            any_host: true,
        }
    }
}

impl Access {
    /// The same access, only for requests whose `Host` is this machine.
    pub(crate) fn on_this_machine(self) -> Self {
        Self {
            any_host: false,
            ..self
        }
    }
}

/// Checks passwords, with a rate limit on wrong ones.
#[derive(Debug)]
struct PasswordCheck {
    password: SecretString,
    tries: Mutex<Tries>,
}

/// Token bucket of wrong passwords.
#[derive(Debug)]
struct Tries {
    left: f64,
    at: Instant,
}

impl Tries {
    /// Whether another password may be checked now.
    fn has_try(&mut self, now: Instant) -> bool {
        let gone = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + gone / WRONG_DELAY.as_secs_f64()).min(WRONG_BURST);
        self.at = now;
        self.left >= 1.0
    }
}

/// The outcome of checking a request.
#[derive(Debug, PartialEq, Eq)]
enum AccessDecision {
    Allowed,
    /// The request has no password.
    Missing,
    Wrong,
    /// Too many wrong passwords: for a moment not even the right one is accepted.
    RateLimited,
}

impl PasswordCheck {
    fn check_request(&self, headers: &HeaderMap, now: Instant) -> AccessDecision {
        let Some(given) = password_in(headers) else {
            return AccessDecision::Missing;
        };
        let mut tries = self.tries.lock().unwrap_or_else(PoisonError::into_inner);
        if !tries.has_try(now) {
            return AccessDecision::RateLimited;
        }
        // Constant time: it reveals nothing but the length.
        if given
            .as_bytes()
            .ct_eq(self.password.expose_secret().as_bytes())
            .into()
        {
            return AccessDecision::Allowed;
        }
        tries.left -= 1.0;
        AccessDecision::Wrong
    }
}

/// The password of HTTP basic authentication; the user name is ignored.
fn password_in(headers: &HeaderMap) -> Option<String> {
    let authorization = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, encoded) = authorization.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = String::from_utf8(BASE64_STANDARD.decode(encoded.trim()).ok()?).ok()?;
    pair.split_once(':').map(|(_, password)| password.to_owned())
}

/// Middleware: refuses unauthorised and cross-site requests, and adds security headers.
///
/// DNS rebinding shows in `Host`, which is not this machine. Cross-site requests show in `Sec-Fetch-Site` or `Origin`. A request that
/// changes something needs the own `Origin`, which a browser always sends with a POST.
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
    if !access.any_host && !has_local_host(headers) {
        return refuse(StatusCode::FORBIDDEN, "Only this machine has access");
    }
    if is_cross_site(method, headers, is_page(path)) {
        return refuse(StatusCode::FORBIDDEN, "Cross-site requests are refused");
    }
    let answer = match &access.password {
        Some(password) => password.check_request(headers, Instant::now()),
        None => AccessDecision::Allowed,
    };
    match answer {
        AccessDecision::Allowed => {}
        AccessDecision::RateLimited => {
            return refuse(StatusCode::TOO_MANY_REQUESTS, "Too many wrong passwords");
        }
        AccessDecision::Missing | AccessDecision::Wrong => {
            if answer == AccessDecision::Wrong {
                sleep(WRONG_DELAY).await;
            }
            let why = Json(json!({ "error": "A password is needed" }));
            let ask = [(header::WWW_AUTHENTICATE, REALM)];
            return Some((StatusCode::UNAUTHORIZED, ask, why).into_response());
        }
    }
    if !method.is_safe() && is_own_origin(headers) != Some(true) {
        return refuse(StatusCode::FORBIDDEN, "Only the bot's own page may do that");
    }
    None
}

/// Whether `Host` is this machine; not so after DNS rebinding.
fn has_local_host(headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    host.is_some_and(is_this_machine)
}

/// Whether the path is a page, to which other sites may link.
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
    async fn other_sites_may_link_to_pages_and_make_no_other_requests() {
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
            "/livez",
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

    fn password_check(now: Instant) -> PasswordCheck {
        PasswordCheck {
            password: "correct horse".to_owned().into(),
            tries: Mutex::new(Tries {
                left: WRONG_BURST,
                at: now,
            }),
        }
    }

    #[tokio::test]
    async fn the_right_password_opens_whatever_the_name() {
        let now = Instant::now();
        let password_check = password_check(now);
        assert_eq!(
            password_check.check_request(&basic("me:correct horse"), now),
            AccessDecision::Allowed
        );
        assert_eq!(
            password_check.check_request(&basic(":correct horse"), now),
            AccessDecision::Allowed
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
                password_check.check_request(&basic(wrong), now),
                AccessDecision::Wrong,
                "{wrong}"
            );
        }
        assert_eq!(
            password_check.check_request(&HeaderMap::new(), now),
            AccessDecision::Missing
        );
        for odd in ["Basic", "Basic ???", "Bearer abc", "Basic bm9jb2xvbg=="] {
            let said = headers(&[(header::AUTHORIZATION, odd)]);
            assert_eq!(
                password_check.check_request(&said, now),
                AccessDecision::Missing,
                "{odd}"
            );
        }
    }

    #[tokio::test]
    async fn who_guesses_is_listened_to_once_a_second() {
        let now = Instant::now();
        let password_check = password_check(now);
        for _ in 0..WRONG_BURST as usize {
            assert_eq!(
                password_check.check_request(&basic("me:guess"), now),
                AccessDecision::Wrong
            );
        }
        assert_eq!(
            password_check.check_request(&basic("me:guess"), now),
            AccessDecision::RateLimited
        );
        assert_eq!(
            password_check.check_request(&basic("me:correct horse"), now),
            AccessDecision::RateLimited
        );
        let later = now + WRONG_DELAY;
        assert_eq!(
            password_check.check_request(&basic("me:guess"), later),
            AccessDecision::Wrong
        );
        assert_eq!(
            password_check.check_request(&basic("me:guess"), later),
            AccessDecision::RateLimited
        );
        let much_later = later + WRONG_DELAY;
        assert_eq!(
            password_check.check_request(&basic("me:correct horse"), much_later),
            AccessDecision::Allowed
        );
    }
}
