//! The event stream as the daemon hears it: what it says, and when it is left alone for a while.

use rand::RngExt as _;
use tokio::time::Instant;
use tracing::{debug, info, warn};

use crate::bot::{event_loop::EventLoop, server::stream_conflict::ConflictDetector};
use sparring_chess::units::Millis;
use sparring_lichess::{
    Client, Escaped, ReconnectingStream, StreamEvent,
    model::{ChallengeStatus, Event},
    retry::EndpointClass,
};

/// The event stream, and what was made of it so far.
pub(in crate::bot) struct EventStream {
    follower: ReconnectingStream<Event>,
    duel: ConflictDetector,
    /// Since when nothing is heard, though it was before.
    deaf_since: Option<Instant>,
}

impl EventStream {
    /// Follows the stream. The seed decides the jitter.
    pub(in crate::bot) fn open(client: &Client, seed: u64) -> Self {
        Self {
            follower: ReconnectingStream::events(client, seed),
            duel: ConflictDetector::default(),
            deaf_since: None,
        }
    }

    /// What comes next. Dropping the future loses nothing.
    pub(in crate::bot) async fn next(&mut self) -> Option<StreamEvent<Event>> {
        self.follower.next().await
    }
}

impl EventLoop {
    /// Takes in what the stream has to tell.
    pub(in crate::bot) fn hear(&mut self, news: StreamEvent<Event>) {
        match news {
            StreamEvent::Opened => {
                match self.ears.deaf_since.take() {
                    None => info!("listening for challenges"),
                    Some(since) => info!("listening again, after {}", Millis::from(since.elapsed())),
                }
                self.show();
                self.listening(true);
                if !self.asleep.is_empty() {
                    self.list_games();
                }
            }
            StreamEvent::Event { event, .. } => self.take(event),
            StreamEvent::Garbled(bad) => {
                warn!("a line was skipped: {bad}");
                self.shared.meters.line_skipped("event");
                // It may have been the start of a game.
                self.list_games();
            }
            StreamEvent::Lost { why, lived } => {
                self.ears.deaf_since.get_or_insert_with(Instant::now);
                self.listening(false);
                self.shared.meters.stream_lost("event");
                debug!("{why} after {lived}, reopening");
                if let Some(truce) = self.ears.duel.truce(&why, lived) {
                    self.yield_to_rival(truce);
                }
            }
            StreamEvent::Unopened { why, tries } => {
                self.note_limit(EndpointClass::EventStream, &why);
                if tries == 1 {
                    // Games go on, and this stream would have named them.
                    self.list_games();
                }
                if tries.is_power_of_two() {
                    warn!("no event stream after {tries} tries: {why}");
                }
            }
            StreamEvent::Spent(span) => warn!(
                "the event stream was lost as often as lichess lets it be opened: no challenges are heard for {} s; \
                 games go on",
                span.0 / 1000
            ),
            StreamEvent::Refused(why) => {
                warn!("{why}");
                self.check_token();
            }
        }
    }

    /// Leaves the stream to whoever else wants it so badly, or to a server that closes it again and again. Games go on,
    /// and those that begin meanwhile are found in the list.
    fn yield_to_rival(&mut self, truce: Millis) {
        // Two that give way for the same time would meet again.
        let truce = truce.scaled(self.rng.random_range(0.7..1.0));
        self.shared.meters.stream_contested("event");
        warn!(
            "the event stream ends again and again, as if another program used this token: is there one? \
             It is left alone for {} s; games go on",
            truce.0 / 1000
        );
        self.ears.follower.rest(truce);
    }

    fn take(&mut self, event: Event) {
        match event {
            // Which one it is can still be read in the list.
            Event::GameStart { game } if game.game().is_none() => self.list_games(),
            Event::GameStart { game } => self.start(&game),
            Event::GameFinish { game } => {
                if let Some(id) = game.game() {
                    self.registry.finish(id);
                    // Whoever slept through the end looks once, so that it is kept.
                    if self.asleep.remove(id).is_some() {
                        self.start(&game);
                    }
                }
            }
            Event::Challenge { challenge, compat } => match challenge.status.fate() {
                None => self.doorstep.take((challenge, compat)),
                // Its game comes by the stream.
                Some(_) if challenge.status == ChallengeStatus::Accepted => {
                    self.doorstep.cancel(&challenge.id);
                    debug!("challenge {} is accepted already", challenge.id);
                }
                Some(fate) => {
                    info!("challenge {} is not waited for any more: {fate}", challenge.id);
                    self.doorstep.cancel(&challenge.id);
                    self.fell_through(&challenge.id, fate);
                }
            },
            Event::ChallengeCanceled { challenge, .. } => {
                self.doorstep.cancel(&challenge.id);
                self.fell_through(&challenge.id, "taken back");
            }
            Event::ChallengeDeclined { challenge } => self.fell_through(&challenge.id, "declined"),
            Event::Unknown { kind } => debug!("skipped an event \"{}\"", Escaped(&kind)),
        }
    }

    fn listening(&self, is_listening: bool) {
        self.status
            .send_modify(|status| status.is_listening = is_listening);
    }
}
