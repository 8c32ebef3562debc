//! Whether a crowd at the dashboard costs games: the same games twice, the second time with idle sockets and clients that
//! ask for the costliest pages without end.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::Context as _;
use reqwest::Client;
use tokio::{io::AsyncReadExt as _, net::TcpStream, task::JoinSet, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{
    Args, BOOK, INSTANT,
    bot::Bot,
    mebibytes, row,
    stats::{Latency, Tally},
};
use crate::harness::{Folder, GameStart, Opponent, OpponentBehavior, SandboxServer, settings};
use sparring::{
    cli::{sandbox::bind, state_dir::ARCHIVE},
    store::{Archive, End, GameRecord, MoveRecord, MoveSource, Thought},
};
use sparring_chess::units::{Centipawns, Depth, Millis, Nodes, Stopwatch, TimeSource as _};
use sparring_engine::Score;
use sparring_http_server::raise_open_files;
use sparring_lichess::model::Side;

/// Idle sockets.
const IDLE: usize = 1100;
/// Clients that send requests without pause.
const CLIENTS: usize = 300;
/// Their requests, in turn.
const COSTLY: [&str; 7] = [
    "/api/games?most=20000",
    "/api/opponents",
    "/api/books",
    "/api/figures",
    "/api/levels",
    "/api/game/00019999",
    "/metrics",
];
/// Games in the archive, and how many of them have moves one by one, each so many.
const GAMES: u32 = 20_000;
const WITH_MOVES: u32 = 2000;
const PLIES: u32 = 80;
/// Interval of the owner's page loads.
const LOOK: Duration = Duration::from_secs(2);
/// How long the opponents wait before each move.
const PAUSE: Millis = Millis(250);

/// Results of the requests.
#[derive(Debug, Default)]
struct Answers {
    good: AtomicU64,
    later: AtomicU64,
    failed: AtomicU64,
}

/// Plays the games without and with load, and prints the difference.
pub(super) async fn measure(args: &Args) -> anyhow::Result<()> {
    raise_open_files();
    let sandbox_server = SandboxServer::new(args.seed).await?;
    let address = bind(0).await?.local_addr()?;
    let folder = Folder::new()?;
    let listen = format!("[dashboard]\nlisten = \"{address}\"\n");
    folder.write(&(settings(args.at_once, "50ms") + &listen), INSTANT, BOOK)?;
    tokio::task::block_in_place(|| fill(&folder))?;
    let bot = Bot::start_in(&sandbox_server, folder).await?;

    let alone = games(&sandbox_server, &bot, args, 0).await?;
    alone.tell("alone", args);
    let stop = CancellationToken::new();
    let answers = Arc::new(Answers::default());
    let mut siege = JoinSet::new();
    for _ in 0..IDLE {
        siege.spawn(hold(address, stop.clone()));
    }
    for number in 0..CLIENTS {
        siege.spawn(ask(address, number, stop.clone(), Arc::clone(&answers)));
    }
    let owner = tokio::spawn(look(address, stop.clone()));
    let besieged = games(&sandbox_server, &bot, args, 1000).await?;
    stop.cancel();
    siege.join_all().await;
    besieged.tell("besieged", args);
    let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
    let (good, later, failed) = (
        count(&answers.good),
        count(&answers.later),
        count(&answers.failed),
    );
    let told = format!("{good} answered, {later} told to come later, {failed} cut off");
    row(&format!("questions of {CLIENTS} clients"), &told);
    row("the owner's look at a page and its figures", &owner.await??);
    bot.end().await?;
    Ok(())
}

/// How the games went.
struct Outcome {
    /// The bot's own share of its answers.
    own: Latency,
    tally: Tally,
    resident: u64,
}

impl Outcome {
    fn tell(&self, when: &str, args: &Args) {
        let hurt = self.tally.lost_on_time + (args.at_once - self.tally.finished);
        row(
            &format!("{when}: bytes in to the move out"),
            &self.own.to_string(),
        );
        row(
            &format!("{when}: resident memory at most"),
            &mebibytes(self.resident),
        );
        row(
            &format!("{when}: games hurt of {}", args.at_once),
            &format!("{hurt}; {}", self.tally.endings()),
        );
    }
}

/// Plays the games to their end.
async fn games(
    sandbox_server: &SandboxServer,
    bot: &Bot,
    args: &Args,
    from: usize,
) -> anyhow::Result<Outcome> {
    let mut opponents = JoinSet::new();
    for number in from..from + args.at_once {
        let opponent = Opponent::new(sandbox_server, number)?;
        let manner = OpponentBehavior {
            start: GameStart::default(),
            clock: (Millis::from_secs(180), Millis::ZERO),
            pause: PAUSE,
            drawn: usize::MAX,
            nodes: Nodes(0),
            seed: args.seed ^ ((number as u64) << 32),
            most_plies: 150,
        };
        opponents.spawn(async move { opponent.play(&manner).await });
    }
    bot.heard(); // What came before does not count.
    let (mut tally, mut resident) = (Tally::default(), 0);
    loop {
        tokio::select! {
            game = opponents.join_next() => match game {
                Some(game) => tally.add(&game.context("an opponent panicked")??),
                None => break,
            },
            () = sleep(Duration::from_millis(100)) => resident = resident.max(bot.resident()?),
        }
    }
    let own = bot.heard().own;
    Ok(Outcome { own, tally, resident })
}

/// Holds a connection without a word, and opens it again whenever it is closed.
async fn hold(address: SocketAddr, stop: CancellationToken) {
    let holding = async {
        loop {
            if let Ok(mut stream) = TcpStream::connect(address).await {
                let _ = stream.read(&mut [0]).await; // Until the server has enough of it.
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    stop.run_until_cancelled(holding).await;
}

/// Requests one expensive page after the other.
async fn ask(address: SocketAddr, number: usize, stop: CancellationToken, answers: Arc<Answers>) {
    let Ok(client) = Client::builder().no_proxy().build() else {
        return;
    };
    let asking = async {
        for path in COSTLY.iter().cycle().skip(number) {
            let answer = async {
                let answer = client.get(format!("http://{address}{path}")).send().await?;
                let status = answer.status();
                answer.bytes().await.map(|_| status)
            };
            let count = match answer.await {
                Ok(status) if status.is_success() => &answers.good,
                Ok(_) => &answers.later,
                Err(_) => &answers.failed,
            };
            count.fetch_add(1, Ordering::Relaxed);
        }
    };
    stop.run_until_cancelled(asking).await;
}

/// Loads the page repeatedly as an owner does; returns times and failures.
async fn look(address: SocketAddr, stop: CancellationToken) -> anyhow::Result<String> {
    let (mut waits, mut failed) = (Latency::default(), 0);
    while !stop.is_cancelled() {
        let client = Client::builder()
            .no_proxy()
            .timeout(Duration::from_secs(10))
            .build()?;
        let watch = Stopwatch::start();
        let mut is_seen = true;
        for path in ["/", "/api/overview"] {
            let answer = client.get(format!("http://{address}{path}")).send().await;
            is_seen &= answer.is_ok_and(|answer| answer.status().is_success());
        }
        if is_seen {
            waits.add(&[watch.elapsed().0 * 1000]);
        } else {
            failed += 1;
        }
        stop.run_until_cancelled(sleep(LOOK)).await;
    }
    Ok(format!("{waits}, {failed} failed"))
}

/// Writes an archive as of a bot that has played for years.
fn fill(folder: &Folder) -> anyhow::Result<()> {
    let state = folder.at("state");
    std::fs::create_dir(&state)?;
    let archive = Archive::open(&state.join(ARCHIVE))?;
    let there_and_back = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let moves: Vec<&str> = there_and_back.into_iter().cycle().take(PLIES as usize).collect();
    for number in 0..GAMES {
        let began = Millis(1_700_000_000_000 + u64::from(number) * 600_000);
        let game = GameRecord {
            id: format!("{number:08}").parse()?,
            began,
            side: Side::White,
            opponent: format!("guest{}", number % 5000).parse().ok(),
            name: format!("guest{}", number % 5000),
            is_bot: false,
            rating: None,
            own_rating: None,
            rated: false,
            variant: "standard".to_owned(),
            speed: "blitz".to_owned(),
            clock: Some((Millis::from_secs(180), Millis::ZERO)),
            days: None,
            start: "startpos".to_owned(),
            personality: "starter".to_owned(),
            account: None,
            level: None,
            played: None,
            end: Some(End {
                at: Millis(began.0 + 300_000),
                status: "resign".to_owned(),
                winner: Some(Side::White),
                moves: moves.join(" "),
            }),
        };
        archive.put_game(&game)?;
        if number >= GAMES - WITH_MOVES {
            for (ply, uci) in (1..).zip(&moves) {
                archive.put_move(&game.id, &thought(ply, uci))?;
            }
        }
    }
    Ok(())
}

fn thought(ply: u32, uci: &str) -> MoveRecord {
    let thought = Thought {
        pondered: None,
        source: MoveSource::Engine {
            depth: Depth(9),
            nodes: Nodes(5000),
        },
        note: "engine +0.10".to_owned(),
        score: Some(Score::Cp(Centipawns(10))),
        think: Millis(1000),
        grounds: None,
    };
    MoveRecord {
        ply,
        uci: uci.to_owned(),
        clock: Some(Millis(100_000)),
        thought: (ply % 2 == 1).then_some(thought),
    }
}
