//! `sparring run`: the bot on lichess, until it is told to stop.

use std::{path::Path, time::Duration};

use anyhow::Context as _;
use sd_notify::NotifyState;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::{mpsc, watch},
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use super::{
    dashboard::{self, Panel, Wish},
    edit::Editor,
    exit::{self, Exit, Failure},
    health::Watched,
    helm::Helm,
    leaning, listening, private,
    service::{assemble, failure, fresh_seed},
    settings, state,
    station::Station,
    stock::inspected,
    token::{Sources, TokenError},
    warnings::Warnings,
};
use crate::{
    bot::{Signals, Status, pulse::Pulse},
    config::{Config, Server},
    lichess::Client,
    lists,
};

/// Is the bot on lichess, as bot.toml says, until told to stop.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The token comes from a systemd credential, a file only you can read (--token-file), or LICHESS_TOKEN.
SIGTERM or Ctrl-C: no new games, running ones are played on; again: leave within 2 s. SIGHUP: read bot.toml again.

Exit codes: 0 ended as asked, 1 failed, 2 usage, 69 server not reachable, 77 token refused or not a bot account,
78 bad configuration."
)]
pub struct Args {
    #[command(flatten)]
    station: Station,
    /// Listens and says what it would do, but sends nothing except questions. Not beside a running bot: lichess
    /// keeps one event stream for an account.
    #[arg(long)]
    dry_run: bool,
    /// Ends with 0 instead of 77 or 78: for supervisors that start again whatever failed, as docker's on-failure does,
    /// though only a person can mend it.
    #[arg(long)]
    quit_if_hopeless: bool,
}

/// systemd is told that the daemon is ready after this time even without a network, so that a boot without one is no
/// failure.
const READY_AT_LAST: Duration = Duration::from_secs(30);

/// More wishes of the owner at once than the daemon can heed are refused.
const WISHES: usize = 8;

/// A loop that turns answers within this time.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);

/// Runs the daemon to its end. The warnings are what the log has said of late.
///
/// # Errors
/// With an exit code for settings, token, account or server that cannot be used.
pub fn run(args: &Args, warnings: Warnings) -> anyhow::Result<Exit> {
    private::keep_memory_private();
    let ended = be(args, warnings);
    match ended {
        Err(error) if args.quit_if_hopeless && is_hopeless(&error) => {
            error!("ended for good, a restart would mend nothing: {error:#}");
            Ok(Exit::Success)
        }
        ended => ended,
    }
}

/// Whether only a person can mend it.
fn is_hopeless(error: &anyhow::Error) -> bool {
    matches!(exit::code_of(error), Exit::NoPermission | Exit::BadConfiguration)
}

/// Is the bot.
fn be(args: &Args, warnings: Warnings) -> anyhow::Result<Exit> {
    let config = settings::read(&args.station.config)?;
    let server = match &args.station.url {
        Some(url) => {
            Server::parse(url).map_err(|error| Failure::error(Exit::BadConfiguration, error.to_string()))?
        }
        None => config.lichess.url.clone(),
    };
    let file = args
        .station
        .token_file
        .clone()
        .or_else(|| config.lichess.token_file.clone());
    let token = Sources::of_process(file).read().map_err(no_token)?;
    let refused = |why: String| Failure::error(Exit::BadConfiguration, why);
    let _held = if args.dry_run {
        None
    } else {
        Some(state::take_token(&token, server.as_str()).map_err(|taken| refused(taken.to_string()))?)
    };
    let client =
        Client::new(server.as_str(), token, fresh_seed()).map_err(|error| refused(error.to_string()))?;
    let folder = state::folder(&config, &args.station.config);
    // A dry run changes nothing here either.
    let _lock = if args.dry_run {
        None
    } else {
        Some(state::take(&folder).map_err(|taken| refused(taken.to_string()))?)
    };
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    runtime.block_on(serve(args, config, client, &folder, warnings))
}

fn no_token(error: TokenError) -> anyhow::Error {
    Failure::error(Exit::NoPermission, format!("{:#}", anyhow::Error::new(error)))
}

async fn serve(
    args: &Args,
    config: Config,
    client: Client,
    folder: &Path,
    warnings: Warnings,
) -> anyhow::Result<Exit> {
    let stop = CancellationToken::new();
    let (stock, broken) = inspected(&config.paths, &stop);
    // Only now it is known who is there.
    let config = settings::read_with(&args.station.config, &config.paths, &stock, &broken)?;
    let mut service = assemble(&config, client, &stock, fresh_seed())?;
    let (declare, declared) = watch::channel(config.lists.clone());
    let status = config.status.clone();
    let paths = config.paths.clone();
    let (library, cast, tidings) = (stock.library.clone(), stock.cast.clone(), stock.tidings.clone());
    let lists_folder = folder.join(state::LISTS);
    let kept_there = (!args.dry_run).then_some(lists_folder.as_path());
    service.daemon.lists = lists::keep(declared, kept_there, &stop).await;
    service.daemon.dry = args.dry_run;
    if config.state.archive && !args.dry_run {
        (service.daemon.store, service.daemon.past) = state::open(folder);
        if config.state.soft_weights {
            leaning::keep(folder.join(state::ARCHIVE), stock.clone(), stop.clone());
        }
    }
    let options = service.options.subscribe();
    let mut helm = Helm::new(
        args.station.config.clone(),
        config,
        stock,
        service.options,
        declare,
    );
    let (wishes, mut wished) = mpsc::channel(WISHES);
    if let Some(listen) = &status.listen {
        let panel = Panel {
            watched: Watched {
                status: service.status.clone(),
                pulse: service.pulse.clone(),
                meters: service.daemon.meters.clone(),
                store: service.daemon.store.clone(),
            },
            boards: service.daemon.boards.clone(),
            options,
            course: helm.course(),
            controls: status.has_controls(),
            editor: status.edit.then(|| Editor::new(paths, library.clone())),
            library,
            cast,
            warnings,
            tidings,
            access: listening::access(&status)?,
            wishes: wishes.clone(),
            begun: Instant::now(),
        };
        listening::serve(listen, dashboard::router(panel), &stop).await?;
    }
    let signals = Signals::default();
    let mut daemon = tokio::spawn(service.daemon.run(signals.clone()));
    let mut herald = Herald::new(service.status, service.pulse);
    let mut hangup = signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?;
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;
    let ended = loop {
        tokio::select! {
            ended = &mut daemon => break ended.context("the daemon fell over")?,
            Some(()) = hangup.recv() => helm.reload(),
            Some(wish) = wished.recv() => match wish {
                Wish::Pause => helm.pause(true),
                Wish::Resume => helm.pause(false),
                Wish::Reload => helm.reload(),
                Wish::Level(level) => helm.casual_level(level),
                Wish::Drain if signals.drain.is_cancelled() => {}
                Wish::Drain => end(&signals),
            },
            Some(()) = terminate.recv() => end(&signals),
            Some(()) = interrupt.recv() => end(&signals),
            () = herald.tell() => {}
        }
    };
    stop.cancel();
    ended.map_err(|exit| failure(&exit))?;
    info!("ended as asked");
    Ok(Exit::Success)
}

/// The first wish to end drains, the second leaves.
fn end(signals: &Signals) {
    notify(&[NotifyState::Stopping]);
    if signals.drain.is_cancelled() {
        info!("leaving; running games stay on the server");
        signals.leave.cancel();
    } else {
        signals.drain.cancel();
    }
}

/// Tells systemd how the daemon is doing.
struct Herald {
    status: watch::Receiver<Status>,
    pulse: Pulse,
    /// How often the watchdog wants to hear of us, if there is one.
    watchdog: Option<Duration>,
    feed_at: Instant,
    ready_at_last: Instant,
    is_ready: bool,
}

impl Herald {
    fn new(status: watch::Receiver<Status>, pulse: Pulse) -> Self {
        // Twice in each of its spans, as its manual asks.
        let watchdog = sd_notify::watchdog_enabled().map(|span| span / 2);
        Self {
            status,
            pulse,
            watchdog,
            feed_at: Instant::now(),
            ready_at_last: Instant::now() + READY_AT_LAST,
            is_ready: false,
        }
    }

    /// Waits for something to tell, and tells it. Dropping the future loses nothing.
    async fn tell(&mut self) {
        tokio::select! {
            changed = self.status.changed() => if changed.is_err() {
                // The daemon has ended; whoever waits for it is told elsewhere.
                std::future::pending::<()>().await;
            },
            () = sleep_until(self.ready_at_last), if !self.is_ready => {}
            () = sleep_until(self.feed_at), if self.watchdog.is_some() => return self.feed().await,
        }
        let status = self.status.borrow_and_update().clone();
        let patience_is_over = Instant::now() >= self.ready_at_last;
        if !self.is_ready && (status.is_listening || patience_is_over) {
            self.is_ready = true;
            notify(&[NotifyState::Ready]);
        }
        notify(&[NotifyState::Status(&line(&status))]);
    }
}

impl Herald {
    /// Feeds the watchdog if the daemon's loop itself answers: a feeder beside it would prove nothing.
    async fn feed(&mut self) {
        let Some(span) = self.watchdog else { return };
        // Before there is a bot there is no loop yet, but the log-in has limits of its own.
        let is_starting = self.status.borrow().user.is_none();
        let is_alive = is_starting || self.pulse.beats(ANSWERS_WITHIN).await;
        // Only now, so that a signal that comes between costs no meal.
        self.feed_at = Instant::now() + if is_alive { span } else { span.min(ANSWERS_WITHIN) };
        if is_alive {
            notify(&[NotifyState::Watchdog]);
        }
    }
}

/// What `systemctl status` shows.
fn line(status: &Status) -> String {
    let name = status.user.as_ref().map_or("nobody yet", |user| user.as_str());
    let stream = match (status.is_draining, status.is_listening) {
        (true, _) => "ending",
        (false, true) => "listening",
        (false, false) => "waiting for the server",
    };
    format!("{name}: {stream}, {} games", status.games)
}

fn notify(states: &[NotifyState<'_>]) {
    // Without systemd there is nobody to tell; with it, a lost line does no harm.
    let _ = sd_notify::notify(states);
}
