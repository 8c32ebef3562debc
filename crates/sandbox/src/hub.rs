//! Hub: shared state behind one lock, and publish-subscribe for streams.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use axum::body::Bytes;
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{
    bounded_queue::BoundedQueue,
    move_audit::MoveAudit,
    options::Options,
    random_faults::{FaultyLine, RandomFaults},
    scripted_faults::Faults,
    time::VirtualClock,
    token_lock::TokenLocks,
    world::{Outgoing, World},
};
use sparring_chess::units::Millis;
use sparring_http_server::{ConnectionLimits, Connections};
use sparring_lichess::model::{GameId, UserId};

/// Sixty-four games at once with both sides' streams and calls need some 330; few enough for memory and for
/// the usual limit of 1,024 open files.
const LIMITS: ConnectionLimits = ConnectionLimits {
    most: 512,
    request: Duration::from_secs(10),
    idle: Duration::from_secs(120),
    write: Duration::from_secs(30),
};

/// Longest wait for a reader to take its own move's state.
const DELIVERY_PATIENCE: Duration = Duration::from_millis(50);

/// Topic of a stream: its kind and reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Topic {
    /// A user's events. One stream a token.
    Events {
        /// Whose.
        user: UserId,
        /// Opened with which token.
        token: String,
    },
    /// A player's game. One stream a game, user and program.
    Game {
        /// Which.
        game: GameId,
        /// Whose.
        user: UserId,
        /// The user agent of the program.
        agent: String,
    },
    /// The outcome of a challenge.
    Challenge {
        /// Which.
        challenge: GameId,
    },
}

#[derive(Debug)]
struct Subscriber {
    number: u64,
    topic: Topic,
    queue: Arc<BoundedQueue>,
}

#[derive(Debug)]
struct State {
    world: World,
    subscribers: Vec<Subscriber>,
    /// Unserved calls by method and path, with their counts.
    unserved: BTreeMap<String, u64>,
}

/// The shared state of a sandbox.
#[derive(Debug)]
pub struct Hub {
    /// Its options.
    pub options: Options,
    /// Its time.
    pub clock: VirtualClock,
    /// Open connections.
    pub connections: Arc<Connections>,
    /// Tokens with a request in flight.
    pub token_locks: TokenLocks,
    /// Scripted faults.
    pub faults: Faults,
    /// Random faults.
    pub(super) random_faults: RandomFaults,
    /// Moves that bots posted.
    pub(super) move_audit: MoveAudit,
    state: Mutex<State>,
    rescheduled: Notify,
    next_number: AtomicU64,
}

impl Hub {
    /// A hub without accounts.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let start = options
            .epoch
            .unwrap_or_else(|| Millis::since_1970(SystemTime::now()));
        let state = State {
            world: World::new(options.rules.clone(), start),
            subscribers: Vec::new(),
            unserved: BTreeMap::new(),
        };
        Self {
            clock: VirtualClock::new(start, options.speed_factor),
            connections: Arc::new(Connections::new(LIMITS)),
            token_locks: TokenLocks::new(options.rules.limits),
            faults: Faults::default(),
            random_faults: RandomFaults::default(),
            move_audit: MoveAudit::default(),
            state: Mutex::new(state),
            rescheduled: Notify::new(),
            next_number: AtomicU64::new(1),
            options,
        }
    }

    /// Runs `act` on the world now, after everything that was due before, and sends the resulting events to the streams.
    pub fn with<T>(&self, act: impl FnOnce(&mut World, Millis) -> T) -> T {
        let mut state = self.lock();
        let answer = act_now(&self.clock, &mut state, act);
        drop(state);
        // The world's next deadline may have moved; the timer looks again.
        self.rescheduled.notify_one();
        answer
    }

    /// Opens a stream. `begin` queues its first lines under the lock. An older stream of the same topic ends.
    pub fn subscribe<E>(
        self: &Arc<Self>,
        topic: Topic,
        begin: impl FnOnce(&mut World, Millis, &BoundedQueue) -> Result<(), E>,
    ) -> Result<Subscription, E> {
        let mut state = self.lock();
        let queue = Arc::new(BoundedQueue::default());
        act_now(&self.clock, &mut state, |world, now| begin(world, now, &queue))?;
        for older in state.subscribers.iter().filter(|older| older.topic == topic) {
            older.queue.close();
        }
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let user = match &topic {
            Topic::Events { user, .. } | Topic::Game { user, .. } => Some(user),
            Topic::Challenge { .. } => None,
        };
        let is_bots = user.is_some_and(|user| state.world.is_bot(user));
        let game = match &topic {
            Topic::Game { game, .. } => Some(game.clone()),
            Topic::Events { .. } | Topic::Challenge { .. } => None,
        };
        state.subscribers.push(Subscriber {
            number,
            topic,
            queue: queue.clone(),
        });
        drop(state);
        self.rescheduled.notify_one();
        Ok(Subscription {
            hub: self.clone(),
            number,
            is_bots,
            game,
            queue,
        })
    }

    /// Waits until a player's streams of a game are drained, 50 ms at most: the state of a move goes out before the response to the
    /// request.
    pub async fn delivered(&self, user: &UserId, game: &GameId) {
        let queues: Vec<Arc<BoundedQueue>> = self
            .lock()
            .subscribers
            .iter()
            .filter(|one| {
                matches!(&one.topic, Topic::Game { game: of, user: to, .. } if of == game && to == user)
            })
            .map(|one| one.queue.clone())
            .collect();
        let all = futures::future::join_all(queues.iter().map(|queue| queue.emptied()));
        // A slow reader does not delay the response.
        let _ = tokio::time::timeout(DELIVERY_PATIENCE, all).await;
    }

    /// Advances the clock and runs everything that falls due.
    pub fn advance(&self, span: Millis) {
        self.clock.advance(span);
        self.with(|_, _| ());
    }

    /// Runs the timers until `stop`: flags, expiring challenges, absences.
    pub async fn run_timers(&self, stop: CancellationToken) {
        loop {
            let due = self.lock().world.next_due();
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.rescheduled.notified() => {}
                () = self.sleep_until(due) => self.with(|_, _| ()),
            }
        }
    }

    async fn sleep_until(&self, due: Option<Millis>) {
        match due {
            Some(due) => self.clock.sleep_until(due).await,
            None => std::future::pending().await,
        }
    }

    /// Ends every stream, as at a shutdown.
    pub fn close_streams(&self) {
        for subscriber in &self.lock().subscribers {
            subscriber.queue.close();
        }
    }

    /// Counts a call to an unknown route.
    pub fn record_unserved(&self, call: String) {
        const MOST: usize = 1000;
        let unserved = &mut self.lock().unserved;
        if unserved.len() < MOST || unserved.contains_key(&call) {
            *unserved.entry(call).or_default() += 1;
        }
    }

    /// Calls to unknown routes, with their counts.
    #[must_use]
    pub fn unserved(&self) -> BTreeMap<String, u64> {
        self.lock().unserved.clone()
    }

    /// Topics of the open streams.
    #[must_use]
    pub fn topics(&self) -> Vec<Topic> {
        self.lock()
            .subscribers
            .iter()
            .map(|one| one.topic.clone())
            .collect()
    }

    fn unsubscribe(&self, number: u64) {
        let mut state = self.lock();
        let Some(index) = state.subscribers.iter().position(|one| one.number == number) else {
            return;
        };
        let gone = state.subscribers.swap_remove(index);
        act_now(&self.clock, &mut state, |world, now| match &gone.topic {
            Topic::Events { user, .. } => world.stream_closed(user),
            Topic::Game { game, user, .. } => world.game_stream_closed(user, game, now),
            Topic::Challenge { challenge } => world.waits_no_longer(challenge, now),
        });
        drop(state);
        self.rescheduled.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn act_now<T>(clock: &VirtualClock, state: &mut State, act: impl FnOnce(&mut World, Millis) -> T) -> T {
    let now = clock.now();
    state.world.advance_to(now);
    let answer = act(&mut state.world, now);
    for outgoing in state.world.take_outgoing() {
        deliver(&state.subscribers, &outgoing);
    }
    answer
}

fn deliver(subscribers: &[Subscriber], outgoing: &Outgoing) {
    for Subscriber { topic, queue, .. } in subscribers {
        match (outgoing, topic) {
            (Outgoing::Event { to, event }, Topic::Events { user, .. }) if to == user => queue.send(event),
            (Outgoing::Game { game, to, event }, Topic::Game { game: of, user, .. })
                if game == of && to == user =>
            {
                queue.send(event);
            }
            (Outgoing::GameOver { game }, Topic::Game { game: of, .. }) if game == of => queue.close(),
            (Outgoing::ChallengeOver { challenge, done }, Topic::Challenge { challenge: of })
                if challenge == of =>
            {
                queue.send(&json!({ "done": done }));
                queue.close();
            }
            _ => {}
        }
    }
}

/// An open stream. Dropping it closes it.
#[derive(Debug)]
pub struct Subscription {
    hub: Arc<Hub>,
    number: u64,
    is_bots: bool,
    /// The game of a game stream.
    game: Option<GameId>,
    /// Its lines.
    pub queue: Arc<BoundedQueue>,
}

impl Subscription {
    /// A line as it is sent: unchanged, or broken by a random fault.
    pub(super) fn apply_random_fault(&self, line: Bytes) -> FaultyLine {
        if self.is_bots {
            self.hub
                .random_faults
                .apply_to_line(line, self.game.as_ref(), self.hub.clock.now())
        } else {
            FaultyLine::whole(line)
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.queue.abandon();
        self.hub.unsubscribe(self.number);
    }
}
