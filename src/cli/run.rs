//! `sparring run`: the bot on lichess, until it is stopped.

use std::{env, ffi::OsStr, path::Path, process, time::Duration};

use anyhow::Context as _;
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, MissedTickBehavior},
};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use crate::{
    bot::{ClaimAccount, Shutdown, Status},
    config::{Config, Server},
    platform::{ReloadSignal, ServiceState, StopSignal, StopSignals, forbid_core_dumps, notify_service},
    reload::Assets,
    user_lists::{self, Cache},
};
use crate::{
    cli::{
        book_learning_task,
        bootstrap::{Service, assemble, failure, fresh_seed},
        common_args::AccountArgs,
        config_recovery::{self, StartConfig},
        control::DaemonControl,
        exit::{self, Exit, Failure},
        state_dir::{self, StateDir},
        systemd::SystemdNotifier,
        threads,
        token::{Sources, TokenError},
    },
    web::{
        dashboard::{self, DashboardState, Load, OwnerCommand, Viewers},
        editor::Editor,
        health::HealthSources,
        listener,
        log_buffer::Warnings,
    },
};
use sparring_http_server::raise_open_files;
use sparring_lichess::{Client, Token};

/// Runs the bot on lichess.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The token comes from a systemd credential, a file that only you can read (--token-file), or LICHESS_TOKEN.
SIGTERM or Ctrl-C: starts no new games and finishes the running ones; a second one: exits within 2 s. SIGHUP: reloads bot.toml.

Exit codes: 0 stopped on request, 1 failed, 2 usage, 69 server not reachable, 75 another bot on this machine uses the \
token, the account or the state folder, 77 token refused or not a bot account, 78 bad configuration."
)]
pub struct Args {
    #[command(flatten)]
    station: AccountArgs,
    /// Logs what the bot would do, and sends only requests that change nothing. Do not use it beside a running bot:
    /// lichess keeps one event stream per account.
    #[arg(long)]
    dry_run: bool,
    /// Exits with 0 instead of 77 or 78: for supervisors that restart after every failure, as docker's `on-failure`
    /// does. Only a person can fix those two.
    #[arg(long)]
    quit_if_hopeless: bool,
}

/// Capacity of the queue of owner commands. More at once are refused.
const OWNER_COMMANDS: usize = 8;

/// The environment variable in which systemd passes its service's process id. Children inherit the variable, but have another id.
const SERVICE: &str = "SYSTEMD_EXEC_PID";
/// Delay before a service exits because another bot runs: systemd restarts it at once, and each start may call the server.
const TAKEN_DELAY: Duration = Duration::from_secs(20);

/// Interval between attempts to write the backup of the settings, as after a full disk.
const BACKUP_RETRY: Duration = Duration::from_secs(30);

/// Runs the daemon to its end. `warnings` holds the latest warnings of the log.
///
/// # Errors
/// With an exit code for settings, token, account or server that cannot be used.
pub fn run(args: &Args, warnings: Warnings) -> anyhow::Result<Exit> {
    forbid_core_dumps();
    raise_open_files().warn_if_few();
    let ended = run_daemon(args, warnings);
    match ended {
        Err(error) if args.quit_if_hopeless && is_hopeless(&error) => {
            error!("exiting for good, since a restart would not help: {error:#}");
            Ok(Exit::Success)
        }
        ended => ended,
    }
}

/// Whether only a person can fix the error.
fn is_hopeless(error: &anyhow::Error) -> bool {
    matches!(exit::code_of(error), Exit::NoPermission | Exit::BadConfiguration)
}

/// Starts the runtime, loads the settings and runs the daemon.
fn run_daemon(args: &Args, warnings: Warnings) -> anyhow::Result<Exit> {
    let runtime = threads::runtime()?;
    runtime.block_on(async {
        let stop = CancellationToken::new();
        let companions = Companions {
            // Before anything else: by default SIGHUP would end the process while it starts.
            hangup: ReloadSignal::new().context("cannot listen for SIGHUP")?,
            warnings,
            stop: &stop,
        };
        let start = config_recovery::begin(&args.station.config, args.dry_run, &stop)?;
        let ended = lock_and_serve(args, start, companions).await;
        stop.cancel();
        if let Err(error) = &ended
            && exit::code_of(error) == Exit::Taken
            && is_service(env::var_os(SERVICE).as_deref(), process::id())
        {
            warn!(
                "{error:#}; systemd restarts this service in {} s",
                TAKEN_DELAY.as_secs()
            );
            delay_restart().await;
        }
        ended
    })
}

/// Whether systemd started this process itself, and so restarts it.
fn is_service(exec_pid: Option<&OsStr>, own: u32) -> bool {
    exec_pid
        .and_then(OsStr::to_str)
        .is_some_and(|pid| pid == own.to_string())
}

/// Sleeps before a service exits because another bot runs; a signal ends the sleep.
async fn delay_restart() {
    let signalled = async {
        match StopSignals::new() {
            Ok(mut stops) => stops.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = tokio::time::sleep(TAKEN_DELAY) => {}
        _ = signalled => {}
    }
}

/// What the daemon's caller sets up before it starts.
struct Companions<'s> {
    /// SIGHUP, which reloads the settings.
    hangup: ReloadSignal,
    warnings: Warnings,
    /// Stops the tasks beside the daemon.
    stop: &'s CancellationToken,
}

/// Locks the token and the state folder for this process, and runs the daemon.
async fn lock_and_serve(args: &Args, start: StartConfig, companions: Companions<'_>) -> anyhow::Result<Exit> {
    let config = &start.config;
    let server = match &args.station.url {
        Some(url) => {
            Server::parse(url).map_err(|error| Failure::error(Exit::BadConfiguration, error.to_string()))?
        }
        None => config.lichess.url.clone(),
    };
    let AccountArgs {
        config: settings,
        token_file,
        ..
    } = &args.station;
    let sources = Sources::of_process(token_file.clone(), config.lichess.token_file.clone(), settings);
    let token = sources.read().map_err(no_token)?;
    let refused = |why: String| Failure::error(Exit::BadConfiguration, why);
    let is_taken = |why: String| Failure::error(Exit::Taken, why);
    // A dry run locks the token too: beside a running bot each would close the other's event stream.
    let _held = state_dir::take_token(&token, server.as_str())
        .await
        .map_err(|taken| is_taken(taken.to_string()))?;
    let claim = state_dir::claim(&server, token.clone());
    let client = Client::new(server.as_str(), token.clone(), fresh_seed())
        .map_err(|error| refused(error.to_string()))?;
    let folder = state_dir::folder(config, &args.station.config);
    // A dry run does not write to the folder.
    let place = if args.dry_run {
        None
    } else {
        Some(StateDir::take(&folder).map_err(|taken| is_taken(taken.to_string()))?)
    };
    let kept = StateFiles {
        folder: &folder,
        place: place.as_ref(),
    };
    serve(args, start, client, &token, claim, kept, companions).await
}

fn no_token(error: TokenError) -> anyhow::Error {
    Failure::error(Exit::NoPermission, format!("{:#}", anyhow::Error::new(error)))
}

/// The state folder.
#[derive(Clone, Copy)]
struct StateFiles<'p> {
    folder: &'p Path,
    /// Its lock, for writing; none in a dry run.
    place: Option<&'p StateDir>,
}

async fn serve(
    args: &Args,
    start: StartConfig,
    client: Client,
    token: &Token,
    claim: ClaimAccount,
    StateFiles { folder, place }: StateFiles<'_>,
    companions: Companions<'_>,
) -> anyhow::Result<Exit> {
    let StartConfig {
        config,
        stock,
        standing,
    } = start;
    let stop = companions.stop;
    let mut service = assemble(&config, client, &stock, fresh_seed())?;
    service.online.keep_secret(token);
    let (declare, declared) = watch::channel(config.lists.clone());
    let cache = Cache::new(&folder.join(state_dir::LISTS));
    let cache = if args.dry_run { cache.reading_only() } else { cache };
    service.daemon.lists = user_lists::keep(declared, cache, stop).await;
    if place.is_some() {
        service.online.keep_answers(&folder.join(state_dir::ONLINE));
    }
    service.daemon.dry = args.dry_run;
    service.daemon.claim = claim;
    match place {
        _ if !config.state.archive => {}
        None => service.daemon.restored = state_dir::remembered(folder),
        Some(place) => {
            (service.daemon.store, service.daemon.restored) = place.open().await;
            if config.state.book_learning {
                book_learning_task::keep(folder.join(state_dir::ARCHIVE), stock.clone(), stop.clone());
            }
        }
    }
    let control = DaemonControl::new(
        args.station.config.clone(),
        config.clone(),
        stock.clone(),
        service.options.clone(),
        declare,
    )
    .standing(standing, place.map(|_| folder.to_owned()));
    let (commands, received) = mpsc::channel(OWNER_COMMANDS);
    if let Some(listen) = &config.status.listen {
        let panel = panel(
            &config,
            &service,
            &stock,
            &control,
            companions.warnings,
            commands.clone(),
        )?;
        let served = listener::serve(listen, dashboard::router(panel), stop).await;
        served.map_err(bad_configuration)?;
    }
    supervise(service, control, received, companions.hangup).await?;
    info!("stopped on request");
    Ok(Exit::Success)
}

/// An error of `[dashboard]` with its causes in one line, for [`Exit::BadConfiguration`].
fn bad_configuration(error: listener::DashboardError) -> anyhow::Error {
    Failure::error(Exit::BadConfiguration, format!("{:#}", anyhow::Error::new(error)))
}

/// The state behind the dashboard.
fn panel(
    config: &Config,
    service: &Service,
    stock: &Assets,
    control: &DaemonControl,
    warnings: Warnings,
    commands: mpsc::Sender<OwnerCommand>,
) -> anyhow::Result<DashboardState> {
    let status = &config.status;
    Ok(DashboardState {
        health: HealthSources {
            status: service.status.clone(),
            pulse: service.pulse.clone(),
            meters: service.daemon.metrics.clone(),
            store: service.daemon.store.clone(),
            refusal: control.refusal(),
            is_behind: control.is_behind(),
        },
        live_games: service.daemon.live_games.clone(),
        options: service.options.subscribe(),
        overrides: control.overrides(),
        controls: status.has_controls(),
        editor: status
            .edit
            .then(|| Editor::new(config.paths.clone(), stock.library.clone())),
        library: stock.library.clone(),
        personalities: stock.personalities.clone(),
        warnings,
        reload_log: stock.reload_log.clone(),
        access: listener::access(status).map_err(bad_configuration)?,
        commands,
        begun: Instant::now(),
        load: Load::default(),
        viewers: Viewers::default(),
    })
}

/// Runs the daemon, and handles signals and the owner's commands until it ends.
async fn supervise(
    service: Service,
    mut control: DaemonControl,
    mut commands: mpsc::Receiver<OwnerCommand>,
    mut hangup: ReloadSignal,
) -> anyhow::Result<()> {
    let signals = Shutdown::default();
    let mut status = service.status.clone();
    let mut daemon = tokio::spawn(service.daemon.run(signals.clone()));
    let mut notifier = SystemdNotifier::new(service.status, service.pulse, control.refusal());
    let mut stops = StopSignals::new().context("cannot listen for Ctrl-C")?;
    let mut hopeless = None;
    let mut again = tokio::time::interval(BACKUP_RETRY);
    // Polled only while a backup is due.
    again.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let ended = loop {
        let plays_last_games = control.is_in_rescue() && !signals.drain.is_cancelled();
        tokio::select! {
            ended = &mut daemon => break ended.context("the daemon panicked")?,
            () = hangup.recv() => control.reload(),
            Some(command) = commands.recv() => match command {
                OwnerCommand::Pause => control.pause(true),
                OwnerCommand::Resume => control.pause(false),
                OwnerCommand::Reload => control.reload(),
                OwnerCommand::Level(level) => control.casual_level(level),
                OwnerCommand::Drain if signals.drain.is_cancelled() => {}
                OwnerCommand::Drain => request_stop(&signals),
            },
            stop = stops.recv() => {
                request_stop(&signals);
                if stop == StopSignal::Urgent {
                    signals.leave.cancel();
                }
            }
            Ok(_) = status.wait_for(plays_nothing), if plays_last_games => {
                hopeless = control.give_up();
                request_stop(&signals);
            }
            _ = again.tick(), if control.owes_a_copy() => control.keep_again(),
            () = notifier.notify_next() => {}
        }
    };
    ended.map_err(|exit| failure(&exit))?;
    hopeless.map_or(Ok(()), Err)
}

/// Whether no game is running, once the event stream is open.
fn plays_nothing(status: &Status) -> bool {
    status.is_listening && status.games == 0 && status.parked == 0
}

/// The first request to stop drains; the second exits at once.
fn request_stop(signals: &Shutdown) {
    notify_service(ServiceState::Stopping);
    if signals.drain.is_cancelled() {
        info!("exiting now; running games go on at the server");
        signals.leave.cancel();
    } else {
        signals.drain.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_systemd_started_itself_is_a_service() {
        assert!(is_service(Some(OsStr::new("4711")), 4711));
        assert!(
            !is_service(Some(OsStr::new("1234")), 4711),
            "a program started from a terminal inherits the terminal's"
        );
        assert!(!is_service(None, 4711));
    }
}
