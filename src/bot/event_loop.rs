//! The daemon at work: hears the event stream, answers challenges, keeps a task for each game, and leaves in good
//! order.

mod challenges;
mod completion;
mod completions;
mod event_stream;
mod events;
mod matchmaking;
mod tournaments;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use futures::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use rand::{SeedableRng as _, rngs::ChaCha8Rng};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use crate::bot::{
    challenges::{
        open::OpenChallenges,
        pending::PendingChallenges,
        queue::{Capacity, ChallengeQueue, ChallengeReply},
    },
    event_loop::{completion::Completion, event_stream::EventStream},
    game_task::{Context, TaskSettings},
    games::{ongoing_poll::OngoingPoll, retry::RetrySchedule, supervisor::GameSupervisor},
    matchmaking::opponent_picker::OpponentPicker,
    observe::liveness::LivenessResponder,
    opponents::{daily_limits::DailyCounters, rematches::Rematches},
    options::Options,
    restored::RestoredState,
    server::{
        login::{self, DaemonError},
        rate_limits::PersistedRateLimits,
    },
    shutdown::Shutdown,
    status::Status,
    tournaments::state::TournamentState,
    wall_clock::epoch,
};
use sparring_chess::units::Millis;
use sparring_lichess::{
    CallError, Client,
    model::{GameEventInfo, GameId, Speed, Status as GameStatus, UserId},
    retry::EndpointClass,
};

/// After the second request to end, games have this long to let go.
const LETTING_GO: Duration = Duration::from_millis(1500);
/// Once nothing runs any more, what is still on its way to the server has this long to get there.
const FAREWELL: Duration = Duration::from_secs(2);
/// While the server wants no answers to challenges, promised seats are looked at so often.
const SILENT_LOOK: Millis = Millis::from_secs(5);

/// How the roof steers the desk and watches it.
pub(super) struct Handles {
    /// How to behave, now and after a reload.
    pub(super) options: watch::Receiver<Options>,
    /// Where to show what it is doing.
    pub(super) status: watch::Sender<Status>,
    /// Answers whether the loop still turns.
    pub(super) heart: LivenessResponder,
}

/// The daemon at work.
pub(super) struct EventLoop {
    client: Client,
    shared: Arc<Context>,
    options: watch::Receiver<Options>,
    status: watch::Sender<Status>,
    events: EventStream,
    pending_challenges: PendingChallenges,
    supervisor: GameSupervisor,
    challenge_queue: ChallengeQueue,
    opponent_picker: OpponentPicker,
    open_challenges: OpenChallenges,
    tournaments: TournamentState,
    rematches: Rematches,
    rng: ChaCha8Rng,
    /// Games without a clock in which the opponent is to move, with the opponent where known: no stream is held for them.
    parked: BTreeMap<GameId, Option<UserId>>,
    /// Games that did not run any more by the last list that knows, and are looked at for their end.
    unlisted: BTreeSet<GameId>,
    polled_at: Instant,
    ratings_at: Instant,
    retries: RetrySchedule,
    heart: LivenessResponder,
    rate_limits: PersistedRateLimits,
    daily: DailyCounters,
    calls: FuturesUnordered<BoxFuture<'static, Completion>>,
    ongoing_poll: OngoingPoll,
    started_at: Instant,
    /// Once asked to end: running games are left then.
    drained_at: Option<Instant>,
    /// Once asked to end: nobody waits for answers of the server beyond that.
    flush_until: Option<Instant>,
    /// The token is being looked at.
    token_check_pending: bool,
    exit: Option<DaemonError>,
    /// Nothing is sent that changes anything.
    is_dry_run: bool,
}

impl EventLoop {
    /// A desk with nothing on it yet.
    pub(super) fn new(
        shared: Arc<Context>,
        roof: Handles,
        past: &RestoredState,
        limits: PersistedRateLimits,
        seed: u64,
        dry: bool,
        leave: CancellationToken,
    ) -> Self {
        Self {
            client: shared.client.clone(),
            events: EventStream::open(&shared.client, seed),
            pending_challenges: PendingChallenges::new(shared.lists.clone()),
            supervisor: GameSupervisor::new(Arc::clone(&shared), leave),
            shared,
            options: roof.options,
            status: roof.status,
            challenge_queue: ChallengeQueue::default(),
            opponent_picker: OpponentPicker::restore(&past.cooldowns, past.asked_today, epoch()),
            open_challenges: OpenChallenges::default(),
            tournaments: TournamentState::default(),
            rematches: Rematches::restore(&past.repeats),
            rng: ChaCha8Rng::seed_from_u64(seed),
            // Those that still run come by the event stream, the others are looked at once for their end.
            parked: past.unfinished.iter().cloned().map(|id| (id, None)).collect(),
            unlisted: BTreeSet::new(),
            polled_at: Instant::now(),
            ratings_at: Instant::now(),
            retries: RetrySchedule::default(),
            heart: roof.heart,
            rate_limits: limits,
            daily: DailyCounters::of(&past.opponents_today, epoch()),
            calls: FuturesUnordered::new(),
            ongoing_poll: OngoingPoll::default(),
            started_at: Instant::now(),
            drained_at: None,
            flush_until: None,
            token_check_pending: false,
            exit: None,
            is_dry_run: dry,
        }
    }

    /// Is the bot until asked to end.
    pub(super) async fn run(mut self, signals: Shutdown) -> Result<(), DaemonError> {
        loop {
            self.poll_timers();
            self.publish_queue();
            if let Some(exit) = self.exit.take() {
                self.leave(&signals).await;
                return Err(exit);
            }
            if self.is_done() {
                self.leave(&signals).await;
                return Ok(());
            }
            let timer = self.next_deadline();
            tokio::select! {
                biased;
                () = signals.leave.cancelled() => {
                    self.leave(&signals).await;
                    return Ok(());
                }
                () = signals.drain.cancelled(), if self.drained_at.is_none() => self.drain(),
                Some((challenge, compat)) = self.pending_challenges.next() => self.handle_challenge(&challenge, compat),
                Some(news) = self.events.next() => self.on_stream_event(news),
                Some((setup, done)) = self.supervisor.next(), if !self.supervisor.is_empty() => {
                    self.on_game_ended(setup, done);
                }
                Some(errand) = self.calls.next(), if !self.calls.is_empty() => self.on_completion(errand),
                Ok(()) = self.options.changed() => info!("new settings count from the next challenge on"),
                () = self.heart.respond() => {}
                () = sleep_until(timer) => {}
            }
        }
    }

    pub(super) fn start(&mut self, game: &GameEventInfo) {
        let Some(id) = game.game().cloned() else {
            return warn!("a game without an id was skipped");
        };
        if game.compat.is_some_and(|compat| !compat.bot) {
            return debug!("{id} is not for bots");
        }
        let is_running = self.supervisor.has(&id);
        if !is_running && !self.retries.allows(&id, self.now()) {
            return;
        }
        // One that was let go and taken up again may have been taken for ended.
        if let Some(arena) = &game.tournament_id {
            self.tournaments.begun(arena, &id);
        }
        if is_running {
            return;
        }
        // Who has not moved yet may still have to greet, but once is enough.
        let is_known = game.has_moved || self.parked.contains_key(&id);
        let waits = game.speed == Some(Speed::Correspondence) && is_known && !game.is_my_turn;
        let is_over = game
            .status
            .as_ref()
            .is_some_and(|status| !matches!(status.0, GameStatus::Created | GameStatus::Started));
        let opponent = game.opponent.as_ref().and_then(|opponent| opponent.id.clone());
        if waits && !is_over {
            self.parked.insert(id, opponent);
            return self.publish_status();
        }
        // What slept was counted when it began, be it in an earlier run.
        let is_new = self.parked.remove(&id).is_none();
        let now = self.now();
        self.opponent_picker.accepted(&id, now);
        self.record_outcome(&id, "accepted");
        let promised = self.challenge_queue.started(&id);
        let is_rematch = promised.as_ref().is_some_and(|who| who.is_rematch);
        let moment = self.local_context(opponent.as_ref(), is_rematch);
        let options = self.options.borrow();
        let setup = TaskSettings {
            adopted: promised.is_none(),
            id,
            opponent: opponent.clone(),
            side: game.color,
            play: options.play.clone(),
            chat: options.chat.clone(),
            rules: Arc::clone(&options.rules),
            local_context: moment,
            no_show: game.tournament_id.is_none().then_some(options.games.abort_after),
            idle: options.idle,
            frame_within: options.frame,
        };
        drop(options);
        if self.is_dry_run {
            return info!("would play {}", setup.id);
        }
        if let Some(opponent) = opponent.filter(|_| is_new) {
            // A game that nobody was promised a seat for is one of an arena, or was begun while nobody listened.
            let is_bot = promised.map_or_else(|| game.is_against_bot(), |who| !who.is_human);
            self.daily.note(&setup.id, &opponent, is_bot, epoch());
        }
        self.shared.metrics.game_begun();
        self.supervisor.start(setup);
        self.publish_status();
    }

    /// Sends what is due, by the clock or because a seat is free.
    fn poll_timers(&mut self) {
        let now = self.now();
        let lapsed = self.challenge_queue.expired(now);
        let (mine, theirs): (Vec<_>, Vec<_>) = lapsed
            .into_iter()
            .partition(|id| self.opponent_picker.is_pending(id));
        for id in mine {
            self.unanswered(id);
        }
        if !theirs.is_empty() {
            // Perhaps the games are there and only their news was lost.
            self.list_games();
        }
        self.maybe_challenge(now);
        self.maybe_join(now);
        let (opponents, sleeping) = self.opponents();
        let room = self.capacity((&opponents, &sleeping), now);
        // While the server wants no answers, challenges wait as long as they would for a seat.
        while self.client.silence(EndpointClass::Challenge).is_none()
            && let Some(reply) = self.challenge_queue.next(room, now)
        {
            match reply {
                ChallengeReply::Accept(id) => self.call(|client| async move {
                    let answer = client.accept(&id).await;
                    Completion::Accepted(id, answer)
                }),
                ChallengeReply::Decline(id, reason) => self.refuse(id, reason),
            }
        }
        if self.retries.is_due(now) || Instant::now() >= self.next_poll_at() {
            self.polled_at = Instant::now();
            self.list_games();
        }
        if self.ongoing_poll.asks(now) {
            self.call(|client| async move { Completion::Listed(client.playing().await) });
        }
        if Instant::now() >= self.next_ratings_at() {
            self.ratings_at = Instant::now();
            self.call(|client| async move { Completion::Account(client.account().await) });
        }
    }

    /// The opponents of the games that run, and of those that sleep.
    fn opponents(&self) -> (Vec<Option<UserId>>, Vec<Option<UserId>>) {
        (
            self.supervisor.opponents(),
            self.parked.values().cloned().collect(),
        )
    }

    /// What there is room for, beside these opponents of games that run and that sleep.
    fn capacity<'o>(
        &self,
        (opponents, sleeping): (&'o [Option<UserId>], &'o [Option<UserId>]),
        now: Millis,
    ) -> Capacity<'o> {
        let options = self.options.borrow();
        Capacity {
            games: options.games.max,
            for_humans: options.games.for_humans,
            bots_closed: self.are_bots_closed(),
            per_opponent: options.games.per_opponent,
            opponents,
            sleeping,
            reserved: self.tournaments.seats(now),
            lease: options.lease,
        }
    }

    /// Seats that bots and arenas may still take, with or without the one that a challenge of ours is promised.
    pub(super) fn seats_for_bots(&self, without: Option<&GameId>, now: Millis) -> usize {
        let (opponents, sleeping) = self.opponents();
        self.challenge_queue
            .seats_for_bots(self.capacity((&opponents, &sleeping), now), without)
    }

    fn next_deadline(&self) -> Instant {
        let silence = self.client.silence(EndpointClass::Challenge);
        let intake = self.challenge_queue.next_deadline().map(|at| match silence {
            None => self.started_at + at.into(),
            // Nothing may be sent, so what is due stays due; what waits may be answered as soon as the silence ends.
            Some(silence) => Instant::now() + silence.min(SILENT_LOOK).into(),
        });
        let setbacks = self.retries.next_deadline().map(|at| self.started_at + at.into());
        let lists = self
            .ongoing_poll
            .next_deadline()
            .map(|at| self.started_at + at.into());
        let courts = self.next_challenge_at().map(|at| self.started_at + at.into());
        let contends = self.next_tournament_at().map(|at| self.started_at + at.into());
        [
            intake,
            setbacks,
            lists,
            courts,
            contends,
            self.drained_at,
            self.flush_until.filter(|until| Instant::now() < *until),
            Some(self.next_ratings_at()),
        ]
        .into_iter()
        .flatten()
        .fold(self.next_poll_at(), Instant::min)
    }

    /// When the list of running games is looked at next: for those that sleep, and for what streams have lost. A game
    /// of blitz whose start nobody heard of has to be found before its flag falls.
    fn next_poll_at(&self) -> Instant {
        self.polled_at + self.options.borrow().poll_every.into()
    }

    /// When the bot's own ratings are asked for next.
    fn next_ratings_at(&self) -> Instant {
        self.ratings_at + self.options.borrow().ratings.into()
    }

    /// Accepts nothing more.
    fn drain(&mut self) {
        let span = self.options.borrow().games.drain;
        self.drained_at = Some(Instant::now() + span.into());
        self.flush_until = Some(Instant::now() + FAREWELL);
        for (challenge, compat) in self.pending_challenges.clear() {
            self.handle_challenge(&challenge, compat);
        }
        self.challenge_queue.close();
        self.withdraw();
        self.leave_tournaments();
        self.status.send_modify(|status| status.is_draining = true);
        info!(
            "{} games running, no new ones; ask again to leave them",
            self.supervisor.len()
        );
    }

    /// Whether nothing new is begun any more, or ever.
    pub(super) fn is_closing(&self) -> bool {
        self.is_dry_run || self.drained_at.is_some()
    }

    /// A call failed: a limit that it tells of is kept.
    pub(super) fn record_rate_limit(&mut self, class: EndpointClass, error: &CallError) {
        if matches!(error, CallError::RateLimited { .. }) {
            self.shared.metrics.limited(class);
        }
        // What was asked while games run must not keep the next log-in from them. What a log-in is asked it keeps itself.
        if class != EndpointClass::Account {
            self.rate_limits.note(class, error, epoch());
        }
    }

    fn is_done(&self) -> bool {
        self.drained_at.is_some_and(|until| {
            // A challenge of ours that is not taken back could begin a game that nobody plays.
            let is_idle = self.supervisor.is_empty()
                && self.challenge_queue.reserved_for() == 0
                && !self.tournaments.is_leaving()
                && !self.opponent_picker.is_taking_back();
            let is_silent = self.calls.is_empty() && !self.challenge_queue.has_refusals();
            let has_waited = self.flush_until.is_none_or(|until| Instant::now() >= until);
            (is_idle && (is_silent || has_waited)) || Instant::now() >= until
        })
    }

    /// Lets go of all games; they stay on lichess.
    async fn leave(&mut self, signals: &Shutdown) {
        signals.leave.cancel();
        let all_left = async { while self.supervisor.next().await.is_some() {} };
        if timeout(LETTING_GO, all_left).await.is_err() {
            warn!("some games did not let go in time");
        }
        if timeout(LETTING_GO, self.shared.store.flush()).await.is_err() {
            warn!("the archive did not take everything in time");
        }
        if let Some(rows) = self.shared.store.unwritten() {
            warn!("the archive cannot be written, and this is lost with the end of the program: {rows}");
        }
        let lost = self.shared.store.lost();
        if lost > 0 {
            warn!(
                "{lost} rows of this run were lost: the archive could not be written for too long, or did not take them"
            );
        }
    }

    /// Looks whether the token is still good, once for all calls that were refused meanwhile.
    pub(super) fn check_token(&mut self) {
        if std::mem::replace(&mut self.token_check_pending, true) {
            return;
        }
        let wanted = self.options.borrow().tournaments.scopes();
        self.call(|client| async move { Completion::Checked(login::may_play(&client, wanted).await) });
    }

    /// Asks which games run, now or as soon as that may be asked again.
    pub(super) fn list_games(&mut self) {
        let now = self.now();
        self.ongoing_poll.want(now);
    }

    pub(super) fn call<F>(&self, call: impl FnOnce(Client) -> F)
    where
        F: Future<Output = Completion> + Send + 'static,
    {
        self.calls.push(call(self.client.clone()).boxed());
    }

    pub(super) fn publish_status(&self) {
        let (games, asleep) = (self.supervisor.len(), self.parked.len());
        self.status.send_modify(|status| {
            status.games = games;
            status.parked = asleep;
        });
    }

    /// Shows how long the queue is; whoever follows hears of changes alone.
    fn publish_queue(&self) {
        let waiting = self.challenge_queue.waiting();
        self.status
            .send_if_modified(|status| std::mem::replace(&mut status.waiting, waiting) != waiting);
    }

    pub(super) fn now(&self) -> Millis {
        self.started_at.elapsed().into()
    }
}
