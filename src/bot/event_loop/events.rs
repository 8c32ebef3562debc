//! Event loop: the event stream, its events, and backing off when another program uses the token.

use rand::RngExt as _;
use tokio::time::Instant;
use tracing::{debug, info, warn};

use crate::bot::event_loop::EventLoop;
use sparring_chess::units::Millis;
use sparring_lichess::{
    Escaped, StreamEvent,
    model::{ChallengeStatus, Event},
    retry::EndpointClass,
};

impl EventLoop {
    /// Handles what the event stream reports.
    pub(super) fn on_stream_event(&mut self, event: StreamEvent<Event>) {
        match event {
            StreamEvent::Opened => {
                match self.events.disconnected_since.take() {
                    None => info!("listening for challenges"),
                    Some(since) => info!("listening again, after {}", Millis::from(since.elapsed())),
                }
                self.publish_status();
                self.listening(true);
                if !self.parked.is_empty() {
                    self.list_games();
                }
            }
            StreamEvent::Event { event, .. } => self.on_event(event),
            StreamEvent::BadLine(bad) => {
                warn!("a line was skipped: {bad}");
                self.context.metrics.line_skipped("event");
                // It may have been a gameStart.
                self.list_games();
            }
            StreamEvent::Disconnected { why, open_for: lived } => {
                self.events.disconnected_since.get_or_insert_with(Instant::now);
                self.listening(false);
                self.context.metrics.stream_lost("event");
                debug!("{why} after {lived}, reopening");
                if let Some(pause) = self.events.conflict.backoff(&why, lived) {
                    self.back_off(pause);
                }
            }
            StreamEvent::OpenFailed { why, tries } => {
                self.record_rate_limit(EndpointClass::EventStream, &why);
                if tries == 1 {
                    // Games go on, and the stream would have named new ones.
                    self.list_games();
                }
                if tries.is_power_of_two() {
                    warn!("no event stream after {tries} tries: {why}");
                }
            }
            StreamEvent::Throttled(span) => warn!(
                "the event stream was lost as often as lichess lets it be opened: no challenges arrive for {} s; \
                 games go on",
                span.0 / 1000
            ),
            StreamEvent::Refused(why) => {
                warn!("{why}");
                self.check_token();
            }
        }
    }

    /// Leaves the stream closed for a while: another program uses the token, or the server keeps closing it. Games go on,
    /// and the poll finds those that begin meanwhile.
    fn back_off(&mut self, pause: Millis) {
        // Two programs that pause for the same time would collide again.
        let pause = pause.scaled(self.rng.random_range(0.7..1.0));
        self.context.metrics.stream_contested("event");
        warn!(
            "the event stream ends again and again, as if another program used this token: is there one? \
             It is left alone for {} s; games go on",
            pause.0 / 1000
        );
        self.events.stream.pause(pause);
    }

    fn on_event(&mut self, event: Event) {
        match event {
            // The list of running games has its id.
            Event::GameStart { game } if game.game().is_none() => self.list_games(),
            Event::GameStart { game } => self.start(&game),
            Event::GameFinish { game } => {
                if let Some(id) = game.game() {
                    self.supervisor.finish(id);
                    // The result of a parked game is asked for once.
                    if self.parked.remove(id).is_some() {
                        self.start(&game);
                    }
                }
            }
            Event::Challenge { challenge, compat } => match challenge.status.outcome() {
                None => self.pending_challenges.take((challenge, compat)),
                // Its game comes by the stream.
                Some(_) if challenge.status == ChallengeStatus::Accepted => {
                    self.pending_challenges.cancel(&challenge.id);
                    debug!("challenge {} is accepted already", challenge.id);
                }
                Some(fate) => {
                    info!("challenge {} is closed: {fate}", challenge.id);
                    self.pending_challenges.cancel(&challenge.id);
                    self.on_challenge_failed(&challenge.id, fate);
                }
            },
            Event::ChallengeCanceled { challenge, .. } => {
                self.pending_challenges.cancel(&challenge.id);
                self.on_challenge_failed(&challenge.id, "taken back");
            }
            Event::ChallengeDeclined { challenge } => self.on_challenge_failed(&challenge.id, "declined"),
            Event::Unknown { kind } => debug!("skipped an event \"{}\"", Escaped(&kind)),
        }
    }

    fn listening(&self, is_listening: bool) {
        self.status
            .send_modify(|status| status.is_listening = is_listening);
    }
}
