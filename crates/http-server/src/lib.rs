//! HTTP server limits and checks for axum.
//!
//! In reading order: `acceptor` accepts connections, `connections` limits and evicts them, `socket` and `requests` keep their time
//! limits, `rate_limit` and `open_files` bound what they use, `system` tells what differs between
//! operating systems, and `site` checks `Host` and `Origin`.

mod acceptor;
mod connections;
mod open_files;
mod rate_limit;
mod requests;
mod site;
mod socket;
mod system;

use std::io;

use axum::{Router, middleware::from_fn};
use tokio_util::sync::CancellationToken;

pub use acceptor::{Acceptor, Accepts};
pub use connections::{ConnectionInfo, ConnectionLimits, Connections, Handle};
pub use open_files::{MANY, OpenFiles, open_files, raise_open_files};
pub use rate_limit::RateLimit;
pub use requests::track;
pub use site::{is_cross_site, is_own_origin, is_this_machine, name_in};

/// Serves the router on a listener until `stop`, within the limits of its connections.
///
/// # Errors
/// [`io::Error`] of the listener.
pub async fn serve<L: Accepts>(
    acceptor: Acceptor<L>,
    router: Router,
    stop: CancellationToken,
) -> io::Result<()> {
    let service = router
        .layer(from_fn(track))
        .into_make_service_with_connect_info::<Handle>();
    axum::serve(acceptor, service)
        .with_graceful_shutdown(stop.cancelled_owned())
        .await
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
