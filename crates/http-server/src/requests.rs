//! State of each request on a connection, for its time limits.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::{ConnectInfo, Request},
    http::{HeaderValue, header},
    middleware::Next,
    response::Response,
};
use http_body::{Frame, SizeHint};

use super::connections::{Connection, Handle};

/// Notes on the connection of a request how far it has come, whoever serves it. Where connections are scarce the answer
/// is the last one on its connection.
pub async fn track(request: Request, next: Next) -> Response {
    let Some(ConnectInfo(Handle(connection))) = request.extensions().get::<ConnectInfo<Handle>>().cloned()
    else {
        return next.run(request).await;
    };
    let has_body = !request.body().is_end_stream();
    connection.asked(format!("{} {}", request.method(), request.uri().path()), has_body);
    let request = match has_body {
        true => request.map(|body| noted(body, &connection, Part::Question)),
        false => request,
    };
    let mut response = next.run(request).await;
    connection.answers();
    if connection.server().is_crowded() {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    response.map(|body| noted(body, &connection, Part::Answer))
}

#[derive(Debug, Clone, Copy)]
enum Part {
    Question,
    Answer,
}

fn noted(body: Body, connection: &Arc<Connection>, part: Part) -> Body {
    Body::new(Noted {
        body,
        part,
        connection: Arc::clone(connection),
    })
}

/// A body that notes its end.
struct Noted {
    body: Body,
    part: Part,
    connection: Arc<Connection>,
}

impl HttpBody for Noted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(self.part, Part::Question) && self.body.is_end_stream() {
            self.connection.answers();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        if matches!(self.part, Part::Answer) {
            self.connection.answered();
        }
    }
}
