//! The daemon: hears the event stream, answers challenges, keeps a task for each game, and leaves in good order.

use std::{sync::Arc, time::Duration};

use futures::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use super::{
    actor::{Outcome, Setup, Shared},
    challenge::{Verdict, judge},
    duel::Duel,
    intake::{Applicant, Intake, Reply, Room},
    login::{self, Exit},
    mind::Mind,
    registry::{Done, Registry},
};
use crate::{
    config::{Accept, Config, Games, Play},
    lichess::{
        CallError, Client, Follower, News, Untrusted,
        model::{Challenge, Compat, DeclineReason, Event, GameId, GameInfo, NowPlaying, UserId},
    },
    personality::Cast,
    units::Millis,
};

/// After the second request to end, games have this long to let go.
const LETTING_GO: Duration = Duration::from_millis(1500);
/// A server that cannot be reached for so long at the start is left to the service manager.
const PATIENCE: Millis = Millis::from_secs(30);
/// When the event stream is refused though the token is good, it is tried again after this time.
const REFUSED_PAUSE: Duration = Duration::from_secs(60);

/// How the daemon behaves: the settings that may change while it runs. A change counts from the next challenge or
/// game on.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// How many games, and how they end early. Games that are there anyway are always played.
    pub games: Games,
    /// Which challenges are accepted.
    pub challenge: Accept,
    /// Who plays, and how.
    pub play: Play,
    /// How long the server may be out of reach at the start.
    pub patience: Millis,
}

impl From<&Config> for Options {
    fn from(config: &Config) -> Self {
        Self {
            games: config.games,
            challenge: config.challenge.clone(),
            play: config.play.clone(),
            patience: PATIENCE,
        }
    }
}

/// How the daemon is asked to end.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    /// Accept nothing more, and end when no game runs.
    pub drain: CancellationToken,
    /// End within two seconds; games stay on lichess.
    pub leave: CancellationToken,
}

/// What the daemon is doing, for whoever shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// Who it is, once known.
    pub user: Option<UserId>,
    /// Whether it hears the event stream.
    pub is_listening: bool,
    /// How many games run.
    pub games: usize,
    /// Whether it accepts nothing more.
    pub is_draining: bool,
}

/// Everything the daemon is made of.
pub struct Daemon {
    /// The server and the account.
    pub client: Client,
    /// How to behave, now and after a reload.
    pub options: watch::Receiver<Options>,
    /// The personalities, now and after an edit.
    pub cast: watch::Receiver<Arc<Cast>>,
    /// Who decides on moves.
    pub mind: Mind,
    /// Where to show what it is doing.
    pub status: watch::Sender<Status>,
    /// Decides all jitter.
    pub seed: u64,
}

impl Daemon {
    /// Is the bot until asked to end.
    ///
    /// # Errors
    /// [`Exit`] when it cannot be, or not any more.
    pub async fn run(self, signals: Signals) -> Result<(), Exit> {
        let patience = self.options.borrow().patience;
        let login = login::login(self.client, patience, self.seed);
        let (client, account) = tokio::select! {
            known = login => known?,
            () = signals.leave.cancelled() => return Ok(()),
            () = signals.drain.cancelled() => return Ok(()),
        };
        self.status
            .send_modify(|status| status.user = Some(account.id.clone()));
        let shared = Arc::new(Shared {
            client: client.clone(),
            me: account.id,
            mind: self.mind,
            cast: self.cast,
        });
        let desk = Desk {
            follower: Follower::events(&client, self.seed),
            seed: self.seed,
            client,
            registry: Registry::new(Arc::clone(&shared), signals.leave.clone()),
            shared,
            options: self.options,
            status: self.status,
            intake: Intake::default(),
            duel: Duel::default(),
            errands: FuturesUnordered::new(),
            begin: Instant::now(),
            drained_at: None,
            follow_at: None,
            exit: None,
        };
        desk.work(signals).await
    }
}

/// The end of a call that the daemon did not wait for.
enum Errand {
    Accepted(GameId, Result<(), CallError>),
    Declined(GameId, Result<(), CallError>),
    Listed(Result<NowPlaying, CallError>),
    Checked(Result<Result<(), Exit>, CallError>),
    Resigned(Result<(), CallError>),
}

/// The daemon at work.
struct Desk {
    client: Client,
    shared: Arc<Shared>,
    options: watch::Receiver<Options>,
    status: watch::Sender<Status>,
    seed: u64,
    follower: Follower<Event>,
    registry: Registry,
    intake: Intake,
    duel: Duel,
    errands: FuturesUnordered<BoxFuture<'static, Errand>>,
    begin: Instant,
    /// Once asked to end: running games are left then.
    drained_at: Option<Instant>,
    /// When the event stream is followed anew, after it was refused.
    follow_at: Option<Instant>,
    exit: Option<Exit>,
}

impl Desk {
    async fn work(mut self, signals: Signals) -> Result<(), Exit> {
        loop {
            self.attend();
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
                Some(news) = self.follower.next() => self.hear(news),
                Some((id, done)) = self.registry.next(), if !self.registry.is_empty() => self.game_done(&id, done),
                Some(errand) = self.errands.next(), if !self.errands.is_empty() => self.settle(errand),
                Ok(()) = self.options.changed() => info!("new settings count from the next challenge on"),
                () = sleep_until(timer) => {}
            }
        }
    }

    fn hear(&mut self, news: News<Event>) {
        match news {
            News::Opened => {
                info!("listening for challenges");
                self.listening(true);
            }
            News::Event { event, .. } => self.take(event),
            News::Garbled(bad) => {
                warn!("a line was skipped: {bad}");
                // It may have been the start of a game.
                self.list_games();
            }
            News::Lost { why, lived } => {
                self.listening(false);
                debug!("{why} after {lived}, reopening");
                if self.duel.is_on(&why, lived) {
                    self.exit = Some(Exit::Duel);
                }
            }
            News::Unopened { why, tries } => {
                if tries.is_power_of_two() {
                    warn!("no event stream after {tries} tries: {why}");
                }
            }
            News::Refused(why) => {
                warn!("{why}");
                self.follow_at = Some(Instant::now() + REFUSED_PAUSE);
                self.check_token();
            }
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::GameStart { game } => self.start(&game),
            Event::GameFinish { game } => {
                if let Some(id) = game.game() {
                    self.registry.finish(id);
                }
            }
            Event::Challenge { challenge, compat } => self.consider(&challenge, compat),
            Event::ChallengeCanceled { challenge } | Event::ChallengeDeclined { challenge } => {
                self.intake.cancel(&challenge.id);
            }
            Event::Unknown { kind } => debug!("skipped an event \"{}\"", Untrusted(&kind)),
        }
    }

    fn start(&mut self, game: &GameInfo) {
        let Some(id) = game.game().cloned() else {
            return warn!("a game without an id was skipped");
        };
        if game.compat.is_some_and(|compat| !compat.bot) {
            return debug!("{id} is not for bots");
        }
        let adopted = !self.intake.is_promised(&id);
        self.intake.started(&id);
        let options = self.options.borrow();
        let setup = Setup {
            adopted,
            id,
            opponent: game.opponent.as_ref().and_then(|opponent| opponent.id.clone()),
            play: options.play.clone(),
            no_show: options.games.abort_after,
        };
        drop(options);
        self.registry.start(setup);
        self.show();
    }

    fn consider(&mut self, challenge: &Challenge, compat: Option<Compat>) {
        let verdict = judge(
            &self.options.borrow().challenge,
            challenge,
            compat,
            &self.shared.me,
        );
        let name = challenge
            .challenger
            .as_ref()
            .map_or("somebody", |user| user.name.as_str());
        debug!("challenge {} by {}: {verdict:?}", challenge.id, Untrusted(name));
        let id = challenge.id.clone();
        match verdict {
            Verdict::Own => {}
            Verdict::Decline(reason) => self.intake.refuse(id, reason),
            Verdict::Accept if self.drained_at.is_some() => self.intake.refuse(id, DeclineReason::Later),
            Verdict::Accept => {
                let challenger = challenge.challenger.as_ref();
                let who = Applicant {
                    id,
                    opponent: challenger.map(|user| user.id.clone()),
                    is_human: challenger.is_none_or(|user| !user.is_bot()),
                    is_rematch: challenge.rematch_of.is_some(),
                };
                self.intake.wait(who, self.now());
            }
        }
    }

    /// Sends what is due, by the clock or because a seat is free.
    fn attend(&mut self) {
        let now = self.now();
        if !self.intake.lapsed(now).is_empty() {
            // Perhaps the games are there and only their news was lost.
            self.list_games();
        }
        let games = self.options.borrow().games;
        let room = Room {
            games: games.max,
            per_opponent: games.per_opponent,
            opponents: &self.registry.opponents(),
        };
        while let Some(reply) = self.intake.next(room, now) {
            match reply {
                Reply::Accept(id) => self.call(|client| async move {
                    let answer = client.accept(&id).await;
                    Errand::Accepted(id, answer)
                }),
                Reply::Decline(id, reason) => self.call(move |client| async move {
                    let answer = client.decline(&id, reason).await;
                    Errand::Declined(id, answer)
                }),
            }
        }
        if self.follow_at.is_some_and(|at| Instant::now() >= at) {
            self.follow_at = None;
            self.follower = Follower::events(&self.client, self.seed);
        }
    }

    fn wakes_at(&self) -> Instant {
        // Without anything to wait for, the loop looks around once in a while.
        const LONG: Duration = Duration::from_secs(3600);
        let intake = self.intake.wakes_at().map(|at| self.begin + at.into());
        [intake, self.drained_at, self.follow_at]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or_else(|| Instant::now() + LONG)
    }

    fn settle(&mut self, errand: Errand) {
        match errand {
            Errand::Accepted(id, Err(error)) => {
                info!("challenge {id}: {error}");
                // After an unclear answer the game may come all the same: its seat stays promised for a while.
                if !error.is_transient() {
                    self.intake.failed(&id);
                }
            }
            Errand::Declined(id, Err(error)) => debug!("challenge {id}: {error}"),
            Errand::Accepted(_, Ok(())) | Errand::Declined(_, Ok(())) | Errand::Resigned(Ok(())) => {}
            Errand::Listed(Ok(list)) => {
                for game in &list.now_playing {
                    self.start(game);
                }
            }
            Errand::Checked(Ok(Err(exit))) => self.exit = Some(exit),
            Errand::Checked(Ok(Ok(()))) => debug!("the token is good all the same"),
            Errand::Listed(Err(error)) | Errand::Checked(Err(error)) | Errand::Resigned(Err(error)) => {
                warn!("{error}");
            }
        }
    }

    /// The task of a game has ended.
    fn game_done(&mut self, id: &GameId, done: Done) {
        match done {
            Done::With(Outcome::Ended | Outcome::Left) => {}
            Done::With(Outcome::Unplayable(error)) => warn!("{id} was given up: {error}"),
            Done::With(Outcome::Refused(error)) => warn!("{id}: {error}"),
            Done::With(Outcome::Unauthorized(error)) => {
                warn!("{id}: {error}");
                self.check_token();
                // If the token is good after all, the game is still there.
                self.list_games();
            }
            Done::Revived(why) => warn!("{id} fell over and is resumed: {why}"),
            Done::Lost(why) => {
                warn!("{id} fell over again and is resigned: {why}");
                let id = id.clone();
                self.call(|client| async move { Errand::Resigned(client.resign(&id).await) });
            }
        }
        self.show();
    }

    /// Accepts nothing more.
    fn drain(&mut self) {
        let span = self.options.borrow().games.drain;
        self.drained_at = Some(Instant::now() + span.into());
        self.intake.close();
        self.status.send_modify(|status| status.is_draining = true);
        info!(
            "{} games running, no new ones; ask again to leave them",
            self.registry.len()
        );
    }

    fn is_done(&self) -> bool {
        self.drained_at.is_some_and(|until| {
            let idle = self.registry.is_empty() && self.intake.promised() == 0;
            idle || Instant::now() >= until
        })
    }

    /// Lets go of all games; they stay on lichess.
    async fn leave(&mut self, signals: &Signals) {
        signals.leave.cancel();
        let all_left = async { while self.registry.next().await.is_some() {} };
        if timeout(LETTING_GO, all_left).await.is_err() {
            warn!("some games did not let go in time");
        }
    }

    fn check_token(&self) {
        self.call(|client| async move { Errand::Checked(login::may_play(&client).await) });
    }

    fn list_games(&self) {
        self.call(|client| async move { Errand::Listed(client.playing().await) });
    }

    fn call<F>(&self, call: impl FnOnce(Client) -> F)
    where
        F: Future<Output = Errand> + Send + 'static,
    {
        self.errands.push(call(self.client.clone()).boxed());
    }

    fn listening(&self, is_listening: bool) {
        self.status
            .send_modify(|status| status.is_listening = is_listening);
    }

    fn show(&self) {
        let games = self.registry.len();
        self.status.send_modify(|status| status.games = games);
    }

    fn now(&self) -> Millis {
        self.begin.elapsed().into()
    }
}
