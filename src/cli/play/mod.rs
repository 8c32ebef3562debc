//! `sparring play`: sandbox and daemon in one process, played in the browser or the terminal.
//!
//! The daemon plays over HTTP exactly as it would on lichess; only the address differs.

mod ascii_board;
pub mod console;
mod lobby;

use std::{
    io::{BufReader, stdin, stdout},
    path::PathBuf,
    sync::Arc,
};

use anyhow::Context as _;
use tokio_util::sync::CancellationToken;

use self::console::{Console, PlayOptions};
use crate::{
    bot::{Options, Shutdown, Status},
    config::{Action, Config, Games, Rule, load},
    platform::StopSignals,
    store::{Archive, ArchiveWriter},
};
use crate::{
    cli::{
        assets::{must_know, shipped_stand_in, stock},
        bootstrap::{assemble, failure, fresh_seed},
        exit::{Exit, Failure},
        sandbox::{bind, with_key},
        threads,
    },
    web::{
        auth::Access,
        editor::{self, Editor},
        game_explanation, reloads,
        worker::Worker,
    },
};
use sparring_chess::{
    GameHistory, Variant, parse_fen,
    units::{Elo, Millis},
};
use sparring_diagnostics::did_you_mean;
use sparring_http_server::raise_open_files;
use sparring_lichess::{
    Client, Token,
    model::{ChallengeColor, ChallengeRequest, UserId},
};
use sparring_personality::Level;
use sparring_sandbox::{self as sandbox, AnonymousAccess, ExplanationSource, Key, Sandbox, has_page};

/// The bot's name in the sandbox.
const BOT: &str = "Sparring";
/// The default port.
const PORT: u16 = 8877;
/// How many finished games can still be explained: about 12 MB.
const EXPLAINED_GAMES: u32 = 200;
/// Interval of polling the running games. Games without a clock close their streams while the opponent thinks for long, and a
/// poll sees the move at last. This server has no rate limits.
const POLL_INTERVAL: Millis = Millis::from_secs(2);

/// Lets you play against the bot in the browser or in the terminal. No account, no network.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  sparring play                                    prints the address to open in the browser
  sparring play --console --level 1200 --clock 5+3
  sparring play --console --personality attacker --color black
  sparring play --console --variant crazyhouse")]
pub struct Args {
    /// Play in this terminal instead of the browser.
    #[arg(long)]
    console: bool,
    /// The port of the web page; 0 for any free port.
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// Serve the page without the editor for books and personalities.
    #[arg(long)]
    no_edit: bool,
    /// A settings file, of which only personality, level, engine and folders are used.
    #[arg(long)]
    config: Option<PathBuf>,
    /// In the terminal: the personality to play; `sparring explain` lists them.
    #[arg(long, requires = "console")]
    personality: Option<String>,
    /// In the terminal: the level, 600 to 2800.
    #[arg(long, requires = "console", value_parser = clap::value_parser!(u32).range(levels()))]
    level: Option<u32>,
    /// In the terminal: your side.
    #[arg(long, requires = "console", value_parser = ["white", "black", "random"], default_value = "random")]
    color: String,
    /// In the terminal: minutes and increment in seconds, as in 5+3, at most 180+60; without it there is no clock.
    #[arg(long, requires = "console", value_parser = parse_clock)]
    clock: Option<(Millis, Millis)>,
    /// In the terminal: the variant, by lichess' key or name, as in racingKings or "king of the hill".
    #[arg(long, requires = "console", value_parser = parse_variant)]
    variant: Option<Variant>,
    /// In the terminal: the position to begin from, as FEN of the variant.
    #[arg(long, requires = "console")]
    fen: Option<String>,
}

/// The range of levels.
fn levels() -> std::ops::RangeInclusive<i64> {
    i64::from(*Level::RANGE.start())..=i64::from(*Level::RANGE.end())
}

fn parse_clock(text: &str) -> Result<(Millis, Millis), String> {
    let parts = text
        .split_once('+')
        .and_then(|(minutes, seconds)| Some((minutes.parse::<u64>().ok()?, seconds.parse::<u64>().ok()?)));
    match parts {
        Some((minutes @ 0..=180, seconds @ 0..=60)) if minutes + seconds > 0 => {
            Ok((Millis::from_secs(minutes * 60), Millis::from_secs(seconds)))
        }
        _ => Err(format!(
            "\"{text}\" is no clock: write minutes+seconds, as 5+3, with at most 180 minutes and 60 seconds"
        )),
    }
}

fn parse_variant(text: &str) -> Result<Variant, String> {
    Variant::named(text).ok_or_else(|| {
        format!(
            "lichess knows no variant \"{text}\"{}",
            did_you_mean(text, Variant::ALL.map(Variant::key))
        )
    })
}

/// What to play in the terminal, and from where.
///
/// # Errors
/// When the position cannot be played, or a game from a position has none.
fn start(args: &Args) -> anyhow::Result<(Variant, Option<String>)> {
    let variant = match (args.variant.unwrap_or_default(), &args.fen) {
        (Variant::Standard, Some(_)) => Variant::FromPosition,
        (variant, _) => variant,
    };
    let refuse = |why: String| Err(Failure::error(Exit::Usage, why));
    match &args.fen {
        None if variant == Variant::FromPosition => refuse("--fen says from which position".to_owned()),
        None => Ok((variant, None)),
        Some(fen) => match parse_fen(variant, fen) {
            Err(error) => refuse(error.to_string()),
            Ok(pos)
                if GameHistory::from_position(variant, pos.clone())
                    .outcome()
                    .is_some() =>
            {
                refuse(format!("the game is over in \"{fen}\""))
            }
            Ok(_) => Ok((variant, Some(fen.clone()))),
        },
    }
}

/// Plays until the game is over (in the terminal) or Ctrl-C (with the page).
///
/// # Errors
/// When the settings cannot be used, the port is in use, or the terminal cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let start = start(args)?;
    let mut config = match &args.config {
        Some(path) => {
            load(path)
                .map_err(|error| {
                    let sentence = format!("{:#}", anyhow::Error::new(error));
                    Failure::error(Exit::BadConfiguration, sentence)
                })?
                .0
        }
        None => Config::default(),
    };
    receive_guests(&mut config);
    if let Some(personality) = &args.personality {
        config.play.personality.clone_from(personality);
    }
    raise_open_files().warn_if_few();
    let runtime = threads::runtime()?;
    let done = runtime.block_on(play(args, start, config));
    // A read from the terminal cannot be interrupted, and must not keep the process alive.
    runtime.shutdown_background();
    done
}

/// The settings for `play`: accepts any game, since the rules are meant for strangers.
fn receive_guests(config: &mut Config) {
    for rule in &mut config.rules {
        rule.then = None;
    }
    // No queue: without a free slot the player is told at once.
    config.rules.push(Rule {
        then: Some(Action::Accept),
        ..Rule::welcoming_all()
    });
    // Unfinished games without a clock must not block the next one. They are parked, so that they use no slot either.
    config.games = Games {
        for_humans: 0,
        per_opponent: usize::MAX,
        ..Config::default().games
    };
}

fn look_often(options: &mut Options) {
    options.timing.poll_every = POLL_INTERVAL;
}

async fn play(args: &Args, start: (Variant, Option<String>), config: Config) -> anyhow::Result<Exit> {
    let stop = CancellationToken::new();
    let stock = stock(&config.paths, &stop);
    if let Some(name) = &args.personality {
        must_know(&stock.personalities.borrow(), name)?;
    }
    let seed = fresh_seed();
    // The shipped files cannot be edited.
    let edits = !args.no_edit && !args.console && !shipped_stand_in(&config.paths);
    // Other users of this machine can connect; without the key they can neither play nor edit.
    let key = Key::random().context("cannot make a key")?;
    let mut options = sandbox::Options {
        lobby: lobby::live(stock.personalities.clone(), &config, edits),
        access: AnonymousAccess::Private(key.clone()),
        control: false,
        ..Default::default()
    };
    options.rules.seed = seed;
    // An archive in memory, so that the page can explain recent games.
    let store = ArchiveWriter::start(Archive::in_memory()?.keeping(EXPLAINED_GAMES))
        .context("cannot start the archive")?;
    let (memory, library, cast) = (store.clone(), stock.library.clone(), stock.personalities.clone());
    let worker = Worker::default();
    options.explanation_source = Some(ExplanationSource::new(move |id| {
        let (library, cast) = (Arc::clone(&library.borrow()), Arc::clone(&cast.borrow()));
        let (memory, worker) = (memory.clone(), worker.clone());
        async move {
            let (game, moves) = game_explanation::once_written(&memory, id).await?;
            let told = move || game_explanation::decisions(&game, &moves, &library, &cast);
            let told = worker.run(told).await.ok()??;
            Some(game_explanation::editable(told, edits))
        }
    }));
    let server = Sandbox::new(options);
    let listener = bind(if args.console { 0 } else { args.port }).await?;
    let address = format!("http://{}/", listener.local_addr()?);
    let (bot, guest) = (server.add_bot(BOT)?, server.add_human("You")?);
    let editing = if edits {
        editor::router(
            Editor::new(config.paths.clone(), stock.library.clone()),
            Access::default(),
        )
    } else {
        axum::Router::new()
    };
    let beside = editing.merge(reloads::router(stock.reload_log.clone(), Access::default()));
    let serving = tokio::spawn(server.serve_beside(beside, listener, stop.clone()));

    let client = Client::new(&address, Token::parse(&bot)?, seed)?;
    let mut service = assemble(&config, client, &stock, seed)?;
    service.daemon.store = store;
    service.options.send_modify(look_often);
    let signals = Shutdown::default();
    let mut status = service.status;
    let mut daemon = tokio::spawn(service.daemon.run(signals.clone()));
    let ready = status.wait_for(|status: &Status| status.is_listening);
    tokio::select! {
        listening = ready => { listening.context("the daemon panicked")?; }
        ended = &mut daemon => {
            ended.context("the daemon panicked")?.map_err(|exit| failure(&exit))?;
        }
    }

    if args.console {
        let client = Client::new(&address, Token::parse(&guest)?, seed)?;
        converse(args, start, client).await?;
    } else {
        show_page(&with_key(&address, &key), &mut daemon).await?;
    }
    signals.leave.cancel();
    stop.cancel();
    // Both end within two seconds, or with the process.
    let _ = daemon.await;
    let _ = serving.await;
    Ok(Exit::Success)
}

async fn show_page(
    address: &str,
    daemon: &mut tokio::task::JoinHandle<Result<(), crate::bot::DaemonError>>,
) -> anyhow::Result<()> {
    if has_page() {
        super::print(format_args!("Play at {address} (Ctrl-C ends)"))?;
    } else {
        super::print(format_args!(
            "{address} serves lichess' protocol, but this build has no page: `make play` builds it, \
             `sparring play --console` needs none (Ctrl-C ends)"
        ))?;
    }
    let mut stops = StopSignals::new().context("cannot listen for Ctrl-C")?;
    tokio::select! {
        _ = stops.recv() => Ok(()),
        ended = daemon => ended.context("the daemon panicked")?.map_err(|exit| failure(&exit)),
    }
}

async fn converse(
    args: &Args,
    (variant, fen): (Variant, Option<String>),
    client: Client,
) -> anyhow::Result<()> {
    let color = match args.color.as_str() {
        "white" => ChallengeColor::White,
        "black" => ChallengeColor::Black,
        _ => ChallengeColor::Random,
    };
    let opponent: UserId = BOT.parse()?;
    let requests = args
        .level
        .map(|level| format!("!level {}", Elo(level)))
        .into_iter()
        .collect();
    let wishes = PlayOptions {
        opponent,
        invitation: ChallengeRequest {
            clock: args.clock,
            color,
            variant,
            fen,
            rated: false,
        },
        requests,
    };
    let keyboard = BufReader::new(stdin());
    Console::new(client, "You".parse()?, keyboard, stdout())
        .play(&wishes)
        .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparring_lichess::model::DeclineReason;

    #[test]
    fn no_settings_keep_a_guest_from_another_game() {
        let mut config = Config::default();
        config.games.max = 1;
        config.games.per_opponent = 1;
        config.rules = vec![Rule {
            then: Some(Action::Decline(DeclineReason::NoBot)),
            ..Rule::default()
        }];
        receive_guests(&mut config);
        let decides = config.rules.iter().find_map(|rule| rule.then);
        assert_eq!(decides, Some(Action::Accept));
        assert_eq!(config.games.max, Config::default().games.max);
        assert_eq!(config.games.per_opponent, usize::MAX);
    }

    #[test]
    fn a_guest_who_thinks_for_long_is_answered_soon() {
        let mut options = Options::from(Config::default());
        look_often(&mut options);
        assert!(options.timing.poll_every <= Millis::from_secs(2));
        assert!(
            options.timing.park_after >= Millis::from_secs(60),
            "it is there as long as before"
        );
    }

    #[test]
    fn variants_are_named_as_on_lichess_and_positions_are_theirs() {
        for name in ["kingOfTheHill", "King of the Hill", "koth", "KINGOFTHEHILL"] {
            assert_eq!(parse_variant(name), Ok(Variant::KingOfTheHill), "{name}");
        }
        assert_eq!(
            parse_variant("crazyhous"),
            Err("lichess knows no variant \"crazyhous\"; did you mean \"crazyhouse\"?".to_owned())
        );
        let said = |variant, fen: &str| {
            let args = Args {
                console: true,
                port: 0,
                no_edit: true,
                config: None,
                personality: None,
                level: None,
                color: "white".to_owned(),
                clock: None,
                variant: Some(variant),
                fen: (!fen.is_empty()).then(|| fen.to_owned()),
            };
            start(&args).map_err(|error| error.to_string())
        };
        let pockets = "4k3/8/8/8/8/8/8/4K3/Pn w - - 0 1";
        assert_eq!(
            said(Variant::Crazyhouse, pockets),
            Ok((Variant::Crazyhouse, Some(pockets.to_owned())))
        );
        assert_eq!(said(Variant::Horde, ""), Ok((Variant::Horde, None)));
        let ending = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        assert_eq!(said(Variant::Standard, ending).unwrap().0, Variant::FromPosition);
        assert!(said(Variant::FromPosition, "").unwrap_err().contains("--fen"));
        let on_the_hill = "4k3/8/8/8/4K3/8/8/8 b - - 0 1";
        assert!(
            said(Variant::KingOfTheHill, on_the_hill)
                .unwrap_err()
                .contains("over")
        );
        assert!(
            said(Variant::Standard, "nothing")
                .unwrap_err()
                .contains("nothing")
        );
    }

    #[test]
    fn clocks_are_minutes_and_seconds() {
        assert_eq!(
            parse_clock("5+3"),
            Ok((Millis::from_secs(300), Millis::from_secs(3)))
        );
        assert_eq!(parse_clock("0+5"), Ok((Millis::ZERO, Millis::from_secs(5))));
        for text in ["5", "0+0", "-1+0", "999+0", "5+61", "x+y"] {
            assert!(parse_clock(text).is_err(), "{text}");
        }
    }
}
