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

/// Middleware: records the progress of each request on its connection. When connections are scarce the response is the last
/// one on its connection.
pub async fn track(request: Request, next: Next) -> Response {
    let Some(ConnectInfo(Handle(connection))) = request.extensions().get::<ConnectInfo<Handle>>().cloned()
    else {
        return next.run(request).await;
    };
    let has_body = !request.body().is_end_stream();
    connection.on_request(format!("{} {}", request.method(), request.uri().path()), has_body);
    let request = match has_body {
        true => request.map(|body| tracked(body, &connection, Part::Question)),
        false => request,
    };
    let mut response = next.run(request).await;
    connection.on_response_started();
    if connection.server().is_crowded() {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    response.map(|body| tracked(body, &connection, Part::Answer))
}

#[derive(Debug, Clone, Copy)]
enum Part {
    Question,
    Answer,
}

fn tracked(body: Body, connection: &Arc<Connection>, part: Part) -> Body {
    Body::new(TrackedBody {
        body,
        part,
        connection: Arc::clone(connection),
    })
}

/// A body that records its end.
struct TrackedBody {
    body: Body,
    part: Part,
    connection: Arc<Connection>,
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(self.part, Part::Question) && self.body.is_end_stream() {
            self.connection.on_response_started();
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

impl Drop for TrackedBody {
    fn drop(&mut self) {
        if matches!(self.part, Part::Answer) {
            self.connection.on_response_finished();
        }
    }
}
