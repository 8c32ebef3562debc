//! The stage: a served sandbox, the daemon on it, and Anna, who plays against it over HTTP.

use std::{path::Path, sync::Arc, time::Duration};

use futures::{FutureExt as _, future::BoxFuture};
use sparring::{
    bot::{
        Daemon, DaemonError, LockGuard, Options, RestoredState, Shutdown, Status,
        games::live::LiveGames,
        moves::selector::{Decision, MoveRequest, MoveSelector},
        observe::{
            liveness::{LivenessProbe, liveness},
            metrics::Metrics,
        },
    },
    config::{self, Config, Rule},
    store::{Archive, ArchiveWriter},
    user_lists::UserLists,
};
use sparring_chess::{
    parse_uci,
    units::{Centipawns, Elo, Millis},
};
use sparring_engine::Score;
use sparring_lichess::{Client, Token};
use sparring_personality::{Personalities, Personality};
use sparring_sandbox::{self as sandbox, Fault, FaultKind};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    human::Game,
    table::{Lines, Table},
};

/// Whatever is awaited comes sooner, on the slowest machine that tests run on.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Ten minutes, so that no clock matters, and Anna has White.
pub const WHITE: [(&str, &str); 3] = [
    ("clock.limit", "600"),
    ("clock.increment", "0"),
    ("color", "white"),
];
/// The same with Black for Anna.
pub const BLACK: [(&str, &str); 3] = [
    ("clock.limit", "600"),
    ("clock.increment", "0"),
    ("color", "black"),
];

/// What the scripted selector does at a turn.
pub enum Act {
    /// Plays a move, thought to be worth so many centipawns.
    Play(&'static str, i32),
    /// Plays a move once the gate is open.
    When(watch::Receiver<bool>, &'static str),
    /// Thinks for ever.
    Hang,
    /// Falls over.
    Panic,
}

/// A turn that the scripted selector was asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// How many half moves had been played.
    pub ply: usize,
    /// Who was to play.
    pub personality: String,
    /// At which level.
    pub level: Option<Elo>,
    /// Without pauses.
    pub fast: bool,
    /// What was kept off the clock for the way.
    pub overhead: Millis,
    /// What the moves before were worth, in centipawns.
    pub scores: Vec<i32>,
}

/// What the scripted selector was asked so far.
type Diary = Arc<watch::Sender<Vec<Asked>>>;

/// What the bot does at a turn, given how often it was asked before.
type Acts = Arc<dyn Fn(&MoveRequest, usize) -> Act + Send + Sync>;

/// How a stage is set.
pub struct Staging {
    act: Acts,
    selector: Option<Arc<dyn MoveSelector>>,
    cast: Vec<Personality>,
    options: Options,
    lists: UserLists,
    dry: bool,
    store: ArchiveWriter,
    sandbox: sandbox::Options,
}

/// The bot's moves, one after the other, counted by its own moves on the board: after a takeback it repeats itself.
pub fn replies(moves: &'static [&'static str]) -> Staging {
    acts(move |request, _| {
        let own = request.line.ply() / 2;
        Act::Play(moves.get(own).expect("the script has ended"), 0)
    })
}

/// What the bot does at a turn, given how often it was asked before.
pub fn acts(act: impl Fn(&MoveRequest, usize) -> Act + Send + Sync + 'static) -> Staging {
    let mut options = Options::from(Config::default());
    options.config_mut().play.personality = "club".to_owned();
    options.timing.connect_timeout = Millis(500);
    Staging {
        act: Arc::new(act),
        selector: None,
        cast: vec![silent("club"), silent("attacker")],
        options,
        lists: UserLists::default(),
        dry: false,
        store: ArchiveWriter::default(),
        sandbox: sandbox::Options::default(),
    }
}

/// Rules as `bot.toml` has them.
pub fn rules(text: &str) -> Vec<Rule> {
    let (config, findings) = config::read("bot.toml", text);
    config.unwrap_or_else(|| panic!("{findings}")).rules
}

/// A personality that says nothing.
pub fn silent(name: &str) -> Personality {
    let mut profile = Personality::new(name);
    profile.chat.enabled = false;
    profile
}

impl Staging {
    /// With this personality instead of the silent club player.
    pub fn personality(mut self, profile: Personality) -> Self {
        self.options
            .config_mut()
            .play
            .personality
            .clone_from(&profile.name);
        self.cast.push(profile);
        self
    }

    /// With other settings.
    pub fn options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    /// Challenging other bots, so often.
    pub fn courting(self, every: Millis) -> Self {
        self.options(|options| {
            options.config_mut().matchmaking.enabled = true;
            options.config_mut().matchmaking.after = every;
            options.config_mut().matchmaking.every = every;
        })
    }

    /// With these rules and lists, as `bot.toml` has them.
    pub fn rules(mut self, text: &str) -> Self {
        self.options.config_mut().rules = rules(text);
        let (config, _) = config::read("bot.toml", text);
        self.lists = UserLists::written(&config.unwrap().lists);
        self
    }

    /// With an archive.
    pub fn archive(mut self, path: &Path) -> Self {
        self.store = ArchiveWriter::start(Archive::open(path).unwrap()).unwrap();
        self
    }

    /// Only listening.
    pub fn dry(mut self) -> Self {
        self.dry = true;
        self
    }

    /// With another sandbox.
    pub fn sandbox(mut self, change: impl FnOnce(&mut sandbox::Options)) -> Self {
        change(&mut self.sandbox);
        self
    }

    /// With another selector than the scripted one.
    pub fn selector(mut self, selector: Arc<dyn MoveSelector>) -> Self {
        self.selector = Some(selector);
        self
    }

    /// Sets the stage and waits until the daemon listens.
    pub async fn open(self) -> Stage {
        let mut stage = Stage {
            table: Table::set(self.sandbox.clone()).await,
            crew: self.crew(),
            bot: None,
        };
        stage.start().await;
        stage
    }

    /// Everything that a daemon needs but a server.
    pub fn crew(self) -> Crew {
        let diary = Diary::new(watch::Sender::default());
        let act = self.act;
        Crew {
            selector: self.selector.unwrap_or_else(|| scripted(act, Arc::clone(&diary))),
            diary,
            cast: Arc::new(Personalities::new(self.cast)),
            options: self.options,
            lists: watch::channel(Arc::new(self.lists)).1,
            dry: self.dry,
            store: self.store,
            past: RestoredState::default(),
            meters: Metrics::default(),
            boards: LiveGames::default(),
        }
    }
}

fn scripted(act: Acts, diary: Diary) -> Arc<dyn MoveSelector> {
    Arc::new(
        move |request: MoveRequest| -> BoxFuture<'static, Option<Decision>> {
            let asked = Asked {
                ply: request.line.ply(),
                personality: request.persona.profile.name.clone(),
                level: request.persona.level,
                fast: request.persona.fast,
                overhead: request.overhead,
                scores: request
                    .scores
                    .iter()
                    .map(|score| match score {
                        Score::Cp(cp) => cp.0,
                        Score::Mate(_) => panic!("the script knows no mates"),
                    })
                    .collect(),
            };
            let before = diary.borrow().len();
            diary.send_modify(|diary| diary.push(asked));
            let act = act(&request, before);
            async move {
                let play = |uci, worth| {
                    let mv = parse_uci(request.line.position(), uci).expect("the script plays a legal move");
                    Some(Decision {
                        score: Some(Score::Cp(Centipawns(worth))),
                        ..Decision::play(mv, "script")
                    })
                };
                match act {
                    Act::Play(uci, worth) => play(uci, worth),
                    Act::When(mut gate, uci) => {
                        gate.wait_for(|open| *open).await.expect("the gate stays");
                        play(uci, 0)
                    }
                    Act::Hang => std::future::pending().await,
                    Act::Panic => panic!("the script says so"),
                }
            }
            .boxed()
        },
    )
}

/// A daemon at work.
pub struct Bot {
    pub signals: Shutdown,
    pub status: watch::Receiver<Status>,
    pub options: watch::Sender<Options>,
    pub pulse: LivenessProbe,
    pub ended: JoinHandle<Result<(), DaemonError>>,
}

impl Bot {
    /// Waits until its status is so.
    pub async fn until(&mut self, what: &str, so: impl FnMut(&Status) -> bool) {
        let wait = timeout(PATIENCE, self.status.wait_for(so));
        wait.await.unwrap_or_else(|_| panic!("never {what}")).unwrap();
    }

    /// Asks it to end, and waits until it has.
    pub async fn drained(self) {
        self.signals.drain.cancel();
        assert_eq!(self.end().await, Ok(()));
    }

    /// Waits until it has ended.
    pub async fn end(self) -> Result<(), DaemonError> {
        timeout(PATIENCE, self.ended)
            .await
            .expect("the daemon goes on")
            .unwrap()
    }
}

/// Everything that a daemon needs but a server.
pub struct Crew {
    diary: Diary,
    selector: Arc<dyn MoveSelector>,
    cast: Arc<Personalities>,
    options: Options,
    pub lists: watch::Receiver<Arc<UserLists>>,
    dry: bool,
    pub store: ArchiveWriter,
    pub past: RestoredState,
    pub meters: Metrics,
    pub boards: LiveGames,
}

impl Crew {
    /// A daemon of this server and token, not waited for.
    pub fn daemon(&self, server: &str, token: &str) -> Bot {
        let client = Client::new(server, Token::parse(token).unwrap(), 1).unwrap();
        let (options, current) = watch::channel(self.options.clone());
        let (show, status) = watch::channel(Status::default());
        let (pulse, heart) = liveness();
        let daemon = Daemon {
            client,
            claim: Box::new(|_| Box::pin(async { Some(Box::new(()) as LockGuard) })),
            options: current,
            personalities: watch::channel(Arc::clone(&self.cast)).1,
            lists: self.lists.clone(),
            metrics: self.meters.clone(),
            live_games: self.boards.clone(),
            liveness: heart,
            store: self.store.clone(),
            restored: self.past.clone(),
            selector: Arc::clone(&self.selector),
            status: show,
            seed: 1,
            dry: self.dry,
        };
        let signals = Shutdown::default();
        Bot {
            ended: tokio::spawn(daemon.run(signals.clone())),
            signals,
            status,
            options,
            pulse,
        }
    }

    /// With other settings from the next daemon on.
    pub fn change(&mut self, change: impl FnOnce(&mut Options)) {
        change(&mut self.options);
    }

    /// Waits until the scripted selector was asked so often.
    pub async fn thinks(&self, times: usize) {
        let mut diary = self.diary.subscribe();
        let asked = diary.wait_for(|diary| diary.len() >= times);
        timeout(PATIENCE, asked)
            .await
            .expect("the selector was not asked")
            .unwrap();
    }

    /// What the scripted selector was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.diary.borrow().clone()
    }

    /// The plies at which the scripted selector was asked so far.
    pub fn plies(&self) -> Vec<usize> {
        self.diary.borrow().iter().map(|asked| asked.ply).collect()
    }

    /// The level of each turn that the scripted selector was asked about so far.
    pub fn levels(&self) -> Vec<Option<Elo>> {
        self.diary.borrow().iter().map(|asked| asked.level).collect()
    }
}

pub struct Stage {
    pub table: Table,
    pub crew: Crew,
    pub bot: Option<Bot>,
}

impl Stage {
    /// A daemon with this token, not waited for.
    pub fn daemon(&self, token: &str) -> Bot {
        self.crew.daemon(&self.table.url, token)
    }

    /// Starts the daemon and waits until it listens.
    pub async fn start(&mut self) {
        let mut bot = self.daemon(&self.table.bot.token);
        bot.until("listening", |status| status.is_listening).await;
        self.bot = Some(bot);
    }

    /// The server goes down: every connection ends, and the next ones are refused.
    pub async fn server_goes_down(&mut self) {
        self.table.stop = CancellationToken::new().drop_guard();
        (&mut self.table.served).await.unwrap().unwrap();
    }

    /// The server is up again at its old address, with the same world.
    pub async fn server_comes_up(&mut self) {
        let address = self.table.url.trim_start_matches("http://");
        let listener = TcpListener::bind(address).await.unwrap();
        let stop = CancellationToken::new();
        let served = self.table.sandbox.clone().serve(listener, stop.clone());
        self.table.served = tokio::spawn(served);
        self.table.stop = stop.drop_guard();
    }

    /// The daemon dies without a word, as by kill -9.
    pub fn kill(&mut self) {
        self.bot.take().unwrap().ended.abort();
    }

    /// Anna challenges the bot: the id, and her event stream from before the challenge on.
    pub async fn challenge(&self, form: &[(&str, &str)]) -> (String, Lines) {
        let events = self.table.anna.events().await;
        let (status, challenge) = self.table.anna.post("/api/challenge/SandBot", form).await;
        assert_eq!(status, 200, "{challenge}");
        (challenge["id"].as_str().unwrap().to_owned(), events)
    }

    /// Anna challenges the bot, which accepts: the game as she sees it.
    pub async fn game(&self, form: &[(&str, &str)]) -> Game {
        let (id, mut events) = self.challenge(form).await;
        timeout(PATIENCE, events.next_of("gameStart"))
            .await
            .expect("no game came");
        let lines = self.table.anna.watches(&id).await;
        Game::new(id, self.table.anna.clone(), lines)
    }

    /// The same with a game that counts for ratings.
    pub async fn rated_game(&self, form: &[(&str, &str)]) -> Game {
        self.game(&[form, &[("rated", "true")]].concat()).await
    }

    /// How many requests an armed fault is still waiting for.
    pub async fn waiting_faults(&self) -> Vec<u64> {
        let (_, faults) = self.table.anna.get("/sandbox/faults").await;
        let faults = faults.as_array().unwrap().iter();
        faults.map(|fault| fault["times"].as_u64().unwrap()).collect()
    }

    pub fn bot(&mut self) -> &mut Bot {
        self.bot.as_mut().unwrap()
    }

    /// The next requests whose method and path contain this get an answer instead of being served.
    pub fn answers(&self, on: &str, times: u32, status: u16, body: &str) {
        self.arm(on, times, answer(status, body));
    }

    pub fn arm(&self, on: &str, times: u32, what: FaultKind) {
        self.arm_after(on, 0, times, what);
    }

    /// The same after so many requests that pass unharmed.
    pub fn arm_after(&self, on: &str, skip: u32, times: u32, what: FaultKind) {
        self.table.sandbox.arm(Fault {
            on: on.to_owned(),
            skip,
            times,
            what,
        });
    }
}

pub fn answer(status: u16, body: &str) -> FaultKind {
    FaultKind::Answer {
        status,
        body: body.to_owned(),
        content_type: if body.starts_with('<') {
            "text/html"
        } else {
            "application/json"
        }
        .to_owned(),
        retry_after: None,
    }
}
