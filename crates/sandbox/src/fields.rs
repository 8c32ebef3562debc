//! Extracts fields of a request: form body, JSON body with the same names, or query string.

use std::convert::Infallible;

use axum::{
    body::Bytes,
    extract::{Form, FromRequest, FromRequestParts, Query, Request},
    http::{Method, StatusCode, header, request::Parts},
    response::Response,
};
use serde_json::Value;

use super::{answer::error, world::Fields};

/// The fields of a request's body. Clients of lichess send forms with and without saying so, and JSON in which
/// `null` means absent.
pub struct BodyFields(pub Fields);

impl<S: Send + Sync> FromRequest<S> for BodyFields {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let is_json = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok())
            .is_some_and(|kind| kind.starts_with("application/json"));
        let body = read(request, state).await?;
        let fields = if is_json {
            from_json(&body)
        } else {
            from_form(body).await
        };
        fields
            .map(Self)
            .ok_or_else(|| error(StatusCode::BAD_REQUEST, "The body of the request cannot be read"))
    }
}

/// The fields of the query string. Unreadable ones count as missing, as on lichess.
pub struct QueryFields(pub Fields);

impl<S: Send + Sync> FromRequestParts<S> for QueryFields {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let query = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        Ok(Self(query.map_or_else(
            |_| Fields::default(),
            |Query(pairs)| pairs.into_iter().collect(),
        )))
    }
}

/// A text body, whatever its media type.
pub struct BodyText(pub String);

impl<S: Send + Sync> FromRequest<S> for BodyText {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let body = read(request, state).await?;
        Ok(Self(String::from_utf8_lossy(&body).into_owned()))
    }
}

async fn read<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, Response> {
    Bytes::from_request(request, state).await.map_err(|_| {
        error(
            StatusCode::PAYLOAD_TOO_LARGE,
            "The body of the request is too large",
        )
    })
}

fn from_json(body: &[u8]) -> Option<Fields> {
    if body.is_empty() {
        return Some(Fields::default());
    }
    let Ok(Value::Object(map)) = serde_json::from_slice(body) else {
        return None;
    };
    let texts = map.into_iter().filter_map(|(name, value)| match value {
        Value::Null => None,
        Value::String(text) => Some((name, text)),
        // Clients write lists as such or as one text with commas.
        Value::Array(list) => {
            let texts: Vec<String> = list.into_iter().map(text_of).collect();
            Some((name, texts.join(",")))
        }
        other => Some((name, text_of(other))),
    });
    Some(texts.collect())
}

fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

async fn from_form(body: Bytes) -> Option<Fields> {
    // Set to the form media type, because some clients omit it.
    let request = Request::builder()
        .method(Method::POST)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(body.into())
        .ok()?;
    let Form(pairs) = Form::<Vec<(String, String)>>::from_request(request, &())
        .await
        .ok()?;
    Some(pairs.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn forms_and_json_say_the_same() {
        let form = from_form(Bytes::from_static(b"rated=false&clock.limit=300&color=white")).await;
        let json = from_json(br#"{"rated":false,"clock.limit":300,"color":"white","days":null}"#);
        assert_eq!(form, json);
        assert_eq!(form.unwrap().number("clock.limit"), Ok(Some(300)));
        assert_eq!(from_json(b"[1]"), None);
        let list = from_json(br#"{"rules":["noAbort","noRematch"]}"#).unwrap();
        assert_eq!(list.text("rules"), Some("noAbort,noRematch"));
    }
}
