//! The daemon's event loop: one `select!` over the event stream, completed API calls, ended games, timers and shutdown.
//!
//! It alone performs API calls for the account; its children handle one kind of input each. What decides is pure and lies in
//! [`challenges`](super::challenges), [`matchmaking`](super::matchmaking), [`tournaments`](super::tournaments),
//! [`opponents`](super::opponents) and [`games`](super::games).

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

/// After the second request to end, game tasks have this long to stop.
const TASK_STOP: Duration = Duration::from_millis(1500);
/// Once no game runs, calls in flight have this long to arrive.
const FLUSH: Duration = Duration::from_secs(2);
/// While a rate limit forbids answers to challenges, reserved slots are checked so often.
const RATE_LIMITED_CHECK: Millis = Millis::from_secs(5);

/// How the event loop is controlled and observed.
pub(super) struct Handles {
    /// How to behave, now and after a reload.
    pub(super) options: watch::Receiver<Options>,
    /// Where to show what it is doing.
    pub(super) status: watch::Sender<Status>,
    /// Answers liveness probes.
    pub(super) liveness: LivenessResponder,
}

/// The event loop with the parts it owns.
pub(super) struct EventLoop {
    client: Client,
    context: Arc<Context>,
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
    /// Correspondence games in which the opponent is to move, with the opponent where known. They have no task and no stream.
    parked: BTreeMap<GameId, Option<UserId>>,
    /// Games that the last complete list of running games no longer had: their result is asked for.
    unlisted: BTreeSet<GameId>,
    polled_at: Instant,
    ratings_at: Instant,
    retries: RetrySchedule,
    liveness: LivenessResponder,
    rate_limits: PersistedRateLimits,
    daily: DailyCounters,
    calls: FuturesUnordered<BoxFuture<'static, Completion>>,
    ongoing_poll: OngoingPoll,
    started_at: Instant,
    /// Set once asked to end: running games are left then.
    drained_at: Option<Instant>,
    /// Set once asked to end: nobody waits for calls in flight beyond that.
    flush_until: Option<Instant>,
    token_check_pending: bool,
    exit: Option<DaemonError>,
    /// Only reading calls are sent.
    is_dry_run: bool,
}

impl EventLoop {
    /// An event loop with what earlier runs left.
    pub(super) fn new(
        context: Arc<Context>,
        handles: Handles,
        restored: &RestoredState,
        limits: PersistedRateLimits,
        seed: u64,
        dry: bool,
        leave: CancellationToken,
    ) -> Self {
        Self {
            client: context.client.clone(),
            events: EventStream::open(&context.client, seed),
            pending_challenges: PendingChallenges::new(context.lists.clone()),
            supervisor: GameSupervisor::new(Arc::clone(&context), leave),
            context,
            options: handles.options,
            status: handles.status,
            challenge_queue: ChallengeQueue::default(),
            opponent_picker: OpponentPicker::restore(&restored.cooldowns, restored.asked_today, epoch()),
            open_challenges: OpenChallenges::default(),
            tournaments: TournamentState::default(),
            rematches: Rematches::restore(&restored.repeats),
            rng: ChaCha8Rng::seed_from_u64(seed),
            // The event stream names those that still run; the result of the others is asked for once.
            parked: restored.unfinished.iter().cloned().map(|id| (id, None)).collect(),
            unlisted: BTreeSet::new(),
            polled_at: Instant::now(),
            ratings_at: Instant::now(),
            retries: RetrySchedule::default(),
            liveness: handles.liveness,
            rate_limits: limits,
            daily: DailyCounters::of(&restored.opponents_today, epoch()),
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

    /// Runs until asked to end.
    ///
    /// # Errors
    /// When the token or the account cannot be used any more.
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
                Some(event) = self.events.next() => self.on_stream_event(event),
                Some((settings, exit)) = self.supervisor.next(), if !self.supervisor.is_empty() => {
                    self.on_game_ended(settings, exit);
                }
                Some(completion) = self.calls.next(), if !self.calls.is_empty() => self.on_completion(completion),
                Ok(()) = self.options.changed() => info!("new settings count from the next challenge on"),
                () = self.liveness.respond() => {}
                () = sleep_until(timer) => {}
            }
        }
    }

    /// Starts the task of a game that the event stream or the list of running games names, unless it runs or is parked.
    fn start(&mut self, game: &GameEventInfo) {
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
        // A game that was left and rejoined may count as ended there.
        if let Some(arena) = &game.tournament_id {
            self.tournaments.game_started(arena, &id);
        }
        if is_running {
            return;
        }
        // A game in which we have not moved yet may need its greeting, once.
        let is_known = game.has_moved || self.parked.contains_key(&id);
        let can_park = game.speed == Some(Speed::Correspondence) && is_known && !game.is_my_turn;
        let is_over = game
            .status
            .as_ref()
            .is_some_and(|status| !matches!(status.0, GameStatus::Created | GameStatus::Started));
        let opponent = game.opponent.as_ref().and_then(|opponent| opponent.id.clone());
        if can_park && !is_over {
            self.parked.insert(id, opponent);
            return self.publish_status();
        }
        // A parked game was counted when it began, be it in an earlier run.
        let is_new = self.parked.remove(&id).is_none();
        let now = self.now();
        self.opponent_picker.accepted(&id, now);
        self.record_outcome(&id, "accepted");
        let reservation = self.challenge_queue.started(&id);
        let is_rematch = reservation.as_ref().is_some_and(|who| who.is_rematch);
        let local_context = self.local_context(opponent.as_ref(), is_rematch);
        let options = self.options.borrow();
        let settings = TaskSettings {
            adopted: reservation.is_none(),
            id,
            opponent: opponent.clone(),
            side: game.color,
            config: Arc::clone(&options.config),
            local_context,
            no_show: game
                .tournament_id
                .is_none()
                .then_some(options.config.games.abort_after),
            park_after: options.timing.park_after,
            game_full_timeout: options.timing.game_full_timeout,
        };
        drop(options);
        if self.is_dry_run {
            return info!("would play {}", settings.id);
        }
        if let Some(opponent) = opponent.filter(|_| is_new) {
            // A game without a reserved slot comes from a tournament, or began while we were disconnected.
            let is_bot = reservation.map_or_else(|| game.is_against_bot(), |who| !who.is_human);
            self.daily.record(&settings.id, &opponent, is_bot, epoch());
        }
        self.context.metrics.game_begun();
        self.supervisor.start(settings);
        self.publish_status();
    }

    /// Performs what is due, by the clock or because a slot is free.
    fn poll_timers(&mut self) {
        let now = self.now();
        let expired = self.challenge_queue.expired(now);
        let (mine, theirs): (Vec<_>, Vec<_>) = expired
            .into_iter()
            .partition(|id| self.opponent_picker.is_pending(id));
        for id in mine {
            self.on_no_answer(id);
        }
        if !theirs.is_empty() {
            // The games may run, and only their gameStart was lost.
            self.list_games();
        }
        self.maybe_challenge(now);
        self.maybe_join(now);
        let (opponents, parked) = self.opponents();
        let capacity = self.capacity((&opponents, &parked), now);
        // While a rate limit forbids answers, challenges wait as long as they would for a slot.
        while self.client.blocked_for(EndpointClass::Challenge).is_none()
            && let Some(reply) = self.challenge_queue.next(capacity, now)
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
        if self.ongoing_poll.begin_if_due(now) {
            self.call(|client| async move { Completion::OngoingGames(client.ongoing_games().await) });
        }
        if Instant::now() >= self.next_ratings_at() {
            self.ratings_at = Instant::now();
            self.call(|client| async move { Completion::Account(client.account().await) });
        }
    }

    /// The opponents of running games, and those of parked ones.
    fn opponents(&self) -> (Vec<Option<UserId>>, Vec<Option<UserId>>) {
        (
            self.supervisor.opponents(),
            self.parked.values().cloned().collect(),
        )
    }

    /// What limits new games, beside running games and parked ones with these opponents.
    fn capacity<'o>(
        &self,
        (opponents, parked): (&'o [Option<UserId>], &'o [Option<UserId>]),
        now: Millis,
    ) -> Capacity<'o> {
        let options = self.options.borrow();
        Capacity {
            games: options.config.games.max,
            for_humans: options.config.games.for_humans,
            bots_closed: self.are_bots_closed(),
            per_opponent: options.config.games.per_opponent,
            opponents,
            sleeping: parked,
            reserved: self.tournaments.reserved_slots(now),
            lease: options.timing.reservation,
        }
    }

    /// Slots that bots and tournaments may still take, with or without the one reserved for a challenge of ours.
    fn seats_for_bots(&self, without: Option<&GameId>, now: Millis) -> usize {
        let (opponents, parked) = self.opponents();
        self.challenge_queue
            .free_slots_for_bots(self.capacity((&opponents, &parked), now), without)
    }

    fn next_deadline(&self) -> Instant {
        let silence = self.client.blocked_for(EndpointClass::Challenge);
        let challenges = self.challenge_queue.next_deadline().map(|at| match silence {
            None => self.started_at + at.into(),
            // Nothing may be sent, so what is due stays due until the limit ends.
            Some(silence) => Instant::now() + silence.min(RATE_LIMITED_CHECK).into(),
        });
        let retries = self.retries.next_deadline().map(|at| self.started_at + at.into());
        let poll = self
            .ongoing_poll
            .next_deadline()
            .map(|at| self.started_at + at.into());
        let matchmaking = self.next_challenge_at().map(|at| self.started_at + at.into());
        let tournaments = self.next_tournament_at().map(|at| self.started_at + at.into());
        [
            challenges,
            retries,
            poll,
            matchmaking,
            tournaments,
            self.drained_at,
            self.flush_until.filter(|until| Instant::now() < *until),
            Some(self.next_ratings_at()),
        ]
        .into_iter()
        .flatten()
        .fold(self.next_poll_at(), Instant::min)
    }

    /// When the running games are polled next: for parked games, and for what streams have lost. A blitz game whose
    /// gameStart was lost must be found before its flag falls.
    fn next_poll_at(&self) -> Instant {
        self.polled_at + self.options.borrow().timing.poll_every.into()
    }

    /// When our own ratings are asked for next.
    fn next_ratings_at(&self) -> Instant {
        self.ratings_at + self.options.borrow().timing.ratings_every.into()
    }

    /// Begins no more games, and ends when the running ones have ended.
    fn drain(&mut self) {
        let span = self.options.borrow().config.games.drain;
        self.drained_at = Some(Instant::now() + span.into());
        self.flush_until = Some(Instant::now() + FLUSH);
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

    /// Whether no new games are begun.
    fn is_closing(&self) -> bool {
        self.is_dry_run || self.drained_at.is_some()
    }

    /// Records the rate limit that a failed call tells of, so that a restart keeps it.
    fn record_rate_limit(&mut self, class: EndpointClass, error: &CallError) {
        if matches!(error, CallError::RateLimited { .. }) {
            self.context.metrics.limited(class);
        }
        // A limit of account calls must not delay the next login while games run. Login records its own.
        if class != EndpointClass::Account {
            self.rate_limits.record(class, error, epoch());
        }
    }

    fn is_done(&self) -> bool {
        self.drained_at.is_some_and(|until| {
            // A challenge of ours that stands could begin a game that nobody plays.
            let is_idle = self.supervisor.is_empty()
                && self.challenge_queue.reserved_for() == 0
                && !self.tournaments.is_leaving()
                && !self.opponent_picker.is_withdrawing();
            let is_silent = self.calls.is_empty() && !self.challenge_queue.has_declines();
            let has_waited = self.flush_until.is_none_or(|until| Instant::now() >= until);
            (is_idle && (is_silent || has_waited)) || Instant::now() >= until
        })
    }

    /// Stops all game tasks; the games stay on lichess.
    async fn leave(&mut self, signals: &Shutdown) {
        signals.leave.cancel();
        let all_left = async { while self.supervisor.next().await.is_some() {} };
        if timeout(TASK_STOP, all_left).await.is_err() {
            warn!("some game tasks did not stop in time");
        }
        if timeout(TASK_STOP, self.context.store.flush()).await.is_err() {
            warn!("the archive did not take everything in time");
        }
        if let Some(rows) = self.context.store.unwritten() {
            warn!("the archive cannot be written, and this is lost with the end of the program: {rows}");
        }
        let lost = self.context.store.lost();
        if lost > 0 {
            warn!(
                "{lost} rows of this run were lost: the archive could not be written for too long, or did not take them"
            );
        }
    }

    /// Checks the token, once for all calls that were refused meanwhile.
    fn check_token(&mut self) {
        if std::mem::replace(&mut self.token_check_pending, true) {
            return;
        }
        let wanted = self.options.borrow().config.tournaments.scopes();
        self.call(|client| async move { Completion::TokenChecked(login::may_play(&client, wanted).await) });
    }

    /// Polls the running games, now or as soon as that is allowed again.
    fn list_games(&mut self) {
        let now = self.now();
        self.ongoing_poll.request(now);
    }

    fn call<F>(&self, call: impl FnOnce(Client) -> F)
    where
        F: Future<Output = Completion> + Send + 'static,
    {
        self.calls.push(call(self.client.clone()).boxed());
    }

    fn publish_status(&self) {
        let (games, parked) = (self.supervisor.len(), self.parked.len());
        self.status.send_modify(|status| {
            status.games = games;
            status.parked = parked;
        });
    }

    /// Shows how long the queue is; whoever follows hears of changes alone.
    fn publish_queue(&self) {
        let waiting = self.challenge_queue.waiting();
        self.status
            .send_if_modified(|status| std::mem::replace(&mut status.waiting, waiting) != waiting);
    }

    fn now(&self) -> Millis {
        self.started_at.elapsed().into()
    }
}
