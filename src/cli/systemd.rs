//! systemd notifications: ready, status, watchdog.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use crate::{
    bot::{Status, observe::liveness::LivenessProbe},
    platform::{ServiceState, notify_service, watchdog_interval},
};

/// systemd is told that the daemon is ready after this time even without a network, so that a boot without one is no
/// failure.
const READY_AT_LAST: Duration = Duration::from_secs(30);

/// A loop that turns answers within this time.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);

/// Tells systemd how the daemon is doing.
pub(super) struct SystemdNotifier {
    status: watch::Receiver<Status>,
    pulse: LivenessProbe,
    /// Why the settings were refused, as long as only the games of the last run are played.
    refusal: watch::Receiver<Option<Arc<str>>>,
    /// How often the watchdog wants to hear of us, if there is one.
    watchdog: Option<Duration>,
    feed_at: Instant,
    ready_at_last: Instant,
    is_ready: bool,
}

impl SystemdNotifier {
    /// Speaks for a daemon with this status and pulse, whose settings may have been refused.
    pub(super) fn new(
        status: watch::Receiver<Status>,
        pulse: LivenessProbe,
        refusal: watch::Receiver<Option<Arc<str>>>,
    ) -> Self {
        // Half of the watchdog interval, as sd_watchdog_enabled(3) recommends.
        let watchdog = watchdog_interval().map(|span| span / 2);
        Self {
            status,
            pulse,
            refusal,
            watchdog,
            feed_at: Instant::now(),
            ready_at_last: Instant::now() + READY_AT_LAST,
            is_ready: false,
        }
    }

    /// Waits for the next notification and sends it. Cancel-safe.
    pub(super) async fn notify_next(&mut self) {
        tokio::select! {
            changed = self.status.changed() => if changed.is_err() {
                // The daemon has ended, which its caller handles.
                std::future::pending::<()>().await;
            },
            Ok(()) = self.refusal.changed() => {}
            () = sleep_until(self.ready_at_last), if !self.is_ready => {}
            () = sleep_until(self.feed_at), if self.watchdog.is_some() => return self.feed().await,
        }
        let status = self.status.borrow_and_update().clone();
        let patience_is_over = Instant::now() >= self.ready_at_last;
        if !self.is_ready && (status.is_listening || patience_is_over) {
            self.is_ready = true;
            notify_service(ServiceState::Ready);
        }
        let is_refused = self.refusal.borrow_and_update().is_some();
        notify_service(ServiceState::Status(&line(&status, is_refused)));
    }

    /// Notifies the watchdog if the daemon's event loop answers.
    async fn feed(&mut self) {
        let Some(span) = self.watchdog else { return };
        // Before the login there is no event loop; the login has its own timeouts.
        let is_starting = self.status.borrow().user.is_none();
        let is_alive = is_starting || self.pulse.is_alive(ANSWERS_WITHIN).await;
        // Only now, so that a cancelled call skips no notification.
        self.feed_at = Instant::now() + if is_alive { span } else { span.min(ANSWERS_WITHIN) };
        if is_alive {
            notify_service(ServiceState::Watchdog);
        }
    }
}

/// The line that `systemctl status` shows.
fn line(status: &Status, is_refused: bool) -> String {
    let name = status.user.as_ref().map_or("not logged in", |user| user.as_str());
    let stream = match (status.is_draining, status.is_listening) {
        (true, _) => "stopping",
        (false, true) => "listening",
        (false, false) => "waiting for the server",
    };
    let refusal = if is_refused {
        ", no new ones: bot.toml cannot be used, see the log"
    } else {
        ""
    };
    format!("{name}: {stream}, {} games{refusal}", status.games)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_line_says_that_the_settings_cannot_be_used() {
        let status = Status {
            user: "ana".parse().ok(),
            is_listening: true,
            games: 2,
            ..Status::default()
        };
        assert_eq!(line(&status, false), "ana: listening, 2 games");
        assert_eq!(
            line(&status, true),
            "ana: listening, 2 games, no new ones: bot.toml cannot be used, see the log"
        );
    }
}
