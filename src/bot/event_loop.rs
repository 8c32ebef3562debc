//! The daemon at work: hears the event stream, answers challenges, keeps a task for each game, and leaves in good
//! order.

pub(super) mod completions;
pub(super) mod events;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, SystemTime},
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
    daemon::{Options, RestoredState, Shutdown, Status},
    event_loop::{completions::Completion, events::EventStream},
    game_task::{Context, Setup},
    games::{ongoing_poll::OngoingPoll, retry::RetrySchedule, supervisor::GameSupervisor},
    matchmaking::opponent_picker::OpponentPicker,
    observe::liveness::LivenessResponder,
    opponents::{daily_limits::DailyCounters, rematches::Rematches},
    server::{
        login::{self, DaemonError},
        rate_limits::PersistedRateLimits,
    },
    tournaments::state::TournamentState,
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
    pub(super) client: Client,
    pub(super) shared: Arc<Context>,
    pub(super) options: watch::Receiver<Options>,
    pub(super) status: watch::Sender<Status>,
    pub(super) ears: EventStream,
    pub(super) doorstep: PendingChallenges,
    pub(super) registry: GameSupervisor,
    pub(super) intake: ChallengeQueue,
    pub(super) suitor: OpponentPicker,
    pub(super) undecided: OpenChallenges,
    pub(super) arenas: TournamentState,
    pub(super) rematches: Rematches,
    pub(super) rng: ChaCha8Rng,
    /// Games without a clock in which the opponent is to move, with the opponent where known: no stream is held for them.
    pub(super) asleep: BTreeMap<GameId, Option<UserId>>,
    /// Games that did not run any more by the last list that knows, and are looked at for their end.
    pub(super) unlisted: BTreeSet<GameId>,
    swept: Instant,
    rated: Instant,
    pub(super) setbacks: RetrySchedule,
    heart: LivenessResponder,
    pub(super) limits: PersistedRateLimits,
    pub(super) today: DailyCounters,
    errands: FuturesUnordered<BoxFuture<'static, Completion>>,
    pub(super) listing: OngoingPoll,
    begin: Instant,
    /// Once asked to end: running games are left then.
    pub(super) drained_at: Option<Instant>,
    /// Once asked to end: nobody waits for answers of the server beyond that.
    farewell_until: Option<Instant>,
    /// The token is being looked at.
    pub(super) is_checking: bool,
    pub(super) exit: Option<DaemonError>,
    /// Nothing is sent that changes anything.
    pub(super) dry: bool,
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
            ears: EventStream::open(&shared.client, seed),
            doorstep: PendingChallenges::new(shared.lists.clone()),
            registry: GameSupervisor::new(Arc::clone(&shared), leave),
            shared,
            options: roof.options,
            status: roof.status,
            intake: ChallengeQueue::default(),
            suitor: OpponentPicker::restore(&past.rests, past.asked_today, epoch()),
            undecided: OpenChallenges::default(),
            arenas: TournamentState::default(),
            rematches: Rematches::restore(&past.repeats),
            rng: ChaCha8Rng::seed_from_u64(seed),
            // Those that still run come by the event stream, the others are looked at once for their end.
            asleep: past.unfinished.iter().cloned().map(|id| (id, None)).collect(),
            unlisted: BTreeSet::new(),
            swept: Instant::now(),
            rated: Instant::now(),
            setbacks: RetrySchedule::default(),
            heart: roof.heart,
            limits,
            today: DailyCounters::of(&past.opponents_today, epoch()),
            errands: FuturesUnordered::new(),
            listing: OngoingPoll::default(),
            begin: Instant::now(),
            drained_at: None,
            farewell_until: None,
            is_checking: false,
            exit: None,
            dry,
        }
    }

    /// Is the bot until asked to end.
    pub(super) async fn work(mut self, signals: Shutdown) -> Result<(), DaemonError> {
        loop {
            self.attend();
            self.show_queue();
            if let Some(exit) = self.exit.take() {
                self.leave(&signals).await;
                return Err(exit);
            }
            if self.is_done() {
                self.leave(&signals).await;
                return Ok(());
            }
            let timer = self.wakes_at();
            tokio::select! {
                biased;
                () = signals.leave.cancelled() => {
                    self.leave(&signals).await;
                    return Ok(());
                }
                () = signals.drain.cancelled(), if self.drained_at.is_none() => self.drain(),
                Some((challenge, compat)) = self.doorstep.next() => self.consider(&challenge, compat),
                Some(news) = self.ears.next() => self.hear(news),
                Some((setup, done)) = self.registry.next(), if !self.registry.is_empty() => {
                    self.game_done(setup, done);
                }
                Some(errand) = self.errands.next(), if !self.errands.is_empty() => self.settle(errand),
                Ok(()) = self.options.changed() => info!("new settings count from the next challenge on"),
                () = self.heart.beat() => {}
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
        let is_running = self.registry.has(&id);
        if !is_running && !self.setbacks.allows(&id, self.now()) {
            return;
        }
        // One that was let go and taken up again may have been taken for ended.
        if let Some(arena) = &game.tournament_id {
            self.arenas.begun(arena, &id);
        }
        if is_running {
            return;
        }
        // Who has not moved yet may still have to greet, but once is enough.
        let is_known = game.has_moved || self.asleep.contains_key(&id);
        let waits = game.speed == Some(Speed::Correspondence) && is_known && !game.is_my_turn;
        let is_over = game
            .status
            .as_ref()
            .is_some_and(|status| !matches!(status.0, GameStatus::Created | GameStatus::Started));
        let opponent = game.opponent.as_ref().and_then(|opponent| opponent.id.clone());
        if waits && !is_over {
            self.asleep.insert(id, opponent);
            return self.show();
        }
        // What slept was counted when it began, be it in an earlier run.
        let is_new = self.asleep.remove(&id).is_none();
        let now = self.now();
        self.suitor.accepted(&id, now);
        self.note_fate(&id, "accepted");
        let promised = self.intake.started(&id);
        let is_rematch = promised.as_ref().is_some_and(|who| who.is_rematch);
        let moment = self.moment(opponent.as_ref(), is_rematch);
        let options = self.options.borrow();
        let setup = Setup {
            adopted: promised.is_none(),
            id,
            opponent: opponent.clone(),
            side: game.color,
            play: options.play.clone(),
            chat: options.chat.clone(),
            rules: Arc::clone(&options.rules),
            moment,
            no_show: game.tournament_id.is_none().then_some(options.games.abort_after),
            idle: options.idle,
            frame_within: options.frame,
        };
        drop(options);
        if self.dry {
            return info!("would play {}", setup.id);
        }
        if let Some(opponent) = opponent.filter(|_| is_new) {
            // A game that nobody was promised a seat for is one of an arena, or was begun while nobody listened.
            let is_bot = promised.map_or_else(|| game.is_against_bot(), |who| !who.is_human);
            self.today.note(&setup.id, &opponent, is_bot, epoch());
        }
        self.shared.meters.game_begun();
        self.registry.start(setup);
        self.show();
    }

    /// Sends what is due, by the clock or because a seat is free.
    fn attend(&mut self) {
        let now = self.now();
        let lapsed = self.intake.lapsed(now);
        let (mine, theirs): (Vec<_>, Vec<_>) = lapsed.into_iter().partition(|id| self.suitor.is_pending(id));
        for id in mine {
            self.unanswered(id);
        }
        if !theirs.is_empty() {
            // Perhaps the games are there and only their news was lost.
            self.list_games();
        }
        self.court(now);
        self.contend(now);
        let (opponents, sleeping) = self.opponents();
        let room = self.room((&opponents, &sleeping), now);
        // While the server wants no answers, challenges wait as long as they would for a seat.
        while self.client.silence(EndpointClass::Challenge).is_none()
            && let Some(reply) = self.intake.next(room, now)
        {
            match reply {
                ChallengeReply::Accept(id) => self.call(|client| async move {
                    let answer = client.accept(&id).await;
                    Completion::Accepted(id, answer)
                }),
                ChallengeReply::Decline(id, reason) => self.refuse(id, reason),
            }
        }
        if self.setbacks.is_due(now) || Instant::now() >= self.sweeps_at() {
            self.swept = Instant::now();
            self.list_games();
        }
        if self.listing.asks(now) {
            self.call(|client| async move { Completion::Listed(client.playing().await) });
        }
        if Instant::now() >= self.rates_at() {
            self.rated = Instant::now();
            self.call(|client| async move { Completion::Account(client.account().await) });
        }
    }

    /// The opponents of the games that run, and of those that sleep.
    fn opponents(&self) -> (Vec<Option<UserId>>, Vec<Option<UserId>>) {
        (self.registry.opponents(), self.asleep.values().cloned().collect())
    }

    /// What there is room for, beside these opponents of games that run and that sleep.
    fn room<'o>(
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
            reserved: self.arenas.seats(now),
            lease: options.lease,
        }
    }

    /// Seats that bots and arenas may still take, with or without the one that a challenge of ours is promised.
    pub(super) fn seats_for_bots(&self, without: Option<&GameId>, now: Millis) -> usize {
        let (opponents, sleeping) = self.opponents();
        self.intake
            .seats_for_bots(self.room((&opponents, &sleeping), now), without)
    }

    fn wakes_at(&self) -> Instant {
        let silence = self.client.silence(EndpointClass::Challenge);
        let intake = self.intake.wakes_at().map(|at| match silence {
            None => self.begin + at.into(),
            // Nothing may be sent, so what is due stays due; what waits may be answered as soon as the silence ends.
            Some(silence) => Instant::now() + silence.min(SILENT_LOOK).into(),
        });
        let setbacks = self.setbacks.wakes_at().map(|at| self.begin + at.into());
        let lists = self.listing.wakes_at().map(|at| self.begin + at.into());
        let courts = self.courts_at().map(|at| self.begin + at.into());
        let contends = self.contends_at().map(|at| self.begin + at.into());
        [
            intake,
            setbacks,
            lists,
            courts,
            contends,
            self.drained_at,
            self.farewell_until.filter(|until| Instant::now() < *until),
            Some(self.rates_at()),
        ]
        .into_iter()
        .flatten()
        .fold(self.sweeps_at(), Instant::min)
    }

    /// When the list of running games is looked at next: for those that sleep, and for what streams have lost. A game
    /// of blitz whose start nobody heard of has to be found before its flag falls.
    fn sweeps_at(&self) -> Instant {
        self.swept + self.options.borrow().sweep.into()
    }

    /// When the bot's own ratings are asked for next.
    fn rates_at(&self) -> Instant {
        self.rated + self.options.borrow().ratings.into()
    }

    /// Accepts nothing more.
    fn drain(&mut self) {
        let span = self.options.borrow().games.drain;
        self.drained_at = Some(Instant::now() + span.into());
        self.farewell_until = Some(Instant::now() + FAREWELL);
        for (challenge, compat) in self.doorstep.clear() {
            self.consider(&challenge, compat);
        }
        self.intake.close();
        self.withdraw();
        self.leave_arenas();
        self.status.send_modify(|status| status.is_draining = true);
        info!(
            "{} games running, no new ones; ask again to leave them",
            self.registry.len()
        );
    }

    /// Whether nothing new is begun any more, or ever.
    pub(super) fn is_closing(&self) -> bool {
        self.dry || self.drained_at.is_some()
    }

    /// A call failed: a limit that it tells of is kept.
    pub(super) fn note_limit(&mut self, class: EndpointClass, error: &CallError) {
        if matches!(error, CallError::RateLimited { .. }) {
            self.shared.meters.limited(class);
        }
        // What was asked while games run must not keep the next log-in from them. What a log-in is asked it keeps itself.
        if class != EndpointClass::Account {
            self.limits.note(class, error, epoch());
        }
    }

    fn is_done(&self) -> bool {
        self.drained_at.is_some_and(|until| {
            // A challenge of ours that is not taken back could begin a game that nobody plays.
            let is_idle = self.registry.is_empty()
                && self.intake.promised() == 0
                && !self.arenas.is_leaving()
                && !self.suitor.is_taking_back();
            let is_silent = self.errands.is_empty() && !self.intake.has_refusals();
            let has_waited = self.farewell_until.is_none_or(|until| Instant::now() >= until);
            (is_idle && (is_silent || has_waited)) || Instant::now() >= until
        })
    }

    /// Lets go of all games; they stay on lichess.
    async fn leave(&mut self, signals: &Shutdown) {
        signals.leave.cancel();
        let all_left = async { while self.registry.next().await.is_some() {} };
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
        if std::mem::replace(&mut self.is_checking, true) {
            return;
        }
        let wanted = self.options.borrow().tournaments.scopes();
        self.call(|client| async move { Completion::Checked(login::may_play(&client, wanted).await) });
    }

    /// Asks which games run, now or as soon as that may be asked again.
    pub(super) fn list_games(&mut self) {
        let now = self.now();
        self.listing.want(now);
    }

    pub(super) fn call<F>(&self, call: impl FnOnce(Client) -> F)
    where
        F: Future<Output = Completion> + Send + 'static,
    {
        self.errands.push(call(self.client.clone()).boxed());
    }

    pub(super) fn show(&self) {
        let (games, asleep) = (self.registry.len(), self.asleep.len());
        self.status.send_modify(|status| {
            status.games = games;
            status.asleep = asleep;
        });
    }

    /// Shows how long the queue is; whoever follows hears of changes alone.
    fn show_queue(&self) {
        let waiting = self.intake.waiting();
        self.status
            .send_if_modified(|status| std::mem::replace(&mut status.waiting, waiting) != waiting);
    }

    pub(super) fn now(&self) -> Millis {
        self.begin.elapsed().into()
    }
}

/// The time of the world since 1970: for dates alone, since it may be set at any moment.
pub(super) fn epoch() -> Millis {
    Millis::since_1970(SystemTime::now())
}
