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
    random_faults::{RandomFaults, Spoiled},
    scripted_faults::Faults,
    time::VirtualClock,
    token_lock::TokenLocks,
    world::{Outgoing, World},
};
use sparring_chess::units::Millis;
use sparring_http_server::{ConnectionLimits, Connections};
use sparring_lichess::model::{GameId, UserId};

/// Sixty-four games at once with both sides' streams and calls need some 330; few enough that nobody exhausts the machine, nor
/// the thousand files that a program may have open.
const LIMITS: ConnectionLimits = ConnectionLimits {
    most: 512,
    request: Duration::from_secs(10),
    idle: Duration::from_secs(120),
    write: Duration::from_secs(30),
};

/// A reader that does not take its own move's state within this is not waited for.
const DELIVERY_PATIENCE: Duration = Duration::from_millis(50);

/// What a stream carries, and for whom.
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
        /// What the program calls itself.
        agent: String,
    },
    /// The fate of a challenge.
    Challenge {
        /// Which.
        challenge: GameId,
    },
}

#[derive(Debug)]
struct Subscriber {
    number: u64,
    topic: Topic,
    mailbox: Arc<BoundedQueue>,
}

#[derive(Debug)]
struct State {
    world: World,
    subscribers: Vec<Subscriber>,
    /// Calls that nobody serves, by method and path, with how often they came.
    unserved: BTreeMap<String, u64>,
}

/// The shared state of a sandbox.
#[derive(Debug)]
pub struct Hub {
    /// How it was made.
    pub options: Options,
    /// Its time.
    pub clock: VirtualClock,
    /// Who is connected.
    pub connections: Arc<Connections>,
    /// Whose requests are being served.
    pub turns: TokenLocks,
    /// What is to go wrong.
    pub faults: Faults,
    /// What goes wrong by chance.
    pub(super) chaos: RandomFaults,
    /// What bots have posted.
    pub(super) ledger: MoveAudit,
    state: Mutex<State>,
    rescheduled: Notify,
    numbers: AtomicU64,
}

impl Hub {
    /// A sandbox with nobody in it.
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
            turns: TokenLocks::new(options.rules.limits),
            faults: Faults::default(),
            chaos: RandomFaults::default(),
            ledger: MoveAudit::default(),
            state: Mutex::new(state),
            rescheduled: Notify::new(),
            numbers: AtomicU64::new(1),
            options,
        }
    }

    /// Does something in the world at the present moment, after everything that was due before, and sends the
    /// streams what came of it.
    pub fn with<T>(&self, act: impl FnOnce(&mut World, Millis) -> T) -> T {
        let mut state = self.lock();
        let answer = act_now(&self.clock, &mut state, act);
        drop(state);
        // The world's next deadline may have moved; the timer looks again.
        self.rescheduled.notify_one();
        answer
    }

    /// Opens a stream: `begin` says what it starts with, while nothing else can happen in between. An older
    /// stream of the same topic ends.
    pub fn subscribe<E>(
        self: &Arc<Self>,
        topic: Topic,
        begin: impl FnOnce(&mut World, Millis, &BoundedQueue) -> Result<(), E>,
    ) -> Result<Subscription, E> {
        let mut state = self.lock();
        let mailbox = Arc::new(BoundedQueue::default());
        act_now(&self.clock, &mut state, |world, now| begin(world, now, &mailbox))?;
        for older in state.subscribers.iter().filter(|older| older.topic == topic) {
            older.mailbox.close();
        }
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
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
            mailbox: mailbox.clone(),
        });
        drop(state);
        self.rescheduled.notify_one();
        Ok(Subscription {
            hub: self.clone(),
            number,
            is_bots,
            game,
            mailbox,
        })
    }

    /// Waits until a player's own streams of a game have taken what was sent, but not for long: so the state of a
    /// move goes out before the answer to the request that made it.
    pub async fn delivered(&self, user: &UserId, game: &GameId) {
        let mailboxes: Vec<Arc<BoundedQueue>> = self
            .lock()
            .subscribers
            .iter()
            .filter(|one| {
                matches!(&one.topic, Topic::Game { game: of, user: to, .. } if of == game && to == user)
            })
            .map(|one| one.mailbox.clone())
            .collect();
        let all = futures::future::join_all(mailboxes.iter().map(|mailbox| mailbox.emptied()));
        // A reader that hangs does not hold up the answer.
        let _ = tokio::time::timeout(DELIVERY_PATIENCE, all).await;
    }

    /// Moves time forward; everything due on the way has happened when this returns.
    pub fn advance(&self, span: Millis) {
        self.clock.advance(span);
        self.with(|_, _| ());
    }

    /// Lets time do its work until told to stop: flags, expiries, absences.
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

    /// Ends every stream, as a server does that shuts down.
    pub fn close_streams(&self) {
        for subscriber in &self.lock().subscribers {
            subscriber.mailbox.close();
        }
    }

    /// Notes a call that nobody serves.
    pub fn note_unserved(&self, call: String) {
        const MOST: usize = 1000;
        let unserved = &mut self.lock().unserved;
        if unserved.len() < MOST || unserved.contains_key(&call) {
            *unserved.entry(call).or_default() += 1;
        }
    }

    /// Calls that nobody served, with how often they came.
    #[must_use]
    pub fn unserved(&self) -> BTreeMap<String, u64> {
        self.lock().unserved.clone()
    }

    /// What the open streams are about.
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
    for Subscriber { topic, mailbox, .. } in subscribers {
        match (outgoing, topic) {
            (Outgoing::Event { to, event }, Topic::Events { user, .. }) if to == user => mailbox.send(event),
            (Outgoing::Game { game, to, event }, Topic::Game { game: of, user, .. })
                if game == of && to == user =>
            {
                mailbox.send(event);
            }
            (Outgoing::GameOver { game }, Topic::Game { game: of, .. }) if game == of => mailbox.close(),
            (Outgoing::ChallengeOver { challenge, done }, Topic::Challenge { challenge: of })
                if challenge == of =>
            {
                mailbox.send(&json!({ "done": done }));
                mailbox.close();
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
    /// The game that it is about, if it is about one.
    game: Option<GameId>,
    /// What it will carry.
    pub mailbox: Arc<BoundedQueue>,
}

impl Subscription {
    /// A line as it goes out: as it is, unless chance will have it otherwise.
    pub(super) fn spoil(&self, line: Bytes) -> Spoiled {
        if self.is_bots {
            self.hub
                .chaos
                .spoil(line, self.game.as_ref(), self.hub.clock.now())
        } else {
            Spoiled::whole(line)
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.mailbox.abandon();
        self.hub.unsubscribe(self.number);
    }
}
