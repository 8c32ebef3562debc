//! A sandbox on a port of this machine, with one bot's account.

use std::{net::SocketAddr, time::Duration};

use tokio::time::{Instant, sleep};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::Program;
use sparring::cli::sandbox::bind;
use sparring_sandbox::{Options, Sandbox, Topic};

/// The name of the bot's account.
const BOT: &str = "Sparring";
/// A program that does not open its event stream within this has failed to start.
const START: Duration = Duration::from_secs(30);

/// A served sandbox. Dropping it stops the server.
pub(crate) struct SandboxServer {
    /// The server, by the hand.
    pub sandbox: Sandbox,
    /// Where it listens.
    pub server: SocketAddr,
    /// The bot's token.
    pub token: String,
    _stop: DropGuard,
}

impl SandboxServer {
    /// A sandbox whose flags fall to the millisecond. The seed decides ids and colours.
    ///
    /// # Errors
    /// When no port can be had.
    pub(crate) async fn new(seed: u64) -> anyhow::Result<Self> {
        let mut options = Options {
            pages: false,
            ..Options::default()
        };
        options.rules.seed = seed;
        options.rules.strict_flags = true;
        let sandbox = Sandbox::new(options);
        let token = sandbox.add_bot(BOT)?;
        let listener = bind(0).await?;
        let server = listener.local_addr()?;
        let stop = CancellationToken::new();
        tokio::spawn(sandbox.clone().serve(listener, stop.clone()));
        Ok(Self {
            sandbox,
            server,
            token,
            _stop: stop.drop_guard(),
        })
    }

    /// The server's base URL.
    pub(crate) fn address(&self) -> String {
        format!("http://{}/", self.server)
    }

    /// Waits until the program has opened the event stream.
    ///
    /// # Errors
    /// When it ends instead, or takes more than half a minute.
    pub(crate) async fn until_it_listens(&self, program: &mut Program) -> anyhow::Result<()> {
        let limit = Instant::now() + START;
        while !self.is_heard() {
            if let Some(status) = program.has_ended()? {
                anyhow::bail!("the program ended at its start: {status}");
            }
            anyhow::ensure!(
                Instant::now() < limit,
                "the program did not open its event stream"
            );
            sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }

    /// Whether the bot has its event stream open.
    pub(crate) fn is_heard(&self) -> bool {
        let is_bots = |topic: &Topic| matches!(topic, Topic::Events { user, .. } if user.as_str().eq_ignore_ascii_case(BOT));
        self.sandbox.streams().iter().any(is_bots)
    }
}
